/* SPDX-License-Identifier: MIT */
/* Memory that lives and dies together. */
#include "base/arena.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 * 1024 };

struct am_arena_block {
    struct am_arena_block *next;
    size_t used, cap;
    max_align_t data[];
};

static struct am_arena_block *block_new(struct am_arena *a, size_t cap)
{
    struct am_arena_block *b = calloc(1, sizeof(*b) + cap);

    if (!b)
        return NULL;
    b->cap = cap;
    b->next = a->blocks;
    a->blocks = b;
    return b;
}

void *am_arena_alloc(struct am_arena *a, size_t size)
{
    const size_t align = _Alignof(max_align_t);
    struct am_arena_block *b = a->blocks;
    void *p;

    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + align - 1) / align * align;
    if (!b || b->cap - b->used < size)
        b = block_new(a, size > BLOCK_BYTES ? size : BLOCK_BYTES);
    if (!b)
        return NULL;
    p = (char *)b->data + b->used;
    b->used += size;
    return p;
}

void *am_arena_array(struct am_arena *a, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    return am_arena_alloc(a, count * size);
}

char *am_arena_strndup(struct am_arena *a, const char *s, size_t n)
{
    char *copy = am_arena_alloc(a, n + 1);

    if (copy && n)
        memcpy(copy, s, n);
    return copy;
}

char *am_arena_strdup(struct am_arena *a, const char *s)
{
    return am_arena_strndup(a, s, strlen(s));
}

char *am_arena_vprintf(struct am_arena *a, const char *fmt, va_list ap)
{
    va_list again;
    char *text = NULL;
    int n;

    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    if (n >= 0)
        text = am_arena_alloc(a, (size_t)n + 1);
    if (text)
        (void)vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    return text;
}

char *am_arena_printf(struct am_arena *a, const char *fmt, ...)
{
    char *text;
    va_list ap;

    va_start(ap, fmt);
    text = am_arena_vprintf(a, fmt, ap);
    va_end(ap);
    return text;
}

void am_arena_fini(struct am_arena *a)
{
    struct am_arena_block *b = a->blocks;

    while (b) {
        struct am_arena_block *next = b->next;

        free(b);
        b = next;
    }
    a->blocks = NULL;
}
