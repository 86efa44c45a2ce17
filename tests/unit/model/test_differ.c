/* SPDX-License-Identifier: MIT */
/* Models against each other: what differs is found and nothing else, facts of all threads meet, and
 * of the machines of one file the odd one stands out. */
#include "model/differ.h"

#include "fact_fixture.h"
#include "tap.h"

enum { FACTS = 40, NODES_MOST = 8 };

static const struct am_compare_settings settings = {.delta = 0.02, .level = 0.95};

/* A model of FACTS latencies that are `factor` times as long in the first `odd` of them. */
static void make(struct am_machine_model *m, struct am_arena *arena, const char *name,
                 double factor, size_t odd)
{
    *m = (struct am_machine_model){.name = name, .node = name};
    m->facts.arena = arena;
    for (size_t i = 0; i < FACTS; i++) {
        char labels[32];

        (void)snprintf(labels, sizeof(labels), "instr=i%zu", i);
        fx_fact(&m->facts, "core.latency", labels, "cycle",
                (1 + (double)i) * (i < odd ? factor : 1))
            ->launches = 5;
    }
}

static const struct am_difference *row_of(const struct am_differences *all, const char *id)
{
    for (size_t i = 0; i < all->n; i++) {
        if (strcmp(all->rows[i].fact->id, id) == 0)
            return &all->rows[i];
    }
    return NULL;
}

static const char *verdict_of(const struct am_differences *all, const char *id)
{
    const struct am_difference *const row = row_of(all, id);

    return row ? am_difference_word(row->verdict) : "no row";
}

static void test_pair(void)
{
    struct am_arena arena = {0};
    struct am_machine_model two[2];
    const struct am_machine_models models = {two, 2};
    struct am_differences d;
    struct am_err err = {0};

    make(&two[0], &arena, "a", 1, 0);
    make(&two[1], &arena, "b", 1.2, 2);
    ok(am_models_differ(&models, &settings, &arena, &d, &err) == AM_OK && d.n == FACTS,
       "all facts are paired");
    is_str(verdict_of(&d, "core.latency{instr=i0}"), "different?",
           "a fifth more beside intervals of a hundredth is a difference");
    ok(d.count[AM_VERDICT_MAYBE_SLOWER] == 2 && d.missing == 0, "and no other is");
    is_near(row_of(&d, "core.latency{instr=i1}")->ratio, 1.2, 1e-9, "with its ratio");
    is_str(verdict_of(&d, "core.latency{instr=i7}"), "same",
           "equal values with intervals of half of delta are shown to be the same");
    ok(am_models_differ(&(struct am_machine_models){two, 1}, &settings, &arena, &d, &err) ==
               AM_OK &&
           d.n == 0,
       "one model has nothing to differ from");
    am_arena_fini(&arena);
}

static void test_bounds(void)
{
    struct am_arena arena = {0};
    struct am_machine_model two[2] = {{.name = "a"}, {.name = "b"}};
    const struct am_machine_models models = {two, 2};
    struct am_differences d;
    struct am_err err = {0};

    for (size_t i = 0; i < 2; i++) {
        struct am_facts *const f = &two[i].facts;

        f->arena = &arena;
        fx_fact(f, "memory.line", "", "B", i ? 128 : 64)->ci =
            (struct am_interval){i ? 128 : 64, i ? 128 : 64, NAN};
        fx_fact(f, "memory.levels", "", "", 3)->ci = (struct am_interval){3, 3, NAN};
        fx_fact(f, "memory.size", "level=l2", "B", i ? 900 : 700)->ci =
            (struct am_interval){i ? 600 : 500, i ? 1000 : 1000, NAN};
        fx_fact(f, "openmp.overhead", "construct=for", "s", i ? 5e-7 : -1e-9)->ci =
            (struct am_interval){i ? 4e-7 : -9e-9, i ? 6e-7 : 8e-9, 0.95};
        fx_fact(f, "core.peak", i ? "type=f64 threads=16" : "type=f64 threads=2", "flop/s",
                i ? 16e9 : 2e9)
            ->launches = 5;
        fx_fact(f, "core.peak", "type=f64 threads=1", "flop/s", 1e9)->ci.coverage = 0;
    }
    ok(am_models_differ(&models, &settings, &arena, &d, &err) == AM_OK && d.n == 6,
       "facts of all kinds are paired");
    is_str(verdict_of(&d, "memory.line"), "different?", "counts that differ may differ");
    is_str(verdict_of(&d, "memory.levels"), "same", "equal counts are the same");
    is_str(verdict_of(&d, "memory.size{level=l2}"), "undecided",
           "bounds that overlap do not decide");
    is_str(verdict_of(&d, "openmp.overhead{construct=for}"), "different?",
           "values that have no logarithm are compared by their bounds");
    ok(isnan(row_of(&d, "openmp.overhead{construct=for}")->ratio), "without a ratio");
    is_str(verdict_of(&d, "core.peak{type=f64,threads=16}"), "different?",
           "all threads meet all threads");
    is_str(verdict_of(&d, "core.peak{type=f64,threads=1}"), "undecided",
           "an interval of one launch shows nothing");
    ok(d.n_judged == 1 && d.rows[0].by_bounds, "what has bounds alone is not among the tests");
    am_arena_fini(&arena);
}

static void test_nodes(void)
{
    static const char *const names[NODES_MOST] = {"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"};
    struct am_arena arena = {0};
    struct am_machine_model all[NODES_MOST];
    const struct am_machine_models models = {all, NODES_MOST}, three = {all, 3}, two = {all, 2};
    struct am_differences d;
    struct am_err err = {0};

    for (size_t i = 0; i < NODES_MOST; i++)
        make(&all[i], &arena, names[i], i == 2 ? 1.15 : 1, 3);
    ok(am_nodes_differ(&models, &settings, &arena, &d, &err) == AM_OK &&
           d.n == (size_t)NODES_MOST * FACTS,
       "every machine is held against the others");
    ok(d.count[AM_VERDICT_SLOWER] == 3 && d.count[AM_VERDICT_FASTER] == 0 &&
           d.count[AM_VERDICT_MAYBE_SLOWER] == 0,
       "the odd one is different in three facts, without a question mark");
    for (size_t i = 0; i < d.n; i++) {
        if (am_difference_is_one(&d.rows[i]) && d.rows[i].model != 2)
            ok(false, "%s is accused", names[d.rows[i].model]);
    }
    ok(am_nodes_differ(&three, &settings, &arena, &d, &err) == AM_OK &&
           d.count[AM_VERDICT_SLOWER] == 0 && d.count[AM_VERDICT_MAYBE_SLOWER] == 3,
       "of three it keeps the question mark");
    ok(am_nodes_differ(&two, &settings, &arena, &d, &err) == AM_OK && d.n == FACTS &&
           d.rows[0].others == 0,
       "two are compared with each other");
    am_arena_fini(&arena);
}

int main(void)
{
    test_pair();
    test_bounds();
    test_nodes();
    return tap_done();
}
