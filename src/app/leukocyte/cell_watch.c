/* SPDX-License-Identifier: MIT */
/* Places by pictures and by motion, and tracks that are compared with them. */
#include "app/leukocyte/cell_watch.h"

#include "app/leukocyte/background.h"
#include "app/leukocyte/cell_fit.h"

#include <math.h>
#include <stdlib.h>

enum {
    SEEN = 10,      /* places that a line is laid through */
    KEPT = 40,      /* places that are remembered: forecasts are compared with them */
    MISSES_MIN = 3, /* before that many forecasts nobody knows how good they are */
    ROUNDS = 2,     /* of looking: covers by forecast, then by what was seen */
    COVERS_MAX = 16,
    REFITS = 2, /* of a profile in frame 0, each centred by the one before */
};

#define ERRORS_MOST                                                                                \
    3.0            /* standard errors: nothing is expected to be further off, in many frames       \
                    */
#define NEARER 2.0 /* a place is so many times nearer to its own forecast than to others' */
#define TOGETHER                                                                                   \
    (2 * AM_WATCH_TOLERANCE) /* px between two places that could be one cell's, each within that   \
                              */
#define BESIDE 3.0           /* px around a cell in which a trace of it may be left */
#define TOUCH_RADII 2.2      /* nearer centres have outlines that touch, in mean radii of both */

const char *const am_lost_reasons[AM_LOST_KINDS] = {
    [AM_LOST_NOT] = "followed",
    [AM_LOST_APART] = "the cell itself is elsewhere",
    [AM_LOST_DOUBT] = "its picture does not tell its place to 2 pixels",
    [AM_LOST_HIDDEN] = "another one covers it or may be taken for it",
    [AM_LOST_FADED] = "its picture is no longer seen",
    [AM_LOST_GAP] = "it is a gap between cells",
    [AM_LOST_BESIDE] = "it touches the border of the picture",
};

/* Where the cell was seen. */
struct sight {
    struct am_centre at;
    double error;
    size_t t;
};

/* A cell's past, without its track. */
struct past {
    struct am_cell_profile profile;
    double profile_error;    /* px, of the place that the profile was taken at */
    struct sight seen[KEPT]; /* number k at k % KEPT */
    size_t n_seen;
    bool gap; /* for good */
};

/* The second look at a cell in one frame. */
struct look {
    struct am_centre forecast, at; /* at: seen, or the forecast */
    double forecast_error, error;
    bool seen;
    struct am_cell_fit fit;
    size_t nearest;  /* the other cell that is nearest; itself: there is none */
    double distance; /* to that */
    enum am_lost lost;
    bool believed; /* by itself, without regard to other tracks */
};

struct am_cell_watch {
    size_t n;
    struct past *past;
    struct look *looks;
    struct am_cell_watched *cells;
    struct am_background *background; /* made with the first frame; NULL: no memory for it */
    struct am_cell_cover *discs;      /* two per cell */
};

void am_cell_watch_free(struct am_cell_watch *watch)
{
    if (!watch)
        return;
    free(watch->past);
    free(watch->looks);
    free(watch->cells);
    am_background_free(watch->background);
    free(watch->discs);
    free(watch);
}

enum am_status am_cell_watch_new(size_t n, struct am_cell_watch **watch_p, struct am_err *err)
{
    struct am_cell_watch *const w = calloc(1, sizeof(*w));
    const size_t room = n ? n : 1;

    if (w) {
        w->n = n;
        w->past = calloc(room, sizeof(*w->past));
        w->looks = calloc(room, sizeof(*w->looks));
        w->cells = calloc(room, sizeof(*w->cells));
        w->discs = calloc(2 * room, sizeof(*w->discs));
    }
    if (!w || !w->past || !w->looks || !w->cells || !w->discs) {
        am_cell_watch_free(w);
        return am_fail(err, AM_E_NOMEM, "no memory to watch %zu cells", n);
    }
    *watch_p = w;
    return AM_OK;
}

static double distance(struct am_centre a, struct am_centre b)
{
    return hypot(a.x - b.x, a.y - b.y);
}

/* ---- motion ---- */

static const struct sight *sight(const struct past *past, size_t k)
{
    return &past->seen[k % KEPT];
}

static const struct sight *newest(const struct past *past)
{
    return sight(past, past->n_seen - 1);
}

