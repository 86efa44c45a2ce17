/* SPDX-License-Identifier: MIT */
/* Reads a machine description: lines to sections and keys by the table of machine_keys.c. */
#include "sim/machine_reader.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES_MAX = 1024, NAMES_MAX = 64 };

static enum am_status on_key(struct am_sim_reader *r, const char *name, const char *text)
{
    const char *names[NAMES_MAX];
    char near[96];
    size_t i = 0;

    if (!r->section)
        return am_sim_refuse(r, "\"%.60s\" stands before the first section; begin with [machine]",
                             name);
    for (; r->section->keys[i].name; i++) {
        const struct am_sim_key *const key = &r->section->keys[i];

        names[i] = key->name;
        if (strcmp(key->name, name) != 0)
            continue;
        if (*text == '\0')
            return am_sim_refuse(r, "%s has no value", name);
        if ((r->given >> i & 1) && !am_sim_key_repeats(key))
            return am_sim_refuse(r, "%s is given twice in [%s]", name, r->section->name);
        r->given |= UINT64_C(1) << i;
        return am_sim_value_read(r, key, text, r->base);
    }
    return am_sim_refuse(r, "[%s] has no key \"%.60s\"%s", r->section->name, name,
                         am_sim_hint(name, names, i, near, sizeof(near)));
}

/* Gives the section at hand the defaults of what it left out. */
static enum am_status close_section(struct am_sim_reader *r)
{
    for (size_t i = 0; r->section && r->section->keys[i].name; i++) {
        const struct am_sim_key *const key = &r->section->keys[i];
        enum am_status s;

        if (r->given >> i & 1)
            continue;
        if (!key->dflt) {
            r->line = r->began;
            return am_sim_refuse(r, "[%s%s%s] lacks \"%s\": %s", r->section->name,
                                 r->section->named ? " " : "", r->section->named ? r->base : "",
                                 key->name, key->help);
        }
        s = *key->dflt ? am_sim_value_read(r, key, key->dflt, r->base) : AM_OK;
        if (s != AM_OK)
            return s;
    }
    r->section = NULL;
    return AM_OK;
}

static bool good_name(const char *name)
{
    for (const char *c = name; *c; c++) {
        if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
            return false;
    }
    return *name && strlen(name) < AM_SIM_WORD_MAX;
}

/* The struct of one more named section; NULL with the story told. */
static char *add_named(struct am_sim_reader *r, const struct am_sim_section *section,
                       const char *name)
{
    char *const m = (char *)r->out;
    size_t *const n = (size_t *)(m + section->count_offset);

    if (!good_name(name)) {
        (void)am_sim_refuse(r, "[%s NAME] needs a name of letters, digits, '.', '_' and '-'",
                            section->name);
        return NULL;
    }
    for (size_t i = 0; i < *n; i++) {
        if (strcmp(m + section->offset + i * section->size, name) == 0) {
            (void)am_sim_refuse(r, "[%s %s] is there already", section->name, name);
            return NULL;
        }
    }
    if (*n == section->most) {
        (void)am_sim_refuse(r, "more than %zu sections [%s]", section->most, section->name);
        return NULL;
    }
    (void)am_str_copy(m + section->offset + *n * section->size, AM_SIM_WORD_MAX, name);
    return m + section->offset + (*n)++ * section->size;
}

static enum am_status open_section(struct am_sim_reader *r, size_t index, const char *name)
{
    const struct am_sim_section *const section = &am_sim_sections[index];

    if (!section->named && *name)
        return am_sim_refuse(r, "[%s] has no name", section->name);
    if (!section->named && (r->seen >> index & 1))
        return am_sim_refuse(r, "[%s] is there already", section->name);
    r->base = section->named ? add_named(r, section, name) : (char *)r->out + section->offset;
    if (!r->base)
        return AM_E_USAGE;
    r->seen |= UINT64_C(1) << index;
    r->section = section;
    r->began = r->line;
    r->given = 0;
    return AM_OK;
}

