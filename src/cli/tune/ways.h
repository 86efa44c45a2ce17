/* SPDX-License-Identifier: MIT */
/* Energy and time as goals of tune: the axes that are ways to do the same work, and the comparison
 * of what several workers found. */
#ifndef AM_CLI_TUNE_WAYS_H
#define AM_CLI_TUNE_WAYS_H

#include "cli/run/setup.h"
#include "cli/tune/show_tuned.h"

/* The values that a plan of this bench would have on the axes that are ways (family/roles.h),
 * where it would have several; indexed as the axes, none for others. Numbers rise. */
enum am_status am_tune_ways(const struct am_cli *cli, const struct am_setup *setup,
                            const struct am_bench *bench, struct am_param *params,
                            struct am_values *out, struct am_err *err);

/* The best of the rows that did the same work as the first of them, judged by fresh visits. */
struct am_tune_best {
    const struct am_tune_row *best, *next; /* next: NULL where there is no other */
    struct am_duel_verdict verdict;        /* of the best against the next */
};

/* Work by work; false at the end. `taken` has room for the rows and begins as false. */
bool am_tune_weigh(const struct am_tune_row *rows, size_t n, bool *taken, struct am_tune_best *out);

/* A word in place of a bench ("omp"): its question is asked over all ways to do the work, by the
 * topic's bench and values but for those that the user gives. */
enum am_status am_tune_take_topic(struct am_options *opt, struct am_arena *arena,
                                  struct am_err *err);

#endif
