/* SPDX-License-Identifier: MIT */
/* Benches of the user's own on the command line: `archmeter run ./file.c`.
 *
 * am_own_settle() takes the words that name files out of the operands, compiles them, and tells the
 * worker `own` by its environment where the libraries are. That worker lists the benches of these
 * files and no others, so that "own.*" takes the place of the files among the operands, unless
 * benches of it are named beside them. From there on a bench of a file is a bench like any other.
 * With --against-source, --against-flags or --against-cc there is a second compilation for the base
 * of a run with two sides, handed to its launches by the way of --against-env.
 *
 * What was compiled, and how, is stored with the run: the texts, the command lines, the compiler's
 * version and the fingerprint. resume takes what was compiled then from the user's data folder; no
 * text of a results file is ever compiled. */
#ifndef AM_CLI_OWN_OWN_H
#define AM_CLI_OWN_OWN_H

#include "base/arena.h"
#include "base/kv.h"
#include "base/status.h"
#include "cli/cli.h"
#include "conductor/catalogue.h"
#include "core/bench/plan.h"

/* Compiles what the operands of `opt` name. cli->own gets what is stored with the run; without
 * files it stays empty, and the operands as they are. */
enum am_status am_own_settle(struct am_options *opt, struct am_cli *cli, struct am_err *err);

/* For resume: what the run was begun with, both sides of it, from the user's data folder; files
 * that were named again (cli->own) must come to the same. Nothing where the run has no such
 * benches. */
enum am_status am_own_recall(struct am_cli *cli, const struct am_kvs *stored, struct am_err *err);

/* For measuring again what two runs measured: the benches of B's files are those of the worker, and
 * where A measured other code, the options (a copy) say so of the base. AM_E_ABSENT when one of
 * them is no longer among the compiled benches. Nothing where B has no such benches. */
enum am_status am_own_recall_sides(struct am_cli *cli, const struct am_kvs *a,
                                   const struct am_kvs *b, struct am_err *err);

/* Whether a run has such benches, by its settings. */
bool am_own_has(const struct am_kvs *settings);
/* Whether such benches were measured by a worker of this name, and by the same program in both
 * builds. */
bool am_own_measured(const char *worker);
bool am_own_same_worker(const struct am_kvs *build_a, const struct am_kvs *build_b);

/* AM_E_USAGE, with the reason, when a variant is wanted that a described stencil does not have.
 * Benches that are none pass. */
enum am_status am_own_check_variants(const struct am_cli *cli, const char *bench,
                                     const struct am_param *params, size_t n, struct am_err *err);

/* AM_E_USAGE when files were named whose benches the worker could not list. */
enum am_status am_own_check(const struct am_catalogue *catalogue, const struct am_kvs *kept,
                            struct am_err *err);

/* The fingerprint of the measured code, for the run's build; nothing without own benches. */
void am_own_build(const struct am_kvs *kept, struct am_arena *arena, struct am_kvs *build);

#endif
