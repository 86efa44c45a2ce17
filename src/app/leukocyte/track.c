/* SPDX-License-Identifier: MIT */
/* Cells, each with the memory its block needs: field by MGVF, then the contour. */
#include "app/leukocyte/track.h"

#include "app/leukocyte/detect.h"
#include "app/leukocyte/wide.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIXELS_MAX = AM_WINDOW_ROWS_MAX * AM_WINDOW_COLUMNS_MAX,
    LINE = 64 / sizeof(double),
    /* edge map, field, and four times the field for the contour, which does not cross lines */
    BENCH_PIXELS = (6 * PIXELS_MAX + LINE - 1) / LINE * LINE,
};

const struct am_track_setup am_track_defaults = {
    .mgvf = AM_MGVF_DEFAULTS,
    .snake = AM_SNAKE_DEFAULTS,
};

/* What a block works on. There are as many as cells, but each takes the first that is free: one
 * thread has one, which its caches keep from cell to cell. Nothing is left in it. */
struct bench {
    atomic_flag taken;
    struct am_mgvf *mgvf;
    double *edge, *field;
    double *work; /* of the contour */
};

struct am_tracker {
    struct am_track_setup setup;
    struct am_leuko_parts parts;
    struct am_image frame;
    struct am_leuko_cell *cells;
    struct am_centre *start;
    struct bench *benches;
    double *memory; /* of all benches */
    size_t n;
};

void am_tracker_free(struct am_tracker *tracker)
{
    if (!tracker)
        return;
    for (size_t i = 0; tracker->benches && i < tracker->n; i++)
        am_mgvf_free(tracker->benches[i].mgvf);
    free(tracker->benches);
    free(tracker->memory);
    free(tracker->cells);
    free(tracker->start);
    free(tracker);
}

static enum am_status check(size_t width, size_t height, const struct am_centre *centres, size_t n,
                            struct am_err *err)
{
    if (width < AM_IMAGE_SIDE_MIN || width > AM_IMAGE_SIDE_MAX || height < AM_IMAGE_SIDE_MIN ||
        height > AM_IMAGE_SIDE_MAX)
        return am_fail(err, AM_E_LIMIT, "frames of %zu x %zu: sides are %d to %d", width, height,
                       AM_IMAGE_SIDE_MIN, AM_IMAGE_SIDE_MAX);
    if (n > AM_CELLS_MAX)
        return am_fail(err, AM_E_LIMIT, "%zu cells, the most are %d", n, AM_CELLS_MAX);
    for (size_t i = 0; i < n; i++) {
        if (!am_image_has(width, height, centres[i]))
            return am_fail(err, AM_E_USAGE, "cell %zu at (%g, %g) is not in a frame of %zu x %zu",
                           i, centres[i].x, centres[i].y, width, height);
    }
    return AM_OK;
}

static enum am_status make_benches(struct am_tracker *t, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; s == AM_OK && i < t->n; i++) {
        struct bench *const b = &t->benches[i];

        atomic_flag_clear(&b->taken);
        b->work = t->memory + i * BENCH_PIXELS;
        b->edge = b->work + 4 * (size_t)PIXELS_MAX;
        b->field = b->edge + PIXELS_MAX;
        s = am_mgvf_new(&t->setup.mgvf, AM_WINDOW_ROWS_MAX, AM_WINDOW_COLUMNS_MAX, &b->mgvf, err);
    }
    return s;
}

static enum am_status fill(struct am_tracker *t, const struct am_centre *centres,
                           struct am_err *err)
{
    const size_t room = t->n ? t->n : 1;

    t->cells = calloc(room, sizeof(*t->cells));
    t->start = calloc(room, sizeof(*t->start));
    t->benches = calloc(room, sizeof(*t->benches));
    t->memory = aligned_alloc(LINE * sizeof(double), room * BENCH_PIXELS * sizeof(*t->memory));
    if (!t->cells || !t->start || !t->benches || !t->memory)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu cells", t->n);
    for (size_t i = 0; i < t->n; i++)
        t->start[i] = centres[i];
    memset(t->memory, 0, room * BENCH_PIXELS * sizeof(*t->memory));
    am_tracker_restart(t);
    return make_benches(t, err);
}

