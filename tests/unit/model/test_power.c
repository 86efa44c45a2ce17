/* SPDX-License-Identifier: MIT */
/* What compare finds and how often it errs, by planted effects: 156 rows, several laws of noise,
 * one or ten rows slower by 5, 10 and 100 %.
 *
 *     test_power            few comparisons per cell, checked: part of the unit tests
 *     test_power N [SEED]   N comparisons per cell, as the table of doc/internals/verdicts.md
 */
#include "base/rng.h"
#include "base/text.h"
#include "model/compare.h"
#include "model/pairs.h"
#include "noise_laws.h"
#include "tap.h"

#include <stddef.h>
#include <string.h>

enum { ROWS = 156, LAUNCHES_MAX = 20, FACTORS = 3 };

static const double factors[FACTORS] = {1.05, 1.1, 2};

/* What is planted, and whether what looks changed is measured again. */
struct plan {
    size_t changed;
    double factor;
    bool confirm;
};

static void ok_quietly(bool condition)
{
    if (!condition)
        ok(false, "a comparison could not be made");
}

struct cell {
    const char *law;
    double (*draw)(struct am_rng *r);
    size_t launches;
    size_t modes; /* so many of the rows, the last ones, are in two modes 50/50 instead */
};

static const struct cell cells[] = {
    {"normal 1 %", noise_normal1, 5, 0},
    {"normal 1 %", noise_normal1, 8, 0},
    {"normal 3 %", noise_normal3, 5, 0},
    {"normal 3 %", noise_normal3, 8, 0},
    {"lognormal tail, 2 %", noise_lognormal, 5, 0},
    {"lognormal tail, 2 %", noise_lognormal, 8, 0},
    {"exponential tail, mean 5 %", noise_exponential, 5, 0},
    {"exponential tail, mean 5 %", noise_exponential, 8, 0},
    {"two modes 60/40, x1.3", noise_modes, 5, 0},
    {"two modes 60/40, x1.3", noise_modes, 8, 0},
    {"two modes 50/50, x1.1", noise_close_modes, 5, 0},
    {"two modes 50/50, x1.1", noise_close_modes, 8, 0},
    {"normal 1 %, 12 rows in two modes", noise_normal1, 5, 12},
    {"normal 1 %, 12 rows in two modes", noise_normal1, 8, 12},
};
enum { CELLS = sizeof(cells) / sizeof(cells[0]) };

/* Both sides of a comparison; its arrays are filled anew for each. */
struct sides {
    struct am_result_set sets[2];
    struct am_result results[2][ROWS];
    struct am_result_metric metrics[2][ROWS];
    struct am_result_param params[ROWS];
    struct am_launch_values launches[2][ROWS][LAUNCHES_MAX];
    double values[2][ROWS][LAUNCHES_MAX];
    char texts[ROWS][16];
};

static void make(struct sides *x)
{
    for (size_t i = 0; i < ROWS; i++) {
        (void)snprintf(x->texts[i], sizeof(x->texts[i]), "%zu", i);
        x->params[i] = (struct am_result_param){"n", AM_AXIS_INT, x->texts[i]};
    }
    for (unsigned s = 0; s < 2; s++) {
        x->sets[s] = (struct am_result_set){.results = x->results[s], .n = ROWS};
        for (size_t i = 0; i < ROWS; i++) {
            x->metrics[s][i] = (struct am_result_metric){
                .name = "time", .unit = "s", .better = AM_LOWER, .has_summary = true};
            x->metrics[s][i].series.launches = x->launches[s][i];
            x->results[s][i] = (struct am_result){.bench = "planted",
                                                  .worker = "cpu",
                                                  .text = x->texts[i],
                                                  .params = &x->params[i],
                                                  .n_params = 1,
                                                  .state = AM_POINT_OK,
                                                  .metrics = &x->metrics[s][i],
                                                  .n_metrics = 1};
            for (size_t k = 0; k < LAUNCHES_MAX; k++)
                x->launches[s][i][k] = (struct am_launch_values){
                    .round = (unsigned)k, .values = &x->values[s][i][k], .n = 1};
        }
    }
}

static void draw(struct sides *x, const struct cell *cell, size_t launches, size_t changed,
                 double factor, struct am_rng *rng)
{
    for (unsigned s = 0; s < 2; s++) {
        for (size_t i = 0; i < ROWS; i++) {
            x->metrics[s][i].series.n = launches;
            for (size_t k = 0; k < launches; k++) {
                const double noise =
                    i + cell->modes < ROWS ? cell->draw(rng) : noise_close_modes(rng);

                x->values[s][i][k] = exp(noise) * (s && i < changed ? factor : 1);
            }
        }
    }
}

