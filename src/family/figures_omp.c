/* SPDX-License-Identifier: MIT */
/* Figures of the OpenMP runtimes, in the arrangement of the EPCC paper. */
#include "family/figures_rest.h"

static const char section[] = "OpenMP";

const struct am_figure_row am_figures_omp[] = {
    {
        .name = "omp-sync",
        .section = section,
        .title = "Synchronisation overhead",
        .caption = "Overhead of a construct, T(p) − T(1)/p, against threads; one panel a "
                   "construct, one line a runtime. Below zero: the construct cost less than the "
                   "reference's own spread.",
        .bench = "omp.sync",
        .metric = "overhead",
        .kind = AM_FIGURE_LINES,
        .x = "threads",
        .series = "runtime",
        .panel = "construct",
        .own_y = true,
    },
    {
        .name = "omp-sync-runtimes",
        .section = section,
        .title = "Synchronisation overhead by construct",
        .caption = "The same overheads beside each other, a bar a runtime; several thread counts "
                   "are panels.",
        .bench = "omp.sync",
        .metric = "overhead",
        .kind = AM_FIGURE_BARS,
        .x = "construct",
        .series = "runtime",
        .panel = "threads",
    },
    {
        .name = "omp-sched",
        .section = section,
        .title = "Scheduling overhead",
        .caption = "Overhead of a loop's schedule against its chunk. static tends to the plain "
                   "loop as chunks grow; dynamic falls with every doubling.",
        .bench = "omp.sched",
        .metric = "overhead",
        .kind = AM_FIGURE_LINES,
        .x = "chunk",
        .series = "schedule",
        .panel = "runtime",
        .xscale = AM_SCALE_LOG2,
        .yscale = AM_SCALE_LOG10,
    },
    {
        .name = "omp-array",
        .section = section,
        .title = "Clauses on arrays, against the size",
        .caption = "Overhead of a construct with a clause on an array, against the elements of the "
                   "array. private is flat, those that copy rise with the size.",
        .bench = "omp.array",
        .metric = "overhead",
        .kind = AM_FIGURE_LINES,
        .x = "elements",
        .series = "clause",
        .panel = "runtime",
        .xscale = AM_SCALE_LOG10,
        .yscale = AM_SCALE_LOG10,
    },
    {
        .name = "omp-array-beyond",
        .section = section,
        .title = "Clauses on arrays, without their construct",
        .caption =
            "Time beyond the same construct without the clause, one panel a clause, one line "
            "a runtime. Where nothing is copied it is nothing, and may fall below zero.",
        .bench = "omp.array",
        .metric = "beyond_parallel",
        .kind = AM_FIGURE_LINES,
        .x = "elements",
        .series = "runtime",
        .panel = "clause",
        .xscale = AM_SCALE_LOG10,
        .yscale = AM_SCALE_LOG10,
    },
    {
        .name = "omp-array-threads",
        .section = section,
        .title = "Clauses on arrays of 729 elements, against threads",
        .caption = "Overhead of a construct with a clause on an array of 729 elements, as the team "
                   "grows.",
        .bench = "omp.array",
        .metric = "overhead",
        .kind = AM_FIGURE_LINES,
        .x = "threads",
        .series = "clause",
        .panel = "runtime",
        .where = "elements=729",
    },
    {
        .name = "omp-task-split",
        .section = section,
        .title = "A task by the way it goes",
        .caption = "Overhead of a task that is run on the spot because the queue is full, of one "
                   "that its maker queues and runs, and of one that another thread takes.",
        .bench = "omp.task",
        .metric = "overhead",
        .kind = AM_FIGURE_BARS,
        .x = "construct",
        .series = "runtime",
        .where = "construct=task_inline,task_deferred,task_stolen",
    },
    {
        .name = "omp-task",
        .section = section,
        .title = "Task overhead",
        .caption = "Processor time spent on a task beyond its work, by construct. Most tasks of "
                   "some constructs are run on the spot: see the shares below.",
        .bench = "omp.task",
        .metric = "thread_overhead",
        .kind = AM_FIGURE_BARS,
        .x = "construct",
        .series = "runtime",
    },
    {
        .name = "omp-task-share",
        .section = section,
        .title = "Tasks that were queued",
        .caption =
            "Share of the tasks that were queued; the others were run on the spot, as a call "
            "would be.",
        .bench = "omp.task",
        .metric = "deferred_share",
        .kind = AM_FIGURE_BARS,
        .x = "construct",
        .series = "runtime",
    },
    {
        .name = "omp-workshare",
        .section = section,
        .title = "Array assignments of Fortran",
        .caption = "Overhead of WORKSHARE inside a region and of PARALLEL WORKSHARE, against "
                   "threads: near those of for and parallel_for.",
        .bench = "omp.workshare",
        .metric = "overhead",
        .kind = AM_FIGURE_LINES,
        .x = "threads",
        .series = "runtime",
        .panel = "construct",
    },
    {.name = NULL},
};
