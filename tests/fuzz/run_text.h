/* SPDX-License-Identifier: MIT */
/* Runs from text, for the fuzz targets of what is made of runs: a line per thing, its first word
 * says which.
 *
 *     m KEY VALUE              a fact of the machine
 *     e KEY VALUE              of its environment
 *     b KEY VALUE              of the build
 *     r BENCH WORKER TEXT      a result; TEXT is "axis=value axis=value"
 *     w READ WRITTEN FLOPS OPS the work of an iteration of the result above
 *     t BATCH STEP READING HZ  how it was timed
 *     v NAME UNIT h|l X X ...  a metric of it: one launch per number
 *     c KEY VALUE              what it was done with
 *     o KEY VALUE              what was noted beside it
 *     q NAME TEXT              attached; ';' ends lines
 *     x KIND REASON            it failed
 *     n NAME                   a node of a merged file
 *     -                        what follows is the next run
 *
 * The store promises that numbers are within the limits of core/bench/sane.h and that keys, axes
 * and metrics stand once: what is otherwise in the text is left out. Whatever else the text says is
 * taken as it is: names, values of axes and units may be anything. seeds_of_run.py writes such
 * texts of real runs. */
#ifndef AM_TESTS_FUZZ_RUN_TEXT_H
#define AM_TESTS_FUZZ_RUN_TEXT_H

#include "base/text.h"
#include "core/bench/sane.h"
#include "evidence/evidence.h"

#include <math.h>
#include <string.h>

enum {
    RT_RUNS = 2,
    RT_RESULTS_MAX = 256,
    RT_METRICS_MAX = 8,
    RT_LAUNCHES_MAX = 12,
    RT_NODES_MAX = 8,
    RT_PAIRS_MAX = 256 /* of one kind: what is written is read by base/json_read.h, within limits */
};

struct rt_text {
    const char *at, *end;
    struct am_arena *arena;
};

/* The next word of the line; "" when there is none. With `rest`, all that is left of the line. */
static inline const char *rt_word(struct rt_text *t, bool rest)
{
    const char *from, *to;

    while (t->at < t->end && *t->at == ' ')
        t->at++;
    from = to = t->at;
    while (to < t->end && *to != '\n' && *to != '\0' && (rest || *to != ' '))
        to++;
    t->at = to;
    return am_arena_strndup(t->arena, from, (size_t)(to - from));
}

static inline void rt_pair(struct rt_text *t, struct am_kvs *out)
{
    const char *const key = rt_word(t, false);

    if (out->n < RT_PAIRS_MAX && !am_kvs_get(out, key))
        am_kvs_add(out, t->arena, key, rt_word(t, true));
}

static inline bool rt_number(struct rt_text *t, double *out)
{
    const char *const word = rt_word(t, false);

    return am_parse_f64(word, strlen(word), out) && am_is_sane(*out);
}

static inline double rt_amount(struct rt_text *t)
{
    double x;

    return rt_number(t, &x) && x >= 0 ? x : 0;
}

/* Numeric axes hold numbers that a result may hold, as the store checks. */
static inline void rt_params(struct rt_text *t, struct am_result *r)
{
    r->params = am_arena_array(t->arena, AM_AXES_MAX, sizeof(*r->params));
    for (const char *p = r->text; *p && r->n_params < AM_AXES_MAX; p += strspn(p, " ")) {
        const size_t len = strcspn(p, " "), name = strcspn(p, "= ");
        const char *const value = p + (name < len ? name + 1 : len);
        const size_t value_len = len - (size_t)(value - p);
        int64_t i;
        double x;
        const bool whole = am_parse_i64(value, value_len, &i);
        const bool number = am_parse_f64(value, value_len, &x) && am_is_sane(x);

        const char *const axis = am_arena_strndup(t->arena, p, name);

        p += len;
        if (am_result_param(r, axis))
            continue;
        r->params[r->n_params++] =
            (struct am_result_param){axis,
                                     whole    ? AM_AXIS_SIZE
                                     : number ? AM_AXIS_REAL
                                              : AM_AXIS_NAME,
                                     am_arena_strndup(t->arena, value, value_len)};
    }
}

static inline struct am_result *rt_result(struct rt_text *t, struct am_result_set *set)
{
    struct am_result *r;

    if (!set->results)
        set->results = am_arena_array(t->arena, RT_RESULTS_MAX, sizeof(*set->results));
    if (set->n == RT_RESULTS_MAX)
        return NULL;
    r = &set->results[set->n++];
    *r = (struct am_result){.point_id = (int64_t)set->n,
                            .bench = rt_word(t, false),
                            .worker = rt_word(t, false),
                            .version = 1,
                            .state = AM_POINT_OK,
                            .stop_reason = AM_STOP_TARGET,
                            .residual = 0};
    r->text = rt_word(t, true);
    rt_params(t, r);
    r->metrics = am_arena_array(t->arena, RT_METRICS_MAX, sizeof(*r->metrics));
    return r;
}

