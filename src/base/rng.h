/* SPDX-License-Identifier: MIT */
/* Deterministic random numbers (xoshiro256**, seeded by splitmix64).
 *
 * The same seed gives the same numbers on every machine: the seed of a run is stored with it, and
 * the order of launches and the data of kernels can be repeated from it. Not for secrets. */
#ifndef AM_BASE_RNG_H
#define AM_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct am_rng {
    uint64_t s[4];
};

/* Two words so that independent streams can be derived from one recorded seed. */
void am_rng_seed(struct am_rng *r, uint64_t seed, uint64_t stream);
uint64_t am_rng_u64(struct am_rng *r);
uint64_t am_rng_below(struct am_rng *r, uint64_t bound); /* uniform in [0, bound), bound > 0 */
double am_rng_unit(struct am_rng *r);                    /* uniform in [0, 1) */
void am_rng_shuffle(struct am_rng *r, size_t *items, size_t n);
uint64_t am_rng_entropy(void); /* a fresh seed from the system */

#endif
