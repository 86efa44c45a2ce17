/* SPDX-License-Identifier: MIT */
/* Data on their way between host and device: what they are, where they lie, whether they arrived.
 *
 * Words are noise, which no driver can compress, and some of them tell the batch they were sent in:
 * what lies at the other end from before is not taken for what was sent. */
#ifndef AM_BENCH_OCL_PAYLOAD_H
#define AM_BENCH_OCL_PAYLOAD_H

#include "bench/ocl/host/device.h"

enum {
    /* Host memory is aligned to it: less costs some drivers a copy of their own. */
    AM_OCL_PAGE_BYTES = 4096,
    AM_OCL_PAGE_WORDS = AM_OCL_PAGE_BYTES / sizeof(uint32_t),
};

struct am_ocl_payload {
    size_t bytes, words;
    size_t step; /* words from one that tells the batch to the next; as many as there are words: the
                  * first one only */
};

/* `size` bytes with a stamp in every page. AM_E_ABSENT unless they are whole pages, of which
 * `copies` fit into the memory that the point may use. */
enum am_status am_ocl_payload_choose(struct am_ocl_payload *p, int64_t size, unsigned copies,
                                     const struct am_ctx *ctx, struct am_err *err);

/* A word of those sent in batch `serial`. */
uint32_t am_ocl_payload_word(const struct am_ocl_payload *p, size_t i, uint32_t serial);
/* The n words from the first on. */
void am_ocl_payload_words(const struct am_ocl_payload *p, size_t first, size_t n, uint32_t serial,
                          uint32_t *out);

/* Compares every word. AM_E_WRONG "wrong: ... did not arrive"; *residual grows by their number. */
enum am_status am_ocl_payload_compare(const struct am_ocl_payload *p, const uint32_t *got,
                                      uint32_t serial, double *residual, struct am_err *err);
/* The same of what is in a buffer of the device. */
enum am_status am_ocl_payload_arrived(const struct am_ocl_payload *p, const struct am_ocl_device *d,
                                      cl_mem buffer, uint32_t serial, double *residual,
                                      struct am_err *err);

/* Memory of the host that the driver allocated for transfers, mapped. Zero-initialise. */
struct am_ocl_pinned {
    cl_mem buffer;
    uint32_t *at;
};
enum am_status am_ocl_pinned_open(struct am_ocl_pinned *p, const struct am_ocl_device *d,
                                  size_t bytes, struct am_err *err);
void am_ocl_pinned_close(struct am_ocl_pinned *p, const struct am_ocl_device *d);

#endif
