/* SPDX-License-Identifier: MIT */
/* Parts of a run, by the place of its threads. */
#include "family/parts.h"

#include <string.h>

static const char place_axis[] = "on", whole[] = "machine";

/* NULL: the whole machine. */
static const char *place_of(const struct am_result *r)
{
    const struct am_result_param *const p = am_result_param(r, place_axis);

    return p && strcmp(p->text, whole) != 0 ? p->text : NULL;
}

static bool is_listed(const char *const *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i], name) == 0)
            return true;
    }
    return false;
}

const char **am_parts_list(const struct am_result_set *set, struct am_arena *arena)
{
    const char **const list = am_arena_array(arena, set->n + 1, sizeof(*list));
    size_t n = 0;

    for (size_t i = 0; list && i < set->n; i++) {
        const char *const place = place_of(&set->results[i]);

        if (place && !is_listed(list, n, place))
            list[n++] = place;
    }
    return list;
}

/* What is stated of the place, in place of what is stated of the machine. */
static struct am_kvs stated_of(const struct am_kvs *machine, const struct am_kvs *all,
                               const char *place, struct am_arena *arena)
{
    struct am_kvs own = {0};

    for (size_t i = 0; i < all->n; i++) {
        const char *const key = am_arena_printf(arena, "%s.%s", place, all->items[i].key);
        const char *const value = key ? am_kvs_get(machine, key) : NULL;

        am_kvs_add(&own, arena, all->items[i].key, value ? value : all->items[i].value);
    }
    return own;
}

struct am_result_set am_part_of(const struct am_result_set *set, const char *place,
                                struct am_arena *arena)
{
    struct am_result_set part = *set;

    part.n = 0;
    part.results = am_arena_array(arena, set->n + 1, sizeof(*part.results));
    for (size_t i = 0; part.results && i < set->n; i++) {
        const char *const own = place_of(&set->results[i]);

        if (place ? own && strcmp(own, place) == 0 : !own)
            part.results[part.n++] = set->results[i];
    }
    if (place) {
        part.machine = stated_of(&set->machine, &set->machine, place, arena);
        part.environment = stated_of(&set->machine, &set->environment, place, arena);
    }
    return part;
}
