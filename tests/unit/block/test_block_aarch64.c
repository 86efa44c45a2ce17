/* SPDX-License-Identifier: MIT */
/* AArch64 loops, as words: decoded on any machine, held against made-up weights and latencies. */
#include "model/block/bound.h"

#include "core_fixture.h"
#include "model/block/streams.h"
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

enum { NONE = AM_REG_COUNT };

/* Where accesses go, how much they move, and by what their base moves on. */
static const struct {
    uint32_t word;
    const char *text;
    unsigned base, index, scale;
    int64_t displacement;
    unsigned bits;
    int64_t by; /* 0: the base stays */
} accesses[] = {
    {0xfc408402, "ldr d2, [x0], #8", 0, NONE, 1, 0, 64, 8},
    {0xfc408c02, "ldr d2, [x0, #8]!", 0, NONE, 1, 8, 64, 8},
    {0xfd400802, "ldr d2, [x0, #16]", 0, NONE, 1, 16, 64, 0},
    {0xfc637802, "ldr d2, [x0, x3, lsl #3]", 0, 3, 8, 0, 64, 0},
    {0xfc634802, "ldr d2, [x0, w3, uxtw]", 0, 3, 1, 0, 64, 0},
    {0xacc11404, "ldp q4, q5, [x0], #32", 0, NONE, 1, 0, 256, 32},
    {0xa9fe1404, "ldp x4, x5, [x0, #-32]!", 0, NONE, 1, -32, 128, -32},
    {0x68c10801, "ldpsw x1, x2, [x0], #8", 0, NONE, 1, 0, 64, 8},
    {0x6d010801, "stp d1, d2, [x0, #16]", 0, NONE, 1, 16, 128, 0},
    {0x4cdfac00, "ld1 {v0.2d, v1.2d}, [x0], #32", 0, NONE, 1, 0, 256, 32},
    {0x0ddf9000, "ld1 {v0.s}[1], [x0], #4", 0, NONE, 1, 0, 32, 4},
    {0x4ddfcc00, "ld1r {v0.2d}, [x0], #8", 0, NONE, 1, 0, 64, 8},
    {0x4c9f7c20, "st1 {v0.2d}, [x1], #16", 1, NONE, 1, 0, 128, 16},
    {0x38401401, "ldrb w1, [x0], #1", 0, NONE, 1, 0, 8, 1},
    {0x78802401, "ldrsh x1, [x0], #2", 0, NONE, 1, 0, 16, 2},
    {0xb8804401, "ldrsw x1, [x0], #4", 0, NONE, 1, 0, 32, 4},
    {0xb81fc441, "str w1, [x2], #-4", 2, NONE, 1, 0, 32, -4},
    {0xfc5f8020, "ldur d0, [x1, #-8]", 1, NONE, 1, -8, 64, 0},
    {0xf9808000, "prfm pldl1keep, [x0, #256]", 0, NONE, 1, 256, 8, 0},
};

static const struct {
    uint32_t word;
    const char *text;
    unsigned to, from; /* NONE: it is no sum */
    int64_t by;
} sums[] = {
    {0x91002000, "add x0, x0, #8", 0, 0, 8},
    {0x91400420, "add x0, x1, #1, lsl #12", 0, 1, 4096},
    {0xd1004000, "sub x0, x0, #16", 0, 0, -16},
    {0xf1000421, "subs x1, x1, #1", 1, 1, -1},
    {0xaa0403e3, "mov x3, x4", 3, 4, 0},
    {0x8b020020, "add x0, x1, x2", NONE, NONE, 0},
    {0x910043e0, "add x0, sp, #16", NONE, NONE, 0},
};

