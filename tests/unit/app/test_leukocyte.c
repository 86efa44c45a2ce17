/* SPDX-License-Identifier: MIT */
/* Leukocyte tracking: the field against its definition, windows, contours, detection, tracking. */
#include "app/leukocyte/cells.h"
#include "app/leukocyte/detect.h"
#include "app/leukocyte/picture.h"
#include "app/leukocyte/synth.h"
#include "app/leukocyte/track.h"
#include "app/leukocyte/wide.h"
#include "base/rng.h"
#include "tap.h"

#include <stdlib.h>

enum { ROWS = 23, COLUMNS = 31, N = ROWS * COLUMNS };

static uint8_t frame[AM_SYNTH_WIDTH * AM_SYNTH_HEIGHT];

static void random_edges(double *edge)
{
    struct am_rng rng;

    am_rng_seed(&rng, 5, 1);
    for (size_t i = 0; i < N; i++)
        edge[i] = am_rng_unit(&rng);
}

/* ---- MGVF ---- */

static double at(const double *f, int i, int j)
{
    const int row = i < 0 ? 0 : i < ROWS ? i : ROWS - 1;
    const int column = j < 0 ? 0 : j < COLUMNS ? j : COLUMNS - 1;

    return f[row * COLUMNS + column];
}

/* One step in the form without weights, written down from the research note. */
static double step_at(const double *f, double e, int i, int j)
{
    const double c = at(f, i, j);
    const double up = at(f, i - 1, j) - c, down = at(f, i + 1, j) - c;
    const double left = at(f, i, j - 1) - c, right = at(f, i, j + 1) - c;
    const double sum = fmin(up, 0) + fmax(down, 0) + fmin(left, 0) + fmax(right, 0) +
                       fmax(at(f, i + 1, j + 1) - c, 0) + fmin(at(f, i - 1, j - 1) - c, 0) +
                       (at(f, i - 1, j + 1) - c + at(f, i + 1, j - 1) - c) / 2;
    const double h = c + 0.1 * sum;

    return h - 0.2 * e * (h - e);
}

static size_t solve(const struct am_mgvf_setup *setup, const struct am_mgvf_bands *bands,
                    const double *edge, double *field)
{
    struct am_err err = {0};
    struct am_mgvf *mgvf = NULL;
    size_t iterations = 0;

    if (am_mgvf_new(setup, ROWS + 4, COLUMNS + 7, &mgvf, &err) == AM_OK)
        iterations = am_mgvf_solve(mgvf, edge, ROWS, COLUMNS, bands, field);
    am_mgvf_free(mgvf);
    return iterations;
}

