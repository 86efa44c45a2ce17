/* SPDX-License-Identifier: MIT */
/* Cycles of units. */
#include "model/block/units.h"

bool am_units_open(size_t n, struct am_arena *arena, struct am_units *out)
{
    *out = (struct am_units){
        .n = n, .taken = am_arena_array(arena, n * AM_UNITS_KEPT, sizeof(*out->taken))};
    for (size_t i = 0; out->taken && i < n * AM_UNITS_KEPT; i++)
        out->taken[i] = UINT64_MAX;
    return out->taken != NULL;
}

uint64_t am_units_take_any(const struct am_units *units, size_t unit, size_t n, uint64_t from)
{
    for (uint64_t cycle = from; cycle < from + AM_UNITS_KEPT; cycle++) {
        for (size_t i = unit; i < unit + n; i++) {
            uint64_t *const taken = &units->taken[i * AM_UNITS_KEPT + cycle % AM_UNITS_KEPT];

            if (*taken != cycle) {
                *taken = cycle;
                return cycle;
            }
        }
    }
    return from + AM_UNITS_KEPT;
}

uint64_t am_units_take(const struct am_units *units, size_t unit, uint64_t from)
{
    return am_units_take_any(units, unit, 1, from);
}
