/* SPDX-License-Identifier: MIT */
/* Instruction sets and threads that this machine lacks. */
#include "bench/shared/usable.h"

#include "kernels/isa.h"

enum am_status am_usable_isa(const char *isa, struct am_err *err)
{
    const char *const why_not = am_isa_why_not(isa);

    return why_not ? am_fail(err, AM_E_ABSENT, "isa %s: %s", isa, why_not) : AM_OK;
}

enum am_status am_usable_threads(int64_t threads, const struct am_ctx *ctx, struct am_err *err)
{
    if (threads < 1 || (uint64_t)threads > ctx->cpu_count)
        return am_fail(err, AM_E_ABSENT, "%lld threads on %zu CPUs", (long long)threads,
                       ctx->cpu_count);
    return AM_OK;
}
