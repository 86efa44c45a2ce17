/* SPDX-License-Identifier: MIT */
/* Which places one pass over global memory touches, as kernels/global.cl computes them. */
#include "bench/ocl/host/passes.h"

enum {
    STEPS = 16, /* accesses of a work-item unless others are asked for; group and strided */
    STEPS_MAX = 1 << 20, /* few work-items that go a long way: how many a device needs */
    HOP = 37,            /* elements between two returns to the beginning, as in the kernel */
    STRIDE_MAX = 4096,
    PICKED = 16, /* items of a slot that add to it, about */
    CACHES = 4,  /* a buffer in memory is so many times the cache */
    BUFFER_LEAST = 4096,
};

static const uint32_t factor = UINT32_C(2654435761);
/* The wish on a device that says nothing of its caches. GPUs: far larger than any cache, and long
 * against the start of a launch and against its end, when only some compute units still have work.
 * An H200 starts in about 4 us, and goes over 4 GiB in 62 rounds of groups that take 0.9 ms: up to
 * 1 % of the pass, by that reckoning. */
static const uint64_t cpu_bytes = UINT64_C(128) << 20, gpu_bytes = UINT64_C(16) << 30;
static const uint64_t elements_max = UINT64_C(1) << 31;

const char *const am_ocl_shape_names[] = {"single", "group", "strided", "row", "column", NULL};

static bool is_matrix(const struct am_ocl_pass *p)
{
    return p->shape == AM_OCL_ROW || p->shape == AM_OCL_COLUMN;
}

static bool is_power(uint64_t n)
{
    return n && (n & (n - 1)) == 0;
}

/* The exponent of the largest power of two that is at most n; 0 for 0. */
static uint32_t log2_floor(uint64_t n)
{
    uint32_t exponent = 0;

    while (n >>= 1)
        exponent++;
    return exponent;
}

/* Accesses of a work-item: rows and columns have as many as their stride says, `single` has one. */
static enum am_status choose_count(struct am_ocl_pass *p, int64_t each, struct am_err *err)
{
    const bool fixed = is_matrix(p) || p->shape == AM_OCL_SINGLE;

    if (fixed && each)
        return am_fail(err, AM_E_ABSENT, "each %lld: of shapes group and strided only",
                       (long long)each);
    if (each < 0 || each > STEPS_MAX)
        return am_fail(err, AM_E_ABSENT, "each %lld: 0 to %d elements per work-item",
                       (long long)each, STEPS_MAX);
    p->count = is_matrix(p) ? p->stride : fixed ? 1 : each ? (uint32_t)each : STEPS;
    return AM_OK;
}

enum am_status am_ocl_pass_choose(struct am_ocl_pass *p, enum am_ocl_shape shape, int64_t width,
                                  int64_t stride, int64_t each, struct am_err *err)
{
    if (width < 1 || width > 16 || !is_power((uint64_t)width))
        return am_fail(err, AM_E_ABSENT, "width %lld: vectors have 1, 2, 4, 8 or 16 words",
                       (long long)width);
    *p = (struct am_ocl_pass){.shape = shape, .width = (uint32_t)width};
    if (is_matrix(p) && (stride < 1 || stride > AM_OCL_ROW_MAX))
        return am_fail(err, AM_E_ABSENT, "stride %lld: rows and columns take 1 to %d elements",
                       (long long)stride, AM_OCL_ROW_MAX);
    if (stride < 0 || stride > STRIDE_MAX)
        return am_fail(err, AM_E_ABSENT, "stride %lld: 0 to %d", (long long)stride, STRIDE_MAX);
    p->stride = (uint32_t)stride;
    return choose_count(p, each, err);
}

/* Work-items that touch `elements`, whole groups only. */
static uint64_t items_of(const struct am_ocl_pass *p, uint64_t elements)
{
    const uint64_t n = is_matrix(p)
                           ? elements / AM_OCL_MATRIX * (uint64_t)(AM_OCL_MATRIX / p->count)
                           : elements / p->count;

    return n / p->group * p->group;
}

uint64_t am_ocl_pass_bytes_max(const struct am_ocl_pass *p)
{
    return elements_max * p->width * sizeof(uint32_t);
}