/* The number of the oldest that is remembered. */
static size_t oldest(const struct past *past)
{
    return past->n_seen < KEPT ? 0 : past->n_seen - KEPT;
}

/* Where motion leads by frame t: on along the line of least squares through the places up to number
 * `last`. One place alone stays. */
static struct am_centre lead(const struct past *past, size_t last, size_t t)
{
    const size_t first = last + 1 - oldest(past) < SEEN ? oldest(past) : last + 1 - SEEN;
    const double n = (double)(last + 1 - first);
    double mean_t = 0, square = 0, along_x = 0, along_y = 0;
    struct am_centre mean = {0, 0};

    for (size_t k = first; k <= last; k++) {
        mean_t += (double)sight(past, k)->t / n;
        mean.x += sight(past, k)->at.x / n;
        mean.y += sight(past, k)->at.y / n;
    }
    for (size_t k = first; k <= last; k++) {
        const double dt = (double)sight(past, k)->t - mean_t;

        square += dt * dt;
        along_x += dt * (sight(past, k)->at.x - mean.x);
        along_y += dt * (sight(past, k)->at.y - mean.y);
    }
    if (square > 0) {
        mean.x += ((double)t - mean_t) * along_x / square;
        mean.y += ((double)t - mean_t) * along_y / square;
    }
    return mean;
}

/* How far forecasts for `ahead` frames or more have been off, the last SEEN of them (standard
 * error). NAN: too few to tell. */
static double usual_miss(const struct past *past, size_t ahead)
{
    size_t n = 0, from = past->n_seen - 1;
    double sum = 0;

    for (size_t k = past->n_seen - 1; k > oldest(past) && n < SEEN; k--) {
        from = from < k ? from : k - 1;
        while (from > oldest(past) && sight(past, k)->t - sight(past, from)->t < ahead)
            from--;
        if (from == oldest(past)) /* one place has no velocity */
            break;
        const double off = distance(sight(past, k)->at, lead(past, from, sight(past, k)->t));

        sum += off * off;
        n++;
    }
    return n >= MISSES_MIN ? sqrt(sum / (double)n) : NAN;
}

/* The error is that of past forecasts as far ahead, and that of the place they lead on from: what
 * pulls at a cell's picture does so for many frames, and forecasts do not show it. Where none were
 * made that far it is taken to grow with every frame. */
static void forecast(const struct past *past, size_t t, struct look *look)
{
    const size_t ahead = t - newest(past)->t;

    look->forecast = lead(past, past->n_seen - 1, t);
    look->forecast_error = INFINITY;
    for (size_t h = ahead; h > 0; h--) {
        const double miss = usual_miss(past, h);

        if (!isnan(miss)) {
            look->forecast_error = hypot(miss * (double)ahead / (double)h, newest(past)->error);
            break;
        }
    }
}

/* The cell was seen: forecasts are made from there. */
static void remember(struct past *past, const struct look *look, size_t t)
{
    past->seen[past->n_seen++ % KEPT] = (struct sight){look->at, look->error, t};
}

/* ---- pictures ---- */

static size_t find_covers(const struct am_cell_watch *w, size_t i, struct am_cell_cover *covers)
{
    size_t n = 0;

    for (size_t k = 0; k < w->n && n < COVERS_MAX; k++) {
        const double reach = w->past[i].profile.reach + w->past[k].profile.reach;

        if (k != i && distance(w->looks[i].at, w->looks[k].at) < reach + AM_CELL_RINGS)
            covers[n++] = (struct am_cell_cover){w->looks[k].at, w->past[k].profile.reach};
    }
    return n;
}

/* On the background where enough of that is known, or else by the picture as it is. */
static struct am_cell_fit find_cell(const struct am_cell_watch *w, struct am_image frame, size_t i)
{
    const struct am_cell_profile *const profile = &w->past[i].profile;
    struct am_cell_fit fit = {.found = false};
    struct am_cell_cover covers[COVERS_MAX];
    const size_t n = find_covers(w, i, covers);

    if (w->background)
        fit = am_cell_profile_find(profile, frame, w->looks[i].at, covers, n,
                                   am_background_grey(w->background));
    return fit.found ? fit : am_cell_profile_find(profile, frame, w->looks[i].at, covers, n, NULL);
}

