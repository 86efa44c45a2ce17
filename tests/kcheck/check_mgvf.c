/* SPDX-License-Identifier: MIT */
/* Steps of the motion gradient vector flow: every element, its frame and the rows' sums against
 * long double, for all widths around vectors, in bands. */
#include "kcheck.h"

#include "guarded.h"
#include "kernels/mgvf.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_MAX = 11, COLUMNS_MAX = 70, SPARE = AM_MGVF_ALIGN };

static const int around[8][3] = {{-1, 0, -1}, {1, 0, 1}, {0, -1, -1},  {0, 1, 1},
                                 {-1, 1, 0},  {1, 1, 2}, {-1, -1, -2}, {1, -1, 0}};

struct mgvf_case {
    const struct am_mgvf_variant *v;
    enum am_mgvf_form form;
    enum am_mgvf_type type;
    size_t rows, columns, element, stride;
    double epsilon;
    struct guarded edge, from, to, scratch;
};

static double get(const struct mgvf_case *c, const void *x, ptrdiff_t i, ptrdiff_t j)
{
    const ptrdiff_t at = i * (ptrdiff_t)c->stride + j;

    return c->type == AM_MGVF_F32 ? (double)((const float *)x)[at] : ((const double *)x)[at];
}

static void put(const struct mgvf_case *c, void *x, ptrdiff_t i, ptrdiff_t j, double value)
{
    const ptrdiff_t at = i * (ptrdiff_t)c->stride + j;

    if (c->type == AM_MGVF_F32)
        ((float *)x)[at] = (float)value;
    else
        ((double *)x)[at] = value;
}

static size_t row_bytes(const struct mgvf_case *c)
{
    const size_t bytes = (c->columns + 1) * c->element;

    return AM_MGVF_LEAD + (bytes + AM_MGVF_ALIGN - 1) / AM_MGVF_ALIGN * AM_MGVF_ALIGN;
}

/* A matrix against the end of its pages, so that what is behind it cannot be read either. Returns
 * element (0, 0). */
static void *place(const struct mgvf_case *c, struct guarded *g)
{
    const size_t bytes = (c->rows + 2) * row_bytes(c) + AM_MGVF_LEAD;
    unsigned char *const base = guarded_at_end(g, bytes);

    memset(base, 0, bytes);
    return base + row_bytes(c) + AM_MGVF_LEAD;
}

static ptrdiff_t clamp(ptrdiff_t i, size_t n)
{
    if (i < 0)
        return 0;
    return i < (ptrdiff_t)n ? i : (ptrdiff_t)n - 1;
}

/* Values on a coarse grid half of the time: equal neighbours are what extremes meet at. */
static void fill(const struct mgvf_case *c, void *edge, void *from, struct am_rng *rng)
{
    for (ptrdiff_t i = 0; i < (ptrdiff_t)c->rows; i++) {
        for (ptrdiff_t j = 0; j < (ptrdiff_t)c->columns; j++) {
            const double x = am_rng_unit(rng);

            put(c, edge, i, j, am_rng_unit(rng));
            put(c, from, i, j, am_rng_below(rng, 2) ? x : nearbyint(4 * x) / 4);
        }
    }
    for (ptrdiff_t i = -1; i <= (ptrdiff_t)c->rows; i++) {
        for (ptrdiff_t j = -1; j <= (ptrdiff_t)c->columns; j++)
            put(c, from, i, j, get(c, from, clamp(i, c->rows), clamp(j, c->columns)));
    }
}

static long double weight(const struct mgvf_case *c, long double z)
{
    if (c->form != AM_MGVF_BY_MINMAX)
        return atanl(z / c->epsilon) / acosl(-1) + 0.5L;
    if (z > 0)
        return 1;
    return z < 0 ? 0 : 0.5L;
}

static long double want(const struct mgvf_case *c, const void *edge, const void *from, ptrdiff_t i,
                        ptrdiff_t j)
{
    const long double f = get(c, from, i, j), e = get(c, edge, i, j);
    long double h = f;

    for (size_t k = 0; k < 8; k++) {
        const long double d = get(c, from, i + around[k][0], j + around[k][1]) - f;

        h += 0.1L * weight(c, around[k][2] * d) * d;
    }
    return h - 0.2L * e * (h - e);
}

/* Elements and frame; sums of what was written, so that only their adding is judged. */
static bool outcome_right(const struct mgvf_case *c, const void *edge, const void *from,
                          const void *to, const double *sums)
{
    const double unit = c->type == AM_MGVF_F32 ? FLT_EPSILON : DBL_EPSILON;
    bool right = true;

    for (ptrdiff_t i = -1; i <= (ptrdiff_t)c->rows; i++) {
        long double sum = 0;

        for (ptrdiff_t j = -1; j <= (ptrdiff_t)c->columns; j++) {
            const ptrdiff_t row = clamp(i, c->rows), column = clamp(j, c->columns);
            const double got = get(c, to, i, j);

            if (row == i && column == j) {
                right = right && fabsl(got - want(c, edge, from, i, j)) <= 4 * unit;
                sum += fabsl(got - (long double)get(c, from, i, j));
            }
            right = right && memcmp(&got, &(double){get(c, to, row, column)}, sizeof(got)) == 0;
        }
        if (i >= 0 && i < (ptrdiff_t)c->rows)
            right = right && fabsl(sums[i] - sum) <= unit * (double)c->columns * (1 + (double)sum);
    }
    return right;
}

