/* SPDX-License-Identifier: MIT */
/* What the workers of one invocation have done already: built a program, warmed a command up.
 *
 * Every launch is a process of its own, so that what was done once is noted in a file: a line
 * "HASH PLACE" each, the last one of a place counts. The file goes with the invocation. */
#ifndef AM_BENCH_EXEC_LEDGER_H
#define AM_BENCH_EXEC_LEDGER_H

#include "base/arena.h"
#include "bench/exec/program.h"

#include <stdbool.h>
#include <stdint.h>

/* The environment variable that names the file. Without it nothing is done already. */
#define AM_EXEC_LEDGER "ARCHMETER_EXPERIMENT_LEDGER"

/* Of the words and environments of commands, one after the other; begins with the basis. */
#define AM_EXEC_HASH_BASIS UINT64_C(0xcbf29ce484222325)
uint64_t am_exec_hash(uint64_t hash, const struct am_exec_program *command);

/* Whether the last line of the place has this hash. */
bool am_exec_ledger_has(uint64_t hash, const char *place, struct am_arena *arena);
/* A line that cannot be written costs doing it again. */
void am_exec_ledger_note(uint64_t hash, const char *place);

#endif
