/* SPDX-License-Identifier: MIT */
/* The roofline as panels of lines: flop/s over flop/B, both logarithmic.
 *
 * A panel per precision and number of threads (one, and the most that arithmetic was measured
 * with), and per device. Slanted lines are levels of memory, flat ones what arithmetic reached, by
 * instruction set and operation; a slope that was not measured with as many threads is the scaled
 * one by which bounds are made (model/roofline.h), and says so. Points are kernels that compute,
 * at the operations that they executed. What is not drawn is counted, and so is a point above its
 * ceiling, which is drawn as a ring. */
#include "document/figure/roofline.h"

#include "base/text.h"
#include "document/figure/devices.h"
#include "document/units.h"
#include "family/family.h"
#include "family/roles.h"
#include "model/explain.h"

#include <math.h>
#include <string.h>

enum {
    FLATS_MAX = 3,
    BENCHES_MAX = AM_FIGURE_SERIES_MAX,
    FLAT_COLOR = 6,
    BENCH_COLOR = 4, /* levels of memory have those before */
    TITLE_BYTES = 1024
};

struct roofs {
    const struct am_figure_source *source;
    struct am_roofline ceilings;
    struct am_explanations points;
    struct am_plots *out;
    bool *drawn;                      /* by point */
    const char *benches[BENCHES_MAX]; /* that have points, for colours */
    size_t n_benches;
    size_t above;
    const char *one_above; /* in words */
};

/* What a panel is of. */
struct part {
    const char *type, *device;
    double threads;
    size_t alike; /* devices that it stands for */
};

/* The window that a panel opens, and its highest lines. */
struct window {
    double x_lo, x_hi, peak, fastest;
};

static const char *const types[] = {"f64", "f32"};

static struct am_arena *arena_of(const struct roofs *r)
{
    return r->source->arena;
}

/* ---- ceilings ---- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_flat(const struct part *p, const struct am_ceiling *c)
{
    return c->kind == AM_CEILING_FLOPS && same_text(c->device, p->device) &&
           same_text(c->type, p->type) && (p->device || fabs(c->threads - p->threads) < 0.5);
}

/* The highest below `limit`; `apart` only of another instruction set than that one. */
static const struct am_ceiling *highest(const struct roofs *r, const struct part *p, double limit,
                                        const char *apart)
{
    const struct am_ceiling *best = NULL;

    for (size_t i = 0; i < r->ceilings.n; i++) {
        const struct am_ceiling *const c = &r->ceilings.items[i];

        if (is_flat(p, c) && c->rate < limit && !(apart && same_text(c->isa, apart)) &&
            (!best || c->rate > best->rate))
            best = c;
    }
    return best;
}

static void add_line(struct roofs *r, struct am_plot *plot, const char *label, unsigned color,
                     unsigned dashed, const struct am_plot_mark *ends)
{
    struct am_plot_mark *const marks = am_arena_array(arena_of(r), 2, sizeof(*marks));

    if (!marks || !label)
        return;
    memcpy(marks, ends, 2 * sizeof(*marks));
    am_plot_add(plot, arena_of(r),
                &(struct am_plot_series){.label = label,
                                         .marks = marks,
                                         .n = 2,
                                         .color = color,
                                         .bare = true,
                                         .dashed = dashed});
}

/* A level of memory, up to where arithmetic is the limit. */
static void add_slope(struct roofs *r, struct am_plot *plot, struct window *w, double rate,
                      const char *name, unsigned color, bool scaled)
{
    const double ridge = fmin(w->peak / rate, w->x_hi);
    const struct am_plot_mark ends[] = {{.x = w->x_lo, .y = rate * w->x_lo},
                                        {.x = ridge, .y = rate * ridge}};
    char value[AM_UNITS_MAX];

    if (!(rate > 0) || ridge <= w->x_lo)
        return;
    am_units_value(rate, "B/s", value, sizeof(value));
    add_line(r, plot,
             am_arena_printf(arena_of(r), "%s %s%s", name, value, scaled ? " (scaled)" : ""), color,
             scaled, ends);
    w->fastest = fmax(w->fastest, rate);
}

