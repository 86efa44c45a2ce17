/* SPDX-License-Identifier: MIT */
/* The screen of a run of `archmeter omp cost`. */
#ifndef AM_CLI_OMP_COST_H
#define AM_CLI_OMP_COST_H

#include "cli/cli.h"
#include "evidence/evidence.h"

/* Overheads are those of the run, or of the run that --on names. `path` is for what to type next;
 * NULL: nothing is told. */
enum am_status am_omp_cost_show(const struct am_cli *cli, const struct am_result_set *set,
                                const char *path, struct am_err *err);

#endif