static double farthest(const double *a, const double *b)
{
    double most = 0;

    for (size_t i = 0; i < N; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static void check_steps(void)
{
    static double edge[N], field[N], want[N], old[N];
    struct am_mgvf_setup setup = am_mgvf_defaults;

    random_edges(edge);
    memcpy(want, edge, sizeof(want));
    for (int t = 0; t < 3; t++) {
        memcpy(old, want, sizeof(old));
        for (int i = 0; i < N; i++)
            want[i] = step_at(old, edge[i], i / COLUMNS, i % COLUMNS);
    }
    setup.limit = 3;
    ok(solve(&setup, NULL, edge, field) == 3, "the limit of iterations holds");
    ok(farthest(field, want) < 1e-14, "three steps of minmax are those of the definition");
    setup.heaviside = AM_MGVF_ATAN;
    (void)solve(&setup, NULL, edge, field);
    ok(farthest(field, want) < 1e-9, "the arc tangent differs by epsilon");
}

static void check_stop(void)
{
    static double edge[N], a[N], b[N], flat[N];
    struct am_mgvf_setup setup = am_mgvf_defaults;
    struct am_mgvf_bands bands = {.executor = &am_executor_task_dbf};
    const int cpus[] = {0};
    const struct am_executor_setup two = {.threads = 2, .cpus = cpus, .cpu_count = 1};
    struct am_err err = {0};
    size_t iterations;

    random_edges(edge);
    ok(solve(&setup, NULL, flat, a) == 1, "a field without edges is done at once");
    iterations = solve(&setup, NULL, edge, a);
    ok(iterations > 10 && iterations < 500, "it stops by itself");
    setup.limit = iterations - 1;
    ok(solve(&setup, NULL, edge, b) == iterations - 1, "and not one iteration earlier");
    setup.limit = 500;
    ok(bands.executor->open(bands.executor, &two, &bands.self, &err) == AM_OK, "two threads");
    for (bands.count = 1; bands.count <= 64; bands.count = bands.count * 2 + 1) {
        const size_t got = solve(&setup, &bands, edge, b);

        ok(got == iterations && memcmp(a, b, sizeof(a)) == 0,
           "%zu bands of rows: the same iterations, the same bits", bands.count);
    }
    bands.executor->close(bands.self);
}

/* ---- windows and contours ---- */

static void check_windows(void)
{
    static const struct {
        struct am_centre at;
        struct am_window want;
    } cases[] = {
        {{100, 100}, {60, 80, 81, 41}}, {{100.6, 99.4}, {61, 79, 81, 41}},
        {{0, 0}, {0, 0, 41, 21}},       {{639, 479}, {599, 459, 41, 21}},
        {{20, 200}, {0, 180, 61, 41}},
    };
    static double edge[AM_WINDOW_ROWS_MAX * AM_WINDOW_COLUMNS_MAX];
    static uint8_t ramp[64 * 64];
    const struct am_window all = {0, 0, 64, 41};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct am_window w = am_window_around(cases[i].at, 640, 480);

        ok(memcmp(&w, &cases[i].want, sizeof(w)) == 0, "window %zu lies in the frame", i);
    }
    for (size_t i = 0; i < sizeof(ramp); i++)
        ramp[i] = i % 64 < 32 ? 10 : 200;
    am_window_edges((struct am_image){ramp, 64, 64}, &all, edge);
    ok(edge[64 * 20 + 31] == 1 && edge[64 * 20 + 32] == 1 && edge[64 * 20 + 30] == 0,
       "an edge is 1 where it is, 0 elsewhere");
    memset(ramp, 7, sizeof(ramp));
    am_window_edges((struct am_image){ramp, 64, 64}, &all, edge);
    ok(edge[0] == 0 && edge[64 * 20 + 31] == 0, "a flat window has no edges");
}

static void check_snake(void)
{
    static double field[41 * 81], work[4 * 41 * 81];
    const struct am_window window = {200, 100, 81, 41};
    struct am_snake snake;

    for (int i = 0; i < 41 * 81; i++) {
        const double r = hypot(i % 81 - 41.5, i / 81 - 19.5);

        field[i] = exp(-(r - 10) * (r - 10) / 8); /* a bright ring around (241.5, 119.5) */
    }
    am_snake_init(&snake, (struct am_centre){239.6, 120});
    ok(am_snake_move(&snake, &am_snake_defaults, &window, field, 119.5, work) > 10 &&
           hypot(snake.centre.x - 241.5, snake.centre.y - 119.5) < 0.2,
       "a contour finds the ring: (%.2f, %.2f)", snake.centre.x, snake.centre.y);
    ok(fabs(am_snake_mean_radius(&snake) - 10) < 0.5, "and its radius");
    am_snake_init(&snake, (struct am_centre){205, 119});
    ok(am_snake_move(&snake, &am_snake_defaults, &window, field, 119, work) == 0 &&
           fabs(snake.centre.x - 205) < 1e-9,
       "one that is not in the window stays where it is");
}

/* Whether edges and contours of that width (wide.h) have the bits of those for every processor
 * around one centre. */
static bool same_parts(struct am_image image, struct am_centre centre, enum am_leuko_width width)
{
    static double edge[2][AM_WINDOW_ROWS_MAX * AM_WINDOW_COLUMNS_MAX];
    static double work[4 * AM_WINDOW_ROWS_MAX * AM_WINDOW_COLUMNS_MAX];
    const struct am_window window = am_window_around(centre, image.width, image.height);
    struct am_snake snake[2];
    size_t steps[2];

    memset(snake, 0, sizeof(snake));
    for (int wide = 0; wide < 2; wide++) {
        const struct am_leuko_parts parts = am_leuko_parts_of(wide ? width : AM_LEUKO_ANY);

        parts.edges(image, &window, edge[wide]);
        am_snake_init(&snake[wide], centre);
        steps[wide] =
            parts.move(&snake[wide], &am_snake_defaults, &window, edge[wide], centre.y + 1, work);
    }
    return memcmp(edge[0], edge[1], sizeof(edge[0])) == 0 && steps[0] == steps[1] &&
           memcmp(&snake[0], &snake[1], sizeof(snake[0])) == 0;
}

#if defined(__x86_64__)
static bool has(enum am_leuko_width width)
{
    return width == AM_LEUKO_AVX512
               ? __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                     __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
               : __builtin_cpu_supports("avx2");
}
#else
static bool has(enum am_leuko_width width)
{
    return width < AM_LEUKO_WIDTHS; /* the parts are the same ones */
}
#endif

static void check_parts(enum am_leuko_width width, const char *name)
{
    static uint8_t pixels[128 * 96];
    const struct am_image image = {pixels, 128, 96};
    struct am_rng rng;
    size_t same = 0;

    if (!has(width)) {
        skip_test("this processor does not have it");
        return;
    }
    am_rng_seed(&rng, 11, 1);
    for (size_t i = 0; i < sizeof(pixels); i++)
        pixels[i] = (uint8_t)am_rng_below(&rng, 256);
    for (size_t i = 0; i < 40; i++) {
        const double x = 127 * am_rng_unit(&rng), y = 95 * am_rng_unit(&rng);

        same += same_parts(image, (struct am_centre){x, y}, width);
    }
    ok(same == 40, "edges and contours have the same bits with %s: %zu of 40", name, same);
}

/* ---- detection and tracking ---- */

static size_t detect(struct am_detect_setup setup, struct am_centre *out)
{
    const struct am_detected *found = NULL;
    struct am_err err = {0};
    struct am_detect *d = NULL;
    const struct am_executor_setup one = {.threads = 1};
    void *serial = NULL;
    size_t n = 0;

    if (am_executor_serial.open(&am_executor_serial, &one, &serial, &err) == AM_OK &&
        am_detect_new(&setup, (struct am_image){frame, AM_SYNTH_WIDTH, AM_SYNTH_HEIGHT}, &d,
                      &err) == AM_OK &&
        am_detect_run(d, &am_executor_serial, serial, &err) == AM_OK &&
        am_detect_found(d, &found, &n, &err) == AM_OK) {
        for (size_t i = 0; i < n; i++)
            out[i] = found[i].centre;
    }
    am_detect_free(d);
    am_executor_serial.close(serial);
    return n;
}

/* The largest distance from a place to the nearest true centre. */
static double worst(const struct am_synth *synth, size_t t, size_t cells,
                    const struct am_centre *places, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++) {
        double least = INFINITY;

        for (size_t k = 0; k < cells; k++) {
            const struct am_centre c = am_synth_centre(synth, t, k);

            least = fmin(least, hypot(c.x - places[i].x, c.y - places[i].y));
        }
        most = fmax(most, least);
    }
    return most;
}

