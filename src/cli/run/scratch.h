/* SPDX-License-Identifier: MIT */
/* A place for measurements that nobody asked to keep: a temporary file, or the user's own. */
#ifndef AM_CLI_SCRATCH_H
#define AM_CLI_SCRATCH_H

#include "base/status.h"
#include "cli/cli.h"
#include "cli/run/setup.h"

#include <stdbool.h>

/* A results file in a directory of its own, removed at the end; or the user's, kept. */
struct am_scratch {
    char dir[512], path[600];
    bool temporary;
};

/* `wanted`: the user's file; NULL: a temporary one. */
enum am_status am_scratch_open(struct am_scratch *place, const char *wanted, struct am_err *err);
void am_scratch_close(const struct am_scratch *place); /* accepts a zeroed struct */

/* Measures the setup's plan into the place; the store stays open for reading. AM_E_INTERRUPTED, and
 * AM_E_ABSENT when nothing could be measured. */
enum am_status am_scratch_measure(struct am_cli *cli, struct am_setup *setup,
                                  const struct am_scratch *place, struct am_store **store_p,
                                  struct am_err *err);

#endif
