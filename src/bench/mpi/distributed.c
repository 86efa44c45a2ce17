/* SPDX-License-Identifier: MIT */
/* The 1-D stencil over the ranks of a job. */
#include "bench/mpi/distributed.h"

#include "bench/apps/stencil_check.h"

#include <limits.h>
#include <stdlib.h>

size_t am_distributed_start(size_t n, int rank, int ranks)
{
    return (size_t)((uint64_t)n * (uint64_t)rank / (uint64_t)ranks);
}

static MPI_Datatype type_of(const struct am_distributed *d)
{
    return d->st.spec.type == AM_STENCIL_F32 ? MPI_FLOAT : MPI_DOUBLE;
}

/* ---- a pass ---- */

static void post(struct am_distributed *d)
{
    am_stencil_read(&d->st, d->border, d->border, d->edges[AM_RING_TO_BEFORE]);
    am_stencil_read(&d->st, d->own, d->border, d->edges[AM_RING_TO_AFTER]);
    am_mpi_ring_post(&d->ring, d->team, d->edges, (int)d->border, type_of(d));
}

static void await(struct am_distributed *d)
{
    am_mpi_ring_wait(&d->ring);
    am_stencil_write(&d->st, 0, d->border, d->edges[AM_RING_FROM_BEFORE]);
    am_stencil_write(&d->st, d->own + d->border, d->border, d->edges[AM_RING_FROM_AFTER]);
}

static void exchange_part(void *app, size_t part)
{
    const struct am_distributed *const d = app;

    am_stencil_exchange(&d->st, part, &d->pass);
}

/* The inner parts come first; the first and the last one wait for the neighbours. */
static void advance_part(void *app, size_t block)
{
    struct am_distributed *const d = app;
    const size_t parts = d->st.spec.parts;
    const size_t part = (block + 1) % parts; /* 1, 2, ..., the last, 0 */

    if (!d->alone && (part == 0 || part == parts - 1)) {
        (void)pthread_mutex_lock(&d->lock);
        if (!d->arrived)
            await(d);
        d->arrived = true;
        (void)pthread_mutex_unlock(&d->lock);
    }
    am_stencil_advance(&d->st, part, &d->pass);
}

void am_distributed_iterate(struct am_distributed *d)
{
    const struct am_blocks exchange = {.count = d->st.spec.parts, .app = d, .run = exchange_part};
    const struct am_blocks advance = {.count = d->st.spec.parts, .app = d, .run = advance_part};

    for (size_t left = d->steps; left > 0; left -= d->pass.steps) {
        d->pass = am_stencil_next(&d->st, &d->st.phase, left);
        d->arrived = false;
        if (!d->alone)
            post(d);
        d->executor->run(d->engine, &exchange, 1);
        d->executor->run(d->engine, &advance, 1);
        am_stencil_passed(&d->st, &d->st.phase, &d->pass);
    }
}

void am_distributed_talk(struct am_distributed *d)
{
    post(d);
    await(d);
}

/* ---- opening ---- */

static enum am_status open_executor(struct am_distributed *d, size_t threads, struct am_err *err)
{
    const struct am_mpi_team *const team = d->team;
    int cpus[AM_DISTRIBUTED_THREADS_MAX];
    struct am_executor_setup setup = {.threads = threads, .cpus = cpus, .cpu_count = threads};

    if (threads < 1 || threads > AM_DISTRIBUTED_THREADS_MAX)
        return am_fail(err, AM_E_ABSENT, "%zu threads per rank, at most %d", threads,
                       AM_DISTRIBUTED_THREADS_MAX);
    for (size_t i = 0; i < threads; i++)
        cpus[i] = team->cpus[((size_t)team->local_rank * threads + i) % team->cpu_count];
    d->executor = threads == 1 ? &am_executor_serial : &am_executor_task_dbf;
    return d->executor->open(d->executor, &setup, &d->engine, err);
}

/* Copies of border points must not lie in ghosts of other lanes: they would be out of date. */
static enum am_status check_lanes(const struct am_distributed *d, struct am_err *err)
{
    const size_t lanes = d->st.lanes * d->st.spec.parts;
    const size_t shortest = d->st.spec.n / lanes;

