/* SPDX-License-Identifier: MIT */
/* A driver that does as it is told: devices without hardware, and calls that fail, crash or hang.
 *
 * AM_FAKE_OCL is a list of acts, separated by commas:
 *     CALL=crash  CALL=hang  CALL=exit  CALL=-5     what a call does; -5 is an OpenCL error code
 *     clEnqueueCopyBuffer=idle                      it says that it was done, and nothing was
 *     lost=N                                        the device is gone after N transfers (kernels)
 *     devices=N                                     how many there are (1)
 *     uuid=yes                                      they tell who they are, whatever the library
 *     time=frozen                                   kernels take as long whatever their work; the
 *                                                   events say so however busy the machine is
 *     time=stumble                                  frozen, with one disturbed launch of a body
 *                                                   that is there twice
 *     time=boast  time=back                         events claim 100 times as long; end first
 *     library=WORD                                  all this only in a library with WORD in its
 * name Its kernels are those of kernels/launch.cl; all others take their time and compute nothing.
 */
#include "fake_driver.h"

#include <stdio.h>
#include <time.h>

enum {
    DEVICES_MAX = 4,
    TURN_NS = 2000,     /* of a kernel's loop */
    FROZEN_NS = 100000, /* of a kernel whose work was folded away: so short that it is rarely
                         * interrupted, for then the host's clock would contradict the events */
    BOAST = 100,
    DEVICE_UUID = 0x106a, /* CL_DEVICE_UUID_KHR */
    LOOPS_ARG = 3,        /* of kernels that the table below does not have */
};

static uint64_t now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- platform and devices ---- */

static struct _cl_platform_id platform = {{&am_fake_table}};
static struct _cl_device_id devices[DEVICES_MAX] = {
    {{&am_fake_table}}, {{&am_fake_table}}, {{&am_fake_table}}, {{&am_fake_table}}};

static cl_int fake_clGetPlatformIDs(cl_uint room, cl_platform_id *out, cl_uint *n)
{
    ACT();
    if (out && room)
        out[0] = &platform;
    if (n)
        *n = 1;
    return CL_SUCCESS;
}

static cl_int fake_clGetPlatformInfo(cl_platform_id p, cl_platform_info what, size_t room,
                                     void *out, size_t *needed)
{
    const char *const text = what == CL_PLATFORM_ICD_SUFFIX_KHR ? "FAKE"
                             : what == CL_PLATFORM_EXTENSIONS   ? "cl_khr_icd"
                             : what == CL_PLATFORM_PROFILE      ? "FULL_PROFILE"
                             : what == CL_PLATFORM_VERSION      ? "OpenCL 1.2 fake"
                                                                : "Fake platform";

    (void)p;
    ACT();
    return give(text, strlen(text) + 1, room, out, needed);
}

static cl_int fake_clGetDeviceIDs(cl_platform_id p, cl_device_type type, cl_uint room,
                                  cl_device_id *out, cl_uint *n)
{
    const char *const count = told("devices");
    const cl_uint have = count ? (cl_uint)(*count - '0') : 1;

    (void)p;
    (void)type;
    ACT();
    for (cl_uint i = 0; out && i < have && i < room; i++)
        out[i] = &devices[i];
    if (n)
        *n = have;
    return have ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

static cl_int fake_clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t room, void *out,
                                   size_t *needed)
{
    static const struct {
        cl_device_info what;
        size_t size;
        uint64_t value;
        const char *text;
    } answers[] = {
        {CL_DEVICE_TYPE, sizeof(cl_device_type), CL_DEVICE_TYPE_GPU, NULL},
        {CL_DEVICE_NAME, 0, 0, "Marble & Co. (R) 9000"},
        {CL_DEVICE_VERSION, 0, 0, "OpenCL 1.2 fake"},
        {CL_DRIVER_VERSION, 0, 0, "0.1"},
        {CL_DEVICE_EXTENSIONS, 0, 0, ""},
        {CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint), 2, NULL},
        {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof(cl_uint), 1, NULL},
        {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, sizeof(cl_uint), 1, NULL},
        {CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t), 256, NULL},
        {CL_DEVICE_IMAGE_SUPPORT, sizeof(cl_bool), CL_TRUE, NULL},
        {CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof(size_t), 1u << 14, NULL},
        {CL_DEVICE_IMAGE2D_MAX_HEIGHT, sizeof(size_t), 1u << 14, NULL},
        {CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong), 1u << 30, NULL},
        {CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong), 1u << 29, NULL},
        {CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong), 1u << 15, NULL},
        {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, sizeof(cl_ulong), 1u << 16, NULL},
        {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof(cl_ulong), 1u << 16, NULL},
        {CL_DEVICE_LOCAL_MEM_TYPE, sizeof(cl_uint), CL_LOCAL, NULL},
        {CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof(size_t), 1, NULL},
    };

    const unsigned char uuid[16] = {0xfa, 0xce, (unsigned char)(d - devices)};

    ACT();
    if (what == DEVICE_UUID && told("uuid"))
        return give(uuid, sizeof(uuid), room, out, needed);
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        if (answers[i].what == what && answers[i].text)
            return give(answers[i].text, strlen(answers[i].text) + 1, room, out, needed);
        if (answers[i].what == what)
            return give(&answers[i].value, answers[i].size, room, out, needed);
    }
    return CL_INVALID_VALUE;
}

