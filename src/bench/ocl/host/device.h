/* SPDX-License-Identifier: MIT */
/* One OpenCL device, opened for a point: context, queue, limits, buffers, and errors in words. */
#ifndef AM_BENCH_OCL_DEVICE_H
#define AM_BENCH_OCL_DEVICE_H

#include "core/bench/bench.h"

/* Version 1.2 is what every vendor has; later features are asked for, never linked. */
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How to write an OpenCL bench, in short (ocl_arith.c is the example):
 *
 * - The first axis is AM_OCL_DEVICE_AXIS. The bench says .cpus = AM_CPUS_ALL, or a CPU device gets
 *   one CPU. points_per_launch may be above 1: points of one launch share their device, with those
 *   of other benches where all of them say .mixes.
 * - prepare(): am_ocl_device_open(), am_ocl_program_build(), am_ocl_program_kernel(),
 *   am_ocl_device_buffer(). A limit of the device that the point exceeds is AM_E_ABSENT.
 * - run_timed(): timing.h. verify(): read back, compare, and begin the story with "wrong: ".
 * - finish(): release kernels and buffers (both releases below accept NULL), then
 *   am_ocl_program_free(), am_ocl_device_close().
 * - Results carry what decided them: am_ctx_note(d->ctx, "group", "%zu", ...).
 * - Every OpenCL call that can fail is checked: return am_ocl_fail(err, code, "clSetKernelArg"). */

/* Names of the devices found here, ended by NULL; never empty: a driver that cannot be used and the
 * absence of any device are choices too, and am_ocl_device_why_not() tells why. */
const char *const *am_ocl_device_names(void);
const char *am_ocl_device_why_not(const char *name); /* NULL when usable */

/* The environment variable makes points of one launch share their device: a process binds to one
 * driver only, so that no other driver can crash it. */
#define AM_OCL_DEVICE_VARIABLE "ARCHMETER_OCL_DEVICE"
#define AM_OCL_DEVICE_AXIS                                                                         \
    {                                                                                              \
        .name = "device", .kind = AM_AXIS_NAME, .dflt = "usable",                                  \
        .enumerate = am_ocl_device_names, .why_not = am_ocl_device_why_not,                        \
        .env = AM_OCL_DEVICE_VARIABLE, .help = "OpenCL device: platform and model"                 \
    }

enum { AM_OCL_TEXT_MAX = 256 };

/* Zero-initialise; all of it is filled by am_ocl_device_open(). Bounds are the driver's words. */
struct am_ocl_device {
    const struct am_ctx *ctx; /* of the point: clock, notes, memory limit, seed */
    cl_platform_id platform;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue; /* in order, with profiling */

    char name[AM_OCL_TEXT_MAX];    /* CL_DEVICE_NAME */
    char version[AM_OCL_TEXT_MAX]; /* CL_DEVICE_VERSION */
    char driver[AM_OCL_TEXT_MAX];  /* CL_DRIVER_VERSION */
    bool is_cpu;                   /* else a GPU or accelerator */
    bool has_double, has_half;     /* arithmetic, not only storage */
    bool has_images;               /* CL_DEVICE_IMAGE_SUPPORT */
    bool shares_memory;            /* with the host: CL_DEVICE_HOST_UNIFIED_MEMORY */
    unsigned
        nv_capability; /* of NVIDIA's devices: ten times the major number and the minor; else 0 */
    bool has_local;    /* dedicated local memory; false: it lies in global memory */
    cl_uint compute_units;
    cl_uint float_width, double_width; /* CL_DEVICE_NATIVE_VECTOR_WIDTH_*, 0 where unsupported */
    size_t group_max;                  /* work-items of a group; a kernel's own limit may be less */
    size_t image2d_width_max, image2d_height_max;
    uint64_t memory_bytes, buffer_bytes_max, local_bytes, constant_bytes, cache_bytes;
    uint64_t timer_ns; /* resolution of profiling events */
    double clock_hz;   /* as claimed; CPUs claim their base clock: no bound by itself */
};

/* Opens the device of that name and notes platform, driver version and device. AM_E_ABSENT when
 * there is none. A process can use devices of one driver only. */
enum am_status am_ocl_device_open(struct am_ocl_device *d, const struct am_ctx *ctx,
                                  const char *name, struct am_err *err);
void am_ocl_device_close(struct am_ocl_device *d); /* accepts a zeroed or half-open struct */

/* Whether the device has the extension, "cl_khr_subgroups". */
bool am_ocl_device_has(const struct am_ocl_device *d, const char *name);

/* The host's clock, as the point was given it. */
uint64_t am_ocl_device_now(const struct am_ocl_device *d);

/* One more queue of the device; `properties` as clCreateCommandQueue() takes them, 0 for one that
 * keeps no times. */
enum am_status am_ocl_device_queue(const struct am_ocl_device *d,
                                   cl_command_queue_properties properties, cl_command_queue *out,
                                   struct am_err *err);

/* A buffer in *out. AM_E_ABSENT beyond what the device allows for one buffer, beyond half of its
 * memory, or, on a device that shares the host's memory, beyond the point's memory limit. `host` as
 * clCreateBuffer() takes it, usually NULL. */
enum am_status am_ocl_device_buffer(const struct am_ocl_device *d, cl_mem_flags flags, size_t bytes,
                                    void *host, cl_mem *out, struct am_err *err);
/* Blocking; for data before and results after the timed region. */
enum am_status am_ocl_device_write(const struct am_ocl_device *d, cl_mem to, size_t offset,
                                   size_t bytes, const void *from, struct am_err *err);
enum am_status am_ocl_device_read(const struct am_ocl_device *d, cl_mem from, size_t offset,
                                  size_t bytes, void *to, struct am_err *err);

/* For finish(): NULL is accepted. */
void am_ocl_release_buffer(cl_mem buffer); /* images too */
void am_ocl_release_kernel(cl_kernel kernel);
void am_ocl_release_queue(cl_command_queue queue); /* when all that is in it has ended */

/* Tells of a failed call: "CALL: CL_OUT_OF_RESOURCES (-5)". AM_E_NOMEM where the code says so. */
enum am_status am_ocl_fail(struct am_err *err, cl_int code, const char *call);
const char *am_ocl_error_name(cl_int code); /* never NULL */

#endif
