/* SPDX-License-Identifier: MIT */
/* A folder that belongs to one run. */
#include "cli/run/run_folder.h"

#include "base/log.h"
#include "base/text.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPEN_AT_ONCE = 8 };

static const char variable[] = "ARCHMETER_RUN_FOLDER";

const char *am_run_folder_make(struct am_arena *arena)
{
    const char *const base = getenv("TMPDIR");
    char *const path =
        am_arena_printf(arena, "%s/archmeter-run-XXXXXX", base && *base == '/' ? base : "/tmp");

    (void)unsetenv(variable); /* one of another run would be gone too soon */
    if (path && mkdtemp(path) && setenv(variable, path, 1) == 0)
        return path;
    am_log(AM_LOG_DEBUG, "no folder for what processes hand on: each compiles for itself");
    return NULL;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    (void)remove(path); /* what stays is in a folder for temporary files */
    return 0;
}

void am_run_folder_remove(const char *path)
{
    (void)unsetenv(variable);
    if (path)
        (void)nftw(path, remove_entry, OPEN_AT_ONCE, FTW_DEPTH | FTW_PHYS);
}
