/* SPDX-License-Identifier: MIT */
/* Results of cpu.ports as rows of forms, and forms that behave alike as classes. */
#include "family/incore/incore.h"

#include "base/array.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* Cells of two forms differ when their intervals, wider by this share, are apart: loops of the same
 * units settle in patterns that differ by so much. */
static const double settling = 0.02;
/* Forms of one class differ in no more than this share of their cells, and nowhere by more. */
static const double cells_apart = 0.1, apart_most = 0.2;

#define METRIC(role, legacy, other, arm, what) "with_" #role,
static const char *const metrics[AM_MIX_ANCHORS] = {AM_MIX_ANCHOR_MAP(METRIC)};
#undef METRIC
#define NAMES(role, legacy, other, arm, what) {legacy, other, arm},
static const char *const anchor_names[AM_MIX_ANCHORS][3] = {AM_MIX_ANCHOR_MAP(NAMES)};
#undef NAMES

static const struct am_incore_cell no_cell = {NAN, NAN};

/* What makes a time longer in some launches leaves the least alone; these do not. */
static const uint32_t spoils =
    1u << AM_REASON_ZERO | 1u << AM_REASON_UNVERIFIED | 1u << AM_REASON_STANDARD;

static bool is_spoilt(const struct am_grading *g)
{
    return g->grade == AM_GRADE_C && (g->reasons & spoils) != 0;
}

/* Of fewer launches all may have been disturbed. */
static const size_t launches_least = 3;

/* A least that no second launch comes so near, relative to it, may be one lucky or wrong launch: it
 * is no evidence. Weights are decided within a tenth of a class's cycles (fit/resources.h). */
static const double confirmed_within = 0.1;

/* Adds the launches of a series to what was seen before, but for those that are set aside. */
static struct am_incore_least least_of(const struct am_incore *core, struct am_incore_least l,
                                       const struct am_series *series)
{
    for (size_t i = 0; i < series->n; i++) {
        const struct am_launch_values *const launch = &series->launches[i];
        double own = INFINITY;

        for (size_t k = 0; k < launch->n; k++)
            own = fmin(own, launch->values[k]);
        if (!isfinite(own) || am_incore_is_aside(core, launch->launch_id))
            continue;
        l.next = l.launches == 0 ? INFINITY : fmin(l.next, fmax(own, l.value));
        l.value = l.launches == 0 ? own : fmin(l.value, own);
        l.launches++;
    }
    return l;
}

/* The grade of a least. What disturbs launches, makes their clocks move or their medians have two
 * modes adds to a time, and leaves the least alone, so that these say nothing here. What counts is
 * how many launches there are, by the limits that medians have, and how near a second one comes. */
static struct am_grading grade_least(const struct am_result_metric *metric,
                                     const struct am_incore_least *l)
{
    const struct am_grade_row *const row = &am_grade_rows[AM_REASON_LAUNCHES];
    const struct am_grade_input input = {.summary = &metric->summary, .verified = true};
    const double missing = am_grade_measure(AM_REASON_LAUNCHES, &input);
    const double apart = (l->next - l->value) / fabs(l->value); /* none of 0 and 0 */
    struct am_grading g = {AM_GRADE_A, 0};

    if (missing > row->a)
        g = (struct am_grading){missing <= row->b ? AM_GRADE_B : AM_GRADE_C,
                                UINT32_C(1) << AM_REASON_LAUNCHES};
    if (apart > AM_INCORE_STEADY)
        g = am_grading_worse(
            g, (struct am_grading){apart <= confirmed_within ? AM_GRADE_B : AM_GRADE_C,
                                   UINT32_C(1) << AM_REASON_WIDE});
    return g;
}

static void rest_on(struct am_incore *core, const struct am_result *result,
                    const struct am_incore_least *l, struct am_grading grading)
{
    core->grading = am_grading_worse(core->grading, grading);
    core->launches =
        core->measured == 1 || l->launches < core->launches ? l->launches : core->launches;
    if (core->n_points < sizeof(core->points) / sizeof(core->points[0]) &&
        (core->n_points == 0 || core->points[core->n_points - 1] != result->point_id))
        core->points[core->n_points++] = result->point_id;
}

