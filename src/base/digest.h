/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4) of bytes and files, and HMAC-SHA-256 (RFC 2104) with a key.
 *
 * A digest tells whether two things are the same, against accidents and against people: programs
 * of workers, the rows of a results file, the text of an experiment. Who made the thing it does
 * not tell; a MAC does, to whoever has the key. Bytes are added piece by piece; how they are parted
 * does not matter. Nothing is allocated. */
#ifndef AM_BASE_DIGEST_H
#define AM_BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    AM_DIGEST_BYTES = 32,
    AM_DIGEST_BLOCK = 64,
    AM_DIGEST_TEXT = 2 * AM_DIGEST_BYTES + 1, /* hexadecimal digits and the end */
};

struct am_digest {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    unsigned char block[AM_DIGEST_BLOCK];
};

void am_digest_init(struct am_digest *d);
void am_digest_add(struct am_digest *d, const void *data, size_t n);
/* Nothing may be added afterwards. */
void am_digest_finish(struct am_digest *d, unsigned char out[AM_DIGEST_BYTES]);

void am_digest_mac(const void *key, size_t key_len, const void *data, size_t n,
                   unsigned char out[AM_DIGEST_BYTES]);

/* As hexadecimal digits. */
void am_digest_text(const unsigned char bytes[AM_DIGEST_BYTES], char out[AM_DIGEST_TEXT]);
/* Of a text without its end, as hexadecimal digits. */
void am_digest_string(const char *text, char out[AM_DIGEST_TEXT]);
/* False, and "" in `out`, when the file cannot be read. */
bool am_digest_file(const char *path, char out[AM_DIGEST_TEXT]);

#endif
