/* SPDX-License-Identifier: MIT */
/* Bins of a Fourier transform by its definition in long double, and its inverse against the input.
 */
#include "app/fft/fft_check.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

enum {
    BINS_MAX = 16,
    BINS_MIN = 1,
    BIN_POINTS = 1 << 23, /* points times bins, about a tenth of a second */
    FINE = 4096,          /* roots of unity: w^m = coarse[m / FINE] fine[m % FINE] */
    ALLOWANCE = 8,
    STREAM_BINS = 1 << 20, /* the input has those below */
};

struct point {
    long double re, im;
};

double am_fft_get(enum am_fft_type type, const void *array, size_t i)
{
    return type == AM_FFT_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

void am_fft_put(enum am_fft_type type, void *array, size_t i, double x)
{
    if (type == AM_FFT_F32)
        ((float *)array)[i] = (float)x;
    else
        ((double *)array)[i] = x;
}

static struct point get_point(const struct am_fft_outcome *o, const void *array, size_t i)
{
    return (struct point){am_fft_get(o->type, array, 2 * i), am_fft_get(o->type, array, 2 * i + 1)};
}

static struct point product(struct point a, struct point b)
{
    return (struct point){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* All powers of the first nth root of unity, in two tables. */
struct roots {
    struct point *fine, *coarse;
};

static struct point root(size_t m, size_t n)
{
    const long double angle =
        -2 * 3.14159265358979323846264338327950288L * (long double)m / (long double)n;

    return (struct point){cosl(angle), sinl(angle)};
}

static bool make_roots(struct roots *roots, size_t n)
{
    const size_t coarse = n / FINE + 1;

    roots->fine = calloc(FINE, sizeof(*roots->fine));
    roots->coarse = calloc(coarse, sizeof(*roots->coarse));
    if (!roots->fine || !roots->coarse)
        return false;
    for (size_t m = 0; m < FINE; m++)
        roots->fine[m] = root(m, n);
    for (size_t m = 0; m < coarse; m++)
        roots->coarse[m] = root(m * FINE, n);
    return true;
}

static void free_roots(struct roots *roots)
{
    free(roots->fine);
    free(roots->coarse);
}

static struct point direct_bin(const struct am_fft_outcome *o, const struct roots *roots,
                               size_t bin)
{
    struct point sum = {0};

    for (size_t i = 0, m = 0; i < o->n; i++) {
        const struct point w = product(roots->coarse[m / FINE], roots->fine[m % FINE]);
        const struct point x = product(get_point(o, o->source, i), w);

        sum.re += x.re;
        sum.im += x.im;
        m += bin;
        m -= m >= o->n ? o->n : 0;
    }
    return sum;
}

/* What is allowed, and the worst. */
struct verdict {
    long double unit;  /* rounding errors of one transform and point of size 1 */
    long double worst; /* square of its parts; infinite for what is no number */
};

static void judge(struct verdict *v, struct point is, struct point must, long double size)
{
    const long double re = is.re - must.re, im = is.im - must.im, limit = v->unit * size;
    const long double share = (re * re + im * im) / (limit * limit);

    if (share <= v->worst)
        return;
    v->worst = isnan(share) ? (long double)INFINITY : share;
}

/* Two transforms multiply by n and turn indices round: x[i] becomes n x[-i]. */
static size_t turned(const struct am_fft_outcome *o, size_t i)
{
    const bool round = (o->transforms - 1) / 2 % 2 == 1;

    return round && i > 0 ? o->n - i : i;
}

/* The first bins, the last and the middle one, the others at random. */
static size_t choose_bin(const struct am_fft_outcome *o, struct am_rng *rng, size_t i)
{
    const size_t first[] = {1 % o->n, o->n / 2, 0, o->n - 1};

    return i < sizeof(first) / sizeof(first[0]) ? first[i] : (size_t)am_rng_below(rng, o->n);
}

static bool judge_bins(const struct am_fft_outcome *o, long double rms, struct verdict *v)
{
    const long double pairs = (long double)((o->transforms - 1) / 2);
    const long double scale = powl((long double)o->n, pairs);
    const size_t by_size = BIN_POINTS / o->n;
    const size_t bins = by_size > BINS_MAX ? BINS_MAX : by_size < BINS_MIN ? BINS_MIN : by_size;
    struct roots roots = {0};
    struct am_rng rng;
    const bool made = make_roots(&roots, o->n);

    am_rng_seed(&rng, o->seed, STREAM_BINS);
    for (size_t i = 0; made && i < bins; i++) {
        const size_t bin = choose_bin(o, &rng, i);
        const struct point x = direct_bin(o, &roots, turned(o, bin));

        judge(v, get_point(o, o->data, bin), (struct point){x.re * scale, x.im * scale},
              rms * scale * sqrtl((long double)o->n));
    }
    free_roots(&roots);
    return made;
}

/* The inverse of the last transform is n times what it began with. */
static void judge_way_back(const struct am_fft_outcome *o, long double rms, struct verdict *v)
{
    const long double pairs = (long double)((o->transforms + 1) / 2);
    const long double scale = powl((long double)o->n, pairs);

    for (size_t i = 0; i < o->n; i++) {
        const struct point x = get_point(o, o->source, turned(o, i));

        judge(v, get_point(o, o->back, i), (struct point){x.re * scale, x.im * scale}, rms * scale);
    }
}

static long double rms_of(const struct am_fft_outcome *o)
{
    long double sum = 0;

    for (size_t i = 0; i < 2 * o->n; i++) {
        const long double x = am_fft_get(o->type, o->source, i);

        sum += x * x;
    }
    return sqrtl(sum / (long double)o->n);
}

enum am_status am_fft_judge(const struct am_fft_outcome *o, double *residual, struct am_err *err)
{
    const long double rms = rms_of(o), half_unit = o->type == AM_FFT_F32 ? 0x1p-24L : 0x1p-53L;
    struct verdict v = {.unit = ALLOWANCE * half_unit * (long double)(o->transforms + 1) *
                                (1 + log2l((long double)o->n))};

    if (!judge_bins(o, rms, &v))
        return am_fail(err, AM_E_NOMEM, "no memory to check %zu points", o->n);
    judge_way_back(o, rms, &v);
    *residual = (double)sqrtl(v.worst);
    if (*residual <= 1)
        return AM_OK;
    return am_fail(err, AM_E_WRONG,
                   "wrong: of %zu points transformed %llu times the worst is off by %.3g times "
                   "the limit",
                   o->n, (unsigned long long)o->transforms, *residual);
}
