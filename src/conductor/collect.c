/* SPDX-License-Identifier: MIT */
/* From a worker's lines to a launch record. */
#include "conductor/collect.h"

#include "base/array.h"
#include "base/utf8.h"
#include "conductor/judge.h"
#include "core/protocol/protocol.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Of a visit: notes, values chosen and proposed; and attachments. */
enum { LIBRARIES_MAX = 1024, NOTES_MAX = 32, ATTACHMENTS_MAX = 8, STREAM_PER_BYTE = 3 };

/* Bytes of all attachments of a launch: they are in memory until it is stored. */
enum { ATTACHED_MAX = 128 * 1024 * 1024 };

enum am_status am_collect_init(struct am_collect *c, struct am_arena *arena, const char *worker,
                               const struct am_point *const *points, size_t n_points,
                               unsigned samples_max, struct am_err *err)
{
    *c = (struct am_collect){.arena = arena,
                             .points = points,
                             .n_points = n_points,
                             .worker = worker,
                             .samples_max = samples_max};
    c->launch.worker = worker;
    c->launch.visits = am_arena_array(arena, n_points, sizeof(*c->launch.visits));
    if (!c->launch.visits)
        return am_fail(err, AM_E_NOMEM, "no memory for a launch");
    return AM_OK;
}

static struct am_visit *visit_at_hand(struct am_collect *c)
{
    return &c->launch.visits[c->at - 1];
}

static enum am_status on_hello(struct am_collect *c, const struct am_msg *m, struct am_err *err)
{
    enum am_status s;

    if (m->version != AM_PROTOCOL_VERSION)
        return am_fail(err, AM_E_PROTOCOL, "worker speaks protocol %u, not %d", m->version,
                       AM_PROTOCOL_VERSION);
    if (strcmp(m->worker, c->worker) != 0)
        return am_fail(err, AM_E_PROTOCOL, "worker calls itself \"%s\", not \"%s\"", m->worker,
                       c->worker);
    s = am_judge_greeting(&m->clock, m->hz, err);
    if (s != AM_OK)
        return s;
    c->greeted = true;
    c->launch.clock_overhead_ns = m->clock.overhead_ns;
    c->launch.clock_resolution_ns = m->clock.resolution_ns;
    c->launch.hz = m->hz;
    return AM_OK;
}

static enum am_status on_point(struct am_collect *c, const struct am_msg *m, struct am_err *err)
{
    const struct am_bench *bench;
    struct am_visit *v;

    if (c->at == c->n_points || m->point_id != c->points[c->at]->id)
        return am_fail(err, AM_E_PROTOCOL, "point %lld was not asked for here",
                       (long long)m->point_id);
    v = &c->launch.visits[c->at++];
    bench = c->points[c->at - 1]->bench;
    *v = (struct am_visit){.point_id = m->point_id,
                           .n_metrics = am_metric_count(bench->metrics) - bench->metrics_added +
                                        c->n_counts};
    c->open = true;
    c->cap_samples = 0;
    c->attached = 0;
    return AM_OK;
}

static enum am_status on_work(struct am_collect *c, const struct am_msg *m, struct am_err *err)
{
    struct am_visit *v = visit_at_hand(c);
    const enum am_status s = am_judge_work(&m->work, err);

    if (s != AM_OK)
        return s;
    if (v->has_work)
        return am_fail(err, AM_E_PROTOCOL, "work stated twice");
    v->has_work = true;
    v->work = m->work;
    return AM_OK;
}

/* Where the choice was left to the bench: what it says must be a value of the axis. */
static enum am_status check_chosen(const struct am_axis *axis, const struct am_msg *m,
                                   struct am_err *err)
{
    struct am_err why = {0};
    struct am_value chosen;

    if (am_value_parse(axis, m->reason, strlen(m->reason), &chosen, &why) == AM_OK)
        return AM_OK;
    return am_fail(err, AM_E_PROTOCOL, "worker chose what cannot be: %s", why.text);
}

/* An axis that the point fixes is attested: the worker has to have done what it was asked for. */
static enum am_status check_attested(const struct am_point *point, const struct am_msg *m,
                                     struct am_err *err)
{
    const int axis = am_axis_find(point->bench->axes, m->key);
    char asked[AM_VALUE_TEXT_MAX];

