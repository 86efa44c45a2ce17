/* SPDX-License-Identifier: MIT */
/* How CPUs lie to each other, as the operating system states it: for benches over pairs and
 * placements. */
#ifndef AM_BENCH_CPU_CPUS_H
#define AM_BENCH_CPU_CPUS_H

#include "base/fsroot.h"
#include "core/bench/bench.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From near to far; the value of the metric `distance`. */
enum am_distance {
    AM_DISTANCE_SELF,    /* one CPU */
    AM_DISTANCE_CORE,    /* hardware threads of one core */
    AM_DISTANCE_CACHE,   /* cores that share their last-level cache */
    AM_DISTANCE_PACKAGE, /* cores of one package */
    AM_DISTANCE_OTHER,   /* anything farther, or not stated */
};

#define AM_DISTANCE_METRIC                                                                         \
    {                                                                                              \
        "distance", "", AM_LOWER, AM_RULE_OWN,                                                     \
            "what the system says of the pair: 0 one CPU, 1 threads of one core, 2 one "           \
            "last-level cache, 3 one package, 4 farther"                                           \
    }

/* Whether a list as the kernel writes them ("0-3,8") holds `cpu`. */
bool am_cpu_list_has(const char *list, int cpu);

enum am_distance am_cpus_distance(const struct am_fsroot *root, int a, int b);

/* Bytes of the data caches that no other core shares; 1 MiB where the system does not say. */
uint64_t am_cpu_private_bytes(const struct am_fsroot *root, int cpu);

/* From cpus[0..n), in their order: those of the same core as `cpu`; one of each core; those of a
 * memory node. `out` has room for n. */
size_t am_cpus_of_core(const struct am_fsroot *root, const int *cpus, size_t n, int cpu, int *out);
size_t am_cpus_of_cores(const struct am_fsroot *root, const int *cpus, size_t n, int *out);
size_t am_cpus_of_node(const struct am_fsroot *root, const int *cpus, size_t n, int64_t node,
                       int *out);

/* AM_E_ABSENT with its reason unless there are two CPUs or more, and both may be used. */
enum am_status am_cpus_check_pair(const struct am_ctx *ctx, int64_t from, int64_t to,
                                  struct am_err *err);

#endif
