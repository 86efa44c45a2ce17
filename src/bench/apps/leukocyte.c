/* SPDX-License-Identifier: MIT */
/* app.leukocyte: white blood cells tracked from frame to frame, on two levels of threads. A block
 * is a cell, and inside of it a band of the rows of its field. `flt` cells are under way at a time,
 * each by `slt` threads: teams inside of a team where the executor nests, one pool of threads
 * elsewhere. */
#include "bench/apps/leukocyte.h"

#include "bench/apps/near/leukocyte_near.h"
#include "bench/shared/usable.h"

#include <math.h>
#include <string.h>

static const struct am_metric metrics[] = {
    [AM_LEUKO_TIME] = {"time_per_frame", "s", AM_LOWER, AM_RULE_TIME_PER_OP,
                       "all cells into one frame: edge maps, fields, contours; on devices also "
                       "the frame's way there and the places' way back"},
    [AM_LEUKO_RATE] = {"frames_per_s", "1/s", AM_HIGHER, AM_RULE_OP_RATE, "frames"},
    [AM_LEUKO_ITERATIONS] = {"iterations", "", AM_LOWER, AM_RULE_OWN,
                             "steps of a field until it rests, mean of cells and frames"},
    [AM_LEUKO_UPDATES] = {"updates_per_s", "1/s", AM_HIGHER, AM_RULE_OWN,
                          "pixels times steps of all fields"},
    [AM_LEUKO_UPDATE_TIME] = {"time_per_update", "s", AM_LOWER, AM_RULE_OWN,
                              "of one pixel's step, everything else of a frame included"},
    [AM_LEUKO_BOUND_SHARE] = {"bound_share", "", AM_HIGHER, AM_RULE_OWN,
                              "time that the cores' units or caches need at least for the steps "
                              "in the form lanes, of the time taken; not on devices"},
    [AM_LEUKO_KERNEL_TIME] = {"kernel_time", "s", AM_LOWER, AM_RULE_OWN,
                              "of a frame on a device, without transfers; devices only"},
    [AM_LEUKO_TRANSFER_TIME] = {"transfer_time", "s", AM_LOWER, AM_RULE_OWN,
                                "of a frame and of the places found in it; devices only"},
    {.name = NULL},
};

/* ---- what a point asks for ---- */

double am_leuko_tolerance(const struct am_value *point)
{
    static const double limits[AM_MGVF_TYPES] = {[AM_MGVF_F32] = 0.05, [AM_MGVF_F64] = 1e-6};

    return limits[point[AM_LEUKO_TYPE].i];
}

enum am_status am_leuko_open_scene(struct am_scene *scene, const struct am_ctx *ctx,
                                   const struct am_value *point, struct am_err *err)
{
    const int64_t cells = point[AM_LEUKO_CELLS].i, frames = point[AM_LEUKO_FRAMES].i;
    const char *const variant = point[AM_LEUKO_VARIANT].name;
    const bool steps = strcmp(variant, "minmax") == 0 || strcmp(variant, "lanes") == 0;
    const struct am_scene_setup setup = {
        .video = point[AM_LEUKO_VIDEO].name,
        .cells = (size_t)cells,
        .frames = (size_t)frames,
        .heaviside = steps ? AM_MGVF_MINMAX : AM_MGVF_ATAN,
        .bytes_max = ctx->memory_limit_bytes,
    };

    if (cells < 0 || frames < 1)
        return am_fail(err, AM_E_ABSENT, "%lld cells in %lld frames", (long long)cells,
                       (long long)frames);
    return am_scene_open(scene, &setup, err);
}

/* Before anything is made: most of the paper's grid is beyond most machines. */
static enum am_status check_levels(const struct am_value *point, struct am_err *err)
{
    const int64_t threads = point[AM_LEUKO_COMMON + AM_APPS_THREADS].i;
    const int64_t flt = point[AM_LEUKO_FLT].i, slt = point[AM_LEUKO_SLT].i;

    if (flt < 0 || slt < 0)
        return am_fail(err, AM_E_ABSENT, "flt %lld and slt %lld: 0 or more", (long long)flt,
                       (long long)slt);
    if (flt > threads / (slt > 0 ? slt : 1) || slt > threads)
        return am_fail(err, AM_E_ABSENT, "flt %lld times slt %lld is more than %lld threads",
                       (long long)flt, (long long)slt, (long long)threads);
    return AM_OK;
}

