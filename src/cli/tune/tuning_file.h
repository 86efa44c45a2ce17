/* SPDX-License-Identifier: MIT */
/* The tuning file: where it lies, reading, changing it safely, and its use in a plan. */
#ifndef AM_CLI_TUNING_FILE_H
#define AM_CLI_TUNING_FILE_H

#include "cli/cli.h"
#include "cli/run/setup.h"
#include "core/tune/saved_tuning.h"

/* --tuning, else $ARCHMETER_TUNING, else archmeter/tuning in $XDG_DATA_HOME or ~/.local/share; NULL
 * when nothing says where. */
const char *am_tuning_path(const struct am_cli *cli);

/* Reads a file into a tuning; one that does not exist is empty, unless `needed`. What is no tuning
 * file is refused with its line (AM_E_USAGE). */
enum am_status am_tuning_load(const char *path, bool needed, struct am_arena *arena,
                              struct am_tuning *out, struct am_err *err);

/* Changes a tuning that was just read; *changed false: the file stays as it is. */
typedef enum am_status am_tuning_change_fn(void *self, struct am_tuning *tuning, bool *changed,
                                           struct am_err *err);
/* Reads, changes and writes the file as one step: whoever does the same meanwhile waits, and a
 * reader sees the old file or the new one. Folders are made. */
enum am_status am_tuning_change(const char *path, struct am_arena *arena, am_tuning_change_fn *fn,
                                void *self, struct am_err *err);

/* The machine as entries name it: processor and its caches, nothing that changes from boot to
 * boot or with the memory that was bought. */
const char *am_tuning_machine(const struct am_setup *setup, struct am_arena *arena);

/* Puts tuned values in the plan, unless --no-tuning; says so, and in the setup's facts which
 * entries were used. */
enum am_status am_setup_tuning(const struct am_cli *cli, struct am_setup *setup,
                               struct am_err *err);

#endif
