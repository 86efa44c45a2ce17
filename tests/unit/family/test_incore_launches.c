/* SPDX-License-Identifier: MIT */
/* Launches whose clock was wrong are set aside; others are not. */
#include "family/incore/incore.h"
#include "result_fixture.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>

enum { CELLS = 20, LAUNCHES = 6, WRONG = 3 };

/* Cells of some launches, of which one is `wrong` times as long as the others. */
struct cells {
    double wrong;
    unsigned every; /* of so many cells one is as long as the others nevertheless; 0: none */
    double scatter; /* of the wrong one's times from cell to cell, */
    double others;  /* and of the other launches' from each other; of those one is so much less */
    unsigned n;     /* cells */
    size_t launches;
    size_t at;         /* which is wrong */
    const char *bench; /* NULL: cpu.ports */
};

static double time_of(const struct cells *c, unsigned cell, size_t launch)
{
    const double scattered = 1 + c->scatter * (cell % 5) / 4.0;

    if (launch != c->at)
        return (1 + cell) * (1 + c->others * (double)launch);
    return (1 + cell) * (c->every && cell % c->every == 0 ? 1 : c->wrong * scattered);
}

static void add_cell(struct rx_run *run, struct am_result *r, const struct cells *c, unsigned cell)
{
    struct am_result_metric *const m = &r->metrics[r->n_metrics++];
    struct am_series *const s = &m->series;

    rx_metric_put(run, m,
                  &(struct rx_metric){am_arena_printf(&run->arena, "cell_%u", cell), "cycle", 1});
    s->n = c->launches;
    s->launches = am_arena_array(&run->arena, s->n, sizeof(*s->launches));
    for (size_t k = 0; k < s->n; k++) {
        double *const value = am_arena_alloc(&run->arena, sizeof(*value));

        *value = time_of(c, cell, k);
        s->launches[k] =
            (struct am_launch_values){.launch_id = (int64_t)k + 1, .values = value, .n = 1};
    }
}

/* Whether it is set aside, and nothing else; the least of the second cell in `least`. */
static bool is_set_aside(const struct cells *c, double *least)
{
    struct rx_run run = {0};
    struct am_incore core = {.fetch = 0};
    struct am_result *const r = rx_add(&run, c->bench ? c->bench : "cpu.ports",
                                       "instr=add_r64 counts=1:1", (const struct rx_metric[]){{0}});
    bool aside;

    r->metrics = am_arena_array(&run.arena, c->n, sizeof(*r->metrics));
    for (unsigned i = 0; i < c->n; i++)
        add_cell(&run, r, c, i);
    am_evidence_settle(&run.set);
    if (!am_incore_set_aside(&run.set, &run.arena, &core))
        abort();
    *least = am_incore_read_cell(&core, r, "cell_1").value / 2;
    aside = am_incore_is_aside(&core, (int64_t)c->at + 1);
    ok(core.n_aside == aside, "no other launch is");
    am_arena_fini(&run.arena);
    return aside;
}

