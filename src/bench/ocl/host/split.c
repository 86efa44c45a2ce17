/* SPDX-License-Identifier: MIT */
/* One OpenCL device as several. */
#include "bench/ocl/host/split.h"

static enum am_status open_share(struct am_ocl_device *d, const struct am_ocl_device *whole,
                                 cl_device_id id, size_t shares, struct am_err *err)
{
    cl_int code = CL_SUCCESS;

    *d = *whole;
    d->id = id;
    d->queue = NULL;
    d->compute_units = (cl_uint)(whole->compute_units / shares);
    d->context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    if (code != CL_SUCCESS) {
        d->context = NULL;
        return am_ocl_fail(err, code, "clCreateContext");
    }
    d->queue = clCreateCommandQueue(d->context, id, CL_QUEUE_PROFILING_ENABLE, &code);
    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clCreateCommandQueue");
}

enum am_status am_ocl_split_divide(const struct am_ocl_device *whole, size_t n,
                                   cl_device_id *shares, struct am_err *err)
{
    const cl_device_partition_property how[] = {
        CL_DEVICE_PARTITION_EQUALLY,
        (cl_device_partition_property)(n ? whole->compute_units / n : 0), 0};
    cl_uint most = 0;
    cl_int code;

    (void)clGetDeviceInfo(whole->id, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof(most), &most,
                          NULL);
    if (n < 1 || n > AM_OCL_SPLIT_MAX || n > most || n > whole->compute_units)
        return am_fail(err, AM_E_ABSENT, "%s cannot be divided into %zu devices", whole->name, n);
    if (whole->compute_units % n)
        return am_fail(err, AM_E_ABSENT, "%u compute units are not divided into %zu equal devices",
                       whole->compute_units, n);
    code = clCreateSubDevices(whole->id, how, (cl_uint)n, shares, NULL);
    if (code != CL_SUCCESS)
        return am_fail(err, AM_E_ABSENT, "%s cannot be divided: clCreateSubDevices says %s",
                       whole->name, am_ocl_error_name(code));
    return AM_OK;
}

enum am_status am_ocl_split_open(struct am_ocl_split *split, const struct am_ocl_device *whole,
                                 size_t n, struct am_err *err)
{
    cl_device_id shares[AM_OCL_SPLIT_MAX];
    enum am_status s = am_ocl_split_divide(whole, n, shares, err);

    if (s != AM_OK)
        return s;
    split->n = n;
    for (size_t i = 0; i < n && s == AM_OK; i++)
        s = open_share(&split->device[i], whole, shares[i], n, err);
    return s;
}

/* The shares themselves are not released: PoCL 3.1 lets go of a command's event some time after
 * clFinish(), and crashes when the share that it belonged to is gone. */
void am_ocl_split_close(struct am_ocl_split *split)
{
    for (size_t i = 0; i < split->n; i++)
        am_ocl_device_close(&split->device[i]);
    *split = (struct am_ocl_split){.n = 0};
}
