/* SPDX-License-Identifier: MIT */
/* The machine model: clock, scaling, symmetry, guidelines and the pictures, from runs with known
 * contents. */
#include "base/text.h"
#include "model/derive.h"
#include "model/guidelines.h"
#include "report/drawing.h"
#include "report/model.h"
#include "report/roofline.h"

#include "result_fixture.h"
#include "tap.h"

#include <stdlib.h>

/* ---- facts by hand ---- */

static void put_fact(struct am_facts *facts, const char *id, const char *unit, double value)
{
    (void)am_facts_add(facts, &(struct am_fact){.id = id,
                                                .what = "made up",
                                                .unit = unit,
                                                .value = value,
                                                .ci = {0.99 * value, 1.01 * value, 0.95},
                                                .evidence = "made up"});
}

static double value_of(const struct am_facts *facts, const char *id)
{
    const struct am_fact *const f = am_facts_find(facts, id);

    return f ? f->value : NAN;
}

/* ---- clock ---- */

static void check_clock(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    const struct rx_metric flops[] = {
        {"flops", "flop/s", 48e9}, {"flops_per_cycle", "flop/cycle", 16}, {NULL, NULL, 0}};
    const struct rx_metric chase[] = {
        {"latency", "s", 2e-9}, {"cycles", "cycle", 6.2}, {NULL, NULL, 0}};

    (void)rx_add(&run, "cpu.flops", "type=f64 threads=1", flops);
    (void)rx_add(&run, "mem.latency", "size=4096 chains=1", chase);
    (void)rx_add(&run, "mem.latency", "size=4096 chains=8", flops);
    am_kvs_add(&run.set.environment, &run.arena, "frequency_max_khz", "2500000");
    am_derive_clock(&run.set, &facts);
    is_near(value_of(&facts, "cpu.clock") / 1e9, 3.05, 1e-9, "the middle of both clocks");
    ok(am_facts_find(&facts, "cpu.clock")->contradicts,
       "a clock above the highest that is stated is a contradiction");
    am_arena_fini(&run.arena);
}

/* ---- scaling ---- */

static void check_scaling(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};

    am_kvs_add(&run.set.machine, &run.arena, "cores", "16");
    put_fact(&facts, "cpu.flops.f64.avx512.peak", "flop/s", 80e9);
    put_fact(&facts, "cpu.flops.f64.avx512.threads8.peak", "flop/s", 600e9);
    put_fact(&facts, "cpu.flops.f64.avx512.threads16.peak", "flop/s", 640e9);
    put_fact(&facts, "memory.bandwidth.read", "B/s", 15e9);
    put_fact(&facts, "memory.bandwidth.read.threads16", "B/s", 135e9);
    put_fact(&facts, "memory.bandwidth.read.threads", "", 9);
    am_derive_scaling(&run.set, &facts);
    is_near(value_of(&facts, "scaling.cpu.flops.f64.avx512.peak"), 8, 1e-9,
            "the speed-up of the most threads");
    is_near(value_of(&facts, "scaling.memory.bandwidth.read"), 9, 1e-9, "of memory too");
    is_near(value_of(&facts, "cpu.cores.effective"), 8, 1e-9, "cores by their arithmetic");
    ok(am_facts_find(&facts, "cpu.cores.effective")->contradicts,
       "half of the claimed cores are a contradiction");
    am_arena_fini(&run.arena);
    run = (struct rx_run){0};
    facts = (struct am_facts){.arena = &run.arena};
    am_kvs_add(&run.set.machine, &run.arena, "cores", "16");
    put_fact(&facts, "cpu.flops.f64.avx2.peak", "flop/s", 80e9);
    put_fact(&facts, "cpu.flops.f64.avx2.threads4.peak", "flop/s", 160e9);
    am_derive_scaling(&run.set, &facts);
    ok(!am_facts_find(&facts, "cpu.cores.effective"),
       "fewer threads than cores say nothing of their number");
    am_arena_fini(&run.arena);
}

/* ---- symmetry ---- */

/* Two CPUs belong together when they agree in cpu / near; siblings are cpu and cpu + half. */
struct layout {
    int cpus, near, half;
    double within, between;
    double distance; /* stated for all that are no siblings */
    double groups, ratio;
    bool denied;
    const char *evidence;
};

