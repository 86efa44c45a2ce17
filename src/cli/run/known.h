/* SPDX-License-Identifier: MIT */
/* Where known machines are: models shipped with the program, and the user's own folder. */
#ifndef AM_CLI_KNOWN_H
#define AM_CLI_KNOWN_H

#include "cli/cli.h"
#include "document/known.h"

/* The user's folder, archmeter/machines in XDG_DATA_HOME (~/.local/share); NULL: no home. */
const char *am_known_folder(struct am_arena *arena);

/* Every *.json of both folders, by name, shipped ones first. A file that is no model is passed over
 * with a warning; folders that are not there are empty. */
enum am_status am_known_load(const struct am_cli *cli, struct am_known_machines *out,
                             struct am_err *err);

/* The folder `word` of what is shipped: beside the program in a build folder, where it was
 * installed, or in the source tree around a build folder; NULL: none is there. */
const char *am_shipped_folder(const char *word, struct am_arena *arena);

#endif
