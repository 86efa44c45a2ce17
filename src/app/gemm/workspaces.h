/* SPDX-License-Identifier: MIT */
/* Memory that threads borrow while they multiply: one piece per thread, so that one is always free.
 * Who takes one begins with that of its CPU, whose caches may still hold it. */
#ifndef AM_APP_GEMM_WORKSPACES_H
#define AM_APP_GEMM_WORKSPACES_H

#include <stdbool.h>
#include <stddef.h>

struct am_workspace; /* one piece */

struct am_workspaces {
    struct am_workspace *list;
    size_t count;
};

/* `count` pieces of `bytes` each, on huge pages where they fill one; 0 bytes: no memory. False
 * without memory: free what there is. */
bool am_workspaces_init(struct am_workspaces *w, size_t count, size_t bytes);
void am_workspaces_fini(struct am_workspaces *w); /* accepts one that was not initialised */

/* At most `count` callers at the same time. */
struct am_workspace *am_workspaces_take(const struct am_workspaces *w);
void *am_workspace_memory(const struct am_workspace *piece); /* NULL of pieces of 0 bytes */
void am_workspaces_give(struct am_workspace *piece);

#endif
