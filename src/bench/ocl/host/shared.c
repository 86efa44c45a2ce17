/* SPDX-License-Identifier: MIT */
/* Memory that host and device both use. */
#include "bench/ocl/host/shared.h"

#include <dlfcn.h>

const char *const am_ocl_shared_names[] = {[AM_OCL_SHARED_BUFFER] = "buffer",
                                           [AM_OCL_SHARED_COARSE] = "coarse",
                                           [AM_OCL_SHARED_FINE] = "fine",
                                           NULL};

/* Words of OpenCL 2.0, which the headers that this is compiled with need not have. */
enum {
    SVM_CAPABILITIES = 0x1053, /* CL_DEVICE_SVM_CAPABILITIES */
    SVM_COARSE = 1 << 0,
    SVM_FINE = 1 << 1,
    SVM_FINE_FLAG = 1 << 10, /* CL_MEM_SVM_FINE_GRAIN_BUFFER */
    SVM_ALIGNMENT = 0,       /* that of the largest type, and more is refused */
};

typedef void *svm_alloc_fn(cl_context, cl_bitfield, size_t, cl_uint);
typedef void svm_free_fn(cl_context, void *);
typedef cl_int svm_arg_fn(cl_kernel, cl_uint, const void *);
typedef cl_int svm_map_fn(cl_command_queue, cl_bool, cl_map_flags, void *, size_t, cl_uint,
                          const cl_event *, cl_event *);
typedef cl_int svm_unmap_fn(cl_command_queue, void *, cl_uint, const cl_event *, cl_event *);

/* POSIX has functions and data of one size; C does not say so. */
#define CALL(type, name) ((type *)(uintptr_t)dlsym(RTLD_DEFAULT, name))

static bool loader_has_all(void)
{
    static const char *const names[] = {"clSVMAlloc", "clSVMFree", "clSetKernelArgSVMPointer",
                                        "clEnqueueSVMMap", "clEnqueueSVMUnmap"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!dlsym(RTLD_DEFAULT, names[i]))
            return false;
    }
    return true;
}

static enum am_status allocate(struct am_ocl_shared *m, struct am_err *err)
{
    const bool fine = m->kind == AM_OCL_SHARED_FINE;
    const cl_bitfield flags = CL_MEM_READ_WRITE | (fine ? (cl_bitfield)SVM_FINE_FLAG : 0);
    cl_bitfield has = 0;

    if (clGetDeviceInfo(m->device->id, SVM_CAPABILITIES, sizeof(has), &has, NULL) != CL_SUCCESS ||
        !(has & (fine ? (cl_bitfield)SVM_FINE : (cl_bitfield)SVM_COARSE)))
        return am_fail(err, AM_E_ABSENT, "the device has no %s-grained shared virtual memory",
                       am_ocl_shared_names[m->kind]);
    if (!loader_has_all())
        return am_fail(err, AM_E_ABSENT, "the OpenCL loader is older than version 2.0");
    if (m->bytes > m->device->buffer_bytes_max)
        return am_fail(err, AM_E_ABSENT, "%zu bytes: the device allows %llu", m->bytes,
                       (unsigned long long)m->device->buffer_bytes_max);
    m->allocated =
        CALL(svm_alloc_fn, "clSVMAlloc")(m->device->context, flags, m->bytes, SVM_ALIGNMENT);
    return m->allocated ? AM_OK : am_ocl_fail(err, CL_MEM_OBJECT_ALLOCATION_FAILURE, "clSVMAlloc");
}

enum am_status am_ocl_shared_open(struct am_ocl_shared *m, const struct am_ocl_device *d,
                                  enum am_ocl_shared_kind kind, size_t bytes, struct am_err *err)
{
    *m = (struct am_ocl_shared){.device = d, .kind = kind, .bytes = bytes};
    if (kind == AM_OCL_SHARED_BUFFER)
        return am_ocl_device_buffer(d, CL_MEM_READ_WRITE, bytes, NULL, &m->buffer, err);
    return allocate(m, err);
}

void am_ocl_shared_close(struct am_ocl_shared *m)
{
    am_ocl_release_buffer(m->buffer);
    if (m->allocated && clFinish(m->device->queue) == CL_SUCCESS)
        CALL(svm_free_fn, "clSVMFree")(m->device->context, m->allocated);
    *m = (struct am_ocl_shared){.device = NULL};
}

enum am_status am_ocl_shared_arg(const struct am_ocl_shared *m, cl_kernel kernel,
                                 struct am_err *err)
{
    const cl_int code = m->buffer
                            ? clSetKernelArg(kernel, 0, sizeof(m->buffer), &m->buffer)
                            : CALL(svm_arg_fn, "clSetKernelArgSVMPointer")(kernel, 0, m->allocated);

    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clSetKernelArg");
}

enum am_status am_ocl_shared_enter(struct am_ocl_shared *m, cl_map_flags flags, struct am_err *err)
{
    const cl_command_queue queue = m->device->queue;
    cl_int code = CL_SUCCESS;

    m->at = m->allocated;
    if (m->kind == AM_OCL_SHARED_BUFFER)
        m->at =
            clEnqueueMapBuffer(queue, m->buffer, CL_TRUE, flags, 0, m->bytes, 0, NULL, NULL, &code);
    else if (m->kind == AM_OCL_SHARED_COARSE)
        code = CALL(svm_map_fn, "clEnqueueSVMMap")(queue, CL_TRUE, flags, m->allocated, m->bytes, 0,
                                                   NULL, NULL);
    else
        code = clFinish(queue);
    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "entering shared memory");
}

enum am_status am_ocl_shared_leave(struct am_ocl_shared *m, struct am_err *err)
{
    const cl_command_queue queue = m->device->queue;
    cl_int code = CL_SUCCESS;

    if (m->kind == AM_OCL_SHARED_BUFFER)
        code = clEnqueueUnmapMemObject(queue, m->buffer, m->at, 0, NULL, NULL);
    else if (m->kind == AM_OCL_SHARED_COARSE)
        code = CALL(svm_unmap_fn, "clEnqueueSVMUnmap")(queue, m->allocated, 0, NULL, NULL);
    m->at = NULL;
    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "leaving shared memory");
}
