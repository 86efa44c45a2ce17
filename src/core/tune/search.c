/* SPDX-License-Identifier: MIT */
/* The search: the start, a coarse grid, climbing from its best places with shrinking steps, and a
 * final comparison in which half of the candidates drop out at a time. */
#include "core/tune/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    GRID_MOST = 36,     /* visits of the coarse grid */
    GRID_LEAST = 8,     /* a grid of fewer says less than climbing from the start */
    CLIMBS = 2,         /* places to climb from */
    DIAGONALS_MOST = 2, /* dimensions up to which steps also go along all at once */
    NEAR_MOST = 256,
    FINALISTS = 8,
    FINAL_ROUNDS = 3, /* of those that are left after each halving */
    FINAL_LEAST = 3,  /* are not halved */
    FINAL_VISITS = FINALISTS + FINALISTS / 2 + FINAL_LEAST * FINAL_ROUNDS,
};

enum phase { PHASE_START, PHASE_GRID, PHASE_ALL, PHASE_CLIMB, PHASE_FINAL, PHASE_OVER };

struct am_search {
    struct am_search_space space;
    size_t count, start;
    bool exhaustive;
    enum phase phase;
    double *score;   /* best of the visits; -INFINITY: none; NAN: it cannot be */
    uint8_t *visits; /* of each, up to 255 */
    size_t visited, next_all;
    size_t per_dimension[AM_SEARCH_DIMENSIONS_MAX]; /* of the grid; 0: there was none */
    /* climbing */
    unsigned climbs;    /* begun */
    size_t at;          /* where the climber stands */
    size_t first_place; /* where the first one ended */
    size_t step[AM_SEARCH_DIMENSIONS_MAX];
    /* the end */
    size_t kept; /* visits for it; 0: not known yet */
    size_t finalists[FINALISTS], n_finalists;
    unsigned round;
};

size_t am_search_count(const struct am_search_space *space)
{
    size_t count = 1;

    if (space->n == 0 || space->n > AM_SEARCH_DIMENSIONS_MAX)
        return 0;
    for (size_t d = 0; d < space->n; d++) {
        if (space->dimensions[d].n == 0 ||
            space->dimensions[d].n > AM_SEARCH_CANDIDATES_MAX / count)
            return 0;
        count *= space->dimensions[d].n;
    }
    return count;
}

struct am_search *am_search_new(const struct am_search_space *space, size_t start, bool exhaustive)
{
    struct am_search *const s = calloc(1, sizeof(*s));

    if (!s)
        return NULL;
    s->space = *space;
    s->count = am_search_count(space);
    s->start = start;
    s->exhaustive = exhaustive;
    s->score = malloc((s->count + 1) * sizeof(*s->score));
    s->visits = calloc(s->count + 1, sizeof(*s->visits));
    if (!s->score || !s->visits || start >= s->count) {
        am_search_free(s);
        return NULL;
    }
    for (size_t i = 0; i < s->count; i++)
        s->score[i] = -INFINITY;
    return s;
}

void am_search_free(struct am_search *s)
{
    if (!s)
        return;
    free(s->score);
    free(s->visits);
    free(s);
}

/* ---- candidates and their places ---- */

static void place_of(const struct am_search *s, size_t candidate, size_t *place)
{
    for (size_t d = s->space.n; d-- > 0;) {
        place[d] = candidate % s->space.dimensions[d].n;
        candidate /= s->space.dimensions[d].n;
    }
}

static size_t candidate_at(const struct am_search *s, const size_t *place)
{
    size_t candidate = 0;

    for (size_t d = 0; d < s->space.n; d++)
        candidate = candidate * s->space.dimensions[d].n + place[d];
    return candidate;
}

/* Where a batch is gathered: each candidate once, and only if it was not visited before. */
struct batch {
    struct am_search *search;
    size_t *items, n, most;
};

static void add(struct batch *b, size_t candidate)
{
    if (b->n >= b->most || b->search->visits[candidate])
        return;
    for (size_t i = 0; i < b->n; i++) {
        if (b->items[i] == candidate)
            return;
    }
    b->items[b->n++] = candidate;
}

/* ---- the coarse grid ---- */

