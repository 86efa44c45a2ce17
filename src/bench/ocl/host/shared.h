/* SPDX-License-Identifier: MIT */
/* Memory that host and device both use: a buffer that is mapped, or shared virtual memory.
 *
 * Shared virtual memory is OpenCL 2.0: its calls are looked up when they are needed, so that
 * everything else works with a loader of 1.2. Whoever wants to touch the memory on the host enters
 * it before and leaves it after; what that does depends on the kind. */
#ifndef AM_BENCH_OCL_SHARED_H
#define AM_BENCH_OCL_SHARED_H

#include "bench/ocl/host/device.h"

enum am_ocl_shared_kind {
    AM_OCL_SHARED_BUFFER, /* a buffer, mapped and unmapped */
    AM_OCL_SHARED_COARSE, /* one address for both, mapped and unmapped */
    AM_OCL_SHARED_FINE,   /* one address for both, without a word to the driver */
    AM_OCL_SHARED_KINDS,
};
extern const char *const am_ocl_shared_names[]; /* by enumerator, ended by NULL */

/* Zero-initialise. */
struct am_ocl_shared {
    const struct am_ocl_device *device;
    enum am_ocl_shared_kind kind;
    size_t bytes;
    cl_mem buffer;   /* of the first kind */
    void *allocated; /* of the others */
    uint32_t *at;    /* on the host, while it is entered */
};

/* AM_E_ABSENT where the device or the loader has no such memory. */
enum am_status am_ocl_shared_open(struct am_ocl_shared *m, const struct am_ocl_device *d,
                                  enum am_ocl_shared_kind kind, size_t bytes, struct am_err *err);
void am_ocl_shared_close(struct am_ocl_shared *m); /* accepts what was not opened */

/* As argument 0 of a kernel. */
enum am_status am_ocl_shared_arg(const struct am_ocl_shared *m, cl_kernel kernel,
                                 struct am_err *err);

/* The host may read, or write, m->at from enter() to leave(); no kernel may use the memory
 * meanwhile. Blocks until what the device did before is seen; after leave() and for kernels that
 * are queued then, the device sees what the host did. */
enum am_status am_ocl_shared_enter(struct am_ocl_shared *m, cl_map_flags flags, struct am_err *err);
enum am_status am_ocl_shared_leave(struct am_ocl_shared *m, struct am_err *err);

#endif
