/* SPDX-License-Identifier: MIT */
/* ocl.dot: products of small matrices by instructions of a warp (NVIDIA's mma.sync).
 *
 * -DTYPE=0..4: bf16, f16, tf32, int8, f64, as enum am_dot_type
 *
 * A warp keeps two tiles of A and two of B in registers and adds their four products to accumulators,
 * turn after turn: as many independent instructions as keep the matrix units busy. */
#if TYPE == 0
#define OP "m16n8k16.row.col.f32.bf16.bf16.f32"
#elif TYPE == 1
#define OP "m16n8k16.row.col.f32.f16.f16.f32"
#elif TYPE == 2
#define OP "m16n8k8.row.col.f32.tf32.tf32.f32"
#elif TYPE == 3
#define OP "m16n8k32.row.col.s32.s8.s8.s32"
#else
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define OP "m16n8k16.row.col.f64.f64.f64.f64"
#endif

#if TYPE == 4
#define WORD double
#define SUM double
#define OUT "+d"
#define IN "d"
#elif TYPE == 3
#define WORD uint
#define SUM int
#define OUT "+r"
#define IN "r"
#else
#define WORD uint
#define SUM float
#define OUT "+f"
#define IN "r"
#endif

#if TYPE == 4
#define MULTIPLY(d, a, b) \
    __asm__ volatile("mma.sync.aligned." OP " {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, " \
                     "{%12,%13,%14,%15}, {%0,%1,%2,%3};" \
                     : OUT(d##0), OUT(d##1), OUT(d##2), OUT(d##3) \
                     : IN(a##0), IN(a##1), IN(a##2), IN(a##3), IN(a##4), IN(a##5), IN(a##6), \
                       IN(a##7), IN(b##0), IN(b##1), IN(b##2), IN(b##3));
#define LOAD_A(a, tile) \
    const WORD a##0 = as[((tile)*32u + lane) * 8u], a##1 = as[((tile)*32u + lane) * 8u + 1u], \
               a##2 = as[((tile)*32u + lane) * 8u + 2u], a##3 = as[((tile)*32u + lane) * 8u + 3u], \
               a##4 = as[((tile)*32u + lane) * 8u + 4u], a##5 = as[((tile)*32u + lane) * 8u + 5u], \
               a##6 = as[((tile)*32u + lane) * 8u + 6u], a##7 = as[((tile)*32u + lane) * 8u + 7u];
#define LOAD_B(b, tile) \
    const WORD b##0 = bs[((tile)*32u + lane) * 4u], b##1 = bs[((tile)*32u + lane) * 4u + 1u], \
               b##2 = bs[((tile)*32u + lane) * 4u + 2u], b##3 = bs[((tile)*32u + lane) * 4u + 3u];
#else
#define MULTIPLY(d, a, b) \
    __asm__ volatile("mma.sync.aligned." OP " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
                     : OUT(d##0), OUT(d##1), OUT(d##2), OUT(d##3) \
                     : IN(a##0), IN(a##1), IN(a##2), IN(a##3), IN(b##0), IN(b##1));
#define LOAD_A(a, tile) \
    const WORD a##0 = as[((tile)*32u + lane) * 4u], a##1 = as[((tile)*32u + lane) * 4u + 1u], \
               a##2 = as[((tile)*32u + lane) * 4u + 2u], a##3 = as[((tile)*32u + lane) * 4u + 3u];
#define LOAD_B(b, tile) \
    const WORD b##0 = bs[((tile)*32u + lane) * 2u], b##1 = bs[((tile)*32u + lane) * 2u + 1u];
#endif

#define SUMS_OF(d) SUM d##0 = 0, d##1 = 0, d##2 = 0, d##3 = 0;
#define STORE(d, tile) \
    out[at + (tile)*4u] = d##0; \
    out[at + (tile)*4u + 1u] = d##1; \
    out[at + (tile)*4u + 2u] = d##2; \
    out[at + (tile)*4u + 3u] = d##3;

__kernel void am_dot(__global const WORD *as, __global const WORD *bs, __global SUM *out,
                     uint turns)
{
    const uint lane = (uint)get_local_id(0) & 31u;
    const size_t at = get_global_id(0) * 16u;

    LOAD_A(p, 0u)
    LOAD_A(q, 1u)
    LOAD_B(x, 0u)
    LOAD_B(y, 1u)
    SUMS_OF(px)
    SUMS_OF(py)
    SUMS_OF(qx)
    SUMS_OF(qy)
    for (uint i = 0; i < turns; i++) {
        MULTIPLY(px, p, x)
        MULTIPLY(py, p, y)
        MULTIPLY(qx, q, x)
        MULTIPLY(qy, q, y)
    }
    STORE(px, 0u)
    STORE(py, 1u)
    STORE(qx, 2u)
    STORE(qy, 3u)
}
