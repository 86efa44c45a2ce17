/* SPDX-License-Identifier: MIT */
/* What disturbs, what the machine is, and how close its programs come to it. */
#include "model/explain.h"
#include "family/family.h"
#include "report/facts.h"
#include "report/page.h"
#include "document/units.h"

#include <math.h>
#include <string.h>

enum { TEXT_MAX = 512, BOUNDS_MAX = 400 };

/* ---- findings ---- */

bool am_page_has_findings(const struct am_page *p)
{
    return p->set->findings.n > 0;
}

/* "bad" for an error, and so on. */
static const char *level_kind(enum am_level level)
{
    static const char *const kinds[AM_LEVEL_COUNT] = {[AM_LEVEL_OK] = "good",
                                                      [AM_LEVEL_WARN] = "warn",
                                                      [AM_LEVEL_ERROR] = "bad",
                                                      [AM_LEVEL_UNKNOWN] = "muted"};

    return kinds[level];
}

static void finding_row(struct am_page *p, const struct am_finding *f)
{
    am_page_raw(p, "<tr>");
    am_page_rawf(p, "<td class=\"%s\">%s</td>", level_kind(f->level), am_level_name(f->level));
    am_page_element(p, "td", "k", f->id);
    am_page_element(p, "td", "w", f->value);
    am_page_element(p, "td", "w", f->effect);
    am_page_element(p, "td", "w", f->remedy);
    am_page_raw(p, "</tr>\n");
}

static void findings_table(struct am_page *p, bool trouble)
{
    static const char *const heads[] = {"level", "check", "found", "effect", "remedy", NULL};
    const struct am_findings *const findings = &p->set->findings;

    am_page_table(p, "scroll", heads);
    for (size_t i = 0; i < findings->n; i++) {
        const enum am_level level = findings->items[i].level;

        if (trouble == (level == AM_LEVEL_WARN || level == AM_LEVEL_ERROR))
            finding_row(p, &findings->items[i]);
    }
    am_page_table_end(p);
}

void am_page_findings(struct am_page *p)
{
    size_t count[AM_LEVEL_COUNT] = {0};

    for (size_t i = 0; i < p->set->findings.n; i++)
        count[p->set->findings.items[i].level]++;
    am_page_heading(p, "Findings");
    am_page_raw(p, "<p>What <code>archmeter doctor</code> saw when the run began.</p>\n");
    if (count[AM_LEVEL_WARN] + count[AM_LEVEL_ERROR])
        findings_table(p, true);
    am_page_rawf(p, "<details><summary>%zu checks are in order, %zu could not look</summary>\n",
                 count[AM_LEVEL_OK], count[AM_LEVEL_UNKNOWN]);
    findings_table(p, false);
    am_page_raw(p, "</details>\n");
}

/* ---- the model ---- */

bool am_page_has_model(const struct am_page *p)
{
    return p->facts.n > 0;
}

static void fact_row(struct am_page *p, const struct am_fact *f)
{
    char value[AM_UNITS_MAX], interval[3 * AM_UNITS_MAX], claim[TEXT_MAX];

    am_fact_value(f, value, sizeof(value));
    am_fact_interval(f, interval, sizeof(interval));
    am_fact_claim(f, claim, sizeof(claim));
    am_page_raw(p, "<tr>");
    am_page_element(p, "td", "k", f->id);
    am_page_number(p, f->value, value);
    am_page_element(p, "td", "k", interval);
    am_page_element(p, "td", f->contradicts ? "bad" : NULL, claim);
    am_page_element(p, "td", "w", f->what);
    am_page_element(p, "td", "w muted", f->evidence);
    am_page_raw(p, "</tr>\n");
}

static void facts_table(struct am_page *p, bool contradicted)
{
    static const char *const heads[] = {"fact",    "#measured", "interval", "claimed",
                                        "meaning", "evidence",  NULL};

    am_page_table(p, contradicted ? "scroll" : "scroll tall", heads);
    for (size_t i = 0; i < p->facts.n; i++) {
        if (!contradicted || p->facts.items[i].contradicts)
            fact_row(p, &p->facts.items[i]);
    }
    am_page_table_end(p);
}

