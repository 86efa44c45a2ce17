/* SPDX-License-Identifier: MIT */
/* How good the measurement was: counts over all points, and the worst that holds. */
#include "document/page.h"

#include "base/text.h"
#include "document/units.h"

#include <math.h>
#include <string.h>

enum { SENTENCE_BYTES = 1024 };

struct quality {
    size_t states[AM_POINT_STATES];
    size_t grades[AM_GRADES];
    size_t within; /* points whose interval is within the target */
    size_t samples, disturbed, two_modes;
    double precision; /* median over points; INFINITY when it cannot be told */
    double busy;      /* share of launches during which others were busy */
    size_t warnings, errors;
};

/* Used or not. */
static size_t count_samples(const struct am_series *series)
{
    size_t n = 0;

    for (size_t i = 0; i < series->n; i++)
        n += series->launches[i].n;
    return n;
}

/* Of the launches; 0 when nobody looked. */
static double busy_share(const struct am_quiet *quiet)
{
    return quiet->launches ? (double)quiet->busy / (double)quiet->launches : 0;
}

/* What doctor said of the load is one moment, before the first launch: where the launches
 * themselves were looked around at, these decide. */
static void count_findings(const struct am_result_set *set, struct quality *q)
{
    for (size_t i = 0; i < set->findings.n; i++) {
        const struct am_finding *const f = &set->findings.items[i];

        if (set->quiet.launches && strncmp(f->id, "load.", 5) == 0)
            continue;
        q->warnings += f->level == AM_LEVEL_WARN;
        q->errors += f->level == AM_LEVEL_ERROR;
    }
}

static struct quality judge(const struct am_result_set *set, struct am_arena *arena)
{
    double *const precisions = am_arena_array(arena, set->n + 1, sizeof(*precisions));
    struct quality q = {.precision = INFINITY};
    size_t n = 0;

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        const struct am_result_metric *const m = r->n_metrics ? &r->metrics[0] : NULL;

        q.states[r->state]++;
        if (r->state != AM_POINT_OK || !m || !m->has_summary)
            continue;
        q.grades[m->grading.grade]++;
        q.samples += count_samples(&m->series);
        q.disturbed += m->summary.disturbed;
        q.two_modes += m->summary.bimodal;
        q.within += am_summary_precision(&m->summary) <= set->run.settings.target;
        if (precisions)
            precisions[n++] = am_summary_precision(&m->summary);
    }
    if (n) {
        am_stats_sort(precisions, n);
        q.precision = am_stats_median(precisions, n);
    }
    q.busy = busy_share(&set->quiet);
    count_findings(set, &q);
    return q;
}

struct verdict {
    enum am_tone tone;
    const char *text;
};

/* The worst that holds; whether it was quiet enough is said by am_quality_sentence() alone, so that
 * a page does not say it twice and differently. */
static struct verdict verdict_of(const struct am_result_set *set, const struct quality *q)
{
    const struct {
        bool holds;
        struct verdict verdict;
    } rules[] = {
        {q->states[AM_POINT_OK] == 0, {AM_TONE_BAD, "Nothing was measured"}},
        {set->run.synthetic,
         {AM_TONE_BAD, "Synthetic: the machine's description was read below a false root"}},
        {q->errors > 0, {AM_TONE_BAD, "Not to be relied on: doctor found errors"}},
        {q->busy > am_grade_rows[AM_REASON_BUSY].b,
         {AM_TONE_BAD, "Not to be relied on: others were busy on the machine"}},
        {set->run.state != AM_RUN_DONE, {AM_TONE_WARN, "Not finished"}},
        {q->states[AM_POINT_FAIL] > 0, {AM_TONE_WARN, "Some points failed"}},
        {q->warnings > 0, {AM_TONE_WARN, "To be read with the findings below in mind"}},
        {true, {AM_TONE_GOOD, "Complete, and doctor found nothing against it"}},
    };
    size_t i = 0;

    while (!rules[i].holds)
        i++;
    return rules[i].verdict;
}

static void tell_quiet(struct am_text *text, const struct am_quiet *quiet)
{
    if (quiet->launches == 0)
        return;
    if (quiet->busy == 0) {
        am_text_add(text, "; the machine was quiet during all launches");
        return;
    }
    am_text_addf(text, "; others were busy during %zu of %zu launches", quiet->busy,
                 quiet->launches);
    if (quiet->others > 0)
        am_text_addf(text, " and used %.2g CPUs on average", quiet->others);
    if (quiet->steal >= 0.01)
        am_text_addf(text, ", and %.2g CPUs were stolen", quiet->steal);
}

