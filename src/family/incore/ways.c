/* SPDX-License-Identifier: MIT */
/* How long results take from instruction to instruction, by cpu.chain, cpu.instr and cpu.operand,
 * and how many operations are taken in where a loop jumps back, by cpu.loop. */
#include "family/incore/incore.h"

#include "base/array.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* A way between two kinds of units is a cycle or more there and back; less is no way. */
static const double way_least = 0.5;

static struct am_incore_way *way_named(struct am_incore *core, struct am_arena *arena,
                                       const char *form)
{
    struct am_incore_way *way;

    for (size_t i = 0; i < core->n_ways; i++) {
        if (strcmp(core->ways[i].form, form) == 0)
            return &core->ways[i];
    }
    way = AM_ARRAY_ADD(arena, core->ways, core->n_ways, core->cap_ways);
    if (way)
        *way = (struct am_incore_way){.form = form, .latency = NAN};
    return way;
}

const struct am_incore_way *am_incore_way(const struct am_incore *core, const char *form)
{
    for (size_t i = 0; i < core->n_ways; i++) {
        if (strcmp(core->ways[i].form, form) == 0)
            return &core->ways[i];
    }
    return NULL;
}

static double sound(const struct am_incore *core, const struct am_result *result,
                    const char *metric)
{
    const struct am_result_metric *const m = am_result_metric(result, metric);

    return m ? am_incore_sound(core, m) : NAN;
}

/* Results come in whole cycles. What a chain of them shows beside these is the error of the clock,
 * and whoever plays cycles would lose one by every 1.0006 that is meant to be 1. `of`: what was
 * measured to know it. */
static double whole(double cycles, double of)
{
    static const double error = 0.02;
    const double nearest = floor(cycles + 0.5);

    return fabs(cycles - nearest) <= error * of ? nearest : cycles;
}

/* Latencies of one bench; a later one replaces what an earlier said. */
static bool read_latencies(const struct am_result_set *set, const char *bench,
                           struct am_arena *arena, struct am_incore *core)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        const char *const form = am_result_text(r, "instr");
        const double latency = sound(core, r, "latency");
        struct am_incore_way *way;

        if (strcmp(r->bench, bench) != 0 || r->state != AM_POINT_OK || !form || isnan(latency))
            continue;
        way = way_named(core, arena, form);
        if (!way)
            return false;
        way->latency = whole(latency, latency);
    }
    return true;
}

/* How much later than its base a load needs its index. */
static void read_addresses(const struct am_result_set *set, struct am_incore *core)
{
    enum { BASE, INDEX, SCALED, PATHS };
    static const char *const names[][PATHS] = {
        {"mov_r64_m64.base", "mov_r64_m64.index", "mov_r64_m64.scaled_index"},
        {"ldr_x.base", "ldr_x.index", "ldr_x.scaled_index"},
    };
    double took[PATHS] = {NAN, NAN, NAN};

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        const char *const path = am_result_text(r, "path");
        const double latency = sound(core, r, "latency");

        if (strcmp(r->bench, "cpu.operand") != 0 || r->state != AM_POINT_OK || !path)
            continue;
        for (size_t k = 0; k < PATHS && !isnan(latency); k++) {
            if (strcmp(path, names[0][k]) == 0 || strcmp(path, names[1][k]) == 0)
                took[k] = whole(latency, latency);
        }
    }
    core->indexed_more = fmax(took[INDEX] - took[BASE], 0); /* fmax(NAN, 0) is 0 */
    core->scaled_more = fmax(took[SCALED] - took[BASE], 0);
}

/* Cycles of a form and the link beyond each alone. A pair that takes twice as long as both is no
 * way between units: an assist, as of subnormal numbers. NAN then. */
static double beyond(const struct am_incore *core, const struct am_result *r, const char *metric,
                     const char *link)
{
    const char *const name = am_kvs_get(&r->chosen, link), *const form = am_result_text(r, "instr");
    const struct am_incore_way *const way = name ? am_incore_way(core, name) : NULL;
    const struct am_incore_way *const own = form ? am_incore_way(core, form) : NULL;
    const double pair = sound(core, r, metric);

    return way && own && pair <= 2 * (way->latency + own->latency + 1)
               ? whole(fmax(pair - way->latency - own->latency, 0), pair)
               : NAN;
}

