/* SPDX-License-Identifier: MIT */
/* The bench descriptor: everything the engine needs to know of one thing that is measured.
 *
 * A bench is a `const struct am_bench` at the end of its file: a name, a table of axes (parameters
 * with the values to sweep), a table of metrics, and hooks. The worker calls the hooks for one
 * point, that is one value per axis: prepare() builds the state and states the exact work of one
 * iteration; the sampler then calls run() in timed batches, verify() before the first and after
 * the last, and finish() exactly once. Hooks compute no metric: am_bench_derive() makes the values
 * from work, time and core clock by the metric's rule. The conductor has the same descriptors
 * without hooks, as the worker's --list prints them, so that it knows no bench by name.
 *
 * Hooks may assume that the process is bound to ctx->cpus, that every axis has a value inside its
 * range, and that nothing else of archmeter runs while they are timed. */
#ifndef AM_CORE_BENCH_H
#define AM_CORE_BENCH_H

#include "base/clock.h"
#include "base/status.h"
#include "core/bench/axis.h"
#include "core/bench/outcome.h"
#include "core/bench/systematic.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AM_AXES_MAX = 24, AM_METRICS_MAX = 64, AM_NAME_MAX = 48, AM_EVENTS_MAX = 16 };

/* Exact work of one iteration, stated by prepare(). */
struct am_work {
    double bytes_read;    /* by the program; no write-allocate traffic */
    double bytes_written; /* by the program */
    double flops;
    double ops; /* whatever the bench counts: loads, calls, hand-offs */
    /* What the hardware cannot exceed, all threads together; 0: not known. Results above it fail
     * the point, whatever they look like. */
    double flops_per_cycle_max, bytes_per_cycle_max;
};

/* How the engine derives a metric's value from a sample: one list gives enumerators and names. */
#define AM_RULE_MAP(X)                                                                             \
    X(AM_RULE_FLOP_RATE, "flops")          /* flops / time */                                      \
    X(AM_RULE_BYTE_RATE, "bytes")          /* (bytes read + written) / time */                     \
    X(AM_RULE_OP_RATE, "ops")              /* ops / time */                                        \
    X(AM_RULE_TIME_PER_OP, "time/op")      /* time / ops */                                        \
    X(AM_RULE_TIME_PER_ITER, "time/iter")  /* time / iterations */                                 \
    X(AM_RULE_TIME_BEYOND_CLOCK, "beyond") /* time of the batch less one clock reading */          \
    X(AM_RULE_CYCLES_PER_OP, "cycles/op")  /* time x core clock / ops */                           \
    X(AM_RULE_FLOPS_PER_CYCLE, "flops/cycle")                                                      \
    X(AM_RULE_BYTES_PER_CYCLE, "bytes/cycle")                                                      \
    X(AM_RULE_CLOCK_RATIO, "clock-ratio") /* clock of the fastest thread over the slowest's */     \
    X(AM_RULE_OWN, "own")                 /* run_timed() writes it */

#define AM_RULE_ENUM(id, name) id,
enum am_rule { AM_RULE_MAP(AM_RULE_ENUM) AM_RULE_COUNT };
#undef AM_RULE_ENUM

enum am_better { AM_HIGHER, AM_LOWER };

struct am_team; /* core/measure/team.h */

struct am_metric {
    const char *name; /* NULL ends a table; the first metric is the primary one */
    const char *unit; /* SI, unscaled: "s", "B/s", "flop/s", "cycle" */
    enum am_better better;
    enum am_rule rule;
    const char *help;
};

/* What a worker gives to prepare(). */
struct am_ctx {
    const int *cpus; /* CPUs this launch may use, thread i belongs on cpus[i] */
    size_t cpu_count;
    uint64_t seed; /* of this launch: vary data and placement between launches, not samples */
    uint64_t memory_limit_bytes; /* larger working sets must be refused (AM_E_ABSENT) */
    const struct am_clock *clock;
    const struct am_bench *bench; /* whose hook is called, for hooks that several share */
    const char *const *events;    /* names of those that are counted beside the time */
    size_t n_events;
    /* Where the functions below go; NULL: nowhere. The context lives as long as the point's state.
     */
    void (*note)(void *self, const char *key, const char *text);
    void (*chosen)(void *self, const char *name, const char *value);
    void (*propose)(void *self, const char *axis, const char *values);
    void (*attach)(void *self, const char *name, const char *type, const void *data, size_t n);
    void (*window)(void *self, uint64_t begin_ns, uint64_t end_ns);
    void *said_self;
};