void am_quality_verdict(struct am_body *b, const struct am_result_set *set)
{
    const struct quality q = judge(set, b->arena);
    const struct verdict v = verdict_of(set, &q);
    const size_t ok = q.states[AM_POINT_OK];
    const size_t other = set->n - ok;
    char precision[AM_UNITS_MAX], target[AM_UNITS_MAX], disturbed[AM_UNITS_MAX];
    struct am_text text;

    am_units_share(q.precision, precision, sizeof(precision));
    am_units_share(set->run.settings.target, target, sizeof(target));
    am_units_share(q.samples ? (double)q.disturbed / (double)q.samples : NAN, disturbed,
                   sizeof(disturbed));
    am_text_init(&text, SENTENCE_BYTES);
    am_text_addf(&text, "%zu points in %zu launches, %zu samples; ", ok, set->launches, q.samples);
    if (isfinite(q.precision))
        am_text_addf(&text,
                     "half the points have an interval within ±%s, %zu of %zu within the target of "
                     "±%s; ",
                     precision, q.within, ok, target);
    else
        am_text_add(&text, "too few launches per point for an interval; ");
    am_text_addf(&text, "%s of the samples disturbed; %zu points of grade A, %zu of B, %zu of C",
                 disturbed, q.grades[AM_GRADE_A], q.grades[AM_GRADE_B], q.grades[AM_GRADE_C]);
    tell_quiet(&text, &set->quiet);
    if (q.two_modes)
        am_text_addf(&text, "; %zu points have two modes", q.two_modes);
    if (other)
        am_text_addf(&text, "; %zu skipped, %zu failed, %zu not reached (why: see Method)",
                     q.states[AM_POINT_SKIP], q.states[AM_POINT_FAIL], q.states[AM_POINT_PENDING]);
    am_block_addf(b, AM_BLOCK_VERDICT, v.text, "%s.", am_text_str(&text))->tone = v.tone;
    am_text_fini(&text);
}

/* ---- in one sentence ---- */

void am_quality_sentence(struct am_body *b, const struct am_result_set *set, double precision)
{
    const struct quality q = judge(set, b->arena);
    const double share = q.samples ? (double)q.disturbed / (double)q.samples : 0;
    const bool wide = precision > am_grade_rows[AM_REASON_WIDE].a;
    const bool disturbed = share > am_grade_rows[AM_REASON_DISTURBED].a;
    const bool spoiled = 2 * q.disturbed > q.samples; /* most of what was measured */
    const bool crowded = q.busy > am_grade_rows[AM_REASON_BUSY].b;
    char busy[AM_UNITS_MAX];
    char good[AM_UNITS_MAX], text[AM_UNITS_MAX];

    am_units_share(precision, good, sizeof(good));
    am_units_share(share, text, sizeof(text));
    am_units_share(q.busy, busy, sizeof(busy));
    if (crowded)
        am_block_addf(b, AM_BLOCK_PARAGRAPH,
                      "busy: ", "others were at work during %s of launches%s: repeat when quiet",
                      busy, isfinite(precision) ? "" : "; no precision is known")
            ->tone = AM_TONE_WARN;
    else if (!isfinite(precision) && spoiled)
        am_block_addf(b, AM_BLOCK_PARAGRAPH,
                      "busy: ", "%s of samples disturbed; no precision is known: repeat when quiet",
                      text)
            ->tone = AM_TONE_WARN;
    else if (!isfinite(precision))
        am_block_addf(b, AM_BLOCK_PARAGRAPH, "too few launches: ",
                      "nothing says how good these figures are; --standard has more")
            ->tone = AM_TONE_WARN;
    else if (spoiled || (disturbed && wide))
        am_block_addf(b, AM_BLOCK_PARAGRAPH,
                      "busy: ", "mostly good to %s, but %s of samples disturbed: repeat when quiet",
                      good, text)
            ->tone = AM_TONE_WARN;
    else if (wide)
        am_block_addf(b, AM_BLOCK_PARAGRAPH, "quiet, but mostly good to ",
                      "%s only: --standard narrows it", good)
            ->tone = AM_TONE_WARN;
    else if (q.disturbed == 0)
        am_block_addf(b, AM_BLOCK_PARAGRAPH,
                      "quiet: ", "mostly good to %s; no sample was disturbed", good)
            ->tone = AM_TONE_GOOD;
    else
        am_block_addf(b, AM_BLOCK_PARAGRAPH, "quiet enough: ",
                      "mostly good to %s; %s of samples were disturbed and repeated", good, text)
            ->tone = AM_TONE_GOOD;
}