/* "[word]" or "[word name]"; `text` is what stands between the brackets. */
static enum am_status on_section(struct am_sim_reader *r, char *text)
{
    const char *names[NAMES_MAX];
    char near[96];
    char *name = text + strcspn(text, " \t");
    const enum am_status s = close_section(r);

    if (s != AM_OK)
        return s;
    if (*name)
        *name++ = '\0';
    name += strspn(name, " \t");
    for (size_t i = 0; i < am_sim_section_count; i++) {
        names[i] = am_sim_sections[i].name;
        if (strcmp(text, names[i]) == 0)
            return open_section(r, i, name);
    }
    return am_sim_refuse(r, "no section is called \"%.60s\"%s", text,
                         am_sim_hint(text, names, am_sim_section_count, near, sizeof(near)));
}

/* Cuts a remark ("#" at the beginning or after a blank) and the blanks around the rest. */
static char *trim(char *line)
{
    size_t len;

    for (char *c = line; *c; c++) {
        if (*c == '#' && (c == line || c[-1] == ' ' || c[-1] == '\t')) {
            *c = '\0';
            break;
        }
    }
    line += strspn(line, " \t");
    len = strlen(line);
    while (len && strchr(" \t\r", line[len - 1]))
        line[--len] = '\0';
    return line;
}

static enum am_status on_line(struct am_sim_reader *r, char *line)
{
    size_t len;
    char *value;

    line = trim(line);
    len = strlen(line);
    if (len == 0)
        return AM_OK;
    if (line[0] == '[') {
        if (line[len - 1] != ']')
            return am_sim_refuse(r, "\"%.60s\" lacks its \"]\"", line);
        line[len - 1] = '\0';
        return on_section(r, trim(line + 1));
    }
    value = line + strcspn(line, " \t");
    if (*value)
        *value++ = '\0';
    return on_key(r, line, value + strspn(value, " \t"));
}

static bool is_printable(const char *line, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const unsigned char c = (unsigned char)line[i];

        if ((c < ' ' && c != '\t' && c != '\r') || c == 0x7f)
            return false;
    }
    return true;
}

static enum am_status read_lines(struct am_sim_reader *r, const char *text, size_t len)
{
    while (len) {
        const char *const end = memchr(text, '\n', len);
        const size_t n = end ? (size_t)(end - text) : len;
        char line[LINE_BYTES_MAX];
        enum am_status s;

        r->line++;
        if (n >= sizeof(line))
            return am_sim_refuse(r, "a line of %zu bytes; at most %d are read", n,
                                 LINE_BYTES_MAX - 1);
        if (!is_printable(text, n))
            return am_sim_refuse(r, "a control character");
        memcpy(line, text, n);
        line[n] = '\0';
        s = on_line(r, line);
        if (s != AM_OK)
            return s;
        text += n + (end != NULL);
        len -= n + (end != NULL);
    }
    return close_section(r);
}

/* Sections that were left out get their defaults, or are missed. */
static enum am_status complete(struct am_sim_reader *r)
{
    for (size_t i = 0; i < am_sim_section_count; i++) {
        enum am_status s;

        if ((r->seen >> i & 1) || am_sim_sections[i].named)
            continue;
        s = open_section(r, i, "");
        if (s == AM_OK)
            s = close_section(r);
        if (s != AM_OK)
            return s;
    }
    return AM_OK;
}

/* ---- what must fit together ---- */

static const struct am_sim_kind *find_kind(const struct am_sim_machine *m, const char *name)
{
    for (size_t i = 0; i < m->n_kinds; i++) {
        if (strcmp(m->kinds[i].name, name) == 0)
            return &m->kinds[i];
    }
    return NULL;
}

