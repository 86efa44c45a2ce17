/* SPDX-License-Identifier: MIT */
/* One run compared with itself: the points that differ in one axis only. */
#include "model/between.h"
#include "tap.h"

static struct am_result_param gomp[] = {{"construct", AM_AXIS_NAME, "barrier"},
                                        {"runtime", AM_AXIS_NAME, "libgomp"},
                                        {"threads", AM_AXIS_INT, "2"}};
static struct am_result_param omp[] = {{"construct", AM_AXIS_NAME, "barrier"},
                                       {"runtime", AM_AXIS_NAME, "libomp"},
                                       {"threads", AM_AXIS_INT, "2"}};
static struct am_result_param plain[] = {{"size", AM_AXIS_SIZE, "4096"}};

static struct am_result results[] = {
    {.bench = "omp.sync", .worker = "omp-gcc", .text = "x", .params = gomp, .n_params = 3},
    {.bench = "omp.sync", .worker = "omp-clang", .text = "y", .params = omp, .n_params = 3},
    {.bench = "mem.latency", .worker = "cpu", .text = "size=4096", .params = plain, .n_params = 1},
};

int main(void)
{
    const struct am_result_set set = {.results = results, .n = 3};
    struct am_result_set a, b;
    struct am_arena arena = {0};
    struct am_err err = {0};

    ok(am_results_where(&set, "runtime", "libgomp", &arena, &a, &err) == AM_OK && a.n == 1,
       "the points of one value are found");
    ok(am_results_where(&set, "runtime", "libomp", &arena, &b, &err) == AM_OK && b.n == 1,
       "and those of the other");
    is_str(a.results[0].text, "construct=barrier threads=2",
           "without the axis that tells them apart");
    is_str(b.results[0].text, a.results[0].text, "so that they pair");
    is_str(b.results[0].worker, a.results[0].worker, "whichever worker measured them");
    ok(a.results[0].n_params == 2 && strcmp(results[0].worker, "omp-gcc") == 0 &&
           results[0].n_params == 3,
       "the run itself is not touched");
    ok(am_results_where(&set, "runtime", "libiomp", &arena, &a, &err) == AM_E_USAGE &&
           strstr(err.text, "libgomp, libomp"),
       "a value that is not there: %s", err.text);
    err = (struct am_err){0};
    ok(am_results_where(&set, "runtme", "libomp", &arena, &a, &err) == AM_E_USAGE,
       "an axis that is not there: %s", err.text);
    am_arena_fini(&arena);
    return tap_done();
}
