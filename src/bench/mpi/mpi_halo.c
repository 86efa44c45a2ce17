/* SPDX-License-Identifier: MIT */
/* mpi.halo: every rank exchanges a face with its neighbours on a periodic grid of ranks. */
#include "bench/mpi/group.h"
#include "bench/mpi/payload.h"

#include <limits.h>
#include <stdlib.h>

enum axis_index { DIM, RANKS, SIZE };
enum { DIMS_MAX = 3, FACES_MAX = 2 * DIMS_MAX };

struct halo {
    const struct am_mpi_team *team;
    MPI_Comm grid;
    int faces, neighbours[FACES_MAX]; /* of a dimension: the one before, the one after */
    size_t bytes;                     /* of a face */
    unsigned char *out[FACES_MAX], *in[FACES_MAX];
    uint64_t done; /* exchanges */
};

static enum am_status make_grid(struct halo *h, int dims, struct am_err *err)
{
    int lengths[DIMS_MAX] = {0}, periodic[DIMS_MAX] = {1, 1, 1};

    if (dims < 1 || dims > DIMS_MAX)
        return am_fail(err, AM_E_ABSENT, "grids have 1 to %d dimensions, not %d", DIMS_MAX, dims);
    (void)MPI_Dims_create(h->team->size, dims, lengths);
    (void)MPI_Cart_create(h->team->comm, dims, lengths, periodic, 0, &h->grid);
    for (int d = 0; d < dims; d++)
        (void)MPI_Cart_shift(h->grid, d, 1, h->neighbours + 2 * (size_t)d,
                             h->neighbours + 2 * (size_t)d + 1);
    h->faces = 2 * dims;
    if (h->team->ctx)
        am_ctx_note(h->team->ctx, "grid", "%dx%dx%d", lengths[0], dims > 1 ? lengths[1] : 1,
                    dims > 2 ? lengths[2] : 1);
    return AM_OK;
}

static enum am_status make_faces(struct halo *h, struct am_err *err)
{
    for (int f = 0; f < h->faces; f++) {
        h->out[f] = am_payload_new(h->bytes);
        h->in[f] = am_payload_new(h->bytes);
        if (!h->out[f] || !h->in[f])
            return am_fail(err, AM_E_NOMEM, "%d faces of %zu bytes", 2 * h->faces, h->bytes);
        am_payload_fill(h->out[f], h->bytes, h->team->seed, h->team->rank * FACES_MAX + f);
    }
    return AM_OK;
}

static enum am_status prepare(void *state, const struct am_mpi_team *team,
                              const struct am_value *point, struct am_work *work,
                              struct am_err *err)
{
    struct halo *const h = state;
    enum am_status s;

    *h = (struct halo){.team = team, .grid = MPI_COMM_NULL, .bytes = (size_t)point[SIZE].i};
    if (h->bytes < 1 || h->bytes > INT_MAX)
        return am_fail(err, AM_E_ABSENT, "faces of %zu bytes", h->bytes);
    s = make_grid(h, (int)point[DIM].i, err);
    if (s == AM_OK)
        s = make_faces(h, err);
    work->ops = h->faces;
    work->bytes_read = work->bytes_written = (double)h->bytes * h->faces;
    return s;
}

/* A face sent to the one before arrives at that one's side of the one after: tags name the side
 * from which it comes, since two neighbours may be the same rank. */
static void exchange(struct halo *h)
{
    MPI_Request requests[2 * FACES_MAX];
    int n = 0;

    for (int f = 0; f < h->faces; f++)
        (void)MPI_Irecv(h->in[f], (int)h->bytes, MPI_BYTE, h->neighbours[f], f ^ 1, h->grid,
                        &requests[n++]);
    for (int f = 0; f < h->faces; f++) {
        am_payload_stamp(h->out[f], h->bytes, h->done);
        (void)MPI_Isend(h->out[f], (int)h->bytes, MPI_BYTE, h->neighbours[f], f, h->grid,
                        &requests[n++]);
    }
    (void)MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    h->done++;
}

static void run(void *state, uint64_t iters, struct am_batch *batch)
{
    struct halo *const h = state;
    const struct am_clock *const clock = h->team->clock;
    uint64_t begin;

    (void)MPI_Barrier(h->team->comm);
    begin = clock->now_ns(clock->self);
    for (uint64_t i = 0; i < iters; i++)
        exchange(h);
    batch->elapsed_ns = clock->now_ns(clock->self) - begin;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct halo *const h = state;
    enum am_status s = AM_OK;

    *residual = 0;
    for (int f = 0; h->done && s == AM_OK && f < h->faces; f++) {
        s = am_payload_check_stamp(h->in[f], h->bytes, h->done - 1, err);
        if (s == AM_OK)
            s = am_payload_check(h->in[f], AM_PAYLOAD_STAMP, h->bytes, h->team->seed,
                                 h->neighbours[f] * FACES_MAX + (f ^ 1), err);
    }
    return s;
}

static void finish(void *state)
{
    struct halo *const h = state;

    for (int f = 0; f < FACES_MAX; f++) {
        free(h->out[f]);
        free(h->in[f]);
    }
    if (h->faces)
        (void)MPI_Comm_free(&h->grid);
}

static const struct am_axis axes[] = {
    [DIM] = {.name = "dim",
             .kind = AM_AXIS_INT,
             .dflt = "1:3",
             .quick = "1",
             .help = "dimensions of the grid of ranks; each has two faces"},
    [RANKS] = AM_MPI_RANKS_AXIS,
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "64,4K,256K",
              .quick = "4K",
              .thorough = "64:4M:*4",
              .help = "bytes of a face"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, "of one exchange, until the last rank is done"},
    {"bandwidth", "B/s", AM_HIGHER, AM_RULE_BYTE_RATE, "of one rank, in and out together"},
    {.name = NULL},
};

const struct am_mpi_bench am_mpi_bench_halo = {
    .descriptor = {.name = "mpi.halo",
                   .summary = "faces exchanged with the neighbours on a grid of ranks",
                   .version = 1,
                   .axes = axes,
                   .metrics = metrics,
                   .points_per_launch = 32,
                   .named_only = true},
    .state_size = sizeof(struct halo),
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .finish = finish,
};
