/* SPDX-License-Identifier: MIT */
/* The catalogue: every worker program found, and the benches it says it has.
 *
 * Workers are looked for beside this program, in ../libexec/archmeter and in $ARCHMETER_RUNTIMES
 * (which the program sets to the folder of added runtimes), or in the directories of
 * $ARCHMETER_WORKERS, and asked by --list with a time limit. What cannot be asked, or was left out
 * of the build, is kept with the reason. Benches of one name in several workers are united: their
 * axes then have the choices of all, and a choice says which worker has it (unite.c). */
#ifndef AM_CONDUCTOR_CATALOGUE_H
#define AM_CONDUCTOR_CATALOGUE_H

#include "base/arena.h"
#include "base/array.h"
#include "base/status.h"
#include "core/bench/bench.h"
#include "topo/topo.h"

#include <stdbool.h>
#include <stddef.h>

struct am_worker {
    const char *name;    /* "cpu" */
    const char *program; /* full path; NULL when absent */
    const char *why_not; /* why it cannot be used; NULL when usable */
    const struct am_bench *benches;
    size_t n;
    /* Of the base of a run with two sides (conductor/sides.h): */
    const char *calls_itself;      /* its program's own name; NULL: `name` */
    struct am_strings environment; /* NAME=VALUE, for each of its launches */
};

struct am_catalogue {
    struct am_worker *workers;
    size_t n;
    /* Its workers play a machine that is not here: they are bound to no CPU, and time passes
     * by their clock, not by ours. */
    bool simulated;
    struct am_catalogue *base; /* the other side of a run with two; NULL: it has one */
};

/* Finds every `archmeter-worker-*` program in the directories of $ARCHMETER_WORKERS (colon
 * separated), else beside this executable, in ../libexec/archmeter and in $ARCHMETER_RUNTIMES.
 * Programs that this build left out are listed in `workers.txt` beside them ("NAME REASON" a line).
 * No benches yet. */
enum am_status am_catalogue_find_programs(struct am_arena *arena, struct am_catalogue *out,
                                          struct am_err *err);
/* The same, and asks each for its benches. `simulated`: the folder of the workers of a simulated
 * machine, in place of those directories; NULL: this machine. */
enum am_status am_catalogue_load(struct am_arena *arena, const char *simulated,
                                 struct am_catalogue *out, struct am_err *err);

/* The catalogue of the workers in `folder`, its libexec/archmeter or ../libexec/archmeter; NULL: of
 * the same programs as `like`, asked again. They are asked with this environment beside ours. */
enum am_status am_catalogue_load_again(struct am_arena *arena, const struct am_catalogue *like,
                                       const char *folder, const struct am_strings *environment,
                                       struct am_catalogue *out, struct am_err *err);

/* Joins what several workers say of one bench: every descriptor then knows the choices of all, with
 * those of the others marked as measured elsewhere. A worker whose descriptor contradicts an
 * earlier one's, or would measure the same points again, becomes unusable with that reason. Part of
 * am_catalogue_load(). False without memory. */
bool am_catalogue_unite(struct am_catalogue *catalogue, struct am_arena *arena);

/* Completes the axis `on` of every bench: the places that the machine has beside the worker's words
 * (kinds of core), and of each word the reason where it has no such place. False without memory. */
bool am_catalogue_place(struct am_catalogue *catalogue, const struct am_topo *topo,
                        struct am_arena *arena);

/* `worker` NULL: of any worker, but for those of the base. NULL when there is none. */
const struct am_bench *am_catalogue_find(const struct am_catalogue *catalogue, const char *worker,
                                         const char *bench);
/* Whether no earlier worker has a bench of this name: for those who want to meet each name once. */
bool am_catalogue_is_first(const struct am_catalogue *catalogue, const struct am_bench *bench);
/* Whether every worker that has the bench wants it to be named: the quick set has it not. */
bool am_catalogue_is_named_only(const struct am_catalogue *catalogue, const char *bench);
/* The worker that listed this very descriptor (pointer, not name). */
const struct am_worker *am_catalogue_worker(const struct am_catalogue *catalogue,
                                            const struct am_bench *bench);

#endif
