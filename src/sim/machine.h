/* SPDX-License-Identifier: MIT */
/* A simulated machine: what a description file (doc/guide/machines.md) says of it.
 *
 * A description is text: sections in brackets, one "key value" per line. The table of keys in
 * machine_keys.c is the format: it drives reading, defaults, bounds, messages and the reference in
 * doc/guide/machines.md. Everything read is inside its bounds, and am_sim_machine_read() refuses
 * what does not fit together, so the code that uses a machine checks nothing again.
 *
 * This folder may use base and core only, and shares no code with store, model or report: it is
 * the other side of the argument when conclusions about a machine are tested. Lengths of time are
 * in the unit that the key's name says (ns, us, cycles), bandwidths in GB/s (1e9), clocks in GHz.
 */
#ifndef AM_SIM_MACHINE_H
#define AM_SIM_MACHINE_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    AM_SIM_KINDS_MAX = 4,
    AM_SIM_ISAS_MAX = 8,
    AM_SIM_CACHES_MAX = 12,
    AM_SIM_TLBS_MAX = 6,
    AM_SIM_DEVICES_MAX = 16,
    AM_SIM_INSTRS_MAX = 96,
    AM_SIM_CPUS_MAX = 2048,
    AM_SIM_WORD_MAX = 64, /* of a section's name, an ISA, an instruction; terminator included */
    AM_SIM_FILE_MAX = 256 * 1024,
};

/* Vector extension of a core kind: "isa NAME BITS PIPES ONE_GHZ ALL_GHZ". */
struct am_sim_isa {
    char name[AM_SIM_WORD_MAX];
    double bits, pipes;      /* of a register; fused multiply-adds begun per cycle */
    double one_ghz, all_ghz; /* clock with one core busy and with all of a package */
};

/* "instr PATTERN LATENCY RECIPROCAL": cycles of instructions whose name matches. */
struct am_sim_instr {
    char pattern[AM_SIM_WORD_MAX];
    double latency, reciprocal;
};

struct am_sim_kind {
    char name[AM_SIM_WORD_MAX];
    uint64_t cores, smt, capacity;
    double one_ghz, all_ghz; /* of code without vectors */
    double stated_ghz;       /* highest, as the system says; 0: one_ghz */
    double fma_cycles;       /* latency of products and fused ones */
    double add_cycles;       /* of additions; 0: the same */
    double thread_share;     /* of the pipes that one thread alone can keep busy */
    double add_pipes;        /* that only add, for each pipe of fused ones */
    double move_bytes;       /* that loads and stores move per cycle to and from registers */
    struct am_sim_isa isas[AM_SIM_ISAS_MAX]; /* rising */
    size_t n_isas;
};

enum am_sim_policy { AM_SIM_LRU, AM_SIM_COLOURED, AM_SIM_RANDOM, AM_SIM_BEST };
enum am_sim_fill { AM_SIM_INCLUSIVE, AM_SIM_EXCLUSIVE, AM_SIM_VICTIM };

/* Cores that share one instance of a cache: AM_SIM_PACKAGE or a count. */
enum { AM_SIM_PACKAGE = 0 };

struct am_sim_cache {
    char name[AM_SIM_WORD_MAX];
    uint64_t level;
    const char *kind;      /* of core; NULL: all kinds */
    uint64_t size, stated; /* bytes of an instance: as it is, as the system says (0: the same) */
    uint64_t share, ways, line;
    uint64_t policy, fill;          /* enum am_sim_policy, am_sim_fill */
    double cycles, ns;              /* load latency: core cycles plus what has its own clock */
    double bytes_per_cycle;         /* of one core */
    double instance_gbs;            /* of all cores of an instance; 0: no limit */
    double share_least, share_most; /* part of an instance that a launch gets, drawn evenly */
    bool hidden;                    /* the system does not list it */
};

enum am_sim_pages { AM_SIM_PAGES_SMALL, AM_SIM_PAGES_HUGE, AM_SIM_PAGES_BOTH };

struct am_sim_tlb {
    char name[AM_SIM_WORD_MAX];
    uint64_t entries, pages;
    double miss_cycles; /* beyond a hit: the next TLB's answer, or a walk */
};

struct am_sim_memory {
    uint64_t nodes, size;                 /* nodes per package, bytes per node */
    uint64_t page, huge;                  /* bytes of a small and a huge page */
    bool thp;                             /* large allocations get huge pages unasked */
    uint64_t stated_channels, stated_mts; /* as the firmware says; 0: it says nothing */
    double latency_ns, core_gbs, node_gbs, parallel;
    double near_ns, far_ns;   /* latency added by another node of the package, of another package */
    double near_gbs, far_gbs; /* bandwidth between them */
    double write_share;       /* of the bandwidth, where lines are written back */
};

struct am_sim_prefetch {
    bool streams, pairs;
    double hides; /* part of the latency that an ascending walk does not see */
    uint64_t stride;
};

