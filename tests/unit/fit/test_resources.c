/* SPDX-License-Identifier: MIT */
/* Resources of made-up cores are found again from the times of mixes; what the mixes leave open is
 * said to be open. */
#include "fit/ports.h"
#include "fit/resources.h"
#include "ports_machine.h"
#include "tap.h"

#include <stdlib.h>

enum { MIXES_MAX = 4096, USES_MAX = 8 };

/* Mixes of a machine with their measured times. */
struct data {
    const struct pm_machine *machine;
    double alone[PM_KINDS];
    struct am_resources_mix mixes[MIXES_MAX];
    struct am_resources_use uses[MIXES_MAX][USES_MAX];
    size_t n;
    double noise;
    bool scheduled; /* as the core would run them, not as well as it could */
    struct am_rng rng;
};

static void add(struct data *d, const double *counts)
{
    struct am_resources_use *const uses = d->uses[d->n];
    struct am_resources_mix *const mix = &d->mixes[d->n];
    size_t n = 0;

    for (size_t c = 0; c < d->machine->n && n < USES_MAX; c++) {
        if (counts[c] > 0)
            uses[n++] = (struct am_resources_use){.kind = c, .n = counts[c]};
    }
    *mix = (struct am_resources_mix){.uses = uses, .n = n};
    mix->cycles = (d->scheduled ? pm_scheduled : pm_cycles)(d->machine, counts) *
                  (1 + d->noise * pm_normal(&d->rng));
    d->n++;
}

static void add_pair(struct data *d, size_t a, double n_a, size_t b, double n_b)
{
    double counts[PM_KINDS] = {0};

    counts[a] += n_a;
    counts[b] += n_b;
    add(d, counts);
}

static void add_random(struct data *d, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double counts[PM_KINDS] = {0};

        for (size_t k = 4 + am_rng_below(&d->rng, 7), kinds = 0; k > 0; k--) {
            const size_t c = am_rng_below(&d->rng, d->machine->n);

            kinds += counts[c] < 0.5;
            if (kinds <= USES_MAX)
                counts[c] += 1;
        }
        add(d, counts);
    }
}

static struct data *begin(const struct pm_machine *m, double noise, uint64_t seed)
{
    struct data *const d = calloc(1, sizeof(*d));

    if (!d)
        abort();
    d->machine = m;
    d->noise = noise;
    am_rng_seed(&d->rng, seed, 1);
    for (size_t c = 0; c < m->n; c++) {
        double counts[PM_KINDS] = {0};

        counts[c] = 1;
        d->alone[c] = pm_cycles(m, counts);
        add(d, counts);
    }
    return d;
}

/* What cpu.ports measures: each class beside each, in three ratios; and some random mixes. */
static struct data *measure(const struct pm_machine *m, double noise, uint64_t seed)
{
    struct data *const d = begin(m, noise, seed);

    for (size_t a = 0; a < m->n; a++) {
        for (size_t b = 0; b < a; b++) {
            add_pair(d, a, 1, b, 1);
            add_pair(d, a, 1, b, 3);
            add_pair(d, a, 3, b, 1);
        }
    }
    add_random(d, 200);
    return d;
}

static bool fit(const struct data *d, struct am_arena *arena, struct am_resources_model *out)
{
    const struct am_resources_input input = {.kinds = d->machine->n,
                                             .alone = d->alone,
                                             .slot = 0,
                                             .mixes = d->mixes,
                                             .n = d->n,
                                             .noise = fmax(d->noise, 1e-3),
                                             .seed = 7,
                                             .starts = 4};

    return am_resources_fit(&input, arena, out);
}

/* Mean absolute error on random mixes without noise that were not fitted. */
static double held_error(const struct pm_machine *m, const struct am_resources_model *model)
{
    struct data *const d = begin(m, 0, 99);
    double sum = 0;

    d->n = 0;
    add_random(d, 300);
    for (size_t i = 0; i < d->n; i++)
        sum += fabs(am_resources_cycles(model, d->mixes[i].uses, d->mixes[i].n, NULL) /
                        d->mixes[i].cycles -
                    1);
    sum /= (double)d->n;
    free(d);
    return sum;
}

/* The largest difference between a resource and a set of ports, over the classes; classes that a
 * resource bounds little may differ by what is undecided of them. */
