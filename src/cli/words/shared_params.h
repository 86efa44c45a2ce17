/* SPDX-License-Identifier: MIT */
/* One -p for several benches whose axes of that name have different values.
 *
 * `-p construct=barrier,task_inline` for two benches names a value of each. Every bench gets the
 * names that it knows; one that no other chosen bench knows either stays, so that it is refused
 * with the place as ever. */
#ifndef AM_CLI_SHARED_PARAMS_H
#define AM_CLI_SHARED_PARAMS_H

#include "cli/cli.h"
#include "conductor/catalogue.h"
#include "core/bench/plan.h"

/* The command's parameters as they are for one bench: a copy, of which `used` is to be carried back
 * by am_shared_params_used(). *nothing is an axis of which the bench has none of the named values,
 * NULL when there is none. NULL without memory. */
struct am_param *am_shared_params(const struct am_cli *cli, const struct am_catalogue *catalogue,
                                  const struct am_bench *bench, const struct am_param *params,
                                  const char **nothing);
void am_shared_params_used(const struct am_param *copy, struct am_param *params, size_t n);

#endif
