/* SPDX-License-Identifier: MIT */
/* OpenMP and task runtimes of a simulated machine: omp.*, task.*. */
#include "sim/hierarchy.h"

#include <math.h>
#include <string.h>

/* What the constructs of a team cost, in nanoseconds. */
struct team_costs {
    double threads, hz;
    double fork, barrier, lock, atomic, chunk, task, steal;
    double handoff; /* of a contended line from one thread to the next, mean over the team */
};

/* A team that waits asleep is woken through the kernel. */
static const double asleep_ns = 2500;

static struct team_costs costs_of(const struct am_sim_question *q, struct am_sim_answer *a)
{
    const struct am_sim_machine *const m = am_sim_machine_of(q);
    const struct am_sim_openmp *const o = &m->openmp;
    const size_t threads = (size_t)am_sim_int(q, "threads", 1);
    const char *const runtime = am_sim_name(q, "runtime", "libgomp");
    const double scale = strncmp(runtime, "libomp", 6) == 0 ? o->libomp : 1;
    const double doublings = log2((double)threads);
    const double woken = am_sim_is(q, "wait", "passive") && threads > 1 ? asleep_ns : 0;
    struct team_costs c = {.threads = (double)threads};
    struct am_sim_team team;

    am_sim_team_first(q, threads, &team);
    c.hz = a->hz = am_sim_ghz(team.cpus[0], NULL, &team) * 1e9;
    for (size_t i = 1; i < team.n; i++) {
        const double ns[] = {m->coherence.sibling_ns, m->coherence.cluster_ns,
                             m->coherence.package_ns, m->coherence.far_ns};

        c.handoff += ns[am_sim_relate(q->launch->layout, team.cpus[i - 1], team.cpus[i])];
    }
    c.handoff = team.n > 1 ? c.handoff / (double)(team.n - 1) : 0;
    c.fork = scale * (o->fork_ns + o->fork_log_ns * doublings) + woken;
    c.barrier = scale * (o->barrier_ns + o->barrier_log_ns * doublings) + woken;
    c.lock = scale * o->lock_ns;
    c.atomic = o->atomic_ns;
    c.chunk = scale * o->chunk_ns;
    c.task = scale * o->task_ns;
    c.steal = scale * o->steal_ns;
    if (am_axis_find(q->point->bench->axes, "runtime") >= 0)
        am_sim_choose(a, "runtime", "%s", runtime);
    return c;
}

/* Tells the overhead of a directive beside a reference of `reference` ns. */
static void tell(const struct am_sim_question *q, struct am_sim_answer *a,
                 const struct team_costs *c, double overhead, double reference)
{
    a->work.ops = 1;
    a->seconds = (overhead + reference) * 1e-9;
    am_sim_own(q, a, "overhead", overhead * 1e-9);
    am_sim_own(q, a, "overhead_cycles", overhead * 1e-9 * c->hz);
    am_sim_own(q, a, "time", a->seconds);
    am_sim_own(q, a, "reference", reference * 1e-9);
}

/* Overhead of a construct as a sum of these parts. */
static const struct construct {
    const char *name;
    double forks, barriers, locks, atomics, handoffs, per_thread_atomics;
} constructs[] = {
    {"parallel_for", 1, 0.1, 0, 0, 0, 0},
    {"parallel", 1, 0, 0, 0, 0, 0},
    {"for", 0, 1.05, 0, 0, 0, 0},
    {"for_simd", 0, 1.05, 0, 0, 0, 0},
    {"allocate", 0, 0, 1, 0, 0, 0},
    {"barrier*", 0, 1, 0, 0, 0, 0},
    {"single", 0, 1, 1, 0, 0, 0},
    {"master_barrier", 0, 1.02, 0, 0, 0, 0},
    {"masked_barrier", 0, 1.02, 0, 0, 0, 0},
    {"scope_reduction", 0, 1.1, 0, 0, 0, 1},
    {"loop", 0, 1.05, 0, 0, 0, 0},
    {"scan", 1, 1.1, 0, 0, 0, 0},
    {"cancel", 1, 0.1, 0, 0, 0, 0},
    {"cancellation_point", 0, 0, 0, 0.2, 0, 0},
    {"flush", 0, 0, 0, 1, 0, 0},
    {"nest_lock*", 0, 0, 2, 0, 0, 0},
    {"sections", 0, 0.3, 1, 0, 0.5, 0},
    {"reduction_array", 1, 0.1, 0, 0, 0, 16},
    {"reduction*", 1, 0.1, 0, 0, 0, 1},
    {"critical*", 0, 0, 1, 0, 2, 0},
    {"lock", 0, 0, 1, 0, 1, 0},
    {"lock_contended*", 0, 0, 1, 0, 2, 0},
    {"lock_uncontended*", 0, 0, 1, 0, 0, 0},
    {"ordered", 0, 0, 1, 0, 1.5, 0},
    {"doacross", 0, 0, 0, 1, 1, 0},
    {"atomic_read", 0, 0, 0, 0.2, 0, 0},
    {"atomic_write", 0, 0, 0, 0.5, 0.5, 0},
    {"atomic_*", 0, 0, 0, 1, 1, 0},
    {"*", 0.5, 0.5, 0, 0, 0, 0},
};

