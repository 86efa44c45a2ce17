/* SPDX-License-Identifier: MIT */
/* Time on a device: by events, held against the host's clock, and gated against folded work. */
#include "bench/ocl/host/timing.h"

#include <math.h>

enum {
    IN_FLIGHT = 64,        /* launches queued at once */
    LOOPS_MAX = 1 << 20,   /* of one launch unless the bench says less */
    GATE_TRIALS_LEAST = 4, /* of each kernel; the best counts, so that one disturbed trial of the */
    GATE_TRIALS = 16,      /* doubled body cannot pass for work that was done */
    GATE_NS = 2000000,     /* of a trial: far above what starting a kernel costs */
    GATE_LENGTHS = 4,  /* tried before work counts as folded: on a crowded machine threads wait */
    GATE_LENGTHEN = 4, /* longer than they work, but folded work stays as short as it was */
    PROBE_GROWTH_MAX = 16, /* from one trial to the next */
    CLOCK_NS = 2000000, /* of a batch that calibrates: far above the way to the device and back */
    CLOCK_NS_MAX = 500000000,
    CLOCK_ALIKE = 2, /* batches that must agree */
    CLOCK_AFTER = 4, /* batches that may do so by the way */
    /* Batches before events and host can be said to disagree: until then they are calibrated. */
    JUDGED_FROM = CLOCK_AFTER + 1,
    CLOCK_TRIALS = 2,  /* of one length: as many as must agree */
    CLOCK_LENGTHS = 4, /* in which clocks differ by the same part before one is called wrong */
    CLOCK_LENGTHEN = 4,
};

/* Events may claim this much more than the host saw pass: their clocks differ a little. */
static const double claim_margin = 1.02;
static const uint64_t claim_slack_ns = 20000;
/* The least share of the host's time that events must explain, beside the slack of a launch. */
static const double share_least = 0.25;
static const uint64_t share_slack_ns = 5000000;
/* What the host may see beyond the events, as a part of a batch that calibrates. */
static const double clock_margin = 0.05;
/* Twice the body must take this much longer: honest work gives 2 less what starting costs. Beyond
 * the second limit the trials were disturbed; more of them are made, and it is no failure. */
static const double gate_limit = 1.6, gate_calm = 2.3;

static uint64_t now(const struct am_ocl_timer *t)
{
    return am_ocl_device_now(t->device);
}

enum am_status am_ocl_timing_stamps(cl_event event, struct am_ocl_stamps *out, struct am_err *err)
{
    const struct {
        cl_profiling_info what;
        uint64_t *to;
    } wanted[] = {
        {CL_PROFILING_COMMAND_QUEUED, &out->queued_ns},
        {CL_PROFILING_COMMAND_SUBMIT, &out->submit_ns},
        {CL_PROFILING_COMMAND_START, &out->start_ns},
        {CL_PROFILING_COMMAND_END, &out->end_ns},
    };
    cl_int code = clWaitForEvents(1, &event);

    if (code != CL_SUCCESS)
        return am_ocl_fail(err, code, "clWaitForEvents");
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        cl_ulong ns = 0;

        code = clGetEventProfilingInfo(event, wanted[i].what, sizeof(ns), &ns, NULL);
        if (code != CL_SUCCESS)
            return am_ocl_fail(err, code, "clGetEventProfilingInfo");
        *wanted[i].to = ns;
    }
    if (out->end_ns < out->start_ns)
        return am_fail(err, AM_E_WRONG, "wrong: an event ends %llu ns before it starts",
                       (unsigned long long)(out->start_ns - out->end_ns));
    return AM_OK;
}

void am_ocl_timing_open(struct am_ocl_timer *t, const struct am_ocl_device *d)
{
    *t = (struct am_ocl_timer){.device = d};
    if (d->ctx && !d->is_cpu && !d->shares_memory)
        am_ctx_chosen(d->ctx, AM_CHOSEN_CLOCK, AM_CLOCK_DEVICE);
}

void am_ocl_timing_begin(struct am_ocl_timer *t)
{
    t->device_ns = 0;
    t->commands = 0;
    t->first_ns = UINT64_MAX;
    t->last_ns = 0;
    t->begin_ns = now(t);
}

enum am_status am_ocl_timing_take(struct am_ocl_timer *t, cl_event event, struct am_err *err)
{
    struct am_ocl_stamps stamps;
    const enum am_status s = am_ocl_timing_stamps(event, &stamps, err);

    (void)clReleaseEvent(event);
    if (s != AM_OK)
        return s;
    t->device_ns += stamps.end_ns - stamps.start_ns;
    t->first_ns = stamps.start_ns < t->first_ns ? stamps.start_ns : t->first_ns;
    t->last_ns = stamps.end_ns > t->last_ns ? stamps.end_ns : t->last_ns;
    t->commands++;
    return AM_OK;
}