/* As many cells at a time as there are threads; those left over go to the rows. */
static enum am_status choose_levels(struct am_leuko_state *w, const struct am_value *point,
                                    struct am_err *err)
{
    const int64_t threads = point[AM_LEUKO_COMMON + AM_APPS_THREADS].i;
    const int64_t cells = (int64_t)w->scene.cells;
    int64_t flt = point[AM_LEUKO_FLT].i, slt = point[AM_LEUKO_SLT].i;

    if (flt == 0)
        flt = threads / (slt > 0 ? slt : 1) < cells ? threads / (slt > 0 ? slt : 1) : cells;
    if (slt == 0 && flt > 0)
        slt = threads / flt < AM_WINDOW_ROWS_MAX ? threads / flt : AM_WINDOW_ROWS_MAX;
    if (flt < 1 || slt < 1 || flt > cells || slt > AM_WINDOW_ROWS_MAX)
        return am_fail(err, AM_E_ABSENT, "%lld x %lld threads for %lld cells of %d rows",
                       (long long)flt, (long long)slt, (long long)cells, AM_WINDOW_ROWS_MAX);
    w->flt = (size_t)flt;
    w->slt = (size_t)slt;
    return AM_OK;
}

static void choose_loop(struct am_leuko_state *w, const struct am_value *point)
{
    const enum am_mgvf_form form = (enum am_mgvf_form)point[AM_LEUKO_VARIANT].i;
    const enum am_mgvf_type type = (enum am_mgvf_type)point[AM_LEUKO_TYPE].i;

    w->loop = am_mgvf_loop_of(point[AM_LEUKO_ISA].name, form, type);
    if (form == AM_MGVF_BY_LANES && w->flt * w->slt == 1)
        w->lanes = am_mgvf_find(point[AM_LEUKO_ISA].name);
}

/* Bands of rows wait for each other after every step. */
static void choose_pass(struct am_leuko_state *w, const struct am_ctx *ctx)
{
    w->pass = (struct am_leuko_pass){.steps = 1};
    if (!w->loop.pack || w->slt > 1)
        return;
    am_leuko_pass_measure(&w->loop, ctx->clock, &w->pass);
    if (w->pass.one > 0)
        am_ctx_note(ctx, "pass",
                    "%zu steps of a field in a pass over its rows: %.3f of the time of single ones",
                    w->pass.steps, w->pass.best / w->pass.one);
}

/* ---- two levels ---- */

/* Takes cells until none is left. Which cell is whose makes no difference to it. */
static void drive(void *app, size_t driver)
{
    struct am_leuko_state *const w = app;

    (void)driver;
    for (;;) {
        const size_t cell = atomic_fetch_add_explicit(&w->next, 1, memory_order_relaxed);

        if (cell >= w->tracking.count)
            return;
        w->tracking.run(w->tracking.app, cell);
    }
}

/* Teams that nest: one of flt, and each of its threads has one of slt. A pool: all threads, of
 * which as many drivers as cells may be under way give the others bands of rows. */
static enum am_status open_levels(struct am_leuko_state *w, const struct am_ctx *ctx,
                                  const struct am_value *point, struct am_err *err)
{
    const struct am_executor *const executor = am_apps_executor(ctx, point);
    const bool nests = executor && executor->nests;
    enum am_status s =
        am_apps_open_team(&w->cells, ctx, point, nests ? w->flt : w->flt * w->slt, 0, err);

    if (s == AM_OK && nests && w->slt > 1)
        s = am_apps_open_team(&w->rows, ctx, point, w->slt, w->flt, err);
    if (s != AM_OK)
        return s;
    w->bands = (struct am_mgvf_bands){.executor = w->cells.executor,
                                      .self = w->rows.self ? w->rows.self : w->cells.self,
                                      .count = w->slt};
    am_ctx_chosen(ctx, "flt", "%zu", w->flt);
    am_ctx_chosen(ctx, "slt", "%zu", w->slt);
    return AM_OK;
}

static enum am_status make_tracker(struct am_leuko_state *w, struct am_err *err)
{
    struct am_track_setup setup = am_track_defaults;
    enum am_status s;

