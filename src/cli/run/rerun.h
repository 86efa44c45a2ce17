/* SPDX-License-Identifier: MIT */
/* Rows that look changed are measured again, both sides in turns. */
#ifndef AM_CLI_RERUN_H
#define AM_CLI_RERUN_H

#include "cli/run/comparing.h"

/* Measures the open rows of the comparison (model/pairs.h) again and decides them by the fresh
 * launches, into a temporary file or --output. What A is must be said by --against-build or
 * --against-env; where A and B were measured by this very build, nothing but the time tells the
 * sides apart and B alone is measured again. A row that cannot be measured again keeps its verdict,
 * and a remark of the comparison says why. Only benches of this program are run, whatever the files
 * say. */
enum am_status am_rerun(struct am_cli *cli, struct am_pair *pair, struct am_comparison *comparison,
                        struct am_err *err);

#endif
