/* SPDX-License-Identifier: MIT */
/* `archmeter time` around the measuring: from the words to an experiment, from a run to its screen.
 */
#ifndef AM_CLI_TIMING_H
#define AM_CLI_TIMING_H

#include "base/kv.h"
#include "cli/cli.h"
#include "core/spec/spec.h"
#include "model/sensitivity.h"
#include "store/store.h"

/* The experiment that the operands and options describe. AM_E_USAGE for what cannot be run: a
 * program that is not there, with the nearest that is. */
enum am_status am_timing_load(const struct am_cli *cli, const struct am_symbol *symbols,
                              struct am_spec *out, struct am_err *err);

/* The commands of a settled set on standard output, with their verdicts. */
enum am_status am_timing_show(const struct am_cli *cli, const struct am_result_set *set,
                              const char *path, struct am_err *err);

/* What each command of a run with steps depends on, in the order typed. */
enum am_status am_timing_sensitivity(const struct am_cli *cli, const struct am_result_set *set,
                                     struct am_sensitivity **items, size_t *n_items,
                                     struct am_err *err);

/* Marks a run as one of commands, and tells one by the mark. */
void am_timing_keep(const struct am_options *opt, struct am_arena *arena, struct am_kvs *settings);
/* Whether a stored run is to end at the first launch that fails. */
bool am_timing_ends_at_failure(const struct am_kvs *settings);

#endif
