/* SPDX-License-Identifier: MIT */
/* A test's parameters as axes: labels that can be stored, sent and compared. */
#include "core/spec/spec.h"

#include "base/text.h"

#include <string.h>

enum { CHOICES_MAX = 4096, NAME_MAX_BYTES = AM_VALUE_TEXT_MAX - 8 /* room for a number */ };

static const char unset[] = "-"; /* the label of a value that a run does not give */

/* A run's value beside the variables. */
typedef const char *extra_fn(const struct am_spec_run *run, struct am_arena *arena);

static const char *testset_of(const struct am_spec_run *run, struct am_arena *arena)
{
    (void)arena;
    return run->testset;
}

static const char *cpufreq_of(const struct am_spec_run *run, struct am_arena *arena)
{
    (void)arena;
    return run->cpufreq;
}

static const char *env_of(const struct am_spec_run *run, struct am_arena *arena)
{
    const char *text = "";

    for (size_t i = 0; text && i < run->env.n; i++)
        text = am_arena_printf(arena, "%s%s%s", text, i ? " " : "", run->env.items[i]);
    return text && *text ? text : NULL;
}

static const char *argv_of(const struct am_spec_run *run, struct am_arena *arena)
{
    (void)arena;
    return *run->argv ? run->argv : NULL;
}

static const char *makeflags_of(const struct am_spec_run *run, struct am_arena *arena)
{
    (void)arena;
    return *run->makeflags ? run->makeflags : NULL;
}

static const struct {
    const char *name;
    extra_fn *of;
    bool constant_too; /* an axis also where all runs agree */
} extras[] = {
    {"testset", testset_of, true}, {"cpufreq", cpufreq_of, true},      {"env", env_of, false},
    {"argv", argv_of, false},      {"makeflags", makeflags_of, false},
};

enum { EXTRAS = sizeof(extras) / sizeof(*extras) };

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool has_label(const struct am_spec_axis *axis, const char *label)
{
    return am_name_index(axis->labels, axis->n, label) >= 0;
}

/* A word that is a value's own text where that can be, and tells it from the others of the axis. */
static const char *label_of(const struct am_spec_axis *axis, const char *text,
                            struct am_arena *arena)
{
    char base[AM_VALUE_TEXT_MAX];
    const char *label;
    bool plain;

    if (!text)
        return unset;
    plain = am_str_copy(base, NAME_MAX_BYTES, text) && strcmp(base, unset) != 0;
    for (char *c = base; *c; c++) {
        if (*c > ' ' && *c < 0x7f && *c != ',')
            continue;
        *c = '_';
        plain = false;
    }
    if (plain && !has_label(axis, base))
        return am_arena_strdup(arena, base);
    label = am_arena_strdup(arena, base);
    for (unsigned i = 2; label && has_label(axis, label); i++)
        label = am_arena_printf(arena, "%s#%u", base, i);
    return label;
}

static bool is_whole(const char *text)
{
    int64_t i;
    struct am_value value = {.kind = AM_AXIS_INT};
    char back[AM_VALUE_TEXT_MAX];

    if (!text || !am_parse_i64(text, strlen(text), &i) || i < 0)
        return false;
    value.i = i;
    am_value_text(&value, back, sizeof(back));
    return strcmp(back, text) == 0;
}

/* The index of a value; added where it is new. axis->n when there is no room or no memory. */
static size_t intern(struct am_spec_axis *axis, const char *text, struct am_arena *arena)
{
    for (size_t i = 0; i < axis->n; i++) {
        if (same_text(axis->texts[i], text))
            return i;
    }
    if (axis->n == CHOICES_MAX)
        return axis->n;
    axis->labels[axis->n] = label_of(axis, text, arena);
    axis->texts[axis->n] = text;
    if (!axis->labels[axis->n])
        return axis->n;
    axis->numbers = axis->numbers && is_whole(text);
    return axis->n++;
}

static enum am_status begin(struct am_spec_axes *axes, const char *name,
                            const struct am_spec_run *run, struct am_arena *arena,
                            struct am_err *err)
{
    struct am_spec_axis *const axis = &axes->items[axes->n];

    if (axes->n == AM_AXES_MAX)
        return am_fail(err, AM_E_USAGE,
                       "%s:%u: more than %d variables and other differences of runs",
                       run->place.file, run->place.line, AM_AXES_MAX);
    *axis = (struct am_spec_axis){.name = name, .numbers = true};
    axis->labels = am_arena_array(arena, CHOICES_MAX + 1, sizeof(*axis->labels));
    axis->texts = am_arena_array(arena, CHOICES_MAX + 1, sizeof(*axis->texts));
    if (!axis->labels || !axis->texts)
        return am_fail(err, AM_E_NOMEM, "no memory for the axes of an experiment");
    axes->n++;
    return AM_OK;
}

