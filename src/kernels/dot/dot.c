/* SPDX-License-Identifier: MIT */
/* The kernels of narrow multiply-adds and their table, made from the architecture's list of forms,
 * which is read three times. Each loop is one piece of assembly: accumulators stay where they are,
 * and no compiler needs to know the instructions. */
#include "kernels/dot/dot.h"

#include "kernels/instr.h"

#include <string.h>

_Static_assert(offsetof(struct am_dot_operands, a) == 4096, "the first operand");
_Static_assert(offsetof(struct am_dot_operands, b) == 6144, "the second operand");
_Static_assert(offsetof(struct am_dot_operands, tiles) == 8192, "shapes of tiles");

#define EACH_SUM(text) ".irp d,0,1,2,3,4,5,6,7,8,9,10,11\n\t" text "\n\t.endr\n\t"

#if defined(__x86_64__)
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FORMS "kernels/dot/dot_x86_64.inc"
/* Legacy names: the upper parts are cleared at the end, so that nobody pays for them. */
#define CLOBBERED                                                                                  \
    "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",        \
        "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#define LOADED(mov, w, bytes)                                                                      \
    EACH_SUM(mov " " #bytes "*\\d(%[in]), %%" w "\\d")                                             \
    mov " 4096(%[in]), %%" w "14\n\t" mov " 6144(%[in]), %%" w "15\n\t"
#define STORED(mov, w, bytes) EACH_SUM(mov " %%" w "\\d, " #bytes "*\\d(%[out])")
#define TWO_PRODUCTS "imul %[chain], %[chain]\n\timul %[chain], %[chain]\n\t"

/* The chain: two products of three cycles beside each of the instructions. */
#define KERNELS(name, loaded, stored, each, step)                                                  \
    static void run_##name(const struct am_dot_operands *in, unsigned char *out, uint64_t steps)   \
    {                                                                                              \
        __asm__ volatile(loaded ".p2align 6\n1:\n\t" each(step) "dec %[n]\n\tjnz 1b\n\t" stored    \
                                                                "vzeroupper"                       \
                         : [n] "+r"(steps)                                                         \
                         : [in] "r"(in), [out] "r"(out)                                            \
                         : CLOBBERED);                                                             \
    }                                                                                              \
    static void chained_##name(const struct am_dot_operands *in, uint64_t passes)                  \
    {                                                                                              \
        uint64_t chain = 3;                                                                        \
                                                                                                   \
        __asm__ volatile(loaded ".p2align 6\n1:\n\t" each(                                         \
                             step "\n\t" TWO_PRODUCTS) "dec %[n]\n\tjnz 1b\n\tvzeroupper"          \
                         : [n] "+r"(passes), [chain] "+r"(chain)                                   \
                         : [in] "r"(in)                                                            \
                         : CLOBBERED);                                                             \
    }
#define VECTOR(name, needs, a, b, sum, shape, mov, w, bytes, step)                                 \
    KERNELS(name, LOADED(mov, w, bytes), STORED(mov, w, bytes), EACH_SUM, step)
/* Vectors of 64 bytes have twice as many registers, and units that take six cycles twice a cycle
 * need more than twelve sums. Compilers do not use registers 16 and on here: this is compiled for
 * the baseline. */
#define EACH_HIGH(text) ".irp d,16,17,18,19,20,21,22,23,24,25,26,27\n\t" text "\n\t.endr\n\t"
#define EACH_WIDE(text) EACH_SUM(text) EACH_HIGH(text)
#define WIDE(name, needs, a, b, sum, shape, step)                                                  \
    KERNELS(name,                                                                                  \
            LOADED("vmovdqu64", "zmm", 64) EACH_HIGH("vmovdqu64 64*(\\d-4)(%[in]), %%zmm\\d"),     \
            STORED("vmovdqu64", "zmm", 64) EACH_HIGH("vmovdqu64 %%zmm\\d, 64*(\\d-4)(%[out])"),    \
            EACH_WIDE, step)
enum {
    VECTOR_CHAIN = AM_DOT_STREAMS * 2 * 3,
    WIDE_CHAIN = AM_DOT_WIDE_STREAMS * 2 * 3,
    TILE_CHAIN = AM_DOT_TILES * 8 * 3,
};

