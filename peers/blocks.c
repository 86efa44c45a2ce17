/* SPDX-License-Identifier: MIT */
/* Times loops that were taken out of their programs (blocks.py): cycles per pass of each.
 *
 * usage: blocks SECONDS TIMES, linked with the assembled blocks. Times that the file has are kept,
 * the others are looked for during so many seconds, and the file is written anew from time to time.
 *
 * A block is entered with registers of our making: those that address memory point into windows of
 * their own, as far apart within a page as their number allows (a load is held up by a store before
 * it that has the same place in another page), indices are zero, everything else is small. Memory
 * is as blocks_entry.h says. How far a block goes in 3n passes is bounded: data stay in the
 * first-level cache, and no line is met under a second address, which caches that predict ways by
 * addresses take for a miss. Blocks that do not come to a steady state so are given fewer passes.
 *
 * A slice enters a block several times for n, 2n or 3n passes and a few more, the same few for each
 * length: no end of a loop is foreseen, and the differences are n passes each in the steady state
 * without entry and exit. Around a slice run two probes: a chain of additions, which tells cycles
 * and must be as long before as behind, and nops and jumps, as many per cycle as go through. Who
 * shares the core (its other thread may be a stranger's) takes half of these: a slice counts only
 * where they took their least time. Shares no code with archmeter; no prediction has a say.
 *
 * A length has a time when the best slices of five rounds over all blocks lie within 1 %; a
 * placement (of three) has one when the second n passes take as long as the third within 5 %, and
 * 50 cycles at least; a block has one when two placements have.
 *
 * TIMES per block: "NAME CYCLES SECOND PASSES" (the two best placements) or "NAME - REASON". */
#define _GNU_SOURCE
#include "blocks_entry.h"
#include "blocks_moment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    LINE = 64,
    PLACEMENTS = 3,
    LENGTHS = 3,
    IN_A_ROW = 2,
    ROUNDS_MAX = 600,
    ROUNDS_AGREEING = 5,
    CONFIRMED_EVERY = 4, /* rounds: what is confirmed is visited less often */
    JUDGED_EVERY = 4,
    SHORTENED_AFTER = 16, /* rounds of a placement */
    SLICE = 40000,        /* cycles, about */
    MORE = 4,             /* an entry has fewer passes than so many beyond n, 2n or 3n */
    PASSES_MAX = 4000,
    PASSES_MIN = 2,
    SMALL_MIN = 32,  /* in other registers: as a stride, a line of the cache, or half of one */
    CYCLES_MIN = 50, /* of n passes */
    CYCLES_WANTED = 160,
    STRIDE_MAX = 1 << 16,
    SAVE_EVERY = 20, /* seconds */
};
#define AGREEING 0.01  /* by which the best slices of rounds may differ */
#define EVEN 0.05      /* and the second from the third n passes */
#define STEADY 0.01    /* of the probes around a slice */
#define L1_SHARE 0.5   /* of the first-level cache that a block may go through in 3n passes */
#define ROUND_MIN 0.05 /* seconds: rounds that are to agree lie apart */

static double now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- blocks ---- */

/* The best slice of a round: the one with the core to itself that took least. */
struct best {
    float cycles, front; /* front: of the worse probe beside it */
};

struct samples {
    size_t n;
    struct best of[ROUNDS_MAX];
};

struct timing {
    const char *refused, *kept; /* kept: the line of an earlier call */
    bool confirmed;
    enum fill fill;
    uint64_t small; /* what registers hold that address nothing */
    uint64_t passes, runs;
    bool touched[PHYSICAL];
    struct samples samples[PLACEMENTS][LENGTHS];
};

/* Where in its page a register's window begins: those that address memory share it out. */
static uint64_t place_of(const struct block *b, uint64_t reg, int placement)
{
    const uint64_t bases = b->bases | 1u << SP;
    const uint64_t rank = (uint64_t)__builtin_popcountll(bases & ((UINT64_C(1) << reg) - 1));
    const uint64_t n = (uint64_t)__builtin_popcountll(bases);

    return (PAGE * rank / n / LINE + 5 * (uint64_t)placement) % (PAGE / LINE) * LINE;
}

static void set_registers(const struct block *b, const struct timing *t, int placement,
                          uint64_t passes)
{
    for (uint64_t i = 0; i < REGS; i++) {
        const uint64_t window = WINDOWS + i * WINDOW + WINDOW / 2 + place_of(b, i, placement);

        blocks_entry.in[i] = (b->bases >> i & 1) || i == SP ? window
                             : b->indices >> i & 1          ? 0
                                                            : t->small;
    }
    __builtin_ia32_ldmxcsr(0x9fc0); /* subnormal numbers count as zero; a refused block left it */
    blocks_entry.in[b->counter] = passes;
    blocks_entry.code = (uint64_t)b->code;
    blocks_entry.vectors = b->vectors;
}

