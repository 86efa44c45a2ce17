/* SPDX-License-Identifier: MIT */
/* Deterministic random numbers: xoshiro256** (Blackman and Vigna), seeded by splitmix64. */
#include "base/rng.h"

#include <sys/random.h>
#include <time.h>

static uint64_t splitmix(uint64_t *x)
{
    uint64_t z = (*x += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t rotl(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

void am_rng_seed(struct am_rng *r, uint64_t seed, uint64_t stream)
{
    uint64_t x = seed;

    x = splitmix(&x) ^ stream;
    for (int i = 0; i < 4; i++)
        r->s[i] = splitmix(&x);
}

uint64_t am_rng_u64(struct am_rng *r)
{
    uint64_t *s = r->s;
    const uint64_t result = rotl(s[1] * 5, 7) * 9;
    const uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}

uint64_t am_rng_below(struct am_rng *r, uint64_t bound)
{
    const uint64_t limit = -bound % bound; /* values below it would favour small results */
    uint64_t x;

    do {
        x = am_rng_u64(r);
    } while (x < limit);
    return x % bound;
}

double am_rng_unit(struct am_rng *r)
{
    return (double)(am_rng_u64(r) >> 11) * 0x1.0p-53;
}

void am_rng_shuffle(struct am_rng *r, size_t *items, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        const size_t j = (size_t)am_rng_below(r, i);
        const size_t t = items[i - 1];

        items[i - 1] = items[j];
        items[j] = t;
    }
}

uint64_t am_rng_entropy(void)
{
    uint64_t x;
    struct timespec ts;

    if (getrandom(&x, sizeof(x), 0) == (ssize_t)sizeof(x))
        return x;
    (void)clock_gettime(CLOCK_REALTIME, &ts);
    x = (uint64_t)ts.tv_sec * 1000000007u ^ (uint64_t)ts.tv_nsec;
    return splitmix(&x);
}
