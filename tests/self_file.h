/* SPDX-License-Identifier: MIT */
/* The bytes of the program that is running: an ELF file that every test has. */
#ifndef AM_TESTS_SELF_FILE_H
#define AM_TESTS_SELF_FILE_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct bytes {
    unsigned char *data;
    size_t n;
};

static inline struct bytes read_self(void)
{
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat st;
    struct bytes b = {.data = NULL};

    if (fd < 0 || fstat(fd, &st) != 0)
        abort();
    b.data = malloc((size_t)st.st_size);
    while (b.data && b.n < (size_t)st.st_size) {
        const ssize_t n = read(fd, b.data + b.n, (size_t)st.st_size - b.n);

        if (n <= 0)
            abort();
        b.n += (size_t)n;
    }
    (void)close(fd);
    return b;
}

#endif
