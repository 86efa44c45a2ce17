/* SPDX-License-Identifier: MIT */
/* Commands that `archmeter time` measured: what of a result is what a person asked for.
 *
 * The worker that starts programs names its benches after tests of an experiment, its axes after
 * their variables (core/spec/commands.h); this is where these names are known above the store. */
#ifndef AM_FAMILY_TIMED_H
#define AM_FAMILY_TIMED_H

#include "base/arena.h"
#include "core/spec/beside.h"
#include "evidence/evidence.h"

#include <stdbool.h>
#include <stddef.h>

struct am_timed {
    const struct am_result *result;
    const char *line; /* as typed with its values; the label of a command that was never started */
    bool by_shell;    /* /bin/sh started it */
    /* NULL: no values. */
    const struct am_result_metric *time, *cpu, *user, *kernel, *memory, *energy, *code;
    struct am_beside beside; /* what ran beside it: nothing, unless that was asked for */
    const struct am_result_metric *taken_rate, *taken_share; /* by it */
    double memory_floor; /* bytes: memory up to this may be the worker's own; 0: not known */
};

struct am_timed_commands {
    struct am_timed *items; /* in the order typed, values of parameters rising */
    size_t n;
    const struct am_result_metric *shell; /* time of `/bin/sh -c :`; NULL: not measured */
};

/* Whether the run is one of `archmeter time`, and whether it takes parts of the machine away. */
bool am_timed_is(const struct am_result_set *set);
bool am_timed_is_sensitivity(const struct am_result_set *set);
/* Its commands; false when memory is refused. */
bool am_timed_of(const struct am_result_set *set, struct am_arena *arena,
                 struct am_timed_commands *out);

#endif
