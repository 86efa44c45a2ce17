/* SPDX-License-Identifier: MIT */
/* selftest --aa: the same measured several times, in which every verdict is false, and effects
 * planted into it, which must be found. */
#ifndef AM_CLI_AA_H
#define AM_CLI_AA_H

#include "cli/cli.h"

/* By the options' plan, launches and --runs. Code 1 when anything is called faster or slower, or
 * when planted effects are not found; 4 when there is nothing to compare or most rows are too noisy
 * to show a doubling. */
enum am_status am_aa(struct am_cli *cli, struct am_err *err);

#endif
