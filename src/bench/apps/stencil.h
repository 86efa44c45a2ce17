/* SPDX-License-Identifier: MIT */
/* app.stencil: what its port to devices and its tests need. */
#ifndef AM_BENCH_APPS_STENCIL_H
#define AM_BENCH_APPS_STENCIL_H

#include "bench/apps/apps.h"
#include "bench/apps/stencil_dim.h"
#include "core/bench/bench.h"
#include "kernels/isa.h"
#include "kernels/stencil.h"

enum am_stencil_axis {
    AM_STENCIL_DIM,
    AM_STENCIL_VARIANT,
    AM_STENCIL_FORM,
    AM_STENCIL_TYPE,
    AM_STENCIL_ISA,
    AM_STENCIL_W,
    AM_STENCIL_DEPTH,
    AM_STENCIL_STEPS,
    AM_STENCIL_N,
    AM_STENCIL_R,
    AM_STENCIL_EXECUTOR,
    AM_STENCIL_DEVICE,
    AM_STENCIL_COMMON /* am_apps_axis from here on */
};

enum am_stencil_metric {
    AM_STENCIL_FLOPS,
    AM_STENCIL_EXECUTED,
    AM_STENCIL_PEAK_SHARE,
    AM_STENCIL_BOUND_SHARE,
    AM_STENCIL_UPDATES,
    AM_STENCIL_TIME,
    AM_STENCIL_OVER_SWEEP
};

enum { AM_STENCIL_STEPS_MAX = 1 << 14 }; /* two windows of the reference then take seconds */

extern const struct am_app am_app_stencil;

/* What the axes ask for, r chosen where it is 0. AM_E_ABSENT where n, steps, w, depth or dim are
 * out of range. `isa` is left to the caller. */
enum am_status am_stencil_read_point(const struct am_value *point, struct am_stencil_task *task,
                                     struct am_err *err);

#endif
