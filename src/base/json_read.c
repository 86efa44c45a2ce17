/* SPDX-License-Identifier: MIT */
/* A recursive descent over the text, as deep as AM_JSON_DEPTH_MAX. */
#include "base/json_read.h"

#include "base/array.h"
#include "base/text.h"

#include <stdint.h>
#include <string.h>

struct reader {
    const char *name, *text;
    size_t n, at;
    unsigned line;
    size_t line_start; /* of the line at `at` */
    unsigned depth;
    struct am_arena *arena;
    struct am_err *err;
};

const char *am_json_kind_words(enum am_json_kind kind)
{
    static const char *const words[AM_JSON_KINDS] = {
        [AM_JSON_NULL] = "null",   [AM_JSON_BOOL] = "true or false", [AM_JSON_NUMBER] = "a number",
        [AM_JSON_TEXT] = "a text", [AM_JSON_ARRAY] = "an array",     [AM_JSON_OBJECT] = "an object",
    };

    return (unsigned)kind < AM_JSON_KINDS ? words[kind] : "unknown";
}

/* ---- characters ---- */

static int peek(const struct reader *r)
{
    return r->at < r->n ? (unsigned char)r->text[r->at] : -1;
}

static enum am_status refuse(const struct reader *r, const char *what)
{
    return am_fail(r->err, AM_E_USAGE, "%s:%u:%zu: %s", r->name, r->line, r->at - r->line_start + 1,
                   what);
}

static enum am_status no_memory(const struct reader *r)
{
    return am_fail(r->err, AM_E_NOMEM, "no memory for %s", r->name);
}

static void skip_blanks(struct reader *r)
{
    for (int c = peek(r); c == ' ' || c == '\t' || c == '\r' || c == '\n'; c = peek(r)) {
        r->at++;
        if (c == '\n') {
            r->line++;
            r->line_start = r->at;
        }
    }
}

static enum am_status expect(struct reader *r, char c, const char *what)
{
    skip_blanks(r);
    if (peek(r) != c)
        return refuse(r, what);
    r->at++;
    return AM_OK;
}

/* ---- texts ---- */

static bool read_hex(struct reader *r, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        const int c = peek(r);

        if (c >= '0' && c <= '9')
            *out = *out * 16 + (uint32_t)(c - '0');
        else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
            *out = *out * 16 + (uint32_t)((c | 0x20) - 'a') + 10;
        else
            return false;
    }
    return true;
}

/* UTF-8 of the code point into `to`; returns how many bytes. */
static size_t encode(uint32_t code, char *to)
{
    const size_t more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};

    to[0] = (char)(leads[more] | code >> (6 * more));
    for (size_t i = 1; i <= more; i++)
        to[i] = (char)(0x80 | (code >> (6 * (more - i)) & 0x3f));
    return more + 1;
}

/* Behind "\u": one code point, of two escapes where it is beyond 16 bits. */
static enum am_status read_code(struct reader *r, uint32_t *code)
{
    uint32_t low;

    if (!read_hex(r, code))
        return refuse(r, "four hexadecimal digits belong behind \\u");
    if (*code == 0)
        return refuse(r, "a text may not hold the character 0");
    if (*code < 0xd800 || *code > 0xdfff)
        return AM_OK;
    if (*code > 0xdbff || peek(r) != '\\' || r->at + 1 >= r->n || r->text[r->at + 1] != 'u')
        return refuse(r, "half of a surrogate pair");
    r->at += 2;
    if (!read_hex(r, &low) || low < 0xdc00 || low > 0xdfff)
        return refuse(r, "half of a surrogate pair");
    *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
    return AM_OK;
}

static enum am_status read_escape(struct reader *r, char *to, size_t *len)
{
    static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    const int c = peek(r);
    const char *const found = c > 0 ? strchr(names, c) : NULL;
    uint32_t code = 0;
    enum am_status s;

    r->at++;
    if (found) {
        to[(*len)++] = means[found - names];
        return AM_OK;
    }
    if (c != 'u')
        return refuse(r, "no such escape in a text");
    s = read_code(r, &code);
    if (s == AM_OK)
        *len += encode(code, to + *len);
    return s;
}

/* The decoded text is never longer than what was written. */
static enum am_status read_text(struct reader *r, const char **out)
{
    const char *const begin = r->text + r->at + 1;
    const char *end = begin;
    char *to;
    size_t len = 0;

    while (end < r->text + r->n && *end != '"')
        end += *end == '\\' && end + 1 < r->text + r->n ? 2 : 1;
    to = am_arena_alloc(r->arena, (size_t)(end - begin) + 2);
    if (!to)
        return no_memory(r);
    for (r->at++;;) {
        const int c = peek(r);
        enum am_status s = AM_OK;

        if (c < 0x20)
            return refuse(r, c < 0 ? "the text does not end" : "a control character in a text");
        r->at++;
        if (c == '"')
            break;
        if (c == '\\')
            s = read_escape(r, to, &len);
        else
            to[len++] = (char)c;
        if (s != AM_OK)
            return s;
    }
    to[len] = '\0';
    *out = to;
    return AM_OK;
}

/* ---- numbers and words ---- */

static size_t digits_at(const struct reader *r, size_t at)
{
    size_t n = 0;

    while (at + n < r->n && r->text[at + n] >= '0' && r->text[at + n] <= '9')
        n++;
    return n;
}

