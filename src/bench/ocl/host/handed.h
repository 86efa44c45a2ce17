/* SPDX-License-Identifier: MIT */
/* What one process of a run leaves for the processes after it.
 *
 * Every launch is a process of its own, and much of what an OpenCL process does before it measures
 * comes out the same every time: which devices there are, what a compiler makes of a source, which
 * shape of a kernel is the fastest. The conductor therefore gives a run a folder of its own
 * ($ARCHMETER_RUN_FOLDER), which is gone when the run ends: whoever found something out leaves it
 * there under a key that says in full what it holds for, and whoever has the same key takes it. A
 * file repeats its key and has a checksum; one that does not fit or is damaged is as good as none.
 * Without the folder nothing is kept, and everybody finds out for himself. */
#ifndef AM_BENCH_OCL_HANDED_H
#define AM_BENCH_OCL_HANDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AM_RUN_FOLDER "ARCHMETER_RUN_FOLDER"

enum { AM_HANDED_KEY_MAX = 8192, AM_HANDED_MAX = 64 << 20 /* bytes of what is left */ };

/* The file of a key in the folder; `kind` is a word for people who look into it. False when there
 * is no folder, or its name is too long. */
bool am_handed_path(const char *kind, const char *key, char *buf, size_t cap);

/* What was left under the key: *len bytes, never 0, that the caller frees; NULL: nothing. */
void *am_handed_take(const char *kind, const char *key, size_t *len);

/* Leaves `len` bytes, more than 0, in place of what was left before. They appear complete or not at
 * all. What fails here costs time only. */
void am_handed_leave(const char *kind, const char *key, const void *data, size_t len);

/* A checksum, for keys that should not hold a long text itself. */
uint64_t am_handed_sum(const void *data, size_t n);

#endif
