/* SPDX-License-Identifier: MIT */
/* Curves over the size of a problem, one thread: how often applications go to main memory, what
 * that costs them by the thesis's model (Lien 2012, 7.1.2: every access is a full latency), by one
 * in which transfers go on beside the work, and what it is seen to cost.
 *
 * At each size the fastest point counts, whoever ran its blocks. The latency of memory, the size of
 * the last cache and the length of its lines are facts of the family of memory, where the run has
 * them. */
#include "family/tasks/tasks.h"

#include "base/text.h"
#include "family/plot.h"
#include "fit/task_fit.h"

#include <math.h>
#include <string.h>

static const char *const benches[] = {"app.blackscholes", "app.fft", "app.gemm"};
/* What tells curves of one application apart. */
static const char apart[] = "type,isa,nx,variant";

/* Accesses are lines of main memory. */
struct point {
    const struct am_pick *pick; /* the fastest of this size; its metric is the speed */
    double bytes;               /* that the program reads and writes */
    double ratio; /* R_m, accesses per operation: by counters, or by bytes where the work does not
                   * fit into the last cache */
    struct am_interval ratio_ci; /* of the counter; by bytes the work states it */
    double observed;             /* 1 - speed / P_max */
};

struct curve {
    struct point *points; /* by rising bytes */
    size_t n;
    const struct am_pick *pmax;   /* the fastest of them */
    const struct am_pick *cached; /* the largest whose bytes fit into the last cache; NULL: none */
    bool counted;                 /* R_m by counters */
};

struct curves {
    struct curve *items;
    size_t n;
    const struct am_fact *latency;   /* of main memory; NULL: not measured */
    const struct am_fact *bandwidth; /* of main memory, one thread; NULL: not measured */
    double line;
};

/* ---- making ---- */

/* What of the machine matters here. */
struct caches {
    double bytes; /* of the last; 0 when nobody tells */
    double line;
};

static struct caches find_caches(const struct am_result_set *set, const struct am_facts *facts)
{
    static const double usual_line = 64;
    const struct am_fact *const last =
        am_facts_most(facts, "memory.size", "level=l1d,l2,l3"); /* the last is the largest */
    const double line = am_facts_value(facts, "memory.line", NULL);
    const char *const claimed = am_kvs_get(&set->machine, "l3_bytes");
    struct caches c = {.line = line > 0 ? line : usual_line};

    if (last)
        c.bytes = last->value;
    else if (!claimed || !am_parse_f64(claimed, strlen(claimed), &c.bytes))
        c.bytes = 0;
    return c;
}

static double speed_of(const struct am_pick *pick)
{
    return pick->metric->summary.median;
}

/* Of one size the fastest counts; that counters were there is kept whoever was fastest. */
static void insert(struct curve *c, const struct am_pick *pick, const struct caches *caches)
{
    const struct am_result *const r = pick->result;
    const struct am_result_metric *const counter = am_result_metric(r, "accesses_per_flop:memory");
    struct point p = {.pick = pick, .bytes = r->work.bytes_read + r->work.bytes_written};
    size_t at = 0;

    if (counter)
        p.ratio = counter->summary.median;
    else if (p.bytes > caches->bytes)
        p.ratio = p.bytes / caches->line / r->work.flops;
    p.ratio_ci = counter ? counter->summary.ci : (struct am_interval){.lo = p.ratio, p.ratio, NAN};
    c->counted = c->counted || counter;
    while (at < c->n && c->points[at].bytes < p.bytes)
        at++;
    if (at < c->n && c->points[at].bytes <= p.bytes) {
        if (speed_of(pick) > speed_of(c->points[at].pick))
            c->points[at] = p;
        return;
    }
    memmove(&c->points[at + 1], &c->points[at], (c->n - at) * sizeof(*c->points));
    c->points[at] = p;
    c->n++;
}

