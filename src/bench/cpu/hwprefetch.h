/* SPDX-License-Identifier: MIT */
/* Switches hardware prefetchers for the time of one point, and back whatever becomes of the worker.
 */
#ifndef AM_BENCH_CPU_HWPREFETCH_H
#define AM_BENCH_CPU_HWPREFETCH_H

#include "base/fsroot.h"
#include "core/bench/bench.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The axis `hwprefetch`: as the machine is, all switched off, all switched on. */
enum am_hwprefetch { AM_HWPREFETCH_AS_IS, AM_HWPREFETCH_OFF, AM_HWPREFETCH_ON };
extern const char *const am_hwprefetch_names[]; /* by enumerator, ended by NULL */
const char *am_hwprefetch_why_not(const char *choice);

/* Registers that are switched, and the process that will put them back. Zeroed: none. */
struct am_hwswitch {
    size_t n;
    int *fds;            /* of the CPUs' registers, locked while they are switched */
    uint64_t *originals; /* what they held */
    off_t msr;
    pid_t guardian; /* restores them once `line` hangs up: also when this process is killed */
    int line;
};

/* Switches the registers of cpus[0..n). AM_E_ABSENT with its reason where there are none, they may
 * not be written, writing has no effect, or another process is switching them.
 * am_hwswitch_restore() must follow in any case. */
enum am_status am_hwswitch_set(struct am_hwswitch *h, const struct am_fsroot *root, const int *cpus,
                               size_t n, enum am_hwprefetch want, struct am_err *err);
/* Of this machine's first `threads` CPUs of a launch, and attests the axis by am_ctx_chosen(). */
enum am_status am_hwswitch_prepare(struct am_hwswitch *h, const struct am_ctx *ctx, size_t threads,
                                   enum am_hwprefetch want, struct am_err *err);
void am_hwswitch_restore(
    struct am_hwswitch *h); /* accepts a zeroed struct; returns when it is done */

#endif
