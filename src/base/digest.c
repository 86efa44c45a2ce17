/* SPDX-License-Identifier: MIT */
/* SHA-256 as FIPS 180-4 states it, in portable C. */
#include "base/digest.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BLOCK = 64 * 1024, ROUNDS = 64, LENGTH_AT = AM_DIGEST_BLOCK - 8 };

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t k[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* The first 32 bits of the fractional parts of the square roots of the first 8 primes. */
static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static uint32_t rotated(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static uint32_t load_word(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void store_word(unsigned char *p, uint32_t x)
{
    for (size_t i = 0; i < 4; i++)
        p[i] = (unsigned char)(x >> (24 - 8 * i));
}

static void expand(const unsigned char *block, uint32_t w[ROUNDS])
{
    for (size_t i = 0; i < 16; i++)
        w[i] = load_word(block + 4 * i);
    for (size_t i = 16; i < ROUNDS; i++) {
        const uint32_t a = w[i - 15], b = w[i - 2];

        w[i] = w[i - 16] + w[i - 7] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) +
               (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
    }
}

static void take_block(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[ROUNDS];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];

    expand(block, w);
    for (size_t i = 0; i < ROUNDS; i++) {
        const uint32_t t1 = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) +
                            (g ^ (e & (f ^ g))) + k[i] + w[i];
        const uint32_t t2 =
            (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) | (c & (a | b)));

        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
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
        take_block(d->state, d->block);
        p += AM_DIGEST_BLOCK - used;
        n -= AM_DIGEST_BLOCK - used;
    }
    for (; n >= AM_DIGEST_BLOCK; p += AM_DIGEST_BLOCK, n -= AM_DIGEST_BLOCK)
        take_block(d->state, p);
    memcpy(d->block, p, n);
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
