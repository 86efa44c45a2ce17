/* SPDX-License-Identifier: MIT */
/* Between a bench and its driver: OpenCL calls of a test program, changed on request.
 *
 * A program that includes this has the calls below itself; they do what `between` says and go on to
 * the loader's own. So a real driver can be given sources with a planted error, a clock of another
 * speed, small limits, and memory that it refuses, without a second implementation of anything. */
#ifndef AM_TESTS_OCL_BETWEEN_H
#define AM_TESTS_OCL_BETWEEN_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *from, *to; /* text of a source that is replaced, wherever it stands; NULL: none */
    unsigned replaced;     /* so often, since it was set to 0 */
    double clock;          /* events tell so many of the device's seconds per second; 0: 1 */
    size_t group_max;      /* largest group; 0: the device's */
    size_t buffer_max;     /* largest buffer, in bytes, and no images; 0: the device's */
    size_t items_max;      /* of a launch, which fails for want of memory beyond; 0: any */
    size_t short_by;       /* bytes that are missing at the end of each transfer of several pages */
    bool drops;            /* transfers of several pages say that they were made, and are not */
    unsigned lost_after;   /* launches, after which every call of the device fails; 0: never */
    unsigned launches;     /* since it was set to 0 */
} between;

/* The loader's own call of that name. */
static void *beyond(const char *name)
{
    void *const call = dlsym(RTLD_NEXT, name);

    if (!call) {
        printf("Bail out! the loader has no %s\n", name);
        exit(1);
    }
    return call;
}
#define BEYOND(name, type) ((type)(uintptr_t)beyond(name))

/* The text with all that is to be replaced; malloc'd. */
static char *edited(const char *text)
{
    const size_t from = strlen(between.from), to = strlen(between.to);
    size_t n = 0, len = 0;
    char *out;

    for (const char *at = text; (at = strstr(at, between.from)) != NULL; at += from)
        n++;
    out = malloc(strlen(text) + n * to + 1);
    if (!out)
        exit(1);
    for (const char *at = text, *next;; at = next + from) {
        next = strstr(at, between.from);
        if (!next) {
            memcpy(out + len, at, strlen(at) + 1);
            break;
        }
        memcpy(out + len, at, (size_t)(next - at));
        len += (size_t)(next - at);
        memcpy(out + len, between.to, to);
        len += to;
    }
    between.replaced += (unsigned)n;
    return out;
}

static bool is_lost(void)
{
    return between.lost_after && between.launches > between.lost_after;
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint n, const char **texts,
                                     const size_t *lengths, cl_int *code)
{
    typedef cl_program call(cl_context, cl_uint, const char **, const size_t *, cl_int *);
    call *const next = BEYOND("clCreateProgramWithSource", call *);
    char *changed;
    cl_program program;

    if (!between.from || n != 1 || lengths)
        return next(context, n, texts, lengths, code);
    changed = edited(texts[0]);
    program = next(context, 1, (const char **)&changed, NULL, code);
    free(changed);
    return program;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                      cl_int *code)
{
    typedef cl_mem call(cl_context, cl_mem_flags, size_t, void *, cl_int *);

    if (between.buffer_max && bytes > between.buffer_max) {
        *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return NULL;
    }
    return BEYOND("clCreateBuffer", call *)(context, flags, bytes, host, code);
}

/* Of OpenCL 2.0: looked up by whoever calls it. */
void *clSVMAlloc(cl_context context, cl_bitfield flags, size_t bytes, cl_uint alignment);

void *clSVMAlloc(cl_context context, cl_bitfield flags, size_t bytes, cl_uint alignment)
{
    typedef void *call(cl_context, cl_bitfield, size_t, cl_uint);

    if (between.buffer_max && bytes > between.buffer_max)
        return NULL;
    return BEYOND("clSVMAlloc", call *)(context, flags, bytes, alignment);
}

cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                     const cl_image_desc *desc, void *host, cl_int *code)
{
    typedef cl_mem call(cl_context, cl_mem_flags, const cl_image_format *, const cl_image_desc *,
                        void *, cl_int *);

    if (between.buffer_max) {
        *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return NULL;
    }
    return BEYOND("clCreateImage", call *)(context, flags, format, desc, host, code);
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                cl_kernel_work_group_info what, size_t room, void *out,
                                size_t *needed)
{
    typedef cl_int call(cl_kernel, cl_device_id, cl_kernel_work_group_info, size_t, void *,
                        size_t *);
    const cl_int code =
        BEYOND("clGetKernelWorkGroupInfo", call *)(kernel, device, what, room, out, needed);
    size_t *const most = out;

    if (code == CL_SUCCESS && what == CL_KERNEL_WORK_GROUP_SIZE && most && between.group_max &&
        *most > between.group_max)
        *most = between.group_max;
    return code;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void *out,
                       size_t *needed)
{
    typedef cl_int call(cl_device_id, cl_device_info, size_t, void *, size_t *);
    const cl_int code = BEYOND("clGetDeviceInfo", call *)(device, what, room, out, needed);
    size_t *const most = out;

    if (code == CL_SUCCESS && what == CL_DEVICE_MAX_WORK_GROUP_SIZE && most && between.group_max &&
        *most > between.group_max)
        *most = between.group_max;
    return code;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint n, const cl_event *after, cl_event *event)
{
    typedef cl_int call(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                        const size_t *, cl_uint, const cl_event *, cl_event *);
    size_t items = 1, group = 1;

    between.launches++;
    for (cl_uint i = 0; i < dims; i++) {
        items *= global[i];
        group *= local ? local[i] : 1;
    }
    if (is_lost())
        return CL_OUT_OF_RESOURCES;
    if (between.group_max && group > between.group_max)
        return CL_INVALID_WORK_GROUP_SIZE;
    if (between.items_max && items > between.items_max)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return BEYOND("clEnqueueNDRangeKernel", call *)(queue, kernel, dims, offset, global, local, n,
                                                    after, event);
}

/* Bytes of a transfer that are really moved. */
static size_t moved(size_t bytes)
{
    return bytes < 8192 ? bytes : between.drops ? 0 : bytes - between.short_by;
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                            size_t bytes, const void *from, cl_uint n, const cl_event *after,
                            cl_event *event)
{
    typedef cl_int call(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint,
                        const cl_event *, cl_event *);

    if (is_lost())
        return CL_OUT_OF_RESOURCES;
    if (moved(bytes) == 0)
        return CL_SUCCESS;
    return BEYOND("clEnqueueWriteBuffer", call *)(queue, buffer, blocking, offset, moved(bytes),
                                                  from, n, after, event);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                           size_t bytes, void *to, cl_uint n, const cl_event *after,
                           cl_event *event)
{
    typedef cl_int call(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint,
                        const cl_event *, cl_event *);

    if (is_lost())
        return CL_OUT_OF_RESOURCES;
    if (moved(bytes) == 0)
        return CL_SUCCESS;
    return BEYOND("clEnqueueReadBuffer", call *)(queue, buffer, blocking, offset, moved(bytes), to,
                                                 n, after, event);
}

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                           size_t to_offset, size_t bytes, cl_uint n, const cl_event *after,
                           cl_event *event)
{
    typedef cl_int call(cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint,
                        const cl_event *, cl_event *);

    if (is_lost())
        return CL_OUT_OF_RESOURCES;
    if (moved(bytes) == 0)
        return CL_SUCCESS;
    return BEYOND("clEnqueueCopyBuffer", call *)(queue, from, to, from_offset, to_offset,
                                                 moved(bytes), n, after, event);
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t room, void *out,
                               size_t *needed)
{
    typedef cl_int call(cl_event, cl_profiling_info, size_t, void *, size_t *);
    const cl_int code = BEYOND("clGetEventProfilingInfo", call *)(event, what, room, out, needed);
    cl_ulong *const at = out;

    if (code == CL_SUCCESS && at && between.clock > 0)
        *at = (cl_ulong)((double)*at * between.clock);
    return code;
}

#endif
