/* SPDX-License-Identifier: MIT */
/* Blocks of rows in registers: every shape, rings and rows with ends, strides of both signs, rows
 * of any length, against long double; and nothing written but the rows of the outcome. */
#include "kcheck.h"

#include "guarded.h"
#include "kernels/wave.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LINES = (AM_WAVE_PLANES_MAX + 2) * (AM_WAVE_ROWS_MAX + 2),
    POINTS_MAX = 70,
    VECTORS_MAX = 80
};

struct wave_case {
    const struct am_wave_variant *v;
    enum am_stencil_type type;
    size_t planes, rows; /* of the block; 2-D: one plane */
    bool solid, ring, back, ahead;
    size_t points, vectors, element, lanes;
    struct guarded memory;
    double before[LINES][POINTS_MAX];
};

static size_t lines_of(const struct wave_case *c)
{
    return (c->rows + 2) * (c->solid ? c->planes + 2 : 1);
}

static char *line_at(const struct wave_case *c, size_t line)
{
    return (char *)c->memory.at + line * c->vectors * c->lanes * c->element;
}

/* Places of a row that have points: of a ring all, the first points once more behind the last. */
static size_t places_of(const struct wave_case *c)
{
    return c->ring ? c->lanes * c->vectors : c->points;
}

/* Elements into a row. */
static size_t element_of(const struct wave_case *c, size_t place)
{
    return place % c->vectors * c->lanes + place / c->vectors;
}

static double get(const struct wave_case *c, size_t line, size_t place)
{
    const size_t at = element_of(c, place);

    return c->type == AM_STENCIL_F32 ? (double)((const float *)(void *)line_at(c, line))[at]
                                     : ((const double *)(void *)line_at(c, line))[at];
}

static void put(const struct wave_case *c, size_t line, size_t place, double x)
{
    const size_t at = element_of(c, place);

    if (c->type == AM_STENCIL_F32)
        ((float *)(void *)line_at(c, line))[at] = (float)x;
    else
        ((double *)(void *)line_at(c, line))[at] = x;
}

static const struct am_wave_ends ends = {0.75, -0.5, -0.25};

/* Behind the last point of a row with ends comes what lies beyond it, and then what must not
 * matter.
 */
static void fill(struct wave_case *c, struct am_rng *rng)
{
    for (size_t line = 0; line < lines_of(c); line++) {
        for (size_t i = 0; i < c->points; i++) {
            const double x = 2 * am_rng_unit(rng) - 1;

            c->before[line][i] = c->type == AM_STENCIL_F32 ? (double)(float)x : x;
        }
        for (size_t k = 0; k < c->lanes * c->vectors; k++)
            put(c, line, k, k == c->points ? ends.right : NAN);
        for (size_t k = 0; k < places_of(c); k++)
            put(c, line, k, c->before[line][k % c->points]);
    }
}

/* The step of point i of a line whose neighbours across rows are `row` and `plane` lines away. */
static long double want(const struct wave_case *c, size_t line, size_t i, ptrdiff_t row,
                        ptrdiff_t plane)
{
    const double *const u = c->before[line];
    const size_t n = c->points;
    const long double left = i > 0 ? u[i - 1] : c->ring ? u[n - 1] : ends.left;
    const long double right = i + 1 < n ? u[i + 1] : c->ring ? u[0] : ends.right;
    long double sum = left + right + c->before[(ptrdiff_t)line - row][i];

    sum += c->before[(ptrdiff_t)line + row][i];
    if (c->solid)
        sum += (long double)c->before[(ptrdiff_t)line - plane][i] +
               c->before[(ptrdiff_t)line + plane][i];
    return 0.125L * sum + 0.25L * u[i];
}

/* Lines of the outcome, one row (and plane) before those of the block, and all others untouched. */
static bool outcome_right(const struct wave_case *c, ptrdiff_t row, ptrdiff_t plane, size_t first)
{
    const double unit = c->type == AM_STENCIL_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    bool written[LINES] = {false}, right = true;

    for (size_t k = 0; k < c->planes * c->rows; k++) {
        const ptrdiff_t line =
            (ptrdiff_t)first + (ptrdiff_t)(k % c->rows) * row + (ptrdiff_t)(k / c->rows) * plane;
        const size_t to = (size_t)(line - row - (c->solid ? plane : 0));

        written[to] = true;
        for (size_t p = 0; p < places_of(c); p++)
            right = right && fabsl(get(c, to, p) -
                                   want(c, (size_t)line, p % c->points, row, plane)) <= 4 * unit;
        if (!c->ring && c->points < c->lanes * c->vectors)
            right = right && get(c, to, c->points) == ends.next;
    }
    for (size_t p = 0; p < lines_of(c) * c->points; p++) {
        const size_t line = p / c->points, i = p % c->points;

        if (!written[line])
            right = right && memcmp(&(double){get(c, line, i)}, &c->before[line][i], 8) == 0;
    }
    return right && guarded_intact(&c->memory);
}

