/* SPDX-License-Identifier: MIT */
/* Systematic uncertainty: its size and written form, intervals that hold it, what is not resolved
 * from zero as it is shown, and the standards of known latency. */
#include "document/facts.h"
#include "document/results.h"
#include "evidence/standards.h"
#include "write/write.h"

#include "fact_fixture.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>

/* A clock with steps of 10 ns that takes 20 ns to read; batches of 2 ms at 3.2768 GHz, at which a
 * probe of the core clock lasts 10 us. */
static const struct am_timing timing = {2e-3, 10e-9, 20e-9, 3.2768e9};

/* ---- sizes ---- */

static void check_shares(void)
{
    static const struct {
        struct am_systematic stated;
        const char *unit;
        double share;
        const char *what;
    } cases[] = {
        {{0}, "s", 15e-6, "a time has the clock's step and reading"},
        {{0}, "B/s", 15e-6, "so has a rate"},
        {{0}, "cycle", 3.015e-3, "cycles have the error of the probe beside them"},
        {{0}, "flop/cycle", 3.015e-3, "rates per cycle too"},
        {{0}, "", 0, "a share of something has none"},
        {{0}, "J", 0, "nor has what other meters read"},
        {{.pieces = 200}, "s", 3e-3, "every piece is timed alone"},
        {{.pieces = 200, .clock_counts = true},
         "s",
         1e-3,
         "readings that are measured are no error"},
        {{.selection = 0.005, .loop = 0.02}, "s", 25.015e-3, "selection and loop are added"},
        {{.difference = "time"}, "s", 30e-6, "a difference has the error of both terms"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        is_near(am_systematic_share(&cases[i].stated, cases[i].unit, &timing), cases[i].share,
                1e-4 * cases[i].share + 1e-12, cases[i].what);
    is_near(am_systematic_share(&cases[6].stated, "s", &(struct am_timing){0}), 0, 1e-12,
            "nothing follows from an unknown clock");
}

static void check_words(void)
{
    static const struct am_systematic all = {.pieces = 192,
                                             .selection = 0.005,
                                             .loop = 0.25,
                                             .difference = "time",
                                             .clock_counts = true,
                                             .standard = true};
    static const char *const bad[] = {"pieces=x",    "pieces=-1", "selection=2", "loop=",
                                      "difference=", "standards", "=",           "pieces=nan"};
    struct am_arena arena = {0};
    struct am_systematic back;
    struct am_text text;

    am_text_init(&text, 512);
    am_systematic_write(&all, &text);
    ok(am_systematic_parse(am_text_str(&text), &arena, &back) && back.pieces == 192 &&
           fabs(back.selection - 0.005) < 1e-12 && fabs(back.loop - 0.25) < 1e-12 &&
           back.clock_counts && back.standard && strcmp(back.difference, "time") == 0,
       "what is written reads back: %s", am_text_str(&text));
    am_text_clear(&text);
    am_systematic_write(&(struct am_systematic){0}, &text);
    ok(text.len == 0 && am_systematic_parse("", &arena, &back) && back.pieces == 0,
       "nothing stated is nothing written");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ok(!am_systematic_parse(bad[i], &arena, &back), "refused: \"%s\"", bad[i]);
    am_text_fini(&text);
    am_arena_fini(&arena);
}

/* ---- intervals ---- */

static void check_intervals(void)
{
    struct rx_run run = {0};
    struct am_result *const r =
        rx_add(&run, "cpu.instr", "instr=imul_r64",
               (const struct rx_metric[]){{"latency", "cycle", 3.0033}, {0}});
    const struct am_interval *const ci = &r->metrics[0].summary.ci;

    am_evidence_settle(&run.set);
    ok(ci->lo > 3, "launches alone leave the true 3 cycles out: they are all wrong alike");
    r->timing = timing;
    r->metrics[0].systematic = (struct am_systematic){.pieces = 100};
    am_evidence_settle(&run.set);
    ok(ci->lo < 3 && ci->hi > 3.0033 && ci->hi < 3.03, "with what the bench states it is held");
    is_near(r->metrics[0].summary.systematic / 3.0033, 4.5e-3, 1e-6, "and the part is told");
    am_evidence_settle(&run.set);
    is_near(r->metrics[0].summary.systematic / 3.0033, 4.5e-3, 1e-6, "settled again: the same");
    am_arena_fini(&run.arena);
}

/* ---- not resolved from zero ---- */

static char *written(const struct am_document *document, enum am_format format,
                     struct am_arena *arena)
{
    const struct am_style style = {.format = format, .width = 200};
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);

    am_write(document, &style, arena, out);
    (void)fclose(out);
    return text;
}

static void shows(const struct am_document *document, enum am_format format, const char *with,
                  const char *without, struct am_arena *arena)
{
    char *const text = written(document, format, arena);

    if (!ok(strstr(text, with) && !strstr(text, without), "shown: %s, and not %s", with, without))
        printf("# %s\n", text);
    free(text);
}

/* An overhead of 4.59 ns, the difference of times of a microsecond by a coarse clock. */
static void check_bound(void)
{
    struct rx_run run = {0};
    const struct am_document document = am_document_results(&run.set);
    struct am_result *const r =
        rx_add(&run, "omp.sync", "construct=atomic",
               (const struct rx_metric[]){{"overhead", "s", 4.59e-9}, {"time", "s", 1e-6}, {0}});
    const struct am_interval *const ci = &r->metrics[0].summary.ci;

    r->timing = (struct am_timing){1e-3, 1e-6, 20e-9, 3e9};
    am_evidence_settle(&run.set);
    ok(isnan(am_evidence_bound(ci, "s")), "errors of the difference itself are too small to see");
    r->metrics[0].systematic = (struct am_systematic){.pieces = 30, .difference = "time"};
    am_evidence_settle(&run.set);
    is_near(am_evidence_bound(ci, "s") * 1e9, 65.8, 0.1, "those of its terms are not");
    ok(r->metrics[0].grading.grade == AM_GRADE_C && isnan(am_evidence_bound(ci, "")),
       "it concludes nothing; a share of zero is a value like others");
    shows(&document, AM_FORMAT_TABLE, "< 65.8 ns", "4.59", &run.arena);
    shows(&document, AM_FORMAT_MD, "< 65.8 ns", "4.59 ns", &run.arena);
    shows(&document, AM_FORMAT_JSON, "\"median\": null, \"bound\": 6.579", "\"median\": 4.59",
          &run.arena);
    shows(&document, AM_FORMAT_CSV, "overhead,s,lower,,6.579", "overhead,s,lower,4.59", &run.arena);
    r->timing.step_s = 10e-9;
    r->timing.reading_s = 0;
    am_evidence_settle(&run.set);
    shows(&document, AM_FORMAT_TABLE, "4.59 ns", "< ", &run.arena);
    shows(&document, AM_FORMAT_JSON, "\"bound\": null", "\"median\": null", &run.arena);
    am_arena_fini(&run.arena);
}

/* A sample whose reference was disturbed is no least overhead. */
static void check_least(void)
{
    static double values[] = {-75e-9, 28e-9, 28.1e-9};
    struct rx_run run = {0};
    const struct am_document document = am_document_results(&run.set);
    struct am_result *const r =
        rx_add(&run, "omp.sync", "construct=lock_uncontended",
               (const struct rx_metric[]){{"overhead", "s", 28e-9}, {"time", "s", 92e-9}, {0}});
    struct am_result_metric *const m = &r->metrics[0];

    m->series.launches[0].values = values;
    m->series.launches[0].n = 3;
    am_evidence_settle(&run.set);
    shows(&document, AM_FORMAT_TABLE, "-75.0 ns", "none of this", &run.arena);
    m->systematic = (struct am_systematic){.pieces = 5, .difference = "time"};
    am_evidence_settle(&run.set);
    shows(&document, AM_FORMAT_TABLE, "28.0 ns", "-75.0 ns", &run.arena);
    am_arena_fini(&run.arena);
}

/* The user time of a program that sleeps: 0 by the kernel's ticks in most launches. */
static void check_zero(void)
{
    static double values[] = {0, 0, 1.7e-3, 0, 1.8e-3};
    struct rx_run run = {0};
    const struct am_document document = am_document_results(&run.set);
    struct am_result *const r = rx_add(&run, "exec.time", "command=sleep",
                                       (const struct rx_metric[]){{"user", "s", 1e-3}, {0}});
    struct am_result_metric *const m = &r->metrics[0];

    for (size_t i = 0; i < m->series.n && i < 5; i++)
        m->series.launches[i].values = &values[i], m->series.launches[i].n = 1;
    r->timing = (struct am_timing){1e-3, 1e-6, 20e-9, 3e9};
    m->systematic = (struct am_systematic){.pieces = 1};
    am_evidence_settle(&run.set);
    ok(m->has_summary && !(m->summary.ci.lo < 0) && m->summary.ci.hi > 0 &&
           isnan(am_evidence_bound(&m->summary.ci, "s")),
       "zero is a value of a time that was measured itself");
    shows(&document, AM_FORMAT_JSON, "\"bound\": null", "\"median\": null", &run.arena);
    am_arena_fini(&run.arena);
}

static void check_fact(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    const struct am_facts_view view = {&run.set, &facts};
    const struct am_document document = am_document_facts(&view);
    struct am_fact *const f = fx_fact(&facts, "openmp.overhead", "", "s", 4.59e-9);

    f->ci = (struct am_interval){-58e-9, 67e-9, 0.95};
    shows(&document, AM_FORMAT_TABLE, "< 67.0 ns", "4.59", &run.arena);
    shows(&document, AM_FORMAT_JSON, "\"value\": null", "4.59", &run.arena);
    shows(&document, AM_FORMAT_CSV, "openmp.overhead,s,,6.7", "4.59", &run.arena);
    f->ci.lo = 1e-9;
    shows(&document, AM_FORMAT_TABLE, "4.59 ns", "< ", &run.arena);
    am_arena_fini(&run.arena);
}

/* ---- standards ---- */

static struct am_result *add_standard(struct rx_run *run, const char *form, double cycles)
{
    char text[64];
    struct am_result *r;

    (void)snprintf(text, sizeof(text), "form=%s", form);
    r = rx_add(run, "cpu.standard", text,
               (const struct rx_metric[]){{"latency", "cycle", cycles}, {0}});
    r->timing = timing;
    r->metrics[0].systematic = (struct am_systematic){.pieces = 192, .standard = true};
    return r;
}

/* A run of the standards and a load; what is called `machine` has the numbers of a Zen 4. */
static struct am_result *make_standards(struct rx_run *run, bool known, double imul, double fma)
{
    if (known) {
        am_kvs_add(&run->set.machine, &run->arena, "vendor", "AuthenticAMD");
        am_kvs_add(&run->set.machine, &run->arena, "family", "25");
        am_kvs_add(&run->set.machine, &run->arena, "model", "17");
    }
    (void)add_standard(run, "add_r64", 1.001);
    (void)add_standard(run, "imul_r64", imul);
    (void)add_standard(run, "vfmadd231pd_ymm", fma);
    return rx_add(run, "mem.latency", "size=4096",
                  (const struct rx_metric[]){{"latency", "s", 2e-9}, {"cycles", "cycle", 6}, {0}});
}

static void check_standards(void)
{
    static const struct {
        bool known;
        double imul, fma;
        size_t missed;
        const char *told, *what;
    } cases[] = {
        {true, 3.003, 4.006, 0, NULL, "held"},
        {true, 3.15, 4.2, 2, "not the 3 of Zen 4", "a clock misread by 5 % is seen"},
        {true, 3.003, 5.006, 1, "not the 4 of Zen 4", "whole, but not the published number"},
        {false, 3.003, 5.006, 0, NULL, "any whole number, where none is published"},
        {false, 3.15, 4.2, 2, "not a whole number", "an unknown core, a clock misread"},
        {false, 1.5, 2.003, 1, "imul_r64", "additions that take two cycles"},
        {false, 0.4, 4.003, 1, "imul_r64", "nothing takes no cycle"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rx_run run = {0};
        const struct am_result *const load =
            make_standards(&run, cases[i].known, cases[i].imul, cases[i].fma);
        const struct am_result_metric *const seconds = &load->metrics[0];
        const struct am_result_metric *const cycles = &load->metrics[1];
        bool graded;
        const char *told;

        am_evidence_settle(&run.set);
        graded = (cycles->grading.reasons & 1u << AM_REASON_STANDARD) != 0;
        told = am_standards_tell(&run.set, &run.arena);
        ok(am_standards_missed(&run.set) == cases[i].missed, "%s: %zu missed", cases[i].what,
           am_standards_missed(&run.set));
        ok(graded == (cases[i].missed > 0) && (cycles->grading.grade == AM_GRADE_C) == graded &&
               seconds->grading.grade == AM_GRADE_A,
           "cycles conclude %s, seconds all", cases[i].missed ? "nothing" : "all");
        ok(cases[i].told ? told && strstr(told, cases[i].told) : !told, "told: %s",
           told ? told : "nothing");
        am_arena_fini(&run.arena);
    }
}

static void check_unjudged(void)
{
    struct rx_run run = {0};
    const struct am_result *const load = make_standards(&run, true, 3.003, 4.006);
    struct am_standard s;

    add_standard(&run, "imul_r64", 7.5)->metrics[0].series.n = 1;
    am_evidence_settle(&run.set);
    ok(am_standards_missed(&run.set) == 0 && load->metrics[1].grading.grade == AM_GRADE_A,
       "one launch of a standard accuses nobody");
    ok(!am_standard_of(&run.set, load, &s), "what is no standard is none");
    ok(am_standard_of(&run.set, &run.set.results[1], &s) && s.known == 3 && s.judged && !s.missed,
       "the published latency is known");
    am_arena_fini(&run.arena);
}

static void check_standard_facts(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    const struct am_document document = am_document_results(&run.set);
    const struct am_fact *f;

    (void)make_standards(&run, true, 3.15, 4.006);
    am_evidence_settle(&run.set);
    am_family_derive(am_family_find("core"), &run.set, &facts);
    f = am_facts_only(&facts, "core.standard", "form=imul_r64");
    ok(f && f->contradicts && strcmp(f->claimed, "3 cycles") == 0, "a fact beside its claim");
    f = am_facts_only(&facts, "core.standard", "form=vfmadd231pd_ymm");
    ok(f && !f->contradicts, "and one that agrees");
    ok(!am_facts_only(&facts, "core.clock", NULL), "no clock is concluded from such cycles");
    ok(facts.n_remarks > 0 && strstr(facts.remarks[0].text, "conclude nothing: imul_r64"),
       "said: %s", facts.n_remarks ? facts.remarks[0].text : "");
    shows(&document, AM_FORMAT_TABLE, "imul_r64 took 3.1", "exact", &run.arena);
    am_arena_fini(&run.arena);
}

int main(void)
{
    check_shares();
    check_words();
    check_intervals();
    check_bound();
    check_least();
    check_zero();
    check_fact();
    check_standards();
    check_unjudged();
    check_standard_facts();
    return tap_done();
}
