/* SPDX-License-Identifier: MIT */
/* One OpenCL device, opened for a point. */
#include "bench/ocl/host/device.h"

#include "base/text.h"
#include "bench/ocl/host/found.h"

#include <stdlib.h>
#include <string.h>

/* The first initialisation of a GPU driver takes seconds. Far below the time that the conductor
 * gives a worker to list its benches: a driver that hangs must not hide them. */
enum { ASK_LIMIT_MS = 10000 };

/* What this process knows of its devices: asked once, since each asking starts processes, and kept,
 * since a process can bind to one driver only. The context of the latest device is kept as well:
 * points of a launch share it, since a GPU's driver takes as long to make one as to measure a
 * point. */
struct knowledge {
    bool asked, bound;
    size_t icd; /* bound to */
    struct {
        cl_context context; /* NULL: none yet */
        cl_device_id device;
        unsigned users; /* devices that are open */
        bool spoiled;   /* a command failed in it: whatever comes after may fail too */
    } shared;
    struct am_ocl_finds finds;
    const char *names[AM_OCL_FOUND_MAX + 1];
};

static struct knowledge known;

static const char no_device[] =
    "no OpenCL driver is installed here; pocl-opencl-icd makes the CPUs a device";

static const struct knowledge *know(void)
{
    const struct am_ocl_icd_search search = am_ocl_icd_environment();
    struct am_ocl_finds *const finds = &known.finds;

    if (known.asked)
        return &known;
    known.asked = true;
    am_ocl_icd_list(&search, &finds->icds);
    am_ocl_found_learn(finds, getenv(AM_OCL_DEVICE_VARIABLE), ASK_LIMIT_MS);
    if (!finds->n) {
        finds->n = 1;
        (void)am_str_copy(finds->list[0].name, sizeof(finds->list[0].name), "none");
        (void)am_str_copy(finds->list[0].why_not, sizeof(finds->list[0].why_not), no_device);
    }
    for (size_t i = 0; i < finds->n; i++)
        known.names[i] = finds->list[i].name;
    return &known;
}

static const struct am_ocl_found *find(const char *name)
{
    const struct am_ocl_finds *const finds = &know()->finds;

    for (size_t i = 0; i < finds->n; i++) {
        if (strcmp(finds->list[i].name, name) == 0)
            return &finds->list[i];
    }
    return NULL;
}

const char *const *am_ocl_device_names(void)
{
    return know()->names;
}

const char *am_ocl_device_why_not(const char *name)
{
    const struct am_ocl_found *const f = find(name);

    if (!f)
        return "there is no such device here";
    return f->why_not[0] ? f->why_not : NULL;
}

/* ---- errors ---- */

#define NAMED(code)                                                                                \
    {                                                                                              \
        code, #code                                                                                \
    }