/* As many values a dimension as the visits allow, each in the middle of its share. */
static void choose_grid(struct am_search *s, size_t visits)
{
    size_t total = 1;
    bool grown = true;

    for (size_t d = 0; d < s->space.n; d++)
        s->per_dimension[d] = 1;
    while (grown) {
        grown = false;
        for (size_t d = 0; d < s->space.n; d++) {
            const size_t now = s->per_dimension[d];

            if (now < s->space.dimensions[d].n && total / now * (now + 1) <= visits) {
                total = total / now * (now + 1);
                s->per_dimension[d]++;
                grown = true;
            }
        }
    }
}

static void lay_grid(struct am_search *s, struct batch *b)
{
    size_t total = 1, place[AM_SEARCH_DIMENSIONS_MAX];

    for (size_t d = 0; d < s->space.n; d++)
        total *= s->per_dimension[d];
    for (size_t i = 0; i < total; i++) {
        size_t rest = i;

        for (size_t d = s->space.n; d-- > 0;) {
            const size_t k = s->per_dimension[d];

            place[d] = (2 * (rest % k) + 1) * s->space.dimensions[d].n / (2 * k);
            rest /= k;
        }
        add(b, candidate_at(s, place));
    }
}

/* ---- climbing ---- */

static bool is_near(const struct am_search *s, size_t a, size_t b)
{
    size_t pa[AM_SEARCH_DIMENSIONS_MAX], pb[AM_SEARCH_DIMENSIONS_MAX];

    place_of(s, a, pa);
    place_of(s, b, pb);
    for (size_t d = 0; d < s->space.n; d++) {
        const size_t apart = pa[d] > pb[d] ? pa[d] - pb[d] : pb[d] - pa[d];
        const size_t k = s->per_dimension[d] ? s->per_dimension[d] : 1;

        if (apart > s->space.dimensions[d].n / k)
            return false;
    }
    return true;
}

/* Stands on the best place so far; a second climber on the best that is not near where the first
 * one ended. False: there is no such place. */
static bool begin_climb(struct am_search *s)
{
    bool found = false;

    for (size_t i = 0; i < s->count; i++) {
        if (!isfinite(s->score[i]) || (s->climbs && is_near(s, i, s->first_place)))
            continue;
        if (!found || s->score[i] > s->score[s->at])
            s->at = i;
        found = true;
    }
    for (size_t d = 0; d < s->space.n; d++) {
        const size_t k = s->per_dimension[d] ? s->per_dimension[d] : 2;
        const size_t half = s->space.dimensions[d].n / (2 * k);

        s->step[d] = half ? half : 1;
    }
    s->climbs++;
    return found;
}

static bool move(size_t *place, const struct am_search_dimension *dimension, size_t by, int sign)
{
    if (sign < 0 ? *place < by : *place + by >= dimension->n)
        return false;
    *place = sign < 0 ? *place - by : *place + by;
    return true;
}

/* Places within a step. */
struct near {
    size_t items[NEAR_MOST], n;
};

static void add_near(struct near *near, size_t candidate)
{
    if (near->n < NEAR_MOST)
        near->items[near->n++] = candidate;
}

static void along(const struct am_search *s, size_t d, struct near *near)
{
    const struct am_search_dimension *const dimension = &s->space.dimensions[d];
    size_t place[AM_SEARCH_DIMENSIONS_MAX];

    for (int sign = -1; dimension->ordered && sign <= 1; sign += 2) {
        place_of(s, s->at, place);
        if (move(&place[d], dimension, s->step[d], sign))
            add_near(near, candidate_at(s, place));
    }
    place_of(s, s->at, place);
    for (size_t i = 0; !dimension->ordered && i < dimension->n; i++) {
        place[d] = i;
        add_near(near, candidate_at(s, place));
    }
}

/* Along all ordered dimensions at once: a ridge need not follow an axis. */
static void across(const struct am_search *s, struct near *near)
{
    for (unsigned signs = 0; signs < 1u << s->space.n; signs++) {
        size_t place[AM_SEARCH_DIMENSIONS_MAX];
        bool inside = true;

        place_of(s, s->at, place);
        for (size_t d = 0; d < s->space.n && inside; d++)
            inside = !s->space.dimensions[d].ordered ||
                     move(&place[d], &s->space.dimensions[d], s->step[d], signs >> d & 1 ? 1 : -1);
        if (inside)
            add_near(near, candidate_at(s, place));
    }
}

