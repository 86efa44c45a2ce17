/* SPDX-License-Identifier: MIT */
/* One start of the fit of resources: resources added one at a time, each weight set to its exact
 * best.
 *
 * With everything else fixed, a mix takes max(others, rest + n w) as a function of one weight w.
 * Sorted by the weight at which they bend, the mixes make the loss one parabola between two
 * neighbours, whose coefficients are running sums: the best weight is found among as many intervals
 * as the class has mixes. */
#include "fit/resources_descent.h"

#include "base/rng.h"
#include "fit/resources_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STRIDE = AM_RESOURCES_MAX, SWEEPS = 5, POLISH = 12, CHOICES = 3 };

/* What a weight costs beside its errors, per mix of its class, cycle and noise of a measurement: of
 * weights that fit equally the smallest is taken, and the more they scatter the fewer are. */
static const double price = 0.01;
/* No weight is larger than this times the class's cycles alone. */
static const double beyond_alone = 1.25;
/* Under-prediction, mean over the mixes of a class, that calls for another resource. */
static const double unexplained = 0.003;
/* The loss must fall by this share for another sweep, and for another resource. */
static const double progress = 1e-3, gain = 5e-3;

bool am_resources_descent_init(struct am_resources_descent *d,
                               const struct am_resources_input *input, struct am_arena *arena)
{
    size_t total = 0, most = 0, *next;

    *d = (struct am_resources_descent){.input = input, .arena = arena};
    d->first = am_arena_array(arena, input->kinds + 1, sizeof(*d->first));
    next = am_arena_array(arena, input->kinds + 1, sizeof(*next));
    for (size_t i = 0; d->first && i < input->n; i++) {
        for (size_t k = 0; k < input->mixes[i].n; k++) {
            if (input->mixes[i].uses[k].kind >= input->kinds)
                return false;
            d->first[input->mixes[i].uses[k].kind + 1]++;
            total++;
        }
    }
    for (size_t c = 0; d->first && c < input->kinds; c++) {
        most = d->first[c + 1] > most ? d->first[c + 1] : most;
        d->first[c + 1] += d->first[c];
    }
    d->where = am_arena_array(arena, total + 1, sizeof(*d->where));
    d->w = am_arena_array(arena, input->kinds * STRIDE, sizeof(*d->w));
    d->load = am_arena_array(arena, input->n * STRIDE, sizeof(*d->load));
    d->others = am_arena_array(arena, input->n, sizeof(*d->others));
    d->terms = am_arena_array(arena, most + 1, sizeof(*d->terms));
    if (!d->first || !next || !d->where || !d->w || !d->load || !d->others || !d->terms)
        return false;
    memcpy(next, d->first, (input->kinds + 1) * sizeof(*next));
    for (size_t i = 0; i < input->n; i++) {
        for (size_t k = 0; k < input->mixes[i].n; k++) {
            const struct am_resources_use *const use = &input->mixes[i].uses[k];

            d->where[next[use->kind]++] = (struct am_resources_where){.mix = i, .n = use->n};
        }
    }
    return true;
}

double am_resources_descent_weight(const struct am_resources_descent *d, size_t kind, size_t r)
{
    return d->w[kind * STRIDE + r];
}

/* The largest load of a mix, but that of resource `but`. */
static double largest(const struct am_resources_descent *d, size_t mix, size_t but)
{
    double most = 0;

    for (size_t r = 0; r < d->resources; r++) {
        const double load = d->load[mix * STRIDE + r];

        if (r != but && load > most) /* fmax() is a call */
            most = load;
    }
    return most;
}

double am_resources_descent_cycles(const struct am_resources_descent *d, size_t mix)
{
    return largest(d, mix, STRIDE);
}

static double square_error(double model, double cycles)
{
    const double e = model / cycles - 1;

    return e * e;
}

double am_resources_loss(const struct am_resources_descent *d)
{
    double sum = 0;

    for (size_t i = 0; i < d->input->n; i++)
        sum += square_error(am_resources_descent_cycles(d, i), d->input->mixes[i].cycles);
    return sum;
}

