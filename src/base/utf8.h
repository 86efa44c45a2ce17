/* SPDX-License-Identifier: MIT */
/* Characters of texts that may come from anybody: which bytes are UTF-8, and which characters may
 * be shown as they are. */
#ifndef AM_BASE_UTF8_H
#define AM_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the well-formed sequence at s (no overlong forms, no surrogates), 0 if there is none.
 * `s` is terminated by NUL, which is a sequence of length 1 too. */
size_t am_utf8_length(const char *s);

/* The character of the well-formed sequence of this length at s. */
uint32_t am_utf8_code(const char *s, size_t len);

/* False of characters that steer a terminal or make a text look like another: controls (also those
 * of 0x80 to 0x9f), marks of writing direction, separators of lines and paragraphs, invisible tags.
 * Line feeds and tabs are controls. */
bool am_char_is_plain(uint32_t code);

/* Length of the sequence at s if it is well-formed and may be shown as it is; 0 otherwise: one byte
 * is then to be replaced. */
size_t am_utf8_plain(const char *s);

#endif
