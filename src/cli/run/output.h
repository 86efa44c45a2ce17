/* SPDX-License-Identifier: MIT */
/* Where data goes: standard output, or a file that appears complete or not at all. */
#ifndef AM_CLI_OUTPUT_H
#define AM_CLI_OUTPUT_H

#include "base/arena.h"
#include "base/status.h"
#include "cli/words/options.h"
#include "write/style.h"

#include <stdio.h>

/* Colour, width and character set of standard output, from the options and the environment. */
struct am_style am_output_style(const struct am_options *opt);

/* True when stderr is a terminal on which a line can be redrawn. */
bool am_output_interactive(void);
/* Columns of the terminal behind fd; 0 when it is none. */
unsigned am_output_columns(int fd);

/* Makes descriptors 0, 1 and 2 taken: a program started with one closed would otherwise open its
 * results file there. A write to such a standard output fails and is noticed. */
void am_output_reserve_fds(void);

/* True when standard output is a pipe that nobody reads any more. */
bool am_output_is_closed(void);
/* Flushes standard output and tells whether all of it was written; a reader that went away early is
 * no failure. */
enum am_status am_output_finish(struct am_err *err);

struct am_output {
    FILE *file;
    const char *path; /* NULL for standard output */
    const char *temp; /* where it is written first; NULL for devices and pipes */
};

/* `path` NULL or "-": standard output. A file that is there is replaced when it is one that
 * archmeter wrote, or where `force` says so; a run or another database never. */
enum am_status am_output_open(struct am_output *o, const char *path, bool force,
                              struct am_arena *arena, struct am_err *err);
/* Whether am_output_open() would refuse the path, asked before long work whose outcome goes there;
 * AM_OK for standard output. */
enum am_status am_output_check(const char *path, bool force, struct am_arena *arena,
                               struct am_err *err);
/* Removes the file that is half written, if there is one. For signal handlers: only unlink() is
 * called, and the program must end behind it. */
void am_output_abandon(void);
/* Puts the file in its place, or removes what was written when `keep` is false. */
enum am_status am_output_close(struct am_output *o, bool keep, struct am_err *err);

#endif