static void set_weight(struct am_resources_descent *d, size_t kind, size_t r, double value)
{
    const double more = value - d->w[kind * STRIDE + r];

    d->w[kind * STRIDE + r] = value;
    for (size_t k = d->first[kind]; k < d->first[kind + 1]; k++)
        d->load[d->where[k].mix * STRIDE + r] += d->where[k].n * more;
}

void am_resources_descent_set(struct am_resources_descent *d, const double *w, size_t resources)
{
    memset(d->w, 0, d->input->kinds * STRIDE * sizeof(*d->w));
    memset(d->load, 0, d->input->n * STRIDE * sizeof(*d->load));
    d->resources = resources;
    for (size_t c = 0; c < d->input->kinds; c++) {
        for (size_t r = 0; r < resources; r++)
            set_weight(d, c, r, w[c * resources + r]);
    }
}

/* ---- one weight ---- */

static int by_bend(const void *a, const void *b)
{
    const double x = ((const struct am_resources_term *)a)->bend;
    const double y = ((const struct am_resources_term *)b)->bend;

    return (x > y) - (x < y);
}

static struct am_resources_term term_of(const struct am_resources_descent *d, size_t kind, size_t r,
                                        const struct am_resources_where *at)
{
    struct am_resources_term t = {
        .n = at->n, .others = d->others[at->mix], .cycles = d->input->mixes[at->mix].cycles};

    t.rest = d->load[at->mix * STRIDE + r] - at->n * d->w[kind * STRIDE + r];
    t.bend = (t.others - t.rest) / at->n;
    return t;
}

/* The mixes of a class as the weight sees them. */
struct terms {
    const struct am_resources_term
        *items; /* those that bend below zero in any order, then sorted */
    size_t n;
    double beyond; /* loss of those that bend beyond any weight that the class may have */
};

/* `others` holds the largest loads but that of r. Most mixes bend below zero or beyond: only the
 * rest is sorted. */
static struct terms gather(const struct am_resources_descent *d, size_t kind, size_t r)
{
    const double most = beyond_alone * d->input->alone[kind];
    struct terms out = {.items = d->terms};
    size_t below = 0;

    for (size_t k = d->first[kind]; k < d->first[kind + 1]; k++) {
        const struct am_resources_term t = term_of(d, kind, r, &d->where[k]);

        if (t.bend >= most) {
            out.beyond += square_error(t.others, t.cycles);
            continue;
        }
        d->terms[out.n] = t;
        if (t.bend <= 0) {
            d->terms[out.n] = d->terms[below];
            d->terms[below++] = t;
        }
        out.n++;
    }
    qsort(d->terms + below, out.n - below, sizeof(*d->terms), by_bend);
    return out;
}

/* The loss between two bends: square x^2 + 2 slope x + constant, over [from, to]. */
struct piece {
    double square, slope, constant, from, to;
};

/* The walk over the pieces: from the first bend on, then piece by piece. */
struct walk {
    struct terms terms;
    size_t at;
    struct piece piece;
};

/* Before all bends the resource bounds nothing: the loss is what the others leave. */
static struct walk begin_walk(const struct terms *terms)
{
    struct walk w = {.terms = *terms, .piece = {.constant = terms->beyond}};

    for (size_t k = 0; k < terms->n; k++)
        w.piece.constant += square_error(terms->items[k].others, terms->items[k].cycles);
    w.piece.to = terms->n ? fmax(terms->items[0].bend, 0) : INFINITY;
    return w;
}

/* False behind the last piece. */
static bool next_piece(struct walk *w)
{
    const struct am_resources_term *const t = &w->terms.items[w->at];
    struct piece *const p = &w->piece;
    double inverse, off;

    if (w->at == w->terms.n)
        return false;
    inverse = 1 / (t->cycles * t->cycles);
    off = t->rest - t->cycles;
    p->square += inverse * t->n * t->n;
    p->slope += inverse * t->n * off;
    p->constant += inverse * off * off - square_error(t->others, t->cycles);
    w->at++;
    p->from = fmax(t->bend, 0);
    p->to = w->at < w->terms.n ? fmax(w->terms.items[w->at].bend, 0) : INFINITY;
    return true;
}