static double differs(const struct pm_machine *m, const struct am_resources_model *model, size_t r,
                      unsigned set)
{
    double most = 0;

    for (size_t c = 0; c < m->n; c++) {
        const struct am_resources_weight *const w = am_resources_weight(model, c, r);
        const double planted = pm_share(&m->kinds[c], set);

        most = fmax(most, fmax(w->lo - planted, planted - w->hi));
    }
    return most;
}

/* Every set of ports that bounds a class is a resource. */
static void check_sets(const struct pm_machine *m, const struct am_resources_model *model,
                       double tolerance)
{
    for (size_t c = 0; c < m->n; c++) {
        const unsigned set = m->kinds[c].ops[0];
        double least = 1;
        size_t found = 0;

        if (!set || m->kinds[c].ops[1] || m->kinds[c].busy[0] > 0)
            continue;
        for (size_t r = 1; r < model->resources; r++) {
            const double value = am_resources_weight(model, c, r)->value;
            const double apart = differs(m, model, r, set);

            if (fabs(value - pm_share(&m->kinds[c], set)) < 0.02 && apart < least) {
                least = apart;
                found = r;
            }
        }
        ok(found && least < tolerance, "%s: the ports of %s are resource %zu, within %.3f cycles",
           m->name, m->kinds[c].name, found, least);
    }
}

static void check_planted(const struct pm_machine *m, double noise, double tolerance)
{
    struct am_arena arena = {NULL};
    struct data *const d = measure(m, noise, 11);
    struct am_resources_model model;

    ok(fit(d, &arena, &model), "%s: fitted with noise of %.1f %%", m->name, 100 * noise);
    ok(model.error < 0.004 + noise, "%s: mean error %.2f %% with %zu resources", m->name,
       100 * model.error, model.resources);
    ok(held_error(m, &model) < 0.01 + noise, "%s: mixes that were not fitted: %.2f %%", m->name,
       100 * held_error(m, &model));
    ok(fabs(1 / am_resources_weight(&model, 0, 0)->value / m->width - 1) < 0.005 + noise,
       "%s: %.2f instructions per cycle", m->name, 1 / am_resources_weight(&model, 0, 0)->value);
    check_sets(m, &model, tolerance);
    printf("# %u starts, %u equal, %u as the best; %.0f %% of the mixes within\n", model.starts,
           model.equal, model.as_best, 100 * model.within);
    am_arena_fini(&arena);
    free(d);
}

/* Cores of random ports that hand out micro-operations as they come, measured with noise: mixes
 * that were not fitted are predicted nearly as well as they can be measured. */
static void check_unknown_core(uint64_t seed, double noise)
{
    struct am_arena arena = {NULL};
    struct am_resources_model model;
    struct pm_machine m;
    struct am_rng rng;
    struct data *d;
    double error = 0;
    size_t fitted;

    am_rng_seed(&rng, seed, 2);
    pm_random(&m, 18, &rng);
    d = begin(&m, noise, seed);
    d->scheduled = true;
    for (size_t a = 0; a < m.n; a++) {
        for (size_t b = 0; b < a; b++) {
            add_pair(d, a, 1, b, 1);
            add_pair(d, a, 1, b, 3);
            add_pair(d, a, 3, b, 1);
        }
    }
    add_random(d, 600);
    fitted = d->n;
    ok(fit(d, &arena, &model), "seed %llu: fitted with noise of %.0f %%", (unsigned long long)seed,
       100 * noise);
    d->noise = 0;
    add_random(d, 200);
    for (size_t i = fitted; i < d->n; i++)
        error += fabs(am_resources_cycles(&model, d->mixes[i].uses, d->mixes[i].n, NULL) /
                          d->mixes[i].cycles -
                      1) /
                 (double)(d->n - fitted);
    ok(error < 0.02 + noise,
       "seed %llu: width %.0f, %zu sets of ports: %.2f %% off with %zu resources",
       (unsigned long long)seed, m.width, m.n_sets, 100 * error, model.resources);
    am_arena_fini(&arena);
    free(d);
}

