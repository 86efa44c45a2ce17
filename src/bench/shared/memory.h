/* SPDX-License-Identifier: MIT */
/* Working sets of the memory benches: guarded, huge-page aligned, of a stated page size. */
#ifndef AM_BENCH_SHARED_MEMORY_H
#define AM_BENCH_SHARED_MEMORY_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { AM_PAGE_BYTES = 4096, AM_HUGE_BYTES = 2 << 20 };

/* any: huge pages are asked for, what comes is taken; small: none; huge: nothing else. */
enum am_pages { AM_PAGES_ANY, AM_PAGES_SMALL, AM_PAGES_HUGE };
extern const char *const am_pages_names[]; /* by enumerator, ended by NULL */

struct am_memory {
    char *base;   /* aligned to AM_HUGE_BYTES */
    size_t bytes; /* a multiple of AM_HUGE_BYTES */
    enum am_pages pages;
    void *reserve; /* base with an inaccessible AM_HUGE_BYTES or more on either side */
    size_t reserve_bytes;
};

/* AM_E_ABSENT when `bytes` is more than a launch may use. */
enum am_status am_memory_allowed(uint64_t bytes, uint64_t limit_bytes, struct am_err *err);

/* Zeroed memory without a page of its own yet: who writes first decides where it lies. */
enum am_status am_memory_map(struct am_memory *m, size_t bytes, enum am_pages pages,
                             struct am_err *err);
/* Once all of it has been written: AM_E_ABSENT when it had to be huge pages and is not. */
enum am_status am_memory_check(const struct am_memory *m, struct am_err *err);
void am_memory_unmap(struct am_memory *m); /* accepts a zeroed struct */

#endif
