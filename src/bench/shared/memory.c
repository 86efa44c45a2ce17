/* SPDX-License-Identifier: MIT */
/* Working sets of the memory benches. */
#include "bench/shared/memory.h"

#include "base/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

const char *const am_pages_names[] = {"any", "small", "huge", NULL};

enum am_status am_memory_allowed(uint64_t bytes, uint64_t limit_bytes, struct am_err *err)
{
    if (bytes > limit_bytes)
        return am_fail(err, AM_E_ABSENT, "needs %llu bytes of memory, the limit is %llu",
                       (unsigned long long)bytes, (unsigned long long)limit_bytes);
    return AM_OK;
}

/* A limit of the address space (RLIMIT_AS), or a kernel that promises no more than it has: this
 * working set is not for this machine. */
static enum am_status refuse(size_t bytes, struct am_err *err)
{
    if (errno == ENOMEM)
        return am_fail(err, AM_E_ABSENT, "the system gives no %zu bytes of memory", bytes);
    return am_fail(err, AM_E_SYS, "mapping %zu bytes", bytes);
}

/* The borders stay inaccessible: they keep the kernel from joining this mapping with another, whose
 * pages would be counted in its place, and they stop a stray access. */
enum am_status am_memory_map(struct am_memory *m, size_t bytes, enum am_pages pages,
                             struct am_err *err)
{
    const size_t rounded = (bytes + AM_HUGE_BYTES - 1) / AM_HUGE_BYTES * AM_HUGE_BYTES;
    const int advice = pages == AM_PAGES_SMALL ? MADV_NOHUGEPAGE : MADV_HUGEPAGE;
    size_t skip;

    if (bytes == 0 || rounded < bytes || rounded > SIZE_MAX / 2)
        return am_fail(err, AM_E_LIMIT, "a working set of %zu bytes", bytes);
    m->pages = pages;
    m->bytes = rounded;
    m->reserve_bytes = rounded + 3 * (size_t)AM_HUGE_BYTES;
    m->reserve = mmap(NULL, m->reserve_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m->reserve == MAP_FAILED) {
        m->reserve = NULL;
        return refuse(m->reserve_bytes, err);
    }
    skip = 2 * (size_t)AM_HUGE_BYTES - (uintptr_t)m->reserve % AM_HUGE_BYTES;
    m->base = (char *)m->reserve + skip;
    if (mprotect(m->base, rounded, PROT_READ | PROT_WRITE) != 0)
        return refuse(rounded, err);
    /* Kernels without transparent huge pages refuse the advice: there is nothing to forbid then,
     * and am_memory_check() finds out what was got. */
    (void)madvise(m->base, rounded, advice);
    return AM_OK;
}

/* Bytes of "AnonHugePages:   2048 kB" in the entry of /proc/self/smaps that begins at `base`. */
static uint64_t huge_bytes(const void *base)
{
    static const char key[] = "AnonHugePages:";
    FILE *const f = fopen("/proc/self/smaps", "re");
    char line[512], start[32];
    bool ours = false;
    uint64_t kib = 0;

    if (!f)
        return 0;
    (void)am_str_format(start, sizeof(start), "%lx-", (unsigned long)(uintptr_t)base);
    while (fgets(line, sizeof(line), f)) {
        if (strncmp(line, start, strlen(start)) == 0) {
            ours = true;
        } else if (ours && strncmp(line, key, sizeof(key) - 1) == 0) {
            const char *const digits = line + sizeof(key) - 1 + strspn(line + sizeof(key) - 1, " ");

            if (!am_parse_u64(digits, strspn(digits, "0123456789"), &kib))
                kib = 0;
            break;
        }
    }
    (void)fclose(f);
    return kib * 1024;
}

enum am_status am_memory_check(const struct am_memory *m, struct am_err *err)
{
    uint64_t huge;

    if (m->pages != AM_PAGES_HUGE)
        return AM_OK;
    huge = huge_bytes(m->base);
    if (huge < m->bytes)
        return am_fail(err, AM_E_ABSENT, "the system gave huge pages for %llu of %zu bytes",
                       (unsigned long long)huge, m->bytes);
    return AM_OK;
}

void am_memory_unmap(struct am_memory *m)
{
    if (m->reserve)
        (void)munmap(m->reserve, m->reserve_bytes);
    m->reserve = NULL;
}