/* Two classes that were never measured together: whether they share a port cannot be known. */
static void check_unseen_pair(void)
{
    struct pm_machine m = {.name = "two classes",
                           .width = 6,
                           .kinds = {{.name = "slot"},
                                     {.name = "alu", .ops = {0xf}},
                                     {.name = "a", .ops = {1}},
                                     {.name = "b", .ops = {1}}}};
    struct am_arena arena = {NULL};
    struct data *d;
    struct am_resources_model model;
    size_t r = 0;

    pm_close(&m);
    d = begin(&m, 0, 1);
    add_pair(d, 2, 1, 1, 1);
    add_pair(d, 2, 1, 1, 3);
    add_pair(d, 3, 1, 1, 1);
    add_pair(d, 3, 1, 1, 3);
    ok(fit(d, &arena, &model), "a and b alone and beside additions are fitted");
    (void)am_resources_cycles(&model, &(struct am_resources_use){.kind = 2, .n = 1}, 1, &r);
    ok(r > 0 && !am_resources_is_decided(am_resources_weight(&model, 3, r), 1),
       "whether b takes the resource of a is undecided: %.2f to %.2f cycles",
       am_resources_weight(&model, 3, r)->lo, am_resources_weight(&model, 3, r)->hi);
    add_pair(d, 2, 1, 3, 1);
    add_pair(d, 2, 1, 3, 3);
    add_pair(d, 2, 3, 3, 1);
    ok(fit(d, &arena, &model), "and together");
    (void)am_resources_cycles(&model, &(struct am_resources_use){.kind = 2, .n = 1}, 1, &r);
    ok(am_resources_is_decided(am_resources_weight(&model, 3, r), 1) &&
           fabs(am_resources_weight(&model, 3, r)->value - 1) < 0.02,
       "measured together it is decided: %.2f cycles", am_resources_weight(&model, 3, r)->value);
    am_arena_fini(&arena);
    free(d);
}

/* A division hides its micro-operation behind the divider, unless many others stand beside it. */
static void check_hidden(void)
{
    struct pm_machine m = {.name = "hidden",
                           .width = 6,
                           .kinds = {{.name = "slot"},
                                     {.name = "alu", .ops = {3}},
                                     {.name = "slow", .ops = {3}, .busy = {10}}}};
    struct am_arena arena = {NULL};
    struct data *d;
    struct am_resources_model model;
    size_t r = 0;

    pm_close(&m);
    d = begin(&m, 0, 1);
    add_pair(d, 2, 1, 1, 1);
    add_pair(d, 2, 1, 1, 3);
    (void)fit(d, &arena, &model);
    (void)am_resources_cycles(&model, &(struct am_resources_use){.kind = 1, .n = 1}, 1, &r);
    ok(am_resources_weight(&model, 2, r)->lo < 0.01 && am_resources_weight(&model, 2, r)->hi > 0.5,
       "a division may use the adders or not: %.2f to %.2f cycles",
       am_resources_weight(&model, 2, r)->lo, am_resources_weight(&model, 2, r)->hi);
    add_pair(d, 2, 1, 1, 24);
    add_pair(d, 2, 1, 1, 32);
    (void)fit(d, &arena, &model);
    (void)am_resources_cycles(&model, &(struct am_resources_use){.kind = 1, .n = 1}, 1, &r);
    ok(fabs(am_resources_weight(&model, 2, r)->value - 0.5) < 0.1 &&
           am_resources_weight(&model, 2, r)->lo > 0.2,
       "beside 24 additions it is seen: %.2f (%.2f to %.2f) cycles",
       am_resources_weight(&model, 2, r)->value, am_resources_weight(&model, 2, r)->lo,
       am_resources_weight(&model, 2, r)->hi);
    am_arena_fini(&arena);
    free(d);
}

/* A division that takes so long alone, and how many operations on the ports of a class feed it. */
struct fed {
    const char *by;
    double alone;
    size_t ops;
};

/* The operations that feed a divider show beside many of those that share their ports, in few of a
 * division's mixes, also where it is short. Where nothing feeds it, none are made up. */
