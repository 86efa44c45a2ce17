/* SPDX-License-Identifier: MIT */
/* Results files of several machines in one: every bench gets an axis `node` before its own ones. */
#ifndef AM_STORE_MERGE_H
#define AM_STORE_MERGE_H

#include "store/store.h"

#include <signal.h>

struct am_node_part {
    const char *name;   /* unique, a word without "," and "=" */
    const char *path;   /* its results file; NULL when none came */
    const char *reason; /* why the file is missing or not whole; NULL when it is */
};

/* What to merge, and how. */
struct am_merge {
    const char *command; /* as typed: the merged file's own */
    const struct am_node_part *parts;
    size_t n;
    const volatile sig_atomic_t *interrupted; /* looked at before each part; NULL: nobody asks */
};

/* Creates `path` from the parts, in their order. What can be read of a part is taken; a part
 * without a file, with one that is no run, or of other versions of the benches is a node with its
 * reason and without results. Fails only when the new file cannot be written (it is removed then)
 * or when not one part could be taken (AM_E_ABSENT), or where it was asked to end
 * (AM_E_INTERRUPTED).
 *
 * The tables `node` and `node_fact` are those of merged files only: state, reason, and the facts in
 * which a node differs; what all have in common stands where it stands in the file of one run. */
enum am_status am_store_merge(const char *path, const struct am_merge *merge, struct am_err *err);

#endif
