/* SPDX-License-Identifier: MIT */
/* Launches whose clock was wrong.
 *
 * A launch times its loops and reads the core clock beside them. What else runs on the core makes
 * loops longer, some more than others; a clock that was read too low makes all of them shorter
 * alike, which nothing else does. The least of a cell would be the wrong launch's. So a launch is
 * set aside, in all cells, where it is below all others by one and the same share, and these agree
 * on what they are below. */
#include "family/incore/incore.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CELLS_LEAST = 16, /* of a launch, by which it is judged */
    LOWEST = 3,
};
/* Shares by which a clock may be wrong: less is no error that matters, more was not seen. */
static const double wrong_least = 0.02, wrong_most = 0.25;
/* So many of the cells are below by the same share within this. */
static const double cells_alike = 0.9, alike = 0.015;

/* How far a launch is from the least of the others of a cell: 1 is as much. */
struct ratio {
    int64_t launch;
    double to_others;
};

struct ratios {
    struct ratio *items;
    size_t n;
};

static int by_launch(const void *a, const void *b)
{
    const struct ratio *const x = a, *const y = b;

    if (x->launch != y->launch)
        return x->launch < y->launch ? -1 : 1;
    return (x->to_others > y->to_others) - (x->to_others < y->to_others);
}

static double least_value(const struct am_launch_values *launch)
{
    double least = INFINITY;

    for (size_t i = 0; i < launch->n; i++)
        least = fmin(least, launch->values[i]);
    return least;
}

/* The least value of the others, where one more of them confirms it; NAN else. `lowest` are those
 * of all, ascending, `own` is one of all. */
static double others_least(const double lowest[LOWEST], double own)
{
    const double least = own <= lowest[0] ? lowest[1] : lowest[0];
    const double next = own <= lowest[1] ? lowest[2] : lowest[1];

    return isfinite(next) && next <= (1 + AM_INCORE_STEADY) * least ? least : NAN;
}

static void add_ratios(const struct am_series *series, struct ratios *out)
{
    double lowest[LOWEST] = {INFINITY, INFINITY, INFINITY};

    for (size_t i = 0; i < series->n; i++) {
        double value = least_value(&series->launches[i]);

        for (size_t k = 0; k < LOWEST; k++) {
            const double lower = fmin(lowest[k], value);

            value = fmax(lowest[k], value);
            lowest[k] = lower;
        }
    }
    for (size_t i = 0; i < series->n; i++) {
        const double own = least_value(&series->launches[i]), others = others_least(lowest, own);

        if (others > 0 && isfinite(own))
            out->items[out->n++] = (struct ratio){series->launches[i].launch_id, own / others};
    }
}

static bool counts(const struct am_result *r)
{
    return r->state == AM_POINT_OK &&
           (strcmp(r->bench, "cpu.ports") == 0 || strcmp(r->bench, "cpu.mix") == 0 ||
            strcmp(r->bench, "cpu.chain") == 0 || strcmp(r->bench, "cpu.loop") == 0);
}

static bool read_ratios(const struct am_result_set *set, struct am_arena *scratch,
                        struct ratios *out)
{
    size_t room = 0;

    for (size_t i = 0; i < set->n; i++) {
        for (size_t k = 0; counts(&set->results[i]) && k < set->results[i].n_metrics; k++)
            room += set->results[i].metrics[k].series.n;
    }
    *out = (struct ratios){.items = am_arena_array(scratch, room + 1, sizeof(*out->items))};
    for (size_t i = 0; out->items && i < set->n; i++) {
        for (size_t k = 0; counts(&set->results[i]) && k < set->results[i].n_metrics; k++)
            add_ratios(&set->results[i].metrics[k].series, out);
    }
    return out->items != NULL;
}

/* Whether these ratios of one launch, ascending, are nearly all the same, and too low. */
static bool is_wrong(const struct ratio *r, size_t n)
{
    const double middle = r[n / 2].to_others;
    size_t same = 0;

    if (n < CELLS_LEAST || middle > 1 - wrong_least || middle < 1 - wrong_most)
        return false;
    for (size_t i = 0; i < n; i++)
        same += fabs(r[i].to_others / middle - 1) <= alike;
    return (double)same >= cells_alike * (double)n;
}

bool am_incore_set_aside(const struct am_result_set *set, struct am_arena *arena,
                         struct am_incore *core)
{
    struct am_arena scratch = {NULL};
    struct ratios all;
    bool good = read_ratios(set, &scratch, &all);
    size_t room = 0;

    if (good)
        qsort(all.items, all.n, sizeof(*all.items), by_launch);
    for (size_t i = 0, end; good && i < all.n; i = end) {
        for (end = i; end < all.n && all.items[end].launch == all.items[i].launch; end++)
            ;
        if (is_wrong(&all.items[i], end - i)) {
            int64_t *const launch = AM_ARRAY_ADD(arena, core->aside, core->n_aside, room);

            good = launch != NULL;
            if (good)
                *launch = all.items[i].launch;
        }
    }
    am_arena_fini(&scratch);
    return good;
}

bool am_incore_is_aside(const struct am_incore *core, int64_t launch)
{
    for (size_t i = 0; i < core->n_aside; i++) {
        if (core->aside[i] == launch)
            return true;
    }
    return false;
}
