/* SPDX-License-Identifier: MIT */
/* Microarchitectures by vendor, family and model, as /proc/cpuinfo has them.
 *
 * x86 processors are told by family, model and, where one model number was used twice, stepping.
 * Arm ones by implementer and part; only parts that are a machine's sole kind of core are here,
 * since the machine's facts are those of its first CPU. AMD gives its models out in blocks of 16,
 * which is why its rows are ranges. */
#include "topo/uarch.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ANY = 0xffff };

struct uarch {
    const char *vendor;
    unsigned family;      /* ANY: not looked at */
    unsigned first, last; /* models, both included */
    unsigned stepping_first, stepping_last;
    const char *name;
};

#define AMD(family_, first_, last_, name_)                                                         \
    {                                                                                              \
        "AuthenticAMD", family_, first_, last_, 0, ANY, name_                                      \
    }
#define INTEL(model_, name_)                                                                       \
    {                                                                                              \
        "GenuineIntel", 6, model_, model_, 0, ANY, name_                                           \
    }
#define ARM(implementer_, part_, name_)                                                            \
    {                                                                                              \
        implementer_, ANY, part_, part_, 0, ANY, name_                                             \
    }

static const struct uarch table[] = {
    AMD(0x15, 0x00, 0x0f, "Bulldozer or Piledriver"),
    AMD(0x17, 0x00, 0x07, "Zen"),
    AMD(0x17, 0x08, 0x0f, "Zen+"),
    AMD(0x17, 0x10, 0x17, "Zen"),
    AMD(0x17, 0x18, 0x1f, "Zen+"),
    AMD(0x17, 0x20, 0x2f, "Zen"),
    AMD(0x17, 0x30, 0x4f, "Zen 2"),
    AMD(0x17, 0x60, 0x7f, "Zen 2"),
    AMD(0x17, 0x90, 0x91, "Zen 2"),
    AMD(0x17, 0xa0, 0xaf, "Zen 2"),
    AMD(0x19, 0x00, 0x0f, "Zen 3"),
    AMD(0x19, 0x10, 0x1f, "Zen 4"),
    AMD(0x19, 0x20, 0x2f, "Zen 3"),
    AMD(0x19, 0x40, 0x4f, "Zen 3+"),
    AMD(0x19, 0x50, 0x5f, "Zen 3"),
    AMD(0x19, 0x60, 0x7f, "Zen 4"),
    AMD(0x19, 0xa0, 0xaf, "Zen 4c"),
    AMD(0x1a, 0x00, 0x0f, "Zen 5"),
    AMD(0x1a, 0x10, 0x1f, "Zen 5c"),
    AMD(0x1a, 0x20, 0x2f, "Zen 5"),
    AMD(0x1a, 0x40, 0x4f, "Zen 5"),
    AMD(0x1a, 0x60, 0x7f, "Zen 5"),
    {"HygonGenuine", 0x18, 0, 0x0f, 0, ANY, "Dhyana"},
    INTEL(0x0f, "Core"),
    INTEL(0x17, "Penryn"),
    INTEL(0x1a, "Nehalem"),
    INTEL(0x1e, "Nehalem"),
    INTEL(0x2e, "Nehalem"),
    INTEL(0x25, "Westmere"),
    INTEL(0x2c, "Westmere"),
    INTEL(0x2f, "Westmere"),
    INTEL(0x2a, "Sandy Bridge"),
    INTEL(0x2d, "Sandy Bridge"),
    INTEL(0x3a, "Ivy Bridge"),
    INTEL(0x3e, "Ivy Bridge"),
    INTEL(0x3c, "Haswell"),
    INTEL(0x3f, "Haswell"),
    INTEL(0x45, "Haswell"),
    INTEL(0x46, "Haswell"),
    INTEL(0x3d, "Broadwell"),
    INTEL(0x47, "Broadwell"),
    INTEL(0x4f, "Broadwell"),
    INTEL(0x56, "Broadwell"),
    INTEL(0x4e, "Skylake"),
    INTEL(0x5e, "Skylake"),
    {"GenuineIntel", 6, 0x55, 0x55, 0, 4, "Skylake"},
    {"GenuineIntel", 6, 0x55, 0x55, 5, 7, "Cascade Lake"},
    {"GenuineIntel", 6, 0x55, 0x55, 10, 11, "Cooper Lake"},
    INTEL(0x8e, "Kaby Lake or later Skylake"),
    INTEL(0x9e, "Kaby Lake or Coffee Lake"),
    INTEL(0xa5, "Comet Lake"),
    INTEL(0xa6, "Comet Lake"),
    INTEL(0x6a, "Ice Lake"),
    INTEL(0x6c, "Ice Lake"),
    INTEL(0x7d, "Ice Lake"),
    INTEL(0x7e, "Ice Lake"),
    INTEL(0x8c, "Tiger Lake"),
    INTEL(0x8d, "Tiger Lake"),
    INTEL(0xa7, "Rocket Lake"),
    INTEL(0x97, "Alder Lake"),
    INTEL(0x9a, "Alder Lake"),
    INTEL(0xb7, "Raptor Lake"),
    INTEL(0xba, "Raptor Lake"),
    INTEL(0xbf, "Raptor Lake"),
    INTEL(0xaa, "Meteor Lake"),
    INTEL(0xac, "Meteor Lake"),
    INTEL(0xbd, "Lunar Lake"),
    INTEL(0xc5, "Arrow Lake"),
    INTEL(0xc6, "Arrow Lake"),
    INTEL(0x8f, "Sapphire Rapids"),
    INTEL(0xcf, "Emerald Rapids"),
    INTEL(0xad, "Granite Rapids"),
    INTEL(0xae, "Granite Rapids"),
    INTEL(0xaf, "Sierra Forest"),
    INTEL(0x57, "Knights Landing"),
    INTEL(0x85, "Knights Mill"),
    {"GenuineIntel", 11, 1, 1, 0, ANY, "Knights Corner"},
    ARM("0x41", 0xd08, "Cortex-A72"),
    ARM("0x41", 0xd0c, "Neoverse N1"),
    ARM("0x41", 0xd40, "Neoverse V1"),
    ARM("0x41", 0xd49, "Neoverse N2"),
    ARM("0x41", 0xd4f, "Neoverse V2"),
    ARM("0x43", 0x0af, "ThunderX2"),
    ARM("0x46", 0x001, "A64FX"),
    ARM("0x48", 0xd01, "TaiShan v110"),
    ARM("0xc0", 0xac3, "AmpereOne"),
};

