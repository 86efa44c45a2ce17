/* SPDX-License-Identifier: MIT */
/* Passes over global memory, measured and checked: what ocl.global and ocl.cache have in common. */
#ifndef AM_BENCH_OCL_GLOBAL_H
#define AM_BENCH_OCL_GLOBAL_H

#include "bench/ocl/host/passes.h"
#include "bench/ocl/host/program.h"
#include "bench/ocl/host/timing.h"

enum am_ocl_access { AM_OCL_READ, AM_OCL_WRITE, AM_OCL_COPY };
extern const char *const am_ocl_access_names[]; /* by enumerator, ended by NULL */

/* A state of both benches. */
struct am_ocl_global {
    struct am_ocl_device device;
    struct am_ocl_program program;
    struct am_ocl_timer timer;
    struct am_ocl_range range;
    struct am_ocl_pass pass;
    cl_kernel kernel;
    cl_mem data, out; /* out: sums of a reading pass, what a copying one writes */
    enum am_ocl_access access;
    uint32_t key;      /* of what the latest batch wrote */
    uint64_t launches; /* so far, those of the timer's own included */
};

struct am_ocl_global_wish {
    const char *device;
    enum am_ocl_access access;
    enum am_ocl_shape shape;
    int64_t stride;
    int64_t width; /* words of an element; 0: as is best on such devices */
    int64_t size;  /* bytes of the buffer; 0: larger than the device's caches */
    int64_t each;  /* elements that a work-item touches; 0: as the shape has it */
    int64_t group; /* work-items of a group; 0: as is usual */
};

/* The axis of `each`, the same for every bench of passes. */
#define AM_OCL_EACH_AXIS                                                                           \
    {                                                                                              \
        .name = "each", .kind = AM_AXIS_INT, .dflt = "0",                                          \
        .help = "elements per work-item, by which their number follows; 0: 16, where the shape "   \
                "leaves it open"                                                                   \
    }

/* Bytes of the buffer that a bench of memory goes over when it is asked for `size`, and bytes that
 * a launch moves at least, going round a smaller one. */
uint64_t am_ocl_global_bytes(const struct am_ocl_device *d, int64_t size);
uint64_t am_ocl_global_least(const struct am_ocl_device *d);
/* Calls the kernel am_fill of a program for every word of a buffer; the first touch of every page
 * is here too. */
enum am_status am_ocl_global_fill(const struct am_ocl_device *d,
                                  const struct am_ocl_program *program, cl_mem data, size_t words,
                                  size_t group, struct am_err *err);

enum am_status am_ocl_global_prepare(struct am_ocl_global *w, const struct am_ctx *ctx,
                                     const struct am_ocl_global_wish *wish, struct am_work *work,
                                     struct am_err *err);

/* The other hooks, as the descriptor takes them. */
enum am_status am_ocl_global_run(void *state, uint64_t iters, struct am_batch *batch,
                                 struct am_err *err);
enum am_status am_ocl_global_verify(void *state, double *residual, struct am_err *err);
void am_ocl_global_finish(void *state);

#endif
