/* SPDX-License-Identifier: MIT */
/* OpenCL programs: kernels/WORD.cl, embedded when archmeter is built, compiled for a device. */
#ifndef AM_BENCH_OCL_PROGRAM_H
#define AM_BENCH_OCL_PROGRAM_H

#include "bench/ocl/host/device.h"

/* To add a source: put kernels/WORD.cl beside the others and WORD into ocl_kernels of meson.build.
 *
 * Rules for sources: kernel functions begin with am_ (drivers define macros of built-ins' names,
 * and a kernel called `mad` then has another name); what varies comes by -D; loop counts are
 * arguments; operands come from arguments and the global id, never from literals; every work-item
 * stores to a place of its own; kernels with __local memory or images have programs of their own
 * (they change the registers that others get). ASCII only. */
struct am_ocl_source {
    const char *word; /* NULL ends the table */
    const char *text;
};
extern const struct am_ocl_source am_ocl_sources[]; /* generated */

/* Zero-initialise. */
struct am_ocl_program {
    cl_program program;
    uint64_t build_ns; /* of compiling; some drivers compile at the first launch only */
    bool loaded;       /* an earlier process of the run compiled it */
};

/* Builds kernels/<word>.cl with the given options ("-DWIDTH=8"; no fast-math options unless the
 * bench is about them: they license folding). Notes nothing: the bench notes its final options by
 * am_ctx_note(ctx, "options", ...). On failure the story ends with the beginning of the build log.
 * The program keeps a reference to nothing in `d` but its context. What an earlier process of the
 * run has built is not compiled again (binaries.h). */
enum am_status am_ocl_program_build(struct am_ocl_program *p, const struct am_ocl_device *d,
                                    const char *word, const char *options, struct am_err *err);
/* The same, always by compiling: for those who time it. */
enum am_status am_ocl_program_compile(struct am_ocl_program *p, const struct am_ocl_device *d,
                                      const char *word, const char *options, struct am_err *err);
/* A program from a binary that the caller made, in a form that the driver takes; `word` names it in
 * messages. */
enum am_status am_ocl_program_binary(struct am_ocl_program *p, const struct am_ocl_device *d,
                                     const char *word, const char *binary, size_t len,
                                     struct am_err *err);
void am_ocl_program_free(struct am_ocl_program *p); /* accepts a zeroed struct; zeroes it */

/* For finish(): a kernel, n buffers or images, the program they were for and the device; any of the
 * handles may be NULL. */
void am_ocl_program_close(struct am_ocl_program *p, cl_kernel kernel, const cl_mem *buffers,
                          size_t n, struct am_ocl_device *d);

enum am_status am_ocl_program_kernel(const struct am_ocl_program *p, const char *name,
                                     cl_kernel *out, struct am_err *err);

/* One kernel argument; `size` and `value` as clSetKernelArg() takes them. */
struct am_ocl_arg {
    size_t size;
    const void *value;
};
#define AM_OCL_ARG(x) ((struct am_ocl_arg){sizeof(x), &(x)}) /* x: an lvalue, e.g. a cl_mem */
#define AM_OCL_LOCAL(bytes) ((struct am_ocl_arg){(bytes), NULL})
/* Sets arguments 0 to n-1. */
enum am_status am_ocl_program_args(cl_kernel kernel, const struct am_ocl_arg *args, size_t n,
                                   struct am_err *err);

/* Work-items of a group that this kernel allows on this device: registers may permit less than
 * d->group_max. */
enum am_status am_ocl_program_group_max(const struct am_ocl_device *d, cl_kernel kernel,
                                        size_t *out, struct am_err *err);
/* The wish, halved until the kernel allows it. */
enum am_status am_ocl_program_group(const struct am_ocl_device *d, cl_kernel kernel, size_t wish,
                                    size_t *out, struct am_err *err);
/* Axes of those who let work-items and groups be chosen. */
#define AM_OCL_ITEMS_AXIS                                                                          \
    {                                                                                              \
        .name = "items", .kind = AM_AXIS_INT, .dflt = "0",                                         \
        .help = "work-items, a multiple of the group; 0: as many as fill the device"               \
    }
#define AM_OCL_GROUP_AXIS                                                                          \
    {                                                                                              \
        .name = "group", .kind = AM_AXIS_INT, .dflt = "0",                                         \
        .help = "work-items per group; 0: as is usual, or as many as there may be"                 \
    }

/* For an axis `group`: as many as `asked` says, or AM_E_ABSENT where the kernel does not allow
 * them; of 0 the usual ones, halved until it does. */
enum am_status am_ocl_program_wanted(const struct am_ocl_device *d, cl_kernel kernel, int64_t asked,
                                     size_t usual, size_t *out, struct am_err *err);

/* What the axes `items` and `group` say, and what there is where they say 0. */
struct am_ocl_items {
    int64_t items, group;
    size_t usual_items, usual_group;
};
/* Work-items and their group for a kernel, told in the note `range`. AM_E_ABSENT for a group that
 * the kernel does not allow, and for work-items that are no multiple of it; a group that was not
 * asked for is halved until they are. */
enum am_status am_ocl_program_items(const struct am_ocl_device *d, cl_kernel kernel,
                                    const struct am_ocl_items *wish, size_t *items, size_t *group,
                                    struct am_err *err);

#endif
