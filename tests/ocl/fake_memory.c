/* SPDX-License-Identifier: MIT */
/* The fake driver's buffers and images: memory of the host, moved at once. */
#include "fake_driver.h"

/* Parameters that this driver has no use for. */
#define UNUSED5(a, b, c, d, e) ((void)(a), (void)(b), (void)(c), (void)(d), (void)(e))

cl_mem fake_clCreateBuffer(cl_context c, cl_mem_flags flags, size_t bytes, void *host, cl_int *code)
{
    struct _cl_mem *m;

    (void)c;
    (void)flags;
    (void)host;
    if (!MAY())
        return NULL;
    m = new_object(sizeof(*m));
    m->bytes = bytes;
    m->data = calloc(1, bytes);
    return m;
}

cl_int fake_clReleaseMemObject(cl_mem m)
{
    free(m->data);
    free(m);
    return CL_SUCCESS;
}

cl_int fake_clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset,
                                size_t bytes, void *to, cl_uint n, const cl_event *after,
                                cl_event *event)
{
    UNUSED5(q, blocking, n, after, event);
    ACT();
    memcpy(to, m->data + offset, bytes);
    return CL_SUCCESS;
}

cl_int fake_clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset,
                                 size_t bytes, const void *from, cl_uint n, const cl_event *after,
                                 cl_event *event)
{
    UNUSED5(q, blocking, n, after, event);
    ACT();
    memcpy(m->data + offset, from, bytes);
    return CL_SUCCESS;
}

cl_int fake_clEnqueueCopyBuffer(cl_command_queue q, cl_mem from, cl_mem to, size_t from_offset,
                                size_t to_offset, size_t bytes, cl_uint n, const cl_event *after,
                                cl_event *event)
{
    UNUSED5(q, n, after, event, bytes);
    ACT();
    if (says("clEnqueueCopyBuffer", "idle"))
        return CL_SUCCESS;
    memcpy(to->data + to_offset, from->data + from_offset, bytes);
    return CL_SUCCESS;
}

cl_int fake_clEnqueueFillBuffer(cl_command_queue q, cl_mem m, const void *pattern, size_t size,
                                size_t offset, size_t bytes, cl_uint n, const cl_event *after,
                                cl_event *event)
{
    UNUSED5(q, n, after, event, size);
    ACT();
    for (size_t i = 0; i + size <= bytes; i += size)
        memcpy(m->data + offset + i, pattern, size);
    return CL_SUCCESS;
}

void *fake_clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags,
                              size_t offset, size_t bytes, cl_uint n, const cl_event *after,
                              cl_event *event, cl_int *code)
{
    UNUSED5(q, blocking, n, after, event);
    (void)flags;
    (void)bytes;
    return MAY() ? m->data + offset : NULL;
}

cl_int fake_clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *at, cl_uint n,
                                    const cl_event *after, cl_event *event)
{
    UNUSED5(q, m, at, n, after);
    (void)event;
    ACT();
    return CL_SUCCESS;
}

/* ---- images: of four floats per pixel ---- */

enum { PIXEL_BYTES = 16 };

cl_mem fake_clCreateImage(cl_context c, cl_mem_flags flags, const cl_image_format *format,
                          const cl_image_desc *desc, void *host, cl_int *code)
{
    struct _cl_mem *m;

    UNUSED5(c, flags, format, host, code);
    if (!MAY())
        return NULL;
    m = new_object(sizeof(*m));
    m->row_bytes = desc->image_width * PIXEL_BYTES;
    m->bytes = m->row_bytes * desc->image_height;
    m->data = calloc(1, m->bytes);
    return m;
}

cl_int fake_clGetSupportedImageFormats(cl_context c, cl_mem_flags flags, cl_mem_object_type type,
                                       cl_uint room, cl_image_format *out, cl_uint *n)
{
    (void)c;
    (void)flags;
    (void)type;
    ACT();
    if (out && room)
        *out = (cl_image_format){CL_RGBA, CL_FLOAT};
    if (n)
        *n = 1;
    return CL_SUCCESS;
}

cl_int fake_clEnqueueReadImage(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *origin,
                               const size_t *region, size_t row, size_t slice, void *to, cl_uint n,
                               const cl_event *after, cl_event *event)
{
    UNUSED5(q, blocking, n, after, event);
    (void)row;
    (void)slice;
    ACT();
    memcpy(to, m->data + origin[1] * m->row_bytes, region[1] * m->row_bytes); /* whole rows */
    return CL_SUCCESS;
}

cl_int fake_clEnqueueWriteImage(cl_command_queue q, cl_mem m, cl_bool blocking,
                                const size_t *origin, const size_t *region, size_t row,
                                size_t slice, const void *from, cl_uint n, const cl_event *after,
                                cl_event *event)
{
    UNUSED5(q, blocking, n, after, event);
    (void)row;
    (void)slice;
    ACT();
    memcpy(m->data + origin[1] * m->row_bytes, from, region[1] * m->row_bytes);
    return CL_SUCCESS;
}