/* ---- context, queue, memory ---- */

static cl_context
fake_clCreateContext(const cl_context_properties *properties, cl_uint n, const cl_device_id *ids,
                     void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                     void *self, cl_int *code)
{
    (void)properties;
    (void)n;
    (void)ids;
    (void)notify;
    (void)self;
    return MAY() ? new_object(sizeof(struct _cl_context)) : NULL;
}

static cl_int fake_clRetainContext(cl_context c)
{
    ACT();
    c->holders++; /* beside the one who made it */
    return CL_SUCCESS;
}

static cl_int fake_clReleaseContext(cl_context c)
{
    if (c->holders-- == 0)
        free(c);
    return CL_SUCCESS;
}

static cl_command_queue fake_clCreateCommandQueue(cl_context c, cl_device_id d,
                                                  cl_command_queue_properties properties,
                                                  cl_int *code)
{
    (void)c;
    (void)d;
    (void)properties;
    return MAY() ? new_object(sizeof(struct _cl_command_queue)) : NULL;
}

static cl_int fake_clReleaseCommandQueue(cl_command_queue q)
{
    free(q);
    return CL_SUCCESS;
}

static cl_int fake_clFlush(cl_command_queue q)
{
    (void)q;
    ACT();
    return CL_SUCCESS;
}

static cl_int fake_clFinish(cl_command_queue q)
{
    (void)q;
    ACT();
    return CL_SUCCESS;
}

/* ---- programs and kernels ---- */

static cl_program fake_clCreateProgramWithSource(cl_context c, cl_uint n, const char **texts,
                                                 const size_t *lengths, cl_int *code)
{
    (void)c;
    (void)n;
    (void)texts;
    (void)lengths;
    return MAY() ? new_object(sizeof(struct _cl_program)) : NULL;
}

/* A binary of this driver is the salt that it was built with. */
static cl_program fake_clCreateProgramWithBinary(cl_context c, cl_uint n, const cl_device_id *ids,
                                                 const size_t *lengths,
                                                 const unsigned char **binaries, cl_int *status,
                                                 cl_int *code)
{
    (void)c;
    *status = n == 1 && ids && binaries[0] && lengths[0] == sizeof(uint32_t) ? CL_SUCCESS
                                                                             : CL_INVALID_BINARY;
    return MAY() ? new_object(sizeof(struct _cl_program)) : NULL;
}

static cl_int fake_clGetProgramInfo(cl_program p, cl_program_info what, size_t room, void *out,
                                    size_t *needed)
{
    const cl_uint one = 1;
    const size_t size = sizeof(p->salt);

    ACT();
    if (what == CL_PROGRAM_BINARIES)
        memcpy(*(unsigned char **)out, &p->salt, size);
    if (what == CL_PROGRAM_BINARY_SIZES)
        return give(&size, sizeof(size), room, out, needed);
    return what == CL_PROGRAM_BINARIES ? CL_SUCCESS : give(&one, sizeof(one), room, out, needed);
}

