/* SPDX-License-Identifier: MIT */
/* mpi.pingpong and mpi.bidirectional: messages between two ranks, in turn or at the same time. */
#include "bench/mpi/pairs.h"

enum axis_index { RANKS, PAIR, SIZE };
enum pair { NEAR, FAR };

static enum am_status prepare(void *state, const struct am_mpi_team *team,
                              const struct am_value *point, struct am_work *work,
                              struct am_err *err)
{
    const int high = point[PAIR].i == NEAR ? 1 : team->size - 1;
    const double bytes = (double)point[SIZE].i;

    work->ops = 2; /* messages of a round */
    work->bytes_read = work->bytes_written = bytes;
    return am_mpi_pair_open(state, team, 0, high, (size_t)point[SIZE].i, err);
}

static void run_pingpong(void *state, uint64_t iters, struct am_batch *batch)
{
    batch->elapsed_ns = am_mpi_pair_pingpong(state, iters);
}

static void run_exchange(void *state, uint64_t iters, struct am_batch *batch)
{
    batch->elapsed_ns = am_mpi_pair_exchange(state, iters);
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    *residual = 0;
    return am_mpi_pair_verify(state, err);
}

static void finish(void *state)
{
    am_mpi_pair_close(state);
}

static const char *const pairs[] = {"near", "far", NULL};

static const struct am_axis axes[] = {
    [RANKS] = AM_MPI_RANKS_AXIS,
    [PAIR] = {.name = "pair",
              .kind = AM_AXIS_NAME,
              .dflt = "near",
              .thorough = "all",
              .choices = pairs,
              .help = "rank 0 with rank 1, or with the last"},
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "1:64M:*8",
              .quick = "1,4K,1M",
              .thorough = "1:64M:*2",
              .help = "bytes of a message"},
    {.name = NULL},
};

static const struct am_metric pingpong_metrics[] = {
    {"latency", "s", AM_LOWER, AM_RULE_TIME_PER_OP, "of one message: half a round trip"},
    {"bandwidth", "B/s", AM_HIGHER, AM_RULE_BYTE_RATE, "one direction at a time"},
    {.name = NULL},
};

const struct am_mpi_bench am_mpi_bench_pingpong = {
    .descriptor = {.name = "mpi.pingpong",
                   .summary = "messages from rank to rank and back",
                   .version = 1,
                   .axes = axes,
                   .metrics = pingpong_metrics,
                   .points_per_launch = 32,
                   .named_only = true},
    .state_size = sizeof(struct am_mpi_pair),
    .prepare = prepare,
    .run = run_pingpong,
    .verify = verify,
    .finish = finish,
};

static const struct am_metric exchange_metrics[] = {
    {"bandwidth", "B/s", AM_HIGHER, AM_RULE_BYTE_RATE, "both directions together"},
    {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, "until both messages are there"},
    {.name = NULL},
};

const struct am_mpi_bench am_mpi_bench_bidirectional = {
    .descriptor = {.name = "mpi.bidirectional",
                   .summary = "two ranks send to each other at the same time",
                   .version = 1,
                   .axes = axes,
                   .metrics = exchange_metrics,
                   .points_per_launch = 32,
                   .named_only = true},
    .state_size = sizeof(struct am_mpi_pair),
    .prepare = prepare,
    .run = run_exchange,
    .verify = verify,
    .finish = finish,
};
