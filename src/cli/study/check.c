/* SPDX-License-Identifier: MIT */
/* Names of a study held against the benches and figures that there are. What only a run knows, as
 * the choices of a bench and the results of programs, cannot be checked before it. */
#include "base/text.h"
#include "cli/study/study.h"
#include "core/spec/spec.h"
#include "document/study/study.h"
#include "family/family.h"

#include <string.h>

enum { NAMES_MAX = 1024, NAME_BYTES = 64, STORY_BYTES = 256 };

struct checking {
    const struct am_catalogue *catalogue;
    struct am_err *err;
};

/* "FILE:LINE:COLUMN: story "word"; did you mean "near"?" */
static enum am_status bad(const struct checking *c, struct am_spec_place at, const char *story,
                          const char *word, const char *near)
{
    return am_fail(c->err, AM_E_USAGE, "%s:%u:%u: %s \"%s\"%s%s%s", at.file, at.line, at.column,
                   story, word, near ? "; did you mean \"" : "", near ? near : "",
                   near ? "\"?" : "");
}

static enum am_status bad_of(const struct checking *c, struct am_spec_place at,
                             const struct am_bench *bench, const char *what, const char *word,
                             const char *near)
{
    char story[STORY_BYTES];

    (void)am_str_format(story, sizeof(story), "%s has no %s", bench->name, what);
    return bad(c, at, story, word, near);
}

/* ---- benches ---- */

/* Whether any bench here is of the same family: else its worker may just not be here. */
static bool has_family(const struct am_catalogue *catalogue, const char *name)
{
    const char *names[NAMES_MAX];
    const size_t n = am_setup_names(catalogue, names, NAMES_MAX), len = strcspn(name, ".");

    for (size_t i = 0; i < n; i++) {
        if (strcspn(names[i], ".") == len && strncmp(names[i], name, len) == 0)
            return true;
    }
    return false;
}

/* Whether a figure of the program shows the bench: then there is one of that name, although no
 * worker here has it (no OpenCL driver, no Fortran compiler). */
static bool is_drawn(const char *name)
{
    for (size_t i = 0; am_families[i]; i++) {
        for (const struct am_figure_row *r = am_families[i]->figures; r && r->name; r++) {
            if (r->bench && strcmp(r->bench, name) == 0)
                return true;
        }
    }
    return false;
}

bool am_study_is_absent(const struct am_catalogue *catalogue, const char *bench)
{
    return !am_catalogue_find(catalogue, NULL, bench) && strchr(bench, '.') &&
           (is_drawn(bench) || !has_family(catalogue, bench));
}

/* The bench, or NULL where nothing is known of it; an error where it is none. */
static enum am_status find_bench(const struct checking *c, struct am_spec_place at,
                                 const char *name, const struct am_bench **out)
{
    const char *names[NAMES_MAX];

    *out = strpbrk(name, "*?") ? NULL : am_catalogue_find(c->catalogue, NULL, name);
    if (*out || strpbrk(name, "*?") || strncmp(name, "exec.", 5) == 0 ||
        am_study_is_absent(c->catalogue, name))
        return AM_OK;
    return bad(c, at, "no bench is called", name,
               am_nearest(name, names, am_setup_names(c->catalogue, names, NAMES_MAX)));
}

static enum am_status check_metric(const struct checking *c, struct am_spec_place at,
                                   const struct am_bench *bench, const char *metric)
{
    const char *names[AM_METRICS_MAX];
    size_t n = 0;

    /* meters and counters add theirs, with a colon in their names */
    if (!metric || strpbrk(metric, ":*"))
        return AM_OK;
    for (; n < AM_METRICS_MAX && bench->metrics[n].name; n++) {
        names[n] = bench->metrics[n].name;
        if (strcmp(names[n], metric) == 0)
            return AM_OK;
    }
    return bad_of(c, at, bench, "metric", metric, am_nearest(metric, names, n));
}

/* A typing error, not another word that begins alike. */
static bool is_typing(const char *word, const char *near)
{
    const size_t a = strlen(word), b = near ? strlen(near) : 0;

    return near && a <= b + 1 && b <= a + 1;
}

/* What the bench says that it chose (device_kind) may stand in place of an axis: only what is
 * nearly an axis is refused, unless `strict`. */
static enum am_status check_axis(const struct checking *c, struct am_spec_place at,
                                 const struct am_bench *bench, const char *axis, bool strict)
{
    const char *names[AM_AXES_MAX];
    const char *near;
    size_t n = 0;

    for (; n < AM_AXES_MAX && bench->axes[n].name; n++) {
        names[n] = bench->axes[n].name;
        if (strcmp(names[n], axis) == 0)
            return AM_OK;
    }
    near = am_nearest(axis, names, n);
    return strict || is_typing(axis, near) ? bad_of(c, at, bench, "axis", axis, near) : AM_OK;
}

