/* SPDX-License-Identifier: MIT */
/* A JSON writer (RFC 8259) onto a stream. */
#include "report/json.h"

#include "document/units.h"
#include "document/utf8.h"

#include <inttypes.h>

void am_json_init(struct am_json *j, FILE *out, unsigned pretty)
{
    *j = (struct am_json){.out = out, .pretty = pretty};
}

static void put_string(FILE *out, const char *text)
{
    const char *s = text;

    (void)fputc('"', out);
    while (*s) {
        const size_t len = am_utf8_length(s);

        if (*s == '"' || *s == '\\')
            (void)fprintf(out, "\\%c", *s);
        else if (*s == '\n')
            (void)fputs("\\n", out);
        else if (*s == '\t')
            (void)fputs("\\t", out);
        else if ((unsigned char)*s < 0x20 || *s == 0x7f)
            (void)fprintf(out, "\\u%04x", (unsigned)*s);
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
