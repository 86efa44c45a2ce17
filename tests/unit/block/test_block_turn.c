/* SPDX-License-Identifier: MIT */
/* How long it takes to take a loop in, by where it lies and how much of that is known. */
#include "model/block/turn.h"
#include "tap.h"

#include <math.h>

enum { INSNS = 20, BYTES = 3, BACK = 9 };

/* A loop of instructions of three bytes and a fused jump back, from that address on. */
struct body {
    struct am_insn insns[INSNS + 1];
    struct am_predicted_line lines[INSNS + 1];
    struct am_predicted predicted;
};

static struct am_turn turn_of_bounded(const struct am_incore *core, uint64_t address, unsigned kept,
                                      unsigned slots, double throughput)
{
    struct body b = {.predicted = {.lines = b.lines, .n = INSNS + 1, .throughput = throughput}};
    struct am_arena arena = {NULL};
    struct am_turn turn = {.cycles = NAN};

    for (unsigned i = 0; i <= INSNS; i++) {
        b.insns[i].address = address + (uint64_t)i * BYTES;
        b.insns[i].length = i < INSNS ? BYTES : BACK;
        b.lines[i].insn = &b.insns[i];
        b.lines[i].slots = i < INSNS ? slots : 1;
    }
    ok(am_turn_of(core, &b.predicted, kept, &arena, &turn),
       "a loop of 21 instructions, known by %u", kept);
    am_arena_fini(&arena);
    return turn;
}

static struct am_turn turn_of(const struct am_incore *core, uint64_t address, unsigned kept,
                              unsigned slots)
{
    return turn_of_bounded(core, address, kept, slots, 0);
}

/* The same, place by place: what it takes that many bytes behind where the file has it. */
static double cycles_at(const struct am_incore_lines *rule, uint64_t address)
{
    uint64_t at[INSNS + 1];

    for (unsigned i = 0; i <= INSNS; i++)
        at[i] = address + (uint64_t)i * BYTES;
    return fmax(am_incore_in_lines(rule, at, INSNS + 1, at[INSNS] + BACK), 1);
}

/* Of all places that are left, and of all that there are. */
static void check_places(void)
{
    static const unsigned kept[] = {1, 2, 4, 16, 32, 64, 4096};
    const struct am_incore core = {.lines = {64, 6, 2, 2, true, true}};

    for (size_t k = 0; k < 2 * sizeof(kept) / sizeof(kept[0]); k++) {
        const double floor = k % 2 ? 2.5 : 0;
        const unsigned step = kept[k / 2];
        const struct am_turn t = turn_of_bounded(&core, 0x1008, step, 1, floor);
        double sum = 0, least = INFINITY, most = 0, elsewhere = INFINITY;
        unsigned n = 0;

        for (unsigned by = 0; by < core.lines.bytes; by++) {
            const double cycles = cycles_at(&core.lines, 0x1008 + by);

            elsewhere = fmin(elsewhere, cycles);
            if (by % step != 0)
                continue;
            sum += fmax(cycles, floor);
            least = fmin(least, cycles);
            most = fmax(most, cycles);
            n++;
        }
        ok(fabs(t.cycles - sum / n) < 1e-9 && fabs(t.least - least) < 1e-9 &&
               fabs(t.most - most) < 1e-9 && fabs(t.elsewhere - elsewhere) < 1e-9,
           "by %u bytes it takes %g (%g to %g), bounded by %g; at best %g", step, t.cycles, t.least,
           t.most, floor, t.elsewhere);
    }
    for (uint64_t at = 0x1000; at < 0x1040; at++)
        is_near(turn_of(&core, at, 4096, 1).cycles, cycles_at(&core.lines, at), 1e-9,
                "at a place that is known it takes what it takes there");
}

/* 21 slots of three bytes: of a line at its beginning all but the last, four entries; in the middle
 * of one eleven, two entries. */
static void check_lines(void)
{
    const struct am_incore core = {.lines = {64, 6, 2, 2, true, true}};
    struct am_turn t = turn_of(&core, 0x1000, 64, 1);

    is_near(t.cycles, 4, 1e-9, "three cycles for its line and one for the jump's end in the next");
    ok(t.least == t.cycles && t.most == t.cycles && t.elsewhere < t.cycles,
       "where all is known of its place there is one time, elsewhere it takes %g", t.elsewhere);
    t = turn_of(&core, 0x1020, 4096, 1);
    is_near(t.cycles, 1, 1e-9, "in the middle of a line two entries of each of two");
    t = turn_of(&core, 0, 16, 1);
    ok(fabs(t.least - 1) < 1e-9 && fabs(t.most - 4) < 1e-9 && t.cycles > 1 && t.cycles < 4,
       "where a quarter of a line is not known it takes %g to %g, %g on average", t.least, t.most,
       t.cycles);
    t = turn_of(&core, 0, 0, 1);
    ok(t.least <= 1 && t.most >= 4, "where nothing is known, too");
    t = turn_of(&core, 0x1000, 64, 3);
    is_near(t.cycles, 4, 1e-9, "instructions of three operations are read as those of one");
    t = turn_of_bounded(&core, 0x1000, 16, 1, 5);
    is_near(t.cycles, 4, 1e-9, "where other bounds are higher at every place none of them counts");
    t = turn_of(&core, 0x1000, 64, 0);
    is_near(t.cycles, 1, 1e-9, "and what is fused with the next one is no instruction of its own");
}

/* Other rules know nothing of places. */
static void check_others(void)
{
    struct am_incore core = {.fetch = 8, .lines = {64, 6, 2, 2, true, true}};
    struct am_turn t = turn_of(&core, 0x1000, 64, 1);

    is_near(t.cycles, 3, 1e-9, "eight operations per cycle are 21 in three");
    t = turn_of(&core, 0x1000, 64, 2);
    is_near(t.cycles, 6, 1e-9, "and 41 in six");
    core = (struct am_incore){.fetch = 0};
    core.turned_round[19] = 5;
    t = turn_of(&core, 0x1000, 64, 1);
    ok(t.cycles > 4.9 && t.cycles < 5.1 && t.least < 1.1,
       "as long as loops of 21 slots were seen to take, or less: %g to %g", t.least, t.most);
    core.turned_round[19] = 0;
    t = turn_of(&core, 0x1000, 64, 1);
    is_near(t.cycles, 1, 1e-9, "and a jump back alone takes one");
}

int main(void)
{
    check_lines();
    check_places();
    check_others();
    return tap_done();
}
