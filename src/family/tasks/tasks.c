/* SPDX-License-Identifier: MIT */
/* Tasks and the applications that are cut into them (task.overhead, task.graph, task.tree,
 * app.blackscholes, app.fft, app.gemm, app.hetero): what an executor costs a block, the models of
 * the thesis (Lien 2012), and the figures of its chapters 6 and 7.
 *
 * Costs of blocks without work are facts of threads that are bound close to each other and wait as
 * their runtime likes, with one thread and with the largest team. The models are in tasks_sizes.c
 * and tasks_memory.c. */
#include "family/families.h"
#include "family/tasks/tasks.h"

#include <stdio.h>

/* ---- task.overhead ---- */

/* A loop or a chain of so many blocks, with one thread or (`team`) the largest team. */
struct load {
    const char *shape, *tasks;
    bool team;
};

/* What one load shows, or one less another: the time per block. */
static const struct cost {
    const char *name, *what;
    struct load of, less; /* less.shape NULL: nothing is taken off */
    bool by_threads;      /* `of` counts once for each thread of its team */
} costs[] = {
    {"create", "creating and running a task, one thread", {"loop", "1024", false}, {0}, false},
    {"schedule", "creating and running a task, all threads", {"loop", "1024", true}, {0}, false},
    {"wait", "waiting for one task", {"loop", "1", false}, {"loop", "1024", false}, false},
    {"wait", "waiting for one task", {"loop", "1", true}, {"loop", "1024", true}, false},
    {"depend",
     "a dependency, one thread",
     {"chain", "1024", false},
     {"loop", "1024", false},
     false},
    {"depend",
     "a dependency on a task that another thread may run",
     {"chain", "1024", true},
     {"loop", "1024", true},
     false},
    {"sharing",
     "what a task costs more, in time of all threads, when several share them",
     {"loop", "1024", true},
     {"loop", "1024", false},
     true},
};

/* The results of one executor. */
struct executor {
    const struct am_deriving *d;
    struct am_picks picks;
    double team; /* the most threads */
    const char *labels;
};

static const struct am_pick *find(const struct executor *e, const char *name,
                                  const struct load *load)
{
    enum { WHERE_MAX = 96 };
    char where[WHERE_MAX];
    struct am_picks picks;

    (void)snprintf(where, sizeof(where), "shape=%s tasks=%s threads=%.0f", load->shape, load->tasks,
                   load->team ? e->team : 1);
    picks = am_picks_where(&e->picks, where);
    return am_fact_only(e->d, name, &picks);
}

static void offer_cost(const struct executor *e, const struct cost *cost)
{
    const struct am_pick *const of =
        cost->of.team && !(e->team > 1) ? NULL : find(e, cost->name, &cost->of);
    const struct am_pick *const less =
        of && cost->less.shape ? find(e, cost->name, &cost->less) : NULL;
    struct am_fact fact;

    if (!of || (cost->less.shape && !less))
        return;
    fact = less ? am_fact_of_difference(cost->by_threads ? e->team : 1, of, less, e->d->arena)
                : am_fact_of(of, e->d->arena);
    fact.name = cost->name;
    fact.what = cost->what;
    am_fact_label_axes(&fact, of->result, e->labels);
    am_facts_offer(e->d->facts, fact);
}

static void derive_costs(const struct am_deriving *d)
{
    const struct am_selector from = {"task.overhead", "executor runtime binding=close wait=default",
                                     "time_per_task"};
    const struct am_picks picks = am_select(d->set, &from, d->arena);
    const char *const labels = am_labels_also(&picks, "executor,runtime,threads", "places");
    const struct am_groups groups =
        am_picks_group(&picks, am_labels_also(&picks, "executor,runtime", "places"));

    for (size_t i = 0; i < groups.n; i++) {
        const struct am_picks largest = am_picks_extreme(&groups.items[i].picks, "threads", false);
        const struct executor e = {
            .d = d,
            .picks = groups.items[i].picks,
            .team = largest.n ? am_result_number(largest.items[0].result, "threads") : 1,
            .labels = labels,
        };

        for (size_t k = 0; k < sizeof(costs) / sizeof(costs[0]); k++)
            offer_cost(&e, &costs[k]);
    }
}

