/* SPDX-License-Identifier: MIT */
/* The one way in which lists grow. */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ITEMS = 8, FIRST_BYTES = 256 }; /* whichever is more */

/* The room after growing, in items: at least `want`; 0 when its bytes cannot be counted. */
static size_t grown_cap(size_t cap, size_t want, size_t size)
{
    size_t grown = FIRST_BYTES / size > FIRST_ITEMS ? FIRST_BYTES / size : FIRST_ITEMS;

    if (cap)
        grown = cap;
    while (grown < want && grown <= SIZE_MAX / 2)
        grown *= 2;
    return grown < want || grown > SIZE_MAX / size ? 0 : grown;
}

static void *moved(struct am_arena *arena, void *from, size_t n, size_t cap, size_t size)
{
    void *to;

    if (!arena) {
        to = realloc(from, cap * size);
        if (to)
            memset((char *)to + n * size, 0, (cap - n) * size);
        return to;
    }
    to = am_arena_array(arena, cap, size);
    if (to && n)
        memcpy(to, from, n * size);
    return to;
}

bool am_array_reserve(struct am_arena *arena, void *items, size_t n, size_t *cap, size_t more,
                      size_t size)
{
    size_t grown;
    void *at;

    if (more <= *cap - n)
        return true;
    if (more > SIZE_MAX - n)
        return false;
    grown = grown_cap(*cap, n + more, size);
    if (!grown)
        return false;
    /* The pointer is read and written as bytes: its type is known to the caller only. */
    memcpy(&at, items, sizeof(at));
    at = moved(arena, at, n, grown, size);
    if (!at)
        return false;
    memcpy(items, &at, sizeof(at));
    *cap = grown;
    return true;
}

void *am_array_cleared(void *item, size_t size)
{
    return memset(item, 0, size);
}

bool am_strings_add(struct am_strings *list, struct am_arena *arena, const char *item)
{
    if (!am_array_reserve(arena, &list->items, list->n, &list->cap, 1, sizeof(*list->items)))
        return false;
    list->items[list->n++] = item;
    return true;
}

bool am_strings_have(const struct am_strings *list, const char *item)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->items[i], item) == 0)
            return true;
    }
    return false;
}
