/* SPDX-License-Identifier: MIT */
/* Steps of the motion gradient vector flow in the form lanes: every element and every sum against
 * long double, for all widths from the least on, in bands, in place, and with some rows counted. */
#include "kcheck.h"

#include "guarded.h"
#include "kernels/mgvf.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    ROWS_MAX = 13,
    COLUMNS_MAX = 90,
    PIXELS_MAX = ROWS_MAX * COLUMNS_MAX,
    EVERY_ALL = 1,
    BLOCKS_MAX = 40
};

static const int around[8][3] = {{-1, 0, -1}, {1, 0, 1}, {0, -1, -1},  {0, 1, 1},
                                 {-1, 1, 0},  {1, 1, 2}, {-1, -1, -2}, {1, -1, 0}};

struct lanes_case {
    const struct am_mgvf_variant *v;
    enum am_mgvf_type type;
    size_t rows, columns, element, stride, parts_bytes;
    double edge[PIXELS_MAX], field[PIXELS_MAX]; /* dense, exact in the type */
    struct am_mgvf_step step;
    struct guarded pairs, from, to, parts, constants;
};

static double unit_of(const struct lanes_case *c)
{
    return c->type == AM_MGVF_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
}

static double rounded(const struct lanes_case *c, double x)
{
    return c->type == AM_MGVF_F32 ? (double)(float)x : x;
}

/* Values on a coarse grid half of the time: equal neighbours are what extremes meet at. */
static void fill(struct lanes_case *c, struct am_rng *rng)
{
    for (size_t i = 0; i < c->rows * c->columns; i++) {
        const double x = am_rng_unit(rng);

        c->edge[i] = rounded(c, am_rng_unit(rng));
        c->field[i] = rounded(c, am_rng_below(rng, 2) ? x : nearbyint(4 * x) / 4);
    }
}

static ptrdiff_t clamp(ptrdiff_t i, size_t n)
{
    if (i < 0)
        return 0;
    return i < (ptrdiff_t)n ? i : (ptrdiff_t)n - 1;
}

static double field_at(const struct lanes_case *c, ptrdiff_t i, ptrdiff_t j)
{
    return c->field[clamp(i, c->rows) * (ptrdiff_t)c->columns + clamp(j, c->columns)];
}

static long double want(const struct lanes_case *c, size_t at)
{
    const ptrdiff_t i = (ptrdiff_t)(at / c->columns), j = (ptrdiff_t)(at % c->columns);
    const long double f = c->field[at], e = c->edge[at];
    long double h = f;

    for (size_t k = 0; k < 8; k++) {
        const long double d = field_at(c, i + around[k][0], j + around[k][1]) - f;
        const long double along = around[k][2] * d;

        h += 0.1L * (along > 0 ? 1 : along < 0 ? 0 : 0.5L) * d;
    }
    return h - 0.2L * e * (h - e);
}

static size_t vector_bytes(const struct lanes_case *c)
{
    return c->v->lanes[c->type] * c->element;
}

/* The sum that the block of row i has left in parts. */
static double part_of(const struct lanes_case *c, size_t i)
{
    const unsigned char *const part =
        (const unsigned char *)c->step.parts + i / c->v->block * vector_bytes(c);
    double sum = 0;

    for (size_t l = 0; l < c->v->lanes[c->type]; l++)
        sum += c->type == AM_MGVF_F32 ? (double)((const float *)(const void *)part)[l]
                                      : ((const double *)(const void *)part)[l];
    return sum;
}

/* Matrices against the ends of their pages; before `from` there is room for one row, into which a
 * field that is stepped in place moves. */
static void place(struct lanes_case *c)
{
    const size_t row = c->stride * c->element;

    c->parts_bytes = (c->rows + c->v->block - 1) / c->v->block * vector_bytes(c);
    c->step = (struct am_mgvf_step){
        .edge = guarded_at_end(&c->pairs, 2 * c->rows * row),
        .from = (unsigned char *)guarded_at_end(&c->from, (c->rows + 1) * row) + row,
        .to = guarded_at_end(&c->to, c->rows * row),
        .rows = c->rows,
        .columns = c->columns,
        .stride = c->stride,
        .diffusion = 0.1,
        .pull = 0.2,
        .parts = guarded_at_end(&c->parts, c->parts_bytes),
        .constants = guarded_at_end(&c->constants, AM_MGVF_CONSTANTS),
        .every = EVERY_ALL,
    };
    c->v->pack[c->type](&c->step, c->edge, c->field);
}

