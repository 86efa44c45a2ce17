/* SPDX-License-Identifier: MIT */
/* Labels of a batch by their causes. */
#include "core/measure/labels.h"

#include <math.h>

/* Shorter batches cost about as much as reading the CPU clocks around them. */
static const uint64_t telling_ns = 100000;

/* Part of a batch that others must have taken for its switches, or stolen time, to matter. A switch
 * to an interrupt thread takes microseconds and changes no result by a per cent. */
static const double taken_least = 0.01;

/* A process with more threads than CPUs that still fills this part of its CPUs is its own
 * neighbour: its threads displace each other. */
static const double filled = 0.9;

/* Part of a batch that the measuring thread may be off the CPU beyond its habit: `off_least` when
 * it never waits, more by `off_slope` times the part that it waits anyway, since waiting varies. */
static const double off_least = 0.02, off_slope = 5, off_most = 0.5;

/* Threads beside the measuring one that together use less than this part of a CPU are a driver's:
 * how much they do varies without any neighbour. */
static const double helpers_most = 0.5;

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

void am_batch_waited(struct am_batch_use *use, const struct am_disturbance_totals *before,
                     const struct am_disturbance_totals *after)
{
    const bool same = before->newest && before->newest == after->newest && before->threads &&
                      before->threads == after->threads;

    use->has_waited =
        same && before->has_waited && after->has_waited && after->waited_ns >= before->waited_ns;
    use->waited_ns = use->has_waited ? after->waited_ns - before->waited_ns : 0;
}

void am_occupancy_see(struct am_occupancy *o, const struct am_batch_use *use)
{
    if (use->wall_ns < telling_ns || !use->has_times)
        return;
    o->thread = fmin(1, fmax(o->thread, share(use->thread_ns, use->wall_ns)));
    o->process = fmin((double)use->cpus, fmax(o->process, share(use->process_ns, use->wall_ns)));
}

bool am_steal_tells(uint64_t steal_ns, uint64_t batch_ns)
{
    return (double)steal_ns > taken_least * (double)batch_ns;
}

/* CPU time, as a part of the batch, that the process could have had and did not get. One that
 * leaves a CPU or more idle, as one that waits for a device, could have had what it takes else. */
static double missing(const struct am_occupancy *o, const struct am_batch_use *use)
{
    const double all = (double)use->cpus;
    const bool idle = o->process > 0 && o->process <= all - 1;
    const bool own = idle || (use->threads > use->cpus && o->process >= filled * all);

    if (idle && o->process - o->thread < helpers_most)
        return o->thread - share(use->thread_ns, use->wall_ns);
    return (own ? o->process : all) - share(use->process_ns, use->wall_ns);
}

/* Whether its threads waited for CPUs long enough to matter; yes where nobody knows. */
static bool had_to_wait(const struct am_batch_use *use)
{
    return !use->has_waited || share(use->waited_ns, use->wall_ns) > taken_least;
}

/* Without CPU times every involuntary switch counts. */
static bool was_displaced(const struct am_sample *x, const struct am_occupancy *o,
                          const struct am_batch_use *use)
{
    return x->switches && had_to_wait(use) && (!use->has_times || missing(o, use) > taken_least);
}

static bool was_off(const struct am_occupancy *o, const struct am_batch_use *use)
{
    const double limit = fmin(off_most, off_least + off_slope * (1 - o->thread));

    if (!use->has_times || use->wall_ns < telling_ns || !(o->thread > 0))
        return false;
    return 1 - share(use->thread_ns, use->wall_ns) / o->thread > limit;
}

uint32_t am_labels_of(const struct am_sample *x, const struct am_occupancy *o,
                      const struct am_batch_use *use, double drift_limit)
{
    uint32_t labels = 0;

    if (am_steal_tells(x->steal_ns, x->t1_ns - x->t0_ns))
        labels |= AM_LABEL_STEAL;
    if (was_displaced(x, o, use))
        labels |= AM_LABEL_SWITCH;
    if (x->hz_before > 0 && fabs(x->hz_after / x->hz_before - 1) > drift_limit)
        labels |= AM_LABEL_DRIFT;
    if (was_off(o, use))
        labels |= AM_LABEL_OFF;
    return labels;
}

uint64_t am_batch_off_ns(const struct am_batch_use *use)
{
    return use->has_times && use->wall_ns > use->thread_ns ? use->wall_ns - use->thread_ns : 0;
}
