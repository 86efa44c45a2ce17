/* SPDX-License-Identifier: MIT */
/* The machine model: guidelines, facts and pictures as they are written, from facts with known
 * contents. */
#include "base/text.h"
#include "document/facts.h"
#include "document/model.h"
#include "document/units.h"
#include "write/write.h"

#include "fact_fixture.h"
#include "tap.h"

#include <stdlib.h>

/* ---- facts by hand ---- */

static void put_machine(struct am_facts *facts)
{
    fx_fact(facts, "core.peak", "type=f64 isa=avx2 threads=1", "flop/s", 60e9);
    fx_fact(facts, "core.streams", "type=f64 isa=avx2", "", 8);
    fx_fact(facts, "core.peak", "type=f64 isa=scalar threads=1", "flop/s", 15e9);
    fx_fact(facts, "core.peak", "type=f32 isa=avx2 threads=1", "flop/s", 120e9);
    fx_fact(facts, "core.rate", "instr=vdivpd_ymm", "1/cycle", 0.2);
    fx_fact(facts, "core.rate", "instr=vfmadd231pd_ymm", "1/cycle", 2);
    fx_fact(facts, "memory.latency", "level=l1d", "s", 1e-9);
    fx_fact(facts, "memory.latency", "level=l2", "s", 4e-9);
    fx_fact(facts, "memory.size", "level=l2", "B", 1048576);
    fx_fact(facts, "memory.size", "level=l3", "B", 33554432);
    fx_fact(facts, "memory.latency", "level=memory", "s", 100e-9);
    fx_fact(facts, "memory.parallelism", "", "", 20);
    fx_fact(facts, "memory.nt_gain", "level=memory kernel=copy threads=1", "", 1.4);
    fx_fact(facts, "memory.fill_threads", "kernel=triad", "", 4);
    fx_fact(facts, "memory.bandwidth", "level=memory kernel=triad threads=8", "B/s", 60e9);
    fx_fact(facts, "memory.speedup", "level=memory kernel=triad threads=8", "", 3.1);
    fx_fact(facts, "memory.stanza_knee", "", "", 64);
    fx_fact(facts, "coherence.latency", "op=read state=modified relation=cache", "s", 90e-9);
    fx_fact(facts, "coherence.sharing_penalty", "op=add", "", 5);
}

/* Families' rules in one list; what each says is tested with its family. */
static void check_guidelines(void)
{
    static const char *const ids[] = {"core.streams",   "core.vectors",  "core.precision",
                                      "core.division",  "memory.levels", "memory.streaming",
                                      "memory.threads", "memory.stanza", "memory.parallelism",
                                      "cores.remote",   "cores.sharing"};
    struct am_arena arena = {0};
    struct am_facts facts = {.arena = &arena};
    struct am_guidelines g = am_families_guide(&facts, &arena);
    bool complete = true;

    ok(g.n == 0, "without facts there is no advice");
    put_machine(&facts);
    g = am_families_guide(&facts, &arena);
    for (size_t i = 0; i < g.n && i < sizeof(ids) / sizeof(ids[0]); i++) {
        is_str(g.items[i].id, ids[i], "a guideline in its place");
        complete &= g.items[i].evidence && strncmp(g.items[i].command, "run ", 4) == 0;
    }
    ok(complete && g.n == sizeof(ids) / sizeof(ids[0]),
       "each has evidence and a command, and there is no other");
    complete = true;
    for (size_t i = 0; i < facts.n; i++)
        facts.items[i].grading =
            (struct am_grading){AM_GRADE_B, 1u << AM_REASON_BUSY | 1u << AM_REASON_WIDE};
    g = am_families_guide(&facts, &arena);
    for (size_t i = 0; i < g.n; i++)
        complete &= strncmp(g.items[i].text, "Not decided", 11) == 0;
    ok(complete && g.n, "where others were busy meanwhile, no advice is decided");
    am_arena_fini(&arena);
}

/* ---- written and drawn ---- */

