/* SPDX-License-Identifier: MIT */
/* How fast the store takes samples, told with a bench that exists only here. */
#include "cli/run/selftest.h"

#include "base/clock.h"
#include "cli/words/help.h"
#include "store/store.h"

enum { LAUNCHES = 100, SAMPLES = 100 };

static const char *worker_of(const void *self, const struct am_bench *bench)
{
    (void)self;
    (void)bench;
    return "selftest";
}

static const struct am_axis axes[] = {{.name = "n", .kind = AM_AXIS_INT}, {.name = NULL}};
static const struct am_metric metrics[] = {
    {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, NULL},
    {"rate", "op/s", AM_HIGHER, AM_RULE_OP_RATE, NULL},
    {.name = NULL},
};
static const struct am_bench bench = {.name = "selftest.store",
                                      .summary = "samples made up to time the store",
                                      .version = 1,
                                      .axes = axes,
                                      .metrics = metrics};

static enum am_status put_launch(struct am_store *store, unsigned round, int64_t point_id,
                                 struct am_err *err)
{
    struct am_sample samples[SAMPLES];
    struct am_visit visit = {.point_id = point_id,
                             .state = AM_POINT_OK,
                             .samples = samples,
                             .n_samples = SAMPLES,
                             .n_metrics = 2};
    const struct am_launch launch = {.round = round,
                                     .worker = "selftest",
                                     .cpus = "0",
                                     .started_ns = am_now_ns(),
                                     .ended_ns = am_now_ns(),
                                     .visits = &visit,
                                     .n_visits = 1};

    for (unsigned i = 0; i < SAMPLES; i++)
        samples[i] = (struct am_sample){.iters = 1000 + i,
                                        .t0_ns = i * UINT64_C(1000),
                                        .t1_ns = i * UINT64_C(1000) + 900,
                                        .elapsed_ns = 900,
                                        .hz_before = 3e9,
                                        .hz_after = 3e9,
                                        .values = {1e-9 * (i + 1), 1e9 / (i + 1)}};
    return am_store_put_launch(store, &launch, err);
}

enum am_status am_selftest_store(const char *path, double *seconds, struct am_err *err)
{
    const struct am_value value = {.kind = AM_AXIS_INT, .i = 1};
    struct am_point point = {.bench = &bench, .values = &value};
    struct am_plan plan = {
        .settings = am_profile_settings(AM_PROFILE_QUICK), .points = &point, .n = 1, .cap = 1};
    const struct am_kvs none = {0};
    const struct am_findings no_findings = {0};
    const struct am_run_facts facts = {.info = {.command = "archmeter selftest",
                                                .version = am_cli_version(),
                                                .state = AM_RUN_RUNNING},
                                       .machine = &none,
                                       .environment = &none,
                                       .build = &none,
                                       .findings = &no_findings,
                                       .worker_of = worker_of};
    struct am_store *store = NULL;
    enum am_status status = am_store_create(path, &store, err);
    uint64_t start;

    if (status == AM_OK)
        status = am_store_begin_run(store, &facts, &plan, err);
    start = am_now_ns();
    for (unsigned round = 0; round < LAUNCHES && status == AM_OK; round++)
        status = put_launch(store, round, point.id, err);
    *seconds = (double)(am_now_ns() - start) * 1e-9;
    am_store_close(store);
    return status;
}