    if (axis < 0)
        return AM_OK;
    if (am_axis_is_open(&point->bench->axes[axis], &point->values[axis]))
        return check_chosen(&point->bench->axes[axis], m, err);
    am_value_text(&point->values[axis], asked, sizeof(asked));
    if (strcmp(asked, m->reason) == 0)
        return AM_OK;
    return am_fail(err, AM_E_PROTOCOL, "worker ran with %s=%.100s, asked for was %s", m->key,
                   m->reason, asked);
}

/* Names under which the conductor itself says something of a visit: a worker's word must stand
 * neither in its place nor beside it. */
static bool is_ours(const char *key)
{
    return strcmp(key, AM_SAID_CACHES) == 0 ||
           strncmp(key, AM_SAID_ENERGY, strlen(AM_SAID_ENERGY)) == 0;
}

/* `what` is the message's name: each key is said once by each. */
static enum am_status add_said(struct am_collect *c, struct am_kvs *said, const char *what,
                               const struct am_msg *m, struct am_err *err)
{
    if (is_ours(m->key))
        return am_fail(err, AM_E_PROTOCOL, "%s \"%s\" is not for a worker to say", what, m->key);
    if (am_kvs_get(said, m->key))
        return am_fail(err, AM_E_PROTOCOL, "%s \"%s\" said twice", what, m->key);
    if (said->n == NOTES_MAX)
        return am_fail(err, AM_E_LIMIT, "more than %d messages \"%s\"", NOTES_MAX, what);
    am_kvs_add(said, c->arena, m->key, m->reason);
    return AM_OK;
}

static bool is_axis(const struct am_collect *c, const char *name)
{
    return am_axis_find(c->points[c->at - 1]->bench->axes, name) >= 0;
}

/* Notes are for people only. The value of an axis must come as `chosen`, which code reads. */
static enum am_status on_note(struct am_collect *c, const struct am_msg *m, struct am_err *err)
{
    if (is_axis(c, m->key))
        return am_fail(err, AM_E_PROTOCOL, "note \"%s\" is named like an axis: say \"chosen\"",
                       m->key);
    return add_said(c, &visit_at_hand(c)->notes, "note", m, err);
}

static bool is_device_clock(const char *key, const char *value)
{
    return strcmp(key, AM_CHOSEN_CLOCK) == 0 && strcmp(value, AM_CLOCK_DEVICE) == 0;
}

static enum am_status on_chosen(struct am_collect *c, const struct am_msg *m, struct am_err *err)
{
    const struct am_point *const point = c->points[c->at - 1];
    const enum am_status s = check_attested(point, m, err);

    /* Readers acquit what was said so, and cannot ask the bench any more. */
    if (s == AM_OK && is_device_clock(m->key, m->reason) && point->bench->timed != AM_TIMED_OWN)
        return am_fail(err, AM_E_PROTOCOL, "%s takes no time itself: no device's clock times it",
                       point->bench->name);
    return s == AM_OK ? add_said(c, &visit_at_hand(c)->chosen, "chosen", m, err) : s;
}

/* Inside of the launch, once; before a sample, so that it is of all of them. */
static enum am_status on_window(struct am_collect *c, const struct am_msg *m, struct am_err *err)
{
    struct am_visit *const v = visit_at_hand(c);
    const bool none = m->begin_ns == 0 && m->end_ns == 0;

    if (v->has_window || v->n_samples)
        return am_fail(err, AM_E_PROTOCOL, "a window said twice, or behind a sample");
    if (!none && !c->simulated && (m->begin_ns < c->launch.started_ns || m->end_ns > am_now_ns()))
        return am_fail(err, AM_E_PROTOCOL, "a window at a time that cannot be: %llu..%llu ns",
                       (unsigned long long)m->begin_ns, (unsigned long long)m->end_ns);
    v->has_window = true;
    v->window_begin_ns = m->begin_ns;
    v->window_end_ns = m->end_ns;
    return AM_OK;
}

static enum am_status on_propose(struct am_collect *c, const struct am_msg *m, struct am_err *err)
{
    if (!is_axis(c, m->key))
        return am_fail(err, AM_E_PROTOCOL, "values proposed for \"%s\", which is no axis", m->key);
    return add_said(c, &visit_at_hand(c)->proposed, "propose", m, err);
}

