/* SPDX-License-Identifier: MIT */
/* Words that work-items leave, compared with those of the host. */
#include "bench/ocl/host/checked.h"

#include "base/rng.h"

enum am_status am_ocl_checked(const struct am_ocl_checking *c, double *residual, struct am_err *err)
{
    struct am_rng rng;
    enum am_status s = AM_OK;

    *residual = 0;
    if (!c->turn)
        return am_fail(err, AM_E_WRONG, "wrong: nothing was launched");
    am_rng_seed(&rng, c->device->ctx->seed, c->turn);
    for (unsigned i = 0; i < c->n && s == AM_OK; i++) {
        const size_t item = (size_t)am_rng_below(&rng, c->items);
        const uint32_t want = c->expect(c->state, item);
        uint32_t got = 0;

        s = am_ocl_device_read(c->device, c->out, item * sizeof(got), sizeof(got), &got, err);
        if (s == AM_OK && got != want)
            s = am_fail(err, AM_E_WRONG, "wrong: work-item %zu leaves %u, not %u", item, got, want);
    }
    *residual = s == AM_E_WRONG;
    return s;
}