/* Bytes that loops move on through. */
static const uint32_t copied[] = {
    0xacc10400, /* ldp q0, q1, [x0], #32 */
    0xac810440, /* stp q0, q1, [x2], #32 */
    0xf1000421, /* subs x1, x1, #1 */
    0x54ffffa1, /* b.ne copied */
    0xd65f03c0, /* ret */
};
static const uint32_t backwards[] = {
    0xfc5f8c02, /* ldr d2, [x0, #-8]! */
    0xfc637844, /* ldr d4, [x2, x3, lsl #3] */
    0xd1000463, /* sub x3, x3, #1 */
    0xb5ffffa3, /* cbnz x3, backwards */
    0xd65f03c0, /* ret */
};
/* What one iteration stores, the next does not load: elsewhere in the array, or in another one. */
static const uint32_t in_place[] = {
    0xfd400002, /* ldr d2, [x0] */
    0x1f420442, /* fmadd d2, d2, d2, d1 */
    0xfc008402, /* str d2, [x0], #8 */
    0xf1000421, /* subs x1, x1, #1 */
    0x54ffff81, /* b.ne in_place */
    0xd65f03c0, /* ret */
};
static const uint32_t two_arrays[] = {
    0xfd400282, /* ldr d2, [x20] */
    0x1f420442, /* fmadd d2, d2, d2, d1 */
    0xfd000262, /* str d2, [x19] */
    0xf1000421, /* subs x1, x1, #1 */
    0x54ffff81, /* b.ne two_arrays */
    0xd65f03c0, /* ret */
};
static const uint32_t strided[] = {
    0x4cc27000, /* ld1 {v0.16b}, [x0], x2 */
    0xf1000421, /* subs x1, x1, #1 */
    0x54ffffc1, /* b.ne strided */
    0xd65f03c0, /* ret */
};
/* Vectors of any length: the load behind them goes by an index that a word without a name moves. */
static const uint32_t scalable[] = {
    0xa5e34000, /* ld1d {z0.d}, p0/z, [x0, x3, lsl #3] */
    0xa5e34021, /* ld1d {z1.d}, p0/z, [x1, x3, lsl #3] */
    0x65e20001, /* fmla z1.d, p0/m, z0.d, z2.d */
    0xe5e34021, /* st1d {z1.d}, p0, [x1, x3, lsl #3] */
    0xfc6378c5, /* ldr d5, [x6, x3, lsl #3] */
    0xfc4084e6, /* ldr d6, [x7], #8 */
    0x04f0e3e3, /* incd x3 */
    0x25e41c60, /* whilelo p0.d, x3, x4 */
    0x54ffff04, /* b.mi scalable */
    0xd65f03c0, /* ret */
};

/* Words without a name: whether they load, store, or neither. */
static const struct {
    uint32_t word;
    const char *text;
    bool loads, stores;
} nameless[] = {
    {0xa5e34000, "ld1d {z0.d}, p0/z, [x0, x3, lsl #3]", true, false},
    {0x85c0e000, "ld1rd {z0.d}, p0/z, [x0]", true, false},
    {0x85804400, "ldr z0, [x0, #1, mul vl]", true, false},
    {0xc5a0c020, "ld1d {z0.d}, p0/z, [z1.d]", true, false},
    {0xe5e34021, "st1d {z1.d}, p0, [x1, x3, lsl #3]", false, true},
    {0xe5800000, "str p0, [x0]", false, true},
    {0xe530e000, "st2w {z0.s, z1.s}, p0, [x0]", false, true},
    {0xf8210062, "ldadd x1, x2, [x3]", true, true},
    {0x65e20001, "fmla z1.d, p0/m, z0.d, z2.d", false, false},
    {0x04f0e3e3, "incd x3", false, false},
    {0x25e41c60, "whilelo p0.d, x3, x4", false, false},
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
    cx_add_latency(c, am_form_forward(AM_ARCH_AARCH64, true), 8);
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

static struct am_insn decode_one(uint32_t word, struct am_arena *arena)
{
    struct am_insns insns = {.n = 0};

    return decode(&word, 1, arena, &insns) == AM_OK && insns.n == 1 ? insns.items[0]
                                                                    : (struct am_insn){.length = 0};
}

static void check_addresses(void)
{
    struct am_arena arena = {NULL};

    for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
        const struct am_insn in = decode_one(accesses[i].word, &arena);
        const struct am_insn_memory *const m = &in.memory;
        const bool moves = accesses[i].by != 0;

        ok(m->known && m->base == accesses[i].base && m->index == accesses[i].index &&
               m->scale == accesses[i].scale && m->displacement == accesses[i].displacement &&
               in.memory_bits == accesses[i].bits &&
               in.beside == (moves ? UINT64_C(1) << m->base : 0) && in.beside_known == moves &&
               in.beside_by == accesses[i].by,
           "%s: %u bits at x%u + %u * x%u + %lld, then by %lld", accesses[i].text, in.memory_bits,
           m->base, m->scale, m->index, (long long)m->displacement, (long long)in.beside_by);
    }
    for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
        const struct am_insn in = decode_one(sums[i].word, &arena);

        ok(in.moves == (sums[i].to != NONE) &&
               (!in.moves || (in.moved_to == sums[i].to && in.moved_from == sums[i].from &&
                              in.moved_by == sums[i].by)),
           "%s: x%u from x%u by %lld", sums[i].text, in.moved_to, in.moved_from,
           (long long)in.moved_by);
    }
    for (size_t i = 0; i < sizeof(nameless) / sizeof(nameless[0]); i++) {
        const struct am_insn in = decode_one(nameless[i].word, &arena);

        ok(in.length && strcmp(in.mnemonic, "?") == 0 && in.loads == nameless[i].loads &&
               in.stores == nameless[i].stores && !in.memory.known &&
               in.maybe >> (nameless[i].word & 31) & 1,
           "%s has no name; loads %d, stores %d", nameless[i].text, in.loads, in.stores);
    }
    am_arena_fini(&arena);
}

