/* SPDX-License-Identifier: MIT */
/* Products of matrices: all sizes around register blocks and packed blocks against long double,
 * with guard pages behind every matrix and gaps between rows that must stay as they are. */
#include "kcheck.h"

#include "guarded.h"
#include "kernels/gemm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* STEPS: columns of A that are packed at a time (8, or 1), and some more. */
enum { A, B, C, MATRICES, GAP = 3, SIDE_MAX = 80, STEPS = 11, STEPS_MAX = 256 };

struct gemm_case {
    const char *isa;
    const struct am_gemm_kernel *kernel;
    enum am_gemm_type type;
    struct am_gemm_blocking blocking;
    struct guarded g[MATRICES];
    void *workspace;
    double before[SIDE_MAX * (SIDE_MAX + GAP)]; /* C, before */
};

static double get(const struct gemm_case *c, int which, size_t i)
{
    return c->type == AM_GEMM_F32 ? (double)((const float *)(const void *)c->g[which].at)[i]
                                  : ((const double *)(const void *)c->g[which].at)[i];
}

static void put(struct gemm_case *c, int which, size_t i, double x)
{
    if (c->type == AM_GEMM_F32)
        ((float *)(void *)c->g[which].at)[i] = (float)x;
    else
        ((double *)(void *)c->g[which].at)[i] = x;
}

/* rows by columns against the end of its pages; without the last row's gap. */
static size_t place(struct gemm_case *c, int which, size_t rows, size_t columns)
{
    const size_t ld = columns + GAP, n = (rows - 1) * ld + columns;

    (void)guarded_at_end(&c->g[which], n * c->kernel->element);
    return n;
}

static void fill(struct gemm_case *c, int which, size_t n, struct am_rng *rng)
{
    for (size_t i = 0; i < n; i++)
        put(c, which, i, 2 * am_rng_unit(rng) - 1);
}

/* Whether each element of C is what it must be, and each gap what it was. */
static bool agrees(const struct gemm_case *c, const struct am_gemm_args *x)
{
    const long double unit = c->type == AM_GEMM_F32 ? 0x1p-23L : 0x1p-52L;
    bool good = true;

    for (size_t i = 0; i < x->m; i++) {
        for (size_t j = 0; j < x->n + (i + 1 < x->m ? GAP : 0); j++) {
            const double is = get(c, C, i * x->ldc + j), was = c->before[i * x->ldc + j];
            long double must = x->add ? was : 0;

            if (j >= x->n) {
                good = good && is == was;
                continue;
            }
            for (size_t k = 0; k < x->k; k++)
                must += (long double)get(c, A, i * x->lda + k) * get(c, B, k * x->ldb + j);
            good = good && fabsl(is - must) <= unit * (long double)(x->k + 2);
        }
    }
    return good;
}

static bool multiplies(struct gemm_case *c, size_t m, size_t n, size_t k, bool add,
                       struct am_rng *rng)
{
    const size_t a = place(c, A, m, k), b = place(c, B, k, n), out = place(c, C, m, n);
    const struct am_gemm_args args = {
        .m = m,
        .n = n,
        .k = k,
        .a = c->g[A].at,
        .b = c->g[B].at,
        .c = c->g[C].at,
        .lda = k + GAP,
        .ldb = n + GAP,
        .ldc = n + GAP,
        .add = add,
    };

    fill(c, A, a, rng);
    fill(c, B, b, rng);
    fill(c, C, out, rng);
    for (size_t i = 0; i < m && !add; i++) {
        for (size_t j = 0; j < n; j++)
            put(c, C, i * args.ldc + j, (double)NAN); /* must not be read */
    }
    for (size_t i = 0; i < out; i++)
        c->before[i] = get(c, C, i);
    am_gemm_multiply(c->kernel, &c->blocking, &args, c->workspace);
    return agrees(c, &args) && guarded_intact(&c->g[A]) && guarded_intact(&c->g[B]) &&
           guarded_intact(&c->g[C]);
}

/* One less, the same, one more than a register block, and than a packed one. */
static size_t sides(size_t unit, size_t *side)
{
    const size_t wanted[] = {1, unit - 1, unit, unit + 1, 2 * unit, 2 * unit + 1, 4 * unit + 3};
    size_t n = 0;

    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        if (wanted[i] > 0 && wanted[i] <= SIDE_MAX)
            side[n++] = wanted[i];
    }
    return n;
}

static void check_sizes(struct gemm_case *c, struct am_rng *rng)
{
    static const size_t depths[] = {1, STEPS - 1, STEPS, STEPS + 1, 3 * STEPS + 2};
    size_t rows[8], columns[8], wrong = 0, cases = 0;
    const size_t n_rows = sides(c->kernel->mr, rows), n_columns = sides(c->kernel->nr, columns);

    for (size_t i = 0; i < n_rows * n_columns; i++) {
        const size_t m = rows[i / n_columns], n = columns[i % n_columns];

        for (size_t d = 0; d < 2 * sizeof(depths) / sizeof(depths[0]); d++, cases++) {
            const size_t k = depths[d / 2];

            if (!multiplies(c, m, n, k, d % 2, rng) && wrong++ == 0)
                printf("# first wrong: %zu by %zu by %zu, add %zu\n", m, n, k, d % 2);
        }
    }
    kcheck_report(wrong == 0, "%s %s gemm: %zu sizes around %zu by %zu and packed blocks", c->isa,
                  am_gemm_types[c->type], cases, c->kernel->mr, c->kernel->nr);
}

