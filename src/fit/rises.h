/* SPDX-License-Identifier: MIT */
/* Inside the fit of hierarchies only: launches centred per size, and fitted steps grouped into
 * rises and named. */
#ifndef AM_FIT_RISES_H
#define AM_FIT_RISES_H

#include "core/stats/stats.h"
#include "fit/hierarchy.h"

/* Sizes by rising x, all logarithms. */
struct am_rises_input {
    double *x, *y, *sigma;
    double *spread;  /* of launches: 1.48 MAD; NAN with fewer than two */
    double **values; /* log of each launch, sorted */
    size_t *launches;
    size_t n;
    double pool, quiet; /* typical standard deviation, typical spread */
    double ns_per_unit;
    const struct am_hierarchy_point *local;
    size_t n_local;
    const struct am_steps *local_fit; /* of page-local order; NULL: too few sizes for one */
};

/* False when fewer than three sizes have values, or memory is refused. */
bool am_rises_centre(const struct am_hierarchy_input *input, struct am_arena *arena,
                     struct am_rises_input *out);

enum am_rise_kind { AM_RISE_LEVEL, AM_RISE_CREEP, AM_RISE_DOUBTFUL };

struct am_rise {
    enum am_rise_kind kind;
    double before, after; /* values, not logarithms */
    double first, last;   /* log places of its steps */
    size_t steps;
    double quarter;  /* log size at which a quarter of it is done */
    double capacity; /* log place of its highest step */
    double ways;     /* of that step */
    double height;   /* of that step */
    double clear;    /* log place of its first step that alone would be more than creep */
    bool two_levels; /* steps that would be a level each were merged */
    bool may_hide, hardly_parts;
    bool explained; /* creep for a reason of its own: beyond memory, or not there page by page */
};

struct am_rises {
    struct am_rise items[AM_STEPS_MAX];
    size_t n;
};

void am_rises_of(const struct am_steps *fit, const struct am_rises_input *in, struct am_rises *out);
size_t am_rises_levels(const struct am_rises *rises);
bool am_rises_doubtful(const struct am_rises *rises);
/* Whether a rise is made of two steps that would be a level each. */
bool am_rises_odd(const struct am_rises *rises);

/* Whether page-local order was fitted and has no step near this place. */
bool am_rises_is_translation(const struct am_rises_input *in, double at);
/* Whether launches disagree about sizes near here far more than elsewhere. */
bool am_rises_varies(const struct am_rises_input *in, double at);
/* Widens [lo, hi] to the sizes at which some launches hold and some do not; false where that range
 * is no wider than 1.3. */
bool am_rises_share(const struct am_rises_input *in, const struct am_rise *r, double from,
                    double *lo, double *hi);

#endif
