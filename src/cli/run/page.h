/* SPDX-License-Identifier: MIT */
/* The report of results files: the part that report and run share. */
#ifndef AM_CLI_PAGE_H
#define AM_CLI_PAGE_H

#include "cli/cli.h"

/* "run.db" -> "run.html": where the page of a results file lies; NULL when memory is refused. */
const char *am_page_path(struct am_arena *arena, const char *file);

/* Writes the page of the runs, the first one in full and the others compared with it. `path` NULL:
 * beside the first, ".db" becoming ".html". *written_p is where it lies. */
enum am_status am_page_write(const struct am_cli *cli, const struct am_strings *files,
                             const char *path, const char **written_p, struct am_err *err);

/* The same of one results file, beside it, and said last. */
enum am_status am_page_beside(const struct am_cli *cli, const char *results, struct am_err *err);

#endif
