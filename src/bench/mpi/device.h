/* SPDX-License-Identifier: MIT */
/* app.stencil over the ranks of a job, each with OpenCL devices of its own.
 *
 * A rank has a run of points (one dimension) or of planes (two and three) on its device, cut once
 * more where it has several, as parts of one grid (bench/ocl/app/stencil_device.h and
 * stencil_parts.h). What the first and the last part of a rank need of the ranks beside it, as many
 * points or planes as a pass has steps, goes through the host and by the messages of ring.h, once
 * per pass. Rank 0 searches for the shape of passes with its share of the grid, and all take it. */
#ifndef AM_BENCH_MPI_DEVICE_H
#define AM_BENCH_MPI_DEVICE_H

#include "bench/mpi/ring.h"
#include "bench/ocl/app/stencil_parts.h"
#include "bench/ocl/app/stencil_tune.h"
#include "bench/ocl/host/together.h"

/* Zero-initialise. */
struct am_mpi_device {
    const struct am_mpi_team *team;
    struct am_ctx ctx; /* of this rank: devices need one */
    struct am_ocl_together devices;
    struct am_ocl_ring ring;
    unsigned dim;
    size_t n, steps, width, depth; /* width and depth: 0 is left to the search */
    struct am_ocl_stencil_spec line;
    struct am_ocl_stencil st; /* one dimension */
    struct am_ocl_grid_spec grid;
    struct am_ocl_parts parts; /* two and three */
    uint64_t traded, trade_ns; /* exchanges since the last run began, and their time */
    enum am_status failed;     /* of a run */
    struct am_err why;
};

/* Collective, all of them. AM_E_ABSENT where there is no such device, or a part is shorter than a
 * pass. `name` as am_ocl_together_open() takes it; of equal devices rank r takes the r-th in turn.
 */
enum am_status am_mpi_device_open(struct am_mpi_device *w, const char *name, struct am_err *err);
void am_mpi_device_close(struct am_mpi_device *w); /* not collective; accepts a zeroed struct */
enum am_status am_mpi_device_fill(struct am_mpi_device *w, struct am_err *err); /* step 0 */
/* `steps` steps. A rank that fails keeps up with the messages, so that no other waits for ever. */
enum am_status am_mpi_device_advance(struct am_mpi_device *w, struct am_err *err);
/* The state after one iteration from the start: AM_E_WRONG unless this rank's points are right. */
enum am_status am_mpi_device_compare(const struct am_mpi_device *w, double *residual,
                                     struct am_err *err);

#endif