/* Reading or writing, whichever is faster: a kernel may do either. */
static double device_rate(const struct roofs *r, const char *device)
{
    static const char *const names[] = {"opencl.read", "opencl.write"};
    double rate = 0;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct am_fact *const f = am_device_fact(r->source->facts, device, names[i], NULL);

        rate = f && f->value > rate ? f->value : rate;
    }
    return rate;
}

/* Levels of a device's memory before the last, as far as they were seen. */
static void add_caches(struct roofs *r, const struct part *p, struct am_plot *plot,
                       struct window *w)
{
    for (unsigned level = 1; level < AM_TIER_MEMORY + 1; level++) {
        const char *const where = am_arena_printf(arena_of(r), "level=%u", level);
        const char *const name = am_arena_printf(arena_of(r), "cache %u", level);
        const struct am_fact *const f =
            where ? am_device_fact(r->source->facts, p->device, "opencl.cache_read", where) : NULL;

        if (f && name)
            add_slope(r, plot, w, f->value, name, level - 1, false);
    }
}

static void add_slopes(struct roofs *r, const struct part *p, struct am_plot *plot,
                       struct window *w)
{
    if (p->device) {
        add_caches(r, p, plot, w);
        add_slope(r, plot, w, device_rate(r, p->device), "device memory", AM_TIER_MEMORY, false);
        return;
    }
    for (enum am_tier t = AM_TIER_L1D; t < AM_TIER_COUNT; t++) {
        const struct am_roof_query query = {
            .kind = AM_CEILING_BYTES, .level = t, .threads = p->threads};
        struct am_roof roof;

        if (am_roofline_find(&r->ceilings, &query, &roof) && roof.ceiling->level == t)
            add_slope(r, plot, w, roof.rate, am_tier_title(t), (unsigned)t, roof.scaled);
    }
}

/* The operation; of a kernel that passed what single operations reach, its bench. */
static const char *what_reached(const struct am_ceiling *c)
{
    return c->op ? c->op : c->point ? c->point->bench : "peak";
}

/* Of the fastest instruction set each operation, then the best of the others. */
static void add_flats(struct roofs *r, const struct part *p, struct am_plot *plot,
                      const struct window *w)
{
    const struct am_ceiling *const top = highest(r, p, INFINITY, NULL);
    const double from = w->fastest > 0 ? fmax(w->peak / w->fastest, w->x_lo) : w->x_lo;
    const struct am_ceiling *c = top;

    for (size_t n = 0; c && n < FLATS_MAX; n++) {
        const struct am_plot_mark ends[] = {{.x = fmin(from, w->x_hi / 2), .y = c->rate},
                                            {.x = w->x_hi, .y = c->rate}};
        char value[AM_UNITS_MAX];

        am_units_value(c->rate, "flop/s", value, sizeof(value));
        add_line(r, plot,
                 am_arena_printf(arena_of(r), "%s%s%s %s", c->isa ? c->isa : "", c->isa ? " " : "",
                                 what_reached(c), value),
                 FLAT_COLOR, (unsigned)n, ends);
        c = n == 0 && same_text(top->isa, c->isa) ? highest(r, p, c->rate, NULL)
                                                  : highest(r, p, c->rate, top->isa);
    }
}

/* ---- points ---- */

/* Operations per second and per byte, as executed where the bench says so. */
static bool stand(const struct am_explanation *e, double *x, double *y)
{
    const struct am_work *const w = &e->result->work;
    const double bytes = w->bytes_read + w->bytes_written, counted = e->measured.median;
    const struct am_result_metric *const executed =
        e->row && e->row->executed ? am_result_metric(e->result, e->row->executed) : NULL;

    if (strcmp(e->metric->unit, "flop/s") != 0 || !(w->flops > 0) || !(counted > 0) ||
        (e->row && e->row->role == AM_BOUND_FLOPS))
        return false;
    *y = executed ? executed->summary.median : counted;
    *x = bytes > 0 ? w->flops / bytes * *y / counted : INFINITY;
    return true;
}

static bool belongs(const struct part *p, const struct am_explanation *e)
{
    const char *const type = am_result_type(e->result);

    return same_text(am_result_device(e->result), p->device) &&
           (!type || strcmp(type, p->type) == 0) &&
           (p->device || fabs(am_result_threads(e->result) - p->threads) < 0.5);
}

