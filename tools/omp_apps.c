/* SPDX-License-Identifier: MIT */
/* Applications of src/app as programs of OpenMP, each before and after the change that `archmeter
 * omp cost` advises. tools/omp_cost.py measures them; both forms print the same number.
 *
 *     omp-apps-gcc APPLICATION before|after [AMOUNT]
 *     omp-apps-gcc check
 *
 * blackscholes: options handed out one by one, or 16 at a time; AMOUNT is thousands of options.
 * stencil: steps of a grid of 4096 points, a region for each half of a step, or one region for all
 * (the executor omp-for, called once per round or once); AMOUNT is thousands of steps.
 * leukocyte: fields of cells, whose rows are divided among threads in each of some hundred
 * iterations (am_mgvf_bands on the executor omp-for), or left to one thread; AMOUNT is cells.
 * `check` does a little of each and holds it against the applications' own references. */
#include "app/blackscholes/blackscholes.h"
#include "app/leukocyte/mgvf.h"
#include "app/stencil/reference.h"
#include "app/stencil/turns.h"
#include "bench/omp/executor_omp.h"
#include "kernels/isa.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    POINTS = 4096,
    PARTS = 16, /* of the grid */
    ROWS = 41,  /* of a cell's window */
    COLUMNS = 81,
    PAGE_BYTES = 4096,
};

/* NAN where something went wrong; `err` says what. */
typedef double application_fn(bool changed, long amount, struct am_err *err);

/* The widest that this machine has. */
static const char *widest(void)
{
    const char *isa = "scalar";

    for (const char *const *name = am_isa_names; *name; name++) {
        if (!am_isa_why_not(*name))
            isa = *name;
    }
    return isa;
}

static void *open_team(struct am_err *err)
{
    const struct am_executor_setup setup = {.threads = (size_t)omp_get_max_threads()};
    const struct am_executor *const e = am_omp_executors[0];
    void *self = NULL;

    return e->open(e, &setup, &self, err) == AM_OK ? self : NULL;
}

/* ---- blackscholes ---- */

static void price_one_by_one(const struct am_blocks *blocks)
{
    const long n = (long)blocks->count;

#pragma omp parallel for schedule(dynamic, 1)
    for (long i = 0; i < n; i++)
        blocks->run(blocks->app, (size_t)i);
}

static void price_by_sixteen(const struct am_blocks *blocks)
{
    const long n = (long)blocks->count;

#pragma omp parallel for schedule(dynamic, 16)
    for (long i = 0; i < n; i++)
        blocks->run(blocks->app, (size_t)i);
}

static void fill(const struct am_blocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++)
        blocks->run(blocks->app, i);
}

static double sum_of_calls(const struct am_bs *bs, size_t n)
{
    const struct am_bs_args all = am_bs_part(bs, 0);
    const double *const calls = all.call;
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += calls[i];
    return sum;
}

/* `residual` unless NULL: all prices are held against the reference. */
static double price_options(bool changed, size_t n, double *residual, struct am_err *err)
{
    const struct am_bs_setup setup = {.fn = am_bs_find("scalar")->fn[AM_BS_F64][AM_BS_ERF],
                                      .type = AM_BS_F64,
                                      .cdf = AM_BS_ERF,
                                      .n = n,
                                      .block = 1,
                                      .seed = 1};
    struct am_blocks filling, pricing;
    struct am_bs *bs = NULL;
    double sum = NAN;

    if (am_bs_new(&setup, &bs, err) != AM_OK)
        return NAN;
    filling = am_bs_filling(bs);
    pricing = am_bs_pricing(bs);
    fill(&filling);
    if (changed)
        price_by_sixteen(&pricing);
    else
        price_one_by_one(&pricing);
    if (!residual || am_bs_check(bs, residual, err) == AM_OK)
        sum = sum_of_calls(bs, n);
    am_bs_free(bs);
    return sum;
}

static double blackscholes(bool changed, long amount, struct am_err *err)
{
    return price_options(changed, 1000 * (size_t)amount, NULL, err);
}

/* ---- stencil ---- */

struct line {
    struct am_stencil st;
    struct am_stencil_turns turns;
    void *memory, *team;
    double x[POINTS];
};

static bool open_line(struct line *line, size_t steps, struct am_err *err)
{
    const struct am_stencil_spec spec = {.kernels = am_stencil_find(widest()),
                                         .method = AM_STENCIL_BY_SCALAR,
                                         .type = AM_STENCIL_F64,
                                         .n = POINTS,
                                         .r = 0.25,
                                         .parts = PARTS};
    size_t bytes;

    for (size_t i = 0; i < POINTS; i++)
        line->x[i] = sin((double)i);
    line->team = open_team(err);
    if (!line->team || am_stencil_bytes(&spec, &bytes, err) != AM_OK)
        return false;
    line->memory = aligned_alloc(PAGE_BYTES, (bytes / PAGE_BYTES + 1) * PAGE_BYTES);
    return line->memory && am_stencil_init(&line->st, &spec, line->memory, err) == AM_OK &&
           am_stencil_turns_init(&line->turns, &line->st, steps, line->x, err) == AM_OK;
}

static void close_line(struct line *line)
{
    am_stencil_turns_fini(&line->turns);
    am_omp_executors[0]->close(line->team);
    free(line->memory);
    free(line);
}

static void step_line(struct line *line, bool joined)
{
    const struct am_executor *const e = am_omp_executors[0];
    const struct am_blocks filling = am_stencil_filling(&line->turns);
    const struct am_blocks stepping = am_stencil_stepping(&line->turns);
    const uint64_t rounds = am_stencil_rounds(&line->turns);

    e->run(line->team, &filling, 1);
    if (joined)
        e->run(line->team, &stepping, rounds);
    else {
        for (uint64_t i = 0; i < rounds; i++)
            e->run(line->team, &stepping, 1);
    }
    am_stencil_turns_settle(&line->turns);
    am_stencil_store(&line->st, line->x);
}