/* A register block of every length in which the kernel fetches something else on its way. The
 * longest first, so that behind the packed slivers of the others there is something that is not
 * zero. */
static void check_lengths(struct gemm_case *c, struct am_rng *rng)
{
    size_t wrong = 0;

    for (size_t k = STEPS_MAX; k; k--) {
        if (!multiplies(c, c->kernel->mr, c->kernel->nr, k, true, rng) && wrong++ == 0)
            printf("# first wrong: %zu steps\n", k);
    }
    kcheck_report(wrong == 0, "%s %s gemm: a register block of 1 to %d steps", c->isa,
                  am_gemm_types[c->type], STEPS_MAX);
}

/* While a sliver of A is multiplied by all columns of a block, every line of the next one is
 * fetched, and every row that it is packed from. */
static bool is_fetched(const struct am_gemm_kernel *kernel, size_t columns)
{
    const size_t blocks = columns / kernel->nr;

    return blocks * AM_GEMM_ROWS_AHEAD >= kernel->mr &&
           blocks * AM_GEMM_ALIGN >= kernel->mr * kernel->element * AM_GEMM_CHUNK;
}

/* Whole register blocks, and within the caches that were told. */
static bool is_blocking(const struct gemm_case *c, const struct am_gemm_caches *caches)
{
    const struct am_gemm_blocking b = am_gemm_block(c->kernel, caches);
    const size_t row = b.kc * c->kernel->element;
    const bool whole =
        b.kc > 0 && b.mc > 0 && b.mc % c->kernel->mr == 0 && b.nc > 0 && b.nc % c->kernel->nr == 0;

    return whole && b.kc % AM_GEMM_CHUNK == 0 && is_fetched(c->kernel, b.nc) &&
           (b.kc == AM_GEMM_CHUNK || b.nc * row <= caches->l2 / 8 * 3) &&
           (b.mc == c->kernel->mr || (b.mc - c->kernel->mr) * row < caches->l3 / 2);
}

static void check_blocking(const struct gemm_case *c)
{
    static const size_t l2[] = {1024, 262144, 1 << 20, 32 << 20};
    static const size_t l3[] = {65536, 4 << 20, 32 << 20, 512 << 20};
    const struct am_gemm_blocking unknown = am_gemm_block(c->kernel, &(struct am_gemm_caches){0});
    bool good = unknown.kc > 1 && unknown.mc >= c->kernel->mr && unknown.nc >= c->kernel->nr;

    for (size_t i = 0; i < 4 * 4; i++)
        good = good && is_blocking(c, &(struct am_gemm_caches){l2[i / 4], l3[i % 4]});
    kcheck_report(good, "%s %s gemm: packed blocks are whole register blocks for every cache",
                  c->isa, am_gemm_types[c->type]);
}

typedef void check_fn(struct gemm_case *c, struct am_rng *rng);

static void with_blocks(struct gemm_case *c, size_t steps, check_fn *check, struct am_rng *rng)
{
    size_t bytes;

    c->blocking =
        (struct am_gemm_blocking){.mc = 2 * c->kernel->mr, .nc = 2 * c->kernel->nr, .kc = steps};
    bytes = (am_gemm_workspace(c->kernel, &c->blocking) + AM_GEMM_ALIGN - 1) / AM_GEMM_ALIGN *
            AM_GEMM_ALIGN;
    c->workspace = aligned_alloc(AM_GEMM_ALIGN, bytes);
    if (c->workspace)
        check(c, rng);
    free(c->workspace);
}

void kcheck_gemm(const char *isa, struct am_rng *rng)
{
    static struct gemm_case c;
    static char name[64];
    const struct am_gemm_variant *const v = am_gemm_find(isa);
    bool ready = v && strcmp(v->isa, isa) == 0;

    c = (struct gemm_case){.isa = isa};
    for (size_t i = 0; i < MATRICES && ready; i++)
        ready = guarded_new(&c.g[i], STEPS_MAX * (SIDE_MAX + GAP) * sizeof(double));
    kcheck_report(ready, "%s has its row of matrix products", isa);
    for (int type = 0; type < AM_GEMM_TYPES && ready; type++) {
        c.type = (enum am_gemm_type)type;
        c.kernel = &v->kernel[type];
        (void)snprintf(name, sizeof(name), "%s %s gemm", isa, am_gemm_types[type]);
        guarded_charge(name);
        with_blocks(&c, STEPS, check_sizes, rng);
        with_blocks(&c, STEPS_MAX, check_lengths, rng);
        check_blocking(&c);
    }
    for (size_t i = 0; i < MATRICES; i++)
        guarded_free(&c.g[i]);
}
