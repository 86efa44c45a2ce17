/* SPDX-License-Identifier: MIT */
/* app.stencil in one dimension: am_stencil_line (stencil_dim.h). Chooses width and depth where the
 * point leaves them open, and states work and bounds. */
#include "app/stencil/turns.h"
#include "bench/apps/line_again.h"
#include "bench/apps/ports.h"
#include "bench/apps/stencil_check.h"
#include "bench/apps/stencil_dim.h"
#include "bench/shared/bound.h"
#include "bench/shared/memory.h"
#include "bench/shared/near.h"
#include "bench/shared/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAPER_FLOPS = 4, /* of one point and step, whatever the form executes */
    DEPTH_LEAST = 4,
    DEPTH_TRIED_LEAST = 8,
    DEPTH_TRIED_MOST = 2048,
    NEAR_POINTS = 1 << 10, /* of a sweep over data in the first-level cache */
    NEAR_SLICES = 4,       /* the same, of slices */
    PAGE_BYTES = 4096,
    EDGE_BYTES = 16 << 10, /* of the edges of a pass: half of the smallest first-level cache */
};

struct line {
    struct am_stencil st;
    struct am_stencil_turns turns;
    struct am_memory memory;
    size_t bytes; /* of memory */
    void *x;      /* the state at step 0 */
    size_t steps;
    uint64_t seed;               /* of what check() looks at */
    struct am_stencil_near near; /* of the compiler's loop, and of slices */
    struct am_stencil_variant walking;
};

static size_t element_bytes(const struct am_stencil_spec *spec)
{
    return spec->type == AM_STENCIL_F32 ? sizeof(float) : sizeof(double);
}

/* What measurements on several cores have in common. A slice costs some 40 cycles besides its
 * steps, the triangle a cycle for each of its depth squared vectors: the best depth is the root of
 * their ratio, as long as its edges stay in the first-level cache. */
static size_t best_depth(size_t lane_vectors, size_t vector_bytes)
{
    const double root = sqrt(3.3 * (double)lane_vectors);
    const double edges = (double)(EDGE_BYTES / (2 * vector_bytes));

    return (size_t)fmax(DEPTH_LEAST, fmin(root, edges));
}

/* The widest that has its constants in registers; beyond 16 there is nothing left to gain. */
static unsigned best_width(const struct am_stencil_spec *spec)
{
    if (spec->kernels->width_max > AM_STENCIL_ROTATING)
        return 16;
    return spec->form == AM_STENCIL_paper ? 12 : AM_STENCIL_ROTATING;
}

static bool has_depth(const struct am_stencil_spec *spec)
{
    return spec->method == AM_STENCIL_BY_SKEW || spec->method == AM_STENCIL_BY_SLICE;
}

void am_stencil_line_choose(struct am_stencil_spec *spec)
{
    const size_t lanes = spec->kernels->lanes[spec->type];

    if (!spec->width)
        spec->width = best_width(spec);
    if (!spec->depth)
        spec->depth = best_depth(spec->n / (lanes * spec->parts), lanes * element_bytes(spec));
}

static enum am_status choose_shape(struct am_stencil_spec *spec, const struct am_stencil_task *task,
                                   struct am_err *err)
{
    if (task->width > AM_STENCIL_WIDTH_MAX)
        return am_fail(err, AM_E_ABSENT, "w is 0 to %d, not %u", AM_STENCIL_WIDTH_MAX, task->width);
    if (task->width && spec->method != AM_STENCIL_BY_SLICE)
        return am_fail(err, AM_E_ABSENT, "only slices have a width: %s has w = 0",
                       am_stencil_methods[spec->method]);
    if (task->depth && !has_depth(spec))
        return am_fail(err, AM_E_ABSENT, "only skew and slice have a depth: %s has depth = 0",
                       am_stencil_methods[spec->method]);
    if (task->depth > task->steps)
        return am_fail(err, AM_E_ABSENT, "a pass of %zu steps, of %zu in all", task->depth,
                       task->steps);
    spec->width = task->width;
    spec->depth = task->depth;
    am_stencil_line_choose(spec);
    if (spec->depth > task->steps)
        spec->depth = task->steps;
    return AM_OK;
}

