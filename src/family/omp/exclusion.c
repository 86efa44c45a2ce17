/* SPDX-License-Identifier: MIT */
/* What critical sections and locks cost a program.
 *
 * An entry costs next to nothing where nobody else wants it, and where many do, the time of those
 * before it: that depends on the work inside and between entries, on who is let in next, and on
 * where the line of the lock lies. No bench has the program's own mixture, and counting changes it:
 * threads that count between two entries ask later, and hold longer. So the program as it is says
 * it. What its regions take beyond their threads' mean work is lost to something; what other
 * constructs and uneven work explain of that is taken off, and entries have the rest, divided among
 * places as waiting was while it was counted. It is not more than was waited while counting, and
 * where the rest leaves room for it not less than entries cost which nobody else wants. */
#include "family/omp/cost.h"

#include <math.h>
#include <string.h>

bool am_omp_cost_excludes(const struct am_omp_spent *s)
{
    return strcmp(s->construct, "critical") == 0 || strcmp(s->construct, "lock") == 0;
}

static struct am_omp_price exactly(double value)
{
    return (struct am_omp_price){.value = value, .lo = value, .hi = value, .known = true};
}

/* Beyond the mean work of regions, less what the rest explains. */
static struct am_omp_price left_for_entries(const struct am_omp_cost *c)
{
    struct am_omp_price left = am_omp_price_less(c->beyond, exactly(c->uneven_s));

    for (size_t i = 0; i < c->n; i++) {
        if (!am_omp_cost_excludes(&c->items[i]) && c->items[i].lost.known)
            left = am_omp_price_less(left, c->items[i].lost);
    }
    return left;
}

static double within(double value, double lo, double hi)
{
    return fmin(fmax(value, lo), hi);
}

/* What was waited, and what the program has left, are surer than any price. */
static struct am_omp_price bounded(struct am_omp_price p, double least, double most)
{
    p.value = within(p.value, least, most);
    p.lo = within(p.lo, least, most);
    p.hi = within(p.hi, least, most);
    return p;
}

/* Entries of all threads that nobody else wants: they are paid side by side. */
static double least_of(const struct am_omp_pricing *pricing, const struct am_omp_spent *s)
{
    const struct am_omp_price alone = am_omp_price_sync(pricing, "lock_uncontended", s->threads);

    return alone.known ? fmax(0, alone.value) * s->calls / s->threads : 0;
}

void am_omp_cost_share_waiting(const struct am_omp_pricing *pricing, struct am_omp_cost *cost)
{
    const struct am_omp_price left = left_for_entries(cost);
    double waited = 0;

    for (size_t i = 0; i < cost->n; i++)
        waited += am_omp_cost_excludes(&cost->items[i]) ? cost->items[i].measured_s : 0;
    for (size_t i = 0; i < cost->n && left.known && waited > 0; i++) {
        struct am_omp_spent *const s = &cost->items[i];

        if (!am_omp_cost_excludes(s))
            continue;
        s->lost = bounded(am_omp_price_times(left, s->measured_s / waited), least_of(pricing, s),
                          fmin(s->measured_s, fmax(0, left.hi)));
        s->each = am_omp_price_times(s->lost, 1 / s->calls);
        s->why_not = NULL;
    }
}
