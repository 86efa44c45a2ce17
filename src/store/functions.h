/* SPDX-License-Identifier: MIT */
/* Inside the store only: statistics as SQL functions. */
#ifndef AM_STORE_FUNCTIONS_H
#define AM_STORE_FUNCTIONS_H

#include <sqlite3.h>
#include <stdbool.h>

/* median(x), stddev(x), weighted_mean(x, w), weighted_stddev(x, w) and
 * launch_median(x, launch, labels, busy): the labels of the sample and of its launch. False without
 * memory. */
bool am_functions_register(sqlite3 *db);

#endif
