/* SPDX-License-Identifier: MIT */
/* What mpi.stencil's verification must notice, in a grid so large that only parts of it are
 * compared: messages not taken in, a rank that is a step short, a coefficient a little off, a block
 * that is skipped once. Run by two ranks; the first one tells. */
#include "bench/apps/stencil_check.h"
#include "bench/mpi/distributed.h"
#include "kernels/isa.h"
#include "bench_fixture.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

extern const struct am_mpi_bench am_mpi_bench_stencil;

enum { CPUS = 64, SKIPPED_AT = 5 /* advances are every second call: the third of them */ };
enum error { NONE, HALO, STEP_SHORT, COEFFICIENT, BLOCK, POINT, STALE, ERRORS };
static const char *const names[ERRORS] = {
    "nothing wrong",           "neighbours' points not taken in",
    "a rank a step short",     "a coefficient off",
    "a block skipped once",    "one point of the second rank off",
    "one message not taken in"};

/* One after the other, the first block of one call left out. */
static void run_but_one(void *self, const struct am_blocks *blocks, uint64_t times)
{
    unsigned *const calls = self;

    (void)times;
    for (size_t i = 0; i < blocks->count; i++) {
        if (*calls != SKIPPED_AT || i != 0)
            blocks->run(blocks->app, i);
    }
    (*calls)++;
}

static void close_nothing(void *self)
{
    (void)self;
}

static const struct am_executor forgetful = {
    .name = "forgetful", .run = run_but_one, .close = close_nothing};

/* After the last block of the last call one point, far from any seam, is a little too large. */
static void run_and_spoil(void *self, const struct am_blocks *blocks, uint64_t times)
{
    const struct am_distributed *const d = self;
    const size_t at = d->border + d->own / 3 + 5;
    const double x = am_stencil_value(&d->st, at) + 1e-4;
    const float narrow = (float)x;

    (void)times;
    for (size_t i = 0; i < blocks->count; i++)
        blocks->run(blocks->app, i);
    am_stencil_write(&d->st, at, 1,
                     d->st.spec.type == AM_STENCIL_F32 ? (const void *)&narrow : (const void *)&x);
}

static const struct am_executor spoiling = {
    .name = "spoiling", .run = run_and_spoil, .close = close_nothing};

/* Once, neighbours' points stay those of the pass before: the messages arrive, and nobody writes
 * them. */
struct stale {
    struct am_distributed *d;
    unsigned calls;
};

static void run_with_stale(void *self, const struct am_blocks *blocks, uint64_t times)
{
    struct stale *const stale = self;

    (void)times;
    if (stale->calls++ == SKIPPED_AT) {
        am_mpi_ring_wait(&stale->d->ring);
        stale->d->arrived = true;
    }
    for (size_t i = 0; i < blocks->count; i++)
        blocks->run(blocks->app, i);
}

static const struct am_executor forgetting = {
    .name = "forgetting", .run = run_with_stale, .close = close_nothing};

static void use(struct am_distributed *d, const struct am_executor *executor, void *engine)
{
    d->executor->close(d->engine);
    d->executor = executor;
    d->engine = engine;
}

/* The state of the bench begins with its struct am_distributed. */
static void plant(struct am_distributed *d, enum error error, unsigned *calls, struct stale *stale)
{
    if (error == HALO)
        d->alone = true;
    if (error == STEP_SHORT && d->team->rank == 1)
        d->steps--;
    if (error == COEFFICIENT)
        d->st.coefs.centre *= 1.002;
    if (error == BLOCK && d->team->rank == 1)
        use(d, &forgetful, calls);
    if (error == POINT && d->team->rank == 1)
        use(d, &spoiling, d);
    stale->d = d;
    if (error == STALE && d->team->rank == 1)
        use(d, &forgetting, stale);
}

static void check(const struct am_mpi_team *team, const char *words, enum error error)
{
    const struct am_mpi_bench *const bench = &am_mpi_bench_stencil;
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    double residual = 0;
    unsigned calls = 0;
    struct stale stale = {0};
    void *const state = calloc(1, bench->state_size);
    enum am_status prepared, verified = AM_OK;

    bx_point(&bench->descriptor, words, point);
    prepared = bench->prepare(state, team, point, &work, &err);
    if (prepared == AM_OK) {
        plant(state, error, &calls, &stale);
        verified = bench->verify(state, &residual, &err);
        (void)am_mpi_all_well(team, &verified, &err);
    }
    if (team->rank == 0)
        ok(prepared == AM_OK && verified == (error ? AM_E_WRONG : AM_OK), "%s: %s: %s", words,
           names[error], err.text);
    bench->finish(state);
    free(state);
}

/* A lane of fewer points than two passes have borders: copies in its ghosts would be out of date.
 */
static void check_short_lanes(const struct am_mpi_team *team)
{
    static const char words[] = "strong 2 4 paper f64 scalar 0 7 48 60";
    const struct am_mpi_bench *const bench = &am_mpi_bench_stencil;
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    void *const state = calloc(1, bench->state_size);
    enum am_status prepared;

    bx_point(&bench->descriptor, words, point);
    prepared = bench->prepare(state, team, point, &work, &err);
    if (team->rank == 0)
        ok(prepared == AM_E_ABSENT && strstr(err.text, "two passes"), "%s is refused: %s", words,
           err.text);
    bench->finish(state);
    free(state);
}

int main(int argc, char **argv)
{
    static const char *const points[] = {
        "strong 2 2 paper f32 scalar 0 8 48 300007", "strong 2 2 paper f64 scalar 0 8 48 300007",
        "strong 2 2 scaled f64 scalar 0 8 48 300007",
        "weak 2 2 paper f64 scalar 5 7 48 4099", /* all points, bit by bit */
    };
    struct am_clock clock;
    struct am_ctx ctx = {.memory_limit_bytes = UINT64_C(1) << 30, .seed = 12345, .clock = &clock};
    int cpus[CPUS], given = 0;
    struct am_mpi_team team = {
        .comm = MPI_COMM_WORLD, .seed = 12345, .clock = &clock, .cpus = cpus};

    (void)MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &given);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &team.rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &team.size);
    team.local_rank = team.rank;
    team.local_size = team.size;
    team.cpu_count = bx_cpus(cpus, CPUS);
    team.ctx = team.rank == 0 ? &ctx : NULL;
    am_clock_init(&clock);
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        for (int error = 0; error < ERRORS; error++)
            check(&team, points[i], (enum error)error);
    }
    check_short_lanes(&team);
    (void)MPI_Finalize();
    return team.rank == 0 ? tap_done() : 0;
}
