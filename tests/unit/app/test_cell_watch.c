/* SPDX-License-Identifier: MIT */
/* Tracks that are right are believed; tracks that are put onto another cell, exchanged, thrown
 * aside, left behind or pushed over the border are not, from that frame on and until they are right
 * again. Cells are found by their own pictures, also where half of one is covered. */
#include "app/leukocyte/cell_fit.h"
#include "app/leukocyte/cell_watch.h"
#include "app/leukocyte/synth.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>

enum { CELLS = 12, FRAMES = 12, WRONG_FROM = 8, VICTIM = 3, OTHER = 7 };

typedef void plant_fn(struct am_leuko_cell *cells, size_t t);

/* An error of tracks, and what is to be said of the victim in the end. */
struct plant {
    const char *what;
    plant_fn *plant;
    enum am_lost lost;
    size_t since;  /* frame of the loss, where there is one */
    size_t others; /* that are lost, too; one more may be in doubt: it lies at a wall */
};

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

/* Away from the cell by so little per frame that no step is a jump. */
static void slowly_away(struct am_leuko_cell *cells, size_t t)
{
    cells[VICTIM].snake.centre.y -= 0.7 * (double)t;
}

/* 2.4 px off in two frames, and back again. */
static void out_and_back(struct am_leuko_cell *cells, size_t t)
{
    static const double off[FRAMES] = {[3] = 0.5, 1, 1.5, 2.4, 2.4, 1.5, 0.5};

    cells[VICTIM].snake.centre.x += off[t];
}

static void exchanged(struct am_leuko_cell *cells, size_t t)
{
    const struct am_leuko_cell victim = cells[VICTIM];

    if (t < WRONG_FROM)
        return;
    cells[VICTIM] = cells[OTHER];
    cells[OTHER] = victim;
}

static void over_the_border(struct am_leuko_cell *cells, size_t t)
{
    if (t >= WRONG_FROM)
        cells[VICTIM].snake.centre.x = 3;
}

static void over_the_far_border(struct am_leuko_cell *cells, size_t t)
{
    if (t >= WRONG_FROM)
        cells[VICTIM].snake.centre.x = AM_SYNTH_WIDTH - 4;
}

static void under_the_border(struct am_leuko_cell *cells, size_t t)
{
    if (t >= WRONG_FROM)
        cells[VICTIM].snake.centre.y = AM_SYNTH_HEIGHT - 4;
}

/* Frames of one scene, drawn once. */
struct film {
    struct am_synth *synth;
    uint8_t *pixels;
    size_t frames;
};

static struct film make_film(size_t cells, size_t frames, size_t length, double speed)
{
    const size_t size = (size_t)AM_SYNTH_WIDTH * AM_SYNTH_HEIGHT;
    struct film film = {.frames = frames, .pixels = malloc(frames * size)};
    struct am_synth_setup setup = am_synth_defaults;
    struct am_err err = {0};

    setup.cells = cells;
    setup.frames = length;
    setup.speed = speed;
    ok(film.pixels && am_synth_new(&setup, &film.synth, &err) == AM_OK, "seed %llu: %zu cells %s",
       (unsigned long long)setup.seed, cells, err.text);
    for (size_t t = 0; film.synth && t < frames; t++)
        am_synth_frame(film.synth, t, film.pixels + t * size);
    return film;
}

static void free_film(struct film *film)
{
    am_synth_free(film->synth);
    free(film->pixels);
}

static struct am_image picture(const struct film *film, size_t t)
{
    return (struct am_image){film->pixels + t * AM_SYNTH_WIDTH * AM_SYNTH_HEIGHT, AM_SYNTH_WIDTH,
                             AM_SYNTH_HEIGHT};
}

/* Tracks at the true places of all cells of one frame. */
static void true_tracks(const struct am_synth *synth, size_t t, struct am_leuko_cell *cells,
                        size_t n)
{
    for (size_t i = 0; i < n; i++)
        am_snake_init(&cells[i].snake, am_synth_centre(synth, t, i));
}

