/* SPDX-License-Identifier: MIT */
/* The inside of a rig, for the files that make it: its meters, and which of them are added up. */
#ifndef AM_CONDUCTOR_ENERGY_GROUPS_H
#define AM_CONDUCTOR_ENERGY_GROUPS_H

#include "conductor/energy.h"
#include "meter/sampler.h"

enum { AM_ENERGY_GROUPS_MAX = 24 };

/* Meters whose energies may be added: all packages, all memories, all GPUs. */
struct am_energy_group {
    const char *name; /* the scope's, or the meter's id where it stands alone */
    size_t members[AM_METERS_MAX];
    size_t n;
    double idle_w; /* NAN until measured */
};

struct am_energy_rig {
    struct am_energy_options options;
    struct am_meters meters;
    struct am_meter_sampler *sampler;
    struct am_energy_group groups[AM_ENERGY_GROUPS_MAX];
    size_t n_groups, groups_lost; /* beyond AM_ENERGY_GROUPS_MAX */
    struct am_energy scratch[AM_METERS_MAX];
};

/* Sorts the meters that count into groups: wholes first, then their parts, then what stands alone.
 */
void am_energy_groups_make(struct am_energy_rig *rig);
/* The group of a name; NULL: there is none. */
const struct am_energy_group *am_energy_group_find(const struct am_energy_rig *rig,
                                                   const char *name);
/* NAN when one member's window is not valid: a sum of some would be a wrong number. */
double am_energy_group_watts(const struct am_energy_group *group, const struct am_energy *energies);
/* Whether the meter shows the same energy as its parent in another way, as the power of a GPU
 * beside its energy counter. */
bool am_energy_is_second_way(const struct am_energy_rig *rig, const struct am_meter *meter);

#endif
