/* SPDX-License-Identifier: MIT */
/* Facts: what a run's measurements say about the machine.
 *
 * A fact is a family and a name ("memory", "bandwidth"), labels that tell it from its like
 * (kernel=triad, threads=16), a unit, a value with its interval, a grade, and its evidence. The
 * printed id, memory.bandwidth{kernel=triad,threads=16}, is made from these; nothing takes an id
 * apart. Facts are looked up by name and by conditions on labels, in the same words in which
 * results are selected (evidence/select.h). Evidence of grade C concludes nothing: such a fact is
 * not kept but withheld, with the reason. Texts live in the arena.
 *
 * Facts of a part of the machine (one kind of core, one cache, two threads per core) have the label
 * `on`, the place where the threads stood. They are found only by who asks for that label, or while
 * the rules of the same place are applied: whoever asks for a fact means the whole machine. */
#ifndef AM_FAMILY_FACT_H
#define AM_FAMILY_FACT_H

#include "base/arena.h"
#include "core/stats/grade.h"
#include "evidence/select.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    AM_FACT_LABELS_MAX = 12,
    AM_FACT_POINTS_MAX = 4, /* further ones stand in the evidence's words */
};

enum am_fact_kind {
    AM_FACT_TYPICAL,    /* what a program gets: the median */
    AM_FACT_CAPABILITY, /* the best that was reached, as a ceiling needs it */
    AM_FACT_KINDS,
};
extern const char *const am_fact_kinds[AM_FACT_KINDS]; /* "typical", "capability" */

struct am_fact {
    const char *family, *name; /* set by am_facts_offer(): the family; by the rule: the name */
    struct am_result_param labels[AM_FACT_LABELS_MAX]; /* in their order */
    size_t n_labels;
    const char *id;   /* printed form; set by am_facts_offer() */
    const char *what; /* one phrase for a person */
    const char *unit; /* SI, unscaled; "" for a count or ratio */
    enum am_fact_kind kind;
    double value;
    struct am_interval ci;     /* of the value; lo == hi == value where it is exact by construction;
                                * coverage NAN where neighbouring points of a sweep give it */
    struct am_grading grading; /* the worst of what it rests on */
    size_t launches;           /* of the result with the fewest that it rests on; 0: not known */
    const char *evidence;      /* bench, points and rule it was derived from, in words */
    int64_t points[AM_FACT_POINTS_MAX]; /* ids of points it rests on */
    size_t n_points;
    const char *claimed; /* what the system states, as text; NULL when it states nothing */
    bool contradicts;    /* the measurement does not agree with the claim */
};

/* What could not be concluded, as a sentence; where a fact was withheld, which and for what. */
struct am_remark {
    const char *text;
    const char *about, *why; /* NULL: the sentence is all */
};

struct am_facts {
    struct am_fact *items;
    size_t n, cap;
    struct am_arena *arena;
    const char *family;        /* of the rules that are being applied */
    const char *names;         /* that the rule at work may offer, as its table says; NULL: any */
    const char *on;            /* place whose results the rules see; NULL: the machine */
    struct am_remark *remarks; /* withheld for the grade, or ambiguous */
    size_t n_remarks, cap_remarks;
    const struct am_incore *core; /* the inside of the machine's core (family/incore/incore.h), for
                                   * predictions; NULL: it was not inferred */
};

/* ---- making: for the rules of families ---- */

/* Value, interval, unit, grade, evidence and point of one result's metric. */
struct am_fact am_fact_of(const struct am_pick *pick, struct am_arena *arena);
/* Value and interval of a ratio of two medians: the interval holds with what both leave of
 * certainty; the grade is the worse. Unit "". */
struct am_fact am_fact_of_ratio(const struct am_pick *over, const struct am_pick *under,
                                struct am_arena *arena);
/* The same of two facts, with the labels of `over`. */
struct am_fact am_fact_over(const struct am_fact *over, const struct am_fact *under,
                            struct am_arena *arena);
/* The median over the results' medians, with its own interval; that of the result where it is the
 * only one. Rests on all of them. */
