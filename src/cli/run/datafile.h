/* SPDX-License-Identifier: MIT */
/* Small files that archmeter keeps for the user between runs (tuned values, costs of points): where
 * they lie, and how they are read and replaced while others do the same. */
#ifndef AM_CLI_DATAFILE_H
#define AM_CLI_DATAFILE_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>

/* The value of the environment variable, else archmeter/NAME in $XDG_DATA_HOME or ~/.local/share;
 * NULL when nothing says where. */
const char *am_datafile_path(const char *variable, const char *name, struct am_arena *arena);

/* The file in the first of these folders that has it, each relative to the folder of this program;
 * NULL when none has. */
const char *am_datafile_beside(const char *const *folders, size_t n, const char *name,
                               struct am_arena *arena);

/* Reads the whole file, which may be as long as the text. Where there is none, *there is false, and
 * nothing is read. What cannot be such a file (`kind`: "tuning file") is AM_E_USAGE, and the story
 * begins with path and line. */
enum am_status am_datafile_read(const char *path, const char *kind, bool *there,
                                struct am_text *out, struct am_err *err);

/* Makes the folders above a path, as mkdir -p does. */
enum am_status am_datafile_folders(const char *path, struct am_arena *arena, struct am_err *err);

/* Makes the folders above the file and locks it against others who change it; -1 with the story
 * when that is refused. The caller closes the descriptor when it is done. */
int am_datafile_lock(const char *path, struct am_arena *arena, struct am_err *err);

/* Replaces the file: a reader sees the old one or the new one. */
enum am_status am_datafile_write(const char *path, const struct am_text *text,
                                 struct am_arena *arena, struct am_err *err);

#endif