static enum am_status open_line(const struct am_stencil_task *task, void **self_p,
                                struct am_err *err)
{
    struct am_stencil_spec spec = {.kernels = am_stencil_find(task->isa),
                                   .method = task->method,
                                   .form = task->form,
                                   .type = task->type,
                                   .n = task->n,
                                   .r = task->r,
                                   .parts = task->threads};
    struct line *const line = calloc(1, sizeof(*line));
    enum am_status s;

    *self_p = line;
    if (!line)
        return am_fail(err, AM_E_NOMEM, "no memory for a grid");
    line->steps = task->steps;
    line->seed = task->seed;
    s = choose_shape(&spec, task, err);
    if (s == AM_OK)
        s = am_stencil_bytes(&spec, &line->bytes, err);
    line->st.spec = spec;
    return s;
}

static uint64_t bytes_of_line(const void *self)
{
    const struct line *const line = self;

    return line->bytes + line->st.spec.n * element_bytes(&line->st.spec);
}

static enum am_status map_line(void *self, struct am_err *err)
{
    struct line *const line = self;
    const struct am_stencil_spec spec = line->st.spec;
    enum am_status s;

    line->x = malloc(spec.n * element_bytes(&spec));
    if (!line->x)
        return am_fail(err, AM_E_NOMEM, "%zu points", spec.n);
    am_stencil_start_all(spec.type, line->x, spec.n);
    s = am_memory_map(&line->memory, line->bytes, AM_PAGES_ANY, err);
    if (s == AM_OK)
        s = am_stencil_init(&line->st, &spec, line->memory.base, err);
    return s == AM_OK ? am_stencil_turns_init(&line->turns, &line->st, line->steps, line->x, err)
                      : s;
}

/* One vector and step: a product and a fused one, or two products; the sum, or two. */
static void cost_of_line(void *self, const struct am_clock *clock, struct am_work *work,
                         struct am_stencil_cost *cost)
{
    const struct line *const line = self;
    const struct am_stencil_spec *const spec = &line->st.spec;
    const enum am_flops_type type = spec->type == AM_STENCIL_F32 ? AM_FLOPS_F32 : AM_FLOPS_F64;
    const bool fuses = am_flops_find(spec->kernels->isa)->has_fma;
    const double lanes = (double)spec->kernels->lanes[spec->type];
    const double passes = (double)(am_stencil_rounds(&line->turns) / 2);
    const double updates = (double)spec->n * (double)line->steps;
    struct am_ports ports;

    am_ports_measure(spec->kernels->isa, type, clock, &ports);
    work->ops = updates;
    work->flops = PAPER_FLOPS * updates;
    work->bytes_read = (double)(spec->n * element_bytes(spec)) * passes;
    work->bytes_written = work->bytes_read;
    /* Two instructions per vector and step are half as many as the paper's count has operations. */
    work->flops_per_cycle_max =
        am_bound_flops(AM_FLOPS_FMA, type, spec->kernels->lanes[spec->type] * element_bytes(spec)) *
        (fuses && spec->form != AM_STENCIL_paper ? 2 : 1) * (double)spec->parts;
    cost->executed = am_stencil_form_flops[spec->form] * updates;
    cost->bound_cycles =
        am_ports_cycles(&ports, spec->form == AM_STENCIL_paper ? 2 : 1, fuses ? 1 : 2) * updates /
        lanes;
    cost->peak_cycles =
        am_ports_peak(&ports) > 0 ? cost->executed / (am_ports_peak(&ports) * lanes) : 0;
}

/* ---- few points ---- */

/* A grid like the point's, but so small that it is near. */
struct small {
    struct am_stencil st;
    struct am_stencil_pass pass;
};

static void advance_small(void *self)
{
    const struct small *const s = self;

    am_stencil_advance(&s->st, 0, &s->pass);
}

/* Seconds of a pass over n points; 0: there is no such grid, or no memory. */
static double small_seconds(const struct line *line, size_t n, const struct am_clock *clock)
{
    struct am_stencil_spec spec = line->st.spec;
    struct small small;
    struct am_err err = {.text = ""};
    size_t bytes;
    double seconds = 0;
    char *memory;

    spec.n = n;
    if (am_stencil_bytes(&spec, &bytes, &err) != AM_OK)
        return 0;
    bytes = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    memory = aligned_alloc(PAGE_BYTES, bytes);
    if (memory && am_stencil_init(&small.st, &spec, memory, &err) == AM_OK) {
        memset(memory, 0, bytes);
        small.pass = am_stencil_next(&small.st, &small.st.phase, line->steps);
        seconds = am_near_seconds(clock, advance_small, &small);
    }
    free(memory);
    return seconds;
}

