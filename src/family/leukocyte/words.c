/* SPDX-License-Identifier: MIT */
/* Numbers of the analysis of app.leukocyte as words. */
#include "family/leukocyte/leukocyte.h"

#include <math.h>

/* Never NULL, whatever memory says. */
static const char *or_nothing(const char *text)
{
    return text ? text : "";
}

const char *am_leukocyte_time(double seconds, struct am_arena *arena)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
    size_t i = 0;

    while (i + 1 < sizeof(units) / sizeof(units[0]) && seconds < units[i].unit)
        i++;
    return or_nothing(am_arena_printf(arena, "%.3g %s", seconds / units[i].unit, units[i].name));
}

const char *am_leukocyte_bytes(double bytes, struct am_arena *arena)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB"};
    size_t i = 0;

    while (i + 1 < sizeof(names) / sizeof(names[0]) && bytes >= 1024) {
        bytes /= 1024;
        i++;
    }
    return or_nothing(am_arena_printf(arena, "%.*f %s", bytes < 100 && i ? 1 : 0, bytes, names[i]));
}

const char *am_leukocyte_size(const struct am_fact *f, struct am_arena *arena)
{
    return or_nothing(
        am_arena_printf(arena, "%s (%s to %s, grade %s)", am_leukocyte_bytes(f->value, arena),
                        am_leukocyte_bytes(f->ci.lo, arena), am_leukocyte_bytes(f->ci.hi, arena),
                        am_grade_names[f->grading.grade]));
}

const char *am_leukocyte_gain(const struct am_fact *f, struct am_arena *arena)
{
    return or_nothing(am_arena_printf(arena, "%.3g x (%.3g to %.3g, grade %s)", f->value, f->ci.lo,
                                      f->ci.hi, am_grade_names[f->grading.grade]));
}
