/* SPDX-License-Identifier: MIT */
/* Before a run: waiting for a quiet moment, and how often disturbed launches may be repeated.
 *
 * A busy machine is waited for up to ten seconds or a tenth of the budget, which is said; then the
 * run begins all the same, or with --strict not at all. --no-wait takes the machine as it is: it
 * neither waits nor repeats. A simulated machine's time does not pass while we wait, so it is
 * looked at once; the parts of a run on several machines begin together and do not wait either. */
#ifndef AM_CLI_QUIET_H
#define AM_CLI_QUIET_H

#include "cli/cli.h"
#include "cli/run/setup.h"

/* Sets the plan's repeats, and waits; `budget_s`: of all that is to be measured, 0 for any time.
 * AM_E_BUSY: --strict, and the machine is busy. */
enum am_status am_quiet_begin(const struct am_cli *cli, struct am_setup *setup, double budget_s,
                              struct am_err *err);

/* The repeats of a stored run, for resume. */
void am_quiet_recall(const struct am_kvs *settings, struct am_plan_settings *out);

#endif
