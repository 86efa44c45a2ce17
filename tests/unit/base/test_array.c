/* SPDX-License-Identifier: MIT */
/* Lists that grow, on the heap and in an arena, and what happens when they cannot. */
#include "base/array.h"
#include "tap.h"

#include <stdint.h>
#include <stdlib.h>

enum { MANY = 1000 };

struct pair {
    uint64_t a, b;
};

struct pairs {
    struct pair *items;
    size_t n, cap;
};

static bool fill(struct pairs *p, struct am_arena *arena)
{
    for (uint64_t i = 0; i < MANY; i++) {
        struct pair *const item = AM_ARRAY_ADD(arena, p->items, p->n, p->cap);

        if (!item || item->a || item->b)
            return false;
        *item = (struct pair){i, ~i};
    }
    return true;
}

static bool is_filled(const struct pairs *p)
{
    bool good = p->n == MANY && p->cap >= MANY && p->cap < 4 * MANY;

    for (uint64_t i = 0; good && i < MANY; i++)
        good = p->items[i].a == i && p->items[i].b == ~i;
    return good;
}

static void check_growth(void)
{
    struct am_arena arena = {0};
    struct pairs on_heap = {0}, in_arena = {0};

    ok(fill(&on_heap, NULL) && is_filled(&on_heap), "a list on the heap keeps what was added");
    ok(fill(&in_arena, &arena) && is_filled(&in_arena), "so does one in an arena");
    on_heap.n = 0;
    ok(fill(&on_heap, NULL) && is_filled(&on_heap), "an emptied list gives zeroed items again");
    free(on_heap.items);
    am_arena_fini(&arena);
}

static void check_reserve(void)
{
    struct pairs p = {0};
    struct pair *before;

    ok(am_array_reserve(NULL, &p.items, 0, &p.cap, MANY, sizeof(*p.items)) && p.cap >= MANY,
       "room for many at once");
    before = p.items;
    ok(fill(&p, NULL) && p.items == before, "what was reserved does not move");
    ok(am_array_reserve(NULL, &p.items, p.n, &p.cap, 0, sizeof(*p.items)) && p.items == before,
       "no room asked for, none made");
    free(p.items);
}

static void check_refusals(void)
{
    struct am_arena arena = {0};
    struct pairs p = {0};
    size_t cap;

    ok(fill(&p, NULL), "a list to be refused");
    cap = p.cap;
    ok(!am_array_reserve(NULL, &p.items, p.n, &p.cap, SIZE_MAX, sizeof(*p.items)) &&
           !am_array_reserve(NULL, &p.items, p.n, &p.cap, SIZE_MAX / 2, sizeof(*p.items)) &&
           !am_array_reserve(&arena, &p.items, p.n, &p.cap, SIZE_MAX / 32, sizeof(*p.items)),
       "a size that overflows is refused");
    ok(p.cap == cap && is_filled(&p), "the refused list is as it was");
    free(p.items);
    am_arena_fini(&arena);
}

static void check_strings(void)
{
    struct am_arena arena = {0};
    struct am_strings list = {0};

    ok(!am_strings_have(&list, "one"), "an empty list has nothing");
    ok(am_strings_add(&list, &arena, "one") && am_strings_add(&list, &arena, "two"), "two strings");
    ok(am_strings_have(&list, "two") && !am_strings_have(&list, "three"), "found by their text");
    is_str(list.items[0], "one", "in the order of addition");
    am_arena_fini(&arena);
}

int main(void)
{
    check_growth();
    check_reserve();
    check_refusals();
    check_strings();
    return tap_done();
}