    setup.mgvf.loop = &w->loop;
    setup.mgvf.together = w->pass.steps;
    setup.bands = w->slt > 1 ? &w->bands : NULL;
    s = am_tracker_new(&setup, w->scene.width, w->scene.height, w->scene.start, w->scene.cells,
                       &w->tracker, err);
    if (s != AM_OK)
        return s;
    am_tracker_blocks(w->tracker, &w->tracking);
    w->running = w->tracking;
    if (w->slt > 1 && !w->rows.self)
        w->running = (struct am_blocks){.count = w->flt, .app = w, .run = drive};
    return w->cells.executor->prepare(w->cells.self, &w->running, err);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct am_leuko_state *const w = state;
    enum am_status s = am_usable_isa(point[AM_LEUKO_ISA].name, err);

    if (s == AM_OK)
        s = check_levels(point, err);
    if (s == AM_OK)
        s = am_leuko_open_scene(&w->scene, ctx, point, err);
    if (s == AM_OK)
        s = choose_levels(w, point, err);
    if (s == AM_OK)
        s = open_levels(w, ctx, point, err);
    if (s != AM_OK)
        return s;
    choose_loop(w, point);
    w->clock = ctx->clock;
    w->told.ctx = ctx;
    w->tolerance = am_leuko_tolerance(point);
    choose_pass(w, ctx);
    s = make_tracker(w, err);
    if (s == AM_OK)
        s = am_leuko_bound_measure(point[AM_LEUKO_ISA].name, w->loop.type,
                                   (size_t)AM_WINDOW_ROWS_MAX * AM_WINDOW_COLUMNS_MAX, w->clock,
                                   &w->bound, err);
    am_ctx_note(ctx, "bound", "%.3f cycles per update by units, with %s; %.3f by the cache",
                w->bound.units, am_leuko_bound_extremes(&w->bound), w->bound.cache);
    work->ops = (double)w->scene.frames;
    return s;
}

/* ---- running ---- */

/* Of frame t, beside where the cells were found. */
static void count(const struct am_tracker *tracker, size_t t, struct am_scene *scene,
                  struct am_leuko_counts *counts)
{
    size_t n;
    const struct am_leuko_cell *const cells = am_tracker_cells(tracker, &n);

    for (size_t i = 0; i < n; i++) {
        scene->found[t * n + i] = cells[i].snake.centre;
        counts->updates += (double)cells[i].updates;
        counts->iterations += (double)cells[i].mgvf_iterations;
    }
    counts->followed += (double)n;
}

static void track_all(struct am_leuko_state *w)
{
    w->counts = (struct am_leuko_counts){0};
    am_tracker_restart(w->tracker);
    for (size_t t = 1; t <= w->scene.frames; t++) {
        am_tracker_show(w->tracker, am_scene_frame(&w->scene, t));
        atomic_store_explicit(&w->next, 0, memory_order_relaxed);
        w->cells.executor->run(w->cells.self, &w->running, 1);
        count(w->tracker, t, &w->scene, &w->counts);
    }
}

void am_leuko_values(const struct am_leuko_counts *counts, uint64_t iters, double seconds,
                     struct am_batch *batch)
{
    const double updates = counts->updates * (double)iters;

    batch->values[AM_LEUKO_ITERATIONS] = counts->iterations / counts->followed;
    batch->values[AM_LEUKO_UPDATES] = seconds > 0 ? updates / seconds : 0;
    batch->values[AM_LEUKO_UPDATE_TIME] = seconds / updates;
    batch->values[AM_LEUKO_BOUND_SHARE] = NAN;
    batch->values[AM_LEUKO_KERNEL_TIME] = NAN;
    batch->values[AM_LEUKO_TRANSFER_TIME] = NAN;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct am_leuko_state *const w = state;
    const double before = am_clock_core_hz(w->clock);
    const uint64_t begin = w->clock->now_ns(w->clock->self);
    double seconds, cycles;

    (void)err;
    for (uint64_t i = 0; i < iters; i++)
        track_all(w);
    batch->elapsed_ns = w->clock->now_ns(w->clock->self) - begin;
    seconds = (double)batch->elapsed_ns * 1e-9;
    cycles = seconds * (double)(w->flt * w->slt) * (before + am_clock_core_hz(w->clock)) / 2;
    am_leuko_values(&w->counts, iters, seconds, batch);
    batch->values[AM_LEUKO_BOUND_SHARE] =
        cycles > 0 ? (double)iters * w->counts.updates * am_leuko_bound_cycles(&w->bound) / cycles
                   : NAN;
    return AM_OK;
}

/* How often the solver's loop runs is known once cells were tracked: with the tracks, before any
 * batch. Windows are as wide as they come but for those at the border of a frame. */
