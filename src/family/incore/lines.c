/* SPDX-License-Identifier: MIT */
/* How long a front end takes for a loop by the lines that it lies in.
 *
 * A core keeps what it has decoded in entries of a few instructions, counted from where the loop is
 * entered. An entry belongs to the line in which it begins, and so many of a line are read per
 * cycle; a line with more of them takes longer. The loops of cpu.loop lie at several places of a
 * line and have instructions of several lengths. Which numbers hold for a core is what explains
 * all of these; where none do, or do so no better than their slots, there is no rule. */
#include "family/incore/incore.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

enum {
    PLACED_MAX = 2 * AM_MIX_PLACES * AM_MIX_SET, /* loops: two machine's worth of a file */
    PLACED_LEAST = 3 * AM_MIX_SET,
    SLOTS_MAX = 160,
    BYTES_MAX = 16, /* of an instruction, or a jump back */
};

/* A loop as it was measured: `slots` instructions of `bytes` each, the jump back last. */
struct placed {
    unsigned begin, bytes, count, back;
    double cycles;
};

struct placed_loops {
    struct placed items[PLACED_MAX];
    size_t n;
    bool apart;   /* they do not all begin at the same place of a line */
    double width; /* slots per cycle, the most that was seen */
};

/* ---- the rule ---- */

/* Cycles that a line takes beyond the first. */
static double longer(const struct am_incore_lines *rule, unsigned entries)
{
    const unsigned beyond = entries > rule->most ? entries - rule->most : 0;

    return (double)rule->more * ((beyond + rule->most - 1) / rule->most);
}

/* Entries that begin in the line that slot `first` is in, which goes on to `*next`. */
static unsigned entries_in(const struct am_incore_lines *rule, const uint64_t *at, size_t n,
                           size_t first, size_t *next)
{
    const uint64_t line = at[first] / rule->bytes;
    unsigned entries = 0;
    size_t i = first;

    for (; i < n && at[i] / rule->bytes == line; i++)
        entries += i % rule->entry == 0;
    *next = i;
    return entries;
}

double am_incore_in_lines(const struct am_incore_lines *rule, const uint64_t *at, size_t n,
                          uint64_t end)
{
    unsigned entries, first = 0, last = 0;
    uint64_t line = n ? at[0] / rule->bytes : 0;
    double cycles = 0, beyond = 0;
    size_t lines = 0;

    for (size_t i = 0; i < n; lines++) {
        line = at[i] / rule->bytes;
        entries = last = entries_in(rule, at, n, i, &i);
        first = lines == 0 ? entries : first;
        cycles += lines == 1 && rule->both && first <= rule->most ? 0 : 1;
        beyond += longer(rule, entries);
    }
    if (n && (end - 1) / rule->bytes > line) { /* the jump goes on into a line of its own */
        cycles += lines == 1 && rule->both && first <= rule->most ? 0 : 1;
        last = 0;
        lines++;
    }
    if (rule->tail && lines > 1 && last == 0 && first == rule->most && beyond <= 0)
        cycles++;
    return cycles + beyond;
}

/* ---- what was measured ---- */

static double predicted(const struct am_incore_lines *rule, const struct placed *l, unsigned ends,
                        double width)
{
    uint64_t at[SLOTS_MAX];
    const unsigned n = l->count + ends;
    const uint64_t behind = l->begin + (uint64_t)l->bytes * l->count;

    for (unsigned i = 0; i < n; i++)
        at[i] = i < l->count ? l->begin + (uint64_t)l->bytes * i
                             : behind + (uint64_t)l->back * (i - l->count) / ends;
    return fmax(fmax(1, n / width), rule ? am_incore_in_lines(rule, at, n, behind + l->back) : 1);
}

/* Mean relative deviation; no more is computed than tells that it is not the best. */
static double deviation(const struct am_incore_lines *rule, const struct placed_loops *all,
                        unsigned ends, double enough)
{
    double sum = 0;

    for (size_t i = 0; i < all->n && sum <= enough * (double)all->n; i++)
        sum += fabs(predicted(rule, &all->items[i], ends, all->width) / all->items[i].cycles - 1);
    return sum / (double)all->n;
}

