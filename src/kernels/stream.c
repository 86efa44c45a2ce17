/* SPDX-License-Identifier: MIT */
/* The table of streaming loops, one row an ISA. */
#include "kernels/stream.h"

#include "kernels/isa.h"

#define DECLARE(isa) extern const struct am_stream_variant am_stream_##isa;
AM_ISA_MAP(DECLARE)
#undef DECLARE

#define ROW(isa) &am_stream_##isa,
static const struct am_stream_variant *const variants[] = {AM_ISA_MAP(ROW)};
#undef ROW

#define KIND(name, loop, reads, writes, arrays) {#name, AM_STREAM_##loop, reads, writes, arrays},
const struct am_stream_kind am_stream_kinds[AM_STREAM_KERNELS] = {AM_STREAM_MAP(KIND)};
#undef KIND

#define NAME(name, loop, reads, writes, arrays) #name,
const char *const am_stream_names[] = {AM_STREAM_MAP(NAME) NULL};
#undef NAME

const struct am_stream_variant *am_stream_find(const char *isa)
{
    const int i = am_isa_index(isa);

    return i < 0 ? NULL : variants[i];
}
