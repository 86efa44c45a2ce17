/* SPDX-License-Identifier: MIT */
/* How much memory a worker may take without pushing the machine, or its container, over. */
#ifndef AM_CONDUCTOR_MEMORY_H
#define AM_CONDUCTOR_MEMORY_H

#include "base/fsroot.h"

#include <stdint.h>

/* Four fifths of what is available now: MemAvailable, and the limits of the cgroups (v2 and v1)
 * this process is in. */
uint64_t am_memory_available(void);
/* The same below a root; UINT64_MAX when nothing is known. */
uint64_t am_memory_available_at(const struct am_fsroot *root);

#endif
