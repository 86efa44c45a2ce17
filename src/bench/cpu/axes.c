/* SPDX-License-Identifier: MIT */
/* The refusals of axes that several native benches have. */
#include "bench/cpu/axes.h"

enum am_status am_axes_check_isa(const char *isa, struct am_err *err)
{
    const char *const why_not = am_isa_why_not(isa);

    return why_not ? am_fail(err, AM_E_ABSENT, "isa %s: %s", isa, why_not) : AM_OK;
}

enum am_status am_axes_find_stream(const char *isa, const struct am_stream_variant **variant_p,
                                   struct am_err *err)
{
    const enum am_status s = am_axes_check_isa(isa, err);

    if (s != AM_OK)
        return s;
    *variant_p = am_stream_find(isa);
    return *variant_p ? AM_OK : am_fail(err, AM_E_ABSENT, "isa %s: no such loops", isa);
}

enum am_status am_axes_check_threads(int64_t threads, const struct am_ctx *ctx, struct am_err *err)
{
    if (threads < 1 || (uint64_t)threads > ctx->cpu_count)
        return am_fail(err, AM_E_ABSENT, "%lld threads on %zu CPUs", (long long)threads,
                       ctx->cpu_count);
    return AM_OK;
}