static void check_launches(void)
{
    static const struct {
        const char *what;
        struct cells cells;
        bool aside;
        double least; /* NAN: no evidence */
    } cases[] = {
        {"a ninth below all others", {0.894, .launches = 6}, true, 1},
        {"a twentieth", {0.95, .launches = 6}, true, 1},
        {"a twentieth, of loops of cpu.loop", {0.95, .launches = 6, .bench = "cpu.loop"}, true, 1},
        {"of random mixes", {0.95, .launches = 6, .bench = "cpu.mix"}, true, 1},
        {"of another bench, which no core is read from",
         {0.95, .launches = 6, .bench = "cpu.flops"},
         false,
         0.95},
        {"the 70th of 80 launches", {0.894, .launches = 80, .at = 69}, true, 1},
        {"of three launches, of which two are no evidence", {0.894, .launches = 3}, true, NAN},
        {"of two: either may be wrong", {0.894, .launches = 2, .at = 1}, false, NAN},
        {"as long as the others", {1, .launches = 6}, false, 1},
        {"longer: the least leaves it", {1.4, .launches = 6}, false, 1},
        {"a hundredth below: no error that matters", {0.99, .launches = 6}, false, 0.99},
        {"below in half of its cells: a clock is wrong in all",
         {0.95, .every = 2, .launches = 6},
         false,
         0.95},
        {"below in four fifths of them", {0.95, .every = 5, .launches = 6}, false, 0.95},
        {"below in 19 of 20", {0.95, .every = 20, .launches = 6}, true, 1},
        {"by another share in each cell", {0.9, .scatter = 0.08, .launches = 6}, false, 0.918},
        {"by nearly the same", {0.9, .scatter = 0.01, .launches = 6}, true, 1},
        {"in ten cells: too few to judge by", {0.95, .n = 10, .launches = 6}, false, 0.95},
        {"below others that do not agree", {0.95, .others = 0.03, .launches = 6}, false, 0.95},
        {"half as long: no clock, and no evidence either", {0.5, .launches = 6}, false, NAN},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cells c = cases[i].cells;
        double least;
        bool aside;

        c.n = c.n ? c.n : CELLS;
        c.at = c.at ? c.at : c.launches < LAUNCHES ? 0 : WRONG;
        aside = is_set_aside(&c, &least);
        ok(aside == cases[i].aside &&
               (isnan(cases[i].least) ? isnan(least) : fabs(least - cases[i].least) < 1e-9),
           "a launch %s is %s: the least is %g", cases[i].what, aside ? "set aside" : "kept",
           least);
    }
}

/* What a time of so many launches is read as. */
static void check_sound(void)
{
    static const struct {
        const char *what;
        double times[LAUNCHES];
        size_t launches;
        uint32_t spoilt; /* reasons why it concludes nothing, else as it is graded */
        double read;     /* NAN: nothing */
    } cases[] = {
        {"two launches agree on the least", {1.5, 1, 1.9, 1.004, 1.7, 2}, 6, 0, 1},
        {"as busy launches conclude nothing, the least does",
         {1.5, 1, 1.9, 1, 1.7, 2},
         6,
         1u << AM_REASON_BUSY,
         1},
        {"one is far below: the median", {1, 1, 0.5, 1, 1, 1}, 6, 0, 1},
        {"one is far below, and the median concludes nothing",
         {1, 1, 0.5, 1, 1, 1},
         6,
         1u << AM_REASON_BUSY,
         NAN},
        {"one is none: the median", {1, 1, -100, 1, 1, 1}, 6, 0, 1},
        {"no time at all, twice", {0, 0, 0, 0, 0, 0}, 6, 0, 0},
        {"times that were too short to be read", {1, 1, 1, 1, 1, 1}, 6, 1u << AM_REASON_ZERO, NAN},
        {"too few launches, and the median concludes nothing",
         {1, 1},
         2,
         1u << AM_REASON_LAUNCHES,
         NAN},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rx_run run = {0};
        const struct am_incore core = {.fetch = 0};
        struct am_result *const r =
            rx_add(&run, "cpu.chain", "instr=add_r64",
                   (const struct rx_metric[]){{"latency", "cycle", 1}, {0}});
        struct am_result_metric *const m = &r->metrics[0];
        double read;

        for (size_t k = 0; k < LAUNCHES; k++)
            *(double *)m->series.launches[k].values = cases[i].times[k];
        m->series.n = cases[i].launches;
        am_evidence_settle(&run.set);
        m->grading =
            (struct am_grading){cases[i].spoilt ? AM_GRADE_C : AM_GRADE_B, cases[i].spoilt};
        read = am_incore_sound(&core, m);
        ok(isnan(cases[i].read) ? isnan(read) : fabs(read - cases[i].read) < 1e-9, "%s: %g",
           cases[i].what, read);
        am_arena_fini(&run.arena);
    }
}

int main(void)
{
    check_launches();
    check_sound();
    return tap_done();
}
