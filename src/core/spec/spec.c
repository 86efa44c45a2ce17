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
    if (place.column)
        return am_fail(r->err, AM_E_USAGE, "%s:%u:%u: %s", place.file, place.line, place.column,
                       story);
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

/* Copies a line without the blanks around it, so that it can be cut into key and value. Where it
 * goes on in the next one, blanks stand for what parts the two: every letter keeps its distance
 * from the line's begin, by which am_spec_place_of() finds it again. */
static char *trimmed(struct am_spec_reader *r, const char *line, size_t len)
{
    char *copy;

    while (len && is_blank(*line)) {
        line++;
        len--;
    }
    while (len && is_blank(line[len - 1]))
        len--;
    copy = am_arena_strndup(r->arena, line, len);
    for (size_t i = 0; copy && i < len; i++) {
        if (copy[i] != '\n')
            continue;
        copy[i] = ' ';
        for (size_t k = i; k > 0 && (is_blank(copy[k]) || copy[k] == '\\'); k--) {
            const bool last = copy[k] == '\\';

            copy[k] = ' ';
            if (last)
                break;
        }
    }
    while (copy && len && is_blank(copy[len - 1])) /* the last part may be empty */
        copy[--len] = '\0';
    r->line.copy = copy;
    r->line.source = line;
    r->line.len = len;
    return copy;
}

struct am_spec_place am_spec_place_of(const struct am_spec_reader *r, const char *at)
{
    const struct am_spec_line_text *const l = &r->line;
    struct am_spec_place place = r->place;

    if (!place.column || at < l->copy || at > l->copy + l->len)
        return place;
    for (const char *c = l->source; c < l->source + (at - l->copy); c++) {
        place.column = *c == '\n' ? 1 : place.column + 1;
        place.line += *c == '\n';
    }
    return place;
}

/* A line that goes on holds the ends of its parts. */
static bool has_control(const char *line, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (((unsigned char)line[i] < ' ' && !is_blank(line[i]) && line[i] != '\n') ||
            line[i] == 0x7f)
            return true;
    }
    return false;
}

static enum am_status read_line(struct am_spec_reader *r, const char *line, size_t len)
{
    char *key, *value;

    r->line.begin = line;
    key = trimmed(r, line, len);
    if (!key)
        return am_spec_no_memory(r);
    if (!*key || *key == '#')
        return AM_OK;
    if (r->out->study) {
        r->place.column = (unsigned)(r->line.source - r->line.begin) + 1;
        if (key[r->line.len - 1] == '\\')
            return am_spec_bad(r, "the line ends in a backslash, and does not go on");
    }
    value = key + strcspn(key, " \t");
    while (*value == ' ' || *value == '\t')
        *value++ = '\0';
    return am_spec_line(r, key, value);
}

/* A comment never does. */
static bool goes_on(const char *line, size_t len)
{
    while (len && is_blank(line[len - 1]))
        len--;
    if (!len || line[len - 1] != '\\')
        return false;
    while (is_blank(*line))
        line++;
    return *line != '#';
}

/* The next line; in a study with those that it goes on in, which lie behind it in the text. */
static bool next_line(struct am_spec_reader *r, const char **text, size_t *left, const char **line,
                      size_t *len)
{
    const char *more;
    size_t n;

    if (!am_line_next(text, left, line, len))
        return false;
    r->place.line++;
    r->place.column = 0;
    for (more = *line, n = *len; r->out->study && goes_on(more, n);) {
        if (!am_line_next(text, left, &more, &n))
            break;
        *len = (size_t)(more + n - *line);
    }
    return true;
}

static unsigned breaks_in(const char *line, size_t len)
{
    unsigned n = 0;

    for (size_t i = 0; i < len; i++)
        n += line[i] == '\n';
    return n;
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
    while (s == AM_OK && next_line(r, &text, &left, &line, &len)) {
        s = has_control(line, len) ? am_spec_bad(r, "the line holds a control character")
                                   : read_line(r, line, len);
        r->place.line += breaks_in(line, len);
    }
    r->place = outer;
    return s;
}

enum am_status am_spec_parse(const struct am_spec_source *source, struct am_arena *arena,
                             struct am_spec *out, struct am_err *err)
{
    struct am_spec_reader r = {
        .source = source, .arena = arena, .out = out, .err = err, .at_begin = true};
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
    if (s == AM_OK && out->study)
        s = am_study_close(&r);
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
