/* SPDX-License-Identifier: MIT */
/* What planning and measuring need: the machine, the benches, the plan. */
#ifndef AM_CLI_SETUP_H
#define AM_CLI_SETUP_H

#include "base/fsroot.h"
#include "base/temp_folder.h"
#include "cli/cli.h"
#include "cli/words/patterns.h"
#include "conductor/catalogue.h"
#include "conductor/counting.h"
#include "conductor/energy.h"
#include "core/bench/plan.h"
#include "sim/folder.h"
#include "store/store.h"
#include "topo/topo.h"

/* Zero-initialise; am_setup_close() accepts anything half-built. */
struct am_setup {
    struct am_sim_folder simulated; /* --machine: its path is NULL without */
    /* Of the run that comes (run_folder.h), made before the benches are listed: what a worker
     * learned for its listing is handed on to its launches. */
    struct am_temp_folder folder;
    struct am_fsroot root;
    struct am_topo *topo;
    struct am_catalogue catalogue;
    struct am_plan plan;
    struct am_energy_rig *energy; /* NULL: time only */
    struct am_counting counting;  /* without events: time only */
    struct am_kvs settings;       /* to store with the run, beside the plan's own */
    uint64_t
        begun_ns; /* when the command began, whose time a budget bounds; 0: when measuring does */
    bool ends_at_failure; /* see conductor/conductor.h */
};

/* Opens the machine, then the benches. */
enum am_status am_setup_open(const struct am_cli *cli, struct am_setup *setup, struct am_err *err);
void am_setup_close(struct am_setup *setup);

/* The machine without the benches, for doctor. */
enum am_status am_setup_machine(const struct am_cli *cli, struct am_setup *setup,
                                struct am_err *err);

/* The benches alone, of the machine that --machine describes or of this one. */
enum am_status am_setup_benches(const struct am_cli *cli, struct am_setup *setup,
                                struct am_err *err);

/* Builds the plan that the options ask for: patterns, parameters, profile, limits. Whatever is
 * wrong with the user's words is AM_E_USAGE with the nearest valid name. */
enum am_status am_setup_plan(const struct am_cli *cli, struct am_setup *setup, struct am_err *err);

/* What the options say of launches, samples and limits; AM_E_USAGE for what cannot be. */
enum am_status am_setup_settings(const struct am_options *opt, struct am_plan_settings *out,
                                 struct am_err *err);
/* The same in place of what `settings` has, where the options say anything. */
enum am_status am_setup_override(const struct am_options *opt, struct am_plan_settings *settings,
                                 struct am_err *err);
/* The plan as `archmeter plan` shows it, on standard output. */
void am_setup_show_plan(struct am_cli *cli, const struct am_plan *plan);

/* The names of all benches, each once; returns how many. */
size_t am_setup_names(const struct am_catalogue *catalogue, const char **names, size_t cap);
/* The options' "axis=values", one for each of opt->params. */
enum am_status am_setup_params(const struct am_options *opt, struct am_arena *arena,
                               struct am_param **params_p, struct am_err *err);
/* Refuses an axis that none of the plan's benches has. */
enum am_status am_setup_check_used(const struct am_cli *cli, const struct am_setup *setup,
                                   const struct am_param *params, struct am_err *err);

/* The operands from the `skip`-th on, as patterns. */
struct am_strings am_operands_from(const struct am_options *opt, size_t skip);

/* Keeps only what the patterns name in a loaded result set. */
enum am_status am_select_results(struct am_result_set *set, const struct am_strings *patterns,
                                 struct am_arena *arena, struct am_err *err);

/* Warns of a file whose seals do not hold; every command that reads one does. */
void am_load_warn(const char *path, const struct am_seal *seal);
/* Opens a results file for reading, loads what the patterns name, and closes it. */
enum am_status am_load_file(const struct am_cli *cli, const char *path,
                            const struct am_strings *patterns, struct am_result_set *out,
                            struct am_err *err);

#endif