/* A cell of what was seen of a metric, in this result and maybe in others. */
static struct am_incore_cell judge(struct am_incore *core, const struct am_result *result,
                                   const struct am_result_metric *m,
                                   const struct am_incore_least *l)
{
    const struct am_grading grading = grade_least(m, l);

    core->measured++;
    if (!(l->value > 0) || l->launches < launches_least || grading.grade == AM_GRADE_C ||
        is_spoilt(&m->grading)) {
        core->dropped++;
        return no_cell;
    }
    rest_on(core, result, l, grading);
    return (struct am_incore_cell){l->value, AM_INCORE_STEADY * l->value + m->summary.systematic};
}

struct am_incore_cell am_incore_read_cell(struct am_incore *core, const struct am_result *result,
                                          const char *name)
{
    const struct am_result_metric *const m = am_result_metric(result, name);
    struct am_incore_least l;

    if (!m)
        return no_cell;
    l = least_of(core, (struct am_incore_least){.launches = 0}, &m->series);
    return judge(core, result, m, &l);
}

/* The form alone, which is measured again with all counts: all of these launches are one cell. */
static void read_alone(struct am_incore *core, const struct am_result *result,
                       struct am_incore_form *f)
{
    const struct am_result_metric *const m = am_result_metric(result, "alone");

    if (!m)
        return;
    f->seen = least_of(core, f->seen, &m->series);
    f->alone = judge(core, result, m, &f->seen);
}

/* "1:3"; false for what is none. */
static bool parse_counts(const char *text, struct am_incore_counts *out)
{
    const char *const colon = text ? strchr(text, ':') : NULL;
    uint64_t form, anchor;

    if (!colon || !am_parse_u64(text, (size_t)(colon - text), &form) ||
        !am_parse_u64(colon + 1, strlen(colon + 1), &anchor) || form == 0 || anchor == 0 ||
        form > AM_MIX_TARGET || anchor > AM_MIX_TARGET)
        return false;
    *out = (struct am_incore_counts){(unsigned)form, (unsigned)anchor};
    return true;
}

/* The index of the counts, which are added where they are new; AM_INCORE_COUNTS_MAX: no room. */
static size_t counts_index(struct am_incore *core, struct am_incore_counts counts)
{
    size_t i = 0;

    while (i < core->n_counts &&
           (core->counts[i].form != counts.form || core->counts[i].anchor != counts.anchor))
        i++;
    if (i == core->n_counts && i < AM_INCORE_COUNTS_MAX)
        core->counts[core->n_counts++] = counts;
    return i;
}

static struct am_incore_form *form_named(struct am_incore *core, struct am_arena *arena,
                                         const char *name)
{
    struct am_incore_form *f;

    for (size_t i = 0; i < core->n_forms; i++) {
        if (strcmp(core->forms[i].name, name) == 0)
            return &core->forms[i];
    }
    f = AM_ARRAY_ADD(arena, core->forms, core->n_forms, core->cap_forms);
    if (!f)
        return NULL;
    f->name = name;
    f->alone = no_cell;
    for (size_t i = 0; i < AM_INCORE_COUNTS_MAX; i++) {
        for (size_t k = 0; k < AM_MIX_ANCHORS; k++)
            f->with[i][k] = no_cell;
    }
    return f;
}

static bool read_result(struct am_incore *core, struct am_arena *arena,
                        const struct am_result *result)
{
    const char *const name = am_result_text(result, "instr");
    const char *const anchors = am_kvs_get(&result->chosen, "anchors");
    struct am_incore_counts counts;
    struct am_incore_form *f;
    size_t at;

    if (!name || !anchors || !parse_counts(am_result_text(result, "counts"), &counts))
        return true;
    at = counts_index(core, counts);
    if (at == AM_INCORE_COUNTS_MAX)
        return true;
    f = form_named(core, arena, name);
    if (!f)
        return false;
    f->legacy = strcmp(anchors, "legacy") == 0;
    read_alone(core, result, f);
    for (size_t k = 0; k < AM_MIX_ANCHORS; k++)
        f->with[at][k] = am_incore_read_cell(core, result, metrics[k]);
    return true;
}

