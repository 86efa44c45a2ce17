/* SPDX-License-Identifier: MIT */
/* The tests of an experiment as benches: `exec.TEST`, with the variables as axes. */
#ifndef AM_BENCH_EXEC_TESTS_H
#define AM_BENCH_EXEC_TESTS_H

#include "base/arena.h"
#include "base/status.h"
#include "core/bench/bench.h"

/* The environment variable that names the experiment, in its flat form. */
#define AM_EXEC_SPEC "ARCHMETER_EXPERIMENT"
/* Behind the value of `cpufreq` where nothing can set the clock. */
#define AM_EXEC_UNSET "-unset"

/* The descriptors of the tests that are programs, ended by NULL, in the arena. `file` NULL: none.
 */
enum am_status am_exec_tests_load(const char *file, struct am_arena *arena,
                                  const struct am_bench ***out, struct am_err *err);

#endif