static void check_fed(const struct fed *planted, double noise)
{
    struct pm_machine m = PM_APART;
    struct am_arena arena = {NULL};
    struct am_portsets_model ports;
    struct am_portsets_part fed = {0};
    struct data *d;
    size_t slow;

    pm_close(&m);
    slow = pm_find(&m, "divide");
    m.kinds[slow].busy[0] = planted->alone;
    for (size_t k = 0; k < PM_OPS; k++)
        m.kinds[slow].ops[k] = k < planted->ops ? m.kinds[pm_find(&m, planted->by)].ops[0] : 0;
    pm_close(&m);
    d = measure(&m, noise, 5);
    for (size_t c = 1; c < m.n; c++) {
        if (c != slow)
            add_pair(d, slow, 1, c, 12);
    }
    if (!am_portsets_fit(&(struct am_resources_input){.kinds = m.n,
                                                      .alone = d->alone,
                                                      .slot = 0,
                                                      .mixes = d->mixes,
                                                      .n = d->n,
                                                      .noise = fmax(noise, 1e-3)},
                         &arena, &ports))
        abort();
    for (unsigned p = 0; p < ports.uses[slow].n; p++) {
        if (ports.uses[slow].parts[p].set == ports.uses[pm_find(&m, planted->by)].parts[0].set)
            fed = ports.uses[slow].parts[p];
    }
    ok(fabs(fed.mass - (double)planted->ops) < 0.1,
       "noise %.3f: a division of %g cycles has %.1f operations on the ports of %s, %zu planted",
       noise, planted->alone, fed.mass, planted->by, planted->ops);
    am_arena_fini(&arena);
    free(d);
}

static void check_repeats(const struct pm_machine *m)
{
    struct am_arena arena = {NULL};
    struct data *const d = measure(m, 0.01, 5);
    struct am_resources_model one, two;

    (void)fit(d, &arena, &one);
    (void)fit(d, &arena, &two);
    ok(one.resources == two.resources &&
           memcmp(one.weights, two.weights, one.kinds * one.resources * sizeof(*one.weights)) == 0,
       "the same mixes give the same weights");
    am_arena_fini(&arena);
    free(d);
}

static void check_refused(void)
{
    static const double alone[] = {1};
    static const struct am_resources_use use = {.kind = 3, .n = 1};
    static const struct am_resources_mix mix = {.uses = &use, .n = 1, .cycles = 1};
    struct am_arena arena = {NULL};
    struct am_resources_model model;

    ok(!am_resources_fit(&(struct am_resources_input){.kinds = 1, .alone = alone}, &arena, &model),
       "without mixes there is no model");
    ok(!am_resources_fit(
           &(struct am_resources_input){
               .kinds = 1, .alone = alone, .mixes = &mix, .n = 1, .starts = 1},
           &arena, &model),
       "a mix of a class that is not there is refused");
    am_arena_fini(&arena);
}

/* Begun with sets of ports: the sets have the planted sizes and share as many ports as planted, and
 * mixes that were not fitted are predicted. */
static void check_ports(const struct pm_machine *m, double noise, double most)
{
    struct am_arena arena = {NULL};
    struct data *const d = measure(m, noise, 11);
    const struct am_resources_input input = {.kinds = m->n,
                                             .alone = d->alone,
                                             .slot = 0,
                                             .mixes = d->mixes,
                                             .n = d->n,
                                             .noise = fmax(noise, 1e-3)};
    struct am_resources_model model;
    struct am_portsets_model ports;
    size_t wrong = 0, pairs = 0;
    double error;

    if (!am_portsets_fit(&input, &arena, &ports) || !am_resources_fit_ports(&input, &arena, &model))
        abort();
    for (size_t a = 1; a < m->n; a++) {
        for (size_t b = 1; b <= a; b++) {
            const struct pm_kind *const x = &m->kinds[a], *const y = &m->kinds[b];
            const unsigned both = (unsigned)ports.uses[a].parts[0].set & ports.uses[b].parts[0].set;

            if (!x->ops[0] || !y->ops[0] || x->ops[1] || y->ops[1] || x->busy[0] > 0 ||
                y->busy[0] > 0)
                continue;
            pairs++;
            wrong += __builtin_popcount(both) != __builtin_popcount(x->ops[0] & y->ops[0]);
        }
    }
    error = held_error(m, &model);
    ok(pairs > 10 && wrong == 0, "%s, noise %.2f: %zu of %zu pairs share other ports than planted",
       m->name, noise, wrong, pairs);
    ok(error < most, "%s, noise %.2f: mixes that were not fitted within %.4f", m->name, noise,
       error);
    am_arena_fini(&arena);
    free(d);
}