/* What came of the comparisons of one plan. */
struct outcome {
    size_t comparisons, wrong; /* wrong: with a false faster or slower */
    size_t planted, found;     /* rows that were changed, and are called so */
    size_t finds;              /* comparisons in which any was */
    size_t same;               /* changed rows that are called same */
    size_t suspects;
    size_t again; /* launches of fresh pairs */
};

/* `first` is the first result of A, and the first `changed` are those that B has otherwise. */
static void count(struct outcome *out, const struct am_comparison *c, const struct am_result *first,
                  size_t changed)
{
    const size_t before = out->found;
    bool wrong = false;

    for (size_t i = 0; i < c->n; i++) {
        const struct am_comparison_row *const row = &c->rows[i];
        const int said = am_verdict_direction(row->verdict);

        if (row->a - first < (ptrdiff_t)changed) {
            out->planted++;
            out->found += said > 0;
            out->same += row->verdict == AM_VERDICT_SAME;
            wrong |= said < 0;
        } else {
            wrong |= said != 0;
        }
        out->suspects += row->verdict == AM_VERDICT_SUSPECT;
    }
    out->comparisons++;
    out->wrong += wrong;
    out->finds += out->found > before;
}

/* What looks changed is measured again: fresh pairs, and what they decide. */
static void confirm(const struct cell *cell, const struct plan *plan,
                    const struct am_compare_settings *settings, struct am_comparison *c,
                    struct outcome *out, struct am_rng *rng)
{
    static struct sides fresh;
    const size_t open = am_comparison_open(c), pairs = am_pairs_needed(open);
    struct am_err err = {0};

    if (open == 0)
        return;
    make(&fresh);
    draw(&fresh, cell, pairs, plan->changed, plan->factor, rng);
    ok_quietly(am_pairs_decide(&fresh.sets[0], &fresh.sets[1], settings, c, &err) == AM_OK);
    out->again += 2 * pairs * open;
}

static struct outcome simulate_plan(const struct cell *cell, const struct plan *plan,
                                    size_t comparisons, struct am_rng *rng)
{
    const struct am_compare_settings settings = {.delta = 0.02,
                                                 .level = 0.95,
                                                 .basis = plan->confirm ? AM_BASIS_ONE_RUN
                                                                        : AM_BASIS_WITHIN_RUN};
    static struct sides x;
    struct outcome out = {0};

    make(&x);
    for (size_t i = 0; i < comparisons; i++) {
        struct am_arena arena = {0};
        struct am_comparison c;
        struct am_err err = {0};

        draw(&x, cell, cell->launches, plan->changed, plan->factor, rng);
        ok_quietly(am_compare(&x.sets[0], &x.sets[1], &settings, &arena, &c, &err) == AM_OK);
        if (plan->confirm)
            confirm(cell, plan, &settings, &c, &out, rng);
        count(&out, &c, x.results[0], plan->changed);
        am_arena_fini(&arena);
    }
    return out;
}

static struct outcome simulate(const struct cell *cell, size_t changed, double factor,
                               size_t comparisons, struct am_rng *rng)
{
    return simulate_plan(cell, &(struct plan){changed, factor, false}, comparisons, rng);
}

static double percent(size_t part, size_t whole)
{
    return 100.0 * (double)part / (double)(whole ? whole : 1);
}

/* The same between two runs of five launches each, decided by fresh pairs. */
static void print_confirmed(size_t comparisons, struct am_rng *rng)
{
    printf(
        "\n| noise, 5 launches per side, then fresh pairs | false | one row +5, +10, +100 %% | ten rows "
        "+5, +10, +100 %% | launches of pairs per comparison without a change |\n"
        "| --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < CELLS; i += 2) {
        const struct cell *const cell = &cells[i];
        const struct outcome none =
            simulate_plan(cell, &(struct plan){0, 1, true}, comparisons, rng);

        printf("| %s | %.1f |", cell->law, percent(none.wrong, none.comparisons));
        for (size_t changed = 1; changed <= 10; changed += 9) {
            for (size_t f = 0; f < FACTORS; f++) {
                const struct plan plan = {changed, factors[f], true};
                const struct outcome o = simulate_plan(cell, &plan, comparisons, rng);

                printf("%s %.1f%s", f ? "," : "", percent(o.found, o.planted),
                       f + 1 == FACTORS ? " |" : "");
            }
        }
        printf(" %.0f |\n", (double)none.again / (double)none.comparisons);
        (void)fflush(stdout);
    }
}

