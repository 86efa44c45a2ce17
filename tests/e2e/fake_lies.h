/* SPDX-License-Identifier: MIT */
/* A part of the fake worker: lies that the conductor can find out.
 *
 * fake.lie is timed by the two clock readings around its batches, fake.own by a clock of its own.
 * Both tell honest samples, made by the engine's own arithmetic, and bend one thing: a sample, the
 * work, the residual, the greeting, or how the process ends. */
#ifndef AM_TESTS_E2E_FAKE_LIES_H
#define AM_TESTS_E2E_FAKE_LIES_H

#include "core/bench/bench.h"
#include "fake_say.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { LIE_SAMPLES = 4, LIE_AT = 2, LIE_RATE = 1, LIE_OWN = 3 };

static inline void bend_elapsed_zero(struct am_sample *x)
{
    x->elapsed_ns = 0;
}

static inline void bend_elapsed_huge(struct am_sample *x)
{
    x->elapsed_ns = (uint64_t)1 << 63;
}

static inline void bend_elapsed_half(struct am_sample *x)
{
    x->elapsed_ns /= 2;
}

static inline void bend_value_double(struct am_sample *x)
{
    x->values[LIE_RATE] *= 2;
}

static inline void bend_value_nan(struct am_sample *x)
{
    x->values[LIE_RATE] = NAN;
}

static inline void bend_value_huge(struct am_sample *x)
{
    x->values[LIE_OWN] = 1e308;
}

static inline void bend_value_tiny(struct am_sample *x)
{
    x->values[LIE_OWN] = 5e-324;
}

static inline void bend_value_negative(struct am_sample *x)
{
    x->values[LIE_RATE] = -x->values[LIE_RATE];
}

static inline void bend_hz(struct am_sample *x)
{
    x->hz_before = x->hz_after = -1;
}

static inline void bend_steal_hidden(struct am_sample *x)
{
    x->steal_ns = 1000000000;
}

static inline void bend_steal_invented(struct am_sample *x)
{
    x->labels = AM_LABEL_STEAL;
}

static inline void bend_drift_hidden(struct am_sample *x)
{
    x->hz_before /= 2;
}

static inline void bend_drift_invented(struct am_sample *x)
{
    x->labels = AM_LABEL_DRIFT;
}

static inline void bend_switch_invented(struct am_sample *x)
{
    x->labels = AM_LABEL_SWITCH;
}

static inline void bend_off_invented(struct am_sample *x)
{
    x->labels = AM_LABEL_OFF;
}

static inline void bend_off_longer(struct am_sample *x)
{
    x->off_ns = 10 * (x->t1_ns - x->t0_ns) + 1000000000;
}

static inline void bend_labels_unknown(struct am_sample *x)
{
    x->labels = 1u << 20;
}

/* Leaves a process behind that hides in a session of its own. */
static inline void leave_hidden(void)
{
    if (fork() != 0)
        return;
    (void)setsid();
    if (fork() == 0) /* and in a second generation */
        (void)setsid();
    (void)sleep(300);
    _exit(0);
}

struct lie {
    const char *name;
    void (*bend)(struct am_sample *x); /* of the sample LIE_AT */
    bool derived_after;                /* the values follow from what was bent */
    double ops, residual;              /* told in place of 1 and 0, where not 0 */
    uint64_t overhead_ns;              /* of the greeting */
    bool hides, undone;                /* leaves a process behind; never says done */
    int code;                          /* of the exit */
};

static const struct lie fake_lie_table[] = {
    {.name = "none"},
    {.name = "elapsed_zero", .bend = bend_elapsed_zero, .derived_after = true},
    {.name = "elapsed_huge", .bend = bend_elapsed_huge, .derived_after = true},
    {.name = "elapsed_half", .bend = bend_elapsed_half, .derived_after = true},
    {.name = "value_double", .bend = bend_value_double},
    {.name = "value_nan", .bend = bend_value_nan},
    {.name = "value_huge", .bend = bend_value_huge},
    {.name = "value_tiny", .bend = bend_value_tiny},
    {.name = "value_negative", .bend = bend_value_negative},
    {.name = "hz_negative", .bend = bend_hz, .derived_after = true},
    {.name = "steal_hidden", .bend = bend_steal_hidden},
    {.name = "steal_invented", .bend = bend_steal_invented},
    {.name = "drift_hidden", .bend = bend_drift_hidden, .derived_after = true},
    {.name = "drift_invented", .bend = bend_drift_invented},
    {.name = "switch_invented", .bend = bend_switch_invented},
    {.name = "off_invented", .bend = bend_off_invented},
    {.name = "off_longer", .bend = bend_off_longer},
    {.name = "labels_unknown", .bend = bend_labels_unknown},
    {.name = "work_negative", .ops = -1},
    {.name = "work_huge", .ops = 1e300},
    {.name = "work_nan", .ops = NAN},
    {.name = "residual_nan", .residual = NAN},
    {.name = "residual_negative", .residual = -1},
    {.name = "residual_huge", .residual = 1e300},
    {.name = "clock_slow", .overhead_ns = (uint64_t)1 << 62},
    {.name = "exit_three", .code = 3},
    {.name = "exit_undone", .undone = true},
    {.name = "hidden_child", .hides = true},
};
enum { N_LIES = sizeof(fake_lie_table) / sizeof(*fake_lie_table) };

