/* SPDX-License-Identifier: MIT */
/* A plan: which points of which benches are measured, how often, how long.
 *
 * Made once, from the catalogue's benches, a profile and the user's -p: each axis of a bench gets
 * its values, and the points are all combinations of them. Names of the machine (cpus, l2, memory)
 * are replaced by its numbers here, so that a stored plan holds numbers only. After that a plan is
 * data: the store writes its points and gives them ids, the conductor visits them. */
#ifndef AM_CORE_PLAN_H
#define AM_CORE_PLAN_H

#include "base/arena.h"
#include "core/bench/bench.h"
#include "core/bench/place.h"
#include "core/measure/sampler.h"

#include <stdbool.h>
#include <stdint.h>

enum { AM_PLAN_POINTS_MAX = 1000000, AM_POINT_TEXT_MAX = 1024 };

/* Ranks by worth: smaller ones are measured sooner when time is short. */
enum {
    AM_WORTH_HEADLINES = 100, /* ranks below belong to lines of the first screen */
    AM_WORTH_LAST = 900,      /* of what nobody ranked */
};

enum am_profile { AM_PROFILE_QUICK, AM_PROFILE_STANDARD, AM_PROFILE_THOROUGH, AM_PROFILE_COUNT };

/* Everything that decides how points are measured; stored with the run, read back by resume. */
struct am_plan_settings {
    enum am_profile profile;
    uint64_t seed; /* of the interleaving and of the launches */
    unsigned min_launches, max_launches;
    double target;         /* relative half-width of the interval at which a point is done */
    double budget_s;       /* 0: none */
    double launch_limit_s; /* a worker that takes longer is killed */
    unsigned repeats;      /* disturbed launches of a point that are repeated at most */
    unsigned interleave;   /* launches of a point in a row before the next one's turn; 0 means 1 */
    struct am_sampler_settings sampler;
};

/* The profile's settings; seed is left 0. */
struct am_plan_settings am_profile_settings(enum am_profile profile);
const char *am_profile_name(enum am_profile profile);
/* AM_PROFILE_COUNT when unknown. */
enum am_profile am_profile_find(const char *name);

/* A value the user gave: -p axis=values. */
struct am_param {
    const char *axis;
    const char *values;
    bool used; /* set when some bench of the plan has the axis */
};

struct am_point {
    const struct am_bench *bench;  /* descriptor as listed by its worker */
    const struct am_value *values; /* indexed as bench->axes */
    int64_t id;                    /* of the store, 0 before it is stored */
    double start_s;  /* of a visit, beside its batches, on a common machine; 0: as of any bench */
    double expect_s; /* of a visit, as it was here before; 0: by start_s and the settings */
    double took_s;   /* as measured in this run; 0: not yet */
    unsigned worth;  /* rank; 0, as everywhere in a plan without ranks, is the first */
    unsigned least, most; /* launches, in place of those of the settings; 0: as these say */
    bool needed; /* something is concluded from it: however much it scatters, it is measured on */
    size_t twin; /* index + 1 of the point to be launched beside it: the other side's; 0: none */
};

struct am_plan {
    struct am_plan_settings settings;
    const struct am_places *places; /* of the machine; NULL: nothing is known of them */
    struct am_point *points;
    size_t n, cap;
    bool drawn; /* some benches have pairs of CPUs that were drawn: more of them may be wanted */
};

/* Appends the product of the bench's axis values (the profile's defaults, overridden by params).
 * Axes vary from the last (fastest) to the first; numbers rise, names stay as given. Values that
 * another worker's descriptor of the same bench measures are left to that one.
 *
 * Where the bench has the axis `on` and the plan knows places, symbols are those of the point's
 * place and threads. Numbers of threads that a part of the machine cannot take are left out when
 * the profile named them, and planned (to be skipped with the reason) when the user did.
 *
 * Where the axes `from` and `to` both have one of am_pairings for their values, these are the pairs
 * that the places draw by the plan's seed; without places every n-th CPU of both. */
enum am_status am_plan_add(struct am_plan *plan, const struct am_bench *bench,
                           struct am_param *params, size_t n_params,
                           const struct am_symbol *symbols, struct am_arena *arena,
                           struct am_err *err);

/* "size=4096 pattern=random": canonical, in axis order; identifies the point within its bench. */
void am_point_text(const struct am_point *point, char *buf, size_t cap);

/* What the point wants in its worker's environment: calls `fn` for each axis that has a variable;
 * `value` NULL: it must not be set. */
typedef void am_env_fn(void *self, const char *variable, const char *value);
void am_point_environment(const struct am_point *point, am_env_fn *fn, void *self);
/* Whether two points, of one bench or of two, want the same environment. */
bool am_point_same_environment(const struct am_point *a, const struct am_point *b);

/* Where the point's threads stand: the value of the axis `on`, AM_PLACE_WHOLE without one. */
const char *am_point_place(const struct am_point *point);
/* Launches of the point, at least and at most. */
unsigned am_point_least(const struct am_plan *plan, const struct am_point *point);
unsigned am_point_most(const struct am_plan *plan, const struct am_point *point);
/* CPUs the point asks for: the value of the axis `threads`, else 1. */
size_t am_point_threads(const struct am_point *point);

#endif
