/* SPDX-License-Identifier: MIT */
/* Settings, stop reasons, disturbances, failures; commands to repeat it; the data. */
#include "document/page.h"

#include "base/text.h"
#include "document/units.h"
#include "document/verification.h"

#include <stdint.h>
#include <string.h>

enum { FAILURES_MAX = 200, FAILURES_OPEN = 12, DATA_MAX = 320 << 10, DATA_POINTS_MAX = 2000 };

static void tell_settings(struct am_body *b, const struct am_result_set *set)
{
    const struct am_run_info *const run = &set->run;
    const struct am_plan_settings *const s = &run->settings;
    struct am_kvs *const pairs = am_arena_alloc(b->arena, sizeof(*pairs));
    char text[AM_UNITS_MAX], limit[AM_UNITS_MAX];

    b->broken |= !pairs;
    if (!pairs)
        return;
    am_kvs_add(pairs, b->arena, "command", run->command);
    if (set->seal.state != AM_SEAL_UNCHECKED)
        am_kvs_add(pairs, b->arena, "seals", am_seal_sentence(&set->seal, b->arena));
    am_kvs_addf(pairs, b->arena, "seed", "%llu", (unsigned long long)s->seed);
    am_kvs_addf(pairs, b->arena, "launches", "%u to %u fresh processes per point, in random order",
                s->min_launches, s->max_launches);
    am_units_value((double)s->sampler.min_batch_ns * 1e-9, "s", text, sizeof(text));
    am_kvs_addf(pairs, b->arena, "samples",
                "%u per launch after %u of warm-up, batches of at least %s", s->sampler.samples,
                s->sampler.warmup, text);
    am_units_share(s->target, text, sizeof(text));
    am_units_duration(s->launch_limit_s, limit, sizeof(limit));
    am_kvs_addf(pairs, b->arena, "until",
                "half the 95 %% interval is within %s; a launch is killed after %s", text, limit);
    am_units_duration(s->budget_s, limit, sizeof(limit));
    if (s->budget_s > 0)
        am_kvs_add(pairs, b->arena, "budget", limit);
    am_block_add(b, AM_BLOCK_PAIRS, NULL, NULL)->pairs = pairs;
}

/* How many points stopped for which reason. */
static void tell_stops(struct am_body *b, const struct am_result_set *set)
{
    static const struct am_column columns[] = {{.title = "stopped by"},
                                               {.title = "points", .right = true},
                                               {.title = "meaning", .flow = true}};
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));

    for (int k = 0; k < AM_STOP_REASONS; k++) {
        size_t n = 0;

        for (size_t i = 0; i < set->n; i++)
            n += (int)set->results[i].stop_reason == k;
        if (n == 0)
            continue;
        am_table_row(t);
        (void)am_table_text(t, k == AM_STOP_OPEN ? "-" : am_stop_reasons[k]);
        (void)am_table_number(t, AM_FORM_COUNT, (double)n);
        (void)am_table_text(t, am_stop_reason_meanings[k]);
    }
}

/* Samples by what disturbed them. */
static void tell_disturbed(struct am_body *b, const struct am_result_set *set)
{
    size_t count[AM_LABELS] = {0}, all = 0;
    struct am_text text;

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        for (size_t l = 0; r->n_metrics && l < r->metrics[0].series.n; l++) {
            const struct am_launch_values *const v = &r->metrics[0].series.launches[l];

            all += v->n;
            for (size_t s = 0; v->labels && s < v->n; s++) {
                for (size_t k = 0; k < AM_LABELS; k++)
                    count[k] += (v->labels[s] & UINT32_C(1) << k) != 0;
            }
        }
    }
    am_text_init(&text, 4096);
    for (size_t k = 0; k < AM_LABELS; k++)
        am_text_addf(&text, "%s in %zu %s", k ? k + 1 < AM_LABELS ? ";" : "; and" : ",", count[k],
                     am_label_meanings[k]);
    (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                        "Of %zu samples%s. Disturbed samples are kept and measured again; a "
                        "launch's median leaves them out where it has others.",
                        all, am_text_str(&text));
    am_text_fini(&text);
}

static void tell_failures(struct am_body *b, const struct am_result_set *set)
{
    static const struct am_column columns[] = {{.title = "what"},
                                               {.title = "bench"},
                                               {.title = "point", .flow = true},
                                               {.title = "round", .right = true},
                                               {.title = "reason", .flow = true}};
    struct am_table *t;

    if (set->n_failures == 0)
        return;
    am_block_add(
        b, AM_BLOCK_DETAILS,
        am_arena_printf(b->arena, "%zu skips and failures, with their reasons", set->n_failures),
        NULL)
        ->open = set->n_failures <= FAILURES_OPEN;
    t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));
    t->tall = true;
    for (size_t i = 0; i < set->n_failures && i < FAILURES_MAX; i++) {
        const struct am_failure *const f = &set->failures[i];

        am_table_row(t);
        am_table_text(t, am_failure_kinds[f->kind])->tone =
            f->kind == AM_FAILURE_SKIP ? AM_TONE_MUTED : AM_TONE_BAD;
        (void)am_table_text(t, f->bench);
        (void)am_table_text(t, f->text);
        (void)am_table_number(t, AM_FORM_COUNT, f->round);
        (void)am_table_text(t, f->reason);
    }
    if (set->n_failures > FAILURES_MAX)
        am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL, "Not shown: %zu more.",
                      set->n_failures - FAILURES_MAX)
            ->tone = AM_TONE_WARN;
    (void)am_block_add(b, AM_BLOCK_DETAILS_END, NULL, NULL);
}

void am_method_section(struct am_body *b, const struct am_result_set *set)
{
    (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL,
                       "Every point is measured in several fresh processes; samples inside one "
                       "process share its memory's placement and are not independent, so the "
                       "launch is the unit of statistics. Shown is the median of launch medians "
                       "with an order-statistic interval. Nothing is deleted.");
    tell_settings(b, set);
    tell_stops(b, set);
    tell_disturbed(b, set);
    tell_failures(b, set);
}

void am_reproduce_section(struct am_body *b, const struct am_result_set *set, const char *command)
{
    const char *const measured = set->run.command ? set->run.command : "";

    (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL,
                       "The measurement, with the seed that was used:");
    if (strstr(measured, "--seed"))
        (void)am_block_add(b, AM_BLOCK_CODE, NULL, measured);
    else
        (void)am_block_addf(b, AM_BLOCK_CODE, NULL, "%s --seed %llu", measured,
                            (unsigned long long)set->run.settings.seed);
    (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL, "This report:");
    (void)am_block_add(b, AM_BLOCK_CODE, NULL, command);
    (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL,
                       "One figure for a paper, and every raw sample:");
    (void)am_block_addf(b, AM_BLOCK_CODE, NULL,
                        "archmeter export %s --svg list\n"
                        "archmeter export %s --samples --format csv -o samples.csv",
                        set->run.name, set->run.name);
    am_block_add(b, AM_BLOCK_DATA, NULL,
                 "The results are too many to be carried in this page; archmeter export writes "
                 "them.")
        ->n = set->n <= DATA_POINTS_MAX ? DATA_MAX : 0;
}
