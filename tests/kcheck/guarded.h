/* SPDX-License-Identifier: MIT */
/* A few pages between two that must not be touched, filled so that every stray write shows. */
#ifndef AM_TESTS_KCHECK_GUARDED_H
#define AM_TESTS_KCHECK_GUARDED_H

#include <stdbool.h>
#include <stddef.h>

enum { GUARDED_BYTES_MAX = 4 * 65536 }; /* usable: AArch64 may have pages of 64 KiB */

struct guarded {
    unsigned char *base; /* first usable byte; the one before it faults */
    size_t bytes;        /* the byte after these faults */
    unsigned char *at;   /* the array of the current case */
    size_t size;
};

bool guarded_new(struct guarded *g, size_t bytes);
/* Places an array of `size` bytes against the end, or `offset` bytes from the beginning, and fills
 * everything with the canary. Returns the array. */
void *guarded_at_end(struct guarded *g, size_t size);
void *guarded_at_start(struct guarded *g, size_t size, size_t offset);
/* No byte outside the array was written. */
bool guarded_intact(const struct guarded *g);
void guarded_free(struct guarded *g);

/* From now on a fault ends the program with `what` (a static or longer living text) named. */
void guarded_charge(const char *what);

#endif
