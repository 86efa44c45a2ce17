/* SPDX-License-Identifier: MIT */
/* A JSON writer (RFC 8259) onto a stream. */
#include "report/json.h"

#include "report/units.h"

#include <inttypes.h>

void am_json_init(struct am_json *j, FILE *out, unsigned pretty)
{
    *j = (struct am_json){.out = out, .pretty = pretty};
}

/* Length of the well-formed UTF-8 sequence at s (no overlong forms, no surrogates), 0 if none. */
static size_t utf8_length(const unsigned char *s)
{
    static const struct {
        unsigned char lead_lo, lead_hi, next_lo, next_hi;
        size_t len;
    } forms[] = {
        {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
        {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
        {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };

    if (s[0] < 0x80)
        return 1;
    for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
        if (s[0] < forms[f].lead_lo || s[0] > forms[f].lead_hi)
            continue;
        if (s[1] < forms[f].next_lo || s[1] > forms[f].next_hi)
            return 0;
        for (size_t i = 2; i < forms[f].len; i++) {
            if ((s[i] & 0xc0) != 0x80)
                return 0;
        }
        return forms[f].len;
    }
    return 0;
}

static void put_string(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    (void)fputc('"', out);
    while (*s) {
        const size_t len = utf8_length(s);

        if (*s == '"' || *s == '\\')
            (void)fprintf(out, "\\%c", *s);
        else if (*s == '\n')
            (void)fputs("\\n", out);
        else if (*s == '\t')
            (void)fputs("\\t", out);
        else if (*s < 0x20 || *s == 0x7f)
            (void)fprintf(out, "\\u%04x", *s);
        else if (len)
            (void)fwrite(s, 1, len, out);
        else
            (void)fputs("\\ufffd", out);
        s += len ? len : 1;
    }
    (void)fputc('"', out);
}

static void new_line(const struct am_json *j)
{
    (void)fprintf(j->out, "\n%*s", (int)j->depth * 2, "");
}

/* What stands before a member: comma, line break or space, key. */
static void lead_in(struct am_json *j, const char *key)
{
    if (j->filled)
        (void)fputc(',', j->out);
    if (j->depth > 0 && j->depth < j->pretty)
        new_line(j);
    else if (j->filled)
        (void)fputc(' ', j->out);
    j->filled = true;
    if (key) {
        put_string(j->out, key);
        (void)fputs(": ", j->out);
    }
}

static void open_container(struct am_json *j, const char *key, char bracket)
{
    lead_in(j, key);
    (void)fputc(bracket, j->out);
    j->depth++;
    j->filled = false;
}

static void close_container(struct am_json *j, char bracket)
{
    const bool broken = j->filled && j->depth < j->pretty;

    j->depth--;
    if (broken)
        new_line(j);
    (void)fputc(bracket, j->out);
    j->filled = true;
    if (j->depth == 0) {
        (void)fputc('\n', j->out);
        j->filled = false;
    }
}

void am_json_object(struct am_json *j, const char *key)
{
    open_container(j, key, '{');
}

void am_json_object_end(struct am_json *j)
{
    close_container(j, '}');
}

void am_json_array(struct am_json *j, const char *key)
{
    open_container(j, key, '[');
}

void am_json_array_end(struct am_json *j)
{
    close_container(j, ']');
}

void am_json_string(struct am_json *j, const char *key, const char *value)
{
    lead_in(j, key);
    if (value)
        put_string(j->out, value);
    else
        (void)fputs("null", j->out);
}

void am_json_number(struct am_json *j, const char *key, double value)
{
    char text[AM_UNITS_MAX];

    lead_in(j, key);
    am_units_exact(value, text, sizeof(text));
    (void)fputs(text, j->out);
}

void am_json_integer(struct am_json *j, const char *key, int64_t value)
{
    lead_in(j, key);
    (void)fprintf(j->out, "%" PRId64, value);
}

void am_json_unsigned(struct am_json *j, const char *key, uint64_t value)
{
    lead_in(j, key);
    (void)fprintf(j->out, "%" PRIu64, value);
}

void am_json_bool(struct am_json *j, const char *key, bool value)
{
    lead_in(j, key);
    (void)fputs(value ? "true" : "false", j->out);
}
