/* SPDX-License-Identifier: MIT */
/* The derivers, one a family of benches; facts.c calls each in the order of its table. */
#ifndef AM_MODEL_DERIVE_H
#define AM_MODEL_DERIVE_H

#include "model/facts.h"

am_derive_fn am_derive_flops;     /* cpu.flops: peaks, and the streams that reach them */
am_derive_fn am_derive_instr;     /* cpu.instr: latencies and rates of key instructions */
am_derive_fn am_derive_memory;    /* mem.latency: caches, lines, TLBs and their latencies */
am_derive_fn am_derive_bandwidth; /* mem.bandwidth: bytes a second by level, and what raises them */
am_derive_fn am_derive_load;      /* mem.stanza, mem.loaded: long enough, and busy */
am_derive_fn am_derive_coherence; /* mem.pingpong, mem.coherence: ways between cores */
am_derive_fn am_derive_placement; /* mem.placement, mem.sharing, mem.numa: does the place matter */

#endif
