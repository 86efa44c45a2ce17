/* SPDX-License-Identifier: MIT */
/* The one way from a word of the command line to machine models: a results file, a run by name, or
 * a file that `archmeter model -o` wrote. */
#ifndef AM_CLI_MACHINES_H
#define AM_CLI_MACHINES_H

#include "cli/cli.h"
#include "model/machine.h"

/* The models that `word` means: of a merged file one per node with results, else one. `node` (NULL:
 * all) keeps only that node's. AM_E_USAGE for words and files that mean none. */
enum am_status am_load_machines(const struct am_cli *cli, const char *word, const char *node,
                                struct am_machine_models *out, struct am_err *err);
/* The same where one machine is wanted: a merged file needs `node`. */
enum am_status am_load_machine(const struct am_cli *cli, const char *word, const char *node,
                               struct am_machine_model *out, struct am_err *err);

/* Whether the file begins as JSON does, so that it can only be a machine model. */
bool am_machine_is_file(const char *path);

#endif
