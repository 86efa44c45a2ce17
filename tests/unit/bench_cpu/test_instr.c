/* SPDX-License-Identifier: MIT */
/* cpu.instr: its catalogue, its arithmetic under a scripted clock, and the facts it yields. */
#include "core/bench/bench.h"
#include "family/families.h"
#include "kernels/instr.h"
#include "tap.h"

#include <stdlib.h>

extern const struct am_bench am_bench_cpu_instr;

/* Categories of the paper's Table 1 and those beyond it, that each architecture must have. */
static const char *const categories[] = {
    "arithmetic", "conversion", "permutation", "extended",   "logic",
    "shift",      "blend",      "shuffle",     "horizontal", "compare",
};

static size_t times_named(const char *name)
{
    size_t n = 0;

    for (size_t i = 0; am_instr_names[i]; i++)
        n += strcmp(am_instr_names[i], name) == 0;
    return n;
}

static void test_table(void)
{
    size_t n = 0, twice = 0, unknown = 0, astray = 0, baseline = 0;

    for (const struct am_instr *form = am_instrs; form->name; form++, n++) {
        const char *const why_not = am_instr_why_not(form->name);

        twice += times_named(form->name) != 1;
        astray += strcmp(am_instr_names[n], form->name) != 0 ||
                  strlen(form->name) >= AM_VALUE_TEXT_MAX || am_instr_find(form->name) != form;
        unknown += why_not && strstr(why_not, "does not know") != NULL;
        baseline += form->needs[0] == '\0' && why_not != NULL;
    }
    ok(n >= 140 && !am_instr_names[n], "%zu forms, as many names", n);
    ok(twice == 0, "no name stands twice");
    ok(astray == 0, "each name leads to its form");
    ok(unknown == 0, "each form needs features that can be asked for");
    ok(baseline == 0, "what needs nothing is usable");
    ok(am_instr_why_not("no_such") != NULL && !am_instr_find("no_such"), "others are refused");
    ok(am_instr_feature_missing("sse", 3) != NULL, "an unknown feature is not taken for granted");
}

static void test_categories(void)
{
    for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++) {
        size_t n = 0;

        for (const struct am_instr *form = am_instrs; form->name; form++)
            n += strcmp(form->category, categories[i]) == 0;
        ok(n > 0, "category %s has %zu forms", categories[i], n);
    }
}

static void test_selection(void)
{
    const char *at = am_instr_selection;
    size_t n = 0, missing = 0;

    while (*at) {
        const size_t len = strcspn(at, ",");
        char name[AM_VALUE_TEXT_MAX];

        (void)snprintf(name, sizeof(name), "%.*s", (int)len, at);
        missing += am_instr_find(name) == NULL;
        n++;
        at += len + (at[len] == ',');
    }
    ok(n >= 20 && n <= 32 && missing == 0, "the selection names %zu forms of the catalogue", n);
}

/* A clock that steps by as much at each reading: everything takes one step. Where one reading in
 * `clean_every` only is undisturbed, the others step further, each by another length. */
struct stepping {
    uint64_t now, step;
    uint32_t readings, clean_every;
};

static uint64_t step_now(void *self)
{
    struct stepping *const s = self;

    s->now += s->step;
    s->readings++;
    if (s->clean_every) {
        uint32_t hash = s->readings * UINT32_C(2654435761);

        hash = (hash ^ hash >> 15) * UINT32_C(2246822519);
        hash ^= hash >> 13;
        s->now += hash % s->clean_every ? s->step / 10 + hash % s->step : 0;
    }
    return s->now;
}

/* The hooks with a form of the baseline, under a clock that steps by step_ns. */
struct harness {
    struct stepping stepping;
    struct am_clock clock;
    void *state;
    struct am_work work;
    struct am_err err;
};

static enum am_status set_up(struct harness *h, const char *name, uint64_t step_ns)
{
    const struct am_value point = {.kind = AM_AXIS_NAME, .name = name};
    struct am_ctx ctx = {.cpu_count = 1, .memory_limit_bytes = 1 << 20};

