/* SPDX-License-Identifier: MIT */
/* Reading the output file of `archmeter table`. */
#include "core/spec/tablespec.h"

#include "base/text.h"
#include "core/protocol/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { STORY_MAX = 400, QUERIES_MAX = 256 };

struct reader {
    const char *file;
    unsigned line; /* at hand */
    struct am_arena *arena;
    struct am_tablespec *out;
    struct am_err *err;
    const char *db;
    struct am_text sql; /* of the query that is open: lines may follow */
    bool open, quoted;  /* a query is open; a quoted text in it is */
};

typedef enum am_status key_fn(struct reader *r, const char *value);

static enum am_status bad_at(const struct reader *r, unsigned line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static enum am_status bad_at(const struct reader *r, unsigned line, const char *fmt, ...)
{
    char story[STORY_MAX];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(story, sizeof(story), fmt, ap); /* a long story is cut */
    va_end(ap);
    return am_fail(r->err, AM_E_USAGE, "%s:%u: %s", r->file, line, story);
}

static enum am_status no_memory(const struct reader *r)
{
    return am_fail(r->err, AM_E_NOMEM, "%s:%u: no memory for the tables", r->file, r->line);
}

static struct am_tablespec_file *current(const struct reader *r)
{
    return r->out->n ? &r->out->files[r->out->n - 1] : NULL;
}

/* ---- keys ---- */

static enum am_status key_set(struct reader *r, const char *value)
{
    if (strncmp(value, "db", 2) != 0 || (value[2] != ' ' && value[2] != '\t'))
        return bad_at(r, r->line, "write: set db FILE");
    for (value += 2; *value == ' ' || *value == '\t'; value++)
        continue;
    r->db = value;
    return AM_OK;
}

static const struct {
    const char *ending;
    enum am_tableform form;
} endings[] = {
    {".tex", AM_TABLEFORM_TEX},   {".csv", AM_TABLEFORM_CSV}, {".dat", AM_TABLEFORM_DATA},
    {".data", AM_TABLEFORM_DATA}, {".gp", AM_TABLEFORM_DATA}, {".txt", AM_TABLEFORM_DATA},
    {".md", AM_TABLEFORM_MD},
};

static enum am_tableform form_of(const char *name)
{
    const size_t len = strlen(name);

    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
        const size_t n = strlen(endings[i].ending);

        if (len > n && strcmp(name + len - n, endings[i].ending) == 0)
            return endings[i].form;
    }
    return AM_TABLEFORM_COUNT;
}

/* A block is complete when the next one begins. */
static enum am_status close_file(const struct reader *r)
{
    const struct am_tablespec_file *const f = current(r);

    if (!f)
        return AM_OK;
    if (f->n == 0)
        return bad_at(r, f->line, "file %s has no query", f->name);
    if (f->form == AM_TABLEFORM_COUNT)
        return bad_at(r, f->line,
                      "the form of %s is not known by its name (.tex, .csv, .dat, .md): write "
                      "\"format tex\" or another",
                      f->name);
    return AM_OK;
}

static enum am_status key_file(struct reader *r, const char *value)
{
    struct am_tablespec_file *f;
    const enum am_status s = close_file(r);

    if (s != AM_OK)
        return s;
    for (size_t i = 0; i < r->out->n; i++) {
        if (strcmp(r->out->files[i].name, value) == 0 && strcmp(value, "-") != 0)
            return bad_at(r, r->line, "file %s stands at line %u already", value,
                          r->out->files[i].line);
    }
    if (r->out->n == AM_TABLESPEC_FILES_MAX)
        return bad_at(r, r->line, "more than %d files", AM_TABLESPEC_FILES_MAX);
    f = &r->out->files[r->out->n++];
    *f = (struct am_tablespec_file){.name = value,
                                    .line = r->line,
                                    .db = r->db,
                                    .form = form_of(value),
                                    .escape = true,
                                    .header = -1};
    return AM_OK;
}

/* "..." with \t, \n, \\ and \" is a text with blanks and such; anything else is taken as it is. */
static enum am_status literal(struct reader *r, const char *value, const char **out)
{
    static const char letters[] = "tn\\\"", stand_for[] = "\t\n\\\"";
    const size_t len = strlen(value);
    char *text, *to;

