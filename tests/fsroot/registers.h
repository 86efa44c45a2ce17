/* SPDX-License-Identifier: MIT */
/* Processor registers as files of a made-up root: 8 bytes at their number, the rest is a hole. */
#ifndef AM_TESTS_FSROOT_REGISTERS_H
#define AM_TESTS_FSROOT_REGISTERS_H

#include "fsroot/tree.h"

#include <stdint.h>

static inline FILE *tree_register(struct tree *t, unsigned cpu, uint64_t msr, const char *mode)
{
    char path[PATH_MAX];
    FILE *f;

    (void)snprintf(path, sizeof(path), "%s/dev/cpu/%u/msr", t->path, cpu);
    f = fopen(path, mode);
    t->broken |= !f || fseeko(f, (off_t)msr, SEEK_SET) != 0;
    return f;
}

static inline void tree_put_register(struct tree *t, unsigned cpu, uint64_t msr, uint64_t value)
{
    char path[64];
    FILE *f;

    (void)snprintf(path, sizeof(path), "dev/cpu/%u/msr", cpu);
    tree_put(t, path, "%s", "");
    f = tree_register(t, cpu, msr, "r+");
    t->broken |= !f || fwrite(&value, sizeof(value), 1, f) != 1;
    if (f)
        t->broken |= fclose(f) != 0;
}

static inline uint64_t tree_get_register(struct tree *t, unsigned cpu, uint64_t msr)
{
    FILE *const f = tree_register(t, cpu, msr, "r");
    uint64_t value = UINT64_MAX;

    t->broken |= !f || fread(&value, sizeof(value), 1, f) != 1;
    if (f)
        (void)fclose(f);
    return value;
}

#endif