static cl_int fake_clReleaseProgram(cl_program p)
{
    free(p);
    return CL_SUCCESS;
}

static cl_int fake_clBuildProgram(cl_program p, cl_uint n, const cl_device_id *ids,
                                  const char *options,
                                  void(CL_CALLBACK *notify)(cl_program, void *), void *self)
{
    static const char salt[] = "-DSALT=";
    const char *const at = options ? strstr(options, salt) : NULL;
    char *end;

    (void)n;
    (void)ids;
    (void)notify;
    (void)self;
    ACT();
    p->salt = at ? (uint32_t)strtoul(at + sizeof(salt) - 1, &end, 10) : 0;
    return CL_SUCCESS;
}

static cl_int fake_clGetProgramBuildInfo(cl_program p, cl_device_id d, cl_program_build_info what,
                                         size_t room, void *out, size_t *needed)
{
    static const char log[] = "line 1\nerror: the marble is chipped\n";

    (void)p;
    (void)d;
    (void)what;
    return give(log, sizeof(log), room, out, needed);
}

static cl_kernel fake_clCreateKernel(cl_program p, const char *name, cl_int *code)
{
    struct _cl_kernel *k;

    if (!MAY())
        return NULL;
    k = new_object(sizeof(*k));
    (void)snprintf(k->name, sizeof(k->name), "%s", name);
    k->salt = p->salt;
    return k;
}

static cl_int fake_clReleaseKernel(cl_kernel k)
{
    free(k);
    return CL_SUCCESS;
}

static cl_int fake_clSetKernelArg(cl_kernel k, cl_uint i, size_t size, const void *value)
{
    ACT();
    if (i >= FAKE_ARGS_MAX || size > sizeof(k->args[i].value))
        return CL_INVALID_ARG_INDEX;
    k->args[i].size = size;
    memcpy(k->args[i].value, value, size);
    return CL_SUCCESS;
}

static cl_int fake_clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id d,
                                            cl_kernel_work_group_info what, size_t room, void *out,
                                            size_t *needed)
{
    const size_t most = 256;

    (void)k;
    (void)d;
    (void)what;
    ACT();
    return give(&most, sizeof(most), room, out, needed);
}

static void compute(const struct _cl_kernel *k)
{
    struct _cl_mem *out;
    uint32_t value;

    if (strcmp(k->name, "am_launch") != 0)
        return;
    memcpy(&out, k->args[0].value, sizeof(out));
    memcpy(&value, k->args[1].value, sizeof(value));
    value ^= k->salt;
    memcpy(out->data, &value, sizeof(value));
}

static bool is_frozen(void)
{
    return says("time", "frozen") || says("time", "stumble");
}

/* Which argument of a kernel counts the turns of its loop. */
static cl_uint loops_arg(const struct _cl_kernel *k)
{
    static const struct {
        const char *name;
        cl_uint arg;
    } rows[] = {
        {"am_spin", 1},          {"am_branch", 1},      {"am_constant", 1},
        {"am_image_read", 1},    {"am_image_write", 0}, {"am_builtin_rate", 1},
        {"am_builtin_time", 1},  {"am_chase", 4},       {"am_barrier", 1},
        {"am_atomic_global", 1}, {"am_subgroup", 1},    {"am_intensity", 0}, /* none */
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(k->name, rows[i].name) == 0)
            return rows[i].arg;
    }
    return LOOPS_ARG;
}

/* Work in proportion to the loop count, twice as much where the name says so. */
static uint64_t duration(const struct _cl_kernel *k)
{
    const bool twice = strstr(k->name, "twice");
    const cl_uint arg = loops_arg(k);
    uint32_t turns = 1;

    if (is_frozen())
        return says("time", "stumble") && twice && k->launches == 2 ? 2 * FROZEN_NS : FROZEN_NS;
    if (k->args[arg].size == sizeof(turns))
        memcpy(&turns, k->args[arg].value, sizeof(turns));
    return (uint64_t)turns * TURN_NS * (twice ? 2 : 1);
}

