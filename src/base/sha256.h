/* SPDX-License-Identifier: MIT */
/* The compression of SHA-256: how blocks of 64 bytes change the state of eight words.
 *
 * There is one way in portable C, and one per kind of instructions that processors have for it.
 * base/digest.c takes the first that this machine can use; all give the same words. Others use
 * base/digest.h; only its test looks at the single ways. */
#ifndef AM_BASE_SHA256_H
#define AM_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AM_SHA256_WORDS = 8, AM_SHA256_BLOCK = 64 };

typedef void am_sha256_fn(uint32_t state[AM_SHA256_WORDS], const unsigned char *blocks, size_t n);

struct am_sha256 {
    const char *name;
    bool (*is_usable)(void); /* on this machine */
    am_sha256_fn *take;
};

/* The fastest first; the last is portable C, which is always usable. An end has no name. */
extern const struct am_sha256 am_sha256_ways[];

#endif
