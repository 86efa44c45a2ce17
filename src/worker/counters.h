/* SPDX-License-Identifier: MIT */
/* Hardware events through PAPI, counted in the process that asks: its threads and children with it
 * where the machine can do that. The library is loaded at run time, no build needs it. */
#ifndef AM_WORKER_COUNTERS_H
#define AM_WORKER_COUNTERS_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { AM_COUNTERS_MAX = 8 };

struct am_counter_names {
    const char *items[AM_COUNTERS_MAX];
    size_t n;
};

/* "l2,PAPI_TOT_INS": names as PAPI knows them, and the lists of seed 001, table 5.9: l2 and l3 are
 * accesses and misses of these caches. A name that comes twice counts once. AM_E_USAGE when there
 * are none or too many; whether an event exists is the machine's to say. */
enum am_status am_counters_expand(const char *text, struct am_arena *arena,
                                  struct am_counter_names *out, struct am_err *err);

struct am_counters;

/* Loads the library ($ARCHMETER_PAPI, else the system's) and begins to count. AM_E_ABSENT with the
 * reason where there is no library, no hardware counter, no such event or no permission. Threads
 * are followed only if they are begun after this. */
enum am_status am_counters_open(const struct am_counter_names *names,
                                struct am_counters **counters_p, struct am_err *err);

/* Events since the beginning, in the order of the names. */
bool am_counters_read(struct am_counters *counters, double *out);

/* Whether events of other threads and of children are included. */
bool am_counters_follow(const struct am_counters *counters);

void am_counters_close(struct am_counters *counters); /* accepts NULL */

#endif
