/* SPDX-License-Identifier: MIT */
/* Ports of a core: classes placed one by one, then anew; the outcome as resources. */
#include "fit/ports.h"

#include "fit/ports_search.h"

#include <math.h>
#include <string.h>

enum {
    SWEEPS = 4,
    CLIMBS = 4,
    SOME = 7,      /* every so many mixes show what is far off */
    SLOTS_MAX = 6, /* of an instruction */
    RESOURCES_MAX = 40,
};
/* Mixes that a set must bound to be a resource. */
static const size_t bounded_least = 2;

struct best {
    const struct am_portsets_search *s;
    double cost, some; /* by all mixes, and by some of them */
    struct am_portsets_use use;
};

static void try_use(void *self, const struct am_portsets_use *use)
{
    struct best *const b = self;
    const double some = am_portsets_search_cost(b->s, use, SOME, 1.5 * b->some + 0.01);
    double cost;

    if (isinf(some))
        return; /* far worse by every few mixes: no need to look at all */
    cost = am_portsets_search_cost(b->s, use, 1, b->cost);
    if (cost < b->cost)
        *b = (struct best){b->s, cost, some, *use};
}

/* With fewer or more slots of the front end. */
static void try_slots(struct best *b)
{
    struct am_portsets_use use = b->use;

    for (int slots = 1; use.n > 0 && slots <= SLOTS_MAX; slots++) {
        use.slots = slots;
        try_use(b, &use);
    }
}

static unsigned highest(const struct am_portsets_use *use)
{
    unsigned most = 0;

    for (unsigned p = 0; p < use->n; p++) {
        while (use->parts[p].set >> most)
            most++;
    }
    return most;
}

/* Looks around the best use's sets while that finds better ones. */
static void climb(struct best *b)
{
    for (int i = 0; i < CLIMBS; i++) {
        const struct am_portsets_use from = b->use;
        const double before = b->cost;

        for (unsigned p = 0; p < from.n; p++)
            am_portsets_search_near(b->s, from.parts[p].set, try_use, b);
        if (!(b->cost < before))
            return;
    }
}

/* What a class has of which nothing takes as long alone: a unit of its own, or so many slots of the
 * front end where there is no further port: none of another's units. */
static struct am_portsets_use of_its_own(const struct am_portsets_search *s, size_t kind)
{
    const double alone = s->input->alone[kind];

    if (s->used == AM_PORTSETS_MAX)
        return (struct am_portsets_use){.slots = fmax(floor(alone / s->model.slot + 0.5), 1)};
    return (struct am_portsets_use){.n = 1, .slots = 1, .parts = {{UINT32_C(1) << s->used, alone}}};
}

/* Returns whether its use has changed. */
static bool place(struct am_portsets_search *s, size_t kind, enum am_portsets_breadth breadth)
{
    const struct am_portsets_use before = s->model.uses[kind];
    struct best best = {.s = s, .cost = INFINITY, .some = INFINITY};

    am_portsets_search_hold(s, kind);
    if (s->placed[kind])
        try_use(&best, &before);
    am_portsets_search_uses(s, breadth, try_use, &best);
    if (isinf(best.cost))
        best.use = of_its_own(s, kind);
    climb(&best);
    try_slots(&best);
    s->model.uses[kind] = best.use;
    s->placed[kind] = true;
    s->used = highest(&best.use) > s->used ? highest(&best.use) : s->used;
    return memcmp(&before, &best.use, sizeof(before)) != 0;
}

static double mean_loss(struct am_portsets_search *s)
{
    double sum = 0;

    for (size_t c = 0; c < s->model.kinds; c++) {
        am_portsets_search_hold(s, c);
        sum += am_portsets_search_cost(s, &s->model.uses[c], 1, INFINITY);
    }
    return sum / (double)s->model.kinds;
}

/* Classes that stand in a mix with one that has just moved. */
static void mark_beside(const struct am_portsets_search *s, size_t kind, bool *open)
{
    for (size_t i = s->first[kind]; i < s->first[kind + 1]; i++) {
        const struct am_resources_mix *const mix = &s->input->mixes[s->where[i]];

        for (size_t k = 0; k < mix->n; k++)
            open[mix->uses[k].kind] = true;
    }
}

/* How far a class that has a use looks for another: those that tell most of the others, and those
 * whose ports may be their own, further. */
static enum am_portsets_breadth breadth_of(const struct am_portsets_search *s, size_t kind)
{
    return kind < AM_PORTSETS_TELLING || (s->input->wide && s->input->wide[kind])
               ? AM_PORTSETS_NEAR
               : AM_PORTSETS_IN_USE;
}

