/* SPDX-License-Identifier: MIT */
/* OpenMP runtimes (omp.*): what a program pays for its threads, tasks and data-sharing clauses, and
 * how clean the runs were that say so.
 *
 * Facts are of threads that are bound close to each other and wait as their runtime likes: what a
 * program gets that says nothing special. The largest team speaks for a construct; the first region
 * of a process is a fact for each team. The length of the delay that omp.sync puts between
 * constructs, and the places of threads, are labels where a run varied them. */
#include "family/openmp.h"

#include "family/families.h"

#include <math.h>

#define USUAL "runtime binding=close wait=default "
/* Constructs that programs count. */
#define CONSTRUCTS                                                                                 \
    "construct=parallel,for,parallel_for,barrier,single,reduction,critical,critical_contended,"    \
    "lock_contended,lock_uncontended,atomic_add_f64,atomic_add_i64"
/* A region of a program that sets nothing, with equal work for all threads. */
#define PLAIN_REGION "runtime gap team=fixed imbalance=0 crowd=1 spin=auto binding=auto wait=auto"
/* Clauses that move the whole array. */
#define CLAUSES "clause=firstprivate,lastprivate,copyin,copyprivate,reduction"

/* ---- loops ---- */

/* Serial work that p threads do in the same time as one is longer than the overhead by this. */
static double break_even_factor(const struct am_result *result)
{
    const double p = am_result_number(result, "threads");

    return p / (p - 1);
}

/* The results of the largest team of each runtime, and of each value of `axes`. */
static struct am_groups largest_teams(const struct am_deriving *d, const struct am_selector *from,
                                      const char *axes)
{
    const struct am_picks picks = am_select(d->set, from, d->arena);
    const struct am_groups groups = am_picks_group(&picks, axes);

    for (size_t i = 0; i < groups.n; i++)
        groups.items[i].picks = am_picks_extreme(&groups.items[i].picks, "threads", false);
    return groups;
}

/* What a thread pays to get one chunk: chunks of one less the coarsest, over their numbers. */
static void offer_chunk(const struct am_deriving *d, const struct am_picks *team)
{
    static const double iterations = 1024; /* of every thread in a loop of omp.sched */
    const struct am_picks ones = am_picks_where(team, "chunk=1");
    const struct am_picks larger = am_picks_where(team, "chunk>1");
    const struct am_picks largest = am_picks_extreme(&larger, "chunk", false);
    const struct am_pick *const fine = am_fact_only(d, "chunk", &ones);
    const struct am_pick *const coarse = am_fact_only(d, "chunk", &largest);
    struct am_fact fact;

    if (!fine || !coarse)
        return;
    fact = am_fact_of_difference(1, fine, coarse, d->arena);
    am_fact_scale(&fact, 1 / (iterations - iterations / am_result_number(coarse->result, "chunk")));
    fact.name = "chunk";
    fact.what = "a chunk of a dynamic loop";
    am_fact_label_axes(&fact, fine->result, "runtime,threads");
    am_facts_offer(d->facts, fact);
}

static void derive_chunk(const struct am_deriving *d)
{
    const struct am_selector from = {"omp.sched", USUAL "schedule=dynamic shape?=even", "overhead"};
    const struct am_groups teams = largest_teams(d, &from, "runtime");

    for (size_t i = 0; i < teams.n; i++)
        offer_chunk(d, &teams.items[i].picks);
}

/* ---- wait policy ---- */

/* A region whose threads sleep between regions, over one whose threads spin: of the largest team.
 */
static void derive_wait(const struct am_deriving *d)
{
    static const char where[] = "runtime binding=close construct=parallel threads>1 wait=";
    const struct am_selector asleep = {"omp.sync", am_arena_printf(d->arena, "%spassive", where),
                                       "time"};
    const struct am_selector awake = {"omp.sync", am_arena_printf(d->arena, "%sactive", where),
                                      "time"};
    const struct am_groups teams = largest_teams(d, &asleep, "runtime");
    const struct am_picks active = am_select(d->set, &awake, d->arena);

    for (size_t i = 0; i < teams.n; i++) {
        const struct am_pick *const over = am_fact_only(d, "wait_ratio", &teams.items[i].picks);
        const struct am_picks beside =
            over ? am_picks_beside(&active, over->result, "wait") : (struct am_picks){0};
        const struct am_pick *const under =
            beside.n ? am_fact_only(d, "wait_ratio", &beside) : NULL;
        struct am_fact fact;

        if (!over || !under)
            continue;
        fact = am_fact_of_ratio(over, under, d->arena);
        fact.name = "wait_ratio";
        fact.what = "a region with wait policy passive, over active";
        am_fact_label_axes(&fact, over->result, "runtime,threads");
        am_facts_offer(d->facts, fact);
    }
}