/* The numbers that cores may have. */
enum {
    LINE_LEAST = 16,
    LINES = 4, /* 16 to 128 bytes */
    ENTRY_LEAST = 3,
    ENTRIES = 14,
    READS = 4,
    MORES = 5,
    WAYS = 4,
    RULES = LINES * ENTRIES * READS * MORES * WAYS
};

/* The rule of that number; of two that explain as much the first is taken. */
static struct am_incore_lines rule_at(unsigned i)
{
    struct am_incore_lines r;

    r.both = i % 2 != 0;
    r.tail = i / 2 % 2 != 0;
    i /= WAYS;
    r.more = i % MORES;
    i /= MORES;
    r.most = 1 + i % READS;
    i /= READS;
    r.entry = ENTRY_LEAST + i % ENTRIES;
    r.bytes = LINE_LEAST << i / ENTRIES;
    return r;
}

/* The rule that misses the loops least, and less than `enough`; returns by how much. */
static double find_rule(const struct placed_loops *all, unsigned ends, double enough,
                        struct am_incore_lines *best)
{
    static const double clearly_less = 1e-9;

    for (unsigned i = 0; i < RULES; i++) {
        const struct am_incore_lines rule = rule_at(i);
        const double d = deviation(&rule, all, ends, enough);

        if (d < enough - clearly_less) {
            enough = d;
            *best = rule;
        }
    }
    return enough;
}

static bool number(const struct am_result *r, const char *key, uint64_t most, unsigned *out)
{
    const char *const text = am_kvs_get(&r->chosen, key);
    uint64_t value;

    if (!text || !am_parse_u64(text, strlen(text), &value) || value > most)
        return false;
    *out = (unsigned)value;
    return true;
}

/* The loops of a result that says where they lie. */
static void add_loops(const struct am_incore *core, const struct am_result *r,
                      struct placed_loops *all)
{
    struct placed l;
    unsigned fewest, step;

    if (!number(r, "begin", AM_MIX_LINE, &l.begin) || !number(r, "bytes", BYTES_MAX, &l.bytes) ||
        !number(r, "back", BYTES_MAX, &l.back) || !number(r, "fewest", SLOTS_MAX, &fewest) ||
        !number(r, "step", SLOTS_MAX, &step) || l.bytes == 0 || l.back == 0 || fewest == 0 ||
        all->n + AM_MIX_SET > PLACED_MAX)
        return;
    for (unsigned i = 0; i < AM_MIX_SET; i++) {
        l.cycles = am_incore_loop(core, r, i);
        l.count = fewest + i * step;
        if (!(l.cycles > 0) || l.count + 2 > SLOTS_MAX)
            continue;
        all->items[all->n++] = l;
        all->apart = all->apart || l.begin != all->items[0].begin;
        all->width = fmax(all->width, (l.count + 1) / l.cycles);
    }
}

void am_incore_read_lines(const struct am_result_set *set, struct am_incore *core)
{
    static const double close = 0.03, clearly = 0.5;
    enum { ENDS = 2 };
    struct placed_loops all = {.n = 0};

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        if (r->state == AM_POINT_OK && strcmp(r->bench, "cpu.loop") == 0)
            add_loops(core, r, &all);
    }
    if (core->fetch || all.n < PLACED_LEAST || !all.apart)
        return;
    for (unsigned ends = 1; ends <= ENDS; ends++) {
        const double none = deviation(NULL, &all, ends, INFINITY);
        struct am_incore_lines found = {.bytes = 0};
        double best = fmin(close, clearly * none);

        best = find_rule(&all, ends, core->lines.bytes ? core->lines_error : best, &found);
        if (found.bytes) {
            core->lines = found;
            core->lines_error = best;
        }
    }
}
