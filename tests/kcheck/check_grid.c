/* SPDX-License-Identifier: MIT */
/* Grid loops: every point of boxes of every small size, from one array to another and in place. */
#include "kcheck.h"

#include "guarded.h"
#include "kernels/grid.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LANES_MAX = 16, POINTS_MAX = 15 * 14 * 5 * LANES_MAX };

enum way { TWO_ARRAYS, IN_PLACE, IN_PLACE_BACK, WAYS };

struct box_case {
    const struct am_grid_variant *v;
    unsigned loop; /* enum am_stencil_loop, or AM_GRID_WHOLE */
    enum am_stencil_form form;
    enum am_stencil_type type;
    unsigned dim;
    size_t n[3], lanes; /* points of the box, and elements of each */
    enum way way;
    bool wraps;
};

/* No product is exact. */
static const double coefs_of[AM_STENCIL_FORMS][2] = {
    [AM_STENCIL_paper] = {0.11, 0.34},
    [AM_STENCIL_scaled] = {1, 0.37},
    [AM_STENCIL_centred] = {0.23, 1},
};

static size_t element_bytes(enum am_stencil_type type)
{
    return type == AM_STENCIL_F32 ? sizeof(float) : sizeof(double);
}

static double get(enum am_stencil_type type, const void *x, size_t i)
{
    return type == AM_STENCIL_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static double rounded(enum am_stencil_type type, double x)
{
    return type == AM_STENCIL_F32 ? (double)(float)x : x;
}

static void fill(enum am_stencil_type type, void *x, size_t count, struct am_rng *rng, double *was)
{
    for (size_t i = 0; i < count; i++) {
        was[i] = rounded(type, 2 * am_rng_unit(rng) - 1);
        if (type == AM_STENCIL_F32)
            ((float *)x)[i] = (float)was[i];
        else
            ((double *)x)[i] = was[i];
    }
}

/* The box with one point around it: sides, and where a point lies in elements. */
static void ring(const struct box_case *c, size_t side[3])
{
    for (unsigned d = 0; d < 3; d++)
        side[d] = c->n[d] + (d < c->dim ? 2 : 0);
}

static size_t place(const struct box_case *c, const size_t side[3], size_t x, size_t y, size_t z)
{
    return ((z * side[1] + y) * side[0] + x) * c->lanes;
}

static long double stepped(const struct box_case *c, const double *was, const size_t side[3],
                           size_t i)
{
    const size_t stride[3] = {c->lanes, side[0] * c->lanes, side[0] * side[1] * c->lanes};
    const double side_of = rounded(c->type, coefs_of[c->form][0]);
    const double centre = rounded(c->type, coefs_of[c->form][1]);
    long double around = 0;

    for (unsigned d = 0; d < c->dim; d++)
        around += (long double)was[i - stride[d]] + was[i + stride[d]];
    return side_of * around + centre * (long double)was[i];
}

/* What a place around the box is after a step to another array, which was empty. */
static double beyond(const struct box_case *c, const void *array, const size_t side[3],
                     const size_t at[3])
{
    const bool beside = at[0] == 0 || at[0] > c->n[0];
    bool in_row = c->wraps && c->n[0] > 0 && beside;

    for (unsigned d = 1; d < c->dim; d++)
        in_row = in_row && at[d] >= 1 && at[d] <= c->n[d];
    return in_row ? get(c->type, array, place(c, side, at[0] ? 1 : c->n[0], at[1], at[2])) : 0;
}

/* Each place of the array that was written to: what it should be, and all others as they were. */
static bool outcome_right(const struct box_case *c, const double *was, const void *array,
                          const size_t side[3])
{
    const double tolerance = 8 * (c->type == AM_STENCIL_F32 ? FLT_EPSILON : DBL_EPSILON);
    const size_t shift = c->way == TWO_ARRAYS ? 0 : 1, back = c->way == IN_PLACE_BACK;

    for (size_t i = 0; i < side[0] * side[1] * side[2]; i++) {
        const size_t at[3] = {i % side[0], i / side[0] % side[1], i / (side[0] * side[1])};
        size_t from[3] = {at[0], at[1], at[2]};
        bool inside = true;

        for (unsigned d = 0; d < c->dim; d++) { /* the point that was to be written here */
            from[d] = back ? at[d] - shift : at[d] + shift;
            inside = inside && from[d] >= 1 && from[d] <= c->n[d]; /* below 0 is far above n */
        }
        for (size_t lane = 0; lane < c->lanes; lane++) {
            const size_t here = i * c->lanes + lane;
            const long double want =
                inside ? stepped(c, was, side, place(c, side, from[0], from[1], from[2]) + lane)
                       : (long double)was[here];

            if (c->way == TWO_ARRAYS && !inside) {
                if (get(c->type, array, here) != beyond(c, array, side, at))
                    return false;
                continue;
            }
            if (!(fabsl(want - get(c->type, array, here)) <= (inside ? tolerance : 0)))
                return false;
        }
    }
    return true;
}

static bool check_box(const struct box_case *c, struct guarded *g, struct am_rng *rng)
{
    static double was[POINTS_MAX];
    const size_t bytes = c->lanes * element_bytes(c->type);
    size_t side[3], count, first;
    struct am_grid_box box = {.n = {c->n[0], c->n[1], c->n[2]},
                              .side = coefs_of[c->form][0],
                              .centre = coefs_of[c->form][1],
                              .wraps = c->wraps};
    char *u, *v;

    ring(c, side);
    count = side[0] * side[1] * side[2] * c->lanes;
    first = place(c, side, 1, 1, c->dim == 3 ? 1 : 0) * element_bytes(c->type);
    u = guarded_at_end(&g[0], count * element_bytes(c->type));
    v = guarded_at_start(&g[1], count * element_bytes(c->type), 0);
    memset(v, 0, count * element_bytes(c->type));
    fill(c->type, u, count, rng, was);
    box.step = (ptrdiff_t)bytes;
    box.row = (ptrdiff_t)(side[0] * bytes);
    box.plane = (ptrdiff_t)(side[1] * side[0] * bytes);
    box.u = u + first;
    box.v = v + first;
    if (c->way != TWO_ARRAYS) {
        ptrdiff_t diagonal = box.step + box.row + (c->dim == 3 ? box.plane : 0);

        if (c->way == IN_PLACE_BACK) {
            box.u = u + place(c, side, c->n[0], c->n[1], c->dim == 3 ? c->n[2] : 0) *
                            element_bytes(c->type);
            box.step = -box.step;
            box.row = -box.row;
            box.plane = -box.plane;
            diagonal = -diagonal;
        }
        box.v = (char *)(uintptr_t)box.u - diagonal;
    }
    c->v->step[c->dim - 2][c->loop][c->form][c->type](&box);
    return outcome_right(c, was, c->way == TWO_ARRAYS ? v : u, side) && guarded_intact(&g[0]) &&
           guarded_intact(&g[1]);
}

static bool is_linear(const struct box_case *c)
{
    return c->loop < AM_STENCIL_INTERLEAVED || c->loop == AM_GRID_WHOLE;
}

/* No vectors for the compiler to use, or no halves of them. */
static bool has_none(const struct box_case *c)
{
    if (c->loop == AM_GRID_WHOLE)
        return c->v->auto_lanes[c->type] == c->v->lanes[c->type];
    return c->loop == AM_STENCIL_AUTO && strcmp(c->v->isa, "scalar") == 0;
}

static bool check_sizes(struct box_case *c, struct guarded *g, struct am_rng *rng, size_t *cases)
{
    const bool linear = is_linear(c);
    const size_t longest = linear ? 4 * c->v->lanes[c->type] + 3 : 5;
    const size_t rows[] = {linear ? 2 : 1, c->v->rows, c->v->rows + 2};

    c->lanes = linear ? 1 : c->v->lanes[c->type];
    for (size_t i = 0; i < (longest + 1) * (linear ? 1 : 3); i++) {
        c->n[0] = i % (longest + 1);
        c->n[1] = rows[i / (longest + 1)];
        for (c->n[2] = 1; c->n[2] <= c->dim - 1; c->n[2]++) {
            *cases += 1;
            if (!check_box(c, g, rng))
                return false;
        }
    }
    return true;
}

static void check_loop(struct box_case *c, struct guarded *g, struct am_rng *rng)
{
    static const char *const names[AM_GRID_LOOPS] = {"scalar",      "auto",     "unaligned",
                                                     "interleaved", "prefetch", "whole"};
    static char name[96];
    const int ways = c->loop == AM_STENCIL_PREFETCH ? WAYS : 1;
    const int kinds = is_linear(c) ? 2 : 1; /* that wrap, and that do not */
    size_t cases = 0;
    bool right = true;

    (void)snprintf(name, sizeof(name), "%s grid %u-D %s %s %s", c->v->isa, c->dim, names[c->loop],
                   am_stencil_forms[c->form], am_stencil_types[c->type]);
    if (!c->v->step[c->dim - 2][c->loop][c->form][c->type]) {
        kcheck_report(has_none(c), "%s: rightly absent", name);
        return;
    }
    guarded_charge(name);
    for (int i = 0; i < ways * kinds && right; i++) {
        c->way = (enum way)(i / kinds);
        c->wraps = i % kinds;
        right = check_sizes(c, g, rng, &cases);
    }
    kcheck_report(right, "%s: %zu boxes are right, and nothing else is written", name, cases);
    if (!right)
        printf("# first wrong: %zu x %zu x %zu, way %d\n", c->n[0], c->n[1], c->n[2], c->way);
}

/* The second source is the last n + 2 of the vectors, the first the n + 2 before the very last. */
static void check_turn(const struct am_grid_variant *v, enum am_stencil_type type,
                       struct guarded *g, struct am_rng *rng)
{
    static double was[POINTS_MAX];
    const size_t lanes = v->lanes[type], vector = lanes * element_bytes(type);
    bool right = true;

    guarded_charge("grid turn");
    for (size_t n = 0; n <= 4 && right; n++) {
        for (size_t by = 0; by < lanes && right; by++) {
            char *const from = guarded_at_end(&g[0], (n + 3) * vector);
            char *const to = guarded_at_start(&g[1], n * vector, 0);
            const void *const sources[2] = {from + vector, from + 2 * vector};
            const uint32_t second = n % 2 ? (uint32_t)am_rng_u64(rng) : 0;

            fill(type, from, (n + 3) * lanes, rng, was);
            v->turn[type](to, sources, second, n, by);
            for (size_t i = 0; i < n * lanes; i++) {
                const size_t at = i / lanes + 1 + (second >> i % lanes & 1);

                right = right && get(type, to, i) == was[at * lanes + (i + by) % lanes];
            }
            right = right && guarded_intact(&g[0]) && guarded_intact(&g[1]);
        }
    }
    kcheck_report(right, "%s grid turn %s: lanes go round", v->isa, am_stencil_types[type]);
}

void kcheck_grid(const char *isa, struct am_rng *rng)
{
    const struct am_grid_variant *const v = am_grid_find(isa);
    struct guarded g[2] = {0};
    const bool ready = v && strcmp(v->isa, isa) == 0 &&
                       guarded_new(&g[0], POINTS_MAX * sizeof(double)) &&
                       guarded_new(&g[1], POINTS_MAX * sizeof(double));

    kcheck_report(ready, "%s has its row of grid loops", isa);
    if (!ready)
        return;
    for (int i = 0; i < AM_GRID_DIMS * AM_GRID_LOOPS * AM_STENCIL_FORMS * AM_STENCIL_TYPES; i++) {
        struct box_case c = {
            .v = v,
            .type = (enum am_stencil_type)(i % AM_STENCIL_TYPES),
            .form = (enum am_stencil_form)(i / AM_STENCIL_TYPES % AM_STENCIL_FORMS),
            .loop = (unsigned)i / AM_STENCIL_TYPES / AM_STENCIL_FORMS % AM_GRID_LOOPS,
            .dim = AM_GRID_DIM_LEAST +
                   (unsigned)i / (AM_STENCIL_TYPES * AM_STENCIL_FORMS * AM_GRID_LOOPS)};

        check_loop(&c, g, rng);
    }
    check_turn(v, AM_STENCIL_F32, g, rng);
    check_turn(v, AM_STENCIL_F64, g, rng);
    guarded_free(&g[0]);
    guarded_free(&g[1]);
}
