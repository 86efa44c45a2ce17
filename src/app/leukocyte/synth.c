/* SPDX-License-Identifier: MIT */
/* A vessel between two walls, cells with a bright body and a dark rim, noise: grey values as in
 * microscopy of living tissue. */
#include "app/leukocyte/synth.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

enum {
    CELLS_MAX = 50,
    FRAMES_MAX = 100,
    PIXELS = AM_SYNTH_WIDTH * AM_SYNTH_HEIGHT,
    TRIES = 20000,   /* places for one cell, before all begin anew */
    RESTARTS = 2000, /* 36 cells need some hundreds at most */
    REACH = 20,      /* pixels from a centre where its cell can be seen */
    PHASES = 5,
};

#define SPEED_MAX 4.0
#define NOISE_MAX 50.0
#define APART 30.0 /* pixels between centres */
#define WALL_TOP 152.0
#define WALL_BOTTOM 280.0

/* Streams of random numbers: cells, then one per frame. */
enum { STREAM_SCENE = 1, STREAM_FRAMES = 16 };

const struct am_synth_setup am_synth_defaults = {
    .cells = 36, .frames = 10, .speed = 2, .noise = 3, .seed = 1};

struct rolling {
    struct am_centre start, velocity; /* velocity: pixels per frame */
    double radius, brightness;
};

struct am_synth {
    struct am_synth_setup setup;
    double phase[PHASES];
    struct rolling cells[CELLS_MAX];
    double *background; /* what all frames share */
};

/* ---- the scene ---- */

static double between(struct am_rng *rng, double low, double high)
{
    return low + (high - low) * am_rng_unit(rng);
}

/* Standard normal, by Box and Muller. */
static double normal(struct am_rng *rng)
{
    const double radius = sqrt(-2 * log(1 - am_rng_unit(rng)));

    return radius * cos(2 * M_PI * am_rng_unit(rng));
}

static struct am_centre centre_at(const struct rolling *cell, double t)
{
    return (struct am_centre){cell->start.x + t * cell->velocity.x,
                              cell->start.y + t * cell->velocity.y};
}

static void make_cell(const struct am_synth_setup *setup, struct am_rng *rng, struct rolling *cell)
{
    const double right = AM_SYNTH_WIDTH - 60 - (double)setup->frames * setup->speed;

    cell->start.x = between(rng, 60, right);
    cell->start.y = between(rng, 166, 272);
    cell->radius = between(rng, 8.5, 10);
    cell->brightness = between(rng, 80, 130);
    cell->velocity.x = setup->speed * between(rng, 0.25, 1);
    cell->velocity.y = setup->speed > 0 ? 0.1 * normal(rng) : 0;
}

/* Far enough from the cells before it. */
static int has_room(const struct am_synth *synth, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct am_centre a = synth->cells[i].start, b = synth->cells[n].start;

        if (hypot(a.x - b.x, a.y - b.y) < APART)
            return 0;
    }
    return 1;
}

/* Cells at random, one after the other. False when one found no place. */
static int place_cells(struct am_synth *synth, struct am_rng *rng)
{
    for (size_t n = 0; n < synth->setup.cells; n++) {
        size_t tries = 0;

        do {
            if (tries++ == TRIES)
                return 0;
            make_cell(&synth->setup, rng, &synth->cells[n]);
        } while (!has_room(synth, n));
    }
    return 1;
}

/* ---- pictures ---- */

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static double background_at(const double *phase, double x, double y)
{
    const double tissue = 130 + 12 * sin(x / 47 + phase[0]) * sin(y / 31 + phase[1]) +
                          8 * sin((x + 2 * y) / 23 + phase[2]);
    const double vessel = 88 + 5 * sin(y / 3.1 + phase[3]) * sin(x / 90 + phase[4]);
    const double inside = logistic((y - WALL_TOP) / 1.5) * logistic((WALL_BOTTOM - y) / 1.5);
    const double top = y - WALL_TOP, bottom = y - WALL_BOTTOM;

    return tissue + inside * (vessel - tissue) + 35 * exp(-top * top / 8) +
           35 * exp(-bottom * bottom / 8);
}

static double cell_at(const struct rolling *cell, double distance)
{
    const double rim = distance - cell->radius - 3;

    return cell->brightness * logistic((cell->radius - distance) / 1.4) -
           14 * exp(-rim * rim / 4.5);
}