enum am_status am_tracker_new(const struct am_track_setup *setup, size_t width, size_t height,
                              const struct am_centre *centres, size_t n,
                              struct am_tracker **tracker_p, struct am_err *err)
{
    enum am_status s = check(width, height, centres, n, err);
    struct am_tracker *tracker;

    if (s != AM_OK)
        return s;
    tracker = calloc(1, sizeof(*tracker));
    if (!tracker)
        return am_fail(err, AM_E_NOMEM, "no memory for a tracker");
    tracker->setup = *setup;
    tracker->parts = am_leuko_parts_of(setup->mgvf.loop ? setup->mgvf.loop->wide : AM_LEUKO_ANY);
    tracker->frame = (struct am_image){.width = width, .height = height};
    tracker->n = n;
    s = fill(tracker, centres, err);
    if (s != AM_OK) {
        am_tracker_free(tracker);
        return s;
    }
    *tracker_p = tracker;
    return AM_OK;
}

/* ---- places of a cell ---- */

static void remember(struct am_leuko_cell *cell)
{
    cell->past_y[cell->frames % AM_TRACK_HISTORY] = cell->snake.centre.y;
    cell->frames++;
}

static double expected_y(const struct am_leuko_cell *cell)
{
    const size_t n = cell->frames < AM_TRACK_HISTORY ? cell->frames : AM_TRACK_HISTORY;
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += cell->past_y[i];
    return sum / (double)n;
}

void am_tracker_restart(struct am_tracker *tracker)
{
    for (size_t i = 0; i < tracker->n; i++) {
        tracker->cells[i] = (struct am_leuko_cell){0};
        am_snake_init(&tracker->cells[i].snake, tracker->start[i]);
        remember(&tracker->cells[i]);
    }
}

const struct am_leuko_cell *am_tracker_cells(const struct am_tracker *tracker, size_t *n)
{
    *n = tracker->n;
    return tracker->cells;
}

/* ---- a frame ---- */

void am_tracker_show(struct am_tracker *tracker, const uint8_t *pixels)
{
    tracker->frame.pixels = pixels;
}

struct am_window am_tracker_edges(const struct am_tracker *tracker, size_t cell, double *edge)
{
    const struct am_window window = am_window_around(tracker->cells[cell].snake.centre,
                                                     tracker->frame.width, tracker->frame.height);

    tracker->parts.edges(tracker->frame, &window, edge);
    return window;
}

/* Ends: no more blocks are under way than there are cells. */
static struct bench *take_bench(struct am_tracker *tracker)
{
    size_t i = 0;

    while (atomic_flag_test_and_set_explicit(&tracker->benches[i].taken, memory_order_acquire))
        i = (i + 1) % tracker->n;
    return &tracker->benches[i];
}

static void give_bench(struct bench *bench)
{
    atomic_flag_clear_explicit(&bench->taken, memory_order_release);
}

static void follow(struct am_tracker *tracker, size_t cell, const struct am_window *window,
                   const struct bench *bench, const double *field, size_t mgvf_iterations)
{
    struct am_leuko_cell *const c = &tracker->cells[cell];

    c->mgvf_iterations = mgvf_iterations;
    c->updates = mgvf_iterations * window->rows * window->columns;
    c->snake_steps = tracker->parts.move(&c->snake, &tracker->setup.snake, window, field,
                                         expected_y(c), bench->work);
    remember(c);
}

void am_tracker_follow(struct am_tracker *tracker, size_t cell, const struct am_window *window,
                       const double *field, size_t mgvf_iterations)
{
    struct bench *const b = take_bench(tracker);

    follow(tracker, cell, window, b, field, mgvf_iterations);
    give_bench(b);
}

static void run_cell(void *app, size_t cell)
{
    struct am_tracker *const tracker = app;
    struct bench *const b = take_bench(tracker);
    const struct am_window window = am_tracker_edges(tracker, cell, b->edge);
    const size_t iterations = am_mgvf_solve(b->mgvf, b->edge, window.rows, window.columns,
                                            tracker->setup.bands, b->field);

    follow(tracker, cell, &window, b, b->field, iterations);
    give_bench(b);
}

void am_tracker_blocks(struct am_tracker *tracker, struct am_blocks *blocks)
{
    *blocks = (struct am_blocks){.count = tracker->n, .app = tracker, .run = run_cell};
}
