/* SPDX-License-Identifier: MIT */
/* Commands and their metrics, by the names that the worker gives them. */
#include "family/timed.h"

#include "base/text.h"
#include "core/spec/commands.h"

#include <string.h>

static bool is_kind(const struct am_result_set *set, const char *wanted)
{
    const char *const kind = am_kvs_get(&set->settings, AM_COMMANDS_KIND);

    return kind && strcmp(kind, wanted) == 0;
}

bool am_timed_is_sensitivity(const struct am_result_set *set)
{
    return is_kind(set, AM_COMMANDS_KIND_SENSITIVITY);
}

bool am_timed_is(const struct am_result_set *set)
{
    return is_kind(set, AM_COMMANDS_KIND_TIME) || am_timed_is_sensitivity(set);
}

static bool is_of(const struct am_result *r, const char *test)
{
    static const char prefix[] = "exec.";

    return strncmp(r->bench, prefix, sizeof(prefix) - 1) == 0 &&
           strcmp(r->bench + sizeof(prefix) - 1, test) == 0;
}

/* The first that any meter gave. */
static const struct am_result_metric *energy_of(const struct am_result *r)
{
    for (size_t i = 0; i < r->n_metrics; i++) {
        if (strcmp(r->metrics[i].unit, "J") == 0 && r->metrics[i].has_summary)
            return &r->metrics[i];
    }
    return NULL;
}

static void read_one(const struct am_result *r, struct am_timed *out)
{
    const char *const typed = am_kvs_get(&r->chosen, AM_SPEC_TYPED);
    const char *const starter = am_kvs_get(&r->chosen, AM_SPEC_STARTER);
    const char *const floor = am_kvs_get(&r->chosen, AM_SPEC_FLOOR);
    const char *const label = am_result_text(r, AM_COMMANDS_AXIS);
    const char *const beside = am_result_text(r, AM_COMMANDS_BESIDE);

    *out = (struct am_timed){
        .result = r,
        .line = typed   ? typed
                : label ? label
                        : r->text,
        .by_shell = starter && strcmp(starter, AM_SPEC_STARTER_SHELL) == 0,
        .time = am_result_metric(r, AM_SPEC_TIME),
        .cpu = am_result_metric(r, AM_SPEC_CPU),
        .user = am_result_metric(r, AM_SPEC_USER),
        .kernel = am_result_metric(r, AM_SPEC_SYSTEM),
        .memory = am_result_metric(r, AM_SPEC_MEMORY),
        .energy = energy_of(r),
        .code = am_result_metric(r, AM_SPEC_CODE),
        .taken_rate = am_result_metric(r, AM_SPEC_TAKEN_RATE),
        .taken_share = am_result_metric(r, AM_SPEC_TAKEN_SHARE),
    };
    if (beside && !am_beside_parse(beside, &out->beside))
        out->beside = (struct am_beside){0};
    if (floor && !am_parse_f64(floor, strlen(floor), &out->memory_floor))
        out->memory_floor = 0;
}

bool am_timed_of(const struct am_result_set *set, struct am_arena *arena,
                 struct am_timed_commands *out)
{
    *out = (struct am_timed_commands){0};
    out->items = am_arena_array(arena, set->n + 1, sizeof(*out->items));
    for (size_t i = 0; out->items && i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        if (is_of(r, AM_COMMANDS_TEST))
            read_one(r, &out->items[out->n++]);
        else if (is_of(r, AM_COMMANDS_SHELL_TEST))
            out->shell = am_result_metric(r, AM_SPEC_TIME);
    }
    return out->items != NULL;
}
