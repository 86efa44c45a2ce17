/* SPDX-License-Identifier: MIT */
/* Experiments: from a file to a plan, and what a results file keeps of it. */
#ifndef AM_CLI_EXPERIMENT_H
#define AM_CLI_EXPERIMENT_H

#include "base/kv.h"
#include "cli/run/setup.h"
#include "core/spec/spec.h"

/* Reads the file and those it includes; `quick`: the short form of a study. AM_E_USAGE with
 * "FILE:LINE: ..." */
enum am_status am_experiment_load(const char *path, const struct am_symbol *symbols, bool quick,
                                  struct am_arena *arena, struct am_spec *out, struct am_err *err);

/* Shows the flat form to every worker that this process starts from now on. It lies in memory that
 * goes with the process: nothing is left behind, however it ends. */
enum am_status am_experiment_publish(const char *flat, struct am_err *err);

/* The points of every run, and the settings that the experiment brings. */
enum am_status am_experiment_plan(const struct am_cli *cli, struct am_setup *setup,
                                  const struct am_spec *spec, struct am_err *err);

/* An experiment from its description to its results, for the commands that differ in where the
 * description comes from. What was wrong with it was found before anything of it is run. */
struct am_experiment_way {
    enum am_status (*load)(const struct am_cli *cli, const struct am_symbol *symbols,
                           struct am_spec *out, struct am_err *err);
    /* Whether its commands may be run; NULL: the user wrote them on the command line. */
    enum am_status (*ask)(const struct am_cli *cli, const struct am_spec *spec, struct am_err *err);
    void (*keep)(const struct am_options *opt, struct am_arena *arena,
                 struct am_kvs *settings); /* beside the description; NULL: nothing */
    bool waits;                            /* for a quiet moment, and repeats what was disturbed */
};
enum am_status am_experiment_run(struct am_cli *cli, const struct am_experiment_way *way,
                                 struct am_err *err);

/* What resume needs, into the settings of the setup. (The plan has put the testsets of our own
 * benches' points there already: AM_STORE_TESTSETS of store/query.h.) */
void am_experiment_keep(const struct am_spec *spec, struct am_setup *setup, struct am_arena *arena);
/* The experiment of a stored run, if it is one (`there`). */
enum am_status am_experiment_parse(const char *file, const struct am_kvs *kept,
                                   struct am_arena *arena, bool *there, struct am_spec *out,
                                   struct am_err *err);
/* Whether it is a study. */
bool am_experiment_is_study(const struct am_kvs *kept);
/* Publishes the experiment of a stored run, if it is one. */
enum am_status am_experiment_recall(const struct am_kvs *kept, struct am_err *err);
/* Its order of launches, of a plan that was rebuilt from the store. */
enum am_status am_experiment_order(const struct am_kvs *kept, struct am_plan *plan,
                                   struct am_arena *arena, struct am_err *err);

#endif
