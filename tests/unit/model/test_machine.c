/* SPDX-License-Identifier: MIT */
/* A machine model written, read and written again: the same bytes; and files that were tampered
 * with, each refused with the place and the nearest valid word. */
#include "model/machine.h"

#include "document/model.h"
#include "write/write.h"

#include "fact_fixture.h"
#include "memory_stream.h"
#include "tap.h"

#include <stdlib.h>

static char *written(const struct am_machine_model *m, struct am_arena *arena)
{
    const struct am_guidelines guidelines = am_families_guide(&m->facts, arena);
    const struct am_model_view view = {.set = &m->set,
                                       .facts = &m->facts,
                                       .guidelines = &guidelines,
                                       .roofline = &m->roofline,
                                       .node = m->node};
    const struct am_document document = am_document_model(&view);
    const struct am_style style = {.format = AM_FORMAT_JSON, .utf8 = true};
    struct memory out;
    char *copy;

    (void)memory_open(&out);
    am_write(&document, &style, arena, out.file);
    copy = am_arena_strdup(arena, memory_text(&out));
    memory_close(&out);
    return copy;
}

static void make(struct rx_run *run, struct am_machine_model *m)
{
    static const struct rx_metric flops[] = {{"flops", "flop/s", 5e10}, {.name = NULL}};
    static const struct rx_metric bytes[] = {{"bandwidth", "B/s", 2e10}, {.name = NULL}};
    struct am_result *r;

    r = rx_add(run, "cpu.flops", "op=fma type=f64 isa=avx2 streams=8 threads=1 smt=single", flops);
    r->work = (struct am_work){.flops = 1e6};
    r = rx_add(run, "mem.bandwidth", "kernel=read size=1073741824 isa=avx2 threads=1 nt=0", bytes);
    r->work = (struct am_work){.bytes_read = 1e6};
    run->set.run = (struct am_run_info){.name = "made.db",
                                        .version = "0.1.0",
                                        .command = "archmeter \"run\"",
                                        .started = "2026-11-15T00:00:00Z",
                                        .state = AM_RUN_DONE,
                                        .synthetic = true,
                                        .settings = {.seed = UINT64_MAX}};
    am_kvs_add(&run->set.machine, &run->arena, "model_name", "A \xc3\xa9 machine");
    am_kvs_add(&run->set.machine, &run->arena, "l1d_bytes", "32768");
    am_kvs_add(&run->set.machine, &run->arena, "l2_bytes", "1048576");
    am_kvs_add(&run->set.build, &run->arena, "compiler", "gcc 12.2.0");
    am_evidence_settle(&run->set);
    am_machine_make(&run->set, &run->arena, m);
    fx_fact(&m->facts, "memory.size", "level=l2", "B", 1e6)->claimed = "1048576 B";
    fx_fact(&m->facts, "memory.bandwidth", "level=l2 kernel=read threads=2", "B/s", 1e-300);
    fx_fact(&m->facts, "memory.line", "", "B", 64)->ci = (struct am_interval){64, 64, NAN};
    am_facts_remark(&m->facts, "memory.tlb is not concluded: \"why\"\n");
}

static void test_round(void)
{
    struct rx_run run = {0};
    struct am_machine_model made, back;
    struct am_err err = {0};
    const char *first, *second;

    make(&run, &made);
    first = written(&made, &run.arena);
    ok(made.facts.n >= 4 && made.roofline.n >= 2, "a model of %zu facts and %zu ceilings",
       made.facts.n, made.roofline.n);
    ok(am_machine_read("m", first, strlen(first), &run.arena, &back, &err) == AM_OK,
       "is read again (%s)", err.text);
    ok(back.read && back.set.run.synthetic && back.set.n == 0 && back.facts.n == made.facts.n &&
           back.roofline.n == made.roofline.n,
       "with its stamp, without results");
    second = written(&back, &run.arena);
    is_str(second, first, "and written as it was");
    ok(am_facts_only(&back.facts, "memory.bandwidth", "level=l2 threads>1") != NULL,
       "labels that are numbers are numbers");
    is_near(back.roofline.levels.most[AM_TIER_L2], 1048576, 1e-9,
            "levels come from facts and statements as before");
    am_arena_fini(&run.arena);
}

