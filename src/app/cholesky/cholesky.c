/* SPDX-License-Identifier: MIT */
/* Cholesky factorisation by tiles. */
#include "app/cholesky/cholesky.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BEFORE_MAX = 3, ALIGNMENT = 64 };

const char *const am_cholesky_kinds[AM_CHOLESKY_KINDS] = {"factor", "solve", "update", "product"};

struct task {
    enum am_cholesky_kind kind;
    uint32_t i, j, k; /* it writes tile (i,j) in step k */
    uint32_t n_before, before[BEFORE_MAX];
};

/* Tiles lie one after the other, the lower half by rows; inside a tile by rows. */
struct am_cholesky {
    size_t n, tile, tiles; /* tiles: of a row */
    double *a, *l;
    struct task *tasks;
    size_t n_tasks;
};

static size_t tile_index(size_t i, size_t j)
{
    return i * (i + 1) / 2 + j;
}

static double *tile_of(const struct am_cholesky *c, double *half, size_t i, size_t j)
{
    return half + tile_index(i, j) * c->tile * c->tile;
}

/* ---- the four kernels, on tiles of b by b ---- */

/* Four sums, so that one addition does not wait for the other. */
static double dot(const double *x, const double *y, size_t n)
{
    double s[4] = {0};
    size_t i = 0;

    for (; i + 4 <= n; i += 4) {
        for (size_t k = 0; k < 4; k++)
            s[k] += x[i + k] * y[i + k];
    }
    for (; i < n; i++)
        s[0] += x[i] * y[i];
    return s[0] + s[1] + (s[2] + s[3]);
}

static void factor(double *a, size_t b)
{
    for (size_t j = 0; j < b; j++) {
        const double d = sqrt(a[j * b + j] - dot(&a[j * b], &a[j * b], j));

        a[j * b + j] = d;
        for (size_t i = j + 1; i < b; i++)
            a[i * b + j] = (a[i * b + j] - dot(&a[i * b], &a[j * b], j)) / d;
    }
    for (size_t i = 0; i < b; i++) {
        for (size_t j = i + 1; j < b; j++)
            a[i * b + j] = 0;
    }
}

/* X l^T = x, row by row in its place. */
static void solve(const double *l, double *x, size_t b)
{
    for (size_t i = 0; i < b; i++) {
        for (size_t j = 0; j < b; j++)
            x[i * b + j] = (x[i * b + j] - dot(&x[i * b], &l[j * b], j)) / l[j * b + j];
    }
}

static void update(const double *x, double *c, size_t b)
{
    for (size_t i = 0; i < b; i++) {
        for (size_t j = 0; j <= i; j++)
            c[i * b + j] -= dot(&x[i * b], &x[j * b], b);
    }
}

static void product(const double *x, const double *y, double *c, size_t b)
{
    for (size_t i = 0; i < b; i++) {
        for (size_t j = 0; j < b; j++)
            c[i * b + j] -= dot(&x[i * b], &y[j * b], b);
    }
}

static void run_task(void *app, size_t number)
{
    struct am_cholesky *const c = app;
    const struct task *const t = &c->tasks[number];
    const size_t b = c->tile;
    double *const out = tile_of(c, c->l, t->i, t->j);

    if (t->k == 0)
        memcpy(out, tile_of(c, c->a, t->i, t->j), b * b * sizeof(*out));
    switch (t->kind) {
    case AM_CHOLESKY_FACTOR: factor(out, b); break;
    case AM_CHOLESKY_SOLVE: solve(tile_of(c, c->l, t->k, t->k), out, b); break;
    case AM_CHOLESKY_UPDATE: update(tile_of(c, c->l, t->i, t->k), out, b); break;
    case AM_CHOLESKY_PRODUCT:
        product(tile_of(c, c->l, t->i, t->k), tile_of(c, c->l, t->j, t->k), out, b);
        break;
    case AM_CHOLESKY_KINDS: break;
    }
}

/* ---- the graph ---- */

/* The latest task that wrote each tile, while tasks are made in order. */
struct writers {
    struct am_cholesky *c;
    uint32_t *last; /* number + 1; 0: nobody */
};

static void wait_for(const struct writers *w, struct task *t, size_t i, size_t j)
{
    const uint32_t last = w->last[tile_index(i, j)];

    if (last)
        t->before[t->n_before++] = last - 1;
}

