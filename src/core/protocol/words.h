/* SPDX-License-Identifier: MIT */
/* Words of a protocol line: split, percent-decode, percent-encode. */
#ifndef AM_CORE_WORDS_H
#define AM_CORE_WORDS_H

#include "base/arena.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AM_WORDS_MAX = 80 }; /* a sample with every metric */

struct am_word {
    const char *s;
    size_t len;
};

struct am_words {
    struct am_word w[AM_WORDS_MAX];
    size_t n;
};

/* Splits at single spaces; false on empty words, control bytes or too many words. */
bool am_words_split(const char *line, size_t len, struct am_words *out);

bool am_word_is(struct am_word w, const char *name);
/* Decodes into buf; false on a bad escape, an escaped NUL, or when it does not fit. */
bool am_word_decode(struct am_word w, char *buf, size_t cap);
/* Decodes into the arena. "-" is NULL. False on a bad escape or refused memory. */
bool am_word_dup(struct am_word w, struct am_arena *arena, const char **out);

/* Appends " word". NULL is written "-", the empty text "%", so that every field is a word. */
void am_word_add(struct am_text *out, const char *s);
/* The same without the leading space, for parts of a word. */
void am_word_encode(struct am_text *out, const char *s);

/* Bytes as pairs of lower-case hexadecimal digits. False when the word is not that, or is more
 * than `cap` bytes. */
bool am_word_bytes(struct am_word w, unsigned char *out, size_t cap, size_t *n);
void am_word_add_bytes(struct am_text *out, const unsigned char *bytes, size_t n);

/* Numbers. Non-finite doubles travel as "nan". */
bool am_word_u64(struct am_word w, uint64_t *out);
bool am_word_f64(struct am_word w, double *out);
void am_word_add_f64(struct am_text *out, double v);

/* Takes the next line of *text (without its newline) and moves on; false at the end. */
bool am_line_next(const char **text, size_t *len, const char **line, size_t *line_len);

#endif
