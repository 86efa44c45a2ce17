/* SPDX-License-Identifier: MIT */
/* Well-formed UTF-8, for writers whose readers accept nothing else. */
#ifndef AM_DOCUMENT_UTF8_H
#define AM_DOCUMENT_UTF8_H

#include <stddef.h>

/* Length of the well-formed sequence at s (no overlong forms, no surrogates), 0 if there is none.
 * `s` is terminated by NUL, which is a sequence of length 1 too. */
size_t am_utf8_length(const char *s);

#endif
