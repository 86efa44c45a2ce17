/* SPDX-License-Identifier: MIT */
/* libFuzzer: any run that the store could have loaded becomes evidence, facts, a model, bounds,
 * comparisons and a history, and each of their documents is written in each form as output_checks.h
 * promises. The first byte chooses the document, the second the form; the rest is run_text.h's. */
#include "document/comparison.h"
#include "document/explanation.h"
#include "document/facts.h"
#include "document/history.h"
#include "document/machine/differences.h"
#include "document/machine/prediction.h"
#include "document/model.h"
#include "document/nodes.h"
#include "document/provenance.h"
#include "document/results.h"
#include "document/screen.h"
#include "model/machine.h"
#include "output_checks.h"
#include "run_text.h"

#include "memory_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Two runs (the second is the first where the text has only one), and where to write. */
struct stage {
    struct am_result_set sets[RT_RUNS];
    const struct am_result_set *other;
    struct am_arena *arena;
    enum am_format format;
};

static void write_out(const struct stage *s, const struct am_document *document)
{
    const struct am_style style = {
        .format = s->format, .utf8 = true, .width = 100, .graphs = s->format == AM_FORMAT_TABLE};
    struct memory out;

    require(memory_open(&out) != NULL);
    am_write(document, &style, s->arena, out.file);
    check_output(s->format, memory_text(&out), out.size);
    memory_close(&out);
}

static void show_results(struct stage *s)
{
    const struct am_document document = am_document_results(&s->sets[0]);

    write_out(s, &document);
}

static void show_model(struct stage *s)
{
    struct am_machine_model m;
    struct am_guidelines guidelines;
    struct am_model_view view;
    struct am_document document;

    am_machine_make(&s->sets[0], s->arena, &m);
    guidelines = am_families_guide(&m.facts, s->arena);
    view = (struct am_model_view){
        .set = &m.set, .facts = &m.facts, .guidelines = &guidelines, .roofline = &m.roofline};
    document = am_document_model(&view);
    for (size_t i = 0; i < m.roofline.n; i++)
        require(m.roofline.items[i].rate > 0 && isfinite(m.roofline.items[i].rate));
    write_out(s, &document);
}

static void show_facts(struct stage *s)
{
    struct am_facts facts;
    struct am_facts_view view = {&s->sets[0], &facts};
    struct am_screen_view screen = {.set = &s->sets[0], .facts = &facts, .path = "run.db"};
    const struct am_document document = am_document_facts(&view);
    const struct am_document short_one = am_document_screen(&screen);

    am_families_derive(&s->sets[0], s->arena, &facts);
    for (size_t i = 0; i < facts.n; i++)
        require(isfinite(facts.items[i].value));
    write_out(s, &document);
    write_out(s, &short_one);
}

static void show_bounds(struct stage *s)
{
    struct am_machine_model m;
    struct am_explanations all;
    struct am_analysis analyses[AM_ANALYSES_MAX];
    struct am_explanation_view view = {.set = &s->sets[0], .all = &all, .analyses = analyses};
    const struct am_document document = am_document_explanation(&view);
    struct am_analysing analysing = {.set = &s->sets[0], .arena = s->arena};

    am_machine_make(&s->sets[0], s->arena, &m);
    analysing.facts = &m.facts;
    analysing.machine = &m.set.machine;
    am_explain(&m.set, &m.facts, &m.roofline, s->arena, &all);
    view.n_analyses = am_families_analyse(&analysing, analyses);
    write_out(s, &document);
}

static void show_comparison(struct stage *s)
{
    const struct am_compare_settings settings = {.delta = 0.02, .level = 0.95, .all_metrics = true};
    struct am_comparison comparison;
    const struct am_comparison_view view = {.comparison = &comparison,
                                            .settings = &settings,
                                            .a = &s->sets[0],
                                            .b = s->other,
                                            .name_a = "a.db",
                                            .name_b = "b.db"};
    const struct am_document document = am_document_comparison(&view);
    struct am_err err = {0};

    if (am_compare(&s->sets[0], s->other, &settings, s->arena, &comparison, &err) == AM_OK)
        write_out(s, &document);
    else
        require(err.text[0] != '\0');
}

static void show_history(struct stage *s)
{
    struct am_history_run runs[] = {{.path = "a.db", .set = &s->sets[0]},
                                    {.path = "b.db", .set = s->other},
                                    {.path = "c.db", .set = &s->sets[0]}};
    const char *const pages[] = {"a.html", NULL, "c.html"};
    struct am_history history;
    const struct am_history_view view = {&history, pages};
    struct am_document document;
    struct am_err err = {0};

    for (size_t i = 0; i < 3; i++)
        am_families_derive(runs[i].set, s->arena, &runs[i].facts);
    if (am_history_make(runs, 3, NULL, 0, s->arena, &history, &err) != AM_OK)
        return;
    document = am_document_history(&view);
    write_out(s, &document);
}

/* One machine by the ceilings of another, and what differs between both. */
static void show_two_machines(struct stage *s)
{
    const struct am_compare_settings settings = {.delta = 0.02, .level = 0.95};
    struct am_machine_model two[RT_RUNS];
    const struct am_machine_models models = {two, RT_RUNS};
    struct am_explanations here, there;
    struct am_predictions predictions;
    const struct am_predicting predicting = {
        .here = &here, .there = &there, .here_by = &two[0], .machine = &two[1], .arena = s->arena};
    const struct am_prediction_view predicted = {
        .set = &s->sets[0], .machine = &two[1], .all = &predictions};
    struct am_differences differences;
    const struct am_differences_view differing = {&differences, true};
    const struct am_document prediction = am_document_prediction(&predicted);
    const struct am_document difference = am_document_differences(&differing);
    struct am_err err = {0};

    am_machine_make(&s->sets[0], s->arena, &two[0]);
    am_machine_make(s->other, s->arena, &two[1]);
    am_explain(&two[0].set, &two[0].facts, &two[0].roofline, s->arena, &here);
    am_explain_on(&two[0].set, &two[1].facts, &two[1].roofline, s->arena, &there);
    if (am_predict(&predicting, &predictions, &err) == AM_OK)
        write_out(s, &prediction);
    if (am_models_differ(&models, &settings, s->arena, &differences, &err) == AM_OK)
        write_out(s, &difference);
}

static void show_nodes(struct stage *s)
{
    const struct am_document document = am_document_nodes(&s->sets[0].nodes);
    struct am_machine_models models;
    struct am_err err = {0};

    write_out(s, &document);
    (void)am_machines_make(&s->sets[0], s->arena, &models, &err);
}

static void show_provenance(struct stage *s)
{
    const struct am_document document = am_document_provenance(&s->sets[0]);

    write_out(s, &document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const documents[])(struct stage *) = {
        show_results, show_model,        show_facts,      show_bounds,    show_nodes,
        show_history, show_two_machines, show_comparison, show_provenance};
    static const enum am_format formats[] = {AM_FORMAT_TABLE, AM_FORMAT_CSV, AM_FORMAT_JSON,
                                             AM_FORMAT_MD, AM_FORMAT_TEX};
    struct am_arena arena = {0};
    struct stage *s;

    if (size < 2)
        return 0;
    s = am_arena_alloc(&arena, sizeof(*s));
    require(s != NULL);
    s->arena = &arena;
    s->other = &s->sets[rt_read((const char *)data + 2, size - 2, &arena, s->sets) - 1];
    s->format = formats[data[1] % (sizeof(formats) / sizeof(formats[0]))];
    documents[data[0] % (sizeof(documents) / sizeof(documents[0]))](s);
    am_arena_fini(&arena);
    return 0;
}