static const struct {
    cl_int code;
    const char *name;
} codes[] = {
    NAMED(CL_SUCCESS),
    NAMED(CL_DEVICE_NOT_FOUND),
    NAMED(CL_DEVICE_NOT_AVAILABLE),
    NAMED(CL_COMPILER_NOT_AVAILABLE),
    NAMED(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    NAMED(CL_OUT_OF_RESOURCES),
    NAMED(CL_OUT_OF_HOST_MEMORY),
    NAMED(CL_PROFILING_INFO_NOT_AVAILABLE),
    NAMED(CL_MEM_COPY_OVERLAP),
    NAMED(CL_IMAGE_FORMAT_MISMATCH),
    NAMED(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    NAMED(CL_BUILD_PROGRAM_FAILURE),
    NAMED(CL_MAP_FAILURE),
    NAMED(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    NAMED(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    NAMED(CL_COMPILE_PROGRAM_FAILURE),
    NAMED(CL_LINKER_NOT_AVAILABLE),
    NAMED(CL_LINK_PROGRAM_FAILURE),
    NAMED(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    NAMED(CL_INVALID_VALUE),
    NAMED(CL_INVALID_DEVICE_TYPE),
    NAMED(CL_INVALID_PLATFORM),
    NAMED(CL_INVALID_DEVICE),
    NAMED(CL_INVALID_CONTEXT),
    NAMED(CL_INVALID_QUEUE_PROPERTIES),
    NAMED(CL_INVALID_COMMAND_QUEUE),
    NAMED(CL_INVALID_HOST_PTR),
    NAMED(CL_INVALID_MEM_OBJECT),
    NAMED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    NAMED(CL_INVALID_IMAGE_SIZE),
    NAMED(CL_INVALID_SAMPLER),
    NAMED(CL_INVALID_BINARY),
    NAMED(CL_INVALID_BUILD_OPTIONS),
    NAMED(CL_INVALID_PROGRAM),
    NAMED(CL_INVALID_PROGRAM_EXECUTABLE),
    NAMED(CL_INVALID_KERNEL_NAME),
    NAMED(CL_INVALID_KERNEL_DEFINITION),
    NAMED(CL_INVALID_KERNEL),
    NAMED(CL_INVALID_ARG_INDEX),
    NAMED(CL_INVALID_ARG_VALUE),
    NAMED(CL_INVALID_ARG_SIZE),
    NAMED(CL_INVALID_KERNEL_ARGS),
    NAMED(CL_INVALID_WORK_DIMENSION),
    NAMED(CL_INVALID_WORK_GROUP_SIZE),
    NAMED(CL_INVALID_WORK_ITEM_SIZE),
    NAMED(CL_INVALID_GLOBAL_OFFSET),
    NAMED(CL_INVALID_EVENT_WAIT_LIST),
    NAMED(CL_INVALID_EVENT),
    NAMED(CL_INVALID_OPERATION),
    NAMED(CL_INVALID_BUFFER_SIZE),
    NAMED(CL_INVALID_GLOBAL_WORK_SIZE),
    NAMED(CL_INVALID_PROPERTY),
    NAMED(CL_INVALID_IMAGE_DESCRIPTOR),
    NAMED(CL_INVALID_COMPILER_OPTIONS),
    NAMED(CL_INVALID_LINKER_OPTIONS),
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};

const char *am_ocl_error_name(cl_int code)
{
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        if (codes[i].code == code)
            return codes[i].name;
    }
    return "a code of the driver's own";
}

enum am_status am_ocl_fail(struct am_err *err, cl_int code, const char *call)
{
    const bool memory = code == CL_OUT_OF_HOST_MEMORY || code == CL_OUT_OF_RESOURCES ||
                        code == CL_MEM_OBJECT_ALLOCATION_FAILURE;

    return am_fail(err, memory ? AM_E_NOMEM : AM_E_WRONG, "%s: %s (%d)", call,
                   am_ocl_error_name(code), (int)code);
}

/* ---- open and close ---- */

/* What a device says of itself, read into a field of the struct. */
struct fact {
    cl_device_info what;
    size_t offset, size;
};
#define FACT(what, field)                                                                          \
    {                                                                                              \
        what, offsetof(struct am_ocl_device, field), sizeof(((struct am_ocl_device *)0)->field)    \
    }
static const struct fact facts[] = {
    FACT(CL_DEVICE_NAME, name),
    FACT(CL_DEVICE_VERSION, version),
    FACT(CL_DRIVER_VERSION, driver),
    FACT(CL_DEVICE_MAX_COMPUTE_UNITS, compute_units),
    FACT(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, float_width),
    FACT(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, double_width),
    FACT(CL_DEVICE_MAX_WORK_GROUP_SIZE, group_max),
    FACT(CL_DEVICE_IMAGE2D_MAX_WIDTH, image2d_width_max),
    FACT(CL_DEVICE_IMAGE2D_MAX_HEIGHT, image2d_height_max),
    FACT(CL_DEVICE_GLOBAL_MEM_SIZE, memory_bytes),
    FACT(CL_DEVICE_MAX_MEM_ALLOC_SIZE, buffer_bytes_max),
    FACT(CL_DEVICE_LOCAL_MEM_SIZE, local_bytes),
    FACT(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, constant_bytes),
    FACT(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, cache_bytes),
};

static cl_int read_facts(struct am_ocl_device *d)
{
    cl_int code = CL_SUCCESS;

    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]) && code == CL_SUCCESS; i++)
        code =
            clGetDeviceInfo(d->id, facts[i].what, facts[i].size, (char *)d + facts[i].offset, NULL);
    d->name[sizeof(d->name) - 1] = '\0';
    d->version[sizeof(d->version) - 1] = '\0';
    d->driver[sizeof(d->driver) - 1] = '\0';
    return code;
}

static bool says_yes(const struct am_ocl_device *d, cl_device_info what)
{
    cl_bool answer = CL_FALSE;

    return clGetDeviceInfo(d->id, what, sizeof(answer), &answer, NULL) == CL_SUCCESS && answer;
}

static bool has_config(const struct am_ocl_device *d, cl_device_info what)
{
    cl_device_fp_config config = 0;

    return clGetDeviceInfo(d->id, what, sizeof(config), &config, NULL) == CL_SUCCESS && config;
}

#ifndef CL_DEVICE_HALF_FP_CONFIG
#define CL_DEVICE_HALF_FP_CONFIG 0x1033
#endif

bool am_ocl_device_has(const struct am_ocl_device *d, const char *name)
{
    const size_t len = strlen(name);
    char list[16 * 1024] = "";

    if (clGetDeviceInfo(d->id, CL_DEVICE_EXTENSIONS, sizeof(list) - 1, list, NULL) != CL_SUCCESS)
        return false;
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += len) {
        if ((at == list || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
            return true; /* a whole word: cl_khr_subgroup_shuffle begins another's name */
    }
    return false;
}

#define NV_CAPABILITY_MAJOR 0x4000 /* of cl_nv_device_attribute_query */
#define NV_CAPABILITY_MINOR 0x4001

static cl_uint ask_number(const struct am_ocl_device *d, cl_device_info what)
{
    cl_uint answer = 0;

    return clGetDeviceInfo(d->id, what, sizeof(answer), &answer, NULL) == CL_SUCCESS ? answer : 0;
}

static unsigned nv_capability(const struct am_ocl_device *d)
{
    if (!am_ocl_device_has(d, "cl_nv_device_attribute_query"))
        return 0;
    return 10 * ask_number(d, NV_CAPABILITY_MAJOR) + ask_number(d, NV_CAPABILITY_MINOR);
}

static enum am_status read_device(struct am_ocl_device *d, struct am_err *err)
{
    cl_device_type type = 0;
    cl_device_local_mem_type local = CL_GLOBAL;
    size_t resolution = 0;
    cl_uint mhz = 0;
    const cl_int code = read_facts(d);

    if (code != CL_SUCCESS)
        return am_ocl_fail(err, code, "clGetDeviceInfo");
    (void)clGetDeviceInfo(d->id, CL_DEVICE_TYPE, sizeof(type), &type, NULL);
    (void)clGetDeviceInfo(d->id, CL_DEVICE_LOCAL_MEM_TYPE, sizeof(local), &local, NULL);
    (void)clGetDeviceInfo(d->id, CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof(resolution),
                          &resolution, NULL);
    (void)clGetDeviceInfo(d->id, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof(mhz), &mhz, NULL);
    d->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    d->has_local = local == CL_LOCAL;
    d->timer_ns = resolution;
    d->clock_hz = mhz * 1e6;
    d->has_images = says_yes(d, CL_DEVICE_IMAGE_SUPPORT);
    d->shares_memory = says_yes(d, CL_DEVICE_HOST_UNIFIED_MEMORY);
    d->nv_capability = nv_capability(d);
    d->has_double = has_config(d, CL_DEVICE_DOUBLE_FP_CONFIG);
    d->has_half = am_ocl_device_has(d, "cl_khr_fp16") && has_config(d, CL_DEVICE_HALF_FP_CONFIG);
    return AM_OK;
}

/* ---- what the device claims of its arithmetic ---- */

#define AMD_SIMDS_OF_UNIT 0x4040 /* of cl_amd_device_attribute_query */
#define AMD_SIMD_WIDTH 0x4041

/* Single-precision lanes of a multiprocessor by its compute capability; 0: not known. */
static unsigned nvidia_lanes(unsigned major, unsigned minor)
{
    static const struct {
        unsigned major, minor, lanes; /* of this minor and later ones */
    } rows[] = {{3, 0, 192}, {5, 0, 128}, {6, 0, 64},  {6, 1, 128},  {7, 0, 64},
                {8, 0, 64},  {8, 6, 128}, {9, 0, 128}, {10, 0, 128}, {12, 0, 128}};
    unsigned lanes = 0;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        lanes = rows[i].major == major && rows[i].minor <= minor ? rows[i].lanes : lanes;
    return lanes;
}

static unsigned lanes_of(const struct am_ocl_device *d)
{
    if (d->nv_capability)
        return nvidia_lanes(d->nv_capability / 10, d->nv_capability % 10);
    if (am_ocl_device_has(d, "cl_amd_device_attribute_query"))
        return ask_number(d, AMD_SIMDS_OF_UNIT) * ask_number(d, AMD_SIMD_WIDTH);
    return 0;
}

/* A multiplication and an addition per lane and cycle of the claimed clock. */
static void tell_claim(const struct am_ocl_device *d)
{
    const unsigned lanes = d->is_cpu ? 0 : lanes_of(d);

    if (lanes == 0 || !(d->clock_hz > 0))
        return;
    am_ctx_chosen(d->ctx, "device_shape", "%u units x %u lanes x %.4g GHz", d->compute_units, lanes,
                  d->clock_hz / 1e9);
    am_ctx_chosen(d->ctx, "device_flops", "%.6g", 2 * d->clock_hz * lanes * d->compute_units);
}

/* What the driver says that the device is: the rows of a table of devices. */
static void tell_facts(const struct am_ocl_device *d)
{
    static const double kib = 1024, gib = 1024.0 * 1024 * 1024;
    const unsigned lanes = d->is_cpu ? 0 : lanes_of(d);

    am_ctx_note(d->ctx, "device_units", "%u", (unsigned)d->compute_units);
    if (lanes)
        am_ctx_note(d->ctx, "device_lanes", "%u", d->compute_units * lanes);
    if (d->clock_hz > 0)
        am_ctx_note(d->ctx, "device_clock", "%.0f MHz", d->clock_hz / 1e6);
    am_ctx_note(d->ctx, "device_memory", "%.4g GiB, %s", (double)d->memory_bytes / gib,
                d->shares_memory ? "the host's" : "its own");
    am_ctx_note(d->ctx, "device_local", "%.4g KiB, %s", (double)d->local_bytes / kib,
                d->has_local ? "of its own" : "in its memory");
    am_ctx_note(d->ctx, "device_cache", "%.4g KiB", (double)d->cache_bytes / kib);
}

/* For the record of what measured: where the CPUs are the device, the compiler's version stands
 * there and nowhere else. */
static void tell_platform(const struct am_ocl_device *d)
{
    char name[AM_OCL_TEXT_MAX] = "", version[2 * AM_OCL_TEXT_MAX] = "";

    if (clGetPlatformInfo(d->platform, CL_PLATFORM_NAME, sizeof(name) - 1, name, NULL) ==
            CL_SUCCESS &&
        clGetPlatformInfo(d->platform, CL_PLATFORM_VERSION, sizeof(version) - 1, version, NULL) ==
            CL_SUCCESS)
        am_ctx_note(d->ctx, "platform", "%s, %s", name, version);
}

static enum am_status choose(const char *name, const struct am_ocl_found **out, struct am_err *err)
{
    const struct am_ocl_found *const f = find(name);

    if (!f)
        return am_fail(err, AM_E_ABSENT, "there is no device %s here", name);
    if (f->why_not[0])
        return am_fail(err, AM_E_ABSENT, "%s", f->why_not);
    if (known.bound && known.icd != f->icd)
        return am_fail(err, AM_E_USAGE, "device %s: this process is bound to another driver", name);
    if (!known.bound && !am_ocl_icd_bind(&known.finds.icds.list[f->icd]))
        return am_fail(err, AM_E_SYS, "binding to the driver of %s", name);
    known.bound = true;
    known.icd = f->icd;
    *out = f;
    return AM_OK;
}

static enum am_status make_context(const struct am_ocl_device *d, cl_context *out,
                                   struct am_err *err)
{
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)d->platform, 0};
    cl_int code = CL_SUCCESS;

    *out = clCreateContext(properties, 1, &d->id, NULL, NULL, &code);
    if (code == CL_SUCCESS)
        return AM_OK;
    *out = NULL;
    return am_ocl_fail(err, code, "clCreateContext");
}

