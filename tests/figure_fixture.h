/* SPDX-License-Identifier: MIT */
/* A run made through the store with results of real benches' shapes, for tests of figures and of
 * the page: every value is fixed, so what is drawn is too. */
#ifndef AM_TESTS_FIGURE_FIXTURE_H
#define AM_TESTS_FIGURE_FIXTURE_H

#include "base/text.h"
#include "evidence/evidence.h"
#include "store/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GX_NUMBERS_MAX = 64, GX_AXES = 3, GX_POINTS_MAX = 49152, GX_SAMPLES = 5 };

/* A bench of the fixture: numbers a..b by doubling on the first axis, names on the second. */
struct gx_bench {
    struct am_bench bench;
    const char *numbers; /* "4096 8192" */
    const char *names;   /* "random local" */
    double (*value)(double number, size_t name);
};

static inline double gx_staircase(double size, size_t name)
{
    return (size <= 32768 ? 1.1e-9 : size <= 1048576 ? 4e-9 : 90e-9) * (1 + 0.5 * (double)name);
}

static inline double gx_matrix(double cpu, size_t name)
{
    return 26e-9 + 1e-9 * cpu + 20e-9 * (double)name;
}

static const struct am_axis gx_latency_axes[] = {
    {.name = "size", .kind = AM_AXIS_SIZE, .unit = "B"},
    {.name = "pattern", .kind = AM_AXIS_NAME},
    {.name = "pages", .kind = AM_AXIS_NAME},
    {.name = NULL},
};
static const struct am_axis gx_pingpong_axes[] = {
    {.name = "to", .kind = AM_AXIS_INT},
    {.name = "method", .kind = AM_AXIS_NAME},
    {.name = "from", .kind = AM_AXIS_NAME},
    {.name = NULL},
};
static const struct am_axis gx_flops_axes[] = {
    {.name = "streams", .kind = AM_AXIS_INT},
    {.name = "isa", .kind = AM_AXIS_NAME},
    {.name = "op", .kind = AM_AXIS_NAME},
    {.name = NULL},
};
static const struct am_axis gx_hostile_axes[] = {
    {.name = "n", .kind = AM_AXIS_INT},
    {.name = "</script>", .kind = AM_AXIS_NAME},
    {.name = "\"onload=x", .kind = AM_AXIS_NAME},
    {.name = NULL},
};
static const struct am_metric gx_time[] = {
    {.name = "latency", .unit = "s", .better = AM_LOWER, .rule = AM_RULE_TIME_PER_OP},
    {.name = NULL},
};
static const struct am_metric gx_rate[] = {
    {.name = "flops", .unit = "flop/s", .better = AM_HIGHER, .rule = AM_RULE_FLOP_RATE},
    {.name = NULL},
};

static inline double gx_peak(double streams, size_t name)
{
    return fmin(streams, 8) * 4e9 * (1 + (double)name);
}

/* The third axis has one value, "any". */
static const struct gx_bench gx_benches[] = {
    {{.name = "mem.latency",
      .summary = "s",
      .version = 2,
      .axes = gx_latency_axes,
      .metrics = gx_time},
     "4096 8192 16384 32768 65536 1048576 4194304 67108864",
     "random local",
     gx_staircase},
    {{.name = "mem.pingpong",
      .summary = "s",
      .version = 1,
      .axes = gx_pingpong_axes,
      .metrics = gx_time},
     "0 1 2 3",
     "cas store",
     gx_matrix},
    {{.name = "cpu.flops", .summary = "s", .version = 1, .axes = gx_flops_axes, .metrics = gx_rate},
     "1 2 4 8 12",
     "avx2 avx512",
     gx_peak},
    {{.name = "odd.bench",
      .summary = "s",
      .version = 1,
      .axes = gx_pingpong_axes,
      .metrics = gx_time},
     "1 2 4 8",
     "left right",
     gx_matrix},
};
enum { GX_BENCHES = sizeof(gx_benches) / sizeof(gx_benches[0]) };

/* Everything that a plan's points refer to. */
struct gx_plan {
    struct am_point points[GX_POINTS_MAX];
    struct am_value values[GX_POINTS_MAX][GX_AXES];
    double expected[GX_POINTS_MAX];
    struct am_plan plan;
};

static inline size_t gx_words(const char *text, char words[][32], size_t max)
{
    size_t n = 0;

    for (const char *p = text; *p && n < max; n++) {
        const size_t len = strcspn(p, " ");

        (void)snprintf(words[n], 32, "%.*s", (int)len, p);
        p += len + strspn(p + len, " ");
    }
    return n;
}

static inline void gx_add(struct gx_plan *g, const struct gx_bench *b, char names[][32], size_t n)
{
    char numbers[GX_NUMBERS_MAX][32];
    const size_t m = gx_words(b->numbers, numbers, GX_NUMBERS_MAX);

    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < n && g->plan.n < GX_POINTS_MAX; k++) {
            struct am_value *const v = g->values[g->plan.n];
            int64_t number = 0;

            (void)am_parse_i64(numbers[i], strlen(numbers[i]), &number);
            v[0] = (struct am_value){.kind = b->bench.axes[0].kind, .i = number};
            v[1] = (struct am_value){.kind = AM_AXIS_NAME, .i = -1, .name = names[k]};
            v[2] = (struct am_value){.kind = AM_AXIS_NAME, .i = -1, .name = "any"};
            g->expected[g->plan.n] = b->value((double)number, k);
            g->points[g->plan.n] = (struct am_point){.bench = &b->bench, .values = v};
            g->plan.n++;
        }
    }
}

static inline const char *gx_worker_of(const void *self, const struct am_bench *bench)
{
    (void)bench;
    return self;
}

