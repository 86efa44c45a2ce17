/* SPDX-License-Identifier: MIT */
/* What a program pays for its OpenMP directives (`archmeter omp cost`).
 *
 * A run of this kind has three things in one file: executions of the program in which its
 * directives were counted (regions of a marked program whose names are those of
 * bench/omp/count/count.h), executions of the program as it is, and the overheads of just those
 * constructs, team sizes and gaps on this machine (omp.region, omp.sync, omp.sched). A prediction
 * is a count times an overhead, with the interval of the overhead: seconds of the program's time
 * that would be gone if the construct were free. What was measured at a construct stands beside it,
 * and is no prediction: it has the waiting for others in it. Critical sections and locks have no
 * overhead of their own: what they cost depends on the work around them, so the program's own times
 * say it (omp/exclusion.c).
 *
 * am_omp_cost_plan() writes what is to be measured, am_omp_cost_of() reads what was. */
#ifndef AM_FAMILY_OMP_COST_H
#define AM_FAMILY_OMP_COST_H

#include "base/arena.h"
#include "base/array.h"
#include "base/text.h"
#include "core/marks/marks.h"
#include "evidence/evidence.h"

#include <stdbool.h>
#include <stddef.h>

#define AM_OMP_COST_KIND "omp-cost"          /* of the stored run (core/spec/commands.h) */
#define AM_OMP_COST_ALONE "-alone"           /* ending of the test that runs the program as it is */
#define AM_OMP_COST_POLICY "OMP_WAIT_POLICY" /* what is tried where threads sleep */

/* A quantity with its interval; !known: nothing says it. */
struct am_omp_price {
    double value, lo, hi;
    bool known;
    enum am_grade grade; /* the worst of what it rests on */
};

/* One construct at one place, with one team size and one gap. */
struct am_omp_spent {
    const char *family, *construct, *place;
    double threads, gap_us; /* gap -1: the process's first region */
    double calls;           /* of all threads */
    double times;           /* that the program's time has it: calls, or those of one thread */
    double measured_s;      /* in it, per thread of the team; of a region from fork to join */
    struct am_omp_price each, lost; /* overhead of one time, and of all */
    const char *why_not;            /* nothing is predicted because of this; NULL: it is */
};

/* A change of the program, or of how it is started. */
struct am_omp_advice {
    const char *text;
    struct am_omp_price gain; /* seconds, predicted */
    struct am_omp_price seen; /* seconds, measured in the same run; !known: it was not tried */
};

struct am_omp_cost {
    const char *program;
    struct am_omp_price alone;   /* time of the program as it is */
    struct am_omp_price counted; /* the same with counting */
    struct am_omp_price lost;    /* of all constructs that have a prediction */
    struct am_omp_price policy;  /* time with AM_OMP_COST_POLICY=active; !known: not tried */
    double regions_s;            /* of all regions, while counting */
    double work_s;               /* in them, the mean of a team's threads, counting included */
    double marks;                /* constructs that such a thread counted there */
    double mark_s;               /* what counting one adds to the work around it; 0: not known */
    double uneven_s; /* of it, what the thread that was longest in them did beyond the mean */
    /* Of the program as it is: regions' time less the threads' mean work; !known: not known. */
    struct am_omp_price beyond;
    bool tasks; /* work is done while threads wait: nothing is known of their work */
    struct am_omp_spent *items; /* those that lose most first */
    size_t n;
    struct am_omp_spent *bodies; /* measured_s: the work of all threads in regions of a place */
    size_t n_bodies;
    struct am_omp_spent *meetings; /* bodies that end behind a barrier, at the place of a region */
    size_t n_meetings;
    struct am_omp_advice *advice; /* the largest gain first */
    size_t n_advice;
};

/* Whether the run is one of `archmeter omp cost`. */
bool am_omp_cost_is(const struct am_result_set *set);
/* Reads it. `prices` has the overheads: the run itself, or one of the same machine. False when
 * memory is refused. */
bool am_omp_cost_of(const struct am_result_set *set, const struct am_result_set *prices,
                    struct am_arena *arena, struct am_omp_cost *out);

/* ---- prices (omp/price.c) ---- */

struct am_omp_pricing {
    const struct am_result_set *set;
    const char *runtime; /* value of the axis */
    struct am_arena *arena;
};

/* Overhead of a region after so many us, with a wait policy ("auto", "active"): measured at that
 * gap, or between two neighbours. */
struct am_omp_price am_omp_price_region(const struct am_omp_pricing *p, double threads,
                                        double gap_us, const char *wait);
/* Overhead of a construct of omp.sync. */
struct am_omp_price am_omp_price_sync(const struct am_omp_pricing *p, const char *construct,
                                      double threads);
/* The first region of a process, which makes its team. */
struct am_omp_price am_omp_price_first(const struct am_omp_pricing *p, double threads);
/* What a thread pays for one chunk more. */
struct am_omp_price am_omp_price_chunk(const struct am_omp_pricing *p, double threads);
/* What a task costs its team's threads together. */
struct am_omp_price am_omp_price_task(const struct am_omp_pricing *p, double threads);
/* Whether one thread at a time does it; what such items lose, all others being known
 * (omp/exclusion.c). */
bool am_omp_cost_excludes(const struct am_omp_spent *s);
void am_omp_cost_share_waiting(const struct am_omp_pricing *pricing, struct am_omp_cost *cost);
/* Fills the advice of what am_omp_cost_of() has read (omp/advice.c); false without memory. */
bool am_omp_cost_advise(const struct am_omp_pricing *pricing, struct am_omp_cost *cost);

/* n times the price, n >= 0; differences and sums with the widths added; unknown where a part is.
 */
struct am_omp_price am_omp_price_times(struct am_omp_price price, double n);
struct am_omp_price am_omp_price_less(struct am_omp_price a, struct am_omp_price b);
struct am_omp_price am_omp_price_plus(struct am_omp_price a, struct am_omp_price b);

/* ---- before measuring (omp/cost_plan.c) ---- */

struct am_omp_cost_wish {
    const char *runtime; /* value of the axis runtime; NULL: by what the program used */
    bool binds;          /* the user says how threads are bound: OMP_PROC_BIND is set */
    bool waits;          /* the user says how threads wait: nothing else is tried */
    bool priced;         /* overheads come from elsewhere: none are measured */
};

/* Whether the marks are of counted directives. */
bool am_omp_cost_counted(const struct am_marks *marks);
/* Whether other ways to wait are worth trying: regions follow serial work. */
bool am_omp_cost_tries(const struct am_marks *marks, const struct am_omp_cost_wish *wish);
/* Names of the same regions after other gaps: serial parts vary from execution to execution. False
 * when memory is refused. */
bool am_omp_cost_neighbours(const struct am_marks *marks, struct am_arena *arena,
                            struct am_strings *out);
/* Adds the tests of an experiment (doc/guide/experiment.md) that measure the overheads of what was
 * counted. */
void am_omp_cost_plan(const struct am_marks *marks, const struct am_omp_cost_wish *wish,
                      struct am_text *text);

/* "gomp:region:16:100:solver+0x1a40" in its parts; false where it is none. Texts in the arena. */
bool am_omp_cost_parse(const char *name, struct am_arena *arena, struct am_omp_spent *out);

#endif
