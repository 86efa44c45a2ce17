/* SPDX-License-Identifier: MIT */
/* What visits of points took on machines where they were measured before, so that a plan knows how
 * long it will be.
 *
 * A text with one line per point: machine, settings of the sampler, bench with its version, the
 * point, seconds of a visit. After a run its points are learned; before the next one a plan is told
 * what is known of its points, and for a new point the mean of its bench. A cost is only ever a
 * guess: lines that cannot be read are passed over, and a wrong one makes a plan shorter or longer,
 * never a result wrong. Files are the command line's (cli/run/cost_file.h). */
#ifndef AM_CONDUCTOR_COSTS_H
#define AM_CONDUCTOR_COSTS_H

#include "base/arena.h"
#include "base/text.h"
#include "core/bench/plan.h"

enum {
    AM_COSTS_MAX = 8192,         /* entries of a text */
    AM_COSTS_BYTES_MAX = 4 << 20 /* of a text */
};

struct am_cost {
    const char *machine, *settings, *bench, *point;
    unsigned version; /* of the bench */
    double seconds;
};

/* Zero-initialise but for the arena, which holds everything. */
struct am_costs {
    struct am_arena *arena;
    struct am_cost *items; /* sorted by all but seconds */
    size_t n, cap;
};

/* Adds the entries of a text; returns how many lines were passed over. */
size_t am_costs_parse(struct am_costs *costs, const char *text, size_t len);
void am_costs_write(const struct am_costs *costs, struct am_text *out);

/* Tells the plan's points what is known of them (expect_s); returns how many are known by
 * themselves, not only by their bench. */
size_t am_costs_apply(const struct am_costs *costs, const char *machine, struct am_plan *plan);

/* Takes over what the plan's points took. A cost that was known counts as much as the new one.
 * Where there is no room, what is known of other machines is forgotten. */
void am_costs_learn(struct am_costs *costs, const char *machine, const struct am_plan *plan);

#endif
