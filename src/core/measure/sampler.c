/* SPDX-License-Identifier: MIT */
/* The sampler: calibrate, warm up, verify, take batches. */
#include "core/measure/sampler.h"

#include "core/measure/team.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum {
    CLOCK_MULTIPLE = 1000, /* a batch lasts at least this many clock readings */
    SHORT_MULTIPLE = 100,  /* the same when the point's time is up: 1 % of clock in it */
    GROWTH_MAX = 10,       /* of the loop count from one trial to the next */
    FOLD_TRIALS = 16,      /* a disturbed trial must not look like folded code */
    FOLD_LENGTHS = 6,      /* loop counts tried before work counts as folded */
    FOLD_LENGTHEN = 4,     /* from one of them to the next */
    PATIENCE = 10,         /* times the point's time, before work is accused of anything */
};

/* Time that twice the iterations must take at least, relative to once, in the best of the trials:
 * honest work gives 2 less constant overhead, folded work gives 1. */
static const double fold_limit = 1.4;

/* More than this is no growth but a stall, until all trials have said so. */
static const double stall_limit = 3;

/* By how much the core clock, probed around a batch, may be wrong before a bound counts as broken.
 */
static const double bound_margin = 1.1;

/* Which trials are doubled, from bit 0 on (the Thue-Morse sequence): no period that the scheduler's
 * slices could fall into step with. */
static const unsigned fold_order = 0x9669;

static const double least_iter_ns = 1e-3; /* of one iteration; a cycle has 0.15 ns at least */

static const uint64_t iters_max = UINT64_C(1) << 60;

/* Everything one point's measurement carries along. */
struct session {
    const struct am_sampler *sampler;
    const struct am_bench *bench;
    void *state;
    const struct am_work *work;
    const struct am_sample_sink *sink;
    uint64_t start_ns;
    struct am_occupancy occupancy;
    struct am_team *team; /* of the bench; NULL: the calling thread alone */
    double *hz;           /* of its threads, by the latest probe */
};

static uint64_t now(const struct session *s)
{
    return s->sampler->clock->now_ns(s->sampler->clock->self);
}

static bool out_of_time(const struct session *s, unsigned times)
{
    return now(s) - s->start_ns >= times * s->sampler->settings.max_point_ns;
}

/* The running totals can fall: a CPU goes offline, a file cannot be read, the machine is moved. */
static uint64_t risen(uint64_t before, uint64_t after)
{
    return after > before ? after - before : 0;
}

static struct am_cpu_times cpu_times(const struct session *s)
{
    const struct am_disturbance *const d = s->sampler->disturbance;
    struct am_cpu_times times = {0};

    if (d->times)
        d->times(d->self, &times);
    return times;
}

static struct am_batch_use use_of(const struct session *s, uint64_t wall_ns,
                                  const struct am_cpu_times *before,
                                  const struct am_cpu_times *after)
{
    const struct am_disturbance *const d = s->sampler->disturbance;

    return (struct am_batch_use){
        .wall_ns = wall_ns,
        .has_times = d->times != NULL,
        .thread_ns = risen(before->thread_ns, after->thread_ns),
        .process_ns = risen(before->process_ns, after->process_ns),
        .cpus = d->cpus,
    };
}

/* Events that the bench counted itself, or none. */
static void put_elsewhere(const struct session *s, const struct am_batch *batch,
                          struct am_sample *out)
{
    const struct am_event_reader *const events = s->sampler->events;
    const size_t at = am_metric_count(s->bench->metrics);

    for (size_t i = 0; events && i < events->n && at + i < AM_METRICS_MAX; i++)
        out->values[at + i] = batch->counted ? batch->counts[i] / (double)out->iters : NAN;
}

/* One batch between two clock readings; nothing else stands between them. */
static enum am_status timed_run(const struct session *s, uint64_t iters, struct am_sample *out,
                                struct am_batch_use *use, struct am_err *err)
{
    const struct am_bench *b = s->bench;
    struct am_batch batch = {0};
    enum am_status status = AM_OK;
    struct am_cpu_times before, after;

    out->iters = iters;
    before = cpu_times(s);
    out->t0_ns = now(s);
    if (b->run)
        b->run(s->state, iters);
    else
        status = b->run_timed(s->state, iters, &batch, err);
    out->t1_ns = now(s);
    after = cpu_times(s);
    *use = use_of(s, out->t1_ns - out->t0_ns, &before, &after);
    out->elapsed_ns = b->run ? out->t1_ns - out->t0_ns : batch.elapsed_ns;
    for (size_t i = 0; b->run_timed && b->metrics[i].name; i++)
        out->values[i] = batch.values[i];
    out->elsewhere = batch.elsewhere;
    if (batch.elsewhere)
        put_elsewhere(s, &batch, out);
    return status;
}