static double piece_at(const struct piece *p, double x)
{
    return (p->square * x + 2 * p->slope) * x + p->constant;
}

/* Sets the weight to the value of least loss and price. */
static void best_weight(struct am_resources_descent *d, size_t kind, size_t r)
{
    const size_t mixes = d->first[kind + 1] - d->first[kind];
    const double cost = price * d->input->noise * (double)mixes;
    const double most = beyond_alone * d->input->alone[kind];
    const struct terms terms = gather(d, kind, r);
    struct walk w = begin_walk(&terms);
    double best = 0, least = w.piece.constant;
    bool at_zero = w.piece.to > 0;

    while (next_piece(&w)) {
        const struct piece *const p = &w.piece;
        double x, loss;

        if (!(p->to > p->from))
            continue; /* all of it below zero, or two bends at one place */
        x = fmin(fmax(-(p->slope + cost / 2) / p->square, p->from), fmin(p->to, most));
        loss = piece_at(p, x) + cost * x;
        if (!at_zero || loss < least) {
            least = loss;
            best = x;
        }
        at_zero = true;
    }
    if (fabs(best - d->w[kind * STRIDE + r]) > 0)
        set_weight(d, kind, r, best);
}

static void leave_out(const struct am_resources_descent *d, size_t r)
{
    for (size_t i = 0; i < d->input->n; i++)
        d->others[i] = largest(d, i, r);
}

void am_resources_descent_hold(const struct am_resources_descent *d, size_t r)
{
    leave_out(d, r);
}

/* Where square x^2 + 2 slope x + constant is `limit` at most, within the piece; false: nowhere. */
static bool below(const struct piece *p, double limit, double *lo, double *hi)
{
    const double middle = p->square > 0 ? -p->slope / p->square : p->from;
    const double depth = limit - piece_at(p, middle);
    const double half = p->square > 0 ? sqrt(fmax(depth, 0) / p->square) : INFINITY;

    *lo = fmax(middle - half, p->from);
    *hi = fmin(middle + half, p->to);
    return depth >= 0 && *lo <= *hi;
}

void am_resources_descent_range(const struct am_resources_descent *d, size_t kind, size_t r,
                                double more, double *lo, double *hi)
{
    const double at = d->w[kind * STRIDE + r];
    const struct terms terms = gather(d, kind, r);
    struct walk w = begin_walk(&terms);
    double now = terms.beyond, from, to;

    *lo = *hi = at;
    for (size_t k = 0; k < terms.n; k++) {
        const struct am_resources_term *const t = &terms.items[k];

        now += square_error(fmax(t->others, t->rest + t->n * at), t->cycles);
    }
    if (w.piece.to > 0 && w.piece.constant <= now + more) {
        *lo = 0;
        *hi = fmax(*hi, fmin(w.piece.to, d->input->alone[kind]));
    }
    while (next_piece(&w)) {
        if (!(w.piece.to > w.piece.from) || !below(&w.piece, now + more, &from, &to))
            continue;
        *lo = fmin(*lo, from);
        *hi = fmax(*hi, to);
    }
}

double am_resources_descent_split(const struct am_resources_descent *d, size_t kind, size_t r)
{
    const double w = d->w[kind * STRIDE + r];
    double more = 0;

    for (size_t k = d->first[kind]; k < d->first[kind + 1]; k++) {
        const size_t mix = d->where[k].mix;
        const double own = d->where[k].n * w, cycles = d->input->mixes[mix].cycles;
        const double rest = d->load[mix * STRIDE + r] - own;

        more += square_error(fmax(d->others[mix], fmax(rest, own)), cycles) -
                square_error(fmax(d->others[mix], rest + own), cycles);
    }
    return more;
}

/* ---- resources ---- */

/* Sets the weights of a resource one after the other: all of them, or those that are not zero,
 * which is quicker and seldom misses anything. */
static void sweep(struct am_resources_descent *d, size_t r, bool all)
{
    leave_out(d, r);
    for (size_t c = 0; c < d->input->kinds; c++) {
        if (all || d->w[c * STRIDE + r] > 0)
            best_weight(d, c, r);
    }
}

