/* SPDX-License-Identifier: MIT */
/* A small run with known contents, for the tests and the fuzz target of the store. */
#ifndef AM_TESTS_STORE_FIXTURE_H
#define AM_TESTS_STORE_FIXTURE_H

#include "store/store.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { FX_POINTS = 6, FX_SAMPLES = 3, FX_METRICS = 2 };

static const char *const fx_patterns[] = {"seq", "random", NULL};

static const struct am_axis fx_mem_axes[] = {
    {.name = "size", .kind = AM_AXIS_SIZE, .unit = "B"},
    {.name = "pattern", .kind = AM_AXIS_NAME, .choices = fx_patterns},
    {.name = NULL},
};
static const struct am_axis fx_cpu_axes[] = {
    {.name = "threads", .kind = AM_AXIS_INT},
    {.name = "ratio", .kind = AM_AXIS_REAL},
    {.name = NULL},
};
static const struct am_metric fx_mem_metrics[] = {
    {.name = "latency", .unit = "s", .better = AM_LOWER, .rule = AM_RULE_TIME_PER_OP},
    {.name = "cycles", .unit = "cycle", .better = AM_LOWER, .rule = AM_RULE_CYCLES_PER_OP},
    {.name = NULL},
};
static const struct am_metric fx_cpu_metrics[] = {
    {.name = "flops", .unit = "flop/s", .better = AM_HIGHER, .rule = AM_RULE_FLOP_RATE},
    {.name = "cycles", .unit = "cycle", .better = AM_LOWER, .rule = AM_RULE_CYCLES_PER_OP},
    {.name = NULL},
};
static const struct am_systematic fx_systematic[] = {
    {.metric = "cycles", .pieces = 5, .difference = "latency"},
    {.metric = NULL},
};
static const struct am_bench fx_mem = {.name = "mem.fake",
                                       .summary = "pretends to load",
                                       .version = 3,
                                       .axes = fx_mem_axes,
                                       .metrics = fx_mem_metrics,
                                       .systematic = fx_systematic};
static const struct am_bench fx_cpu = {.name = "cpu.fake",
                                       .summary = "pretends to compute",
                                       .version = 1,
                                       .axes = fx_cpu_axes,
                                       .metrics = fx_cpu_metrics};

static const struct am_value fx_values[FX_POINTS][2] = {
    {{.kind = AM_AXIS_SIZE, .i = 4096}, {.kind = AM_AXIS_NAME, .i = 0, .name = "seq"}},
    {{.kind = AM_AXIS_SIZE, .i = 4096}, {.kind = AM_AXIS_NAME, .i = 1, .name = "random"}},
    {{.kind = AM_AXIS_SIZE, .i = 1LL << 40}, {.kind = AM_AXIS_NAME, .i = 0, .name = "seq"}},
    {{.kind = AM_AXIS_SIZE, .i = 1LL << 40}, {.kind = AM_AXIS_NAME, .i = 1, .name = "random"}},
    {{.kind = AM_AXIS_INT, .i = 1}, {.kind = AM_AXIS_REAL, .r = 0.1}},
    {{.kind = AM_AXIS_INT, .i = 2}, {.kind = AM_AXIS_REAL, .r = 2}},
};

/* Settings with nothing round in them, so that a rounded column would show. */
static const struct am_plan_settings fx_settings = {
    .profile = AM_PROFILE_THOROUGH,
    .seed = UINT64_MAX - 41,
    .min_launches = 7,
    .max_launches = 4000000000u,
    .target = 0.1 / 3,
    .budget_s = 299.99999999999994,
    .launch_limit_s = 1e-9,
    .sampler = {.min_batch_ns = 10000001,
                .max_point_ns = UINT64_MAX,
                .warmup = 2,
                .samples = 5,
                .extra = 3,
                .drift_limit = 0.02},
};

static inline const char *fx_worker_of(const void *self, const struct am_bench *bench)
{
    (void)bench;
    return self;
}

/* `points` has room for FX_POINTS. */
static inline struct am_plan fx_plan(struct am_point *points)
{
    for (size_t i = 0; i < FX_POINTS; i++)
        points[i] = (struct am_point){.bench = i < 4 ? &fx_mem : &fx_cpu, .values = fx_values[i]};
    return (struct am_plan){
        .settings = fx_settings, .points = points, .n = FX_POINTS, .cap = FX_POINTS};
}

