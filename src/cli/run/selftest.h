/* SPDX-License-Identifier: MIT */
/* Parts of selftest that need no worker. */
#ifndef AM_CLI_SELFTEST_H
#define AM_CLI_SELFTEST_H

#include "base/status.h"

/* Seconds that 10,000 samples take from memory to the disk, in 100 launches with a commit each.
 * `path` is created and left for the caller to remove. */
enum am_status am_selftest_store(const char *path, double *seconds, struct am_err *err);

#endif
