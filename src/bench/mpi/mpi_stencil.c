/* SPDX-License-Identifier: MIT */
/* mpi.stencil: app.stencil in one dimension over ranks and threads, beside what a model without any
 * overlap predicts. */
#include "bench/apps/stencil_check.h"
#include "bench/mpi/distributed.h"
#include "kernels/isa.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum axis_index { SCALING, RANKS, THREADS, FORM, TYPE, ISA, W, DEPTH, STEPS, N };
enum metric_index { FLOPS, TIME, UPDATES, PREDICTED, EXCHANGE };
enum scaling { STRONG, WEAK };
enum {
    PAPER_FLOPS = 4,
    TALKS = 50, /* exchanges that a prediction is made of */
    EXACT_POINTS =
        1 << 18, /* up to this many all points are compared with one process's, bit by bit */
    GATHER_POINTS = 1 << 27, /* beyond it rank 0 does not look at them */
};

struct stencil {
    struct am_distributed d;
    size_t n;
    double predicted_s, exchange_s;
};

/* ---- the shape ---- */

static enum am_status choose(struct am_distributed_setup *setup, const struct am_mpi_team *team,
                             const struct am_value *point, struct am_err *err)
{
    const char *const isa = point[ISA].name, *const why_not = am_isa_why_not(isa);
    const int64_t n = point[N].i * (point[SCALING].i == WEAK ? team->size : 1);
    struct am_stencil_spec *const spec = &setup->spec;

    if (why_not)
        return am_fail(err, AM_E_ABSENT, "isa %s: %s", isa, why_not);
    if (point[N].i < 1 || point[STEPS].i < 1 || point[THREADS].i < 1 || point[DEPTH].i < 1)
        return am_fail(err, AM_E_ABSENT, "n, steps, threads and depth are 1 or more");
    *setup = (struct am_distributed_setup){.steps = (size_t)point[STEPS].i,
                                           .threads = (size_t)point[THREADS].i};
    *spec = (struct am_stencil_spec){.kernels = am_stencil_find(isa),
                                     .method = AM_STENCIL_BY_SLICE,
                                     .form = (enum am_stencil_form)point[FORM].i,
                                     .type = (enum am_stencil_type)point[TYPE].i,
                                     .n = (size_t)n,
                                     .r = 0.25,
                                     .depth = (size_t)point[DEPTH].i,
                                     .width = (unsigned)point[W].i,
                                     .parts = (size_t)point[THREADS].i};
    if (spec->depth > setup->steps)
        spec->depth = setup->steps;
    return AM_OK;
}

/* ---- a prediction ---- */

static double timed(struct stencil *w, void (*what)(struct am_distributed *d), int times)
{
    const struct am_mpi_team *const team = w->d.team;
    uint64_t begin, mine, longest = 0;

    (void)MPI_Barrier(team->comm);
    begin = team->clock->now_ns(team->clock->self);
    for (int i = 0; i < times; i++)
        what(&w->d);
    mine = team->clock->now_ns(team->clock->self) - begin;
    (void)MPI_Allreduce(&mine, &longest, 1, MPI_UINT64_T, MPI_MAX, team->comm);
    return (double)longest * 1e-9 / times;
}

/* All ranks at their own blocks without a message, and then only messages: one after the other they
 * are the time of a run in which nothing overlaps. */
static void predict(struct stencil *w)
{
    const double passes = ceil((double)w->d.steps / (double)w->d.border);
    double alone;

    w->d.alone = true;
    (void)timed(w, am_distributed_iterate, 1);
    alone = timed(w, am_distributed_iterate, 2);
    w->d.alone = false;
    (void)timed(w, am_distributed_talk, TALKS);
    w->exchange_s = timed(w, am_distributed_talk, TALKS);
    w->predicted_s = alone + passes * w->exchange_s;
}

static enum am_status prepare(void *state, const struct am_mpi_team *team,
                              const struct am_value *point, struct am_work *work,
                              struct am_err *err)
{
    struct stencil *const w = state;
    struct am_distributed_setup setup;
    enum am_status s = choose(&setup, team, point, err);

    if (s != AM_OK)
        return s;
    w->n = setup.spec.n;
    work->ops = (double)w->n * (double)setup.steps;
    work->flops = PAPER_FLOPS * work->ops;
    s = am_distributed_open(&w->d, team, &setup, err);
    if (s == AM_OK)
        s = am_distributed_fill(&w->d, err);
    /* No rank may wait for one that has failed. */
    (void)MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_INT, MPI_MAX, team->comm);
    if (s != AM_OK)
        return *err->text ? s : am_fail(err, s, "another rank cannot");
    predict(w);
    return am_distributed_fill(&w->d, err);
}

static void run(void *state, uint64_t iters, struct am_batch *batch)
{
    struct stencil *const w = state;
    const struct am_clock *const clock = w->d.team->clock;
    uint64_t begin;

    (void)MPI_Barrier(w->d.team->comm);
    begin = clock->now_ns(clock->self);
    for (uint64_t i = 0; i < iters; i++)
        am_distributed_iterate(&w->d);
    batch->elapsed_ns = clock->now_ns(clock->self) - begin;
    batch->values[PREDICTED] = PAPER_FLOPS * (double)w->n * (double)w->d.steps / w->predicted_s;
    batch->values[EXCHANGE] = w->exchange_s;
}

/* ---- verification ---- */

static double value(const void *self, size_t point)
{
    return ((const double *)self)[point];
}

static double value32(const void *self, size_t point)
{
    return (double)((const float *)self)[point];
}