static enum am_status check_attachment(const struct am_collect *c, const struct am_visit *v,
                                       const struct am_msg *m, struct am_err *err)
{
    for (size_t i = 0; i < v->n_attachments; i++) {
        if (strcmp(v->attachments[i].name, m->key) == 0)
            return am_fail(err, AM_E_PROTOCOL, "\"%s\" attached twice", m->key);
    }
    if (v->n_attachments == ATTACHMENTS_MAX)
        return am_fail(err, AM_E_LIMIT, "more than %d attachments", ATTACHMENTS_MAX);
    if (m->length > AM_ATTACHMENT_MAX || c->attached + m->length > AM_ATTACHMENTS_MAX ||
        c->attached_all + m->length > ATTACHED_MAX)
        return am_fail(err, AM_E_LIMIT, "attachment \"%s\" of %llu bytes is too large", m->key,
                       (unsigned long long)m->length);
    return AM_OK;
}

static enum am_status on_attach(struct am_collect *c, const struct am_msg *m, struct am_err *err)
{
    struct am_visit *const v = visit_at_hand(c);
    const enum am_status s = check_attachment(c, v, m, err);
    struct am_attachment a = {.n = (size_t)m->length};

    if (s != AM_OK)
        return s;
    if (!v->attachments)
        v->attachments = am_arena_array(c->arena, ATTACHMENTS_MAX, sizeof(*v->attachments));
    c->data = am_arena_alloc(c->arena, a.n + 1);
    a.name = am_arena_strdup(c->arena, m->key);
    a.type = am_arena_strdup(c->arena, m->type);
    a.data = c->data;
    if (!v->attachments || !a.data || !a.name || !a.type)
        return am_fail(err, AM_E_NOMEM, "no memory for an attachment");
    v->attachments[v->n_attachments++] = a;
    c->data_got = 0;
    c->data_left = a.n;
    c->attached += a.n;
    c->attached_all += a.n;
    c->stream_limit += STREAM_PER_BYTE * a.n;
    return AM_OK;
}

static enum am_status on_data(struct am_collect *c, const struct am_msg *m, struct am_err *err)
{
    if (m->n_data > c->data_left)
        return am_fail(err, AM_E_PROTOCOL, "%zu bytes of an attachment, %zu are missing", m->n_data,
                       c->data_left);
    memcpy(c->data + c->data_got, m->data, m->n_data);
    c->data_got += m->n_data;
    c->data_left -= m->n_data;
    return AM_OK;
}

static enum am_status on_verified(struct am_collect *c, const struct am_msg *m, struct am_err *err)
{
    struct am_visit *v = visit_at_hand(c);
    const enum am_status s = am_judge_residual(m->residual, err);

    if (s != AM_OK)
        return s;
    if (!v->has_residual || m->residual > v->residual)
        v->residual = m->residual;
    v->has_residual = true;
    return AM_OK;
}

/* A sample must lie inside the launch, after the one before it. */
static bool plausible(const struct am_collect *c, const struct am_sample *s)
{
    return s->t0_ns >= c->last_ns &&
           (c->simulated || (s->t0_ns >= c->launch.started_ns && s->t1_ns <= am_now_ns()));
}

static enum am_status judge(const struct am_collect *c, const struct am_visit *v,
                            const struct am_msg *m, struct am_err *err)
{
    const struct am_judge by = {
        .started_ns = c->simulated ? 0 : c->launch.started_ns,
        .cpus = c->cpus,
        .clock = {.overhead_ns = c->launch.clock_overhead_ns,
                  .resolution_ns = c->launch.clock_resolution_ns},
        .drift_limit = c->drift_limit,
    };

    return am_judge_sample(&by, c->points[c->at - 1]->bench, &v->work, &m->sample, m->n_values,
                           err);
}

static bool push_sample(struct am_collect *c, struct am_visit *v, const struct am_sample *s)
{
    struct am_sample *const added =
        AM_ARRAY_ADD(c->arena, v->samples, v->n_samples, c->cap_samples);

    if (added)
        *added = *s;
    return added;
}

static enum am_status on_sample(struct am_collect *c, const struct am_msg *m, struct am_err *err)
{
    struct am_visit *v = visit_at_hand(c);
    enum am_status s;