static int find_axis(const struct am_spec_axes *axes, const char *name)
{
    for (size_t i = 0; i < axes->n; i++) {
        if (strcmp(axes->items[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

static const struct am_spec_variable *variable_of(const struct am_spec_run *run, const char *name)
{
    for (size_t i = 0; i < run->vars.n; i++) {
        if (strcmp(run->vars.items[i].name, name) == 0)
            return run->vars.items[i].values.n ? &run->vars.items[i] : NULL;
    }
    return NULL;
}

static enum am_status too_many(const struct am_spec_axis *axis, const struct am_spec_run *run,
                               struct am_err *err)
{
    return am_fail(err, AM_E_USAGE, "%s:%u: %s has more than %d values", run->place.file,
                   run->place.line, axis->name, CHOICES_MAX);
}

/* Adds one run's values of a variable; a run without it has the value "not set". */
static enum am_status add_values(struct am_spec_axis *axis, const struct am_spec_run *run,
                                 struct am_arena *arena, struct am_err *err)
{
    const struct am_spec_variable *const v = variable_of(run, axis->name);
    const size_t n = v ? v->values.n : 1;

    for (size_t i = 0; i < n; i++) {
        if (intern(axis, v ? v->values.items[i] : NULL, arena) == axis->n)
            return too_many(axis, run, err);
    }
    return AM_OK;
}

static enum am_status add_variables(const struct am_spec *spec, size_t test, struct am_arena *arena,
                                    struct am_spec_axes *out, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; i < spec->n_runs; i++) {
        const struct am_spec_run *const run = &spec->runs[i];

        for (size_t k = 0; run->test == test && s == AM_OK && k < run->vars.n; k++) {
            if (run->vars.items[k].values.n && find_axis(out, run->vars.items[k].name) < 0)
                s = begin(out, run->vars.items[k].name, run, arena, err);
        }
    }
    out->n_variables = out->n;
    for (size_t i = 0; s == AM_OK && i < spec->n_runs; i++) {
        for (size_t k = 0; spec->runs[i].test == test && s == AM_OK && k < out->n; k++)
            s = add_values(&out->items[k], &spec->runs[i], arena, err);
    }
    return s;
}

static bool any_gives(const struct am_spec *spec, size_t test, size_t extra, struct am_arena *arena)
{
    for (size_t i = 0; i < spec->n_runs; i++) {
        if (spec->runs[i].test == test && extras[extra].of(&spec->runs[i], arena))
            return true;
    }
    return false;
}

/* The values of testset, env and so on; the axis is dropped again where it tells nothing. */
static enum am_status add_extra(const struct am_spec *spec, size_t test, size_t extra,
                                struct am_arena *arena, struct am_spec_axes *out,
                                struct am_err *err)
{
    const size_t before = out->n;
    struct am_spec_axis *axis = NULL;

    if (!any_gives(spec, test, extra, arena))
        return AM_OK;
    for (size_t i = 0; i < spec->n_runs; i++) {
        const struct am_spec_run *const run = &spec->runs[i];

        if (run->test != test)
            continue;
        if (!axis) {
            const enum am_status s = begin(out, extras[extra].name, run, arena, err);

            if (s != AM_OK)
                return s;
            axis = &out->items[before];
        }
        if (intern(axis, extras[extra].of(run, arena), arena) == axis->n)
            return too_many(axis, run, err);
    }
    if (axis && axis->n == 1 && !extras[extra].constant_too)
        out->n = before;
    return AM_OK;
}

enum am_status am_spec_axes_of(const struct am_spec *spec, size_t test, struct am_arena *arena,
                               struct am_spec_axes *out, struct am_err *err)
{
    enum am_status s;

    *out = (struct am_spec_axes){0};
    s = add_variables(spec, test, arena, out, err);
    for (size_t i = 0; s == AM_OK && i < EXTRAS; i++)
        s = add_extra(spec, test, i, arena, out, err);
    return s;
}

static const char *label_for(const struct am_spec_axis *axis, const char *text)
{
    for (size_t i = 0; i < axis->n; i++) {
        if (same_text(axis->texts[i], text))
            return axis->labels[i];
    }
    return unset;
}

const char *am_spec_run_labels(const struct am_spec_axes *axes, size_t axis,
                               const struct am_spec_run *run, struct am_arena *arena)
{
    const struct am_spec_axis *const a = &axes->items[axis];
    const struct am_spec_variable *const v = variable_of(run, a->name);
    struct am_text text;
    const char *joined;

    for (size_t i = 0; axis >= axes->n_variables && i < EXTRAS; i++) {
        if (strcmp(extras[i].name, a->name) == 0)
            return label_for(a, extras[i].of(run, arena));
    }
    if (!v)
        return unset;
    am_text_init(&text, (size_t)CHOICES_MAX * AM_VALUE_TEXT_MAX);
    for (size_t i = 0; i < v->values.n; i++)
        am_text_addf(&text, "%s%s", i ? "," : "", label_for(a, v->values.items[i]));
    joined = text.overflow ? NULL : am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return joined;
}
