/* SPDX-License-Identifier: MIT */
/* Models of what tasks cost, fitted by least squares of relative errors. */
#include "fit/task_fit.h"

#include "core/stats/stats.h"
#include "fit/equations.h"

#include <math.h>
#include <string.h>

enum { POINTS_MAX = 64, TURNS_MIN = 4 };

/* ---- the thesis's ---- */

bool am_task_simple(const struct am_task_point *points, size_t n, size_t threads,
                    struct am_task_simple *out)
{
    double t[POINTS_MAX];
    size_t last = 0, k = 0;

    for (size_t i = 0; i < n; i++) {
        if (points[i].tasks >= (double)(TURNS_MIN * threads) || threads == 1)
            last = i;
    }
    if (n > POINTS_MAX || last < 2)
        return false;
    out->at = last;
    out->compute = points[last].time;
    for (size_t i = 0; i < last; i++)
        t[k++] = (points[i].time - out->compute) / (points[i].tasks - points[last].tasks);
    am_stats_sort(t, k);
    out->t = am_stats_median(t, k);
    out->t_least = t[0];
    out->t_most = t[k - 1];
    out->compute -= out->t * points[last].tasks; /* the largest tasks cost something too */
    return out->compute > 0;
}

double am_task_simple_time(const struct am_task_simple *model, double tasks)
{
    return model->compute + model->t * tasks;
}

/* ---- two terms ---- */

/* Unknowns in the order of the columns. */
enum term { CREATE, SCHED, WORK, ROUND };

double am_task_fit_time(const struct am_task_fit *model, double tasks, size_t threads, bool whole)
{
    const double p = (double)threads;
    const double turns = whole ? ceil(tasks / p) : tasks / p;
    const double run = turns * (model->work / tasks + model->sched);

    return fmax(tasks * model->create, run) + model->round;
}

static void judge(const struct am_task_point *points, size_t n, size_t threads,
                  struct am_task_fit *fit)
{
    double sum = 0;

    fit->worst = 0;
    for (size_t i = 0; i < n; i++) {
        const double e = am_task_fit_time(fit, points[i].tasks, threads, true) / points[i].time - 1;

        sum += e * e;
        fit->worst = fmax(fit->worst, fabs(e));
    }
    fit->rms = sqrt(sum / (double)n);
}

/* Supposing that creating is the limit of the first `limited` points. */
static bool fit_limited(const struct am_task_point *points, size_t n, size_t threads,
                        size_t limited, struct am_task_fit *out)
{
    const double p = (double)threads;
    struct am_equations s = {.used = {limited > 0, true, true, limited > 2}};
    double x[AM_UNKNOWNS];

    for (size_t i = 0; i < n; i++) {
        const double turns = ceil(points[i].tasks / p);
        const double create[AM_UNKNOWNS] = {points[i].tasks, 0, 0, 1};
        const double run[AM_UNKNOWNS] = {0, turns, turns / points[i].tasks, 1};

        am_equations_add(&s, i < limited ? create : run, points[i].time);
    }
    if (!am_equations_solve(&s, x))
        return false;
    *out = (struct am_task_fit){.create = x[CREATE],
                                .sched = x[SCHED],
                                .work = x[WORK],
                                .round = x[ROUND],
                                .limited = limited};
    judge(points, n, threads, out);
    return x[WORK] > 0;
}

/* Every border between the two regimes is tried. One thread does both. */
bool am_task_fit(const struct am_task_point *points, size_t n, size_t threads,
                 struct am_task_fit *out)
{
    const size_t most = threads > 1 && n > 2 ? n - 2 : 0;
    bool found = false;

    if (n < 3 || n > POINTS_MAX)
        return false;
    for (size_t limited = 0; limited <= most; limited++) {
        struct am_task_fit fit;

        if (fit_limited(points, n, threads, limited, &fit) && (!found || fit.rms < out->rms)) {
            *out = fit;
            found = true;
        }
    }
    return found;
}

bool am_task_fit_range(const struct am_task_point *points, size_t n, size_t threads,
                       struct am_task_fit *least, struct am_task_fit *most)
{
    struct am_task_point rest[POINTS_MAX];

    *least = (struct am_task_fit){.create = INFINITY, .sched = INFINITY, .work = INFINITY};
    *most = (struct am_task_fit){0};
    if (n < 4 || n > POINTS_MAX)
        return false;
    for (size_t out = 0; out < n; out++) {
        struct am_task_fit fit;

        for (size_t i = 0, k = 0; i < n; i++) {
            if (i != out)
                rest[k++] = points[i];
        }
        if (!am_task_fit(rest, n - 1, threads, &fit))
            return false;
        least->create = fmin(least->create, fit.create);
        least->sched = fmin(least->sched, fit.sched);
        least->work = fmin(least->work, fit.work);
        most->create = fmax(most->create, fit.create);
        most->sched = fmax(most->sched, fit.sched);
        most->work = fmax(most->work, fit.work);
    }
    return true;
}

/* ---- METG ---- */

static size_t fastest(const struct am_task_point *points, size_t n)
{
    size_t best = 0;

    for (size_t i = 1; i < n; i++)
        best = points[i].time < points[best].time ? i : best;
    return best;
}

/* From the fastest size to smaller ones: tasks too few for the threads are slow for another reason.
 */
struct am_task_metg am_task_metg(const struct am_task_point *points, size_t n, size_t threads,
                                 double share, double best_time)
{
    const size_t best = n ? fastest(points, n) : 0;
    const double least = n && !(best_time > 0) ? points[best].time : best_time;
    double length = NAN, speed = 1;

    for (size_t i = best + 1; i-- > 0 && n;) {
        const double next_speed = least / points[i].time;
        const double next = points[i].time * (double)threads / points[i].tasks;

        if (next_speed < share && i == best)
            break; /* no size is fast enough */
        if (next_speed < share) {
            const double part = (share - next_speed) / (speed - next_speed);

            return (struct am_task_metg){exp(log(next) + (log(length) - log(next)) * part),
                                         fmin(next, length), fmax(next, length)};
        }
        length = next;
        speed = next_speed;
    }
    return (struct am_task_metg){length, 0, length};
}

/* ---- which size of tasks ---- */

size_t am_task_fit_best(const struct am_task_fit *model, const struct am_task_point *points,
                        size_t n, size_t threads)
{
    static const double alike_share = 1e-6;
    double least = INFINITY;
    size_t best = 0;

    for (size_t i = 0; i < n; i++) {
        const double t = am_task_fit_time(model, points[i].tasks, threads, true);

        if (t <= least * (1 + alike_share)) {
            least = fmin(least, t);
            best = i;
        }
    }
    return best;
}

size_t am_task_fastest(const struct am_task_point *points, size_t n)
{
    size_t best = 0;

    for (size_t i = 1; i < n; i++) {
        if (points[i].time < points[best].time)
            best = i;
    }
    return best;
}

/* ---- main memory ---- */

double am_memory_overhead(double latency, double ratio, double pmax)
{
    return latency * ratio / (1 / pmax + latency * ratio);
}

double am_memory_overlap(double bandwidth, double bytes, double pmax)
{
    const double transfer = bytes / bandwidth, compute = 1 / pmax;

    return transfer > compute ? 1 - compute / transfer : 0;
}