static size_t movable_of(const struct data *d, struct am_arena *arena, bool *movable)
{
    const struct am_resources_input input = {.kinds = d->machine->n,
                                             .alone = d->alone,
                                             .slot = 0,
                                             .mixes = d->mixes,
                                             .n = d->n,
                                             .noise = fmax(d->noise, 1e-3)};
    struct am_resources_model model;
    size_t n = 0;

    if (!am_resources_fit_ports(&input, arena, &model) || !model.movable)
        abort();
    for (size_t c = 0; c < d->machine->n; c++) {
        movable[c] = model.movable[c];
        n += movable[c];
    }
    return n;
}

/* Two classes on one port or on two: as long as they were not measured together both fit equally.
 * Which of two ports the first of them has is a matter of names. */
static void check_ambiguous(double noise)
{
    struct pm_machine m = {.name = "ambiguous",
                           .width = 6,
                           .kinds = {{.name = "slot"},
                                     {.name = "alu", .ops = {3}},
                                     {.name = "a", .ops = {1}},
                                     {.name = "b", .ops = {1}}}};
    struct am_arena arena = {NULL};
    bool movable[PM_KINDS];
    struct data *d;
    size_t n;

    pm_close(&m);
    d = begin(&m, noise, 3);
    for (size_t c = 2; c < m.n; c++) {
        for (double k = 1; k <= 4; k++) {
            add_pair(d, c, k, 1, 1);
            add_pair(d, c, 1, 1, k);
        }
    }
    n = movable_of(d, &arena, movable);
    ok(n == 2 && movable[2] && movable[3],
       "noise %.3f, apart: a and b could have other ports (%zu)", noise, n);
    for (double k = 1; k <= 4; k++) {
        add_pair(d, 2, k, 3, 1);
        add_pair(d, 2, 1, 3, k);
    }
    n = movable_of(d, &arena, movable);
    ok(n == 0, "noise %.3f, together: no class could have other ports (%zu)", noise, n);
    am_arena_fini(&arena);
    free(d);
}

/* Cores of which all pairs were measured: one mapping of those with units of their own. What a
 * divider hides, and loads beside the two operations of a store, may stay open. */
static void check_decided(const struct pm_machine *m, double noise)
{
    static const char *const decided[] = {"alu", "shift", "imul", "fadd", "logic", "shuffle"};
    struct am_arena arena = {NULL};
    struct data *const d = measure(m, noise, 11);
    bool movable[PM_KINDS];
    const size_t n = movable_of(d, &arena, movable);
    size_t wrong = 0;

    for (size_t i = 0; i < sizeof(decided) / sizeof(decided[0]); i++)
        wrong += movable[pm_find(m, decided[i])];
    ok(wrong == 0 && n <= 2, "%s, noise %.3f: %zu classes could have other ports, %zu wrongly",
       m->name, noise, n, wrong);
    am_arena_fini(&arena);
    free(d);
}

int main(void)
{
    static const struct fed feds[] = {{"imul", 10, 2}, {"imul", 10, 0}, {"fmul", 3, 2},
                                      {"fmul", 6, 3},  {"fmul", 3, 0},  {"fmul", 6, 0}};
    struct pm_machine apart = PM_APART, shared = PM_SHARED;

    pm_close(&apart);
    pm_close(&shared);
    check_planted(&apart, 0, 0.03);
    check_planted(&shared, 0, 0.03);
    /* With noise, weights of one resource can hide in another: intervals hold the others fixed. */
    check_planted(&apart, 0.01, 0.15);
    check_planted(&shared, 0.01, 0.15);
    for (uint64_t seed = 1; seed <= 4; seed++)
        check_unknown_core(seed, seed % 2 ? 0.02 : 0.05);
    check_ports(&apart, 0, 0.01);
    check_ports(&shared, 0, 0.01);
    check_ports(&apart, 0.005, 0.02);
    check_ports(&shared, 0.005, 0.02);
    check_ambiguous(0);
    check_ambiguous(0.005);
    check_decided(&apart, 0);
    check_decided(&shared, 0);
    check_decided(&apart, 0.005);
    check_unseen_pair();
    check_hidden();
    for (size_t i = 0; i < sizeof(feds) / sizeof(feds[0]); i++) {
        check_fed(&feds[i], 0);
        check_fed(&feds[i], 0.005);
    }
    check_repeats(&apart);
    check_refused();
    return tap_done();
}