/* The rows of the table: found with one and with ten rows changed, and what is false. */
static void print_table(size_t comparisons, struct am_rng *rng)
{
    printf(
        "| noise | launches per side | false | one row +5, +10, +100 %% | ten rows +5, +10, +100 %% |"
        " false beside ten | suspects |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < CELLS; i++) {
        const struct cell *const cell = &cells[i];
        const struct outcome none = simulate(cell, 0, 1, comparisons, rng);
        struct outcome beside = {0};

        printf("| %s | %zu | %.1f |", cell->law, cell->launches,
               percent(none.wrong, none.comparisons));
        for (size_t changed = 1; changed <= 10; changed += 9) {
            for (size_t f = 0; f < FACTORS; f++) {
                const struct outcome o = simulate(cell, changed, factors[f], comparisons, rng);

                printf("%s %.1f%s", f ? "," : "", percent(o.found, o.planted),
                       f + 1 == FACTORS ? " |" : "");
                beside.wrong += changed > 1 ? o.wrong : 0;
                beside.comparisons += changed > 1 ? o.comparisons : 0;
            }
        }
        printf(" %.1f | %.2f |\n", percent(beside.wrong, beside.comparisons),
               (double)none.suspects / (double)none.comparisons);
        (void)fflush(stdout);
    }
    print_confirmed(comparisons, rng);
    printf("\n| all rows +2 %%, 8 launches per side | comparisons with a `slower` | rows `same` |\n"
           "| --- | --- | --- |\n");
    for (size_t i = 1; i < CELLS; i += 2) {
        const struct outcome o = simulate(&cells[i], ROWS, 1.02, comparisons, rng);

        printf("| %s | %.1f | %.1f |\n", cells[i].law, percent(o.finds, o.comparisons),
               percent(o.same, o.planted));
    }
}

static void check(struct am_rng *rng)
{
    enum { N = 20 };
    struct outcome o = simulate(&cells[0], 1, 1.1, 2 * N, rng);

    ok(o.found >= 35, "normal 1 %%, 5 launches: one row of 156 slower by 10 %% found in %zu of 40",
       o.found);
    ok(o.wrong <= 2, "with %zu false verdicts", o.wrong);
    o = simulate(&cells[0], 10, 1.1, N, rng);
    ok(o.found >= 180 && o.wrong <= 2, "ten rows: %zu of 200", o.found);
    o = simulate(&cells[2], 10, 2, N, rng);
    ok(o.found >= 198, "normal 3 %%: twice the time is found in %zu of 200", o.found);
    o = simulate(&cells[1], ROWS, 1.02, N, rng);
    ok(o.found <= 4 && o.same * 100 <= 8 * o.planted,
       "changed by exactly delta: %zu of %zu rows slower, %zu same", o.found, o.planted, o.same);
    o = simulate_plan(&cells[0], &(struct plan){1, 1.05, true}, 2 * N, rng);
    ok(o.found >= 32 && o.wrong <= 2, "fresh pairs: one row slower by 5 %% found in %zu of 40",
       o.found);
    o = simulate_plan(&cells[8], &(struct plan){0, 1, true}, N, rng);
    ok(o.wrong <= 3, "fresh pairs: %zu of %d comparisons in two modes are wrong", o.wrong, N);
    for (size_t i = 0; i < CELLS; i++) {
        o = simulate(&cells[i], 0, 1, N, rng);
        ok(o.wrong <= 3, "%s, %zu launches: %zu of %d comparisons without a change are wrong",
           cells[i].law, cells[i].launches, o.wrong, N);
    }
}

int main(int argc, char **argv)
{
    uint64_t numbers[] = {0, 2026}; /* comparisons per cell, seed */
    struct am_rng rng;

    for (int i = 1; i < argc; i++) {
        if (i > 2 || !am_parse_u64(argv[i], strlen(argv[i]), &numbers[i - 1])) {
            (void)fprintf(stderr, "test_power [COMPARISONS [SEED]]\n");
            return 2;
        }
    }
    am_rng_seed(&rng, numbers[1], 1);
    printf("# seed %llu\n", (unsigned long long)numbers[1]);
    if (argc > 1) {
        print_table(numbers[0], &rng);
        return 0;
    }
    check(&rng);
    return tap_done();
}
