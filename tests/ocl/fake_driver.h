/* SPDX-License-Identifier: MIT */
/* Inside the fake driver only: its objects, and what its files share. */
#ifndef AM_TESTS_OCL_FAKE_DRIVER_H
#define AM_TESTS_OCL_FAKE_DRIVER_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include "fake_acts.h"

#include <CL/cl_icd.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FAKE_ARGS_MAX = 8 };

/* The loader calls through the first word of every object. */
struct object {
    const struct _cl_icd_dispatch *dispatch;
};
struct _cl_platform_id {
    struct object o;
};
struct _cl_device_id {
    struct object o;
};
struct _cl_context {
    struct object o;
    unsigned holders;
};
struct _cl_command_queue {
    struct object o;
};
struct _cl_mem {
    struct object o;
    size_t bytes;
    size_t row_bytes; /* of an image */
    unsigned char *data;
};
struct _cl_program {
    struct object o;
    uint32_t salt;
};
struct _cl_kernel {
    struct object o;
    char name[64];
    uint32_t salt;
    unsigned launches;
    struct {
        size_t size;
        unsigned char value[16];
    } args[FAKE_ARGS_MAX];
};
struct _cl_event {
    struct object o;
    uint64_t start_ns, end_ns;
};

/* What the loader calls through; fake_icd.c has it. */
extern const struct _cl_icd_dispatch am_fake_table;

static inline void *new_object(size_t size)
{
    struct object *const o = calloc(1, size);

    if (o)
        o->dispatch = &am_fake_table;
    return o;
}

#define ACT()                                                                                      \
    do {                                                                                           \
        const cl_int code_ = act(__func__ + sizeof("fake_") - 1);                                  \
        if (code_ != CL_SUCCESS)                                                                   \
            return code_;                                                                          \
    } while (0)

/* For calls that return an object and tell their code by the way. */
static inline bool acts(const char *call, cl_int *code)
{
    *code = act(call);
    return *code == CL_SUCCESS;
}
#define MAY() acts(__func__ + sizeof("fake_") - 1, code)

static inline cl_int give(const void *value, size_t size, size_t room, void *out, size_t *needed)
{
    if (needed)
        *needed = size;
    if (out && room < size)
        return CL_INVALID_VALUE;
    if (out)
        memcpy(out, value, size);
    return CL_SUCCESS;
}

/* Buffers and images (fake_memory.c). */
cl_mem fake_clCreateBuffer(cl_context c, cl_mem_flags flags, size_t bytes, void *host,
                           cl_int *code);
cl_mem fake_clCreateImage(cl_context c, cl_mem_flags flags, const cl_image_format *format,
                          const cl_image_desc *desc, void *host, cl_int *code);
cl_int fake_clGetSupportedImageFormats(cl_context c, cl_mem_flags flags, cl_mem_object_type type,
                                       cl_uint room, cl_image_format *out, cl_uint *n);
cl_int fake_clReleaseMemObject(cl_mem m);
cl_int fake_clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset,
                                size_t bytes, void *to, cl_uint n, const cl_event *after,
                                cl_event *event);
cl_int fake_clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset,
                                 size_t bytes, const void *from, cl_uint n, const cl_event *after,
                                 cl_event *event);
cl_int fake_clEnqueueCopyBuffer(cl_command_queue q, cl_mem from, cl_mem to, size_t from_offset,
                                size_t to_offset, size_t bytes, cl_uint n, const cl_event *after,
                                cl_event *event);
cl_int fake_clEnqueueFillBuffer(cl_command_queue q, cl_mem m, const void *pattern, size_t size,
                                size_t offset, size_t bytes, cl_uint n, const cl_event *after,
                                cl_event *event);
void *fake_clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags,
                              size_t offset, size_t bytes, cl_uint n, const cl_event *after,
                              cl_event *event, cl_int *code);
cl_int fake_clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *at, cl_uint n,
                                    const cl_event *after, cl_event *event);
cl_int fake_clEnqueueReadImage(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *origin,
                               const size_t *region, size_t row, size_t slice, void *to, cl_uint n,
                               const cl_event *after, cl_event *event);
cl_int fake_clEnqueueWriteImage(cl_command_queue q, cl_mem m, cl_bool blocking,
                                const size_t *origin, const size_t *region, size_t row,
                                size_t slice, const void *from, cl_uint n, const cl_event *after,
                                cl_event *event);

#endif