static enum am_status verify(const struct session *s, struct am_err *err)
{
    double residual = 0;
    enum am_status status;

    if (!s->bench->verify)
        return AM_OK;
    status = s->bench->verify(s->state, &residual, err);
    if (status == AM_OK)
        status = s->sink->verified(s->sink->self, residual, err);
    return status;
}

/* The next loop count to try when `iters` took `took` and `want` is needed. */
static uint64_t predict(uint64_t iters, uint64_t took, uint64_t want)
{
    const double factor = took ? 1.1 * (double)want / (double)took : GROWTH_MAX;
    const double bounded = factor > GROWTH_MAX ? GROWTH_MAX : factor < 2 ? 2 : factor;
    const double next = ceil((double)iters * bounded);

    return next < (double)iters_max ? (uint64_t)next : iters_max;
}

/* The time of one batch that is not a sample. */
static enum am_status try_batch(struct session *s, uint64_t iters, uint64_t *took,
                                struct am_err *err)
{
    struct am_sample trial = {0};
    struct am_batch_use use;
    const enum am_status status = timed_run(s, iters, &trial, &use, err);

    am_occupancy_see(&s->occupancy, &use);
    *took = trial.elapsed_ns;
    return status;
}

/* Finds a loop count, from the given one on, whose batch lasts half of what is wanted; `took` is
 * its time. */
static enum am_status calibrate(struct session *s, uint64_t want, uint64_t *iters_p, uint64_t *took,
                                struct am_err *err)
{
    uint64_t iters = *iters_p;

    for (;;) {
        enum am_status status = try_batch(s, iters, took, err);

        if (status == AM_OK && *took >= want / 2 && *took < want) {
            uint64_t again; /* a stall makes few iterations look long: the shorter time counts */

            status = try_batch(s, iters, &again, err);
            *took = again < *took ? again : *took;
        }
        if (status != AM_OK)
            return status;
        *iters_p = iters;
        if (*took >= want / 2 || iters == iters_max)
            return AM_OK;
        if (out_of_time(s, 1)) {
            if (*took >= s->sampler->clock->overhead_ns * SHORT_MULTIPLE)
                return AM_OK; /* short, but measurable: the caller's limit was tight */
            if (out_of_time(s, PATIENCE))
                break;
        }
        iters = predict(iters, *took, want / 2);
    }
    return am_fail(err, AM_E_WRONG, "no loop count gives a measurable time (%llu ns for %llu)",
                   (unsigned long long)*took, (unsigned long long)*iters_p);
}

/* Whether the best times of once and of twice the iterations show growth; `last`: no further trial
 * will tell. */
static bool shows_growth(const struct session *s, const uint64_t best[2], bool last)
{
    const uint64_t least = s->sampler->clock->overhead_ns * SHORT_MULTIPLE;
    const double once = (double)best[0], twice = (double)best[1];

    return best[1] >= least && best[1] > 0 && twice >= fold_limit * once &&
           (last || twice <= stall_limit * once);
}

/* The best times of once and of twice the iterations, over as many trials as it takes for the
 * second to be clearly longer. The first doubled batch is a warm-up at the same time. Times of a
 * few clock readings are no proof: a step of the clock more is half as much again. */
static enum am_status try_twice(struct session *s, uint64_t iters, uint64_t best[2], bool *grows,
                                struct am_err *err)
{
    *grows = false;
    for (int i = 0; i < FOLD_TRIALS && !*grows; i++) {
        const int doubled = fold_order >> i & 1;
        uint64_t took;
        const enum am_status status = try_batch(s, iters << doubled, &took, err);

        if (status != AM_OK)
            return status;
        best[doubled] = took < best[doubled] ? took : best[doubled];
        *grows = shows_growth(s, best, i + 1 == FOLD_TRIALS);
    }
    return AM_OK;
}

/* Twice the iterations must take longer, or the compiler has folded the work away. Threads that
 * wait for each other on a crowded machine can hide the work behind their waiting: longer batches
 * tell the two apart, since folded work stays as short as it was. A batch
 * that is shorter than wanted accuses nobody: stalls misled the calibration. That may take more
 * than the point's time: an accusation is worth the wait. */