static double overhead_of(const char *name, const struct team_costs *c)
{
    const struct construct *x = constructs;

    while (!am_glob_match(x->name, name))
        x++; /* the last matches everything */
    return x->forks * c->fork + x->barriers * c->barrier + x->locks * c->lock +
           x->atomics * c->atomic + x->handoffs * c->handoff +
           x->per_thread_atomics * c->threads * c->atomic;
}

static enum am_status answer_sync(const struct am_sim_question *q, struct am_sim_answer *a,
                                  struct am_err *err)
{
    const struct team_costs c = costs_of(q, a);
    const double delay = (double)am_sim_int(q, "delay", 100) / c.hz * 1e9;

    (void)err;
    tell(q, a, &c, overhead_of(am_sim_name(q, "construct", "parallel"), &c), delay);
    return AM_OK;
}

static enum am_status answer_sched(const struct am_sim_question *q, struct am_sim_answer *a,
                                   struct am_err *err)
{
    enum { ITERATIONS = 1024 }; /* per thread */
    const struct team_costs c = costs_of(q, a);
    const char *const schedule = am_sim_name(q, "schedule", "static");
    const double given = (double)am_sim_int(q, "chunk", 0), chunk = given > 0 ? given : 1;
    const double busy = c.chunk + c.handoff * fmin(1, (c.threads - 1) / 4);
    const double body = (double)am_sim_int(q, "body", 100) / c.hz * 1e9;
    double chunks = ITERATIONS / chunk, overhead = c.fork;

    (void)err;
    /* The last block of a ramp has almost twice the mean, the last chunk hardly more than others.
     */
    if (strstr(schedule, "static") && am_sim_is(q, "shape", "ramp"))
        overhead += body * (given > 0 ? 2 * chunk : ITERATIONS) * (1 - 1 / c.threads);
    if (strstr(schedule, "static") || strcmp(schedule, "auto") == 0)
        overhead += given > 0 ? chunks * 2 : 0;
    else if (strstr(schedule, "guided"))
        overhead += fmin(chunks, log2(ITERATIONS * c.threads / chunk) * 2) * busy;
    else if (strncmp(schedule, "taskloop", 8) == 0)
        overhead += chunks * (c.task + c.steal / 2);
    else
        overhead += chunks * busy;
    tell(q, a, &c, overhead, ITERATIONS * body);
    return AM_OK;
}

static enum am_status answer_task(const struct am_sim_question *q, struct am_sim_answer *a,
                                  struct am_err *err)
{
    const struct team_costs c = costs_of(q, a);
    const char *const construct = am_sim_name(q, "construct", "parallel_task");
    const double tasks = fmax(1, (double)am_sim_int(q, "tasks", 1));
    const bool inlined = strstr(construct, "inline") || strstr(construct, "conditional");
    const bool one_maker = strstr(construct, "master") || strstr(construct, "stolen");
    const double stolen = inlined || c.threads < 2 ? 0 : one_maker ? 1 - 1 / c.threads : 0.2;
    const double each = (inlined ? 0.2 : 1) * c.task + stolen * (c.steal + c.handoff);
    const double body = (double)am_sim_int(q, "body", 300) / c.hz * 1e9;

    (void)err;
    tell(q, a, &c, each, body);
    a->work.ops = tasks;
    a->seconds *= tasks;
    if (am_axis_find(q->point->bench->axes, "priorities") >= 0)
        am_sim_choose(a, "priorities", "%s", am_sim_name(q, "priorities", ""));
    am_sim_own(q, a, "thread_overhead", each * 1e-9 * c.threads);
    am_sim_own(q, a, "deferred_share", inlined ? 0 : 100);
    am_sim_own(q, a, "stolen_share", 100 * stolen);
    return AM_OK;
}

