/* SPDX-License-Identifier: MIT */
/* Black-Scholes as one writes it: a plain loop over arrays with log, exp and erf, which gcc -Ofast
 * makes calls of libmvec. Shares no code with archmeter; peers/blackscholes.py compiles and runs
 * it.
 *
 *     blackscholes f32|f64 OPTIONS     prints options per second and the greatest error of a price
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 21, BATCH_NS = 5000000, ARRAYS = 7 };

#define LOOP(real, log_, exp_, erf_, sqrt_)                                                        \
    static __attribute__((noinline)) void price_##real(                                            \
        const real *restrict s, const real *restrict k, const real *restrict r,                    \
        const real *restrict v, const real *restrict t, real *restrict call, real *restrict put,   \
        size_t n)                                                                                  \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            const real dev = v[i] * sqrt_(t[i]);                                                   \
            const real d1 = (log_(s[i] / k[i]) + (r[i] + v[i] * v[i] / 2) * t[i]) / dev;           \
            const real d2 = d1 - dev, pv = k[i] * exp_(-r[i] * t[i]);                              \
            const real n1 = (real)0.5 + (real)0.5 * erf_(d1 * (real)M_SQRT1_2);                    \
            const real n2 = (real)0.5 + (real)0.5 * erf_(d2 * (real)M_SQRT1_2);                    \
                                                                                                   \
            call[i] = s[i] * n1 - pv * n2;                                                         \
            put[i] = pv * (1 - n2) - s[i] * (1 - n1);                                              \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void run_##real(void *const *a, size_t n)                                               \
    {                                                                                              \
        price_##real(a[0], a[1], a[2], a[3], a[4], a[5], a[6], n);                                 \
    }                                                                                              \
                                                                                                   \
    static double get_##real(const void *array, size_t i)                                          \
    {                                                                                              \
        return ((const real *)array)[i];                                                           \
    }                                                                                              \
                                                                                                   \
    static void set_##real(void *array, size_t i, double x)                                        \
    {                                                                                              \
        ((real *)array)[i] = (real)x;                                                              \
    }

LOOP(float, logf, expf, erff, sqrtf)
LOOP(double, log, exp, erf, sqrt)

struct type {
    const char *name;
    size_t bytes;
    void (*run)(void *const *arrays, size_t n);
    double (*get)(const void *array, size_t i);
    void (*set)(void *array, size_t i, double x);
};

static const struct type types[] = {
    {"f32", sizeof(float), run_float, get_float, set_float},
    {"f64", sizeof(double), run_double, get_double, set_double},
};

static long long now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Options of PARSEC's ranges. */
static void fill(const struct type *type, void *const *arrays, size_t n)
{
    static const double ranges[5][2] = {
        {42, 100}, {40, 110}, {0.0275, 0.1}, {0.05, 0.65}, {0.05, 1}};

    srand48(1);
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 5; k++)
            type->set(arrays[k], i, ranges[k][0] + (ranges[k][1] - ranges[k][0]) * drand48());
    }
}

static double worst(const struct type *type, void *const *a, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++) {
        const long double s = type->get(a[0], i), k = type->get(a[1], i), r = type->get(a[2], i);
        const long double v = type->get(a[3], i), t = type->get(a[4], i), dev = v * sqrtl(t);
        const long double d1 = (logl(s / k) + (r + v * v / 2) * t) / dev, d2 = d1 - dev;
        const long double pv = k * expl(-r * t), root = sqrtl(2);
        const long double call = s * erfcl(-d1 / root) / 2 - pv * erfcl(-d2 / root) / 2;
        const long double put = pv * erfcl(d2 / root) / 2 - s * erfcl(d1 / root) / 2;

        most = fmax(most, fabs((double)(type->get(a[5], i) - call)));
        most = fmax(most, fabs((double)(type->get(a[6], i) - put)));
    }
    return most;
}

static double batch(const struct type *type, void *const *arrays, size_t n, long long times)
{
    const long long begin = now_ns();

    for (long long i = 0; i < times; i++)
        type->run(arrays, n);
    return (double)(now_ns() - begin);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The median of the batches' times, in seconds per pass. */
static double measure(const struct type *type, void *const *arrays, size_t n)
{
    double times[BATCHES];
    long long passes = 1;

    while (batch(type, arrays, n, passes) < BATCH_NS)
        passes *= 2;
    for (int i = 0; i < BATCHES; i++)
        times[i] = batch(type, arrays, n, passes) * 1e-9 / (double)passes;
    qsort(times, BATCHES, sizeof(times[0]), ascending);
    return times[BATCHES / 2];
}

int main(int argc, char **argv)
{
    const struct type *const type =
        argc == 3 && strcmp(argv[1], "f64") == 0 ? &types[1] : &types[0];
    char *end = NULL;
    const unsigned long n = argc == 3 ? strtoul(argv[2], &end, 10) : 0;
    void *arrays[ARRAYS];

    if (argc != 3 || *end || n == 0 || strcmp(argv[1], type->name) != 0) {
        fprintf(stderr, "usage: %s f32|f64 OPTIONS\n", argv[0]);
        return 2;
    }
    for (int k = 0; k < ARRAYS; k++) {
        arrays[k] = aligned_alloc(64, (n * type->bytes + 63) / 64 * 64);
        if (!arrays[k])
            return 1;
    }
    fill(type, arrays, n);
    type->run(arrays, n);
    printf("%.9g %.3g\n", (double)n / measure(type, arrays, n), worst(type, arrays, n));
    return 0;
}
