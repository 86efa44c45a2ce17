/* SPDX-License-Identifier: MIT */
/* The one way in which lists grow. A list is three members of whatever struct owns it: a pointer
 * to the items, their number and the room there is, all zero at first. The room doubles, so that
 * adding costs constant time per item on average. Memory comes from an arena, which keeps the
 * outgrown copies until its own end, or from the heap (arena NULL), where the owner calls free().
 * Where memory is refused the list stays as it was. Items move when the list grows: callers keep
 * indices, not pointers, across additions. */
#ifndef AM_BASE_ARRAY_H
#define AM_BASE_ARRAY_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* Makes room for `more` items beyond the first `n`. `items` is the address of the list's pointer,
 * `size` that of one item. False when memory is refused or the size overflows. The room beyond the
 * first `n` is zeroed whenever the list moves. */
bool am_array_reserve(struct am_arena *arena, void *items, size_t n, size_t *cap, size_t more,
                      size_t size);

/* The address of one more item, zeroed and counted already, or NULL when memory is refused:
 *     struct am_stop *const stop = AM_ARRAY_ADD(NULL, t->stops, t->n_stops, t->cap_stops);
 * The arguments are evaluated more than once. */
#define AM_ARRAY_ADD(arena, items, n, cap)                                                         \
    (am_array_reserve((arena), &(items), (n), &(cap), 1, sizeof(*(items)))                         \
         ? am_array_cleared(&(items)[(n)++], sizeof(*(items)))                                     \
         : NULL)

/* Of use to the macro: `item` itself, zeroed, since a list that was emptied has old items there. */
void *am_array_cleared(void *item, size_t size);

/* A list of strings that belong to someone else. Zero-initialise. */
struct am_strings {
    const char **items;
    size_t n, cap;
};

/* Adds the pointer; false when memory is refused. */
bool am_strings_add(struct am_strings *list, struct am_arena *arena, const char *item);
bool am_strings_have(const struct am_strings *list, const char *item);

#endif
