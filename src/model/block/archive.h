/* SPDX-License-Identifier: MIT */
/* The object files of a static library (`ar`), one after the other. A file that is no library is
 * its own only member. */
#ifndef AM_MODEL_BLOCK_ARCHIVE_H
#define AM_MODEL_BLOCK_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

struct am_member {
    const unsigned char *data;
    size_t n;
    size_t next; /* where to look on; 0: from the begin */
};

bool am_archive_is(const void *data, size_t n);

/* The next member of a library that is no index of it, or the file itself; false: there is no
 * further one. Zero-initialise. */
bool am_archive_next(const void *data, size_t n, struct am_member *member);

#endif
