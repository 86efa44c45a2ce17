/* SPDX-License-Identifier: MIT */
/* Memory of OpenCL devices (ocl.global, ocl.local, ocl.cache, ocl.latency, ocl.scale): the piece
 * that one access moves, banks, caches, and how the device compares with threads of the host. */
#include "family/opencl/opencl.h"
#include "fit/curve.h"

#include <math.h>

enum { WORD_BYTES = 4, CURVE_MIN = 4 };

/* A value reaches the best of its kind when it comes this close. */
static const double near_best = 0.97;
/* The same for times, which scatter more. */
static const double near_time = 1.1;
/* Strides whose price climbs less than this when they double have reached the end of the climb. */
static const double climbs = 1.41;
/* A climb follows the stride at least so closely, or something else is seen. */
static const double follows = 0.5;
/* Bandwidths of neighbouring levels of memory differ by more than this. */
static const double level_ratio = 1.3;
/* Their latencies do so by more than this. */
static const double latency_ratio = 1.2;
/* The widest stride that is looked at. */
static const double stride_max = 1024;

static struct am_groups devices_of(const struct am_deriving *d, const char *bench,
                                   const char *where, const char *metric)
{
    const struct am_picks all =
        am_select(d->set, &(struct am_selector){bench, where, metric}, d->arena);

    return am_picks_group(&all, "device");
}

/* A fact of one device that one point shows best. */
static struct am_fact fact_on(const struct am_pick *pick, const char *name, const char *what,
                              const char *unit)
{
    struct am_fact fact = {.name = name, .what = what, .unit = unit};

    am_fact_rest_on(&fact, pick);
    am_fact_label_axes(&fact, pick->result, "device");
    return fact;
}

/* ---- what one access moves ---- */

/* The narrowest vector that is as fast as any. */
void am_opencl_derive_width(const struct am_deriving *d)
{
    const struct am_groups devices =
        devices_of(d, "ocl.global", "kernel=read stride=1 size=0 width>=1", "bandwidth");

    for (size_t i = 0; i < devices.n; i++) {
        const struct am_pick *const best = am_picks_best(&devices.items[i].picks);
        const struct am_picks widths = am_picks_curve(&devices.items[i].picks, "width", NULL);
        struct am_fact fact =
            fact_on(best, "read_width", "words of a vector that reads at full speed", "");
        size_t k = 0;

        if (widths.n < 2)
            continue;
        while (widths.items[k].metric->summary.median < near_best * best->metric->summary.median)
            k++;
        fact.value = widths.items[k].x;
        fact.ci = (struct am_interval){k ? widths.items[k - 1].x + 1 : 1, fact.value, NAN};
        fact.evidence =
            am_arena_printf(d->arena, "ocl.global stride=1: the narrowest within %.0f %% of %s",
                            100 * (1 - near_best), best->result->text);
        am_facts_offer(d->facts, fact);
    }
}

static const struct am_pick *at(const struct am_picks *strides, double x)
{
    for (size_t i = 0; i < strides->n; i++) {
        if (fabs(strides->items[i].x - x) < 0.5)
            return &strides->items[i];
    }
    return NULL;
}

/* How much dearer an access is at this stride than at stride 1. What interferes only slows: the
 * best samples show the shape. */
static double price(const struct am_picks *strides, const struct am_pick *p)
{
    return at(strides, 1)->metric->summary.max / p->metric->summary.max;
}

/* The next power of two of the stride that was measured, up or down; NULL: none. */
static const struct am_pick *beside(const struct am_picks *strides, const struct am_pick *p,
                                    double factor)
{
    const struct am_pick *next = NULL;
    double x = factor * p->x;

    while (!next && x >= 1 && x <= stride_max) {
        next = at(strides, x);
        x *= factor;
    }
    return next;
}

/* The power of two from which on doubling the stride costs little more; NULL when it is not seen,
 * or there was nothing to climb. */
static const struct am_pick *find_knee(const struct am_picks *strides)
{
    const struct am_pick *p = at(strides, 1);

    while (p) {
        const struct am_pick *const next = beside(strides, p, 2);

        if (!next)
            return NULL;
        if (price(strides, next) < climbs * price(strides, p))
            return p->x > 1 && price(strides, p) >= follows * p->x ? p : NULL;
        p = next;
    }
    return NULL;
}

