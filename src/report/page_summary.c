/* SPDX-License-Identifier: MIT */
/* The top of the page: how far the run can be trusted, the machine, and its figures in short. */
#include "base/text.h"
#include "family/family.h"
#include "report/facts.h"
#include "report/page.h"
#include "document/units.h"

#include <math.h>
#include <string.h>

/* ---- how good the measurement was ---- */

struct quality {
    size_t ok, skipped, failed, pending;
    size_t within; /* points whose interval is within the target */
    size_t samples, disturbed, two_modes;
    double precision; /* median over points; INFINITY when it cannot be told */
    size_t warnings, errors;
};

static void count_state(struct quality *q, enum am_point_state state)
{
    q->ok += state == AM_POINT_OK;
    q->skipped += state == AM_POINT_SKIP;
    q->failed += state == AM_POINT_FAIL;
    q->pending += state == AM_POINT_PENDING;
}

/* Used or not. */
static size_t count_samples(const struct am_series *series)
{
    size_t n = 0;

    for (size_t i = 0; i < series->n; i++)
        n += series->launches[i].n;
    return n;
}

static struct quality judge(const struct am_page *p)
{
    const struct am_result_set *const set = p->set;
    double *const precisions = am_arena_array(p->arena, set->n + 1, sizeof(*precisions));
    struct quality q = {.precision = INFINITY};
    size_t n = 0;

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        struct am_summary s;

        count_state(&q, r->state);
        if (r->state != AM_POINT_OK || r->n_metrics == 0 ||
            !am_summarise(&r->metrics[0].series, &s))
            continue;
        q.samples += count_samples(&r->metrics[0].series);
        q.disturbed += s.disturbed;
        q.two_modes += s.bimodal;
        q.within += am_summary_precision(&s) <= set->run.settings.target;
        if (precisions)
            precisions[n++] = am_summary_precision(&s);
    }
    if (n) {
        am_stats_sort(precisions, n);
        q.precision = am_stats_median(precisions, n);
    }
    for (size_t i = 0; i < set->findings.n; i++) {
        q.warnings += set->findings.items[i].level == AM_LEVEL_WARN;
        q.errors += set->findings.items[i].level == AM_LEVEL_ERROR;
    }
    return q;
}

struct verdict {
    const char *kind, *text;
};

/* The worst that holds. */
static struct verdict verdict_of(const struct am_page *p, const struct quality *q)
{
    const bool disturbed = (double)q->disturbed > 0.2 * (double)q->samples;
    const struct {
        bool holds;
        struct verdict verdict;
    } rules[] = {
        {q->ok == 0, {"bad", "Nothing was measured"}},
        {p->set->run.synthetic,
         {"bad", "Synthetic: the machine's description was read below a false root"}},
        {q->errors > 0, {"bad", "Not to be relied on: doctor found errors"}},
        {p->set->run.state != AM_RUN_DONE, {"warn", "Not finished"}},
        {q->failed > 0, {"warn", "Some points failed"}},
        {disturbed, {"warn", "To be read with care: the machine was not quiet"}},
        {!(q->precision <= 0.05), {"warn", "To be read with care: intervals are wide"}},
        {q->warnings > 0, {"warn", "Usable, with the findings below in mind"}},
        {true, {"good", "Good: quiet machine, narrow intervals"}},
    };
    size_t i = 0;

    while (!rules[i].holds)
        i++;
    return rules[i].verdict;
}

static void write_verdict(struct am_page *p)
{
    const struct quality q = judge(p);
    const struct verdict v = verdict_of(p, &q);
    char precision[AM_UNITS_MAX], target[AM_UNITS_MAX], disturbed[AM_UNITS_MAX];

    am_units_share(q.precision, precision, sizeof(precision));
    am_units_share(p->set->run.settings.target, target, sizeof(target));
    am_units_share(q.samples ? (double)q.disturbed / (double)q.samples : NAN, disturbed,
                   sizeof(disturbed));
    am_page_rawf(p, "<div class=\"verdict %s\" id=\"verdict\">", v.kind);
    am_page_element(p, "strong", NULL, v.text);
    am_page_rawf(p, "<span>%zu points in %zu launches, %zu samples; ", q.ok, p->set->launches,
                 q.samples);
    if (isfinite(q.precision))
        am_page_rawf(p,
                     "half the points have an interval within ±%s, %zu of %zu within the "
                     "target of ±%s; ",
                     precision, q.within, q.ok, target);
    else
        am_page_raw(p, "too few launches a point for an interval; ");
    am_page_rawf(p, "%s of the samples disturbed", disturbed);
    if (q.two_modes)
        am_page_rawf(p, "; %zu points have two modes", q.two_modes);
    if (q.skipped + q.failed + q.pending)
        am_page_rawf(p, "; %zu skipped, %zu failed, %zu not reached (<a href=\"#method\">why</a>)",
                     q.skipped, q.failed, q.pending);
    am_page_raw(p, ".</span></div>\n");
}

/* ---- the machine in short ---- */

static void write_card(struct am_page *p, const struct am_headline *h)
{
    const struct am_fact *const f = h->least ? am_facts_least(&p->facts, h->fact, h->where)
                                             : am_facts_most(&p->facts, h->fact, h->where);
    char value[AM_UNITS_MAX];

    if (!f)
        return;
    am_fact_value(f, value, sizeof(value));
    am_page_raw(p, "<div class=\"card\">");
    am_page_element(p, "b", NULL, value);
    am_page_element(p, "small", NULL, h->title);
    am_page_raw(p, "</div>\n");
}

static void write_cards(struct am_page *p)
{
    am_page_raw(p, "<div class=\"cards\">\n");
    for (size_t i = 0; am_families[i]; i++) {
        for (const struct am_headline *h = am_families[i]->headlines; h && h->title; h++)
            write_card(p, h);
    }
    am_page_raw(p, "</div>\n");
}

static void write_facts(struct am_page *p, const struct am_kvs *facts)
{
    am_page_raw(p, "<dl class=\"facts\">");
    for (size_t i = 0; i < facts->n; i++) {
        am_page_element(p, "dt", NULL, facts->items[i].key);
        am_page_element(p, "dd", NULL, facts->items[i].value);
    }
    am_page_raw(p, "</dl>\n");
}

void am_page_summary(struct am_page *p)
{
    const struct am_run_info *const run = &p->set->run;

    am_page_raw(p, "<p class=\"sub\">");
    am_page_put(p, run->name);
    if (run->label) {
        am_page_raw(p, " “");
        am_page_put(p, run->label);
        am_page_raw(p, "”");
    }
    am_page_raw(p, ", ");
    am_page_put(p, run->started);
    am_page_rawf(p, ", %s profile, ", am_profile_name(run->settings.profile));
    am_page_put(p, am_run_states[run->state]);
    am_page_raw(p, "</p>\n");
    write_verdict(p);
    write_cards(p);
    am_page_raw(p, "<details><summary>Machine and environment as the system states them</summary>"
                   "<div class=\"two\">");
    write_facts(p, &p->set->machine);
    write_facts(p, &p->set->environment);
    if (p->set->settings.n)
        write_facts(p, &p->set->settings);
    am_page_raw(p, "</div></details>\n");
}
