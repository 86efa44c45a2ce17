/* SPDX-License-Identifier: MIT */
/* Files that a word of the command line names, and what they say of their build. */
#include "cli/own/source.h"

#include "base/text.h"
#include "cli/stencil/emit.h"
#include "core/spec/spec.h"
#include "kernels/isa.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_MAX = 16 * 1024 * 1024, FILES_MAX = 256, LINE_MAX_BYTES = 4096 };

static const struct {
    const char *ending;
    enum am_language language;
} endings[] = {
    {".c", AM_LANGUAGE_C},          {".cc", AM_LANGUAGE_CXX},      {".cpp", AM_LANGUAGE_CXX},
    {".cxx", AM_LANGUAGE_CXX},      {".C", AM_LANGUAGE_CXX},       {".f90", AM_LANGUAGE_FORTRAN},
    {".F90", AM_LANGUAGE_FORTRAN},  {".f95", AM_LANGUAGE_FORTRAN}, {".f03", AM_LANGUAGE_FORTRAN},
    {".f08", AM_LANGUAGE_FORTRAN},  {".o", AM_LANGUAGE_OBJECT},    {".so", AM_LANGUAGE_LIBRARY},
    {".sten", AM_LANGUAGE_STENCIL},
};

static enum am_language language_of(const char *path)
{
    const char *const dot = strrchr(path, '.');

    for (size_t i = 0; dot && i < sizeof(endings) / sizeof(*endings); i++) {
        if (strcmp(dot, endings[i].ending) == 0)
            return endings[i].language;
    }
    return AM_LANGUAGES;
}

bool am_own_is_source(const char *word)
{
    if (strpbrk(word, "*?["))
        return false;
    return strchr(word, '/') || language_of(word) != AM_LANGUAGES;
}

/* ---- what a file says of its build ---- */

enum setting { SETTING_FLAGS, SETTING_LIBS, SETTING_ISA, SETTINGS };

static const char *const settings[] = {[SETTING_FLAGS] = "archmeter-flags",
                                       [SETTING_LIBS] = "archmeter-libs",
                                       [SETTING_ISA] = "archmeter-isa",
                                       [SETTINGS] = NULL};

/* The file at hand. */
struct reading {
    struct am_own_source *source;
    struct am_own_file *file;
    unsigned line;
    struct am_arena *arena;
    struct am_err *err;
};