static void check(const struct film *film, const struct plant *p)
{
    struct am_leuko_cell cells[CELLS] = {0};
    const struct am_cell_watched *watched = NULL;
    struct am_cell_watch *watch = NULL;
    struct am_err err = {0};
    size_t others = 0, since = 0;

    if (am_cell_watch_new(CELLS, &watch, &err) != AM_OK) {
        ok(false, "memory %s", err.text);
        return;
    }
    for (size_t t = 0; t < FRAMES; t++) {
        true_tracks(film->synth, t, cells, CELLS);
        p->plant(cells, t);
        watched = am_cell_watch_frame(watch, picture(film, t), t, cells);
        if (watched[VICTIM].lost != AM_LOST_NOT)
            since = watched[VICTIM].since;
    }
    for (size_t i = 0; i < CELLS; i++)
        others += i != VICTIM && watched[i].lost != AM_LOST_NOT;
    ok(watched[VICTIM].lost == p->lost && since == p->since, "%s: %s (frame %zu, confidence %.2f)",
       p->what, am_lost_reasons[watched[VICTIM].lost], since, watched[VICTIM].confidence);
    ok(others >= p->others && others <= p->others + 1 && watched[0].confidence > 0.9,
       "the others are believed: %zu are not; confidence of one is %.2f", others,
       watched[0].confidence);
    am_cell_watch_free(watch);
}

/* ---- many cells that pass each other ---- */

enum { MANY = 36, MANY_FRAMES = 16, MANY_FIRST = 3 };

struct outcome {
    size_t places, believed, believed_wrong;
    size_t doubted, contradicted; /* by their reason; whose confidence says another thing */
};

/* A cell that is elsewhere is so more likely than not; one whose place is in doubt is not; a track
 * that is believed is right but for three standard errors of one side. */
static bool contradicts(const struct am_cell_watched *w)
{
    static const double sure = 0.99865;

    return (w->lost == AM_LOST_APART && w->confidence >= 0.5) ||
           (w->lost == AM_LOST_DOUBT && (w->confidence < 0.5 || w->confidence >= sure)) ||
           (w->lost == AM_LOST_NOT && w->confidence < sure - 1e-9);
}

/* Every third track is 4 px off its cell, from a frame on that differs from cell to cell. */
static void displace(struct am_leuko_cell *cells, size_t t)
{
    for (size_t i = 0; i < MANY; i += 3) {
        if (t >= MANY_FIRST + i / 3) {
            cells[i].snake.centre.x += 4 * cos((double)i);
            cells[i].snake.centre.y += 4 * sin((double)i);
        }
    }
}

static struct outcome watch_many(const struct film *film, plant_fn *plant)
{
    static struct am_leuko_cell cells[MANY];
    struct am_cell_watch *watch = NULL;
    struct am_err err = {0};
    struct outcome out = {0};

    if (am_cell_watch_new(MANY, &watch, &err) != AM_OK)
        return out;
    for (size_t t = 0; t < MANY_FRAMES; t++) {
        const struct am_cell_watched *watched;

        true_tracks(film->synth, t, cells, MANY);
        plant(cells, t);
        watched = am_cell_watch_frame(watch, picture(film, t), t, cells);
        for (size_t i = 0; i < MANY; i++) {
            const struct am_centre at = am_synth_centre(film->synth, t, i);
            const struct am_centre track = cells[i].snake.centre;
            const bool wrong = hypot(at.x - track.x, at.y - track.y) > AM_WATCH_TOLERANCE;

            out.places++;
            out.believed += !wrong && watched[i].lost == AM_LOST_NOT;
            out.believed_wrong += wrong && watched[i].lost == AM_LOST_NOT;
            out.doubted += watched[i].lost == AM_LOST_DOUBT;
            out.contradicted += contradicts(&watched[i]);
        }
    }
    am_cell_watch_free(watch);
    return out;
}

