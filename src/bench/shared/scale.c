/* SPDX-License-Identifier: MIT */
/* ocl.scale: what its backends have in common. */
#include "bench/shared/scale.h"

#include <math.h>
#include <stdlib.h>

enum {
    ARRAYS = 3,
    ITEMS_MAX = 1 << 24,
    GROUP = 256,
    LINE_BYTES = 64,
    SPOIL_STEP = 1024, /* elements: one per page; all of them would cost more than the addition */
};

const struct am_metric am_scale_metrics[] = {
    {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, "one addition of the whole arrays"},
    {"bandwidth", "B/s", AM_HIGHER, AM_RULE_BYTE_RATE,
     "bytes of the elements read and written; no write-allocate traffic"},
    {.name = NULL},
};

enum am_status am_scale_choose(struct am_scale_shares *s, const struct am_ctx *ctx,
                               const struct am_value *point, size_t items_max, size_t copies,
                               struct am_work *work, struct am_err *err)
{
    const int64_t items = point[AM_SCALE_ITEMS].i, size = point[AM_SCALE_SIZE].i;
    const size_t most = items_max ? items_max : ITEMS_MAX;

    if (items < 1 || (uint64_t)items > most)
        return am_fail(err, AM_E_ABSENT, "%lld items: %s takes 1 to %zu", (long long)items,
                       point[AM_SCALE_BACKEND].name, most);
    if (size < LINE_BYTES || size % LINE_BYTES || size > (INT64_C(1) << 33))
        return am_fail(err, AM_E_ABSENT, "size %lld: a multiple of %d, at most 2^33",
                       (long long)size, LINE_BYTES);
    if ((uint64_t)size > ctx->memory_limit_bytes / (ARRAYS * copies))
        return am_fail(err, AM_E_ABSENT, "three arrays of %lld bytes: the limit is %llu",
                       (long long)size, (unsigned long long)ctx->memory_limit_bytes);
    s->n = (size_t)size / sizeof(float);
    s->items = (size_t)items;
    s->share = (s->n + s->items - 1) / s->items;
    work->ops = work->flops = (double)s->n;
    work->bytes_read = 2.0 * (double)size;
    work->bytes_written = (double)size;
    return AM_OK;
}

float am_scale_a(size_t i)
{
    return (float)((uint32_t)i * UINT32_C(2654435761) >> 20);
}

float am_scale_b(size_t i)
{
    return (float)((uint32_t)i * UINT32_C(2246822519) >> 20);
}

enum am_status am_scale_check(const struct am_scale_shares *s, const float *c, double *residual,
                              struct am_err *err)
{
    size_t wrong = 0, first = 0;

    for (size_t i = 0; i < s->n; i++) {
        if (!(fabsf(c[i] - (am_scale_a(i) + am_scale_b(i))) < 0.5F) && wrong++ == 0) /* NaN too */
            first = i;
    }
    *residual = (double)wrong;
    if (!wrong)
        return AM_OK;
    return am_fail(err, AM_E_WRONG, "wrong: %zu of %zu sums; element %zu, of item %zu, is %g",
                   wrong, s->n, first, first / s->share, (double)c[first]);
}

size_t am_scale_group(size_t items, bool is_cpu)
{
    if (items >= GROUP)
        return GROUP;
    if (!is_cpu)
        return items;
    return items > 1 ? items / 2 : 1;
}

enum am_status am_scale_arrays_new(struct am_scale_arrays *x, struct am_err *err)
{
    float **const arrays[ARRAYS] = {&x->a, &x->b, &x->c};

    for (size_t i = 0; i < ARRAYS; i++) {
        *arrays[i] = aligned_alloc(LINE_BYTES, x->scale.n * sizeof(float));
        if (!*arrays[i])
            return am_fail(err, AM_E_NOMEM, "no memory for three arrays of %zu elements",
                           x->scale.n);
    }
    return AM_OK;
}

void am_scale_arrays_free(struct am_scale_arrays *x)
{
    free(x->a);
    free(x->b);
    free(x->c);
    *x = (struct am_scale_arrays){0};
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t begin_of(const struct am_scale_shares *s, size_t item)
{
    return least(item * s->share, s->n);
}

void am_scale_fill(const struct am_scale_arrays *x, size_t item)
{
    const size_t end = begin_of(&x->scale, item + 1);

    for (size_t i = begin_of(&x->scale, item); i < end; i++) {
        x->a[i] = am_scale_a(i);
        x->b[i] = am_scale_b(i);
        x->c[i] = NAN;
    }
}

void am_scale_spoil(const struct am_scale_arrays *x, size_t item)
{
    const size_t end = begin_of(&x->scale, item + 1);

    for (size_t i = begin_of(&x->scale, item); i < end; i += SPOIL_STEP)
        x->c[i] = NAN;
}

static void add(float *restrict c, const float *restrict a, const float *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

void am_scale_add(const struct am_scale_arrays *x, size_t item)
{
    const size_t begin = begin_of(&x->scale, item), end = begin_of(&x->scale, item + 1);

    add(x->c + begin, x->a + begin, x->b + begin, end - begin);
}