static struct am_kv fx_machine_items[] = {{"key", "f00d"}, {"model", "Test CPU"}, {"key", "twice"}};
static struct am_kv fx_environment_items[] = {{"kernel", "6.1"}, {"OMP_WAIT_POLICY", ""}};
static struct am_kv fx_build_items[] = {{"compiler", "cc \xc3\xa9"}};
static const struct am_kvs fx_machine = {fx_machine_items, 3, 3};
static const struct am_kvs fx_environment = {fx_environment_items, 2, 2};
static struct am_kv fx_setting_items[] = {{"option.energy", "yes"}};
static const struct am_kvs fx_build = {fx_build_items, 1, 1};
static const struct am_kvs fx_run_settings = {fx_setting_items, 1, 1};
static struct am_finding fx_finding_items[] = {
    {"freq.governor", "Frequency", AM_LEVEL_WARN, "powersave", "slow", "performance"},
    {"noise.steal", "Noise", AM_LEVEL_OK, "none", NULL, NULL},
};
static const struct am_findings fx_findings = {fx_finding_items, 2};

static inline enum am_status fx_begin(struct am_store *store, struct am_plan *plan,
                                      struct am_err *err)
{
    const struct am_run_facts facts = {
        .info = {.command = "archmeter run '*.fake'",
                 .version = "0.1.0",
                 .started = "2024-02-29T12:00:00Z",
                 .label = "before",
                 .synthetic = true},
        .machine = &fx_machine,
        .environment = &fx_environment,
        .settings = &fx_run_settings,
        .build = &fx_build,
        .findings = &fx_findings,
        .worker_of = fx_worker_of,
        .self = "cpu",
    };

    return am_store_begin_run(store, &facts, plan, err);
}

/* The value that a sample of a point holds: every one differs, and none is a short decimal. */
static inline double fx_value(int64_t point, unsigned round, size_t seq, size_t metric)
{
    return (double)(point * 1000 + round * 100 + (int64_t)seq * 10 + (int64_t)metric) / 3;
}

/* What a launch of this round is labelled with. */
static inline uint32_t fx_busy(unsigned round)
{
    return round % 2 ? AM_BUSY_OTHERS | AM_BUSY_RUNNABLE : 0;
}

/* One launch that visits one point; everything it needs lives in it. */
struct fx_launch {
    struct am_sample samples[FX_SAMPLES];
    struct am_visit visit;
    struct am_launch launch;
};

static struct am_kv fx_note_items[] = {{"remark", "100 % \n"}};
static struct am_kv fx_chosen_items[] = {{"pattern", "seq"}, {"device_kind", ""}};
static struct am_kv fx_proposed_items[] = {{"size", "4K:1M:*2"}};
static struct am_attachment fx_attachments[] = {{"empty", "text/plain", "", 0},
                                                {"picture", "image/png", "\x89\0\xff", 3}};

