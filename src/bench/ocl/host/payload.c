/* SPDX-License-Identifier: MIT */
/* Data on their way between host and device. */
#include "bench/ocl/host/payload.h"

#include "bench/ocl/host/passes.h"

#include <stdlib.h>
#include <string.h>

enum am_status am_ocl_payload_choose(struct am_ocl_payload *p, int64_t size, unsigned copies,
                                     const struct am_ctx *ctx, struct am_err *err)
{
    if (size < AM_OCL_PAGE_BYTES || size % AM_OCL_PAGE_BYTES)
        return am_fail(err, AM_E_ABSENT, "size %lld: whole pages of %d bytes", (long long)size,
                       AM_OCL_PAGE_BYTES);
    if ((uint64_t)size > ctx->memory_limit_bytes / copies)
        return am_fail(err, AM_E_ABSENT, "size %lld: %u times that is more than the limit of %llu",
                       (long long)size, copies, (unsigned long long)ctx->memory_limit_bytes);
    *p = (struct am_ocl_payload){
        .bytes = (size_t)size,
        .words = (size_t)size / sizeof(uint32_t),
        .step = AM_OCL_PAGE_WORDS,
    };
    return AM_OK;
}

uint32_t am_ocl_payload_word(const struct am_ocl_payload *p, size_t i, uint32_t serial)
{
    return am_ocl_pass_noise((uint32_t)i) + (i % p->step == 0 ? serial : 0);
}

void am_ocl_payload_words(const struct am_ocl_payload *p, size_t first, size_t n, uint32_t serial,
                          uint32_t *out)
{
    const size_t stamped = (first + p->step - 1) / p->step * p->step;

    am_ocl_pass_noises((uint32_t)first, n, out);
    for (size_t i = stamped; i < first + n; i += p->step)
        out[i - first] += serial;
}

/* How many of n words differ; `at` becomes the first of them. */
static size_t count_wrong(const uint32_t *got, const uint32_t *want, size_t n, size_t *at)
{
    size_t wrong = 0;

    for (size_t i = n; i-- > 0;) {
        if (got[i] != want[i]) {
            wrong++;
            *at = i;
        }
    }
    return wrong;
}

enum am_status am_ocl_payload_compare(const struct am_ocl_payload *p, const uint32_t *got,
                                      uint32_t serial, double *residual, struct am_err *err)
{
    uint32_t want[AM_OCL_PAGE_WORDS];
    size_t wrong = 0, first = 0;

    for (size_t i = 0; i < p->words; i += AM_OCL_PAGE_WORDS) { /* whole pages, as chosen */
        size_t at = 0, here;

        am_ocl_payload_words(p, i, AM_OCL_PAGE_WORDS, serial, want);
        if (memcmp(got + i, want, sizeof(want)) == 0)
            continue;
        here = count_wrong(got + i, want, AM_OCL_PAGE_WORDS, &at);
        first = wrong ? first : i + at;
        wrong += here;
    }
    *residual += (double)wrong;
    if (!wrong)
        return AM_OK;
    return am_fail(err, AM_E_WRONG,
                   "wrong: %zu of %zu words did not arrive; word %zu is %u, not %u", wrong,
                   p->words, first, got[first], am_ocl_payload_word(p, first, serial));
}

enum am_status am_ocl_payload_arrived(const struct am_ocl_payload *p, const struct am_ocl_device *d,
                                      cl_mem buffer, uint32_t serial, double *residual,
                                      struct am_err *err)
{
    uint32_t *const arrived = calloc(1, p->bytes); /* nothing of an earlier check is in it */
    enum am_status s =
        arrived ? AM_OK : am_fail(err, AM_E_NOMEM, "no memory for %zu bytes to check", p->bytes);

    if (s == AM_OK)
        s = am_ocl_device_read(d, buffer, 0, p->bytes, arrived, err);
    if (s == AM_OK)
        s = am_ocl_payload_compare(p, arrived, serial, residual, err);
    free(arrived);
    return s;
}

enum am_status am_ocl_pinned_open(struct am_ocl_pinned *p, const struct am_ocl_device *d,
                                  size_t bytes, struct am_err *err)
{
    cl_int code = CL_SUCCESS;
    const enum am_status s = am_ocl_device_buffer(d, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                                  bytes, NULL, &p->buffer, err);

    if (s != AM_OK)
        return s;
    p->at = clEnqueueMapBuffer(d->queue, p->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes,
                               0, NULL, NULL, &code);
    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clEnqueueMapBuffer");
}

void am_ocl_pinned_close(struct am_ocl_pinned *p, const struct am_ocl_device *d)
{
    if (p->at && clEnqueueUnmapMemObject(d->queue, p->buffer, p->at, 0, NULL, NULL) == CL_SUCCESS)
        (void)clFinish(d->queue);
    am_ocl_release_buffer(p->buffer);
    *p = (struct am_ocl_pinned){.at = NULL};
}