/* ---- loops that only touch ---- */

static void walk(const struct am_stencil_sweep *sweep, size_t bytes)
{
    const char *const from = sweep->u;
    char *const to = sweep->v;

    for (size_t at = 0; at < bytes; at += AM_WALK_LINE) {
        am_walk_read(from + at);
        am_walk_write(to + at);
    }
}

static void walk_f32(const struct am_stencil_sweep *sweep)
{
    walk(sweep, sweep->n * sizeof(float));
}

static void walk_f64(const struct am_stencil_sweep *sweep)
{
    walk(sweep, sweep->n * sizeof(double));
}

/* Of the compiler's loop, which takes a point after the other; and nothing else in its place: there
 * is nothing around it. */
static bool replace_loops(void *self, enum am_stencil_instead what)
{
    struct line *const line = self;
    struct am_stencil_spec *const spec = &line->st.spec;
    const struct am_stencil_variant *const kernels = am_stencil_find(spec->kernels->isa);

    if (spec->method != AM_STENCIL_BY_AUTO || what == AM_STENCIL_SILENT)
        return false;
    line->walking = *kernels;
    for (size_t form = 0; form < AM_STENCIL_FORMS; form++) {
        line->walking.sweep[AM_STENCIL_AUTO][form][AM_STENCIL_F32] = walk_f32;
        line->walking.sweep[AM_STENCIL_AUTO][form][AM_STENCIL_F64] = walk_f64;
    }
    spec->kernels = what == AM_STENCIL_WALKING ? &line->walking : kernels;
    return true;
}

/* Passes of the point's own code over a few points, by two numbers of them: what a pass takes
 * whatever its length, a slice's triangle for one, and what it takes per point. */
static void split_line(void *self, const struct am_clock *clock)
{
    struct line *const line = self;
    const struct am_stencil_spec *const spec = &line->st.spec;
    const size_t lanes = spec->kernels->lanes[spec->type];
    const bool slices = spec->method == AM_STENCIL_BY_SLICE;
    const size_t some = slices ? (size_t)NEAR_SLICES * spec->width * lanes : NEAR_POINTS;
    const double passes = (double)line->steps / (double)line->st.reach;
    double a, b, per_point;

    if ((spec->method != AM_STENCIL_BY_AUTO && !slices) || spec->parts != 1 || some > spec->n)
        return;
    a = small_seconds(line, some / 2, clock);
    b = small_seconds(line, some, clock);
    if (!(a > 0) || !(b > a))
        return;
    per_point = (b - a) / (double)(some - some / 2);
    line->near.begin = passes * fmax(b - (double)some * per_point, 0);
    line->near.loops = line->near.begin + passes * (double)spec->n * per_point;
    if (replace_loops(line, AM_STENCIL_WALKING)) {
        line->near.walk =
            passes * (double)spec->n * small_seconds(line, some, clock) / (double)some;
        (void)replace_loops(line, AM_STENCIL_REAL);
    }
}

static struct am_stencil_near near_of_line(const void *self)
{
    const struct line *const line = self;

    return line->near;
}

/* Updates that more lanes than there are points compute are few, and not counted. */
static void keep_code(const struct line *line, const struct am_ctx *ctx)
{
    const struct am_stencil_spec *const spec = &line->st.spec;
    const double updates = (double)spec->n * (double)line->steps;
    const unsigned *const lanes =
        spec->method == AM_STENCIL_BY_AUTO ? spec->kernels->auto_lanes : spec->kernels->lanes;
    size_t vectors;
    const uintptr_t code = am_stencil_hot_loop(spec, &vectors);

    if (code && spec->parts == 1)
        am_ctx_hot_loop(ctx, code, updates / (double)(vectors * lanes[spec->type]));
}

static double value(const void *self, size_t point)
{
    const struct line *const line = self;

    return am_stencil_value(&line->st, point);
}

