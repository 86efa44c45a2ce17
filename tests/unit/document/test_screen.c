/* SPDX-License-Identifier: MIT */
/* The first screen from made-up facts: what stands on it, what is left out, and that it fits. */
#include "base/text.h"
#include "document/screen.h"
#include "write/write.h"

#include "fact_fixture.h"
#include "tap.h"

#include <stdlib.h>

/* ---- a machine and its facts ---- */

static void put_machine(struct rx_run *run, const char *cores)
{
    static const struct am_kv pairs[] = {
        {"vendor", "AuthenticAMD"}, {"model_name", "AMD EPYC 7763 64-Core Processor"},
        {"family", "25"},           {"model", "1"},
        {"stepping", "1"},          {"packages", "2"},
        {"memory_gib", "2048"},
    };

    run->set.machine = (struct am_kvs){0};
    run->set.environment = (struct am_kvs){0};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        am_kvs_add(&run->set.machine, &run->arena, pairs[i].key, pairs[i].value);
    am_kvs_add(&run->set.machine, &run->arena, "cores", cores);
    am_kvs_add(&run->set.machine, &run->arena, "threads", cores);
    am_kvs_add(&run->set.environment, &run->arena, "virtualisation", "kvm");
    run->set.run.state = AM_RUN_DONE;
    run->set.run.started = "2026-11-15T10:00:00Z";
    run->set.run.ended = "2026-11-15T10:00:54Z";
}

static void put_core(struct am_facts *f)
{
    fx_fact(f, "core.clock", "", "Hz", 3.7e9);
    fx_fact(f, "core.peak", "type=f64 isa=avx2 threads=1", "flop/s", 56e9);
    fx_fact(f, "core.peak", "type=f64 isa=avx2 threads=128", "flop/s", 5.6e12);
    fx_fact(f, "core.peak", "type=f32 isa=avx2 threads=1", "flop/s", 112e9);
    fx_fact(f, "core.peak", "type=f32 isa=avx2 threads=2", "flop/s", 224e9);
    fx_fact(f, "memory.bandwidth", "level=memory kernel=read threads=1", "B/s", 27e9);
    fx_fact(f, "memory.bandwidth", "level=memory kernel=triad threads=128", "B/s", 330e9);
    fx_fact(f, "memory.node_latency", "place=local", "s", 77e-9);
    fx_fact(f, "memory.latency", "level=memory", "s", 90e-9);
    fx_fact(f, "memory.loaded_latency", "traffic=read", "s", 332e-9);
}

static void put_levels(struct am_facts *f)
{
    struct am_fact *l3;

    fx_fact(f, "memory.size", "level=l1d", "B", 32768);
    fx_fact(f, "memory.latency", "level=l1d", "s", 1.1e-9);
    fx_fact(f, "memory.bandwidth", "level=l1d kernel=read threads=1", "B/s", 212e9);
    fx_fact(f, "memory.bandwidth", "level=l2 kernel=read threads=1", "B/s", 116e9);
    fx_fact(f, "memory.latency", "level=l3", "s", 13e-9);
    l3 = fx_fact(f, "memory.size", "level=l3", "B", 5 * 1048576.0);
    l3->ci = (struct am_interval){3 * 1048576.0, 7 * 1048576.0, 0.95};
    l3->claimed = "33554432 B";
    l3->contradicts = true;
}

static void put_others(struct am_facts *f)
{
    fx_fact(f, "coherence.handoff", "relation=cache", "s", 26e-9);
    fx_fact(f, "coherence.handoff", "relation=far", "s", 207e-9)->grading.grade = AM_GRADE_B;
    fx_fact(f, "openmp.overhead", "construct=parallel runtime=libgomp threads=128", "s", 5.9e-6);
    fx_fact(f, "openmp.overhead", "construct=barrier runtime=libgomp threads=128", "s", 2.4e-6);
    fx_fact(f, "stencil.bound_share", "type=f32 form=paper", "", 0.95);
    for (unsigned i = 0; i < 8; i++) {
        char labels[64];

        (void)am_str_format(labels, sizeof(labels), "device=h100-%u type=float", i);
        fx_fact(f, "opencl.peak", labels, "flop/s", 64e12 + 1e11 * i);
        (void)am_str_format(labels, sizeof(labels), "device=h100-%u", i);
        fx_fact(f, "opencl.read", labels, "B/s", i == 7 ? 2e12 : 3.1e12);
    }
}

/* ---- what is written ---- */

