/* SPDX-License-Identifier: MIT */
/* The switches of hardware prefetchers, one row per vendor. */
#include "core/measure/prefetchers.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { CPUINFO_BYTES = 512 }; /* the vendor stands in the second line */

static const struct am_prefetchers table[] = {
    {"GenuineIntel", 0x1a4, {{0, "l2-stream"}, {1, "l2-adjacent"}, {2, "l1-next"}, {3, "l1-ip"}}},
    {"AuthenticAMD", /* CPUID 80000021h, EAX bit 13; processors without it refuse to read it */
     0xc0000108,
     {{0, "l1-stream"}, {1, "l1-stride"}, {2, "l1-region"}, {3, "l2-stream"}, {5, "up-down"}}},
};

const struct am_prefetchers *am_prefetchers_find(const struct am_fsroot *root)
{
    char text[CPUINFO_BYTES];

    if (am_fsroot_read(root, "proc/cpuinfo", text, sizeof(text)) < 0)
        return NULL;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (strstr(text, table[i].vendor))
            return &table[i];
    }
    return NULL;
}

uint64_t am_prefetchers_mask(const struct am_prefetchers *p)
{
    uint64_t mask = 0;

    for (size_t i = 0; i < AM_PREFETCHERS_MAX && p->items[i].name; i++)
        mask |= UINT64_C(1) << p->items[i].bit;
    return mask;
}

int am_msr_open(const struct am_fsroot *root, const char *cpu, int flags)
{
    char path[64];

    if (!am_str_format(path, sizeof(path), "dev/cpu/%s/msr", cpu)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return openat(root->fd, path, flags | O_CLOEXEC);
}

bool am_msr_read(int fd, off_t msr, uint64_t *value)
{
    return pread(fd, value, sizeof(*value), msr) == (ssize_t)sizeof(*value);
}

bool am_msr_write(int fd, off_t msr, uint64_t value)
{
    return pwrite(fd, &value, sizeof(value), msr) == (ssize_t)sizeof(value);
}
