/* SPDX-License-Identifier: MIT */
/* Pictures of the machine and its roofline, from facts and ceilings that are known. */
#include "document/figure/pictures.h"
#include "evidence/evidence.h"
#include "write/plot/pictures.h"

#include "fact_fixture.h"
#include "tap.h"

static void put_machine(struct am_facts *facts)
{
    fx_fact(facts, "core.peak", "type=f64 isa=avx2 threads=1", "flop/s", 60e9);
    fx_fact(facts, "core.peak", "type=f64 isa=scalar threads=1", "flop/s", 15e9);
    fx_fact(facts, "core.peak", "type=f64 isa=avx2 threads=8", "flop/s", 480e9);
    fx_fact(facts, "memory.size", "level=l2", "B", 1048576);
    fx_fact(facts, "memory.size", "level=l3", "B", 33554432);
    fx_fact(facts, "memory.latency", "level=l2", "s", 4e-9);
    fx_fact(facts, "memory.bandwidth", "level=memory kernel=read threads=1", "B/s", 15e9);
    fx_fact(facts, "memory.bandwidth", "level=memory kernel=read threads=8", "B/s", 60e9);
    fx_fact(facts, "memory.bandwidth", "level=l3 kernel=read threads=4", "B/s", 90e9);
    fx_fact(facts, "coherence.handoff", "relation=cache", "s", 40e-9);
}

static void test_machine(void)
{
    static const char *const words[] = {"L2  1 MiB",
                                        "4 more",
                                        "2 hardware threads",
                                        "f64 60.0 Gflop/s",
                                        "load 4.00 ns",
                                        "8 threads: read 60.0 GB/s",
                                        "4 threads: read 90.0 GB/s",
                                        "within a cache 40.0 ns"};
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    const struct am_figure_source source = {&run.set, &facts, &run.arena};
    struct am_figure f;
    struct am_text out;

    am_text_init(&out, 1 << 20);
    for (enum am_drawing i = 0; i < AM_DRAWINGS; i++)
        ok(!am_picture_make(&source, i, &f), "nothing is drawn of nothing");
    put_machine(&facts);
    am_kvs_add(&run.set.machine, &run.arena, "cores", "8");
    am_kvs_add(&run.set.machine, &run.arena, "threads", "16");
    ok(am_picture_make(&source, AM_DRAWING_MACHINE, &f), "the machine is drawn");
    am_picture_svg(&f, &out);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        ok(strstr(am_text_str(&out), words[i]) != NULL, "with \"%s\"", words[i]);
    ok(strncmp(am_text_str(&out), "<svg", 4) == 0 && strstr(am_text_str(&out), "</svg>"),
       "as one SVG element");
    am_text_fini(&out);
    am_arena_fini(&run.arena);
}

static void add_flops(struct rx_run *run, const char *bench, const char *text, double rate)
{
    const struct rx_metric metrics[] = {{"flops", "flop/s", rate}, {NULL, NULL, 0}};

    rx_add(run, bench, text, metrics)->work.flops = 100;
}

static void test_roofline(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    const struct am_figure_source source = {&run.set, &facts, &run.arena};
    struct am_figure f;
    struct am_text out;

    am_text_init(&out, 1 << 20);
    add_flops(&run, "cpu.flops", "type=f64 isa=avx2 threads=1", 60e9);
    add_flops(&run, "cpu.flops", "type=f64 isa=avx2 threads=8", 400e9);
    for (int i = 0; i < 9; i++)
        add_flops(&run, am_arena_printf(&run.arena, "app.%d", i), "type=f64 isa=avx2 threads=1",
                  30e9);
    add_flops(&run, "app.0", "type=f64 isa=avx2 threads=2", 50e9);
    am_evidence_settle(&run.set);
    ok(am_picture_make(&source, AM_DRAWING_ROOFLINE, &f) && f.roofs->n_panels == 2,
       "panels for one thread and for the most");
    am_picture_svg(&f, &out);
    ok(strstr(am_text_str(&out), "f64, 8 threads") &&
           strstr(am_text_str(&out), "avx2 60.0 Gflop/s"),
       "with their ceilings");
    ok(f.omitted && strstr(f.omitted, "1 points of other numbers of threads") &&
           strstr(f.omitted, "2 further points"),
       "what is not drawn or not named is told: %s", f.omitted ? f.omitted : "");
    am_text_fini(&out);
    am_arena_fini(&run.arena);
}

int main(void)
{
    test_machine();
    test_roofline();
    return tap_done();
}