static void offer_knee(const struct am_deriving *d, const struct am_picks *strides,
                       const char *name, const char *what, const char *unit)
{
    const struct am_pick *const knee = find_knee(strides);
    const double bytes = *unit ? WORD_BYTES : 1;
    const struct am_pick *below;
    struct am_fact fact;

    if (!knee)
        return;
    below = beside(strides, knee, 0.5);
    fact = fact_on(knee, name, what, unit);
    fact.value = knee->x * bytes;
    fact.ci = (struct am_interval){((below ? below->x : 0) + 1) * bytes, fact.value, NAN};
    fact.evidence = am_arena_printf(
        d->arena,
        "%s: an access costs %.3g times that of stride 1 at stride %.0f, and little more at the "
        "next power of two",
        knee->result->bench, price(strides, knee), knee->x);
    am_facts_offer(d->facts, fact);
}

/* Words at growing distance cost more until each of them is in a piece of its own. Of the shapes
 * whose neighbours lie a stride apart, the one that is not held up by something else tells. */
void am_opencl_derive_segment(const struct am_deriving *d)
{
    const struct am_groups devices = devices_of(
        d, "ocl.global", "kernel=read shape=strided,group,single width=1 size=0", "bandwidth");

    for (size_t i = 0; i < devices.n; i++) {
        const struct am_groups shapes = am_picks_group(&devices.items[i].picks, "shape");
        struct am_picks strides = {0};

        for (size_t k = 0; k < shapes.n; k++) {
            const struct am_picks curve = am_picks_curve(&shapes.items[k].picks, "stride", NULL);
            const struct am_pick *const one = at(&curve, 1), *const old = at(&strides, 1);

            if (one && (!old || one->metric->summary.max > old->metric->summary.max))
                strides = curve;
        }
        offer_knee(d, &strides, "segment", "bytes that memory moves for one scattered word", "B");
    }
}

void am_opencl_derive_banks(const struct am_deriving *d)
{
    const struct am_groups devices = devices_of(d, "ocl.local", "kernel=read width=1", "bandwidth");

    for (size_t i = 0; i < devices.n; i++) {
        const struct am_picks strides = am_picks_curve(&devices.items[i].picks, "stride", NULL);

        offer_knee(d, &strides, "banks", "banks of local memory, each a word wide", "");
    }
}

/* At the most elements that work-items took in both orders. */
void am_opencl_derive_order(const struct am_deriving *d)
{
    const struct am_groups devices =
        devices_of(d, "ocl.global", "kernel=read shape=row,column size=0 stride>1", "bandwidth");

    for (size_t i = 0; i < devices.n; i++) {
        const struct am_picks row = am_picks_where(&devices.items[i].picks, "shape=row");
        const struct am_picks column = am_picks_where(&devices.items[i].picks, "shape=column");
        const struct am_picks rows = am_picks_curve(&row, "stride", NULL);
        const struct am_picks columns = am_picks_curve(&column, "stride", NULL);
        size_t k = rows.n;
        struct am_fact fact;

        while (k > 0 && !at(&columns, rows.items[k - 1].x))
            k--;
        if (k == 0)
            continue;
        fact = am_fact_of_ratio(at(&columns, rows.items[k - 1].x), &rows.items[k - 1], d->arena);
        fact.name = "column_over_row";
        fact.what = "columns over rows of a matrix, many elements per work-item";
        am_fact_label_axes(&fact, rows.items[0].result, "device");
        am_facts_offer(d->facts, fact);
    }
}

/* ---- caches ---- */

/* Time of a byte over working set, by the width that is fastest. */
static struct am_curve cache_curve(const struct am_picks *device)
{
    const struct am_pick *const best = am_picks_best(device);
    const struct am_picks same = am_picks_like(device, best->result, "width");
    const struct am_picks sizes = am_picks_curve(&same, "size", NULL);
    struct am_curve curve = {0};

    for (size_t i = 0; i < sizes.n; i++) {
        const struct am_summary *const s = &sizes.items[i].metric->summary;

        (void)am_curve_add(
            &curve, device->arena,
            (struct am_curve_point){sizes.items[i].x, 1 / s->p95, 1 / s->median, 1 / s->p5});
    }
    return curve;
}

static void offer_level(const struct am_deriving *d, const struct am_picks *device,
                        const struct am_curve *curve, const struct am_plateaus *levels, size_t i)
{
    const struct am_plateau *const p = &levels->items[i];
    const double above = levels->items[i + 1].level;
    const char *const level = am_arena_printf(d->arena, "%zu", i + 1);
    const struct am_pick *const best = am_picks_best(device);
    struct am_fact size =
        fact_on(best, "cache_size", "working set that a level of the device's memory holds", "B");
    struct am_fact rate = fact_on(best, "cache_read", "reading from that level", "B/s");

    am_fact_label(&size, d->arena, "level", AM_AXIS_INT, level);
    am_fact_label(&rate, d->arena, "level", AM_AXIS_INT, level);
    size.evidence = am_arena_printf(d->arena, "ocl.cache: half way from %.3g to %.3g GB/s",
                                    1e-9 / p->level, 1e-9 / above);
    rate.value = 1 / p->typical;
    rate.ci = (struct am_interval){1 / p->hi, 1 / p->lo, NAN};
    rate.evidence = "ocl.cache: the plateau below that size";
    if (am_curve_crossing(curve, 0.5 * (p->level + above), AM_CURVE_BEST, &size.value, &size.ci))
        am_facts_offer(d->facts, size);
    am_facts_offer(d->facts, rate);
}

