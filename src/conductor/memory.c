/* SPDX-License-Identifier: MIT */
/* How much memory a worker may take. */
#include "conductor/memory.h"

#include "topo/probe.h"

uint64_t am_memory_available_at(const struct am_fsroot *root)
{
    const uint64_t granted = am_probe_memory_left(root);
    uint64_t available, left;

    if (!am_probe_meminfo(root, "MemAvailable", &available))
        available = UINT64_MAX;
    left = available < granted ? available : granted;
    return left == UINT64_MAX ? left : left / 5 * 4;
}

uint64_t am_memory_available(void)
{
    struct am_fsroot root = {0};
    uint64_t left = UINT64_MAX;

    if (am_fsroot_open(&root, NULL, NULL) == AM_OK)
        left = am_memory_available_at(&root);
    am_fsroot_close(&root);
    return left;
}
