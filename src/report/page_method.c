/* SPDX-License-Identifier: MIT */
/* The end of the page: how it was measured, what went wrong, how to do it again, and the data. */
#include "report/page.h"
#include "report/results.h"
#include "document/units.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FAILURES_MAX = 200, DATA_MAX = 320 << 10, DATA_POINTS_MAX = 2000 };

static void method_pair(struct am_page *p, const char *key, const char *value)
{
    am_page_element(p, "dt", NULL, key);
    am_page_element(p, "dd", NULL, value);
}

static void write_settings(struct am_page *p)
{
    const struct am_plan_settings *const s = &p->set->run.settings;
    char text[4 * AM_UNITS_MAX], batch[AM_UNITS_MAX], target[AM_UNITS_MAX], limit[AM_UNITS_MAX];

    am_page_raw(p, "<dl class=\"facts\">");
    method_pair(p, "command", p->set->run.command);
    (void)am_str_format(text, sizeof(text), "%llu", (unsigned long long)s->seed);
    method_pair(p, "seed", text);
    (void)am_str_format(text, sizeof(text), "%u to %u fresh processes a point, in random order",
                        s->min_launches, s->max_launches);
    method_pair(p, "launches", text);
    am_units_value((double)s->sampler.min_batch_ns * 1e-9, "s", batch, sizeof(batch));
    (void)am_str_format(text, sizeof(text),
                        "%u a launch after %u of warm-up, batches of at least "
                        "%s",
                        s->sampler.samples, s->sampler.warmup, batch);
    method_pair(p, "samples", text);
    am_units_share(s->target, target, sizeof(target));
    am_units_duration(s->launch_limit_s, limit, sizeof(limit));
    (void)am_str_format(text, sizeof(text),
                        "until half the 95 %% interval is within %s; a launch is killed after %s",
                        target, limit);
    method_pair(p, "until", text);
    if (s->budget_s > 0) {
        am_units_duration(s->budget_s, limit, sizeof(limit));
        method_pair(p, "budget", limit);
    }
    am_page_raw(p, "</dl>\n");
}

/* How many points stopped for which reason; reasons are few. */
static void write_stops(struct am_page *p)
{
    static const char *const heads[] = {"stopped by", "#points", "meaning", NULL};

    am_page_table(p, "scroll", heads);
    for (int k = 0; k < AM_STOP_REASONS; k++) {
        size_t n = 0;
        char text[AM_UNITS_MAX];

        for (size_t i = 0; i < p->set->n; i++)
            n += (int)p->set->results[i].stop_reason == k;
        if (n == 0)
            continue;
        (void)am_str_format(text, sizeof(text), "%zu", n);
        am_page_raw(p, "<tr>");
        am_page_element(p, "td", "k", k == AM_STOP_OPEN ? "-" : am_stop_reasons[k]);
        am_page_number(p, (double)n, text);
        am_page_element(p, "td", "w", am_stop_reason_meanings[k]);
        am_page_raw(p, "</tr>\n");
    }
    am_page_table_end(p);
}

/* Samples by what disturbed them. */
static void write_disturbed(struct am_page *p)
{
    size_t count[AM_LABELS] = {0}, all = 0;

    for (size_t i = 0; i < p->set->n; i++) {
        const struct am_result *const r = &p->set->results[i];

        for (size_t l = 0; r->n_metrics && l < r->metrics[0].series.n; l++) {
            const struct am_launch_values *const v = &r->metrics[0].series.launches[l];

            all += v->n;
            for (size_t s = 0; v->labels && s < v->n; s++) {
                for (size_t k = 0; k < AM_LABELS; k++)
                    count[k] += (v->labels[s] & UINT32_C(1) << k) != 0;
            }
        }
    }
    am_page_rawf(p, "<p>Of %zu samples", all);
    for (size_t k = 0; k < AM_LABELS; k++)
        am_page_rawf(p, "%s in %zu %s",
                     k == 0   ? ","
                     : k == 1 ? ";"
                              : "; and",
                     count[k], am_label_meanings[k]);
    am_page_raw(p, ". Disturbed samples are kept and measured again; a launch's median leaves them "
                   "out where it has others.</p>\n");
}