    *h = (struct harness){.stepping = {.step = step_ns}};
    h->clock = (struct am_clock){.name = "stepping", .now_ns = step_now, .self = &h->stepping};
    h->state = calloc(1, am_bench_cpu_instr.state_size);
    ctx.clock = &h->clock;
    return am_bench_cpu_instr.prepare(h->state, &ctx, &point, &h->work, &h->err);
}

static void tear_down(struct harness *h)
{
    am_bench_cpu_instr.finish(h->state);
    free(h->state);
}

/* The add chain's 32768 cycles take one step, and so does each slice: 32768 cycles for 100 (96)
 * instructions a pass. */
static void test_arithmetic(const char *name)
{
    struct harness h;
    struct am_batch batch = {0};
    double residual = -1;

    ok(set_up(&h, name, 1000) == AM_OK, "%s is prepared", name);
    ok(am_bench_cpu_instr.verify(h.state, &residual, &h.err) == AM_E_WRONG,
       "%s: verify notices that nothing ran", name);
    ok(am_bench_cpu_instr.run_timed(h.state, 4, &batch, &h.err) == AM_OK, "%s runs", name);
    is_near(batch.values[0], 32768.0 / 400, 1e-9, "latency is time by clock over dependent ones");
    is_near(batch.values[1], 32768.0 / 384, 1e-9, "throughput is the same over independent ones");
    ok(batch.elapsed_ns == 128 * 1000, "a batch is 64 slices of each kernel");
    ok(fabs(h.work.ops - 64 * 196) < 0.5, "the work of an iteration is stated");
    ok(am_bench_cpu_instr.verify(h.state, &residual, &h.err) == AM_OK && residual == 0,
       "%s is right", name);
    tear_down(&h);
}

/* Readings of the clock that a batch takes when one in `clean_every` is undisturbed. */
static uint32_t count_readings(struct harness *h, uint32_t clean_every, struct am_batch *batch)
{
    const uint32_t before = h->stepping.readings;

    h->stepping.clean_every = clean_every;
    (void)am_bench_cpu_instr.run_timed(h->state, 4, batch, &h->err);
    return h->stepping.readings - before;
}

/* Most slices and most readings of the clock are disturbed: the value is the undisturbed one, and a
 * batch goes on until enough slices confirm it. */
static void test_disturbed(const char *name)
{
    struct harness h;
    struct am_batch batch = {0};
    uint32_t calm, rough;

    (void)set_up(&h, name, 1000);
    calm = count_readings(&h, 0, &batch);
    ok(count_readings(&h, 8, &batch) >= calm, "%s, seven slices of eight disturbed", name);
    is_near(batch.values[0], 32768.0 / 400, 1e-9, "the latency is that of the best slice");
    is_near(batch.values[1], 32768.0 / 384, 1e-9, "and so is the throughput");
    rough = count_readings(&h, 256, &batch);
    ok(rough > calm && rough <= 4 * calm,
       "with hardly one undisturbed, more slices are taken: %u readings, not %u", rough, calm);
    tear_down(&h);
}

/* A root's chain holds a multiplication as well, which takes as long under this clock. */
static void test_subtraction(const char *name)
{
    struct harness h;
    struct am_batch batch = {0};

    ok(set_up(&h, name, 1000) == AM_OK && fabs(h.work.ops - 64 * 296) < 0.5,
       "%s has a third kernel", name);
    ok(am_bench_cpu_instr.run_timed(h.state, 4, &batch, &h.err) == AM_OK &&
           fabs(batch.values[0]) < 1e-9,
       "whose time is subtracted from the latency");
    tear_down(&h);
}

