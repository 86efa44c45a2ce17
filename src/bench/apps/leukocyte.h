/* SPDX-License-Identifier: MIT */
/* app.leukocyte: what its port to devices and its tests need. */
#ifndef AM_BENCH_APPS_LEUKOCYTE_H
#define AM_BENCH_APPS_LEUKOCYTE_H

#include "app/leukocyte/track.h"
#include "bench/apps/apps.h"
#include "bench/apps/leukocyte_bound.h"
#include "bench/apps/leukocyte_pass.h"
#include "bench/apps/leukocyte_scene.h"
#include "bench/apps/leukocyte_tracks.h"
#include "core/bench/bench.h"
#include "kernels/isa.h"
#include "kernels/mgvf.h"

#include <stdatomic.h>

enum am_leuko_axis {
    AM_LEUKO_VARIANT,
    AM_LEUKO_TYPE,
    AM_LEUKO_ISA,
    AM_LEUKO_EXECUTOR,
    AM_LEUKO_DEVICE,
    AM_LEUKO_FLT,
    AM_LEUKO_SLT,
    AM_LEUKO_VIDEO,
    AM_LEUKO_CELLS,
    AM_LEUKO_FRAMES,
    AM_LEUKO_COMMON /* am_apps_axis from here on */
};

enum am_leuko_metric {
    AM_LEUKO_TIME,
    AM_LEUKO_RATE,
    AM_LEUKO_ITERATIONS,
    AM_LEUKO_UPDATES,
    AM_LEUKO_UPDATE_TIME,
    AM_LEUKO_BOUND_SHARE,
    AM_LEUKO_KERNEL_TIME,
    AM_LEUKO_TRANSFER_TIME,
};

extern const struct am_app am_app_leukocyte;

/* Sums over the cells and frames of one iteration. */
struct am_leuko_counts {
    double updates, iterations, followed; /* pixels stepped, steps, cells times frames */
};

struct am_leuko_state {
    struct am_apps_engine cells, rows; /* rows: only where teams nest */
    struct am_scene scene;
    struct am_leuko_bound bound;
    struct am_leuko_counts counts; /* of the latest iteration */
    struct am_leuko_tracks told;
    struct am_mgvf_loop loop;
    struct am_mgvf_bands bands;
    struct am_tracker *tracker;
    struct am_blocks tracking; /* of the tracker: a cell each */
    struct am_blocks running;  /* what the executor gets: the same, or drivers */
    atomic_size_t next;        /* cell that no driver has taken yet */
    size_t flt, slt;
    struct am_leuko_pass pass;
    double tolerance; /* px, to the reference */
    const struct am_clock *clock;
    const struct am_mgvf_variant *lanes; /* of the form lanes on one thread; NULL: another */
};

/* What the point asks for, cells or frames out of range refused; for devices too. */
enum am_status am_leuko_open_scene(struct am_scene *scene, const struct am_ctx *ctx,
                                   const struct am_value *point, struct am_err *err);
/* Metrics of a batch of `iters` from what one iteration counted; those that only processors or only
 * devices have are left NAN. */
void am_leuko_values(const struct am_leuko_counts *counts, uint64_t iters, double seconds,
                     struct am_batch *batch);
double am_leuko_tolerance(const struct am_value *point); /* px, to the reference */

#endif