/* Classes without a mix cannot be placed. */
static bool is_free(const struct am_portsets_search *s, size_t kind)
{
    return kind != s->input->slot && s->first[kind + 1] > s->first[kind];
}

/* Places anew what stands beside something that has moved, until nothing moves. */
static void settle(struct am_portsets_search *s, bool *open)
{
    bool moved = true;

    for (size_t c = 0; c < s->model.kinds; c++)
        open[c] = true;
    for (int i = 0; moved && i < SWEEPS; i++) {
        moved = false;
        for (size_t c = 0; c < s->model.kinds; c++) {
            if (!open[c] || !is_free(s, c))
                continue;
            open[c] = false;
            if (place(s, c, breadth_of(s, c))) {
                mark_beside(s, c, open);
                open[c] = false;
                moved = true;
            }
        }
    }
}

/* Takes over what is known, but for what takes as long alone no more. */
static void begin_from(struct am_portsets_search *s, const struct am_portsets_model *from)
{
    for (size_t c = 0; c < s->model.kinds; c++) {
        const struct am_portsets_use *const use = &from->uses[c];

        if (!(use->slots > 0) || (is_free(s, c) && !am_portsets_search_fits_alone(s, c, use)))
            continue;
        s->model.uses[c] = *use;
        s->placed[c] = true;
        s->used = highest(use) > s->used ? highest(use) : s->used;
    }
}

bool am_portsets_fit_from(const struct am_resources_input *input,
                          const struct am_portsets_model *from, struct am_arena *arena,
                          struct am_portsets_model *out)
{
    bool *const marks = am_arena_array(arena, input->kinds, sizeof(*marks));
    struct am_portsets_search s;

    if (input->n == 0 || input->kinds == 0 || !marks || !am_portsets_search_init(&s, input, arena))
        return false;
    if (from)
        begin_from(&s, from);
    s.model.uses[input->slot] = (struct am_portsets_use){.slots = 1};
    s.placed[input->slot] = true;
    for (size_t c = 0; c < input->kinds; c++) {
        if (!s.placed[c] && is_free(&s, c))
            (void)place(&s, c,
                        !from && c < AM_PORTSETS_TELLING ? AM_PORTSETS_ALL : breadth_of(&s, c));
    }
    settle(&s, marks);
    s.model.loss = mean_loss(&s);
    am_portsets_exchange(&s, marks);
    s.model.movable = marks;
    *out = s.model;
    return true;
}

bool am_portsets_fit(const struct am_resources_input *input, struct am_arena *arena,
                     struct am_portsets_model *out)
{
    return am_portsets_fit_from(input, NULL, arena, out);
}

/* ---- as resources ---- */

struct bounds {
    uint32_t sets[RESOURCES_MAX];
    size_t mixes[RESOURCES_MAX];
    size_t n;
};

static void note_bound(struct bounds *b, uint32_t set)
{
    size_t i = 0;

    while (i < b->n && b->sets[i] != set)
        i++;
    if (i == RESOURCES_MAX)
        return;
    b->sets[i] = set;
    b->mixes[i]++;
    b->n += i == b->n;
}

/* Drops sets that bound next to nothing. */
static void keep_frequent(struct bounds *b)
{
    size_t n = 0;

    for (size_t i = 0; i < b->n; i++) {
        if (b->mixes[i] >= bounded_least)
            b->sets[n++] = b->sets[i];
    }
    b->n = n;
}

static double weight_of(const struct am_portsets_use *use, uint32_t set)
{
    double mass = 0;

    for (unsigned p = 0; p < use->n; p++)
        mass += (use->parts[p].set & ~set) == 0 ? use->parts[p].mass : 0;
    return mass / __builtin_popcount(set);
}

size_t am_portsets_columns(const struct am_resources_input *input,
                           const struct am_portsets_model *ports, struct am_arena *arena,
                           double **w_p)
{
    struct bounds b = {.n = 0};
    size_t resources;
    double *w;

    for (size_t i = 0; i < input->n; i++) {
        uint32_t set;

        (void)am_portsets_cycles(ports, input->mixes[i].uses, input->mixes[i].n, &set);
        if (set)
            note_bound(&b, set);
    }
    keep_frequent(&b);
    resources = b.n + 1;
    w = am_arena_array(arena, input->kinds * resources, sizeof(*w));
    for (size_t c = 0; w && c < input->kinds; c++) {
        w[c * resources] = ports->slot * ports->uses[c].slots;
        for (size_t r = 1; r < resources; r++)
            w[c * resources + r] = weight_of(&ports->uses[c], b.sets[r - 1]);
    }
    *w_p = w;
    return w ? resources : 0;
}