    if (!v->has_work)
        return am_fail(err, AM_E_PROTOCOL, "a sample before its work was stated");
    if (m->n_values != v->n_metrics)
        return am_fail(err, AM_E_PROTOCOL, "a sample of %zu values for %zu metrics", m->n_values,
                       v->n_metrics);
    if (!plausible(c, &m->sample))
        return am_fail(err, AM_E_PROTOCOL, "a sample at a time that cannot be: %llu..%llu ns",
                       (unsigned long long)m->sample.t0_ns, (unsigned long long)m->sample.t1_ns);
    if (v->n_samples == c->samples_max)
        return am_fail(err, AM_E_LIMIT, "more than the %u samples asked for", c->samples_max);
    s = judge(c, v, m, err);
    if (s != AM_OK)
        return s;
    c->last_ns = m->sample.t1_ns;
    if (!push_sample(c, v, &m->sample))
        return am_fail(err, AM_E_NOMEM, "no memory for samples");
    return AM_OK;
}

static void close_visit(struct am_collect *c, enum am_point_state state, enum am_failure_kind kind,
                        const char *reason)
{
    struct am_visit *v = visit_at_hand(c);

    if (c->data_left) { /* an incomplete attachment is dropped */
        v->n_attachments--;
        c->data_left = 0;
    }
    v->state = state;
    v->kind = kind;
    v->reason = reason ? am_arena_strdup(c->arena, reason) : NULL;
    c->open = false;
    c->ended = c->at;
    c->progress_ns = am_now_ns();
    c->launch.n_visits = c->at;
}

static enum am_status on_skip(struct am_collect *c, const struct am_msg *m, struct am_err *err)
{
    (void)err;
    close_visit(c, AM_POINT_SKIP, AM_FAILURE_SKIP, m->reason);
    return AM_OK;
}

static enum am_status on_fail(struct am_collect *c, const struct am_msg *m, struct am_err *err)
{
    (void)err;
    close_visit(c, AM_POINT_FAIL, AM_FAILURE_REPORTED, m->reason);
    return AM_OK;
}

static enum am_status on_end(struct am_collect *c, const struct am_msg *m, struct am_err *err)
{
    (void)m;
    if (visit_at_hand(c)->n_samples == 0)
        return am_fail(err, AM_E_PROTOCOL, "point ended without a sample");
    close_visit(c, AM_POINT_OK, AM_FAILURE_NONE, NULL);
    return AM_OK;
}

static enum am_status on_library(struct am_collect *c, const struct am_msg *m, struct am_err *err)
{
    const char *const path = am_arena_strdup(c->arena, m->reason);

    if (c->launch.libraries.n == LIBRARIES_MAX)
        return am_fail(err, AM_E_LIMIT, "more than %d libraries", LIBRARIES_MAX);
    if (path)
        am_kvs_add(&c->launch.libraries, c->arena, path, m->key);
    return AM_OK;
}

/* A worker ends early behind a point that failed, where the next is of another bench (mixes). */
static bool may_end(const struct am_collect *c)
{
    return c->ended == c->n_points ||
           (c->ended && c->launch.visits[c->ended - 1].state == AM_POINT_FAIL &&
            c->points[c->ended]->bench != c->points[c->ended - 1]->bench);
}

static enum am_status on_done(struct am_collect *c, const struct am_msg *m, struct am_err *err)
{
    (void)m;
    if (!may_end(c))
        return am_fail(err, AM_E_PROTOCOL, "done after %zu of %zu points", c->ended, c->n_points);
    c->done = true;
    return AM_OK;
}

/* When a message may come: before the greeting, between points, inside one, or amid an attachment.
 */
enum when { WHEN_NEW, WHEN_BETWEEN, WHEN_INSIDE, WHEN_ATTACHING };