static void write_guidelines(struct am_page *p)
{
    const struct am_guidelines lines = am_families_guide(&p->facts, p->arena);

    if (lines.n == 0)
        return;
    am_page_raw(p, "<h3>What follows for programs</h3>\n<ul>\n");
    for (size_t i = 0; i < lines.n; i++) {
        am_page_raw(p, "<li><p>");
        am_page_put(p, lines.items[i].text);
        am_page_raw(p, " <span class=\"muted\">");
        am_page_put(p, lines.items[i].evidence);
        am_page_raw(p, "</span></p></li>\n");
    }
    am_page_raw(p, "</ul>\n");
}

void am_page_model(struct am_page *p)
{
    size_t contradicted = 0;

    am_page_heading(p, AM_FIGURE_MODEL_SECTION);
    for (size_t i = 0; i < p->figures.n; i++) {
        if (strcmp(am_figure_section(&p->figures.items[i]), AM_FIGURE_MODEL_SECTION) == 0)
            am_page_figure(p, &p->figures.items[i]);
    }
    write_guidelines(p);
    for (size_t i = 0; i < p->facts.n; i++)
        contradicted += p->facts.items[i].contradicts;
    if (contradicted) {
        am_page_raw(p, "<h3>Where the measurement denies the claim</h3>\n");
        facts_table(p, true);
    }
    am_page_rawf(p, "<details><summary>All %zu facts with interval and evidence</summary>\n",
                 p->facts.n);
    facts_table(p, false);
    am_page_raw(p, "</details>\n");
}

/* ---- measured against bound ---- */

bool am_page_has_bounds(const struct am_page *p)
{
    return am_facts_only(&p->facts, "core.clock", NULL) != NULL;
}

static void bound_row(struct am_page *p, const struct am_explanation *e)
{
    char text[AM_UNITS_MAX];

    am_page_raw(p, "<tr>");
    am_page_element(p, "td", "k", e->result->bench);
    am_page_element(p, "td", "w", e->result->text);
    am_units_value(e->measured.median, e->metric->unit, text, sizeof(text));
    am_page_number(p, e->measured.median, text);
    am_units_value(e->bound, e->metric->unit, text, sizeof(text));
    am_page_number(p, e->bound, text);
    am_units_share(e->share, text, sizeof(text));
    am_page_number(p, e->share, text);
    am_page_element(p, "td", e->above ? "bad" : NULL, e->resource);
    am_page_element(p, "td", "w", e->next);
    am_page_raw(p, "</tr>\n");
}

void am_page_bounds(struct am_page *p)
{
    static const char *const heads[] = {"bench",     "point",      "#measured", "#bound",
                                        "#of bound", "limited by", "next",      NULL};
    struct am_roofline roofline = {0};
    struct am_explanations all = {0};
    size_t shown = 0;

    am_roofline_build(p->set, &p->facts, p->arena, &roofline);
    am_explain(p->set, &p->facts, &roofline, p->arena, &all);
    am_page_heading(p, "Measured against bound");
    am_page_rawf(p,
                 "<p>The least time that the work of a point needs by the ceilings of this run, "
                 "and what sets it. Above their bound: %zu; where that happens the model is wrong, "
                 "not the program fast. Without a bound: %zu.</p>\n",
                 all.above, all.unexplained);
    am_page_raw(p, "<details><summary>Points and their bounds</summary>\n");
    am_page_table(p, "scroll tall", heads);
    for (size_t i = 0; i < all.n && shown < BOUNDS_MAX; i++) {
        if (all.items[i].why_not)
            continue;
        bound_row(p, &all.items[i]);
        shown++;
    }
    am_page_table_end(p);
    if (all.n > all.unexplained + shown)
        am_page_rawf(p, "<p class=\"warn\">Not shown: %zu more; archmeter explain has them.</p>\n",
                     all.n - all.unexplained - shown);
    am_page_raw(p, "</details>\n");
}
