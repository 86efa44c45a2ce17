/* SPDX-License-Identifier: MIT */
/* Memory on huge pages, or without them, by advice. */
#include "base/large.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

static void *allocate(size_t bytes, size_t align, int advice)
{
    const size_t whole = (bytes / align + (bytes % align != 0)) * align;
    void *memory;

    if (whole < bytes || whole == 0)
        return NULL;
    memory = aligned_alloc(align, whole);
    if (memory && align > AM_LARGE_LINE)
        (void)madvise(memory, whole, advice); /* refused: other pages are right, too */
    return memory;
}

void *am_large_alloc(size_t bytes)
{
    return allocate(bytes, bytes < AM_LARGE_PAGE ? AM_LARGE_LINE : AM_LARGE_PAGE, MADV_HUGEPAGE);
}

void *am_large_alloc_small(size_t bytes)
{
    return allocate(bytes, bytes < AM_LARGE_PAGE ? AM_LARGE_LINE : AM_LARGE_PAGE, MADV_NOHUGEPAGE);
}