/* Tiles 0 to 3 are sums, 4 and 5 rows of a, 6 and 7 columns of b; each has 16 rows of 64 bytes. */
#define TILES_LOADED                                                                               \
    "ldtilecfg 8192(%[in])\n\tmov $64, %%eax\n\t"                                                  \
    "tileloadd (%[in],%%rax), %%tmm0\n\ttileloadd 1024(%[in],%%rax), %%tmm1\n\t"                   \
    "tileloadd 2048(%[in],%%rax), %%tmm2\n\ttileloadd 3072(%[in],%%rax), %%tmm3\n\t"               \
    "tileloadd 4096(%[in],%%rax), %%tmm4\n\ttileloadd 5120(%[in],%%rax), %%tmm5\n\t"               \
    "tileloadd 6144(%[in],%%rax), %%tmm6\n\ttileloadd 7168(%[in],%%rax), %%tmm7\n\t"
#define TILES_STORED                                                                               \
    "tilestored %%tmm0, (%[out],%%rax)\n\ttilestored %%tmm1, 1024(%[out],%%rax)\n\t"               \
    "tilestored %%tmm2, 2048(%[out],%%rax)\n\ttilestored %%tmm3, 3072(%[out],%%rax)\n\t"
#define TILE_STEP(name, between)                                                                   \
#name " %%tmm6, %%tmm4, %%tmm0\n\t" between #name " %%tmm7, %%tmm4, %%tmm1\n\t" between #name  \
          " %%tmm6, %%tmm5, %%tmm2\n\t" between #name " %%tmm7, %%tmm5, %%tmm3\n\t" between
#define EIGHT_PRODUCTS TWO_PRODUCTS TWO_PRODUCTS TWO_PRODUCTS TWO_PRODUCTS
#define TILES(name, needs, a, b, sum)                                                              \
    static void run_##name(const struct am_dot_operands *in, unsigned char *out, uint64_t steps)   \
    {                                                                                              \
        __asm__ volatile(TILES_LOADED ".p2align 6\n1:\n\t" TILE_STEP(                              \
                             name, "") "dec %[n]\n\tjnz 1b\n\t" TILES_STORED "tilerelease"         \
                         : [n] "+r"(steps)                                                         \
                         : [in] "r"(in), [out] "r"(out)                                            \
                         : "memory", "cc", "rax");                                                 \
    }                                                                                              \
    static void chained_##name(const struct am_dot_operands *in, uint64_t passes)                  \
    {                                                                                              \
        uint64_t chain = 3;                                                                        \
                                                                                                   \
        __asm__ volatile(TILES_LOADED ".p2align 6\n1:\n\t" TILE_STEP(                              \
                             name, EIGHT_PRODUCTS) "dec %[n]\n\tjnz 1b\n\ttilerelease"             \
                         : [n] "+r"(passes), [chain] "+r"(chain)                                   \
                         : [in] "r"(in)                                                            \
                         : "memory", "cc", "rax");                                                 \
    }
#define SCALABLE(name, needs, a, b, sum, step)

#elif defined(__aarch64__)
#define FORMS "kernels/dot/dot_aarch64.inc"
#define ARCH ".arch armv8.6-a+sve+fp16+dotprod+i8mm+bf16\n\t"
#define CLOBBERED                                                                                  \
    "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",      \
        "v12", "v13", "v14", "v15", "x9"
#define FIXED_LOADED                                                                               \
    ARCH EACH_SUM("ldr q\\d, [%[in], #16*\\d]") "add x9, %[in], #4096\n\tldr q14, [x9]\n\t"        \
                                                "ldr q15, [x9, #2048]\n\t"
#define FIXED_STORED EACH_SUM("str q\\d, [%[out], #16*\\d]")
#define SCALED_LOADED                                                                              \
    ARCH "ptrue p0.b\n\t" EACH_SUM(                                                                \
        "ldr z\\d, [%[in], #\\d, mul vl]") "add x9, %[in], #4096\n\tldr z14, [x9]\n\tadd x9, x9, #2048\n\tldr z15, [x9]\n\t"
#define SCALED_STORED EACH_SUM("str z\\d, [%[out], #\\d, mul vl]")
/* Additions of one cycle each. */
#define SIX_SUMS                                                                                   \
    "add %[chain], %[chain], %[n]\n\tadd %[chain], %[chain], %[n]\n\t"                             \
    "add %[chain], %[chain], %[n]\n\tadd %[chain], %[chain], %[n]\n\t"                             \
    "add %[chain], %[chain], %[n]\n\tadd %[chain], %[chain], %[n]\n\t"
enum { VECTOR_CHAIN = AM_DOT_STREAMS * 6 };

