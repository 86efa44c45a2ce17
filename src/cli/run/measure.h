/* SPDX-License-Identifier: MIT */
/* Measuring a plan into a results file, and what follows: the part that run, resume and selftest
 * share. */
#ifndef AM_CLI_MEASURE_H
#define AM_CLI_MEASURE_H

#include "cli/cli.h"
#include "cli/run/setup.h"
#include "conductor/conductor.h"
#include "store/store.h"

/* Refuses a path that is taken: asked before anything waits or measures. */
enum am_status am_measure_check_path(const char *path, struct am_err *err);

/* Creates `path` and writes the run's facts into it: machine, environment, build, findings, plan.
 * On failure nothing is left behind. */
enum am_status am_measure_create(const struct am_cli *cli, struct am_setup *setup, const char *path,
                                 struct am_store **store_p, struct am_err *err);

/* Carries the plan out with progress on stderr and closes the run in the store. `resume` is NULL
 * for a fresh run. */
enum am_status am_measure_run(const struct am_cli *cli, struct am_setup *setup,
                              struct am_store *store, const struct am_resume *resume,
                              struct am_outcome *outcome, struct am_err *err);

/* Where energy is measured: the machine's power at rest, stored as "energy.idle.SCOPE.WHEN". Else
 * nothing. */
enum am_status am_measure_idle(const struct am_cli *cli, struct am_setup *setup,
                               struct am_store *store, const char *when, struct am_err *err);

/* "worker.NAME" = fingerprint of its program, for each worker of the catalogue and of its base that
 * measures points of the plan; NULL: that can be used. */
void am_measure_workers(const struct am_cli *cli, const struct am_catalogue *catalogue,
                        const struct am_plan *plan, struct am_kvs *build);

/* Says how the run ended and what to do next; sets cli->exit_code. */
void am_measure_tell(struct am_cli *cli, const char *path, const struct am_outcome *outcome);
/* Prints the results of the store and hints for the next step; sets cli->exit_code. */
enum am_status am_measure_report(struct am_cli *cli, struct am_store *store, const char *path,
                                 const struct am_outcome *outcome, struct am_err *err);

/* archmeter-YYYYMMDD-HHMMSS.db, local time, in `buf`. */
const char *am_measure_default_path(char *buf, size_t cap);

/* The current time, ISO 8601 UTC. */
void am_time_utc(char *buf, size_t cap);

#endif
