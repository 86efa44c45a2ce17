/* SPDX-License-Identifier: MIT */
/* Small readers below a root, shared by the machine's description, the environment and doctor. */
#ifndef AM_TOPO_PROBE_H
#define AM_TOPO_PROBE_H

#include "base/fsroot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AM_PROBE_CAP = 256 }; /* room for one value, terminator included */

/* The first line of a file; false when it is absent, unreadable or empty. */
bool am_probe_line(const struct am_fsroot *root, const char *path, char *buf, size_t cap);
/* The word in brackets of "always [madvise] never". */
bool am_probe_choice(const struct am_fsroot *root, const char *path, char *buf, size_t cap);
/* The value of the first line "key<blanks>[:=]<blanks>value" of a text, quotes taken off. */
bool am_probe_field(const char *text, const char *key, char *buf, size_t cap);
/* The same of /proc/cpuinfo's first processor. */
bool am_probe_cpuinfo(const struct am_fsroot *root, const char *key, char *buf, size_t cap);
/* A line of /proc/meminfo, in bytes. */
bool am_probe_meminfo(const struct am_fsroot *root, const char *key, uint64_t *bytes);
/* How many CPUs a kernel list "0-3,8" names; false when it is not such a list ("" names none). */
bool am_probe_cpulist(const char *list, unsigned *count);
/* The clock ticks of all CPUs since boot. */
struct am_probe_ticks {
    uint64_t total;
    uint64_t busy;  /* spent on programs and in the kernel: neither idle nor stolen */
    uint64_t steal; /* taken by the hypervisor */
};
bool am_probe_ticks(const struct am_fsroot *root, struct am_probe_ticks *out);
/* The load average of the last minute, and how many threads can run now besides the reader. */
bool am_probe_load(const struct am_fsroot *root, double *load, uint64_t *others);
/* Of a file of /proc/pressure: per cent of the last 10 s in which some task waited, and the sum of
 * such time in us. Either pointer may be NULL. */
bool am_probe_pressure(const struct am_fsroot *root, const char *path, double *percent,
                       uint64_t *total_us);

/* The distinct values of one file over many directories. */
enum { AM_TALLY_MAX = 8, AM_TALLY_TEXT = 48 };

struct am_tally {
    struct {
        char value[AM_TALLY_TEXT];
        unsigned n;
    } items[AM_TALLY_MAX];
    unsigned n;     /* distinct values kept */
    unsigned total; /* files read */
};

/* Reads DIR/PREFIX<number>/LEAF for every such directory. */
void am_probe_tally(const struct am_fsroot *root, const char *dir, const char *prefix,
                    const char *leaf, struct am_tally *tally);
/* "performance" or "performance (4), powersave (12)"; "unknown" when empty. */
void am_tally_text(const struct am_tally *tally, char *buf, size_t cap);
bool am_tally_only(const struct am_tally *tally, const char *value);

/* The numbers of one file over many directories. */
struct am_gauge {
    unsigned files; /* read and understood */
    uint64_t sum, max;
};

void am_probe_gauge(const struct am_fsroot *root, const char *dir, const char *prefix,
                    const char *leaf, struct am_gauge *gauge);

/* Control groups, versions 1 and 2, over this process's group and all its ancestors. */
bool am_probe_cpu_quota(const struct am_fsroot *root, double *cpus); /* 0: no limit */
bool am_probe_throttled(const struct am_fsroot *root, uint64_t *times);
bool am_probe_cpuset(const struct am_fsroot *root, char *buf, size_t cap);
uint64_t am_probe_memory_limit(const struct am_fsroot *root); /* bytes; 0: none */
/* What the limits leave besides what the groups use now; UINT64_MAX without a limit. */
uint64_t am_probe_memory_left(const struct am_fsroot *root);

/* "none", "unknown", or what it is ("kvm", "docker"). */
void am_probe_virtualisation(const struct am_fsroot *root, char *buf, size_t cap);
void am_probe_container(const struct am_fsroot *root, char *buf, size_t cap);
/* "l2-stream on, l2-adjacent off": the hardware prefetchers, by the registers of all CPUs ("mixed"
 * where these differ). False where the processor has no known register or none may be read. */
bool am_probe_prefetchers(const struct am_fsroot *root, char *buf, size_t cap);
/* "on", "off" or "unknown". */
const char *am_probe_boost(const struct am_fsroot *root);

#endif
