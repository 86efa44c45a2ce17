/* SPDX-License-Identifier: MIT */
/* From counted directives and measured overheads to seconds lost. */
#include "family/omp/cost.h"

#include "bench/omp/count/count.h"
#include "core/spec/commands.h"
#include "core/spec/spec.h"
#include "evidence/select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char programs[] = "exec.", families[][5] = {"gomp", "kmp"};

/* Metrics of regions of a marked program (bench/exec/marked.h), which no worker lists. */
static const char calls_metric[] = "calls", total_metric[] = "total", work_metric[] = "total_self",
                  longest_metric[] = "self";

bool am_omp_cost_is(const struct am_result_set *set)
{
    const char *const kind = am_kvs_get(&set->settings, AM_COMMANDS_KIND);

    return kind && strcmp(kind, AM_OMP_COST_KIND) == 0;
}

/* ---- names ---- */

/* The text up to the next colon; NULL where there is none. */
static const char *part_of(const char **at, struct am_arena *arena)
{
    const char *const colon = strchr(*at, ':');
    const char *const part = colon ? am_arena_strndup(arena, *at, (size_t)(colon - *at)) : NULL;

    *at = colon ? colon + 1 : *at;
    return part;
}

static bool number_of(const char **at, struct am_arena *arena, double *out)
{
    const char *const part = part_of(at, arena);

    return part && am_parse_f64(part, strlen(part), out);
}

bool am_omp_cost_parse(const char *name, struct am_arena *arena, struct am_omp_spent *out)
{
    const char *at = name;

    *out = (struct am_omp_spent){.family = part_of(&at, arena)};
    if (!out->family ||
        (strcmp(out->family, families[0]) != 0 && strcmp(out->family, families[1]) != 0))
        return false;
    out->construct = part_of(&at, arena);
    if (!out->construct || !number_of(&at, arena, &out->threads) ||
        !number_of(&at, arena, &out->gap_us))
        return false;
    out->place = am_arena_strdup(arena, at);
    return out->place != NULL;
}

/* ---- prices by construct ---- */

static struct am_omp_price price_region(const struct am_omp_pricing *p,
                                        const struct am_omp_spent *s)
{
    return s->gap_us < 0 ? am_omp_price_first(p, s->threads)
                         : am_omp_price_region(p, s->threads, s->gap_us, "auto");
}

static struct am_omp_price price_barrier(const struct am_omp_pricing *p,
                                         const struct am_omp_spent *s)
{
    return am_omp_price_sync(p, "barrier", s->threads);
}

static struct am_omp_price price_ordered(const struct am_omp_pricing *p,
                                         const struct am_omp_spent *s)
{
    return am_omp_price_sync(p, "ordered", s->threads);
}

/* The barrier behind a single is counted itself. */
static struct am_omp_price price_single(const struct am_omp_pricing *p,
                                        const struct am_omp_spent *s)
{
    return am_omp_price_less(am_omp_price_sync(p, "single", s->threads),
                             am_omp_price_sync(p, "barrier", s->threads));
}

static struct am_omp_price price_chunk(const struct am_omp_pricing *p, const struct am_omp_spent *s)
{
    return am_omp_price_chunk(p, s->threads);
}

static struct am_omp_price price_task(const struct am_omp_pricing *p, const struct am_omp_spent *s)
{
    return am_omp_price_task(p, s->threads);
}

/* Of which construct one time is a call of any thread, and of which one of every thread. */
static const struct construct {
    const char *word;
    struct am_omp_price (*price)(const struct am_omp_pricing *, const struct am_omp_spent *);
    bool shared; /* all threads of the team do it at the same time */
    const char *why_not;
} constructs[] = {
    {"region", price_region, false, "no region after such a gap was measured"},
    {"nested", NULL, false, "regions inside of regions are not measured"},
    {"barrier", price_barrier, true, "not measured"},
    {"critical", NULL, false, "how long entries wait without counting is not known"},
    {"lock", NULL, false, "how long entries wait without counting is not known"},
    {"ordered", price_ordered, false, "not measured"},
    {"atomic", NULL, false, "not measured"},
    {"single", price_single, true, "not measured"},
    {"chunk", price_chunk, true, "not measured"},
    {"task", price_task, false, "not measured"},
    {"taskwait", NULL, true, "tasks run meanwhile"},
    {"taskgroup", NULL, true, "tasks run meanwhile"},
};