static struct window window_of(const struct roofs *r, const struct part *p, double peak)
{
    struct window w = {.x_lo = 1.0 / 64, .x_hi = 64, .peak = peak};

    for (size_t i = 0; i < r->points.n; i++) {
        double x, y;

        if (!belongs(p, &r->points.items[i]) || !stand(&r->points.items[i], &x, &y) || !isfinite(x))
            continue;
        w.x_lo = fmin(w.x_lo, x / 2);
        w.x_hi = fmax(w.x_hi, x * 2);
    }
    return w;
}

static unsigned color_of(struct roofs *r, const char *bench)
{
    size_t i = 0;

    while (i < r->n_benches && strcmp(r->benches[i], bench) != 0)
        i++;
    if (i == r->n_benches && i < BENCHES_MAX)
        r->benches[r->n_benches++] = bench;
    return BENCH_COLOR + (unsigned)(i + (i >= FLAT_COLOR - BENCH_COLOR)) % AM_FIGURE_COLORS;
}

static const char *point_title(const struct roofs *r, const struct am_explanation *e, double y,
                               bool above)
{
    char rate[AM_UNITS_MAX], share[AM_UNITS_MAX] = "";
    const char *title;

    am_units_value(y, "flop/s", rate, sizeof(rate));
    if (!e->why_not)
        am_units_share(e->share, share, sizeof(share));
    title = am_arena_printf(arena_of(r), "%s %s: %s executed%s%s%s%s%s", e->result->bench,
                            e->result->text, rate, *share ? ", " : "", share,
                            *share ? " of the bound: " : "", *share ? e->resource : "",
                            above ? "; above every ceiling that was measured" : "");
    return title ? title : e->result->bench;
}

/* The points of one bench in the panel. */
static void add_bench(struct roofs *r, const struct part *p, struct am_plot *plot,
                      const struct window *w, const char *bench)
{
    struct am_plot_mark *const marks = am_arena_array(arena_of(r), r->points.n + 1, sizeof(*marks));
    size_t n = 0;

    for (size_t i = 0; marks && i < r->points.n; i++) {
        const struct am_explanation *const e = &r->points.items[i];
        double x, y, roof;
        bool above;

        if (!same_text(e->result->bench, bench) || !belongs(p, e) || !stand(e, &x, &y))
            continue;
        x = fmin(x, w->x_hi);
        roof = w->fastest > 0 ? fmin(w->peak, w->fastest * x) : w->peak;
        above = y * fmin(e->measured.ci.lo / e->measured.median, 1) > roof;
        marks[n++] = (struct am_plot_mark){
            .x = x, .y = y, .odd = above, .title = point_title(r, e, y, above)};
        r->drawn[i] = true;
        if (above && r->above++ == 0)
            r->one_above = am_arena_printf(arena_of(r), "%s %s", e->result->bench, e->result->text);
    }
    am_plot_add(
        plot, arena_of(r),
        &(struct am_plot_series){
            .label = bench, .marks = marks, .n = n, .color = color_of(r, bench), .unjoined = true});
}

static void add_points(struct roofs *r, const struct part *p, struct am_plot *plot,
                       const struct window *w)
{
    const char *last = NULL;

    for (size_t i = 0; i < r->points.n; i++) { /* benches follow each other in a plan */
        const char *const bench = r->points.items[i].result->bench;
        bool before = false;

        for (size_t k = 0; k < plot->n && !before; k++)
            before = same_text(plot->series[k].label, bench);
        if (!before && !same_text(bench, last))
            add_bench(r, p, plot, w, bench);
        last = bench;
    }
}

/* ---- panels ---- */

static const char *panel_title(const struct roofs *r, const struct part *p)
{
    if (p->device && p->alike > 1)
        return am_arena_printf(arena_of(r), "%s, %s (%zu alike)", p->type, p->device, p->alike);
    if (p->device)
        return am_arena_printf(arena_of(r), "%s, %s", p->type, p->device);
    return am_arena_printf(arena_of(r), "%s, %.0f thread%s", p->type, p->threads,
                           p->threads > 1 ? "s" : "");
}