static bool at_smallest_step(const struct am_search *s)
{
    for (size_t d = 0; d < s->space.n; d++) {
        if (s->space.dimensions[d].ordered && s->step[d] > 1)
            return false;
    }
    return true;
}

static void neighbours(const struct am_search *s, struct near *near)
{
    near->n = 0;
    for (size_t d = 0; d < s->space.n; d++)
        along(s, d, near);
    if (at_smallest_step(s) && s->space.n > 1 && s->space.n <= DIAGONALS_MOST)
        across(s, near);
}

/* Walks on to the best of the neighbours; false when none is better than where it stands. */
static bool walk(struct am_search *s, const struct near *near)
{
    size_t best = s->at;

    for (size_t i = 0; i < near->n; i++) {
        if (s->score[near->items[i]] > s->score[best])
            best = near->items[i];
    }
    if (best == s->at)
        return false;
    s->at = best;
    return true;
}

/* Asks for neighbours that were not visited; where all were, walks, or shortens the step, until
 * there is something to ask for or the climb is over. */
static bool ask_climb(struct am_search *s, struct batch *b)
{
    struct near near;

    for (;;) {
        neighbours(s, &near);
        for (size_t i = 0; i < near.n; i++)
            add(b, near.items[i]);
        if (b->n || b->most == 0)
            return b->n > 0;
        if (walk(s, &near))
            continue;
        if (at_smallest_step(s))
            return false;
        for (size_t d = 0; d < s->space.n; d++)
            s->step[d] = s->step[d] > 1 ? s->step[d] / 2 : 1;
    }
}

static bool ask_climbs(struct am_search *s, struct batch *b)
{
    if (s->climbs == 0 && !begin_climb(s))
        return false;
    while (!ask_climb(s, b)) {
        if (s->climbs == 1)
            s->first_place = s->at;
        if (b->most == 0 || s->climbs == CLIMBS || !begin_climb(s))
            return false;
    }
    return true;
}

/* ---- the final comparison ---- */

static bool is_finalist(const struct am_search *s, size_t candidate)
{
    for (size_t i = 0; i < s->n_finalists; i++) {
        if (s->finalists[i] == candidate)
            return true;
    }
    return false;
}

/* The best, and the start, which is replaced by none. */
static void choose_finalists(struct am_search *s, size_t most)
{
    s->n_finalists = 0;
    if (isfinite(s->score[s->start]))
        s->finalists[s->n_finalists++] = s->start;
    while (s->n_finalists < most) {
        size_t best = s->count;

        for (size_t i = 0; i < s->count; i++) {
            if (isfinite(s->score[i]) && !is_finalist(s, i) &&
                (best == s->count || s->score[i] > s->score[best]))
                best = i;
        }
        if (best == s->count)
            return;
        s->finalists[s->n_finalists++] = best;
    }
}

static void drop_impossible(struct am_search *s)
{
    size_t left = 0;

    for (size_t i = 0; i < s->n_finalists; i++) {
        if (isfinite(s->score[s->finalists[i]]))
            s->finalists[left++] = s->finalists[i];
    }
    s->n_finalists = left;
}

/* The better half stays, and with it the start. */
static void halve(struct am_search *s)
{
    const size_t half = s->n_finalists / 2 > FINAL_LEAST ? s->n_finalists / 2 : FINAL_LEAST;
    const bool started = s->n_finalists && s->finalists[0] == s->start;

    for (size_t i = started; i < s->n_finalists; i++) {
        for (size_t k = i + 1; k < s->n_finalists; k++) {
            const size_t a = s->finalists[i], b = s->finalists[k];

            if (s->score[b] > s->score[a]) {
                s->finalists[i] = b;
                s->finalists[k] = a;
            }
        }
    }
    if (half < s->n_finalists)
        s->n_finalists = half;
}

/* One more visit for each that is left. */
static bool ask_final(struct am_search *s, struct batch *b)
{
    drop_impossible(s);
    if (s->round == 0)
        choose_finalists(s, b->most / 2 < FINALISTS ? b->most / 2 + 1 : FINALISTS);
    else
        halve(s);
    if (s->round == 0 && (s->n_finalists > b->most || s->n_finalists < 2))
        s->n_finalists = 0; /* there is no comparison */
    if (s->round >= 2 + FINAL_ROUNDS || s->n_finalists > b->most || s->n_finalists == 0)
        return false;
    s->round++;
    for (size_t i = 0; i < s->n_finalists; i++)
        b->items[b->n++] = s->finalists[i];
    return true;
}