static struct am_kv gx_machine_items[] = {{"key", "f00d"},   {"model_name", "Test & CPU <1>"},
                                          {"packages", "1"}, {"cores", "4"},
                                          {"threads", "4"},  {"memory_gib", "16"}};
static const struct am_kvs gx_machine = {gx_machine_items, 6, 6};
static struct am_finding gx_finding_items[] = {
    {"freq.governor", "Frequency", AM_LEVEL_WARN, "powersave </script>", "slow", "performance"},
    {"noise.steal", "Noise", AM_LEVEL_OK, "none", NULL, NULL},
};
static const struct am_findings gx_findings = {gx_finding_items, 2};

/* One launch: round r of `n` points from `first` on. Value k differs a little from the others. */
static inline enum am_status gx_launch(struct am_store *store, const struct gx_plan *g,
                                       size_t first, size_t n, unsigned r, double factor,
                                       struct am_err *err)
{
    struct am_sample(*const samples)[GX_SAMPLES] = calloc(n, sizeof(*samples));
    struct am_visit *const visits = calloc(n, sizeof(*visits));
    const struct am_launch launch = {.round = r,
                                     .seed = 1,
                                     .worker = "cpu",
                                     .cpus = "0",
                                     .pid = 1,
                                     .started_ns = 1,
                                     .ended_ns = 2,
                                     .wall_start = 1700000000,
                                     .hz = 3e9,
                                     .visits = visits,
                                     .n_visits = n};
    enum am_status s = AM_E_NOMEM;

    for (size_t i = 0; samples && visits && i < n; i++) {
        visits[i] = (struct am_visit){.point_id = g->points[first + i].id,
                                      .state = AM_POINT_OK,
                                      .has_work = true,
                                      .work = {.ops = 1},
                                      .samples = samples[i],
                                      .n_samples = GX_SAMPLES,
                                      .n_metrics = 1};
        for (size_t k = 0; k < GX_SAMPLES; k++) {
            samples[i][k] = (struct am_sample){.iters = 1, .t1_ns = 1, .elapsed_ns = 1};
            samples[i][k].values[0] =
                g->expected[first + i] * factor * (1 + 0.01 * r + 0.001 * (double)k);
            samples[i][k].labels = (first + i) % 7 == 0 && k == 4 ? AM_LABEL_STEAL : 0;
        }
    }
    if (samples && visits)
        s = am_store_put_launch(store, &launch, err);
    free(samples);
    free(visits);
    return s;
}

/* All points in `rounds` rounds, many in one launch: a commit each would take minutes. */
static inline enum am_status gx_measure(struct am_store *store, const struct gx_plan *g,
                                        unsigned rounds, double factor, struct am_err *err)
{
    enum { TOGETHER = 1000 };
    enum am_status s = AM_OK;

    for (unsigned r = 0; r < rounds; r++) {
        for (size_t i = 0; i < g->plan.n && s == AM_OK; i += TOGETHER)
            s = gx_launch(store, g, i, g->plan.n - i < TOGETHER ? g->plan.n - i : TOGETHER, r,
                          factor, err);
    }
    return s;
}

/* Begins the run of a plan, measures all points and ends it. */
static inline enum am_status gx_store(const char *path, struct gx_plan *g, unsigned rounds,
                                      double factor, struct am_err *err)
{
    const struct am_run_facts facts = {
        .info = {.command = "archmeter run '*' --quick",
                 .version = "0.1.0",
                 .started = "2024-02-29T12:00:00Z"},
        .machine = &gx_machine,
        .environment = &gx_machine,
        .build = &gx_machine,
        .findings = &gx_findings,
        .worker_of = gx_worker_of,
        .self = "cpu",
    };
    struct am_store *store = NULL;
    enum am_status s;

    (void)unlink(path);
    g->plan.settings = (struct am_plan_settings){.profile = AM_PROFILE_QUICK,
                                                 .seed = 42,
                                                 .min_launches = 5,
                                                 .max_launches = 5,
                                                 .target = 0.02,
                                                 .launch_limit_s = 60,
                                                 .sampler = {.min_batch_ns = 1000000,
                                                             .max_point_ns = 1000000000,
                                                             .warmup = 1,
                                                             .samples = GX_SAMPLES,
                                                             .drift_limit = 0.02}};
    g->plan.points = g->points;
    g->plan.cap = GX_POINTS_MAX;
    s = am_store_create(path, &store, err);
    if (s == AM_OK)
        s = am_store_begin_run(store, &facts, &g->plan, err);
    if (s == AM_OK)
        s = gx_measure(store, g, rounds, factor, err);
    if (s == AM_OK)
        s = am_store_end_run(store, AM_RUN_DONE, err);
    am_store_close(store);
    return s;
}

/* The run of gx_benches at `path`; all values times `factor`. */
static inline enum am_status gx_make(const char *path, double factor, struct am_err *err)
{
    static char names[GX_BENCHES][2][32];
    struct gx_plan *const g = calloc(1, sizeof(*g));
    enum am_status s;

    if (!g)
        return AM_E_NOMEM;
    for (size_t i = 0; i < GX_BENCHES; i++)
        gx_add(g, &gx_benches[i], names[i], gx_words(gx_benches[i].names, names[i], 2));
    s = gx_store(path, g, 5, factor, err);
    free(g);
    return s;
}

static inline enum am_status gx_load(const char *path, struct am_arena *arena,
                                     struct am_result_set *set, struct am_err *err)
{
    struct am_store *store = NULL;
    enum am_status s = am_store_open(path, false, &store, err);

    if (s == AM_OK)
        s = am_evidence_load(store, NULL, arena, set, err);
    am_store_close(store);
    return s;
}

#endif