static cl_int fake_clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dims,
                                          const size_t *offset, const size_t *global,
                                          const size_t *local, cl_uint n, const cl_event *after,
                                          cl_event *event)
{
    const uint64_t begin = now();

    (void)q;
    (void)dims;
    (void)offset;
    (void)global;
    (void)local;
    (void)n;
    (void)after;
    ACT();
    k->launches++; /* the first one only warms */
    compute(k);
    while (now() - begin < duration(k))
        ;
    if (event) {
        *event = new_object(sizeof(**event));
        (*event)->start_ns = begin;
        (*event)->end_ns = is_frozen() ? begin + duration(k) : now();
    }
    return CL_SUCCESS;
}

/* ---- events ---- */

static cl_int fake_clWaitForEvents(cl_uint n, const cl_event *events)
{
    (void)n;
    (void)events;
    ACT();
    return CL_SUCCESS;
}

static cl_int fake_clReleaseEvent(cl_event e)
{
    free(e);
    return CL_SUCCESS;
}

static cl_int fake_clGetEventProfilingInfo(cl_event e, cl_profiling_info what, size_t room,
                                           void *out, size_t *needed)
{
    const uint64_t took = e->end_ns - e->start_ns;
    cl_ulong at = e->start_ns;

    ACT();
    if (what == CL_PROFILING_COMMAND_END)
        at += says("time", "boast") ? BOAST * took : took;
    if (what == CL_PROFILING_COMMAND_END && says("time", "back"))
        at = e->start_ns - 1;
    return give(&at, sizeof(at), room, out, needed);
}

static cl_event fake_clCreateUserEvent(cl_context c, cl_int *code)
{
    (void)c;
    return MAY() ? new_object(sizeof(struct _cl_event)) : NULL;
}

static cl_int fake_clSetUserEventStatus(cl_event e, cl_int status)
{
    (void)e;
    (void)status;
    ACT();
    return CL_SUCCESS;
}

/* ---- what the loader looks for ---- */

#define ENTRY(name) .name = fake_##name
const struct _cl_icd_dispatch am_fake_table = {
    ENTRY(clGetPlatformIDs),
    ENTRY(clGetPlatformInfo),
    ENTRY(clGetDeviceIDs),
    ENTRY(clGetDeviceInfo),
    ENTRY(clCreateContext),
    ENTRY(clRetainContext),
    ENTRY(clReleaseContext),
    ENTRY(clCreateCommandQueue),
    ENTRY(clReleaseCommandQueue),
    ENTRY(clFinish),
    ENTRY(clFlush),
    ENTRY(clCreateBuffer),
    ENTRY(clReleaseMemObject),
    ENTRY(clEnqueueReadBuffer),
    ENTRY(clEnqueueWriteBuffer),
    ENTRY(clEnqueueCopyBuffer),
    ENTRY(clEnqueueFillBuffer),
    ENTRY(clEnqueueMapBuffer),
    ENTRY(clEnqueueUnmapMemObject),
    ENTRY(clCreateImage),
    ENTRY(clGetSupportedImageFormats),
    ENTRY(clEnqueueReadImage),
    ENTRY(clEnqueueWriteImage),
    ENTRY(clCreateProgramWithSource),
    ENTRY(clCreateProgramWithBinary),
    ENTRY(clGetProgramInfo),
    ENTRY(clReleaseProgram),
    ENTRY(clBuildProgram),
    ENTRY(clGetProgramBuildInfo),
    ENTRY(clCreateKernel),
    ENTRY(clReleaseKernel),
    ENTRY(clSetKernelArg),
    ENTRY(clGetKernelWorkGroupInfo),
    ENTRY(clEnqueueNDRangeKernel),
    ENTRY(clWaitForEvents),
    ENTRY(clReleaseEvent),
    ENTRY(clGetEventProfilingInfo),
    ENTRY(clCreateUserEvent),
    ENTRY(clSetUserEventStatus),
};

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *clGetExtensionFunctionAddress(const char *name)
{
    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
        return (void *)(uintptr_t)fake_clGetPlatformIDs;
    if (strcmp(name, "clGetPlatformInfo") == 0)
        return (void *)(uintptr_t)fake_clGetPlatformInfo;
    return NULL;
}

EXPORTED cl_int clGetPlatformInfo(cl_platform_id p, cl_platform_info what, size_t room, void *out,
                                  size_t *needed)
{
    return fake_clGetPlatformInfo(p, what, room, out, needed);
}
