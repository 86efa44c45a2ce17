/* SPDX-License-Identifier: MIT */
/* Counts a program's OpenMP directives from inside of it: the library archmeter-omp-count.so, which
 * `archmeter omp cost` loads into the program (LD_PRELOAD).
 *
 * Two ways lead here. A runtime that offers OMPT calls back (count_ompt.c); calls to one that
 * offers none pass through functions of the same names (count_gomp.c: those of gcc's code,
 * count_kmp.c: those of clang's and its kin). Either begins and ends what is counted as marks
 * (archmeter/mark.h), so that whoever reads marked programs reads this too: calls, times and
 * threads of each construct at each place. Without the variable of the marks nothing is counted,
 * and calls pass through.
 *
 * A name is "FAMILY:CONSTRUCT:THREADS:GAP:PLACE", for example "gomp:region:16:100:solver+0x1a40":
 * family gomp or kmp by the runtime, threads of the team, the serial time before a region in
 * microseconds (rounded to half a decade, -1 before the first region, 0 for all else), and the
 * address in the file that has the code. Names have at most AM_OMPCOUNT_NAME - 1 bytes, none of
 * them a blank or a comma. */
#ifndef AM_BENCH_OMP_COUNT_H
#define AM_BENCH_OMP_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden) /* the program sees what it calls, and nothing else */

enum {
    AM_OMPCOUNT_NAME = 56,
    AM_OMPCOUNT_GAP_STEPS = 8,
    AM_OMPCOUNT_WEIGHED = 1000, /* constructs of nothing inside of a weighing */
};

/* Serial time before a region, in us: half a decade lies between two values. */
#define AM_OMPCOUNT_GAPS                                                                           \
    {                                                                                              \
        0, 10, 30, 100, 300, 1000, 3000, 10000                                                     \
    }

enum am_ompcount_kind {
    AM_OMPCOUNT_REGION,    /* on the thread that meets it, from fork to join */
    AM_OMPCOUNT_NESTED,    /* the same inside of another region */
    AM_OMPCOUNT_BODY,      /* what each thread does in a region */
    AM_OMPCOUNT_BARRIER,   /* from arrival to departure, of each thread */
    AM_OMPCOUNT_CRITICAL,  /* from asking to entering */
    AM_OMPCOUNT_LOCK,      /* the same */
    AM_OMPCOUNT_ORDERED,   /* the same */
    AM_OMPCOUNT_ATOMIC,    /* the same; most atomics are instructions, and not seen */
    AM_OMPCOUNT_SINGLE,    /* without the barrier that follows it */
    AM_OMPCOUNT_CHUNK,     /* a request for iterations of a loop */
    AM_OMPCOUNT_TASK,      /* making one */
    AM_OMPCOUNT_TASKWAIT,  /* waiting, and running tasks meanwhile */
    AM_OMPCOUNT_TASKGROUP, /* the same at the end of a group */
    AM_OMPCOUNT_LEAVE,     /* giving a lock or critical section up: no work of the program's */
    AM_OMPCOUNT_MET,       /* a part of a region that ends right behind a barrier */
    AM_OMPCOUNT_WEIGHT,    /* once per process: what counting itself adds to the work around it */
    AM_OMPCOUNT_NOTHING,   /* what is counted meanwhile */
    AM_OMPCOUNT_KINDS
};

/* Which way counts. */
enum am_ompcount_way { AM_OMPCOUNT_NONE, AM_OMPCOUNT_CALLS, AM_OMPCOUNT_CALLBACKS };
enum am_ompcount_way am_ompcount_way(void);
/* Whether anything is to be counted; asks no runtime, which may be starting just now. */
bool am_ompcount_wanted(void);
/* Said by the runtime's callbacks before any other call. */
void am_ompcount_use_callbacks(void);

/* What is counted: begins on this thread, and ends on it in the reverse order. */
void am_ompcount_begin(enum am_ompcount_kind kind, const void *place);
void am_ompcount_end(enum am_ompcount_kind kind);
/* A call that passes through: begins it where calls are what counts. A runtime that serves one of
 * its calls by another of the same kind does it once. True: it is to be ended. */
bool am_ompcount_enter(enum am_ompcount_kind kind, const void *place);
/* The same of calls that callbacks do not tell of. */
bool am_ompcount_enter_either(enum am_ompcount_kind kind, const void *place);

/* A region of so many threads, on the thread that meets it: the gap before it is found here. */
void am_ompcount_begin_region(const void *place, int threads);
void am_ompcount_end_region(void);

/* This thread's part of a team's work. Returns the size of the team around it, to be handed back.
 */
int am_ompcount_begin_body(const void *place, int threads);
void am_ompcount_end_body(int outer_threads);

/* Runtimes that call back tell who called them, which is this library where a call passes through
 * it. Said before and after such a call: who made it, in place of whoever was said before, which is
 * returned; and asked for what a runtime tells. */
const void *am_ompcount_pass(const void *caller);
const void *am_ompcount_whose(const void *place);

/* The function of that name behind this library; ends the program where there is none. */
typedef void am_ompcount_fn(void);
am_ompcount_fn *am_ompcount_real(const char *name);

/* Puts it into a variable of its type, once. */
#define AM_OMPCOUNT_FIND(variable, name)                                                           \
    do {                                                                                           \
        if (!__atomic_load_n(&(variable), __ATOMIC_RELAXED)) {                                     \
            const __typeof__(variable) found_ = (__typeof__(variable))am_ompcount_real(name);      \
            __atomic_store_n(&(variable), found_, __ATOMIC_RELAXED);                               \
        }                                                                                          \
    } while (0)

#pragma GCC visibility pop

#endif
