/* SPDX-License-Identifier: MIT */
/* The machine code of a kernel, kept with what was measured of it. */
#include "core/bench/bench.h"

#include <stdint.h>

extern const char etext[]; /* of the linker: the end of this program's code */

enum { CODE_MAX = 8192 };

void am_ctx_hot_loop(const struct am_ctx *ctx, uintptr_t code, double passes)
{
    am_ctx_chosen(ctx, "code_loops", "longest");
    am_ctx_code(ctx, code, passes);
}

void am_ctx_code(const struct am_ctx *ctx, uintptr_t code, double passes)
{
    const uintptr_t end = (uintptr_t)etext;
    const void *const bytes = (const void *)code;

    if (!code || code >= end || end - code > UINT32_MAX)
        return; /* of a library: not ours to show */
    am_ctx_attach(ctx, "code", "application/x-machine-code", bytes,
                  end - code < CODE_MAX ? end - code : CODE_MAX);
    am_ctx_chosen(ctx, "code_passes", "%.17g", passes);
}