/* How many bytes at `at` are a number as JSON writes it; 0: none. */
static size_t number_length(const struct reader *r)
{
    size_t at = r->at + (peek(r) == '-'), n = digits_at(r, at);

    if (n == 0 || (n > 1 && r->text[at] == '0'))
        return 0;
    at += n;
    if (at < r->n && r->text[at] == '.') {
        n = digits_at(r, at + 1);
        if (n == 0)
            return 0;
        at += n + 1;
    }
    if (at < r->n && (r->text[at] | 0x20) == 'e') {
        const size_t sign = at + 1 < r->n && (r->text[at + 1] == '+' || r->text[at + 1] == '-');

        n = digits_at(r, at + 1 + sign);
        if (n == 0)
            return 0;
        at += n + 1 + sign;
    }
    return at - r->at;
}

static enum am_status read_number(struct reader *r, struct am_json_value *v)
{
    const size_t n = number_length(r);

    if (n == 0)
        return refuse(r, "no number as JSON writes it");
    if (!am_parse_f64(r->text + r->at, n, &v->number))
        return refuse(r, "a number beyond all bounds");
    v->text = am_arena_strndup(r->arena, r->text + r->at, n);
    v->kind = AM_JSON_NUMBER;
    r->at += n;
    return v->text ? AM_OK : no_memory(r);
}

static enum am_status read_word(struct reader *r, struct am_json_value *v)
{
    static const struct {
        const char *word;
        enum am_json_kind kind;
        bool truth;
    } words[] = {{"null", AM_JSON_NULL, false},
                 {"true", AM_JSON_BOOL, true},
                 {"false", AM_JSON_BOOL, false}};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const size_t len = strlen(words[i].word);

        if (r->n - r->at < len || memcmp(r->text + r->at, words[i].word, len) != 0)
            continue;
        v->kind = words[i].kind;
        v->truth = words[i].truth;
        r->at += len;
        return AM_OK;
    }
    return refuse(r, r->at < r->n ? "no JSON value begins so" : "the text ends too early");
}

/* ---- containers ---- */

static enum am_status read_value(struct reader *r, struct am_json_value *v);

static enum am_status read_member(struct reader *r, struct am_json_value *object, size_t *cap)
{
    struct am_json_value v = {0};
    struct am_json_value *added;
    const char *key = NULL;
    enum am_status s = AM_OK;

    skip_blanks(r);
    if (object->kind == AM_JSON_OBJECT) {
        const size_t at = r->at;

        if (peek(r) != '"')
            return refuse(r, "a key in quotes is missing");
        s = read_text(r, &key);
        if (s == AM_OK && (object->n == AM_JSON_KEYS_MAX || am_json_get(object, key))) {
            r->at = at;
            return refuse(r, object->n == AM_JSON_KEYS_MAX ? "too many keys in one object"
                                                           : "a key that was there already");
        }
        if (s == AM_OK)
            s = expect(r, ':', "a colon is missing behind the key");
    }
    if (s == AM_OK)
        s = read_value(r, &v);
    if (s != AM_OK)
        return s;
    added = AM_ARRAY_ADD(r->arena, object->items, object->n, *cap);
    if (!added)
        return no_memory(r);
    v.key = key;
    *added = v;
    return AM_OK;
}

static enum am_status read_container(struct reader *r, struct am_json_value *v)
{
    const bool object = peek(r) == '{';
    const char end = object ? '}' : ']';
    size_t cap = 0;

    v->kind = object ? AM_JSON_OBJECT : AM_JSON_ARRAY;
    if (r->depth == AM_JSON_DEPTH_MAX)
        return refuse(r, "nested too deeply");
    r->depth++;
    r->at++;
    skip_blanks(r);
    while (peek(r) != end) {
        enum am_status s =
            v->n ? expect(r, ',', object ? "a comma or } is missing" : "a comma or ] is missing")
                 : AM_OK;

        if (s == AM_OK)
            s = read_member(r, v, &cap);
        if (s != AM_OK)
            return s;
        skip_blanks(r);
    }
    r->at++;
    r->depth--;
    return AM_OK;
}

static enum am_status read_value(struct reader *r, struct am_json_value *v)
{
    int c;

    skip_blanks(r);
    v->line = r->line;
    v->column = (unsigned)(r->at - r->line_start + 1);
    c = peek(r);
    if (c == '{' || c == '[')
        return read_container(r, v);
    if (c == '"') {
        v->kind = AM_JSON_TEXT;
        return read_text(r, &v->text);
    }
    return c == '-' || (c >= '0' && c <= '9') ? read_number(r, v) : read_word(r, v);
}

enum am_status am_json_read(const char *name, const char *text, size_t n, struct am_arena *arena,
                            struct am_json_value *out, struct am_err *err)
{
    struct reader r = {.name = name, .text = text, .n = n, .line = 1, .arena = arena, .err = err};
    enum am_status s;

    *out = (struct am_json_value){0};
    if (n > AM_JSON_BYTES_MAX)
        return am_fail(err, AM_E_USAGE, "%s: larger than %d MiB", name, AM_JSON_BYTES_MAX >> 20);
    s = read_value(&r, out);
    skip_blanks(&r);
    return s == AM_OK && r.at < n ? refuse(&r, "something stands behind the end") : s;
}

const struct am_json_value *am_json_get(const struct am_json_value *object, const char *key)
{
    for (size_t i = 0; object->kind == AM_JSON_OBJECT && i < object->n; i++) {
        if (strcmp(object->items[i].key, key) == 0)
            return &object->items[i];
    }
    return NULL;
}