/* ---- tampering ---- */

/* `text` with the first `from` behind the first `after` replaced by `to`. */
static char *changed(const char *text, const char *after, const char *from, const char *to,
                     struct am_arena *arena)
{
    const char *const at = strstr(strstr(text, after), from);

    return am_arena_printf(arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static void test_tampered(void)
{
    static const struct {
        const char *after, *from, *to, *story;
    } cases[] = {
        {"", "\"machine model\"", "\"a run\"", "not a machine model"},
        {"", "\"version\": 1,", "\"version\": 2,", "of version 1 only"},
        {"", "\"synthetic\"", "\"sinthetic\"", "did you mean \"synthetic\"?"},
        {"", "\"synthetic\": true", "\"synthetic\": 1", "must be true or false, and is a number"},
        {"", "\"state\": \"done\"", "\"state\": \"don\"", "did you mean \"done\"?"},
        {"", "\"profile\": \"", "\"profile\": \"x", "no profile is called so"},
        {"", "\"seed\": \"", "\"seed\": \"-", "no whole number"},
        {"", "\"l1d_bytes\": 32768", "\"l1d_bytes\": [1]", "must be a text or a number"},
        {"\"facts\"", "\"family\": \"memory\"", "\"family\": \"memori\"",
         "did you mean \"memory\"?"},
        {"\"facts\"", "\"grade\": \"A\"", "\"grade\": \"C\"", "grade \"C\" is not known"},
        {"\"facts\"", "\"reasons\": []", "\"reasons\": [\"wild\"]", "did you mean \"wide\"?"},
        {"\"facts\"", "\"kind\": \"typical\"", "\"kind\": \"typicl\"", "did you mean \"typical\"?"},
        {"memory.line", "\"value\": 64", "\"value\": 1e400", "a number beyond all bounds"},
        {"memory.line", "\"value\": 64", "\"value\": null", "must be a number, and is null"},
        {"memory.line", "[64, 64]", "[65, 64]", "ends before it begins"},
        {"memory.line", "\"coverage\": null", "\"coverage\": 2", "between 0 and 1"},
        {"memory.line", "\"labels\": {}", "\"labels\": {\"level\": \"l2\"}",
         "make the id memory.line{level=l2}"},
        {"memory.line", "\"labels\": {}", "\"labels\": {\"level\": null}", "a text or a number"},
        {"\"facts\"", "\"id\": ", "\"idd\": ", "did you mean \"id\"?"},
        {"\"ceilings\"", "\"threads\": 1", "\"threads\": 0", "threads are from 1"},
        {"\"ceilings\"", "\"rate\": ", "\"rate\": -", "rates lie above 0"},
        {"\"ceilings\"", "\"median\": 5", "\"median\": 5e300", "refused"},
        {"\"ceilings\"", "\"unit\": \"flop/s\"", "\"unit\": \"B/s\"", "is flop/s"},
        {"\"ceilings\"", "\"type\": \"f64\"", "\"type\": null", "arithmetic has a type"},
        {"\"ceilings\"", "\"level\": \"memory\"", "\"level\": \"memry\"",
         "did you mean \"memory\"?"},
    };
    struct rx_run run = {0};
    struct am_machine_model made, back;
    const char *text;

    make(&run, &made);
    text = written(&made, &run.arena);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *const bad =
            changed(text, cases[i].after, cases[i].from, cases[i].to, &run.arena);
        struct am_err err = {0};
        const enum am_status s =
            am_machine_read("m.json", bad, strlen(bad), &run.arena, &back, &err);

        ok(s == AM_E_USAGE && strncmp(err.text, "m.json:", 7) == 0 &&
               (strcmp(cases[i].story, "refused") == 0 || strstr(err.text, cases[i].story)),
           "%s: %s", cases[i].to, err.text);
    }
    for (size_t cut = 0; cut < strlen(text) - 2; cut += 97) {
        struct am_err err = {0};

        if (am_machine_read("m.json", text, cut, &run.arena, &back, &err) != AM_E_USAGE)
            ok(false, "cut off after %zu bytes it is read", cut);
    }
    ok(true, "cut off anywhere it is refused");
    am_arena_fini(&run.arena);
}

int main(void)
{
    test_round();
    test_tampered();
    return tap_done();
}