static const struct construct *construct_of(const char *word)
{
    for (size_t i = 0; i < sizeof(constructs) / sizeof(*constructs); i++) {
        if (strcmp(constructs[i].word, word) == 0)
            return &constructs[i];
    }
    return NULL;
}

static void put_price(const struct am_omp_pricing *p, struct am_omp_spent *s)
{
    const struct construct *const c = construct_of(s->construct);

    s->times = c && c->shared && s->threads > 0 ? s->calls / s->threads : s->calls;
    s->each = c && c->price ? c->price(p, s) : (struct am_omp_price){.known = false};
    s->lost = am_omp_price_times(s->each, s->times);
    s->why_not = s->each.known   ? NULL
                 : s->gap_us < 0 ? "the first region makes its team"
                 : c             ? c->why_not
                                 : "unknown";
}

/* ---- reading ---- */

static double median_of(const struct am_result *r, const char *metric)
{
    const struct am_result_metric *const m = am_result_metric(r, metric);

    return m && m->has_summary ? m->summary.median : NAN;
}

static struct am_omp_price time_of(const struct am_result *r)
{
    const struct am_result_metric *const m = am_result_metric(r, AM_SPEC_TIME);

    if (!m || !m->has_summary)
        return (struct am_omp_price){.known = false};
    return (struct am_omp_price){.value = m->summary.median,
                                 .lo = m->summary.ci.lo,
                                 .hi = m->summary.ci.hi,
                                 .known = true,
                                 .grade = m->grading.grade};
}

static bool ends_with(const char *text, const char *ending)
{
    const size_t n = strlen(text), m = strlen(ending);

    return n > m && strcmp(text + n - m, ending) == 0;
}

/* The program as it is, and with what was tried. */
static void read_alone(const struct am_result *r, struct am_omp_cost *out)
{
    static const char axis[] = "env"; /* of an experiment whose runs differ in it */
    const char *const env = am_result_text(r, axis);

    if (env && strncmp(env, AM_OMP_COST_POLICY, strlen(AM_OMP_COST_POLICY)) == 0)
        out->policy = time_of(r);
    else
        out->alone = time_of(r);
}

/* Adds to what is known of regions: their time, what threads did in them, and how many constructs
 * were counted there. */
static void add_region(const struct am_omp_spent *s, const struct am_result *r,
                       struct am_omp_cost *out)
{
    const double work = median_of(r, work_metric);

    if (strcmp(s->construct, "weight") == 0)
        out->mark_s = work / (s->calls * AM_OMPCOUNT_WEIGHED);
    else if (strcmp(s->construct, "region") == 0)
        out->regions_s += time_of(r).value;
    else if (strcmp(s->construct, "body") == 0) {
        out->work_s += work / s->threads;
        out->uneven_s += fmax(0, median_of(r, longest_metric) - work / s->threads);
    } else if (s->threads > 0)
        out->marks += s->calls / s->threads;
    out->tasks |= strncmp(s->construct, "task", 4) == 0;
}

static void read_region(const struct am_result *r, const struct am_omp_pricing *p,
                        struct am_omp_cost *out)
{
    const char *const name = am_result_text(r, AM_SPEC_REGION);
    struct am_omp_spent *const s = &out->items[out->n];

    if (name && strcmp(name, am_marks_program) == 0) {
        out->counted = time_of(r);
        out->program = r->bench + sizeof(programs) - 1;
    }
    if (!name || r->state != AM_POINT_OK || !am_omp_cost_parse(name, p->arena, s))
        return;
    s->calls = median_of(r, calls_metric);
    s->measured_s = median_of(r, total_metric);
    if (strcmp(s->construct, "region") != 0 && s->threads > 0)
        s->measured_s /= s->threads;
    add_region(s, r, out);
    if (strcmp(s->construct, "body") == 0) {
        s->measured_s = median_of(r, work_metric);
        out->bodies[out->n_bodies++] = *s;
        return;
    }
    if (strcmp(s->construct, "met") == 0) {
        out->meetings[out->n_meetings++] = *s;
        return;
    }
    if (!(s->calls > 0) || am_names_hold("leave,weight,nothing", s->construct))
        return;
    put_price(p, s);
    out->n++;
}

