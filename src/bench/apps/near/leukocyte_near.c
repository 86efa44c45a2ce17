/* SPDX-License-Identifier: MIT */
/* An iteration cell by cell with a clock between its parts, and the solver's loop on few rows. */
#include "bench/apps/near/leukocyte_near.h"

#include "app/leukocyte/mgvf_pass.h"
#include "bench/apps/near/leukocyte_walk.h"
#include "bench/shared/near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS = AM_WINDOW_ROWS_MAX,
    COLUMNS = AM_WINDOW_COLUMNS_MAX,
    PIXELS = ROWS * COLUMNS,
    TRIES = 5,      /* of all parts: what disturbs them only makes them longer */
    FEW_BLOCKS = 2, /* of rows, whose field is in the first-level cache */
};
static const double long_s = 0.25; /* of an iteration */

/* ---- parts of an iteration ---- */

/* Seconds of a cell in a frame, or of all of them. */
struct parts {
    double edges, solver, contours;
};

struct following {
    struct am_leuko_state *state;
    struct am_mgvf *mgvf; /* of this thread, as a tracker has one */
    double *edge, *field;
    struct parts *least; /* of each cell in each frame */
};

static double lap(const struct am_clock *clock, uint64_t *since)
{
    const uint64_t now = clock->now_ns(clock->self);
    const double seconds = (double)(now - *since) * 1e-9;

    *since = now;
    return seconds;
}

static struct parts follow_cell(const struct following *f, size_t cell)
{
    const struct am_clock *const clock = f->state->clock;
    uint64_t since = clock->now_ns(clock->self);
    struct am_window window;
    struct parts parts;
    size_t iterations;

    window = am_tracker_edges(f->state->tracker, cell, f->edge);
    parts.edges = lap(clock, &since);
    iterations = am_mgvf_solve(f->mgvf, f->edge, window.rows, window.columns, NULL, f->field);
    parts.solver = lap(clock, &since);
    am_tracker_follow(f->state->tracker, cell, &window, f->field, iterations);
    parts.contours = lap(clock, &since);
    return parts;
}

/* All cells through all frames; returns the seconds that it took. */
static double follow_all(struct following *f)
{
    struct am_leuko_state *const w = f->state;
    double seconds = 0;

    am_tracker_restart(w->tracker);
    for (size_t i = 0; i < w->scene.frames * w->scene.cells; i++) {
        const size_t cell = i % w->scene.cells;
        struct parts *const least = &f->least[i];
        struct parts now;

        if (cell == 0)
            am_tracker_show(w->tracker, am_scene_frame(&w->scene, 1 + i / w->scene.cells));
        now = follow_cell(f, cell);
        seconds += now.edges + now.solver + now.contours;
        *least = (struct parts){fmin(least->edges, now.edges), fmin(least->solver, now.solver),
                                fmin(least->contours, now.contours)};
    }
    return seconds;
}

static struct parts all_parts(const struct following *f)
{
    struct parts all = {0, 0, 0};

    for (size_t i = 0; i < f->state->scene.frames * f->state->scene.cells; i++) {
        all.edges += f->least[i].edges;
        all.solver += f->least[i].solver;
        all.contours += f->least[i].contours;
    }
    return all;
}

static void solve_again(void *self)
{
    const struct following *const f = self;

    (void)am_mgvf_solve(f->mgvf, f->edge, ROWS, COLUMNS, NULL, f->field);
}

/* Seconds that the solver takes for a field of which it makes just so many steps, however little
 * it changes, with few rows counted; 0: no memory. */
static double solver_seconds(struct following *f, size_t steps)
{
    struct am_mgvf_setup setup = am_mgvf_defaults;
    struct am_mgvf *const stepping = f->mgvf;
    struct am_err err = {.text = ""};
    double seconds = 0;

    setup.loop = &f->state->loop;
    setup.limit = steps;
    setup.stop = 0;
    setup.together = f->state->pass.steps;
    if (am_mgvf_new(&setup, ROWS, COLUMNS, &f->mgvf, &err) == AM_OK) {
        seconds = am_near_seconds(f->state->clock, solve_again, f);
        am_mgvf_free(f->mgvf);
    }
    f->mgvf = stepping;
    return seconds;
}