struct am_fact am_fact_of_middle(const struct am_picks *picks, struct am_arena *arena);
/* Of a curve of rates: the least x that reaches `share` of the best. The interval begins behind the
 * last x whose own interval lies below that, and ends with the first whose interval lies above.
 * NAN, and so no fact, with fewer than two places, or where the best is no rate (not above 0). */
struct am_fact am_fact_of_knee(const struct am_picks *curve, double share, struct am_arena *arena);
/* `times` the median of one less that of another, in the unit of the first. The interval holds with
 * what both leave of certainty; where it includes zero the grade is B at best. */
struct am_fact am_fact_of_difference(double times, const struct am_pick *from,
                                     const struct am_pick *less, struct am_arena *arena);
/* Value and interval times a number greater than zero. */
void am_fact_scale(struct am_fact *fact, double factor);
/* Adds one more result that the fact rests on: its point and its grade. */
void am_fact_rest_on(struct am_fact *fact, const struct am_pick *pick);
/* Adds a label; the text is copied, and counts as a number when `kind` says so. */
void am_fact_label(struct am_fact *fact, struct am_arena *arena, const char *key,
                   enum am_axis_kind kind, const char *text);
/* Adds the values of the axes of the list ("kernel,threads") that the result has. */
void am_fact_label_axes(struct am_fact *fact, const struct am_result *result, const char *axes);

/* Adds a fact, with the family of the rules at work, unless it lacks a text, is no number, or one
 * with its name and labels is there already. One of grade C is withheld with a remark. */
void am_facts_offer(struct am_facts *facts, struct am_fact fact);
/* Offers "speedup" for each kind of the facts of this family called `name`: the rate of the most
 * threads over that of one. Kinds are told apart by all labels but `threads`. */
void am_facts_offer_speedups(struct am_facts *facts, const char *name);
/* Notes, once, what could not be concluded: "openmp.start: several results (delay=0, 300)". */
void am_facts_remark(struct am_facts *facts, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- asking ---- */

/* `name` is "family.name"; `where` holds conditions on labels, NULL for any. The only such fact;
 * NULL when there is none or several. */
const struct am_fact *am_facts_only(const struct am_facts *facts, const char *name,
                                    const char *where);
/* The largest (or smallest) value among them; NULL when there is none. */
const struct am_fact *am_facts_most(const struct am_facts *facts, const char *name,
                                    const char *where);
const struct am_fact *am_facts_least(const struct am_facts *facts, const char *name,
                                     const char *where);
/* The next such fact behind `after` (NULL: the first); NULL at the end. */
const struct am_fact *am_facts_next(const struct am_facts *facts, const char *name,
                                    const char *where, const struct am_fact *after);

/* Value of the only such fact; NAN without. */
double am_facts_value(const struct am_facts *facts, const char *name, const char *where);

bool am_fact_is(const struct am_fact *fact, const char *name); /* "family.name" */
/* A label's text, NULL without it; its number, NAN without it. */
const char *am_fact_text(const struct am_fact *fact, const char *key);
double am_fact_number(const struct am_fact *fact, const char *key);
/* Whether two facts agree in family, name and all labels but those of the list `except`. */
bool am_fact_alike(const struct am_fact *a, const struct am_fact *b, const char *except);
/* False when the interval says nothing: of one launch, or of two that share little certainty. */
bool am_fact_is_decided(const struct am_fact *fact);

/* What intervals say of a comparison; advice is given on a side, and where it is open that is said.
 */
enum am_fact_side { AM_SIDE_OPEN, AM_SIDE_ABOVE, AM_SIDE_BELOW };
/* The side of `limit` on which the whole interval lies; open also where the interval says nothing.
 */
enum am_fact_side am_fact_side(const struct am_fact *fact, double limit);
/* The same of `a` beside `limit` times `b`. Facts of grade B have two launches at least: where both
 * intervals are apart by such a factor they suffice. */
enum am_fact_side am_facts_side(const struct am_fact *a, const struct am_fact *b, double limit);

#endif
