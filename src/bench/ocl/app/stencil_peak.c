/* SPDX-License-Identifier: MIT */
/* A device's rate of fused products, by the kernel of ocl.arith. */
#include "bench/ocl/app/stencil_peak.h"

#include "bench/ocl/units/arith_search.h"

enum {
    GPU_CHAINS = 16, /* of a work-item: 8 of double are 8 % below what an H200 can do */
    CPU_CHAINS = 8,
    GPU_ITEMS = 2048, /* of a compute unit */
    CPU_ITEMS = 16,
};

double am_ocl_fused_rate(const struct am_ocl_device *d, enum am_stencil_type type)
{
    const unsigned native = type == AM_STENCIL_F32 ? d->float_width : d->double_width;
    const unsigned group = d->is_cpu ? 64 : 256;
    const struct am_arith_request request = {
        .op = AM_ARITH_FMA,
        .type = type == AM_STENCIL_F32 ? AM_ARITH_FLOAT : AM_ARITH_DOUBLE,
        .width = d->is_cpu && native > 1 ? native : 1,
        .chains = d->is_cpu ? CPU_CHAINS : GPU_CHAINS,
        .items = d->compute_units * (d->is_cpu ? CPU_ITEMS * group : GPU_ITEMS),
        .group = group,
    };
    struct am_ctx silent = *d->ctx; /* what the search says is of ocl.arith's points */
    struct am_ocl_device quiet = *d;
    struct am_ocl_timer timer = {.device = &quiet};
    struct am_arith_buffers buffers = {.out = NULL};
    struct am_arith_trial trial = {.turn_ns = 0};
    double rate = 0;

    silent.note = NULL;
    silent.chosen = NULL;
    quiet.ctx = &silent;
    if (am_arith_search(&timer, &request, &buffers, &trial, NULL) == AM_OK && trial.turn_ns > 0)
        rate = (double)request.items * trial.shape.chains * trial.shape.width * trial.shape.unroll /
               trial.turn_ns;
    am_arith_trial_free(&trial);
    am_arith_buffers_free(&buffers);
    return rate;
}
