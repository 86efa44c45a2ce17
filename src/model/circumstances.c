/* SPDX-License-Identifier: MIT */
/* Differences of two runs beside their numbers. */
#include "model/circumstances.h"

#include <string.h>

/* Facts that differ from minute to minute and say nothing about what was compared. */
static bool is_fleeting(const char *key)
{
    static const char *const keys[] = {"load", "steal_share", "memory_available_bytes",
                                       "swap_free_bytes"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (strcmp(keys[i], key) == 0)
            return true;
    }
    return false;
}

static void add_difference(struct am_kvs *out, struct am_arena *arena, const char *key,
                           const char *a, const char *b)
{
    if (strcmp(a, b) != 0 && !is_fleeting(key))
        am_kvs_addf(out, arena, key, "%s | %s", a, b);
}

static void add_differences(const struct am_kvs *a, const struct am_kvs *b, struct am_arena *arena,
                            struct am_kvs *out)
{
    for (size_t i = 0; i < a->n; i++) {
        const char *other = am_kvs_get(b, a->items[i].key);

        add_difference(out, arena, a->items[i].key, a->items[i].value, other ? other : "(none)");
    }
    for (size_t i = 0; i < b->n; i++) {
        if (!am_kvs_get(a, b->items[i].key))
            add_difference(out, arena, b->items[i].key, "(none)", b->items[i].value);
    }
}

void am_circumstances_add(const struct am_result_set *a, const struct am_result_set *b,
                          struct am_arena *arena, struct am_comparison *out)
{
    add_differences(&a->machine, &b->machine, arena, &out->differences);
    add_differences(&a->environment, &b->environment, arena, &out->differences);
    add_differences(&a->settings, &b->settings, arena, &out->differences);
    add_differences(&a->build, &b->build, arena, &out->differences);
}