/* Names parted by `parts`; what follows an operator in a name is no part of it. */
static enum am_status check_axes(const struct checking *c, struct am_spec_place at,
                                 const struct am_bench *bench, const char *list, const char *parts)
{
    enum am_status s = AM_OK;

    for (const char *p = list; *p && s == AM_OK;) {
        const size_t all = strcspn(p, parts);
        const size_t no = *p == '!', n = strcspn(p + no, "?!=<>");
        char name[NAME_BYTES] = "";
        const size_t len = no + n < all ? n : all - no;

        (void)am_str_copy(name, len + 1 < sizeof(name) ? len + 1 : sizeof(name), p + no);
        if (*name)
            s = check_axis(c, at, bench, name, false);
        p += all;
        p += strspn(p, parts);
    }
    return s;
}

static enum am_status check_selector(const struct checking *c, const struct am_study_selector *s,
                                     const struct am_bench **bench)
{
    enum am_status status = find_bench(c, s->at, s->bench, bench);

    if (status != AM_OK || !*bench)
        return status;
    status = check_metric(c, s->at, *bench, s->metric);
    if (status == AM_OK)
        status = check_axes(c, s->at, *bench, s->where, " ");
    if (status == AM_OK)
        status = check_axes(c, s->at, *bench, s->most, ",");
    return status == AM_OK ? check_axes(c, s->at, *bench, s->least, ",") : status;
}

/* ---- blocks ---- */

static enum am_status check_that(const struct checking *c, const struct am_study_that *that)
{
    const struct am_bench *left = NULL, *right = NULL;
    enum am_status s = check_selector(c, &that->left, &left);

    if (s == AM_OK && left && that->axis)
        s = check_axis(c, that->at, left, that->axis, true);
    if (s == AM_OK && !that->axis && !that->constant)
        s = check_selector(c, &that->right, &right);
    return s;
}

static enum am_status check_claim(const struct checking *c, const struct am_study_claim *claim)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; s == AM_OK && i < claim->n_thats; i++)
        s = check_that(c, &claim->thats[i]);
    return s;
}

static enum am_status check_like(const struct checking *c, const struct am_study_item *item)
{
    const char *const name = item->field[AM_STUDY_LIKE], *near = NULL;

    if (!name || am_study_row(name, &near))
        return AM_OK;
    return bad(c, item->field_at[AM_STUDY_LIKE], "no figure is called", name, near);
}

static enum am_status check_fields(const struct checking *c, const struct am_study_item *item)
{
    static const enum am_study_field axes[] = {AM_STUDY_X, AM_STUDY_SERIES, AM_STUDY_PANEL,
                                               AM_STUDY_ALONG, AM_STUDY_COMPARES};
    static const enum am_study_field conditions[] = {AM_STUDY_WHERE, AM_STUDY_LEVEL};
    const struct am_bench *bench = NULL;
    const char *const name = item->field[AM_STUDY_BENCH], *near;
    const struct am_figure_row *const row =
        item->field[AM_STUDY_LIKE] ? am_study_row(item->field[AM_STUDY_LIKE], &near) : NULL;
    const char *const of = name ? name : row && row->bench ? row->bench : NULL;
    enum am_status s = of ? find_bench(c, item->field_at[AM_STUDY_BENCH], of, &bench) : AM_OK;

    if (s != AM_OK || !bench)
        return s;
    for (size_t i = 0; s == AM_OK && i < sizeof(axes) / sizeof(*axes); i++) {
        const char *const list = item->field[axes[i]];

        if (list && *list != '@' && strcmp(list, "none") != 0)
            s = check_axes(c, item->field_at[axes[i]], bench, list, ",/");
    }
    for (size_t i = 0; s == AM_OK && i < sizeof(conditions) / sizeof(*conditions); i++) {
        const char *const text = item->field[conditions[i]];

        if (text && strcmp(text, "none") != 0)
            s = check_axes(c, item->field_at[conditions[i]], bench, text, " ");
    }
    if (s == AM_OK && item->field[AM_STUDY_METRIC] &&
        strcmp(item->field[AM_STUDY_METRIC], "none") != 0)
        s = check_metric(c, item->field_at[AM_STUDY_METRIC], bench, item->field[AM_STUDY_METRIC]);
    return s;
}

static enum am_status check_item(const struct checking *c, const struct am_study_item *item)
{
    enum am_status s = check_like(c, item);

    if (s == AM_OK)
        s = check_fields(c, item);
    for (size_t i = 0; s == AM_OK && i < item->n_beside; i++) {
        const struct am_bench *bench;

        if (item->beside[i].beside)
            s = check_selector(c, &item->beside[i].from, &bench);
    }
    return s;
}

enum am_status am_study_check(const struct am_study *study, const struct am_catalogue *catalogue,
                              struct am_err *err)
{
    const struct checking c = {.catalogue = catalogue, .err = err};
    enum am_status s = AM_OK;

    for (size_t i = 0; s == AM_OK && i < study->n_items; i++)
        s = check_item(&c, &study->items[i]);
    for (size_t i = 0; s == AM_OK && i < study->n_claims; i++) {
        s = check_claim(&c, &study->claims[i]);
        if (s == AM_OK && study->claims[i].reason)
            s = check_claim(&c, study->claims[i].reason);
    }
    return s;
}