/* What was written, dense. */
static void take(struct lanes_case *c, double *out)
{
    struct am_mgvf_step written = c->step;

    written.from = c->step.to;
    c->v->unpack[c->type](&written, out);
}

/* Of the rows that a block counts, and of all blocks. */
static bool sums_right(const struct lanes_case *c, const double *got)
{
    const double of_all = c->v->change[c->type](&c->step);
    const size_t block = c->v->block;
    long double all = 0;
    bool right = true;

    for (size_t i = 0; i < c->rows; i += block) {
        const size_t n = c->rows - i < block ? c->rows - i : block;
        const size_t every = n == block ? c->step.every : EVERY_ALL;
        long double sum = 0;

        for (size_t k = 0; k < n * c->columns; k++) {
            const size_t at = i * c->columns + k;

            if (k / c->columns % every == 0)
                sum += fabsl((long double)got[at] - c->field[at]);
        }
        right = right &&
                fabsl(part_of(c, i) - sum) <= unit_of(c) * (double)c->columns * (1 + (double)sum);
        all += sum;
    }
    return right && fabsl(of_all - all) <= unit_of(c) * (double)c->columns * (1 + (double)all);
}

static bool outcome_right(const struct lanes_case *c, const double *got)
{
    bool right = sums_right(c, got);

    for (size_t i = 0; i < c->rows * c->columns; i++)
        right = right && fabsl(got[i] - want(c, i)) <= 6 * unit_of(c);
    return right;
}

/* Rows in two pieces that meet anywhere, whose sums are added up in one vector: the same bits, and
 * the sum of all rows. */
static bool gathered_right(struct lanes_case *c, size_t cut, const double *once)
{
    static double got[PIXELS_MAX];
    am_mgvf_fn *const fn = c->v->fn[AM_MGVF_BY_LANES][c->type];
    const struct am_mgvf_step kept = c->step;
    long double all = 0;
    double sum;

    c->step.gathers = true;
    c->step.parts = guarded_at_end(&c->parts, vector_bytes(c));
    memset(c->step.parts, 0x55, vector_bytes(c)); /* of the field before */
    fn(&c->step, 0, cut);
    fn(&c->step, cut, c->rows);
    take(c, got);
    sum = c->v->change[c->type](&c->step);
    for (size_t i = 0; i < c->rows * c->columns; i++)
        all += fabsl((long double)once[i] - c->field[i]);
    c->step = kept;
    return memcmp(got, once, c->rows * c->columns * sizeof(*got)) == 0 &&
           fabsl(sum - all) <= unit_of(c) * (double)c->columns * (1 + (double)all) &&
           guarded_intact(&c->parts) && guarded_at_end(&c->parts, c->parts_bytes) == kept.parts;
}

/* All rows as one, two bands that meet at `cut`, rows counted in part, in place: the same bits. */
static bool check_case(struct lanes_case *c, size_t cut, struct am_rng *rng)
{
    static double once[PIXELS_MAX], got[PIXELS_MAX];
    const size_t bytes = c->rows * c->columns * sizeof(*got);
    am_mgvf_fn *const fn = c->v->fn[AM_MGVF_BY_LANES][c->type];
    static unsigned char parts[ROWS_MAX * AM_MGVF_ALIGN];
    bool right;

    fill(c, rng);
    place(c);
    c->v->unpack[c->type](&c->step, got);
    right = memcmp(got, c->field, bytes) == 0;
    fn(&c->step, 0, c->rows);
    take(c, once);
    right = right && outcome_right(c, once);
    memcpy(parts, c->step.parts, c->parts_bytes);
    memset(c->step.parts, 0, c->parts_bytes);
    memset(c->to.at, 0, c->to.size);
    fn(&c->step, cut, c->rows);
    fn(&c->step, 0, cut);
    take(c, got);
    right =
        right && memcmp(got, once, bytes) == 0 && memcmp(parts, c->step.parts, c->parts_bytes) == 0;
    for (c->step.every = 2; c->step.every <= AM_MGVF_EVERY_MAX; c->step.every *= 2) {
        fn(&c->step, 0, c->rows);
        take(c, got);
        right = right && memcmp(got, once, bytes) == 0 && sums_right(c, once);
    }
    c->step.every = EVERY_ALL;
    right = right && gathered_right(c, 1 + am_rng_below(rng, c->rows - 1), once);
    c->step.to = (unsigned char *)c->from.at;
    fn(&c->step, 0, c->rows);
    take(c, got);
    return right && memcmp(got, once, bytes) == 0 &&
           memcmp(parts, c->step.parts, c->parts_bytes) == 0 && guarded_intact(&c->pairs) &&
           guarded_intact(&c->from) && guarded_intact(&c->to) && guarded_intact(&c->parts) &&
           guarded_intact(&c->constants);
}