static enum am_status check_grows(struct session *s, uint64_t want, uint64_t *iters, uint64_t *once,
                                  struct am_err *err)
{
    uint64_t best[2] = {*once, UINT64_MAX};

    for (int i = 0;; i++) {
        bool grows;
        const enum am_status status = try_twice(s, *iters, best, &grows, err);

        *once = best[0];
        if (status != AM_OK || grows)
            return status;
        if ((i + 1 >= FOLD_LENGTHS && best[0] >= want / 2) || *iters > iters_max / FOLD_LENGTHEN ||
            out_of_time(s, PATIENCE))
            break;
        *iters *= FOLD_LENGTHEN;
        best[0] = best[1] = UINT64_MAX;
    }
    return am_fail(err, AM_E_WRONG,
                   "time does not grow with the work: %llu iterations take %llu ns, twice as many "
                   "%llu ns; was the work folded away?",
                   (unsigned long long)*iters, (unsigned long long)best[0],
                   (unsigned long long)best[1]);
}

/* A stall in the first doubled batch looks like growth. But loop counts that grew without an end,
 * because nothing took longer, give iterations of less than a hundredth of any core's cycle. */
static enum am_status check_possible(uint64_t iters, uint64_t once, struct am_err *err)
{
    if ((double)once >= least_iter_ns * (double)iters)
        return AM_OK;
    return am_fail(err, AM_E_WRONG,
                   "time does not grow with the work: %llu iterations in %llu ns are more than any "
                   "processor does; was the work folded away?",
                   (unsigned long long)iters, (unsigned long long)once);
}

/* What a batch shall last at least. */
static uint64_t wanted_ns(const struct session *s)
{
    const uint64_t floor_ns = s->sampler->clock->overhead_ns * CLOCK_MULTIPLE;
    const uint64_t min_ns = s->sampler->settings.min_batch_ns;

    return min_ns > floor_ns ? min_ns : floor_ns;
}

static uint64_t at_most(uint64_t ns, uint64_t most)
{
    return ns < most ? ns : most;
}

/* `iters` times want / took, rounded up; no less than they are. */
static uint64_t scaled(uint64_t iters, uint64_t took, uint64_t want)
{
    const double next = took ? ceil((double)iters * ((double)want / (double)took)) : 0;

    return !(next > (double)iters) ? iters : next < (double)iters_max ? (uint64_t)next : iters_max;
}

/* From the given loop count on; `batch_ns` is what a batch of the chosen one should take. */
static enum am_status choose_iters(struct session *s, uint64_t *iters, uint64_t *batch_ns,
                                   struct am_err *err)
{
    const uint64_t want = wanted_ns(s), trial = at_most(want, AM_SAMPLER_TRIAL_NS);
    uint64_t once = 0;
    enum am_status status;

    if (s->bench->fixed_iters) {
        *iters = s->bench->fixed_iters;
        return AM_OK;
    }
    status = calibrate(s, trial, iters, &once, err);
    if (status == AM_OK)
        status = check_grows(s, trial, iters, &once, err);
    if (status == AM_OK)
        status = check_possible(*iters, once, err);
    *batch_ns = once;
    if (once < trial) {
        *iters *= 2;
        *batch_ns *= 2;
    }
    if (status == AM_OK && trial < want) {
        *iters = scaled(*iters, *batch_ns, want);
        *batch_ns = want > *batch_ns ? want : *batch_ns;
    }
    return status;
}

static void probe_member(void *arg, size_t thread, size_t threads)
{
    const struct session *const s = arg;

    (void)threads;
    s->hz[thread] = am_clock_core_hz(s->sampler->clock);
}

/* The mean core clock of the threads, all probed at once; 0 where one of them cannot be measured.
 * The sample's extremes are widened by theirs. */
static double probe_clocks(struct session *s, struct am_sample *out)
{
    const size_t n = s->team ? am_team_size(s->team) : 1;
    double sum = 0;
    bool measured = true;

    if (s->team)
        am_team_run(s->team, probe_member, s);
    else
        probe_member(s, 0, 1);
    for (size_t i = 0; i < n; i++) {
        measured = measured && s->hz[i] > 0;
        sum += s->hz[i];
        out->hz_least = out->hz_least > 0 ? fmin(out->hz_least, s->hz[i]) : s->hz[i];
        out->hz_most = fmax(out->hz_most, s->hz[i]);
    }
    return measured ? sum / (double)n : 0;
}

