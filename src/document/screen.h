/* SPDX-License-Identifier: MIT */
/* The first screen: what everybody asks of a machine, in at most 20 lines of 80 columns.
 *
 * Which figures stand on it is said by the headlines of families (family/family.h): figures of one
 * rank share a line, one core beside all cores, with the widest interval and the worst grade of the
 * line. What is not known is left out. Then: how quiet it was, where the results are, and what to
 * type next. The same block heads the model. */
#ifndef AM_DOCUMENT_SCREEN_H
#define AM_DOCUMENT_SCREEN_H

#include "document/document.h"
#include "family/family.h"

enum { AM_SCREEN_LINES = 20, AM_SCREEN_COLUMNS = 80 };

struct am_screen_view {
    const struct am_result_set *set;
    const struct am_facts *facts;
    const char *path;   /* of the results, for the commands to type next; NULL: none are told */
    const char *report; /* of the page; NULL: there is none */
    bool read;          /* a model without its results: nobody knows how quiet it was */
};

/* How many families have a figure on it. */
size_t am_screen_families(const struct am_facts *facts);
/* From so many on the screen is what a run came to; of fewer its tables are. */
enum { AM_SCREEN_FAMILIES = 3 };

struct am_document am_document_screen(const struct am_screen_view *view);
/* The same as the head of another document. */
void am_screen_section(struct am_body *b, const struct am_screen_view *view);

/* ---- its parts ---- */

/* Lines of headlines into the body, at most `lines` with the line of titles; returns how many.
 * `precisions` (room for AM_HEADLINES_MAX) gets the half-widths of what is shown, over the values,
 * and *n how many. */
size_t am_screen_lines(struct am_body *b, const struct am_screen_view *view, size_t lines,
                       double *precisions, size_t *n);
/* What three in four of its figures are good to, over their values; NAN without any interval. */
double am_screen_precision(const struct am_screen_view *view, struct am_arena *arena);
/* "AMD EPYC (Zen 4), 2 cores, 24 GiB, kvm guest". */
const char *am_screen_machine(const struct am_result_set *set, struct am_arena *arena);

#endif
