/* SPDX-License-Identifier: MIT */
/* Saved tuning as text: a first line that says what it is, then one line an entry,
 *     tuned BENCH VERSION MACHINE for AXIS=VALUE AXIS~POWER ... use AXIS=VALUE ...
 *         by MODE METRIC VALUE DATE
 * (one line). Words are encoded as in the line protocol. */
#include "core/tune/saved_tuning.h"

#include "core/protocol/words.h"

#include <math.h>
#include <string.h>

enum { LINE_BYTES = 64 * 1024 };

static const char first_word[] = "archmeter-tuning";
static const char date_form[] = "dddd-dd-ddTdd:dd:ddZ"; /* d: a digit */

/* ---- writing ---- */

static void write_pairs(const char *word, const struct am_tuning_pair *pairs, size_t n,
                        struct am_text *out)
{
    am_text_addf(out, " %s", word);
    for (size_t i = 0; i < n; i++) {
        am_text_addf(out, " %s%c", pairs[i].axis, pairs[i].classed ? '~' : '=');
        am_word_encode(out, pairs[i].value);
    }
}

void am_tuning_entry_text(const struct am_tuning_entry *e, struct am_text *out)
{
    am_text_add(out, "tuned");
    am_word_add(out, e->bench);
    am_text_addf(out, " %u", e->version);
    am_word_add(out, e->machine);
    write_pairs("for", e->key, e->n_key, out);
    write_pairs("use", e->use, e->n_use, out);
    am_text_addf(out, " by %s", am_tune_modes[e->mode]);
    am_word_add(out, e->metric);
    am_text_addf(out, " %.9g %s", e->value, e->date);
}

void am_tuning_write(struct am_tuning *t, struct am_text *out)
{
    am_text_addf(out, "%s %d\n", first_word, AM_TUNING_FORMAT);
    for (size_t i = 0; i < t->n; i++) {
        am_tuning_entry_text(&t->entries[i], out);
        am_text_add(out, "\n");
    }
}

/* ---- reading ---- */

struct reader {
    struct am_arena *arena; /* of one line */
    struct am_words words;
    size_t at;
    struct am_tuning_entry entry;
    struct am_tuning_pair key[AM_AXES_MAX], use[AM_AXES_MAX];
};

static bool take_word(struct reader *r, const char *word)
{
    return r->at < r->words.n && am_word_is(r->words.w[r->at++], word);
}

static bool take_text(struct reader *r, size_t cap, const char **out)
{
    return r->at < r->words.n && am_word_dup(r->words.w[r->at++], r->arena, out) && *out && **out &&
           strlen(*out) < cap;
}

static bool is_axis_name(const char *name, size_t len)
{
    return len > 0 && len < AM_NAME_MAX &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") >= len;
}

static bool read_pair(struct reader *r, struct am_word word, struct am_tuning_pair *pair)
{
    size_t len = 0;
    struct am_word value;
    int64_t power;

    while (len < word.len && word.s[len] != '=' && word.s[len] != '~')
        len++;
    if (len == word.len || !is_axis_name(word.s, len))
        return false;
    value = (struct am_word){.s = word.s + len + 1, .len = word.len - len - 1};
    pair->axis = am_arena_strndup(r->arena, word.s, len);
    pair->classed = word.s[len] == '~';
    if (!pair->axis || value.len == 0 || !am_word_dup(value, r->arena, &pair->value) ||
        !pair->value || !*pair->value || strlen(pair->value) >= AM_VALUE_TEXT_MAX)
        return false;
    return !pair->classed || am_parse_i64(pair->value, strlen(pair->value), &power);
}

/* Pairs up to the word that ends them. */
static bool take_pairs(struct reader *r, const char *end, struct am_tuning_pair *pairs, size_t *n)
{
    for (*n = 0; r->at < r->words.n; r->at++) {
        if (am_word_is(r->words.w[r->at], end))
            return true;
        if (*n == AM_AXES_MAX || !read_pair(r, r->words.w[r->at], &pairs[*n]))
            return false;
        for (size_t i = 0; i < *n; i++) {
            if (strcmp(pairs[i].axis, pairs[*n].axis) == 0)
                return false;
        }
        ++*n;
    }
    return false;
}

static bool take_mode(struct reader *r)
{
    const struct am_word word = r->at < r->words.n ? r->words.w[r->at++] : (struct am_word){0};

    for (int i = 0; i < AM_TUNE_MODES; i++) {
        r->entry.mode = (enum am_tune_mode)i;
        if (am_word_is(word, am_tune_modes[i]))
            return true;
    }
    return false;
}

