/* SPDX-License-Identifier: MIT */
/* Ceilings: the highest rates that were measured, by instruction set, precision, level of memory
 * and threads. Bounds of programs are made of them and of nothing else. Which benches give ceilings
 * their families say (am_bound_row); rates are told by their units. Evidence of grade C gives none.
 * Where an application executed more than its ceiling, the ceiling is raised to that rate; a remark
 * tells what was raised, and what was not because it is of grade C. */
#ifndef AM_MODEL_ROOFLINE_H
#define AM_MODEL_ROOFLINE_H

#include "base/arena.h"
#include "family/fact.h"
#include "family/tiers.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>

/* What one second has at most. Reading, writing and both together are bounded apart: a level that
 * loads twice and stores once a cycle has three different ceilings. */
enum am_ceiling_kind {
    AM_CEILING_FLOPS, /* flop/s */
    AM_CEILING_READ,  /* B/s read, whatever is written beside it */
    AM_CEILING_WRITE, /* B/s written, whatever is read beside it */
    AM_CEILING_BYTES, /* B/s read and written */
    AM_CEILING_KINDS,
};

struct am_ceiling {
    enum am_ceiling_kind kind;
    enum am_tier level;    /* not of flops */
    const char *type;      /* of flops: "f64", "bf16", "i8"; else NULL */
    const char *isa;       /* NULL where the bench has no such axis */
    const char *op;        /* of flops: "fma", "mix", "tdpbf16ps"; NULL where the bench has none */
    const char *device;    /* NULL: the processor */
    const char *space;     /* of bytes of a device: "global memory"; else NULL */
    double threads;        /* all of them together have it */
    double rate;           /* 95 % quantile of the samples of the best point */
    double median;         /* of the same point */
    struct am_interval ci; /* of that median */
    const char *from;      /* the evidence in words: bench and point */
    const struct am_result *point; /* the evidence; NULL in a model that was read from a file */
};
extern const char *const am_ceiling_words[AM_CEILING_KINDS]; /* "flops", "read", ... */

struct am_roofline {
    struct am_ceiling *items;
    size_t n, cap;
    struct am_tiers levels;
    size_t doubtful; /* results of grade C that would have given ceilings */
    const char **remarks;
    size_t n_remarks, cap_remarks;
    struct am_arena *arena;
};

/* From the results of the benches that stream and compute, and from what applications executed.
 * Facts give the sizes of the caches. */
void am_roofline_build(const struct am_result_set *set, const struct am_facts *facts,
                       struct am_arena *arena, struct am_roofline *out);

/* Adds a ceiling, or raises the one of the same kind, level, type, instruction set, device and
 * threads to it; one that is no number above 0 is left out. */
void am_roofline_add(struct am_roofline *roofline, const struct am_ceiling *ceiling);

struct am_roof_query {
    enum am_ceiling_kind kind;
    enum am_tier level;
    const char *type; /* of flops only; NULL: f32 or f64, the higher counts */
    const char *isa;  /* NULL: any */
    const char *op;   /* of flops only; NULL: any */
    double threads;
    const char *device; /* NULL: the processor */
    const char *space;  /* of bytes of a device */
    bool exact;         /* this level and no faster one in its place */
};

struct am_roof {
    const struct am_ceiling *ceiling; /* what it was taken from */
    double rate;
    double least_rate; /* what so many threads have at least: of one that was measured, its rate */
    bool scaled; /* not measured with as many threads: by those of fewer or more, never too low as
                  * long as threads do not help each other */
};

/* False when nothing was measured that bounds it. Where the instruction set itself was not
 * measured, a wider one bounds it; where the level was not, a faster one. */
bool am_roofline_find(const struct am_roofline *roofline, const struct am_roof_query *query,
                      struct am_roof *out);

/* Seconds that work needs by roofs, all of which work at once; least and most by the intervals of
 * their ceilings. Begins as zeros. */
struct am_roof_time {
    double s, least, most;
};
/* So much more work by one roof; returns whether it is the one that limits now. */
bool am_roof_time_raise(struct am_roof_time *time, double amount, const struct am_roof *roof);

/* "flop/s" or "B/s". */
const char *am_ceiling_unit(enum am_ceiling_kind kind);
/* The same, of operations on whole numbers "op/s". */
const char *am_ceiling_unit_of(enum am_ceiling_kind kind, const char *type);
/* The metric of a result in such a unit, the first; NULL when it has none. */
const struct am_result_metric *am_result_rate(const struct am_result *result, const char *unit);

#endif