static uint32_t next_random(uint32_t x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

/* Ticks of some entries, each with up to MORE - 1 passes more, by the seed. */
static double run_slice(const struct block *b, const struct timing *t, uint64_t passes,
                        uint32_t seed)
{
    const uint64_t t0 = blocks_ticks();

    for (uint64_t r = 0; r < t->runs; r++) {
        seed = next_random(seed);
        blocks_entry.in[b->counter] = passes + seed % MORE;
        enter(&blocks_entry);
    }
    return (double)(blocks_ticks() - t0);
}

/* By how much registers move in a pass; those that jump about are said not to move. */
static void find_moves(const struct block *b, const struct timing *t, uint64_t moves[REGS + 1])
{
    enum { FIRST = 8, SECOND = 16 };
    uint64_t before[REGS];

    set_registers(b, t, 0, FIRST);
    enter(&blocks_entry);
    memcpy(before, blocks_entry.out, sizeof(before));
    set_registers(b, t, 0, SECOND);
    enter(&blocks_entry);
    memset(moves, 0, (REGS + 1) * sizeof(moves[0]));
    for (int i = 0; i < REGS; i++) {
        const int64_t moved = (int64_t)(blocks_entry.out[i] - before[i]) / (SECOND - FIRST);

        if (llabs(moved) <= STRIDE_MAX && (uint64_t)i != b->counter)
            moves[i] = (uint64_t)moved;
    }
}

/* Bytes of the cache that operands come to need with each pass, at most. */
static uint64_t travel_of(const struct operands *o, const uint64_t moves[REGS + 1])
{
    const int64_t moved = (int64_t)(moves[o->base] + o->scale * moves[o->index]);
    const uint64_t stride = (uint64_t)llabs(moved);
    const bool in_all_sets = stride % (4 * LINE) != 0;
    const uint64_t by_stride = stride * o->streams, by_lines = LINE * o->n;

    return stride > LINE && in_all_sets && by_lines < by_stride ? by_lines : by_stride;
}

static uint64_t passes_in_cache(const struct block *b, const struct timing *t)
{
    const long l1 = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    const double bytes = L1_SHARE * (double)(l1 > 0 ? l1 : 32 << 10);
    uint64_t moves[REGS + 1], travel = 0, most;

    find_moves(b, t, moves);
    for (uint64_t i = 0; i < b->operands_n; i++)
        travel += travel_of(&b->operands[i], moves);
    if (travel == 0)
        return PASSES_MAX;
    most = (uint64_t)(bytes / (double)travel);
    most = most < MORE ? 0 : (most - MORE) / LENGTHS;
    return most > PASSES_MAX ? PASSES_MAX : most;
}

static const char *const too_large = "strides too large for the first-level cache";

/* A first visit: maps what is touched, and finds how many passes a slice may have. */
static void visit(const struct block *b, struct timing *t)
{
    double took;

    t->refused = NULL;
    t->runs = 1;
    blocks_unmap_all();
    blocks_faults = 0;
    if (sigsetjmp(blocks_refuse, 1)) {
        t->refused = blocks_reason;
        return;
    }
    blocks_fill_all(t->fill);
    memset(blocks_touched, 0, sizeof(blocks_touched));
    t->passes = passes_in_cache(b, t);
    if (t->passes < PASSES_MIN) {
        t->refused = too_large;
        return;
    }
    for (int p = 0; p < PLACEMENTS; p++) {
        set_registers(b, t, p, LENGTHS * t->passes + MORE);
        enter(&blocks_entry);
    }
    took = INFINITY;
    for (int k = 0; k < IN_A_ROW; k++)
        took = fmin(took, run_slice(b, t, LENGTHS * t->passes, 1));
    if (took < LENGTHS * CYCLES_WANTED && t->small > SMALL_MIN) {
        t->refused = too_large;
        return;
    }
    if (took > SLICE && t->passes > PASSES_MIN) {
        const double fewer = (double)t->passes * SLICE / took;

        t->passes = fewer > PASSES_MIN ? (uint64_t)fewer : PASSES_MIN;
        took = SLICE;
    }
    t->runs = 1 + (uint64_t)(SLICE / took);
    memcpy(t->touched, blocks_touched, sizeof(blocks_touched));
}

static bool better(const struct best *than, double cycles, double front)
{
    const int alone = blocks_is_alone(front), other = blocks_is_alone((double)than->front);

    if (alone && other)
        return cycles < than->cycles;
    return alone || (!other && front < than->front);
}

/* One length of a block in one round. */
static struct best best_slice(const struct block *b, const struct timing *t, uint64_t passes,
                              uint32_t seed)
{
    struct best best = {.cycles = INFINITY, .front = INFINITY};
    struct moment before = blocks_probe();

    for (int k = 0; k < IN_A_ROW; k++) {
        const double took = run_slice(b, t, passes, seed) - blocks_reading;
        const struct moment after = blocks_probe();
        const double front = fmax(before.front, after.front);
        const double cycles = took * 2000 * CHAIN / (before.chain + after.chain) / (double)t->runs;

        if (fabs(before.chain - after.chain) <= STEADY * before.chain) {
            blocks_note_front(front);
            if (better(&best, cycles, front))
                best = (struct best){.cycles = (float)cycles, .front = (float)front};
        } else {
            blocks_moments.unsteady++;
        }
        before = after;
    }
    return best;
}

static void take_slices(const struct block *b, struct timing *t, int placement, uint32_t seed)
{
    if (sigsetjmp(blocks_refuse, 1)) {
        t->refused = blocks_reason;
        blocks_fill_all(FLOATS);
        return;
    }
    memcpy(blocks_touched, t->touched, sizeof(blocks_touched));
    blocks_faults = 0;
    for (uint64_t length = 0; length < LENGTHS; length++) {
        struct samples *const s = &t->samples[placement][length];
        const uint64_t passes = (length + 1) * t->passes;

        blocks_fill_touched(t->fill);
        set_registers(b, t, placement, passes + MORE);
        enter(&blocks_entry);
        if (s->n < ROUNDS_MAX)
            s->of[s->n++] = best_slice(b, t, passes, seed);
    }
    memcpy(t->touched, blocks_touched, sizeof(blocks_touched));
    if (t->fill != FLOATS)
        blocks_fill_touched(FLOATS);
}

static int in_order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The least that so many rounds agree on, among those that had the core to themselves; NAN: none.
 */
static double agreed(const struct samples *s)
{
    double sorted[ROUNDS_MAX];
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++) {
        if (blocks_is_alone((double)s->of[i].front))
            sorted[n++] = (double)s->of[i].cycles;
    }
    qsort(sorted, n, sizeof(sorted[0]), in_order);
    for (size_t i = 0; i + ROUNDS_AGREEING <= n; i++) {
        if (sorted[i + ROUNDS_AGREEING - 1] <= (1 + AGREEING) * sorted[i])
            return sorted[i + ROUNDS_AGREEING / 2];
    }
    return NAN;
}