static void add_pairs(struct rx_run *run, const struct layout *l)
{
    for (int from = 0; from < l->cpus; from++) {
        for (int to = 0; to < l->cpus; to++) {
            const bool sibling = l->half && abs(from - to) == l->half;
            const int a = l->half ? from % l->half : from, b = l->half ? to % l->half : to;
            const bool near = a / l->near == b / l->near;
            const double wobble = 1 + 0.02 * ((from * 7 + to * 3) % 5);
            const struct rx_metric metrics[] = {
                {"latency", "s", sibling ? 8e-9 : (near ? l->within : l->between) * wobble},
                {"distance", "", sibling ? 1 : l->distance},
                {NULL, NULL, 0}};
            char text[64];

            if (from == to)
                continue;
            (void)snprintf(text, sizeof(text), "method=cas from=%d to=%d", from, to);
            (void)rx_add(run, "mem.pingpong", text, metrics);
        }
    }
}

static void check_symmetry(void)
{
    static const struct layout layouts[] = {
        {8, 8, 0, 40e-9, 40e-9, 2, 1, 0, false, "{0-7}"},
        {8, 4, 0, 40e-9, 120e-9, 2, 2, 3, true, "{0-3} {4-7}"},
        {8, 2, 4, 40e-9, 120e-9, 2, 2, 3, true, "{0-1,4-5} {2-3,6-7}"},
        {2, 2, 0, 40e-9, 40e-9, 2, NAN, NAN, false, NULL},
    };

    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
        struct rx_run run = {0};
        struct am_facts facts = {.arena = &run.arena};
        const struct am_fact *f;

        add_pairs(&run, &layouts[i]);
        am_derive_symmetry(&run.set, &facts);
        f = am_facts_find(&facts, "symmetry.groups");
        if (!layouts[i].evidence) {
            ok(!f, "two CPUs show no groups");
        } else {
            ok(f && fabs(f->value - layouts[i].groups) < 0.5, "%.0f groups of %d CPUs",
               layouts[i].groups, layouts[i].cpus);
            ok(f && strstr(f->evidence, layouts[i].evidence), "they are %s: %s",
               layouts[i].evidence, f ? f->evidence : "?");
            ok(f && f->contradicts == layouts[i].denied, "%s what the system states",
               layouts[i].denied ? "against" : "in agreement with");
        }
        if (layouts[i].groups > 1)
            ok(fabs(value_of(&facts, "symmetry.ratio") - layouts[i].ratio) < 0.2,
               "between groups a hand-off takes %.0f times as long", layouts[i].ratio);
        am_arena_fini(&run.arena);
    }
}

/* ---- guidelines ---- */

static const char *text_of(const struct am_guidelines *g, const char *id)
{
    for (size_t i = 0; i < g->n; i++) {
        if (strcmp(g->items[i].id, id) == 0)
            return g->items[i].text;
    }
    return "";
}

static void put_machine(struct am_facts *facts)
{
    put_fact(facts, "cpu.flops.f64.avx2.peak", "flop/s", 60e9);
    put_fact(facts, "cpu.flops.f64.avx2.streams", "", 8);
    put_fact(facts, "cpu.flops.f64.scalar.peak", "flop/s", 15e9);
    put_fact(facts, "cpu.flops.f32.avx2.peak", "flop/s", 120e9);
    put_fact(facts, "cpu.rate.vdivpd_ymm", "1/cycle", 0.2);
    put_fact(facts, "cpu.rate.vfmadd231pd_ymm", "1/cycle", 2);
    put_fact(facts, "cache.l1d.latency", "s", 1e-9);
    put_fact(facts, "cache.l2.latency", "s", 4e-9);
    put_fact(facts, "cache.l2.size", "B", 1048576);
    put_fact(facts, "cache.l3.size", "B", 33554432);
    put_fact(facts, "memory.latency", "s", 100e-9);
    put_fact(facts, "memory.parallelism", "", 20);
    put_fact(facts, "memory.bandwidth.copy.nt_gain", "", 1.4);
    put_fact(facts, "memory.bandwidth.triad.threads", "", 4);
    put_fact(facts, "memory.bandwidth.triad.threads8", "B/s", 60e9);
    put_fact(facts, "scaling.memory.bandwidth.triad", "", 3.1);
    put_fact(facts, "memory.stanza.knee", "", 64);
    put_fact(facts, "coherence.read.modified.cache.latency", "s", 90e-9);
    put_fact(facts, "sharing.add.penalty", "", 5);
}

