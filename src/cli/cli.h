/* SPDX-License-Identifier: MIT */
/* What every command is given and gives back. */
#ifndef AM_CLI_CLI_H
#define AM_CLI_CLI_H

#include "base/arena.h"
#include "base/kv.h"
#include "base/status.h"
#include "cli/words/options.h"
#include "write/style.h"

#include <signal.h>

/* One meaning each; documented in help.c's table. */
enum am_exit {
    AM_EXIT_DONE = 0,
    AM_EXIT_FINDINGS = 1,
    AM_EXIT_USAGE = 2,
    AM_EXIT_UNMEASURED = 3,
    AM_EXIT_INCONCLUSIVE = 4,
    AM_EXIT_BUSY = 5,
    AM_EXIT_INTERRUPTED = 130,
};

struct am_cli {
    const struct am_options *opt;
    struct am_arena *arena;                   /* lives as long as the program */
    struct am_style style;                    /* of standard output */
    const char *command;                      /* the command line as typed, quoted for a shell */
    struct am_kvs own;                        /* of benches of the user's own: cli/own/own.h */
    enum am_exit exit_code;                   /* of a command that returns AM_OK */
    const volatile sig_atomic_t *interrupted; /* SIGINT, SIGTERM or SIGHUP came */
};

/* A status other than AM_OK ends the program with the code that belongs to it, and its story on
 * stderr. */
typedef enum am_status am_command_fn(struct am_cli *cli, struct am_err *err);

am_command_fn am_cmd_doctor, am_cmd_list, am_cmd_plan, am_cmd_run, am_cmd_resume, am_cmd_show,
    am_cmd_export, am_cmd_compare, am_cmd_check, am_cmd_model, am_cmd_machines, am_cmd_explain,
    am_cmd_predict, am_cmd_tune, am_cmd_report, am_cmd_history, am_cmd_time, am_cmd_new, am_cmd_omp,
    am_cmd_runtime, am_cmd_stencil, am_cmd_energy, am_cmd_experiment, am_cmd_study, am_cmd_profile,
    am_cmd_table, am_cmd_merge, am_cmd_track, am_cmd_selftest, am_cmd_help, am_cmd_man,
    am_cmd_completion, am_cmd_verify, am_cmd_version;

#endif
