/* SPDX-License-Identifier: MIT */
/* Which classes could go to other ports without the mixes being explained worse. */
#include "fit/ports_search.h"

#include <math.h>
#include <string.h>

/* The sum of the losses of n mixes scatters by sqrt(n) of their deviations: within so many times
 * that another use explains them as well. */
static const double within = 2;

/* Ports that all other classes use alike: what is done with one of them can be done with another.
 */
struct alike {
    uint32_t groups[AM_PORTSETS_MAX];
    size_t n;
};

static bool is_alike(const struct am_portsets_search *s, unsigned a, unsigned b)
{
    for (size_t c = 0; c < s->model.kinds; c++) {
        const struct am_portsets_use *const use = &s->model.uses[c];

        for (unsigned p = 0; c != s->held && p < use->n; p++) {
            if ((use->parts[p].set >> a & 1) != (use->parts[p].set >> b & 1))
                return false;
        }
    }
    return true;
}

static struct alike find_alike(const struct am_portsets_search *s)
{
    struct alike out = {.n = 0};

    for (unsigned port = 0; port < AM_PORTSETS_MAX; port++) {
        size_t g = 0;

        while (g < out.n && !is_alike(s, (unsigned)__builtin_ctz(out.groups[g]), port))
            g++;
        out.n += g == out.n;
        out.groups[g] |= UINT32_C(1) << port;
    }
    return out;
}

/* Whether two sets have as many ports of each group. */
static bool same_counts(const struct alike *alike, unsigned a, unsigned b)
{
    for (size_t g = 0; g < alike->n; g++) {
        if (__builtin_popcount(a & alike->groups[g]) != __builtin_popcount(b & alike->groups[g]))
            return false;
    }
    return true;
}

static bool same_part(const struct alike *alike, const struct am_portsets_part *a,
                      const struct am_portsets_part *b)
{
    return fabs(a->mass - b->mass) < 1e-9 && same_counts(alike, a->set, b->set);
}

/* The same but for the names of ports, which nobody knows. */
static bool is_renaming(const struct alike *alike, const struct am_portsets_use *a,
                        const struct am_portsets_use *b)
{
    if (a->n != b->n)
        return false;
    if (a->n < 2)
        return a->n == 0 || same_part(alike, &a->parts[0], &b->parts[0]);
    return same_counts(alike, a->parts[0].set & a->parts[1].set,
                       b->parts[0].set & b->parts[1].set) &&
           ((same_part(alike, &a->parts[0], &b->parts[0]) &&
             same_part(alike, &a->parts[1], &b->parts[1])) ||
            (same_part(alike, &a->parts[0], &b->parts[1]) &&
             same_part(alike, &a->parts[1], &b->parts[0])));
}

struct comparing {
    const struct am_portsets_search *s;
    const struct am_portsets_use *use;
    struct alike alike;
    double most; /* mean loss up to which a use is as good */
    bool found;
};

static double mass_of(const struct am_portsets_use *use)
{
    double mass = 0;

    for (unsigned p = 0; p < use->n; p++)
        mass += use->parts[p].mass;
    return mass;
}

/* The mean loss up to which a use explains the held class's mixes as well as the one it has. */
static double as_good(const struct am_portsets_search *s, const struct am_portsets_use *use)
{
    const double n = (double)s->n_rests;
    double sum = 0, squares = 0;

    for (size_t i = 0; i < s->n_rests; i++) {
        const double loss = am_portsets_search_loss(s, i, use);

        sum += loss;
        squares += loss * loss;
    }
    return s->n_rests
               ? sum / n + within * sqrt(fmax(squares / n - sum / n * (sum / n), 0) / n) + 1e-9
               : INFINITY;
}

/* Only what is as simple counts: with one operation more nearly everything can be explained. */
static void try_other(void *self, const struct am_portsets_use *use)
{
    struct comparing *const c = self;
    struct am_portsets_use other = *use;

    other.slots = c->use->slots;
    if (c->found || other.n != c->use->n || mass_of(&other) > mass_of(c->use) + 1e-9 ||
        is_renaming(&c->alike, c->use, &other))
        return;
    c->found = am_portsets_search_mean(c->s, &other, c->most) <= c->most;
}

void am_portsets_exchange(struct am_portsets_search *s, bool *movable)
{
    for (size_t kind = 0; kind < s->model.kinds; kind++) {
        const struct am_portsets_use use = s->model.uses[kind];
        struct comparing c = {.s = s, .use = &use};

        movable[kind] = false;
        if (kind == s->input->slot || use.n == 0)
            continue;
        am_portsets_search_hold(s, kind);
        c.alike = find_alike(s);
        c.most = as_good(s, &use);
        am_portsets_search_uses(s, AM_PORTSETS_IN_USE, try_other, &c);
        for (unsigned p = 0; p < use.n; p++)
            am_portsets_search_near(s, use.parts[p].set, try_other, &c);
        movable[kind] = c.found;
    }
}