/* The context of the points before, else a new one for those after too; one of its own for a device
 * that is opened beside another. */
static enum am_status take_context(struct am_ocl_device *d, struct am_err *err)
{
    const bool suits = known.shared.device == d->id && !known.shared.spoiled;
    enum am_status s = AM_OK;

    if (known.shared.context && !suits && known.shared.users == 0) {
        (void)clReleaseContext(known.shared.context);
        known.shared.context = NULL;
    }
    if (!known.shared.context) {
        known.shared.device = d->id;
        known.shared.spoiled = false;
        s = make_context(d, &known.shared.context, err);
    } else if (!suits) {
        return make_context(d, &d->context, err);
    }
    d->context = known.shared.context;
    known.shared.users += s == AM_OK;
    return s;
}

/* `sound`: everything that was asked of it was done. */
static void give_context(cl_context context, bool sound)
{
    if (context != known.shared.context) {
        (void)clReleaseContext(context);
        return;
    }
    known.shared.users--;
    known.shared.spoiled |= !sound;
}

uint64_t am_ocl_device_now(const struct am_ocl_device *d)
{
    return d->ctx->clock->now_ns(d->ctx->clock->self);
}

enum am_status am_ocl_device_queue(const struct am_ocl_device *d,
                                   cl_command_queue_properties properties, cl_command_queue *out,
                                   struct am_err *err)
{
    cl_int code = CL_SUCCESS;

