/* SPDX-License-Identifier: MIT */
/* Edges along contours, ways from frame to frame, and tracks that meet. */
#include "app/leukocyte/cell_watch.h"

#include <math.h>
#include <stdlib.h>

enum {
    ANGLES = 60,
    WAYS = 7,         /* steps whose median is the usual one */
    WAYS_MIN = 3,     /* before that many nothing is usual */
    VELOCITY_MIN = 5, /* frames from which a velocity is made */
    PARTED_MIN = 5,   /* frames without a touch before a cell is believed again */
};

#define EDGE_HALVES 4      /* half pixels beside the contour in which its edge may lie */
#define EDGE_STRENGTH 0.5  /* of the edge that the cell began with, to be one like it */
#define CONFIDENCE_MIN 0.5 /* below it a cell has faded */
#define TOUCH_RADII 2.2    /* nearer centres have outlines that touch, in mean radii of both */
#define PART_RADII 2.4     /* and further ones have parted */
#define JUMP_RADII 0.3     /* a step is not further from the usual one */
#define FOUND_RADII 1.0    /* a cell is within this of where it must be; others are far */

const char *const am_lost_reasons[AM_LOST_KINDS] = {
    [AM_LOST_NOT] = "followed",
    [AM_LOST_TOUCHED] = "its outline touches another one's",
    [AM_LOST_GAP] = "it is a gap between cells",
    [AM_LOST_JUMPED] = "it moved as it never had",
    [AM_LOST_FADED] = "its outline is no longer seen",
    [AM_LOST_BESIDE] = "it touches the border of the picture",
};

/* A cell's past. */
struct past {
    double sign, strength; /* of the edge in frame 0: outward if positive; its median */
    struct am_centre at;   /* in the frame before */
    struct am_centre way[WAYS];
    size_t ways;
    struct am_centre first; /* in frame 0 */
    bool touching, gone;    /* gone: lost for good */
    struct am_centre left;  /* before it touched, in frame left_at */
    size_t left_at;
    size_t parted; /* frames since it touched last */
};

/* A neighbour's outline that touches a cell's. */
struct touch {
    bool touches;
    size_t other;
};

struct am_cell_watch {
    size_t n;
    struct past *past;
    struct am_cell_watched *cells;
    struct touch *touches;
    double cosine[ANGLES], sine[ANGLES];
};

void am_cell_watch_free(struct am_cell_watch *watch)
{
    if (!watch)
        return;
    free(watch->past);
    free(watch->cells);
    free(watch->touches);
    free(watch);
}

enum am_status am_cell_watch_new(size_t n, struct am_cell_watch **watch_p, struct am_err *err)
{
    struct am_cell_watch *const w = calloc(1, sizeof(*w));
    const size_t room = n ? n : 1;

    if (w) {
        w->n = n;
        w->past = calloc(room, sizeof(*w->past));
        w->cells = calloc(room, sizeof(*w->cells));
        w->touches = calloc(room, sizeof(*w->touches));
    }
    if (!w || !w->past || !w->cells || !w->touches) {
        am_cell_watch_free(w);
        return am_fail(err, AM_E_NOMEM, "no memory to watch %zu cells", n);
    }
    for (size_t i = 0; i < ANGLES; i++) {
        w->cosine[i] = cos(2 * M_PI * (double)i / ANGLES);
        w->sine[i] = sin(2 * M_PI * (double)i / ANGLES);
    }
    *watch_p = w;
    return AM_OK;
}

/* ---- edges ---- */

static bool is_inside(struct am_image frame, double x, double y)
{
    return x >= 0 && y >= 0 && x < (double)(frame.width - 1) && y < (double)(frame.height - 1);
}

static double grey(struct am_image frame, double x, double y)
{
    const uint8_t *const at = frame.pixels + (size_t)y * frame.width + (size_t)x;
    const double u = x - floor(x), v = y - floor(y);

    return (1 - v) * ((1 - u) * at[0] + u * at[1]) +
           v * ((1 - u) * at[frame.width] + u * at[frame.width + 1]);
}

