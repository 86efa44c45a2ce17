/* SPDX-License-Identifier: MIT */
/* Which CPU features of the catalogue's forms this machine has. */
#include "kernels/instr.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

enum cpuid_register { EAX, EBX, ECX, EDX };

/* Beyond CPUID's bit the system must save the registers: what the compiler's run-time library
 * asks XGETBV for. Of tiles it knows nothing yet. */
enum state { PLAIN, AVX, AVX512, TILES };

struct feature {
    const char *name;
    unsigned leaf, sub;
    enum cpuid_register reg;
    unsigned bit;
    enum state state;
    const char *missing;
};

#define MISSING(name) "the CPU or the system has no " name

static const struct feature features[] = {
    {"sse3", 1, 0, ECX, 0, PLAIN, MISSING("SSE3")},
    {"pclmul", 1, 0, ECX, 1, PLAIN, MISSING("PCLMULQDQ")},
    {"ssse3", 1, 0, ECX, 9, PLAIN, MISSING("SSSE3")},
    {"fma", 1, 0, ECX, 12, AVX, MISSING("FMA")},
    {"sse4.1", 1, 0, ECX, 19, PLAIN, MISSING("SSE4.1")},
    {"sse4.2", 1, 0, ECX, 20, PLAIN, MISSING("SSE4.2")},
    {"popcnt", 1, 0, ECX, 23, PLAIN, MISSING("POPCNT")},
    {"aes", 1, 0, ECX, 25, PLAIN, MISSING("AES")},
    {"avx", 1, 0, ECX, 28, AVX, MISSING("AVX")},
    {"f16c", 1, 0, ECX, 29, AVX, MISSING("F16C")},
    {"bmi1", 7, 0, EBX, 3, PLAIN, MISSING("BMI1")},
    {"avx2", 7, 0, EBX, 5, AVX, MISSING("AVX2")},
    {"bmi2", 7, 0, EBX, 8, PLAIN, MISSING("BMI2")},
    {"avx512f", 7, 0, EBX, 16, AVX512, MISSING("AVX-512 F")},
    {"avx512dq", 7, 0, EBX, 17, AVX512, MISSING("AVX-512 DQ")},
    {"adx", 7, 0, EBX, 19, PLAIN, MISSING("ADX")},
    {"avx512ifma", 7, 0, EBX, 21, AVX512, MISSING("AVX-512 IFMA")},
    {"avx512cd", 7, 0, EBX, 28, AVX512, MISSING("AVX-512 CD")},
    {"sha", 7, 0, EBX, 29, PLAIN, MISSING("SHA")},
    {"avx512bw", 7, 0, EBX, 30, AVX512, MISSING("AVX-512 BW")},
    {"avx512vl", 7, 0, EBX, 31, AVX512, MISSING("AVX-512 VL")},
    {"avx512vbmi", 7, 0, ECX, 1, AVX512, MISSING("AVX-512 VBMI")},
    {"avx512vbmi2", 7, 0, ECX, 6, AVX512, MISSING("AVX-512 VBMI2")},
    {"gfni", 7, 0, ECX, 8, PLAIN, MISSING("GFNI")},
    {"vaes", 7, 0, ECX, 9, AVX, MISSING("VAES")},
    {"avx512vnni", 7, 0, ECX, 11, AVX512, MISSING("AVX-512 VNNI")},
    {"avx512bitalg", 7, 0, ECX, 12, AVX512, MISSING("AVX-512 BITALG")},
    {"avx512vpopcntdq", 7, 0, ECX, 14, AVX512, MISSING("AVX-512 VPOPCNTDQ")},
    {"avx512fp16", 7, 0, EDX, 23, AVX512, MISSING("AVX-512 FP16")},
    {"amxbf16", 7, 0, EDX, 22, TILES, MISSING("AMX-BF16")},
    {"amxtile", 7, 0, EDX, 24, TILES, MISSING("AMX tiles")},
    {"amxint8", 7, 0, EDX, 25, TILES, MISSING("AMX-INT8")},
    {"avxvnni", 7, 1, EAX, 4, AVX, MISSING("AVX-VNNI")},
    {"avx512bf16", 7, 1, EAX, 5, AVX512, MISSING("AVX-512 BF16")},
    {"lzcnt", 0x80000001, 0, ECX, 5, PLAIN, MISSING("LZCNT")},
};

/* Bits 17 and 18 of the register that says which states the system saves. */
static bool saves_tiles(void)
{
    unsigned eax, ebx, ecx, edx, low, high;

    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx >> 27 & 1))
        return false;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low >> 17 & 3) == 3;
}

static bool state_saved(enum state state)
{
    __builtin_cpu_init();
    return state == PLAIN || (state == TILES && saves_tiles()) ||
           (state == AVX && __builtin_cpu_supports("avx")) ||
           (state == AVX512 && __builtin_cpu_supports("avx512f"));
}

static bool is_here(const struct feature *f)
{
    unsigned regs[4];

    return __get_cpuid_count(f->leaf, f->sub, &regs[EAX], &regs[EBX], &regs[ECX], &regs[EDX]) &&
           (regs[f->reg] >> f->bit & 1) && state_saved(f->state);
}

#elif defined(__aarch64__)
#include <sys/auxv.h>

struct feature {
    const char *name;
    unsigned long word; /* AT_HWCAP or AT_HWCAP2 */
    unsigned long bit;
    const char *missing;
};

static const struct feature features[] = {
    {"asimd", AT_HWCAP, HWCAP_ASIMD, "the CPU has no Advanced SIMD"},
    {"aes", AT_HWCAP, HWCAP_AES, "the CPU has no AES"},
    {"sha2", AT_HWCAP, HWCAP_SHA2, "the CPU has no SHA-256"},
    {"crc32", AT_HWCAP, HWCAP_CRC32, "the CPU has no CRC32"},
    {"asimddp", AT_HWCAP, HWCAP_ASIMDDP, "the CPU has no dot products"},
    {"asimdhp", AT_HWCAP, HWCAP_ASIMDHP, "the CPU has no half-precision arithmetic"},
    {"sve", AT_HWCAP, HWCAP_SVE, "the CPU has no scalable vectors"},
    {"i8mm", AT_HWCAP2, HWCAP2_I8MM, "the CPU has no products of byte matrices"},
    {"bf16", AT_HWCAP2, HWCAP2_BF16, "the CPU has no bfloat16"},
};

static bool is_here(const struct feature *f)
{
    return (getauxval(f->word) & f->bit) != 0;
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

const char *am_instr_needs_missing(const char *needs)
{
    while (*needs) {
        const size_t len = strcspn(needs, " ");
        const char *const missing = am_instr_feature_missing(needs, len);

        if (missing)
            return missing;
        needs += len + (needs[len] == ' ');
    }
    return NULL;
}
