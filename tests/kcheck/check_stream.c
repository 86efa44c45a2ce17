/* SPDX-License-Identifier: MIT */
/* Streaming loops: all lengths around vectors and unrolled steps, at both ends of their pages. */
#include "kcheck.h"

#include "guarded.h"
#include "kernels/stream.h"

#include <stdio.h>
#include <string.h>

enum { PASSES_MAX = 3 };

struct stream_case {
    const struct am_stream_variant *v;
    enum am_stream_kernel kernel;
    int nt;
    size_t n;
    size_t shift; /* elements from the beginning; `n` + 1 or more means against the end */
    uint64_t passes;
};

struct arrays {
    struct guarded g[AM_STREAM_ARRAYS_MAX];
    double *was[AM_STREAM_ARRAYS_MAX]; /* contents before the call */
};

/* Integers below 2^20: products and sums are exact, fused or not. */
static double small_integer(struct am_rng *rng)
{
    return (double)((int64_t)am_rng_below(rng, 1 << 21) - (1 << 20));
}

static double element(const struct stream_case *c, const struct arrays *x, double s, size_t i)
{
    const double b = x->was[1][i], k = x->was[2][i];
    double a = x->was[0][i];

    switch (c->kernel) {
    case AM_STREAM_write: return s;
    case AM_STREAM_update:
        for (uint64_t p = 0; p < c->passes; p++)
            a = s * a;
        return a;
    case AM_STREAM_copy: return b;
    case AM_STREAM_scale: return s * b;
    case AM_STREAM_add: return b + k;
    case AM_STREAM_triad: return b + s * k;
    case AM_STREAM_read:
    case AM_STREAM_KERNELS: break;
    }
    return a;
}

static uint64_t xor_of(const double *a, size_t n)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t bits;

        memcpy(&bits, &a[i], sizeof(bits));
        sum ^= bits;
    }
    return sum;
}

/* The first array holds what was expected, the others what they held. */
static bool outcome_right(const struct stream_case *c, const struct arrays *x, double s)
{
    const double *const a = (const double *)(const void *)x->g[0].at;

    for (size_t i = 0; i < c->n; i++) {
        const double want = c->passes ? element(c, x, s, i) : x->was[0][i];

        if (memcmp(&a[i], &want, sizeof(want)) != 0)
            return false;
    }
    for (int k = 0; k < AM_STREAM_ARRAYS_MAX; k++) {
        if (!guarded_intact(&x->g[k]) ||
            (k > 0 && memcmp(x->g[k].at, x->was[k], c->n * sizeof(double)) != 0))
            return false;
    }
    return true;
}

static bool check_case(const struct stream_case *c, struct arrays *x, struct am_rng *rng)
{
    const double s = c->kernel == AM_STREAM_update ? -3 : small_integer(rng);
    const size_t bytes = c->n * sizeof(double);
    struct am_stream_args args = {.s = s, .n = c->n, .passes = c->passes, .sum = 1};
    double *at[AM_STREAM_ARRAYS_MAX];
    uint64_t sum;

    for (int k = 0; k < AM_STREAM_ARRAYS_MAX; k++) {
        /* The arrays lie differently, so that no kernel relies on a common alignment. */
        const size_t shift = (c->shift + (size_t)k * 3) % 8 * sizeof(double);

        at[k] = c->shift > c->n ? guarded_at_end(&x->g[k], bytes)
                                : guarded_at_start(&x->g[k], bytes, c->shift ? shift : 0);
        for (size_t i = 0; i < c->n; i++)
            at[k][i] = small_integer(rng);
        if (bytes)
            memcpy(x->was[k], at[k], bytes);
    }
    args.a = at[0];
    args.b = at[1];
    args.c = at[2];
    c->v->fn[c->kernel][c->nt](&args);
    sum = c->passes % 2 ? xor_of(x->was[0], c->n) : 0;
    return outcome_right(c, x, s) && (c->kernel != AM_STREAM_read || args.sum == sum);
}

/* Returns the number of cases, negative from the first wrong one on. */
static long check_lengths(struct stream_case *c, struct arrays *x, struct am_rng *rng)
{
    const size_t most = 2 * (size_t)c->v->block + c->v->block / 8 + 1;
    long cases = 0;

    for (c->n = 0; c->n <= most; c->n++) {
        const size_t shifts[] = {0, 1 + c->n % 7, c->n + 1};

        for (size_t k = 0; k < sizeof(shifts) / sizeof(shifts[0]); k++) {
            c->shift = shifts[k];
            c->passes = (c->n + k) % (PASSES_MAX + 1);
            cases++;
            if (!check_case(c, x, rng))
                return -cases;
        }
    }
    return cases;
}

static void check_kernel(const struct am_stream_variant *v, enum am_stream_kernel kernel, int nt,
                         struct arrays *x, struct am_rng *rng)
{
    static char name[64];
    struct stream_case c = {.v = v, .kernel = kernel, .nt = nt};
    long cases;

    (void)snprintf(name, sizeof(name), "%s %s%s", v->isa, am_stream_names[kernel], nt ? " nt" : "");
    if (!v->fn[kernel][nt]) {
        const struct am_stream_kind *const kind = &am_stream_kinds[kernel];

        kcheck_report(nt && (!kind->writes || kind->arrays == 1), "%s: rightly absent", name);
        return;
    }
    guarded_charge(name);
    cases = check_lengths(&c, x, rng);
    kcheck_report(cases > 0, "%s: %ld cases equal the reference", name, cases > 0 ? cases : -cases);
    if (cases < 0)
        printf("# first wrong: n %zu, shift %zu, passes %llu\n", c.n, c.shift,
               (unsigned long long)c.passes);
}

void kcheck_stream(const char *isa, struct am_rng *rng)
{
    static double was[AM_STREAM_ARRAYS_MAX][GUARDED_BYTES_MAX / sizeof(double)];
    const struct am_stream_variant *const v = am_stream_find(isa);
    struct arrays x = {0};
    bool ready = v && strcmp(v->isa, isa) == 0;

    for (int k = 0; k < AM_STREAM_ARRAYS_MAX && ready; k++) {
        x.was[k] = was[k];
        ready = guarded_new(&x.g[k], 3 * v->block * sizeof(double) + 64);
    }
    kcheck_report(ready, "%s has its row of streaming loops", isa);
    if (!ready)
        return;
    for (int kernel = 0; kernel < AM_STREAM_KERNELS; kernel++) {
        for (int nt = 0; nt < 2; nt++)
            check_kernel(v, (enum am_stream_kernel)kernel, nt, &x, rng);
    }
    for (int k = 0; k < AM_STREAM_ARRAYS_MAX; k++)
        guarded_free(&x.g[k]);
}
