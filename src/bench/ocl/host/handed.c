/* SPDX-License-Identifier: MIT */
/* What one process of a run leaves for the processes after it. */
#include "bench/ocl/host/handed.h"

#include "base/text.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 1024, FILE_MODE = 0600 };

/* What a file begins with; behind it the key and the data. */
struct head {
    char magic[16];
    uint64_t key_len, len, sum; /* sum: of key and data */
};
static const char magic[16] = "archmeter hand 2";

/* FNV-1a. */
static uint64_t sum_of(uint64_t sum, const void *data, size_t n)
{
    const unsigned char *const bytes = data;

    for (size_t i = 0; i < n; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return sum;
}

static const uint64_t sum_begin = UINT64_C(0xcbf29ce484222325);

uint64_t am_handed_sum(const void *data, size_t n)
{
    return sum_of(sum_begin, data, n);
}

bool am_handed_path(const char *kind, const char *key, char *buf, size_t cap)
{
    const char *const folder = getenv(AM_RUN_FOLDER);

    return folder && *folder == '/' && strlen(key) < AM_HANDED_KEY_MAX &&
           am_str_format(buf, cap, "%s/%s-%016llx", folder, kind,
                         (unsigned long long)am_handed_sum(key, strlen(key)));
}

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

/* The data of an open file for this key; NULL when the file is something else, or damaged. */
static void *read_data(int fd, const char *key, size_t *len)
{
    const size_t key_len = strlen(key);
    char stored[AM_HANDED_KEY_MAX];
    void *data = NULL;
    struct head head;
    struct stat st;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || !read_all(fd, &head, sizeof(head)) ||
        memcmp(head.magic, magic, sizeof(magic)) != 0 || head.key_len != key_len || head.len == 0 ||
        head.len > AM_HANDED_MAX || (uint64_t)st.st_size != sizeof(head) + key_len + head.len ||
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

void *am_handed_take(const char *kind, const char *key, size_t *len)
{
    char path[PATH_BYTES];
    void *data;
    int fd;

    if (!am_handed_path(kind, key, path, sizeof(path)))
        return NULL;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    data = read_data(fd, key, len);
    (void)close(fd);
    return data;
}

void am_handed_leave(const char *kind, const char *key, const void *data, size_t len)
{
    struct head head = {.key_len = strlen(key), .len = len};
    char path[PATH_BYTES], temp[PATH_BYTES];
    bool good;
    int fd;

    if (len == 0 || len > AM_HANDED_MAX || !am_handed_path(kind, key, path, sizeof(path)) ||
        !am_str_format(temp, sizeof(temp), "%s.%d", path, (int)getpid()))
        return;
    memcpy(head.magic, magic, sizeof(magic));
    head.sum = sum_of(sum_of(sum_begin, key, head.key_len), data, len);
    fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
    if (fd < 0)
        return;
    good = write_all(fd, &head, sizeof(head)) && write_all(fd, key, head.key_len) &&
           write_all(fd, data, len);
    good = close(fd) == 0 && good;
    if (!good || rename(temp, path) != 0)
        (void)unlink(temp);
}
