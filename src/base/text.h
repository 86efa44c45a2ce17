/* SPDX-License-Identifier: MIT */
/* Bounded text: a buffer that grows up to a limit, numbers parsed with full checks, and the search
 * for names, also for the nearest valid one to suggest.
 *
 * Nothing here writes beyond a buffer or cuts silently: functions that may not fit return false or
 * set `overflow`. Parsers of numbers accept the whole text or nothing. */
#ifndef AM_BASE_TEXT_H
#define AM_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A NUL-terminated buffer that grows up to `limit` bytes. Once an addition does not fit (or memory
 * is refused) `overflow` is set and stays set; the text before it is kept. */
struct am_text {
    char *data; /* NULL until the first addition; use am_text_str() to read */
    size_t len, cap, limit;
    bool overflow;
};

void am_text_init(struct am_text *t, size_t limit);
void am_text_fini(struct am_text *t); /* accepts a zeroed struct */
void am_text_clear(struct am_text *t);
const char *am_text_str(const struct am_text *t); /* never NULL */
void am_text_add(struct am_text *t, const char *s);
void am_text_addn(struct am_text *t, const char *s, size_t n);
void am_text_addf(struct am_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void am_text_vaddf(struct am_text *t, const char *fmt, va_list ap);

/* Copies at most cap-1 bytes and terminates; returns false when `src` was cut. */
bool am_str_copy(char *dst, size_t cap, const char *src);

/* snprintf into a bounded buffer; returns false when the text was cut. */
bool am_str_format(char *dst, size_t cap, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The whole of s[0..n) must be the number: no spaces, no rest, no overflow. Doubles also accept
 * the %a form, and are parsed in the C locale's syntax; "nan" and "inf" are refused. */
bool am_parse_u64(const char *s, size_t n, uint64_t *out);
bool am_parse_i64(const char *s, size_t n, int64_t *out);
bool am_parse_f64(const char *s, size_t n, double *out);
/* A duration with its unit (us, ms, s, m or min, h) in seconds. */
bool am_parse_duration(const char *text, double *seconds);

/* The index of `text` in `names`, or -1. Looks at n names, and at none behind a NULL; a table that
 * is ended by NULL may say AM_NAMES_ENDED in place of its length. `text` may be NULL: no name. */
#define AM_NAMES_ENDED SIZE_MAX
int am_name_index(const char *const *names, size_t n, const char *text);

/* The name of `names` (n of them, NULL entries passed over) nearest to `word` by edit distance;
 * else the only one that begins with it; else NULL: none is near enough to be a likely typing
 * error. */
const char *am_nearest(const char *word, const char *const *names, size_t n);

/* Shell-like match of `*` and `?` over the whole name (no classes, no escapes). */
bool am_glob_match(const char *pattern, const char *name);
/* The same of any of several patterns, ended by NULL. */
bool am_glob_any(const char *const *patterns, const char *name);

#endif
