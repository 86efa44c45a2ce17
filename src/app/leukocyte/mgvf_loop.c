/* SPDX-License-Identifier: MIT */
/* Kernels as loops of the solver. Apart from it, for programs that have the plain reference only.
 */
#include "app/leukocyte/mgvf.h"

#include <string.h>

struct am_mgvf_loop am_mgvf_loop_of(const char *isa, enum am_mgvf_form form, enum am_mgvf_type type)
{
    const struct am_mgvf_variant *const v = am_mgvf_find(isa);
    struct am_mgvf_loop loop = {
        .fn = v->fn[form][type],
        .type = type,
        .scratch = form == AM_MGVF_BY_NAIVE ? am_mgvf_naive_scratch : NULL,
    };

    if (form == AM_MGVF_BY_LANES) {
        loop.pack = v->pack[type];
        loop.unpack = v->unpack[type];
        loop.change = v->change[type];
        loop.narrow = v->fn[AM_MGVF_BY_MINMAX][type];
        loop.columns_min = AM_MGVF_LANES_LEAST(v->lanes[type]);
        loop.block = v->block;
        loop.lanes = v->lanes[type];
        loop.wide = strcmp(isa, "avx512") == 0 ? AM_LEUKO_AVX512
                    : strcmp(isa, "avx2") == 0 ? AM_LEUKO_AVX2
                                               : AM_LEUKO_ANY;
    }
    return loop;
}