/* True where a field of that many columns is right; the first that is not is told. */
static bool check_width(struct lanes_case *c, size_t columns, size_t rows, struct am_rng *rng)
{
    const size_t lanes = c->v->lanes[c->type];
    bool right;

    c->columns = columns;
    c->stride = ((columns - 2 + lanes) / lanes + 1) * lanes;
    c->rows = rows;
    right = check_case(c, am_rng_below(rng, rows / c->v->block + 1) * c->v->block, rng);
    if (!right)
        printf("# wrong: %zu x %zu\n", rows, columns);
    return right;
}

/* Parts of many blocks are added up, whatever their number; none behind the last is. */
static bool check_many_parts(struct lanes_case *c, struct am_rng *rng)
{
    const size_t lanes = c->v->lanes[c->type];
    bool right = true;

    for (size_t blocks = 1; blocks <= BLOCKS_MAX; blocks++) {
        const size_t n = blocks * lanes;
        void *const parts = guarded_at_end(&c->parts, n * c->element);
        const struct am_mgvf_step step = {.rows = blocks * c->v->block, .parts = parts};
        long double sum = 0;

        for (size_t i = 0; i < n; i++) {
            const double x = rounded(c, am_rng_unit(rng));

            sum += x;
            if (c->type == AM_MGVF_F32)
                ((float *)parts)[i] = (float)x;
            else
                ((double *)parts)[i] = x;
        }
        right = right && fabsl(c->v->change[c->type](&step) - sum) <= 16 * unit_of(c) * (double)sum;
    }
    return right;
}

static void check_type(struct lanes_case *c, struct am_rng *rng)
{
    static char name[64];
    size_t wrong = 0, cases = 0;

    (void)snprintf(name, sizeof(name), "%s mgvf lanes %s", c->v->isa, am_mgvf_types[c->type]);
    guarded_charge(name);
    c->element = c->type == AM_MGVF_F32 ? sizeof(float) : sizeof(double);
    for (size_t n = AM_MGVF_LANES_LEAST(c->v->lanes[c->type]); n <= COLUMNS_MAX; n++) {
        cases++;
        wrong += !check_width(c, n, 2 + am_rng_below(rng, ROWS_MAX - 1), rng);
    }
    for (size_t rows = 2; rows <= ROWS_MAX; rows++) /* which has loops of its own */
        wrong += !check_width(c, AM_MGVF_USUAL_COLUMNS, rows, rng);
    wrong += !check_many_parts(c, rng);
    kcheck_report(wrong == 0,
                  "%s: %zu widths are right, in bands, in place and with some rows counted", name,
                  cases);
}

void kcheck_mgvf_lanes(const char *isa, struct am_rng *rng)
{
    static struct lanes_case c;
    const size_t bytes = (ROWS_MAX + 1) * (COLUMNS_MAX + 32) * sizeof(double);
    bool ready;

    c = (struct lanes_case){.v = am_mgvf_find(isa)};
    ready = c.v && guarded_new(&c.pairs, 2 * bytes) && guarded_new(&c.from, bytes) &&
            guarded_new(&c.to, bytes) && guarded_new(&c.parts, BLOCKS_MAX * AM_MGVF_ALIGN) &&
            guarded_new(&c.constants, AM_MGVF_CONSTANTS);
    kcheck_report(ready, "%s has MGVF with lanes far apart", isa);
    for (int type = 0; type < AM_MGVF_TYPES && ready; type++) {
        c.type = (enum am_mgvf_type)type;
        check_type(&c, rng);
    }
    guarded_free(&c.pairs);
    guarded_free(&c.from);
    guarded_free(&c.to);
    guarded_free(&c.parts);
    guarded_free(&c.constants);
}