    *out = clCreateCommandQueue(d->context, d->id, properties, &code);
    if (code == CL_SUCCESS)
        return AM_OK;
    *out = NULL;
    return am_ocl_fail(err, code, "clCreateCommandQueue");
}

static enum am_status create(struct am_ocl_device *d, struct am_err *err)
{
    const enum am_status s = take_context(d, err);

    return s == AM_OK ? am_ocl_device_queue(d, CL_QUEUE_PROFILING_ENABLE, &d->queue, err) : s;
}

enum am_status am_ocl_device_open(struct am_ocl_device *d, const struct am_ctx *ctx,
                                  const char *name, struct am_err *err)
{
    const struct am_ocl_found *found = NULL;
    enum am_status s = choose(name, &found, err);

    if (s == AM_OK)
        s = am_ocl_found_pick(found, &d->platform, &d->id, err);
    if (s == AM_OK)
        s = read_device(d, err);
    if (s == AM_OK)
        s = create(d, err);
    if (s != AM_OK)
        return s;
    d->ctx = ctx;
    am_ctx_note(ctx, "device_name", "%s", d->name);
    am_ctx_chosen(ctx, "device_kind", "%s", d->is_cpu ? "cpu" : "other");
    tell_claim(d);
    tell_facts(d);
    am_ctx_note(ctx, "driver", "%s, %s", d->version, d->driver);
    tell_platform(d);
    return AM_OK;
}

