/* SPDX-License-Identifier: MIT */
/* Terminal attributes, display width and safe output of text. */
#include "write/style.h"

#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

enum {
    WRAP_WIDTH = 100,
    HANG_FAR = 4 /* where later lines begin when the first begins too far right to read below it */
};

const char *am_style_on(const struct am_style *style, enum am_tone tone)
{
    static const char *const codes[AM_TONES] = {
        [AM_TONE_PLAIN] = "",        [AM_TONE_STRONG] = "\033[1m", [AM_TONE_MUTED] = "\033[2m",
        [AM_TONE_GOOD] = "\033[32m", [AM_TONE_WARN] = "\033[33m",  [AM_TONE_BAD] = "\033[31m",
    };

    return style->color ? codes[tone] : "";
}

const char *am_style_off(const struct am_style *style, enum am_tone tone)
{
    return style->color && tone != AM_TONE_PLAIN ? "\033[0m" : "";
}

/* Decodes one character; a malformed byte counts as one character of its own. */
static size_t decode(const char *s, uint32_t *code)
{
    const size_t len = am_utf8_length(s);

    *code = len ? am_utf8_code(s, len) : 0xfffd;
    return len ? len : 1;
}

/* Rough classes are enough for names of machines and people: combining marks and zero-width signs
 * take no column, East Asian blocks and emoji take two. */
static size_t columns(uint32_t code)
{
    static const struct {
        uint32_t first, last;
        size_t width;
    } blocks[] = {
        {0x0300, 0x036f, 0}, {0x200b, 0x200f, 0},   {0x1100, 0x115f, 2},   {0x2e80, 0xa4cf, 2},
        {0xac00, 0xd7a3, 2}, {0xf900, 0xfaff, 2},   {0xfe00, 0xfe0f, 0},   {0xfe30, 0xfe6f, 2},
        {0xff00, 0xff60, 2}, {0x1f300, 0x1f64f, 2}, {0x1f900, 0x1f9ff, 2}, {0x20000, 0x3fffd, 2},
    };

    if (!am_char_is_plain(code))
        return 1; /* a question mark stands for it */
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
        if (code >= blocks[i].first && code <= blocks[i].last)
            return blocks[i].width;
    }
    return 1;
}

static size_t text_columns(const char *text, size_t bytes)
{
    const char *const end = text + bytes;
    size_t width = 0;
    uint32_t code;

    while (text < end) {
        text += decode(text, &code);
        width += columns(code);
    }
    return width;
}

size_t am_text_width(const char *text)
{
    return text_columns(text, strlen(text));
}

size_t am_text_line(const char *text, size_t columns_max, size_t *next)
{
    size_t at = 0, width = 0, space = 0, dot = 0;

    while (text[at]) {
        uint32_t code;
        const size_t len = decode(text + at, &code);

        if (code == ' ')
            space = at;
        else if (at > 0 && width + columns(code) > columns_max)
            break;
        if (strchr(".,{-/", (int)code) && code < 0x80)
            dot = at + 1;
        width += columns(code);
        at += len;
    }
    if (text[at] && (space > 0 || dot > 0))
        at = space > 0 ? space : dot;
    *next = at + strspn(text + at, " ");
    while (at > 0 && text[at - 1] == ' ')
        at--;
    return at;
}

/* ASCII of the same width for the characters that our own texts use. */
static char ascii_of(uint32_t code)
{
    static const struct {
        uint32_t code;
        char ascii;
    } table[] = {{0xb1, '~'},   {0xb5, 'u'},   {0xb7, '.'},   {0xd7, 'x'},   {0x2013, '-'},
                 {0x2014, '-'}, {0x2026, '.'}, {0x2264, '<'}, {0x2192, '>'}, {0x3b4, 'd'}};

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (table[i].code == code)
            return table[i].ascii;
    }
    return '?';
}

static void put_bytes(const struct am_style *style, FILE *out, const char *text, size_t bytes)
{
    const char *const end = text + bytes;

    while (text < end) {
        uint32_t code;
        const size_t len = decode(text, &code);

        if (!am_char_is_plain(code))
            (void)fputc('?', out);
        else if (code < 0x80)
            (void)fputc((int)code, out);
        else if (!style->utf8)
            (void)fputc(ascii_of(code), out);
        else if (code == 0xfffd)
            (void)fputs("\xef\xbf\xbd", out);
        else
            (void)fwrite(text, 1, len, out);
        text += len;
    }
}

void am_style_put(const struct am_style *style, FILE *out, const char *text)
{
    put_bytes(style, out, text, strlen(text));
}

/* Bytes of the first line of `text` in so many columns; a word that is wider than a whole line is
 * cut only where a terminal would do it otherwise. */
static size_t flow_line(const struct am_style *style, const char *text, size_t columns_max,
                        size_t *next)
{
    const size_t word = strcspn(text, " ");
    const size_t n = am_text_line(text, columns_max, next);

    if (style->width || n >= word)
        return n;
    *next = word + strspn(text + word, " ");
    return word;
}

void am_style_flow(const struct am_style *style, FILE *out, size_t start, const char *text)
{
    const size_t width = style->width ? style->width : WRAP_WIDTH;
    const size_t hang = start <= width / 2 ? start : HANG_FAR;
    size_t column = start;

    while (*text) {
        const size_t word = strcspn(text, " ");
        size_t next, n;

        if (column > hang && column + text_columns(text, word) > width) {
            (void)fprintf(out, "\n%*s", (int)hang, "");
            column = hang;
        }
        n = flow_line(style, text, column < width ? width - column : 1, &next);
        put_bytes(style, out, text, n);
        text += next;
        if (*text)
            (void)fprintf(out, "\n%*s", (int)hang, "");
        column = hang;
    }
    (void)fputc('\n', out);
}

void am_style_wrap(const struct am_style *style, FILE *out, size_t indent, const char *label,
                   const char *text)
{
    (void)fprintf(out, "%*s", (int)indent, "");
    am_style_put(style, out, label);
    am_style_flow(style, out, indent + am_text_width(label), text);
}
