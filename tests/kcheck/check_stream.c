/* SPDX-License-Identifier: MIT */
/* Streaming loops: all lengths around vectors and unrolled steps, at both ends of their pages. */
#include "kcheck.h"

#include "guarded.h"
#include "kernels/stream.h"

#include <stdio.h>
#include <string.h>

enum { PASSES_MAX = 3, GAP = 3 };

struct stream_case {
    const struct am_stream_variant *v;
    enum am_stream_kernel kernel;
    int nt;
    size_t ahead; /* bytes of software prefetch; 0: the form without */
    size_t n;
    size_t shift; /* elements from the beginning; `n` + 1 or more means against the end */
    size_t step;  /* elements from pass to pass: none, or `n` and a gap */
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

/* Elements of each array, gaps between passes included. */
static size_t extent(const struct stream_case *c)
{
    return c->n + (c->passes ? c->passes - 1 : 0) * c->step;
}

/* How many passes come over element i. */
static uint64_t passes_over(const struct stream_case *c, size_t i)
{
    if (!c->step)
        return c->passes;
    return c->passes && i % c->step < c->n ? 1 : 0;
}

static double element(const struct stream_case *c, const struct arrays *x, double s, size_t i)
{
    const double b = x->was[1][i], k = x->was[2][i];
    double a = x->was[0][i];

    switch (am_stream_kinds[c->kernel].loop) {
    case AM_STREAM_write: return s;
    case AM_STREAM_update:
        for (uint64_t p = 0; p < passes_over(c, i); p++)
            a = s * a;
        return a;
    case AM_STREAM_saxpy2: return a + (double)passes_over(c, i) * s * b;
    case AM_STREAM_copy: return b;
    case AM_STREAM_scale: return s * b;
    case AM_STREAM_add: return b + k;
    case AM_STREAM_triad: return b + s * k;
    default: return a; /* read; and names whose loop is one of these */
    }
}

static uint64_t xor_of(const struct stream_case *c, const double *a)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < extent(c); i++) {
        uint64_t bits;

        memcpy(&bits, &a[i], sizeof(bits));
        sum ^= passes_over(c, i) % 2 ? bits : 0;
    }
    return sum;
}

/* The first array holds what was expected, the others what they held. */
static bool outcome_right(const struct stream_case *c, const struct arrays *x, double s)
{
    const double *const a = (const double *)(const void *)x->g[0].at;

    for (size_t i = 0; i < extent(c); i++) {
        const double want = passes_over(c, i) ? element(c, x, s, i) : x->was[0][i];

        if (memcmp(&a[i], &want, sizeof(want)) != 0)
            return false;
    }
    for (int k = 0; k < AM_STREAM_ARRAYS_MAX; k++) {
        if (!guarded_intact(&x->g[k]) ||
            (k > 0 && memcmp(x->g[k].at, x->was[k], extent(c) * sizeof(double)) != 0))
            return false;
    }
    return true;
}

static bool check_case(const struct stream_case *c, struct arrays *x, struct am_rng *rng)
{
    const bool update = am_stream_kinds[c->kernel].loop == AM_STREAM_update;
    const double s = update ? -3 : small_integer(rng);
    const size_t bytes = extent(c) * sizeof(double);
    struct am_stream_args args = {
        .s = s, .n = c->n, .step = c->step, .passes = c->passes, .ahead = c->ahead, .sum = 1};
    double *at[AM_STREAM_ARRAYS_MAX];
    uint64_t sum;

    for (int k = 0; k < AM_STREAM_ARRAYS_MAX; k++) {
        /* The arrays lie differently, so that no kernel relies on a common alignment. */
        const size_t shift = (c->shift + (size_t)k * 3) % 8 * sizeof(double);

        at[k] = c->shift > c->n ? guarded_at_end(&x->g[k], bytes)
                                : guarded_at_start(&x->g[k], bytes, c->shift ? shift : 0);
        for (size_t i = 0; i < extent(c); i++)
            at[k][i] = small_integer(rng);
        if (bytes)
            memcpy(x->was[k], at[k], bytes);
    }
    args.a = at[0];
    args.b = at[1];
    args.c = at[2];
    if (c->ahead)
        c->v->ahead[c->kernel][c->nt](&args);
    else
        c->v->fn[c->kernel][c->nt](&args);
    sum = xor_of(c, x->was[0]);
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
            c->step = c->n && c->n % 5 == 0 ? c->n + GAP : 0;
            cases++;
            if (!check_case(c, x, rng))
                return -cases;
        }
    }
    return cases;
}

/* What has no reason to exist does not. */
static bool rightly_absent(enum am_stream_kernel kernel, int nt, size_t ahead)
{
    const struct am_stream_kind *const kind = &am_stream_kinds[kernel];
    const bool own_array = kind->reads + kind->writes > kind->arrays; /* reads what it writes */

    return nt && (!kind->writes || own_array || (ahead && !kind->reads));
}

static void check_kernel(const struct stream_case *which, struct arrays *x, struct am_rng *rng)
{
    static char name[64];
    struct stream_case c = *which;
    am_stream_fn *const fn = c.ahead ? c.v->ahead[c.kernel][c.nt] : c.v->fn[c.kernel][c.nt];
    long cases;

    (void)snprintf(name, sizeof(name), "%s %s%s%s", c.v->isa, am_stream_names[c.kernel],
                   c.nt ? " nt" : "", c.ahead ? " prefetched" : "");
    if (!fn || rightly_absent(c.kernel, c.nt, c.ahead)) {
        kcheck_report(!fn && rightly_absent(c.kernel, c.nt, c.ahead), "%s: rightly absent", name);
        return;
    }
    guarded_charge(name);
    cases = check_lengths(&c, x, rng);
    kcheck_report(cases > 0, "%s: %ld cases equal the reference", name, cases > 0 ? cases : -cases);
    if (cases < 0)
        printf("# first wrong: n %zu, shift %zu, step %zu, passes %llu\n", c.n, c.shift, c.step,
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
        ready = guarded_new(&x.g[k], 8 * v->block * sizeof(double) + 64);
    }
    kcheck_report(ready, "%s has its row of streaming loops", isa);
    if (!ready)
        return;
    for (int i = 0; i < AM_STREAM_KERNELS * 4; i++) {
        const struct stream_case c = {.v = v,
                                      .kernel = (enum am_stream_kernel)(i / 4),
                                      .nt = i / 2 % 2,
                                      .ahead = i % 2 ? 4096 : 0}; /* beyond the guard's page */

        check_kernel(&c, &x, rng);
    }
    for (int k = 0; k < AM_STREAM_ARRAYS_MAX; k++)
        guarded_free(&x.g[k]);
}
