/* SPDX-License-Identifier: MIT */
/* Stencil loops: every point of sweeps and slices, and the edges that slices leave. */
#include "kcheck.h"

#include "guarded.h"
#include "kernels/stencil.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS_MAX = 128, LANES_MAX = 16, SWEEP_VECTORS = 29 };

/* r = 0.3, so that no product is exact. */
struct coefs {
    double side, centre, growth;
};
static const struct coefs coefs_of[AM_STENCIL_FORMS] = {
    [AM_STENCIL_paper] = {0.3, 0.4, 1},
    [AM_STENCIL_scaled] = {1, 4.0 / 3, 10.0 / 3},
    [AM_STENCIL_centred] = {0.75, 1, 2.5},
};

static size_t element_bytes(enum am_stencil_type type)
{
    return type == AM_STENCIL_F32 ? sizeof(float) : sizeof(double);
}

static double epsilon(enum am_stencil_type type)
{
    return type == AM_STENCIL_F32 ? FLT_EPSILON : DBL_EPSILON;
}

static double get(enum am_stencil_type type, const void *x, size_t i)
{
    return type == AM_STENCIL_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void put(enum am_stencil_type type, void *x, size_t i, double value)
{
    if (type == AM_STENCIL_F32)
        ((float *)x)[i] = (float)value;
    else
        ((double *)x)[i] = value;
}

static void fill(enum am_stencil_type type, void *x, size_t count, struct am_rng *rng)
{
    for (size_t i = 0; i < count; i++)
        put(type, x, i, 2 * am_rng_unit(rng) - 1);
}

static long double step(const struct coefs *c, long double x0, long double x1, long double x2)
{
    return c->side * (x0 + x2) + c->centre * x1;
}

/* Constants as the element type holds them: it is the loops that are checked. */
static struct coefs rounded(enum am_stencil_type type, const struct coefs *c)
{
    if (type == AM_STENCIL_F64)
        return *c;
    return (struct coefs){(double)(float)c->side, (double)(float)c->centre, c->growth};
}

struct sweep_case {
    const struct am_stencil_variant *v;
    enum am_stencil_loop loop;
    enum am_stencil_form form;
    enum am_stencil_type type;
    size_t n, lanes; /* elements or vectors, and elements of each */
    bool shifted;    /* v is u - 1: the loop that allows it */
};

/* u with one more on either side ends at the guard; v begins behind the other guard. */
static bool check_sweep_case(const struct sweep_case *c, struct guarded *g, struct am_rng *rng)
{
    static double was[(SWEEP_VECTORS + 2) * LANES_MAX];
    const size_t bytes = element_bytes(c->type), vector = c->lanes * bytes;
    const size_t count = (c->n + 2) * c->lanes;
    const struct coefs k = rounded(c->type, &coefs_of[c->form]);
    char *const before = guarded_at_end(&g[0], count * bytes);
    char *const other = guarded_at_start(&g[1], c->n * vector, 0);
    struct am_stencil_sweep sweep = {.u = before + vector,
                                     .v = c->shifted ? before : other,
                                     .n = c->n,
                                     .side = k.side,
                                     .centre = k.centre};

    fill(c->type, before, count, rng);
    for (size_t i = 0; i < count; i++)
        was[i] = get(c->type, before, i);
    c->v->sweep[c->loop][c->form][c->type](&sweep);
    for (size_t i = 0; i < c->n * c->lanes; i++) {
        const long double want = step(&k, was[i], was[i + c->lanes], was[i + 2 * c->lanes]);

        if (!(fabsl(want - get(c->type, sweep.v, i)) <= 4 * epsilon(c->type)))
            return false;
    }
    for (size_t i = c->shifted ? c->n * c->lanes : 0; i < count; i++) {
        if (get(c->type, before, i) < was[i] || get(c->type, before, i) > was[i])
            return false;
    }
    return guarded_intact(&g[0]) && guarded_intact(&g[1]);
}

static void check_sweep(struct sweep_case *c, struct guarded *g, struct am_rng *rng)
{
    static const char *const names[AM_STENCIL_LOOPS] = {"scalar", "auto", "unaligned",
                                                        "interleaved", "prefetch"};
    static char name[96];
    const bool linear = c->loop < AM_STENCIL_INTERLEAVED;
    const size_t most = linear ? 4 * c->v->lanes[c->type] + 9 : SWEEP_VECTORS;
    bool right = true;

    (void)snprintf(name, sizeof(name), "%s stencil %s %s %s", c->v->isa, names[c->loop],
                   am_stencil_forms[c->form], am_stencil_types[c->type]);
    if (!c->v->sweep[c->loop][c->form][c->type]) {
        kcheck_report(c->loop == AM_STENCIL_AUTO && strcmp(c->v->isa, "scalar") == 0,
                      "%s: rightly absent", name);
        return;
    }
    guarded_charge(name);
    c->lanes = linear ? 1 : c->v->lanes[c->type];
    for (c->n = 0; c->n <= most && right; c->n++) {
        c->shifted = c->loop == AM_STENCIL_PREFETCH && c->n % 2;
        right = check_sweep_case(c, g, rng);
    }
    kcheck_report(right, "%s: every length up to %zu is right, and nothing else is written", name,
                  most);
}

struct slice_case {
    const struct am_stencil_variant *v;
    am_stencil_slice_fn *fn;
    enum am_stencil_form form;
    enum am_stencil_type type;
    unsigned width, period;
    size_t chunks, chunk_steps, last_steps; /* in steps */
    bool in_place;
};

static void set_constant(enum am_stencil_type type, unsigned char *vector, double value)
{
    for (size_t i = 0; i < AM_STENCIL_VEC_BYTES_MAX / element_bytes(type); i++)
        put(type, vector, i, value);
}

/* The slice in one lane: x[-2] and x[-1] come from the edges and the last two are left there. */
static void follow(const struct slice_case *c, const struct coefs *k, long double *x,
                   long double *edges, double *scales)
{
    const size_t steps = c->chunks * c->chunk_steps + c->last_steps;
    double scale = 1;

    for (size_t s = 0; s < steps; s++) {
        long double y[AM_STENCIL_WIDTH_MAX + 2];

        y[0] = edges[2 * s];
        y[1] = edges[2 * s + 1];
        memcpy(y + 2, x, c->width * sizeof(*x));
        edges[2 * s] = y[c->width];
        edges[2 * s + 1] = y[c->width + 1];
        scales[s] = scale;
        for (unsigned i = 0; i < c->width; i++)
            x[i] = step(k, y[i], y[i + 1], y[i + 2]);
        scale *= k->growth;
        if ((s + 1) % c->chunk_steps == 0 && (s + 1) / c->chunk_steps <= c->chunks) {
            for (unsigned i = 0; i < c->width; i++)
                x[i] /= scale;
            scale = 1;
        }
    }
    for (unsigned i = 0; i < c->width; i++)
        x[i] /= scale;
}

static bool lane_right(const struct slice_case *c, size_t lane, const double *was_x,
                       const double *was_e, const void *v, const void *e)
{
    const size_t steps = c->chunks * c->chunk_steps + c->last_steps;
    const size_t lanes = c->v->lanes[c->type];
    const struct coefs k = rounded(c->type, &coefs_of[c->form]);
    const double tolerance = epsilon(c->type) * (double)(3 * steps + 4);
    long double x[AM_STENCIL_WIDTH_MAX], edges[2 * STEPS_MAX];
    double scales[STEPS_MAX];

    for (size_t i = 0; i < c->width; i++)
        x[i] = was_x[i * lanes + lane];
    /* Edges of a state that is scaled are as large as it is. */
    for (size_t s = 0; s < 2 * steps; s++)
        edges[s] = was_e[s * lanes + lane];
    follow(c, &k, x, edges, scales);
    for (size_t i = 0; i < c->width; i++) {
        if (!(fabsl(x[i] - get(c->type, v, i * lanes + lane)) <= tolerance))
            return false;
    }
    for (size_t s = 0; s < 2 * steps; s++) {
        if (!(fabsl(edges[s] - get(c->type, e, s * lanes + lane)) <= tolerance * scales[s / 2]))
            return false;
    }
    return true;
}

static void set_arguments(const struct slice_case *c, struct am_stencil_slice *a)
{
    const struct coefs *const k = &coefs_of[c->form];

    a->chunks = c->chunks;
    a->chunk_periods = c->chunk_steps / c->period;
    a->last_periods = c->last_steps / c->period;
    a->last_steps = c->last_steps % c->period;
    set_constant(c->type, a->side, k->side);
    set_constant(c->type, a->centre, k->centre);
    set_constant(c->type, a->rescale, pow(k->growth, -(double)c->chunk_steps));
    set_constant(c->type, a->rescale_last, pow(k->growth, -(double)c->last_steps));
}

static bool check_slice_case(const struct slice_case *c, struct guarded *g, struct am_rng *rng)
{
    static double was_x[AM_STENCIL_WIDTH_MAX * LANES_MAX], was_e[2 * STEPS_MAX * LANES_MAX];
    const size_t steps = c->chunks * c->chunk_steps + c->last_steps;
    const size_t lanes = c->v->lanes[c->type], vector = lanes * element_bytes(c->type);
    char *const u = guarded_at_end(&g[0], c->width * vector);
    char *const v = guarded_at_start(&g[1], c->width * vector, 0);
    char *const e = guarded_at_end(&g[2], 2 * steps * vector);
    struct am_stencil_slice a = {.u = u, .v = c->in_place ? u : v, .e = e};
    double scale = 1;

    set_arguments(c, &a);
    fill(c->type, u, c->width * lanes, rng);
    for (size_t s = 0; s < steps; s++) {
        scale = c->chunk_steps && s % c->chunk_steps == 0 && s <= c->chunks * c->chunk_steps
                    ? 1
                    : scale;
        for (size_t i = 0; i < 2 * lanes; i++)
            put(c->type, e, 2 * s * lanes + i, scale * (2 * am_rng_unit(rng) - 1));
        scale *= coefs_of[c->form].growth;
    }
    for (size_t i = 0; i < c->width * lanes; i++)
        was_x[i] = get(c->type, u, i);
    for (size_t i = 0; i < 2 * steps * lanes; i++)
        was_e[i] = get(c->type, e, i);
    c->fn(&a);
    for (size_t lane = 0; lane < lanes; lane++) {
        if (!lane_right(c, lane, was_x, was_e, a.v, e))
            return false;
    }
    return guarded_intact(&g[0]) && guarded_intact(&g[1]) && guarded_intact(&g[2]);
}

/* Every remainder of a period, with and without chunks before it. */
static void check_slice(struct slice_case *c, const char *kind, struct guarded *g,
                        struct am_rng *rng)
{
    static char name[96];
    size_t cases = 0;
    bool right = c->fn != NULL;

    (void)snprintf(name, sizeof(name), "%s stencil %s %s %s %u", c->v->isa, kind,
                   am_stencil_forms[c->form], am_stencil_types[c->type], c->width);
    guarded_charge(name);
    for (size_t last = 1; last <= 2 * c->period + 1 && right; last++) {
        for (c->chunks = 0; c->chunks <= 2 && right; c->chunks++) {
            c->chunk_steps = c->period * (1 + last % 2);
            c->last_steps = last;
            c->in_place = cases++ % 2;
            right = check_slice_case(c, g, rng);
        }
    }
    kcheck_report(right, "%s: %zu cases are right, their edges too", name, cases);
    if (!right)
        printf("# first wrong: %zu chunks of %zu steps, then %zu\n", c->chunks, c->chunk_steps,
               c->last_steps);
}

/* A grid in registers, by the widest type: lanes one after the other, then their ends meet. */
static bool check_held_case(const struct slice_case *c, struct guarded *g, struct am_rng *rng)
{
    static long double x[AM_STENCIL_WIDTH_MAX * LANES_MAX], y[AM_STENCIL_WIDTH_MAX * LANES_MAX];
    const size_t steps = c->chunks * c->chunk_steps + c->last_steps;
    const size_t lanes = c->v->lanes[c->type], n = c->width * lanes;
    const struct coefs k = rounded(c->type, &coefs_of[c->form]);
    char *const u = guarded_at_end(&g[0], n * element_bytes(c->type));
    char *const v = guarded_at_start(&g[1], n * element_bytes(c->type), 0);
    struct am_stencil_slice a = {.u = u, .v = c->in_place ? u : v};

    set_arguments(c, &a);
    fill(c->type, u, n, rng);
    for (size_t i = 0; i < n; i++)
        x[i] = get(c->type, u, i % c->width * lanes + i / c->width);
    c->fn(&a);
    for (size_t s = 0; s < steps; s++) {
        memcpy(y, x, n * sizeof(*x));
        for (size_t i = 0; i < n; i++)
            x[i] = step(&k, y[(i + n - 1) % n], y[i], y[(i + 1) % n]) / k.growth;
    }
    for (size_t i = 0; i < n; i++) {
        const double got = get(c->type, a.v, i % c->width * lanes + i / c->width);

        if (!(fabsl(x[i] - got) <= epsilon(c->type) * (double)(3 * steps + 4)))
            return false;
    }
    return guarded_intact(&g[0]) && guarded_intact(&g[1]);
}

static void check_held(struct slice_case *c, struct guarded *g, struct am_rng *rng)
{
    static char name[96];
    bool right = c->fn != NULL;

    (void)snprintf(name, sizeof(name), "%s stencil registers %s %s %u", c->v->isa,
                   am_stencil_forms[c->form], am_stencil_types[c->type], c->width);
    guarded_charge(name);
    for (size_t i = 0; i < 9 && right; i++) {
        c->chunks = i % 3;
        c->chunk_steps = 1 + i / 3;
        c->last_steps = 1 + i;
        c->in_place = i % 2;
        right = check_held_case(c, g, rng);
    }
    kcheck_report(right, "%s: a grid in registers is right", name);
}

static void check_form(const struct am_stencil_variant *v, enum am_stencil_form form,
                       enum am_stencil_type type, struct guarded *g, struct am_rng *rng)
{
    struct slice_case c = {.v = v, .form = form, .type = type, .width = 1, .period = 1};

    for (int loop = 0; loop < AM_STENCIL_LOOPS; loop++) {
        struct sweep_case sweep = {
            .v = v, .loop = (enum am_stencil_loop)loop, .form = form, .type = type};

        check_sweep(&sweep, g, rng);
    }
    c.fn = v->skew[form][type];
    check_slice(&c, "skew", g, rng);
    for (c.width = 1; c.width <= v->width_max; c.width++) {
        c.fn = v->slice[form][type][c.width - 1];
        c.period = am_stencil_period(c.width);
        check_slice(&c, "slice", g, rng);
    }
    c.period = 1;
    for (size_t i = 0; i < AM_STENCIL_HELD_WIDTHS; i++) {
        c.width = v->held[i].width;
        c.fn = v->held[i].fn[form][type];
        check_held(&c, g, rng);
    }
}

/* Lane j at place i, from `count` before the first vector on. */
static double in_lane(enum am_stencil_type type, const void *x, size_t lanes, size_t i, size_t j)
{
    return get(type, x, i * lanes + j % lanes);
}

static bool check_wrap_case(const struct am_stencil_variant *v, enum am_stencil_type type, size_t n,
                            size_t count, struct guarded *g, struct am_rng *rng)
{
    const size_t lanes = v->lanes[type], vector = lanes * element_bytes(type);
    char *const x = guarded_at_end(&g[0], (n + 2 * count) * vector);

    fill(type, x, (n + 2 * count) * lanes, rng);
    v->wrap[type](x + count * vector, n, count);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < lanes; j++) {
            const double before = in_lane(type, x, lanes, i, j);
            const double after = in_lane(type, x, lanes, count + n + i, j);

            if (before != in_lane(type, x, lanes, n + i, j + lanes - 1) ||
                after != in_lane(type, x, lanes, count + i, j + 1))
                return false;
        }
    }
    return guarded_intact(&g[0]);
}

