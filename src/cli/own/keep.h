/* SPDX-License-Identifier: MIT */
/* The folder archmeter/own of the user's data: headers to compile with, and what was compiled. It
 * is shared by all processes of the user: what is there is complete, and stays as long as somebody
 * uses it (cli/own/prune.h). */
#ifndef AM_CLI_OWN_KEEP_H
#define AM_CLI_OWN_KEEP_H

#include "base/arena.h"
#include "base/status.h"
#include "base/temp_folder.h"

/* $ARCHMETER_OWN_CACHE, else archmeter/own in $XDG_DATA_HOME or ~/.local/share. NULL, with the
 * story, where nothing says where that is. */
const char *am_own_root(struct am_arena *arena, struct am_err *err);

/* A folder with archmeter/bench.h and archmeter/archmeter.f90 of this program. Its path stays the
 * same as long as they do, so that it may stand in debug information. */
enum am_status am_own_headers(struct am_arena *arena, const char **folder, struct am_err *err);

/* A new folder to compile in, removed by am_temp_folder_remove(). */
enum am_status am_own_new_folder(struct am_arena *arena, struct am_temp_folder *out,
                                 struct am_err *err);

/* Moves the libraries of the folder to one that is named by their fingerprint, where that is not
 * there already, and holds it until this process ends. What nobody uses any more is removed. */
enum am_status am_own_keep(const char *folder, struct am_arena *arena, const char **kept,
                           struct am_err *err);

enum am_status am_own_copy_file(const char *from, const char *to, struct am_err *err);

#endif
