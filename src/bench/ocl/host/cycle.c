/* SPDX-License-Identifier: MIT */
/* Orders in which a chase goes through all lines of a set. */
#include "bench/ocl/host/cycle.h"

#include <stddef.h>

static const uint64_t primes[] = {2, 3, 5, 7};
enum { PRIMES = sizeof(primes) / sizeof(primes[0]) };

/* factor - 1 is a multiple of every prime of the lines, and of 4 where they are: near the golden
 * section of them, so that a step leads far away. The shift has no prime of them. */
enum am_status am_cycle_make(struct am_cycle *c, uint64_t lines, struct am_err *err)
{
    uint64_t rest = lines, common = 4;

    for (size_t i = 0; i < PRIMES && rest; i++) {
        if (rest % primes[i] == 0)
            common *= i ? primes[i] : 1;
        while (rest % primes[i] == 0)
            rest /= primes[i];
    }
    if (rest != 1 || lines > UINT64_C(1) << AM_CYCLE_LINES_LOG_MAX)
        return am_fail(err, AM_E_ABSENT,
                       "%llu lines: a product of 2, 3, 5 and 7, at most 2^%d, or there is no order",
                       (unsigned long long)lines, AM_CYCLE_LINES_LOG_MAX);
    c->lines = lines;
    c->factor = lines * 618 / 1000 / common * common + 1;
    c->shift = lines * 211 / 1000 | 1;
    while (c->shift % 3 == 0 || c->shift % 5 == 0 || c->shift % 7 == 0)
        c->shift += 2;
    c->shift %= lines;
    return AM_OK;
}

/* By squaring: the step made twice, four times, ... is a step of the same kind. Products stay below
 * 2^62. */
uint64_t am_cycle_after(const struct am_cycle *c, uint64_t start, uint64_t steps)
{
    uint64_t factor = c->factor % c->lines, shift = c->shift % c->lines, at = start % c->lines;

    for (; steps; steps /= 2) {
        if (steps % 2)
            at = (factor * at + shift) % c->lines;
        shift = (factor * shift + shift) % c->lines;
        factor = factor * factor % c->lines;
    }
    return at;
}
