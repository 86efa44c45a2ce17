/* SPDX-License-Identifier: MIT */
/* Programs that one process of a run compiled, for the processes after it. */
#include "bench/ocl/host/binaries.h"

#include "base/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY_MAX = 4096, PATH_BYTES = 1024, BINARY_MAX = 64 << 20, FILE_MODE = 0600 };

/* What a file begins with; behind it the key and the binary. */
struct head {
    char magic[16];
    uint64_t key_len, len, sum; /* sum: of key and binary */
};
static const char magic[16] = "archmeter prog 1";

/* FNV-1a. */
static uint64_t sum_of(uint64_t sum, const void *data, size_t n)
{
    const unsigned char *const bytes = data;

    for (size_t i = 0; i < n; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return sum;
}

static const uint64_t sum_begin = UINT64_C(0xcbf29ce484222325);

/* All that decides what a driver makes of a source; false when it is too long to be told. */
static bool key_of(const struct am_ocl_device *d, const char *source, const char *options,
                   char *key)
{
    const size_t n = strlen(source);

    return am_str_format(key, KEY_MAX, "%s\n%s\n%s\n%s\n%zu %016llx\n", d->name, d->version,
                         d->driver, options, n, (unsigned long long)sum_of(sum_begin, source, n));
}

bool am_ocl_binary_path(const struct am_ocl_device *d, const char *source, const char *options,
                        char *buf, size_t cap)
{
    const char *const folder = getenv(AM_RUN_FOLDER);
    char key[KEY_MAX];

    return folder && *folder == '/' && key_of(d, source, options, key) &&
           am_str_format(buf, cap, "%s/program-%016llx", folder,
                         (unsigned long long)sum_of(sum_begin, key, strlen(key)));
}

/* ---- files ---- */

static bool read_all(int fd, void *to, size_t n)
{
    for (unsigned char *p = to; n;) {
        const ssize_t got = read(fd, p, n);

        if (got <= 0)
            return false;
        p += got;
        n -= (size_t)got;
    }
    return true;
}

static bool write_all(int fd, const void *from, size_t n)
{
    for (const unsigned char *p = from; n;) {
        const ssize_t put = write(fd, p, n);

        if (put <= 0)
            return false;
        p += put;
        n -= (size_t)put;
    }
    return true;
}

/* The binary of an open file for this key, *len bytes that the caller frees; NULL when the file is
 * something else, or damaged. */
static unsigned char *read_binary(int fd, const char *key, size_t *len)
{
    const size_t key_len = strlen(key);
    char stored[KEY_MAX];
    unsigned char *data = NULL;
    struct head head;
    struct stat st;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || !read_all(fd, &head, sizeof(head)) ||
        memcmp(head.magic, magic, sizeof(magic)) != 0 || head.key_len != key_len || head.len == 0 ||
        head.len > BINARY_MAX || (uint64_t)st.st_size != sizeof(head) + key_len + head.len ||
        !read_all(fd, stored, key_len) || memcmp(stored, key, key_len) != 0)
        return NULL;
    data = malloc(head.len);
    if (data && read_all(fd, data, head.len) &&
        sum_of(sum_of(sum_begin, key, key_len), data, head.len) == head.sum) {
        *len = head.len;
        return data;
    }
    free(data);
    return NULL;
}

/* Appears complete or not at all. */
static void write_binary(const char *path, const char *key, const unsigned char *data, size_t len)
{
    struct head head = {.key_len = strlen(key), .len = len};
    char temp[PATH_BYTES];
    bool good;
    int fd;

    memcpy(head.magic, magic, sizeof(magic));
    head.sum = sum_of(sum_of(sum_begin, key, head.key_len), data, len);
    if (!am_str_format(temp, sizeof(temp), "%s.%d", path, (int)getpid()))
        return;
    fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
    if (fd < 0)
        return;
    good = write_all(fd, &head, sizeof(head)) && write_all(fd, key, head.key_len) &&
           write_all(fd, data, len);
    good = close(fd) == 0 && good;
    if (!good || rename(temp, path) != 0)
        (void)unlink(temp);
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
    int fd;

    if (!am_ocl_binary_path(d, source, options, path, sizeof(path)) ||
        !tried_path(path, tried, sizeof(tried)) || !key_of(d, source, options, key))
        return NULL;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    data = read_binary(fd, key, &len);
    (void)close(fd);
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
        len == 0 || len > BINARY_MAX)
        return;
    data = malloc(len);
    if (data &&
        clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(data), &data, NULL) == CL_SUCCESS)
        write_binary(path, key, data, len);
    free(data);
}
