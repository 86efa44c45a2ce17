/* SPDX-License-Identifier: MIT */
/* The table of streaming loops, one row an ISA. */
#include "kernels/stream.h"

#include "kernels/isa.h"

AM_ISA_FINDER(am_stream_find, am_stream_variant, am_stream_)

#define KIND(name, loop, reads, writes, arrays) {#name, AM_STREAM_##loop, reads, writes, arrays},
const struct am_stream_kind am_stream_kinds[AM_STREAM_KERNELS] = {AM_STREAM_MAP(KIND)};
#undef KIND

#define NAME(name, loop, reads, writes, arrays) #name,
const char *const am_stream_names[] = {AM_STREAM_MAP(NAME) NULL};
#undef NAME
