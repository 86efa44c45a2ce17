/* SPDX-License-Identifier: MIT */
/* Runs by name: a file, `latest`, `latest~1`, a tag. */
#ifndef AM_CLI_RUNS_H
#define AM_CLI_RUNS_H

#include "base/arena.h"
#include "base/array.h"
#include "base/status.h"

struct am_options;

/* The results file that `word` means:
 *
 *     a path that exists        itself
 *     latest, latest~N          the newest run of the folder, the N-th before it
 *     TAG, TAG~N                the same among the runs with this --tag
 *     FOLDER/latest, ...        in another folder than the working directory
 *
 * Runs are all *.db of the folder that archmeter wrote, by the time they were started; an
 * unfinished one counts. AM_E_USAGE names the nearest tag. `path` lives in the arena. */
enum am_status am_runs_resolve(const char *word, struct am_arena *arena, const char **path,
                               struct am_err *err);

/* Operands of a command that reads a run and takes patterns: where the first is no run but can be a
 * pattern (a bench's name, or "FAMILY.*"), `latest` stands before it. */
enum am_status am_runs_settle(struct am_options *opt, struct am_arena *arena, struct am_err *err);

/* Adds the runs of a folder, the oldest first; other files are passed over. */
enum am_status am_runs_in(const char *folder, struct am_arena *arena, struct am_strings *out,
                          struct am_err *err);

#endif
