/* SPDX-License-Identifier: MIT */
/* AArch64 instructions, as words: decoded on any machine. */
#include "model/block/insn.h"

#include "tap.h"

/* What writes nothing, writes a part, or takes its sum along. */
static const struct {
    uint32_t word;
    const char *text;
    uint64_t reads, writes; /* bits: general registers 0 and on, vectors 31 and on, flags 63 */
} roles[] = {
    {0xeb03005f, "cmp x2, x3", 0xc, UINT64_C(1) << 63},
    {0x31000420, "adds w0, w1, #1", 2, 1 | UINT64_C(1) << 63},
    {0xf2a000a0, "movk x0, #5, lsl #16", 1, 1},
    {0x528000a0, "movz w0, #5", 0, 1},
    {0x6f00e400, "movi v0.2d, #0", 0, UINT64_C(1) << 31},
    {0x4e66cc80, "fmla v0.2d, v4.2d, v6.2d", UINT64_C(0x51) << 31, UINT64_C(1) << 31},
    {0x4e020020, "tbl v0.16b, {v1.16b}, v2.16b", UINT64_C(6) << 31, UINT64_C(1) << 31},
    {0x4e212820, "xtn2 v0.16b, v1.8h", UINT64_C(3) << 31, UINT64_C(1) << 31},
    {0x6e0c4420, "mov v0.s[1], v1.s[2]", UINT64_C(3) << 31, UINT64_C(1) << 31},
    {0x9a820020, "csel x0, x1, x2, eq", 6 | UINT64_C(1) << 63, 1},
    {0x9a020020, "adc x0, x1, x2", 6 | UINT64_C(1) << 63, 1},
    {0x4c40ac00, "ld1 {v0.2d, v1.2d}, [x0]", 0, UINT64_C(3) << 31},
};

static enum am_status decode(const uint32_t *words, size_t n, struct am_arena *arena,
                             struct am_insns *out)
{
    const struct am_code code = {.arch = AM_ARCH_AARCH64,
                                 .name = "words",
                                 .bytes = (const unsigned char *)words,
                                 .n = n * sizeof(*words),
                                 .address = 0x1000};
    struct am_err err = {0};

    return am_insns_decode(&code, arena, out, &err);
}

static void check_roles(void)
{
    for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
        struct am_arena arena = {NULL};
        struct am_insns insns = {.n = 0};
        const struct am_insn none = {.reads = 0}, *in = &none;

        if (decode(&roles[i].word, 1, &arena, &insns) == AM_OK)
            in = &insns.items[0];
        ok(insns.n == 1 && in->reads == roles[i].reads && in->writes == roles[i].writes,
           "%s: reads %#llx, writes %#llx", roles[i].text, (unsigned long long)in->reads,
           (unsigned long long)in->writes);
        am_arena_fini(&arena);
    }
}

int main(void)
{
    const char *const missing = am_insn_unsupported(AM_ARCH_AARCH64);

    if (missing) {
        ok(true, "AArch64 # SKIP %s", missing);
        return tap_done();
    }
    check_roles();
    return tap_done();
}