static inline void rt_metric(struct rt_text *t, struct am_result *r)
{
    struct am_result_metric *const m =
        r->n_metrics < RT_METRICS_MAX ? &r->metrics[r->n_metrics] : NULL;
    double *const values = am_arena_array(t->arena, RT_LAUNCHES_MAX, sizeof(*values));
    struct am_launch_values *const launches =
        am_arena_array(t->arena, RT_LAUNCHES_MAX, sizeof(*launches));
    size_t n = 0;

    if (!m)
        return;
    *m = (struct am_result_metric){.name = rt_word(t, false), .unit = rt_word(t, false)};
    m->better = strcmp(rt_word(t, false), "l") == 0 ? AM_LOWER : AM_HIGHER;
    while (n < RT_LAUNCHES_MAX && t->at < t->end && *t->at == ' ') {
        if (!rt_number(t, &values[n]))
            continue;
        launches[n] = (struct am_launch_values){
            .launch_id = (int64_t)n + 1, .round = (unsigned)n, .values = &values[n], .n = 1};
        n++;
    }
    m->series = (struct am_series){launches, n};
    for (size_t i = 0; i < r->n_metrics; i++) {
        if (strcmp(r->metrics[i].name, m->name) == 0)
            return;
    }
    r->n_metrics++;
}

static inline void rt_failure(struct rt_text *t, struct am_result_set *set, struct am_result *r)
{
    const char *const kind = rt_word(t, false);
    const int index = am_name_index(am_failure_kinds, AM_FAILURE_KINDS, kind);

    if (!set->failures)
        set->failures = am_arena_array(t->arena, RT_RESULTS_MAX, sizeof(*set->failures));
    if (set->n_failures == RT_RESULTS_MAX || index <= 0)
        return;
    r->reason = rt_word(t, true);
    r->state = index == AM_FAILURE_SKIP ? AM_POINT_SKIP : AM_POINT_FAIL;
    r->failures += r->state == AM_POINT_FAIL;
    set->failures[set->n_failures++] = (struct am_failure){.bench = r->bench,
                                                           .text = r->text,
                                                           .reason = r->reason,
                                                           .kind = (enum am_failure_kind)index};
}

static inline void rt_attach(struct rt_text *t, struct am_result *r)
{
    const char *const name = rt_word(t, false);
    char *const text = (char *)rt_word(t, true);

    if (!r->attachments)
        r->attachments = am_arena_array(t->arena, 1, sizeof(*r->attachments));
    for (char *p = text; *p; p++)
        *p = *p == ';' ? '\n' : *p;
    r->attachments[0] = (struct am_attachment){name, "text/x-tracks", text, strlen(text)};
    r->n_attachments = 1;
}

static inline void rt_node(struct rt_text *t, struct am_result_set *set)
{
    if (!set->nodes.items)
        set->nodes.items = am_arena_array(t->arena, RT_NODES_MAX, sizeof(*set->nodes.items));
    if (set->nodes.n < RT_NODES_MAX)
        set->nodes.items[set->nodes.n++] = (struct am_node){.name = rt_word(t, true)};
}

/* A line that belongs to a result. */
static inline void rt_of_result(struct rt_text *t, char what, struct am_result_set *set,
                                struct am_result *r)
{
    switch (what) {
    case 'w':
        r->work.bytes_read = rt_amount(t);
        r->work.bytes_written = rt_amount(t);
        r->work.flops = rt_amount(t);
        r->work.ops = rt_amount(t);
        break;
    case 't':
        r->timing.batch_s = rt_amount(t);
        r->timing.step_s = rt_amount(t);
        r->timing.reading_s = rt_amount(t);
        r->timing.hz = rt_amount(t);
        break;
    case 'v': rt_metric(t, r); break;
    case 'c': rt_pair(t, &r->chosen); break;
    case 'o': rt_pair(t, &r->notes); break;
    case 'q': rt_attach(t, r); break;
    case 'x': rt_failure(t, set, r); break;
    default: break;
    }
}

static inline void rt_begin(struct am_result_set *set)
{
    *set = (struct am_result_set){
        .run = {.name = "run.db",
                .command = "archmeter run",
                .version = "0.1.0",
                .started = "2024-02-29T12:00:00Z",
                .ended = "2024-02-29T12:01:00Z",
                .state = AM_RUN_DONE,
                .settings = {.profile = AM_PROFILE_QUICK,
                             .min_launches = 5,
                             .max_launches = 5,
                             .target = 0.02,
                             .launch_limit_s = 60,
                             .sampler = {.samples = 5, .drift_limit = 0.02}}},
        .quiet = {.others = NAN, .steal = NAN, .load_least = NAN, .load_most = NAN}};
}

/* Settled sets; returns how many there are (at least one). */
static inline size_t rt_read(const char *data, size_t size, struct am_arena *arena,
                             struct am_result_set sets[RT_RUNS])
{
    struct rt_text t = {data, data + size, arena};
    struct am_result *r = NULL;
    size_t n = 1;

    rt_begin(&sets[0]);
    for (; t.at < t.end; t.at += t.at < t.end) {
        struct am_result_set *const set = &sets[n - 1];
        const char what = *rt_word(&t, false);

        if (what == '-' && n < RT_RUNS) {
            rt_begin(&sets[n++]);
            r = NULL;
        } else if (what == 'm' || what == 'e' || what == 'b') {
            rt_pair(&t, what == 'm'   ? &set->machine
                        : what == 'e' ? &set->environment
                                      : &set->build);
        } else if (what == 'n') {
            rt_node(&t, set);
        } else if (what == 'r') {
            r = rt_result(&t, set);
        } else if (r) {
            rt_of_result(&t, what, set, r);
        }
        (void)rt_word(&t, true); /* to the end of the line */
    }
    for (size_t i = 0; i < n; i++) {
        sets[i].launches = sets[i].n;
        am_evidence_settle(&sets[i]);
    }
    return n;
}

#endif