void am_opencl_derive_caches(const struct am_deriving *d)
{
    const struct am_groups devices = devices_of(d, "ocl.cache", "kernel=read", "bandwidth");

    for (size_t i = 0; i < devices.n; i++) {
        struct am_curve curve = cache_curve(&devices.items[i].picks);
        struct am_plateaus levels;

        if (curve.n < CURVE_MIN || !am_curve_settle(&curve))
            continue;
        levels = am_curve_plateaus(&curve, level_ratio);
        for (size_t k = 0; k + 1 < levels.n; k++)
            offer_level(d, &devices.items[i].picks, &curve, &levels, k);
    }
}

/* ---- levels by latency ---- */

static void offer_latency(const struct am_deriving *d, const struct am_picks *sizes,
                          const struct am_curve *curve, const struct am_plateaus *levels, size_t i)
{
    const struct am_plateau *const p = &levels->items[i];
    const bool last = i + 1 == levels->n;
    const char *const level = last ? "memory" : am_arena_printf(d->arena, "%zu", i + 1);
    const struct am_pick *const best = &sizes->items[0];
    struct am_fact size =
        fact_on(best, "level_size", "working set that a level of the device's memory holds", "B");
    struct am_fact time = fact_on(best, "level_latency", "one dependent load from that level", "s");

    am_fact_label(&size, d->arena, "level", AM_AXIS_NAME, level);
    am_fact_label(&time, d->arena, "level", AM_AXIS_NAME, level);
    time.value = p->typical;
    time.ci = (struct am_interval){p->lo, p->hi, NAN};
    time.evidence = "ocl.latency: the plateau of sets that it holds";
    am_facts_offer(d->facts, time);
    if (last)
        return;
    size.evidence = am_arena_printf(d->arena, "ocl.latency: half way from %.3g to %.3g ns",
                                    1e9 * p->level, 1e9 * levels->items[i + 1].level);
    if (am_curve_crossing(curve, 0.5 * (p->level + levels->items[i + 1].level), AM_CURVE_BEST,
                          &size.value, &size.ci))
        am_facts_offer(d->facts, size);
}

/* Levels of memory as a chase meets them, the last of them being memory itself. */
void am_opencl_derive_levels(const struct am_deriving *d)
{
    const struct am_groups devices = devices_of(d, "ocl.latency", "space=global", "latency");

    for (size_t i = 0; i < devices.n; i++) {
        const struct am_picks sizes = am_picks_curve(&devices.items[i].picks, "size", NULL);
        struct am_curve curve = {0};
        struct am_plateaus levels;

        for (size_t k = 0; k < sizes.n; k++) {
            const struct am_summary *const s = &sizes.items[k].metric->summary;

            (void)am_curve_add(&curve, d->arena,
                               (struct am_curve_point){sizes.items[k].x, s->p5, s->median, s->p95});
        }
        if (curve.n < CURVE_MIN || !am_curve_settle(&curve))
            continue;
        levels = am_curve_plateaus(&curve, latency_ratio);
        for (size_t k = 0; k < levels.n; k++)
            offer_latency(d, &sizes, &curve, &levels, k);
    }
}

/* ---- against the host ---- */

void am_opencl_derive_items(const struct am_deriving *d)
{
    const struct am_groups devices = devices_of(d, "ocl.scale", "backend=opencl items>=1", "time");

    for (size_t i = 0; i < devices.n; i++) {
        const struct am_pick *const best = am_picks_best(&devices.items[i].picks);
        const struct am_picks same = am_picks_like(&devices.items[i].picks, best->result, "size");
        const struct am_picks items = am_picks_curve(&same, "items", NULL);
        struct am_fact fact =
            fact_on(best, "scale_items", "work-items that a vector addition needs", "");
        size_t k = 0;

        if (items.n < 2)
            continue;
        while (items.items[k].metric->summary.median > near_time * best->metric->summary.median)
            k++;
        if (k + 1 == items.n) {
            am_facts_remark(
                d->facts,
                "opencl.scale_items of %s: %.0f work-items are still faster than fewer; "
                "more were not measured",
                am_result_text(best->result, "device"), items.items[k].x);
            continue;
        }
        fact.value = items.items[k].x;
        fact.ci = (struct am_interval){k ? items.items[k - 1].x + 1 : 1, fact.value, NAN};
        fact.evidence = am_arena_printf(d->arena, "the fewest within %.0f %% of ocl.scale %s",
                                        100 * (near_time - 1), best->result->text);
        am_facts_offer(d->facts, fact);
    }
}