/* ---- asked and told ---- */

static bool ask_all(struct am_search *s, struct batch *b)
{
    for (; s->next_all < s->count && b->n < b->most; s->next_all++)
        add(b, s->next_all);
    return b->n > 0;
}

/* Visits that the phase may ask for. How many are kept for the final comparison is fixed when it is
 * known what a visit costs: after the start. */
static size_t allowed(struct am_search *s, size_t affordable)
{
    if (s->phase == PHASE_START)
        return 1; /* without it there is nothing to say */
    if (s->phase == PHASE_FINAL)
        return affordable;
    if (!s->kept)
        s->kept = affordable / 3 < FINAL_VISITS ? affordable / 3 + 1 : FINAL_VISITS;
    return affordable > s->kept ? affordable - s->kept : 0;
}

static bool ask_grid(struct am_search *s, struct batch *b)
{
    const size_t visits = b->most / 2 < GRID_MOST ? b->most / 2 : GRID_MOST;

    if (s->per_dimension[0] || visits < GRID_LEAST)
        return false;
    choose_grid(s, visits);
    lay_grid(s, b);
    return b->n > 0;
}

static enum phase phase_after(const struct am_search *s)
{
    static const enum phase next[] = {
        [PHASE_GRID] = PHASE_CLIMB, [PHASE_ALL] = PHASE_FINAL, [PHASE_CLIMB] = PHASE_FINAL,
        [PHASE_FINAL] = PHASE_OVER, [PHASE_OVER] = PHASE_OVER,
    };

    if (s->phase == PHASE_START)
        return s->exhaustive ? PHASE_ALL : PHASE_GRID;
    return next[s->phase];
}

/* Each phase asks until it has nothing more to ask for. */
static bool ask_phase(struct am_search *s, struct batch *b)
{
    switch (s->phase) {
    case PHASE_START: add(b, s->start); return b->n > 0;
    case PHASE_ALL: return ask_all(s, b);
    case PHASE_GRID: return ask_grid(s, b);
    case PHASE_CLIMB: return ask_climbs(s, b);
    case PHASE_FINAL: return ask_final(s, b);
    case PHASE_OVER: break;
    }
    return false;
}

size_t am_search_next(struct am_search *s, size_t affordable, size_t *items)
{
    while (s->phase != PHASE_OVER) {
        struct batch b = {.search = s, .items = items, .most = allowed(s, affordable)};

        if (b.most > AM_SEARCH_BATCH_MAX)
            b.most = AM_SEARCH_BATCH_MAX;
        if (ask_phase(s, &b))
            return b.n;
        s->phase = phase_after(s);
    }
    return 0;
}

void am_search_tell(struct am_search *s, size_t candidate, double score)
{
    if (s->visits[candidate] == 0)
        s->visited++;
    if (s->visits[candidate] < UINT8_MAX)
        s->visits[candidate]++;
    if (!isfinite(score))
        s->score[candidate] = NAN; /* and stays so: nothing is above it */
    else if (score > s->score[candidate])
        s->score[candidate] = score;
}

/* The better of two, where the first may be none (count). */
static size_t better_of(const struct am_search *s, size_t a, size_t b)
{
    if (!isfinite(s->score[b]))
        return a;
    return a == s->count || s->score[b] > s->score[a] ? b : a;
}

bool am_search_best(const struct am_search *s, size_t *candidate, double *score)
{
    size_t best = s->count;

    for (size_t i = 0; i < s->n_finalists; i++)
        best = better_of(s, best, s->finalists[i]);
    for (size_t i = 0, compared = best; compared == s->count && i < s->count; i++)
        best = better_of(s, best, i);
    if (best == s->count)
        return false;
    *candidate = best;
    *score = s->score[best];
    return true;
}

double am_search_score(const struct am_search *s, size_t candidate)
{
    return isfinite(s->score[candidate]) ? s->score[candidate] : NAN;
}

bool am_search_has_other(const struct am_search *s, size_t candidate)
{
    for (size_t i = 0; i < s->count; i++) {
        if (i != candidate && isfinite(s->score[i]))
            return true;
    }
    return false;
}

size_t am_search_visited(const struct am_search *s)
{
    return s->visited;
}
