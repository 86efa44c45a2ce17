/* SPDX-License-Identifier: MIT */
/* mpi.stencil: app.stencil in one dimension over ranks and threads, beside what a model without any
 * overlap predicts. */
#include "bench/apps/stencil_check.h"
#include "bench/apps/stencil_dim.h"
#include "bench/mpi/distributed.h"
#include "bench/shared/usable.h"
#include "kernels/flops.h"
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
    DEPTH_TRIED_LEAST = 8,
    DEPTH_TRIED_MOST = 2048,
    TALKS = 50, /* exchanges that a prediction is made of */
    EXACT_POINTS =
        1 << 18, /* up to this many all points are compared with one process's, bit by bit */
};

struct stencil {
    struct am_distributed d;
    size_t n, steps; /* as the point has them */
    double predicted_s, exchange_s;
};

/* ---- the shape ---- */

/* Wide slices of the scaled form add in another order than narrow ones, which the end of a lane
 * needs: there the bits depend on where a block ends. */
static unsigned width_most(const struct am_stencil_spec *spec)
{
    const unsigned most = spec->kernels->width_max;

    return spec->form == AM_STENCIL_scaled && most > AM_STENCIL_ROTATING ? AM_STENCIL_ROTATING
                                                                         : most;
}

/* What the point leaves open, as app.stencil would choose it for the smallest block: the same on
 * every rank. A lane must hold two passes' worth of points. */
static void choose_shape(struct am_stencil_spec *spec, int ranks)
{
    const size_t block = spec->n / (size_t)ranks;
    const size_t lanes = spec->kernels->lanes[spec->type] * spec->parts;
    const size_t most = block / (2 * lanes);
    const bool open = spec->depth == 0;
    struct am_stencil_spec own = *spec;

    own.n = block;
    am_stencil_line_choose(&own);
    spec->width = spec->width || own.width <= width_most(spec) ? own.width : width_most(spec);
    spec->depth = open && own.depth > most ? most : own.depth;
    spec->depth = spec->depth ? spec->depth : 1;
}

/* Threads of a rank take turns in waiting for messages. */
static enum am_status check_threads(size_t threads, struct am_err *err)
{
    int given = MPI_THREAD_SINGLE;

    (void)MPI_Query_thread(&given);
    if (threads == 1 || given >= MPI_THREAD_SERIALIZED)
        return AM_OK;
    return am_fail(err, AM_E_ABSENT, "this MPI library allows no calls from several threads");
}

static enum am_status choose(struct am_distributed_setup *setup, const struct am_mpi_team *team,
                             const struct am_value *point, struct am_err *err)
{
    const char *const isa = point[ISA].name;
    const int64_t n = point[N].i * (point[SCALING].i == WEAK ? team->size : 1);
    struct am_stencil_spec *const spec = &setup->spec;
    const enum am_status s = am_usable_isa(isa, err);

    if (s != AM_OK)
        return s;
    if (point[N].i < 1 || point[STEPS].i < 1 || point[THREADS].i < 1)
        return am_fail(err, AM_E_ABSENT, "n, steps and threads are 1 or more");
    if (point[W].i < 0 || point[W].i > AM_STENCIL_WIDTH_MAX || point[DEPTH].i < 0)
        return am_fail(err, AM_E_ABSENT, "w is 0 to %d, and depth 0 or more", AM_STENCIL_WIDTH_MAX);
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
    choose_shape(spec, team->size);
    if (spec->depth > setup->steps)
        spec->depth = setup->steps;
    return check_threads(setup->threads, err);
}

/* What was chosen, and what a tuner may try in its place. */
static void note_shape(const struct am_ctx *ctx, const struct am_distributed_setup *setup,
                       const struct am_value *point)
{
    const struct am_stencil_spec *const spec = &setup->spec;

    am_ctx_chosen(ctx, "w", "%u", spec->width);
    am_ctx_chosen(ctx, "depth", "%zu", spec->depth);
    if (point[W].i == 0)
        am_ctx_propose(ctx, "w", "1:%u", width_most(spec));
    if (point[DEPTH].i == 0 && setup->steps > DEPTH_TRIED_LEAST)
        am_ctx_propose(ctx, "depth", "%d:%zu:*1.5", DEPTH_TRIED_LEAST,
                       setup->steps < DEPTH_TRIED_MOST ? setup->steps : DEPTH_TRIED_MOST);
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
    w->steps = setup.steps;
    if (team->ctx)
        note_shape(team->ctx, &setup, point);
    work->ops = (double)w->n * (double)setup.steps;
    work->flops = PAPER_FLOPS * work->ops;
    s = am_distributed_open(&w->d, team, &setup, err);
    if (s == AM_OK)
        s = am_distributed_fill(&w->d, err);
    if (!am_mpi_all_well(team, &s, err))
        return s;
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
    const struct stencil *const w = self;

    return am_stencil_value(&w->d.st, w->d.border + (point - w->d.first));
}

