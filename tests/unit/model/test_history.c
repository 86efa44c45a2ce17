/* SPDX-License-Identifier: MIT */
/* A history of made-up runs: a planted change is found between the right runs, none where nothing
 * changed, and changes of machine and build are marked. */
#include "model/history.h"

#include "base/rng.h"
#include "evidence/evidence.h"
#include "fact_fixture.h"
#include "tap.h"

#include <stdlib.h>

enum { RUNS = 20, CHANGED = 12 };

struct past {
    struct rx_run runs[RUNS];
    struct am_history_run of[RUNS];
    struct am_arena arena;
};

static void add_point(struct rx_run *run, const char *text, double value)
{
    const struct rx_metric metrics[] = {{"latency", "s", value}, {NULL, NULL, 0}};

    rx_add(run, "t.b", text, metrics);
}

/* Memory latency and the point size=2 rise by `step` from run CHANGED on; other values vary by 1 %.
 */
static void make(struct past *p, double step, struct am_rng *r)
{
    *p = (struct past){0};
    for (size_t i = 0; i < RUNS; i++) {
        struct rx_run *const run = &p->runs[i];
        const double now = i >= CHANGED ? 1 + step : 1;
        char text[64];

        (void)snprintf(text, sizeof(text), "2026-10-%02zuT12:00:00Z", i + 1);
        run->set.run.started = am_arena_strdup(&run->arena, text);
        am_kvs_add(&run->set.machine, &run->arena, "cores", i >= 5 ? "16" : "2");
        am_kvs_add(&run->set.build, &run->arena, "compiler", i >= 15 ? "gcc 13" : "gcc 12");
        am_kvs_add(&run->set.build, &run->arena, "worker.cpu",
                   i >= 15 ? "b2a1c0b2a1c0b2a1c0b2a1c0b2a1c0b2a1c0b2a1"
                           : "0f1e2d0f1e2d0f1e2d0f1e2d0f1e2d0f1e2d0f1e");
        add_point(run, "size=1", 1e-9 * (1 + 0.01 * am_rng_unit(r)));
        add_point(run, "size=2", 2e-9 * now * (1 + 0.01 * am_rng_unit(r)));
        am_evidence_settle(&run->set);
        /* the newest first: the history sorts */
        p->of[RUNS - 1 - i] = (struct am_history_run){
            .path = "x.db", .set = &run->set, .facts = {.arena = &run->arena}};
        fx_fact(&p->of[RUNS - 1 - i].facts, "memory.latency", "level=memory", "s",
                1e-7 * now * (1 + 0.01 * am_rng_unit(r)));
        if (i % 2)
            fx_fact(&p->of[RUNS - 1 - i].facts, "core.clock", "", "Hz",
                    3e9 * (1 + 0.01 * am_rng_unit(r)));
    }
}

static void forget(struct past *p)
{
    for (size_t i = 0; i < RUNS; i++)
        am_arena_fini(&p->runs[i].arena);
    am_arena_fini(&p->arena);
}

static const struct am_history_line *find(const struct am_history *h, const char *name)
{
    for (size_t i = 0; i < h->n_lines; i++) {
        if (strcmp(h->lines[i].name, name) == 0)
            return &h->lines[i];
    }
    return NULL;
}

static void is_planted(const struct am_history_line *line, const char *what)
{
    const struct am_history_change *const c = line && line->n_changes ? line->changes : NULL;

    ok(c && line->n_changes == 1 && c->before == CHANGED - 1 && c->at == CHANGED,
       "%s changed once, between the right runs", what);
    if (c)
        is_near(c->to / c->from, 1.1, 0.01, "by as much as was planted");
}

static void test_planted(struct am_rng *r)
{
    static const char *const points[] = {"t.b size>=1"}, *const absent[] = {"t.b size=99"};
    struct past *const p = calloc(1, sizeof(*p));
    const struct am_history_line *line;
    struct am_history h;
    struct am_err err = {0};

    make(p, 0.1, r);
    ok(am_history_make(p->of, RUNS, points, 1, &p->arena, &h, &err) == AM_OK, "a history %s",
       err.text);
    ok(strcmp(h.runs[0].set->run.started, "2026-10-01T12:00:00Z") == 0,
       "the oldest run comes first");
    is_planted(find(&h, "memory latency"), "the headline");
    is_planted(find(&h, "t.b size=2"), "the point");
    line = find(&h, "t.b size=1");
    ok(line && line->n == RUNS && line->n_changes == 0, "the other point did not");
    line = find(&h, "core clock while measuring");
    ok(line && line->n == RUNS / 2 && isnan(line->value[0]) && line->n_changes == 0,
       "a figure that some runs lack has as many values");
    ok(!h.runs[4].machine && h.runs[5].machine && !h.runs[6].machine &&
           strstr(h.runs[5].machine, "cores: 2 -> 16"),
       "where the machine changed is marked");
    ok(!h.runs[14].build && h.runs[15].build && strstr(h.runs[15].build, "gcc 13"),
       "so is where the build did");
    ok(h.runs[15].build && strstr(h.runs[15].build, "worker.cpu: 0f1e2d0f1e2d -> b2a1c0b2a1c0") &&
           !strstr(h.runs[15].build, "b2a1c0b2a1c0b"),
       "fingerprints are told by their beginning: %s", h.runs[15].build ? h.runs[15].build : "");
    ok(am_history_make(p->of, RUNS, absent, 1, &p->arena, &h, &err) == AM_E_USAGE &&
           strstr(err.text, "size=99"),
       "a point that no run has is refused: %s", err.text);
    forget(p);
    free(p);
}

/* Over all lines together, as the level says. */
static void test_none(struct am_rng *r)
{
    static const char *const points[] = {"t.b"};
    struct past *const p = calloc(1, sizeof(*p));
    size_t wrong = 0;

    for (size_t i = 0; i < 100; i++) {
        struct am_history h;
        struct am_err err = {0};
        size_t n = 0;

        make(p, 0, r);
        if (am_history_make(p->of, RUNS, points, 1, &p->arena, &h, &err) == AM_OK) {
            for (size_t k = 0; k < h.n_lines; k++)
                n += h.lines[k].n_changes;
        }
        wrong += n > 0;
        forget(p);
    }
    ok(wrong <= 12, "no change planted: %zu of 100 histories report one, level 0.05", wrong);
    free(p);
}

int main(void)
{
    struct am_rng r;

    am_rng_seed(&r, 20261115, 2);
    test_planted(&r);
    test_none(&r);
    return tap_done();
}