/* From the first START to the last END of the batch, gaps between commands included. */
static uint64_t span_of(const struct am_ocl_timer *t)
{
    return t->last_ns > t->first_ns ? t->last_ns - t->first_ns : 0;
}

/* Whether events saw more time than passed, which nothing that disturbs can explain. */
static bool claims_more(const struct am_ocl_timer *t, uint64_t host_ns)
{
    return (double)span_of(t) > claim_margin * (double)host_ns + (double)claim_slack_ns;
}

/* Whether both clocks go alike, as far as a batch of this length can tell. */
static bool goes_alike(const struct am_ocl_timer *t, uint64_t host_ns)
{
    const double span = (double)span_of(t), rest = (double)host_ns - span;

    return span >= CLOCK_NS && rest <= clock_margin * span && !claims_more(t, host_ns);
}

static void calibrate_by(struct am_ocl_timer *t, uint64_t host_ns)
{
    t->alike += goes_alike(t, host_ns);
    if (!t->calibrated && t->alike >= CLOCK_ALIKE) {
        t->calibrated = true;
        t->apart = 0; /* in those before it the host woke late */
    }
}

/* The host sees at least what the device works, and not far more than that and the starting. A
 * clock that was found to go as the host's does is excused from the second: on a crowded machine
 * the host wakes late, batch after batch. */
static bool agree(const struct am_ocl_timer *t, uint64_t host_ns)
{
    const double most = claim_margin * (double)host_ns + (double)claim_slack_ns;
    const double slack = (double)share_slack_ns + (double)t->commands * (double)claim_slack_ns;
    const double least = share_least * ((double)host_ns - slack);

    return (double)t->device_ns <= most && (t->calibrated || (double)t->device_ns >= least);
}

enum am_status am_ocl_timing_end(struct am_ocl_timer *t, uint64_t *elapsed_ns, struct am_err *err)
{
    const uint64_t host_ns = now(t) - t->begin_ns;

    *elapsed_ns = t->device_ns;
    calibrate_by(t, host_ns);
    if (t->batches++ == 0)
        return AM_OK; /* compiled in it */
    /* A batch that is long enough to tell, of which events saw more than passed, is enough. */
    t->apart += !agree(t, host_ns);
    if ((t->batches < JUDGED_FROM || 2 * t->apart <= t->batches) &&
        (span_of(t) < CLOCK_NS || !claims_more(t, host_ns)))
        return AM_OK;
    return am_fail(err, AM_E_WRONG,
                   "wrong: events say %llu ns where the host's clock says %llu ns, in %u of %u "
                   "batches",
                   (unsigned long long)t->device_ns, (unsigned long long)host_ns, t->apart,
                   t->batches);
}

static cl_int enqueue(const struct am_ocl_timer *t, cl_kernel kernel, const struct am_ocl_range *r,
                      cl_event *event)
{
    return clEnqueueNDRangeKernel(t->device->queue, kernel, r->dims, NULL, r->global, r->local, 0,
                                  NULL, event);
}

/* At most IN_FLIGHT launches, all of them under way before the first is waited for. */
static enum am_status launch_some(struct am_ocl_timer *t, cl_kernel kernel,
                                  const struct am_ocl_range *range, size_t n, struct am_err *err)
{
    cl_event events[IN_FLIGHT];
    enum am_status s = AM_OK;
    size_t queued = 0;

    for (; queued < n; queued++) {
        const cl_int code = enqueue(t, kernel, range, &events[queued]);

        if (code != CL_SUCCESS) {
            s = am_ocl_fail(err, code, "clEnqueueNDRangeKernel");
            break;
        }
    }
    for (size_t i = 0; i < queued; i++) {
        const enum am_status taken = am_ocl_timing_take(t, events[i], err);

        s = s == AM_OK ? taken : s;
    }
    return s;
}

/* Any number of launches, between begin and end. */
static enum am_status launch_many(struct am_ocl_timer *t, cl_kernel kernel,
                                  const struct am_ocl_range *range, uint64_t launches,
                                  struct am_err *err)
{
    enum am_status s = AM_OK;

    while (launches && s == AM_OK) {
        const size_t n = launches < IN_FLIGHT ? (size_t)launches : IN_FLIGHT;

        s = launch_some(t, kernel, range, n, err);
        launches -= n;
    }
    return s;
}

