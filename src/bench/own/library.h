/* SPDX-License-Identifier: MIT */
/* The compiled files of the user, loaded into this process. */
#ifndef AM_BENCH_OWN_LIBRARY_H
#define AM_BENCH_OWN_LIBRARY_H

#include "base/arena.h"
#include "base/status.h"
#include "core/bench/bench.h"

/* The environment variable that names folders, parted by colons. Each holds one compiled file:
 * AM_OWN_LIBRARY ".so", or AM_OWN_LIBRARY ".ISA.so" for each instruction set. */
#define AM_OWN_FOLDERS "ARCHMETER_OWN"
#define AM_OWN_LIBRARY "bench"

/* The benches of all folders, ended by NULL. Code of the files runs here already, where they have
 * initialisers. NULL or "": no benches. The libraries stay loaded. */
enum am_status am_own_load(const char *folders, struct am_arena *arena,
                           const struct am_bench ***out, struct am_err *err);

#endif