/* A clause moves its elements to every thread, or gathers them from each in turn. */
static enum am_status answer_array(const struct am_sim_question *q, struct am_sim_answer *a,
                                   struct am_err *err)
{
    const struct team_costs c = costs_of(q, a);
    const char *const clause = am_sim_name(q, "clause", "private");
    const double bytes = 8 * (double)am_sim_int(q, "elements", 1);
    const double copied = bytes / 8; /* at 8 bytes per ns */
    double beyond = strcmp(clause, "private") == 0       ? 1
                    : strcmp(clause, "reduction") == 0   ? copied * c.threads
                    : strcmp(clause, "copyprivate") == 0 ? copied + c.barrier
                                                         : copied;

    (void)err;
    beyond += c.handoff / 10;
    tell(q, a, &c, c.fork + beyond, 100 / c.hz * 1e9);
    am_sim_own(q, a, "beyond_parallel", beyond * 1e-9);
    am_sim_own(q, a, "beyond_parallel_cycles", beyond * 1e-9 * c.hz);
    am_sim_own(q, a, "plain_overhead", c.fork * 1e-9);
    return AM_OK;
}

/* A team falls asleep after a while without work, and a crowded one waits for its turn on the CPU.
 */
static enum am_status answer_region(const struct am_sim_question *q, struct am_sim_answer *a,
                                    struct am_err *err)
{
    static const double libgomp_spins_us = 1000, libomp_spins_us = 200000, turn_ns = 3e6;
    const struct team_costs c = costs_of(q, a);
    const double gap = (double)am_sim_int(q, "gap", 0), crowd = (double)am_sim_int(q, "crowd", 1);
    const bool libomp = strncmp(am_sim_name(q, "runtime", ""), "libomp", 6) == 0;
    const bool asleep =
        c.threads > 1 && !am_sim_is(q, "wait", "active") && !am_sim_is(q, "spin", "endless") &&
        (am_sim_is(q, "spin", "none") || gap > (libomp ? libomp_spins_us : libgomp_spins_us));
    const double more = (double)am_sim_int(q, "imbalance", 0) / 100;
    const double work = (double)am_sim_int(q, "work", 3000) / c.hz * 1e9;
    const double most = work * crowd * (1 + (c.threads > 1 ? more : 0));
    const double levels = am_sim_is(q, "team", "nested") ? 2 : 1;
    const double overhead = levels * c.fork + (asleep ? asleep_ns : 0) + (crowd > 1 ? turn_ns : 0);

    (void)err;
    tell(q, a, &c, overhead, most);
    a->work.ops = (double)am_sim_int(q, "regions", 100);
    a->seconds *= a->work.ops;
    am_sim_own(q, a, "time", (overhead + most) * 1e-9);
    am_sim_own(q, a, "p99", (1.5 * overhead + most) * 1e-9);
    am_sim_own(q, a, "worst", (3 * overhead + most) * 1e-9);
    am_sim_own(q, a, "lost", (overhead + most - work * crowd) * 1e-9);
    am_sim_own(q, a, "overhead_mean", 1.05 * overhead * 1e-9);
    return AM_OK;
}

static enum am_status answer_workshare(const struct am_sim_question *q, struct am_sim_answer *a,
                                       struct am_err *err)
{
    const struct team_costs c = costs_of(q, a);
    const bool whole = am_sim_is(q, "construct", "parallel_workshare");

    (void)err;
    tell(q, a, &c, whole ? c.fork + 0.2 * c.barrier : 1.2 * c.barrier, 2000);
    return AM_OK;
}

/* On the host nothing is mapped; a device is launched like a team, and 10 bytes per ns travel. */
static enum am_status answer_target(const struct am_sim_question *q, struct am_sim_answer *a,
                                    struct am_err *err)
{
    const struct team_costs c = costs_of(q, a);
    const bool device = am_sim_is(q, "place", "device"), teams = am_sim_is(q, "construct", "teams");

    (void)err;
    tell(q, a, &c,
         (teams ? c.fork : c.lock) +
             (device ? 2 * c.fork + (double)am_sim_int(q, "size", 64) / 10 : 0),
         2);
    return AM_OK;
}

/* A page fault takes half a microsecond, on one thread after the other or side by side. */
static enum am_status answer_touch(const struct am_sim_question *q, struct am_sim_answer *a,
                                   struct am_err *err)
{
    static const double fault_ns = 500, page = 4096, bytes_per_ns = 10;
    const struct team_costs c = costs_of(q, a);
    const double bytes = (double)am_sim_int(q, "size", 1 << 24);
    const double side_by_side = am_sim_is(q, "by", "team") ? c.threads : 1;
    const double touch = bytes / page * fault_ns / side_by_side, use = bytes / bytes_per_ns;