/* Curves of two sizes or more. */
static bool make_curve(const struct am_picks *group, const struct caches *caches, struct curve *c)
{
    const struct am_picks all = am_picks_sound(group);

    *c = (struct curve){.points = am_arena_array(group->arena, all.n + 1, sizeof(*c->points)),
                        .pmax = am_picks_best(&all)};
    for (size_t i = 0; c->points && i < all.n; i++) {
        if (all.items[i].result->work.flops > 0)
            insert(c, &all.items[i], caches);
    }
    for (size_t i = 0; i < c->n; i++) {
        c->points[i].observed = 1 - speed_of(c->points[i].pick) / speed_of(c->pmax);
        if (c->points[i].bytes <= caches->bytes)
            c->cached = c->points[i].pick;
    }
    return c->n > 1;
}

static struct curves make_curves(const struct am_result_set *set, const struct am_facts *facts,
                                 struct am_arena *arena)
{
    const struct caches caches = find_caches(set, facts);
    struct curves out = {.items = am_arena_array(arena, set->n + 1, sizeof(struct curve)),
                         .latency = am_facts_only(facts, "memory.latency", "level=memory"),
                         .bandwidth =
                             am_facts_most(facts, "memory.bandwidth", "level=memory threads=1"),
                         .line = caches.line};

    for (size_t b = 0; out.items && b < sizeof(benches) / sizeof(benches[0]); b++) {
        const struct am_selector from = {benches[b], "threads=1 n>=1", "flops"};
        const struct am_picks picks = am_select(set, &from, arena);
        const struct am_groups groups = am_picks_group(&picks, apart);

        for (size_t i = 0; i < groups.n; i++)
            out.n += make_curve(&groups.items[i].picks, &caches, &out.items[out.n]);
    }
    return out;
}

static double predicted_at(const struct curves *all, const struct curve *c, const struct point *p)
{
    return all->latency ? am_memory_overhead(all->latency->value, p->ratio, speed_of(c->pmax))
                        : NAN;
}

static double overlapped_at(const struct curves *all, const struct curve *c, const struct point *p)
{
    return all->bandwidth
               ? am_memory_overlap(all->bandwidth->value, p->ratio * all->line, speed_of(c->pmax))
               : NAN;
}

/* ---- facts: of the largest problem ---- */

static void offer(const struct am_deriving *d, const struct curve *c, struct am_fact fact)
{
    const struct am_result *const r = c->points[c->n - 1].pick->result;

    fact.evidence = am_arena_printf(d->arena,
                                    "%s n=%s, one thread; accesses by %s, against the "
                                    "best n",
                                    r->bench, am_result_text(r, "n"),
                                    c->counted ? "counters" : "bytes beyond the last cache");
    am_fact_label(&fact, d->arena, "app", AM_AXIS_NAME, r->bench + strlen("app."));
    am_fact_label_axes(&fact, r, apart);
    am_facts_offer(d->facts, fact);
}

/* It rises with the latency and with the speed. */
static struct am_fact predict(const struct curves *all, const struct curve *c)
{
    const struct point *const p = &c->points[c->n - 1];
    const struct am_interval speed = c->pmax->metric->summary.ci, latency = all->latency->ci;
    struct am_fact fact = {
        .name = "memory_overhead",
        .what = "share of the time that waits for memory, predicted",
        .unit = "",
        .value = predicted_at(all, c, p),
        .ci = {am_memory_overhead(latency.lo, p->ratio, speed.lo),
               am_memory_overhead(latency.hi, p->ratio, speed.hi), NAN},
        .grading = all->latency->grading,
    };

    am_fact_rest_on(&fact, c->pmax);
    return fact;
}