static inline void fx_launch_init(struct fx_launch *l, int64_t point, unsigned round)
{
    for (size_t i = 0; i < FX_SAMPLES; i++) {
        l->samples[i] = (struct am_sample){
            .iters = UINT64_MAX - i, /* a worker may say what it likes */
            .t0_ns = 1000 * (i + 1),
            .t1_ns = 1000 * (i + 1) + 500,
            .elapsed_ns = 499 + i,
            .hz_before = 3e9 / 7,
            .hz_after = 0,
            .steal_ns = i * 10000000,
            .switches = i,
            .off_ns = i == 1 ? 250 : i, /* the others are too little to be stored */
            .labels = i == 2 ? AM_LABEL_STEAL | AM_LABEL_DRIFT : 0,
        };
        for (size_t m = 0; m < FX_METRICS; m++)
            l->samples[i].values[m] = fx_value(point, round, i, m);
    }
    l->visit = (struct am_visit){
        .point_id = point,
        .state = AM_POINT_OK,
        .has_work = true,
        .has_residual = true,
        .work = {.bytes_read = 8, .bytes_written = 0.5, .flops = 2, .ops = 1.0 / 3},
        .residual = 1e-16 * (round + 1),
        .samples = l->samples,
        .n_samples = FX_SAMPLES,
        .n_metrics = FX_METRICS,
        .notes = {fx_note_items, 1, 1},
        .chosen = {fx_chosen_items, 2, 2},
        .proposed = {fx_proposed_items, 1, 1},
        .attachments = fx_attachments,
        .n_attachments = 2,
    };
    l->launch = (struct am_launch){
        .round = round,
        .seed = UINT64_MAX,
        .worker = "cpu",
        .cpus = "0,1",
        .pid = 4711,
        .started_ns = 1000000000,
        .ended_ns = 1500000000,
        .wall_start = 1700000000,
        .clock_overhead_ns = 25,
        .clock_resolution_ns = 1,
        .hz = 3e9,
        .has_surroundings = true,
        .surroundings = {.load = round,
                         .runnable = NAN,
                         .others = 0.5 * round,
                         .steal = 0.25,
                         .pressure_cpu = 0.1,
                         .pressure_memory = 0,
                         .pressure_io = NAN,
                         .labels = fx_busy(round)},
        .visits = &l->visit,
        .n_visits = 1,
    };
}

static inline enum am_status fx_put(struct am_store *store, int64_t point, unsigned round,
                                    struct am_err *err)
{
    struct fx_launch l;

    fx_launch_init(&l, point, round);
    return am_store_put_launch(store, &l.launch, err);
}

/* The same with a visit that is not ok: its two first samples came before the end. */
static inline enum am_status fx_put_not_ok(struct am_store *store, int64_t point, unsigned round,
                                           enum am_point_state state, struct am_err *err)
{
    struct fx_launch l;

    fx_launch_init(&l, point, round);
    l.visit.state = state;
    l.visit.kind = state == AM_POINT_SKIP ? AM_FAILURE_SKIP : AM_FAILURE_SIGNAL;
    l.visit.reason = state == AM_POINT_SKIP ? "too large for this machine" : "SIGSEGV";
    l.visit.has_work = l.visit.has_residual = false;
    l.visit.n_samples = state == AM_POINT_SKIP ? 0 : 2;
    l.launch.output = state == AM_POINT_SKIP ? NULL : "last words \xff";
    return am_store_put_launch(store, &l.launch, err);
}

/* A whole run: point 1 ok in rounds 0..3, 2 failed then ok, 3 skipped, 4 skipped then failed,
 * 5 ok in rounds 0 and 2, 6 never visited. */
static inline enum am_status fx_fill(struct am_store *store, struct am_err *err)
{
    static const struct {
        int64_t point;
        unsigned round;
        enum am_point_state state;
    } visits[] = {
        {1, 0, AM_POINT_OK},   {2, 0, AM_POINT_FAIL}, {3, 0, AM_POINT_SKIP}, {4, 0, AM_POINT_SKIP},
        {5, 0, AM_POINT_OK},   {5, 2, AM_POINT_OK},   {1, 1, AM_POINT_OK},   {2, 1, AM_POINT_OK},
        {4, 1, AM_POINT_FAIL}, {1, 3, AM_POINT_OK},   {1, 2, AM_POINT_OK},
    };
    enum am_status s = AM_OK;

    for (size_t i = 0; s == AM_OK && i < sizeof(visits) / sizeof(visits[0]); i++)
        s = visits[i].state == AM_POINT_OK
                ? fx_put(store, visits[i].point, visits[i].round, err)
                : fx_put_not_ok(store, visits[i].point, visits[i].round, visits[i].state, err);
    return s;
}

static inline bool fx_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* An open store with a run that has just begun; what stood at `path` is gone. */
static inline struct am_store *fx_fresh_run(const char *path)
{
    struct am_point points[FX_POINTS];
    struct am_plan plan = fx_plan(points);
    struct am_store *store = NULL;
    struct am_err err = {0};

    (void)unlink(path);
    if (am_store_create(path, &store, &err) != AM_OK || fx_begin(store, &plan, &err) != AM_OK)
        printf("# %s\n", err.text);
    return store;
}

#endif