/* Every cell by its picture, all from the same places. */
static void look_once(struct am_cell_watch *w, struct am_image frame)
{
    for (size_t i = 0; i < w->n; i++)
        w->looks[i].fit = find_cell(w, frame, i);
    for (size_t i = 0; i < w->n; i++) {
        struct look *const look = &w->looks[i];

        look->seen = look->fit.found && ERRORS_MOST * look->fit.error <= AM_WATCH_TOLERANCE;
        look->at = look->seen ? look->fit.at : look->forecast;
    }
}

/* Whether what was seen is this cell: near its own forecast, and not as near to another's. */
static bool is_its_own(const struct am_cell_watch *w, size_t i)
{
    const struct look *const look = &w->looks[i];
    const double off = distance(look->at, look->forecast);

    if (off > ERRORS_MOST * hypot(look->forecast_error, look->fit.error))
        return false;
    for (size_t k = 0; k < w->n; k++) {
        if (k != i && NEARER * off > distance(look->at, w->looks[k].forecast))
            return false;
    }
    return true;
}

static void find_nearest(struct am_cell_watch *w, size_t i)
{
    struct look *const look = &w->looks[i];

    look->nearest = i;
    look->distance = INFINITY;
    for (size_t k = 0; k < w->n; k++) {
        const double d = distance(look->at, w->looks[k].at);

        if (k != i && d < look->distance) {
            look->nearest = k;
            look->distance = d;
        }
    }
}

/* Places of all cells in frame t. */
static void look_again(struct am_cell_watch *w, struct am_image frame, size_t t)
{
    for (size_t i = 0; i < w->n; i++) {
        forecast(&w->past[i], t, &w->looks[i]);
        w->looks[i].at = w->looks[i].forecast;
    }
    for (size_t round = 0; round < ROUNDS; round++)
        look_once(w, frame);
    for (size_t i = 0; i < w->n; i++)
        w->looks[i].seen = w->looks[i].seen && is_its_own(w, i);
    for (size_t i = 0; i < w->n; i++) {
        struct look *const look = &w->looks[i];

        look->at = look->seen ? look->fit.at : look->forecast;
        look->error =
            look->seen ? hypot(look->fit.error, w->past[i].profile_error) : look->forecast_error;
    }
    for (size_t i = 0; i < w->n; i++) {
        find_nearest(w, i);
        if (w->looks[i].seen)
            remember(&w->past[i], &w->looks[i], t);
    }
}

/* Frame 0: the track is right, and shows what the cell looks like. */
static void learn(struct am_cell_watch *w, struct am_image frame, size_t i, struct am_centre at)
{
    struct past *const past = &w->past[i];
    struct am_cell_fit fit;

    am_cell_profile_learn(frame, at, &past->profile);
    for (size_t k = 0; k < REFITS; k++) {
        fit = am_cell_profile_find(&past->profile, frame, at, NULL, 0, NULL);
        if (!fit.found || distance(fit.at, at) > AM_WATCH_TOLERANCE)
            break;
        at = fit.at;
        past->profile_error = fit.error;
        am_cell_profile_learn(frame, at, &past->profile);
    }
    past->seen[0] = (struct sight){at, 0, 0};
    past->n_seen = 1;
    w->looks[i] = (struct look){.forecast = at, .at = at, .seen = true, .nearest = i};
}

/* What no cell covers is background, by the second look and by the track: one of them may be
 * wrong. */
static void learn_background(struct am_cell_watch *w, struct am_image frame,
                             const struct am_leuko_cell *cells)
{
    for (size_t i = 0; i < w->n; i++) {
        const double radius = w->past[i].profile.reach + BESIDE;

        w->discs[2 * i] = (struct am_cell_cover){w->looks[i].at, radius};
        w->discs[2 * i + 1] = (struct am_cell_cover){cells[i].snake.centre, radius};
    }
    if (w->background)
        am_background_add(w->background, frame, w->discs, 2 * w->n);
}

/* ---- tracks ---- */

static bool is_bright(const struct am_cell_profile *profile)
{
    return profile->grey[0] > 0;
}

