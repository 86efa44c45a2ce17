/* SPDX-License-Identifier: MIT */
/* What a program depends on, by how much slower it becomes when parts of the machine are taken.
 *
 * Every step (what ran beside the program, core/spec/beside.h) is compared with its control: taking
 * CPU time and computing beside it with nothing, taking cache and memory with computing beside it,
 * so that what CPUs share anyway (clock, SMT) is not taken for memory. Traffic to memory empties
 * caches as well: where the program depends on its cache, only what the traffic does beyond taking
 * cache speaks of memory. And what walks over more cache than it can have is traffic itself: its
 * own rate, which is stated, tells; such a step speaks of neither alone. A program that computes is
 * judged by its CPU time there, which neighbours that take its CPU do not lengthen; what waits is
 * judged by its time. All comparisons are judged together (model/verdict.h); a part of which
 * nothing was shown is undecided, which is not "no". */
#ifndef AM_MODEL_SENSITIVITY_H
#define AM_MODEL_SENSITIVITY_H

#include "family/timed.h"
#include "model/compare.h"

enum { AM_SENSITIVITY_STEPS_MAX = 64 };

enum am_dependence { AM_DEPENDS_UNDECIDED, AM_DEPENDS_NO, AM_DEPENDS_YES };

struct am_slowdown {
    const struct am_timed *timed;
    const struct am_result_metric *metric; /* that is judged; NULL: none */
    const struct am_comparison_row *row; /* against its control; NULL: it is the first one itself */
    const char *word;      /* of what is shown: "slower", "not slower" by the margin, a verdict's */
    bool spills;           /* what was to take cache went to memory: it takes bandwidth too */
    double factor, lo, hi; /* how many times as long; NAN: not compared */
};

struct am_sensitivity {
    const char *line; /* of the command */
    struct am_slowdown steps[AM_SENSITIVITY_STEPS_MAX];
    size_t n;
    /* By what is taken, am_beside_kind. Of AM_BESIDE_SPIN: what CPUs share beside memory. Of
     * AM_BESIDE_MEMORY: traffic to memory, and not only the cache that it costs. */
    enum am_dependence on[AM_BESIDE_KINDS];
    bool by_cpu;      /* cache and memory are judged by CPU time */
    const char *what; /* the answer in a few words */
};

/* A slowdown below this is none. */
extern const double am_sensitivity_margin;

/* The steps of one command, n of them, in any order. */
enum am_status am_sensitivity_judge(const struct am_timed *const *steps, size_t n,
                                    struct am_arena *arena, struct am_sensitivity *out,
                                    struct am_err *err);

#endif