static void write_failures(struct am_page *p)
{
    static const char *const heads[] = {"what", "bench", "point", "#round", "reason", NULL};
    const size_t n = p->set->n_failures < FAILURES_MAX ? p->set->n_failures : FAILURES_MAX;

    if (n == 0)
        return;
    am_page_rawf(p, "<details%s><summary>%zu skips and failures, with their reasons</summary>\n",
                 n <= 12 ? " open" : "", p->set->n_failures);
    am_page_table(p, "scroll tall", heads);
    for (size_t i = 0; i < n; i++) {
        const struct am_failure *const f = &p->set->failures[i];
        char round[AM_UNITS_MAX];

        (void)am_str_format(round, sizeof(round), "%u", f->round);
        am_page_raw(p, "<tr>");
        am_page_element(p, "td", f->kind == AM_FAILURE_SKIP ? "muted" : "bad",
                        am_failure_kinds[f->kind]);
        am_page_element(p, "td", "k", f->bench);
        am_page_element(p, "td", "w", f->text);
        am_page_number(p, f->round, round);
        am_page_element(p, "td", "w", f->reason);
        am_page_raw(p, "</tr>\n");
    }
    am_page_table_end(p);
    if (p->set->n_failures > n)
        am_page_rawf(p, "<p class=\"warn\">Not shown: %zu more.</p>\n", p->set->n_failures - n);
    am_page_raw(p, "</details>\n");
}

void am_page_method(struct am_page *p)
{
    am_page_heading(p, "Method");
    am_page_raw(p, "<p>Every point is measured in several fresh processes; samples inside one "
                   "process share its memory's placement and are not independent, so the launch is "
                   "the unit of statistics. Shown is the median of launch medians with an "
                   "order-statistic interval. Nothing is deleted.</p>\n");
    write_settings(p);
    write_stops(p);
    write_disturbed(p);
    write_failures(p);
}

/* ---- the data ---- */

static void add_base64(struct am_text *out, const char *data, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < n; i += 3) {
        const size_t have = n - i < 3 ? n - i : 3;
        uint32_t word = 0;
        char four[4];

        for (size_t k = 0; k < AM_LABELS; k++)
            word = word << 8 | (k < have ? (unsigned char)data[i + k] : 0u);
        for (size_t k = 0; k < 4; k++)
            four[k] = k <= have ? digits[word >> (18 - 6 * k) & 63] : '=';
        am_text_addn(out, four, 4);
    }
}

/* The summaries as JSON in a link, where they are small enough for a page. */
static bool write_data(struct am_page *p)
{
    char *data = NULL;
    size_t n = 0;
    FILE *memory;
    bool fits = false;

    if (p->set->n > DATA_POINTS_MAX)
        return false;
    memory = open_memstream(&data, &n);
    if (!memory)
        return false;
    am_report_results_json(p->set, memory);
    if (fclose(memory) == 0 && n <= DATA_MAX) {
        am_page_raw(p, "<p><a id=\"data\" download=\"archmeter.json\" "
                       "href=\"data:application/json;base64,");
        add_base64(&p->text, data, n);
        am_page_rawf(p, "\">Download the results as JSON</a> (%zu kB, in this page)</p>\n",
                     (n + 999) / 1000);
        fits = true;
    }
    free(data);
    return fits;
}

void am_page_reproduce(struct am_page *p)
{
    am_page_heading(p, "Reproduce");
    am_page_raw(p, "<p>The measurement, with the seed that was used:</p>\n<pre>");
    am_page_put(p, p->set->run.command);
    if (!strstr(p->set->run.command, "--seed"))
        am_page_rawf(p, " --seed %llu", (unsigned long long)p->set->run.settings.seed);
    am_page_raw(p, "</pre>\n<p>This report:</p>\n<pre>");
    am_page_put(p, p->in->command);
    am_page_raw(p, "</pre>\n<p>One figure for a paper, and every raw sample:</p>\n<pre>"
                   "archmeter export ");
    am_page_put(p, p->set->run.name);
    am_page_raw(p, " --svg list\narchmeter export ");
    am_page_put(p, p->set->run.name);
    am_page_raw(p, " --samples --format csv -o samples.csv</pre>\n");
    if (!write_data(p))
        am_page_raw(p, "<p class=\"muted\">The results are too many to be carried in this page; "
                       "archmeter export writes them.</p>\n");
}
