/* SPDX-License-Identifier: MIT */
/* Two ranks that send messages to each other. */
#include "bench/mpi/pairs.h"

#include "bench/mpi/payload.h"

#include <limits.h>
#include <stdlib.h>

enum { TAG = 2 };

enum am_status am_mpi_pair_open(struct am_mpi_pair *pair, const struct am_mpi_team *team, int low,
                                int high, size_t bytes, struct am_err *err)
{
    const bool plays = team->rank == low || team->rank == high;

    *pair = (struct am_mpi_pair){.team = team, .partner = -1, .bytes = bytes};
    if (low == high || high >= team->size || low < 0)
        return am_fail(err, AM_E_ABSENT, "ranks %d and %d of %d are no pair", low, high,
                       team->size);
    if (bytes < 1 || bytes > INT_MAX)
        return am_fail(err, AM_E_ABSENT, "messages of %zu bytes", bytes);
    if (!plays)
        return AM_OK;
    pair->out = am_payload_new(bytes);
    pair->in = am_payload_new(bytes);
    if (!pair->out || !pair->in)
        return am_fail(err, AM_E_NOMEM, "messages of %zu bytes", bytes);
    am_payload_fill(pair->out, bytes, team->seed, team->rank);
    pair->partner = team->rank == low ? high : low;
    pair->leads = team->rank == low;
    return AM_OK;
}

void am_mpi_pair_close(struct am_mpi_pair *pair)
{
    free(pair->out);
    free(pair->in);
    pair->out = pair->in = NULL;
}

static void send_block(struct am_mpi_pair *pair, uint64_t number)
{
    am_payload_stamp(pair->out, pair->bytes, number);
    (void)MPI_Send(pair->out, (int)pair->bytes, MPI_BYTE, pair->partner, TAG, pair->team->comm);
}

static void receive(struct am_mpi_pair *pair)
{
    (void)MPI_Recv(pair->in, (int)pair->bytes, MPI_BYTE, pair->partner, TAG, pair->team->comm,
                   MPI_STATUS_IGNORE);
}

static void play(struct am_mpi_pair *pair, uint64_t number)
{
    if (pair->leads)
        send_block(pair, number);
    receive(pair);
    if (!pair->leads)
        send_block(pair, number);
}

static void swap(struct am_mpi_pair *pair, uint64_t number)
{
    am_payload_stamp(pair->out, pair->bytes, number);
    (void)MPI_Sendrecv(pair->out, (int)pair->bytes, MPI_BYTE, pair->partner, TAG, pair->in,
                       (int)pair->bytes, MPI_BYTE, pair->partner, TAG, pair->team->comm,
                       MPI_STATUS_IGNORE);
}

/* All ranks begin together; the leader's time is that of the pair. */
static uint64_t timed(struct am_mpi_pair *pair, uint64_t rounds,
                      void (*turn)(struct am_mpi_pair *pair, uint64_t number))
{
    const struct am_clock *const clock = pair->team->clock;
    uint64_t begin, end;

    (void)MPI_Barrier(pair->team->comm);
    if (pair->partner < 0)
        return 0;
    begin = clock->now_ns(clock->self);
    for (uint64_t i = 0; i < rounds; i++)
        turn(pair, pair->sent + i);
    end = clock->now_ns(clock->self);
    pair->sent += rounds;
    return pair->leads ? end - begin : 0;
}

uint64_t am_mpi_pair_pingpong(struct am_mpi_pair *pair, uint64_t rounds)
{
    return timed(pair, rounds, play);
}

uint64_t am_mpi_pair_exchange(struct am_mpi_pair *pair, uint64_t rounds)
{
    return timed(pair, rounds, swap);
}

enum am_status am_mpi_pair_verify(const struct am_mpi_pair *pair, struct am_err *err)
{
    enum am_status s;

    if (pair->partner < 0 || pair->sent == 0)
        return AM_OK;
    s = am_payload_check_stamp(pair->in, pair->bytes, pair->sent - 1, err);
    return s == AM_OK ? am_payload_check(pair->in, AM_PAYLOAD_STAMP, pair->bytes, pair->team->seed,
                                         pair->partner, err)
                      : s;
}
