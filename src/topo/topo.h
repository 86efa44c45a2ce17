/* SPDX-License-Identifier: MIT */
/* What this machine is: topology by hwloc, a stable key, the environment of a run. */
#ifndef AM_TOPO_TOPO_H
#define AM_TOPO_TOPO_H

#include "base/arena.h"
#include "base/fsroot.h"
#include "base/kv.h"
#include "base/status.h"
#include "core/axis.h"

#include <stddef.h>
#include <stdint.h>

struct am_topo;

/* Loads the topology. With a synthetic root hwloc reads below it too. */
enum am_status am_topo_open(const struct am_fsroot *root, struct am_topo **topo_p,
                            struct am_err *err);
void am_topo_close(struct am_topo *topo); /* accepts NULL */

/* CPUs this process may use, in the order threads are placed: one hardware thread per core first,
 * cores of one package and cache group together, then the siblings. Returns how many. */
size_t am_topo_cpu_order(const struct am_topo *topo, int *cpus, size_t cap);

/* Symbols for ranges: cpus, cores, packages, l1, l2, l3 (bytes of the first core's caches as the
 * OS states them; absent levels take the next smaller one), memory (bytes). Ended by NULL. */
const struct am_symbol *am_topo_symbols(const struct am_topo *topo);

/* The machine itself: vendor, model, family, stepping, packages, cores, threads, caches, memory
 * rounded to GiB. `key` (first fact) is a hash of what does not change from boot to boot (no
 * frequencies, no bogomips, no host name). */
void am_machine_describe(const struct am_topo *topo, const struct am_fsroot *root,
                         struct am_arena *arena, struct am_kvs *out);

/* The circumstances of a run: kernel, governor, microcode, virtualisation, container, THP, ASLR,
 * mitigations, clock source, load, steal, CPU mask, compiler and flags of this build, versions of
 * hwloc and SQLite as linked, environment variables that steer runtimes (OMP_*, KMP_*, ...). */
void am_environment_capture(const struct am_topo *topo, const struct am_fsroot *root,
                            struct am_arena *arena, struct am_kvs *out);

/* How this program was built: version, compiler, flags, build type, sanitizers. */
void am_build_describe(struct am_arena *arena, struct am_kvs *out);

#endif