static char *screen_text(struct rx_run *run, const struct am_facts *facts, const char *path)
{
    const struct am_screen_view view = {.set = &run->set, .facts = facts, .path = path};
    const struct am_document document = am_document_screen(&view);
    const struct am_style style = {.format = AM_FORMAT_TABLE, .utf8 = true};
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);

    am_write(&document, &style, &run->arena, out);
    (void)fclose(out);
    return text;
}

/* As comments of TAP. */
static void print_lines(const char *what, const char *text)
{
    printf("# %s:\n", what);
    for (const char *l = text; *l; l += strcspn(l, "\n"), l += *l == '\n')
        printf("#   %.*s\n", (int)strcspn(l, "\n"), l);
}

static bool has(const char *text, const char *part)
{
    const bool found = strstr(text, part) != NULL;

    if (!found) {
        print_lines("not found", part);
        print_lines("in", text);
    }
    return found;
}

/* At most 20 lines of 80 columns, none of which ends in blanks. */
static bool fits(const char *text)
{
    size_t lines = 0;

    for (const char *line = text; *line; lines++) {
        const size_t len = strcspn(line, "\n");
        char copy[512];

        (void)am_str_copy(copy, len + 1 < sizeof(copy) ? len + 1 : sizeof(copy), line);
        if (am_text_width(copy) > AM_SCREEN_COLUMNS || (len && copy[len - 1] == ' ')) {
            printf("# too wide, or ends in a blank: [%s]\n", copy);
            return false;
        }
        line += len + (line[len] == '\n');
    }
    if (lines > AM_SCREEN_LINES)
        print_lines("too many lines", text);
    return lines <= AM_SCREEN_LINES;
}

static void check_full(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    char *text;

    put_machine(&run, "128");
    put_core(&facts);
    put_levels(&facts);
    put_others(&facts);
    am_facts_remark(&facts, "something is not concluded");
    ok(am_screen_families(&facts) == 6, "six families have a figure");
    text = screen_text(&run, &facts, "run-1.db");
    print_lines("the screen", text);
    ok(fits(text), "it fits");
    ok(has(text, "2 x AMD EPYC 7763 (Zen 3), 128 cores, 2 TiB, KVM guest"), "the machine");
    ok(has(text, "quick set, 54 s"), "what was run, and how long");
    ok(has(text, "56.0 Gflop/s  5.60 Tflop/s"), "one core beside all, each with its unit");
    ok(has(text, "112 Gflop/s   224 ") && has(text, "all: 2 threads"),
       "the unit once where it is the same; fewer threads than cores are told");
    ok(has(text, "90.0 ns") && !strstr(text, "77.0 ns") && has(text, "332 loaded"),
       "of two ways to one figure the first counts");
    ok(has(text, "L1, 32 KiB") && has(text, "1.10 ns"), "a level with its size and latency");
    ok(has(text, "L2  ") && has(text, "size undecided"), "a size that is not known is said so");
    ok(has(text, "L3, 3-7 MiB") && has(text, "13.0 ns, 32 MiB denied"),
       "a wide size as a range, and the statement that it denies");
    ok(has(text, "cache 26.0 ns, far 207 ns; ±1.0 % B"),
       "ways between cores, with the worst grade");
    ok(has(text, "h100 (7 alike)"), "devices that are alike share a line");
    ok(has(text, "h100-7"), "and the one that differs does not");
    ok(has(text, "region 5.90 µs, barrier 2.40 µs, 128 threads"), "OpenMP in words");
    ok(has(text, "95 % of their bound"), "an application against its bound");
    ok(has(text, "results run-1.db") &&
           has(text, "archmeter show (tables), model (1 not concluded)"),
       "where the results are, and what to type next");
    ok(!strstr(text, " - "), "no dashes for what is not known");
    free(text);
    text = screen_text(&run, &facts, "/data/run-1.db");
    ok(has(text, "archmeter show /data/run-1.db"), "a run elsewhere is named");
    free(text);
    am_arena_fini(&run.arena);
}

/* Rates of levels without any latency: nobody asked how large these are. */
static void check_unasked(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    char *text;

    put_machine(&run, "128");
    fx_fact(&facts, "memory.bandwidth", "level=l1d kernel=read threads=1", "B/s", 212e9);
    fx_fact(&facts, "memory.bandwidth", "level=l2 kernel=read threads=1", "B/s", 116e9);
    text = screen_text(&run, &facts, "run-1.db");
    ok(has(text, "L2  ") && !strstr(text, "undecided"),
       "a size that was not looked for is not undecided");
    free(text);
    am_arena_fini(&run.arena);
}

