/* SPDX-License-Identifier: MIT */
/* ocl.arith: chains of one operation that stay in registers.
 *
 * TYPE, WIDTH  element type and vector width         CHAINS  independent chains per item
 * UNROLL       steps of every chain in the loop       OP_*    the operation, with QUADRATIC its form
 * TWO          chains have two values (whole numbers: constant operands would be combined)
 * QUADRATIC of OP_DIV is its rival only, p/x+r, which nobody can take for a product
 *
 * Operands come from memory, so that nothing is known when this is compiled; they are alike in all
 * lanes, so that they cost one register each. Two steps undo each other nearly: values stay between
 * 0.1 and 10^5 for as long as the loop may go, and never settle. */
#ifdef HALF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif
#ifndef OP_MULADD
#pragma OPENCL FP_CONTRACT OFF
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if WIDTH == 1
#define VEC TYPE
#else
#define VEC JOIN(TYPE, WIDTH)
#endif

#if defined(OP_ADD) && defined(TWO)
#define FIRST(x, y) x = x + y;
#define SECOND(x, y) y = y + x;
#elif defined(OP_ADD)
#define FIRST(x, y) x = x + p;
#define SECOND(x, y) x = x + q;
#elif defined(OP_SUB) && defined(TWO)
#define FIRST(x, y) x = x - y;
#define SECOND(x, y) y = y - x;
#elif defined(OP_SUB)
#define FIRST(x, y) x = p - x;
#define SECOND(x, y) x = q - x;
#elif defined(OP_MUL) && defined(TWO)
#define FIRST(x, y) x = x * y;
#define SECOND(x, y) y = y * x;
#elif defined(OP_MUL)
#define FIRST(x, y) x = x * p;
#define SECOND(x, y) x = x * q;
#elif defined(OP_DIV) && defined(QUADRATIC)
#define FIRST(x, y) x = p / x + r;
#define SECOND(x, y) x = q / x + r;
#elif defined(OP_DIV)
#define FIRST(x, y) x = p / x;
#define SECOND(x, y) x = q / x;
#elif defined(TWO)
#define FIRST(x, y) x = FUSED(x, y, r);
#define SECOND(x, y) y = FUSED(y, x, r);
#elif defined(QUADRATIC)
#define FIRST(x, y) x = FUSED(x, x, r);
#define SECOND(x, y) x = FUSED(x, x, r);
#else
#define FIRST(x, y) x = FUSED(x, p, r);
#define SECOND(x, y) x = FUSED(x, q, r);
#endif
#if defined(OP_MAD)
#define FUSED(a, b, c) mad(a, b, c)
#elif defined(OP_FMA)
#define FUSED(a, b, c) fma(a, b, c)
#else
#define FUSED(a, b, c) ((a) * (b) + (c))
#endif

/* S for every chain, so that neighbouring statements are independent. */
#define EACH1(S) S(0)
#define EACH2(S) EACH1(S) S(1)
#define EACH3(S) EACH2(S) S(2)
#define EACH4(S) EACH3(S) S(3)
#define EACH6(S) EACH4(S) S(4) S(5)
#define EACH8(S) EACH6(S) S(6) S(7)
#define EACH10(S) EACH8(S) S(8) S(9)
#define EACH12(S) EACH10(S) S(10) S(11)
#define EACH16(S) EACH12(S) S(12) S(13) S(14) S(15)
#define EACH20(S) EACH16(S) S(16) S(17) S(18) S(19)
#define EACH24(S) EACH20(S) S(20) S(21) S(22) S(23)
#define JOIN_AGAIN_(a, b) a##b /* a macro is not expanded within itself */
#define JOIN_AGAIN(a, b) JOIN_AGAIN_(a, b)
#define EACH(S) JOIN_AGAIN(EACH, CHAINS)(S)

#ifdef TWO
#define DECLARE(c) VEC x##c = seeds[c] + spread, y##c = x##c + x##c + (VEC)(1);
#define ADD_UP(c) sum = sum + x##c + y##c;
#else
#define DECLARE(c) VEC x##c = seeds[c] + spread;
#define ADD_UP(c) sum = sum + x##c;
#endif
#define DO_FIRST(c) FIRST(x##c, y##c)
#define DO_SECOND(c) SECOND(x##c, y##c)

#define STEPS2 EACH(DO_FIRST) EACH(DO_SECOND)
#define STEPS4 STEPS2 STEPS2
#define STEPS8 STEPS4 STEPS4
#define STEPS16 STEPS8 STEPS8
#define STEPS32 STEPS16 STEPS16
#define STEPS64 STEPS32 STEPS32
#define STEPS128 STEPS64 STEPS64
#define STEPS256 STEPS128 STEPS128

#define KERNEL(name, BODY)                                                                         \
    __kernel void name(__global const TYPE *operands, __global const VEC *seeds,                   \
                       __global VEC *out, uint loops)                                              \
    {                                                                                              \
        const size_t id = get_global_id(0);                                                        \
        const VEC p = (VEC)(operands[0]), q = (VEC)(operands[1]), r = (VEC)(operands[2]);          \
        const VEC spread = (VEC)(operands[3] * (TYPE)(id & 15));                                   \
        VEC sum = (VEC)(0);                                                                        \
        EACH(DECLARE)                                                                              \
        for (uint i = 0; i < loops; i++) {                                                         \
            BODY                                                                                   \
        }                                                                                          \
        EACH(ADD_UP)                                                                               \
        out[id] = sum;                                                                             \
    }

KERNEL(am_arith, JOIN(STEPS, UNROLL))
KERNEL(am_arith_twice, JOIN(STEPS, UNROLL) JOIN(STEPS, UNROLL))