void am_ocl_device_close(struct am_ocl_device *d)
{
    bool sound = false;

    if (d->queue) {
        sound = clFinish(d->queue) == CL_SUCCESS;
        (void)clReleaseCommandQueue(d->queue);
    }
    if (d->context)
        give_context(d->context, sound);
    *d = (struct am_ocl_device){.queue = NULL};
}

/* ---- buffers ---- */

enum am_status am_ocl_device_buffer(const struct am_ocl_device *d, cl_mem_flags flags, size_t bytes,
                                    void *host, cl_mem *out, struct am_err *err)
{
    cl_int code = CL_SUCCESS;

    if (bytes > d->buffer_bytes_max)
        return am_fail(err, AM_E_ABSENT, "%zu bytes: the device allows buffers of %llu", bytes,
                       (unsigned long long)d->buffer_bytes_max);
    if (bytes > d->memory_bytes / 2)
        return am_fail(err, AM_E_ABSENT, "%zu bytes: more than half of the device's %llu", bytes,
                       (unsigned long long)d->memory_bytes);
    if (d->shares_memory && bytes > d->ctx->memory_limit_bytes)
        return am_fail(err, AM_E_ABSENT, "%zu bytes: the memory limit is %llu", bytes,
                       (unsigned long long)d->ctx->memory_limit_bytes);
    *out = clCreateBuffer(d->context, flags, bytes, host, &code);
    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clCreateBuffer");
}

enum am_status am_ocl_device_write(const struct am_ocl_device *d, cl_mem to, size_t offset,
                                   size_t bytes, const void *from, struct am_err *err)
{
    const cl_int code =
        clEnqueueWriteBuffer(d->queue, to, CL_TRUE, offset, bytes, from, 0, NULL, NULL);

    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clEnqueueWriteBuffer");
}

enum am_status am_ocl_device_read(const struct am_ocl_device *d, cl_mem from, size_t offset,
                                  size_t bytes, void *to, struct am_err *err)
{
    const cl_int code =
        clEnqueueReadBuffer(d->queue, from, CL_TRUE, offset, bytes, to, 0, NULL, NULL);

    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clEnqueueReadBuffer");
}

void am_ocl_release_buffer(cl_mem buffer)
{
    if (buffer)
        (void)clReleaseMemObject(buffer);
}

void am_ocl_release_kernel(cl_kernel kernel)
{
    if (kernel)
        (void)clReleaseKernel(kernel);
}

void am_ocl_release_queue(cl_command_queue queue)
{
    if (!queue)
        return;
    (void)clFinish(queue);
    (void)clReleaseCommandQueue(queue);
}
