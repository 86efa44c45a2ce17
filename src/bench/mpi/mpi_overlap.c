/* SPDX-License-Identifier: MIT */
/* mpi.overlap: how much of an exchange hides behind computation that does not need it. */
#include "bench/mpi/group.h"
#include "bench/mpi/payload.h"

#include <limits.h>
#include <stdlib.h>

enum axis_index { RANKS, PROGRESS, SIZE };
enum metric_index { TIME, HIDDEN, APART };
enum progress { NO_TESTS, TESTS };
enum { TRIALS = 20, CHUNK_STEPS = 2000, TAG = 3 };

/* All ranks in pairs: even ones with the next. The last of an odd number only computes. */
struct overlap {
    const struct am_mpi_team *team;
    int partner; /* -1: none */
    bool tests;
    size_t bytes;
    unsigned char *out, *in;
    uint64_t chunks; /* of computation that last as long as the exchange alone */
    double number;   /* the computation's state, so that it cannot be left out */
    uint64_t done;
};

/* A chain of dependent operations: its time does not depend on caches. */
static void compute(struct overlap *o)
{
    double x = o->number;

    for (int i = 0; i < CHUNK_STEPS; i++)
        x = x * 0.999 + 0.5;
    o->number = x;
}

static void begin_exchange(struct overlap *o, MPI_Request *requests)
{
    requests[0] = requests[1] = MPI_REQUEST_NULL;
    if (o->partner < 0)
        return;
    (void)MPI_Irecv(o->in, (int)o->bytes, MPI_BYTE, o->partner, TAG, o->team->comm, &requests[0]);
    am_payload_stamp(o->out, o->bytes, o->done++);
    (void)MPI_Isend(o->out, (int)o->bytes, MPI_BYTE, o->partner, TAG, o->team->comm, &requests[1]);
}

static void exchange(struct overlap *o)
{
    MPI_Request requests[2];

    begin_exchange(o, requests);
    (void)MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void compute_all(struct overlap *o)
{
    for (uint64_t i = 0; i < o->chunks; i++)
        compute(o);
}

static void both(struct overlap *o)
{
    MPI_Request requests[2];
    int ready;

    begin_exchange(o, requests);
    for (uint64_t i = 0; i < o->chunks; i++) {
        compute(o);
        if (o->tests)
            (void)MPI_Testall(2, requests, &ready, MPI_STATUSES_IGNORE);
    }
    (void)MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* The longest time of all ranks, known to all. */
static uint64_t timed(struct overlap *o, uint64_t iters, void (*what)(struct overlap *o))
{
    const struct am_clock *const clock = o->team->clock;
    uint64_t begin, mine, longest = 0;

    (void)MPI_Barrier(o->team->comm);
    begin = clock->now_ns(clock->self);
    for (uint64_t i = 0; i < iters; i++)
        what(o);
    mine = clock->now_ns(clock->self) - begin;
    (void)MPI_Allreduce(&mine, &longest, 1, MPI_UINT64_T, MPI_MAX, o->team->comm);
    return longest;
}

/* As much computation as the exchange takes by itself, the same on all ranks. */
static void match_computation(struct overlap *o)
{
    uint64_t exchange_ns, chunk_ns;

    o->chunks = 1;
    (void)timed(o, TRIALS, exchange);
    exchange_ns = timed(o, TRIALS, exchange);
    (void)timed(o, TRIALS, compute_all);
    chunk_ns = timed(o, TRIALS, compute_all);
    o->chunks = chunk_ns ? exchange_ns / chunk_ns + 1 : 1;
}

static enum am_status prepare(void *state, const struct am_mpi_team *team,
                              const struct am_value *point, struct am_work *work,
                              struct am_err *err)
{
    struct overlap *const o = state;
    const int partner = team->rank ^ 1;

    *o = (struct overlap){.team = team,
                          .partner = partner < team->size ? partner : -1,
                          .tests = point[PROGRESS].i == TESTS,
                          .bytes = (size_t)point[SIZE].i,
                          .number = 1};
    if (o->bytes < 1 || o->bytes > INT_MAX || team->size < 2)
        return am_fail(err, AM_E_ABSENT, "%zu bytes between %d ranks", o->bytes, team->size);
    o->out = am_payload_new(o->bytes);
    o->in = am_payload_new(o->bytes);
    if (!o->out || !o->in)
        return am_fail(err, AM_E_NOMEM, "messages of %zu bytes", o->bytes);
    am_payload_fill(o->out, o->bytes, team->seed, team->rank);
    match_computation(o);
    if (team->ctx)
        am_ctx_note(team->ctx, "computation", "%llu chunks of %d dependent operations",
                    (unsigned long long)o->chunks, 2 * CHUNK_STEPS);
    work->ops = 1;
    work->bytes_read = work->bytes_written = (double)o->bytes;
    return AM_OK;
}

/* What is hidden is the share of the shorter of the two that costs no time. */
static void run(void *state, uint64_t iters, struct am_batch *batch)
{
    struct overlap *const o = state;
    const double alone = (double)timed(o, iters, exchange);
    const double computing = (double)timed(o, iters, compute_all);
    const uint64_t together = timed(o, iters, both);
    const double shorter = alone < computing ? alone : computing;

    batch->elapsed_ns = together;
    batch->values[HIDDEN] = shorter > 0 ? (alone + computing - (double)together) / shorter : 0;
    batch->values[APART] = (alone + computing) * 1e-9 / (double)iters;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct overlap *const o = state;
    enum am_status s;

    *residual = 0;
    if (!(o->number > 0 && o->number <= 500.0))
        return am_fail(err, AM_E_WRONG, "the computation led to %g, not to 500", o->number);
    if (o->partner < 0)
        return AM_OK;
    s = am_payload_check_stamp(o->in, o->bytes, o->done - 1, err);
    return s == AM_OK
               ? am_payload_check(o->in, AM_PAYLOAD_STAMP, o->bytes, o->team->seed, o->partner, err)
               : s;
}

static void finish(void *state)
{
    struct overlap *const o = state;

    free(o->out);
    free(o->in);
}

static const char *const progress_names[] = {"none", "test", NULL};

static const struct am_axis axes[] = {
    [RANKS] = AM_MPI_RANKS_AXIS,
    [PROGRESS] = {.name = "progress",
                  .kind = AM_AXIS_NAME,
                  .dflt = "all",
                  .choices = progress_names,
                  .help = "whether the computation calls MPI_Testall now and then"},
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "64K,1M",
              .quick = "256K",
              .thorough = "4K:16M:*4",
              .help = "bytes of a message"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    [TIME] = {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER,
              "exchange and computation begun together"},
    [HIDDEN] = {"hidden", "1", AM_HIGHER, AM_RULE_OWN,
                "share of the shorter of the two that costs no time: 1 is all, 0 nothing"},
    [APART] = {"apart", "s", AM_LOWER, AM_RULE_OWN, "one after the other"},
    {.name = NULL},
};

const struct am_mpi_bench am_mpi_bench_overlap = {
    .descriptor = {.name = "mpi.overlap",
                   .summary = "how much of an exchange hides behind computation",
                   .version = 1,
                   .axes = axes,
                   .metrics = metrics,
                   .points_per_launch = 32,
                   .named_only = true},
    .state_size = sizeof(struct overlap),
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .finish = finish,
};