/* A reading that fails leaves what is no number. */
static void read_events(const struct am_event_reader *events, double *counts)
{
    if (events && !events->read(events->self, counts)) {
        for (size_t i = 0; i < events->n; i++)
            counts[i] = NAN;
    }
}

static void put_events(const struct session *s, const double *before, const double *after,
                       struct am_sample *out)
{
    const struct am_event_reader *const events = s->sampler->events;
    const size_t at = am_metric_count(s->bench->metrics);

    for (size_t i = 0; events && i < events->n && at + i < AM_METRICS_MAX && !out->elsewhere; i++)
        out->values[at + i] = (after[i] - before[i]) / (double)out->iters;
}

/* The core clock is probed next to the batch, the costlier disturbance counters outside of that. */
static enum am_status take_sample(struct session *s, uint64_t iters, struct am_sample *out,
                                  struct am_err *err)
{
    const struct am_sampler *sampler = s->sampler;
    const struct am_disturbance *d = sampler->disturbance;
    struct am_disturbance_totals before = {0}, after = {0};
    double events0[AM_EVENTS_MAX], events1[AM_EVENTS_MAX];
    struct am_batch_use use;
    enum am_status status;

    *out = (struct am_sample){0};
    d->read(d->self, &before);
    out->hz_before = probe_clocks(s, out);
    read_events(sampler->events, events0);
    status = timed_run(s, iters, out, &use, err);
    read_events(sampler->events, events1);
    out->hz_after = probe_clocks(s, out);
    d->read(d->self, &after);
    if (status != AM_OK)
        return status;
    out->steal_ns = risen(before.steal_ns, after.steal_ns);
    out->switches = risen(before.switches, after.switches);
    out->off_ns = am_batch_off_ns(&use);
    use.threads = after.threads;
    am_batch_waited(&use, &before, &after);
    am_occupancy_see(&s->occupancy, &use);
    out->labels = am_labels_of(out, &s->occupancy, &use, sampler->settings.drift_limit);
    am_bench_derive(s->bench->metrics, s->work, sampler->clock, out);
    put_events(s, events0, events1, out);
    return AM_OK;
}

/* How far a batch is above what the hardware can do: 1 is at the bound, 0 without one. */
static double excess(const struct am_work *work, const struct am_sample *x)
{
    const double iters = (double)x->iters;
    const double cycles = (double)x->elapsed_ns * 1e-9 * fmax(x->hz_before, x->hz_after);
    const double bytes = (work->bytes_read + work->bytes_written) * iters / cycles;
    const double flops = work->flops * iters / cycles;
    double most = 0;

    if (!(cycles > 0))
        return 0;
    if (work->bytes_per_cycle_max > 0)
        most = bytes / work->bytes_per_cycle_max;
    if (work->flops_per_cycle_max > 0)
        most = fmax(most, flops / work->flops_per_cycle_max);
    return most;
}

static enum am_status check_bound(unsigned beyond, unsigned taken, double least, struct am_err *err)
{
    if (2 * beyond <= taken)
        return AM_OK;
    return am_fail(err, AM_E_WRONG,
                   "above the physical bound: %u of %u batches did at least %.2f times what the "
                   "hardware can in that time",
                   beyond, taken, least);
}

/* Until enough undisturbed batches are there; disturbed ones are reported too, and re-measured a
 * bounded number of times. */
static enum am_status take_samples(struct session *s, uint64_t iters, uint64_t *shortest,
                                   struct am_err *err)
{
    const struct am_sampler_settings *set = &s->sampler->settings;
    const unsigned wanted = s->bench->once ? 1 : set->samples;
    const unsigned most = s->bench->once ? 1 : set->samples + set->extra;
    unsigned clean = 0, beyond = 0, taken = 0;
    double least = INFINITY; /* excess of those beyond the bound */

    for (; clean < wanted && taken < most; taken++) {
        struct am_sample sample;
        enum am_status status;
        double over;

        if (taken && out_of_time(s, 1))
            break;
        status = take_sample(s, iters, &sample, err);
        if (status == AM_OK)
            status = s->sink->sample(s->sink->self, &sample, err);
        if (status != AM_OK)
            return status;
        *shortest = sample.elapsed_ns < *shortest ? sample.elapsed_ns : *shortest;
        clean += sample.labels == 0 || s->sampler->apart;
        over = excess(s->work, &sample);
        beyond += over > bound_margin;
        least = over > bound_margin ? fmin(least, over) : least;
    }
    return check_bound(beyond, taken, least, err);
}

