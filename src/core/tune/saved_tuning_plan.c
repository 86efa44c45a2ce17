/* SPDX-License-Identifier: MIT */
/* Saved tuning in plans: what a point leaves open gets the values that were best. */
#include "core/tune/saved_tuning.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* NULL without memory. */
static struct am_value *tuned_values(const struct am_point *point,
                                     const struct am_tuning_entry *entry, struct am_arena *arena)
{
    const struct am_axis *const axes = point->bench->axes;
    const size_t n = am_axis_count(axes);
    struct am_value *const values = am_arena_array(arena, n + 1, sizeof(*values));

    for (size_t i = 0; values && i < n; i++) {
        values[i] = point->values[i];
        for (size_t u = 0; am_axis_is_open(&axes[i], &values[i]) && u < entry->n_use; u++) {
            /* it parses: am_tuning_find() looked; a free name stays in the tuning's arena */
            if (strcmp(entry->use[u].axis, axes[i].name) == 0)
                (void)am_value_parse(&axes[i], entry->use[u].value, strlen(entry->use[u].value),
                                     &values[i], NULL);
        }
    }
    return values;
}

static bool note_use(struct am_tuning_uses *uses, const struct am_tuning_entry *entry,
                     unsigned apart, struct am_arena *arena)
{
    struct am_tuning_use *added;

    for (size_t i = 0; i < uses->n; i++) {
        if (uses->items[i].entry == entry) {
            uses->items[i].points++;
            if (apart > uses->items[i].apart)
                uses->items[i].apart = apart;
            return true;
        }
    }
    added = AM_ARRAY_ADD(arena, uses->items, uses->n, uses->cap);
    if (added)
        *added = (struct am_tuning_use){.entry = entry, .apart = apart, .points = 1};
    return added;
}

/* ---- twins ---- */

static int by_value(const struct am_value *a, const struct am_value *b)
{
    switch (a->kind) {
    case AM_AXIS_INT:
    case AM_AXIS_SIZE: return (a->i > b->i) - (a->i < b->i);
    case AM_AXIS_REAL: return (a->r > b->r) - (a->r < b->r);
    case AM_AXIS_NAME: return strcmp(a->name, b->name);
    }
    return 0;
}

static int by_point(const struct am_point *a, const struct am_point *b)
{
    const struct am_axis *const axes = a->bench->axes;
    int order = (a->bench > b->bench) - (a->bench < b->bench);

    for (size_t i = 0; !order && axes && axes[i].name; i++)
        order = by_value(&a->values[i], &b->values[i]);
    return order;
}

static int by_point_then_place(const void *x, const void *y)
{
    const struct am_point *const *const a = x, *const *const b = y;
    const int order = by_point(*a, *b);

    return order ? order : (*a > *b) - (*a < *b);
}

/* Keeps the first of equal points, all in their order. */
static bool drop_twins(struct am_plan *plan)
{
    const struct am_point **const sorted = calloc(plan->n + 1, sizeof(*sorted));
    bool *const twin = calloc(plan->n + 1, sizeof(*twin));
    size_t kept = 0;

    for (size_t i = 0; sorted && i < plan->n; i++)
        sorted[i] = &plan->points[i];
    if (sorted && twin) {
        qsort(sorted, plan->n, sizeof(*sorted), by_point_then_place);
        for (size_t i = 1; i < plan->n; i++)
            twin[sorted[i] - plan->points] = by_point(sorted[i - 1], sorted[i]) == 0;
        for (size_t i = 0; i < plan->n; i++) {
            if (!twin[i])
                plan->points[kept++] = plan->points[i];
        }
        plan->n = kept;
    }
    free(twin);
    free(sorted);
    return kept > 0;
}

enum am_status am_tuning_apply(const struct am_tuning *t, const char *machine, struct am_plan *plan,
                               struct am_arena *arena, struct am_tuning_uses *uses,
                               struct am_err *err)
{
    *uses = (struct am_tuning_uses){0};
    for (size_t i = 0; i < plan->n; i++) {
        struct am_point *const point = &plan->points[i];
        const struct am_tuning_entry *entry;
        unsigned apart;

        if (!am_tuning_is_open(point))
            continue;
        entry = am_tuning_find(t, machine, point, &apart);
        uses->open += entry == NULL;
        if (!entry && !uses->obstacle) {
            uses->bench = point->bench->name;
            uses->obstacle = am_tuning_obstacle(t, machine, point, arena);
        }
        if (!entry)
            continue;
        point->values = tuned_values(point, entry, arena);
        if (!point->values || !note_use(uses, entry, apart, arena))
            return am_fail(err, AM_E_NOMEM, "no memory for the tuned plan");
    }
    if (uses->n && !drop_twins(plan))
        return am_fail(err, AM_E_NOMEM, "no memory for the tuned plan");
    return AM_OK;
}
