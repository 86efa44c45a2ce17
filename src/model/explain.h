/* SPDX-License-Identifier: MIT */
/* Measured against bound: for every point that moves bytes or computes, the least time that its
 * work needs on this machine, what sets it, and what to try next. */
#ifndef AM_MODEL_EXPLAIN_H
#define AM_MODEL_EXPLAIN_H

#include "base/arena.h"
#include "family/family.h"
#include "family/incore/incore.h"
#include "model/roofline.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>

enum { AM_CORE_STEPS_MAX = 8 };

/* A share that launches measured of themselves: their median, and its interval. */
struct am_core_part {
    double share, lo, hi; /* 0: not measured */
};

/* What the time of a point with one thread goes to. Every number is a share of the time that the
 * median sample took; each is measured or predicted by itself, so that they need not add up to one:
 * what is left is stated, and nothing is fitted to make it small.
 *
 * The loops' cycles and the roofs are those of an undisturbed core. They are held against the best
 * samples of the point, as roofs are made of best samples; what the median lost against these is
 * `held`. */
struct am_core_bound {
    double cycles, lo, hi; /* of one pass over each loop, by measured mixes of instructions */
    bool wide;             /* with 512-bit instructions, whose mixes are predicted apart */
    double share, share_lo, share_hi; /* all passes; 0: nothing is said of the point */
    double moved;    /* bytes from behind the first-level cache, by their roof: beside the loops, or
                      * after them */
    double moved_l2; /* bytes that the loops move from and to the second-level cache, where the
                      * bench counted them */
    struct am_core_part near;  /* the point's own loops on data in the first-level cache */
    struct am_core_part begin; /* of that, what the loops take to begin and end, however often they
                                * turn */
    struct am_core_part crossing; /* of that, what it costs that rows begin between lines */
    /* Of `near` what neither the loops' instructions nor all this need. Measured, but not
     * its cause: the core's, and not its data's. Below 0: less than was predicted. */
    double inside, inside_lo, inside_hi;
    struct am_core_part far; /* the point's own loops on its data where they lie, timed apart */
    double waited; /* of `far`, or of all that is beside steps, more than near: for data */
    /* The lines of memory that the loops touch, in their order, without arithmetic: where they are,
     * and as if they were in the first-level cache. In place of roofs. */
    struct am_core_part walk, walk_near;
    double held; /* that the best samples do without, of the same code and work */
    struct am_core_step {
        const char *name;
        struct am_core_part part;
    } steps[AM_CORE_STEPS_MAX]; /* that are no part of the loops */
    size_t n_steps;
    double over; /* that parts which were measured apart take more than the whole; else 0 */
    /* What is left, cause not measured: if loops and bytes come one after the other, and if they
     * overlap as much as they can; by the ends of all intervals too. Where `near` is measured both
     * are the same: it tells what was waited for. Where `far` is measured, all that is beside it
     * and the steps, and what is waited for more than data need. NAN of grade C, which concludes
     * nothing. */
    double left_apart, left_beside, left_lo, left_hi;
    const char *limit; /* of the longest: a resource, or words */
    size_t unknown;    /* instructions that nothing was measured of */
};

struct am_explanation {
    const struct am_result *result;
    const struct am_result_metric *metric; /* the rate that is explained; of a program of which no
                                            * work is known its first metric */
    struct am_summary measured;            /* of that metric */
    struct am_work work;                   /* of one iteration: as stated, or as counted */
    const char *counted; /* the events that tell the work, and what they leave out; NULL: stated */
    const struct am_bound_row *row; /* what its family says of its bound; NULL: nothing */
    const char *why_not;            /* not explained, with the reason; the rest below is not set */

    double intensity; /* flop a byte; NAN without either */
    enum am_tier
        level; /* that bounds the bytes, the fastest that may serve them; AM_TIER_COUNT: none */
    enum am_tier slowest; /* that may serve them */
    bool between;         /* the working set lies between this level and the next */
    const char *space;    /* of another device: the memory that bounds the bytes; NULL: none */
    enum am_ceiling_kind limit;
    struct am_roof roofs[AM_CEILING_KINDS]; /* of each kind; ceiling NULL: none or no such work */
    bool own; /* the roof of arithmetic is the bench's own (am_bound_row.own_share), for its mix of
               * instructions; its ceiling's evidence is the point itself */
    double bound;              /* in the metric's unit */
    double bound_lo, bound_hi; /* by the intervals of the ceilings */
    double share;              /* measured over bound */
    bool above;                /* the interval of the measurement lies above the bound: the model is
                                * wrong, or the work is stated wrongly; never of grade C */
    const char *resource;      /* what limits, in words: "L2 reads", "f64 arithmetic" */
    struct am_core_bound core; /* by am_explain_core() */
    const char *next;          /* what to try, in words */
};

struct am_explanations {
    struct am_explanation *items; /* in plan order */
    size_t n;
    size_t above, unexplained;
    const char *const *remarks; /* on ceilings that applications exceeded: am_roofline.remarks */
    size_t n_remarks;
    const char *no_accounts; /* why points that kept their code have none; NULL: they have */
};

/* Of every result that is ok and belongs to a bench that states bytes or flops, and of every
 * program: one of which no work is known is not explained, and says what is missing. Texts live in
 * the arena. */
void am_explain(const struct am_result_set *set, const struct am_facts *facts,
                const struct am_roofline *roofline, struct am_arena *arena,
                struct am_explanations *out);

/* The same by the ceilings of another machine: what that machine would bound the points to. Points
 * on devices that it does not have, and those that only know a bound of their own, have none. No
 * point is `above`, and none has a `next`. */
void am_explain_on(const struct am_result_set *set, const struct am_facts *facts,
                   const struct am_roofline *roofline, struct am_arena *arena,
                   struct am_explanations *out);

/* What the metric counts of one iteration. */
double am_explanation_amount(const struct am_explanation *e);
/* What one iteration needs of each kind of ceiling. */
void am_explanation_amounts(const struct am_explanation *e, double amounts[AM_CEILING_KINDS]);

/* From this share of its bound on a point is at its roof: what is left is within the spread of such
 * measurements. */
extern const double am_explain_at_roof;
/* Below this share of its bound no roof is what holds a point back. */
extern const double am_explain_far_below;

/* Says of points that kept the code of their kernel (am_ctx_code()) what its loops need inside of a
 * core, by the mixes that were measured of this machine; nothing where these say too little. Points
 * of one thread only. Takes as long as am_incore_infer(), once, where there is such a point. */
void am_explain_core(const struct am_result_set *measured, const struct am_facts *facts,
                     const struct am_roofline *roofline, struct am_arena *arena,
                     struct am_explanations *all);
/* The same of one point, by a core that was inferred before: fills e->core. False when nothing can
 * be said. */
struct am_core_telling {
    const struct am_incore *core;
    double hz; /* its clock */
    const struct am_roofline *roofline;
    struct am_arena *arena;
};
bool am_explain_loops(const struct am_core_telling *telling, struct am_explanation *e);
/* Seconds that an iteration of an explained point took. */
double am_explain_seconds(const struct am_explanation *e);
/* Where its time goes, in sentences, and what is left of it, in words; NULL where nothing is known
 * inside of the core. */
const char *am_explain_account(const struct am_explanation *e, struct am_arena *arena);
const char *am_explain_left(const struct am_explanation *e, struct am_arena *arena);

/* What to try next at an explained point; never NULL. */
const char *am_explain_next(const struct am_explanation *e, const struct am_facts *facts,
                            const struct am_roofline *roofline, struct am_arena *arena);

#endif
