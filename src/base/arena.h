/* SPDX-License-Identifier: MIT */
/* Memory that lives and dies together: plans, catalogues, loaded results.
 *
 * Allocations are cut from blocks and never freed one by one: am_arena_fini() frees them all. What
 * is made for one command or one run needs no ownership rules then; a function that returns text or
 * arrays takes the arena in which they live. Where memory is refused the functions return NULL. */
#ifndef AM_BASE_ARENA_H
#define AM_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct am_arena_block;

/* Zero-initialise. Not thread-safe. */
struct am_arena {
    struct am_arena_block *blocks;
};

/* Zeroed memory aligned for any object, or NULL when memory is refused. */
void *am_arena_alloc(struct am_arena *a, size_t size);
/* The same for `count` objects; NULL on overflow of the product too. */
void *am_arena_array(struct am_arena *a, size_t count, size_t size);
char *am_arena_strdup(struct am_arena *a, const char *s);
char *am_arena_strndup(struct am_arena *a, const char *s, size_t n);
char *am_arena_printf(struct am_arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
char *am_arena_vprintf(struct am_arena *a, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));
void am_arena_fini(struct am_arena *a);

#endif
