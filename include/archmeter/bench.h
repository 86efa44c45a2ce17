/* SPDX-License-Identifier: MIT */
/* Benches of your own for archmeter: the interface of `archmeter run ./file.c`.
 *
 * A file describes one or more benches by ARCHMETER_BENCH(): a name, axes (parameters with the
 * values to sweep), metrics and functions. archmeter compiles it, loads it into a worker process,
 * and calls the functions for one point, that is one value per axis: prepare() once, run() in timed
 * batches, verify() after the first batch and after the last, finish() at the end. What a built-in
 * bench has the file has too: fresh processes per launch, batches that are long enough, a check
 * that time grows with the work, the core clock, labels of what disturbed a batch, comparison,
 * bounds, tuning.
 *
 * The header needs nothing: no library is linked, and only names that begin with archmeter_ or
 * ARCHMETER_ are taken. It serves C (C99), C++ (C++20, or GNU's C++11) and, by archmeter.f90,
 * Fortran.
 *
 * The interface is stable. Structs only ever grow at their ends, and each carries its size: a file
 * that was compiled against an older version keeps working. A file that was compiled against a
 * newer version than the program knows is refused with a message. */
#ifndef ARCHMETER_BENCH_H
#define ARCHMETER_BENCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. */
#define ARCHMETER_BENCH_VERSION 1

/* A parameter of a bench. Only name and values are needed. */
struct archmeter_axis {
    const char *name; /* NULL ends a table */
    /* What is measured without -p, written as for -p: "1K,1M", "4K:64M:*4", "1:cpus:*2". */
    const char *values;
    const char *help; /* one line */
    /* "count" (the default), "bytes", "number" (with a fraction), "name". */
    const char *kind;
    const char *choices;          /* of names: all that there are, "plain,blocked" */
    const char *unit;             /* "element"; none for bytes */
    const char *quick, *thorough; /* values by --quick and --thorough; NULL: as `values` */
    /* What `archmeter tune` may try. Such an axis may be left open (0, of names "auto"), as it is
     * without `values`: the tuned value is taken then, or the first of these. */
    const char *tune;
};

/* What is told of a batch. The first metric is the one that is compared. */
struct archmeter_metric {
    const char *name; /* NULL ends a table */
    /* "flops", "bytes" or "ops" (per second), "time/iter", "time/op", "cycles/op", "flops/cycle",
     * "bytes/cycle"; or "own": run_timed() states it by archmeter_value(). */
    const char *rule;
    const char *help;   /* one line */
    const char *unit;   /* of "own": SI, unscaled ("s", "B/s"); the others have theirs */
    const char *better; /* of "own": "higher" or "lower" */
};

struct archmeter_point;
struct archmeter_calls;

/* A bench: what ARCHMETER_BENCH() fills, in this order. */
struct archmeter_bench {
    /* Filled by ARCHMETER_BENCH(): sizes as they were compiled, and the name. */
    uint32_t size, interface_version, axis_size, metric_size;
    const char *name; /* letters, digits and _; archmeter calls the bench own.NAME */

    const char *summary;                    /* one line */
    const struct archmeter_axis *axes;      /* ended by a name of NULL; NULL: none */
    const struct archmeter_metric *metrics; /* the same; NULL: the time of one iteration */
    /* Builds what run() needs, and states the work of one iteration in the point. 0: done. Anything
     * else fails the point; archmeter_refuse() makes it a skip with its reason. May be NULL. */
    int (*prepare)(struct archmeter_point *point);
    /* The timed region and nothing else: does the work `iterations` times. */
    void (*run)(struct archmeter_point *point, uint64_t iterations);
    /* Looks at what the latest run() left. 0: it is right. A point that is wrong is never timed.
     * NULL: nothing is checked, and a note of each launch says so. */
    int (*verify)(struct archmeter_point *point);
    /* After everything, also after a prepare() that failed. May be NULL. */
    void (*finish)(struct archmeter_point *point);
    /* In place of run(): measures itself, and leaves the time in point->elapsed_ns. 0: done. */
    int (*run_timed)(struct archmeter_point *point, uint64_t iterations);
    uint32_t version;     /* raise it when results stop being comparable; 0 means 1 */
    uint32_t all_cpus;    /* 1: bound to all CPUs, not to as many as the axis `threads` says */
    size_t state_size;    /* zeroed bytes for point->state; 0: prepare() may set it */
    uint64_t fixed_iters; /* a batch is exactly so many iterations; 0: as many as it takes */
};

/* The point at hand: given to every function of a bench, the same one until finish(). */
struct archmeter_point {
    uint32_t size, interface_version; /* of this struct, as archmeter has it */
    void *state;                      /* the bench's own */

    /* What one iteration does, stated by prepare(). Bytes are those that the program reads and
     * writes; ops is whatever the bench counts. */
    double flops, bytes_read, bytes_written, ops;
    /* What the hardware cannot exceed, all threads together; 0: not known. A result above it fails
     * its point. */
    double flops_per_cycle_max, bytes_per_cycle_max;

    double residual;     /* of verify(): how far off it was; stored */
    uint64_t elapsed_ns; /* of run_timed(): by the bench's own clock */

    const int *cpus; /* that this launch may use: thread i belongs on cpus[i] */
    size_t cpu_count;
    size_t threads;        /* value of the axis `threads`; 1 without one */
    uint64_t seed;         /* to vary data between launches */
    uint64_t memory_limit; /* bytes; archmeter_alloc() refuses more */
    const char *isa;       /* instruction set of this variant; NULL: compiled once */

    const struct archmeter_calls *calls; /* called by the functions below */
};

typedef void archmeter_part(void *argument, size_t thread, size_t threads);

