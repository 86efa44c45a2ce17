/* SPDX-License-Identifier: MIT */
/* Pointer chases over a working set: what mem.latency and its kin have in common. */
#ifndef AM_BENCH_CPU_CHASING_H
#define AM_BENCH_CPU_CHASING_H

#include "bench/cpu/hwprefetch.h"
#include "bench/shared/memory.h"
#include "core/bench/bench.h"
#include "kernels/chase.h"

#include <stddef.h>
#include <stdint.h>

/* The order in which the cells of a working set are visited. */
enum am_chase_pattern {
    AM_CHASE_RANDOM, /* any cell next */
    AM_CHASE_LOCAL,  /* all cells of a window of 64 pages, in random order, before the next one */
    AM_CHASE_PAGE,   /* one cell per page, at a random place in it; pages in random order */
    AM_CHASE_STRIDE, /* ascending */
    AM_CHASE_PAIR,   /* two cells a stride apart, then two others anywhere */
};
extern const char *const am_chase_patterns[]; /* by enumerator, ended by NULL */

/* What is to be chased. There is a cell every `stride` bytes of `size` (page: every page). */
struct am_chasing_spec {
    int64_t size, stride, chains;
    enum am_chase_pattern pattern;
    enum am_pages pages;
};

struct am_chasing {
    struct am_memory memory;
    struct am_hwswitch prefetchers; /* of benches that switch them; restored at the end */
    enum am_chase_pattern pattern;
    size_t stride; /* bytes from one cell to the next in memory */
    size_t words;  /* of a cell that may hold its pointer */
    size_t cells;
    uint32_t *order;                     /* order[k]: the cell visited as k-th */
    uint64_t mix;                        /* decides the word of each cell that holds its pointer */
    size_t chains;                       /* walkers, the cycle's length over `chains` apart */
    size_t steps;                        /* each has made, modulo `cells` */
    const void *at[AM_CHASE_CHAINS_MAX]; /* where each stands, says the walk itself */
};

/* Maps, orders and links the cells; an iteration is one load of every chain. AM_E_ABSENT with its
 * reason where the spec makes no sense or is too large. */
enum am_status am_chasing_prepare(struct am_chasing *c, const struct am_ctx *ctx,
                                  const struct am_chasing_spec *spec, struct am_work *work,
                                  struct am_err *err);

/* Hooks; `state` is a struct am_chasing. */
void am_chasing_run(void *state, uint64_t iters);
enum am_status am_chasing_verify(void *state, double *residual, struct am_err *err);
void am_chasing_finish(void *state);

/* What the descriptors of all benches with a state of this kind have in common. */
#define AM_CHASING_HOOKS                                                                           \
    .state_size = sizeof(struct am_chasing), .run = am_chasing_run, .verify = am_chasing_verify,   \
    .finish = am_chasing_finish

/* latency and cycles, of benches with a single chain. */
extern const struct am_metric am_chasing_metrics[];

/* Bytes of a cache line as the system states them, 64 where it does not. */
size_t am_chasing_line(void);

#endif
