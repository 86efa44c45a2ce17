/* SPDX-License-Identifier: MIT */
/* Loops made of instruction forms (kernels/mix/mix.h), timed in slices: what cpu.ports, cpu.mix and
 * cpu.chain have in common.
 *
 * A batch passes over all loops of a point several times, so that the slices of one loop lie apart,
 * and reads the core clock around each pass: a slice's cycles are by the clock of its own pass, for
 * clocks move within milliseconds. A loop's value is the least that three slices confirm: the bare
 * minimum can be one slice in which units were chosen better than ever again. */
#ifndef AM_BENCH_CPU_UNITS_SLICES_H
#define AM_BENCH_CPU_UNITS_SLICES_H

#include "core/bench/bench.h"
#include "kernels/mix/mix.h"

enum {
    AM_SLICES_ROUNDS = 8,      /* passes over all loops */
    AM_SLICES_ROUNDS_MAX = 24, /* while a loop is not settled */
    AM_SLICES_IN_A_ROW = 2,    /* slices of a loop in one pass */
    AM_SLICES_MAX = AM_SLICES_ROUNDS_MAX * AM_SLICES_IN_A_ROW,
    AM_SLICES_LOOPS_MAX = 1 + AM_MIX_ANCHORS > AM_MIX_SET ? 1 + AM_MIX_ANCHORS : AM_MIX_SET,
};
#define AM_SLICES_AGREEMENT 0.005 /* relative, of slices that confirm each other */

struct am_sliced_loop {
    struct am_mix_loop loop;
    uint64_t passes; /* of a slice */
    size_t n;        /* slices taken */
    double took_ns[AM_SLICES_MAX];
    double hz[AM_SLICES_MAX]; /* of the pass that each was taken in */
};

/* A bench's state. */
struct am_slices {
    const struct am_clock *clock;
    struct am_mix_area *area;
    struct am_mix_room room;
    enum am_instr_domain domain; /* of the registers' start values */
    double hz;                   /* highest of the batch */
    size_t n;
    struct am_sliced_loop loops[AM_SLICES_LOOPS_MAX]; /* indexed as metrics */
};

/* Room for so many loops, registers that hold the domain's values. */
enum am_status am_slices_open(struct am_slices *m, const struct am_ctx *ctx, size_t loops,
                              enum am_instr_domain domain, struct am_err *err);
/* One more loop: of independent instructions, of one copy of them, of one copy at some place of a
 * line, of one part behind the other, or of such that each waits for the one before. */
enum am_status am_slices_add(struct am_slices *m, const struct am_mix_part *parts, size_t n,
                             struct am_err *err);
enum am_status am_slices_add_once(struct am_slices *m, const struct am_mix_part *parts, size_t n,
                                  struct am_err *err);
enum am_status am_slices_add_at(struct am_slices *m, const struct am_mix_part *parts, size_t n,
                                struct am_mix_at at, struct am_err *err);
enum am_status am_slices_add_rows(struct am_slices *m, const struct am_mix_part *parts, size_t n,
                                  struct am_err *err);
enum am_status am_slices_add_chain(struct am_slices *m, const struct am_mix_part *parts, size_t n,
                                   struct am_err *err);
/* No more loops: makes them executable, finds the length of slices, states the work. */
enum am_status am_slices_seal(struct am_slices *m, struct am_work *work, struct am_err *err);

/* Hooks of a bench. run_timed() writes each loop's cycles per mix to the metric of its number. */
enum am_status am_slices_run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                   struct am_err *err);
/* Each loop leaves its chains behind, and the same ones from the same start. */
enum am_status am_slices_verify(void *state, double *residual, struct am_err *err);
void am_slices_finish(void *state);

/* Of a metric of so many loops: slices of one are timed alone, and the least that others confirm
 * counts. */
#define AM_SLICED(loops)                                                                           \
    .pieces = AM_SLICES_ROUNDS * AM_SLICES_IN_A_ROW * (loops), .selection = AM_SLICES_AGREEMENT

#endif
