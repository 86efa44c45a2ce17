/* SPDX-License-Identifier: MIT */
/* Which meters are added up: all packages, all memories, all GPUs; others stand alone. */
#include "conductor/energy_groups.h"

#include <math.h>
#include <string.h>

const struct am_energy_group *am_energy_group_find(const struct am_energy_rig *rig,
                                                   const char *name)
{
    for (size_t i = 0; i < rig->n_groups; i++) {
        if (strcmp(rig->groups[i].name, name) == 0)
            return &rig->groups[i];
    }
    return NULL;
}

/* The group of a name, which is made where it is missing; NULL: there are too many. */
static struct am_energy_group *group_for(struct am_energy_rig *rig, const char *name)
{
    const struct am_energy_group *const found = am_energy_group_find(rig, name);

    if (found)
        return &rig->groups[found - rig->groups];
    if (rig->n_groups == AM_ENERGY_GROUPS_MAX)
        return NULL;
    rig->groups[rig->n_groups] = (struct am_energy_group){.name = name, .idle_w = NAN};
    return &rig->groups[rig->n_groups++];
}

bool am_energy_is_second_way(const struct am_energy_rig *rig, const struct am_meter *m)
{
    return m->parent >= 0 && rig->meters.items[m->parent].scope == m->scope &&
           am_meter_counts(&rig->meters.items[m->parent]);
}

/* Rails of a board are not parts of one whole; the same energy read another way is no second one.
 */
static bool stands_alone(const struct am_energy_rig *rig, const struct am_meter *m)
{
    return m->scope == AM_SCOPE_RAIL || am_energy_is_second_way(rig, m);
}

/* Wholes are worth most, then their parts, then what stands alone: room for metrics is scarce. */
enum worth { WORTH_WHOLE, WORTH_PART, WORTH_ALONE, WORTH_COUNT };

static enum worth worth_of(const struct am_energy_rig *rig, const struct am_meter *m)
{
    if (stands_alone(rig, m))
        return WORTH_ALONE;
    return m->scope == AM_SCOPE_CORE || m->scope == AM_SCOPE_UNCORE ? WORTH_PART : WORTH_WHOLE;
}

static void add_to_group(struct am_energy_rig *rig, size_t meter)
{
    const struct am_meter *const m = &rig->meters.items[meter];
    struct am_energy_group *const g =
        group_for(rig, stands_alone(rig, m) ? m->id : am_scope_name(m->scope));

    if (g)
        g->members[g->n++] = meter;
    else
        rig->groups_lost++;
}

void am_energy_groups_make(struct am_energy_rig *rig)
{
    for (unsigned worth = 0; worth < WORTH_COUNT; worth++) {
        for (size_t i = 0; i < rig->meters.n; i++) {
            const struct am_meter *const m = &rig->meters.items[i];

            if (am_meter_counts(m) && worth_of(rig, m) == worth)
                add_to_group(rig, i);
        }
    }
}

double am_energy_group_watts(const struct am_energy_group *g, const struct am_energy *energies)
{
    double watts = 0;

    for (size_t i = 0; i < g->n; i++)
        watts += energies[g->members[i]].valid ? energies[g->members[i]].watts : NAN;
    return watts;
}
