/* SPDX-License-Identifier: MIT */
/* Memory on huge pages by advice. */
#include "base/large.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

void *am_large_alloc(size_t bytes)
{
    const size_t align = bytes < AM_LARGE_PAGE ? AM_LARGE_LINE : AM_LARGE_PAGE;
    const size_t whole = (bytes / align + (bytes % align != 0)) * align;
    void *memory;

    if (whole < bytes || whole == 0)
        return NULL;
    memory = aligned_alloc(align, whole);
    if (memory && align == AM_LARGE_PAGE)
        (void)madvise(memory, whole, MADV_HUGEPAGE); /* refused: small pages are right, too */
    return memory;
}