    if (shortest >= 2 * d->border)
        return AM_OK;
    return am_fail(err, AM_E_ABSENT,
                   "%zu points in %zu lanes are too few for passes of %zu steps: a lane needs two "
                   "passes' worth",
                   d->st.spec.n, lanes, d->border);
}

static enum am_status open_edges(struct am_distributed *d, struct am_err *err)
{
    for (int i = 0; i < AM_RING_ENDS; i++) {
        d->edges[i] = calloc(d->border, d->st.element_bytes);
        if (!d->edges[i])
            return am_fail(err, AM_E_NOMEM, "edges of %zu points", d->border);
    }
    return AM_OK;
}

enum am_status am_distributed_open(struct am_distributed *d, const struct am_mpi_team *team,
                                   const struct am_distributed_setup *setup, struct am_err *err)
{
    struct am_stencil_spec spec = setup->spec;
    const size_t n = spec.n;
    size_t bytes = 0;
    enum am_status s;

    *d = (struct am_distributed){.team = team, .steps = setup->steps, .border = spec.depth};
    (void)pthread_mutex_init(&d->lock, NULL);
    d->first = am_distributed_start(n, team->rank, team->size);
    d->own = am_distributed_start(n, team->rank + 1, team->size) - d->first;
    if (d->border > INT_MAX || d->own < d->border)
        return am_fail(err, AM_E_ABSENT, "%zu points per rank are fewer than a pass of %zu steps",
                       d->own, d->border);
    spec.n = d->own + 2 * d->border;
    s = am_stencil_bytes(&spec, &bytes, err);
    if (s == AM_OK && team->ctx)
        s = am_memory_allowed(2 * bytes * (size_t)team->local_size, team->ctx->memory_limit_bytes,
                              err);
    if (s == AM_OK)
        s = am_memory_map(&d->memory, bytes, AM_PAGES_ANY, err);
    if (s == AM_OK)
        s = am_stencil_init(&d->st, &spec, d->memory.base, err);
    if (s == AM_OK)
        s = check_lanes(d, err);
    if (s == AM_OK)
        s = open_edges(d, err);
    return s == AM_OK ? open_executor(d, setup->threads, err) : s;
}

void am_distributed_close(struct am_distributed *d)
{
    if (d->engine)
        d->executor->close(d->engine);
    for (int i = 0; i < AM_RING_ENDS; i++)
        free(d->edges[i]);
    am_memory_unmap(&d->memory);
    if (d->team)
        (void)pthread_mutex_destroy(&d->lock);
}

/* ---- in and out ---- */

enum am_status am_distributed_fill(struct am_distributed *d, struct am_err *err)
{
    const struct am_stencil_spec *const spec = &d->st.spec;
    float *const f32 = calloc(spec->n, d->st.element_bytes);
    double *const f64 = (void *)f32;
    enum am_status s;

    if (!f32)
        return am_fail(err, AM_E_NOMEM, "%zu points", spec->n);
    for (size_t i = d->border; i < d->border + d->own; i++) {
        const double x = am_stencil_start(d->first + i - d->border);

        if (spec->type == AM_STENCIL_F32)
            f32[i] = (float)x;
        else
            f64[i] = x;
    }
    s = am_stencil_load(&d->st, f32, err);
    free(f32);
    return s;
}

enum am_status am_distributed_gather(const struct am_distributed *d, void *x, struct am_err *err)
{
    const int ranks = d->team->size;
    char *const mine = calloc(d->own, d->st.element_bytes);
    int *const counts = calloc((size_t)ranks, 2 * sizeof(*counts)), *const starts = counts + ranks;
    uint64_t all = d->first + d->own; /* on the last rank */

    if (!mine || !counts) {
        free(mine);
        free(counts);
        return am_fail(err, AM_E_NOMEM, "%zu points", d->own);
    }
    (void)MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_UINT64_T, MPI_MAX, d->team->comm);
    for (int rank = 0; rank < ranks; rank++) {
        starts[rank] = (int)am_distributed_start(all, rank, ranks);
        counts[rank] = (int)am_distributed_start(all, rank + 1, ranks) - starts[rank];
    }
    am_stencil_read(&d->st, d->border, d->own, mine);
    (void)MPI_Gatherv(mine, (int)d->own, type_of(d), x, counts, starts, type_of(d), 0,
                      d->team->comm);
    free(mine);
    free(counts);
    return AM_OK;
}