static void make_background(struct am_synth *synth)
{
    for (size_t i = 0; i < PIXELS; i++)
        synth->background[i] =
            background_at(synth->phase, (double)(i % AM_SYNTH_WIDTH), (double)(i / AM_SYNTH_WIDTH));
}

/* What the cells add to the pixel at (x, y). */
static double cells_at(const struct am_synth *synth, double t, double x, double y)
{
    double sum = 0;

    for (size_t i = 0; i < synth->setup.cells; i++) {
        const struct am_centre c = centre_at(&synth->cells[i], t);
        const double dx = x - c.x, dy = y - c.y;

        if (dx * dx + dy * dy < REACH * REACH)
            sum += cell_at(&synth->cells[i], sqrt(dx * dx + dy * dy));
    }
    return sum;
}

void am_synth_frame(const struct am_synth *synth, size_t t, uint8_t *pixels)
{
    struct am_rng rng;

    am_rng_seed(&rng, synth->setup.seed, STREAM_FRAMES + t);
    for (size_t i = 0; i < PIXELS; i++) {
        const double x = (double)(i % AM_SYNTH_WIDTH), y = (double)(i / AM_SYNTH_WIDTH);
        const double grey = synth->background[i] + cells_at(synth, (double)t, x, y) +
                            synth->setup.noise * normal(&rng);

        pixels[i] = (uint8_t)lround(fmin(fmax(grey, 0), 255));
    }
}

struct am_centre am_synth_centre(const struct am_synth *synth, size_t t, size_t cell)
{
    return centre_at(&synth->cells[cell], (double)t);
}

double am_synth_radius(const struct am_synth *synth, size_t cell)
{
    return synth->cells[cell].radius;
}

/* ---- life ---- */

static enum am_status check(const struct am_synth_setup *setup, struct am_err *err)
{
    if (setup->cells > CELLS_MAX)
        return am_fail(err, AM_E_USAGE, "%zu cells: the most are %d", setup->cells, CELLS_MAX);
    if (setup->frames < 1 || setup->frames > FRAMES_MAX)
        return am_fail(err, AM_E_USAGE, "%zu frames: 1 to %d", setup->frames, FRAMES_MAX);
    if (!(setup->speed >= 0 && setup->speed <= SPEED_MAX))
        return am_fail(err, AM_E_USAGE, "%g pixels per frame: 0 to %g", setup->speed, SPEED_MAX);
    if (!(setup->noise >= 0 && setup->noise <= NOISE_MAX))
        return am_fail(err, AM_E_USAGE, "noise %g: 0 to %g", setup->noise, NOISE_MAX);
    return AM_OK;
}

static enum am_status make_scene(struct am_synth *synth, struct am_err *err)
{
    struct am_rng rng;
    int placed = 0;

    am_rng_seed(&rng, synth->setup.seed, STREAM_SCENE);
    for (size_t i = 0; i < PHASES; i++)
        synth->phase[i] = between(&rng, 0, 2 * M_PI);
    for (size_t i = 0; !placed && i < RESTARTS; i++)
        placed = place_cells(synth, &rng);
    if (!placed)
        return am_fail(err, AM_E_LIMIT, "%zu cells do not find room %g px apart",
                       synth->setup.cells, APART);
    make_background(synth);
    return AM_OK;
}

void am_synth_free(struct am_synth *synth)
{
    if (!synth)
        return;
    free(synth->background);
    free(synth);
}

enum am_status am_synth_new(const struct am_synth_setup *setup, struct am_synth **synth_p,
                            struct am_err *err)
{
    enum am_status s = check(setup, err);
    struct am_synth *synth;

    if (s != AM_OK)
        return s;
    synth = calloc(1, sizeof(*synth));
    if (!synth)
        return am_fail(err, AM_E_NOMEM, "no memory for a video");
    synth->setup = *setup;
    synth->background = calloc(PIXELS, sizeof(*synth->background));
    s = synth->background ? make_scene(synth, err)
                          : am_fail(err, AM_E_NOMEM, "no memory for a video");
    if (s != AM_OK) {
        am_synth_free(synth);
        return s;
    }
    *synth_p = synth;
    return AM_OK;
}
