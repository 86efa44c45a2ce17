/* SPDX-License-Identifier: MIT */
/* A dot product, compiled once per instruction set: `archmeter run examples/own/dot.c cpu.flops mem.bandwidth`, then
 * `archmeter explain`.
 *
 * archmeter-isa: all
 * archmeter-flags: -O3 -ffast-math */
#include <archmeter/bench.h>

static const struct archmeter_axis axes[] = {
    {"size", "16K,256K,64M", "bytes of both vectors", "bytes", .quick = "16K,64M"},
    {NULL},
};

static const struct archmeter_metric metrics[] = {
    {"rate", "flops", "products and sums"},
    {"bandwidth", "bytes", "of both vectors"},
    {NULL},
};

static double *x, *y, sum; /* every launch is a process of its own: globals are fine */
static int64_t n;

static int prepare(struct archmeter_point *point)
{
    n = archmeter_count(point, "size") / (int64_t)(2 * sizeof(double));
    if (n < 1)
        return archmeter_refuse(point, "less than one element per vector");
    x = archmeter_alloc(point, (size_t)n * sizeof(double));
    y = archmeter_alloc(point, (size_t)n * sizeof(double));
    for (int64_t i = 0; i < n; i++) {
        x[i] = 1;
        y[i] = (double)(i % 7);
    }
    point->flops = 2.0 * (double)n; /* of one iteration */
    point->bytes_read = 16.0 * (double)n;
    return 0;
}

static void run(struct archmeter_point *point, uint64_t iterations)
{
    (void)point;
    for (; iterations > 0; iterations--) {
        double s = 0;

        for (int64_t i = 0; i < n; i++)
            s += x[i] * y[i];
        sum = s;
        archmeter_keep(&sum);
    }
}

static int verify(struct archmeter_point *point)
{
    int64_t want = 0;

    for (int64_t i = 0; i < n; i++)
        want += i % 7;
    return archmeter_check(point, "sum", sum, (double)want, 1e-12);
}

ARCHMETER_BENCH(dot, .summary = "dot product of two vectors", .axes = axes, .metrics = metrics,
                .prepare = prepare, .run = run, .verify = verify);
