/* SPDX-License-Identifier: MIT */
/* Memory of large arrays, on huge pages where the kernel gives them when it is asked.
 *
 * A transform or a matrix that is walked through with long strides touches more small pages than a
 * core remembers the places of. Nothing is touched here: who writes first to a page decides where
 * it lies. */
#ifndef AM_BASE_LARGE_H
#define AM_BASE_LARGE_H

#include <stddef.h>

enum { AM_LARGE_PAGE = 2 << 20, AM_LARGE_LINE = 64 };

/* Begins a page of AM_LARGE_PAGE bytes where it is at least that long, a line of AM_LARGE_LINE
 * otherwise. free() takes it back; NULL: there is none. */
void *am_large_alloc(size_t bytes);
/* The same on small pages, also where the kernel gives huge ones unasked. */
void *am_large_alloc_small(size_t bytes);

#endif
