/* SPDX-License-Identifier: MIT */
/* What this machine is: topology by hwloc, a stable key, the environment of a run.
 *
 * Read once when a command starts, below a root (base/fsroot.h). The topology answers which CPUs
 * share a core, a cache or a memory node. Machine and environment are lists of key = value that
 * are stored with a run; the key of a machine is made of what does not change between boots, so
 * that runs of the same machine can be found again. */
#ifndef AM_TOPO_TOPO_H
#define AM_TOPO_TOPO_H

#include "base/arena.h"
#include "base/fsroot.h"
#include "base/kv.h"
#include "base/status.h"
#include "core/bench/axis.h"
#include "core/bench/place.h"

#include <stddef.h>
#include <stdint.h>

struct am_topo;

enum { AM_TOPO_L1, AM_TOPO_L2, AM_TOPO_L3, AM_TOPO_CACHES };

/* Loads the topology. With a synthetic root hwloc reads below it too. */
enum am_status am_topo_open(const struct am_fsroot *root, struct am_topo **topo_p,
                            struct am_err *err);
void am_topo_close(struct am_topo *topo); /* accepts NULL */

/* CPUs this process may use, in the order threads are placed: one hardware thread per core first,
 * cores of one package and cache group together, then the siblings. Where a machine has several
 * kinds of core, all hardware threads of the fastest kind come before those of the next. Writes at
 * most `cap` and returns how many it wrote; with `cpus` NULL, how many there are. With a synthetic
 * root: the tree's CPUs. */
size_t am_topo_cpu_order(const struct am_topo *topo, int *cpus, size_t cap);

/* One CPU as the system states it. Numbers tell instances of one thing apart, across the machine.
 */
struct am_topo_cpu {
    int cpu; /* the system's number */
    unsigned core, package, node;
    unsigned kind; /* am_topo_kind_name() */
    struct {
        unsigned instance;
        uint64_t bytes; /* 0: none is stated, the instance means nothing */
    } caches[AM_TOPO_CACHES];
};

/* The CPUs of am_topo_cpu_order(), in that order; *n is how many. */
const struct am_topo_cpu *am_topo_cpus(const struct am_topo *topo, size_t *n);
/* "P", "E"; "large", "small": the kinds from the fastest on. NULL beyond the last, and where all
 * cores are alike. */
const char *am_topo_kind_name(const struct am_topo *topo, unsigned kind);

/* Its places for plans; they live as long as the topology. */
const struct am_places *am_topo_places(const struct am_topo *topo);

/* Symbols for ranges: cpus (usable), cores, smt (hardware threads per core), packages, l1, l2, l3
 * (bytes of the first core's caches as the OS states them; absent levels take the next smaller
 * one), l1s, l2s, l3s (the same of all instances that the threads reach), beyond (bytes that no
 * cache of theirs holds), far (fewer of them, for when time is short), memory (bytes this process
 * may use: a control group's limit counts), first and last (lowest and highest number of a usable
 * CPU), sampled (the step that takes at most 64 CPUs from first to last), last_node (highest number
 * of a memory node), ranks (of the MPI job around this run, from ARCHMETER_MPI_RANKS; 2 outside of
 * one) and last_rank. Ended by NULL. */
const struct am_symbol *am_topo_symbols(const struct am_topo *topo);
/* Bytes that do not stay in last-level caches of `caches` bytes together: the symbol `beyond`. */
uint64_t am_topo_beyond(uint64_t caches);
/* Bytes of which they hold little: the symbol `far`. Many threads walk over four times the caches
 * in no time; for one of them it is twice, since it takes long and has the cache to itself. */
uint64_t am_topo_far(uint64_t caches, bool many);

/* The whole machine in numbers, whatever part of it this process may use. */
struct am_topo_shape {
    unsigned packages, cores, threads; /* online; never 0 */
    unsigned usable;                   /* CPUs this process may use */
    unsigned numa_nodes;
    unsigned core_kinds;         /* 1 unless the OS tells kinds of core apart */
    uint64_t l1d, l2, l3, l4;    /* bytes; 0 where the OS does not say */
    uint64_t memory_bytes;       /* 0 where the OS does not say */
    uint64_t memory_limit_bytes; /* the tightest limit of the control groups; 0: none */
};

const struct am_topo_shape *am_topo_shape(const struct am_topo *topo);

/* The version of hwloc's interface as linked, "2.8.0"; hwloc does not tell its release. */
void am_topo_library_version(char *buf, size_t cap);

/* The machine itself: vendor, model, family, stepping, packages, cores, threads, caches, memory
 * rounded to GiB. `key` (first fact) is a hash of what does not change from boot to boot (no
 * frequencies, no bogomips, no host name). A fact that cannot be read is "unknown". */
void am_machine_describe(const struct am_topo *topo, const struct am_fsroot *root,
                         struct am_arena *arena, struct am_kvs *out);

/* The circumstances of a run: kernel, governor, microcode, virtualisation, container, THP, ASLR,
 * mitigations, clock source, load, steal, CPU mask, compiler and flags of this build, versions of
 * libc and of hwloc's interface as linked (the store knows SQLite's), environment variables that
 * steer runtimes (`env.OMP_*`, `env.KMP_*`, ...). Every fact but the variables is always there; one
 * that cannot be read is "unknown". */
void am_environment_capture(const struct am_topo *topo, const struct am_fsroot *root,
                            struct am_arena *arena, struct am_kvs *out);

/* How this program was built: version, compiler, flags, build type, sanitizers. */
void am_build_describe(struct am_arena *arena, struct am_kvs *out);

#endif
