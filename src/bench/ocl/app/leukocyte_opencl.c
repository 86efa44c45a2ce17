/* SPDX-License-Identifier: MIT */
/* app.leukocyte on OpenCL devices: a work-group per cell, from the frame to the contour. */
#include "base/text.h"
#include "bench/apps/leukocyte.h"
#include "bench/ocl/host/program.h"
#include "bench/ocl/host/timing.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPTIONS_MAX = 192,
    LANES = 96, /* columns of work-items, as in leukocyte.cl */
    CONTOUR_GROUP = 32,
    GPU_STRIPS = 8,   /* 768 work-items per cell: there are fewer cells than compute units */
    CPU_STRIPS = 0,   /* one work-item per cell, in vectors */
    CELL_BYTES = 512, /* more than a struct cell of leukocyte.cl, either type */
    PIXELS = AM_WINDOW_ROWS_MAX * AM_WINDOW_COLUMNS_MAX,
    FOUND = 4, /* numbers told of a cell: x, y, steps, pixels */
    COMMANDS = 4,
};
_Static_assert(LANES >= (int)AM_WINDOW_COLUMNS_MAX, "a work-item per column");

enum kernel { START, FIELD, CONTOUR, KERNELS };
enum buffer { FRAME, CELLS, FIELDS, PLACES, ANSWER, BUFFERS };

struct tracking {
    struct am_ocl_device device;
    struct am_ocl_program program;
    cl_kernel kernel[KERNELS];
    cl_mem buffer[BUFFERS];
    struct am_scene scene;
    struct am_leuko_counts counts; /* of the latest iteration */
    struct am_leuko_tracks told;
    bool is_double;
    size_t strips;
    void *answer; /* FOUND numbers per cell, of the latest frame */
    uint64_t kernel_ns, transfer_ns;
    double tolerance;
};

static size_t real_bytes(const struct tracking *w)
{
    return w->is_double ? sizeof(double) : sizeof(float);
}

static double answer(const struct tracking *w, size_t cell, size_t k)
{
    const size_t at = FOUND * cell + k;

    return w->is_double ? ((const double *)w->answer)[at] : (double)((const float *)w->answer)[at];
}

static void put(const struct tracking *w, void *to, size_t at, double x)
{
    if (w->is_double)
        ((double *)to)[at] = x;
    else
        ((float *)to)[at] = (float)x;
}

/* ---- building ---- */

/* As many as are asked for; else the device's kind says how many, and its groups the most. */
static enum am_status choose_strips(struct tracking *w, int64_t asked, struct am_err *err)
{
    const size_t most = w->device.group_max / LANES;

    if (asked < 0 || asked > AM_WINDOW_ROWS_MAX || (asked > 0 && (size_t)asked > most))
        return am_fail(err, AM_E_ABSENT, "%lld strips of %d work-items: groups have %zu at most",
                       (long long)asked, LANES, w->device.group_max);
    w->strips = w->device.is_cpu ? CPU_STRIPS : GPU_STRIPS;
    if (asked > 0)
        w->strips = (size_t)asked;
    else if (w->strips > most)
        w->strips = most;
    if (w->strips < 1 && !w->device.is_cpu)
        return am_fail(err, AM_E_ABSENT, "groups of %zu work-items: %d are needed",
                       w->device.group_max, LANES);
    return AM_OK;
}

static enum am_status build(struct tracking *w, const struct am_value *point, struct am_err *err)
{
    static const char *const names[KERNELS] = {
        [START] = "am_leuko_start", [FIELD] = "am_leuko_field", [CONTOUR] = "am_leuko_contour"};
    const bool arcs = strcmp(point[AM_LEUKO_VARIANT].name, "atan") == 0;
    char options[OPTIONS_MAX];
    enum am_status s;