/* How many launches calibrate, when so many lasted `span` ns on the device and were not enough. */
static uint64_t lengthened(uint64_t launches, uint64_t span)
{
    const double factor = span ? 1.5 * CLOCK_NS / (double)span : PROBE_GROWTH_MAX;

    if (factor < CLOCK_LENGTHEN)
        return CLOCK_LENGTHEN * launches;
    return (uint64_t)((double)launches * (factor < PROBE_GROWTH_MAX ? factor : PROBE_GROWTH_MAX));
}

/* How far the clocks are apart, as a part of the batch; the least of a few trials, since what
 * disturbs a batch only makes the host see more of it. */
static enum am_status clocks_apart(struct am_ocl_timer *t, cl_kernel kernel,
                                   const struct am_ocl_range *range, uint64_t launches,
                                   double *apart, struct am_err *err)
{
    enum am_status s = AM_OK;

    *apart = INFINITY;
    for (int i = 0; i < CLOCK_TRIALS && s == AM_OK && !t->calibrated; i++) {
        uint64_t host_ns;

        am_ocl_timing_begin(t);
        s = launch_many(t, kernel, range, launches, err);
        t->extra += launches;
        host_ns = now(t) - t->begin_ns;
        if (s == AM_OK)
            calibrate_by(t, host_ns);
        if (span_of(t) >= CLOCK_NS)
            *apart = fmin(*apart, fabs((double)host_ns / (double)span_of(t) - 1));
    }
    return s;
}

/* Longer and longer batches of launches as they were made last, until one of them shows that both
 * clocks go alike. What a disturbance adds is a smaller part of a longer batch; a wrong clock is
 * off by the same part of all. */
static enum am_status calibrate(struct am_ocl_timer *t, cl_kernel kernel,
                                const struct am_ocl_range *range, struct am_err *err)
{
    uint64_t launches = 1, host_ns = 0;
    double before = INFINITY;
    unsigned alike = 0; /* lengths in a row, apart by about the same part */

    while (alike < CLOCK_LENGTHS && host_ns < CLOCK_NS_MAX) {
        double apart;
        const enum am_status s = clocks_apart(t, kernel, range, launches, &apart, err);

        host_ns = now(t) - t->begin_ns;
        if (s != AM_OK || t->calibrated)
            return s;
        if (claims_more(t, host_ns))
            break;
        alike = isfinite(apart) ? alike + 1 : 0;
        if (apart < 0.8 * before && isfinite(before))
            alike = 1;
        before = apart;
        if (alike < CLOCK_LENGTHS)
            launches = lengthened(launches, span_of(t));
    }
    return am_fail(err, AM_E_WRONG,
                   "wrong: events say %llu ns where the host's clock says %llu ns, from the first "
                   "start to the last end of %llu launches",
                   (unsigned long long)span_of(t), (unsigned long long)host_ns,
                   (unsigned long long)launches);
}

/* Ends the batch, and sees to it that the clock that timed it can be believed. */
static enum am_status end_calibrated(struct am_ocl_timer *t, cl_kernel kernel,
                                     const struct am_ocl_range *range, uint64_t *elapsed_ns,
                                     struct am_err *err)
{
    const enum am_status s = am_ocl_timing_end(t, elapsed_ns, err);

    if (s != AM_OK || t->calibrated || t->batches < CLOCK_AFTER)
        return s;
    return calibrate(t, kernel, range, err);
}

enum am_status am_ocl_timing_launch(struct am_ocl_timer *t, cl_kernel kernel,
                                    const struct am_ocl_range *range, uint64_t launches,
                                    uint64_t *elapsed_ns, struct am_err *err)
{
    enum am_status s;

    am_ocl_timing_begin(t);
    s = launch_many(t, kernel, range, launches, err);
    return s == AM_OK ? end_calibrated(t, kernel, range, elapsed_ns, err) : s;
}

static enum am_status launch_loop(struct am_ocl_timer *t, struct am_ocl_loop *loop, cl_uint turns,
                                  struct am_err *err)
{
    const cl_int code = clSetKernelArg(loop->kernel, loop->arg, sizeof(turns), &turns);

    if (code != CL_SUCCESS)
        return am_ocl_fail(err, code, "clSetKernelArg");
    loop->last = turns;
    return launch_some(t, loop->kernel, &loop->range, 1, err);
}

enum am_status am_ocl_timing_loop(struct am_ocl_timer *t, struct am_ocl_loop *loop, uint64_t iters,
                                  uint64_t *elapsed_ns, struct am_err *err)
{
    const cl_uint most = loop->loops_max ? loop->loops_max : LOOPS_MAX;
    enum am_status s = AM_OK;

    am_ocl_timing_begin(t);
    while (iters && s == AM_OK) {
        const cl_uint turns = iters < most ? (cl_uint)iters : most;

        s = launch_loop(t, loop, turns, err);
        iters -= turns;
    }
    return s == AM_OK ? end_calibrated(t, loop->kernel, &loop->range, elapsed_ns, err) : s;
}

