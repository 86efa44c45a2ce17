/* SPDX-License-Identifier: MIT */
/* What the system claims of memory channels, error correction and the link of an accelerator. */
#ifndef AM_TOPO_CLAIMS_H
#define AM_TOPO_CLAIMS_H

#include "base/arena.h"
#include "base/fsroot.h"
#include "base/kv.h"

/* Adds what can be read: memory_channels, memory_mts, memory_bytes_per_s (of all channels with a
 * module), ecc, link ("32 GT/s x 16") and link_bytes_per_s (of the fastest accelerator). */
void am_claims_read(const struct am_fsroot *root, struct am_arena *arena, struct am_kvs *out);

#endif
