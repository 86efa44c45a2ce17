/* SPDX-License-Identifier: MIT */
/* The OpenMP runtime of a worker: the axes that every bench has, and what it really gives. */
#ifndef AM_BENCH_OMP_RUNTIME_H
#define AM_BENCH_OMP_RUNTIME_H

#include "core/bench/bench.h"
#include "core/bench/place.h"

/* Axes of all benches, behind their own ones: AM_OMP_AXIS_ROWS(base) stands in the table from
 * index `base` on, and am_omp_open() gets point + base. Variables are read by the runtimes before
 * main(): the conductor sets them. */
enum am_omp_axis {
    AM_OMP_RUNTIME,
    AM_OMP_THREADS,
    AM_OMP_BINDING,
    AM_OMP_PLACES,
    AM_OMP_WAIT,
    AM_OMP_ON,
    AM_OMP_AXES
};

extern const char *const am_omp_runtimes[]; /* the one of this worker */
extern const char *const am_omp_bindings[], *const am_omp_binding_values[];
extern const char *const am_omp_places[];
extern const char *const am_omp_waits[], *const am_omp_wait_values[];

/* How long waiting threads spin is not OpenMP's to say: clang's library and its kin read one
 * variable, gcc's another. The build says which where code and library are of different kin. */
#ifndef AM_OMP_KMP
#if defined(__clang__) || defined(__INTEL_COMPILER) || defined(__NVCOMPILER)
#define AM_OMP_KMP 1
#else
#define AM_OMP_KMP 0
#endif
#endif
/* gcc's code on a library of clang's kin, which serves most of its calls, but neither those of
 * target regions nor, under the names that gcc's linker writes down, those of allocators. */
#if AM_OMP_KMP && defined(__GNUC__) && !defined(__clang__) && !defined(__INTEL_COMPILER) &&        \
    !defined(__NVCOMPILER)
#define AM_OMP_FOREIGN 1
#else
#define AM_OMP_FOREIGN 0
#endif
#if AM_OMP_KMP
#define AM_OMP_SPIN_VARIABLE "KMP_BLOCKTIME"
#else
#define AM_OMP_SPIN_VARIABLE "GOMP_SPINCOUNT"
#endif
/* Parallel to the choices auto, none, short, long, endless. */
extern const char *const am_omp_spin_values[];

#define AM_OMP_RUNTIME_AXIS                                                                        \
    {                                                                                              \
        .name = "runtime", .kind = AM_AXIS_NAME, .dflt = "all", .choices = am_omp_runtimes,        \
        .help = "the OpenMP library, checked by its symbols to be the only one"                    \
    }
#define AM_OMP_THREADS_AXIS                                                                        \
    {                                                                                              \
        .name = "threads", .kind = AM_AXIS_INT, .dflt = "1:cpus", .quick = "cpus",                 \
        .help = "size of the team"                                                                 \
    }
#define AM_OMP_BINDING_AXIS                                                                        \
    {                                                                                              \
        .name = "binding", .kind = AM_AXIS_NAME, .dflt = "close", .choices = am_omp_bindings,      \
        .env = "OMP_PROC_BIND", .env_values = am_omp_binding_values,                               \
        .help = "how threads are bound to places"                                                  \
    }
#define AM_OMP_PLACES_AXIS                                                                         \
    {                                                                                              \
        .name = "places", .kind = AM_AXIS_NAME, .dflt = "cores", .choices = am_omp_places,         \
        .env = "OMP_PLACES", .help = "what a place is: the runtimes' own defaults differ"          \
    }
#define AM_OMP_WAIT_AXIS                                                                           \
    {                                                                                              \
        .name = "wait", .kind = AM_AXIS_NAME, .dflt = "default", .choices = am_omp_waits,          \
        .env = "OMP_WAIT_POLICY", .env_values = am_omp_wait_values,                                \
        .help = "how threads wait: active spins, passive sleeps, default is the runtime's"         \
    }

#define AM_OMP_AXIS_ROWS(base)                                                                     \
    [(base) + AM_OMP_RUNTIME] = AM_OMP_RUNTIME_AXIS,                                               \
              [(base) + AM_OMP_THREADS] = AM_OMP_THREADS_AXIS,                                     \
              [(base) + AM_OMP_BINDING] = AM_OMP_BINDING_AXIS,                                     \
              [(base) + AM_OMP_PLACES] = AM_OMP_PLACES_AXIS,                                       \
              [(base) + AM_OMP_WAIT] = AM_OMP_WAIT_AXIS,                                           \
              [(base) + AM_OMP_ON] = AM_AXIS_ON(.dflt = "machine")

/* What every bench of these workers keeps. */
struct am_omp {
    const struct am_clock *clock;
    int threads; /* of the team, as obtained */
};

/* Sets the size of the team, looks at what the runtime really gives and states it with the launch:
 * `runtime`, `threads` and `binding` attest their axes, `library`, `library_build_id` and
 * `library_version` say which file serves them, `openmp` and `compiler` are what the code was
 * compiled by, `cpus` where each thread runs. AM_E_ABSENT when the machine has too few CPUs,
 * AM_E_WRONG when the runtime is not the promised one or gives another team. */
enum am_status am_omp_open(struct am_omp *omp, const struct am_ctx *ctx,
                           const struct am_value *common, struct am_err *err);

/* The same with `crowd` threads per CPU in a team of crowd * `threads`; beyond one they need all
 * CPUs that the machine has, or the runtime would put them where nobody is. */
enum am_status am_omp_open_crowd(struct am_omp *omp, const struct am_ctx *ctx,
                                 const struct am_value *common, int crowd, struct am_err *err);

#endif
