/* SPDX-License-Identifier: MIT */
/* A stream whose text a test looks at. */
#ifndef AM_TESTS_MEMORY_STREAM_H
#define AM_TESTS_MEMORY_STREAM_H

#include <stdio.h>
#include <stdlib.h>

struct memory {
    char *text;
    size_t size;
    FILE *file;
};

static inline FILE *memory_open(struct memory *m)
{
    *m = (struct memory){0};
    m->file = open_memstream(&m->text, &m->size);
    return m->file;
}

static inline const char *memory_text(struct memory *m)
{
    (void)fflush(m->file);
    return m->text;
}

static inline void memory_close(struct memory *m)
{
    (void)fclose(m->file);
    free(m->text);
}

#endif