/* The same by one process without borders: every bit must agree. */
static enum am_status compare_exactly(const struct stencil *w, const void *x, struct am_err *err)
{
    struct am_stencil_spec spec = w->d.st.spec;
    const size_t bytes = w->n * w->d.st.element_bytes;
    struct am_memory memory = {0};
    struct am_stencil one;
    char *const start = malloc(bytes);
    size_t needed = 0;
    enum am_status s = start ? AM_OK : am_fail(err, AM_E_NOMEM, "%zu points", w->n);

    spec.n = w->n;
    spec.parts = 1;
    if (s == AM_OK)
        s = am_stencil_bytes(&spec, &needed, err);
    if (s == AM_OK)
        s = am_memory_map(&memory, needed, AM_PAGES_ANY, err);
    if (s == AM_OK)
        s = am_stencil_init(&one, &spec, memory.base, err);
    if (s == AM_OK) {
        am_stencil_start_all(spec.type, start, w->n);
        s = am_stencil_load(&one, start, err);
    }
    if (s == AM_OK) {
        am_stencil_run(&one, w->d.steps);
        am_stencil_store(&one, start);
        if (memcmp(start, x, bytes) != 0)
            s = am_fail(err, AM_E_WRONG, "%zu points over %d ranks are not those of one process",
                        w->n, w->d.team->size);
    }
    am_memory_unmap(&memory);
    free(start);
    return s;
}

static enum am_status compare(const struct stencil *w, const void *x, double *residual,
                              struct am_err *err)
{
    const struct am_stencil_spec *const spec = &w->d.st.spec;
    const struct am_stencil_view view = {
        .type = spec->type,
        .n = w->n,
        .steps = w->d.steps,
        .r = spec->r,
        .tolerance = am_stencil_tolerance(spec->type, w->d.steps),
        .seed = w->d.team->seed,
        .self = x,
        .value = spec->type == AM_STENCIL_F32 ? value32 : value,
    };
    const enum am_status s = am_stencil_compare(&view, residual, err);

    return s == AM_OK && w->n <= EXACT_POINTS ? compare_exactly(w, x, err) : s;
}

/* From the start again: what was measured has been through any number of iterations. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct stencil *const w = state;
    const bool first = w->d.team->rank == 0;
    void *const x = first ? calloc(w->n, w->d.st.element_bytes) : NULL;
    enum am_status s = am_distributed_fill(&w->d, err);

    *residual = 0;
    am_distributed_iterate(&w->d);
    if (w->n <= GATHER_POINTS && s == AM_OK)
        s = am_distributed_gather(&w->d, x, err);
    if (first && s == AM_OK && w->n <= GATHER_POINTS)
        s = compare(w, x, residual, err);
    free(x);
    return s;
}

static void finish(void *state)
{
    struct stencil *const w = state;

    am_distributed_close(&w->d);
}

static const char *const scalings[] = {"strong", "weak", NULL};

static const struct am_axis axes[] = {
    [SCALING] = {.name = "scaling",
                 .kind = AM_AXIS_NAME,
                 .dflt = "all",
                 .quick = "strong",
                 .choices = scalings,
                 .help = "whether n is of the whole grid, or of each rank"},
    [RANKS] = AM_MPI_RANKS_AXIS,
    [THREADS] = {.name = "threads",
                 .kind = AM_AXIS_INT,
                 .dflt = "1",
                 .help = "of each rank, one a CPU and a sub-domain"},
    [FORM] = {.name = "form",
              .kind = AM_AXIS_NAME,
              .dflt = "paper",
              .thorough = "paper,scaled",
              .choices = am_stencil_forms,
              .help = "of the arithmetic, as in app.stencil"},
    [TYPE] = {.name = "type",
              .kind = AM_AXIS_NAME,
              .dflt = "f32",
              .thorough = "all",
              .choices = am_stencil_types,
              .help = "element type"},
    [ISA] = {.name = "isa",
             .kind = AM_AXIS_NAME,
             .dflt = "best",
             .choices = am_isa_names,
             .ranked = true,
             .why_not = am_isa_why_not,
             .help = "instruction set of the loops"},
    [W] = {.name = "w", .kind = AM_AXIS_INT, .dflt = "12", .help = "vectors of a slice"},
    [DEPTH] = {.name = "depth",
               .kind = AM_AXIS_INT,
               .dflt = "120",
               .help = "steps of a pass, and points that each neighbour gets"},
    [STEPS] = {.name = "steps",
               .kind = AM_AXIS_INT,
               .dflt = "480",
               .quick = "240",
               .help = "time steps of one iteration"},
    [N] = {.name = "n",
           .kind = AM_AXIS_INT,
           .dflt = "4M",
           .quick = "1M",
           .thorough = "1M,16M",
           .help = "grid points"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    [FLOPS] = {"flops", "flop/s", AM_HIGHER, AM_RULE_FLOP_RATE,
               "4 operations a point and step, as the paper counts them"},
    [TIME] = {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, "of all steps"},
    [UPDATES] = {"updates", "1/s", AM_HIGHER, AM_RULE_OP_RATE, "points stepped"},
    [PREDICTED] = {"predicted", "flop/s", AM_HIGHER, AM_RULE_OWN,
                   "blocks without messages and messages alone, one after the other"},
    [EXCHANGE] = {"exchange", "s", AM_LOWER, AM_RULE_OWN, "of one pass's messages alone"},
    {.name = NULL},
};

const struct am_mpi_bench am_mpi_bench_stencil = {
    .descriptor = {.name = "mpi.stencil",
                   .summary = "the 1-D heat equation over ranks and threads",
                   .version = 1,
                   .axes = axes,
                   .metrics = metrics,
                   .points_per_launch = 8,
                   .named_only = true},
    .state_size = sizeof(struct stencil),
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .finish = finish,
};