static double step_points(bool changed, size_t steps, double *values, struct am_err *err)
{
    struct line *const line = calloc(1, sizeof(*line));
    double sum = 0;

    if (!line)
        return NAN;
    if (!open_line(line, steps, err)) {
        close_line(line);
        return NAN;
    }
    step_line(line, changed);
    for (size_t i = 0; i < POINTS; i++)
        sum += line->x[i] * (double)(i % 7);
    if (values)
        memcpy(values, line->x, sizeof(line->x));
    close_line(line);
    return sum;
}

static double stencil(bool changed, long amount, struct am_err *err)
{
    return step_points(changed, 1000 * (size_t)amount, NULL, err);
}

/* ---- leukocyte ---- */

/* A bright ring somewhere in the window. */
static void draw_edges(double *edge, size_t cell)
{
    const double y = 20 + (double)(cell % 5) - 2, x = 40 + (double)(cell % 7) - 3;

    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLUMNS; j++) {
            const double off = hypot((double)i - y, (double)j - x) - 10;

            edge[i * COLUMNS + j] = exp(-off * off / 4);
        }
    }
}

static double solve_cells(bool changed, size_t cells, const struct am_mgvf_loop *loop,
                          struct am_err *err)
{
    struct am_mgvf_setup setup = am_mgvf_defaults;
    struct am_mgvf_bands bands = {am_omp_executors[0], open_team(err),
                                  (size_t)omp_get_max_threads()};
    static double edge[ROWS * COLUMNS], field[ROWS * COLUMNS];
    struct am_mgvf *mgvf = NULL;
    double sum = NAN;

    setup.loop = loop;
    if (bands.self && am_mgvf_new(&setup, ROWS, COLUMNS, &mgvf, err) == AM_OK) {
        sum = 0;
        for (size_t cell = 0; cell < cells; cell++) {
            draw_edges(edge, cell);
            sum += (double)am_mgvf_solve(mgvf, edge, ROWS, COLUMNS, changed ? NULL : &bands, field);
            sum += field[(cell + 17) * 31 % (ROWS * COLUMNS)];
        }
    }
    am_mgvf_free(mgvf);
    am_omp_executors[0]->close(bands.self);
    return sum;
}

static double leukocyte(bool changed, long amount, struct am_err *err)
{
    const struct am_mgvf_loop loop = am_mgvf_loop_of(widest(), AM_MGVF_BY_MINMAX, AM_MGVF_F64);

    return solve_cells(changed, (size_t)amount, &loop, err);
}

/* ---- checks ---- */

static bool check_stencil(bool changed)
{
    enum { STEPS = 20 };
    static long double want[POINTS + 2 * STEPS];
    static double got[POINTS];
    struct am_err err = {0};
    double worst = 0;

    for (size_t i = 0; i < POINTS + 2 * STEPS; i++)
        want[i] = sin((double)((i + POINTS - STEPS) % POINTS));
    am_stencil_reference(want, POINTS, STEPS, 0.25);
    if (isnan(step_points(changed, STEPS, got, &err)))
        return false;
    for (size_t i = 0; i < POINTS; i++)
        worst = fmax(worst, fabs((double)(got[i] - want[i])));
    return worst <= am_stencil_tolerance(AM_STENCIL_F64, STEPS);
}

static bool check_leukocyte(bool changed)
{
    struct am_err err = {0};

    return fabs(leukocyte(changed, 2, &err) -
                solve_cells(true, 2, &am_mgvf_reference[AM_MGVF_MINMAX], &err)) < 1e-6;
}

static bool check_blackscholes(bool changed)
{
    struct am_err err = {0};
    double residual;

    return !isnan(price_options(changed, 1000, &residual, &err));
}

static const struct {
    const char *name;
    application_fn *run;
    bool (*check)(bool changed);
    long amount;
} applications[] = {{"blackscholes", blackscholes, check_blackscholes, 1000},
                    {"stencil", stencil, check_stencil, 20},
                    {"leukocyte", leukocyte, check_leukocyte, 200}};
enum { APPLICATIONS = sizeof(applications) / sizeof(*applications) };

/* Lines of TAP. */
static int check_all(void)
{
    int wrong = 0;

    printf("1..%d\n", 2 * APPLICATIONS);
    for (int i = 0; i < 2 * APPLICATIONS; i++) {
        const bool right = applications[i / 2].check(i % 2);

        wrong += !right;
        printf("%s %d - %s %s the change is right\n", right ? "ok" : "not ok", i + 1,
               applications[i / 2].name, i % 2 ? "after" : "before");
    }
    return wrong ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct am_err err = {0};

    if (argc == 2 && strcmp(argv[1], "check") == 0)
        return check_all();
    for (size_t i = 0; argc > 2 && i < APPLICATIONS; i++) {
        const long amount = argc > 3 ? strtol(argv[3], NULL, 10) : applications[i].amount;

        if (strcmp(argv[1], applications[i].name) != 0)
            continue;
        printf("%.12g\n", applications[i].run(strcmp(argv[2], "after") == 0, amount, &err));
        if (*err.text)
            fprintf(stderr, "%s\n", err.text);
        return *err.text ? 1 : 0;
    }
    fprintf(stderr, "usage: %s blackscholes|stencil|leukocyte before|after [AMOUNT], or check\n",
            argv[0]);
    return 2;
}