/* ---- arrays ---- */

/* From the smallest array to the largest: what is paid whatever the size falls out. */
static void offer_array_rate(const struct am_deriving *d, const struct am_picks *team)
{
    static const double element_bytes = 8;
    const struct am_picks smallest = am_picks_extreme(team, "elements", true);
    const struct am_picks largest = am_picks_extreme(team, "elements", false);
    const struct am_pick *const small = am_fact_only(d, "array_rate", &smallest);
    const struct am_pick *const large = am_fact_only(d, "array_rate", &largest);
    struct am_fact fact;
    double bytes;

    if (!small || !large)
        return;
    bytes = element_bytes * (am_result_number(large->result, "elements") -
                             am_result_number(small->result, "elements"));
    fact = am_fact_of_difference(1, large, small, d->arena);
    if (!(fact.ci.lo > 0))
        return; /* nothing that grows with the array was seen */
    fact.name = "array_rate";
    fact.what = "bytes of an array per second that a clause moves";
    fact.unit = "B/s";
    fact.value = bytes / fact.value;
    fact.ci = (struct am_interval){bytes / fact.ci.hi, bytes / fact.ci.lo, fact.ci.coverage};
    am_fact_label_axes(&fact, large->result, "runtime,clause,threads");
    am_facts_offer(d->facts, fact);
}

static void derive_array_rate(const struct am_deriving *d)
{
    const struct am_selector from = {"omp.array", USUAL CLAUSES, "beyond_parallel"};
    const struct am_groups teams = largest_teams(d, &from, "runtime,clause");

    for (size_t i = 0; i < teams.n; i++)
        offer_array_rate(d, &teams.items[i].picks);
}

/* ---- the EPCC paper's test for clean runs ---- */

/* Large deviations and many outliers tell of other work on the machine. A launch is clean with a
 * deviation up to this share of its mean, and so many outliers; the paper says "large" and "many".
 */
static const double sigma_limit = 0.1, outlier_limit = 0.05;

/* What the launches of a runtime have shown. No value of ten can be three deviations above their
 * mean: shorter launches have a deviation, but say nothing of outliers. */
enum { OUTLIERS_FROM = 11 };
struct tally {
    double *sigmas; /* relative, one per launch */
    size_t launches;
    size_t long_enough, clean; /* launches that could show outliers; those that are clean */
    size_t values, outliers;   /* of these launches */
};

static void count(struct tally *t, const struct am_launch_values *launch)
{
    const struct am_moments m = am_stats_moments(launch->values, launch->n);
    const double relative = m.sigma / m.mean;

    if (!isfinite(relative))
        return; /* one value has no deviation */
    t->sigmas[t->launches++] = relative;
    if (launch->n < OUTLIERS_FROM)
        return;
    t->long_enough++;
    t->values += launch->n;
    t->outliers += m.outliers;
    t->clean += relative <= sigma_limit && (double)m.outliers <= outlier_limit * (double)launch->n;
}

/* These facts describe launches that nobody disturbed, whatever grade their points have. */
static void offer_run_fact(const struct am_deriving *d, const struct am_picks *picks,
                           struct am_fact fact)
{
    am_fact_label_axes(&fact, picks->items[0].result, "runtime");
    am_facts_offer(d->facts, fact);
}

static struct am_fact share(const char *name, const char *what, size_t part, size_t whole,
                            struct am_arena *arena)
{
    const double value = (double)part / (double)whole;

    return (struct am_fact){.name = name,
                            .what = what,
                            .unit = "",
                            .value = value,
                            .ci = am_stats_share_interval(part, whole, 0.95),
                            .evidence = am_arena_printf(arena, "%zu of %zu", part, whole)};
}

