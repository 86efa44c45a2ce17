/* SPDX-License-Identifier: MIT */
/* A short fingerprint of a file, to tell two programs apart. It guards against confusion, not
 * against people who want it to collide. */
#ifndef AM_BASE_DIGEST_H
#define AM_BASE_DIGEST_H

#include <stdbool.h>

enum { AM_DIGEST_TEXT = 17 }; /* 16 hexadecimal digits and the end */

/* False, and "" in `out`, when the file cannot be read. */
bool am_digest_file(const char *path, char out[AM_DIGEST_TEXT]);

/* The same of a text. */
void am_digest_text(const char *text, char out[AM_DIGEST_TEXT]);

#endif