static const struct {
    enum when when;
    enum am_status (*take)(struct am_collect *c, const struct am_msg *m, struct am_err *err);
} actions[] = {
    [AM_MSG_HELLO] = {WHEN_NEW, on_hello},          [AM_MSG_POINT] = {WHEN_BETWEEN, on_point},
    [AM_MSG_NOTE] = {WHEN_INSIDE, on_note},         [AM_MSG_WORK] = {WHEN_INSIDE, on_work},
    [AM_MSG_VERIFIED] = {WHEN_INSIDE, on_verified}, [AM_MSG_SAMPLE] = {WHEN_INSIDE, on_sample},
    [AM_MSG_SKIP] = {WHEN_INSIDE, on_skip},         [AM_MSG_FAIL] = {WHEN_INSIDE, on_fail},
    [AM_MSG_END] = {WHEN_INSIDE, on_end},           [AM_MSG_DONE] = {WHEN_BETWEEN, on_done},
    [AM_MSG_CHOSEN] = {WHEN_INSIDE, on_chosen},     [AM_MSG_PROPOSE] = {WHEN_INSIDE, on_propose},
    [AM_MSG_ATTACH] = {WHEN_INSIDE, on_attach},     [AM_MSG_DATA] = {WHEN_ATTACHING, on_data},
    [AM_MSG_LIBRARY] = {WHEN_BETWEEN, on_library},  [AM_MSG_WINDOW] = {WHEN_INSIDE, on_window},
};

static enum when now_is(const struct am_collect *c)
{
    if (!c->greeted)
        return WHEN_NEW;
    if (!c->open)
        return WHEN_BETWEEN;
    return c->data_left ? WHEN_ATTACHING : WHEN_INSIDE;
}

enum am_status am_collect_line(void *self, const char *line, size_t len, struct am_err *err)
{
    struct am_collect *c = self;
    struct am_msg m;
    const enum am_status s = am_msg_parse(line, len, &m, err);

    if (s != AM_OK)
        return s;
    if (c->done || actions[m.kind].when != now_is(c))
        return am_fail(err, AM_E_PROTOCOL, "\"%.*s\" out of place", (int)(len < 40 ? len : 40),
                       line);
    return actions[m.kind].take(c, &m, err);
}

/* Makes it a failure of the point at hand, or of the next point when none is open. The caller knows
 * that one of the two exists. */
static void charge(struct am_collect *c, enum am_failure_kind kind, const char *reason)
{
    if (!c->open) {
        c->launch.visits[c->at] = (struct am_visit){.point_id = c->points[c->at]->id};
        c->at++;
    }
    close_visit(c, AM_POINT_FAIL, kind, reason);
}

/* What was wrong with the end of the process. */
struct trouble {
    enum am_failure_kind kind;
    const char *reason;
};

/* The last line that the process wrote to stderr, for a reason: ": LINE", with nothing in it that
 * could steer a terminal; "" when it wrote nothing. A loader that lacks a symbol and an assertion
 * that fails say there what no exit code can, and what matters at the end: a long line loses its
 * beginning. */
static const char *last_words(const struct am_collect *c, const struct am_process_result *r)
{
    enum { WORDS_MAX = 200 }; /* bytes: a few lines of a table */
    const char *const all = am_text_str(&r->err);
    size_t end = strlen(all), begin, n = 0;
    char words[WORDS_MAX + 1];

    while (end && isspace((unsigned char)all[end - 1]))
        end--;
    for (begin = end; begin && all[begin - 1] != '\n' && end - begin < WORDS_MAX; begin--)
        ;
    for (size_t i = begin, whole; i < end; i += whole ? whole : 1) {
        const size_t plain = am_utf8_plain(all + i);

        whole = am_utf8_length(all + i);
        memcpy(words + n, plain ? all + i : "?", plain ? plain : 1);
        n += plain ? plain : 1;
    }
    words[n] = '\0';
    if (!n)
        return "";
    return am_arena_printf(c->arena, ": %s%s", begin && all[begin - 1] != '\n' ? "..." : "", words);
}

static struct trouble trouble_of(const struct am_collect *c, const struct am_process_result *r,
                                 double limit_s)
{
    switch (r->end) {
    case AM_END_EXIT:
        if (r->code)
            return (struct trouble){AM_FAILURE_EXIT,
                                    am_arena_printf(c->arena, "worker ended with exit code %d%s",
                                                    r->code, last_words(c, r))};
        if (!c->done)
            return (struct trouble){AM_FAILURE_PROTOCOL, "worker ended without saying \"done\""};
        break;
    case AM_END_SIGNAL:
        return (struct trouble){AM_FAILURE_SIGNAL,
                                am_arena_printf(c->arena, "worker was ended by signal %d (%s)%s",
                                                r->code, strsignal(r->code), last_words(c, r))};
    case AM_END_TIMEOUT:
        return (struct trouble){
            AM_FAILURE_TIMEOUT,
            am_arena_printf(c->arena, "no end within %.3g s; worker was killed", limit_s)};
    case AM_END_FLOOD:
        return (struct trouble){AM_FAILURE_FLOOD, "worker said far too much; it was killed"};
    case AM_END_REFUSED:
        return (struct trouble){r->refusal.status == AM_E_LIMIT ? AM_FAILURE_FLOOD
                                                                : AM_FAILURE_PROTOCOL,
                                r->refusal.text};
    case AM_END_INTERRUPTED: break; /* the launch is forgotten, not failed */
    }
    return (struct trouble){0};
}