/* ---- steps ---- */

/* A field of so many rows as the form lanes has them, stepped in its place, as many steps in a pass
 * as the solver makes: it drifts by a row with each step through as many rows again, as the
 * solver's does. */
struct stepping {
    struct am_mgvf_step step; /* the first of a pass */
    struct am_mgvf_pass pass;
    struct am_leuko_layout layout;
    size_t together; /* steps of a pass */
    size_t room;     /* rows before the field that it may drift through, at least as many */
    size_t at;       /* of these, those that are still before it */
    char *memory;
};

static void free_stepping(struct stepping *s)
{
    free(s->memory);
    free(s->step.sums);
    free(s->step.parts);
    free(s->step.constants);
}

static size_t up_to_line(size_t bytes)
{
    return (bytes + AM_MGVF_ALIGN - 1) / AM_MGVF_ALIGN * AM_MGVF_ALIGN;
}

static bool make_stepping(const struct am_leuko_state *w, struct stepping *s)
{
    const struct am_mgvf_loop *const loop = &w->loop;
    const size_t element = loop->type == AM_MGVF_F32 ? sizeof(float) : sizeof(double);
    const size_t stride = ((COLUMNS - 2 + loop->lanes) / loop->lanes + 1) * loop->lanes;
    const size_t bytes = (size_t)4 * ROWS * stride * element;

    *s = (struct stepping){.layout = {loop->block, stride * element},
                           .together = w->pass.steps,
                           .step = {.columns = COLUMNS,
                                    .stride = stride,
                                    .diffusion = am_mgvf_defaults.mu / am_mgvf_defaults.lambda,
                                    .pull = 1 / am_mgvf_defaults.lambda,
                                    .epsilon = am_mgvf_defaults.epsilon,
                                    .every = AM_MGVF_EVERY_MAX}};
    s->pass.block = loop->block;
    s->pass.row_bytes = s->layout.row_bytes;
    s->pass.sum_bytes = loop->lanes * element;
    s->memory = aligned_alloc(AM_MGVF_ALIGN, up_to_line(bytes));
    s->step.sums = calloc(ROWS, sizeof(*s->step.sums));
    s->step.parts = aligned_alloc(AM_MGVF_ALIGN, ROWS * up_to_line(s->pass.sum_bytes));
    s->step.constants = aligned_alloc(AM_MGVF_ALIGN, AM_MGVF_CONSTANTS);
    if (!s->memory || !s->step.sums || !s->step.parts || !s->step.constants) {
        free_stepping(s);
        return false;
    }
    memset(s->memory, 0, bytes);
    s->step.edge = s->memory;
    loop->pack(&s->step, NULL, NULL); /* no rows yet: only what steps keep */
    return true;
}

static void pass_once(void *self)
{
    struct stepping *const s = self;
    char *const field = s->memory + (size_t)2 * ROWS * s->layout.row_bytes;

    if (s->at < s->together)
        s->at = s->room;
    s->step.from = field + s->at * s->layout.row_bytes;
    s->step.to = field + (s->at - 1) * s->layout.row_bytes;
    am_mgvf_pass_set(&s->pass, &s->step, s->together);
    am_mgvf_pass_run(&s->pass);
    s->at -= s->together;
}

/* Seconds of a step. */
static double rows_seconds(struct stepping *s, size_t rows, const struct am_clock *clock)
{
    s->step.rows = rows;
    s->room = rows < ROWS ? s->together : rows;
    s->at = s->room;
    am_mgvf_pass_begin(&s->pass, &s->step);
    return am_near_seconds(clock, pass_once, s) / (double)s->together;
}

/* Seconds of a step of a whole field, as if its rows were near; and what of it is a call's. */
struct near {
    double step, call;
};

/* Fields of so many rows begin and end with the blocks that a whole one does. */
static struct near near_step(struct stepping *s, const struct am_clock *clock)
{
    const size_t block = s->layout.block, few = FEW_BLOCKS * block + ROWS % block;
    const double some = rows_seconds(s, few, clock);
    const double per_row = fmax(some - rows_seconds(s, few - block, clock), 0) / (double)block;
    const double call = fmax(some - (double)few * per_row, 0);

    return (struct near){call + ROWS * per_row, call};
}

/* ---- the way of their data ---- */

