/* SPDX-License-Identifier: MIT */
/* ocl.builtin: one function by chains of dependent calls, and call by call for its error.
 *
 * -DREAL=float|double -DBITS=uint|ulong -DSIGNED=int|long -DWIDTH=1|2|4|8|16 -DCHAINS=2|4
 * -DCALL=sin(x): may name x, y, z, n (y as an integer), p and e (second results)
 * -DRESULT=0..4: real, int, real and p, real and e, real moved by z
 * -DPREVIOUS=0|1: the second operand is the argument, or the previous operand of the chain
 *
 * A result becomes the next operand by its mantissa: (bits & mask) ^ key, where mask, exponent and
 * sign are arguments. So operands stay in the function's domain, and compilers know nothing of them.
 */
#if WIDTH == 1
#define VEC(t) t
#else
#define VEC(t) JOIN(t, WIDTH)
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

typedef VEC(REAL) real_t;
typedef VEC(BITS) bits_t;
typedef VEC(int) int_t;

#define TO_BITS(x) JOIN(as_, VEC(BITS))(x)
#define TO_REAL(x) JOIN(as_, VEC(REAL))(x)
#define INT_BITS(x) TO_BITS(JOIN(convert_, VEC(SIGNED))(x))
#define INT_REAL(x) JOIN(convert_, VEC(REAL))(x)
#define REAL_INT(x) JOIN(convert_, VEC(int))(x)

#if WIDTH == 1
#define LANES 0
#elif WIDTH == 2
#define LANES (bits_t)(0, 1)
#elif WIDTH == 4
#define LANES (bits_t)(0, 1, 2, 3)
#elif WIDTH == 8
#define LANES (bits_t)(0, 1, 2, 3, 4, 5, 6, 7)
#else
#define LANES (bits_t)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#endif

#if RESULT == 1
typedef int_t result_t;
#define RESULT_BITS INT_BITS(r)
#define FIRST INT_REAL(r)
#define SECOND (real_t)0
#else
typedef real_t result_t;
#define FIRST r
#endif
#if RESULT == 0
#define RESULT_BITS TO_BITS(r)
#define SECOND (real_t)0
#elif RESULT == 2
#define RESULT_BITS (TO_BITS(r) ^ TO_BITS(p))
#define SECOND p
#elif RESULT == 3
#define RESULT_BITS (TO_BITS(r) ^ INT_BITS(e))
#define SECOND INT_REAL(e)
#elif RESULT == 4
#define RESULT_BITS TO_BITS(r - z)
#define SECOND (real_t)0
#endif

static inline bits_t am_call(const real_t x, const real_t y, const real_t z)
{
    const int_t n = REAL_INT(y);
    real_t p = x;
    int_t e = n;
    const result_t r = CALL;

    return RESULT_BITS;
}

/* Two chains of one work-item, or two work-items, never start alike. */
static inline real_t am_start(const ulong chain, const BITS mask, const BITS key, const BITS seed)
{
    const bits_t i = (bits_t)((BITS)chain * WIDTH) + LANES;

    return TO_REAL((((i + seed) * (BITS)0x9e3779b97f4a7c15UL) & mask) ^ key);
}

#if PREVIOUS
#define OTHER(i) am_start(i, mask, key, ~seed)
#define AGAIN(x, y) x
#else
#define OTHER(i) (real_t)second
#define AGAIN(x, y) y
#endif

#define BEGIN(c) \
    real_t x##c = am_start(first + c, mask, key, seed); \
    real_t y##c = OTHER(first + c)
#define STEP(c) \
    { \
        const real_t next = TO_REAL((am_call(x##c, y##c, z) & mask) ^ now); \
        y##c = AGAIN(x##c, y##c); \
        x##c = next; \
    }

/* Changes the mantissa from turn to turn: no chain stays in a short cycle. */
#define TURN(i) (key ^ (((BITS)(i) * (BITS)0x9e3779b97f4a7c15UL) & mask))

__kernel void am_builtin_rate(__global bits_t *out, const uint turns, const BITS mask,
                              const BITS key, const BITS seed, const REAL second,
                              const REAL third)
{
    const ulong first = (ulong)get_global_id(0) * CHAINS;
    const real_t z = (real_t)third;

    BEGIN(0);
    BEGIN(1);
#if CHAINS == 4
    BEGIN(2);
    BEGIN(3);
#endif
    for (uint i = 1; i <= turns; i++) {
        const BITS now = TURN(i);

        STEP(0)
        STEP(1)
#if CHAINS == 4
        STEP(2)
        STEP(3)
#endif
    }
#if CHAINS == 4
    out[get_global_id(0)] = TO_BITS(x0) + 3 * TO_BITS(x1) + 5 * TO_BITS(x2) + 7 * TO_BITS(x3);
#else
    out[get_global_id(0)] = TO_BITS(x0) + 3 * TO_BITS(x1);
#endif
}

__kernel void am_builtin_time(__global bits_t *out, const uint turns, const BITS mask,
                              const BITS key, const BITS seed, const REAL second,
                              const REAL third)
{
    const ulong first = get_global_id(0);
    const real_t z = (real_t)third;

    BEGIN(0);
    for (uint i = 1; i <= turns; i++) {
        const BITS now = TURN(i);

        STEP(0)
    }
    out[get_global_id(0)] = TO_BITS(x0);
}

__kernel void am_builtin_probe(__global const real_t *xs, __global const real_t *ys,
                               __global const real_t *zs, __global real_t *firsts,
                               __global real_t *seconds)
{
    const size_t i = get_global_id(0);
    const real_t x = xs[i], y = ys[i], z = zs[i];
    const int_t n = REAL_INT(y);
    real_t p = x;
    int_t e = n;
    const result_t r = CALL;

    firsts[i] = FIRST;
    seconds[i] = SECOND;
}
