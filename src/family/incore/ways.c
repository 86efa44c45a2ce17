/* SPDX-License-Identifier: MIT */
/* How long results take from instruction to instruction, by cpu.chain and cpu.instr. */
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

static double sound(const struct am_result *result, const char *metric)
{
    const struct am_result_metric *const m = am_result_metric(result, metric);

    return m ? am_incore_sound(m) : NAN;
}

/* Latencies of one bench; a later one replaces what an earlier said. */
static bool read_latencies(const struct am_result_set *set, const char *bench,
                           struct am_arena *arena, struct am_incore *core)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        const char *const form = am_result_text(r, "instr");
        const double latency = sound(r, "latency");
        struct am_incore_way *way;

        if (strcmp(r->bench, bench) != 0 || r->state != AM_POINT_OK || !form || isnan(latency))
            continue;
        way = way_named(core, arena, form);
        if (!way)
            return false;
        way->latency = latency;
    }
    return true;
}

/* Cycles of the pair beyond the link alone. */
static double beyond(const struct am_incore *core, const struct am_result *r, const char *metric,
                     const char *link)
{
    const char *const form = am_kvs_get(&r->chosen, link);
    const struct am_incore_way *const way = form ? am_incore_way(core, form) : NULL;

    return way ? sound(r, metric) - way->latency : NAN;
}

/* With which of the two kinds of vectors a form belongs: it takes longer with the other. */
static void read_home(struct am_incore *core, const struct am_result *r)
{
    const double more = beyond(core, r, "with_integer", "integer_link") -
                        beyond(core, r, "with_float", "float_link");
    const char *const form = am_result_text(r, "instr");

    for (size_t i = 0; form && fabs(more) >= way_least && i < core->n_ways; i++) {
        if (strcmp(core->ways[i].form, form) == 0) {
            core->ways[i].home = more > 0 ? AM_HOME_FLOAT : AM_HOME_INTEGER;
            core->ways[i].away = fabs(more);
        }
    }
}

bool am_incore_read_ways(const struct am_result_set *set, struct am_arena *arena,
                         struct am_incore *core)
{
    if (!read_latencies(set, "cpu.instr", arena, core) ||
        !read_latencies(set, "cpu.chain", arena, core))
        return false;
    for (size_t i = 0; i < set->n; i++) {
        if (strcmp(set->results[i].bench, "cpu.chain") == 0 && set->results[i].state == AM_POINT_OK)
            read_home(core, &set->results[i]);
    }
    return true;
}