/* It rises with the speed and falls with the bandwidth. */
static struct am_fact predict_overlapped(const struct curves *all, const struct curve *c)
{
    const struct point *const p = &c->points[c->n - 1];
    const double bytes = p->ratio * all->line;
    const struct am_interval speed = c->pmax->metric->summary.ci, rate = all->bandwidth->ci;
    struct am_fact fact = {
        .name = "memory_overhead_overlap",
        .what = "share of the time that waits for memory, predicted for transfers beside the work",
        .unit = "",
        .value = overlapped_at(all, c, p),
        .ci = {am_memory_overlap(rate.hi, bytes, speed.lo),
               am_memory_overlap(rate.lo, bytes, speed.hi), NAN},
        .grading = all->bandwidth->grading,
    };

    am_fact_rest_on(&fact, c->pmax);
    return fact;
}

/* How far a prediction is off, in parts of the time: as uncertain as what it is held against. */
static void offer_error(const struct am_deriving *d, const struct curve *c, const char *model,
                        const struct am_fact *predicted, const struct am_fact *observed)
{
    struct am_fact fact = *observed;

    fact.name = "memory_overhead_error";
    fact.what = "predicted less observed share of the time that waits for memory";
    fact.value = predicted->value - observed->value;
    fact.ci = (struct am_interval){predicted->value - observed->ci.hi,
                                   predicted->value - observed->ci.lo, observed->ci.coverage};
    am_fact_label(&fact, d->arena, "model", AM_AXIS_NAME, model);
    offer(d, c, fact);
}

static struct am_fact observe(const struct curve *c, struct am_arena *arena)
{
    struct am_fact fact = am_fact_of_ratio(c->points[c->n - 1].pick, c->pmax, arena);

    fact.name = "memory_overhead_observed";
    fact.what = "share of the best speed that is missing";
    fact.value = 1 - fact.value;
    fact.ci = (struct am_interval){1 - fact.ci.hi, 1 - fact.ci.lo, fact.ci.coverage};
    return fact;
}

/* What an access seems to cost: the time that is lost against work in the last cache, over the
 * accesses. More than a latency is no waiting for main memory, whatever model one has of it. */
static void offer_wait(const struct am_deriving *d, const struct curve *c)
{
    const struct point *const p = &c->points[c->n - 1];
    const struct am_interval slow = p->pick->metric->summary.ci;
    const struct am_interval fast = c->cached->metric->summary.ci;
    struct am_fact fact = {
        .name = "memory_wait",
        .what = "time lost per access of main memory, against work in the last cache; beyond the "
                "latency of memory it is something else that is lost",
        .unit = "s",
        .value = (1 / speed_of(p->pick) - 1 / speed_of(c->cached)) / p->ratio,
        .ci = {(1 / slow.hi - 1 / fast.lo) / p->ratio, (1 / slow.lo - 1 / fast.hi) / p->ratio,
               slow.coverage},
    };

    am_fact_rest_on(&fact, p->pick);
    offer(d, c, fact);
}

/* Both models, what was seen, and how far each is off. */
static void offer_models(const struct am_deriving *d, const struct curves *all,
                         const struct curve *c)
{
    const struct am_fact observed = observe(c, d->arena);

    offer(d, c, observed);
    if (c->cached)
        offer_wait(d, c);
    if (all->latency) {
        const struct am_fact thesis = predict(all, c);

        offer(d, c, thesis);
        offer_error(d, c, "latency", &thesis, &observed);
    }
    if (all->bandwidth) {
        const struct am_fact overlap = predict_overlapped(all, c);

        offer(d, c, overlap);
        offer_error(d, c, "overlap", &overlap, &observed);
    }
}

void am_tasks_derive_memory(const struct am_deriving *d)
{
    const struct curves curves = make_curves(d->set, d->facts, d->arena);

    for (size_t i = 0; i < curves.n; i++) {
        const struct curve *const c = &curves.items[i];
        const struct point *const p = &c->points[c->n - 1];
        struct am_fact rm = {.name = "rm",
                             .what = c->counted
                                         ? "lines of main memory per operation (thesis 7.1.2)"
                                         : "lines of main memory per operation, if each byte of "
                                           "the program goes there once (thesis 7.1.2)",
                             .unit = "1/flop",
                             .value = p->ratio,
                             .ci = p->ratio_ci};

        am_fact_rest_on(&rm, p->pick);
        offer(d, c, rm);
        if (!(p->ratio > 0))
            continue; /* whatever slows it down is not memory */
        offer_models(d, &curves, c);
    }
}