bool am_incore_read(const struct am_result_set *set, struct am_arena *arena, struct am_incore *core)
{
    for (size_t i = 0; i < set->n; i++) {
        if (set->results[i].state == AM_POINT_OK &&
            strcmp(set->results[i].bench, "cpu.ports") == 0 &&
            !read_result(core, arena, &set->results[i]))
            return false;
    }
    for (size_t k = 0; k < AM_MIX_ANCHORS; k++) {
        for (size_t way = 0; way < 2; way++) {
            const struct am_incore_form *f = am_incore_find(core, anchor_names[k][way]);

            if (!f && way == 1)
                f = am_incore_find(core, anchor_names[k][2]);
            core->anchors[k][way] =
                f && !isnan(f->alone.value) ? (size_t)(f - core->forms) : core->n_forms;
        }
    }
    return true;
}

const struct am_incore_form *am_incore_find(const struct am_incore *core, const char *name)
{
    for (size_t i = 0; i < core->n_forms; i++) {
        if (strcmp(core->forms[i].name, name) == 0)
            return &core->forms[i];
    }
    return NULL;
}

double am_incore_sound(const struct am_incore *core, const struct am_result_metric *m)
{
    const struct am_incore_least l =
        least_of(core, (struct am_incore_least){.launches = 0}, &m->series);

    if (l.launches >= launches_least && !is_spoilt(&m->grading) &&
        grade_least(m, &l).grade != AM_GRADE_C)
        return fmax(l.value, 0);
    return m->grading.grade != AM_GRADE_C ? fmax(m->summary.median, 0) : NAN;
}

/* ---- classes ---- */

/* How far two cells are apart beyond their intervals, relative to the smaller; 0 where they are
 * not, or one is missing. */
static double apart(const struct am_incore_cell *a, const struct am_incore_cell *b)
{
    const double least = fmin(a->value, b->value);
    const double beyond = fabs(a->value - b->value) - a->half - b->half - settling * least;

    return beyond > 0 ? fabs(a->value - b->value) / least : 0;
}

static bool behave_alike(const struct am_incore *core, const struct am_incore_form *a,
                         const struct am_incore_form *b)
{
    size_t cells = 0, differ = 0;

    if (apart(&a->alone, &b->alone) > 0)
        return false;
    for (size_t i = 0; i < core->n_counts; i++) {
        for (size_t k = 0; k < AM_MIX_ANCHORS; k++) {
            const double d = apart(&a->with[i][k], &b->with[i][k]);

            if (isnan(a->with[i][k].value) || isnan(b->with[i][k].value))
                continue;
            cells++;
            differ += d > 0;
            if (d > apart_most)
                return false;
        }
    }
    return cells >= AM_MIX_ANCHORS / 2 && (double)differ <= cells_apart * (double)cells;
}

bool am_incore_is_wide(const char *form)
{
    return strstr(form, "_zmm") != NULL;
}

/* A form in so many random mixes can be told from its like: what anchors do not show of it, they
 * do. Some ten weights of it are open. */
static const size_t mixes_of_its_own = 200;

/* Puts the form into the first class whose first form behaves like it, or into one of its own.
 * Those of 512 bits have classes of their own: what stands beside them may find other ports. */
static bool place_form(struct am_incore *core, struct am_arena *arena, size_t form)
{
    struct am_incore_form *const f = &core->forms[form];
    struct am_incore_kind *kind;

    if (f->kind != SIZE_MAX || isnan(f->alone.value))
        return true;
    for (size_t i = 0; f->mixes < mixes_of_its_own && i < core->n_kinds; i++) {
        if (am_incore_is_wide(f->name) == am_incore_is_wide(core->kinds[i].name) &&
            behave_alike(core, &core->forms[core->kinds[i].first], f)) {
            f->kind = i;
            core->kinds[i].members++;
            return true;
        }
    }
    kind = AM_ARRAY_ADD(arena, core->kinds, core->n_kinds, core->cap_kinds);
    if (!kind)
        return false;
    *kind = (struct am_incore_kind){
        .name = f->name, .first = form, .members = 1, .alone = f->alone.value};
    f->kind = core->n_kinds - 1;
    return true;
}

bool am_incore_group(struct am_incore *core, struct am_arena *arena)
{
    for (size_t i = 0; i < core->n_forms; i++)
        core->forms[i].kind = SIZE_MAX;
    for (size_t way = 2; way-- > 0;) {
        for (size_t k = 0; k < AM_MIX_ANCHORS; k++) {
            if (core->anchors[k][way] < core->n_forms &&
                !place_form(core, arena, core->anchors[k][way]))
                return false;
        }
    }
    for (size_t i = 0; i < core->n_forms; i++) {
        if (!place_form(core, arena, i))
            return false;
    }
    return true;
}
