/* SPDX-License-Identifier: MIT */
/* mpi.collective: what all ranks do together, over sizes and ranks. */
#include "bench/mpi/group.h"
#include "bench/mpi/payload.h"

#include <limits.h>
#include <stdlib.h>

enum axis_index { OP, RANKS, SIZE };
enum op { BARRIER, BCAST, ALLREDUCE, ALLTOALL };

struct collective {
    const struct am_mpi_team *team;
    enum op op;
    size_t bytes;
    unsigned char *out, *in; /* allreduce: doubles */
    int root;                /* of the next broadcast */
};

static void barrier(struct collective *c)
{
    (void)MPI_Barrier(c->team->comm);
}

/* From another rank each time: one root alone would run ahead of the others. */
static void bcast(struct collective *c)
{
    (void)MPI_Bcast(c->in, (int)c->bytes, MPI_BYTE, c->root, c->team->comm);
    c->root = (c->root + 1) % c->team->size;
}

static void allreduce(struct collective *c)
{
    (void)MPI_Allreduce(c->out, c->in, (int)(c->bytes / sizeof(double)), MPI_DOUBLE, MPI_SUM,
                        c->team->comm);
}

static void alltoall(struct collective *c)
{
    (void)MPI_Alltoall(c->out, (int)c->bytes, MPI_BYTE, c->in, (int)c->bytes, MPI_BYTE,
                       c->team->comm);
}

static void (*const ops[])(struct collective *c) = {
    [BARRIER] = barrier, [BCAST] = bcast, [ALLREDUCE] = allreduce, [ALLTOALL] = alltoall};
static const char *const op_names[] = {"barrier", "bcast", "allreduce", "alltoall", NULL};

/* Small whole numbers: their sums are exact in any order. */
static double element(size_t i, int rank)
{
    return (double)((i + 1) % 64) + rank;
}

static void fill(struct collective *c)
{
    const int rank = c->team->rank, size = c->team->size;
    double *const numbers = (double *)(void *)c->out;

    if (c->op == BCAST && rank == 0)
        am_payload_fill(c->in, c->bytes, c->team->seed, 0);
    for (size_t i = 0; c->op == ALLREDUCE && i < c->bytes / sizeof(double); i++)
        numbers[i] = element(i, rank);
    for (int to = 0; c->op == ALLTOALL && to < size; to++)
        am_payload_fill(c->out + (size_t)to * c->bytes, c->bytes, c->team->seed, rank * size + to);
}

static enum am_status prepare(void *state, const struct am_mpi_team *team,
                              const struct am_value *point, struct am_work *work,
                              struct am_err *err)
{
    struct collective *const c = state;
    size_t room;

    *c = (struct collective){
        .team = team, .op = (enum op)point[OP].i, .bytes = (size_t)point[SIZE].i};
    if (c->op == BARRIER ? c->bytes != 0 : c->bytes < 1 || c->bytes > INT_MAX)
        return am_fail(err, AM_E_ABSENT, "%s of %zu bytes: a barrier has 0, all others 1 or more",
                       op_names[c->op], c->bytes);
    if (c->op == ALLREDUCE && c->bytes % sizeof(double))
        return am_fail(err, AM_E_ABSENT, "allreduce adds doubles: %zu bytes are no multiple of %zu",
                       c->bytes, sizeof(double));
    room = c->bytes * (c->op == ALLTOALL ? (size_t)team->size : 1);
    if (team->ctx && 2.0 * (double)room * team->local_size > (double)team->ctx->memory_limit_bytes)
        return am_fail(err, AM_E_ABSENT, "%zu bytes per rank are more than the limit", 2 * room);
    c->out = am_payload_new(room);
    c->in = am_payload_new(room);
    if (!c->out || !c->in)
        return am_fail(err, AM_E_NOMEM, "%zu bytes", room);
    fill(c);
    work->ops = 1;
    work->bytes_read = (double)room; /* that a rank gives or gets */
    return AM_OK;
}

static void run(void *state, uint64_t iters, struct am_batch *batch)
{
    struct collective *const c = state;
    const struct am_clock *const clock = c->team->clock;
    uint64_t begin;

    (void)MPI_Barrier(c->team->comm);
    begin = clock->now_ns(clock->self);
    for (uint64_t i = 0; i < iters; i++)
        ops[c->op](c);
    batch->elapsed_ns = clock->now_ns(clock->self) - begin;
}

static enum am_status check_sums(const struct collective *c, struct am_err *err)
{
    const double *const sums = (const double *)(const void *)c->in;
    const int size = c->team->size;

    for (size_t i = 0; i < c->bytes / sizeof(double); i++) {
        const double want = element(i, 0) * size + (double)size * (size - 1) / 2;

        if (sums[i] != want)
            return am_fail(err, AM_E_WRONG, "sum %zu is %g, not %g", i, sums[i], want);
    }
    return AM_OK;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct collective *const c = state;
    const int rank = c->team->rank, size = c->team->size;
    enum am_status s = AM_OK;

    *residual = 0;
    if (c->op == ALLREDUCE)
        return check_sums(c, err);
    if (c->op == BCAST)
        return am_payload_check(c->in, 0, c->bytes, c->team->seed, 0, err);
    for (int from = 0; c->op == ALLTOALL && s == AM_OK && from < size; from++)
        s = am_payload_check(c->in + (size_t)from * c->bytes, 0, c->bytes, c->team->seed,
                             from * size + rank, err);
    return s;
}

static void finish(void *state)
{
    struct collective *const c = state;

    free(c->out);
    free(c->in);
}

static const struct am_axis axes[] = {
    [OP] = {.name = "op",
            .kind = AM_AXIS_NAME,
            .dflt = "all",
            .choices = op_names,
            .help = "what all ranks do together"},
    [RANKS] = AM_MPI_RANKS_AXIS,
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "0,8,4K,1M",
              .quick = "0,8,64K",
              .thorough = "0,8:16M:*8",
              .help = "bytes of a rank (alltoall: for each other); 0 for barriers only"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, "until the last rank is done"},
    {"bandwidth", "B/s", AM_HIGHER, AM_RULE_BYTE_RATE, "bytes that one rank gives or gets"},
    {.name = NULL},
};

const struct am_mpi_bench am_mpi_bench_collective = {
    .descriptor = {.name = "mpi.collective",
                   .summary = "barriers, broadcasts, sums and all-to-all",
                   .version = 1,
                   .axes = axes,
                   .metrics = metrics,
                   .points_per_launch = 32,
                   .named_only = true},
    .state_size = sizeof(struct collective),
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .finish = finish,
};
