/* SPDX-License-Identifier: MIT */
/* The report's sections in their order. */
#include "document/page.h"

#include "base/text.h"
#include "document/explanation.h"
#include "document/facts.h"
#include "document/findings.h"
#include "document/known.h"
#include "document/nodes.h"
#include "document/results.h"
#include "document/run.h"
#include "document/screen.h"
#include "model/facts.h"

#include <string.h>

enum { SECTIONS_MAX = 32 };

/* ---- the top ---- */

static void tell_summary(struct am_body *b, const struct am_page *page)
{
    const struct am_result_set *const set = &page->sets[0];
    const struct am_run_info *const run = &set->run;
    const struct am_screen_view screen = {.set = set, .facts = &page->facts};

    am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL, "%s%s, %s, %s profile, %s",
                  run->name ? run->name : "?", am_run_label(run, b->arena),
                  run->started ? run->started : "?", am_profile_name(run->settings.profile),
                  am_run_states[run->state])
        ->tone = AM_TONE_MUTED;
    am_quality_sentence(b, set, am_screen_precision(&screen, b->arena));
    am_facts_cards(b, &page->facts);
    am_quality_verdict(b, set);
}

static void tell_environment(struct am_body *b, const struct am_result_set *set)
{
    (void)am_block_add(b, AM_BLOCK_DETAILS, "Machine and environment as the system states them",
                       NULL);
    am_block_add(b, AM_BLOCK_PAIRS, NULL, NULL)->pairs = &set->machine;
    am_block_add(b, AM_BLOCK_PAIRS, NULL, NULL)->pairs = &set->environment;
    am_block_add(b, AM_BLOCK_PAIRS, NULL, NULL)->pairs = &set->build;
    am_block_add(b, AM_BLOCK_PAIRS, NULL, NULL)->pairs = &set->settings;
    (void)am_block_add(b, AM_BLOCK_DETAILS_END, NULL, NULL);
}

/* ---- figures ---- */

static void add_figures(struct am_body *b, const struct am_page *page, const char *section)
{
    for (size_t i = 0; i < page->figures.n; i++) {
        if (strcmp(am_figure_section(&page->figures.items[i]), section) == 0)
            am_block_add(b, AM_BLOCK_FIGURE, NULL, NULL)->figure = &page->figures.items[i];
    }
}

/* The roofline first; what no family has comes last. */
static size_t rank_of(const char *section)
{
    size_t rank = 0;

    if (strcmp(section, AM_FIGURE_ROOFLINE_SECTION) == 0)
        return 0;
    while (am_sections[rank] && strcmp(am_sections[rank], section) != 0)
        rank++;
    return rank + 1;
}

/* In the order of their sections; the machine has its own place before. */
static void tell_figures(struct am_body *b, const struct am_page *page)
{
    const char *sections[SECTIONS_MAX];
    size_t n = 0;

    for (size_t i = 0; i < page->figures.n; i++) {
        const char *const section = am_figure_section(&page->figures.items[i]);
        size_t k = 0;

        while (k < n && strcmp(sections[k], section) != 0)
            k++;
        if (k < n || n == SECTIONS_MAX || strcmp(section, AM_FIGURE_MACHINE_SECTION) == 0)
            continue;
        for (k = n++; k > 0 && rank_of(sections[k - 1]) > rank_of(section); k--)
            sections[k] = sections[k - 1];
        sections[k] = section;
    }
    for (size_t k = 0; k < n; k++) {
        (void)am_block_add(b, AM_BLOCK_HEADING, sections[k], NULL);
        add_figures(b, page, sections[k]);
    }
}

/* ---- the other sections ---- */

static void tell_nodes(struct am_body *b, const struct am_page *page)
{
    if (page->sets[0].nodes.n == 0)
        return;
    (void)am_block_add(b, AM_BLOCK_HEADING, "Nodes", NULL);
    am_nodes_study_blocks(b, &page->sets[0].nodes, &page->nodes);
}

static void tell_findings(struct am_body *b, const struct am_page *page)
{
    if (page->sets[0].findings.n == 0)
        return;
    (void)am_block_add(b, AM_BLOCK_HEADING, "Findings", NULL);
    am_findings_section(b, &page->sets[0].findings);
}

static void tell_machine(struct am_body *b, const struct am_page *page)
{
    (void)am_block_add(b, AM_BLOCK_HEADING, AM_FIGURE_MACHINE_SECTION, NULL);
    add_figures(b, page, AM_FIGURE_MACHINE_SECTION);
    if (page->known)
        am_known_table(b, page->known, &page->sets[0], &page->facts);
    tell_environment(b, &page->sets[0]);
}

static void tell_facts(struct am_body *b, const struct am_page *page)
{
    size_t denied = 0;

    if (page->facts.n == 0)
        return;
    (void)am_block_add(b, AM_BLOCK_HEADING, "What follows", NULL);
    am_model_guidelines(b, &page->guidelines);
    am_model_tables(b, &page->facts, NULL);
    for (size_t i = 0; i < page->facts.n; i++)
        denied += page->facts.items[i].contradicts;
    if (denied) {
        (void)am_block_add(b, AM_BLOCK_SUBHEADING, "Where the measurement denies the claim", NULL);
        am_facts_denied(b, &page->facts);
    }
    am_facts_remarks(b, &page->facts);
    (void)am_block_add(
        b, AM_BLOCK_DETAILS,
        am_arena_printf(b->arena, "All %zu facts with interval and evidence", page->facts.n), NULL);
    am_facts_tables(b, &page->facts, NULL);
    (void)am_block_add(b, AM_BLOCK_DETAILS_END, NULL, NULL);
}

