/* SPDX-License-Identifier: MIT */
/* The inside of a core, as cpu.ports and cpu.mix show it: forms grouped into classes, and the
 * resources that the classes share.
 *
 * A cell is the least of its launches, each of which is what three slices confirm: what else runs
 * on a core, or on its second thread, only adds to what a loop takes, and medians of launches that
 * were disturbed by turns fit no model. Forms of one class take as long alone, and as long beside
 * each anchor, as far as the intervals tell; a class has the name of its first form, anchors first.
 * The resources are fitted to the mixes of classes with anchors and to most sets of random mixes;
 * the others test the result. Cells of fewer than three launches, or whose least no second launch
 * confirms within a tenth, are left out, and counted; what is graded is the least. */
#ifndef AM_FAMILY_INCORE_INCORE_H
#define AM_FAMILY_INCORE_INCORE_H

#include "evidence/select.h"
#include "fit/resources.h"
#include "kernels/mix/anchors.h"

enum { AM_INCORE_COUNTS_MAX = 8 };
/* Launches that nothing disturbs agree within this share. */
#define AM_INCORE_STEADY 0.01

/* One measurement with half the width of its interval; NAN: none of three launches. */
struct am_incore_cell {
    double value, half;
};

/* What a cell rests on: the least of the launches, and the next. */
struct am_incore_least {
    size_t launches;
    double value, next;
};

struct am_incore_form {
    const char *name;
    bool legacy;                 /* measured beside the anchors of legacy encodings */
    size_t kind;                 /* its class */
    size_t mixes;                /* random ones that are fitted */
    struct am_incore_least seen; /* alone, with any counts */
    struct am_incore_cell alone;
    struct am_incore_cell with[AM_INCORE_COUNTS_MAX][AM_MIX_ANCHORS];
};

struct am_incore_kind {
    const char *name;
    size_t first, members; /* forms */
    double alone;          /* cycles, without the share of the loop's own instructions */
};

/* The kind of units that a form's result comes from and its operands go to: those of the additions
 * of numbers, of integers, or others, from which it is a way to both (products on some cores). What
 * belongs to none costs nothing on either side. */
enum am_incore_home { AM_HOME_ANY, AM_HOME_FLOAT, AM_HOME_INTEGER, AM_HOME_APART };

struct am_incore_way {
    const char *form;
    double latency; /* cycles from the operand of its chain to its result */
    enum am_incore_home home;
    double away;  /* cycles to units of the other kind and back; of AM_HOME_APART to additions of
                   * numbers */
    double other; /* of AM_HOME_APART: to additions of integers and back */
    double clash; /* cycles to additions of numbers of another size, or back, where a core stumbles
                   * over them; 0: it does not */
};

struct am_incore_counts {
    unsigned form, anchor;
};

/* How a front end reads a loop by the lines that it lies in (lines.c). */
struct am_incore_lines {
    unsigned bytes; /* of a line; 0: no such rule */
    unsigned entry; /* instructions of an entry, fused ones as one, counted from where the loop
                     * begins: each is of the line in which it begins */
    unsigned most;  /* entries of a line that are read in one cycle; */
    unsigned more;  /* cycles more for each further so many */
    bool both;      /* the first two lines are read in one cycle, if the first has no more */
    bool tail;      /* a last line in which no entry begins takes a cycle more where the first has
                     * `most` and none has more */
};

/* Units of memory that loads and stores are given to by turns, before these are free (runs.c). */
struct am_incore_memory {
    unsigned units; /* 0: no such rule */
    unsigned wide;  /* so many take loads of vectors; */
    bool apart;     /* they lie apart in the turn, else one behind the other */
    bool stores;    /* stores take turns, too */
};

