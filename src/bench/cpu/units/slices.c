/* SPDX-License-Identifier: MIT */
/* Loops of instruction forms, timed in slices. */
#include "bench/cpu/units/slices.h"

#include "core/stats/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    AGREEING = 3, /* slices that must agree on the value */
    PILOTS = 3,
    PILOT = 8,        /* passes of a loop by which its slices are sized */
    SLICE_NS = 16000, /* 40 000 cycles and more: reading the clock is some tenths of a percent */
};
#define CLOCK_STEADY 0.02 /* relative, of readings that may be of one clock */

/* No core begins more instructions per cycle: fewer cycles were not executed as written. */
static const double rate_max = 16;

/* ---- loops ---- */

static uint64_t time_passes(const struct am_slices *m, const struct am_sliced_loop *l,
                            uint64_t passes)
{
    const uint64_t t0 = m->clock->now_ns(m->clock->self);
    uint64_t took;

    l->loop.fn(&m->area->regs, passes);
    took = m->clock->now_ns(m->clock->self) - t0;
    return took > m->clock->overhead_ns ? took - m->clock->overhead_ns : 1;
}

static void size_slices(struct am_slices *m, struct am_sliced_loop *l)
{
    uint64_t best = UINT64_MAX;

    for (int i = 0; i < PILOTS; i++) {
        const uint64_t took = time_passes(m, l, PILOT);

        best = took < best ? took : best;
    }
    l->passes = 1 + (uint64_t)SLICE_NS * PILOT / best;
}

enum am_status am_slices_open(struct am_slices *m, const struct am_ctx *ctx, size_t loops,
                              enum am_instr_domain domain, struct am_err *err)
{
    m->clock = ctx->clock;
    m->domain = domain;
    m->area = aligned_alloc(4096, sizeof(*m->area));
    if (!m->area)
        return am_fail(err, AM_E_NOMEM, "registers of a mix");
    memset(m->area, 0, sizeof(*m->area));
    am_instr_fill(&m->area->regs, domain);
    return am_mix_room_open(&m->room, loops, err);
}

enum am_status am_slices_add(struct am_slices *m, const struct am_mix_part *parts, size_t n,
                             struct am_err *err)
{
    return am_mix_add(&m->room, parts, n, &m->loops[m->n++].loop, err);
}

enum am_status am_slices_add_once(struct am_slices *m, const struct am_mix_part *parts, size_t n,
                                  struct am_err *err)
{
    return am_mix_add_once(&m->room, parts, n, &m->loops[m->n++].loop, err);
}

enum am_status am_slices_add_at(struct am_slices *m, const struct am_mix_part *parts, size_t n,
                                struct am_mix_at at, struct am_err *err)
{
    return am_mix_add_at(&m->room, parts, n, at, &m->loops[m->n++].loop, err);
}

enum am_status am_slices_add_rows(struct am_slices *m, const struct am_mix_part *parts, size_t n,
                                  struct am_err *err)
{
    return am_mix_add_rows(&m->room, parts, n, &m->loops[m->n++].loop, err);
}

enum am_status am_slices_add_chain(struct am_slices *m, const struct am_mix_part *parts, size_t n,
                                   struct am_err *err)
{
    return am_mix_add_chain(&m->room, parts, n, &m->loops[m->n++].loop, err);
}

enum am_status am_slices_seal(struct am_slices *m, struct am_work *work, struct am_err *err)
{
    const enum am_status status = am_mix_seal(&m->room, err);

    for (size_t i = 0; status == AM_OK && i < m->n; i++) {
        struct am_sliced_loop *const l = &m->loops[i];

        size_slices(m, l);
        work->ops += (double)(l->passes * l->loop.copies * l->loop.instructions) *
                     AM_SLICES_ROUNDS * AM_SLICES_IN_A_ROW;
    }
    return status;
}

void am_slices_finish(void *state)
{
    struct am_slices *const m = state;

    am_mix_room_close(&m->room);
    free(m->area);
}

/* ---- timing ---- */

/* Cycles per mix of a loop's slices, sorted; returns how many. Those of passes whose clock was
 * lower than the highest are left out: what slows the clock's chain for some milliseconds need not
 * slow the loop, which would seem quicker than it is. */
static size_t slices_of(const struct am_slices *m, const struct am_sliced_loop *l, double *cycles)
{
    const double mixes = (double)(l->passes * l->loop.copies);
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++) {
        if (l->hz[i] >= (1 - CLOCK_STEADY) * m->hz)
            cycles[n++] = l->took_ns[i] * 1e-9 * l->hz[i] / mixes;
    }
    am_stats_sort(cycles, n);
    return n;
}