static double follow(struct am_tracker *tracker, const struct am_synth *synth, size_t cells)
{
    struct am_blocks blocks;
    struct am_centre places[AM_CELLS_MAX];
    size_t n;
    const struct am_leuko_cell *const all = am_tracker_cells(tracker, &n);

    am_tracker_blocks(tracker, &blocks);
    for (size_t t = 1; t <= 2; t++) {
        am_synth_frame(synth, t, frame);
        am_tracker_show(tracker, frame);
        for (size_t i = 0; i < blocks.count; i++)
            blocks.run(blocks.app, i);
    }
    for (size_t i = 0; i < n; i++)
        places[i] = all[i].snake.centre;
    return worst(synth, 2, cells, places, n);
}

static void check_tracking(void)
{
    const struct am_synth_setup setup = {
        .cells = 4, .frames = 3, .speed = 2, .noise = 3, .seed = 9};
    struct am_centre places[AM_CELLS_MAX], again;
    struct am_tracker *tracker = NULL;
    struct am_synth *synth = NULL;
    struct am_err err = {0};
    size_t n;
    const struct am_leuko_cell *cells;

    if (!ok(am_synth_new(&setup, &synth, &err) == AM_OK, "a scene of four cells"))
        return;
    am_synth_frame(synth, 0, frame);
    n = detect(am_detect_defaults, places);
    ok(n == 4 && worst(synth, 0, 4, places, n) < 1, "all are found, within a pixel");
    if (ok(am_tracker_new(&am_track_defaults, AM_SYNTH_WIDTH, AM_SYNTH_HEIGHT, places, n, &tracker,
                          &err) == AM_OK,
           "a tracker")) {
        ok(follow(tracker, synth, 4) < 1, "and followed, within a pixel");
        cells = am_tracker_cells(tracker, &n);
        again = cells[3].snake.centre;
        ok(cells[0].frames == 3 && cells[0].updates >= cells[0].mgvf_iterations,
           "a cell counts its frames and updates");
        am_tracker_restart(tracker);
        (void)follow(tracker, synth, 4);
        ok(memcmp(&again, &cells[3].snake.centre, sizeof(again)) == 0,
           "from the start again: the same bits");
    }
    am_tracker_free(tracker);
    am_synth_free(synth);
}

