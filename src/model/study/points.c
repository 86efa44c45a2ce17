/* SPDX-License-Identifier: MIT */
/* The points that a selector of a study means, and why there are none. */
#include "model/study/claims.h"

#include "base/text.h"

#include <string.h>

enum { PARAMS_MAX = 64, AXIS_MAX = 64 };

/* Conditions may also be on what the bench chose: the kind of a device. */
static bool matches(const struct am_result *r, const void *context)
{
    const char *const where = context;
    struct am_result_param all[PARAMS_MAX];
    size_t n = 0;

    for (; n < r->n_params && n < PARAMS_MAX; n++)
        all[n] = r->params[n];
    for (size_t i = 0; i < r->chosen.n && n < PARAMS_MAX; i++)
        all[n++] = (struct am_result_param){
            .name = r->chosen.items[i].key, .kind = AM_AXIS_NAME, .text = r->chosen.items[i].value};
    return am_where_matches(where, all, n);
}

bool am_study_matches(const struct am_study_selector *s, const struct am_result *r)
{
    return am_glob_match(s->bench, r->bench) && matches(r, s->where);
}

/* Narrows by each axis of the list. */
static struct am_picks extremes(struct am_picks picks, const char *axes, bool least)
{
    char axis[AXIS_MAX];

    for (const char *p = axes; *p;) {
        const size_t n = strcspn(p, ",");

        (void)am_str_copy(axis, n + 1 < sizeof(axis) ? n + 1 : sizeof(axis), p);
        picks = am_picks_extreme(&picks, axis, least);
        p += n + (p[n] == ',');
    }
    return picks;
}

static struct am_picks best_of(struct am_picks picks)
{
    const struct am_picks sound = am_picks_sound(&picks);
    const struct am_pick *const best = am_picks_best(&sound);

    if (!best)
        return picks;
    picks.items[0] = *best;
    picks.n = 1;
    return picks;
}

/* Points that belong to the selection and have no result. */
static void count_others(const struct am_result_set *set, const struct am_study_selector *s,
                         struct am_arena *arena, struct am_study_points *out)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        if (r->state == AM_POINT_OK || !am_study_matches(s, r))
            continue;
        out->skipped += r->state == AM_POINT_SKIP;
        if (!out->failed && r->state != AM_POINT_SKIP)
            out->failed =
                am_arena_printf(arena, "%s %s: %s", r->bench, r->text,
                                r->reason ? r->reason : am_point_state_meanings[r->state]);
    }
}

/* What a run must have asked for, to have the metric. */
static const char *needs(const char *metric)
{
    const bool metered =
        metric && (strncmp(metric, "energy:", 7) == 0 || strncmp(metric, "power:", 6) == 0);

    return metered ? " (a meter measures it, with --energy)" : "";
}

/* Why nothing was selected. */
static const char *why_none(const struct am_result_set *set, const struct am_study_selector *s,
                            struct am_arena *arena)
{
    const char *why = NULL;
    bool measured = false;

    for (size_t i = 0; i < set->n && !why; i++) {
        const struct am_result *const r = &set->results[i];

        if (!am_glob_match(s->bench, r->bench))
            continue;
        measured = true;
        if (!matches(r, s->where))
            continue;
        if (r->state == AM_POINT_OK)
            why = am_arena_printf(arena, "no point of %s has %s%s", r->bench,
                                  s->metric ? s->metric : "values", needs(s->metric));
        else
            why = am_arena_printf(arena, "%s %s: %s", r->bench, r->text,
                                  r->reason ? r->reason : am_point_state_meanings[r->state]);
    }
    if (!why)
        why = am_arena_printf(arena, measured ? "no point of %s has %s" : "%s was not measured%s",
                              s->bench, measured ? s->where : "");
    return why ? why : "nothing was measured";
}

struct am_study_points am_study_select(const struct am_result_set *set,
                                       const struct am_study_selector *s, struct am_arena *arena)
{
    const struct am_selector selector = {.bench = s->bench, .metric = s->metric};
    const struct am_picks all = am_select(set, &selector, arena);
    struct am_study_points out = {.picks = am_picks_filter(&all, matches, s->where)};

    out.picks = extremes(out.picks, s->most, false);
    out.picks = extremes(out.picks, s->least, true);
    out.candidates = s->best && out.picks.n ? out.picks.n : 1;
    out.ranged = s->best ? am_picks_varying(&out.picks, NULL) : "";
    if (s->best)
        out.picks = best_of(out.picks);
    count_others(set, s, arena, &out);
    if (out.picks.n == 0)
        out.why = why_none(set, s, arena);
    return out;
}