/* The least that AGREEING slices confirm; NAN when none is confirmed. */
static double confirmed(const struct am_slices *m, const struct am_sliced_loop *l)
{
    double cycles[AM_SLICES_MAX];
    const size_t n = slices_of(m, l, cycles);

    return am_stats_confirmed(cycles, n, AGREEING, AM_SLICES_AGREEMENT);
}

/* One pass over the loops; after the first rounds only over those that are not settled. False when
 * there are none. */
static bool time_round(struct am_slices *m, unsigned round, bool *timed)
{
    bool any = false;

    for (size_t i = 0; i < m->n; i++) {
        struct am_sliced_loop *const l = &m->loops[i];

        timed[i] = round < AM_SLICES_ROUNDS || isnan(confirmed(m, l));
        any = any || timed[i];
        for (int k = 0; timed[i] && k < AM_SLICES_IN_A_ROW; k++)
            l->took_ns[l->n++] = (double)time_passes(m, l, l->passes);
    }
    return any;
}

static void set_clock(struct am_slices *m, const bool *timed, double hz)
{
    for (size_t i = 0; i < m->n; i++) {
        struct am_sliced_loop *const l = &m->loops[i];

        for (size_t k = timed[i] ? l->n - AM_SLICES_IN_A_ROW : l->n; k < l->n; k++)
            l->hz[k] = hz;
    }
    m->hz = fmax(m->hz, hz);
}

/* Clocks that moved during a pass are the clock of none of its slices. False when the clock cannot
 * be read. */
static bool time_all(struct am_slices *m)
{
    double before = am_clock_core_hz(m->clock), after = before;
    bool more = true;

    m->hz = 0;
    for (size_t i = 0; i < m->n; i++)
        m->loops[i].n = 0;
    for (unsigned round = 0; more && after > 0 && round < AM_SLICES_ROUNDS_MAX; round++) {
        bool timed[AM_SLICES_LOOPS_MAX];
        double hz;

        more = time_round(m, round, timed);
        after = am_clock_core_hz(m->clock);
        hz = fmax(before, after);
        set_clock(m, timed, fmin(before, after) < (1 - CLOCK_STEADY) * hz ? 0 : hz);
        before = after;
    }
    return after > 0;
}

/* The confirmed least; of a loop that never settles the middle by the highest clock. */
static double value_of(const struct am_slices *m, const struct am_sliced_loop *l)
{
    double took_ns[AM_SLICES_MAX];
    const double best = confirmed(m, l);

    if (!isnan(best))
        return best;
    memcpy(took_ns, l->took_ns, l->n * sizeof(*took_ns));
    am_stats_sort(took_ns, l->n);
    return am_stats_median(took_ns, l->n) * 1e-9 * m->hz / (double)(l->passes * l->loop.copies);
}

enum am_status am_slices_run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                   struct am_err *err)
{
    struct am_slices *const m = state;
    double elapsed_ns = 0;

    (void)iters; /* always one */
    if (!time_all(m) || !(m->hz > 0))
        return am_fail(err, AM_E_ABSENT,
                       "the core clock cannot be measured, or never stands still");
    for (size_t i = 0; i < m->n; i++) {
        const struct am_sliced_loop *const l = &m->loops[i];

        batch->values[i] = value_of(m, l);
        for (size_t k = 0; k < (size_t)AM_SLICES_ROUNDS * AM_SLICES_IN_A_ROW; k++)
            elapsed_ns += l->took_ns[k];
        if (batch->values[i] * rate_max < (double)l->loop.instructions)
            return am_fail(err, AM_E_WRONG,
                           "%zu instructions in %.3f cycles are more than %.0f per cycle: not "
                           "executed?",
                           l->loop.instructions, batch->values[i], rate_max);
    }
    batch->elapsed_ns = (uint64_t)elapsed_ns;
    return AM_OK;
}

enum am_status am_slices_verify(void *state, double *residual, struct am_err *err)
{
    const struct am_slices *const m = state;
    struct am_instr_regs *const regs = &m->area->regs;

    *residual = 1;
    for (size_t i = 0; i < m->n; i++) {
        unsigned char first[sizeof(regs->out)];
        const char *fault;

        am_instr_fill(regs, m->domain);
        m->loops[i].loop.fn(regs, 2);
        fault = am_instr_fault(regs, AM_INSTR_I);
        if (fault)
            return am_fail(err, AM_E_WRONG, "loop %zu: %s", i, fault);
        memcpy(first, regs->out, sizeof(first));
        am_instr_fill(regs, m->domain);
        m->loops[i].loop.fn(regs, 2);
        if (memcmp(first, regs->out, sizeof(first)) != 0)
            return am_fail(err, AM_E_WRONG, "loop %zu: two runs from the same registers differ", i);
    }
    *residual = 0;
    return AM_OK;
}
