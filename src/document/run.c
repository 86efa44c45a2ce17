/* SPDX-License-Identifier: MIT */
/* What documents of runs share. */
#include "document/run.h"

#include "base/text.h"
#include "document/units.h"

#include <math.h>
#include <string.h>

const struct am_summary am_summary_none = {
    .median = NAN,
    .ci = {NAN, NAN, 0},
    .min = NAN,
    .max = NAN,
    .p5 = NAN,
    .p95 = NAN,
    .mad = NAN,
    .within = NAN,
    .between = NAN,
};

const char *am_machine_line(const struct am_kvs *machine, struct am_arena *arena)
{
    static const char *const keys[] = {"model_name", "packages", "cores", "threads", "memory_gib"};
    enum { MODEL, PACKAGES, CORES, THREADS, MEMORY, N };
    const char *of[N], *line;

    for (size_t i = 0; i < N; i++) {
        of[i] = am_kvs_get(machine, keys[i]);
        of[i] = of[i] ? of[i] : "unknown";
    }
    line = am_arena_printf(arena, "%s, %s%s%s core%s, %s thread%s, %s GiB", of[MODEL],
                           strcmp(of[PACKAGES], "1") == 0 ? "" : of[PACKAGES],
                           strcmp(of[PACKAGES], "1") == 0 ? "" : " packages, ", of[CORES],
                           strcmp(of[CORES], "1") == 0 ? "" : "s", of[THREADS],
                           strcmp(of[THREADS], "1") == 0 ? "" : "s", of[MEMORY]);
    return line ? line : of[MODEL];
}

const char *am_run_label(const struct am_run_info *run, struct am_arena *arena)
{
    const char *const text = run->label ? am_arena_printf(arena, " \"%s\"", run->label) : "";

    return text ? text : "";
}

const char *am_better_name(enum am_better better)
{
    return better == AM_LOWER ? "lower" : "higher";
}

enum am_tone am_level_tone(enum am_level level)
{
    static const enum am_tone tones[AM_LEVEL_COUNT] = {
        [AM_LEVEL_OK] = AM_TONE_GOOD,
        [AM_LEVEL_WARN] = AM_TONE_WARN,
        [AM_LEVEL_ERROR] = AM_TONE_BAD,
        [AM_LEVEL_UNKNOWN] = AM_TONE_PLAIN,
    };

    return (unsigned)level < AM_LEVEL_COUNT ? tones[level] : AM_TONE_PLAIN;
}

static void tell_settings(struct am_data *d, const struct am_plan_settings *s)
{
    am_data_object(d, "settings");
    am_data_unsigned(d, "min_launches", s->min_launches);
    am_data_unsigned(d, "max_launches", s->max_launches);
    am_data_number(d, "target", s->target);
    am_data_number(d, "budget_s", s->budget_s);
    am_data_number(d, "launch_limit_s", s->launch_limit_s);
    am_data_unsigned(d, "min_batch_ns", s->sampler.min_batch_ns);
    am_data_unsigned(d, "max_point_ns", s->sampler.max_point_ns);
    am_data_unsigned(d, "warmup", s->sampler.warmup);
    am_data_unsigned(d, "samples", s->sampler.samples);
    am_data_unsigned(d, "extra", s->sampler.extra);
    am_data_number(d, "drift_limit", s->sampler.drift_limit);
    am_data_object_end(d);
}

static void tell_run(struct am_data *d, const struct am_result_set *set)
{
    const struct am_run_info *const run = &set->run;
    char seed[AM_UNITS_MAX];

    /* as text: 64 bits do not survive readers that keep numbers as doubles */
    (void)am_str_format(seed, sizeof(seed), "%llu", (unsigned long long)run->settings.seed);
    am_data_text(d, "name", run->name);
    am_data_text(d, "version", run->version);
    am_data_text(d, "command", run->command);
    am_data_text(d, "started", run->started);
    am_data_text(d, "ended", run->ended);
    am_data_text(d, "state", am_run_states[run->state]);
    am_data_text(d, "label", run->label);
    am_data_bool(d, "synthetic", run->synthetic);
    am_data_text(d, "profile", am_profile_name(run->settings.profile));
    am_data_text(d, "seed", seed);
    am_data_unsigned(d, "launches", set->launches);
    am_data_number(d, "launch_seconds", run->launched_s > 0 ? run->launched_s : NAN);
}

void am_data_run(struct am_data *d, const char *key, const struct am_result_set *set)
{
    am_data_object(d, key);
    tell_run(d, set);
    tell_settings(d, &set->run.settings);
    am_data_object_end(d);
}

void am_data_origin(struct am_data *d, const struct am_result_set *set)
{
    am_data_object(d, "run");
    tell_run(d, set);
    am_data_object_end(d);
}

void am_data_machine(struct am_data *d, const struct am_kvs *machine)
{
    am_data_object(d, "machine");
    for (size_t i = 0; i < machine->n; i++)
        am_data_guess(d, machine->items[i].key, machine->items[i].value);
    am_data_object_end(d);
}

void am_data_pairs(struct am_data *d, const char *key, const struct am_kvs *pairs)
{
    am_data_object(d, key);
    for (size_t i = 0; i < pairs->n; i++)
        am_data_text(d, pairs->items[i].key, pairs->items[i].value);
    am_data_object_end(d);
}

void am_data_point(struct am_data *d, const char *key, const struct am_result *result)
{
    am_data_object(d, key);
    for (size_t i = 0; i < result->n_params; i++) {
        const struct am_result_param *const p = &result->params[i];

        if (p->kind == AM_AXIS_NAME)
            am_data_text(d, p->name, p->text);
        else
            am_data_guess(d, p->name, p->text);
    }
    am_data_object_end(d);
}

void am_data_grading(struct am_data *d, struct am_grading grading)
{
    am_data_text(d, "grade", am_grade_names[grading.grade]);
    am_data_array(d, "reasons");
    for (size_t i = 0; i < AM_REASONS; i++) {
        if (grading.reasons & UINT32_C(1) << i)
            am_data_text(d, NULL, am_reason_words[i]);
    }
    am_data_array_end(d);
}
