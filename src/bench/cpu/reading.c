/* SPDX-License-Identifier: MIT */
/* Threads that read arrays together, and prove it by the exclusive or of what they read. */
#include "bench/cpu/reading.h"

#include "bench/cpu/axes.h"
#include "bench/shared/bound.h"

#include <stdlib.h>
#include <string.h>

enum am_status am_reading_init(struct am_stream_reading *r, const char *isa, size_t threads,
                               struct am_err *err)
{
    const struct am_stream_variant *v;
    const enum am_status s = am_axes_find_stream(isa, &v, err);

    if (s != AM_OK)
        return s;
    r->fn = v->fn[AM_STREAM_read][0];
    r->threads = threads;
    r->bytes_per_cycle_max =
        am_bound_bytes(1, 0, v->block / AM_STREAM_UNROLL * sizeof(double)) * (double)threads;
    r->readers = aligned_alloc(_Alignof(struct am_reader), threads * sizeof(*r->readers));
    if (!r->readers)
        return am_fail(err, AM_E_NOMEM, "%zu threads", threads);
    memset(r->readers, 0, threads * sizeof(*r->readers));
    return AM_OK;
}

void am_reading_fini(struct am_stream_reading *r)
{
    free(r->readers);
    r->readers = NULL;
}

/* Scattered bits, so that an element read twice or left out shows. */
static uint64_t bits_at(size_t i)
{
    return (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

void am_reading_assign(struct am_stream_reading *r, size_t thread, double *array, size_t n,
                       bool fill)
{
    struct am_reader *const x = &r->readers[thread];

    x->args = (struct am_stream_args){.a = array, .b = array, .c = array, .n = n};
    x->want = 0;
    for (size_t i = 0; i < n; i++)
        x->want ^= bits_at(i);
    for (size_t i = 0; i < n && fill; i++) {
        const uint64_t bits = bits_at(i);

        memcpy(&array[i], &bits, sizeof(bits));
    }
}

/* An even number of passes would leave nothing of an exclusive or: an odd number, and one more. */
void am_reading_pass(struct am_stream_reading *r, size_t thread, uint64_t passes)
{
    struct am_reader *const x = &r->readers[thread];
    const uint64_t apart = passes % 2 == 0 ? 1 : 0;

    if (!passes)
        return;
    x->args.passes = passes - apart;
    r->fn(&x->args);
    x->sums[0] = x->args.sum;
    x->args.passes = apart;
    if (apart)
        r->fn(&x->args);
    x->sums[1] = x->args.sum;
}

enum am_status am_reading_verify(const struct am_stream_reading *r, double *residual,
                                 struct am_err *err)
{
    *residual = 0;
    for (size_t t = 0; t < r->threads; t++) {
        const struct am_reader *const x = &r->readers[t];

        if (x->sums[0] == x->want && x->sums[1] == x->want)
            continue;
        *residual = 1;
        return am_fail(err, AM_E_WRONG, "thread %zu: the bits read do not sum up", t);
    }
    return AM_OK;
}