/* ---- tables ---- */

static const struct am_fact_rule facts[] = {
    {.name = "pmax,t,best_size,best_size_regret,fit_residual,fit_create,fit_sched,metg50",
     .what = "the models of task size, fitted to app.blackscholes",
     .labels = "executor,runtime,isa,type,nx,variant,n,wait,threads",
     .derive = am_tasks_derive_sizes},
    {.name = "create,schedule,sharing,depend,wait",
     .what = "what one task costs",
     .labels = "executor,runtime,threads",
     .derive = derive_costs},
    {.name = "graph_metg50",
     .what = "the shortest task that pays, by pattern of Task Bench",
     .labels = "executor,runtime,pattern,width,rows,wait,threads",
     .derive = am_tasks_derive_graphs},
    {.name = "app_metg50",
     .what = "the shortest task that pays, by application",
     .labels = "app,executor,runtime,isa,type,nx,variant,n,wait,threads",
     .derive = am_tasks_derive_applications},
    {.name =
         "rm,memory_overhead,memory_overhead_overlap,memory_overhead_observed,memory_overhead_error,"
         "memory_wait",
     .what = "memory accesses per operation, and what they cost",
     .labels = "app,type,isa,nx,variant",
     .derive = am_tasks_derive_memory},
    {0},
};

#define BLACKSCHOLES "app.blackscholes"
static const char tasks[] = "Tasks", applications[] = "Applications";

/* A figure over threads or over sizes: at each place the fastest of all points measured there.
 * Power and energy are those of the same point, so that figures of one place speak of one
 * configuration.
 */
#define FASTEST(name_, title_, bench_, metric_, x_, scale_, series_, panel_)                       \
    {                                                                                              \
        .name = name_, .section = tasks, .title = title_,                                          \
        .caption =                                                                                 \
            "At each place the fastest of all points measured there, whatever the policy, the "    \
            "size of tasks or the way of waiting; more points were tried at some places than at "  \
            "others.",                                                                             \
        .bench = bench_, .metric = metric_, .kind = AM_FIGURE_LINES, .best = true, .by = "flops",  \
        .x = x_, .xscale = scale_, .series = series_, .panel = panel_                              \
    }
#define BY_THREADS "threads", AM_SCALE_LINEAR
#define BY_N "n", AM_SCALE_LOG2
#define BY_TASK_SIZE "task_size", AM_SCALE_LOG2
/* Names that stand for two arguments are spelled out first. */
#define FIGURE(...) FASTEST(__VA_ARGS__)

