/* SPDX-License-Identifier: MIT */
/* Points of one bench beside each other: which axes tell them apart, and what all of them share. */
#ifndef AM_DOCUMENT_POINTS_H
#define AM_DOCUMENT_POINTS_H

#include "document/document.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialise, then add. Axes are those of the first point. */
struct am_points {
    const struct am_result *first;
    size_t n;
    bool vary[AM_AXES_MAX]; /* by index of first->params: has more than one value */
};

void am_points_add(struct am_points *points, const struct am_result *result);
/* True when both belong into one table: one bench, whichever of its workers measured it. */
bool am_points_together(const struct am_result *a, const struct am_result *b);

/* The text of a point's value of an axis; "" when it has none. */
const char *am_points_text(const struct am_result *result, const char *axis);

/* "pattern=random  threads=1": what all share; "" when nothing is. */
void am_points_constants(const struct am_points *points, char *buf, size_t cap);
const char *am_points_shared(const struct am_points *points, struct am_arena *arena); /* the same */
/* "size=16 KiB isa=avx2": what tells this one apart; "" when nothing does. */
void am_points_label(const struct am_points *points, const struct am_result *result, char *buf,
                     size_t cap);

/* One column per varying axis, and the cells of a point in them. */
void am_points_columns(const struct am_points *points, struct am_table *table);
void am_points_cells(const struct am_points *points, const struct am_result *result,
                     struct am_table *table);

#endif
