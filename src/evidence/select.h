/* SPDX-License-Identifier: MIT */
/* The one way to choose results: which bench, which values of its axes, which metric; then how to
 * reduce what was chosen to what is wanted.
 *
 * Used by facts, figures, ceilings, explanation, comparison and guidelines. A selection holds only
 * results that are ok and have the metric, in the order of the plan. Several where one was wanted
 * is an answer of its own (am_picks_only), never "the first": whoever means the best, the largest
 * or one per value of an axis says so. Memory comes from the arena that was given; where it is
 * refused the selection is empty, as if nothing had been measured. */
#ifndef AM_EVIDENCE_SELECT_H
#define AM_EVIDENCE_SELECT_H

#include "base/arena.h"
#include "evidence/evidence.h"

#include <stdbool.h>
#include <stddef.h>

/* What is meant. `where` is a list of conditions with blanks between them, all of which must hold:
 *
 *     axis=a,b    the value is one of these      axis!=a,b   the bench has the axis, none of these
 *     axis<8  axis<=8  axis>8  axis>=8           numbers
 *     axis        the bench has this axis        !axis       it does not
 *     axis?=a,b   one of these, or the bench does not have the axis (results of older versions)
 *
 * Values are compared by value: 4096 matches the size 4096 however it was written; K, M and G are
 * accepted. A value may hold neither blank nor comma; for such (names of devices) use
 * am_picks_group() or am_picks_like(). */
struct am_selector {
    const char *bench;  /* a name, or a glob ("FAMILY.*"); NULL: any */
    const char *where;  /* NULL: all */
    const char *metric; /* a name; NULL: the primary one of each bench. A glob ("energy:*") picks
                         * every metric of a result that it matches */
};

struct am_pick {
    const struct am_result *result;
    const struct am_result_metric *metric; /* with summary and grading */
    double x;                              /* set by am_picks_curve(): the value on its axis */
};

struct am_picks {
    struct am_pick *items;
    size_t n;
    struct am_arena *arena;
};

struct am_picks am_select(const struct am_result_set *set, const struct am_selector *selector,
                          struct am_arena *arena);

/* Whether two results of one bench agree in every axis of the list. */
bool am_result_alike(const struct am_result *a, const struct am_result *b, const char *axes);
/* Whether the conditions hold for one point, whatever its state. */
bool am_where_matches(const char *where, const struct am_result_param *params, size_t n_params);

/* ---- narrowing: each gives a new selection in the same order ---- */

/* Those for which the conditions hold as well. */
struct am_picks am_picks_where(const struct am_picks *picks, const char *where);
/* Those that agree with `result` in every axis of the list ("runtime,threads"). */
struct am_picks am_picks_like(const struct am_picks *picks, const struct am_result *result,
                              const char *axes);
/* Those that agree with `result` in every axis of its bench but those of the list. */
struct am_picks am_picks_beside(const struct am_picks *picks, const struct am_result *result,
                                const char *except);
/* Those for whose results the function says so: what conditions cannot express. */
typedef bool am_pick_fn(const struct am_result *result, const void *context);
struct am_picks am_picks_filter(const struct am_picks *picks, am_pick_fn *keep,
                                const void *context);
/* Those of grade A or B; all of them when there is none such, so that whatever rests on them is
 * withheld with its reasons. */
struct am_picks am_picks_sound(const struct am_picks *picks);
/* Those with the largest (or, with `least`, smallest) number on the axis. */
struct am_picks am_picks_extreme(const struct am_picks *picks, const char *axis, bool least);

/* ---- parting ---- */

/* One part: the picks that share the values of the axes it was made by. The first of them tells
 * the values. */
struct am_group {
    struct am_picks picks;
};
struct am_groups {
    struct am_group *items;
    size_t n;
};
/* One group per combination of values of the axes ("device,type"), in order of first appearance. */
struct am_groups am_picks_group(const struct am_picks *picks, const char *axes);

/* ---- reducing ---- */

/* The only one; NULL when there is none, or several. *several is set to what differs between them
 * ("delay=0, 300, 3000"), or to NULL when that is not why. */
const struct am_pick *am_picks_only(const struct am_picks *picks, const char **several);
/* The one with the best median, by the direction of its metric; NULL when there is none. */
const struct am_pick *am_picks_best(const struct am_picks *picks);
/* By rising number on the axis, x set; of several at one place the best, unless `several` is not
 * NULL: then such a place makes the curve empty and says what differs. */
struct am_picks am_picks_curve(const struct am_picks *picks, const char *axis,
                               const char **several);

/* Axes in which the picks differ, other than those of the list `except` (NULL: none), each with its
 * values: "delay=0, 300 threads=1, 2"; "" when they do not. At most a few values are named. */
const char *am_picks_differ(const struct am_picks *picks, const char *except);

/* The same axes without their values: "delay,threads". */
const char *am_picks_varying(const struct am_picks *picks, const char *except);

/* Whether the list "a,b,c" of names holds the name; NULL holds nothing. */
bool am_names_hold(const char *list, const char *name);

#endif
