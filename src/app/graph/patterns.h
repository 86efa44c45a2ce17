/* SPDX-License-Identifier: MIT */
/* Graphs of tasks by the patterns of Task Bench (Slaughter et al. 2020): rows of `width` tasks, one
 * row after the other, a pattern saying for which tasks of the row before a task waits.
 *
 * Task t of all is number t % width of row t / width. A task works for a given number of steps of a
 * chain of multiplications and additions, and makes a value of its number, the round, and the
 * values of those it waits for. A task that is left out, repeated, or begun too early has a wrong
 * value, and so has every task after it: am_patterns_wrong() compares all of them with a plain
 * computation. */
#ifndef AM_APP_GRAPH_PATTERNS_H
#define AM_APP_GRAPH_PATTERNS_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { AM_PATTERN_BEFORE_MAX = 5 };

/* trivial   nobody waits
 * chains    each for the task above it
 * stencil   each for the three above it
 * fft       each for the one above it and its partner of a butterfly
 * tree      each for the one of half its number
 * random    each for up to five of the row above, drawn by its number
 * spread    each for five of the row above, as far apart as they can be */
extern const char *const am_pattern_names[]; /* ended by NULL */

struct am_patterns {
    size_t pattern; /* index of its name */
    size_t width, rows;
    size_t steps; /* of the chain, per task */
    struct am_patterns_task *tasks;
    uint64_t rounds; /* that were asked for so far; the caller counts them */
};

enum am_status am_patterns_init(struct am_patterns *p, struct am_err *err);
void am_patterns_fini(struct am_patterns *p); /* accepts a half-built one */

/* For struct am_blocks; `app` is the struct am_patterns. */
void am_patterns_run(void *app, size_t task);
size_t am_patterns_before(const void *app, size_t task, size_t *before);
/* Whether any task waits for another. */
int am_patterns_waits(const struct am_patterns *p);

/* Tasks whose value is not what `rounds` rounds must have made of it. */
size_t am_patterns_wrong(const struct am_patterns *p);

/* Tasks one after the other, at least: no number of threads is faster than these. */
size_t am_patterns_depth(const struct am_patterns *p);

#endif
