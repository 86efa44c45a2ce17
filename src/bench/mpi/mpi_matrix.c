/* SPDX-License-Identifier: MIT */
/* mpi.matrix: every pair of ranks, as a tournament: all pairs of a round at the same time. What a
 * round measures beside the pair at hand is kept for the points of those pairs. */
#include "bench/mpi/pairs.h"
#include "core/stats/tournament.h"

#include <stdlib.h>
#include <string.h>

enum axis_index { RANKS, SIZE, FROM, TO };
enum { ROUNDS_A_BATCH = 200, KEPT_MAX = 64 };

/* Results of one pair that no point has asked for yet, oldest first. */
struct kept {
    uint64_t elapsed_ns[KEPT_MAX];
    unsigned n;
};

struct memory {
    size_t ranks, bytes; /* whom the results belong to */
    struct kept pairs[]; /* by from * ranks + to */
};

struct matrix {
    struct am_mpi_pair pair;
    const struct am_mpi_team *team;
    size_t from, to;
    uint64_t *times; /* rank 0: of every rank's pair */
};

/* Rank 0 keeps what it has as long as ranks and bytes stay the same. */
static enum am_status keep_memory(const struct am_mpi_team *team, size_t bytes, struct am_err *err)
{
    const size_t pairs = (size_t)team->size * (size_t)team->size;
    struct memory *m = *team->kept;

    if (m && m->ranks == (size_t)team->size && m->bytes == bytes)
        return AM_OK;
    free(m);
    *team->kept = m = calloc(1, sizeof(*m) + pairs * sizeof(*m->pairs));
    if (!m)
        return am_fail(err, AM_E_NOMEM, "results of %zu pairs", pairs);
    m->ranks = (size_t)team->size;
    m->bytes = bytes;
    return AM_OK;
}

/* In the round of the pair at hand everybody plays; where `from` is the higher one, all higher ones
 * begin. */
static enum am_status open_pair(struct matrix *m, size_t bytes, struct am_err *err)
{
    const size_t n = (size_t)m->team->size, me = (size_t)m->team->rank;
    const size_t other = am_tournament_partner(n, am_tournament_round(n, m->from, m->to), me);
    const bool leads = (me < other) == (m->from < m->to);

    if (other == n) {
        m->pair = (struct am_mpi_pair){.team = m->team, .partner = -1, .bytes = bytes};
        return AM_OK;
    }
    return am_mpi_pair_open(&m->pair, m->team, (int)(leads ? me : other), (int)(leads ? other : me),
                            bytes, err);
}

static enum am_status prepare(void *state, const struct am_mpi_team *team,
                              const struct am_value *point, struct am_work *work,
                              struct am_err *err)
{
    struct matrix *const m = state;
    const size_t bytes = (size_t)point[SIZE].i;
    const int64_t from = point[FROM].i, to = point[TO].i;
    enum am_status s;

    if (from < 0 || to < 0 || from >= team->size || to >= team->size || from == to)
        return am_fail(err, AM_E_ABSENT, "ranks %lld and %lld of %d are no pair", (long long)from,
                       (long long)to, team->size);
    *m = (struct matrix){.team = team, .from = (size_t)from, .to = (size_t)to};
    work->ops = 2;
    work->bytes_read = work->bytes_written = (double)bytes;
    s = open_pair(m, bytes, err);
    if (s != AM_OK || team->rank != 0)
        return s;
    m->times = calloc((size_t)team->size, sizeof(*m->times));
    if (!m->times)
        return am_fail(err, AM_E_NOMEM, "times of %d ranks", team->size);
    return keep_memory(team, bytes, err);
}

static bool recall(void *state, uint64_t iters, struct am_batch *batch)
{
    const struct matrix *const m = state;
    struct memory *const memory = *m->team->kept;
    struct kept *const k = &memory->pairs[m->from * memory->ranks + m->to];

    (void)iters; /* a batch is always of as many */
    if (k->n == 0)
        return false;
    batch->elapsed_ns = k->elapsed_ns[0];
    memmove(k->elapsed_ns, k->elapsed_ns + 1, --k->n * sizeof(*k->elapsed_ns));
    return true;
}

/* The times of the round to the points that they belong to. */
static uint64_t deal(const struct matrix *m)
{
    struct memory *const memory = *m->team->kept;
    const size_t n = memory->ranks, round = am_tournament_round(n, m->from, m->to);

    for (size_t from = 0; from < n; from++) {
        const size_t to = am_tournament_partner(n, round, from);
        struct kept *const k = &memory->pairs[from * n + (to < n ? to : from)];

        if (to < n && (from < to) == (m->from < m->to) && from != m->from && k->n < KEPT_MAX)
            k->elapsed_ns[k->n++] = m->times[from];
    }
    return m->times[m->from];
}

static void run(void *state, uint64_t iters, struct am_batch *batch)
{
    struct matrix *const m = state;
    const uint64_t mine = am_mpi_pair_pingpong(&m->pair, iters);

    (void)MPI_Gather(&mine, 1, MPI_UINT64_T, m->times, 1, MPI_UINT64_T, 0, m->team->comm);
    batch->elapsed_ns = m->team->rank == 0 ? deal(m) : 0;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct matrix *const m = state;

    *residual = 0;
    return am_mpi_pair_verify(&m->pair, err);
}

static void finish(void *state)
{
    struct matrix *const m = state;

    am_mpi_pair_close(&m->pair);
    free(m->times);
}

static const struct am_axis axes[] = {
    [RANKS] = AM_MPI_RANKS_AXIS,
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "8,64K",
              .quick = "8",
              .thorough = "8,64K,1M",
              .help = "bytes of a message"},
    [FROM] = {.name = "from",
              .kind = AM_AXIS_INT,
              .dflt = "0:last_rank",
              .help = "the rank that begins, and takes the time"},
    [TO] = {.name = "to", .kind = AM_AXIS_INT, .dflt = "0:last_rank", .help = "its partner"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"latency", "s", AM_LOWER, AM_RULE_TIME_PER_OP, "of one message, all pairs of a round at once"},
    {"bandwidth", "B/s", AM_HIGHER, AM_RULE_BYTE_RATE, "one direction at a time"},
    {.name = NULL},
};

const struct am_mpi_bench am_mpi_bench_matrix = {
    .descriptor = {.name = "mpi.matrix",
                   .summary = "messages between all pairs of ranks, by a tournament",
                   .version = 1,
                   .axes = axes,
                   .metrics = metrics,
                   .fixed_iters = ROUNDS_A_BATCH,
                   .points_per_launch = 4096,
                   .named_only = true},
    .state_size = sizeof(struct matrix),
    .prepare = prepare,
    .recall = recall,
    .run = run,
    .verify = verify,
    .finish = finish,
};