enum am_sim_protocol { AM_SIM_MESI, AM_SIM_MESIF, AM_SIM_MOESI };

struct am_sim_coherence {
    uint64_t protocol;
    double sibling_ns, cluster_ns, package_ns, far_ns; /* of a modified line, by relation */
    double clean_share;                                /* of that time, when memory answers too */
};

struct am_sim_openmp {
    double fork_ns, fork_log_ns, barrier_ns, barrier_log_ns;
    double lock_ns, atomic_ns, chunk_ns, task_ns, steal_ns, start_us;
    double libomp; /* time of libomp relative to libgomp */
};

struct am_sim_device {
    char name[AM_SIM_WORD_MAX];
    bool gpu;
    uint64_t units, lanes, width; /* lanes: single-precision of a unit; width: items in lockstep */
    double ghz, double_share, latency_cycles;
    uint64_t memory;
    double memory_gbs, memory_ns, cache_gbs, local_gbs;
    uint64_t cache;
    double link_gbs, pageable_share, link_us, launch_us, enqueue_us, build_ms, open_ms;
};

struct am_sim_network {
    double latency_us, gbs, shared_us, shared_gbs;
    uint64_t eager;
};

struct am_sim_noise {
    double sample, launch;          /* relative standard deviation within and between launches */
    double tail_chance, tail;       /* part of samples slowed, by an exponential of this mean */
    double mode_chance, mode;       /* part of launches in a second mode, and its relative time */
    double drift, drift_s;          /* relative time gained over so many seconds, then kept */
    double clock_ns, clock_step_ns; /* cost and resolution of reading the clock */
    double cycle_error; /* relative, of every count of cycles: the core clock is misread */
};

struct am_sim_neighbour {
    double on_s, off_s;   /* mean lengths of its visits and absences; on_s 0: no neighbour */
    double slow;          /* factor on time while it is here */
    double cache, memory; /* parts of shared caches and of memory bandwidth that it takes */
    bool steal, switches; /* the guest sees stolen time; involuntary switches */
};

struct am_sim_system {
    double load, pressure;
    bool siblings;          /* the system tells which threads share a core */
    const char *governor;   /* NULL: no cpufreq */
    const char *hypervisor; /* NULL: not a guest */
};

/* Power of a package: at rest, and what work adds to it. */
struct am_sim_power {
    double static_w; /* 0: the machine has no meter */
    double core_w, flop_pj, byte_pj;
};

enum am_sim_numbering { AM_SIM_SPREAD, AM_SIM_ADJACENT };

struct am_sim_machine {
    const char *name, *vendor, *model, *arch, *features;
    uint64_t packages, numbering, seed;
    uint64_t family, model_number, stepping;
    struct am_sim_kind kinds[AM_SIM_KINDS_MAX];
    struct am_sim_cache caches[AM_SIM_CACHES_MAX]; /* from the fastest to the slowest, per kind */
    struct am_sim_tlb tlbs[AM_SIM_TLBS_MAX];
    struct am_sim_device devices[AM_SIM_DEVICES_MAX];
    struct am_sim_instr instrs[AM_SIM_INSTRS_MAX]; /* the first that matches counts */
    size_t n_kinds, n_caches, n_tlbs, n_devices, n_instrs;
    struct am_sim_memory memory;
    struct am_sim_prefetch prefetch;
    struct am_sim_coherence coherence;
    struct am_sim_openmp openmp;
    struct am_sim_network network;
    struct am_sim_noise noise;
    struct am_sim_neighbour neighbour;
    struct am_sim_system system;
    struct am_sim_power power;
};

/* Reads a description of `len` bytes. `place` (the file's name) begins every message; texts live in
 * the arena. AM_E_USAGE with file, line and the nearest valid word. */
enum am_status am_sim_machine_read(const char *place, const char *text, size_t len,
                                   struct am_arena *arena, struct am_sim_machine *out,
                                   struct am_err *err);
/* The same of a file; AM_E_USAGE also when it cannot be read. */
enum am_status am_sim_machine_load(const char *path, struct am_arena *arena,
                                   struct am_sim_machine *out, struct am_err *err);
/* The format as Markdown, as it stands in doc/guide/machines.md. */
void am_sim_machine_document(struct am_text *out);

/* While so many cores do so many operations and move so many bytes per second. */
double am_sim_power_watts(const struct am_sim_power *power, double cores, double flops_s,
                          double bytes_s);

uint64_t am_sim_cpu_count(const struct am_sim_machine *m);
/* CPUs that the neighbour's programs use while it is here, where they run in this system. */
double am_sim_neighbour_cpus(const struct am_sim_machine *m);
uint64_t am_sim_core_count(const struct am_sim_machine *m); /* of a package */
const struct am_sim_isa *am_sim_isa_find(const struct am_sim_kind *kind, const char *name);

#endif
