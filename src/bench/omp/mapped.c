/* SPDX-License-Identifier: MIT */
/* Which OpenMP library a process has mapped. */
#include "bench/omp/mapped.h"

#include <string.h>

/* Every runtime that implements the pragmas of the compilers we know, by its file. */
static const struct {
    const char *file, *name;
} libraries[] = {
    {"libgomp.so", "libgomp"},   {"libgomp-", "libgomp"}, {"libomp.so", "libomp"},
    {"libomp5.so", "libomp"},    {"libomp-", "libomp"},   {"libiomp5.so", "libiomp5"},
    {"libnvomp.so", "libnvomp"},
};

/* The runtime that a line of maps shows, or NULL. */
static const char *library_of(const char *line, size_t len)
{
    size_t begin = len;

    while (begin > 0 && line[begin - 1] != '/')
        begin--;
    for (size_t i = 0; begin > 0 && i < sizeof(libraries) / sizeof(libraries[0]); i++) {
        const size_t n = strlen(libraries[i].file);

        if (len - begin >= n && memcmp(line + begin, libraries[i].file, n) == 0)
            return libraries[i].name;
    }
    return NULL;
}

const char *am_omp_mapped(const char *maps, struct am_err *err)
{
    const char *found = NULL;

    while (*maps) {
        const size_t len = strcspn(maps, "\n");
        const char *const name = library_of(maps, len);

        if (found && name && strcmp(found, name) != 0) {
            (void)am_fail(err, AM_E_WRONG, "two OpenMP libraries are mapped: %s and %s", found,
                          name);
            return NULL;
        }
        found = name ? name : found;
        maps += len + (maps[len] == '\n');
    }
    if (!found)
        (void)am_fail(err, AM_E_WRONG, "no OpenMP library is mapped");
    return found;
}
