/* SPDX-License-Identifier: MIT */
/* The regions that a marked program left behind (include/archmeter/mark.h).
 *
 * Whoever starts such a program opens a folder, gives the program am_marks_folder.environment, and
 * collects when it has ended: one file per thread becomes one row per region, times in seconds.
 * The program writes the files, so nothing in them is believed: what is no such file, or of another
 * version of the header, is counted and left out, and every index is checked. A program that
 * crashed, called exec or forked has left what it had. Folders of processes that were killed are
 * removed by the next one that opens a folder. Texts live in the arena. */
#ifndef AM_CORE_MARKS_H
#define AM_CORE_MARKS_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole program, as a name beside those of its regions. */
extern const char am_marks_program[];

/* The environment variable that names the events which a program counts at its marks, and how many
 * there may be. */
extern const char am_marks_events_variable[];
enum { AM_MARKS_EVENTS_MAX = 8 };

struct am_marks_folder {
    char path[256];
    char environment[320]; /* "NAME=VALUE" for the program; empty: not open */
    bool ticks;            /* by the processor's counter, which is quicker to read */
    uint64_t begin_ticks, begin_ns, begin_raw_ns; /* of base/clock.h */
};

struct am_marks_region {
    const char *name;
    const char *within; /* the region around it, of every thread; "": none; NULL: they differ */
    double time_s;      /* of the thread that was in it longest, its calls added up */
    double self_s;      /* the same thread's, less inner regions */
    double total_s, total_self_s; /* of all threads together */
    double longest_s;             /* one call */
    uint64_t calls, threads;      /* all threads'; threads at a time that were in it */
    uint64_t closed;              /* calls that ended because an outer region did */
    uint64_t abandoned;           /* calls that ended because their thread or the program did */
    uint64_t unended;             /* calls that never ended: no time counts */
    double flops, bytes_read, bytes_written; /* as stated, all calls together */
    bool counted;                            /* events, by all of its threads */
    double counts[AM_MARKS_EVENTS_MAX];      /* of all threads together */
    /* From the first begin to the last end, by base/clock.h, where a thread was in it nearly all of
     * that time; 0, 0: it has no time of its own. */
    uint64_t begin_ns, end_ns;
};

struct am_marks {
    struct am_marks_region *items; /* by time of all threads, the most first */
    size_t n;
    size_t files, refused; /* files that count; files that are none, or of another version */
    size_t processes, ranks;
    uint64_t threads;  /* at a time */
    uint64_t unopened; /* ends without a begin */
    uint64_t lost;     /* begins nested too deeply */
    const char *first_unopened;
    double self_s;        /* of all regions and threads */
    int events_error;     /* why a thread could not count, as errno; 0: none was refused */
    bool events_squeezed; /* there are fewer counters than events: counts would be guesses */
};

enum am_status am_marks_open(struct am_marks_folder *folder, struct am_err *err);
/* After the program has ended. */
enum am_status am_marks_collect(const struct am_marks_folder *folder, struct am_arena *arena,
                                struct am_marks *out, struct am_err *err);
void am_marks_close(struct am_marks_folder *folder); /* accepts one that is not open */

/* NULL when there is none of that name. */
const struct am_marks_region *am_marks_find(const struct am_marks *marks, const char *name);
/* Whatever was not as it should be, in sentences parted by "; ". Empty: nothing. */
void am_marks_trouble(const struct am_marks *marks, struct am_text *out);

#endif
