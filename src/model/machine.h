/* SPDX-License-Identifier: MIT */
/* The model of one machine as a thing of its own: facts and ceilings with their provenance.
 *
 * It is made of a run (am_machine_make(); of a merged file one per node, am_machines_make()) or
 * read from a file that `archmeter model -o` wrote (am_machine_read()). Both are used alike; only
 * the results behind the facts are missing in one that was read. The file's form is that of
 * `model --format json`, described in doc/guide/machine-file.md. A file may come from anybody:
 * what is not as described is refused with its place, and every number that was accepted is finite
 * and within the bounds stated here. Texts live in the arena. */
#ifndef AM_MODEL_MACHINE_H
#define AM_MODEL_MACHINE_H

#include "family/fact.h"
#include "model/roofline.h"
#include "store/store.h"

enum {
    AM_MACHINE_VERSION = 1, /* of the form of the file */
    AM_MACHINE_FACTS_MAX = 10000,
    AM_MACHINE_CEILINGS_MAX = 10000,
};
extern const char am_machine_kind[]; /* what the file says that it is: "machine model" */

struct am_machine_model {
    struct am_result_set set; /* run, machine, environment, build; results only if made of a run */
    struct am_facts facts;
    struct am_roofline roofline;
    const char *name; /* for people and tables: the node, else the file */
    const char *node; /* its name in a merged file; NULL: of a file of its own */
    bool read;        /* from a file, without results */
};

struct am_machine_models {
    struct am_machine_model *items;
    size_t n;
};

/* Of a run of one machine. */
void am_machine_make(const struct am_result_set *set, struct am_arena *arena,
                     struct am_machine_model *out);
/* One per node that has results, in the order of the file; of a run of one machine that one. */
enum am_status am_machines_make(const struct am_result_set *set, struct am_arena *arena,
                                struct am_machine_models *out, struct am_err *err);
/* Only the node of that name (NULL: all stay). AM_E_USAGE names the nearest. */
enum am_status am_machines_choose(struct am_machine_models *models, const char *node,
                                  struct am_err *err);

/* `name` is the file's. AM_E_USAGE: not such a file, with "NAME:LINE:COLUMN: ". */
enum am_status am_machine_read(const char *name, const char *text, size_t n, struct am_arena *arena,
                               struct am_machine_model *out, struct am_err *err);

#endif
