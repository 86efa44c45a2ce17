/* SPDX-License-Identifier: MIT */
/* The search of ocl.arith: its answer is found once per run and taken by the launches after it,
 * unless it is doubtful; and points of a launch share the device's context. */
#include "base/temp_folder.h"
#include "base/text.h"
#include "bench/ocl/units/arith_search.h"
#include "bench/ocl/host/handed.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/am-arith-XXXXXX";

static const struct am_arith_request request = {
    .op = AM_ARITH_FMA, .type = AM_ARITH_FLOAT, .width = 4, .group = 32};

/* A faster device than there is: nothing found here is doubtful. */
static const double beyond = 1e30;

/* Searches as a launch would; 0 chains when it fails. */
static struct am_arith_shape search(const struct am_ocl_device *d)
{
    struct am_ocl_timer timer = {.device = d};
    struct am_arith_buffers buffers = {.out = NULL};
    struct am_arith_trial best = {.turn_ns = 0};
    struct am_err err = {0};
    const enum am_status s = am_arith_search(&timer, &request, &buffers, &best, &err);

    if (s != AM_OK)
        ok(false, "the search ends with a kernel: %s", err.text);
    am_arith_trial_free(&best);
    am_arith_buffers_free(&buffers);
    return s == AM_OK ? best.shape : (struct am_arith_shape){.chains = 0};
}

static uint64_t searches(const struct am_ocl_device *d)
{
    struct am_arith_winner w = {.searches = 0};

    return am_arith_winner_take(d, &request, &w) ? w.searches : 0;
}

/* How many candidates the search says that it tried, one by one; 0 when it does not say all. */
static uint32_t listed(const struct am_ocl_device *d)
{
    struct am_arith_winner w = {.tried = 0};
    uint32_t n = 1;

    if (!am_arith_winner_take(d, &request, &w) || !w.list[0] || strstr(w.list, "..."))
        return 0;
    for (const char *at = w.list; (at = strchr(at, ',')) != NULL; at++)
        n++;
    return n == w.tried ? n : 0;
}

static void test_handed_on(const struct am_ocl_device *d)
{
    struct am_arith_winner w = {.items = 64,
                                .group = 32,
                                .chains = 3,
                                .tried = 9,
                                .searches = 1,
                                .complete = 1,
                                .rate = beyond};
    struct am_ocl_device later = *d;

    (void)unsetenv(AM_RUN_FOLDER);
    ok(search(d).chains > 0 && searches(d) == 0,
       "without a folder of the run every launch searches");
    (void)setenv(AM_RUN_FOLDER, folder, 1);
    ok(search(d).chains > 0 && searches(d) == 1, "the first launch searches and leaves its answer");
    ok(listed(d) > 0, "with all %u that it had time to try, and their rates", listed(d));
    am_arith_winner_leave(d, &request, &w);
    ok(search(d).chains == 3 && searches(d) == 1, "the next ones take it");
    (void)am_str_copy(later.driver, sizeof(later.driver), "a later driver");
    ok(!am_arith_winner_take(&later, &request, &w), "it holds for this driver only");
}

static void test_doubtful(const struct am_ocl_device *d)
{
    struct am_arith_winner w = {
        .items = 64, .group = 32, .chains = 3, .tried = 9, .searches = 1, .complete = 1, .rate = 0};

    am_arith_winner_leave(d, &request, &w);
    ok(search(d).chains > 0 && searches(d) == 2,
       "an answer that was found on a slower device than there is now is searched for again");
    w.complete = 0;
    w.rate = beyond;
    am_arith_winner_leave(d, &request, &w);
    ok(search(d).chains > 0 && searches(d) == 2, "so is one for which time was too short");
    w.rate = 0;
    w.searches = AM_ARITH_SEARCHES_MAX;
    am_arith_winner_leave(d, &request, &w);
    ok(search(d).chains == 3 && searches(d) == AM_ARITH_SEARCHES_MAX, "but not for ever");
}

/* Answers that nobody found: none may reach the device. */
static void test_impossible(const struct am_ocl_device *d)
{
    const struct am_arith_winner bad[] = {
        {.items = 64, .group = 32, .chains = 0, .searches = 1, .complete = 1, .rate = beyond},
        {.items = 64,
         .group = 32,
         .chains = AM_ARITH_CHAINS_MAX + 1,
         .searches = 1,
         .complete = 1,
         .rate = beyond},
        {.items = 65, .group = 32, .chains = 3, .searches = 1, .complete = 1, .rate = beyond},
        {.items = 0, .group = 32, .chains = 3, .searches = 1, .complete = 1, .rate = beyond},
        {.items = 64, .group = 0, .chains = 3, .searches = 1, .complete = 1, .rate = beyond},
        {.items = 64, .group = 64, .chains = 3, .searches = 1, .complete = 1, .rate = beyond},
        {.items = UINT64_C(1) << 40,
         .group = 32,
         .chains = 3,
         .searches = 1,
         .complete = 1,
         .rate = beyond},
    };
    struct am_arith_winner endless = {
        .items = 64, .group = 32, .chains = 3, .searches = 1, .complete = 1, .rate = beyond};
    size_t taken = 0;

    memset(endless.list, 'x', sizeof(endless.list));
    am_arith_winner_leave(d, &request, &endless);
    taken += searches(d) != 0;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        am_arith_winner_leave(d, &request, &bad[i]);
        taken += searches(d) != 0;
    }
    ok(taken == 0, "answers that cannot be are not taken: %zu", taken);
    ok(search(d).chains > 0 && searches(d) == 1, "and the launch searches");
}

/* Points of a launch, one after another and beside each other. */
static void test_contexts(const char *name, const struct am_ctx *ctx)
{
    struct am_ocl_device first = {.ctx = NULL}, second = {.ctx = NULL};
    struct am_err err = {0};
    cl_context context;

    if (am_ocl_device_open(&first, ctx, name, &err) != AM_OK ||
        am_ocl_device_open(&second, ctx, name, &err) != AM_OK) {
        ok(false, "the device opens twice: %s", err.text);
        return;
    }
    context = first.context;
    ok(second.context == context && second.queue != first.queue,
       "devices that are open together share a context, not a queue");
    am_ocl_device_close(&second);
    am_ocl_device_close(&first);
    ok(am_ocl_device_open(&first, ctx, name, &err) == AM_OK && first.context == context,
       "and so do points of a launch");
    am_ocl_device_close(&first);
}

int main(void)
{
    struct am_clock clock;
    const struct am_ctx ctx = {.clock = &clock, .memory_limit_bytes = UINT64_MAX};
    const char *const *names = am_ocl_device_names();
    struct am_ocl_device d = {.ctx = NULL};
    struct am_err err = {0};

    am_clock_init(&clock);
    while (*names && am_ocl_device_why_not(*names))
        names++;
    if (!*names) {
        ok(true, "no device here # SKIP no OpenCL driver");
        return tap_done();
    }
    if (!mkdtemp(folder) || am_ocl_device_open(&d, &ctx, *names, &err) != AM_OK) {
        ok(false, "the device opens: %s", err.text);
        return tap_done();
    }
    test_handed_on(&d);
    test_doubtful(&d);
    test_impossible(&d);
    am_ocl_device_close(&d);
    test_contexts(*names, &ctx);
    am_folder_remove(folder);
    return tap_done();
}
