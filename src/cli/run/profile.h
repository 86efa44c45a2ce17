/* SPDX-License-Identifier: MIT */
/* A marked program as an experiment: it is executed once to learn its regions, and then described
 * by the text of an experiment file with a `mark` line per region. */
#ifndef AM_CLI_PROFILE_H
#define AM_CLI_PROFILE_H

#include "cli/cli.h"
#include "core/marks/marks.h"
#include "core/spec/spec.h"

enum { AM_PROFILE_REGIONS_MAX = 500 /* that are measured: those with the most time */ };

/* Executes the program of the operands. AM_E_WRONG when it fails. What is remarkable about its
 * marks is told on stderr. */
enum am_status am_profile_learn(const struct am_cli *cli, struct am_marks *out, struct am_err *err);

/* The experiment: a test called like the program, whose regions are those of `marks`. */
enum am_status am_profile_describe(const struct am_cli *cli, const struct am_marks *marks,
                                   struct am_spec *out, struct am_err *err);

#endif
