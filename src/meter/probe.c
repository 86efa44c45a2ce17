/* SPDX-License-Identifier: MIT */
/* A look at the counters before they are trusted: how often they change, and whether two are one.
 */
#include "meter/meter.h"

#include "meter/window.h"

#include <stdlib.h>

enum { LOOKS = 200 };

static const uint64_t between_looks_ns = 500 * UINT64_C(1000);

/* All looks at one meter; `n` stays behind when a reading failed. */
struct looks {
    struct am_reading items[LOOKS];
    size_t n;
};

static bool is_quick_counter(const struct am_meter *m)
{
    return am_meter_counts(m) && m->kind == AM_METER_COUNTER && !m->slow;
}

static void look(struct am_meters *meters, struct looks *all)
{
    for (size_t round = 0; round < LOOKS; round++) {
        for (size_t i = 0; i < meters->n; i++) {
            const struct am_meter *const m = &meters->items[i];
            struct looks *const l = &all[i];

            if (is_quick_counter(m) && l->n == round &&
                am_meters_read(meters, m, &l->items[l->n], NULL) == AM_OK)
                l->n++;
        }
        am_meters_rest(meters, between_looks_ns);
    }
}

static struct am_readings readings(const struct looks *l)
{
    return (struct am_readings){l->items, l->n};
}

/* Dies of one package may show the package's counter each: 68 + 68 W were reported as 137. */
static void find_mirrors(struct am_meters *meters, const struct looks *all)
{
    for (size_t i = 0; i < meters->n; i++) {
        struct am_meter *const m = &meters->items[i];
        const struct am_readings a = readings(&all[i]);

        for (size_t k = 0; is_quick_counter(m) && k < i; k++) {
            const struct am_meter *const earlier = &meters->items[k];
            const struct am_readings b = readings(&all[k]);

            if (is_quick_counter(earlier) && earlier->scope == m->scope &&
                am_meter_mirrors(m, &a, &b))
                m->same_as = (int)k;
        }
    }
}

void am_meters_probe(struct am_meters *meters)
{
    struct looks *const all = meters->n ? calloc(meters->n, sizeof(*all)) : NULL;

    if (!all)
        return;
    look(meters, all);
    for (size_t i = 0; i < meters->n; i++) {
        const struct am_readings r = readings(&all[i]);
        const uint64_t period =
            is_quick_counter(&meters->items[i]) ? am_meter_period(&meters->items[i], &r) : 0;

        if (period)
            meters->items[i].period_ns = period;
    }
    find_mirrors(meters, all);
    free(all);
}
