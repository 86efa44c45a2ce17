/* SPDX-License-Identifier: MIT */
/* One bench in several workers: their choices become one list, each choice has one worker. */
#include "conductor/catalogue.h"

#include <string.h>

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static int find_choice(const struct am_axis *axis, const char *name)
{
    for (int i = 0; axis->choices && axis->choices[i]; i++) {
        if (strcmp(axis->choices[i], name) == 0)
            return i;
    }
    return -1;
}

static size_t count_choices(const struct am_axis *axis)
{
    size_t n = 0;

    while (axis->choices && axis->choices[n])
        n++;
    return n;
}

/* Whether no value of this axis can be planned for both. */
static bool disjoint(const struct am_axis *a, const struct am_axis *b)
{
    if (!a->choices || !b->choices)
        return false;
    for (size_t i = 0; a->choices[i]; i++) {
        const int other = find_choice(b, a->choices[i]);

        if (other >= 0 && !am_axis_elsewhere(a, i) && !am_axis_elsewhere(b, (size_t)other))
            return false;
    }
    return true;
}

static bool same_metrics(const struct am_bench *a, const struct am_bench *b)
{
    size_t i = 0;

    for (; a->metrics[i].name && b->metrics[i].name; i++) {
        if (!same_text(a->metrics[i].name, b->metrics[i].name) ||
            !same_text(a->metrics[i].unit, b->metrics[i].unit) ||
            a->metrics[i].better != b->metrics[i].better)
            return false;
    }
    return a->metrics[i].name == b->metrics[i].name; /* both ended */
}

/* What keeps two descriptors from being one bench; NULL when nothing does. */
static const char *contradiction(const struct am_bench *a, const struct am_bench *b)
{
    const size_t axes = am_axis_count(a->axes);
    bool apart = false;

    if (a->version != b->version)
        return "has another version than";
    if (!same_metrics(a, b))
        return "has other metrics than";
    if (axes != am_axis_count(b->axes))
        return "has other axes than";
    for (size_t i = 0; i < axes; i++) {
        if (!same_text(a->axes[i].name, b->axes[i].name) || a->axes[i].kind != b->axes[i].kind ||
            (a->axes[i].choices == NULL) != (b->axes[i].choices == NULL))
            return "has other axes than";
        apart = apart || disjoint(&a->axes[i], &b->axes[i]);
    }
    return apart ? NULL : "would measure the same points as";
}

/* Gives `axis` the choices of `other` that it lacks, as measured elsewhere. */
static bool add_choices(struct am_axis *axis, const struct am_axis *other, const char *worker,
                        struct am_arena *arena)
{
    size_t n = count_choices(axis);
    const size_t room = n + count_choices(other) + 1;
    const char **choices = am_arena_array(arena, room, sizeof(*choices));
    const char **reasons = am_arena_array(arena, room, sizeof(*reasons));
    const char **env_values = am_arena_array(arena, room, sizeof(*env_values));
    const char **elsewhere = am_arena_array(arena, room, sizeof(*elsewhere));
    const size_t own = n;

    if (!choices || !reasons || !env_values || !elsewhere)
        return false;
    for (size_t i = 0; i < own; i++) {
        choices[i] = axis->choices[i];
        reasons[i] = am_axis_why_not(axis, i);
        env_values[i] = axis->env_values ? axis->env_values[i] : NULL;
        elsewhere[i] = am_axis_elsewhere(axis, i);
    }
    for (size_t i = 0; other->choices[i]; i++) {
        const char *const there = am_axis_elsewhere(other, i);

        if (find_choice(axis, other->choices[i]) >= 0)
            continue;
        choices[n] = other->choices[i];
        reasons[n] = am_axis_why_not(other, i);
        env_values[n] = other->env_values ? other->env_values[i] : NULL;
        elsewhere[n++] = there ? there : worker;
    }
    axis->choices = choices;
    axis->reasons = reasons;
    axis->env_values = env_values;
    axis->elsewhere = elsewhere;
    return true;
}

/* The descriptors of a listing are the catalogue's own copies: it may complete them. */
static bool unite_pair(const struct am_worker *wa, const struct am_bench *a,
                       const struct am_worker *wb, const struct am_bench *b, struct am_arena *arena)
{
    struct am_axis *const to_a = (struct am_axis *)a->axes;
    struct am_axis *const to_b = (struct am_axis *)b->axes;

    for (size_t i = 0; a->axes[i].name; i++) {
        const struct am_axis before = to_a[i];

        if (!before.choices)
            continue;
        if (!add_choices(&to_a[i], &to_b[i], wb->name, arena) ||
            !add_choices(&to_b[i], &before, wa->name, arena))
            return false;
    }
    return true;
}

static const struct am_bench *find_bench(const struct am_worker *w, const char *name)
{
    for (size_t i = 0; i < w->n; i++) {
        if (strcmp(w->benches[i].name, name) == 0)
            return &w->benches[i];
    }
    return NULL;
}

/* The first contradiction between this worker and an earlier one; NULL when there is none. */
static const char *quarrel(const struct am_catalogue *c, size_t worker, struct am_arena *arena)
{
    const struct am_worker *const w = &c->workers[worker];

    for (size_t e = 0; e < worker; e++) {
        for (size_t i = 0; i < w->n; i++) {
            const struct am_bench *const a = find_bench(&c->workers[e], w->benches[i].name);
            const char *const why = a ? contradiction(a, &w->benches[i]) : NULL;

            if (why)
                return am_arena_printf(arena, "its %s %s that of the worker %s", a->name, why,
                                       c->workers[e].name);
        }
    }
    return NULL;
}

bool am_catalogue_unite(struct am_catalogue *c, struct am_arena *arena)
{
    for (size_t w = 1; w < c->n; w++) {
        const char *const why = quarrel(c, w, arena);

        if (why) {
            c->workers[w].why_not = why;
            c->workers[w].n = 0;
            continue;
        }
        for (size_t e = 0; e < w; e++) {
            for (size_t i = 0; i < c->workers[w].n; i++) {
                const struct am_bench *const b = &c->workers[w].benches[i];
                const struct am_bench *const a = find_bench(&c->workers[e], b->name);

                if (a && !unite_pair(&c->workers[e], a, &c->workers[w], b, arena))
                    return false;
            }
        }
    }
    return true;
}