static size_t seam(const void *self, size_t lane)
{
    const struct line *const line = self;

    return am_stencil_lane_start(&line->st, lane);
}

static struct am_stencil_view view_of(const struct line *line)
{
    const struct am_stencil_spec *const spec = &line->st.spec;
    const size_t steps = am_stencil_turns_cycle(&line->turns) * line->steps;

    am_stencil_turns_settle(&line->turns);
    return (struct am_stencil_view){.type = spec->type,
                                    .n = spec->n,
                                    .steps = steps,
                                    .r = spec->r,
                                    .tolerance = am_stencil_tolerance(spec->type, steps),
                                    .sharp = am_stencil_is_sharp(spec->form, spec->r),
                                    .exact = spec->form == AM_STENCIL_paper,
                                    .fuses = am_flops_find(spec->kernels->isa)->has_fma,
                                    .kernels = am_stencil_find(spec->kernels->isa),
                                    .seed = line->seed,
                                    .self = line,
                                    .value = value,
                                    .seams = line->st.lanes * spec->parts,
                                    .seam = seam};
}

static size_t cycle_of_line(const void *self)
{
    return am_stencil_turns_cycle(&((const struct line *)self)->turns);
}

static void note_line(const void *self, const struct am_ctx *ctx)
{
    const struct line *const line = self;
    const struct am_stencil_spec *const spec = &line->st.spec;
    const struct am_stencil_view view = view_of(line);
    const size_t compared = am_line_again_points(&view);

    keep_code(line, ctx);
    if (has_depth(spec))
        am_ctx_chosen(ctx, "depth", "%zu", spec->depth);
    if (spec->method == AM_STENCIL_BY_SLICE)
        am_ctx_chosen(ctx, "w", "%u", spec->width);
    am_ctx_note(ctx, "accurate_form", "%s", am_stencil_forms[am_stencil_form_for(spec->r)]);
    if (compared < spec->n)
        am_ctx_note(ctx, "not_proven",
                    "%zu of %zu points are compared with plain steps, others by each launch",
                    compared, spec->n);
}

static struct am_stencil_ranges ranges_of_line(const void *self)
{
    const struct line *const line = self;
    const struct am_stencil_spec *const spec = &line->st.spec;
    struct am_stencil_ranges ranges = {0};

    if (has_depth(spec))
        ranges.depth = (struct am_stencil_range){
            DEPTH_TRIED_LEAST, line->steps < DEPTH_TRIED_MOST ? line->steps : DEPTH_TRIED_MOST,
            "*1.5"};
    if (spec->method == AM_STENCIL_BY_SLICE)
        ranges.width = (struct am_stencil_range){1, spec->kernels->width_max, "1"};
    return ranges;
}

static struct am_blocks fill_line(void *self)
{
    struct line *const line = self;

    return am_stencil_filling(&line->turns);
}

static struct am_blocks step_line(void *self)
{
    struct line *const line = self;

    return am_stencil_stepping(&line->turns);
}

static uint64_t rounds_of_line(const void *self)
{
    const struct line *const line = self;

    return am_stencil_rounds(&line->turns);
}

static enum am_status look_at_line(const void *self, struct am_err *err)
{
    const struct am_stencil_view view = view_of(self);

    return am_stencil_look(&view, err);
}

static enum am_status check_line(const void *self, double *residual, struct am_err *err)
{
    const struct am_stencil_view view = view_of(self);

    return am_stencil_compare(&view, residual, err);
}

static void close_line(void *self)
{
    struct line *const line = self;

    if (!line)
        return;
    am_stencil_turns_fini(&line->turns);
    am_memory_unmap(&line->memory);
    free(line->x);
    free(line);
}

const struct am_stencil_dim am_stencil_line = {
    .r_max = 0.5,
    .open = open_line,
    .bytes = bytes_of_line,
    .map = map_line,
    .cost = cost_of_line,
    .split = split_line,
    .near = near_of_line,
    .instead = replace_loops,
    .note = note_line,
    .ranges = ranges_of_line,
    .filling = fill_line,
    .stepping = step_line,
    .rounds = rounds_of_line,
    .look = look_at_line,
    .cycle = cycle_of_line,
    .check = check_line,
    .close = close_line,
};
