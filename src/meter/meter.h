/* SPDX-License-Identifier: MIT */
/* Meters: every source of energy this machine has, what each covers, and why others are not usable.
 * No sensor means no number: nothing here estimates. */
#ifndef AM_METER_METER_H
#define AM_METER_METER_H

#include "base/arena.h"
#include "base/fsroot.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { AM_METERS_MAX = 128 };

/* What a meter's energy includes: one list gives enumerators and names. */
#define AM_SCOPE_MAP(X)                                                                            \
    X(AM_SCOPE_CORE, "core")       /* cores and their private caches (PP0) */                      \
    X(AM_SCOPE_UNCORE, "uncore")   /* what the vendor calls so, often the graphics (PP1) */        \
    X(AM_SCOPE_PACKAGE, "package") /* one processor package */                                     \
    X(AM_SCOPE_DRAM, "dram")                                                                       \
    X(AM_SCOPE_PSYS, "psys") /* platform: packages and more, vendor-defined */                     \
    X(AM_SCOPE_GPU, "gpu")                                                                         \
    X(AM_SCOPE_RAIL, "rail")   /* one supply of a board, named by the id */                        \
    X(AM_SCOPE_BOARD, "board") /* a whole board or module */                                       \
    X(AM_SCOPE_WALL, "wall")   /* at the mains */

#define AM_SCOPE_ENUM(id, name) id,
enum am_scope { AM_SCOPE_MAP(AM_SCOPE_ENUM) AM_SCOPE_COUNT };
#undef AM_SCOPE_ENUM

const char *am_scope_name(enum am_scope scope);

enum am_meter_kind {
    AM_METER_COUNTER, /* energy so far, in ticks of a quantum, modulo a range */
    AM_METER_POWER,   /* watts at, or averaged until, the moment of reading */
};

/* One reading. The value belongs to the middle of [t0, t1], monotonic raw clock. */
struct am_reading {
    uint64_t t0_ns, t1_ns;
    uint64_t ticks; /* counters */
    double watts;   /* power meters */
};

struct am_meter {
    const char *provider; /* "powercap" */
    const char *id;       /* "package-0": unique within the provider */
    enum am_scope scope;
    enum am_meter_kind kind;
    const char *covers;   /* one sentence: what is in the number and what is not */
    const char *modelled; /* NULL when measured by a sensor; else who models it, e.g. early RAPL */

    /* Why it cannot be used and what would help; both NULL when it can. */
    const char *why_not, *remedy;
    int parent; /* index of the meter whose energy includes this one's; -1: none. Never add both. */
    int same_as; /* index of a preferred meter that shows the same counter; -1: none */

    double quantum_j;      /* counters: joules a tick; power: 0 */
    uint64_t range_ticks;  /* counters: ticks before it begins anew; 0: not known */
    double power_max_w;    /* above it a reading cannot be true; 0: not known */
    uint64_t period_ns;    /* how often the value changes; 0: not known */
    uint64_t averaging_ns; /* power: over which it is averaged; 0: momentary or not known */
    uint64_t interval_ns;  /* between readings; 0: as the sampler likes */
    bool slow;             /* a reading takes milliseconds: it gets a thread to itself */
    /* What its readings go through, where meters share it and a reading takes several steps (the
     * one mailbox of a board): such meters are read by one thread. NULL: nothing shared. */
    const void *mailbox;
    pid_t helper; /* the process that makes its readings; 0: this one */

    /* Reads the value and the two times around it. No allocation, no formatting. */
    enum am_status (*read)(void *self, struct am_reading *out, struct am_err *err);
    void (*close)(void *self);
    void *self;
};

/* Time as the readers of meters see it. A test's own moves only where someone rests in it: what is
 * read, and when, then does not depend on how busy the machine is. */
struct am_meter_time {
    uint64_t (*now_ns)(void *self);
    void (*rest_ns)(void *self, uint64_t ns);
    void *self;
};

/* What was asked for. */
struct am_meter_request {
    const struct am_fsroot *root; /* everything below it; a false one reaches no real device */
    const char *only;             /* glob over "provider" or "provider:id"; NULL: all */
    const char *command;          /* prints watts when run (words, no shell); NULL: none */
    const char *scpi;             /* "tcp:HOST:PORT" or "tty:PATH[:BAUD]"; NULL: none */
    bool sys_cfg;                 /* ARM's SYS_CFG registers through physical memory: opt-in */
    bool msr;                     /* raw MSRs: opt-in, they need root and a model-specific unit */
    /* For tests: what stands in for the kernel, the vendor's library and time. NULL: the real
     * ones; the kernel and the library are not reached from a false root. */
    int (*perf_open)(uint32_t type, uint64_t config, int cpu);
    const char *nvml_library;
    double nvml_patience_s; /* with a call of that library; 0: the usual */
    const struct am_meter_time *time;
};

struct am_meters {
    struct am_meter items[AM_METERS_MAX];
    size_t n;
    bool synthetic;                   /* read below a false root */
    const struct am_meter_time *time; /* NULL: the machine's */
};

/* Opens what there is, in the order of preference (perf, powercap, msr, ...). A source that is
 * there but cannot be used is listed with its reason; one that is not there at all is not listed.
 * Several ways to one counter: the first that works is the meter, the others point to it by
 * same_as. Fails only on wrong requests. */
enum am_status am_meters_open(const struct am_meter_request *request, struct am_arena *arena,
                              struct am_meters *out, struct am_err *err);
void am_meters_close(struct am_meters *meters); /* accepts a zeroed struct */

/* Whether a reading of this meter counts: usable, and no other way to a counter already counted. */
bool am_meter_counts(const struct am_meter *meter);

/* Whether a meter is there and was asked for, but can neither be read itself nor another way. */
bool am_meters_lacks(const struct am_meters *meters, size_t i);

/* The process of our own that makes readings; 0: none. Its work is no neighbour's. */
pid_t am_meters_helper(const struct am_meters *meters);

/* Looks at all counters for a tenth of a second: measures update periods, and finds counters that
 * are one under two names (same_as is set). */
void am_meters_probe(struct am_meters *meters);

/* The time of the set, a rest in it, and a reading stamped with it. */
uint64_t am_meters_now(const struct am_meters *meters);
void am_meters_rest(const struct am_meters *meters, uint64_t ns);
enum am_status am_meters_read(const struct am_meters *meters, const struct am_meter *meter,
                              struct am_reading *out, struct am_err *err);

/* For providers: a new entry, zeroed but for provider, parent and same_as; NULL when full. */
struct am_meter *am_meters_add(struct am_meters *meters, const char *provider);

/* The providers, one file each: adds its meters to the set. */
typedef enum am_status am_meter_open_fn(const struct am_meter_request *request,
                                        struct am_arena *arena, struct am_meters *out,
                                        struct am_err *err);
am_meter_open_fn am_meter_open_perf, am_meter_open_powercap, am_meter_open_msr, am_meter_open_nvml,
    am_meter_open_hwmon, am_meter_open_sys_cfg, am_meter_open_scpi, am_meter_open_command;

#endif
