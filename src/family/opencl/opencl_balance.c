/* SPDX-License-Identifier: MIT */
/* Memory against arithmetic of a device (ocl.intensity): the ridge of its roofline as one kernel
 * meets it, and what is reached there.
 *
 * A curve of flop/s over the operations per byte climbs with memory's rate and is flat where
 * arithmetic is the limit. Both ends must have been seen, or there is no ridge to tell of. */
#include "family/opencl/opencl.h"

#include <math.h>

enum { CURVE_MIN = 4 };

/* The ends of the curve climb with the operations per byte, or not at all, to this part. */
static const double straight = 0.1;
/* Flop per byte of one fused multiply-add per element. */
static const double per_fma = 2.0 / 16;

static double rate_at(const struct am_picks *curve, size_t i)
{
    return curve->items[i].metric->summary.median;
}

/* Whether memory alone bounds the first two places, and arithmetic alone the last two. */
static bool shows_both_ends(const struct am_picks *curve)
{
    const size_t last = curve->n - 1;
    const double steps = curve->items[1].x / curve->items[0].x;
    const double climb = rate_at(curve, 1) / rate_at(curve, 0) / steps;
    const double flat = rate_at(curve, last) / rate_at(curve, last - 1);

    return fabs(climb - 1) <= straight && fabs(flat - 1) <= straight;
}

/* The place at which most bytes are moved per second. */
static const struct am_pick *fastest_bytes(const struct am_picks *curve)
{
    const struct am_pick *best = &curve->items[0];

    for (size_t i = 1; i < curve->n; i++) {
        const struct am_pick *const p = &curve->items[i];

        if (p->metric->summary.median / p->x > best->metric->summary.median / best->x)
            best = p;
    }
    return best;
}

static void offer_ridge(const struct am_deriving *d, const struct am_pick *peak,
                        const struct am_pick *memory)
{
    struct am_fact fact = am_fact_of_ratio(peak, memory, d->arena);

    am_fact_scale(&fact, memory->x * per_fma);
    fact.name = "ridge";
    fact.what = "operations per byte from which on arithmetic is the limit";
    fact.unit = "flop/B";
    am_fact_label_axes(&fact, peak->result, "device,type");
    am_facts_offer(d->facts, fact);
}

/* What the place that is farthest below both of its limits reaches of the lower one. */
static void offer_corner(const struct am_deriving *d, const struct am_picks *curve,
                         const struct am_pick *peak, const struct am_pick *memory)
{
    struct am_fact least = {.value = INFINITY};

    for (size_t i = 0; i < curve->n; i++) {
        const struct am_pick *const p = &curve->items[i];
        const double climbs = p->x / memory->x; /* as memory would allow */
        const bool flat = climbs * memory->metric->summary.median > peak->metric->summary.median;
        struct am_fact share = am_fact_of_ratio(p, flat ? peak : memory, d->arena);

        if (!flat)
            am_fact_scale(&share, 1 / climbs);
        if (share.value < least.value)
            least = share;
    }
    least.name = "ridge_share";
    least.what = "least part of its roofline that a kernel reaches, near the ridge";
    am_fact_label_axes(&least, peak->result, "device,type");
    am_facts_offer(d->facts, least);
}

void am_opencl_derive_ridge(const struct am_deriving *d)
{
    const struct am_selector all = {"ocl.intensity", "size=0", "flops"};
    const struct am_picks picks = am_select(d->set, &all, d->arena);
    const struct am_groups kinds = am_picks_group(&picks, "device,type");

    for (size_t i = 0; i < kinds.n; i++) {
        const struct am_picks curve = am_picks_curve(&kinds.items[i].picks, "fmas", NULL);
        const struct am_pick *const peak = am_picks_best(&curve);

        if (curve.n < CURVE_MIN)
            continue;
        if (!shows_both_ends(&curve)) {
            am_facts_remark(d->facts,
                            "opencl.ridge of %s %s: from %.3g to %.3g flop/B, either end is not "
                            "bounded by memory alone or by arithmetic alone",
                            am_result_text(peak->result, "device"),
                            am_result_text(peak->result, "type"), curve.items[0].x * per_fma,
                            curve.items[curve.n - 1].x * per_fma);
            continue;
        }
        offer_ridge(d, peak, fastest_bytes(&curve));
        offer_corner(d, &curve, peak, fastest_bytes(&curve));
    }
}