struct am_incore {
    struct am_incore_form *forms;
    size_t n_forms, cap_forms;
    struct am_incore_kind *kinds;
    size_t n_kinds, cap_kinds;
    unsigned fetch; /* operations per cycle where a loop jumps back, by cpu.loop; 0: not known */
    /* Where no such number explains the loops of cpu.loop: cycles of those of one instruction and
     * the jump, two and the jump ...; all 0: they take as long as their slots. */
    double turned_round[AM_MIX_SET];
    struct am_incore_lines lines; /* by cpu.loop; that holds wherever a loop lies */
    double lines_error;           /* by how much it misses these loops, on average */
    unsigned width; /* slots that the front end hands out per cycle; with `split_first` */
    /* Where an instruction of more slots than one may stand among those of a cycle, by cpu.loop:
     * behind fewer than so many others, and so many slots; 0: anywhere. */
    unsigned split_first, split_slots;
    /* Instructions of a kind that are handed out per cycle at most, by cpu.loop; 0: as many as
     * there are slots. */
    unsigned handed[AM_MIX_ROWS];
    /* Vectors that are taken in per cycle at most, those of loops that load or store some, too, by
     * cpu.loop; 0: as many as there are slots. */
    double vectors[AM_MIX_ALL_VECTORS];
    struct am_incore_memory memory; /* by cpu.loop */
    double window;                  /* instructions in flight, by cpu.window; 0: not measured */
    double waiting; /* vector operations that wait to begin, by cpu.window; 0: the same */
    unsigned turns; /* integer units that operations are bound to by turns, by cpu.window; 0: they
                     * go to any that is free, or it is not known */
    unsigned addressing; /* so many of these take operands in memory */
    unsigned places;     /* where operations wait, of each of these units */
    /* Integer operations are bound by chance to one of so many schedulers, each of which has as
     * many units; 0: they go to any unit that is free, or it is not known. */
    unsigned schedulers;
    /* Cycles that a load takes longer from its index than from its base, by cpu.operand: where it
     * is scaled, and where it is not but added to as much else as there may be; 0: none, or not
     * known. */
    double scaled_more, indexed_more;
    struct am_incore_way *ways; /* latencies, of all forms that have one */
    size_t n_ways, cap_ways;
    struct am_incore_counts counts[AM_INCORE_COUNTS_MAX];
    size_t n_counts;
    size_t anchors[AM_MIX_ANCHORS][2]; /* forms, of legacy loops and of others; n_forms: none */
    struct am_resources_model model;
    const char **resources; /* names: "front", the anchors that it bounds: "alu+lea", or those that
                             * share it: "fadd-or-shift" */
    struct am_resources_mix *mixes;
    size_t n_mixes, cap_mixes; /* fitted */
    size_t measured, dropped;  /* cells; those of too few launches */
    size_t held;               /* random mixes that were not fitted */
    double held_error;         /* mean absolute relative error on them; NAN without any */
    double held_half;          /* half of its 95 % interval */
    size_t wide;               /* further ones with 512-bit instructions */
    double wide_error;         /* the same of these; NAN without any */
    /* The same core as loops with 512-bit instructions find it, where these close ports to others;
     * NULL: they do not. */
    const struct am_incore *beside_wide;
    int64_t *aside; /* launches whose clock was wrong: no evidence of anything */
    size_t n_aside;
    struct am_grading grading; /* the worst of what it rests on */
    size_t launches;           /* the fewest of a point that it rests on */
    int64_t points[4];         /* some of the points behind it */
    size_t n_points;
};

/* What the results say; false, with the reason (NULL: none were measured), when nothing can be
 * concluded. */
bool am_incore_infer(const struct am_result_set *set, struct am_arena *arena, struct am_incore *out,
                     const char **why_not);

/* launches.c: finds the launches whose clock was wrong; before anything else is read. False when
 * memory is refused. */
bool am_incore_set_aside(const struct am_result_set *set, struct am_arena *arena,
                         struct am_incore *core);
bool am_incore_is_aside(const struct am_incore *core, int64_t launch);

/* groups.c: cycles per iteration in which instructions of so many slots each are handed out, in
 * order and over the loop's end, where `width`, `split_first` and `split_slots` are known. */
double am_incore_groups(const struct am_incore *core, const unsigned *slots, size_t n);