    if (w->is_double && !w->device.has_double)
        return am_fail(err, AM_E_ABSENT, "the device has no arithmetic in double precision");
    s = choose_strips(w, point[AM_LEUKO_SLT].i, err);
    if (s != AM_OK)
        return s;
    (void)am_str_format(options, sizeof(options),
                        "-DREAL=%s%s -DWIDTH=%d -DSTRIPS=%zu -DREACH_X=%d -DREACH_Y=%d -DPOINTS=%d "
                        "-DHISTORY=%d",
                        w->is_double ? "double -DFP64" : "float", arcs ? " -DATAN" : "",
                        w->is_double ? 8 : 16, w->strips, AM_WINDOW_REACH_X, AM_WINDOW_REACH_Y,
                        AM_SNAKE_POINTS, AM_TRACK_HISTORY);
    s = am_ocl_program_build(&w->program, &w->device, "leukocyte", options, err);
    am_ctx_note(w->device.ctx, "options", "%s", options);
    for (size_t k = 0; k < KERNELS && s == AM_OK; k++)
        s = am_ocl_program_kernel(&w->program, names[k], &w->kernel[k], err);
    return s;
}

static enum am_status make_buffers(struct tracking *w, struct am_err *err)
{
    const size_t cells = w->scene.cells;
    const size_t bytes[BUFFERS] = {
        [FRAME] = w->scene.width * w->scene.height, [CELLS] = cells * CELL_BYTES,
        [FIELDS] = cells * PIXELS * real_bytes(w),  [PLACES] = cells * 2 * real_bytes(w),
        [ANSWER] = cells * FOUND * real_bytes(w),
    };
    void *const places = malloc(bytes[PLACES]);
    enum am_status s = AM_OK;

    w->answer = calloc(cells, FOUND * real_bytes(w));
    if (!places || !w->answer)
        s = am_fail(err, AM_E_NOMEM, "no memory for %zu cells", cells);
    for (size_t k = 0; k < BUFFERS && s == AM_OK; k++)
        s = am_ocl_device_buffer(&w->device, CL_MEM_READ_WRITE, bytes[k], NULL, &w->buffer[k], err);
    for (size_t i = 0; i < cells && s == AM_OK; i++) {
        put(w, places, 2 * i, w->scene.start[i].x);
        put(w, places, 2 * i + 1, w->scene.start[i].y);
    }
    if (s == AM_OK)
        s = am_ocl_device_write(&w->device, w->buffer[PLACES], 0, bytes[PLACES], places, err);
    free(places);
    return s;
}

/* A number of the kernels' type. */
struct real {
    union {
        float f32;
        double f64;
    } x;
};

static struct am_ocl_arg real_arg(const struct tracking *w, struct real *r, double x)
{
    if (w->is_double)
        r->x.f64 = x;
    else
        r->x.f32 = (float)x;
    return (struct am_ocl_arg){real_bytes(w), r};
}

static enum am_status set_arguments(struct tracking *w, struct am_err *err)
{
    const struct am_mgvf_setup *const mgvf = &am_track_defaults.mgvf;
    const struct am_snake_setup *const snake = &am_track_defaults.snake;
    const cl_int width = (cl_int)w->scene.width, height = (cl_int)w->scene.height;
    const cl_int steps = (cl_int)mgvf->limit, moves = (cl_int)snake->limit;
    struct real r[5];
    const struct am_ocl_arg start[] = {AM_OCL_ARG(w->buffer[PLACES]), AM_OCL_ARG(w->buffer[CELLS])};
    const struct am_ocl_arg field[] = {AM_OCL_ARG(w->buffer[FRAME]),
                                       AM_OCL_ARG(width),
                                       AM_OCL_ARG(height),
                                       AM_OCL_ARG(w->buffer[CELLS]),
                                       AM_OCL_ARG(w->buffer[FIELDS]),
                                       real_arg(w, &r[0], mgvf->mu / mgvf->lambda),
                                       real_arg(w, &r[1], 1 / mgvf->lambda),
                                       real_arg(w, &r[2], 1 / mgvf->epsilon),
                                       real_arg(w, &r[3], mgvf->stop),
                                       AM_OCL_ARG(steps)};
    const struct am_ocl_arg contour[] = {
        AM_OCL_ARG(w->buffer[CELLS]), AM_OCL_ARG(w->buffer[FIELDS]),
        real_arg(w, &r[4], snake->stop), AM_OCL_ARG(moves), AM_OCL_ARG(w->buffer[ANSWER])};
    enum am_status s = am_ocl_program_args(w->kernel[START], start, 2, err);