/* What archmeter does for a bench; see the functions below. */
struct archmeter_calls {
    uint32_t size, interface_version;
    int64_t (*count)(struct archmeter_point *point, const char *axis);
    double (*number)(struct archmeter_point *point, const char *axis);
    const char *(*text)(struct archmeter_point *point, const char *axis);
    void *(*alloc)(struct archmeter_point *point, size_t bytes);
    int (*refuse)(struct archmeter_point *point, const char *reason);
    int (*fail)(struct archmeter_point *point, const char *reason);
    int (*check)(struct archmeter_point *point, const char *what, double got, double want,
                 double tolerance);
    void (*parallel)(struct archmeter_point *point, archmeter_part *part, void *argument);
    void (*value)(struct archmeter_point *point, const char *metric, double value);
    void (*note)(struct archmeter_point *point, const char *key, const char *text);
    void (*attach)(struct archmeter_point *point, const char *name, const char *type,
                   const void *data, size_t bytes);
    void (*keep)(const void *memory);
};

/* The value of an axis at this point: of counts and bytes; of any numbers; as text. */
static inline int64_t archmeter_count(struct archmeter_point *point, const char *axis)
{
    return point->calls->count(point, axis);
}
static inline double archmeter_number(struct archmeter_point *point, const char *axis)
{
    return point->calls->number(point, axis);
}
static inline const char *archmeter_text(struct archmeter_point *point, const char *axis)
{
    return point->calls->text(point, axis);
}

/* Zeroed memory, aligned to 64 bytes and touched already, much of it on huge pages where the kernel
 * gives them, freed after finish(). Needs no check:
 * where it cannot be had, prepare() ends there and the point is a skip with that reason. */
static inline void *archmeter_alloc(struct archmeter_point *point, size_t bytes)
{
    return point->calls->alloc(point, bytes);
}

/* For prepare(): `return archmeter_refuse(point, "n must be even")` skips the point. */
static inline int archmeter_refuse(struct archmeter_point *point, const char *reason)
{
    return point->calls->refuse(point, reason);
}
/* For prepare(), verify() and run_timed(): the point fails with this reason. */
static inline int archmeter_fail(struct archmeter_point *point, const char *reason)
{
    return point->calls->fail(point, reason);
}
/* For verify(): 0 where `got` differs from `want` by at most `tolerance`, relative to `want` (to 1
 * where that is 0); else the point fails, and says both. */
static inline int archmeter_check(struct archmeter_point *point, const char *what, double got,
                                  double want, double tolerance)
{
    return point->calls->check(point, what, got, want, tolerance);
}

/* Calls part(argument, i, threads) on all threads of the point, each on its own CPU, and returns
 * when all have. The axis `threads` (a count) says how many there are. */
static inline void archmeter_parallel(struct archmeter_point *point, archmeter_part *part,
                                      void *argument)
{
    point->calls->parallel(point, part, argument);
}

/* For run_timed(): the value of a metric whose rule is "own". */
static inline void archmeter_value(struct archmeter_point *point, const char *metric, double value)
{
    point->calls->value(point, metric, value);
}
/* A remark that is stored with the launch: library versions, options. Outside of run(). */
static inline void archmeter_note(struct archmeter_point *point, const char *key, const char *text)
{
    point->calls->note(point, key, text);
}
/* A file that belongs to the result, at most 8 MiB; `type` is a media type. Outside of run(). */
static inline void archmeter_attach(struct archmeter_point *point, const char *name,
                                    const char *type, const void *data, size_t bytes)
{
    point->calls->attach(point, name, type, data, bytes);
}

/* Makes the compiler believe that all memory is read and written here, `memory` above all: results
 * that nobody reads are not optimised away. Costs no instruction. */
static inline void archmeter_keep(const void *memory)
{
    __asm__ volatile("" : : "g"(memory) : "memory");
}

/* How benches are found: archmeter calls archmeter_benches() (below, from ARCHMETER_BENCH()) and
 * archmeter_describe(), where the file has one; each adds its benches. */
struct archmeter_host {
    uint32_t size, interface_version;
    void (*add)(const struct archmeter_host *host, const struct archmeter_bench *bench);
};

#ifndef ARCHMETER_HOST /* archmeter itself has no benches to add */

/* ARCHMETER_BENCH(name, .summary = "...", .axes = axes, .run = run, ...); */
#define ARCHMETER_BENCH(id, ...)                                                                   \
    static const struct archmeter_bench archmeter_bench_##id = {                                   \
        .size = sizeof(struct archmeter_bench),                                                    \
        .interface_version = ARCHMETER_BENCH_VERSION,                                              \
        .axis_size = sizeof(struct archmeter_axis),                                                \
        .metric_size = sizeof(struct archmeter_metric),                                            \
        .name = #id,                                                                               \
        __VA_ARGS__};                                                                              \
    __attribute__((                                                                                \
        used,                                                                                      \
        section("archmeter_table"))) static const struct archmeter_bench *archmeter_row_##id =     \
        &archmeter_bench_##id

/* The linker knows where the table of a library begins and ends. */
extern const struct archmeter_bench *__start_archmeter_table[]
    __attribute__((weak, visibility("hidden")));
extern const struct archmeter_bench *__stop_archmeter_table[]
    __attribute__((weak, visibility("hidden")));

void archmeter_benches(const struct archmeter_host *host)
    __attribute__((weak, used, visibility("default")));
void archmeter_benches(const struct archmeter_host *host)
{
    const struct archmeter_bench **row = __start_archmeter_table;

    for (; row < __stop_archmeter_table; row++)
        host->add(host, *row);
}

/* Yours, where benches are made at run time; else there is none. */
void archmeter_describe(const struct archmeter_host *host) __attribute__((visibility("default")));

#endif

#ifdef __cplusplus
}
#endif

#endif