/* The contour's radius at one of ANGLES angles. */
static double radius_at(const struct am_snake *snake, size_t angle)
{
    const double place = (double)angle * AM_SNAKE_POINTS / ANGLES, part = place - floor(place);
    const size_t i = (size_t)place, next = (i + 1) % AM_SNAKE_POINTS;

    return (1 - part) * snake->radius[i] + part * snake->radius[next];
}

/* The strongest slope of this sign (0: of any) across the contour near it. NAN outside. */
static double slope_at(const struct am_cell_watch *w, struct am_image frame,
                       const struct am_snake *snake, size_t angle, double sign)
{
    const double c = w->cosine[angle], s = w->sine[angle], radius = radius_at(snake, angle);
    double best = 0;

    for (int half = -EDGE_HALVES; half <= EDGE_HALVES; half++) {
        const double beside = 0.5 * half;
        const double x = snake->centre.x + (radius + beside) * c;
        const double y = snake->centre.y + (radius + beside) * s;
        double slope;

        if (!is_inside(frame, x - c, y - s) || !is_inside(frame, x + c, y + s))
            return NAN;
        slope = (grey(frame, x + c, y + s) - grey(frame, x - c, y - s)) / 2;
        if (sign * slope >= 0 && fabs(slope) > fabs(best))
            best = slope;
    }
    return best;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *x, size_t n)
{
    qsort(x, n, sizeof(*x), by_value);
    return n ? (x[(n - 1) / 2] + x[n / 2]) / 2 : 0;
}

/* What the cell began with. */
static void learn(const struct am_cell_watch *w, struct am_image frame,
                  const struct am_snake *snake, struct past *past)
{
    double size[ANGLES], sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < ANGLES; i++) {
        const double slope = slope_at(w, frame, snake, i, 0);

        sum += isnan(slope) ? 0 : slope;
    }
    past->sign = sum < 0 ? -1 : 1;
    for (size_t i = 0; i < ANGLES; i++) {
        const double slope = slope_at(w, frame, snake, i, past->sign);

        if (!isnan(slope))
            size[n++] = fabs(slope);
    }
    past->strength = median(size, n);
}

/* The share of the contour that lies on such an edge. *inside: how much of it is in the picture. */
static double confidence(const struct am_cell_watch *w, struct am_image frame,
                         const struct am_snake *snake, const struct past *past, double *inside)
{
    size_t seen = 0, like = 0;

    for (size_t i = 0; i < ANGLES; i++) {
        const double slope = slope_at(w, frame, snake, i, past->sign);

        seen += !isnan(slope);
        like += fabs(slope) >= EDGE_STRENGTH * past->strength;
    }
    *inside = (double)seen / ANGLES;
    return past->strength > 0 ? (double)like / ANGLES : 0;
}

/* ---- ways ---- */

/* The usual step, by each coordinate's median. */
static struct am_centre usual_way(const struct past *past)
{
    const size_t n = past->ways < WAYS ? past->ways : WAYS;
    double x[WAYS], y[WAYS];

    for (size_t i = 0; i < n; i++) {
        x[i] = past->way[i].x;
        y[i] = past->way[i].y;
    }
    return (struct am_centre){median(x, n), median(y, n)};
}

static bool jumps(const struct past *past, struct am_centre way, double radius)
{
    const struct am_centre usual = usual_way(past);

    return past->ways >= WAYS_MIN && hypot(way.x - usual.x, way.y - usual.y) > JUMP_RADII * radius;
}

/* ---- tracks that meet ---- */

static void lose(struct am_cell_watched *cell, enum am_lost why, size_t t, size_t other)
{
    if (cell->lost != AM_LOST_NOT)
        return;
    cell->lost = why;
    cell->since = t;
    cell->other = other;
}

static void lose_for_good(struct am_cell_watch *w, size_t i, enum am_lost why, size_t t,
                          size_t other)
{
    lose(&w->cells[i], why, t, other);
    w->past[i].gone = true;
}

/* Cells are bright or dark; what is the other beside one, and weaker, is what lies between them. */
static void judge_pair(struct am_cell_watch *w, size_t i, size_t k, size_t t)
{
    const struct past *const a = &w->past[i], *const b = &w->past[k];
    const size_t weaker = a->strength < b->strength ? i : k, other = weaker == i ? k : i;

    if (a->sign * b->sign < 0) {
        lose_for_good(w, weaker, AM_LOST_GAP, t, other);
        return;
    }
    w->touches[i] = (struct touch){true, k};
    w->touches[k] = (struct touch){true, i};
}

