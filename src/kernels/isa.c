/* SPDX-License-Identifier: MIT */
/* Which instruction sets this machine runs: asked of the CPU and of the operating system. */
#include "kernels/isa.h"

#include <stdbool.h>
#include <string.h>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#define NAME(isa, a, b) #isa,
const char *const am_isa_names[] = {AM_ISA_MAP(NAME, 0, 0) NULL};
#undef NAME

/* What is not in the table of all sets has no rank, and nothing would be bounded by it. */
#define KNOWN(isa, a, b)                                                                           \
    _Static_assert(AM_ISA_RANK_##isa < AM_ISA_RANKS, "a set of core/bench/isas.h");
AM_ISA_MAP(KNOWN, 0, 0)
#undef KNOWN

struct support {
    bool (*usable)(void);
    const char *why_not;
};

/* has_<isa>() and lacks_<isa>, for each set of the architecture: one that is forgotten does not
 * compile. */
static const char lacks_scalar[] = "";

static bool has_scalar(void)
{
    return true;
}

#if defined(__x86_64__)
static const char lacks_sse2[] = "";
static const char lacks_avx[] = "the CPU or the system has no AVX";
static const char lacks_avx2[] = "the CPU or the system has no AVX2 with FMA";
static const char lacks_avx512[] = "the CPU or the system has no AVX-512 (F, BW, DQ, VL)";

static bool has_sse2(void)
{
    return true;
}

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
#elif defined(__aarch64__)
static const char lacks_neon[] = "the CPU has no Advanced SIMD";

static bool has_neon(void)
{
    return (getauxval(AT_HWCAP) & HWCAP_ASIMD) != 0;
}
#endif

#define SUPPORT(isa, a, b) {has_##isa, lacks_##isa},
static const struct support supports[] = {AM_ISA_MAP(SUPPORT, 0, 0)};
#undef SUPPORT

const char *am_isa_why_not(const char *isa)
{
    const int i = am_isa_index(isa);

    if (i < 0)
        return "no such instruction set on this architecture";
    return supports[i].usable() ? NULL : supports[i].why_not;
}

int am_isa_index(const char *isa)
{
    for (int i = 0; am_isa_names[i]; i++) {
        if (strcmp(am_isa_names[i], isa) == 0)
            return i;
    }
    return -1;
}
