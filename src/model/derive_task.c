/* SPDX-License-Identifier: MIT */
/* What tasks cost: from app.blackscholes over sizes of tasks, and from task.overhead. */
#include "model/derive.h"
#include "model/omp_results.h"
#include "model/task_curve.h"

#include <math.h>
#include <string.h>

/* ---- app.blackscholes ---- */

/* "blackscholes.task-dbf.own.f32.avx512.n8192.threads2": what a curve is of, as a part of an id. */
static const char *id_of(struct am_facts *facts, const struct am_task_curve *c)
{
    const struct am_result *const r = c->results[0];
    const char *const wait = am_result_text(r, "wait"), *const variant =
                                                            am_result_text(r, "variant");
    char *const executor = am_arena_strdup(facts->arena, am_result_text(r, "executor"));
    const bool usual = wait && strcmp(wait, "default") == 0;
    const bool own = variant && strcmp(variant, "own") == 0;

    if (!executor)
        return NULL;
    for (char *colon = strchr(executor, ':'); colon; colon = strchr(colon, ':'))
        *colon = '-';
    return am_arena_printf(facts->arena, "blackscholes.%s.%s.%s.%s.%s%s%s%s%s.n%s.threads%s",
                           executor, am_result_text(r, "runtime"), am_result_text(r, "type"),
                           am_result_text(r, "nx"), am_result_text(r, "isa"), own ? "" : ".",
                           own ? "" : variant, usual ? "" : ".", usual ? "" : wait,
                           am_result_text(r, "n"), am_result_text(r, "threads"));
}

/* A curve on its way to facts. */
struct curve_facts {
    struct am_facts *facts;
    const struct am_task_curve *curve;
    const char *id, *evidence;
};

static void offer(const struct curve_facts *f, const char *name, const char *what, const char *unit,
                  double value, double lo, double hi)
{
    am_facts_offer(f->facts, (struct am_fact){
                                 .id = am_arena_printf(f->facts->arena, "%s.%s", f->id, name),
                                 .what = what,
                                 .unit = unit,
                                 .value = value,
                                 .ci = {lo, hi, NAN},
                                 .evidence = f->evidence,
                             });
}

static void add_simple(const struct curve_facts *f)
{
    const struct am_task_simple *const m = &f->curve->simple;
    struct am_summary last;

    if (!(m->t > 0) || !am_result_summary(f->curve->results[f->curve->n - 1], "time", &last))
        return; /* the run does not show that tasks cost anything */
    offer(f, "pmax", "speed without the cost of tasks (thesis 7.1.1)", "flop/s",
          f->curve->flops / m->compute, f->curve->flops / (m->compute * last.ci.hi / last.median),
          f->curve->flops / (m->compute * last.ci.lo / last.median));
    offer(f, "t", "cost of a task, median and range over the sizes (thesis 7.1.1)", "s", m->t,
          m->t_least, m->t_most);
}

static void add_best_size(const struct curve_facts *f)
{
    const struct am_task_curve *const c = f->curve;
    const size_t predicted = am_task_curve_predicted(c), fastest = am_task_curve_fastest(c);
    struct am_summary p, q;
    struct am_fact regret = {.id = am_arena_printf(f->facts->arena, "%s.best_size.regret", f->id),
                             .what = "time of that size over that of the fastest measured",
                             .unit = "",
                             .evidence = f->evidence};

    offer(f, "best_size",
          "options of a task that the fit says is the fastest; from there to the fastest measured",
          "", c->points[predicted].size, fmin(c->points[predicted].size, c->points[fastest].size),
          fmax(c->points[predicted].size, c->points[fastest].size));
    if (!am_result_summary(c->results[predicted], "time", &p) ||
        !am_result_summary(c->results[fastest], "time", &q))
        return;
    am_fact_set_ratio(&regret, &p, &q);
    am_facts_offer(f->facts, regret);
}

/* A fit that is off by more than a quarter explains nothing: only that is said. */
static void add_fit(const struct curve_facts *f)
{
    static const double useful = 0.25;
    const struct am_task_curve *const c = f->curve;
    struct am_task_fit least, most;

    offer(f, "residual", "relative error of the two-term fit: root mean square, and the greatest",
          "", c->fit.rms, 0, c->fit.worst);
    if (c->fit.rms > useful || !am_task_fit_range(c->points, c->n, c->threads, &least, &most))
        return;
    if (c->fit.limited)
        offer(f, "create", "cost of a task to the thread that creates all; range without one size",
              "s", c->fit.create, least.create, most.create);
    offer(f, "sched", "cost of a task to the thread that runs it; range without one size", "s",
          c->fit.sched, least.sched, most.sched);
    add_best_size(f);
}

static void add_metg(const struct curve_facts *f)
{
    const struct am_task_curve *const c = f->curve;
    const struct am_task_metg metg = am_task_metg(c->points, c->n, c->threads, 0.5);

    offer(f, "metg50", "shortest task, in time of all threads, that runs at half the best speed",
          "s", metg.value, metg.lo, metg.hi);
}

static void add_curve(struct am_facts *facts, const struct am_task_curve *c)
{
    const struct curve_facts f = {
        .facts = facts,
        .curve = c,
        .id = id_of(facts, c),
        .evidence = am_arena_printf(facts->arena, "app.blackscholes, task_size %s to %s: %zu sizes",
                                    am_result_text(c->results[0], "task_size"),
                                    am_result_text(c->results[c->n - 1], "task_size"), c->n)};

    if (!f.id || !f.evidence)
        return;
    if (c->has_simple)
        add_simple(&f);
    if (c->has_fit)
        add_fit(&f);
    add_metg(&f);
}

/* ---- task.overhead ---- */

