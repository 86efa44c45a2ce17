/* SPDX-License-Identifier: MIT */
/* Systematic uncertainty: what can be wrong with a metric in every launch alike, so that no number
 * of launches shows it.
 *
 * A bench states it in a table of its descriptor, as properties of how it measures. What they
 * amount to at a point follows from the clock of its launches and the length of its batches, which
 * are stored: am_systematic_share(). Contributions are bounds and are added. What every metric has
 * in common is not stated but told by its unit: times and rates have the clock's step and reading,
 * and whatever counts cycles has the error of the core clock's probe beside them. */
#ifndef AM_CORE_SYSTEMATIC_H
#define AM_CORE_SYSTEMATIC_H

#include "base/arena.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

struct am_systematic {
    const char *metric;     /* of the bench; NULL ends a table */
    unsigned pieces;        /* separately timed pieces that a batch is made of; 0: one */
    bool clock_counts;      /* reading the clock is part of what is measured */
    double selection;       /* relative: how far apart the best that were chosen may lie */
    double loop;            /* relative: what the loop around the measured work adds */
    const char *difference; /* a time less a reference: the metric of the bench that is this time.
                             * Its error counts twice, for both terms. NULL: no difference */
    bool standard;          /* of known length: a whole number of cycles (evidence/standards.h) */
};

/* How a point was timed. All zero: nothing is known, and no uncertainty follows. */
struct am_timing {
    double batch_s;   /* of an undisturbed batch, the mean */
    double step_s;    /* largest step of the clock */
    double reading_s; /* longest reading of it */
    double hz;        /* highest core clock; 0: not measured */
};

/* What the table (NULL: an empty one) states of the metric; NULL: nothing. */
const struct am_systematic *am_systematic_find(const struct am_systematic *table,
                                               const char *metric);
/* Relative to the metric, or to the metric of which it is a difference (both terms included). */
double am_systematic_share(const struct am_systematic *s, const char *unit,
                           const struct am_timing *timing);
/* Whether a unit is made of time ("s", "B/s", "cycle"), and whether of cycles of the core clock. */
bool am_unit_is_timed(const char *unit);
bool am_unit_has_cycles(const char *unit);

/* "pieces=192 selection=0.005 difference=time standard"; "" where nothing is stated. */
void am_systematic_write(const struct am_systematic *s, struct am_text *out);
/* Reads it back, all but the metric; texts live in the arena. False for words that are not of this
 * form. */
bool am_systematic_parse(const char *text, struct am_arena *arena, struct am_systematic *out);

#endif