/* What a bench says of this launch of its point. Each name is said once; names are [a-z0-9_],
 * texts are cut at 511 bytes; never called inside a timed region. */

/* A remark for people: build options, library versions. Code never reads it, so that its words may
 * change. The name of an axis is no key of a note: see am_ctx_chosen(). */
void am_ctx_note(const struct am_ctx *ctx, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* What the launch was really done with, for code to read. The name is that of an axis, or one of
 * the bench's own (device_kind, winner). Of an axis that the point leaves open (am_axis.tune) it is
 * what the bench settled for. Any other axis is attested by it: when the value differs from the
 * point's, the conductor refuses the launch. */
void am_ctx_chosen(const struct am_ctx *ctx, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The clock that times all batches of a point, said of benches with run_timed() in prepare(). One
 * of a device that shares neither cores nor memory with the host: what disturbs the host does not
 * disturb the batches, and its labels are not held against them. */
#define AM_CHOSEN_CLOCK "clock"
#define AM_CLOCK_DEVICE "device"
/* What a tuner may try for an axis at this point, in the syntax of am_axis.dflt; without it the
 * candidates are those of am_axis.tune. */
void am_ctx_propose(const struct am_ctx *ctx, const char *axis, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* A file that belongs to the result: tracks, a curve, a picture. `type` is a media type. At most
 * 8 MiB each (AM_ATTACHMENT_MAX): the conductor refuses a launch that attaches more. */
void am_ctx_attach(const struct am_ctx *ctx, const char *name, const char *type, const void *data,
                   size_t n);

/* The machine code of the kernel that the point's time is spent in, from its first byte on, and how
 * often each of its innermost loops runs in one iteration: kept with the results (attachment
 * `code`, chosen `code_passes`), so that what bounds it inside of a core can be told wherever they
 * are. */
void am_ctx_code(const struct am_ctx *ctx, uintptr_t code, double passes);
/* The same of code whose longest loop alone runs so often: the others take up what is left over at
 * the ends of rows, or are not entered (chosen `code_loops`). */
void am_ctx_hot_loop(const struct am_ctx *ctx, uintptr_t code, double passes);

/* What the bench measured of parts of an iteration, so that the time of a point with one thread can
 * be accounted for. Shares of an iteration's time, both timed side by side in this launch: whoever
 * shares the core holds back one as much as the other. */
/* The loops of the kept code, all their passes on data in the first-level cache, and what of it
 * they take to begin and to end, however often they turn (chosen `code_near`, `code_begin`; the
 * second is 0 where that was not told apart). */
void am_ctx_near(const struct am_ctx *ctx, double near, double begin);
/* Of `near`, what they take because rows begin between lines of memory and not with one (chosen
 * `code_crossing`). */
void am_ctx_crossing(const struct am_ctx *ctx, double crossing);
/* All their passes once more, on the data of the point where they lie, timed apart from all that is
 * around them (chosen `code_far`). */
void am_ctx_far(const struct am_ctx *ctx, double far);
/* Where that cannot be had: the lines of memory that these loops touch, in their order, without
 * arithmetic: where they lie, and as if all of them were in the first-level cache (chosen
 * `code_walk`, `code_walk_near`). */
void am_ctx_walk(const struct am_ctx *ctx, double walk, double near);
/* A step which is no part of these loops: "halo", "packing" (chosen `step_NAME`). */
void am_ctx_step(const struct am_ctx *ctx, const char *name, double share);
/* Bytes that the loops move between first- and second-level cache, both ways together, beside those
 * that the work states (chosen `code_l2_bytes`). Counted, not measured. */
void am_ctx_l2_bytes(const struct am_ctx *ctx, double bytes);

/* When the point was measured (clock of the samples), where that is not when its batch is: parts of
 * a program that ran before. Meters are read for this window then. 0, 0: at no time of its own. */
void am_ctx_window(const struct am_ctx *ctx, uint64_t begin_ns, uint64_t end_ns);

/* What run_timed() hands back for one batch. */
struct am_batch {
    uint64_t elapsed_ns;           /* by the bench's own clock, e.g. device events */
    double values[AM_METRICS_MAX]; /* indexed as metrics; only AM_RULE_OWN ones are read */
    bool elsewhere; /* measured outside of this batch: events counted in it are not the point's */
    bool counted;   /* elsewhere too: `counts`, indexed as the events of the context */
    double counts[AM_EVENTS_MAX];
};

/* The CPUs a launch is bound to: as many as the point's axis `threads` says (1 without one), in the
 * order of placement; or all that there are, for benches that choose pairs or placements. */
enum am_cpus { AM_CPUS_THREADS, AM_CPUS_ALL };

/* Where the time of a batch comes from, as a worker's listing says it: the two clock readings
 * around it, or a clock of the bench's own (run_timed). Workers that say nothing: unknown. */
enum am_timed_by { AM_TIMED_UNKNOWN, AM_TIMED_BATCH, AM_TIMED_OWN };

/* One thing measured. `const`, at the end of the bench's file, registered by one word in
 * meson.build. */
struct am_bench {
    const char *name;    /* "mem.latency" */
    const char *summary; /* one line */
    unsigned version;    /* raised when results stop being comparable */
    const struct am_axis *axes;
    const struct am_metric *metrics;
    /* Beside what every metric of its unit has: a row per metric of which more is to be said, ended
     * by a name of NULL. NULL: nothing. */
    const struct am_systematic *systematic;
    size_t metrics_added;       /* in the conductor: at the end of metrics, filled there (energy) */
    size_t state_size;          /* zeroed bytes given to every hook as `state` */
    uint64_t fixed_iters;       /* non-zero: a batch is exactly this many, no calibration */
    unsigned points_per_launch; /* points one process may measure in turn; 0 means 1 */
    /* The process may measure points of other benches of its worker beside them, which say so too:
     * where starting a device takes longer than measuring a point of it. */
    bool mixes;
    enum am_cpus cpus;
    bool once;        /* a launch is one batch, without a trial or a warm-up: whole programs */
    const void *data; /* the hooks' own, of descriptors that are made at run time */
    double target;   /* half-width, relative, at which a point is done if the profile asks for less;
                      * for what is noisy by nature. 0: the profile's */
    bool named_only; /* `run --quick`, which has a minute, measures it only when it is named */
    enum am_timed_by timed; /* in the conductor, which has no hooks; am_bench_timed() in a worker */

    /* Builds the state for a point and states the work of one iteration. `point` is indexed as
     * axes. AM_E_ABSENT refuses the point: a stored skip with its reason. */
    enum am_status (*prepare)(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err);
    /* The timed region and nothing else. */
    void (*run)(void *state, uint64_t iters);
    /* Instead of run: measures itself. */
    enum am_status (*run_timed)(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err);
    /* Compares the outcome of the latest run with a reference. Called before the first batch and
     * after the last; AM_E_WRONG means the point is not timed. `residual` is stored. */
    enum am_status (*verify)(void *state, double *residual, struct am_err *err);
    /* Called exactly once, also after a failed prepare: accepts a half-built state. */
    void (*finish)(void *state);
    /* The threads that a batch keeps busy, so that the core clock of each of them is probed. NULL:
     * the caller's is enough. */
    struct am_team *(*team)(void *state);
};

size_t am_metric_count(const struct am_metric *metrics);
/* By its hooks; without any, as its field says. */
enum am_timed_by am_bench_timed(const struct am_bench *bench);
/* Whether it measures standards of known latency: its first metric is one. */
bool am_bench_is_standard(const struct am_bench *bench);
const char *am_rule_name(enum am_rule rule);
/* AM_RULE_COUNT when unknown. */
enum am_rule am_rule_find(const char *name, size_t len);

/* One timed batch, as measured. */
struct am_sample {
    uint64_t iters;
    uint64_t t0_ns, t1_ns;      /* around the batch, monotonic raw clock */
    uint64_t elapsed_ns;        /* t1 - t0, or the bench's own clock */
    double hz_before, hz_after; /* core clock by the add chain, mean over the threads of the bench's
                                 * team; 0 where not measurable */
    double hz_least, hz_most;   /* of the threads, before and after; not stored: for metrics */
    uint64_t steal_ns;          /* stolen from this machine's CPUs in [t0, t1] (10 ms steps) */
    uint64_t switches;          /* involuntary context switches of the process in [t0, t1] */
    uint64_t off_ns;            /* of [t0, t1] in which the measuring thread had no CPU */
    bool elsewhere;             /* as am_batch.elsewhere; not stored */
    uint32_t labels;            /* AM_LABEL_*: why it is suspect. Labelled samples are kept;
                                 * summaries prefer the others */
    double values[AM_METRICS_MAX];
};

/* Fills sample->values from the work, the times and the rules (AM_RULE_OWN values are kept). */
void am_bench_derive(const struct am_metric *metrics, const struct am_work *work,
                     const struct am_clock *clock, struct am_sample *sample);

#endif