static bool is_overhead(const struct am_result *r)
{
    return am_omp_result_usual(r, "task.overhead") && am_result_text(r, "executor");
}

/* The time of a task measured as r but with this shape, these tasks and threads. */
static bool time_of(const struct am_result_set *set, const struct am_result *r, const char *shape,
                    const char *tasks, const char *threads, struct am_summary *out)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const o = &set->results[i];

        if (is_overhead(o) && am_omp_result_same(o, r, "executor") &&
            am_omp_result_same(o, r, "runtime") && am_omp_result_is(o, "shape", shape) &&
            am_omp_result_is(o, "tasks", tasks) && am_omp_result_is(o, "threads", threads) &&
            am_result_summary(o, "time_per_task", out))
            return true;
    }
    return false;
}

/* What differences of two points show, of one executor: `times` a - `less` b. */
struct difference {
    const char *name, *what, *how;
    const char *shape_a, *tasks_a, *shape_b, *tasks_b;
    bool team_a, team_b; /* with the largest team instead of one thread */
    bool by_threads;     /* a counts once for each thread of its team */
};

static const struct difference differences[] = {
    {"wait", "waiting for one task, one thread", "a round of 1 less a task of 1024", "loop", "1",
     "loop", "1024", false, false, false},
    {"wait.team", "waiting for one task, all threads", "a round of 1 less a task of 1024", "loop",
     "1", "loop", "1024", true, true, false},
    {"depend", "a dependency, one thread", "chain less loop", "chain", "1024", "loop", "1024",
     false, false, false},
    {"depend.team", "a dependency on a task that another thread may run", "chain less loop",
     "chain", "1024", "loop", "1024", true, true, false},
    {"steal", "what a task costs more, in time of all threads, when several share them",
     "threads x team less one thread", "loop", "1024", "loop", "1024", true, false, true},
};

/* The most threads that loops of this executor were run with; NULL: one. */
static const char *team_of(const struct am_result_set *set, const struct am_result *r)
{
    const struct am_result *best = NULL;

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const o = &set->results[i];
        struct am_summary s;

        if (is_overhead(o) && am_omp_result_same(o, r, "executor") &&
            am_omp_result_same(o, r, "runtime") && am_result_summary(o, "time_per_task", &s) &&
            am_result_number(o, "threads") > (best ? am_result_number(best, "threads") : 1))
            best = o;
    }
    return best ? am_result_text(best, "threads") : NULL;
}

struct overhead_facts {
    const struct am_result_set *set;
    struct am_facts *facts;
    const struct am_result *r;
    const char *executor, *team;
};

static void offer_overhead(const struct overhead_facts *f, const char *name, const char *what,
                           const char *how, double value, struct am_interval ci)
{
    am_facts_offer(f->facts,
                   (struct am_fact){
                       .id = am_arena_printf(f->facts->arena, "task.%s.%s.%s", f->executor,
                                             am_result_text(f->r, "runtime"), name),
                       .what = what,
                       .unit = "s",
                       .value = value,
                       .ci = ci,
                       .evidence = am_arena_printf(f->facts->arena, "task.overhead: %s", how),
                   });
}

static void add_difference(const struct overhead_facts *f, const struct difference *d)
{
    struct am_summary a, b;
    const double times = d->by_threads && f->team ? am_result_number(f->r, "threads") : 1;

    if ((d->team_a || d->team_b) && !f->team)
        return;
    if (!time_of(f->set, f->r, d->shape_a, d->tasks_a, d->team_a ? f->team : "1", &a) ||
        !time_of(f->set, f->r, d->shape_b, d->tasks_b, d->team_b ? f->team : "1", &b))
        return;
    offer_overhead(f, d->name, d->what, d->how, times * a.median - b.median,
                   (struct am_interval){times * a.ci.lo - b.ci.hi, times * a.ci.hi - b.ci.lo,
                                        fmax(a.ci.coverage + b.ci.coverage - 1, 0)});
}

/* Creating and running one, less the call itself where `serial` was measured too. */
static void add_create(const struct overhead_facts *f)
{
    struct am_summary one, all;

    if (time_of(f->set, f->r, "loop", "1024", "1", &one))
        offer_overhead(f, "create", "creating and running a task, one thread",
                       "a loop of 1024, one thread", one.median, one.ci);
    if (f->team && time_of(f->set, f->r, "loop", "1024", f->team, &all))
        offer_overhead(f, "schedule", "creating and running a task, all threads",
                       "a loop of 1024, the largest team", all.median, all.ci);
}

/* Every executor once, by its result with the largest team. */
static void add_overheads(const struct am_result_set *set, struct am_facts *facts,
                          const struct am_result *r)
{
    struct overhead_facts f = {.set = set, .facts = facts, .r = r, .team = team_of(set, r)};
    char *const executor = am_arena_strdup(facts->arena, am_result_text(r, "executor"));

    if (!executor || (f.team && !am_omp_result_is(r, "threads", f.team)))
        return;
    for (char *colon = strchr(executor, ':'); colon; colon = strchr(colon, ':'))
        *colon = '-';
    f.executor = executor;
    add_create(&f);
    for (size_t i = 0; i < sizeof(differences) / sizeof(differences[0]); i++)
        add_difference(&f, &differences[i]);
}

void am_derive_task(const struct am_result_set *set, struct am_facts *facts)
{
    struct am_task_curves curves;

    am_task_curves_make(set, facts->arena, &curves);
    for (size_t i = 0; i < curves.n; i++)
        add_curve(facts, &curves.items[i]);
    for (size_t i = 0; i < set->n; i++) {
        if (is_overhead(&set->results[i]))
            add_overheads(set, facts, &set->results[i]);
    }
}
