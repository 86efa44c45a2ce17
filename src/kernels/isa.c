/* SPDX-License-Identifier: MIT */
/* Which instruction sets this machine runs: asked of the CPU and of the operating system. */
#include "kernels/isa.h"

#include <stdbool.h>
#include <string.h>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#define NAME(isa) #isa,
const char *const am_isa_names[] = {AM_ISA_MAP(NAME) NULL};
#undef NAME

struct support {
    const char *isa;
    bool (*usable)(void);
    const char *why_not;
};

static bool always(void)
{
    return true;
}

#if defined(__x86_64__)
/* The compiler's run-time library asks CPUID and, for the registers that the system must save,
 * XGETBV: what it calls supported can be executed. */
static bool has_avx(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx");
}

static bool has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    __builtin_cpu_init();
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

static const struct support supports[] = {
    {"scalar", always, NULL},
    {"sse2", always, NULL},
    {"avx", has_avx, "the CPU or the system has no AVX"},
    {"avx2", has_avx2, "the CPU or the system has no AVX2 with FMA"},
    {"avx512", has_avx512, "the CPU or the system has no AVX-512 (F, BW, DQ, VL)"},
};
#elif defined(__aarch64__)
static bool has_asimd(void)
{
    return (getauxval(AT_HWCAP) & HWCAP_ASIMD) != 0;
}

static const struct support supports[] = {
    {"scalar", always, NULL},
    {"neon", has_asimd, "the CPU has no Advanced SIMD"},
};
#endif

const char *am_isa_why_not(const char *isa)
{
    for (size_t i = 0; i < sizeof(supports) / sizeof(supports[0]); i++) {
        if (strcmp(supports[i].isa, isa) == 0)
            return supports[i].usable() ? NULL : supports[i].why_not;
    }
    return "no such instruction set on this architecture";
}

int am_isa_index(const char *isa)
{
    for (int i = 0; am_isa_names[i]; i++) {
        if (strcmp(am_isa_names[i], isa) == 0)
            return i;
    }
    return -1;
}