/* A scene of 100 frames is dense: cells begin where none leaves the picture by then. */
static void check_many(void)
{
    struct film film = make_film(MANY, MANY_FRAMES, 100, 2);

    if (film.synth) {
        const struct outcome right = watch_many(&film, nothing),
                             wrong = watch_many(&film, displace);

        ok(right.places == (size_t)MANY * MANY_FRAMES && 10 * right.believed >= 9 * right.places,
           "of %zu places that are right %zu are believed", right.places, right.believed);
        ok(wrong.places > 0 && wrong.believed_wrong == 0,
           "no place that is 4 px off is believed: %zu are", wrong.believed_wrong);
        ok(right.contradicted + wrong.contradicted == 0 && right.doubted + wrong.doubted > 0,
           "reasons and confidence say the same: not so of %zu (%zu places are in doubt)",
           right.contradicted + wrong.contradicted, right.doubted + wrong.doubted);
    }
    free_film(&film);
}

/* ---- one picture ---- */

/* The victim found in frame 4 by its picture of frame 0. */
static struct am_cell_fit find(const struct film *film, const struct am_cell_cover *covers,
                               size_t n)
{
    struct am_centre at = am_synth_centre(film->synth, 4, VICTIM);
    struct am_cell_profile profile;

    am_cell_profile_learn(picture(film, 0), am_synth_centre(film->synth, 0, VICTIM), &profile);
    at.x += 1.5;
    at.y -= 1;
    return am_cell_profile_find(&profile, picture(film, 4), at, covers, n, NULL);
}

static void check_covered(const struct film *film)
{
    const struct am_centre at = am_synth_centre(film->synth, 4, VICTIM);
    const struct am_cell_cover half = {{at.x + 12, at.y}, 12}, all = {at, 30};
    struct am_cell_fit fit = find(film, NULL, 0);

    ok(fit.found && hypot(fit.at.x - at.x, fit.at.y - at.y) < 0.5 && fit.error < 0.3,
       "found %.2f px off, standard error %.2f", hypot(fit.at.x - at.x, fit.at.y - at.y),
       fit.error);
    fit = find(film, &half, 1);
    ok(fit.found && hypot(fit.at.x - at.x, fit.at.y - at.y) < 1,
       "half of it covered: %.2f px off, standard error %.2f",
       hypot(fit.at.x - at.x, fit.at.y - at.y), fit.error);
    fit = find(film, &all, 1);
    ok(!fit.found, "all of it covered: not found");
}

static void check_flat(const struct film *film)
{
    const struct am_image frame = picture(film, 0);
    struct am_cell_profile profile;

    for (size_t i = 0; i < (size_t)AM_SYNTH_WIDTH * AM_SYNTH_HEIGHT; i++)
        film->pixels[i] = 90;
    am_cell_profile_learn(frame, (struct am_centre){0, 0}, &profile);
    ok(!am_cell_profile_find(&profile, frame, (struct am_centre){0, 0}, NULL, 0, NULL).found,
       "nothing is found in a flat picture, nor at its corner");
}

int main(void)
{
    static const struct plant plants[] = {
        {"nothing wrong", nothing, AM_LOST_NOT, 0, 0},
        {"put onto another cell", onto_another, AM_LOST_APART, WRONG_FROM, 0},
        {"exchanged with another", exchanged, AM_LOST_APART, WRONG_FROM, 1},
        {"thrown aside", aside, AM_LOST_APART, WRONG_FROM, 0},
        {"slowly away from its cell", slowly_away, AM_LOST_APART, 3, 0},
        {"away from it and back", out_and_back, AM_LOST_NOT, 6, 0},
        {"over the border", over_the_border, AM_LOST_BESIDE, WRONG_FROM, 0},
        {"over the far border", over_the_far_border, AM_LOST_BESIDE, WRONG_FROM, 0},
        {"under the border", under_the_border, AM_LOST_BESIDE, WRONG_FROM, 0},
    };
    struct film film = make_film(CELLS, FRAMES, FRAMES, 1);

    for (size_t i = 0; film.synth && i < sizeof(plants) / sizeof(plants[0]); i++)
        check(&film, &plants[i]);
    if (film.synth) {
        check_covered(&film);
        check_flat(&film);
    }
    check_many();
    free_film(&film);
    am_cell_watch_free(NULL);
    return tap_done();
}
