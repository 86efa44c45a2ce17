/* SPDX-License-Identifier: MIT */
/* Models of what tasks cost: time over the number of tasks that the same work is cut into. */
#ifndef AM_FIT_TASK_FIT_H
#define AM_FIT_TASK_FIT_H

#include <stdbool.h>
#include <stddef.h>

/* The same work cut into `tasks` of about equal size: measured. */
struct am_task_point {
    double size;  /* of a task, in whatever the work is counted */
    double tasks; /* how many */
    double time;  /* of the whole, s */
};

/* The thesis's model (Lien 2012, 7.1.1): T = T_c + t * tasks, T_c taken from the largest tasks that
 * still give every thread four. */
struct am_task_simple {
    double compute;            /* T_c, s */
    double t, t_least, t_most; /* of one task: median, and the range over the sizes; s */
    size_t at;                 /* the point that T_c rests on */
};

/* Two terms, since t is not constant: with few tasks a thread runs them as fast as it can, with
 * many it waits for the one that creates them.
 *
 *     T = max(tasks * create, (work + tasks * sched) / threads) + round
 */
struct am_task_fit {
    double create;  /* of one task, by the one thread that creates; 0 where it never is the limit */
    double sched;   /* of one task, by the thread that runs it */
    double work;    /* of all threads together, without tasks */
    double round;   /* whatever the number of tasks */
    size_t limited; /* points at which creating is the limit: those with the most tasks */
    double rms, worst; /* residuals relative to the time: root of the mean square, greatest */
};

/* Points by falling number of tasks, three at least. False when they do not suffice. */
bool am_task_simple(const struct am_task_point *points, size_t n, size_t threads,
                    struct am_task_simple *out);
bool am_task_fit(const struct am_task_point *points, size_t n, size_t threads,
                 struct am_task_fit *out);

/* The least and the greatest of each term over the fits that leave one point out; false when there
 * are too few. */
bool am_task_fit_range(const struct am_task_point *points, size_t n, size_t threads,
                       struct am_task_fit *least, struct am_task_fit *most);

double am_task_simple_time(const struct am_task_simple *model, double tasks);
/* By the fit; with `whole` tasks go to threads one by one, so that the last turn may be a short
 * one. */
double am_task_fit_time(const struct am_task_fit *model, double tasks, size_t threads, bool whole);

/* The index of the point that the fit says is the fastest; of those alike the last, with the fewest
 * tasks. And of the one that was. */
size_t am_task_fit_best(const struct am_task_fit *model, const struct am_task_point *points,
                        size_t n, size_t threads);
size_t am_task_fastest(const struct am_task_point *points, size_t n);

/* The least time of a task, all threads together, at which the work still runs at `share` of its
 * best speed (METG of Task Bench), and the tasks of the sizes on either side. The best is that of
 * the points, or, where `best_time` is above 0, what others took for the same work. When no size
 * was small enough to show it, `lo` is 0 and the value that of the smallest. NAN when nothing can
 * be told, or no size is fast enough. */
struct am_task_metg {
    double value, lo, hi;
};
struct am_task_metg am_task_metg(const struct am_task_point *points, size_t n, size_t threads,
                                 double share, double best_time);

/* The thesis's other model (7.1.2): the share of the time that waits for main memory, by the
 * latency in seconds, the accesses per operation, and the operations per second that need no
 * memory. */
double am_memory_overhead(double latency, double ratio, double pmax);
/* The same where memory works while the core computes, as it does for what is read in order: only
 * what the transfer takes longer than the operations is waited for. By bytes per operation and the
 * bytes per second that one thread was measured to get. */
double am_memory_overlap(double bandwidth, double bytes, double pmax);

#endif
