/* SPDX-License-Identifier: MIT */
/* The experiment file: lines, includes, and what ends a test or a run. */
#include "core/spec/spec.h"

#include "base/text.h"
#include "core/spec/spec_reader.h"
#include "core/protocol/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { STORY_MAX = 512 };

static enum am_status bad_va(struct am_spec_reader *r, struct am_spec_place place, const char *fmt,
                             va_list ap)
{
    char story[STORY_MAX];

    (void)vsnprintf(story, sizeof(story), fmt, ap); /* a long story is cut */
    return am_fail(r->err, AM_E_USAGE, "%s:%u: %s", place.file, place.line, story);
}

enum am_status am_spec_bad(struct am_spec_reader *r, const char *fmt, ...)
{
    enum am_status s;
    va_list ap;

    va_start(ap, fmt);
    s = bad_va(r, r->place, fmt, ap);
    va_end(ap);
    return s;
}

enum am_status am_spec_bad_at(struct am_spec_reader *r, struct am_spec_place place, const char *fmt,
                              ...)
{
    enum am_status s;
    va_list ap;

    va_start(ap, fmt);
    s = bad_va(r, place, fmt, ap);
    va_end(ap);
    return s;
}

enum am_status am_spec_no_memory(struct am_spec_reader *r)
{
    return am_fail(r->err, AM_E_NOMEM, "%s:%u: no memory for the experiment", r->place.file,
                   r->place.line);
}

bool am_spec_is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    return *name && strchr(letters, *name) && strspn(name, more) == strlen(name) &&
           strlen(name) < AM_SPEC_NAME_MAX;
}

struct am_spec_variable *am_spec_find_variable(const struct am_spec_variables *vars,
                                               const char *name)
{
    for (size_t i = 0; i < vars->n; i++) {
        if (strcmp(vars->items[i].name, name) == 0)
            return &vars->items[i];
    }
    return NULL;
}

bool am_spec_copy_list(struct am_strings *list, struct am_arena *arena)
{
    struct am_strings copy = {0};
    bool good = true;

    for (size_t i = 0; i < list->n && good; i++)
        good = am_strings_add(&copy, arena, list->items[i]);
    *list = copy;
    return good;
}

/* Value lists are replaced, never changed: they may be shared. */
bool am_spec_copy_variables(struct am_spec_variables *vars, struct am_arena *arena)
{
    struct am_spec_variable *const items =
        am_arena_array(arena, AM_AXES_MAX, sizeof(struct am_spec_variable));

    if (!items)
        return false;
    if (vars->n)
        memcpy(items, vars->items, vars->n * sizeof(*items));
    vars->items = items;
    return true;
}

/* ---- lines ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Copies a line without the blanks around it, so that it can be cut into key and value. */
static char *trimmed(struct am_arena *arena, const char *line, size_t len)
{
    while (len && is_blank(*line)) {
        line++;
        len--;
    }
    while (len && is_blank(line[len - 1]))
        len--;
    return am_arena_strndup(arena, line, len);
}

static bool has_control(const char *line, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (((unsigned char)line[i] < ' ' && line[i] != '\t' && line[i] != '\r') || line[i] == 0x7f)
            return true;
    }
    return false;
}

static enum am_status read_line(struct am_spec_reader *r, const char *line, size_t len)
{
    char *key, *value;

    if (has_control(line, len))
        return am_spec_bad(r, "the line holds a control character");
    key = trimmed(r->arena, line, len);
    if (!key)
        return am_spec_no_memory(r);
    if (!*key || *key == '#')
        return AM_OK;
    value = key + strcspn(key, " \t");
    while (*value == ' ' || *value == '\t')
        *value++ = '\0';
    return am_spec_line(r, key, value);
}

enum am_status am_spec_read(struct am_spec_reader *r, const struct am_spec_file *file)
{
    const struct am_spec_place outer = r->place;
    const char *text = file->text, *line;
    size_t left = file->len, len;
    enum am_status s = AM_OK;

    r->place = (struct am_spec_place){.file = file->name};
    r->bytes += file->len;
    if (file->len > AM_SPEC_TEXT_MAX || r->bytes > AM_SPEC_TEXT_MAX)
        return am_spec_bad(r, "the experiment's files are larger than %d bytes", AM_SPEC_TEXT_MAX);
    while (s == AM_OK && am_line_next(&text, &left, &line, &len)) {
        r->place.line++;
        s = read_line(r, line, len);
    }
    r->place = outer;
    return s;
}

enum am_status am_spec_parse(const struct am_spec_source *source, struct am_arena *arena,
                             struct am_spec *out, struct am_err *err)
{
    struct am_spec_reader r = {.source = source, .arena = arena, .out = out, .err = err};
    const struct am_spec_file file = {source->file, source->text, source->len};
    enum am_status s;

    *out = (struct am_spec){.folder = source->folder};
    out->tests = am_arena_array(arena, AM_SPEC_TESTS_MAX, sizeof(*out->tests));
    out->runs = am_arena_array(arena, AM_SPEC_RUNS_MAX, sizeof(*out->runs));
    if (!out->tests || !out->runs || !am_spec_copy_variables(&r.now.vars, arena))
        return am_fail(err, AM_E_NOMEM, "%s: no memory for the experiment", source->file);
    r.now.argv = r.now.makeflags = "";
    am_text_init(&r.flat, AM_SPEC_TEXT_MAX);
    s = am_spec_read(&r, &file);
    if (s == AM_OK)
        s = am_spec_close_test(&r);
    r.place = (struct am_spec_place){.file = source->file, .line = 1};
    if (s == AM_OK && out->n_runs == 0)
        s = am_spec_bad(&r, "the experiment has no \"run\"");
    if (s == AM_OK && !r.flat.overflow)
        out->flat = am_arena_printf(arena, "folder %s\n%s", out->folder, am_text_str(&r.flat));
    /* A resume reads the flat form again: it must fit what a file may hold. */
    if (s == AM_OK && (!out->flat || strlen(out->flat) > AM_SPEC_TEXT_MAX))
        s = am_spec_bad(&r, "with its ranges written out, the experiment is larger than %d bytes",
                        AM_SPEC_TEXT_MAX);
    am_text_fini(&r.flat);
    return s;
}
