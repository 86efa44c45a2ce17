/* SPDX-License-Identifier: MIT */
/* Which CPU features of the catalogue's forms this machine has. */
#include "kernels/instr.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

enum cpuid_register { EBX, ECX, EDX };

/* Beyond CPUID's bit the system must save the registers: what the compiler's run-time library
 * asks XGETBV for. */
enum state { PLAIN, AVX, AVX512 };

struct feature {
    const char *name;
    unsigned leaf; /* sub-leaf 0 of it */
    enum cpuid_register reg;
    unsigned bit;
    enum state state;
    const char *missing;
};

#define MISSING(name) "the CPU or the system has no " name

static const struct feature features[] = {
    {"sse3", 1, ECX, 0, PLAIN, MISSING("SSE3")},
    {"pclmul", 1, ECX, 1, PLAIN, MISSING("PCLMULQDQ")},
    {"ssse3", 1, ECX, 9, PLAIN, MISSING("SSSE3")},
    {"fma", 1, ECX, 12, AVX, MISSING("FMA")},
    {"sse4.1", 1, ECX, 19, PLAIN, MISSING("SSE4.1")},
    {"sse4.2", 1, ECX, 20, PLAIN, MISSING("SSE4.2")},
    {"popcnt", 1, ECX, 23, PLAIN, MISSING("POPCNT")},
    {"aes", 1, ECX, 25, PLAIN, MISSING("AES")},
    {"avx", 1, ECX, 28, AVX, MISSING("AVX")},
    {"f16c", 1, ECX, 29, AVX, MISSING("F16C")},
    {"bmi1", 7, EBX, 3, PLAIN, MISSING("BMI1")},
    {"avx2", 7, EBX, 5, AVX, MISSING("AVX2")},
    {"bmi2", 7, EBX, 8, PLAIN, MISSING("BMI2")},
    {"avx512f", 7, EBX, 16, AVX512, MISSING("AVX-512 F")},
    {"avx512dq", 7, EBX, 17, AVX512, MISSING("AVX-512 DQ")},
    {"adx", 7, EBX, 19, PLAIN, MISSING("ADX")},
    {"avx512ifma", 7, EBX, 21, AVX512, MISSING("AVX-512 IFMA")},
    {"avx512cd", 7, EBX, 28, AVX512, MISSING("AVX-512 CD")},
    {"sha", 7, EBX, 29, PLAIN, MISSING("SHA")},
    {"avx512bw", 7, EBX, 30, AVX512, MISSING("AVX-512 BW")},
    {"avx512vl", 7, EBX, 31, AVX512, MISSING("AVX-512 VL")},
    {"avx512vbmi", 7, ECX, 1, AVX512, MISSING("AVX-512 VBMI")},
    {"avx512vbmi2", 7, ECX, 6, AVX512, MISSING("AVX-512 VBMI2")},
    {"gfni", 7, ECX, 8, PLAIN, MISSING("GFNI")},
    {"vaes", 7, ECX, 9, AVX, MISSING("VAES")},
    {"avx512vnni", 7, ECX, 11, AVX512, MISSING("AVX-512 VNNI")},
    {"avx512bitalg", 7, ECX, 12, AVX512, MISSING("AVX-512 BITALG")},
    {"avx512vpopcntdq", 7, ECX, 14, AVX512, MISSING("AVX-512 VPOPCNTDQ")},
    {"lzcnt", 0x80000001, ECX, 5, PLAIN, MISSING("LZCNT")},
};

static bool state_saved(enum state state)
{
    __builtin_cpu_init();
    return state == PLAIN || (state == AVX && __builtin_cpu_supports("avx")) ||
           (state == AVX512 && __builtin_cpu_supports("avx512f"));
}

static bool is_here(const struct feature *f)
{
    unsigned eax, regs[3];

    return __get_cpuid_count(f->leaf, 0, &eax, &regs[EBX], &regs[ECX], &regs[EDX]) &&
           (regs[f->reg] >> f->bit & 1) && state_saved(f->state);
}

#elif defined(__aarch64__)
#include <sys/auxv.h>

struct feature {
    const char *name;
    unsigned long hwcap; /* bit of AT_HWCAP */
    const char *missing;
};

static const struct feature features[] = {
    {"asimd", HWCAP_ASIMD, "the CPU has no Advanced SIMD"},
    {"aes", HWCAP_AES, "the CPU has no AES"},
    {"sha2", HWCAP_SHA2, "the CPU has no SHA-256"},
    {"crc32", HWCAP_CRC32, "the CPU has no CRC32"},
};

static bool is_here(const struct feature *f)
{
    return (getauxval(AT_HWCAP) & f->hwcap) != 0;
}
#endif

const char *am_instr_feature_missing(const char *feature, size_t len)
{
    for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
        if (strlen(features[i].name) == len && memcmp(features[i].name, feature, len) == 0)
            return is_here(&features[i]) ? NULL : features[i].missing;
    }
    return "it needs a feature that archmeter does not know";
}