static void add_task(struct writers *w, struct task t)
{
    if (t.kind == AM_CHOLESKY_SOLVE)
        wait_for(w, &t, t.k, t.k);
    if (t.kind == AM_CHOLESKY_UPDATE || t.kind == AM_CHOLESKY_PRODUCT)
        wait_for(w, &t, t.i, t.k);
    if (t.kind == AM_CHOLESKY_PRODUCT)
        wait_for(w, &t, t.j, t.k);
    wait_for(w, &t, t.i, t.j);
    w->c->tasks[w->c->n_tasks] = t;
    w->last[tile_index(t.i, t.j)] = (uint32_t)++w->c->n_tasks;
}

static void add_step(struct writers *w, uint32_t k)
{
    const uint32_t tiles = (uint32_t)w->c->tiles;

    add_task(w, (struct task){.kind = AM_CHOLESKY_FACTOR, .i = k, .j = k, .k = k});
    for (uint32_t i = k + 1; i < tiles; i++)
        add_task(w, (struct task){.kind = AM_CHOLESKY_SOLVE, .i = i, .j = k, .k = k});
    for (uint32_t i = k + 1; i < tiles; i++) {
        for (uint32_t j = k + 1; j < i; j++)
            add_task(w, (struct task){.kind = AM_CHOLESKY_PRODUCT, .i = i, .j = j, .k = k});
        add_task(w, (struct task){.kind = AM_CHOLESKY_UPDATE, .i = i, .j = i, .k = k});
    }
}

static size_t before(const void *app, size_t number, size_t *out)
{
    const struct am_cholesky *const c = app;
    const struct task *const t = &c->tasks[number];

    for (size_t i = 0; i < t->n_before; i++)
        out[i] = t->before[i];
    return t->n_before;
}

struct am_blocks am_cholesky_blocks(struct am_cholesky *c)
{
    return (struct am_blocks){
        .count = c->n_tasks, .app = c, .run = run_task, .before = before, .before_max = BEFORE_MAX};
}

enum am_cholesky_kind am_cholesky_kind_of(const struct am_cholesky *c, size_t task)
{
    return c->tasks[task].kind;
}

double am_cholesky_flops(const struct am_cholesky *c)
{
    const double n = (double)c->n;

    return n * n * n / 3 + n * n / 2 + n / 6;
}

double am_cholesky_critical(const struct am_cholesky *c, const double seconds[AM_CHOLESKY_KINDS])
{
    double *const ends = calloc(c->n_tasks + 1, sizeof(*ends));
    double longest = 0;

    for (size_t i = 0; ends && i < c->n_tasks; i++) {
        const struct task *const t = &c->tasks[i];

        for (size_t k = 0; k < t->n_before; k++)
            ends[i] = fmax(ends[i], ends[t->before[k]]);
        ends[i] += seconds[t->kind];
        longest = fmax(longest, ends[i]);
    }
    free(ends);
    return ends ? longest : NAN;
}

/* ---- the matrix ---- */

/* Symmetric, with a diagonal that outweighs the rest of its row: positive definite. */
static void fill(struct am_cholesky *c, uint64_t seed)
{
    struct am_rng rng;

    am_rng_seed(&rng, seed, 0);
    for (size_t i = 0; i < c->tiles; i++) {
        for (size_t j = 0; j <= i; j++) {
            double *const a = tile_of(c, c->a, i, j);

            for (size_t k = 0; k < c->tile * c->tile; k++)
                a[k] = am_rng_unit(&rng) - 0.5;
        }
    }
    for (size_t i = 0; i < c->tiles; i++) {
        double *const a = tile_of(c, c->a, i, i);

        for (size_t r = 0; r < c->tile; r++) {
            for (size_t k = r + 1; k < c->tile; k++)
                a[r * c->tile + k] = a[k * c->tile + r];
            a[r * c->tile + r] = (double)c->n;
        }
    }
}

