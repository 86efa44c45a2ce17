/* SPDX-License-Identifier: MIT */
/* What kernels/local.cl must find; the names are those of that file. */
#include "bench/ocl/host/walk.h"

enum { STEP = 5 };

static const uint32_t factor = UINT32_C(2654435761);

static uint32_t area(const struct am_ocl_walk *walk)
{
    return AM_OCL_WALK_BYTES / (uint32_t)sizeof(uint32_t) / walk->width;
}

static uint32_t hop(const struct am_ocl_walk *walk)
{
    return area(walk) / 32;
}

uint32_t am_ocl_walk_place(const struct am_ocl_walk *walk, uint32_t lane, uint32_t turn, uint32_t i)
{
    const uint32_t at = lane * walk->stride + turn * STEP;

    return (at & (area(walk) / 2 - 1)) + i * hop(walk);
}

uint32_t am_ocl_walk_elements(const struct am_ocl_walk *walk)
{
    return area(walk);
}

uint32_t am_ocl_walk_result(const struct am_ocl_walk *walk, uint32_t lane, uint32_t turns)
{
    uint32_t sum = 0;

    for (uint32_t t = 0; t < turns; t++) {
        for (uint32_t i = 0; i < AM_OCL_WALK_ACCESSES; i++)
            sum += am_ocl_walk_place(walk, lane, t, i) * factor ^ walk->key;
    }
    return walk->width * sum;
}

/* Whether a turn that begins at `at` comes by the element. */
static bool comes_by(const struct am_ocl_walk *walk, uint32_t at, uint32_t element)
{
    const uint32_t away = element - (at & (area(walk) / 2 - 1));

    return away % hop(walk) == 0 && away / hop(walk) < AM_OCL_WALK_ACCESSES;
}

/* Whether the work-item comes by the element in one of the turns from `from` on. The beginnings of
 * its turns repeat after as many turns as there are places to begin: STEP is odd, they a power of
 * two. */
static bool comes_again(const struct am_ocl_walk *walk, uint32_t lane, uint32_t element,
                        uint32_t from, uint32_t turns)
{
    const uint32_t period = area(walk) / 2;

    for (uint32_t t = from; t < turns && t - from < period; t++) {
        if (comes_by(walk, lane * walk->stride + t * STEP, element))
            return true;
    }
    return false;
}

uint32_t am_ocl_walk_left(const struct am_ocl_walk *walk, uint32_t lane, uint32_t element,
                          uint32_t turns)
{
    const uint32_t period = area(walk) / 2;

    for (uint32_t back = 0; back < turns && back < period; back++) {
        const uint32_t at = lane * walk->stride + (turns - 1 - back) * STEP;

        if (comes_by(walk, at, element))
            return at * factor ^ walk->key;
    }
    return ~walk->key;
}

/* The number whose product with the factor is 1: each round doubles the bits that are right. */
static uint32_t inverse(void)
{
    uint32_t x = factor;

    for (int i = 0; i < 5; i++)
        x *= 2 - factor * x;
    return x;
}

bool am_ocl_walk_may_hold(const struct am_ocl_walk *walk, uint32_t element, uint32_t turns,
                          uint32_t value)
{
    const bool untouched = value == ~walk->key;
    const uint32_t at = (value ^ walk->key) * inverse();

    if (!untouched && !comes_by(walk, at, element))
        return false;
    for (uint32_t lane = 0; lane < walk->group; lane++) {
        const uint32_t since = at - lane * walk->stride, turn = since / STEP;

        if (untouched && comes_again(walk, lane, element, 0, turns))
            return false;
        if (!untouched && since % STEP == 0 && turn < turns &&
            !comes_again(walk, lane, element, turn + 1, turns))
            return true;
    }
    return untouched;
}