static const char *const not_steady = "no steady state";

/* Cycles per pass with a placement; NAN, and why: these are not n passes of a steady state. */
static double steady(const struct timing *t, int placement, const char **why)
{
    const double one = agreed(&t->samples[placement][0]), two = agreed(&t->samples[placement][1]);
    const double three = agreed(&t->samples[placement][2]);
    const double second = two - one, third = three - two;

    if (isnan(second) || isnan(third))
        *why = "no time that rounds agree on";
    else if (fmin(second, third) < CYCLES_MIN)
        *why = "too short in the first-level cache";
    else if (fabs(second - third) > EVEN * fmin(second, third))
        *why = not_steady;
    else
        return (three - one) / 2 / (double)t->passes;
    return NAN;
}

/* The times of placements that have one, in order; how many. */
static int times_of(const struct timing *t, double values[PLACEMENTS], const char **why)
{
    int n = 0;

    for (int p = 0; !t->refused && p < PLACEMENTS; p++) {
        const double value = steady(t, p, why);

        if (!isnan(value))
            values[n++] = value;
    }
    qsort(values, (size_t)n, sizeof(values[0]), in_order);
    return n;
}

static void tell(FILE *file, const struct block *b, const struct timing *t)
{
    double values[PLACEMENTS];
    const char *why = t->refused;

    if (t->kept)
        (void)fprintf(file, "%s %s\n", b->name, t->kept);
    else if (times_of(t, values, &why) < 2)
        (void)fprintf(file, "%s - %s\n", b->name, why);
    else
        (void)fprintf(file, "%s %.4f %.4f %llu\n", b->name, values[0], values[1],
                      (unsigned long long)t->passes);
}

/* ---- the whole ---- */

static struct timing *timings;