/* Cells are bright or dark; what is the other beside one, and weaker, is what lies between them. */
static void find_gaps(struct am_cell_watch *w, const struct am_leuko_cell *cells)
{
    for (size_t i = 0; i < w->n; i++) {
        for (size_t k = i + 1; k < w->n; k++) {
            const struct am_cell_profile *const a = &w->past[i].profile, *const b =
                                                                             &w->past[k].profile;
            const double radius =
                (am_snake_mean_radius(&cells[i].snake) + am_snake_mean_radius(&cells[k].snake)) / 2;
            const size_t weaker = a->range < b->range ? i : k;

            if (is_bright(a) == is_bright(b) || w->past[weaker].gap ||
                distance(cells[i].snake.centre, cells[k].snake.centre) >= TOUCH_RADII * radius)
                continue;
            w->past[weaker].gap = true;
            w->cells[weaker].other = weaker == i ? k : i;
        }
    }
}

static bool is_inside(struct am_image frame, const struct am_snake *snake)
{
    const double r = am_snake_mean_radius(snake);
    const struct am_centre at = snake->centre;

    return at.x - r >= 0 && at.y - r >= 0 && at.x + r <= (double)(frame.width - 1) &&
           at.y + r <= (double)(frame.height - 1);
}

/* The probability that a place is within the tolerance, if errors are normal. */
static double confidence(double off, double error)
{
    if (!(error < INFINITY))
        return 0;
    return error > 0 ? erfc((off - AM_WATCH_TOLERANCE) / error / M_SQRT2) / 2
                     : off <= AM_WATCH_TOLERANCE;
}

static enum am_lost judge(const struct am_cell_watch *w, struct am_image frame, size_t i,
                          const struct am_leuko_cell *cell)
{
    const struct look *const look = &w->looks[i];
    const double off = distance(cell->snake.centre, look->at);
    const bool covered =
        look->distance < w->past[i].profile.reach + w->past[look->nearest].profile.reach;

    if (w->past[i].gap)
        return AM_LOST_GAP;
    if (!is_inside(frame, &cell->snake))
        return AM_LOST_BESIDE;
    if (look->nearest != i && look->distance < TOGETHER)
        return AM_LOST_HIDDEN;
    if (off + ERRORS_MOST * look->error <= AM_WATCH_TOLERANCE)
        return AM_LOST_NOT;
    if (off > AM_WATCH_TOLERANCE)
        return AM_LOST_APART;
    if (look->seen)
        return AM_LOST_DOUBT;
    return look->nearest != i && covered ? AM_LOST_HIDDEN : AM_LOST_FADED;
}

/* Two tracks that would be believed and are so near that both could be on one cell: neither is. */
static void part(struct am_cell_watch *w, const struct am_leuko_cell *cells)
{
    for (size_t i = 0; i < w->n; i++) {
        for (size_t k = 0; k < i; k++) {
            struct look *const a = &w->looks[i], *const b = &w->looks[k];

            if (a->believed && b->believed &&
                distance(cells[i].snake.centre, cells[k].snake.centre) < TOGETHER) {
                a->lost = b->lost = AM_LOST_HIDDEN;
                a->nearest = k;
                b->nearest = i;
            }
        }
    }
}

static void conclude(struct am_cell_watch *w, size_t t, size_t i, struct am_centre track)
{
    const struct look *const look = &w->looks[i];
    struct am_cell_watched *const out = &w->cells[i];

    out->confidence = confidence(distance(track, look->at), look->error);
    if (look->lost != AM_LOST_NOT && out->lost == AM_LOST_NOT)
        out->since = t;
    if (look->lost == AM_LOST_HIDDEN)
        out->other = look->nearest;
    out->lost = look->lost;
}

const struct am_cell_watched *am_cell_watch_frame(struct am_cell_watch *watch,
                                                  struct am_image frame, size_t t,
                                                  const struct am_leuko_cell *cells)
{
    if (t == 0 && !watch->background)
        watch->background = am_background_new(frame.width, frame.height);
    for (size_t i = 0; i < watch->n && t == 0; i++)
        learn(watch, frame, i, cells[i].snake.centre);
    if (t > 0)
        look_again(watch, frame, t);
    for (size_t i = 0; i < watch->n && t == 0; i++)
        find_nearest(watch, i);
    find_gaps(watch, cells);
    for (size_t i = 0; i < watch->n; i++) {
        watch->looks[i].lost = judge(watch, frame, i, &cells[i]);
        watch->looks[i].believed = watch->looks[i].lost == AM_LOST_NOT;
    }
    part(watch, cells);
    learn_background(watch, frame, cells);
    for (size_t i = 0; i < watch->n; i++)
        conclude(watch, t, i, cells[i].snake.centre);
    return watch->cells;
}
