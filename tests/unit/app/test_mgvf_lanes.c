/* SPDX-License-Identifier: MIT */
/* Fields solved by the form lanes against the plain reference: the same iterations, whatever the
 * size, the bands and the rows that are counted. */
#include "app/leukocyte/mgvf.h"
#include "base/rng.h"
#include "kernels/isa.h"
#include "runtime/executor.h"
#include "tap.h"

enum { ROWS_MAX = 41, COLUMNS_MAX = 81, PIXELS_MAX = ROWS_MAX * COLUMNS_MAX };

struct shape {
    size_t rows, columns;
};

/* In memory for fields of `room`. */
static size_t solve_in(struct shape room, const struct am_mgvf_setup *setup, struct shape s,
                       const struct am_mgvf_bands *bands, const double *edge, double *field)
{
    struct am_err err = {0};
    struct am_mgvf *mgvf = NULL;
    size_t iterations = 0;

    if (am_mgvf_new(setup, room.rows, room.columns, &mgvf, &err) == AM_OK)
        iterations = am_mgvf_solve(mgvf, edge, s.rows, s.columns, bands, field);
    am_mgvf_free(mgvf);
    return iterations;
}

static struct am_mgvf_setup setup_of(const struct am_mgvf_loop *loop, size_t limit, size_t together)
{
    struct am_mgvf_setup setup = am_mgvf_defaults;

    setup.loop = loop;
    setup.limit = limit;
    setup.together = together;
    return setup;
}

/* All rows as one band, so many steps in a pass, in the least memory. */
static size_t solve_by(const struct am_mgvf_loop *loop, size_t limit, size_t together,
                       struct shape s, const double *edge, double *field)
{
    const struct am_mgvf_setup setup = setup_of(loop, limit, together);

    return solve_in(s, &setup, s, NULL, edge, field);
}

static size_t solve(const struct am_mgvf_loop *loop, size_t limit, struct shape s,
                    const struct am_mgvf_bands *bands, const double *edge, double *field)
{
    const struct am_mgvf_setup setup = setup_of(loop, limit, 1);

    return solve_in((struct shape){ROWS_MAX, COLUMNS_MAX}, &setup, s, bands, edge, field);
}

/* Rings and noise, as windows around cells have. */
static void draw_edges(struct shape s, struct am_rng *rng, double *edge)
{
    const double x = 0.5 * (double)s.columns, y = 0.5 * (double)s.rows;

    for (size_t i = 0; i < s.rows * s.columns; i++) {
        const double d = hypot((double)(i % s.columns) - x, (double)(i / s.columns) - y) - 9;

        edge[i] = fmin(1, exp(-d * d / 6) * 0.9 + 0.1 * am_rng_unit(rng));
    }
}

static bool near(const double *a, const double *b, size_t n, double most)
{
    bool all = true;

    for (size_t i = 0; i < n; i++)
        all = all && fabs(a[i] - b[i]) <= most;
    return all;
}

/* Passes of more steps than one: none goes too far, wherever the field comes to rest. */
static bool same_by_passes(const struct am_mgvf_loop *loop, struct shape s, const double *edge,
                           size_t iterations, const double *want)
{
    static double got[PIXELS_MAX];
    bool same = true;

    for (size_t together = 2; together <= 16; together += together < 8 ? 1 : 4)
        same = same && solve_by(loop, 500, together, s, edge, got) == iterations &&
               memcmp(got, want, s.rows * s.columns * sizeof(*got)) == 0;
    for (size_t limit = 1; limit < 40; limit += 6)
        same = same &&
               solve_by(loop, limit, 8, s, edge, got) == (limit < iterations ? limit : iterations);
    return same;
}

static void check_shapes(const char *isa, enum am_mgvf_type type, struct am_rng *rng)
{
    static const struct shape shapes[] = {{41, 81}, {41, 61}, {21, 41}, {41, 80},
                                          {40, 47}, {39, 50}, {7, 66},  {2, 40},
                                          {3, 18},  {5, 19},  {23, 9},  {8, 2}};
    static double edge[PIXELS_MAX], want[PIXELS_MAX], got[PIXELS_MAX];
    const struct am_mgvf_loop loop = am_mgvf_loop_of(isa, AM_MGVF_BY_LANES, type);
    const double most = type == AM_MGVF_F32 ? 2e-5 : 1e-12;

    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        const struct shape s = shapes[i];
        size_t plain, ours;

        draw_edges(s, rng, edge);
        plain = solve(NULL, 500, s, NULL, edge, want);
        ours = solve(&loop, 500, s, NULL, edge, got);
        ok(ours == plain && near(got, want, s.rows * s.columns, most),
           "%s %s: %zu x %zu has the reference's %zu iterations (%zu)", isa, am_mgvf_types[type],
           s.rows, s.columns, plain, ours);
        ok(same_by_passes(&loop, s, edge, ours, got), "and with passes of any length, every bit");
    }
}

