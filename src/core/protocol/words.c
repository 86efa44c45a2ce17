/* SPDX-License-Identifier: MIT */
/* Words of a protocol line. */
#include "core/protocol/words.h"

#include <math.h>
#include <string.h>

bool am_words_split(const char *line, size_t len, struct am_words *out)
{
    size_t start = 0;

    out->n = 0;
    for (size_t i = 0; i <= len; i++) {
        const unsigned char c = i < len ? (unsigned char)line[i] : ' ';

        if (c < ' ' || c == 0x7f)
            return false;
        if (c != ' ')
            continue;
        if (i == start || out->n == AM_WORDS_MAX)
            return false;
        out->w[out->n++] = (struct am_word){.s = line + start, .len = i - start};
        start = i + 1;
    }
    return true;
}

bool am_word_is(struct am_word w, const char *name)
{
    return strlen(name) == w.len && memcmp(w.s, name, w.len) == 0;
}

static const char hex_digits[] = "0123456789abcdef";

static int hex_digit(char c)
{
    const char *p = c ? strchr(hex_digits, c) : NULL;

    return p ? (int)(p - hex_digits) : -1;
}

bool am_word_decode(struct am_word w, char *buf, size_t cap)
{
    size_t n = 0;

    if (am_word_is(w, "%"))
        w.len = 0;
    for (size_t i = 0; i < w.len; i++) {
        char c = w.s[i];

        if (c == '%') {
            const int hi = i + 2 < w.len ? hex_digit(w.s[i + 1]) : -1;
            const int lo = i + 2 < w.len ? hex_digit(w.s[i + 2]) : -1;

            if (hi < 0 || lo < 0 || hi + lo == 0)
                return false;
            c = (char)(hi * 16 + lo);
            i += 2;
        }
        if (n + 1 >= cap)
            return false;
        buf[n++] = c;
    }
    buf[n] = '\0';
    return true;
}

bool am_word_dup(struct am_word w, struct am_arena *arena, const char **out)
{
    char *copy;

    *out = NULL;
    if (am_word_is(w, "-"))
        return true;
    copy = am_arena_alloc(arena, w.len + 1); /* decoding never lengthens */
    if (!copy || !am_word_decode(w, copy, w.len + 1))
        return false;
    *out = copy;
    return true;
}

void am_word_encode(struct am_text *out, const char *s)
{
    for (; *s; s++) {
        const unsigned char c = (unsigned char)*s;

        if (c <= ' ' || c >= 0x7f || c == '%')
            am_text_addf(out, "%%%02x", c);
        else
            am_text_addn(out, s, 1);
    }
}

void am_word_add(struct am_text *out, const char *s)
{
    am_text_add(out, " ");
    if (!s)
        am_text_add(out, "-");
    else if (*s == '\0')
        am_text_add(out, "%");
    else if (strcmp(s, "-") == 0)
        am_text_add(out, "%2d");
    else
        am_word_encode(out, s);
}

bool am_word_bytes(struct am_word w, unsigned char *out, size_t cap, size_t *n)
{
    *n = w.len / 2;
    if (w.len % 2 || *n > cap)
        return false;
    for (size_t i = 0; i < *n; i++) {
        const int hi = hex_digit(w.s[2 * i]), lo = hex_digit(w.s[2 * i + 1]);

        if (hi < 0 || lo < 0)
            return false;
        out[i] = (unsigned char)(hi * 16 + lo);
    }
    return true;
}

void am_word_add_bytes(struct am_text *out, const unsigned char *bytes, size_t n)
{
    am_text_add(out, " ");
    for (size_t i = 0; i < n; i++)
        am_text_addn(out, (const char[]){hex_digits[bytes[i] >> 4], hex_digits[bytes[i] & 15]}, 2);
}

bool am_word_u64(struct am_word w, uint64_t *out)
{
    return am_parse_u64(w.s, w.len, out);
}

bool am_word_f64(struct am_word w, double *out)
{
    if (am_word_is(w, "nan")) {
        *out = NAN;
        return true;
    }
    return am_parse_f64(w.s, w.len, out);
}

void am_word_add_f64(struct am_text *out, double v)
{
    if (isfinite(v))
        am_text_addf(out, " %a", v);
    else
        am_text_add(out, " nan");
}

bool am_line_next(const char **text, size_t *len, const char **line, size_t *line_len)
{
    const char *newline;

    if (*len == 0)
        return false;
    newline = memchr(*text, '\n', *len);
    *line = *text;
    *line_len = newline ? (size_t)(newline - *text) : *len;
    *len -= *line_len + (newline != NULL);
    *text += *line_len + (newline != NULL);
    return true;
}
