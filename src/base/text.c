/* SPDX-License-Identifier: MIT */
/* Bounded text: growing buffer, number parsing, name search. */
#include "base/text.h"

#include "base/array.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_CAP = 64, NEAREST_CAP = 64 };

void am_text_init(struct am_text *t, size_t limit)
{
    *t = (struct am_text){.limit = limit};
}

void am_text_fini(struct am_text *t)
{
    free(t->data);
    *t = (struct am_text){.limit = t->limit};
}

void am_text_clear(struct am_text *t)
{
    t->len = 0;
    t->overflow = false;
    if (t->data)
        t->data[0] = '\0';
}

const char *am_text_str(const struct am_text *t)
{
    return t->data ? t->data : "";
}

/* Makes room for `more` bytes and the terminator. */
static bool reserve(struct am_text *t, size_t more)
{
    if (t->overflow || more > t->limit || t->len > t->limit - more) {
        t->overflow = true;
        return false;
    }
    t->overflow = !am_array_reserve(NULL, &t->data, t->len, &t->cap, more + 1, 1);
    return !t->overflow;
}

void am_text_addn(struct am_text *t, const char *s, size_t n)
{
    if (!reserve(t, n))
        return;
    memcpy(t->data + t->len, s, n);
    t->len += n;
    t->data[t->len] = '\0';
}

void am_text_add(struct am_text *t, const char *s)
{
    am_text_addn(t, s, strlen(s));
}

void am_text_vaddf(struct am_text *t, const char *fmt, va_list ap)
{
    va_list again;
    int n;

    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    if (n >= 0 && reserve(t, (size_t)n)) {
        (void)vsnprintf(t->data + t->len, (size_t)n + 1, fmt, again);
        t->len += (size_t)n;
    }
    va_end(again);
}

void am_text_addf(struct am_text *t, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    am_text_vaddf(t, fmt, ap);
    va_end(ap);
}

bool am_str_copy(char *dst, size_t cap, const char *src)
{
    const size_t n = strlen(src);
    const size_t keep = n < cap ? n : cap - 1;

    memcpy(dst, src, keep);
    dst[keep] = '\0';
    return keep == n;
}

bool am_str_format(char *dst, size_t cap, const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(dst, cap, fmt, ap);
    va_end(ap);
    return n >= 0 && (size_t)n < cap;
}

bool am_parse_u64(const char *s, size_t n, uint64_t *out)
{
    uint64_t v = 0;

    if (n == 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        const unsigned digit = (unsigned)(unsigned char)s[i] - '0';

        if (digit > 9 || v > (UINT64_MAX - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    *out = v;
    return true;
}

bool am_parse_i64(const char *s, size_t n, int64_t *out)
{
    const bool negative = n > 0 && s[0] == '-';
    uint64_t u;

    if (!am_parse_u64(s + negative, n - negative, &u))
        return false;
    if (u > (uint64_t)INT64_MAX)
        return false;
    *out = negative ? -(int64_t)u : (int64_t)u;
    return true;
}

bool am_parse_f64(const char *s, size_t n, double *out)
{
    static const char begins[] = "+-.0123456789";
    char buf[NUMBER_CAP];
    char *end;
    double v;

    if (n == 0 || n >= sizeof(buf) || !memchr(begins, s[0], sizeof(begins) - 1))
        return false;
    memcpy(buf, s, n);
    buf[n] = '\0';
    errno = 0;
    v = strtod(buf, &end);
    if (end != buf + n || !isfinite(v))
        return false;
    *out = v;
    return true;
}

bool am_parse_duration(const char *text, double *seconds)
{
    static const struct {
        const char *suffix;
        double factor;
    } units[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}};
    const size_t digits = strspn(text, "0123456789.");
    double v;

    if (!am_parse_f64(text, digits, &v))
        return false;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(text + digits, units[i].suffix) == 0) {
            *seconds = v * units[i].factor;
            return true;
        }
    }
    return false;
}

/* Edit distance with adjacent swaps (optimal string alignment); `cap` when a word is too long. */
static size_t distance(const char *a, const char *b, size_t cap)
{
    const size_t la = strlen(a), lb = strlen(b);
    size_t row[3][NEAREST_CAP + 1];

    if (la > NEAREST_CAP || lb > NEAREST_CAP)
        return cap;
    for (size_t j = 0; j <= lb; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t *cur = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];

        cur[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t best = up[j - 1] + (a[i - 1] != b[j - 1]);

            if (up[j] + 1 < best)
                best = up[j] + 1;
            if (cur[j - 1] + 1 < best)
                best = cur[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                up2[j - 2] + 1 < best)
                best = up2[j - 2] + 1;
            cur[j] = best;
        }
    }
    return row[la % 3][lb];
}

int am_name_index(const char *const *names, size_t n, const char *text)
{
    for (size_t i = 0; text && i < n && names[i]; i++) {
        if (strcmp(names[i], text) == 0)
            return (int)i;
    }
    return -1;
}

/* The only name that begins with the word, of two letters at least; NULL: none or several do. */
static const char *only_begun(const char *word, const char *const *names, size_t n)
{
    const size_t len = strlen(word);
    const char *found = NULL;

    for (size_t i = 0; len >= 2 && i < n; i++) {
        if (!names[i] || strncmp(names[i], word, len) != 0)
            continue;
        if (found)
            return NULL;
        found = names[i];
    }
    return found;
}

const char *am_nearest(const char *word, const char *const *names, size_t n)
{
    const size_t len = strlen(word);
    const char *best = NULL;
    size_t best_distance = len > 2 ? len / 2 + 1 : 2; /* as far or further is no typing error */

    for (size_t i = 0; i < n; i++) {
        size_t d;

        if (!names[i])
            continue;
        d = distance(word, names[i], best_distance);
        if (d < best_distance) {
            best_distance = d;
            best = names[i];
        }
    }
    return best ? best : only_begun(word, names, n);
}

bool am_glob_match(const char *pattern, const char *name)
{
    const char *star = NULL, *resume = NULL;

    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            resume = name;
        } else if (*pattern == '?' || *pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

bool am_glob_any(const char *const *patterns, const char *name)
{
    while (*patterns && !am_glob_match(*patterns, name))
        patterns++;
    return *patterns != NULL;
}
