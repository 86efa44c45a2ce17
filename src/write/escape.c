/* SPDX-License-Identifier: MIT */
/* What each reader takes for its own signs, and what is written instead. */
#include "write/escape.h"

#include "base/utf8.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
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

static bool is_blank(char c)
{
    return c == '\n' || c == '\t' || c == '\r';
}

/* The character at `text` as it is, or what stands for one that is none or would steer its reader:
 * a space for line feeds and tabs, U+FFFD for all else. Returns how many bytes it took. */
static size_t put_plain(FILE *out, const char *text)
{
    const size_t len = am_utf8_plain(text), whole = am_utf8_length(text);

    if (len)
        (void)fwrite(text, 1, len, out);
    else
        (void)fputs(is_blank(*text) ? " " : "\xef\xbf\xbd", out);
    return whole ? whole : 1;
}

void am_escape_md(FILE *out, const char *text)
{
    while (*text) {
        const bool entity = *text == '&' && (text[1] == '#' || isalpha((unsigned char)text[1]));

        if (entity || strchr("|\\`*_<>[]", *text))
            (void)fputc('\\', out);
        text += put_plain(out, text);
    }
}

void am_escape_comment(FILE *out, const char *text)
{
    while (*text)
        text += put_plain(out, text);
}

void am_escape_tex(FILE *out, const char *text)
{
    static const struct stand_in table[] = {
        {'\\', "\\textbackslash{}"}, {'~', "\\textasciitilde{}"}, {'^', "\\textasciicircum{}"},
        {'<', "\\textless{}"},       {'>', "\\textgreater{}"},    {'|', "\\textbar{}"},
    };

    while (*text) {
        const char *const instead = find(table, sizeof(table) / sizeof(table[0]), *text);

        if (instead) {
            (void)fputs(instead, out);
            text++;
            continue;
        }
        if (strchr("&%$#_{}", *text))
            (void)fputc('\\', out);
        text += put_plain(out, text);
    }
}

static void escape_html(FILE *out, const char *text, bool parted)
{
    static const struct stand_in table[] = {
        {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    const char *const begin = text;

    while (*text && text - begin < HTML_MAX) {
        const char *const instead = find(table, sizeof(table) / sizeof(table[0]), *text);

        if (instead || *text == '\n' || *text == '\t') {
            (void)fwrite(instead ? instead : text, 1, instead ? strlen(instead) : 1, out);
            text++;
            continue;
        }
        if (parted && text > begin && strchr(",{", text[-1]) && *text != ' ')
            (void)fputs("<wbr>", out);
        text += put_plain(out, text);
    }
    if (*text)
        (void)fputs("…", out);
}

void am_escape_html(FILE *out, const char *text)
{
    escape_html(out, text, false);
}

void am_escape_html_parted(FILE *out, const char *text)
{
    escape_html(out, text, true);
}

/* ---- quotes ---- */

void am_escape_csv(FILE *out, const char *text, const char *separator)
{
    const bool formula = *text && strchr("=+-@\t\r\n", *text);
    const bool quoted = strpbrk(text, "\"\r\n") || (*separator && strstr(text, separator));

    (void)fputs(quoted ? "\"" : "", out);
    (void)fputs(formula ? "'" : "", out);
    while (*text) {
        if (*text == '"')
            (void)fputc('"', out);
        if (*text == '\n' || *text == '\t')
            (void)fputc(*text++, out);
        else
            text += put_plain(out, text);
    }
    (void)fputs(quoted ? "\"" : "", out);
}

void am_escape_controls(FILE *out, const char *text)
{
    while (*text) {
        if (*text == '\n' || *text == '\t')
            (void)fputc(*text++, out);
        else
            text += put_plain(out, text);
    }
}

void am_escape_quoted(FILE *out, const char *text)
{
    while (*text) {
        (void)fputs(*text == '"' || *text == '\\' ? "\\" : "", out);
        text += put_plain(out, text);
    }
}

/* By its code, in two halves (RFC 8259, section 7) where it needs more than 16 bits. */
static void put_escaped(FILE *out, uint32_t code)
{
    if (code < 0x10000)
        (void)fprintf(out, "\\u%04x", (unsigned)code);
    else
        (void)fprintf(out, "\\u%04x\\u%04x", (unsigned)(0xd800 + ((code - 0x10000) >> 10)),
                      (unsigned)(0xdc00 + ((code - 0x10000) & 0x3ff)));
}

/* A byte of a key that belongs to no character, by its digits: U+FFFD alone would make one key of
 * two, and no object may have a key twice. U+FFFD that is meant is written so too, byte by byte:
 * then no two keys can ever be written alike. */
static size_t put_key_byte(FILE *out, const char *text)
{
    (void)fprintf(out, "\\ufffd%02x", (unsigned)(unsigned char)*text);
    return 1;
}

static bool is_character(const char *text, bool key)
{
    static const char replacement[] = "\xef\xbf\xbd";

    return am_utf8_length(text) > 0 && !(key && strncmp(text, replacement, 3) == 0);
}

static size_t put_character(FILE *out, const char *text)
{
    static const struct stand_in table[] = {
        {'"', "\\\""}, {'\\', "\\\\"}, {'\n', "\\n"}, {'\t', "\\t"}};
    const char *const instead = find(table, sizeof(table) / sizeof(table[0]), *text);
    const size_t len = am_utf8_length(text);

    if (instead)
        (void)fputs(instead, out);
    else if (am_utf8_plain(text))
        (void)fwrite(text, 1, len, out);
    else
        put_escaped(out, am_utf8_code(text, len));
    return len;
}

static void put_json(FILE *out, const char *text, bool key)
{
    (void)fputc('"', out);
    while (*text) {
        if (is_character(text, key)) {
            text += put_character(out, text);
        } else if (key) {
            text += put_key_byte(out, text);
        } else {
            (void)fputs("\\ufffd", out);
            text++;
        }
    }
    (void)fputc('"', out);
}

void am_escape_json(FILE *out, const char *text)
{
    put_json(out, text, false);
}

void am_escape_json_key(FILE *out, const char *key)
{
    put_json(out, key, true);
}