/* Where lanes of this rank begin; what lies in the border is another rank's to look at. */
static size_t seam(const void *self, size_t lane)
{
    const struct stencil *const w = self;

    return (w->d.first + w->n - w->d.border + am_stencil_lane_start(&w->d.st, lane)) % w->n;
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

/* Each rank looks at its own points, the first and the last of them always. */
static enum am_status compare(const struct stencil *w, double *residual, struct am_err *err)
{
    const struct am_stencil_spec *const spec = &w->d.st.spec;
    const struct am_stencil_view view = {
        .type = spec->type,
        .n = w->n,
        .steps = w->steps,
        .r = spec->r,
        .tolerance = am_stencil_tolerance(spec->type, w->steps),
        .sharp = am_stencil_is_sharp(spec->form, spec->r),
        .exact = spec->form == AM_STENCIL_paper,
        .fuses = am_flops_find(spec->kernels->isa)->has_fma,
        .kernels = spec->kernels,
        .seed = w->d.team->seed,
        .self = w,
        .value = value,
        .seams = w->d.st.lanes * spec->parts,
        .seam = seam,
        .first = w->d.first,
        .own = w->d.own,
    };

    return am_stencil_compare(&view, residual, err);
}

/* Of a small grid rank 0 gets all points, in forms that have the bits of one process. */
static enum am_status compare_all(const struct stencil *w, struct am_err *err)
{
    const bool first = w->d.team->rank == 0;
    void *const x = first ? calloc(w->n, w->d.st.element_bytes) : NULL;
    enum am_status s = first && !x ? am_fail(err, AM_E_NOMEM, "%zu points", w->n) : AM_OK;

    if (am_mpi_all_well(w->d.team, &s, err))
        s = am_distributed_gather(&w->d, x, err);
    if (first && s == AM_OK)
        s = compare_exactly(w, x, err);
    free(x);
    return s;
}

/* From the start again: what was measured has been through any number of iterations. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct stencil *const w = state;
    const struct am_stencil_spec *const spec = &w->d.st.spec;
    enum am_status s = am_distributed_fill(&w->d, err), all;
    struct am_err another; /* who compares all says what is wrong where it is */

    *residual = 0;
    am_distributed_iterate(&w->d);
    if (s == AM_OK)
        s = compare(w, residual, err);
    all = s;
    if (am_mpi_all_well(w->d.team, &all, &another) && w->n <= EXACT_POINTS &&
        spec->width <= width_most(spec))
        s = compare_all(w, err);
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
    [RANKS] = {.name = "ranks",
               .kind = AM_AXIS_INT,
               .dflt = "1:ranks:*2,ranks",
               .quick = "ranks",
               .help = "MPI processes; inside a job at most as many as it has"},
    [THREADS] = {.name = "threads",
                 .kind = AM_AXIS_INT,
                 .dflt = "1",
                 .help = "of each rank, one per CPU and a sub-domain"},
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
             .dflt = "widest",
             .choices = am_isa_names,
             .ranked = true,
             .why_not = am_isa_why_not,
             .help = "instruction set of the loops"},
    [W] = {.name = "w",
           .kind = AM_AXIS_INT,
           .dflt = "0",
           .tune = "1:28",
           .help = "vectors of a slice; 0: chosen"},
    [DEPTH] = {.name = "depth",
               .kind = AM_AXIS_INT,
               .dflt = "0",
               .tune = "8:2048:*1.5",
               .help = "steps of a pass, and points that each neighbour gets; 0: chosen"},
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
           .key = AM_KEY_CLASS,
           .help = "grid points"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    [FLOPS] = {"flops", "flop/s", AM_HIGHER, AM_RULE_FLOP_RATE,
               "4 operations per point and step, as the paper counts them"},
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
