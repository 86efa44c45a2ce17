/* SPDX-License-Identifier: MIT */
/* Tracks that are right are believed; tracks that are put onto another cell, thrown aside, left
 * behind or pushed over the border are not, from that frame on. */
#include "app/leukocyte/synth.h"
#include "app/leukocyte/cell_watch.h"
#include "tap.h"

#include <stdlib.h>

enum { CELLS = 12, FRAMES = 12, WRONG_FROM = 8, VICTIM = 3, OTHER = 7 };

typedef void plant_fn(struct am_leuko_cell *cells, size_t t);

static void nothing(struct am_leuko_cell *cells, size_t t)
{
    (void)cells, (void)t;
}

static void onto_another(struct am_leuko_cell *cells, size_t t)
{
    if (t >= WRONG_FROM)
        cells[VICTIM].snake = cells[OTHER].snake;
}

static void aside(struct am_leuko_cell *cells, size_t t)
{
    if (t >= WRONG_FROM)
        cells[VICTIM].snake.centre.y += 5;
}

/* Away from the cell by half a pixel per frame: no jump. */
static void slowly_away(struct am_leuko_cell *cells, size_t t)
{
    cells[VICTIM].snake.centre.y -= 1.2 * (double)t;
}

static void over_the_border(struct am_leuko_cell *cells, size_t t)
{
    if (t >= WRONG_FROM)
        cells[VICTIM].snake.centre.x = 3;
}

static void check(const struct am_synth *synth, const char *what, plant_fn *plant,
                  enum am_lost lost, bool at_once)
{
    uint8_t *const pixels = malloc((size_t)AM_SYNTH_WIDTH * AM_SYNTH_HEIGHT);
    struct am_leuko_cell cells[CELLS] = {0};
    const struct am_cell_watched *watched = NULL;
    struct am_cell_watch *watch = NULL;
    struct am_err err = {0};
    size_t others = 0;

    if (!pixels || am_cell_watch_new(CELLS, &watch, &err) != AM_OK) {
        ok(false, "memory %s", err.text);
        free(pixels);
        return;
    }
    for (size_t t = 0; t < FRAMES; t++) {
        am_synth_frame(synth, t, pixels);
        for (size_t i = 0; i < CELLS; i++)
            am_snake_init(&cells[i].snake, am_synth_centre(synth, t, i));
        plant(cells, t);
        watched = am_cell_watch_frame(
            watch, (struct am_image){pixels, AM_SYNTH_WIDTH, AM_SYNTH_HEIGHT}, t, cells);
    }
    for (size_t i = 0; i < CELLS; i++)
        others += i != VICTIM && watched[i].lost != AM_LOST_NOT;
    ok(watched[VICTIM].lost == lost && (!at_once || watched[VICTIM].since == WRONG_FROM),
       "%s: %s (frame %zu, confidence %.2f)", what, am_lost_reasons[watched[VICTIM].lost],
       watched[VICTIM].since, watched[VICTIM].confidence);
    ok(others == (size_t)(lost == AM_LOST_TOUCHED) && watched[0].confidence > 0.8,
       "the others are believed: %zu are not; confidence of one is %.2f", others,
       watched[0].confidence);
    am_cell_watch_free(watch);
    free(pixels);
}

int main(void)
{
    struct am_synth_setup setup = am_synth_defaults;
    struct am_synth *synth = NULL;
    struct am_err err = {0};

    setup.cells = CELLS;
    setup.frames = FRAMES;
    setup.speed = 1;
    ok(am_synth_new(&setup, &synth, &err) == AM_OK, "a scene %s", err.text);
    if (synth) {
        check(synth, "nothing wrong", nothing, AM_LOST_NOT, false);
        check(synth, "put onto another cell", onto_another, AM_LOST_TOUCHED, true);
        check(synth, "thrown aside", aside, AM_LOST_JUMPED, true);
        check(synth, "slowly away from its cell", slowly_away, AM_LOST_FADED, false);
        check(synth, "over the border", over_the_border, AM_LOST_BESIDE, true);
    }
    am_synth_free(synth);
    am_cell_watch_free(NULL);
    return tap_done();
}
