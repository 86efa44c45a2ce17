/* SPDX-License-Identifier: MIT */
/* Borrowed memory, by an atomic flag per piece. */
#include "app/gemm/workspaces.h"

#include "base/large.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { LINE_BYTES = 64 };

/* Each a line of its own: who takes one does not disturb the others. */
struct am_workspace {
    _Alignas(LINE_BYTES) _Atomic bool taken;
    void *memory;
};

bool am_workspaces_init(struct am_workspaces *w, size_t count, size_t bytes)
{
    *w = (struct am_workspaces){.list = aligned_alloc(LINE_BYTES, count * sizeof(*w->list))};
    if (!w->list)
        return false;
    for (; w->count < count; w->count++) {
        w->list[w->count] = (struct am_workspace){0};
        if (!bytes)
            continue;
        w->list[w->count].memory = am_large_alloc(bytes);
        if (!w->list[w->count].memory)
            return false;
    }
    return true;
}

void am_workspaces_fini(struct am_workspaces *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->list[i].memory);
    free(w->list);
    *w = (struct am_workspaces){0};
}

struct am_workspace *am_workspaces_take(const struct am_workspaces *w)
{
    const int cpu = sched_getcpu();

    for (size_t i = cpu > 0 ? (size_t)cpu : 0;; i++) {
        struct am_workspace *const piece = &w->list[i % w->count];

        if (!atomic_exchange_explicit(&piece->taken, true, memory_order_acquire))
            return piece;
    }
}

void *am_workspace_memory(const struct am_workspace *piece)
{
    return piece->memory;
}

void am_workspaces_give(struct am_workspace *piece)
{
    atomic_store_explicit(&piece->taken, false, memory_order_release);
}