/* A reader sees the old file or the new one. */
static void save(const char *path)
{
    char beside[PAGE];
    FILE *file;

    (void)snprintf(beside, sizeof(beside), "%s.new", path);
    file = fopen(beside, "w");
    if (!file)
        _exit(1);
    for (uint64_t i = 0; i < blocks_n; i++)
        tell(file, &blocks[i], &timings[i]);
    if (fclose(file) != 0 || rename(beside, path) != 0)
        _exit(1);
}

/* What an earlier call found: a block whose time is known is not run again. */
static void load(const char *path)
{
    FILE *const file = fopen(path, "r");
    char line[PAGE];

    for (uint64_t i = 0; file && i < blocks_n && fgets(line, sizeof(line), file);) {
        char *const rest = strchr(line, ' ');

        line[strcspn(line, "\n")] = '\0';
        if (!rest)
            continue;
        *rest = '\0';
        while (i < blocks_n && strcmp(blocks[i].name, line) != 0)
            i++;
        if (i < blocks_n && rest[1] != '-')
            timings[i].kept = strdup(rest + 1);
    }
    if (file)
        (void)fclose(file);
}

/* With other contents of memory where addresses fail, with smaller strides where the cache does. */
static void visit_variously(const struct block *b, struct timing *t)
{
    for (t->fill = FLOATS; t->fill < FILLS; t->fill++) {
        for (t->small = LINE; t->small >= SMALL_MIN; t->small /= 2) {
            visit(b, t);
            if (t->refused != too_large)
                break;
        }
        if (!t->refused || t->refused == too_large)
            return;
    }
}

static void visit_all(void)
{
    for (uint64_t i = 0; i < blocks_n; i++) {
        if (!timings[i].kept)
            visit_variously(&blocks[i], &timings[i]);
    }
    blocks_unmap_all();
    blocks_fill_all(FLOATS);
}

/* Fewer passes go less far: data that left the cache may stay then. */
static void shorten(struct timing *t)
{
    const double second = agreed(&t->samples[0][1]) - agreed(&t->samples[0][0]);

    if (t->passes * 2 / 3 < PASSES_MIN || !(second * 2 / 3 >= CYCLES_MIN))
        return;
    t->passes = t->passes * 2 / 3;
    t->runs = t->runs * 3 / 2;
    memset(t->samples, 0, sizeof(t->samples));
}

/* One placement of a block; whether the block has its times. */
static bool measure(const struct block *b, struct timing *t, uint32_t round)
{
    const uint32_t turn = t->confirmed ? round / CONFIRMED_EVERY : round;
    const char *why = NULL;
    double values[PLACEMENTS];
    int n;

    take_slices(b, t, (int)(turn % PLACEMENTS), round + 1);
    if (turn % JUDGED_EVERY != 0)
        return t->confirmed;
    n = times_of(t, values, &why);
    t->confirmed = n == PLACEMENTS;
    if (n < 2 && why == not_steady && t->samples[0][0].n >= SHORTENED_AFTER)
        shorten(t);
    return t->confirmed;
}

/* Every block once; the number of those without a time. */
static uint64_t one_round(uint32_t round)
{
    uint64_t open = 0;

    for (uint64_t i = 0; i < blocks_n; i++) {
        struct timing *const t = &timings[i];

        if (!t->kept && !t->refused && (!t->confirmed || round % CONFIRMED_EVERY == 0))
            open += !measure(&blocks[i], t, round);
    }
    return open;
}

int main(int argc, char **argv)
{
    enum { ROUNDS_LEAST = 12 * PLACEMENTS };
    const double seconds = argc == 3 ? strtod(argv[1], NULL) : 0, begin = now();
    static const float value = 1.25f;
    double saved = begin;
    uint64_t open = 1;

    timings = calloc(blocks_n + 1, sizeof(*timings));
    if (seconds <= 0 || !timings)
        return 2;
    blocks_open_memory();
    for (size_t i = 0; i < sizeof(blocks_entry.pattern) / (sizeof(value)); i++)
        memcpy((char *)blocks_entry.pattern + i * sizeof(value), &value, sizeof(value));
    blocks_time_reading();
    load(argv[2]);
    visit_all();
    for (uint32_t r = 0; (r < ROUNDS_LEAST || open != 0) && now() < begin + seconds; r++) {
        const double round_begin = now();

        open = one_round(r);
        if (now() > saved + SAVE_EVERY) {
            save(argv[2]);
            saved = now();
        }
        if (now() < round_begin + ROUND_MIN)
            (void)usleep((useconds_t)(1e6 * ROUND_MIN));
    }
    blocks_find_limit();
    save(argv[2]);
    blocks_tell_moments(stderr);
    return 0;
}