static const struct am_figure_row figures[] = {
    {
        .name = "blackscholes-executors",
        .section = applications,
        .title = "Black-Scholes under several executors",
        .caption = "Options per second by who runs the blocks; a panel per number of threads, a "
                   "bar per runtime.",
        .bench = BLACKSCHOLES,
        .metric = "options_per_s",
        .kind = AM_FIGURE_BARS,
        .x = "executor",
        .series = "runtime",
        .panel = "threads",
    },
    {
        .name = "task-overhead",
        .section = applications,
        .title = "Time of an empty block",
        .caption = "What an executor costs a block, by the shape of the dependencies; a panel per "
                   "number of threads.",
        .bench = "task.overhead",
        .kind = AM_FIGURE_BARS,
        .x = "executor",
        .series = "shape",
        .panel = "threads",
    },
    {
        .name = "task-graphs",
        .section = applications,
        .title = "Graphs of tasks by the work of a task",
        .caption =
            "Speed of the work inside tasks by who runs them; where a line falls to half of the "
            "best is METG(50 %) of Task Bench. A panel per pattern and number of threads.",
        .bench = "task.graph",
        .metric = "flops",
        .kind = AM_FIGURE_LINES,
        .x = "steps",
        .xscale = AM_SCALE_LOG2,
        .series = "executor,runtime",
        .panel = "pattern,threads",
    },
    {
        .name = "task-trees",
        .section = applications,
        .title = "Time of a task that waits for its children",
        .caption = "Trees by who runs their nodes; a panel per tree and number of threads.",
        .bench = "task.tree",
        .kind = AM_FIGURE_BARS,
        .x = "executor",
        .series = "cutoff",
        .panel = "shape,threads",
    },
    {
        .name = "hetero-devices",
        .section = tasks,
        .title = "CPUs and an OpenCL device together",
        .caption = "Options per second by who may price a block; a panel per policy of StarPU.",
        .bench = "app.hetero",
        .metric = "options_per_s",
        .kind = AM_FIGURE_BARS,
        .x = "devices",
        .series = "task_size",
        .panel = "policy",
    },
    {
        .name = "task-model",
        .section = tasks,
        .title = "Speed over the size of tasks, predicted and observed",
        .caption = "Marks are measured. Dashed: the thesis's model, its t from the scalar code "
                   "(Figures 7.1 and 7.2). Lines: two terms, one for the thread that creates and "
                   "one for those that run.",
        .make = am_tasks_plot_sizes,
    },
    {
        .name = "memory-model",
        .section = tasks,
        .title = "Main memory in the time of applications",
        .caption =
            "Accesses per operation on one thread, and the share of the time that they "
            "cost: dashed by the thesis's model (a latency each) and by bandwidth with transfers "
            "beside the work, marked as observed against the best size (Figure 7.3).",
        .make = am_tasks_plot_memory,
    },
    FIGURE("blackscholes-task-sizes", "Black-Scholes by the size of tasks", BLACKSCHOLES, "flops",
           BY_TASK_SIZE, "executor", "n"),
    FIGURE("blackscholes-threads", "Black-Scholes by threads", BLACKSCHOLES, "flops", BY_THREADS,
           "isa", "n"),
    FIGURE("blackscholes-sizes", "Black-Scholes by the number of options", BLACKSCHOLES, "flops",
           BY_N, "isa", "threads"),
    FIGURE("blackscholes-power", "Black-Scholes: power by threads", BLACKSCHOLES,
           "power:", BY_THREADS, "isa", "n"),
    FIGURE("blackscholes-energy", "Black-Scholes: energy by threads", BLACKSCHOLES,
           "energy:", BY_THREADS, "isa", "n"),
    FIGURE("blackscholes-per-watt", "Black-Scholes: operations per joule", BLACKSCHOLES,
           "flops_per_watt:", BY_N, "isa", "threads"),
    FIGURE("blackscholes-edp", "Black-Scholes: energy times delay", BLACKSCHOLES,
           "edp:", BY_THREADS, "isa", "n"),
    FIGURE("fft-threads", "Fourier transforms by threads", "app.fft", "flops", BY_THREADS, "isa",
           "n"),
    FIGURE("fft-sizes", "Fourier transforms by their size", "app.fft", "flops", BY_N, "isa",
           "threads"),
    FIGURE("fft-power", "Fourier transforms: power by threads", "app.fft", "power:", BY_THREADS,
           "isa", "n"),
    FIGURE("fft-energy", "Fourier transforms: energy by threads", "app.fft", "energy:", BY_THREADS,
           "isa", "n"),
    FIGURE("fft-edp", "Fourier transforms: energy times delay", "app.fft", "edp:", BY_THREADS,
           "isa", "n"),
    FIGURE("gemm-sizes", "Products of matrices by their size", "app.gemm", "flops", BY_N, "variant",
           "threads"),
    FIGURE("gemm-power", "Products of matrices: power by size", "app.gemm", "power:", BY_N,
           "variant", "threads"),
    FIGURE("gemm-per-watt", "Products of matrices: operations per joule", "app.gemm",
           "flops_per_watt:", BY_N, "variant", "threads"),
    FIGURE("gemm-edp", "Products of matrices: energy times delay", "app.gemm", "edp:", BY_N,
           "variant", "threads"),
    {.name = NULL},
};

/* A product by our own kernels executes what it states: libraries choose their instructions. */
static const struct am_bound_row bounds[] = {
    {.bench = "app.gemm", .where = "variant=own", .executed = "flops"},
    {.bench = NULL},
};

const struct am_family am_family_tasks = {
    .name = "tasks",
    .title = "Tasks",
    .facts = facts,
    .figures = figures,
    .bounds = bounds,
};
