/* SPDX-License-Identifier: MIT */
/* Matrix products as blocks, and whether their outcome is right. */
#include "app/gemm/gemm.h"

#include "app/gemm/workspaces.h"
#include "base/large.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

enum {
    PAD = 16,         /* elements between rows of a tile: rows of a power of two share their sets */
    PADDED_MIN = 128, /* rows of tiles that have it */
    FILL_ROWS = 128,  /* of a tile, filled by one block */
    SAMPLES = 16,     /* elements that are computed again */
    ALLOWANCE = 8,    /* errors of so many standard deviations are allowed */
    STREAM_CHECK = 1, /* random numbers of the check; tiles have those above */
    STREAM_TILES = 2,
};

enum matrix { A, B, C, MATRICES };

/* Matrices are kept tile by tile, row of tiles by row of tiles, as the thesis's application has
 * them; a matrix of one tile as a library expects it. */
struct am_gemm {
    struct am_gemm_setup setup;
    size_t tiles; /* along a side */
    size_t pad;   /* elements behind each row of a tile */
    void *matrix[MATRICES];
    struct am_workspaces workspaces;
};

size_t am_gemm_tile_of_thesis(size_t n, size_t threads)
{
    size_t tile = n < AM_GEMM_TILE_MAX ? n : AM_GEMM_TILE_MAX;

    while (tile > AM_GEMM_TILE_MIN && (n / tile) * (n / tile) < threads)
        tile--;
    return tile;
}

static size_t element(const struct am_gemm_setup *setup)
{
    return setup->type == AM_GEMM_F32 ? sizeof(float) : sizeof(double);
}

static size_t tiles_of(const struct am_gemm_setup *setup)
{
    return (setup->n + setup->tile - 1) / setup->tile;
}

/* Small tiles fit into caches anyhow, and a whole matrix is as a library expects it. */
static size_t pad_of(const struct am_gemm_setup *setup)
{
    return setup->tile >= PADDED_MIN && setup->tile < setup->n ? PAD : 0;
}

double am_gemm_bytes(const struct am_gemm_setup *setup)
{
    const double n = (double)setup->n, gaps = (double)(tiles_of(setup) * pad_of(setup));

    return MATRICES * n * (n + gaps) * (double)element(setup) +
           (double)setup->threads * (double)setup->multiplier.workspace_bytes;
}

/* Rows, or columns, of tile i. */
static size_t extent(const struct am_gemm *g, size_t i)
{
    const size_t left = g->setup.n - i * g->setup.tile;

    return left < g->setup.tile ? left : g->setup.tile;
}

/* Elements from one row to the next in tiles of column j. */
static size_t pitch(const struct am_gemm *g, size_t j)
{
    return extent(g, j) + g->pad;
}

/* Where tile (i, j) begins, in elements. */
static size_t tile_at(const struct am_gemm *g, size_t i, size_t j)
{
    const size_t width = g->setup.n + g->tiles * g->pad;

    return i * g->setup.tile * width + j * (g->setup.tile + g->pad) * extent(g, i);
}

/* Where the part of a row in tiles of column j begins. */
static size_t row_at(const struct am_gemm *g, size_t row, size_t j)
{
    const size_t i = row / g->setup.tile;

    return tile_at(g, i, j) + row % g->setup.tile * pitch(g, j);
}

static double get_at(const struct am_gemm *g, enum matrix which, size_t i)
{
    return g->setup.type == AM_GEMM_F32 ? (double)((const float *)g->matrix[which])[i]
                                        : ((const double *)g->matrix[which])[i];
}

static double get(const struct am_gemm *g, enum matrix which, size_t row, size_t column)
{
    return get_at(g, which, row_at(g, row, column / g->setup.tile) + column % g->setup.tile);
}

static void put_at(const struct am_gemm *g, enum matrix which, size_t i, double x)
{
    if (g->setup.type == AM_GEMM_F32)
        ((float *)g->matrix[which])[i] = (float)x;
    else
        ((double *)g->matrix[which])[i] = x;
}

static bool get_all(struct am_gemm *g)
{
    const struct am_gemm_setup *const setup = &g->setup;

    for (size_t i = 0; i < MATRICES; i++) {
        g->matrix[i] = am_large_alloc(setup->n * (setup->n + g->tiles * g->pad) * element(setup));
        if (!g->matrix[i])
            return false;
    }
    return am_workspaces_init(&g->workspaces, setup->threads, setup->multiplier.workspace_bytes);
}

