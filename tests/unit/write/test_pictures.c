/* SPDX-License-Identifier: MIT */
/* Pictures of the machine and its roofline, from facts and ceilings that are known. */
#include "document/figure/figure_make.h"
#include "document/figure/pictures.h"
#include "document/figure/roofline.h"
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
    for (int i = 0; i < 3; i++) {
        char where[64];

        (void)snprintf(where, sizeof(where), "device=h100-%d type=float", i);
        fx_fact(facts, "opencl.peak", where, "flop/s", i == 2 ? 32e12 : 64e12);
        (void)snprintf(where, sizeof(where), "device=h100-%d", i);
        fx_fact(facts, "opencl.read", where, "B/s", 3e12);
        (void)snprintf(where, sizeof(where), "device=h100-%d direction=h2d", i);
        if (i < 2)
            fx_fact(facts, "opencl.transfer", where, "B/s", 50e9);
    }
    fx_fact(facts, "opencl.peak", "device=pocl type=float", "flop/s", 1e12);
    fx_fact(facts, "opencl.peak_over_native", "device=pocl type=float", "", 1);
}

static void test_machine(void)
{
    static const char *const words[] = {"L2: 1 MiB",
                                        "7 more cores",
                                        "2 hardware threads",
                                        "f64 60.0 Gflop/s",
                                        "latency 4.00 ns",
                                        "8 threads: read 60.0 GB/s",
                                        "4 threads: read 90.0 GB/s",
                                        "in a cache 40.0 ns",
                                        "h100-0 (2 alike)",
                                        "f32 64.0 Tflop/s",
                                        "memory: read 3.00 TB/s",
                                        "link: to the device 50.0 GB/s",
                                        "link: not measured"};
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    const struct am_figure_source source = {.set = &run.set, .facts = &facts, .arena = &run.arena};
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
    ok(!strstr(am_text_str(&out), ">ns<") && !strstr(am_text_str(&out), ">GB/s"),
       "no number is parted from its unit");
    ok(!strstr(am_text_str(&out), "pocl"), "a device that is the processor is not drawn again");
    ok(strncmp(am_text_str(&out), "<svg", 4) == 0 && strstr(am_text_str(&out), "</svg>"),
       "as one SVG element");
    am_text_fini(&out);
    am_arena_fini(&run.arena);
}

static struct am_result *add_flops(struct rx_run *run, const char *bench, const char *text,
                                   double rate)
{
    const struct rx_metric metrics[] = {
        {"flops", "flop/s", rate}, {"executed_flops", "flop/s", rate / 2}, {NULL, NULL, 0}};
    struct am_result *const r = rx_add(run, bench, text, metrics);

    r->work.flops = 100;
    return r;
}

static void add_bytes(struct rx_run *run, const char *bench, const char *text, double rate)
{
    const struct rx_metric metrics[] = {{"bandwidth", "B/s", rate}, {NULL, NULL, 0}};

    rx_add(run, bench, text, metrics)->work.bytes_read = 64;
}

static void add_ceilings(struct rx_run *run)
{
    am_kvs_add(&run->set.machine, &run->arena, "l1d_bytes", "32768");
    am_kvs_add(&run->set.machine, &run->arena, "l2_bytes", "1048576");
    add_flops(run, "cpu.flops", "op=fma type=f64 isa=avx2 threads=1", 60e9);
    add_flops(run, "cpu.flops", "op=mix type=f64 isa=avx2 threads=1", 90e9);
    add_flops(run, "cpu.flops", "op=fma type=f64 isa=scalar threads=1", 15e9);
    add_flops(run, "cpu.flops", "op=fma type=f64 isa=avx2 threads=8", 400e9);
    add_flops(run, "ocl.arith", "device=gpu type=double op=fma", 30e12);
    add_bytes(run, "mem.bandwidth", "kernel=read size=16384 isa=avx2 threads=1", 200e9);
    add_bytes(run, "mem.bandwidth", "kernel=read size=268435456 isa=avx2 threads=1", 20e9);
}

static const struct am_plot_series *series_of(const struct am_figure *f, size_t panel,
                                              const char *label)
{
    for (size_t i = 0; panel < f->n_panels && i < f->panels[panel].plot.n; i++) {
        if (strcmp(f->panels[panel].plot.series[i].label, label) == 0)
            return &f->panels[panel].plot.series[i];
    }
    return NULL;
}

static void test_roofline(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    const struct am_figure_source source = {.set = &run.set, .facts = &facts, .arena = &run.arena};
    const struct am_plot_series *marks;
    struct am_figure f;
    struct am_err err = {0};
    bool made = false;

    add_ceilings(&run);
    fx_fact(&facts, "opencl.peak", "device=gpu type=double", "flop/s", 30e12);
    fx_fact(&facts, "opencl.read", "device=gpu", "B/s", 3e12);
    add_flops(&run, "app.a", "type=f64 isa=avx2 threads=1", 30e9)->work.bytes_read = 50;
    add_flops(&run, "app.stencil", "type=f64 isa=avx2 threads=1 n=100", 30e9)->work.bytes_read = 50;
    add_flops(&run, "app.a", "type=f64 isa=avx2 threads=1 n=2", 95e9);
    add_flops(&run, "app.a", "type=f64 isa=avx2 threads=2", 50e9);
    am_evidence_settle(&run.set);
    ok(am_figure_make(&source, &am_roofline_row, &f, &made, &err) == AM_OK && made &&
           f.n_panels == 3,
       "panels for one thread, for the most, and for the device: %zu", f.n_panels);
    ok(series_of(&f, 0, "avx2 mix 90.1 Gflop/s") && series_of(&f, 0, "avx2 fma 60.0 Gflop/s") &&
           series_of(&f, 0, "scalar fma 15.0 Gflop/s"),
       "ceilings by instruction set and operation");
    ok(series_of(&f, 0, "L1 200 GB/s") && series_of(&f, 0, "memory 20.0 GB/s"),
       "slopes of the levels");
    ok(series_of(&f, 1, "memory 160 GB/s (scaled)"), "for all threads too, and it says how");
    ok(series_of(&f, 2, "device memory 3.00 TB/s"), "and of the device");
    marks = series_of(&f, 0, "app.stencil");
    ok(marks && marks->n == 1, "a point is at its kernel's mark");
    if (marks) {
        is_near(marks->marks[0].y, 15e9, 1, "at the operations that it executed");
        is_near(marks->marks[0].x, 1, 1e-9, "also per byte");
    }
    ok(!series_of(&f, 0, "mem.bandwidth") && !series_of(&f, 0, "cpu.flops"),
       "what computes nothing, and what ceilings are made of, is no point");
    marks = series_of(&f, 0, "app.a");
    ok(marks && marks->n == 2 && !marks->marks[0].odd && marks->marks[1].odd,
       "a point above every ceiling is marked");
    ok(f.omitted && strstr(f.omitted, "1 point lies above") && strstr(f.omitted, "app.a"),
       "and told: %s", f.omitted ? f.omitted : "");
    ok(f.omitted && strstr(f.omitted, "2 points that move bytes") &&
           strstr(f.omitted, "1 points of other threads"),
       "so is what is left out");
    am_arena_fini(&run.arena);
}

int main(void)
{
    test_machine();
    test_roofline();
    return tap_done();
}