static bool check_case(struct wave_case *c, am_wave_fn *fn, struct am_rng *rng)
{
    const size_t bytes = c->vectors * c->lanes * c->element;
    const ptrdiff_t sign = c->back ? -1 : 1, row = sign, plane = sign * (ptrdiff_t)(c->rows + 2);
    const size_t low = c->solid ? c->rows + 3 : 1;
    const size_t high = lines_of(c) - 1 - low, first = c->back ? high : low;
    struct am_wave_block block = {.row = row * (ptrdiff_t)bytes,
                                  .plane = plane * (ptrdiff_t)bytes,
                                  .vectors = c->vectors,
                                  .side = 0.125,
                                  .centre = 0.25,
                                  .ends = c->ring ? NULL : &ends};
    const size_t pads = c->lanes * c->vectors - c->points;
    const char *ahead[AM_WAVE_AHEAD_SOLID];

    if (pads > 0 && c->ring) {
        block.left = element_of(c, c->points - 1) * c->element;
        block.right = element_of(c, pads % c->points) * c->element;
    } else if (pads > 0) {
        block.pad = element_of(c, c->points) * c->element;
    }
    (void)guarded_at_end(&c->memory, lines_of(c) * bytes);
    fill(c, rng);
    block.first = line_at(c, first);
    ahead[0] = ahead[1] = block.first;
    block.ahead = ahead;
    fn(&block);
    return outcome_right(c, row, plane, first);
}

static size_t check_shape(struct wave_case *c, am_wave_fn *fn, struct am_rng *rng, size_t *wrong)
{
    size_t cases = 0;

    c->lanes = c->v->lanes[c->type];
    c->element = c->type == AM_STENCIL_F32 ? sizeof(float) : sizeof(double);
    for (c->points = c->lanes + (c->lanes > 1); c->points <= POINTS_MAX; c->points++, cases++) {
        c->vectors = (c->points + c->lanes - 1) / c->lanes;
        c->ring = am_rng_below(rng, 2);
        c->back = am_rng_below(rng, 2);
        if (!check_case(c, fn, rng) && (*wrong)++ == 0)
            printf("# first wrong: %zu planes of %zu rows of %zu, ring %d, back %d\n", c->planes,
                   c->rows, c->points, c->ring, c->back);
    }
    return cases;
}

/* Every loop of the table, those with prefetch too. */
static void check_type(struct wave_case *c, struct am_rng *rng)
{
    static char name[64];
    size_t wrong = 0, cases = 0;

    (void)snprintf(name, sizeof(name), "%s wave %s", c->v->isa, am_stencil_types[c->type]);
    guarded_charge(name);
    c->solid = false;
    c->planes = 1;
    for (c->rows = 1; c->rows <= c->v->rows; c->rows++)
        cases += check_shape(c, c->v->flat[c->type][c->rows - 1], rng, &wrong);
    c->rows = c->v->rows;
    cases += check_shape(c, c->v->flat_ahead[c->type], rng, &wrong);
    c->solid = true;
    for (size_t k = 0; k < (size_t)c->v->planes * c->v->deep; k++) {
        c->planes = 1 + k / c->v->deep;
        c->rows = 1 + k % c->v->deep;
        cases += check_shape(c, c->v->solid[c->type][c->planes - 1][c->rows - 1], rng, &wrong);
        if (c->planes == c->v->planes && c->v->solid_ahead[c->type][c->rows - 1])
            cases += check_shape(c, c->v->solid_ahead[c->type][c->rows - 1], rng, &wrong);
    }
    kcheck_report(wrong == 0 && cases > 0, "%s: %zu blocks are right, and write nothing else", name,
                  cases);
}

void kcheck_wave(const char *isa, struct am_rng *rng)
{
    static struct wave_case c;
    bool ready;

    c = (struct wave_case){.v = am_wave_find(isa)};
    ready = c.v && strcmp(c.v->isa, isa) == 0 &&
            guarded_new(&c.memory, (size_t)LINES * VECTORS_MAX * 2 * sizeof(double));
    kcheck_report(ready, "%s has its row of waves", isa);
    for (int type = 0; type < AM_STENCIL_TYPES && ready; type++) {
        c.type = (enum am_stencil_type)type;
        check_type(&c, rng);
    }
    guarded_free(&c.memory);
}