static void find_touches(struct am_cell_watch *w, const struct am_leuko_cell *cells, size_t t)
{
    for (size_t i = 0; i < w->n; i++)
        w->touches[i] = (struct touch){false, i};
    for (size_t i = 0; i < w->n; i++) {
        for (size_t k = i + 1; k < w->n; k++) {
            const struct am_centre a = cells[i].snake.centre, b = cells[k].snake.centre;
            const double radii =
                w->past[i].touching || w->past[k].touching ? PART_RADII : TOUCH_RADII;
            const double radius =
                (am_snake_mean_radius(&cells[i].snake) + am_snake_mean_radius(&cells[k].snake)) / 2;

            if (hypot(a.x - b.x, a.y - b.y) < radii * radius)
                judge_pair(w, i, k, t);
        }
    }
}

/* By the mean velocity from frame 0 until it touched. */
static bool is_where_it_must_be(const struct past *past, struct am_centre at, size_t t,
                                double radius)
{
    const double frames = (double)past->left_at, since = (double)(t - past->left_at);
    const struct am_centre left = past->left;

    return past->left_at >= VELOCITY_MIN &&
           hypot(at.x - left.x - since * (left.x - past->first.x) / frames,
                 at.y - left.y - since * (left.y - past->first.y) / frames) <= FOUND_RADII * radius;
}

/* Whether the cell touches another one, or has not come out of that as it went in. */
static bool follow_touch(struct am_cell_watch *w, size_t i, size_t t, struct am_centre at,
                         double radius)
{
    struct past *const past = &w->past[i];

    if (w->touches[i].touches) {
        if (!past->touching) {
            past->left = past->at;
            past->left_at = t > 0 ? t - 1 : 0;
        }
        past->touching = true;
        past->parted = 0;
        lose(&w->cells[i], AM_LOST_TOUCHED, t, w->touches[i].other);
        return true;
    }
    if (!past->touching)
        return false;
    if (++past->parted < PARTED_MIN)
        return true; /* the contour may still be on its way back */
    past->touching = false;
    past->ways = 0;
    if (is_where_it_must_be(past, at, t, radius))
        w->cells[i].lost = AM_LOST_NOT;
    else
        past->gone = true;
    return past->gone;
}

/* ---- a frame ---- */

static void look_at(struct am_cell_watch *w, struct am_image frame, size_t t, size_t i,
                    const struct am_leuko_cell *cell)
{
    struct past *const past = &w->past[i];
    const struct am_centre at = cell->snake.centre, way = {at.x - past->at.x, at.y - past->at.y};
    const double radius = am_snake_mean_radius(&cell->snake);
    double inside = 1;

    w->cells[i].confidence = confidence(w, frame, &cell->snake, past, &inside);
    if (past->gone || follow_touch(w, i, t, at, radius)) {
        past->at = at;
        return;
    }
    if (inside < 1)
        lose_for_good(w, i, AM_LOST_BESIDE, t, i);
    else if (t > 0 && jumps(past, way, radius))
        lose_for_good(w, i, AM_LOST_JUMPED, t, i);
    else if (t > 0 && w->cells[i].confidence < CONFIDENCE_MIN)
        lose_for_good(w, i, AM_LOST_FADED, t, i);
    if (t > 0)
        past->way[past->ways++ % WAYS] = way;
    past->at = at;
}

const struct am_cell_watched *am_cell_watch_frame(struct am_cell_watch *watch,
                                                  struct am_image frame, size_t t,
                                                  const struct am_leuko_cell *cells)
{
    for (size_t i = 0; i < watch->n && t == 0; i++) {
        learn(watch, frame, &cells[i].snake, &watch->past[i]);
        watch->past[i].first = watch->past[i].at = cells[i].snake.centre;
    }
    find_touches(watch, cells, t);
    for (size_t i = 0; i < watch->n; i++)
        look_at(watch, frame, t, i, &cells[i]);
    return watch->cells;
}
