/* SPDX-License-Identifier: MIT */
/* Plans that measure again what an earlier run measured.
 *
 * What a results file says is data: its points become a plan only as far as this program has their
 * benches, and no path, program or command of it is ever run. */
#ifndef AM_CLI_AGAINST_H
#define AM_CLI_AGAINST_H

#include "cli/cli.h"
#include "cli/run/setup.h"

/* The plan of --against BASE: the points that BASE measured, with its settings; what the command
 * line says of launches, samples and limits comes first. What is not here now is left out with a
 * warning. */
enum am_status am_against_plan(const struct am_cli *cli, struct am_setup *setup,
                               struct am_err *err);

/* Adds the points of `results` to the plan, those of one worker and text once; what is not here now
 * is left out, and the reason of the first told. */
enum am_status am_against_add(const struct am_cli *cli, struct am_setup *setup,
                              const struct am_result *const *results, size_t n, struct am_err *err);

/* Whether the options say what the base of a run differs by. */
bool am_against_two_sides(const struct am_options *opt);
/* Gives the catalogue its base by the options; nothing where they do not say any. */
enum am_status am_against_open(const struct am_cli *cli, struct am_setup *setup,
                               struct am_err *err);
/* Adds the base's twins to the plan where there is a base. */
enum am_status am_against_mirror(const struct am_cli *cli, struct am_setup *setup,
                                 struct am_err *err);

#endif
