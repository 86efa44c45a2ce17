/* SPDX-License-Identifier: MIT */
/* Ratios of facts of two machines. */
#include "family/speeds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_FACTS = 3 };

/* X: the fact, what it is told apart by, and how it is a speed. */
enum unit { PER_SECOND, SECONDS, PER_CYCLE, CYCLES };

struct piece {
    const char *name;
    const char *where; /* conditions on its labels; NULL: none */
    enum unit unit;
};

static const struct piece core_pieces[] = {
    {"core.rate", NULL, PER_CYCLE},
    {"core.latency", NULL, CYCLES},
    {NULL, NULL, PER_SECOND},
};

/* One core's: what a program without more threads can have. */
static const struct piece memory_pieces[] = {
    {"memory.bandwidth", "level=memory threads=1", PER_SECOND},
    {"memory.latency", "level=memory", SECONDS},
    {"memory.loaded_latency", NULL, SECONDS},
    {NULL, NULL, PER_SECOND},
};

static const struct {
    const struct piece *pieces;
    const char *missing;
} parts[AM_SPEED_PARTS] = {
    [AM_SPEED_CORE] = {core_pieces, "rates and latencies of instructions on both machines: "
                                    "archmeter run cpu.instr, archmeter model -o"},
    [AM_SPEED_MEMORY] = {memory_pieces, "bandwidth and latency of memory on both machines: "
                                        "archmeter run mem.bandwidth mem.latency, archmeter model "
                                        "-o"},
};

static double clock_of(const struct am_facts *facts)
{
    return am_facts_value(facts, "core.clock", NULL);
}

double am_speeds_clock(const struct am_facts *here, const struct am_facts *there)
{
    return clock_of(there) / clock_of(here);
}

static double latency_of(const struct am_facts *facts, enum am_tier level)
{
    char where[32];

    (void)snprintf(where, sizeof(where), "level=%s", am_tier_label(level));
    return am_facts_value(facts, "memory.latency", where);
}

double am_speeds_waiting(const struct am_facts *here, enum am_tier level_here,
                         const struct am_facts *there, enum am_tier level_there)
{
    return latency_of(here, level_here) / latency_of(there, level_there);
}

static bool same_labels(const struct am_fact *a, const struct am_fact *b)
{
    if (a->n_labels != b->n_labels)
        return false;
    for (size_t i = 0; i < a->n_labels; i++) {
        const char *const other = am_fact_text(b, a->labels[i].name);

        if (!other || strcmp(other, a->labels[i].text) != 0)
            return false;
    }
    return true;
}

static const struct am_fact *twin(const struct am_facts *facts, const struct piece *piece,
                                  const struct am_fact *of)
{
    const struct am_fact *f = NULL;

    while ((f = am_facts_next(facts, piece->name, piece->where, f)) != NULL) {
        if (same_labels(f, of))
            return f;
    }
    return NULL;
}

/* How many times as fast, of one piece. */
static double speed(const struct piece *piece, double here, double there, double clocks)
{
    switch (piece->unit) {
    case PER_SECOND: return there / here;
    case SECONDS: return here / there;
    case PER_CYCLE: return there / here * clocks;
    case CYCLES: return here / there * clocks;
    }
    return NAN;
}

static void add(struct am_speed_range *out, double ratio, const char *id)
{
    if (!(ratio > 0) || !isfinite(ratio))
        return;
    if (out->n == 0 || ratio < out->lo) {
        out->lo = ratio;
        out->least = id;
    }
    if (out->n == 0 || ratio > out->hi) {
        out->hi = ratio;
        out->most = id;
    }
    out->n++;
}

bool am_speeds(const struct am_facts *here, const struct am_facts *there, enum am_speed_part part,
               struct am_speed_range *out, const char **missing)
{
    const double clocks = am_speeds_clock(here, there);

    *out = (struct am_speed_range){.lo = NAN, .hi = NAN};
    for (const struct piece *p = parts[part].pieces; p->name; p++) {
        const struct am_fact *f = NULL;

        while ((f = am_facts_next(here, p->name, p->where, f)) != NULL) {
            const struct am_fact *const other = twin(there, p, f);

            if (other)
                add(out, speed(p, f->value, other->value, clocks), f->id);
        }
    }
    *missing = parts[part].missing;
    return out->n >= LEAST_FACTS;
}
