/* SPDX-License-Identifier: MIT */
/* Operations bound to units by turns, or to schedulers by chance. */
#include "model/block/turns.h"

#include <math.h>

/* The resource of which a sum takes most, the first of several: that of all integer units. */
static size_t resource_of_sums(const struct am_incore *core, size_t kind)
{
    size_t most = 0;

    for (size_t r = 1; r < core->model.resources; r++) {
        const double w = am_resources_weight(&core->model, kind, r)->value;

        if (w > 0 && (most == 0 || w > 1.01 * am_resources_weight(&core->model, kind, most)->value))
            most = r;
    }
    return most;
}

/* The first resource of which a comparison, which waits for none like it, takes the share of one
 * unit of so many; 0: there is none. */
static size_t resource_of_units(const struct am_incore *core, size_t *units)
{
    static const double close = 0.03;
    const struct am_incore_form *const free = am_incore_find(core, "cmp_r64");

    if (!free || free->kind >= core->n_kinds || !(free->alone.value > 0))
        return 0;
    *units = (size_t)(1 / free->alone.value + 0.5);
    for (size_t r = 1; r < core->model.resources; r++) {
        const double w = am_resources_weight(&core->model, free->kind, r)->value;

        if (fabs(w * (double)*units - 1) < close)
            return r;
    }
    return 0;
}

/* How many units there are behind schedulers, or with turns; 0: no resource stands for these. */
static size_t find_units(const struct am_incore *core, enum am_arch arch, struct am_turns *out)
{
    const struct am_incore_form *const sum = am_incore_find(core, am_form_sum(arch));
    size_t units = 0;

    if (core->turns < 2 && core->schedulers >= 2) {
        out->resource = resource_of_units(core, &units);
        out->schedulers = core->schedulers;
        return out->resource && units % core->schedulers == 0 ? units : 0;
    }
    if (core->turns < 2 || core->places == 0 || !sum || sum->kind >= core->n_kinds)
        return 0;
    out->resource = resource_of_sums(core, sum->kind);
    if (out->resource == 0)
        return 0;
    units = (size_t)(1 / am_resources_weight(&core->model, sum->kind, out->resource)->value + 0.5);
    return units == core->turns ? units : 0;
}

size_t am_turns_begins(const struct am_incore *core)
{
    enum { BY_CHANCE = 8 };

    return core->turns > 0 ? core->turns : core->schedulers >= 2 ? BY_CHANCE : 1;
}

bool am_turns_open(const struct am_incore *core, enum am_arch arch, size_t first,
                   struct am_arena *arena, struct am_turns *out)
{
    size_t units;

    *out = (struct am_turns){.addressing = core->addressing, .next = first, .places = core->places};
    am_rng_seed(&out->rng, 0, first);
    units = find_units(core, arch, out);
    if (units == 0)
        return true;
    out->until = am_arena_array(arena, units * out->places + 1, sizeof(*out->until));
    return am_units_open(units, arena, &out->units) && out->until;
}

void am_turns_fill(struct am_turns *turns)
{
    for (size_t i = 0; i < turns->units.n * turns->places; i++) {
        turns->until[i] = (double)(i % turns->places);
        (void)am_units_take(&turns->units, i / turns->places, i % turns->places);
    }
}

/* Whether a line is one operation of any unit. Where the parts of others go is not known: they take
 * of the resource. */
static bool is_bound(const struct am_turns *t, const struct am_predicted_line *line)
{
    static const double most = 1.5;
    const double n = t->units.n ? line->use[t->resource] * (double)t->units.n : 0;

    return n > most - 1 && n < most;
}

size_t am_turns_resource(const struct am_turns *turns, const struct am_predicted_line *line)
{
    return is_bound(turns, line) ? turns->resource : 0;
}

/* The place of a unit that is free first. */
static size_t first_place(const struct am_turns *t, size_t unit)
{
    size_t first = unit * t->places;

    for (size_t i = first; i < (unit + 1) * t->places; i++)
        first = t->until[i] < t->until[first] ? i : first;
    return first;
}

double am_turns_enter(struct am_turns *turns, const struct am_predicted_line *line, double at)
{
    size_t best = SIZE_MAX;

    if (turns->schedulers) {
        turns->scheduler = is_bound(turns, line) ? am_rng_below(&turns->rng, turns->schedulers) : 0;
        return at;
    }
    for (size_t i = 0; is_bound(turns, line) && i < turns->units.n; i++) {
        const size_t unit = (turns->next + i) % turns->units.n;
        const size_t place = first_place(turns, unit);

        if ((!line->insn->loads || unit < turns->addressing) &&
            (best == SIZE_MAX ||
             (turns->until[best] > at && turns->until[place] < turns->until[best])))
            best = place;
    }
    if (best == SIZE_MAX)
        return at;
    turns->place = best;
    turns->next = best / turns->places + 1;
    return fmax(at, turns->until[best]);
}

double am_turns_begin(struct am_turns *turns, const struct am_predicted_line *line, double at)
{
    const struct am_units *const units = &turns->units;

    if (is_bound(turns, line) && turns->schedulers) {
        const size_t n = units->n / turns->schedulers;

        at = fmax(at, (double)am_units_take_any(units, turns->scheduler * n, n, (uint64_t)at));
    } else if (is_bound(turns, line)) {
        at = fmax(at, (double)am_units_take(units, turns->place / turns->places, (uint64_t)at));
        turns->until[turns->place] = at;
    }
    return at;
}