/* Resource 0 stays as it is while others are still missing: it would take their place. */
static void sweep_others(struct am_resources_descent *d)
{
    for (size_t r = 1; r < d->resources; r++)
        sweep(d, r, false);
}

static void sweep_all(struct am_resources_descent *d, unsigned times)
{
    double before = am_resources_loss(d);

    for (unsigned i = 0; i < times; i++) {
        double after;

        for (size_t r = 0; r < d->resources; r++)
            sweep(d, r, i % 4 == 0);
        after = am_resources_loss(d);
        if (after > before * (1 - progress))
            return;
        before = after;
    }
}

/* How much longer the mixes of a class take than the resources explain, in the mean. */
static double missing(const struct am_resources_descent *d, size_t kind)
{
    const size_t n = d->first[kind + 1] - d->first[kind];
    double sum = 0;

    for (size_t k = d->first[kind]; k < d->first[kind + 1]; k++) {
        const size_t mix = d->where[k].mix;

        sum += fmax(0, 1 - am_resources_descent_cycles(d, mix) / d->input->mixes[mix].cycles);
    }
    return n ? sum / (double)n : 0;
}

/* The class that calls loudest for a resource: of the first start the very one, of others one of
 * the loudest. `kinds` when none calls. */
static size_t loudest(const struct am_resources_descent *d, struct am_rng *rng, unsigned start)
{
    size_t top[CHOICES];
    size_t n = 0;

    for (size_t c = 0; c < d->input->kinds; c++) {
        size_t at = n;

        if (missing(d, c) <= unexplained)
            continue;
        while (at > 0 && missing(d, c) > missing(d, top[at - 1]))
            at--;
        if (at == CHOICES)
            continue;
        n = n < CHOICES ? n + 1 : n;
        memmove(&top[at + 1], &top[at], (n - at - 1) * sizeof(*top));
        top[at] = c;
    }
    if (n == 0)
        return d->input->kinds;
    return top[start == 0 ? 0 : am_rng_below(rng, n)];
}

/* What an instruction of each class costs at most while those of `kind` keep the resource busy: by
 * the mixes of just these two. */
static void seed_column(struct am_resources_descent *d, size_t kind, size_t r, double *cost)
{
    const struct am_resources_input *const in = d->input;

    for (size_t c = 0; c < in->kinds; c++)
        cost[c] = INFINITY;
    for (size_t k = d->first[kind]; k < d->first[kind + 1]; k++) {
        size_t other;
        double least;

        if (am_resources_pair_cost(in, &in->mixes[d->where[k].mix], kind, &other, &least))
            cost[other] = fmin(cost[other], least);
    }
    cost[kind] = in->alone[kind];
    for (size_t c = 0; c < in->kinds; c++)
        set_weight(d, c, r, am_resources_pair_weight(cost[c], in->alone[c]));
}

static void clear_resource(struct am_resources_descent *d, size_t r)
{
    for (size_t c = 0; c < d->input->kinds; c++)
        d->w[c * STRIDE + r] = 0;
    for (size_t i = 0; i < d->input->n; i++)
        d->load[i * STRIDE + r] = 0;
}

static void add_resources(struct am_resources_descent *d, struct am_rng *rng, unsigned start)
{
    double *const cost = am_arena_array(d->arena, d->input->kinds, sizeof(*cost));

    while (cost && d->resources < AM_RESOURCES_MAX) {
        const size_t kind = loudest(d, rng, start);
        const size_t r = d->resources;
        const double before = am_resources_loss(d);

        if (kind == d->input->kinds)
            return;
        clear_resource(d, r);
        d->resources++;
        seed_column(d, kind, r, cost);
        sweep(d, r, true);
        sweep_others(d);
        if (am_resources_loss(d) > before * (1 - gain)) {
            clear_resource(d, r); /* it explains nothing: what is left is no resource */
            d->resources--;
            return;
        }
    }
}

static void swap(double *a, double *b)
{
    const double kept = *a;

    *a = *b;
    *b = kept;
}

