/* SPDX-License-Identifier: MIT */
/* What each reader takes for its own signs, and what is written instead. */
#include "write/escape.h"

#include "document/utf8.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { HTML_MAX = 2000 }; /* bytes of one text in a page */

/* ---- signs that have a stand-in ---- */

struct stand_in {
    char c;
    const char *text;
};

static const char *find(const struct stand_in *table, size_t n, char c)
{
    for (size_t i = 0; i < n; i++) {
        if (table[i].c == c)
            return table[i].text;
    }
    return NULL;
}

void am_escape_md(FILE *out, const char *text)
{
    for (; *text; text++) {
        const bool entity = *text == '&' && (text[1] == '#' || isalpha((unsigned char)text[1]));

        if (entity || strchr("|\\`*_<>[]", *text))
            (void)fputc('\\', out);
        (void)fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
}

void am_escape_tex(FILE *out, const char *text)
{
    static const struct stand_in table[] = {
        {'\\', "\\textbackslash{}"}, {'~', "\\textasciitilde{}"}, {'^', "\\textasciicircum{}"},
        {'<', "\\textless{}"},       {'>', "\\textgreater{}"},    {'|', "\\textbar{}"},
    };

    for (; *text; text++) {
        const char *const instead = find(table, sizeof(table) / sizeof(table[0]), *text);

        if (instead) {
            (void)fputs(instead, out);
            continue;
        }
        if (strchr("&%$#_{}", *text))
            (void)fputc('\\', out);
        (void)fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
}

void am_escape_html(FILE *out, const char *text)
{
    static const struct stand_in table[] = {
        {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    const char *const begin = text;

    while (*text && text - begin < HTML_MAX) {
        const char *const instead = find(table, sizeof(table) / sizeof(table[0]), *text);
        const size_t len = am_utf8_length(text);
        const unsigned char c = (unsigned char)*text;

        if (instead)
            (void)fputs(instead, out);
        else if (len == 0 || (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
            (void)fputs("\xef\xbf\xbd", out);
        else
            (void)fwrite(text, 1, len, out);
        text += len ? len : 1;
    }
    if (*text)
        (void)fputs("…", out);
}

/* ---- quotes ---- */

void am_escape_csv(FILE *out, const char *text, const char *separator)
{
    const bool formula = *text && strchr("=+-@", *text);
    const bool quoted = strpbrk(text, "\"\r\n") || (*separator && strstr(text, separator));

    (void)fputs(quoted ? "\"" : "", out);
    (void)fputs(formula ? "'" : "", out);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;

        if (c == '"')
            (void)fputc('"', out);
        (void)fputc((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f ? ' ' : c, out);
    }
    (void)fputs(quoted ? "\"" : "", out);
}

void am_escape_json(FILE *out, const char *text)
{
    static const struct stand_in table[] = {
        {'"', "\\\""}, {'\\', "\\\\"}, {'\n', "\\n"}, {'\t', "\\t"}};

    (void)fputc('"', out);
    while (*text) {
        const char *const instead = find(table, sizeof(table) / sizeof(table[0]), *text);
        const size_t len = am_utf8_length(text);

        if (instead)
            (void)fputs(instead, out);
        else if ((unsigned char)*text < 0x20 || *text == 0x7f)
            (void)fprintf(out, "\\u%04x", (unsigned)*text);
        else if (len)
            (void)fwrite(text, 1, len, out);
        else
            (void)fputs("\\ufffd", out);
        text += len ? len : 1;
    }
    (void)fputc('"', out);
}