/* ---- the figure ---- */

/* Whether any of them goes to memory at all. */
static bool reaches_memory(const struct curves *curves)
{
    for (size_t i = 0; i < curves->n; i++) {
        const struct curve *const c = &curves->items[i];

        if (c->points[c->n - 1].ratio > 0)
            return true;
    }
    return false;
}

/* "app.fft f32 avx2, by bytes": the values that there are. */
static const char *name_of(const struct curve *c, struct am_arena *arena)
{
    static const char *const axes[] = {"type", "isa", "nx", "variant"};
    const char *name = c->pmax->result->bench;

    for (size_t i = 0; name && i < sizeof(axes) / sizeof(axes[0]); i++) {
        const char *const value = am_result_text(c->pmax->result, axes[i]);

        if (value)
            name = am_arena_printf(arena, "%s %s", name, value);
    }
    return name ? am_arena_printf(arena, "%s%s", name, c->counted ? "" : ", by bytes") : NULL;
}

enum line { RATIO, OBSERVED, PREDICTED, OVERLAPPED };

static void add_line(struct am_plot *plot, struct am_arena *arena, const struct curves *curves,
                     size_t which, enum line line)
{
    const struct curve *const c = &curves->items[which];
    const char *const name = name_of(c, arena);
    static const char *const said[] = {
        [PREDICTED] = "by latency", [OVERLAPPED] = "by bandwidth, overlapped"};
    const bool predicted = line >= PREDICTED;
    struct am_plot_mark *const marks = am_arena_array(arena, c->n, sizeof(*marks));

    for (size_t i = 0; marks && i < c->n; i++) {
        const struct point *const p = &c->points[i];
        const double values[] = {p->ratio, p->observed, predicted_at(curves, c, p),
                                 overlapped_at(curves, c, p)};

        marks[i] = (struct am_plot_mark){.x = p->bytes, .y = values[line]};
    }
    am_plot_add(plot, arena,
                &(struct am_plot_series){
                    .label = predicted
                                 ? am_arena_printf(arena, "%s: predicted %s", name, said[line])
                                 : name,
                    .marks = marks,
                    .n = c->n,
                    .color = (unsigned)which,
                    .dashed = predicted,
                    .bare = predicted});
}

bool am_tasks_plot_memory(const struct am_figure_source *source, struct am_plots *out)
{
    static const struct am_plot_axis bytes = {
        .title = "read and written", .unit = "B", .binary = true, .scale = AM_SCALE_LOG2};
    const struct am_plot ratio = {.title = "accesses of main memory per operation",
                                  .x = bytes,
                                  .y = {.title = "accesses", .unit = ""}};
    const struct am_plot share = {
        .title = "share of the time", .x = bytes, .y = {.title = "overhead", .unit = ""}};
    const struct curves curves = make_curves(source->set, source->facts, source->arena);
    size_t first = out->n;

    if (!reaches_memory(&curves) || !am_plots_add(out, &ratio) || !am_plots_add(out, &share))
        return false;
    for (size_t i = 0; i < curves.n; i++) {
        add_line(&out->items[first], source->arena, &curves, i, RATIO);
        add_line(&out->items[first + 1], source->arena, &curves, i, OBSERVED);
        if (curves.latency)
            add_line(&out->items[first + 1], source->arena, &curves, i, PREDICTED);
        if (curves.bandwidth)
            add_line(&out->items[first + 1], source->arena, &curves, i, OVERLAPPED);
    }
    return true;
}