enum am_status am_gemm_new(const struct am_gemm_setup *setup, struct am_gemm **gemm_p,
                           struct am_err *err)
{
    struct am_gemm *g;

    if (setup->n == 0 || setup->n > AM_GEMM_N_MAX || setup->tile == 0 || setup->tile > setup->n ||
        setup->threads == 0)
        return am_fail(err, AM_E_LIMIT, "matrices of %zu rows in tiles of %zu", setup->n,
                       setup->tile);
    g = calloc(1, sizeof(*g));
    if (g) {
        g->setup = *setup;
        g->tiles = tiles_of(setup);
        g->pad = pad_of(setup);
    }
    if (!g || !get_all(g)) {
        am_gemm_free(g);
        return am_fail(err, AM_E_NOMEM, "no memory for matrices of %zu rows", setup->n);
    }
    *gemm_p = g;
    return AM_OK;
}

void am_gemm_free(struct am_gemm *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < MATRICES; i++)
        free(g->matrix[i]);
    am_workspaces_fini(&g->workspaces);
    free(g);
}

/* ---- blocks ---- */

static size_t fill_parts(const struct am_gemm *g)
{
    return (g->setup.tile + FILL_ROWS - 1) / FILL_ROWS;
}

/* Some rows of a tile. */
static void fill_rows(void *app, size_t block)
{
    const struct am_gemm *const g = app;
    const size_t tile = block / fill_parts(g), begin = block % fill_parts(g) * FILL_ROWS;
    const size_t i = tile / g->tiles, j = tile % g->tiles;
    struct am_rng rng;

    am_rng_seed(&rng, g->setup.seed, STREAM_TILES + block);
    for (size_t r = begin; r < begin + FILL_ROWS && r < extent(g, i); r++) {
        for (size_t c = 0; c < extent(g, j); c++) {
            const size_t at = tile_at(g, i, j) + r * pitch(g, j) + c;

            put_at(g, A, at, 2 * am_rng_unit(&rng) - 1);
            put_at(g, B, at, 2 * am_rng_unit(&rng) - 1);
            put_at(g, C, at, NAN);
        }
    }
}

static void *place(const struct am_gemm *g, enum matrix which, size_t i, size_t j)
{
    return (char *)g->matrix[which] + tile_at(g, i, j) * element(&g->setup);
}

static struct am_gemm_args product(const struct am_gemm *g, size_t i, size_t j, size_t k)
{
    return (struct am_gemm_args){
        .m = extent(g, i),
        .n = extent(g, j),
        .k = extent(g, k),
        .a = place(g, A, i, k),
        .b = place(g, B, k, j),
        .c = place(g, C, i, j),
        .lda = pitch(g, k),
        .ldb = pitch(g, j),
        .ldc = pitch(g, j),
        .add = k > 0,
    };
}

struct am_gemm_args am_gemm_whole(const struct am_gemm *g)
{
    return product(g, 0, 0, 0);
}

static void multiply(const struct am_gemm *g, size_t i, size_t j, size_t k)
{
    const struct am_gemm_args args = product(g, i, j, k);
    const struct am_gemm_multiplier *const multiplier = &g->setup.multiplier;
    struct am_workspace *const w = am_workspaces_take(&g->workspaces);

    multiplier->multiply(multiplier->self, &args, am_workspace_memory(w));
    am_workspaces_give(w);
}

static void run_product(void *app, size_t block)
{
    const struct am_gemm *const g = app;
    const size_t tile = block / g->tiles;

    multiply(g, tile / g->tiles, tile % g->tiles, block % g->tiles);
}

static size_t before_product(const void *app, size_t block, size_t *before)
{
    const struct am_gemm *const g = app;

    if (block % g->tiles == 0)
        return 0;
    before[0] = block - 1;
    return 1;
}

static void run_tile(void *app, size_t block)
{
    const struct am_gemm *const g = app;

    for (size_t k = 0; k < g->tiles; k++)
        multiply(g, block / g->tiles, block % g->tiles, k);
}

struct am_blocks am_gemm_filling(struct am_gemm *g)
{
    return (struct am_blocks){
        .count = g->tiles * g->tiles * fill_parts(g), .app = g, .run = fill_rows};
}

