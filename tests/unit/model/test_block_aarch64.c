/* SPDX-License-Identifier: MIT */
/* AArch64 loops, as words: decoded on any machine, held against made-up weights and latencies. */
#include "model/block/bound.h"

#include "core_fixture.h"
#include "tap.h"

#include <stdlib.h>

static const uint32_t chain[] = {
    0xfc408402, /* ldr d2, [x0], #8 */
    0x1f420400, /* fmadd d0, d0, d2, d1 */
    0xf1000421, /* subs x1, x1, #1 */
    0x54ffffa1, /* b.ne chain */
    0xd65f03c0, /* ret */
};
static const uint32_t units[] = {
    0xacc11404, /* ldp q4, q5, [x0], #32 */
    0x4e66cc80, /* fmla v0.2d, v4.2d, v6.2d */
    0x4e66cca1, /* fmla v1.2d, v5.2d, v6.2d */
    0x4ea6cc82, /* fmls v2.4s, v4.4s, v6.4s */
    0x4fc618a3, /* fmla v3.2d, v5.2d, v6.d[1] */
    0xd1000421, /* sub x1, x1, #1 */
    0xb5ffff41, /* cbnz x1, units */
    0xd65f03c0, /* ret */
};
static const uint32_t odd[] = {
    0x65c20020, /* fadd z0.d, z1.d, z2.d */
    0xeb03005f, /* cmp x2, x3 */
    0x9a86b4a4, /* csinc x4, x5, x6, lt */
    0xaa0403e7, /* mov x7, x4 */
    0x3ca77900, /* str q0, [x8, x7, lsl #4] */
    0x71000421, /* subs w1, w1, #1 */
    0x54ffff4c, /* b.gt odd */
    0xd65f03c0, /* ret */
};

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

/* weights:  front, alu, fma, load */
static const struct cx_form known[] = {
    {"nop", -1, {0.2}},
    {"add_x", 1, {0.2, 0.25}},
    {"csel_x", 1, {0.2, 0.5}},
    {"mov_x", 1, {0.2, 0.25}},
    {"fmadd_d", 4, {0.2, 0, 0.5}},
    {"fmla_2d", 4, {0.2, 0, 0.5}},
    {"ldr_d", -1, {0.2, 0, 0, 0.5}},
    {"ldr_q", -1, {0.2, 0, 0, 0.5}},
    {"str_q", -1, {0.2, 0, 0, 0.5}},
    {"cmp_x", -1, {0.2, 0.25}},
    {.name = NULL},
};
enum { RESOURCES = 4 };
static const char *resource_names[] = {"front", "alu", "fma", "load"};

static void make_core(struct cx_core *c)
{
    cx_make(c, known, resource_names, RESOURCES, 0);
    cx_add_latency(c, "ldr_x", 5);
    cx_settle(c);
}

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

static struct am_predicted predict(struct cx_core *c, const uint32_t *words, size_t n)
{
    struct am_arena *const arena = &c->run.arena;
    struct am_insns *const insns = am_arena_alloc(arena, sizeof(*insns));
    struct am_loops *const loops = am_arena_alloc(arena, sizeof(*loops));
    struct am_predicted out = {.n = 0};

    ok(decode(words, n, arena, insns) == AM_OK && am_loops_find(insns, arena, loops) &&
           loops->n == 1,
       "%zu words have one loop", n);
    if (loops->n != 1 || !am_loop_predict(&c->incore, insns, &loops->items[0], arena, &out))
        abort();
    for (size_t i = 0; i < out.n; i++)
        printf("# %-28s %s %s %s latency %g %s\n", out.lines[i].insn->text,
               out.lines[i].forms.operation, out.lines[i].forms.load, out.lines[i].forms.store,
               out.lines[i].latency, out.lines[i].on_chain ? "*" : "");
    return out;
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

static void check_loops(void)
{
    struct cx_core c = {.run = {.set = {.n = 0}}};
    struct am_predicted p;

    make_core(&c);
    ok(am_core_arch(&c.incore) == AM_ARCH_AARCH64, "the core is known by its forms");
    p = predict(&c, chain, sizeof(chain) / sizeof(*chain));
    ok(p.n == 4 && p.limit == AM_LIMIT_CHAIN && p.lines[1].on_chain && !p.lines[0].on_chain,
       "a fused product that takes its last result is a chain");
    is_near(p.chain, 4, 1e-3, "of 4 cycles: the base that the load moves on is ready in one");
    is_near(p.lines[0].latency, 0, 1e-9, "and what it loads does not wait for the base's sum");
    ok(p.lines[3].forms.match == AM_FORM_NONE, "a branch on the flags before it is fused");
    p = predict(&c, units, sizeof(units) / sizeof(*units));
    ok(strcmp(p.lines[0].forms.load, "ldr_q") == 0 && p.lines[0].forms.times == 2,
       "a pair of vectors is two loads");
    ok(p.lines[1].forms.match == AM_FORM_EXACT && p.lines[3].forms.match == AM_FORM_LIKE &&
           strcmp(p.lines[3].forms.operation, "fmla_2d") == 0,
       "what takes away counts as what adds, in any arrangement");
    is_near(p.throughput, 2, 1e-9, "four fused products on two units");
    is_near(p.chain, 4, 1e-3, "each waits for itself");
    p = predict(&c, odd, sizeof(odd) / sizeof(*odd));
    ok(p.unknown == 1 && strncmp(p.lines[0].insn->text, ".word", 5) == 0,
       "a word that the decoder does not know is unknown, and no more");
    ok(strcmp(p.lines[4].forms.store, "str_q") == 0 && p.lines[4].insn->address_parts == 2,
       "a store has its form");
    ok(p.lines[2].forms.match == AM_FORM_LIKE, "csinc counts as csel");
    am_arena_fini(&c.run.arena);
}

int main(void)
{
    const char *const missing = am_insn_unsupported(AM_ARCH_AARCH64);

    if (missing) {
        ok(true, "AArch64 # SKIP %s", missing);
        return tap_done();
    }
    check_roles();
    check_loops();
    return tap_done();
}