/* A ring that goes down by a pixel per frame: the contour is drawn to the mean height of its last
 * ten places, in frames of which there are more than that. */
static void check_expected(void)
{
    enum { TIMES = 25, PIXELS = AM_WINDOW_ROWS_MAX * AM_WINDOW_COLUMNS_MAX };
    static double field[PIXELS], work[4 * PIXELS], past[TIMES + 1];
    const struct am_centre start = {120, 100};
    const struct am_leuko_parts parts = am_leuko_parts_of(AM_LEUKO_ANY);
    struct am_tracker *tracker = NULL;
    struct am_snake own;
    struct am_err err = {0};
    size_t same = 0, n;

    if (am_tracker_new(&am_track_defaults, 320, 240, &start, 1, &tracker, &err) != AM_OK) {
        ok(0, "a tracker: %s", err.text);
        return;
    }
    am_snake_init(&own, start);
    past[0] = own.centre.y;
    for (size_t t = 1; t <= TIMES; t++) {
        const struct am_window window = am_window_around(own.centre, 320, 240);
        double expected = 0;

        for (size_t i = 0; i < window.rows * window.columns; i++) {
            const double x = (double)(window.x0 + i % window.columns) - start.x;
            const double y = (double)(window.y0 + i / window.columns) - start.y - (double)t;
            const double off = hypot(x, y) - 10;

            field[i] = exp(-off * off / 8);
        }
        for (size_t k = t > AM_TRACK_HISTORY ? t - AM_TRACK_HISTORY : 0; k < t; k++)
            expected += past[k] / (double)(t > AM_TRACK_HISTORY ? AM_TRACK_HISTORY : t);
        (void)parts.move(&own, &am_track_defaults.snake, &window, field, expected, work);
        past[t] = own.centre.y;
        am_tracker_follow(tracker, 0, &window, field, 1);
        same += fabs(am_tracker_cells(tracker, &n)[0].snake.centre.y - own.centre.y) < 1e-9;
    }
    ok(same == TIMES && own.centre.y > start.y + TIMES / 2,
       "a cell is expected at the mean height of its last %d places (%zu of %d frames)",
       AM_TRACK_HISTORY, same, TIMES);
    am_tracker_free(tracker);
}