static bool take_date(struct reader *r)
{
    if (!take_text(r, AM_TUNING_DATE_MAX, &r->entry.date) ||
        strlen(r->entry.date) != strlen(date_form))
        return false;
    for (size_t i = 0; date_form[i]; i++) {
        const char c = r->entry.date[i];

        if (date_form[i] == 'd' ? c < '0' || c > '9' : c != date_form[i])
            return false;
    }
    return true;
}

static bool take_u32(struct reader *r, unsigned *out)
{
    uint64_t value;

    if (r->at == r->words.n || !am_word_u64(r->words.w[r->at++], &value) || value > UINT32_MAX)
        return false;
    *out = (unsigned)value;
    return true;
}

/* NULL, or what the line lacks. */
static const char *read_entry(struct reader *r)
{
    struct am_tuning_entry *const e = &r->entry;

    *e = (struct am_tuning_entry){.key = r->key, .use = r->use};
    if (!take_word(r, "tuned"))
        return "a line begins with \"tuned\"";
    if (!take_text(r, AM_NAME_MAX, &e->bench) || !take_u32(r, &e->version))
        return "a bench and its version follow \"tuned\"";
    if (!take_text(r, AM_TUNING_MACHINE_MAX, &e->machine))
        return "a machine follows the bench's version";
    if (!take_word(r, "for") || !take_pairs(r, "use", e->key, &e->n_key))
        return "axes follow: for AXIS=VALUE or AXIS~POWER ..., each once, up to \"use\"";
    r->at++;
    if (!take_pairs(r, "by", e->use, &e->n_use) || e->n_use == 0)
        return "values follow: use AXIS=VALUE ..., each once, up to \"by\"";
    for (size_t i = 0; i < e->n_use; i++) {
        if (e->use[i].classed)
            return "a value to use is written AXIS=VALUE";
    }
    r->at++;
    if (!take_mode(r) || !take_text(r, AM_NAME_MAX, &e->metric))
        return "a mode (estimate, measure, patient) and a metric follow \"by\"";
    if (r->at == r->words.n || !am_word_f64(r->words.w[r->at++], &e->value) || !isfinite(e->value))
        return "the metric's value is a number";
    if (!take_date(r) || r->at != r->words.n)
        return "a line ends with a date, as 2026-01-31T12:00:00Z";
    return NULL;
}

static enum am_status read_line(struct am_tuning *t, const char *line, size_t len, const char **why,
                                struct am_err *err)
{
    struct am_arena arena = {0};
    struct reader r = {.arena = &arena};
    enum am_status s = AM_OK;
    bool kept;

    *why =
        am_words_split(line, len, &r.words) ? read_entry(&r) : "words are parted by one space each";
    if (!*why)
        s = am_tuning_put(t, &r.entry, &kept, err);
    am_arena_fini(&arena);
    return s;
}

static enum am_status read_first(const char *name, const char *line, size_t len, struct am_err *err)
{
    struct am_words words;
    uint64_t version;

    if (!am_words_split(line, len, &words) || words.n != 2 || !am_word_is(words.w[0], first_word) ||
        !am_word_u64(words.w[1], &version))
        return am_fail(err, AM_E_USAGE,
                       "%s:1: this is no tuning file: it does not begin with \"%s %d\"", name,
                       first_word, AM_TUNING_FORMAT);
    if (version != AM_TUNING_FORMAT)
        return am_fail(err, AM_E_USAGE,
                       "%s:1: a tuning file of format %llu; this program reads format %d", name,
                       (unsigned long long)version, AM_TUNING_FORMAT);
    return AM_OK;
}

enum am_status am_tuning_parse(struct am_tuning *t, const char *name, const char *text, size_t len,
                               struct am_err *err)
{
    const char *line = "", *why = NULL;
    size_t line_len = 0;
    unsigned number = 1;
    enum am_status s;

    if (len > AM_TUNING_BYTES_MAX)
        return am_fail(err, AM_E_USAGE, "%s:1: larger than a tuning file may be", name);
    (void)am_line_next(&text, &len, &line, &line_len);
    s = read_first(name, line, line_len, err);
    while (s == AM_OK && am_line_next(&text, &len, &line, &line_len)) {
        number++;
        if (line_len == 0 || line[0] == '#')
            continue;
        if (line_len > LINE_BYTES)
            why = "the line is too long";
        else
            s = read_line(t, line, line_len, &why, err);
        if (why)
            return am_fail(err, AM_E_USAGE, "%s:%u: %s", name, number, why);
        if (s == AM_E_LIMIT)
            return am_fail(err, AM_E_USAGE, "%s:%u: too many entries", name, number);
    }
    return s;
}
