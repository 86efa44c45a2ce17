/* SPDX-License-Identifier: MIT */
/* A thread that reads every usable meter while something else is measured. It keeps counters from
 * wrapping unseen and gives windows readings on both sides. Where the meters have a time of their
 * own (a test's) there is no thread: what is due is read whenever the caller rests or waits. */
#ifndef AM_METER_SAMPLER_H
#define AM_METER_SAMPLER_H

#include "meter/meter.h"
#include "meter/window.h"

struct am_meter_sampler;

/* Starts reading. `cpu` is where the thread belongs: one that is not measured; -1: anywhere. The
 * meters must outlive it. */
enum am_status am_meter_sampler_start(const struct am_meters *meters, int cpu,
                                      struct am_meter_sampler **sampler_p, struct am_err *err);

/* The energy of a window that has ended, by each meter that counts; waits until every meter has a
 * reading after t1 (at most one interval, at most a second). `out` is indexed as the meters;
 * entries of meters that do not count are not valid, with their why_not as the reason. */
void am_meter_sampler_window(struct am_meter_sampler *sampler, uint64_t t0_ns, uint64_t t1_ns,
                             struct am_energy *out);

/* Reads every meter now, in the caller's thread: for windows that begin or end at once. */
void am_meter_sampler_touch(struct am_meter_sampler *sampler);

/* Lets time pass while meters are read. */
void am_meter_sampler_rest(struct am_meter_sampler *sampler, uint64_t ns);

/* How often this meter's value changed in the readings that are kept; 0 when that cannot be seen:
 * too few changes, or a period that is no longer than the interval between readings. */
uint64_t am_meter_sampler_period(struct am_meter_sampler *sampler, size_t meter);

/* Readings that ended before t are not needed any more. */
void am_meter_sampler_forget(struct am_meter_sampler *sampler, uint64_t before_ns);

/* What the sampling itself cost. */
struct am_meter_cost {
    double cpu_s, wall_s; /* of the threads, and of processes that read for them */
    uint64_t readings, failures;
};
struct am_meter_cost am_meter_sampler_cost(struct am_meter_sampler *sampler);

void am_meter_sampler_stop(struct am_meter_sampler *sampler); /* accepts NULL */

#endif