enum am_status am_ocl_pass_fit(struct am_ocl_pass *p, uint64_t bytes, uint64_t least_bytes,
                               size_t group, struct am_err *err)
{
    const uint64_t element_bytes = p->width * sizeof(uint32_t);
    const uint64_t touched = (bytes > least_bytes ? bytes : least_bytes) / element_bytes;

    if (!is_power(bytes) || bytes < BUFFER_LEAST)
        return am_fail(err, AM_E_ABSENT, "size %llu: powers of two from %d on",
                       (unsigned long long)bytes, BUFFER_LEAST);
    p->elements = bytes / element_bytes;
    if (touched > elements_max)
        return am_fail(err, AM_E_ABSENT, "size %llu: more than 2^31 elements",
                       (unsigned long long)bytes);
    if (is_matrix(p) && p->elements < AM_OCL_MATRIX)
        return am_fail(err, AM_E_ABSENT, "size %llu: no room for a matrix of %llu bytes",
                       (unsigned long long)bytes,
                       (unsigned long long)AM_OCL_MATRIX * element_bytes);
    p->group = (uint32_t)group;
    p->items = items_of(p, touched);
    if (!p->items)
        return am_fail(err, AM_E_ABSENT, "size %llu: too small for %zu work-items",
                       (unsigned long long)bytes, group);
    p->mask = (uint32_t)(p->elements - 1);
    p->turn = p->stride > 1 ? log2_floor(p->elements / p->stride) : 31;
    while ((p->items - 1) >> p->shift >= AM_OCL_SLOTS)
        p->shift++;
    p->pick = (1U << p->shift) > PICKED ? (1U << p->shift) / PICKED - 1 : 0;
    return AM_OK;
}

double am_ocl_pass_bytes(const struct am_ocl_pass *p)
{
    return (double)p->items * (double)p->count * (double)(p->width * sizeof(uint32_t));
}

static uint32_t spread(const struct am_ocl_pass *p, uint32_t linear)
{
    return linear * p->stride + (linear >> p->turn) * HOP;
}

static uint32_t begin_in_matrix(const struct am_ocl_pass *p, uint32_t item)
{
    const uint32_t sharing = AM_OCL_MATRIX / p->count; /* items of a matrix */
    const uint32_t within = item % sharing;

    return item / sharing * AM_OCL_MATRIX + within * (p->shape == AM_OCL_ROW ? p->count : 1);
}

static uint32_t begin_in_group(const struct am_ocl_pass *p, uint32_t item)
{
    const uint32_t lane = item % p->group;

    return spread(p, (item - lane) * p->count + lane);
}

/* A check asks for millions of them: each shape divides no more than it needs. */
static uint32_t begin_at(const struct am_ocl_pass *p, uint32_t item)
{
    switch (p->shape) {
    case AM_OCL_SINGLE: return spread(p, item);
    case AM_OCL_GROUP: return begin_in_group(p, item);
    case AM_OCL_STRIDED: return item * p->stride;
    case AM_OCL_ROW:
    case AM_OCL_COLUMN: return begin_in_matrix(p, item);
    }
    return 0;
}

static uint32_t step_by(const struct am_ocl_pass *p)
{
    switch (p->shape) {
    case AM_OCL_GROUP: return p->group * p->stride;
    case AM_OCL_STRIDED: return (uint32_t)p->items;
    case AM_OCL_COLUMN: return AM_OCL_MATRIX / p->count;
    case AM_OCL_SINGLE:
    case AM_OCL_ROW: break;
    }
    return 1;
}

uint32_t am_ocl_pass_place(const struct am_ocl_pass *p, uint32_t item, uint32_t j)
{
    return (begin_at(p, item) + j * step_by(p)) & p->mask;
}

uint32_t am_ocl_pass_noise(uint32_t word)
{
    word = (word + 1) * factor;
    word ^= word >> 15;
    word *= UINT32_C(2246822519);
    return word ^ word >> 13;
}

void am_ocl_pass_noises(uint32_t first, size_t n, uint32_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = am_ocl_pass_noise(first + (uint32_t)i);
}

uint32_t am_ocl_pass_written(uint32_t element, uint32_t key)
{
    return element * factor ^ key;
}

static uint32_t item_sum(const struct am_ocl_pass *p, uint32_t item)
{
    const uint32_t begin = begin_at(p, item), step = step_by(p);
    uint32_t sum = 0;

    for (uint32_t j = 0; j < p->count; j++) {
        const uint32_t first = ((begin + j * step) & p->mask) * p->width;

        for (uint32_t w = 0; w < p->width; w++)
            sum += am_ocl_pass_noise(first + w);
    }
    return sum;
}

uint32_t am_ocl_pass_slot(const struct am_ocl_pass *p, uint32_t slot)
{
    const uint64_t first = (uint64_t)slot << p->shift, end = first + (UINT64_C(1) << p->shift);
    uint32_t total = 0;

    for (uint64_t i = first; i < end && i < p->items; i++) {
        const uint32_t sum = item_sum(p, (uint32_t)i);

        if (((sum + ((uint32_t)i * factor >> 12)) & p->pick) == 0)
            total += sum;
    }
    return total;
}

uint64_t am_ocl_room_bytes(const struct am_ocl_room *room)
{
    const uint64_t least = CACHES * room->cache_bytes;
    uint64_t bytes = room->is_cpu ? cpu_bytes : gpu_bytes;

    while (bytes < least)
        bytes *= 2;
    while (bytes > room->most_bytes && bytes > BUFFER_LEAST)
        bytes /= 2;
    return bytes;
}