/* Work-items of a pass whose accesses are the elements that each of them takes. */
static double items_of(const struct am_pick *p)
{
    return p->result->work.ops / p->x;
}

/* Passes over the same buffer by fewer and fewer work-items, each with more elements: how many a
 * device needs under way. The fewer they are, the further behind they stand in the curve. */
void am_opencl_derive_read_items(const struct am_deriving *d)
{
    const struct am_groups devices = devices_of(
        d, "ocl.global", "kernel=read shape=strided stride=1 size=0 each>=1", "bandwidth");

    for (size_t i = 0; i < devices.n; i++) {
        const struct am_pick *const best = am_picks_best(&devices.items[i].picks);
        const struct am_picks same =
            am_picks_like(&devices.items[i].picks, best->result, "width,group");
        const struct am_picks each = am_picks_curve(&same, "each", NULL);
        struct am_fact fact =
            fact_on(best, "read_items", "work-items that reading device memory needs", "");
        size_t k = each.n;

        if (each.n < CURVE_MIN || !(best->result->work.ops > 0))
            continue;
        while (each.items[k - 1].metric->summary.median * near_time < best->metric->summary.median)
            k--;
        if (k == each.n) {
            am_facts_remark(d->facts,
                            "opencl.read_items of %s: %.0f work-items are as fast as more; fewer "
                            "were not measured",
                            am_result_text(best->result, "device"), items_of(&each.items[k - 1]));
            continue;
        }
        fact.value = items_of(&each.items[k - 1]);
        fact.ci = (struct am_interval){items_of(&each.items[k]) + 1, fact.value, NAN};
        fact.evidence = am_arena_printf(d->arena, "the fewest within %.0f %% of ocl.global %s",
                                        100 * (near_time - 1), best->result->text);
        am_facts_offer(d->facts, fact);
    }
}

/* On a CPU: what OpenCL costs, or gives. On others: what the device gives. */
void am_opencl_derive_over_host(const struct am_deriving *d)
{
    const struct am_selector threads = {"ocl.scale", "backend=pthread,openmp", "time"};
    const struct am_picks hosts = am_select(d->set, &threads, d->arena);
    const struct am_groups devices = devices_of(d, "ocl.scale", "backend=opencl", "time");

    for (size_t i = 0; i < devices.n; i++) {
        const struct am_pick *const ours = am_picks_best(&devices.items[i].picks);
        const struct am_picks same = am_picks_like(&hosts, ours->result, "size");
        const struct am_pick *const host = am_picks_best(&same);
        struct am_fact fact;

        if (!host)
            continue;
        fact = am_fact_of_ratio(host, ours, d->arena);
        fact.name = am_opencl_is_cpu(ours->result) ? "scale_over_native" : "scale_over_host";
        fact.what = "speed of a vector addition over that of the host's threads";
        am_fact_label_axes(&fact, ours->result, "device");
        am_facts_offer(d->facts, fact);
    }
}

/* Of a CPU: OpenCL over the best of native code, by any number of threads. */
void am_opencl_derive_native_rates(const struct am_deriving *d)
{
    static const struct {
        const char *ours, *native, *name;
    } kernels[] = {
        {"kernel=read size=0", "level=memory kernel=read", "read_over_native"},
        {"kernel=write size=0", "level=memory kernel=write", "write_over_native"},
    };

    for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++) {
        const struct am_groups devices = devices_of(d, "ocl.global", kernels[k].ours, "bandwidth");
        const struct am_fact *const native =
            am_facts_most(d->facts, "memory.bandwidth", kernels[k].native);

        for (size_t i = 0; native && i < devices.n; i++) {
            const struct am_pick *const ours = am_picks_best(&devices.items[i].picks);
            const struct am_summary *const s = &ours->metric->summary;
            struct am_fact fact =
                fact_on(ours, kernels[k].name, "OpenCL over native code on the same CPUs", "");

            if (!am_opencl_is_cpu(ours->result))
                continue;
            fact.value = s->median / native->value;
            fact.ci = (struct am_interval){s->ci.lo / native->ci.hi, s->ci.hi / native->ci.lo,
                                           fmax(s->ci.coverage + native->ci.coverage - 1, 0)};
            fact.grading = am_grading_worse(fact.grading, native->grading);
            fact.evidence =
                am_arena_printf(d->arena, "ocl.global %s over %s", ours->result->text, native->id);
            am_facts_offer(d->facts, fact);
        }
    }
}
