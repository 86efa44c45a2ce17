/* SPDX-License-Identifier: MIT */
/* The checks of doctor: their names in order, and what one check is given and gives back. */
#ifndef AM_TOPO_DOCTOR_CHECK_H
#define AM_TOPO_DOCTOR_CHECK_H

#include "topo/doctor.h"

#include <stdbool.h>

/* One list gives enumerators, ids and prototypes; doctor_table.c holds the rest of each row. */
#define AM_CHECK_MAP(X)                                                                            \
    X(freq_driver, "freq.driver")                                                                  \
    X(freq_governor, "freq.governor")                                                              \
    X(freq_preference, "freq.preference")                                                          \
    X(freq_range, "freq.range")                                                                    \
    X(freq_boost, "freq.boost")                                                                    \
    X(freq_measured, "freq.measured")                                                              \
    X(throttle_thermal, "throttle.thermal")                                                        \
    X(throttle_power_limit, "throttle.power_limit")                                                \
    X(throttle_battery, "throttle.battery")                                                        \
    X(load_average, "load.average")                                                                \
    X(load_pressure, "load.pressure")                                                              \
    X(load_runnable, "load.runnable")                                                              \
    X(load_steal, "load.steal")                                                                    \
    X(limits_quota, "limits.quota")                                                                \
    X(limits_throttled, "limits.throttled")                                                        \
    X(limits_cpuset, "limits.cpuset")                                                              \
    X(limits_affinity, "limits.affinity")                                                          \
    X(limits_offline, "limits.offline")                                                            \
    X(topology_smt, "topology.smt")                                                                \
    X(topology_packages, "topology.packages")                                                      \
    X(topology_numa, "topology.numa")                                                              \
    X(topology_isolated, "topology.isolated")                                                      \
    X(topology_kinds, "topology.kinds")                                                            \
    X(memory_thp, "memory.thp")                                                                    \
    X(memory_hugepages, "memory.hugepages")                                                        \
    X(memory_numa_balancing, "memory.numa_balancing")                                              \
    X(memory_swap, "memory.swap")                                                                  \
    X(memory_free, "memory.free")                                                                  \
    X(memory_nodes, "memory.nodes")                                                                \
    X(memory_zone_reclaim, "memory.zone_reclaim")                                                  \
    X(layout_aslr, "layout.aslr")                                                                  \
    X(kernel_perf, "kernel.perf")                                                                  \
    X(kernel_watchdog, "kernel.watchdog")                                                          \
    X(kernel_mitigations, "kernel.mitigations")                                                    \
    X(kernel_clock_source, "kernel.clock_source")                                                  \
    X(kernel_timer, "kernel.timer")                                                                \
    X(virt_machine, "virt.machine")                                                                \
    X(virt_container, "virt.container")                                                            \
    X(energy_powercap, "energy.powercap")                                                          \
    X(energy_perf, "energy.perf")                                                                  \
    X(energy_msr, "energy.msr")                                                                    \
    X(energy_hwmon, "energy.hwmon")                                                                \
    X(energy_nvml, "energy.nvml")                                                                  \
    X(build_optimisation, "build.optimisation")                                                    \
    X(build_assertions, "build.assertions")                                                        \
    X(build_sanitizers, "build.sanitizers")                                                        \
    X(build_environment, "build.environment")                                                      \
    X(noise_detour, "noise.detour")                                                                \
    X(store_writable, "store.writable")                                                            \
    X(store_space, "store.space")                                                                  \
    X(store_filesystem, "store.filesystem")                                                        \
    X(store_locks, "store.locks")

#define AM_CHECK_ENUM(word, id) AM_CHECK_##word,
enum am_check_index { AM_CHECK_MAP(AM_CHECK_ENUM) AM_CHECK_COUNT };
#undef AM_CHECK_ENUM

/* What a check may read, and where it leaves its finding. */
struct am_exam {
    const struct am_fsroot *root;
    const struct am_topo_shape *shape; /* NULL where the topology could not be read */
    const struct am_doctor_request *request;
    struct am_arena *arena;
    const char *value;  /* set by am_exam_say() */
    const char *remedy; /* set by a check to replace its row's */
};

typedef enum am_level am_check_fn(struct am_exam *exam);

struct am_check {
    const char *area;
    am_check_fn *run;
    bool live;           /* looks at this machine or process itself: refused on a synthetic root */
    const char *effect;  /* what a warning does to a measurement */
    const char *remedy;  /* what a person can do then */
    const char *explain; /* for `doctor --explain` */
    const char *fix;     /* shell lines, see am_doctor_fix(); NULL where there are none */
};

extern const struct am_check am_checks[AM_CHECK_COUNT];

/* Writes what was found and returns `level`, so that a check ends with it. */
enum am_level am_exam_say(struct am_exam *exam, enum am_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* AM_LEVEL_UNKNOWN: the file or directory is not there or tells nothing. */
enum am_level am_exam_absent(struct am_exam *exam);
/* `trouble` chooses between AM_LEVEL_WARN and AM_LEVEL_OK. */
enum am_level am_exam_warn_if(bool trouble);

#define AM_CHECK_PROTOTYPE(word, id) am_check_fn am_check_##word;
AM_CHECK_MAP(AM_CHECK_PROTOTYPE)
#undef AM_CHECK_PROTOTYPE

#endif