static void check_limits(void)
{
    static const struct am_synth_setup refused[] = {
        {.cells = 51, .frames = 1},
        {.cells = 1, .frames = 0},
        {.cells = 1, .frames = 1, .noise = -1},
        {.cells = 1, .frames = 1, .speed = NAN},
    };
    const struct am_centre outside = {640, 10};
    struct am_tracker *tracker = NULL;
    struct am_synth *synth = NULL;
    struct am_centre places[AM_CELLS_MAX];

    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct am_err err = {0};

        ok(am_synth_new(&refused[i], &synth, &err) == AM_E_USAGE, "refused: %s", err.text);
    }
    for (size_t i = 0; i < 3; i++) {
        struct am_err err = {0};
        static const size_t sides[] = {63, 4097, 640};

        ok(am_tracker_new(&am_track_defaults, sides[i], 480, &outside, 1, &tracker, &err) != AM_OK,
           "refused: %s", err.text);
    }
    memset(frame, 99, sizeof(frame));
    ok(detect((struct am_detect_setup){0, 100000, 1.8}, places) == 0, "no cells in a flat frame");
    ok(detect((struct am_detect_setup){10, 5, 1.8}, places) == 0, "no rows, no cells");
}

/* ---- files of cells, pictures ---- */

static void check_cells(void)
{
    static const struct {
        const char *text;
        size_t n; /* 0: refused */
    } cases[] = {{"cell,x,y\n0,1,2\n", 1},
                 {"4,1.5,2\r\n\n5, 3 ,4", 2},
                 {"", 0},
                 {"cell,x,y\n", 0},
                 {"0,1\n", 0},
                 {"0,1,2,3\n", 0},
                 {"0,1,x\n", 0},
                 {"0,1,2\n0,3,4\n", 0},
                 {"0,nan,2\n", 0}};
    struct am_cells *const cells = calloc(1, sizeof(*cells));

    for (size_t i = 0; cells && i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_err err = {0};
        const enum am_status s =
            am_cells_parse("f", cases[i].text, strlen(cases[i].text), cells, &err);

        ok(cases[i].n ? s == AM_OK && cells->n == cases[i].n : s == AM_E_PARSE,
           "cells of case %zu: %s", i, s == AM_OK ? "read" : err.text);
    }
    free(cells);
}

static void check_picture(void)
{
    static const uint8_t grey[64 * 64];
    struct am_picture picture = {0};
    struct am_snake snake;
    struct am_err err = {0};
    struct am_text png, pgm;

    am_text_init(&png, AM_PICTURE_BYTES_MAX);
    am_text_init(&pgm, AM_PICTURE_BYTES_MAX);
    am_snake_init(&snake, (struct am_centre){60, 32}); /* half of it outside */
    if (am_picture_init(&picture, (struct am_image){grey, 64, 64}, &err) == AM_OK) {
        am_picture_draw(&picture, &snake);
        am_picture_png(&picture, &png);
        am_picture_pgm(&picture, &pgm);
    }
    ok(pgm.len == 13 + 64 * 64 && (uint8_t)pgm.data[13 + 32 * 64 + 50] == 255,
       "a contour is white in a PGM");
    ok(png.len == 8 + 25 + 12 + 2 + 5 + 64 * (1 + 3 * 64) + 4 + 12 &&
           memcmp(png.data + png.len - 8, "IEND\xae\x42\x60\x82", 8) == 0,
       "a PNG ends with the check sum that all of them have");
    am_text_fini(&png);
    am_text_fini(&pgm);
    am_picture_fini(&picture);
}

int main(void)
{
    check_steps();
    check_stop();
    check_windows();
    check_snake();
    check_parts(AM_LEUKO_AVX2, "AVX2");
    check_parts(AM_LEUKO_AVX512, "AVX-512");
    check_tracking();
    check_expected();
    check_limits();
    check_cells();
    check_picture();
    return tap_done();
}
