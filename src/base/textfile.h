/* SPDX-License-Identifier: MIT */
/* Files that people write for archmeter (experiments, tables), as text. */
#ifndef AM_BASE_TEXTFILE_H
#define AM_BASE_TEXTFILE_H

#include "base/arena.h"
#include "base/status.h"

#include <stddef.h>

/* The bytes of a regular file, at most max + 1: one more than may be tells that it is too long.
 * AM_E_USAGE says why it cannot be read. */
enum am_status am_textfile_read(const char *path, size_t max, struct am_arena *arena, char **text,
                                size_t *len, struct am_err *err);

#endif
