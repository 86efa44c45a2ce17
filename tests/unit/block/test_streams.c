/* SPDX-License-Identifier: MIT */
/* Bytes that a loop moves on through, by made-up instructions; marks in made-up code. */
#include "model/block/streams.h"

#include "model/block/marks.h"
#include "tap.h"

#include <math.h>
#include <string.h>

enum { RSI = 6, RDI = 7, RCX = 1, RAX = 0, NONE = AM_REG_COUNT, BODY_MAX = 8 };

static struct am_insn load(unsigned base, unsigned index, int64_t at, unsigned bytes)
{
    return (struct am_insn){.loads = true,
                            .memory_bits = 8 * bytes,
                            .memory = {.base = base,
                                       .index = index,
                                       .scale = index < NONE ? 8 : 0,
                                       .displacement = at,
                                       .known = true}};
}

static struct am_insn store(unsigned base, unsigned index, int64_t at, unsigned bytes)
{
    struct am_insn in = load(base, index, at, bytes);

    in.loads = false;
    in.stores = true;
    return in;
}

static struct am_insn add(unsigned to, unsigned from, int64_t by)
{
    return (struct am_insn){.moves = true,
                            .moved_to = to,
                            .moved_from = from,
                            .moved_by = by,
                            .writes = UINT64_C(1) << to};
}

static struct am_insn computed(unsigned to)
{
    return (struct am_insn){.writes = UINT64_C(1) << to};
}

/* An access that moves its base on: by a constant, or by something else. */
static struct am_insn moving(struct am_insn in, int64_t by, bool known)
{
    in.beside = UINT64_C(1) << in.memory.base;
    in.beside_known = known;
    in.beside_by = by;
    return in;
}

static struct am_insn nameless(unsigned maybe)
{
    return (struct am_insn){.maybe = UINT64_C(1) << maybe};
}

struct body {
    const char *what;
    struct am_insn insns[BODY_MAX];
    size_t n;
    double read, written;
    size_t unknown;
};

static void check_bodies(const struct body *bodies, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct body b = bodies[i];
        const struct am_insns insns = {.items = b.insns, .n = b.n};
        const struct am_loop loop = {.last = b.n - 1};
        struct am_streams s = {.read = 0};
        const bool counted = am_streams_count(&insns, &loop, &s);

        ok(counted && fabs(s.read - b.read) < 1e-9 && fabs(s.written - b.written) < 1e-9 &&
               s.unknown == b.unknown,
           "%s: %g B read, %g written, %zu not followed", b.what, s.read, s.written, s.unknown);
    }
}

static void check_plain(void)
{
    const struct body bodies[] = {
        {"a sum over an array", {load(RSI, NONE, 0, 8), add(RSI, RSI, 8)}, 2, 8, 0, 0},
        {"the same by an index", {load(RSI, RCX, 0, 8), add(RCX, RCX, 1)}, 2, 8, 0, 0},
        {"backwards", {load(RSI, NONE, 0, 32), add(RSI, RSI, -32)}, 2, 32, 0, 0},
        {"neighbours share their lines",
         {load(RSI, NONE, -8, 32), load(RSI, NONE, 0, 32), load(RSI, NONE, 8, 32),
          add(RSI, RSI, 32)},
         4,
         32,
         0,
         0},
        {"a copy", {load(RSI, RCX, 0, 32), store(RDI, RCX, 0, 32), add(RCX, RCX, 4)}, 3, 32, 32, 0},
        {"in place",
         {load(RSI, NONE, 0, 16), store(RSI, NONE, 0, 16), add(RSI, RSI, 16)},
         3,
         16,
         16,
         0},
        {"large strides bring whole lines",
         {load(RSI, NONE, 0, 8), add(RSI, RSI, 256)},
         2,
         64,
         0,
         0},
        {"two rows",
         {load(RSI, NONE, 0, 32), load(RSI, NONE, 65536, 32), add(RSI, RSI, 32)},
         3,
         64,
         0,
         0},
        {"what stands still", {load(RSI, NONE, 0, 8), store(RDI, NONE, 8, 8)}, 2, 0, 0, 0},
        {"a moved base seen through a copy",
         {add(RAX, RSI, 64), load(RAX, NONE, 0, 8), add(RSI, RSI, 8)},
         3,
         8,
         0,
         0},
        {"a loaded pointer is not followed",
         {computed(RAX), load(RAX, NONE, 0, 8), load(RSI, NONE, 0, 8), add(RSI, RSI, 8)},
         4,
         8,
         0,
         1},
        {"two pointers that change places are not followed",
         {load(RSI, NONE, 0, 8), add(RAX, RSI, 0), add(RSI, RDI, 0), add(RDI, RAX, 0)},
         4,
         0,
         0,
         1},
        {"more than two lines at once are not followed",
         {load(RSI, NONE, 0, 512), add(RSI, RSI, 512)},
         2,
         0,
         0,
         1},
    };

    check_bodies(bodies, sizeof(bodies) / sizeof(bodies[0]));
}