static void offer_runs(const struct am_deriving *d, const struct am_picks *picks)
{
    struct tally t = {0};
    size_t room = 1;

    for (size_t i = 0; i < picks->n; i++)
        room += picks->items[i].metric->series.n;
    t.sigmas = am_arena_array(d->arena, room, sizeof(*t.sigmas));
    for (size_t i = 0; t.sigmas && i < picks->n; i++) {
        const struct am_series *const series = &picks->items[i].metric->series;

        for (size_t k = 0; k < series->n; k++) {
            if (!am_launch_disturbed(&series->launches[k]))
                count(&t, &series->launches[k]);
        }
    }
    if (t.launches < AM_QUIET_LAUNCHES)
        return;
    am_stats_sort(t.sigmas, t.launches);
    offer_run_fact(
        d, picks,
        (struct am_fact){.name = "runs_sigma",
                         .what = "deviation within a launch over its mean",
                         .unit = "",
                         .value = am_stats_median(t.sigmas, t.launches),
                         .ci = am_stats_median_interval(t.sigmas, t.launches, 0.95),
                         .evidence = am_arena_printf(
                             d->arena, "the median of %zu launches of a point", t.launches)});
    if (t.long_enough < AM_QUIET_LAUNCHES)
        return;
    offer_run_fact(d, picks,
                   share("runs_outliers", "times more than three deviations above the mean",
                         t.outliers, t.values, d->arena));
    offer_run_fact(d, picks,
                   share("runs_clean", "launches without large deviation or many outliers", t.clean,
                         t.long_enough, d->arena));
}

static void derive_runs(const struct am_deriving *d)
{
    const struct am_selector all = {"omp.*", "runtime", "time"};
    const struct am_picks picks = am_select(d->set, &all, d->arena);
    const struct am_groups runtimes = am_picks_group(&picks, "runtime");

    for (size_t i = 0; i < runtimes.n; i++)
        offer_runs(d, &runtimes.items[i].picks);
}

/* ---- tables ---- */

/* A task by the way it goes; with rounds of 1024 tasks per thread and the largest team. */
#define TASK_RULE(name_, construct_, metric_, what_)                                               \
    {                                                                                              \
        .name = name_, .what = what_, .labels = "runtime,construct",                               \
        .also = "body,priorities,places", .most = "threads", .from = {                             \
            "omp.task",                                                                            \
            USUAL "tasks=1024 construct=" construct_,                                              \
            metric_                                                                                \
        }                                                                                          \
    }

static const struct am_fact_rule facts[] = {
    {.name = "overhead",
     .what = "overhead of a construct, all threads",
     .from = {"omp.sync", USUAL CONSTRUCTS, "overhead"},
     .labels = "runtime,construct",
     .also = "delay,places",
     .most = "threads"},
    {.name = "break_even",
     .what = "serial time from which a parallel loop is faster",
     .from = {"omp.sync", USUAL "construct=parallel_for threads>1", "overhead"},
     .labels = "runtime",
     .also = "delay,places",
     .most = "threads",
     .factor = break_even_factor},
    {.name = "chunk",
     .what = "what handing out one more chunk costs",
     .labels = "runtime,threads",
     .derive = derive_chunk},
    {.name = "wait_ratio",
     .what = "a region with wait policy passive, over active",
     .labels = "runtime,threads",
     .derive = derive_wait},
    {.name = "start",
     .what = "the first parallel region, or the first task, of a process",
     .from = {"omp.start", USUAL "event", "first"},
     .labels = "runtime,event,threads",
     .also = "places"},
    {.name = "region",
     .what = "a region after a serial gap (us), beyond its work",
     .from = {"omp.region", PLAIN_REGION, "overhead"},
     .labels = "runtime,gap",
     .also = "work,places",
     .most = "threads"},
    {.name = "target",
     .what = "a target region on the host or a device, with an array of so many bytes mapped",
     .from = {"omp.target", USUAL "construct=region,teams,data", "overhead"},
     .labels = "runtime,construct,place,size",
     .also = "places",
     .most = "threads"},
    {.name = "touch",
     .what = "the first write to a page, by one thread or by each of the team to its own",
     .from = {"omp.touch", USUAL "by", "per_page"},
     .labels = "runtime,by",
     .also = "size,places",
     .most = "threads"},
    {.name = "region_tail",
     .what = "time that 99 % of regions after a serial gap (us) keep below",
     .from = {"omp.region", PLAIN_REGION, "p99"},
     .labels = "runtime,gap",
     .also = "work,places",
     .most = "threads"},
    {.name = "growth_base,growth_doubling,growth_step",
     .what = "overhead over the threads of a team: base, per doubling, and beyond a group of CPUs",
     .labels = "runtime,construct,beyond",
     .derive = am_openmp_derive_growth},
    {.name = "chunk_base,chunk_each",
     .what = "overhead of a dynamic loop over its chunks: base, and per chunk of a thread",
     .labels = "runtime,threads",
     .derive = am_openmp_derive_chunks},
    {.name = "size_base,size_each,size_more",
     .what = "overhead of a clause over the elements of its array: base, per element, and more per "
             "element beyond a cache",
     .labels = "runtime,clause,threads,beyond",
     .derive = am_openmp_derive_sizes},
    {.name = "gap_limit",
     .what = "serial time after which a region costs twice as much as at once",
     .labels = "runtime,threads",
     .derive = am_openmp_derive_gaps},
    {.name = "runs_sigma,runs_outliers,runs_clean",
     .what = "spread over the samples, and shares of outliers and of clean runs",
     .labels = "runtime",
     .derive = derive_runs},
    TASK_RULE("task", "task_inline", "overhead",
              "a task that is run on the spot, the queue being full"),
    TASK_RULE("task", "task_deferred", "overhead", "a task that its maker queues and runs"),
    TASK_RULE("task", "task_stolen", "overhead", "a task that is queued and run by another thread"),
    TASK_RULE("task", "depend_chain", "thread_overhead",
              "a task that depends on the one before it"),
    TASK_RULE("task_queued", "parallel_task", "deferred_share",
              "share of 1024 tasks per thread that is queued"),
    {.name = "array_rate",
     .what = "bytes per second at which a clause copies",
     .labels = "runtime,clause,threads",
     .derive = derive_array_rate},
    {0},
};