static char *model_text(struct rx_run *run, const struct am_facts *facts, struct am_style style)
{
    const struct am_guidelines guidelines = am_families_guide(facts, &run->arena);
    struct am_roofline roofline;
    const struct am_model_view view = {
        .set = &run->set, .facts = facts, .guidelines = &guidelines, .roofline = &roofline};
    const struct am_document document = am_document_model(&view);
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);

    am_roofline_build(&run->set, facts, &run->arena, &roofline);
    am_write(&document, &style, &run->arena, out);
    (void)fclose(out);
    return text;
}

static char *report(const struct rx_run *run, const struct am_facts *facts, enum am_format format,
                    struct am_arena *arena)
{
    const struct am_style style = {.format = format};
    const struct am_facts_view view = {&run->set, facts};
    const struct am_document document = am_document_facts(&view);
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    am_write(&document, &style, arena, out);
    (void)fclose(out);
    return text;
}

static void check_report(void)
{
    static const struct {
        enum am_format format;
        const char *needle, *what;
    } cases[] = {
        {AM_FORMAT_TABLE, "memory.size{level=l3}", "a table has a row per fact"},
        {AM_FORMAT_TABLE, "8.5 MiB", "capacities are binary"},
        {AM_FORMAT_TABLE, "5 .. 12 MiB", "with their interval"},
        {AM_FORMAT_TABLE, "32 MiB   CONTRADICTED", "and the claim that is denied"},
        {AM_FORMAT_TABLE, "95.0 ns", "times are scaled"},
        {AM_FORMAT_TABLE, "exact", "an exact value says so"},
        {AM_FORMAT_JSON, "\"value\": 8912896", "JSON is not scaled"},
        {AM_FORMAT_JSON, "\"contradicts\": true", "JSON tells contradictions"},
        {AM_FORMAT_JSON, "\"claimed\": null", "JSON tells that nothing is claimed"},
        {AM_FORMAT_JSON, "\"interval\": [5242880, 12582912]", "JSON has intervals"},
        {AM_FORMAT_JSON, "\"family\": \"memory\"", "JSON has the family"},
        {AM_FORMAT_JSON, "\"name\": \"size\"", "and the name"},
        {AM_FORMAT_JSON, "\"level\": \"l3\"", "and the labels"},
        {AM_FORMAT_JSON, "\"kind\": \"capability\"", "and the kind"},
        {AM_FORMAT_JSON, "\"grade\": \"A\"", "and the grade"},
        {AM_FORMAT_CSV, "memory.size{level=l3},B,8912896,,5242880,12582912,33554432 B,yes",
         "CSV has all"},
        {AM_FORMAT_MD, "| memory.size{level=l3}", "Markdown has tables"},
    };
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    struct am_fact *fact;

    fact = fx_fact(&facts, "memory.size", "level=l3", "B", 8912896);
    fact->ci = (struct am_interval){5242880, 12582912, NAN};
    fact->claimed = "33554432 B";
    fact->contradicts = true;
    fact = fx_fact(&facts, "memory.latency", "level=memory", "s", 95e-9);
    fact->ci = (struct am_interval){95e-9, 95e-9, NAN};
    fact->kind = AM_FACT_CAPABILITY;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *const text = report(&run, &facts, cases[i].format, &run.arena);

        if (!ok(text && strstr(text, cases[i].needle), "%s", cases[i].what))
            printf("# %s\n", text ? text : "no memory");
        free(text);
    }
    am_arena_fini(&run.arena);
}

/* More facts of one name than anybody reads: the model has the largest, and what the others lie
 * between. */