/* Two bands that meet at `cut`, and all rows as one: the same bits. */
static bool check_case(struct mgvf_case *c, size_t cut, struct am_rng *rng)
{
    static unsigned char once[(ROWS_MAX + 2) * (COLUMNS_MAX + 32) * sizeof(double)];
    double sums[ROWS_MAX], sums_once[ROWS_MAX];
    void *const edge = place(c, &c->edge), *const from = place(c, &c->from);
    void *const to = place(c, &c->to);
    struct am_mgvf_step step = {
        .edge = edge,
        .from = from,
        .to = to,
        .rows = c->rows,
        .columns = c->columns,
        .stride = c->stride,
        .diffusion = 0.1,
        .pull = 0.2,
        .epsilon = c->epsilon,
        .sums = sums,
        .scratch = guarded_at_end(&c->scratch, am_mgvf_naive_scratch(c->rows, c->columns)),
    };
    am_mgvf_fn *const fn = c->v->fn[c->form][c->type];
    bool same = true;

    fill(c, edge, from, rng);
    fn(&step, 0, c->rows);
    memcpy(once, c->to.at, c->to.size);
    memcpy(sums_once, sums, sizeof(sums));
    memset(c->to.at, 0, c->to.size);
    fn(&step, cut, c->rows);
    fn(&step, 0, cut);
    for (ptrdiff_t i = -1; i <= (ptrdiff_t)c->rows; i++) {
        const size_t at = (size_t)(i + 1) * row_bytes(c) + AM_MGVF_LEAD - c->element;

        same = same && memcmp(once + at, c->to.at + at, (c->columns + 2) * c->element) == 0;
    }
    return same && memcmp(sums_once, sums, c->rows * sizeof(*sums)) == 0 &&
           outcome_right(c, edge, from, to, sums) && guarded_intact(&c->edge) &&
           guarded_intact(&c->from) && guarded_intact(&c->to) && guarded_intact(&c->scratch);
}

static void check_loop(struct mgvf_case *c, struct am_rng *rng)
{
    static char name[64];
    const size_t widest = c->form == AM_MGVF_BY_NAIVE ? 9 : COLUMNS_MAX;
    size_t wrong = 0, cases = 0;

    (void)snprintf(name, sizeof(name), "%s mgvf %s %s", c->v->isa, am_mgvf_forms[c->form],
                   am_mgvf_types[c->type]);
    guarded_charge(name);
    c->element = c->type == AM_MGVF_F32 ? sizeof(float) : sizeof(double);
    for (c->columns = 2; c->columns <= widest; c->columns++, cases++) {
        c->rows = 2 + am_rng_below(rng, ROWS_MAX - 1);
        c->stride = row_bytes(c) / c->element;
        c->epsilon = c->columns % 3 ? 1e-10 : 0.3; /* every branch of the arc */
        if (!check_case(c, am_rng_below(rng, c->rows + 1), rng) && wrong++ == 0)
            printf("# first wrong: %zu x %zu\n", c->rows, c->columns);
    }
    kcheck_report(wrong == 0, "%s: %zu widths are right, whatever the bands, frames too", name,
                  cases);
}

void kcheck_mgvf(const char *isa, struct am_rng *rng)
{
    static struct mgvf_case c;
    const size_t bytes = (ROWS_MAX + 2) * (COLUMNS_MAX + 32) * sizeof(double);
    bool ready;

    c = (struct mgvf_case){.v = am_mgvf_find(isa)};
    ready = c.v && strcmp(c.v->isa, isa) == 0 && guarded_new(&c.edge, bytes + SPARE) &&
            guarded_new(&c.from, bytes + SPARE) && guarded_new(&c.to, bytes + SPARE) &&
            guarded_new(&c.scratch, am_mgvf_naive_scratch(ROWS_MAX, COLUMNS_MAX));
    kcheck_report(ready, "%s has its row of MGVF loops", isa);
    for (int i = 0; i < AM_MGVF_BY_LANES * AM_MGVF_TYPES && ready; i++) { /* lanes: apart */
        c.form = (enum am_mgvf_form)(i / AM_MGVF_TYPES);
        c.type = (enum am_mgvf_type)(i % AM_MGVF_TYPES);
        check_loop(&c, rng);
    }
    guarded_free(&c.edge);
    guarded_free(&c.from);
    guarded_free(&c.to);
    guarded_free(&c.scratch);
}
