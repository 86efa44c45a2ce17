/* SPDX-License-Identifier: MIT */
/* The machine code of a kernel, kept with what was measured of it. */
#include "core/bench/bench.h"

#include <stdint.h>
#include <stdio.h>

extern const char etext[]; /* of the linker: the end of this program's code */

enum { CODE_MAX = 8192, STEP_NAME_MAX = 64 };

void am_ctx_hot_loop(const struct am_ctx *ctx, uintptr_t code, double passes)
{
    am_ctx_chosen(ctx, "code_loops", "longest");
    am_ctx_code(ctx, code, passes);
}

void am_ctx_near(const struct am_ctx *ctx, double near, double begin)
{
    am_ctx_chosen(ctx, "code_near", "%.4g", near);
    am_ctx_chosen(ctx, "code_begin", "%.4g", begin); /* of all launches, or the median is biased */
}

void am_ctx_crossing(const struct am_ctx *ctx, double crossing)
{
    am_ctx_chosen(ctx, "code_crossing", "%.4g", crossing);
}

void am_ctx_far(const struct am_ctx *ctx, double far)
{
    am_ctx_chosen(ctx, "code_far", "%.4g", far);
}

void am_ctx_walk(const struct am_ctx *ctx, double walk, double near)
{
    am_ctx_chosen(ctx, "code_walk", "%.4g", walk);
    am_ctx_chosen(ctx, "code_walk_near", "%.4g", near);
}

void am_ctx_step(const struct am_ctx *ctx, const char *name, double share)
{
    char key[STEP_NAME_MAX];

    (void)snprintf(key, sizeof(key), "step_%s", name);
    am_ctx_chosen(ctx, key, "%.4g", share);
}

void am_ctx_l2_bytes(const struct am_ctx *ctx, double bytes)
{
    am_ctx_chosen(ctx, "code_l2_bytes", "%.6g", bytes);
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