static void read_line(void *self, const void *line)
{
    (void)self;
    am_walk_read(line);
}

static void write_line(void *self, void *line)
{
    (void)self;
    am_walk_write(line);
}

static void walk_rows(const struct am_mgvf_step *step, size_t first, size_t last)
{
    static const struct am_leuko_touch touch = {read_line, write_line, NULL};

    am_leuko_walk_rows(step, step->scratch, first, last, &touch);
}

/* Seconds of a step as if its lines were near, and where they lie. */
static void tell_walk(struct am_leuko_state *w, struct stepping *s, double steps, double whole)
{
    double near;

    s->step.scratch = &s->layout; /* the form lanes has none */
    s->pass.fn = walk_rows;
    near = near_step(s, w->clock).step;
    am_ctx_walk(w->told.ctx, steps * rows_seconds(s, ROWS, w->clock) / whole, steps * near / whole);
}

/* Returns the seconds of a step where its data lie; 0: no memory. */
static double tell_steps(struct am_leuko_state *w, double whole)
{
    const double steps = w->counts.updates / PIXELS;
    struct stepping s;
    struct near near;
    double far;

    if (!make_stepping(w, &s))
        return 0;
    s.pass.fn = w->loop.fn;
    near = near_step(&s, w->clock);
    far = rows_seconds(&s, ROWS, w->clock);
    am_ctx_near(w->told.ctx, steps * near.step / whole, steps * near.call / whole);
    am_ctx_far(w->told.ctx, steps * far / whole);
    tell_walk(w, &s, steps, whole);
    free_stepping(&s);
    return far;
}

/* ---- all of it ---- */

/* The solver: layouts made and undone; steps; what is between two of them; and all that a field
 * takes beyond as many steps of the kind that it begins with, in which few rows are counted. */
static void tell_solver(struct am_leuko_state *w, struct following *f, double solver, double whole)
{
    const double fields = (double)(w->scene.cells * w->scene.frames);
    const double steps = w->counts.updates / PIXELS;
    const size_t some = (size_t)(steps / fields) + 1;
    const double packing = solver_seconds(f, 0), plain = solver_seconds(f, some);
    const double far = tell_steps(w, whole), step = (plain - packing) / (double)some;

    if (!(far > 0) || !(packing > 0) || !(plain > packing))
        return;
    am_ctx_step(w->told.ctx, "packing", fields * packing / whole);
    am_ctx_step(w->told.ctx, "bookkeeping", fmax(steps * (step - far), 0) / whole);
    am_ctx_step(w->told.ctx, "settling", fmax(solver - fields * packing - steps * step, 0) / whole);
}

static void tell_parts(struct am_leuko_state *w, struct following *f)
{
    const size_t fields = w->scene.cells * w->scene.frames;
    struct parts parts;
    double whole;

    for (size_t i = 0; i < fields; i++)
        f->least[i] = (struct parts){INFINITY, INFINITY, INFINITY};
    if (follow_all(f) > long_s)
        return;
    for (int i = 1; i < TRIES; i++)
        (void)follow_all(f);
    parts = all_parts(f);
    whole = parts.edges + parts.solver + parts.contours;
    am_ctx_step(w->told.ctx, "edges", parts.edges / whole);
    am_ctx_step(w->told.ctx, "contours", parts.contours / whole);
    tell_solver(w, f, parts.solver, whole);
}

void am_leuko_parts_tell(struct am_leuko_state *w)
{
    const size_t fields = w->scene.cells * w->scene.frames;
    struct am_mgvf_setup setup = am_mgvf_defaults;
    struct following f = {.state = w,
                          .edge = calloc(PIXELS, sizeof(*f.edge)),
                          .field = calloc(PIXELS, sizeof(*f.field)),
                          .least = calloc(fields, sizeof(*f.least))};
    struct am_err err = {.text = ""};

    setup.loop = &w->loop;
    setup.together = w->pass.steps;
    if (f.edge && f.field && f.least &&
        am_mgvf_new(&setup, ROWS, COLUMNS, &f.mgvf, &err) == AM_OK) {
        tell_parts(w, &f);
        am_mgvf_free(f.mgvf);
    }
    free(f.edge);
    free(f.field);
    free(f.least);
}
