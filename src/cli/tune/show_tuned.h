/* SPDX-License-Identifier: MIT */
/* What tune shows: the points it tuned, and the entries of a tuning file. */
#ifndef AM_CLI_SHOW_TUNED_H
#define AM_CLI_SHOW_TUNED_H

#include "cli/cli.h"
#include "conductor/tuner.h"
#include "core/tune/saved_tuning.h"
#include "family/energy.h"

/* One point, and what came of it. */
struct am_tune_row {
    const struct am_point *point;
    struct am_tuned tuned;
};

/* "w=16 depth=128": what was chosen of what the point leaves open, and of the ways that were
 * searched; "" when nothing was. */
void am_tune_choice(const struct am_tune_row *row, const struct am_value *values, char *buf,
                    size_t cap);

/* What came of a search. */
struct am_tune_outcome {
    const struct am_tune_row *rows;
    size_t n;
    const char *file, *results;        /* the tuning file, the run's */
    const struct am_energy_way *front; /* where energy was measured: ways that none beats in both */
    size_t n_front;
};

/* On standard output, in the style's format. */
void am_tune_show(const struct am_cli *cli, const struct am_tune_outcome *outcome);
/* The entries of which the bench matches a pattern (all without one). `machine` is this one. */
void am_tune_show_entries(const struct am_cli *cli, const struct am_tuning *tuning,
                          const char *machine);

#endif