/* lines.c: cycles per iteration in which a front end reads a loop of instructions at these
 * addresses, ascending, that ends before `end`; but for its width. */
double am_incore_in_lines(const struct am_incore_lines *rule, const uint64_t *at, size_t n,
                          uint64_t end);
/* The rule that explains the loops of cpu.loop, behind `fetch`: none where that explains them. */
void am_incore_read_lines(const struct am_result_set *set, struct am_incore *core);

/* handed.c: how many instructions of a kind a core hands out per cycle, by a result of cpu.loop
 * with rows of them, behind `width` and the forms; others' results change nothing. */
void am_incore_read_handed(struct am_incore *core, const struct am_result *result);

/* runs.c: to which unit the next operation goes, a load of a vector (`wide`) or another, where the
 * turn is at `*next`, which moves on. */
unsigned am_incore_memory_unit(const struct am_incore_memory *rule, bool wide, unsigned *next);
/* The rule that explains loops of cpu.loop with runs of loads and of others, behind `width` and the
 * forms; none where units that are free explain them. */
void am_incore_read_runs(const struct am_result_set *set, struct am_incore *core);

/* vectors.c: how many vectors a core takes in per cycle, by a result of cpu.loop with vectors
 * alone, behind `width` and the forms; others' results change nothing. */
void am_incore_read_vectors(struct am_incore *core, const struct am_result *result);

/* schedulers.c: how many schedulers integer operations are bound to, behind the forms, `width`,
 * `window` and `turns`. */
void am_incore_read_schedulers(struct am_incore *core, struct am_arena *arena);

/* What a run must have measured for all that follows: patterns of `run`. */
extern const char am_incore_needs[];

/* What holds for a loop: with 512-bit instructions in it, or without. */
const struct am_incore *am_incore_beside(const struct am_incore *core, bool wide);

/* incore_facts.c: what 512-bit vectors close, in words; NULL: nothing that was seen. */
const char *am_incore_closed(const struct am_incore *core, struct am_arena *arena);

/* The same file: what a resource is to a reader, "4 per cycle: add_r64, cmp_r64 and 40 more"; NULL
 * without memory. */
const char *am_incore_users(const struct am_incore *core, size_t r, struct am_arena *arena);

/* The form of that name; NULL when it was not measured. */
const struct am_incore_form *am_incore_find(const struct am_incore *core, const char *name);

/* By how much mixes are missed on average, those with 512-bit instructions or the others; without
 * mixes that were held back, by how much the fitted ones are. */
double am_incore_error(const struct am_incore *core, bool wide);

/* The way of that form; NULL when no chain of it was measured. */
const struct am_incore_way *am_incore_way(const struct am_incore *core, const char *form);

/* ways.c: latencies by cpu.chain, or by cpu.instr where there are none; `fetch`. False when memory
 * is refused. */
bool am_incore_read_ways(const struct am_result_set *set, struct am_arena *arena,
                         struct am_incore *core);
/* The least of a time that a second launch confirms: a stranger on the core's other thread makes
 * medians longer without a bound, and leaves the least alone. Where none does, or of fewer
 * launches, the median, if it concludes something; NAN when neither says anything. */
double am_incore_sound(const struct am_incore *core, const struct am_result_metric *metric);
/* Cycles of loop i of AM_MIX_SET of a result of cpu.loop; NAN as above. */
double am_incore_loop(const struct am_incore *core, const struct am_result *result, unsigned i);
/* rows.c: forms, their cells and their classes. False when memory is refused. */
bool am_incore_read(const struct am_result_set *set, struct am_arena *arena,
                    struct am_incore *core);
bool am_incore_group(struct am_incore *core, struct am_arena *arena);
/* Whether a form, or the class of that name, is of 512-bit vectors, in registers or memory. */
bool am_incore_is_wide(const char *form);
/* A metric of cpu.ports or cpu.mix, counted as evidence with its grade and its point. */
struct am_incore_cell am_incore_read_cell(struct am_incore *core, const struct am_result *result,
                                          const char *name);

#endif