static void add_panel(struct roofs *r, const struct part *p)
{
    const struct am_ceiling *const top = highest(r, p, INFINITY, NULL);
    struct window w;
    struct am_plot *plot;

    if (!top)
        return;
    w = window_of(r, p, top->rate);
    plot = am_plots_add(
        r->out,
        &(struct am_plot){.title = panel_title(r, p),
                          .x = {.title = "operations per byte, flop/B",
                                .unit = "",
                                .scale = AM_SCALE_LOG10,
                                .lo = w.x_lo,
                                .hi = w.x_hi},
                          .y = {.title = "arithmetic", .unit = "flop/s", .scale = AM_SCALE_LOG10}});
    if (!plot)
        return;
    add_slopes(r, p, plot, &w);
    add_flats(r, p, plot, &w);
    add_points(r, p, plot, &w);
}

/* A panel per device and precision; of those that are alike the first. */
static void add_devices(struct roofs *r)
{
    struct am_device_group devices[AM_DEVICES_MAX];
    const size_t n = am_devices_find(r->source->facts, devices);

    for (size_t i = 0; i < n; i++) {
        for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
            add_panel(r, &(struct part){.type = types[t],
                                        .device = devices[i].name,
                                        .alike = devices[i].alike});
    }
}

static void add_processor(struct roofs *r)
{
    double most = 1;

    for (size_t i = 0; i < r->ceilings.n; i++) {
        if (r->ceilings.items[i].kind == AM_CEILING_FLOPS && !r->ceilings.items[i].device)
            most = fmax(most, r->ceilings.items[i].threads);
    }
    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
        add_panel(r, &(struct part){.type = types[t], .threads = 1});
        if (most > 1)
            add_panel(r, &(struct part){.type = types[t], .threads = most});
    }
}

/* ---- what is told ---- */

static const char *tell(const struct roofs *r)
{
    size_t idle = 0, elsewhere = 0;
    struct am_text text;
    const char *copy;

    for (size_t i = 0; i < r->points.n; i++) {
        const struct am_explanation *const e = &r->points.items[i];
        double x, y;

        if (r->drawn[i] || (e->row && e->row->role == AM_BOUND_FLOPS))
            continue;
        if (stand(e, &x, &y))
            elsewhere++;
        else
            idle++;
    }
    am_text_init(&text, TITLE_BYTES);
    if (r->above)
        am_text_addf(&text,
                     "%zu point%s above every ceiling, drawn as a ring (%s): a ceiling is too low, "
                     "because others computed beside it or a faster mix of operations was not "
                     "measured, or the operations are counted wrongly. ",
                     r->above, r->above == 1 ? " lies" : "s lie", r->one_above ? r->one_above : "");
    if (idle)
        am_text_addf(&text, "Left out: %zu points that move bytes and compute nothing. ", idle);
    if (elsewhere)
        am_text_addf(&text, "Left out: %zu points of other threads or devices.", elsewhere);
    copy = text.len ? am_arena_strdup(arena_of(r), am_text_str(&text)) : NULL;
    am_text_fini(&text);
    return copy;
}

bool am_roofline_plots(const struct am_figure_source *source, struct am_plots *out)
{
    struct roofs r = {.source = source, .out = out};

    am_roofline_build(source->set, source->facts, source->arena, &r.ceilings);
    am_explain(source->set, source->facts, &r.ceilings, source->arena, &r.points);
    r.drawn = am_arena_array(source->arena, r.points.n + 1, sizeof(*r.drawn));
    if (!r.drawn)
        return false;
    add_processor(&r);
    add_devices(&r);
    out->remark = tell(&r);
    return out->n > 0;
}

const struct am_figure_row am_roofline_row = {
    .name = "roofline",
    .section = AM_FIGURE_ROOFLINE_SECTION,
    .title = "What arithmetic and memory allow",
    .caption =
        "Ceilings are measured, never computed from a data sheet: arithmetic above, the "
        "bandwidth of each level at the slopes. A mark is a kernel, at the operations that "
        "it executed; its distance to the lowest ceiling is what is left. (scaled): at most, "
        "from what fewer threads reached. Points from which the ceilings come are not "
        "drawn again.",
    .make = am_roofline_plots,
};