    (void)err;
    a->work.ops = 1;
    a->work.bytes_read = bytes;
    a->seconds = (touch + use) * 1e-9;
    am_sim_own(q, a, "touch", touch * 1e-9);
    am_sim_own(q, a, "per_page", touch * 1e-9 / (bytes / page));
    am_sim_own(q, a, "use", use * 1e-9);
    am_sim_own(q, a, "use_rate", bytes / (use * 1e-9));
    return AM_OK;
}

static enum am_status answer_start(const struct am_sim_question *q, struct am_sim_answer *a,
                                   struct am_err *err)
{
    const struct team_costs c = costs_of(q, a);
    const bool task = am_sim_is(q, "event", "task");
    const double first = am_sim_machine_of(q)->openmp.start_us * 1e3 * c.threads;
    const double second = task ? c.task : c.fork;

    (void)err;
    a->work.ops = 1;
    a->seconds = (first + second) * 1e-9;
    am_sim_own(q, a, "first", (task ? c.task * 20 : first) * 1e-9);
    am_sim_own(q, a, "second", second * 1e-9);
    return AM_OK;
}

/* What a task costs beside its work under the asked executor, in ns: its own cost and, beyond one
 * thread, a part of stealing; what can run side by side is shared by the threads. */
static double task_ns(const struct am_sim_question *q, const struct team_costs *c, double tasks,
                      bool in_turn)
{
    const char *const executor = am_sim_name(q, "executor", "serial");
    const double heavy = strncmp(executor, "starpu", 6) == 0 ? 8 : 1;
    const double each = c->task * heavy + (c->threads > 1 ? 0.2 * c->steal : 0);

    if (strcmp(executor, "serial") == 0)
        return 3;
    if (strcmp(executor, "omp-for") == 0)
        return c->fork / tasks + 2;
    return in_turn ? each : each / fmax(1, 0.5 * c->threads);
}

/* Blocks that do nothing; a chain cannot use a second thread. */
static enum am_status answer_overhead(const struct am_sim_question *q, struct am_sim_answer *a,
                                      struct am_err *err)
{
    const struct team_costs c = costs_of(q, a);
    const double tasks = fmax(1, (double)am_sim_int(q, "tasks", 1));

    (void)err;
    a->work.ops = tasks;
    a->seconds = tasks * task_ns(q, &c, tasks, am_sim_is(q, "shape", "chain")) * 1e-9;
    return AM_OK;
}

/* Tasks with work: a step takes four cycles, whatever the pattern. */
static enum am_status answer_graph(const struct am_sim_question *q, struct am_sim_answer *a,
                                   struct am_err *err)
{
    const struct team_costs c = costs_of(q, a);
    const double tasks =
        fmax(1, (double)am_sim_int(q, "width", 1) * (double)am_sim_int(q, "rows", 1));
    const double steps = (double)am_sim_int(q, "steps", 1);
    const double threads = am_sim_is(q, "executor", "serial") ? 1 : c.threads;

    (void)err;
    a->work.ops = tasks;
    a->work.flops = 2 * tasks * steps;
    a->seconds = tasks * (task_ns(q, &c, tasks, false) * 1e-9 + 4 * steps / (a->hz * threads));
    return AM_OK;
}

/* A tree of so many nodes that do nothing. */
static enum am_status answer_tree(const struct am_sim_question *q, struct am_sim_answer *a,
                                  struct am_err *err)
{
    static const double nodes = 1e4;
    const struct team_costs c = costs_of(q, a);

    (void)err;
    a->work.ops = nodes;
    a->seconds = nodes * task_ns(q, &c, nodes, false) * 1e-9;
    return AM_OK;
}

const struct am_sim_answerer am_sim_omp_answers[] = {
    {"omp.sync", answer_sync},
    {"omp.sched", answer_sched},
    {"omp.task", answer_task},
    {"omp.array", answer_array},
    {"omp.start", answer_start},
    {"omp.workshare", answer_workshare},
    {"omp.region", answer_region},
    {"omp.target", answer_target},
    {"omp.touch", answer_touch},
    {"task.overhead", answer_overhead},
    {"task.graph", answer_graph},
    {"task.tree", answer_tree},
    {NULL, NULL},
};