/* What the worker printed, what it left behind, and what was wrong when no point is charged with
 * that. */
static const char *output_of(const struct am_collect *c, const struct am_process_result *r,
                             const char *late)
{
    const char *const out = am_text_str(&r->out), *const err = am_text_str(&r->err);
    const char *behind = "";

    if (r->left_behind)
        behind =
            am_arena_printf(c->arena, "processes left behind, and killed: %zu\n", r->left_behind);
    if (late)
        return am_arena_printf(c->arena, "%s%s%safter its last point: %s", out, err, behind, late);
    return *out || *err || *behind ? am_arena_printf(c->arena, "%s%s%s", out, err, behind) : NULL;
}

/* Whether trouble behind the last point is that point's: a worker that never said it was done, says
 * more than that, or calls its work a failure by its exit code may have measured badly, too. A
 * crash or a hang behind `done` is one of what ends a process (destructors of a driver). */
static bool is_charged_late(const struct am_collect *c, const struct am_process_result *r)
{
    return c->launch.visits[c->n_points - 1].state == AM_POINT_OK &&
           !(c->done && (r->end == AM_END_SIGNAL || r->end == AM_END_TIMEOUT));
}

static void charge_late(struct am_collect *c, const struct trouble *t)
{
    struct am_visit *const v = &c->launch.visits[c->n_points - 1];

    v->state = AM_POINT_FAIL;
    v->kind = t->kind;
    v->reason = am_arena_printf(c->arena, "after its last point: %s", t->reason);
}

void am_collect_finish(struct am_collect *c, const struct am_process_result *r, double limit_s)
{
    const struct trouble t = trouble_of(c, r, limit_s);
    const bool complete = c->ended == c->n_points;
    const bool late = t.kind && complete, charged = late && is_charged_late(c, r);

    c->launch.pid = (int)r->pid;
    if (!c->simulated) {
        c->launch.started_ns = r->started_ns;
        c->launch.ended_ns = r->ended_ns;
    }
    if (c->launch.ended_ns < c->last_ns)
        c->launch.ended_ns = c->last_ns;
    if (c->launch.ended_ns < c->launch.started_ns)
        c->launch.ended_ns = c->launch.started_ns;
    c->launch.output = output_of(c, r, late && !charged ? t.reason : NULL);
    if (charged)
        charge_late(c, &t);
    if (t.kind && !complete)
        charge(c, t.kind, t.reason);
}

void am_collect_unstarted(struct am_collect *c, const char *reason)
{
    charge(c, AM_FAILURE_SPAWN, reason);
}

static bool is_timed_apart(const struct am_visit *visit)
{
    const char *const clock = am_kvs_get(&visit->chosen, AM_CHOSEN_CLOCK);

    return clock && is_device_clock(AM_CHOSEN_CLOCK, clock);
}

void am_collect_acquit(struct am_collect *c)
{
    size_t measured = 0, apart = 0;

    for (size_t i = 0; i < c->launch.n_visits; i++) {
        struct am_visit *const v = &c->launch.visits[i];

        measured += v->state == AM_POINT_OK;
        if (v->state != AM_POINT_OK || !is_timed_apart(v))
            continue;
        apart++;
        for (size_t k = 0; k < v->n_samples; k++)
            v->samples[k].labels = 0;
    }
    if (apart && apart == measured)
        c->launch.surroundings.labels = 0;
}

uint32_t am_visit_busy(const struct am_launch *launch, size_t visit)
{
    return is_timed_apart(&launch->visits[visit]) ? 0 : launch->surroundings.labels;
}
