/* SPDX-License-Identifier: MIT */
/* Values of a machine description: one function per kind of value, each refusing with its place. */
#include "sim/machine_reader.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum am_status am_sim_refuse(struct am_sim_reader *r, const char *fmt, ...)
{
    char text[400];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return am_fail(r->err, AM_E_USAGE, "%s:%u: %s", r->place, r->line, text);
}

const char *am_sim_hint(const char *word, const char *const *names, size_t n, char *buf, size_t cap)
{
    const char *const near = am_nearest(word, names, n);

    buf[0] = '\0';
    if (near)
        (void)am_str_format(buf, cap, "; did you mean \"%s\"?", near);
    return buf;
}

/* ---- values ---- */

static enum am_status out_of_bounds(struct am_sim_reader *r, const struct am_sim_key *key,
                                    const char *text)
{
    return am_sim_refuse(r, "%s \"%.60s\": %s from %g to %g is wanted", key->name, text,
                         key->value == AM_SIM_NUMBER  ? "a number"
                         : key->value == AM_SIM_BYTES ? "a size (K, M, G, T are powers of 1024)"
                                                      : "a whole number",
                         key->least, key->most);
}

static enum am_status read_text(struct am_sim_reader *r, const struct am_sim_key *key,
                                const char *text, void *field)
{
    char *const copy = am_arena_strdup(r->arena, text);

    (void)key;
    if (!copy)
        return am_fail(r->err, AM_E_NOMEM, "no memory for a description");
    *(const char **)field = copy;
    return AM_OK;
}

static enum am_status read_count(struct am_sim_reader *r, const struct am_sim_key *key,
                                 const char *text, void *field)
{
    uint64_t v;

    if (!am_parse_u64(text, strlen(text), &v) || (double)v < key->least || (double)v > key->most)
        return out_of_bounds(r, key, text);
    *(uint64_t *)field = v;
    return AM_OK;
}

static enum am_status read_bytes(struct am_sim_reader *r, const struct am_sim_key *key,
                                 const char *text, void *field)
{
    static const char letters[] = "KMGT";
    const size_t len = strlen(text);
    const char *const letter = len ? strchr(letters, text[len - 1]) : NULL;
    const bool scaled = letter && *letter;
    double v;

    if (!am_parse_f64(text, len - scaled, &v) || !(v >= 0))
        return out_of_bounds(r, key, text);
    for (ptrdiff_t i = scaled ? letter - letters + 1 : 0; i > 0; i--)
        v *= 1024;
    if (!(v >= key->least) || !(v <= key->most))
        return out_of_bounds(r, key, text);
    *(uint64_t *)field = (uint64_t)v;
    return AM_OK;
}

static enum am_status read_number(struct am_sim_reader *r, const struct am_sim_key *key,
                                  const char *text, void *field)
{
    double v;

    if (!am_parse_f64(text, strlen(text), &v) || !(v >= key->least) || !(v <= key->most))
        return out_of_bounds(r, key, text);
    *(double *)field = v;
    return AM_OK;
}

static enum am_status read_word(struct am_sim_reader *r, const struct am_sim_key *key,
                                const char *text, void *field)
{
    char near[96];
    size_t n = 0;

    for (; key->choices[n]; n++) {
        if (strcmp(key->choices[n], text) == 0) {
            *(uint64_t *)field = n;
            return AM_OK;
        }
    }
    return am_sim_refuse(r, "%s cannot be \"%.60s\"%s", key->name, text,
                         am_sim_hint(text, key->choices, n, near, sizeof(near)));
}

static enum am_status read_flag(struct am_sim_reader *r, const struct am_sim_key *key,
                                const char *text, void *field)
{
    const bool yes = strcmp(text, "yes") == 0;

    if (!yes && strcmp(text, "no") != 0)
        return am_sim_refuse(r, "%s \"%.60s\": yes or no is wanted", key->name, text);
    *(bool *)field = yes;
    return AM_OK;
}

static enum am_status read_share(struct am_sim_reader *r, const struct am_sim_key *key,
                                 const char *text, void *field)
{
    if (strcmp(text, "core") == 0 || strcmp(text, "package") == 0) {
        *(uint64_t *)field = text[0] == 'c' ? 1 : AM_SIM_PACKAGE;
        return AM_OK;
    }
    if (!isdigit((unsigned char)text[0]))
        return am_sim_refuse(r, "%s \"%.60s\": core, package or a number of cores is wanted",
                             key->name, text);
    return read_count(r, key, text, field);
}

/* ---- rows: a word and numbers ---- */