static enum am_status check_caches_of(struct am_sim_reader *r, const struct am_sim_kind *kind)
{
    const struct am_sim_machine *const m = r->out;
    const struct am_sim_cache *before = NULL;

    for (size_t i = 0; i < m->n_caches; i++) {
        const struct am_sim_cache *const c = &m->caches[i];

        if (c->kind && strcmp(c->kind, kind->name) != 0)
            continue;
        if (before ? c->level <= before->level : c->level != 1)
            return am_sim_refuse(r,
                                 "cache %s of kind %s has level %llu after level %llu: they begin "
                                 "with 1 and rise",
                                 c->name, kind->name, (unsigned long long)c->level,
                                 before ? (unsigned long long)before->level : 0ull);
        if (before && c->size <= before->size && c->fill == AM_SIM_INCLUSIVE)
            return am_sim_refuse(r, "cache %s is not larger than %s, which it includes", c->name,
                                 before->name);
        before = c;
    }
    return before ? AM_OK : am_sim_refuse(r, "kind %s has no cache of level 1", kind->name);
}

static enum am_status check(struct am_sim_reader *r)
{
    const struct am_sim_machine *const m = r->out;
    enum am_status s = AM_OK;

    if (m->n_kinds == 0)
        return am_sim_refuse(r, "no section [kind NAME]: the machine has no cores");
    if (am_sim_cpu_count(m) > AM_SIM_CPUS_MAX)
        return am_sim_refuse(r, "%llu CPUs; at most %d can be simulated",
                             (unsigned long long)am_sim_cpu_count(m), AM_SIM_CPUS_MAX);
    if (m->memory.nodes > am_sim_core_count(m))
        return am_sim_refuse(r, "more memory nodes than cores in a package");
    for (size_t i = 0; i < m->n_caches; i++) {
        const struct am_sim_cache *const c = &m->caches[i];

        if (c->kind && !find_kind(m, c->kind))
            return am_sim_refuse(r, "cache %s belongs to kind \"%s\", which is not described",
                                 c->name, c->kind);
        if (c->share_least > c->share_most)
            return am_sim_refuse(r, "cache %s: share_least is above share_most", c->name);
    }
    for (size_t i = 0; i < m->n_kinds && s == AM_OK; i++)
        s = check_caches_of(r, &m->kinds[i]);
    return s;
}

enum am_status am_sim_machine_read(const char *place, const char *text, size_t len,
                                   struct am_arena *arena, struct am_sim_machine *out,
                                   struct am_err *err)
{
    struct am_sim_reader r = {.place = place, .arena = arena, .out = out, .err = err};
    enum am_status s;

    *out = (struct am_sim_machine){0};
    s = read_lines(&r, text, len);
    if (s == AM_OK)
        s = complete(&r);
    return s == AM_OK ? check(&r) : s;
}

enum am_status am_sim_machine_load(const char *path, struct am_arena *arena,
                                   struct am_sim_machine *out, struct am_err *err)
{
    char *const text = am_arena_alloc(arena, AM_SIM_FILE_MAX + 1);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    size_t len = 0;
    ssize_t n = 0;

    if (!text)
        return am_fail(err, AM_E_NOMEM, "no memory for a description");
    if (fd < 0)
        return am_fail(err, AM_E_USAGE, "machine description \"%.200s\" cannot be opened: %s", path,
                       strerror(errno));
    while (len <= AM_SIM_FILE_MAX && (n = read(fd, text + len, AM_SIM_FILE_MAX + 1 - len)) > 0)
        len += (size_t)n;
    (void)close(fd);
    if (n < 0)
        return am_fail(err, AM_E_USAGE, "machine description \"%.200s\" cannot be read: %s", path,
                       strerror(errno));
    if (len > AM_SIM_FILE_MAX)
        return am_fail(err, AM_E_USAGE, "%.200s: longer than %d bytes", path, AM_SIM_FILE_MAX);
    return am_sim_machine_read(path, text, len, arena, out, err);
}
