/* SPDX-License-Identifier: MIT */
/* The streaming loops that a point's instruction set has. */
#include "bench/cpu/axes.h"

enum am_status am_axes_find_stream(const char *isa, const struct am_stream_variant **variant_p,
                                   struct am_err *err)
{
    const enum am_status s = am_usable_isa(isa, err);

    if (s != AM_OK)
        return s;
    *variant_p = am_stream_find(isa);
    return *variant_p ? AM_OK : am_fail(err, AM_E_ABSENT, "isa %s: no such loops", isa);
}