static void tell_comparisons(struct am_body *b, const struct am_page *page)
{
    if (page->n > 1)
        (void)am_block_add(b, AM_BLOCK_HEADING, "Comparison", NULL);
    for (size_t i = 1; i < page->n; i++) {
        const struct am_comparison_view *const view = &page->comparisons[i - 1];

        (void)am_block_add(b, AM_BLOCK_SUBHEADING,
                           am_arena_printf(b->arena, "%s against %s", view->name_b, view->name_a),
                           NULL);
        am_comparison_section(b, view);
    }
}

static void tell_rest(struct am_body *b, const struct am_page *page)
{
    const struct am_result_set *const set = &page->sets[0];

    if (page->roofline.n) {
        (void)am_block_add(b, AM_BLOCK_HEADING, "Measured against bound", NULL);
        am_explanation_section(b, &page->explanations);
    }
    if (set->n) {
        (void)am_block_add(b, AM_BLOCK_HEADING, "All results", NULL);
        (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL,
                           "Every point that was measured, one table per bench: the axes that "
                           "vary, and the median of each metric with its own interval. Tables that "
                           "are open are printed.");
        am_results_folded(b, set);
    }
    (void)am_block_add(b, AM_BLOCK_HEADING, "Method", NULL);
    am_method_section(b, set);
    (void)am_block_add(b, AM_BLOCK_HEADING, "Reproduce", NULL);
    am_reproduce_section(b, set, page->command);
}

static void page_blocks(struct am_body *b, const void *self)
{
    const struct am_page *const page = self;

    tell_summary(b, page);
    tell_comparisons(b, page);
    tell_machine(b, page);
    tell_nodes(b, page);
    tell_figures(b, page);
    tell_facts(b, page);
    tell_findings(b, page);
    tell_rest(b, page);
}

/* The data that a page carries is that of its run. */
static void page_data(struct am_data *d, const void *self)
{
    am_results_data(d, ((const struct am_page *)self)->sets);
}

struct am_document am_document_page(const struct am_page *page)
{
    const char *const version = page->sets[0].run.version;
    const char *const footer = am_arena_printf(
        page->arena,
        "archmeter %s. Medians of launch medians with 95 %% intervals; every raw sample is in the "
        "results file.",
        version ? version : "");

    return (struct am_document){
        .self = page,
        .blocks = page_blocks,
        .data = page_data,
        .title = am_screen_machine(&page->sets[0], page->arena),
        .footer = footer ? footer : "archmeter",
    };
}

/* ---- knowledge ---- */

/* Each of the other runs against the first. */
static enum am_status compare_all(struct am_page *page, struct am_err *err)
{
    struct am_comparison_view *const views = am_arena_array(page->arena, page->n, sizeof(*views));
    struct am_comparison *const found = am_arena_array(page->arena, page->n, sizeof(*found));
    enum am_status s = AM_OK;

    if (!views || !found)
        return am_fail(err, AM_E_NOMEM, "no memory for the comparisons");
    for (size_t i = 1; s == AM_OK && i < page->n; i++) {
        views[i - 1] = (struct am_comparison_view){.comparison = &found[i - 1],
                                                   .settings = &page->compare,
                                                   .a = &page->sets[0],
                                                   .b = &page->sets[i],
                                                   .name_a = page->sets[0].run.name,
                                                   .name_b = page->sets[i].run.name};
        s = am_compare(&page->sets[0], &page->sets[i], &page->compare, page->arena, &found[i - 1],
                       err);
    }
    page->comparisons = views;
    return s;
}

/* The chain of runs that figures show. */
static enum am_status lay_over(struct am_page *page, struct am_err *err)
{
    struct am_figure_source *const further = am_arena_array(page->arena, page->n, sizeof(*further));
    struct am_facts *const facts = am_arena_array(page->arena, page->n, sizeof(*facts));

    page->source = (struct am_figure_source){.set = &page->sets[0],
                                             .facts = &page->facts,
                                             .arena = page->arena,
                                             .name = page->sets[0].run.name};
    if (!further || !facts)
        return am_fail(err, AM_E_NOMEM, "no memory for the figures");
    for (size_t i = 1; i < page->n; i++) {
        am_facts_derive(&page->sets[i], page->arena, &facts[i]);
        further[i] = (struct am_figure_source){.set = &page->sets[i],
                                               .facts = &facts[i],
                                               .arena = page->arena,
                                               .name = page->sets[i].run.name,
                                               .comparison = page->comparisons[i - 1].comparison,
                                               .next = i + 1 < page->n ? &further[i + 1] : NULL};
    }
    page->source.next = page->n > 1 ? &further[1] : NULL;
    return AM_OK;
}

enum am_status am_page_learn(struct am_page *page, struct am_err *err)
{
    const struct am_result_set *const set = &page->sets[0];
    const struct am_result_set *const machine = am_nodes_first(set, page->arena);
    enum am_status s = compare_all(page, err);

    am_facts_derive(set, page->arena, &page->facts);
    if (s == AM_OK)
        s = lay_over(page, err);
    page->guidelines = am_families_guide(&page->facts, page->arena);
    am_roofline_build(machine, &page->facts, page->arena, &page->roofline);
    am_explain(machine, &page->facts, &page->roofline, page->arena, &page->explanations);
    if (s == AM_OK && set->nodes.n)
        s = am_nodes_study(set, &page->compare, page->arena, &page->nodes, err);
    return s == AM_OK ? am_figures_make(&page->source, &page->figures, err) : s;
}