/* The first launch of a kernel compiles it on some drivers: no batch, and never judged. */
static enum am_status warm(struct am_ocl_timer *t, struct am_ocl_loop *loop, struct am_err *err)
{
    am_ocl_timing_begin(t);
    return launch_loop(t, loop, 1, err);
}

/* Turns whose launch lasts at least `want_ns`, and the best time of two such launches. */
static enum am_status find_turns(struct am_ocl_timer *t, struct am_ocl_loop *loop, uint64_t want_ns,
                                 uint64_t *turns_p, uint64_t *best_ns, struct am_err *err)
{
    const uint64_t most = loop->loops_max ? loop->loops_max : LOOPS_MAX;
    uint64_t turns = 1, took = 0, again = 0;
    enum am_status s = warm(t, loop, err);

    while (s == AM_OK) {
        double factor;

        s = am_ocl_timing_loop(t, loop, turns, &took, err);
        if (s != AM_OK || took >= want_ns || turns >= most)
            break;
        factor = took ? 1.2 * (double)want_ns / (double)took : PROBE_GROWTH_MAX;
        factor = factor > PROBE_GROWTH_MAX ? PROBE_GROWTH_MAX : factor < 2 ? 2 : factor;
        turns = (uint64_t)((double)turns * factor);
        turns = turns > most ? most : turns;
    }
    if (s == AM_OK)
        s = am_ocl_timing_loop(t, loop, turns, &again, err);
    *turns_p = turns;
    *best_ns = again < took ? again : took;
    return s;
}

enum am_status am_ocl_timing_probe(struct am_ocl_timer *t, struct am_ocl_loop *loop,
                                   uint64_t at_least_ns, double *turn_ns, struct am_err *err)
{
    uint64_t turns = 1, best = 0;
    const enum am_status s = find_turns(t, loop, at_least_ns, &turns, &best, err);

    *turn_ns = (double)best / (double)turns;
    return s;
}

static enum am_status keep_best(struct am_ocl_timer *t, struct am_ocl_loop *loop, uint64_t turns,
                                uint64_t *best, struct am_err *err)
{
    uint64_t took = 0;
    const enum am_status s = am_ocl_timing_loop(t, loop, turns, &took, err);

    if (s == AM_OK && took < *best)
        *best = took;
    return s;
}

/* The best times of both bodies over some trials of so many turns. */
static enum am_status try_both(struct am_ocl_timer *t, struct am_ocl_loop *once,
                               struct am_ocl_loop *twice, uint64_t turns, uint64_t best[2],
                               struct am_err *err)
{
    enum am_status s = AM_OK;

    for (int i = 0; i < GATE_TRIALS && s == AM_OK; i++) {
        const double ratio = i ? (double)best[1] / (double)best[0] : 0;

        if (i >= GATE_TRIALS_LEAST && ratio >= gate_limit && ratio <= gate_calm)
            break;
        s = keep_best(t, twice, turns, &best[1], err);
        if (s == AM_OK)
            s = keep_best(t, once, turns, &best[0], err);
        if (best[0] == 0)
            break;
    }
    return s;
}

enum am_status am_ocl_timing_gate(struct am_ocl_timer *t, struct am_ocl_loop *once,
                                  struct am_ocl_loop *twice, double *ratio, struct am_err *err)
{
    const uint64_t most = once->loops_max ? once->loops_max : LOOPS_MAX;
    uint64_t turns = 1, best[2] = {UINT64_MAX, UINT64_MAX};
    enum am_status s = find_turns(t, once, GATE_NS, &turns, &best[0], err);

    *ratio = 0;
    if (s == AM_OK)
        s = warm(t, twice, err);
    for (int i = 0; i < GATE_LENGTHS && s == AM_OK && *ratio < gate_limit; i++) {
        if (i > 0) {
            turns = turns > most / GATE_LENGTHEN ? most : turns * GATE_LENGTHEN;
            best[0] = best[1] = UINT64_MAX;
        }
        s = try_both(t, once, twice, turns, best, err);
        *ratio = best[0] ? (double)best[1] / (double)best[0] : 0;
    }
    if (s != AM_OK || *ratio >= gate_limit)
        return s;
    return am_fail(err, AM_E_WRONG,
                   "folded: twice the body takes %.2f times as long (%llu ns, then %llu ns)",
                   *ratio, (unsigned long long)best[0], (unsigned long long)best[1]);
}