static const char section[] = "OpenMP";

static const struct am_figure_row figures[] = {
    {
        .name = "omp-sync",
        .section = section,
        .title = "Synchronisation overhead",
        .caption = "Overhead of a construct, T(p) − T(1)/p, against threads; one panel per "
                   "construct, one line per runtime. Below zero: the construct cost less than the "
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
        .caption = "The same overheads beside each other, a bar per runtime; several thread counts "
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
        .caption = "Overhead of a loop's schedule against its chunk. Dashed: static without a "
                   "chunk, to which static tends as chunks grow; dynamic falls with every "
                   "doubling. Overheads below zero have no place on the scale.",
        .bench = "omp.sched",
        .metric = "overhead",
        .kind = AM_FIGURE_LINES,
        .x = "chunk",
        .series = "schedule",
        .panel = "runtime",
        .xscale = AM_SCALE_LOG2,
        .yscale = AM_SCALE_LOG10,
        .where = "chunk>0",
        .level = "schedule=static chunk=0",
    },
    {
        .name = "omp-sched-plain",
        .section = section,
        .title = "Schedules without a chunk",
        .caption = "Overhead of a loop whose schedule states no chunk: what those with chunks are "
                   "held against.",
        .bench = "omp.sched",
        .metric = "overhead",
        .kind = AM_FIGURE_BARS,
        .x = "schedule",
        .series = "runtime",
        .panel = "threads",
        .where = "chunk=0",
    },
    {
        .name = "omp-region",
        .section = section,
        .title = "Regions after a serial gap",
        .caption = "Time of a region beyond its work, against the microseconds of serial work "
                   "before it: once the threads have fallen asleep they must be woken.",
        .bench = "omp.region",
        .metric = "overhead",
        .kind = AM_FIGURE_BARS,
        .x = "gap",
        .series = "runtime",
        .panel = "imbalance",
        .where = "team=fixed crowd=1 spin=auto binding=auto wait=auto",
    },
    {
        .name = "omp-region-tail",
        .section = section,
        .title = "The slowest of a hundred regions",
        .caption = "Time that 99 of 100 regions keep below, against the microseconds of serial "
                   "work before them.",
        .bench = "omp.region",
        .metric = "p99",
        .kind = AM_FIGURE_BARS,
        .x = "gap",
        .series = "runtime",
        .panel = "imbalance",
        .where = "team=fixed crowd=1 spin=auto binding=auto wait=auto",
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
            "Time beyond the same construct without the clause, one panel per clause, one line "
            "per runtime. Where nothing is copied it is nothing, and may fall below zero.",
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

#define CONSTRUCT(title_, construct_, word_)                                                       \
    {                                                                                              \
        .title = title_, .fact = "openmp.overhead", .where = "construct=" construct_,              \
        .least = true, .rank = 70, .place = AM_HEADLINE_WORDS, .row = "OpenMP", .word = word_,     \
        .per = "runtime"                                                                           \
    }
static const struct am_headline headlines[] = {
    CONSTRUCT("OpenMP parallel region, all threads", "parallel", "region"),
    CONSTRUCT("OpenMP barrier, all threads", "barrier", "barrier"),
    {0},
};

const struct am_family am_family_openmp = {
    .name = "openmp",
    .title = "OpenMP",
    .facts = facts,
    .figures = figures,
    .guidelines = am_openmp_guidelines,
    .headlines = headlines,
};
