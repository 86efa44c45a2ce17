/* SPDX-License-Identifier: MIT */
/* The file of costs: what a plan is told before a run, and what is kept after it. */
#ifndef AM_CLI_COST_FILE_H
#define AM_CLI_COST_FILE_H

#include "cli/cli.h"
#include "cli/run/setup.h"

/* Tells the plan's points what they took before, and gives them their worth. A file that cannot be
 * read, or says nonsense, is as good as none. */
void am_setup_costs(const struct am_cli *cli, struct am_setup *setup);

/* Keeps what the plan's points took. Where that cannot be written nothing is lost but a better
 * guess: it is told to those who want to know everything. */
void am_setup_learn_costs(const struct am_cli *cli, const struct am_setup *setup);

#endif