/* out += M x, or += M^T x, of a lower half; `both`: of the symmetric matrix that it stands for. */
static void multiply(const struct am_cholesky *c, double *half, const double *x, double *out,
                     bool transposed, bool both)
{
    const size_t b = c->tile;

    for (size_t i = 0; i < c->tiles; i++) {
        for (size_t j = 0; j <= i; j++) {
            const double *const m = tile_of(c, half, i, j);

            for (size_t r = 0; r < b; r++) {
                for (size_t k = 0; k < b; k++) {
                    const double v = m[r * b + k];

                    if (!transposed)
                        out[i * b + r] += v * x[j * b + k];
                    if (transposed || (both && i != j))
                        out[j * b + k] += v * x[i * b + r];
                }
            }
        }
    }
}

void am_cholesky_spoil(struct am_cholesky *c)
{
    for (size_t k = 0; k < tile_index(c->tiles, 0) * c->tile * c->tile; k++)
        c->l[k] = NAN;
}

/* The greatest difference of L (L^T x) from A x, in parts of what rounding allows. */
static double worst_of(struct am_cholesky *c, double *x, double *y, double *z, double *wanted)
{
    const double allowed = 1e-13 * (double)c->n * (double)c->n;
    struct am_rng rng;
    double worst = 0;

    am_rng_seed(&rng, 7, 1);
    for (size_t i = 0; i < c->n; i++)
        x[i] = am_rng_unit(&rng) - 0.5;
    multiply(c, c->l, x, y, true, false);
    multiply(c, c->l, y, z, false, false);
    multiply(c, c->a, x, wanted, false, true);
    for (size_t i = 0; i < c->n; i++) {
        const double off = fabs(z[i] - wanted[i]);

        worst = off <= worst ? worst : off; /* what is no number is the worst */
    }
    return worst / allowed;
}

enum am_status am_cholesky_check(struct am_cholesky *c, double *residual, struct am_err *err)
{
    double *const vectors = calloc(4 * c->n, sizeof(*vectors));

    if (!vectors)
        return am_fail(err, AM_E_NOMEM, "no memory to check a factorisation");
    *residual = worst_of(c, vectors, vectors + c->n, vectors + 2 * c->n, vectors + 3 * c->n);
    free(vectors);
    am_cholesky_spoil(c);
    if (*residual <= 1)
        return AM_OK;
    return am_fail(err, AM_E_WRONG, "wrong: L L^T x differs from A x by %.3g of what is allowed",
                   *residual);
}

/* ---- life ---- */

static bool make_tasks(struct am_cholesky *c)
{
    const size_t t = c->tiles, most = t * (t + 1) * (t + 2) / 6;
    struct writers w = {.c = c, .last = calloc(tile_index(t, 0) + 1, sizeof(*w.last))};

    c->tasks = calloc(most + 1, sizeof(*c->tasks));
    for (uint32_t k = 0; w.last && c->tasks && k < t; k++)
        add_step(&w, k);
    free(w.last);
    return c->n_tasks == most;
}

enum am_status am_cholesky_new(size_t n, size_t tile, uint64_t seed, struct am_cholesky **c_p,
                               struct am_err *err)
{
    struct am_cholesky *const c = calloc(1, sizeof(*c));
    size_t bytes;
    bool good = c;

    if (n == 0 || tile == 0 || n % tile || n > AM_CHOLESKY_N_MAX ||
        n / tile > AM_CHOLESKY_TILES_MAX) {
        free(c);
        return am_fail(err, AM_E_ABSENT,
                       "a matrix of %zu by tiles of %zu: a multiple, up to %d and %d tiles", n,
                       tile, AM_CHOLESKY_N_MAX, AM_CHOLESKY_TILES_MAX);
    }
    if (good) {
        *c = (struct am_cholesky){.n = n, .tile = tile, .tiles = n / tile};
        bytes = tile_index(c->tiles, 0) * tile * tile * sizeof(double);
        bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        c->a = aligned_alloc(ALIGNMENT, bytes);
        c->l = aligned_alloc(ALIGNMENT, bytes);
        good = c->a && c->l && make_tasks(c);
    }
    if (!good) {
        am_cholesky_free(c);
        return am_fail(err, AM_E_NOMEM, "no memory for a matrix of %zu", n);
    }
    fill(c, seed);
    am_cholesky_spoil(c);
    *c_p = c;
    return AM_OK;
}

void am_cholesky_free(struct am_cholesky *c)
{
    if (!c)
        return;
    free(c->a);
    free(c->l);
    free(c->tasks);
    free(c);
}
