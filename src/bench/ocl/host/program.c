/* SPDX-License-Identifier: MIT */
/* OpenCL programs, compiled for a device. */
#include "bench/ocl/host/program.h"

#include "bench/ocl/host/binaries.h"

#include <string.h>

enum { LOG_MAX = 64 * 1024, LOG_SHOWN = 300 };

static const char *find_source(const char *word)
{
    for (const struct am_ocl_source *s = am_ocl_sources; s->word; s++) {
        if (strcmp(s->word, word) == 0)
            return s->text;
    }
    return NULL;
}

/* The driver's words, from the first error on, in one line. */
static enum am_status tell_build_failure(const struct am_ocl_program *p,
                                         const struct am_ocl_device *d, cl_int code,
                                         const char *word, struct am_err *err)
{
    char log[LOG_MAX] = "";
    const char *first;

    (void)clGetProgramBuildInfo(p->program, d->id, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log,
                                NULL);
    for (char *c = log; *c; c++) {
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    }
    first = strstr(log, "error");
    return am_fail(err, AM_E_WRONG, "building %s.cl: %s (%d) %.*s", word, am_ocl_error_name(code),
                   (int)code, LOG_SHOWN, first ? first : log);
}

enum am_status am_ocl_program_build(struct am_ocl_program *p, const struct am_ocl_device *d,
                                    const char *word, const char *options, struct am_err *err)
{
    const char *const text = find_source(word);
    enum am_status s;

    p->program = text ? am_ocl_binary_load(d, text, options) : NULL;
    p->loaded = p->program != NULL;
    if (p->loaded)
        return AM_OK;
    s = am_ocl_program_compile(p, d, word, options, err);
    if (s == AM_OK)
        am_ocl_binary_keep(d, text, options, p->program);
    return s;
}

enum am_status am_ocl_program_compile(struct am_ocl_program *p, const struct am_ocl_device *d,
                                      const char *word, const char *options, struct am_err *err)
{
    const char *const text = find_source(word);
    cl_int code = CL_SUCCESS;
    uint64_t begin;

    if (!text)
        return am_fail(err, AM_E_USAGE, "no source %s.cl was built in", word);
    p->program = clCreateProgramWithSource(d->context, 1, (const char *[]){text}, NULL, &code);
    if (code != CL_SUCCESS)
        return am_ocl_fail(err, code, "clCreateProgramWithSource");
    begin = am_now_ns();
    code = clBuildProgram(p->program, 1, &d->id, options, NULL, NULL);
    p->build_ns = am_now_ns() - begin;
    return code == CL_SUCCESS ? AM_OK : tell_build_failure(p, d, code, word, err);
}

enum am_status am_ocl_program_binary(struct am_ocl_program *p, const struct am_ocl_device *d,
                                     const char *word, const char *binary, size_t len,
                                     struct am_err *err)
{
    const unsigned char *const bytes = (const unsigned char *)binary;
    cl_int taken = CL_SUCCESS, code = CL_SUCCESS;
    uint64_t begin;

    p->program = clCreateProgramWithBinary(d->context, 1, &d->id, &len,
                                           (const unsigned char **)&bytes, &taken, &code);
    if (code != CL_SUCCESS || taken != CL_SUCCESS)
        return am_ocl_fail(err, code != CL_SUCCESS ? code : taken, "clCreateProgramWithBinary");
    begin = am_now_ns();
    code = clBuildProgram(p->program, 1, &d->id, "", NULL, NULL);
    p->build_ns = am_now_ns() - begin;
    return code == CL_SUCCESS ? AM_OK : tell_build_failure(p, d, code, word, err);
}

void am_ocl_program_free(struct am_ocl_program *p)
{
    if (p->program)
        (void)clReleaseProgram(p->program);
    *p = (struct am_ocl_program){.program = NULL};
}

void am_ocl_program_close(struct am_ocl_program *p, cl_kernel kernel, const cl_mem *buffers,
                          size_t n, struct am_ocl_device *d)
{
    am_ocl_release_kernel(kernel);
    for (size_t i = 0; i < n; i++)
        am_ocl_release_buffer(buffers[i]);
    am_ocl_program_free(p);
    am_ocl_device_close(d);
}

enum am_status am_ocl_program_kernel(const struct am_ocl_program *p, const char *name,
                                     cl_kernel *out, struct am_err *err)
{
    cl_int code = CL_SUCCESS;

    *out = clCreateKernel(p->program, name, &code);
    if (code == CL_SUCCESS)
        return AM_OK;
    *out = NULL;
    return am_ocl_fail(err, code, "clCreateKernel");
}

enum am_status am_ocl_program_args(cl_kernel kernel, const struct am_ocl_arg *args, size_t n,
                                   struct am_err *err)
{
    for (size_t i = 0; i < n; i++) {
        const cl_int code = clSetKernelArg(kernel, (cl_uint)i, args[i].size, args[i].value);

        if (code != CL_SUCCESS)
            return am_ocl_fail(err, code, "clSetKernelArg");
    }
    return AM_OK;
}

enum am_status am_ocl_program_group_max(const struct am_ocl_device *d, cl_kernel kernel,
                                        size_t *out, struct am_err *err)
{
    size_t most = 0;
    const cl_int code = clGetKernelWorkGroupInfo(kernel, d->id, CL_KERNEL_WORK_GROUP_SIZE,
                                                 sizeof(most), &most, NULL);

    if (code != CL_SUCCESS)
        return am_ocl_fail(err, code, "clGetKernelWorkGroupInfo");
    *out = most && most < d->group_max ? most : d->group_max;
    return AM_OK;
}

enum am_status am_ocl_program_group(const struct am_ocl_device *d, cl_kernel kernel, size_t wish,
                                    size_t *out, struct am_err *err)
{
    size_t most = 0;
    const enum am_status s = am_ocl_program_group_max(d, kernel, &most, err);

    *out = wish;
    while (*out > most && *out > 1)
        *out /= 2;
    return s;
}

enum am_status am_ocl_program_wanted(const struct am_ocl_device *d, cl_kernel kernel, int64_t asked,
                                     size_t usual, size_t *out, struct am_err *err)
{
    size_t most = 0;
    enum am_status s = AM_OK;

    if (asked == 0)
        return am_ocl_program_group(d, kernel, usual, out, err);
    s = am_ocl_program_group_max(d, kernel, &most, err);
    if (s == AM_OK && (asked < 0 || (uint64_t)asked > most))
        return am_fail(err, AM_E_ABSENT, "group %lld: 1 to %zu work-items here", (long long)asked,
                       most);
    *out = (size_t)asked;
    return s;
}

enum am_status am_ocl_program_items(const struct am_ocl_device *d, cl_kernel kernel,
                                    const struct am_ocl_items *wish, size_t *items, size_t *group,
                                    struct am_err *err)
{
    const enum am_status s =
        am_ocl_program_wanted(d, kernel, wish->group, wish->usual_group, group, err);

    if (s != AM_OK)
        return s;
    if (wish->items < 0 || wish->items > INT32_MAX)
        return am_fail(err, AM_E_ABSENT, "items %lld: 1 to 2^31", (long long)wish->items);
    *items = wish->items ? (size_t)wish->items : wish->usual_items;
    while (!wish->group && *items % *group)
        *group /= 2;
    if (*items % *group)
        return am_fail(err, AM_E_ABSENT, "items %zu: a multiple of the group's %zu", *items,
                       *group);
    am_ctx_note(d->ctx, "range", "%zu in groups of %zu", *items, *group);
    return AM_OK;
}