/* Cycles from an addition of numbers to one of the link's size, or back: where a pair takes far
 * longer than both, and the form as long as the link alone, so that they are additions in the same
 * units. Numbers next to zero, which cores stumble over, too, are zeros in these chains. */
static double clash_of(const struct am_incore *core, const struct am_result *r,
                       const struct am_incore_way *own)
{
    static const double alike = 0.3;
    const char *const name = am_kvs_get(&r->chosen, "float_link");
    const struct am_incore_way *const link = name ? am_incore_way(core, name) : NULL;
    const double pair = sound(core, r, "with_float");

    return link && fabs(link->latency - own->latency) < alike &&
                   pair > 2 * (link->latency + own->latency + 1)
               ? (pair - link->latency - own->latency) / 2
               : 0;
}

/* With which of the two kinds of additions a form belongs: it takes longer with the other; or with
 * neither. */
static void read_home(struct am_incore *core, const struct am_result *r)
{
    const double to_float = beyond(core, r, "with_float", "float_link");
    const double to_integer = beyond(core, r, "with_integer", "integer_link");
    const char *const form = am_result_text(r, "instr");
    const char *const links[] = {am_kvs_get(&r->chosen, "float_link"),
                                 am_kvs_get(&r->chosen, "integer_link")};
    const bool two = links[0] && links[1] && strcmp(links[0], links[1]) != 0;

    for (size_t i = 0; form && two && i < core->n_ways; i++) {
        struct am_incore_way *const way = &core->ways[i];

        if (strcmp(way->form, form) != 0)
            continue;
        way->clash = clash_of(core, r, way);
        if (isnan(to_float) || isnan(to_integer))
            continue;
        if (fmin(to_float, to_integer) >= way_least) {
            way->home = AM_HOME_APART;
            way->away = to_float;
            way->other = to_integer;
        } else if (fabs(to_float - to_integer) >= way_least) {
            way->home = to_float < to_integer ? AM_HOME_FLOAT : AM_HOME_INTEGER;
            way->away = fabs(to_float - to_integer);
        }
    }
}

/* ---- short loops ---- */

#define LOOP_NAME(i) "loop_" #i,
static const char *const loop_names[AM_MIX_SET] = {AM_MIX_SET_MAP(LOOP_NAME)};
#undef LOOP_NAME

double am_incore_loop(const struct am_incore *core, const struct am_result *result, unsigned i)
{
    return sound(core, result, loop_names[i]);
}

/* Mean relative deviation of loops of one to AM_MIX_SET instructions and `end` more from a front
 * end of that width which takes in `fetch` operations per cycle, and none behind a jump back. */
static double deviation(const double *cycles, double width, unsigned fetch, unsigned end)
{
    double sum = 0;

    for (unsigned i = 0; i < AM_MIX_SET; i++) {
        const unsigned ops = i + 1 + end, taken = (ops + fetch - 1) / fetch;

        sum += fabs(fmax(fmax(1, ops / width), taken) / cycles[i] - 1);
    }
    return sum / AM_MIX_SET;
}

/* Where no number explains them, the loops' own cycles are what is known. */
static void find_fetch(struct am_incore *core, const double *cycles)
{
    enum { LEAST = 2, MOST = AM_MIX_SET + 2, ENDS = 2 };
    static const double close = 0.03;
    double width = 0, best = INFINITY;
    unsigned found = 0;

    for (unsigned i = 0; i < AM_MIX_SET; i++)
        width = fmax(width, (i + 2) / cycles[i]);
    for (unsigned fetch = MOST; fetch >= LEAST; fetch--) {
        for (unsigned end = 1; end <= ENDS; end++) {
            const double d = deviation(cycles, width, fetch, end);

            found = d < best ? fetch : found;
            best = fmin(best, d);
        }
    }
    core->fetch = best <= close && found < MOST ? found : 0;
    for (unsigned i = 0; i < AM_MIX_SET; i++)
        core->turned_round[i] = best <= close ? 0 : cycles[i];
}