/* The last resource takes the place of r. */
static void drop(struct am_resources_descent *d, size_t r)
{
    const size_t last = --d->resources;

    for (size_t c = 0; c < d->input->kinds; c++)
        d->w[c * STRIDE + r] = d->w[c * STRIDE + last];
    for (size_t i = 0; i < d->input->n; i++)
        d->load[i * STRIDE + r] = d->load[i * STRIDE + last];
    clear_resource(d, last);
}

/* The rise of the loss without r, for each of its weights that are not zero, in variances. */
static double worth_of(const struct am_resources_descent *d, size_t r, double loss, double variance)
{
    double without = 0;
    size_t weights = 0;

    for (size_t i = 0; i < d->input->n; i++)
        without += square_error(largest(d, i, r), d->input->mixes[i].cycles);
    for (size_t c = 0; c < d->input->kinds; c++)
        weights += d->w[c * STRIDE + r] > 0;
    return weights ? (without - loss) / variance / (double)weights : 0;
}

/* Drops resources, the least useful first, while each of their weights earns less than the
 * deviation that chance gives it. */
static void prune(struct am_resources_descent *d)
{
    for (;;) {
        const double loss = am_resources_loss(d);
        const double variance = fmax(d->input->noise * d->input->noise, loss / (double)d->input->n);
        size_t least = 0;
        double worth = 2;

        for (size_t r = 1; r < d->resources; r++) {
            const double w = worth_of(d, r, loss, variance);

            if (w < worth) {
                worth = w;
                least = r;
            }
        }
        if (least == 0)
            return;
        drop(d, least);
        sweep_all(d, 2);
    }
}

/* The front end is what the class that needs nothing else takes most of: it gets place 0. */
static void put_front_first(struct am_resources_descent *d)
{
    const double *const slot = &d->w[d->input->slot * STRIDE];
    size_t front = 0;

    for (size_t r = 1; r < d->resources; r++)
        front = slot[r] > slot[front] ? r : front;
    for (size_t c = 0; c < d->input->kinds; c++)
        swap(&d->w[c * STRIDE], &d->w[c * STRIDE + front]);
    for (size_t i = 0; i < d->input->n; i++)
        swap(&d->load[i * STRIDE], &d->load[i * STRIDE + front]);
}

void am_resources_descent_polish(struct am_resources_descent *d)
{
    for (int i = 0; i < POLISH; i++)
        sweep_all(d, 1);
}

void am_resources_descend(struct am_resources_descent *d, unsigned start)
{
    const double slot = d->input->alone[d->input->slot];
    struct am_rng rng;

    am_rng_seed(&rng, d->input->seed, start);
    for (size_t r = 0; r < AM_RESOURCES_MAX; r++)
        clear_resource(d, r);
    d->resources = 1;
    for (size_t c = 0; c < d->input->kinds; c++)
        set_weight(d, c, 0, fmin(slot, d->input->alone[c]));
    add_resources(d, &rng, start);
    sweep_all(d, SWEEPS);
    prune(d);
    sweep_all(d, SWEEPS);
    put_front_first(d);
}

void am_resources_descent_extend(struct am_resources_descent *d)
{
    double *const cost = am_arena_array(d->arena, d->input->kinds, sizeof(*cost));
    const size_t fixed = d->resources;

    while (cost && d->resources < AM_RESOURCES_MAX) {
        const size_t kind = loudest(d, NULL, 0);
        const size_t r = d->resources;
        const double before = am_resources_loss(d);

        if (kind == d->input->kinds)
            break;
        clear_resource(d, r);
        d->resources++;
        seed_column(d, kind, r, cost);
        sweep(d, r, true);
        for (size_t q = fixed; q < d->resources; q++)
            sweep(d, q, false);
        if (am_resources_loss(d) > before * (1 - gain)) {
            clear_resource(d, r);
            d->resources--;
            break;
        }
    }
    for (int i = 0; i < SWEEPS; i++) {
        for (size_t q = fixed; q < d->resources; q++)
            sweep(d, q, i % 4 == 0);
    }
}
