/* SPDX-License-Identifier: MIT */
/* The switches of hardware prefetchers: a processor's register, its bits, and access to them. */
#ifndef AM_CORE_PREFETCHERS_H
#define AM_CORE_PREFETCHERS_H

#include "base/fsroot.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { AM_PREFETCHERS_MAX = 5 };

/* A vendor's register: a set bit switches a prefetcher off. */
struct am_prefetchers {
    const char *vendor; /* as CPUID writes it */
    off_t msr;
    struct {
        unsigned bit;
        const char *name; /* NULL ends the list */
    } items[AM_PREFETCHERS_MAX];
};

/* By the vendor in /proc/cpuinfo; NULL where no register is known. That a vendor has one does not
 * mean that this processor does: reading it tells. */
const struct am_prefetchers *am_prefetchers_find(const struct am_fsroot *root);
uint64_t am_prefetchers_mask(const struct am_prefetchers *p); /* the bits of all of them */

/* /dev/cpu/CPU/msr as open() does: -1 with errno. */
int am_msr_open(const struct am_fsroot *root, const char *cpu, int flags);
bool am_msr_read(int fd, off_t msr, uint64_t *value);
bool am_msr_write(int fd, off_t msr, uint64_t value); /* may be called in a signal handler */

#endif