static void test_bounds(const char *name, const char *move)
{
    struct harness h;
    struct am_batch batch = {0};

    ok(set_up(&h, name, 100000) == AM_OK, "%s with long steps", name);
    ok(am_bench_cpu_instr.run_timed(h.state, 1000, &batch, &h.err) == AM_E_WRONG &&
           strstr(h.err.text, "latency") != NULL,
       "a latency below half a cycle is a failure with a reason: %s", h.err.text);
    tear_down(&h);
    batch = (struct am_batch){0};
    (void)set_up(&h, move, 100000);
    ok(am_bench_cpu_instr.run_timed(h.state, 1000, &batch, &h.err) == AM_OK,
       "a move between registers may have none");
    ok(am_bench_cpu_instr.run_timed(h.state, 4000, &batch, &h.err) == AM_E_WRONG,
       "but more than eight a cycle are a failure");
    tear_down(&h);
}

static void test_still_clock(const char *name)
{
    struct harness h;
    struct am_batch batch = {0};

    (void)set_up(&h, name, 0);
    ok(am_bench_cpu_instr.run_timed(h.state, 1, &batch, &h.err) == AM_E_ABSENT,
       "a clock that stands still: %s", h.err.text);
    tear_down(&h);
    ok(set_up(&h, "no_such", 1000) == AM_E_ABSENT && h.err.text[0], "refused: %s", h.err.text);
    tear_down(&h);
}

/* One result of two metrics, three launches each. */
static void test_facts(const char *name)
{
    static const double latency[] = {4.0, 4.01, 4.02}, throughput[] = {0.5, 0.5, 0.52};
    struct am_launch_values launches[2][3];
    struct am_result_metric metrics[2] = {
        {.name = "latency", .unit = "cycle", .series = {launches[0], 3}},
        {.name = "throughput", .unit = "cycle", .series = {launches[1], 3}}};
    struct am_result_param param = {"instr", AM_AXIS_NAME, name};
    struct am_result result = {.bench = "cpu.instr",
                               .text = name,
                               .state = AM_POINT_OK,
                               .params = &param,
                               .n_params = 1,
                               .metrics = metrics,
                               .n_metrics = 2};
    struct am_result_set set = {.results = &result, .n = 1};
    struct am_arena arena = {0};
    struct am_facts facts = {.arena = &arena};
    char where[64];

    for (size_t i = 0; i < 3; i++) {
        launches[0][i] = (struct am_launch_values){.values = &latency[i], .n = 1};
        launches[1][i] = (struct am_launch_values){.values = &throughput[i], .n = 1};
    }
    (void)snprintf(where, sizeof(where), "instr=%s", name);
    am_evidence_settle(&set);
    am_family_derive(&am_family_core, &set, &facts);
    ok(facts.n == 2 && am_facts_only(&facts, "core.latency", where) &&
           am_facts_only(&facts, "core.rate", where),
       "%s yields its latency and its rate", name);
    if (facts.n == 2) {
        const struct am_fact *const rate = am_facts_only(&facts, "core.rate", where);

        is_near(am_facts_value(&facts, "core.latency", where), 4.01, 1e-12, "the median latency");
        is_near(rate->value, 2, 1e-12, "two a cycle");
        ok(rate->ci.lo < rate->value && rate->ci.hi >= rate->value, "within its interval");
    }
    result.state = AM_POINT_FAIL;
    facts = (struct am_facts){.arena = &arena};
    am_family_derive(&am_family_core, &set, &facts);
    ok(facts.n == 0, "a failed point yields nothing");
    am_arena_fini(&arena);
}

#if defined(__x86_64__)
static const char *const add = "add_r64", *const move = "mov_r64", *const root = "sqrtsd_xmm";
#elif defined(__aarch64__)
static const char *const add = "add_x", *const move = "mov_x", *const root = "fsqrt_d";
#endif

int main(void)
{
    test_table();
    test_categories();
    test_selection();
    test_arithmetic(add);
    test_disturbed(add);
    test_subtraction(root);
    test_bounds(add, move);
    test_still_clock(add);
    test_facts(add);
    return tap_done();
}