    if (s == AM_OK)
        s = am_ocl_program_args(w->kernel[FIELD], field, sizeof(field) / sizeof(field[0]), err);
    if (s == AM_OK)
        s = am_ocl_program_args(w->kernel[CONTOUR], contour, sizeof(contour) / sizeof(contour[0]),
                                err);
    return s;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct tracking *const w = state;
    enum am_status s;

    if (point[AM_LEUKO_FLT].i)
        return am_fail(err, AM_E_ABSENT, "devices take all cells at a time: flt is 0");
    w->told.ctx = ctx;
    w->is_double = point[AM_LEUKO_TYPE].i == AM_MGVF_F64;
    w->tolerance = am_leuko_tolerance(point);
    s = am_ocl_device_open(&w->device, ctx, point[AM_LEUKO_DEVICE].name, err);
    if (s == AM_OK)
        s = build(w, point, err);
    am_ctx_propose(ctx, "flt", "0"); /* nothing to try */
    if (s == AM_OK && w->strips)
        am_ctx_chosen(ctx, "slt", "%zu", w->strips);
    if (s == AM_OK)
        s = am_leuko_open_scene(&w->scene, ctx, point, err);
    if (s == AM_OK)
        s = make_buffers(w, err);
    if (s == AM_OK)
        s = set_arguments(w, err);
    work->ops = (double)w->scene.frames;
    return s;
}

/* ---- running ---- */

/* A group of columns x rows work-items per cell. */
static enum am_status launch(struct tracking *w, enum kernel kernel, size_t columns, size_t rows,
                             cl_event *event, struct am_err *err)
{
    const size_t group[] = {columns, rows}, items[] = {w->scene.cells * columns, rows};
    const cl_int code = clEnqueueNDRangeKernel(w->device.queue, w->kernel[kernel], 2, NULL, items,
                                               group, 0, NULL, event);

    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clEnqueueNDRangeKernel");
}

/* Waits, adds the command's own time and releases it. */
static enum am_status take(cl_event event, uint64_t *ns, struct am_err *err)
{
    struct am_ocl_stamps stamps;
    const enum am_status s = am_ocl_timing_stamps(event, &stamps, err);

    (void)clReleaseEvent(event);
    if (s == AM_OK)
        *ns += stamps.end_ns - stamps.start_ns;
    return s;
}

/* The frame there, the cells moved, their places back: known before the next frame is begun. */
static enum am_status enqueue_frame(struct tracking *w, size_t t, cl_event *events, size_t *n,
                                    struct am_err *err)
{
    const size_t bytes = w->scene.width * w->scene.height;
    const size_t told = w->scene.cells * FOUND * real_bytes(w);
    cl_int code = clEnqueueWriteBuffer(w->device.queue, w->buffer[FRAME], CL_FALSE, 0, bytes,
                                       am_scene_frame(&w->scene, t), 0, NULL, &events[0]);
    enum am_status s;

    if (code != CL_SUCCESS)
        return am_ocl_fail(err, code, "clEnqueueWriteBuffer");
    *n = 1;
    s = launch(w, FIELD, w->strips ? LANES : 1, w->strips ? w->strips : 1, &events[1], err);
    if (s != AM_OK)
        return s;
    *n = 2;
    s = launch(w, CONTOUR, CONTOUR_GROUP, 1, &events[2], err);
    if (s != AM_OK)
        return s;
    *n = 3;
    code = clEnqueueReadBuffer(w->device.queue, w->buffer[ANSWER], CL_TRUE, 0, told, w->answer, 0,
                               NULL, &events[3]);
    if (code != CL_SUCCESS)
        return am_ocl_fail(err, code, "clEnqueueReadBuffer");
    *n = COMMANDS;
    return AM_OK;
}

static enum am_status track_frame(struct tracking *w, size_t t, struct am_err *err)
{
    uint64_t *const to[COMMANDS] = {&w->transfer_ns, &w->kernel_ns, &w->kernel_ns, &w->transfer_ns};
    cl_event events[COMMANDS];
    size_t n = 0;
    enum am_status s = enqueue_frame(w, t, events, &n, err);

    for (size_t k = 0; k < n; k++) {
        const enum am_status told = take(events[k], to[k], s == AM_OK ? err : NULL);

        s = s == AM_OK ? told : s;
    }
    return s;
}

