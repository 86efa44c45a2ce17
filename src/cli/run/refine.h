/* SPDX-License-Identifier: MIT */
/* More pairs of CPUs where those that were drawn are not alike.
 *
 * A plan that draws pairs by relation trusts that pairs of one class stand for each other. After
 * the run that is looked at: where the intervals of two pairs of a class deny it, more of the class
 * are drawn, added to the run and measured, a few times at most. */
#ifndef AM_CLI_REFINE_H
#define AM_CLI_REFINE_H

#include "cli/cli.h"
#include "cli/run/setup.h"
#include "conductor/conductor.h"

/* Does nothing unless the plan drew pairs and the run is complete. What is measured is added to the
 * outcome. */
enum am_status am_refine_pairs(const struct am_cli *cli, const struct am_conductor *conductor,
                               struct am_outcome *outcome, struct am_err *err);

#endif