static void check_many(void)
{
    enum { MANY = 20 };
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    size_t rows = 0;
    char *text;

    for (int i = 0; i < MANY; i++) {
        char labels[64];

        (void)am_str_format(labels, sizeof(labels), "class=c%d resource=alu", i);
        fx_fact(&facts, "core.ports_use", labels, "cycle", i == 7 ? 99 : 1 + i);
    }
    fx_fact(&facts, "core.ports_width", "", "1/cycle", 6);
    text = model_text(&run, &facts, (struct am_style){.format = AM_FORMAT_TABLE, .utf8 = true});
    for (const char *at = text; (at = strstr(at, "ports_use{")) != NULL; at++)
        rows++;
    ok(rows == 3 && strstr(text, "class=c7,") && strstr(text, "class=c19,") &&
           strstr(text, "class=c18,"),
       "%zu rows of %d, the largest", rows, MANY);
    ok(strstr(text, "core.ports_use, 17 more") && strstr(text, "1.00 .. 18.0 cycle"),
       "and one of the others");
    ok(strstr(text, "core.ports_width") != NULL, "what stands alone stays");
    free(text);
    text = model_text(&run, &facts, (struct am_style){.format = AM_FORMAT_CSV});
    ok(strstr(text, "class=c3,") && !strstr(text, " more"), "programs get all");
    free(text);
    am_arena_fini(&run.arena);
}

static void withhold(struct am_facts *facts, const char *name, unsigned reasons)
{
    const struct am_fact fact = {.name = name,
                                 .what = "made up",
                                 .unit = "Hz",
                                 .value = 1,
                                 .evidence = "made up",
                                 .grading = {AM_GRADE_C, reasons}};

    am_facts_offer(facts, fact);
}

static void check_withheld(void)
{
    const unsigned few = 1u << AM_REASON_LAUNCHES;
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena, .family = "core"};
    char *text;

    withhold(&facts, "clock", few);
    withhold(&facts, "spread", few | 1u << AM_REASON_BUSY);
    am_facts_remark(&facts, "core.ports is not concluded: nothing was measured");
    withhold(&facts, "peak", few);
    text = report(&run, &facts, AM_FORMAT_MD, &run.arena);
    ok(strstr(text, "- too few launches: core.clock; core.peak\n"),
       "what was withheld for the same reasons stands together");
    ok(strstr(text, "- core.spread is not concluded: too few launches, ") &&
           strstr(text, "- core.ports is not concluded: nothing was measured\n"),
       "what is alone keeps its sentence");
    ok(!strstr(text, "core.peak is"), "and nothing is told twice");
    free(text);
    text = report(&run, &facts, AM_FORMAT_JSON, &run.arena);
    ok(strstr(text, "\"core.peak is not concluded: too few launches\""), "programs read each");
    free(text);
    am_arena_fini(&run.arena);
}

/* A size between two that were tried is these two, as far as it was measured so; else its value. */
static void check_values(void)
{
    static const struct {
        double value, lo, hi, coverage;
        const char *unit, *shown;
    } cases[] = {
        {45875, 32768, 65536, 0.95, "B", "32-64 KiB"},
        {45875, 32768, 65536, NAN, "B", "32-64 KiB"}, /* fitted */
        {45875, 32768, 65536, 0, "B", "44.8 KiB"},    /* of one launch */
        {1048576, 1045000, 1052000, 0.95, "B", "1 MiB"},
        {3e9, 2e9, 4e9, 0.95, "Hz", "3.00 GHz"},
        {12, 8, 16, 0.95, "", "12"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct am_fact fact = {.value = cases[i].value,
                                     .unit = cases[i].unit,
                                     .ci = {cases[i].lo, cases[i].hi, cases[i].coverage}};
        char text[AM_UNITS_MAX];

        am_fact_value(&fact, text, sizeof(text));
        is_str(text, cases[i].shown, "a fact with its interval");
    }
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
                                        "coherence.sharing_penalty"};
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
    ok(strstr(text, "! memory.size{level=l3}: measured 32 MiB, stated: 1 MiB") != NULL,
       "a contradiction is told with both values");
    ok(widest_line(text) <= 80, "in %zu columns of 80", widest_line(text));
    free(text);
    text = model_text(&run, &facts, (struct am_style){.format = AM_FORMAT_JSON, .utf8 = true});
    ok(strstr(text, "\"guidelines\"") && strstr(text, "\"ceilings\"") && strstr(text, "\"facts\""),
       "JSON has facts, guidelines and ceilings");
    free(text);
    am_arena_fini(&run.arena);
}

int main(void)
{
    check_guidelines();
    check_report();
    check_many();
    check_withheld();
    check_values();
    check_text();
    return tap_done();
}
