/* SPDX-License-Identifier: MIT */
/* Blocks of SHA-256 as FIPS 180-4 states it: in portable C, by the SHA extensions of x86, by the
 * SHA2 extension of AArch64. */
#include "base/sha256.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#elif defined(__aarch64__) && !defined(__clang__)
#include <arm_neon.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#define HAS_ARM_WAY 1
#endif

enum { ROUNDS = 64, AT_ONCE = 16 /* rounds for which the words of a block last */ };

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

/* ---- portable ---- */

static uint32_t rotated(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static uint32_t load_word(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
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

static void take_one(uint32_t state[AM_SHA256_WORDS], const unsigned char *block)
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

static bool is_always_usable(void)
{
    return true;
}

static void take_portably(uint32_t state[AM_SHA256_WORDS], const unsigned char *blocks, size_t n)
{
    for (; n > 0; n--, blocks += AM_SHA256_BLOCK)
        take_one(state, blocks);
}

/* ---- by the SHA extensions of x86 ---- */

#if defined(__x86_64__)
#define BY_SHA __attribute__((target("sha,sse4.1,ssse3")))

static bool has_sha(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_1) && (c & bit_SSSE3) &&
           __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

/* The state as the instructions want it, the word named first in the highest place. */
struct x86_state {
    __m128i abef, cdgh;
};

BY_SHA static inline __m128i load_four(const void *p)
{
    return _mm_loadu_si128(p);
}

BY_SHA static inline void do_four(struct x86_state *s, __m128i words, const uint32_t *constants)
{
    const __m128i x = _mm_add_epi32(words, load_four(constants));

    s->cdgh = _mm_sha256rnds2_epu32(s->cdgh, s->abef, x);
    s->abef = _mm_sha256rnds2_epu32(s->abef, s->cdgh, _mm_shuffle_epi32(x, 0x0e));
}

/* The four words that follow sixteen: w0 to w3, four each. */
BY_SHA static inline __m128i next_four(__m128i w0, __m128i w1, __m128i w2, __m128i w3)
{
    const __m128i x = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));

    return _mm_sha256msg2_epu32(x, w3);
}

BY_SHA static inline void do_block(struct x86_state *s, const unsigned char *block)
{
    const __m128i turned = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i w0 = _mm_shuffle_epi8(load_four(block), turned);
    __m128i w1 = _mm_shuffle_epi8(load_four(block + 16), turned);
    __m128i w2 = _mm_shuffle_epi8(load_four(block + 32), turned);
    __m128i w3 = _mm_shuffle_epi8(load_four(block + 48), turned);

    for (size_t i = 0; i < ROUNDS; i += AT_ONCE) {
        do_four(s, w0, k + i);
        w0 = next_four(w0, w1, w2, w3);
        do_four(s, w1, k + i + 4);
        w1 = next_four(w1, w2, w3, w0);
        do_four(s, w2, k + i + 8);
        w2 = next_four(w2, w3, w0, w1);
        do_four(s, w3, k + i + 12);
        w3 = next_four(w3, w0, w1, w2);
    }
}

BY_SHA static void take_by_sha(uint32_t state[AM_SHA256_WORDS], const unsigned char *blocks,
                               size_t n)
{
    const __m128i cdab = _mm_shuffle_epi32(load_four(state), 0xb1);
    const __m128i efgh = _mm_shuffle_epi32(load_four(state + 4), 0x1b);
    struct x86_state s = {_mm_alignr_epi8(cdab, efgh, 8), _mm_blend_epi16(efgh, cdab, 0xf0)};
    __m128i feba, dchg;

    for (; n > 0; n--, blocks += AM_SHA256_BLOCK) {
        const struct x86_state before = s;

        do_block(&s, blocks);
        s.abef = _mm_add_epi32(s.abef, before.abef);
        s.cdgh = _mm_add_epi32(s.cdgh, before.cdgh);
    }
    feba = _mm_shuffle_epi32(s.abef, 0x1b);
    dchg = _mm_shuffle_epi32(s.cdgh, 0xb1);
    _mm_storeu_si128((void *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((void *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}
#endif

/* ---- by the SHA2 extension of AArch64 ---- */

#if defined(HAS_ARM_WAY)
#define BY_SHA __attribute__((target("+crypto")))

static bool has_sha(void)
{
    return getauxval(AT_HWCAP) & HWCAP_SHA2;
}

struct arm_state {
    uint32x4_t abcd, efgh;
};

BY_SHA static inline uint32x4_t load_four(const unsigned char *p)
{
    return vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(p)));
}

BY_SHA static inline void do_four(struct arm_state *s, uint32x4_t words, const uint32_t *constants)
{
    const uint32x4_t x = vaddq_u32(words, vld1q_u32(constants)), abcd = s->abcd;

    s->abcd = vsha256hq_u32(abcd, s->efgh, x);
    s->efgh = vsha256h2q_u32(s->efgh, abcd, x);
}

/* The four words that follow sixteen: w0 to w3, four each. */
BY_SHA static inline uint32x4_t next_four(uint32x4_t w0, uint32x4_t w1, uint32x4_t w2,
                                          uint32x4_t w3)
{
    return vsha256su1q_u32(vsha256su0q_u32(w0, w1), w2, w3);
}

BY_SHA static inline void do_block(struct arm_state *s, const unsigned char *block)
{
    uint32x4_t w0 = load_four(block), w1 = load_four(block + 16);
    uint32x4_t w2 = load_four(block + 32), w3 = load_four(block + 48);

    for (size_t i = 0; i < ROUNDS; i += AT_ONCE) {
        do_four(s, w0, k + i);
        w0 = next_four(w0, w1, w2, w3);
        do_four(s, w1, k + i + 4);
        w1 = next_four(w1, w2, w3, w0);
        do_four(s, w2, k + i + 8);
        w2 = next_four(w2, w3, w0, w1);
        do_four(s, w3, k + i + 12);
        w3 = next_four(w3, w0, w1, w2);
    }
}

BY_SHA static void take_by_sha(uint32_t state[AM_SHA256_WORDS], const unsigned char *blocks,
                               size_t n)
{
    struct arm_state s = {vld1q_u32(state), vld1q_u32(state + 4)};

    for (; n > 0; n--, blocks += AM_SHA256_BLOCK) {
        const struct arm_state before = s;

        do_block(&s, blocks);
        s.abcd = vaddq_u32(s.abcd, before.abcd);
        s.efgh = vaddq_u32(s.efgh, before.efgh);
    }
    vst1q_u32(state, s.abcd);
    vst1q_u32(state + 4, s.efgh);
}
#endif

const struct am_sha256 am_sha256_ways[] = {
#if defined(__x86_64__) || defined(HAS_ARM_WAY)
    {"sha instructions", has_sha, take_by_sha},
#endif
    {"portable", is_always_usable, take_portably},
    {NULL, NULL, NULL},
};