static enum am_status bad(const struct reading *r, const char *what, const char *word,
                          const char *near)
{
    return am_fail(r->err, AM_E_USAGE, "%s:%u: \"%s\" %s%s%s%s", r->file->path, r->line, word, what,
                   near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static enum am_status add_words(const struct reading *r, const char *value, struct am_strings *to)
{
    struct am_strings words = {0};
    const char *why = NULL;

    if (!am_spec_split(value, r->arena, &words, &why))
        return bad(r, why, value, NULL);
    for (size_t i = 0; i < words.n; i++) {
        if (!am_strings_add(to, r->arena, words.items[i]))
            return am_fail(r->err, AM_E_NOMEM, "no memory for %s", r->file->path);
    }
    return AM_OK;
}

/* "all", or names of this architecture. */
static enum am_status set_isas(const struct reading *r, const char *value)
{
    struct am_text all;
    enum am_status s = AM_OK;

    am_text_init(&all, LINE_MAX_BYTES);
    for (size_t i = 0; am_isa_names[i]; i++)
        am_text_addf(&all, "%s%s", i ? "," : "", am_isa_names[i]);
    for (const char *rest = value; *rest && strcmp(value, "all") != 0 && s == AM_OK;) {
        const size_t len = strcspn(rest, ",");
        const char *const word = am_arena_strndup(r->arena, rest, len);
        size_t n = 0;

        while (am_isa_names[n])
            n++;
        if (!word || am_isa_index(word) < 0)
            s = bad(r, "is no instruction set of this architecture", word ? word : value,
                    am_nearest(word ? word : "", am_isa_names, n));
        rest += len + (rest[len] == ',');
    }
    r->source->isas =
        am_arena_strdup(r->arena, strcmp(value, "all") == 0 ? am_text_str(&all) : value);
    am_text_fini(&all);
    if (s == AM_OK && (!r->source->isas || !*r->source->isas))
        s = bad(r, "names no instruction set", value, NULL);
    return s;
}

/* The rest of the line, without the end of a comment and blanks. */
static const char *value_at(const struct reading *r, const char *text)
{
    const char *const begin = text + strspn(text, " \t");
    char *const value = am_arena_strndup(r->arena, begin, strcspn(begin, "\r\n"));
    char *end = value ? strstr(value, "*/") : NULL;

    if (!value)
        return "";
    if (end)
        *end = '\0';
    for (end = value + strlen(value); end > value && strchr(" \t", end[-1]); end--)
        end[-1] = '\0';
    return value;
}

static enum am_status read_setting(const struct reading *r, const char *text, size_t word)
{
    const char *const name = am_arena_strndup(r->arena, text, word);
    const int which = am_name_index(settings, SETTINGS, name);
    const char *const value = value_at(r, text + word + 1);

    if (which < 0)
        return bad(r, "is no setting", name ? name : "",
                   name ? am_nearest(name, settings, SETTINGS) : NULL);
    if (which == SETTING_ISA)
        return set_isas(r, value);
    return add_words(r, value, which == SETTING_FLAGS ? &r->file->flags : &r->source->libs);
}

static enum am_status read_settings(struct reading *r)
{
    static const char prefix[] = "archmeter-";
    const char *at = r->file->made ? r->file->made : r->file->text, *counted = at;
    enum am_status s = AM_OK;

    r->line = 1;
    while (s == AM_OK && (at = strstr(at, prefix))) {
        const size_t word = strspn(at, "abcdefghijklmnopqrstuvwxyz-");

        for (; counted < at; counted++)
            r->line += *counted == '\n';
        if (at[word] == ':')
            s = read_setting(r, at, word);
        at += word;
    }
    return s;
}

/* ---- files ---- */

static size_t line_of(const char *text, size_t at)
{
    size_t line = 1;

    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    return line;
}

static enum am_status read_text(const char *path, struct am_arena *arena, const char **out,
                                struct am_err *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st = {0};
    char *text = NULL;
    size_t len = 0;
    ssize_t n = 1;

    if (fd < 0)
        return am_fail(err, AM_E_USAGE, "%s: cannot be read: %s", path, strerror(errno));
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= 0 && st.st_size <= TEXT_MAX)
        text = am_arena_alloc(arena, (size_t)st.st_size + 1);
    while (text && n > 0 && len < (size_t)st.st_size) {
        n = read(fd, text + len, (size_t)st.st_size - len);
        len += n > 0 ? (size_t)n : 0;
    }
    (void)close(fd);
    if (!text || n < 0)
        return am_fail(err, AM_E_USAGE, "%s: is no source file, or too large for one", path);
    if (memchr(text, '\0', len))
        return am_fail(err, AM_E_USAGE, "%s:%zu: is no source file: it has a byte of zero there",
                       path, line_of(text, strlen(text)));
    *out = text;
    return AM_OK;
}

enum am_status am_own_read_stencil(const char *path, struct am_arena *arena,
                                   struct am_own_file *out, struct am_err *err)
{
    struct am_description *const stencil = am_arena_alloc(arena, sizeof(*stencil));
    struct am_text text;
    enum am_status s;

    *out = (struct am_own_file){.path = path, .language = AM_LANGUAGE_STENCIL, .stencil = stencil};
    if (!stencil)
        return am_fail(err, AM_E_NOMEM, "no memory for %s", path);
    s = read_text(path, arena, &out->text, err);
    if (s == AM_OK)
        s = am_description_parse(path, out->text, arena, stencil, err);
    if (s != AM_OK)
        return s;
    am_text_init(&text, AM_EMIT_MAX);
    s = am_emit_bench(stencil, &text, err);
    out->made = am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return s == AM_OK && !out->made ? am_fail(err, AM_E_NOMEM, "no memory for %s", path) : s;
}

/* Of an object or a library, which other programs read. A pipe would keep them waiting. */
static enum am_status check_binary(const char *path, struct am_err *err)
{
    struct stat st;

    if (access(path, R_OK) != 0 || stat(path, &st) != 0)
        return am_fail(err, AM_E_USAGE, "%s: cannot be read: %s", path, strerror(errno));
    return S_ISREG(st.st_mode)
               ? AM_OK
               : am_fail(err, AM_E_USAGE, "%s: is no object or library (not a regular file)", path);
}

static enum am_status add_file(struct am_own_source *source, const char *path,
                               struct am_arena *arena, struct am_err *err)
{
    struct am_own_file *const file = AM_ARRAY_ADD(arena, source->files, source->n, source->cap);
    struct reading r = {.source = source, .file = file, .arena = arena, .err = err};
    enum am_status s;

    if (!file || source->n > FILES_MAX)
        return am_fail(err, AM_E_USAGE, "%s: more than %d files", source->name, FILES_MAX);
    *file = (struct am_own_file){.path = path, .language = language_of(path)};
    if (file->language == AM_LANGUAGE_OBJECT || file->language == AM_LANGUAGE_LIBRARY)
        return check_binary(path, err);
    s = file->language == AM_LANGUAGE_STENCIL ? am_own_read_stencil(path, arena, file, err)
                                              : read_text(path, arena, &file->text, err);
    return s == AM_OK ? read_settings(&r) : s;
}

static int is_part(const struct dirent *entry)
{
    const enum am_language language = language_of(entry->d_name);

    return entry->d_name[0] != '.' && language != AM_LANGUAGES && language != AM_LANGUAGE_LIBRARY;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static enum am_status add_folder(struct am_own_source *source, struct am_arena *arena,
                                 struct am_err *err)
{
    struct dirent **entries = NULL;
    const int n = scandir(source->name, &entries, is_part, by_name);
    enum am_status s = AM_OK;

    if (n < 0)
        return am_fail(err, AM_E_USAGE, "%s: cannot be read: %s", source->name, strerror(errno));
    for (int i = 0; i < n; i++) {
        const char *const path = am_arena_printf(arena, "%s/%s", source->name, entries[i]->d_name);

        if (s == AM_OK && path)
            s = add_file(source, path, arena, err);
        free(entries[i]);
    }
    free((void *)entries);
    if (s == AM_OK && source->n == 0)
        s = am_fail(err, AM_E_USAGE,
                    "%s: has no source files (.c, .cc, .cpp, .f90, .sten) and no objects",
                    source->name);
    return s;
}

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

enum am_status am_own_read(const char *name, struct am_arena *arena, struct am_own_source *out,
                           struct am_err *err)
{
    *out = (struct am_own_source){.name = name};
    if (is_folder(name))
        return add_folder(out, arena, err);
    if (access(name, F_OK) != 0)
        return am_fail(err, AM_E_USAGE, "%s: %s", name, strerror(errno));
    if (language_of(name) == AM_LANGUAGES)
        return am_fail(err, AM_E_USAGE,
                       "%s: is no source file (.c, .cc, .cpp, .f90, .sten), object (.o), library "
                       "(.so) or folder of them",
                       name);
    return add_file(out, name, arena, err);
}
