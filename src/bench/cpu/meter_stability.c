/* SPDX-License-Identifier: MIT */
/* meter.stability: the same work again and again, to see whether the energy meters say the same
 * (seed 001, section 5.2: a matrix product, 1000 times). What is of interest are the metrics that
 * the conductor's meters add; the time is here to tell an unsteady meter from an unsteady machine.
 */
#include "bench/cpu/axes.h"
#include "core/bench/bench.h"
#include "core/measure/team.h"

#include <stdlib.h>

enum axis_index { N, THREADS };

enum {
    N_MAX = 1024,
    A_CYCLE = 7, /* small whole numbers: every sum is exact in a double */
    B_CYCLE = 5,
};

/* One thread's matrices, row by row. */
struct product {
    double *a, *b, *c;
};

struct stability {
    size_t n, threads;
    uint64_t iters; /* of the latest run */
    struct product *products;
    struct am_team *team;
};

static double a_of(size_t i, size_t k)
{
    return (double)((i + 2 * k) % A_CYCLE);
}

static double b_of(size_t k, size_t j)
{
    return (double)((3 * k + j) % B_CYCLE);
}

static bool make_product(struct product *p, size_t n)
{
    p->a = calloc(3 * n * n, sizeof(*p->a));
    if (!p->a)
        return false;
    p->b = p->a + n * n;
    p->c = p->b + n * n;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            p->a[i * n + k] = a_of(i, k);
            p->b[i * n + k] = b_of(i, k);
        }
    }
    return true;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct stability *const s = state;
    const double n = (double)point[N].i;
    enum am_status status = am_usable_threads(point[THREADS].i, ctx, err);

    if (status != AM_OK)
        return status;
    if (point[N].i < 1 || point[N].i > N_MAX)
        return am_fail(err, AM_E_ABSENT, "a matrix has 1 to %d rows here", N_MAX);
    s->n = (size_t)point[N].i;
    s->threads = (size_t)point[THREADS].i;
    s->products = calloc(s->threads, sizeof(*s->products));
    for (size_t i = 0; s->products && i < s->threads; i++) {
        if (!make_product(&s->products[i], s->n))
            return am_fail(err, AM_E_NOMEM, "matrices of %zu rows", s->n);
    }
    if (!s->products)
        return am_fail(err, AM_E_NOMEM, "matrices of %zu threads", s->threads);
    work->flops = 2 * n * n * n * (double)s->threads;
    work->ops = (double)s->threads;
    return am_team_new(s->threads, ctx->cpus, ctx->cpu_count, &s->team, err);
}

/* C = A B. The inner loop runs along rows of B and C. */
__attribute__((noinline)) static void multiply(const struct product *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double *restrict const row = p->c + i * n;

        for (size_t j = 0; j < n; j++)
            row[j] = 0;
        for (size_t k = 0; k < n; k++) {
            const double factor = p->a[i * n + k];
            const double *restrict const other = p->b + k * n;

            for (size_t j = 0; j < n; j++)
                row[j] += factor * other[j];
        }
    }
}

static void run_member(void *arg, size_t thread, size_t threads)
{
    const struct stability *const s = arg;

    (void)threads;
    for (uint64_t i = 0; i < s->iters; i++)
        multiply(&s->products[thread], s->n);
}

static void run(void *state, uint64_t iters)
{
    struct stability *const s = state;

    s->iters = iters;
    am_team_run(s->team, run_member, s);
}

static double expected(const struct stability *s, size_t i, size_t j)
{
    double sum = 0;

    for (size_t k = 0; k < s->n; k++)
        sum += a_of(i, k) * b_of(k, j);
    return sum;
}

/* Elements repeat with the cycles of A and B: one cycle of each, and the last ones, stand for all.
 */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct stability *const s = state;
    const size_t rows = s->n < A_CYCLE ? s->n : A_CYCLE, columns = s->n < B_CYCLE ? s->n : B_CYCLE;

    *residual = 0;
    for (size_t t = 0; t < s->threads; t++) {
        for (size_t e = 0; e < 2 * rows * columns; e++) {
            const bool last = e >= rows * columns;
            const size_t i = e / columns % rows, j = e % columns;
            const size_t row = last ? s->n - 1 - i : i, column = last ? s->n - 1 - j : j;
            const double off = s->products[t].c[row * s->n + column] - expected(s, row, column);

            if (off < 0 || off > 0) {
                *residual = off < 0 ? -off : off;
                return am_fail(err, AM_E_WRONG, "thread %zu: element %zu,%zu is off by %g", t, row,
                               column, off);
            }
        }
    }
    return AM_OK;
}

static void finish(void *state)
{
    struct stability *const s = state;

    am_team_free(s->team);
    for (size_t i = 0; s->products && i < s->threads; i++)
        free(s->products[i].a);
    free(s->products);
}

static const struct am_axis axes[] = {
    [N] = {.name = "n", .kind = AM_AXIS_INT, .dflt = "128", .help = "rows of the matrices"},
    [THREADS] = AM_AXIS_THREADS(.dflt = "cpus", .help = "threads, each with matrices of its own"),
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, "of one product in every thread"},
    {"flops", "flop/s", AM_HIGHER, AM_RULE_FLOP_RATE, "of all threads together"},
    {.name = NULL},
};

const struct am_bench am_bench_meter_stability = {
    .name = "meter.stability",
    .summary = "one matrix product again and again: how steady the energy meters are",
    .version = 1,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct stability),
    .named_only = true,
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .finish = finish,
};