/* Takes the next word of *text into buf; false at the end or when it does not fit. */
static bool take_word(const char **text, char *buf, size_t cap)
{
    const size_t skip = strspn(*text, " \t");
    const size_t len = strcspn(*text + skip, " \t");

    if (len == 0 || len >= cap)
        return false;
    memcpy(buf, *text + skip, len);
    buf[len] = '\0';
    *text += skip + len;
    return true;
}

/* "NAME n1 n2 ...": exactly `n` numbers inside the key's bounds. */
static enum am_status read_row(struct am_sim_reader *r, const struct am_sim_key *key,
                               const char *text, char name[AM_SIM_WORD_MAX], double *numbers,
                               size_t n)
{
    char word[AM_SIM_WORD_MAX];

    if (!take_word(&text, name, AM_SIM_WORD_MAX))
        return am_sim_refuse(r, "%s needs a name and %zu numbers", key->name, n);
    for (size_t i = 0; i < n; i++) {
        if (!take_word(&text, word, sizeof(word)))
            return am_sim_refuse(r, "%s %s: %zu numbers are wanted, %zu are there", key->name, name,
                                 n, i);
        if (!am_parse_f64(word, strlen(word), &numbers[i]) || !(numbers[i] >= key->least) ||
            !(numbers[i] <= key->most))
            return am_sim_refuse(r, "%s %s: \"%s\" is not a number from %g to %g", key->name, name,
                                 word, key->least, key->most);
    }
    if (take_word(&text, word, sizeof(word)) || *text)
        return am_sim_refuse(r, "%s %s: more than %zu numbers", key->name, name, n);
    return AM_OK;
}

static enum am_status read_isa(struct am_sim_reader *r, const struct am_sim_key *key,
                               const char *text, void *base)
{
    struct am_sim_kind *const kind = base;
    struct am_sim_isa *const isa = &kind->isas[kind->n_isas];
    double v[4];
    enum am_status s;

    if (kind->n_isas == AM_SIM_ISAS_MAX)
        return am_sim_refuse(r, "more than %d rows of isa", AM_SIM_ISAS_MAX);
    s = read_row(r, key, text, isa->name, v, 4);
    if (s != AM_OK)
        return s;
    if (am_sim_isa_find(kind, isa->name))
        return am_sim_refuse(r, "isa %s is given twice", isa->name);
    if (v[0] < 32 || v[1] <= 0 || v[2] < 0.01 || v[3] < 0.01 || v[2] > 20 || v[3] > 20)
        return am_sim_refuse(
            r, "isa %s: 32 bits or more, more than 0 pipes and clocks in GHz are wanted",
            isa->name);
    isa->bits = v[0];
    isa->pipes = v[1];
    isa->one_ghz = v[2];
    isa->all_ghz = v[3];
    kind->n_isas++;
    return AM_OK;
}

static enum am_status read_instr(struct am_sim_reader *r, const struct am_sim_key *key,
                                 const char *text, void *base)
{
    struct am_sim_machine *const m = base;
    struct am_sim_instr *const instr = &m->instrs[m->n_instrs];
    double v[2];
    enum am_status s;

    if (m->n_instrs == AM_SIM_INSTRS_MAX)
        return am_sim_refuse(r, "more than %d rows of instr", AM_SIM_INSTRS_MAX);
    s = read_row(r, key, text, instr->pattern, v, 2);
    if (s != AM_OK)
        return s;
    if (v[0] <= 0 || v[1] <= 0)
        return am_sim_refuse(r, "instr %s: cycles above 0 are wanted", instr->pattern);
    instr->latency = v[0];
    instr->reciprocal = v[1];
    m->n_instrs++;
    return AM_OK;
}

static enum am_status (*const readers[])(struct am_sim_reader *, const struct am_sim_key *,
                                         const char *, void *) = {
    [AM_SIM_TEXT] = read_text,     [AM_SIM_COUNT] = read_count, [AM_SIM_BYTES] = read_bytes,
    [AM_SIM_NUMBER] = read_number, [AM_SIM_WORD] = read_word,   [AM_SIM_FLAG] = read_flag,
    [AM_SIM_SHARE] = read_share,   [AM_SIM_ISA] = read_isa,     [AM_SIM_INSTR] = read_instr,
};

bool am_sim_key_repeats(const struct am_sim_key *key)
{
    return key->value == AM_SIM_ISA || key->value == AM_SIM_INSTR;
}

/* Rows are appended to a list of the struct; other values have a field of their own. */
enum am_status am_sim_value_read(struct am_sim_reader *r, const struct am_sim_key *key,
                                 const char *text, void *base)
{
    return readers[key->value](r, key, text, (char *)base + key->offset);
}