/* Bases that an access moves on, and what may have been written. */
static void check_moving(void)
{
    const struct body bodies[] = {
        {"behind the access the base moves on",
         {moving(load(RSI, NONE, 0, 8), 8, true), moving(store(RDI, NONE, 0, 16), 16, true)},
         2,
         8,
         16,
         0},
        {"in front of it: the address has moved on already",
         {moving(load(RSI, NONE, 32, 32), 32, true), load(RSI, NONE, -32, 32)},
         2,
         32,
         0,
         0},
        {"twice in one iteration",
         {moving(load(RSI, NONE, 0, 16), 16, true), moving(load(RSI, NONE, 0, 16), 48, true)},
         2,
         64,
         0,
         0},
        {"back by what it went",
         {moving(load(RSI, NONE, 0, 16), 16, true), moving(load(RSI, NONE, -16, 16), -16, true)},
         2,
         0,
         0,
         0},
        {"by a register that nobody knows",
         {moving(load(RSI, NONE, 0, 16), 0, false), load(RDI, NONE, 0, 8), add(RDI, RDI, 8)},
         3,
         8,
         0,
         1},
        {"a word without a name may have written an index",
         {load(RSI, RCX, 0, 8), nameless(RCX), load(RDI, NONE, 0, 8), add(RDI, RDI, 8)},
         4,
         8,
         0,
         1},
        {"a register that is loaded and moved on at once",
         {moving(load(RSI, NONE, 0, 8), 8, true), computed(RSI)},
         2,
         0,
         0,
         1},
    };

    check_bodies(bodies, sizeof(bodies) / sizeof(bodies[0]));
}

static void check_many(void)
{
    enum { MANY = 200 };
    static struct am_insn items[MANY + 1];
    const struct am_insns insns = {.items = items, .n = MANY + 1};
    const struct am_loop loop = {.last = MANY};
    struct am_streams s = {.read = 0};

    for (size_t i = 0; i < MANY; i++)
        items[i] = load(RSI, NONE, 128 * (int64_t)i, 8);
    items[MANY] = add(RSI, RSI, 128 * MANY);
    ok(am_streams_count(&insns, &loop, &s) && s.operands == MANY && s.unknown == MANY - 128 &&
           s.read == 128 * 64.0,
       "of more operands than are followed the rest is told: %zu", s.unknown);
}

static void check_levels(void)
{
    struct am_arena arena = {NULL};
    struct am_roofline roofline = {.arena = &arena};
    const struct am_streams s = {.read = 64, .written = 32}, none = {.read = 0};
    const struct am_ceiling ceilings[] = {
        {.kind = AM_CEILING_READ, .level = AM_TIER_L2, .threads = 1, .rate = 64e9},
        {.kind = AM_CEILING_WRITE, .level = AM_TIER_L2, .threads = 1, .rate = 16e9},
        {.kind = AM_CEILING_BYTES, .level = AM_TIER_L2, .threads = 1, .rate = 96e9},
        {.kind = AM_CEILING_READ, .level = AM_TIER_MEMORY, .threads = 1, .rate = 8e9},
    };

    for (size_t i = 0; i < sizeof(ceilings) / sizeof(ceilings[0]); i++)
        am_roofline_add(&roofline, &ceilings[i]);
    ok(fabs(am_streams_cycles(&s, &roofline, AM_TIER_L2, 3e9) - 6) < 1e-9,
       "the slowest of reading, writing and both counts: %g cycles",
       am_streams_cycles(&s, &roofline, AM_TIER_L2, 3e9));
    ok(isnan(am_streams_cycles(&s, &roofline, AM_TIER_MEMORY, 3e9)),
       "a level of which one is not measured is not known");
    ok(am_streams_cycles(&none, &roofline, AM_TIER_MEMORY, 3e9) == 0, "nothing takes no time");
    am_arena_fini(&arena);
}

static void check_marks(void)
{
    static const unsigned char begin[] = {0xbb, 0x6f, 0, 0, 0, 0x64, 0x67, 0x90};
    static const unsigned char end[] = {0xbb, 0xde, 0, 0, 0, 0x64, 0x67, 0x90};
    unsigned char code[40] = {0};
    struct am_marked m = {.behind = 0};

    ok(am_marks_next(AM_ARCH_X86_64, code, sizeof(code), 0, &m) == AM_MARKS_NONE, "no mark");
    ok(am_marks_next(AM_ARCH_X86_64, code, 3, 0, &m) == AM_MARKS_NONE, "nor in three bytes");
    memcpy(code + 5, begin, sizeof(begin));
    ok(am_marks_next(AM_ARCH_X86_64, code, sizeof(code), 0, &m) == AM_MARKS_OPEN && m.first == 13,
       "a beginning without an end is told with its place");
    memcpy(code + 20, end, sizeof(end));
    ok(am_marks_next(AM_ARCH_X86_64, code, sizeof(code), 0, &m) == AM_MARKS_FOUND &&
           m.first == 13 && m.n == 7 && m.behind == 28,
       "between the marks lie %zu bytes from %zu on", m.n, m.first);
    ok(am_marks_next(AM_ARCH_X86_64, code, sizeof(code), m.behind, &m) == AM_MARKS_NONE,
       "and behind them no more");
    ok(am_marks_next(AM_ARCH_AARCH64, code, sizeof(code), 0, &m) == AM_MARKS_NONE,
       "marks of another architecture are none");
}

int main(void)
{
    check_plain();
    check_moving();
    check_many();
    check_levels();
    check_marks();
    return tap_done();
}