static struct am_streams count(const uint32_t *words, size_t n, struct am_arena *arena)
{
    struct am_insns insns = {.n = 0};
    struct am_loops loops = {.n = 0};
    struct am_streams out = {.read = 0};

    ok(decode(words, n, arena, &insns) == AM_OK && am_loops_find(&insns, arena, &loops) &&
           loops.n == 1 && am_streams_count(&insns, &loops.items[0], &out),
       "the bytes of a loop of %zu words are counted", n);
    return out;
}

static void check_streams(void)
{
    struct am_arena arena = {NULL};
    struct am_streams s = count(copied, sizeof(copied) / sizeof(*copied), &arena);

    ok(s.read == 32 && s.written == 32 && s.unknown == 0, "a copy by pairs: %g B read, %g written",
       s.read, s.written);
    s = count(backwards, sizeof(backwards) / sizeof(*backwards), &arena);
    ok(s.read == 16 && s.unknown == 0, "two arrays backwards, by base and by index: %g B", s.read);
    s = count(strided, sizeof(strided) / sizeof(*strided), &arena);
    ok(s.operands == 1 && s.unknown == 1, "a base that a register moves is not followed");
    s = count(scalable, sizeof(scalable) / sizeof(*scalable), &arena);
    ok(s.operands == 5 && s.unknown == 4 && s.read == 8,
       "of vectors of any length the accesses are counted and said to be unknown (%zu of %zu)",
       s.unknown, s.operands);
    am_arena_fini(&arena);
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
    p = predict(&c, scalable, sizeof(scalable) / sizeof(*scalable));
    ok(p.unknown == 6 && p.lines[0].forms.match == AM_FORM_UNKNOWN &&
           p.lines[3].forms.match == AM_FORM_UNKNOWN && p.lines[4].forms.match != AM_FORM_UNKNOWN,
       "none of six words of vectors of any length counts as something else (%zu)", p.unknown);
    p = predict(&c, copied, sizeof(copied) / sizeof(*copied));
    is_near(p.chain, 1, 1e-3, "loads and stores that move on do not meet");
    p = predict(&c, in_place, sizeof(in_place) / sizeof(*in_place));
    is_near(p.chain, 1, 1e-3, "nor do those of two iterations, when the store moves on");
    p = predict(&c, two_arrays, sizeof(two_arrays) / sizeof(*two_arrays));
    is_near(p.chain, 1, 1e-3, "nor do arrays of which nothing is known");
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
    check_addresses();
    check_streams();
    check_loops();
    return tap_done();
}