static int by_loss(const void *x, const void *y)
{
    const struct am_omp_spent *const a = x, *const b = y;
    const double la = a->lost.known ? a->lost.value : -1, lb = b->lost.known ? b->lost.value : -1;

    if (la < lb || la > lb)
        return la > lb ? -1 : 1;
    return strcmp(a->place, b->place);
}

/* The value of the axis runtime whose overheads were measured, of the program's family. */
static const char *runtime_of(const struct am_result_set *prices, const struct am_result_set *set)
{
    const struct am_result *first = NULL;
    bool kmp = false;

    for (size_t i = 0; i < set->n; i++) {
        const char *const name = am_result_text(&set->results[i], AM_SPEC_REGION);

        kmp |= name && strncmp(name, families[1], 3) == 0;
    }
    for (size_t i = 0; i < prices->n; i++) {
        const struct am_result *const r = &prices->results[i];
        const char *const runtime = am_result_text(r, "runtime");

        if (!runtime || r->state != AM_POINT_OK)
            continue;
        first = first ? first : r;
        if (strcmp(runtime, kmp ? "libomp" : "libgomp") == 0)
            return runtime;
    }
    return first ? am_result_text(first, "runtime") : "libgomp";
}

/* A construct cannot lose more than the whole program takes: then the program's threads meet it
 * otherwise than those of the bench, or counting made them wait. */
static void refuse_impossible(struct am_omp_spent *s, const struct am_omp_price *alone)
{
    if (!s->lost.known || !alone->known || s->lost.lo <= alone->hi)
        return;
    s->each.known = s->lost.known = false;
    s->why_not = "by its overhead more than the program takes: not believed";
}

/* What is not inside of regions takes as long as with counting; what is, takes the rest of the
 * program's time. Where tasks run while threads wait, their work is in no body. */
static void find_beyond(struct am_omp_cost *c)
{
    const double serial = fmax(0, c->counted.value - c->regions_s);
    const double work = fmax(0, c->work_s - c->marks * c->mark_s), known = serial + work;

    if (c->alone.known && c->counted.known && isfinite(known) && !c->tasks)
        c->beyond = am_omp_price_less(
            c->alone,
            (struct am_omp_price){.value = known, .lo = known, .hi = known, .known = true});
}

bool am_omp_cost_of(const struct am_result_set *set, const struct am_result_set *prices,
                    struct am_arena *arena, struct am_omp_cost *out)
{
    const struct am_omp_pricing p = {prices, runtime_of(prices, set), arena};

    *out = (struct am_omp_cost){.program = "", .lost = {.known = true}};
    out->items = am_arena_array(arena, set->n + 1, sizeof(*out->items));
    out->bodies = am_arena_array(arena, set->n + 1, sizeof(*out->bodies));
    out->meetings = am_arena_array(arena, set->n + 1, sizeof(*out->meetings));
    if (!out->items || !out->bodies || !out->meetings)
        return false;
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        if (strncmp(r->bench, programs, sizeof(programs) - 1) != 0)
            continue;
        if (ends_with(r->bench, AM_OMP_COST_ALONE))
            read_alone(r, out);
        else
            read_region(r, &p, out);
    }
    find_beyond(out);
    for (size_t i = 0; i < out->n; i++)
        refuse_impossible(&out->items[i], &out->alone);
    am_omp_cost_share_waiting(&p, out);
    for (size_t i = 0; i < out->n; i++) {
        if (out->items[i].lost.known)
            out->lost = am_omp_price_plus(out->lost, out->items[i].lost);
    }
    qsort(out->items, out->n, sizeof(*out->items), by_loss);
    return am_omp_cost_advise(&p, out);
}