static void check_wrap(const struct am_stencil_variant *v, enum am_stencil_type type,
                       struct guarded *g, struct am_rng *rng)
{
    bool right = true;

    for (size_t n = 1; n <= 7; n++) {
        for (size_t count = 0; count <= n; count++)
            right = right && check_wrap_case(v, type, n, count, g, rng);
    }
    kcheck_report(right, "%s stencil wrap %s: lanes continue in each other", v->isa,
                  am_stencil_types[type]);
}

void kcheck_stencil(const char *isa, struct am_rng *rng)
{
    const struct am_stencil_variant *const v = am_stencil_find(isa);
    struct guarded g[3] = {0};
    bool ready = v && strcmp(v->isa, isa) == 0;

    for (int i = 0; i < 3 && ready; i++)
        ready = guarded_new(&g[i], 2 * STEPS_MAX * AM_STENCIL_VEC_BYTES_MAX);
    kcheck_report(ready, "%s has its row of stencil loops", isa);
    if (!ready)
        return;
    for (int type = 0; type < AM_STENCIL_TYPES; type++) {
        check_wrap(v, (enum am_stencil_type)type, g, rng);
        for (int form = 0; form < AM_STENCIL_FORMS; form++)
            check_form(v, (enum am_stencil_form)form, (enum am_stencil_type)type, g, rng);
    }
    for (int i = 0; i < 3; i++)
        guarded_free(&g[i]);
}
