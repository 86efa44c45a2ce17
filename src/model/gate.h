/* SPDX-License-Identifier: MIT */
/* A comparison as a gate: whether what is judged may pass.
 *
 * It fails when a row is shown to be slower. It is open, and does not pass, when anything was
 * flagged and not decided: a row that looks slower beyond delta, or a row of the base that is
 * missing in what is judged. So a gate that passes has seen every row of the base, and flagged
 * none. */
#ifndef AM_MODEL_GATE_H
#define AM_MODEL_GATE_H

#include "model/compare.h"

enum am_gate { AM_GATE_PASSED, AM_GATE_OPEN, AM_GATE_FAILED };

/* Which rows besides keep it open. */
struct am_gate_demands {
    bool decided;  /* any suspect or undecided one */
    bool complete; /* any that one side alone has */
};

/* `why`: sentences that say what keeps it from passing, in the arena; "" when it passes. */
enum am_gate am_gate_of(const struct am_comparison *c, const struct am_gate_demands *demands,
                        struct am_arena *arena, const char **why);

#endif
