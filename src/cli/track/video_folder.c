/* SPDX-License-Identifier: MIT */
/* Names of pictures, sorted. */
#include "cli/track/video_folder.h"

#include "base/array.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Endings of one kind of picture stand in one row. */
static const char *const kinds[][2] = {{"png", NULL}, {"tif", "tiff"}, {"jpg", "jpeg"},
                                       {"bmp", NULL}, {"pgm", NULL},   {"ppm", NULL},
                                       {"pnm", NULL}};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

/* KINDS: no picture. */
static size_t kind_of(const char *name)
{
    const char *const dot = strrchr(name, '.');
    size_t kind = 0;

    if (!dot || name[0] == '.')
        return KINDS;
    while (kind < KINDS && strcasecmp(dot + 1, kinds[kind][0]) != 0 &&
           (!kinds[kind][1] || strcasecmp(dot + 1, kinds[kind][1]) != 0))
        kind++;
    return kind;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add(struct am_video_folder *folder, const char *path, const char *name)
{
    const size_t room = strlen(path) + strlen(name) + 2;
    char **const added = AM_ARRAY_ADD(NULL, folder->paths, folder->n, folder->cap);

    if (!added || !(*added = malloc(room)))
        return false;
    (void)snprintf(*added, room, "%s/%s", path, name);
    return true;
}

bool am_video_folder_list(const char *path, struct am_video_folder *folder, const char **why)
{
    DIR *const dir = opendir(path);
    const struct dirent *entry;
    size_t first = KINDS;

    *why = dir ? NULL : "the folder cannot be read";
    while (!*why && (entry = readdir(dir))) {
        const size_t kind = kind_of(entry->d_name);

        if (kind == KINDS)
            continue;
        first = first == KINDS ? kind : first;
        if (kind != first)
            *why = "its pictures are of several kinds; one folder is one video";
        else if (!add(folder, path, entry->d_name))
            *why = "no memory for the names of its pictures";
    }
    if (dir)
        (void)closedir(dir);
    if (!*why && folder->n == 0)
        *why = "there are no pictures in it (*.png, *.tif, *.jpg, *.bmp, *.pgm, *.ppm)";
    if (*why)
        return false;
    qsort(folder->paths, folder->n, sizeof(*folder->paths), by_name);
    return true;
}

void am_video_folder_free(struct am_video_folder *folder)
{
    for (size_t i = 0; i < folder->n; i++)
        free(folder->paths[i]);
    free(folder->paths);
    *folder = (struct am_video_folder){0};
}
