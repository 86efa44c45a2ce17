/* SPDX-License-Identifier: MIT */
/* Programs that one process of a run compiled, for the processes after it. */
#include "bench/ocl/host/binaries.h"

#include "base/text.h"
#include "bench/ocl/host/handed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_MAX = 4096, PATH_BYTES = 1024 };

static const char kind[] = "program";

/* All that decides what a driver makes of a source; false when it is too long to be told. */
static bool key_of(const struct am_ocl_device *d, const char *source, const char *options,
                   char *key)
{
    const size_t n = strlen(source);

    return am_str_format(key, KEY_MAX, "%s\n%s\n%s\n%s\n%zu %016llx\n", d->name, d->version,
                         d->driver, options, n, (unsigned long long)am_handed_sum(source, n));
}

bool am_ocl_binary_path(const struct am_ocl_device *d, const char *source, const char *options,
                        char *buf, size_t cap)
{
    char key[KEY_MAX];

    return key_of(d, source, options, key) && am_handed_path(kind, key, buf, cap);
}

/* The name that a file has while a driver looks at it: a driver that crashes there leaves it so,
 * and the next process compiles. */
static bool tried_path(const char *path, char *buf, size_t cap)
{
    return am_str_format(buf, cap, "%s.tried", path);
}

/* ---- programs ---- */

/* A built program of this binary; NULL when the driver refuses it. */
static cl_program build_binary(const struct am_ocl_device *d, const unsigned char *data, size_t len,
                               const char *options)
{
    cl_int status = CL_SUCCESS, code = CL_SUCCESS;
    const cl_program program =
        clCreateProgramWithBinary(d->context, 1, &d->id, &len, &data, &status, &code);

    if (!program)
        return NULL;
    if (status == CL_SUCCESS && code == CL_SUCCESS &&
        clBuildProgram(program, 1, &d->id, options, NULL, NULL) == CL_SUCCESS)
        return program;
    (void)clReleaseProgram(program);
    return NULL;
}

cl_program am_ocl_binary_load(const struct am_ocl_device *d, const char *source,
                              const char *options)
{
    char key[KEY_MAX], path[PATH_BYTES], tried[PATH_BYTES];
    cl_program program = NULL;
    unsigned char *data;
    size_t len = 0;

    if (!am_ocl_binary_path(d, source, options, path, sizeof(path)) ||
        !tried_path(path, tried, sizeof(tried)) || !key_of(d, source, options, key))
        return NULL;
    data = am_handed_take(kind, key, &len);
    if (data && rename(path, tried) == 0)
        program = build_binary(d, data, len, options);
    free(data);
    if (program)
        (void)rename(tried, path);
    return program;
}

void am_ocl_binary_keep(const struct am_ocl_device *d, const char *source, const char *options,
                        cl_program program)
{
    char key[KEY_MAX], path[PATH_BYTES], tried[PATH_BYTES];
    unsigned char *data;
    cl_uint devices = 0;
    size_t len = 0;

    if (!am_ocl_binary_path(d, source, options, path, sizeof(path)) ||
        !tried_path(path, tried, sizeof(tried)) || access(tried, F_OK) == 0 ||
        !key_of(d, source, options, key) ||
        clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof(devices), &devices, NULL) !=
            CL_SUCCESS ||
        devices != 1 ||
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(len), &len, NULL) != CL_SUCCESS ||
        len == 0 || len > AM_HANDED_MAX)
        return;
    data = malloc(len);
    if (data &&
        clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(data), &data, NULL) == CL_SUCCESS)
        am_handed_leave(kind, key, data, len);
    free(data);
}