static void check_guidelines(void)
{
    static const struct {
        const char *id, *words;
    } cases[] = {
        {"core.streams", "at least 8 independent f64 operations of avx2"},
        {"core.vectors", "avx2: 4.0 x the arithmetic of scalar code"},
        {"core.precision", "2.0 x"},
        {"core.division", "20 multiplications"},
        {"memory.levels", "below 1024 KiB"},
        {"memory.streaming", "gain 1.40 x (copy) beyond the last cache (32 MiB)"},
        {"memory.threads", "Use 4 threads"},
        {"memory.stanza", "512 B (64 f64 elements)"},
        {"memory.parallelism", "keeps 20 loads"},
        {"cores.remote", "treat the caches of other cores as memory"},
        {"cores.sharing", "5.0 x slower"},
    };
    struct am_arena arena = {0};
    struct am_facts facts = {.arena = &arena};
    struct am_guidelines g;
    bool complete = true;

    am_guidelines_make(&facts, &arena, &g);
    ok(g.n == 0, "without facts there is no advice");
    put_machine(&facts);
    am_guidelines_make(&facts, &arena, &g);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ok(strstr(text_of(&g, cases[i].id), cases[i].words) != NULL, "%s: %s (%s)", cases[i].id,
           cases[i].words, text_of(&g, cases[i].id));
    for (size_t i = 0; i < g.n; i++)
        complete &= g.items[i].evidence && strncmp(g.items[i].command, "run ", 4) == 0;
    ok(complete && g.n == sizeof(cases) / sizeof(cases[0]),
       "each has evidence and a command, and there is no other");
    facts.items[12].ci = (struct am_interval){1.4, 1.4, 0};
    am_guidelines_make(&facts, &arena, &g);
    is_str(facts.items[12].id, "memory.bandwidth.copy.nt_gain", "one launch of a gain");
    is_str(text_of(&g, "memory.streaming"), "", "is no ground for advice");
    am_arena_fini(&arena);
}

/* ---- written and drawn ---- */

static char *model_text(struct rx_run *run, const struct am_facts *facts, struct am_style style)
{
    struct am_guidelines guidelines;
    struct am_roofline roofline;
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);

    am_guidelines_make(facts, &run->arena, &guidelines);
    am_roofline_build(&run->set, facts, &run->arena, &roofline);
    am_report_model(&(struct am_model_view){&run->set, facts, &guidelines, &roofline}, &style,
                    &run->arena, out);
    (void)fclose(out);
    return text;
}

static size_t widest_line(const char *text)
{
    size_t widest = 0;

    while (*text) {
        const size_t n = strcspn(text, "\n");
        char line[1024];

        (void)snprintf(line, sizeof(line), "%.*s", (int)n, text);
        widest = am_text_width(line) > widest ? am_text_width(line) : widest;
        text += n + (text[n] == '\n');
    }
    return widest;
}

static void check_text(void)
{
    static const char *const words[] = {"L2",
                                        "1 MiB",
                                        "avx2",
                                        "60.0 Gflop/s",
                                        "Guidelines",
                                        "again: archmeter run",
                                        "sharing.add.penalty"};
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    const struct am_style narrow = {.format = AM_FORMAT_TABLE, .utf8 = true, .width = 80};
    char *text;

    put_machine(&facts);
    facts.items[9].claimed = "1048576 B";
    facts.items[9].contradicts = true;
    text = model_text(&run, &facts, narrow);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        ok(strstr(text, words[i]) != NULL, "the model says \"%s\"", words[i]);
    ok(strstr(text, "! cache.l3.size: measured 32 MiB, stated: 1 MiB") != NULL,
       "a contradiction is told with both values");
    ok(widest_line(text) <= 80, "in %zu columns of 80", widest_line(text));
    free(text);
    text = model_text(&run, &facts, (struct am_style){.format = AM_FORMAT_JSON, .utf8 = true});
    ok(strstr(text, "\"guidelines\"") && strstr(text, "\"ceilings\"") && strstr(text, "\"facts\""),
       "JSON has facts, guidelines and ceilings");
    free(text);
    am_arena_fini(&run.arena);
}

static void check_drawing(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    const struct am_figure_source source = {&run.set, &facts, &run.arena};
    struct am_text out;

    am_text_init(&out, 1 << 20);
    ok(!am_drawing_draw(&source, &out) && !am_roofline_draw(&source, &out) && out.len == 0,
       "nothing is drawn of nothing");
    put_machine(&facts);
    am_kvs_add(&run.set.machine, &run.arena, "cores", "8");
    am_kvs_add(&run.set.machine, &run.arena, "threads", "16");
    ok(am_drawing_draw(&source, &out), "the machine is drawn");
    ok(strstr(am_text_str(&out), "L2  1 MiB") && strstr(am_text_str(&out), "4 more") &&
           strstr(am_text_str(&out), "2 hardware threads"),
       "with its caches, its cores and their threads");
    ok(strncmp(am_text_str(&out), "<svg", 4) == 0 && strstr(am_text_str(&out), "</svg>"),
       "as one SVG element");
    am_text_fini(&out);
    am_arena_fini(&run.arena);
}

int main(void)
{
    check_clock();
    check_scaling();
    check_symmetry();
    check_guidelines();
    check_text();
    check_drawing();
    return tap_done();
}