/* A whole number as the kernel writes them, decimal or 0x; anything else leaves *out. */
static bool number(const struct am_kvs *machine, const char *key, unsigned *out)
{
    const char *const text = am_kvs_get(machine, key);
    char *end;
    unsigned long value;

    if (!text || !*text)
        return false;
    value = strtoul(text, &end, 0);
    if (*end || value >= ANY)
        return false;
    *out = (unsigned)value;
    return true;
}

const char *am_uarch_name(const struct am_kvs *machine)
{
    const char *const vendor = am_kvs_get(machine, "vendor");
    unsigned family = ANY, model, stepping = ANY;

    (void)number(machine, "family", &family);
    (void)number(machine, "stepping", &stepping);
    if (!vendor || !number(machine, "model", &model))
        return NULL;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const struct uarch *const u = &table[i];
        const bool same = strcmp(u->vendor, vendor) == 0 &&
                          (u->family == ANY || u->family == family) && model >= u->first &&
                          model <= u->last;

        if (same && stepping >= u->stepping_first && stepping <= u->stepping_last)
            return u->name;
    }
    return NULL;
}

/* ---- published latencies ---- */

/* From the vendors' optimisation manuals; only where every core of the machine is of this kind. A
 * latency of 0 is not published, or there is no such instruction. */
static const struct {
    const char *name;
    unsigned imul, fma;
} latencies[] = {
    {"Nehalem", 3, 0},
    {"Westmere", 3, 0},
    {"Sandy Bridge", 3, 0},
    {"Ivy Bridge", 3, 0},
    {"Haswell", 3, 5},
    {"Broadwell", 3, 5},
    {"Skylake", 3, 4},
    {"Cascade Lake", 3, 4},
    {"Cooper Lake", 3, 4},
    {"Comet Lake", 3, 4},
    {"Ice Lake", 3, 4},
    {"Tiger Lake", 3, 4},
    {"Rocket Lake", 3, 4},
    {"Sapphire Rapids", 3, 4},
    {"Emerald Rapids", 3, 4},
    {"Granite Rapids", 3, 4},
    {"Zen", 0, 5},
    {"Zen+", 0, 5},
    {"Zen 2", 3, 5},
    {"Zen 3", 3, 4},
    {"Zen 3+", 3, 4},
    {"Zen 4", 3, 4},
    {"Zen 4c", 3, 4},
    {"Zen 5", 3, 4},
};

unsigned am_uarch_cycles(const struct am_kvs *machine, const char *form)
{
    const char *const name = am_uarch_name(machine);

    for (size_t i = 0; name && i < sizeof(latencies) / sizeof(latencies[0]); i++) {
        if (strcmp(latencies[i].name, name) != 0)
            continue;
        if (strcmp(form, "add_r64") == 0)
            return 1;
        return strcmp(form, "imul_r64") == 0          ? latencies[i].imul
               : strcmp(form, "vfmadd231pd_ymm") == 0 ? latencies[i].fma
                                                      : 0;
    }
    return 0;
}