/* The names of devices that no line has room for, and as many lines as a machine can have. */
static void check_long_names(void)
{
    static const char *const runtimes[] = {"libomp", "libgomp"};
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    char labels[128];
    char *text;

    put_machine(&run, "128");
    put_core(&facts);
    put_levels(&facts);
    fx_fact(&facts, "coherence.handoff", "relation=cache", "s", 26e-9);
    fx_fact(&facts, "stencil.bound_share", "type=f32 form=paper", "", 0.89);
    for (size_t i = 0; i < 2; i++) {
        (void)am_str_format(labels, sizeof(labels), "construct=parallel runtime=%s threads=128",
                            runtimes[i]);
        fx_fact(&facts, "openmp.overhead", labels, "s", 5e-6);
    }
    fx_fact(&facts, "opencl.peak", "device=pocl-pthread-skylake-avx512-amd-epyc type=float",
            "flop/s", 200e9);
    fx_fact(&facts, "opencl.peak", "device=pocl-pthread-skylake-avx512-amd-epyc type=double",
            "flop/s", 100e9);
    fx_fact(&facts, "opencl.read", "device=pocl-pthread-skylake-avx512-amd-epyc", "B/s", 24e9);
    text = screen_text(&run, &facts, "run-1.db");
    ok(fits(text) && has(text, "\npocl-pthread...   f32 200 Gflop/s, f64 100 Gflop/s, read") &&
           has(text, "GB/s; ±1.0 % A\n"),
       "a device with a long name has one line, with its grade");
    ok(has(text, "\nfinite diff.      f32 89 % of their bound"), "and the last line is there");
    free(text);
    fx_fact(&facts, "opencl.peak", "device=pocl-pthread-skylake-second type=float", "flop/s", 1e9);
    fx_fact(&facts, "opencl.read", "device=pocl-pthread-skylake-second", "B/s", 2e9);
    text = screen_text(&run, &facts, "run-1.db");
    ok(fits(text) && has(text, "\npocl-pthread-skylake-avx512-amd-epyc  f32 ") &&
           has(text, "\npocl-pthread-skylake-second  f32 "),
       "names that would be the same are not shortened");
    ok(has(text, "\nfinite diff.      f32 89 %"), "and the last line is still there");
    free(text);
    fx_fact(&facts, "openmp.overhead", "construct=parallel runtime=third threads=128", "s", 5e-6);
    fx_fact(&facts, "openmp.overhead", "construct=parallel runtime=fourth threads=128", "s", 5e-6);
    text = screen_text(&run, &facts, "run-1.db");
    ok(fits(text) && has(text, "\nfinite diff.      f32 89 %") && has(text, "\nOpenMP libomp ") &&
           has(text, "\nand 3 more        libgomp, third, fourth"),
       "more runtimes than lines are named, and nothing falls off the end");
    free(text);
    run.set.run.synthetic = true; /* the machine takes two lines now */
    text = screen_text(&run, &facts, "run-1.db");
    print_lines("a crowded screen", text);
    ok(fits(text) && has(text, "\nfinite diff.      f32 89 %") && has(text, "\nOpenMP libomp ") &&
           has(text, "% A; 3 more\n"),
       "with less room they are counted, and still nothing falls off");
    free(text);
    am_arena_fini(&run.arena);
}

/* More kinds of devices than lines: the first, and what the others are called. */
static void check_kinds(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    char labels[96];
    char *text;

    put_machine(&run, "128");
    put_core(&facts);
    put_levels(&facts);
    for (unsigned i = 0; i < 24; i++) {
        (void)am_str_format(labels, sizeof(labels), "device=vendor-kind%u-%u type=float", i / 2,
                            i % 2);
        fx_fact(&facts, "opencl.peak", labels, "flop/s", 1e12 * (1 + i / 2));
    }
    text = screen_text(&run, &facts, "run-1.db");
    ok(fits(text), "twelve kinds of devices fit");
    ok(has(text, "vendor-kind0 (2 alike)") && has(text, "vendor-kind1 (2 alike)") &&
           has(text, "and 20 more") && has(text, "vendor-kind2-0, ") && has(text, ", ..."),
       "the first ones have their lines, the others are counted and named");
    free(text);
    am_arena_fini(&run.arena);
}