static const char *lie_names[N_LIES + 1];
static const struct am_axis lie_axes[] = {
    {.name = "lie", .kind = AM_AXIS_NAME, .dflt = "none", .choices = lie_names, .help = "which"},
    {0},
};
static const struct am_metric lie_metrics[] = {
    {.name = "time", .unit = "s", .better = AM_LOWER, .rule = AM_RULE_TIME_PER_ITER},
    {.name = "rate", .unit = "1/s", .better = AM_HIGHER, .rule = AM_RULE_OP_RATE},
    {.name = "cycles", .unit = "cycle", .better = AM_LOWER, .rule = AM_RULE_CYCLES_PER_OP},
    {.name = "own", .unit = "s", .better = AM_LOWER, .rule = AM_RULE_OWN},
    {0},
};
enum { N_LIE_METRICS = sizeof(lie_metrics) / sizeof(*lie_metrics) - 1 };

static const struct am_bench fake_lie = {.name = "fake.lie",
                                         .summary = "lies",
                                         .version = 1,
                                         .axes = lie_axes,
                                         .metrics = lie_metrics,
                                         .timed = AM_TIMED_BATCH};
static const struct am_bench fake_own = {.name = "fake.own",
                                         .summary = "lies, by a clock of its own",
                                         .version = 1,
                                         .axes = lie_axes,
                                         .metrics = lie_metrics,
                                         .timed = AM_TIMED_OWN};

static inline void fill_lie_names(void)
{
    for (size_t i = 0; i < N_LIES; i++)
        lie_names[i] = fake_lie_table[i].name;
}

static inline void tell_lie_sample(const struct lie *lie, const struct am_work *work,
                                   const struct am_clock *clock, bool bent)
{
    const struct timespec pause = {.tv_nsec = 100000};
    struct am_msg msg = {.kind = AM_MSG_SAMPLE, .n_values = N_LIE_METRICS};
    struct am_sample *const x = &msg.sample;

    *x = (struct am_sample){.iters = 7, .hz_before = 3e9, .hz_after = 3e9};
    x->values[LIE_OWN] = 1e-3;
    x->t0_ns = am_now_ns();
    (void)nanosleep(&pause, NULL);
    x->t1_ns = am_now_ns();
    x->elapsed_ns = x->t1_ns - x->t0_ns;
    if (bent && lie->bend && lie->derived_after)
        lie->bend(x);
    am_bench_derive(lie_metrics, work, clock, x);
    if (bent && lie->bend && !lie->derived_after)
        lie->bend(x);
    say(&msg);
}

/* One whole launch; returns the exit code. */
static inline int fake_play_lie(const struct am_point *p, const char *name)
{
    const struct lie *const lie = &fake_lie_table[p->values[0].i];
    const struct am_clock clock = {.overhead_ns = lie->overhead_ns ? lie->overhead_ns : 20,
                                   .resolution_ns = 1};
    const struct am_msg point = {.kind = AM_MSG_POINT, .point_id = p->id};
    const double ops = fpclassify(lie->ops) == FP_ZERO ? 1 : lie->ops;
    const struct am_msg work = {.kind = AM_MSG_WORK, .work = {.ops = ops}};
    const struct am_msg verified = {.kind = AM_MSG_VERIFIED, .residual = lie->residual};
    struct am_msg hello = {.kind = AM_MSG_HELLO, .version = AM_PROTOCOL_VERSION, .hz = 3e9};

    hello.clock = clock;
    (void)am_str_copy(hello.worker, sizeof(hello.worker), name);
    say(&hello);
    say(&point);
    say(&work);
    say(&verified);
    for (int i = 0; i < LIE_SAMPLES; i++)
        tell_lie_sample(lie, &work.work, &clock, i == LIE_AT);
    if (lie->hides)
        leave_hidden();
    say_kind(AM_MSG_END, "");
    if (!lie->undone)
        say_kind(AM_MSG_DONE, "");
    return lie->code;
}

#endif