/* Low and wide fields have hardly any memory to drift through. */
static void check_low(const char *isa, enum am_mgvf_type type)
{
    static double edge[PIXELS_MAX], got[PIXELS_MAX];
    const struct am_mgvf_loop loop = am_mgvf_loop_of(isa, AM_MGVF_BY_LANES, type);
    struct am_rng rng;

    am_rng_seed(&rng, 9, 1);
    for (size_t rows = 2; rows < 10; rows++) {
        const struct shape s = {rows, COLUMNS_MAX};
        size_t ours;

        draw_edges(s, &rng, edge);
        ours = solve(&loop, 500, s, NULL, edge, got);
        ok(ours > 0 && same_by_passes(&loop, s, edge, ours, got),
           "%s %s: %zu rows by passes of any length, every bit", isa, am_mgvf_types[type], rows);
    }
}

/* Fields in which the counted rows say nothing: one that rests at once, and one with its only edge
 * in a row that is not counted. */
static void check_uncounted(const char *isa, enum am_mgvf_type type)
{
    static double edge[PIXELS_MAX], want[PIXELS_MAX], got[PIXELS_MAX];
    const struct shape s = {12, 30};
    const struct am_mgvf_loop loop = am_mgvf_loop_of(isa, AM_MGVF_BY_LANES, type);

    memset(edge, 0, sizeof(edge));
    ok(solve(&loop, 500, s, NULL, edge, got) == 1, "%s %s: without edges done at once", isa,
       am_mgvf_types[type]);
    for (size_t row = 0; row < s.rows; row++) {
        size_t plain, ours;

        memset(edge, 0, sizeof(edge));
        edge[row * s.columns + 11] = 1;
        plain = solve(NULL, 500, s, NULL, edge, want);
        ours = solve(&loop, 500, s, NULL, edge, got);
        ok(plain > 1 && ours == plain && same_by_passes(&loop, s, edge, ours, got),
           "%s %s: an edge in row %zu only: %zu iterations (%zu), with passes too", isa,
           am_mgvf_types[type], row, plain, ours);
    }
    ok(solve(&loop, 3, s, NULL, edge, got) == 3, "%s %s: the limit holds", isa,
       am_mgvf_types[type]);
}

static void check_bands(const char *isa, enum am_mgvf_type type, struct am_rng *rng)
{
    static double edge[PIXELS_MAX], want[PIXELS_MAX], got[PIXELS_MAX];
    const struct shape s = {41, 81};
    const struct am_mgvf_loop loop = am_mgvf_loop_of(isa, AM_MGVF_BY_LANES, type);
    struct am_mgvf_bands bands = {.executor = &am_executor_task_dbf};
    const int cpus[] = {0};
    const struct am_executor_setup two = {.threads = 2, .cpus = cpus, .cpu_count = 1};
    struct am_err err = {0};
    size_t iterations;

    draw_edges(s, rng, edge);
    iterations = solve(&loop, 500, s, NULL, edge, want);
    ok(bands.executor->open(bands.executor, &two, &bands.self, &err) == AM_OK, "two threads");
    for (bands.count = 2; bands.count <= 64; bands.count = bands.count * 2 + 1)
        ok(solve(&loop, 500, s, &bands, edge, got) == iterations &&
               memcmp(got, want, s.rows * s.columns * sizeof(*got)) == 0,
           "%s %s: %zu bands have the iterations and bits of one", isa, am_mgvf_types[type],
           bands.count);
    bands.executor->close(bands.self);
}

int main(void)
{
    struct am_rng rng;

    am_rng_seed(&rng, 7, 1); /* fixed: a mean that lies at the limit to a unit of f32 may differ */
    for (size_t i = 0; am_isa_names[i]; i++) {
        for (int type = 0; type < AM_MGVF_TYPES && !am_isa_why_not(am_isa_names[i]); type++) {
            check_shapes(am_isa_names[i], (enum am_mgvf_type)type, &rng);
            check_uncounted(am_isa_names[i], (enum am_mgvf_type)type);
            check_low(am_isa_names[i], (enum am_mgvf_type)type);
            check_bands(am_isa_names[i], (enum am_mgvf_type)type, &rng);
        }
    }
    return tap_done();
}
