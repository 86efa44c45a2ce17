/* SPDX-License-Identifier: MIT */
/* A folder that belongs to one run. */
#include "cli/run/run_folder.h"

#include "base/log.h"

#include <stdlib.h>

static const char variable[] = "ARCHMETER_RUN_FOLDER";

struct am_temp_folder am_run_folder_make(struct am_arena *arena)
{
    const char *const base = getenv("TMPDIR");
    struct am_temp_folder folder = {.path = NULL};

    (void)unsetenv(variable); /* one of another run would be gone too soon */
    if (am_temp_folder_make(base && *base == '/' ? base : "/tmp", "run", arena, &folder) &&
        setenv(variable, folder.path, 1) == 0)
        return folder;
    am_log(AM_LOG_DEBUG, "no folder for what processes hand on: each works for itself");
    return folder;
}

struct am_temp_folder am_run_folder_take(struct am_temp_folder *made, struct am_arena *arena)
{
    struct am_temp_folder folder = *made;

    *made = (struct am_temp_folder){.path = NULL};
    if (folder.path && setenv(variable, folder.path, 1) == 0)
        return folder;
    am_temp_folder_remove(&folder);
    return am_run_folder_make(arena);
}

void am_run_folder_remove(struct am_temp_folder *folder)
{
    if (!folder->path)
        return; /* another's may be in use */
    (void)unsetenv(variable);
    am_temp_folder_remove(folder);
}
