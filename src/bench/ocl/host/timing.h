/* SPDX-License-Identifier: MIT */
/* Time on a device: by events, held against the host's clock, and gated against folded work. */
#ifndef AM_BENCH_OCL_TIMING_H
#define AM_BENCH_OCL_TIMING_H

#include "bench/ocl/host/device.h"

/* What an iteration is. The sampler doubles the iterations and fails a point whose time does not
 * follow ("folded"); that proves something only when an iteration is work INSIDE a kernel. So:
 *
 * - am_ocl_timing_loop(): iterations are turns of a loop in the kernel, the count an argument. For
 *   everything that computes. One launch per batch (more only beyond loops_max).
 * - am_ocl_timing_launch(): iterations are launches of one kernel, one after another. For kernels
 *   that pass over memory or images, where a second pass inside a kernel could be hoisted or served
 *   by a cache; whether the work is real is then for verify() and the doubling gate to show.
 *
 * A loop in the kernel does not show that its body is not folded: that is for
 * am_ocl_timing_gate(), called in prepare() with two kernels of once and twice the body. */

/* A launch's geometry. local[i] is never 0: drivers compile another kernel for NULL. */
struct am_ocl_range {
    cl_uint dims;
    size_t global[3], local[3];
};
#define AM_OCL_RANGE1(items, group)                                                                \
    ((struct am_ocl_range){.dims = 1, .global = {(items), 1, 1}, .local = {(group), 1, 1}})

/* Zero-initialise, then am_ocl_timing_open(); one per state. For a few launches in prepare() a
 * timer of their own does: only its `device` is set. */
struct am_ocl_timer {
    const struct am_ocl_device *device;
    unsigned batches;                       /* so far */
    unsigned apart;                         /* of them, in which events and host disagreed */
    unsigned alike;                         /* batches in which both clocks went alike */
    bool calibrated;                        /* they did so often enough */
    uint64_t extra;                         /* launches made for that, beyond those asked for */
    uint64_t begin_ns, device_ns, commands; /* of the batch under way */
    uint64_t first_ns, last_ns;             /* its first START and last END, by the device */
};

/* Makes it the timer of a point, whose batches are all timed by events of the device. Results of a
 * device that shares neither cores nor memory with the host say so (AM_CHOSEN_CLOCK): what keeps
 * the host busy does not disturb them. A device that could not be opened is accepted. */
void am_ocl_timing_open(struct am_ocl_timer *t, const struct am_ocl_device *d);

/* The moments of a command, by the device's clock. */
struct am_ocl_stamps {
    uint64_t queued_ns, submit_ns, start_ns, end_ns;
};

/* The device's clock is held against the host's: a batch lasts from its first START to its last END
 * by the one, and a little longer by the other, which also sees the way to the device and back.
 * That little is the same however long the batch is, but a clock that is fast or slow is off by the
 * same part of every batch. So a timer is calibrated by two batches of 2 ms or more in which both
 * agree within 5 % (of one, a fast clock may be excused by a host that woke late); where the first
 * few batches are not enough, am_ocl_timing_loop() and
 * am_ocl_timing_launch() make longer ones, up to half a second, and fail ("wrong: events say ...")
 * when none agrees. Machines that are busy only need longer ones.
 *
 * A batch: begin, add the event of each command (START to END counts), end. Elapsed time is that of
 * the events. end() compares it with the host's clock and fails ("wrong: events ...") when most
 * batches disagree: events that claim more time than passed, or, of a clock that was not
 * calibrated, a small part of it. The first batch is not judged: drivers compile in it. Nothing but
 * the commands may stand between begin and end.
 */
void am_ocl_timing_begin(struct am_ocl_timer *t);
/* Waits for the event, adds its time, releases it; always, also on failure. */
enum am_status am_ocl_timing_take(struct am_ocl_timer *t, cl_event event, struct am_err *err);
enum am_status am_ocl_timing_end(struct am_ocl_timer *t, uint64_t *elapsed_ns, struct am_err *err);

/* Waits for the event and reads its moments; it stays the caller's. */
enum am_status am_ocl_timing_stamps(cl_event event, struct am_ocl_stamps *out, struct am_err *err);

/* One batch of `launches` equal launches; arguments must be set. Elapsed: the sum of the launches'
 * own times, without the gaps between them. */
enum am_status am_ocl_timing_launch(struct am_ocl_timer *t, cl_kernel kernel,
                                    const struct am_ocl_range *range, uint64_t launches,
                                    uint64_t *elapsed_ns, struct am_err *err);

/* A kernel whose argument `arg` (cl_uint) is the number of turns of its loop. */
struct am_ocl_loop {
    cl_kernel kernel;
    cl_uint arg;
    struct am_ocl_range range;
    cl_uint loops_max; /* turns of one launch at most, 0: 2^20; bounds the reference's way to go */
    cl_uint last;      /* turns of the latest launch, which every launch starts afresh */
};

/* One batch of `iters` turns. verify() must reproduce `loop->last` of them. */
enum am_status am_ocl_timing_loop(struct am_ocl_timer *t, struct am_ocl_loop *loop, uint64_t iters,
                                  uint64_t *elapsed_ns, struct am_err *err);

/* `twice` has the body of `once` two times, everything else alike: it must take longer, in the best
 * of a few alternating trials. Finds a number of turns that lasts about 2 ms itself. AM_E_WRONG
 * "folded: ..." otherwise. `ratio` of the times is worth a note. */
enum am_status am_ocl_timing_gate(struct am_ocl_timer *t, struct am_ocl_loop *once,
                                  struct am_ocl_loop *twice, double *ratio, struct am_err *err);

/* The time of one turn, by a launch of at least `at_least_ns` (the best of two): for searches in
 * prepare(). */
enum am_status am_ocl_timing_probe(struct am_ocl_timer *t, struct am_ocl_loop *loop,
                                   uint64_t at_least_ns, double *turn_ns, struct am_err *err);

#endif