/* Part of a batch that warms up: all of it unless it is long. At least one iteration. */
static uint64_t warming_iters(const struct session *s, uint64_t iters)
{
    const double part = (double)AM_SAMPLER_WARM_NS / (double)wanted_ns(s);
    const double some = ceil((double)iters * part);

    return s->bench->fixed_iters || part >= 1 ? iters : some < 1 ? 1 : (uint64_t)some;
}

/* `shortest` becomes the least time that a whole batch would take by these. */
static enum am_status warm_up(struct session *s, uint64_t iters, uint64_t *shortest,
                              struct am_err *err)
{
    const uint64_t some = warming_iters(s, iters);
    enum am_status status = AM_OK;

    for (unsigned i = 0; i < s->sampler->settings.warmup && status == AM_OK && !out_of_time(s, 1);
         i++) {
        uint64_t took = 0;
        double whole;

        status = try_batch(s, some, &took, err);
        whole = (double)took * ((double)iters / (double)some);
        *shortest = whole < (double)*shortest ? (uint64_t)whole : *shortest;
    }
    return status;
}

/* Whether batches are so much shorter than wanted that stalls must have misled the calibration. */
static bool misled(const struct session *s, uint64_t shortest)
{
    return !s->bench->fixed_iters && shortest < wanted_ns(s) / 4;
}

/* Calibrated and warmed up; again, from the same loop count on, while stalls made few iterations
 * look long. */
static enum am_status settle(struct session *s, uint64_t *iters, struct am_err *err)
{
    uint64_t shortest;
    enum am_status status;

    do {
        shortest = UINT64_MAX;
        status = choose_iters(s, iters, &shortest, err);
        if (status == AM_OK)
            status = warm_up(s, *iters, &shortest, err);
    } while (status == AM_OK && misled(s, shortest) && !out_of_time(s, 1));
    /* A long batch was extrapolated: what is warm may be quicker, and no window of a meter may end
     * too early. */
    if (status == AM_OK && !s->bench->fixed_iters && wanted_ns(s) > AM_SAMPLER_TRIAL_NS)
        *iters = scaled(*iters, shortest, wanted_ns(s));
    return status;
}

/* Where samples are still too short, growth was proved for too few iterations, or by stalls alone:
 * it is proved again for as many as should have been taken. */
static enum am_status doubt(struct session *s, uint64_t iters, uint64_t shortest,
                            struct am_err *err)
{
    const uint64_t want = wanted_ns(s);
    uint64_t once = UINT64_MAX;

    if (!misled(s, shortest))
        return AM_OK;
    while (shortest < want / 2 && iters < iters_max / 2 && !out_of_time(s, 1)) {
        iters *= 2;
        shortest *= 2;
    }
    return check_grows(s, want, &iters, &once, err);
}

/* Verified before timed, calibrated, warmed up, sampled, verified again. */
static enum am_status measure(struct session *s, struct am_err *err)
{
    const struct am_bench *const bench = s->bench;
    const uint64_t first = bench->fixed_iters ? bench->fixed_iters : 1;
    uint64_t iters = 1, shortest = UINT64_MAX, ignored;
    enum am_status status;

    s->start_ns = now(s);
    if (bench->once) {
        status = take_samples(s, first, &shortest, err);
        return status == AM_OK ? verify(s, err) : status;
    }
    status = try_batch(s, first, &ignored, err);
    if (status == AM_OK)
        status = verify(s, err); /* never time what is wrong */
    if (status == AM_OK)
        status = settle(s, &iters, err);
    if (status == AM_OK)
        status = take_samples(s, iters, &shortest, err);
    if (status == AM_OK)
        status = doubt(s, iters, shortest, err);
    if (status == AM_OK)
        status = verify(s, err);
    return status;
}

enum am_status am_sampler_run(const struct am_sampler *sampler, const struct am_bench *bench,
                              void *state, const struct am_work *work,
                              const struct am_sample_sink *sink, struct am_err *err)
{
    struct session s = {
        .sampler = sampler, .bench = bench, .state = state, .work = work, .sink = sink};
    enum am_status status;

    s.team = bench->team ? bench->team(state) : NULL;
    s.hz = calloc(s.team ? am_team_size(s.team) : 1, sizeof(*s.hz));
    if (!s.hz)
        return am_fail(err, AM_E_NOMEM, "no memory for the clocks of the threads");
    status = measure(&s, err);
    free(s.hz);
    return status;
}