enum { WIDTH_MOST = 64 }; /* of a file from anybody */

static double taken_in(const struct am_incore *core, unsigned slots)
{
    return core->fetch ? (slots + core->fetch - 1) / core->fetch : 1;
}

/* Mean relative deviation of loops of one that is split in two, one to AM_MIX_SET others and the
 * jump from what groups of the front end say. */
static double split_deviation(const struct am_incore *core, const double *cycles)
{
    double sum = 0;

    for (unsigned i = 0; i < AM_MIX_SET; i++) {
        unsigned slots[AM_MIX_SET + 2];

        for (unsigned k = 0; k < i + 3; k++)
            slots[k] = 1;
        slots[(i + 1) / 2] = 2; /* in the middle, as mixes are spread */
        sum += fabs(fmax(fmax(1, am_incore_groups(core, slots, i + 3)), taken_in(core, i + 4)) /
                        cycles[i] -
                    1);
    }
    return sum / AM_MIX_SET;
}

/* Behind how many others a split instruction may stand: the number that explains all loops, where
 * it does so clearly better than no such rule. How many of its like go into a cycle says behind how
 * many slots. */
static void find_split(struct am_incore *core, const double *cycles)
{
    static const double close = 0.03, clearly = 0.5;
    const struct am_incore_form *const split = am_incore_find(core, "cmp_r64_m64_indexed");
    const double none = split_deviation(core, cycles);
    double best = clearly * none;

    for (unsigned first = 1; split && split->alone.value > 0 && first < core->width; first++) {
        struct am_incore with = *core;
        double d;

        with.split_first = first;
        with.split_slots = 2 * (unsigned)fmin(1 / split->alone.value + 0.1, core->width);
        d = split_deviation(&with, cycles);
        if (d <= close && d < best) {
            best = d;
            core->split_first = first;
            core->split_slots = with.split_slots;
        }
    }
}

/* The loops with nothing else first: they tell the width. */
static void read_loops(struct am_incore *core, const struct am_result *result, bool split)
{
    const char *const with = am_result_text(result, "with");
    double cycles[AM_MIX_SET], width = 0;

    if (with && strcmp(with, split ? "indexed" : "nothing") != 0)
        return;
    if (split && !with)
        return;
    for (unsigned i = 0; i < AM_MIX_SET; i++) {
        cycles[i] = am_incore_loop(core, result, i);
        if (!(cycles[i] > 0))
            return;
        width = fmax(width, (i + 2) / cycles[i]);
    }
    if (!split) {
        find_fetch(core, cycles);
        core->width = (unsigned)fmin(width + 0.5, WIDTH_MOST);
    } else if (core->width > 1) {
        find_split(core, cycles);
    }
}

bool am_incore_read_ways(const struct am_result_set *set, struct am_arena *arena,
                         struct am_incore *core)
{
    if (!read_latencies(set, "cpu.instr", arena, core) ||
        !read_latencies(set, "cpu.chain", arena, core))
        return false;
    read_addresses(set, core);
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        if (r->state == AM_POINT_OK && strcmp(r->bench, "cpu.chain") == 0)
            read_home(core, r);
    }
    for (int split = 0; split <= 1; split++) {
        for (size_t i = 0; i < set->n; i++) {
            const struct am_result *const r = &set->results[i];

            if (r->state == AM_POINT_OK && strcmp(r->bench, "cpu.loop") == 0)
                read_loops(core, r, split);
        }
    }
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        if (r->state == AM_POINT_OK && strcmp(r->bench, "cpu.loop") == 0) {
            am_incore_read_handed(core, r);
            am_incore_read_vectors(core, r);
        }
    }
    am_incore_read_runs(set, core);
    am_incore_read_lines(set, core);
    return true;
}