static void keep_code(struct am_leuko_state *w)
{
    const double columns = AM_WINDOW_COLUMNS_MAX, lanes = (double)w->loop.lanes;
    const double vectors = ceil((columns - 1) / lanes) + 1; /* of a row */

    if (!w->lanes || w->told.said)
        return;
    am_ctx_hot_loop(w->told.ctx, (uintptr_t)w->lanes->hot[w->loop.type],
                    w->counts.updates / columns * vectors / (double)(AM_MGVF_TURN * w->loop.block));
    am_leuko_parts_tell(w);
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct am_leuko_state *const w = state;
    enum am_status s;

    *residual = 0;
    if (!(w->counts.updates > 0))
        return am_fail(err, AM_E_WRONG, "wrong: no cell was tracked");
    s = am_scene_check(&w->scene, w->tolerance, residual, err);
    if (s != AM_OK)
        return s;
    keep_code(w);
    am_leuko_tracks_attach(&w->told, &w->scene);
    return AM_OK;
}

static void finish(void *state)
{
    struct am_leuko_state *const w = state;

    am_tracker_free(w->tracker);
    am_apps_close(&w->rows);
    am_apps_close(&w->cells);
    am_scene_close(&w->scene);
}

static const struct am_axis axes[] = {
    [AM_LEUKO_VARIANT] =
        {.name = "variant",
         .kind = AM_AXIS_NAME,
         .dflt = "atan,minmax,lanes",
         .quick = "lanes",
         .thorough = "all",
         .choices = am_mgvf_forms,
         .help = "naive: row pointers and the C library's atan; atan: vectors, own arc; minmax: "
                 "vectors, no arc at all; lanes: the same with lanes far apart, several rows in "
                 "registers, both kinds of units busy"},
    [AM_LEUKO_TYPE] = {.name = "type",
                       .kind = AM_AXIS_NAME,
                       .dflt = "all",
                       .quick = "f64",
                       .choices = am_mgvf_types,
                       .help = "element type of the field"},
    [AM_LEUKO_ISA] = {.name = "isa", .thorough = "usable"},
    [AM_LEUKO_EXECUTOR] = {.name = "executor",
                           .thorough = "usable",
                           .help = "who runs cells and rows: serial, OpenMP, our task policies"},
    [AM_LEUKO_DEVICE] = {.name = "device"},
    [AM_LEUKO_FLT] = {.name = "flt",
                      .kind = AM_AXIS_INT,
                      .dflt = "0",
                      .tune = "1,2,3,4,6,9,12,18,36",
                      .help = "first-level threads: cells at a time; 0: as many as the threads "
                              "allow"},
    [AM_LEUKO_SLT] = {.name = "slt",
                      .kind = AM_AXIS_INT,
                      .dflt = "0",
                      .tune = "1:16",
                      .help = "second-level threads: bands of a cell's rows; 0: what the first "
                              "level leaves over. On devices strips of rows per work-group; 0: 8, "
                              "and no group at all on processors"},
    [AM_LEUKO_VIDEO] = {.name = "video",
                        .kind = AM_AXIS_NAME,
                        .dflt = AM_SCENE_SYNTHETIC,
                        .help = "synthetic, or a file that `archmeter track` reads"},
    [AM_LEUKO_CELLS] = {.name = "cells",
                        .kind = AM_AXIS_INT,
                        .dflt = "36",
                        .key = AM_KEY_CLASS,
                        .help = "cells to track; 0: all that are found"},
    [AM_LEUKO_FRAMES] = {.name = "frames",
                         .kind = AM_AXIS_INT,
                         .dflt = "2",
                         .quick = "1",
                         .key = AM_KEY_FREE,
                         .help = "frames of one iteration"},
    {.name = NULL},
};

static const char *const usual[] = {"serial", "task:dbf", "omp-for", NULL};
static const char *const quick[] = {"serial", NULL};

const struct am_app am_app_leukocyte = {
    .bench = {.name = "app.leukocyte",
              .summary = "white blood cells tracked through a video",
              .axes = axes,
              .version = 1,
              .metrics = metrics,
              .points_per_launch = 2,
              .state_size = sizeof(struct am_leuko_state),
              .prepare = prepare,
              .run_timed = run_timed,
              .verify = verify,
              .finish = finish},
    .usual = usual,
    .quick = quick,
};