    *out = value;
    if (*value != '"')
        return AM_OK;
    if (len < 2 || value[len - 1] != '"')
        return bad_at(r, r->line, "a quote is not closed");
    text = to = am_arena_alloc(r->arena, len);
    if (!text)
        return no_memory(r);
    for (const char *s = value + 1; s < value + len - 1; s++) {
        const char *const letter = *s == '\\' ? strchr(letters, s[1]) : NULL;

        if (*s == '\\' && (!letter || s + 1 == value + len - 1))
            return bad_at(r, r->line, "only \\t, \\n, \\\\ and \\\" are known inside quotes");
        *to++ = letter ? stand_for[letter - letters] : *s;
        s += letter != NULL;
    }
    *out = text;
    return AM_OK;
}

static enum am_status key_separator(struct reader *r, const char *value)
{
    return literal(r, value, &current(r)->separator);
}

static enum am_status key_newline(struct reader *r, const char *value)
{
    return literal(r, value, &current(r)->newline);
}

/* The index of `value` in `words`, n of them; -1 with the story told. */
static int one_of(struct reader *r, const char *key, const char *value, const char *const *words,
                  size_t n)
{
    char list[STORY_MAX / 2] = "";
    size_t used = 0;
    const int found = am_name_index(words, n, value);

    for (size_t i = 0; found < 0 && i < n; i++) {
        (void)am_str_format(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", words[i]);
        used = strlen(list);
    }
    if (found < 0)
        (void)bad_at(r, r->line, "%s is one of %s, not \"%.80s\"", key, list, value);
    return found;
}

static enum am_status key_direction(struct reader *r, const char *value)
{
    const int i = one_of(r, "direction", value, (const char *const[]){"down", "right"}, 2);

    current(r)->right = i == 1;
    return i < 0 ? AM_E_USAGE : AM_OK;
}

static enum am_status key_format(struct reader *r, const char *value)
{
    static const char *const names[] = {[AM_TABLEFORM_TEX] = "tex",
                                        [AM_TABLEFORM_CSV] = "csv",
                                        [AM_TABLEFORM_DATA] = "gnuplot",
                                        [AM_TABLEFORM_MD] = "md"};
    const int i = one_of(r, "format", value, names, AM_TABLEFORM_COUNT);

    current(r)->form = i < 0 ? AM_TABLEFORM_COUNT : (enum am_tableform)i;
    return i < 0 ? AM_E_USAGE : AM_OK;
}

static enum am_status key_header(struct reader *r, const char *value)
{
    const int i = one_of(r, "header", value, (const char *const[]){"no", "yes"}, 2);

    current(r)->header = i;
    return i < 0 ? AM_E_USAGE : AM_OK;
}

static enum am_status key_escape(struct reader *r, const char *value)
{
    const int i = one_of(r, "escape", value, (const char *const[]){"no", "yes"}, 2);

    current(r)->escape = i == 1;
    return i < 0 ? AM_E_USAGE : AM_OK;
}

static void add_sql(struct reader *r, const char *text)
{
    am_text_add(&r->sql, text);
    for (; *text; text++)
        r->quoted = r->quoted != (*text == '\'');
}

/* Ends the open query. */
static enum am_status close_query(struct reader *r)
{
    struct am_tablespec_file *const f = current(r);

    if (!r->open)
        return AM_OK;
    r->open = false;
    f->queries[f->n - 1].sql = am_arena_strdup(r->arena, am_text_str(&r->sql));
    return f->queries[f->n - 1].sql ? AM_OK : no_memory(r);
}

static enum am_status key_query(struct reader *r, const char *value)
{
    struct am_tablespec_file *const f = current(r);

    if (f->n == QUERIES_MAX)
        return bad_at(r, r->line, "more than %d queries", QUERIES_MAX);
    if (!f->queries)
        f->queries = am_arena_array(r->arena, QUERIES_MAX, sizeof(*f->queries));
    if (!f->queries)
        return no_memory(r);
    f->queries[f->n++] = (struct am_tablespec_query){.sql = "", .line = r->line};
    r->open = true;
    r->quoted = false;
    am_text_clear(&r->sql);
    add_sql(r, value);
    return AM_OK;
}

static const struct {
    const char *name;
    key_fn *set;
    bool of_file; /* after a `file` only */
} keys[] = {
    {"set", key_set, false},
    {"file", key_file, false},
    {"separator", key_separator, true},
    {"newline", key_newline, true},
    {"direction", key_direction, true},
    {"query", key_query, true},
    {"format", key_format, true},
    {"header", key_header, true},
    {"escape", key_escape, true},
};

enum { KEYS = sizeof(keys) / sizeof(*keys) };

static enum am_status apply(struct reader *r, const char *key, const char *value)
{
    const char *names[KEYS];
    const char *near;

    for (size_t i = 0; i < KEYS; i++) {
        names[i] = keys[i].name;
        if (strcmp(keys[i].name, key) != 0)
            continue;
        if (!*value)
            return bad_at(r, r->line, "%s has no value", key);
        if (keys[i].of_file && !current(r))
            return bad_at(r, r->line, "%s stands before any file", key);
        return keys[i].set(r, value);
    }
    near = am_nearest(key, names, KEYS);
    return bad_at(r, r->line, "unknown key \"%.80s\"%s%s%s", key, near ? "; did you mean \"" : "",
                  near ? near : "", near ? "\"?" : "");
}

/* ---- lines ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* A line that begins with a blank continues a query. Inside a quoted text nothing is put between:
 * the thesis's listing breaks there. */
static enum am_status carry_on(struct reader *r, const char *line)
{
    if (!r->open)
        return bad_at(r, r->line,
                      "only a query can be continued; a key stands at the line's begin");
    add_sql(r, r->quoted ? "" : "\n");
    add_sql(r, line);
    return AM_OK;
}

static enum am_status read_line(struct reader *r, const char *line, size_t len)
{
    const bool indented = len && (*line == ' ' || *line == '\t');
    char *key, *value;

    for (size_t i = 0; i < len; i++) {
        if (((unsigned char)line[i] < ' ' && !is_blank(line[i])) || line[i] == 0x7f)
            return bad_at(r, r->line, "the line holds a control character");
    }
    while (len && is_blank(*line)) {
        line++;
        len--;
    }
    while (len && is_blank(line[len - 1]))
        len--;
    key = am_arena_strndup(r->arena, line, len);
    if (!key)
        return no_memory(r);
    if (*key == '#')
        return AM_OK;
    if (*key && indented)
        return carry_on(r, key);
    if (close_query(r) != AM_OK)
        return AM_E_NOMEM;
    if (!*key)
        return AM_OK;
    value = key + strcspn(key, " \t");
    while (*value == ' ' || *value == '\t')
        *value++ = '\0';
    return apply(r, key, value);
}

enum am_status am_tablespec_parse(const char *file, const char *text, size_t len,
                                  struct am_arena *arena, struct am_tablespec *out,
                                  struct am_err *err)
{
    struct reader r = {.file = file, .arena = arena, .out = out, .err = err};
    enum am_status s = AM_OK;
    const char *line;
    size_t line_len;

    *out = (struct am_tablespec){.file = file};
    out->files = am_arena_array(arena, AM_TABLESPEC_FILES_MAX, sizeof(*out->files));
    if (!out->files)
        return no_memory(&r);
    if (len > AM_TABLESPEC_TEXT_MAX)
        return bad_at(&r, 1, "the file is larger than %d bytes", AM_TABLESPEC_TEXT_MAX);
    am_text_init(&r.sql, AM_TABLESPEC_TEXT_MAX);
    while (s == AM_OK && am_line_next(&text, &len, &line, &line_len)) {
        r.line++;
        s = read_line(&r, line, line_len);
    }
    if (s == AM_OK)
        s = close_query(&r);
    am_text_fini(&r.sql);
    if (s == AM_OK)
        s = close_file(&r);
    if (s == AM_OK && out->n == 0)
        s = bad_at(&r, 1, "no \"file\" is to be written");
    return s;
}