#define KERNELS(name, loaded, stored, step)                                                        \
    static void run_##name(const struct am_dot_operands *in, unsigned char *out, uint64_t steps)   \
    {                                                                                              \
        __asm__ volatile(                                                                          \
            loaded ".p2align 6\n1:\n\t" EACH_SUM(step) "subs %[n], %[n], #1\n\tb.ne 1b\n\t" stored \
            : [n] "+r"(steps)                                                                      \
            : [in] "r"(in), [out] "r"(out)                                                         \
            : CLOBBERED);                                                                          \
    }                                                                                              \
    static void chained_##name(const struct am_dot_operands *in, uint64_t passes)                  \
    {                                                                                              \
        uint64_t chain = 3;                                                                        \
                                                                                                   \
        __asm__ volatile(loaded ".p2align 6\n1:\n\t" EACH_SUM(                                     \
                             step "\n\t" SIX_SUMS) "subs %[n], %[n], #1\n\tb.ne 1b"                \
                         : [n] "+r"(passes), [chain] "+r"(chain)                                   \
                         : [in] "r"(in)                                                            \
                         : CLOBBERED);                                                             \
    }
#define VECTOR(name, needs, a, b, sum, shape, step) KERNELS(name, FIXED_LOADED, FIXED_STORED, step)
#define SCALABLE(name, needs, a, b, sum, step) KERNELS(name, SCALED_LOADED, SCALED_STORED, step)
#define TILES(name, needs, a, b, sum)
#endif
#include FORMS
#undef VECTOR
#undef WIDE
#undef SCALABLE
#undef TILES

#define ROW(form, need, ta, tb, ts, how, size, cycles)                                             \
    {.name = #form,                                                                                \
     .needs = need,                                                                                \
     .a = AM_DOT_##ta,                                                                             \
     .b = AM_DOT_##tb,                                                                             \
     .sum = AM_DOT_##ts,                                                                           \
     .shape = AM_DOT_##how,                                                                        \
     .bytes = size,                                                                                \
     .run = run_##form,                                                                            \
     .chained = chained_##form,                                                                    \
     .chain = cycles},
#if defined(__x86_64__)
#define VECTOR(name, needs, a, b, sum, shape, mov, w, bytes, step)                                 \
    ROW(name, needs, a, b, sum, shape, bytes, VECTOR_CHAIN)
#define WIDE(name, needs, a, b, sum, shape, step)                                                  \
    ROW(name, needs, a, b, sum, shape, AM_DOT_WIDE_BYTES, WIDE_CHAIN)
#else
#define VECTOR(name, needs, a, b, sum, shape, step)                                                \
    ROW(name, needs, a, b, sum, shape, 16, VECTOR_CHAIN)
#endif
#define SCALABLE(name, needs, a, b, sum, step) ROW(name, needs, a, b, sum, LANES, 0, VECTOR_CHAIN)
#define TILES(name, needs, a, b, sum) ROW(name, needs, a, b, sum, TILE, 1024, TILE_CHAIN)
const struct am_dot_form am_dot_forms[] = {
#include FORMS
    {.name = NULL},
};
#undef VECTOR
#undef WIDE
#undef SCALABLE
#undef TILES

#define VECTOR(name, ...) #name,
#define WIDE(name, ...) #name,
#define SCALABLE(name, ...) #name,
#define TILES(name, ...) #name,
const char *const am_dot_names[] = {
#include FORMS
    NULL,
};

const struct am_dot_form *am_dot_find(const char *name)
{
    for (const struct am_dot_form *form = am_dot_forms; form->name; form++) {
        if (strcmp(form->name, name) == 0)
            return form;
    }
    return NULL;
}

const char *am_dot_why_not(const char *name)
{
    const struct am_dot_form *const form = am_dot_find(name);

    return form ? am_instr_needs_missing(form->needs)
                : "no such instruction form on this architecture";
}

#if defined(__x86_64__)
/* Linux hands out the registers of tiles only to processes that ask for them. */
enum { REQUEST_STATE = 0x1023, TILE_DATA = 18 };

enum am_status am_dot_open(const struct am_dot_form *form, struct am_err *err)
{
    if (form->shape != AM_DOT_TILE || syscall(SYS_arch_prctl, REQUEST_STATE, TILE_DATA) == 0)
        return AM_OK;
    return am_fail(err, AM_E_ABSENT, "the system grants this process no tiles: %s",
                   strerror(errno));
}
#else
enum am_status am_dot_open(const struct am_dot_form *form, struct am_err *err)
{
    (void)form;
    (void)err;
    return AM_OK;
}
#endif
