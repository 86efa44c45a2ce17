/* SPDX-License-Identifier: MIT */
/* Building a program before it is measured, once for as long as its build commands stay the same.
 */
#ifndef AM_BENCH_EXEC_MAKE_H
#define AM_BENCH_EXEC_MAKE_H

#include "bench/exec/command.h"

/* Runs the point's build commands unless the ledger (ledger.h) says that they were the latest in
 * the folder. AM_E_WRONG when one fails. */
enum am_status am_exec_make(const struct am_exec_point *point, struct am_arena *arena,
                            struct am_err *err);

#endif
