/* SPDX-License-Identifier: MIT */
/* SHA-256 as FIPS 180-4 states it: pieces become blocks, which base/sha256.c takes. */
#include "base/digest.h"

#include "base/sha256.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BLOCK = 64 * 1024, LENGTH_AT = AM_DIGEST_BLOCK - 8 };

/* The first 32 bits of the fractional parts of the square roots of the first 8 primes. */
static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static void store_word(unsigned char *p, uint32_t x)
{
    for (size_t i = 0; i < 4; i++)
        p[i] = (unsigned char)(x >> (24 - 8 * i));
}

/* The fastest way that this machine can use, looked for once: asking a processor what it can do
 * takes longer than a block where a hypervisor answers. Threads that ask at once find the same. */
static am_sha256_fn *way(void)
{
    static _Atomic(am_sha256_fn *) chosen;
    am_sha256_fn *take = atomic_load_explicit(&chosen, memory_order_relaxed);
    size_t i = 0;

    if (take)
        return take;
    while (!am_sha256_ways[i].is_usable())
        i++;
    take = am_sha256_ways[i].take;
    atomic_store_explicit(&chosen, take, memory_order_relaxed);
    return take;
}

void am_digest_init(struct am_digest *d)
{
    memcpy(d->state, start, sizeof(start));
    d->length = 0;
}

void am_digest_add(struct am_digest *d, const void *data, size_t n)
{
    const unsigned char *p = data;
    const size_t used = (size_t)(d->length % AM_DIGEST_BLOCK);

    if (n == 0)
        return;
    d->length += n;
    if (used + n < AM_DIGEST_BLOCK) {
        memcpy(d->block + used, p, n);
        return;
    }
    if (used) {
        memcpy(d->block + used, p, AM_DIGEST_BLOCK - used);
        way()(d->state, d->block, 1);
        p += AM_DIGEST_BLOCK - used;
        n -= AM_DIGEST_BLOCK - used;
    }
    if (n >= AM_DIGEST_BLOCK)
        way()(d->state, p, n / AM_DIGEST_BLOCK);
    memcpy(d->block, p + (n - n % AM_DIGEST_BLOCK), n % AM_DIGEST_BLOCK);
}

/* A bit 1, zeros, and the length in bits as the last eight bytes of a block. */
void am_digest_finish(struct am_digest *d, unsigned char out[AM_DIGEST_BYTES])
{
    static const unsigned char padding[AM_DIGEST_BLOCK] = {0x80};
    const uint64_t bits = d->length * 8;
    const size_t used = (size_t)(d->length % AM_DIGEST_BLOCK);
    unsigned char length[8];

    store_word(length, (uint32_t)(bits >> 32));
    store_word(length + 4, (uint32_t)bits);
    am_digest_add(d, padding,
                  used < LENGTH_AT ? LENGTH_AT - used : AM_DIGEST_BLOCK + LENGTH_AT - used);
    am_digest_add(d, length, sizeof(length));
    for (size_t i = 0; i < 8; i++)
        store_word(out + 4 * i, d->state[i]);
}

/* ---- with a key ---- */

static void begin_padded(struct am_digest *d, const unsigned char key[AM_DIGEST_BLOCK],
                         unsigned char mask)
{
    unsigned char padded[AM_DIGEST_BLOCK];

    for (size_t i = 0; i < AM_DIGEST_BLOCK; i++)
        padded[i] = key[i] ^ mask;
    am_digest_init(d);
    am_digest_add(d, padded, sizeof(padded));
}

void am_digest_mac(const void *key, size_t key_len, const void *data, size_t n,
                   unsigned char out[AM_DIGEST_BYTES])
{
    unsigned char whole[AM_DIGEST_BLOCK] = {0}, inner[AM_DIGEST_BYTES];
    struct am_digest d;

    if (key_len > AM_DIGEST_BLOCK) {
        am_digest_init(&d);
        am_digest_add(&d, key, key_len);
        am_digest_finish(&d, whole);
    } else if (key_len) {
        memcpy(whole, key, key_len);
    }
    begin_padded(&d, whole, 0x36);
    am_digest_add(&d, data, n);
    am_digest_finish(&d, inner);
    begin_padded(&d, whole, 0x5c);
    am_digest_add(&d, inner, sizeof(inner));
    am_digest_finish(&d, out);
}

/* ---- texts and files ---- */

void am_digest_text(const unsigned char bytes[AM_DIGEST_BYTES], char out[AM_DIGEST_TEXT])
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < AM_DIGEST_BYTES; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[AM_DIGEST_TEXT - 1] = '\0';
}

void am_digest_string(const char *text, char out[AM_DIGEST_TEXT])
{
    unsigned char bytes[AM_DIGEST_BYTES];
    struct am_digest d;

    am_digest_init(&d);
    am_digest_add(&d, text, strlen(text));
    am_digest_finish(&d, bytes);
    am_digest_text(bytes, out);
}

bool am_digest_file(const char *path, char out[AM_DIGEST_TEXT])
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    unsigned char block[FILE_BLOCK], bytes[AM_DIGEST_BYTES];
    struct am_digest d;
    ssize_t n = -1;

    out[0] = '\0';
    am_digest_init(&d);
    while (fd >= 0 && (n = read(fd, block, sizeof(block))) > 0)
        am_digest_add(&d, block, (size_t)n);
    if (fd >= 0)
        (void)close(fd);
    if (n != 0)
        return false;
    am_digest_finish(&d, bytes);
    am_digest_text(bytes, out);
    return true;
}