struct am_blocks am_gemm_products(struct am_gemm *g)
{
    return (struct am_blocks){
        .count = g->tiles * g->tiles * g->tiles,
        .app = g,
        .run = run_product,
        .before = g->tiles > 1 ? before_product : NULL,
        .before_max = 1,
    };
}

struct am_blocks am_gemm_tiles(struct am_gemm *g)
{
    return (struct am_blocks){.count = g->tiles * g->tiles, .app = g, .run = run_tile};
}

/* ---- verification ---- */

void am_gemm_spoil(struct am_gemm *g)
{
    for (size_t i = 0; i < g->tiles; i++) {
        for (size_t j = 0; j < g->tiles; j++)
            put_at(g, C, tile_at(g, i, j) + extent(g, j) - 1, NAN);
    }
}

/* Half a unit in the last place of 1. */
static long double unit(const struct am_gemm *g)
{
    return g->setup.type == AM_GEMM_F32 ? 0x1p-24L : 0x1p-53L;
}

/* y = M x */
static void apply(const struct am_gemm *g, enum matrix which, const long double *x, long double *y)
{
    for (size_t i = 0; i < g->setup.n; i++) {
        y[i] = 0;
        for (size_t j = 0; j < g->tiles; j++) {
            const size_t at = row_at(g, i, j);

            for (size_t c = 0; c < extent(g, j); c++)
                y[i] += (long double)get_at(g, which, at + c) * x[j * g->setup.tile + c];
        }
    }
}

struct worst {
    double share; /* the greatest error in parts of what is allowed; infinite for no number */
    size_t row;
};

static void judge(struct worst *worst, size_t row, long double error, long double allowed)
{
    const double share = (double)(fabsl(error) / allowed);

    if (share <= worst->share)
        return;
    worst->share = isnan(share) ? (double)INFINITY : share;
    worst->row = row;
}

/* An element of C is a walk of n steps of size 1/3 or so, each rounded: its error is some n/3
 * units. With signs at random n of them add to sqrt(n) as much. A wrong element is off by
 * sqrt(n)/3. */
static void check_rows(const struct am_gemm *g, struct am_rng *rng, long double *room,
                       struct worst *worst)
{
    const size_t n = g->setup.n;
    long double *const x = room, *const y = room + n, *const z = room + 2 * n;
    const long double allowed = ALLOWANCE * unit(g) * (long double)n * sqrtl((long double)n);

    for (size_t i = 0; i < n; i++)
        x[i] = am_rng_below(rng, 2) ? 1 : -1;
    apply(g, B, x, y);
    apply(g, A, y, z);
    apply(g, C, x, y);
    for (size_t i = 0; i < n; i++)
        judge(worst, i, y[i] - z[i], allowed);
}

static void check_elements(const struct am_gemm *g, struct am_rng *rng, struct worst *worst)
{
    const size_t n = g->setup.n;

    for (size_t s = 0; s < SAMPLES; s++) {
        const size_t i = am_rng_below(rng, n), j = am_rng_below(rng, n);
        long double sum = 0;

        for (size_t k = 0; k < n; k++)
            sum += (long double)get(g, A, i, k) * (long double)get(g, B, k, j);
        judge(worst, i, (long double)get(g, C, i, j) - sum, ALLOWANCE * unit(g) * (long double)n);
    }
}

enum am_status am_gemm_check(const struct am_gemm *g, double *residual, struct am_err *err)
{
    struct worst worst = {0};
    struct am_rng rng;
    long double *const room = calloc(3 * g->setup.n, sizeof(*room));

    if (!room)
        return am_fail(err, AM_E_NOMEM, "no memory to check %zu rows", g->setup.n);
    am_rng_seed(&rng, g->setup.seed, STREAM_CHECK);
    check_rows(g, &rng, room, &worst);
    check_elements(g, &rng, &worst);
    free(room);
    *residual = worst.share;
    if (worst.share <= 1)
        return AM_OK;
    return am_fail(err, AM_E_WRONG, "wrong: row %zu of the product is off by %.3g times the limit",
                   worst.row, worst.share);
}

void am_gemm_copy(const struct am_gemm *g, double *c)
{
    for (size_t i = 0; i < g->setup.n; i++) {
        for (size_t j = 0; j < g->setup.n; j++)
            *c++ = get(g, C, i, j);
    }
}
