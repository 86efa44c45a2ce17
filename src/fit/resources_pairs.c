/* SPDX-License-Identifier: MIT */
/* Resources that no schedule of ports explains, by mixes of two, tested by mixes of more. */
#include "fit/resources_pairs.h"

#include <math.h>
#include <string.h>

/* What costs less is free: loops settle in patterns that differ by it. */
static const double free_below = 0.02;
/* A column is kept where it takes this share of the error away from the mixes that it bounds, and
 * bounds so many of them. */
static const double earned = 0.25;
static const size_t bounds_least = 8;
/* A mix is bounded by what takes longer than all else by this factor. */
static const double clearly = 1.01;

bool am_resources_pair_cost(const struct am_resources_input *input,
                            const struct am_resources_mix *mix, size_t kind, size_t *other,
                            double *cost)
{
    double n = 0, left = mix->cycles;
    size_t whole = 0;

    for (size_t u = 0; u < mix->n; u++) {
        if (mix->uses[u].kind == kind) {
            left -= mix->uses[u].n * input->alone[kind];
        } else if (mix->uses[u].n >= 1) {
            whole++;
            *other = mix->uses[u].kind;
            n = mix->uses[u].n;
        }
    }
    *cost = whole == 1 ? left / n : INFINITY;
    return whole == 1;
}

double am_resources_pair_weight(double cost, double alone)
{
    return isinf(cost) || cost < free_below ? 0 : fmin(cost, alone);
}

/* ---- columns ---- */

struct pairs {
    const struct am_resources_input *input;
    double *columns; /* of what class c costs beside class b at [b * kinds + c] */
    bool *taken;     /* by class */
    size_t *tests;   /* mixes of three and more */
    size_t n_tests;
    double *most; /* of each of these: cycles by what is known */
};

/* Classes of which a mix has one at least. */
static size_t whole_of(const struct am_resources_mix *mix)
{
    size_t whole = 0;

    for (size_t u = 0; u < mix->n; u++)
        whole += mix->uses[u].n >= 1;
    return whole;
}

static void note_costs(struct pairs *p, const struct am_resources_mix *mix)
{
    const size_t kinds = p->input->kinds;

    for (size_t u = 0; u < mix->n; u++) {
        const size_t kind = mix->uses[u].kind;
        size_t other;
        double cost;

        if (mix->uses[u].n >= 1 && am_resources_pair_cost(p->input, mix, kind, &other, &cost))
            p->columns[kind * kinds + other] = fmin(p->columns[kind * kinds + other], cost);
    }
}

static void make_columns(struct pairs *p)
{
    const size_t kinds = p->input->kinds;

    for (size_t i = 0; i < kinds * kinds; i++)
        p->columns[i] = INFINITY;
    for (size_t i = 0; i < p->input->n; i++)
        note_costs(p, &p->input->mixes[i]);
    for (size_t b = 0; b < kinds; b++) {
        p->columns[b * kinds + b] = p->input->alone[b];
        for (size_t c = 0; c < kinds; c++)
            p->columns[b * kinds + c] =
                am_resources_pair_weight(p->columns[b * kinds + c], p->input->alone[c]);
    }
}

static double load_of(const struct am_resources_mix *mix, const double *weights, size_t stride)
{
    double load = 0;

    for (size_t u = 0; u < mix->n; u++)
        load += mix->uses[u].n * weights[mix->uses[u].kind * stride];
    return load;
}

static void choose_tests(struct pairs *p, const double *w, size_t n)
{
    for (size_t i = 0; i < p->input->n; i++) {
        const struct am_resources_mix *const mix = &p->input->mixes[i];
        double most = 0;

        if (whole_of(mix) < 3)
            continue;
        for (size_t r = 0; r < n; r++)
            most = fmax(most, load_of(mix, &w[r], n));
        p->most[p->n_tests] = most;
        p->tests[p->n_tests++] = i;
    }
}

/* How much error the column of a class takes away from the tests; 0 where it does not earn it. */
static double gain_of(const struct pairs *p, size_t kind)
{
    const double *const column = &p->columns[kind * p->input->kinds];
    double before = 0, after = 0;
    size_t bounds = 0;

    for (size_t i = 0; i < p->n_tests; i++) {
        const struct am_resources_mix *const mix = &p->input->mixes[p->tests[i]];
        const double load = load_of(mix, column, 1);

        if (load <= clearly * p->most[i])
            continue;
        bounds++;
        before += fabs(p->most[i] / mix->cycles - 1);
        after += fabs(load / mix->cycles - 1);
    }
    return bounds >= bounds_least && after <= (1 - earned) * before ? before - after : 0;
}

/* The class whose column takes most error away; `kinds` when none earns it. */
static size_t best_of(const struct pairs *p)
{
    size_t best = p->input->kinds;
    double most = 0;

    for (size_t c = 0; c < p->input->kinds; c++) {
        const double gain = p->taken[c] ? 0 : gain_of(p, c);

        if (gain > most) {
            most = gain;
            best = c;
        }
    }
    return best;
}

static bool add_column(const struct pairs *p, size_t kind, struct am_arena *arena, double **w_p,
                       size_t *n_p)
{
    const size_t kinds = p->input->kinds, n = *n_p;
    const double *const column = &p->columns[kind * kinds];
    double *const w = am_arena_array(arena, kinds * (n + 1), sizeof(*w));

    for (size_t c = 0; w && c < kinds; c++) {
        memcpy(&w[c * (n + 1)], &(*w_p)[c * n], n * sizeof(*w));
        w[c * (n + 1) + n] = column[c];
    }
    for (size_t i = 0; i < p->n_tests; i++)
        p->most[i] = fmax(p->most[i], load_of(&p->input->mixes[p->tests[i]], column, 1));
    *w_p = w;
    *n_p = n + 1;
    return w != NULL;
}

bool am_resources_pairs_add(const struct am_resources_input *input, struct am_arena *arena,
                            double **w_p, size_t *n_p)
{
    struct pairs p = {.input = input,
                      .columns =
                          am_arena_array(arena, input->kinds * input->kinds, sizeof(*p.columns)),
                      .taken = am_arena_array(arena, input->kinds, sizeof(*p.taken)),
                      .tests = am_arena_array(arena, input->n, sizeof(*p.tests)),
                      .most = am_arena_array(arena, input->n, sizeof(*p.most))};

    if (!p.columns || !p.taken || !p.tests || !p.most)
        return false;
    make_columns(&p);
    choose_tests(&p, *w_p, *n_p);
    while (*n_p < AM_RESOURCES_MAX) {
        const size_t kind = best_of(&p);

        if (kind == input->kinds)
            return true;
        p.taken[kind] = true;
        if (!add_column(&p, kind, arena, w_p, n_p))
            return false;
    }
    return true;
}