static void check_little(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    char *text;

    put_machine(&run, "1");
    ok(am_screen_families(&facts) == 0, "no facts, no screen");
    text = screen_text(&run, &facts, NULL);
    ok(fits(text) && !strstr(text, "one core") && !strstr(text, "next "),
       "even so it is written: the machine, without titles of an empty table");
    free(text);
    fx_fact(&facts, "memory.parallelism", "", "", 20);
    ok(am_screen_families(&facts) == 0, "nor with facts that are no headline");
    fx_fact(&facts, "core.count", "", "", 1);
    ok(am_screen_families(&facts) == 0, "nor with what only matters where it denies something");
    fx_fact(&facts, "core.clock", "", "Hz", 3.7e9);
    ok(am_screen_families(&facts) == 1, "a headline counts");
    run.set.run.state = AM_RUN_INTERRUPTED;
    text = screen_text(&run, &facts, "a.db");
    ok(has(text, "archmeter resume a.db") && has(text, "interrupted"),
       "an unfinished run says how to go on");
    free(text);
    am_arena_fini(&run.arena);
}

/* More devices than there is room for. */
static void check_many(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    char *text;

    put_machine(&run, "128");
    put_core(&facts);
    put_levels(&facts);
    put_others(&facts);
    for (unsigned i = 0; i < 30; i++) {
        char labels[128];

        (void)am_str_format(labels, sizeof(labels),
                            "device=a-device-with-a-name-that-is-rather-long-%u type=float", i);
        fx_fact(&facts, "opencl.peak", labels, "flop/s", 1e12 * (i + 1));
        (void)am_str_format(labels, sizeof(labels),
                            "device=a-device-with-a-name-that-is-rather-long-%u type=double", i);
        fx_fact(&facts, "opencl.peak", labels, "flop/s", 1e12 * (i + 1));
    }
    text = screen_text(&run, &facts, "run-1.db");
    ok(fits(text), "thirty different devices: it still fits");
    ok(has(text, "next    archmeter"), "and ends with what to type next");
    free(text);
    am_arena_fini(&run.arena);
}

/* How far to trust it, in one sentence. */
static void check_trust(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    struct am_fact *clock;
    char *text;

    put_machine(&run, "2");
    clock = fx_fact(&facts, "core.clock", "", "Hz", 4e9);
    text = screen_text(&run, &facts, NULL);
    ok(has(text, "quiet: mostly good to 1.0 %; no sample was disturbed"), "quiet");
    free(text);
    clock->ci = (struct am_interval){3e9, 5e9, 0.95};
    text = screen_text(&run, &facts, NULL);
    ok(has(text, "good to 25 % only"), "wide intervals are no quiet verdict");
    free(text);
    clock->ci.coverage = 0;
    text = screen_text(&run, &facts, NULL);
    ok(has(text, "too few launches"), "and without any interval nothing is promised");
    free(text);
    am_arena_fini(&run.arena);
}

/* Lines that are too long, and figures that say less than their row promises. */
static void check_broken(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    char *text;

    put_machine(&run, "2");
    fx_fact(&facts, "core.clock", "", "Hz", 4e9);
    fx_fact(&facts, "opencl.peak", "device=h100 type=float", "flop/s", 64.2e12);
    fx_fact(&facts, "opencl.peak", "device=h100 type=double", "flop/s", 32.2e12);
    fx_fact(&facts, "opencl.read", "device=h100", "B/s", 3.12e12);
    fx_fact(&facts, "opencl.transfer", "device=h100 direction=h2d", "B/s", 52.7e9);
    text = screen_text(&run, &facts, NULL);
    ok(has(text, "link 52.7 GB/s") && has(text, "read 3.12 TB/s,\n"),
       "a line is broken behind a figure, not before its unit");
    free(text);
    fx_fact(&facts, "memory.latency_largest", "", "s", 95e-9);
    text = screen_text(&run, &facts, NULL);
    ok(has(text, "memory latency") && has(text, "at least"),
       "where memory's own latency is not known, what is known is called the least");
    free(text);
    fx_fact(&facts, "memory.latency", "level=memory", "s", 97e-9);
    text = screen_text(&run, &facts, NULL);
    ok(has(text, "97.0 ns") && !has(text, "at least"),
       "and where it is, nothing else stands there");
    free(text);
    am_arena_fini(&run.arena);
}

int main(void)
{
    check_broken();
    check_full();
    check_unasked();
    check_long_names();
    check_kinds();
    check_little();
    check_many();
    check_trust();
    return tap_done();
}