static enum am_status track_all(struct tracking *w, struct am_err *err)
{
    const size_t cells = w->scene.cells;
    enum am_status s = launch(w, START, 1, 1, NULL, err);

    w->counts = (struct am_leuko_counts){0};
    for (size_t t = 1; t <= w->scene.frames && s == AM_OK; t++) {
        s = track_frame(w, t, err);
        for (size_t i = 0; i < cells; i++) {
            w->scene.found[t * cells + i] = (struct am_centre){answer(w, i, 0), answer(w, i, 1)};
            w->counts.iterations += answer(w, i, 2);
            w->counts.updates += answer(w, i, 2) * answer(w, i, 3);
        }
        w->counts.followed += (double)cells;
    }
    return s;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct tracking *const w = state;
    const struct am_clock *const clock = w->device.ctx->clock;
    const double frames = (double)iters * (double)w->scene.frames;
    const uint64_t begin = clock->now_ns(clock->self);
    enum am_status s = AM_OK;

    w->kernel_ns = w->transfer_ns = 0;
    for (uint64_t i = 0; i < iters && s == AM_OK; i++)
        s = track_all(w, err);
    batch->elapsed_ns = clock->now_ns(clock->self) - begin;
    if (s != AM_OK)
        return s;
    am_leuko_values(&w->counts, iters, (double)batch->elapsed_ns * 1e-9, batch);
    batch->values[AM_LEUKO_KERNEL_TIME] = (double)w->kernel_ns * 1e-9 / frames;
    batch->values[AM_LEUKO_TRANSFER_TIME] = (double)w->transfer_ns * 1e-9 / frames;
    return AM_OK;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct tracking *const w = state;
    enum am_status s;

    *residual = 0;
    if (!(w->counts.updates > 0))
        return am_fail(err, AM_E_WRONG, "wrong: no cell was tracked");
    s = am_scene_check(&w->scene, w->tolerance, residual, err);
    if (s == AM_OK)
        am_leuko_tracks_attach(&w->told, &w->scene);
    return s;
}

static void finish(void *state)
{
    struct tracking *const w = state;

    for (size_t k = 0; k < BUFFERS; k++)
        am_ocl_release_buffer(w->buffer[k]);
    for (size_t k = 0; k < KERNELS; k++)
        am_ocl_release_kernel(w->kernel[k]);
    am_ocl_program_free(&w->program);
    am_ocl_device_close(&w->device);
    am_scene_close(&w->scene);
    free(w->answer);
}

static const char *const variants[] = {"atan", "minmax", NULL};
static const char *const isas[] = {"device", NULL};
static const char *const executors[] = {"opencl", NULL};
static const char *const runtimes[] = {"opencl", NULL};
static const char *const bindings[] = {"close", NULL};
static const char *const places[] = {"cores", NULL};
static const char *const waits[] = {"default", NULL};

/* What differs from the application's axes: some have one value on devices. `isa` is ranked as that
 * of processors is, which names of this list may come from. */
static const struct am_axis axes[] = {
    {.name = "variant",
     .dflt = "atan,minmax",
     .quick = "minmax",
     .thorough = "all",
     .choices = variants},
    {.name = "isa",
     .dflt = "device",
     .choices = isas,
     .ranked = true,
     .help = "instruction set of the loops; device: its own"},
    {.name = "executor", .dflt = "opencl", .thorough = "usable", .choices = executors},
    AM_OCL_DEVICE_AXIS,
    {.name = "runtime", .dflt = "usable", .choices = runtimes},
    {.name = "threads", .dflt = "1"},
    {.name = "binding", .dflt = "usable", .choices = bindings},
    {.name = "places", .dflt = "usable", .choices = places},
    {.name = "wait", .dflt = "usable", .choices = waits},
    {.name = NULL},
};

const struct am_app_port am_port_leukocyte_opencl = {
    .app = &am_app_leukocyte,
    .bench = {.axes = axes,
              .state_size = sizeof(struct tracking),
              .points_per_launch = 4,
              .cpus = AM_CPUS_ALL,
              .prepare = prepare,
              .run_timed = run_timed,
              .verify = verify,
              .finish = finish,
              .named_only = true}, /* it compiles for seconds */
};
