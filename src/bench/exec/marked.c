/* SPDX-License-Identifier: MIT */
/* Regions of a marked program. */
#include "bench/exec/marked.h"

#include "base/arena.h"
#include "base/array.h"
#include "bench/exec/event_codes.h"
#include "core/marks/marks.h"

#include <math.h>
#include <string.h>

enum { NOTE_MAX = 500, COMMAND_MAX = 1024 * 1024, EVENTS_TEXT_MAX = 1024 };

enum { TIME, SELF, CALLS, THREADS, TOTAL, TOTAL_SELF, BALANCE, PER_CALL, FLOP_RATE, BYTE_RATE };

const struct am_metric am_exec_marked_metrics[AM_EXEC_MARKED_METRICS] = {
    [TIME] = {"time", "s", AM_LOWER, AM_RULE_OWN,
              "in the region, of the thread that was in it longest; of the program from start to "
              "end"},
    [SELF] = {"self", "s", AM_LOWER, AM_RULE_OWN, "the same, less the time in inner regions"},
    [CALLS] = {"calls", "", AM_LOWER, AM_RULE_OWN, "that ended, of all threads"},
    [THREADS] = {"threads", "", AM_HIGHER, AM_RULE_OWN, "that were in it"},
    [TOTAL] = {"total", "s", AM_LOWER, AM_RULE_OWN, "time of all threads together"},
    [TOTAL_SELF] = {"total_self", "s", AM_LOWER, AM_RULE_OWN,
                    "the same, less the time in inner regions"},
    [BALANCE] = {"balance", "", AM_HIGHER, AM_RULE_OWN,
                 "mean time of the threads that were in it over that of the longest"},
    [PER_CALL] = {"per_call", "s", AM_LOWER, AM_RULE_OWN, "mean time of a call"},
    [FLOP_RATE] = {"flop_rate", "flop/s", AM_HIGHER, AM_RULE_OWN,
                   "stated operations of all threads per time"},
    [BYTE_RATE] = {"byte_rate", "B/s", AM_HIGHER, AM_RULE_OWN,
                   "stated bytes, read and written, of all threads per time"},
};

struct am_exec_marked {
    struct am_arena *arena; /* of the worker: a launch executes its program once or twice */
    const char *command;    /* words and environment of the latest execution; NULL: none yet */
    enum am_status status;
    struct am_err story; /* of a failure */
    uint64_t elapsed_ns;
    struct am_marks marks;
    size_t n_events;         /* that were counted at marks */
    struct am_err no_events; /* why those that were asked for are not */
};

struct am_exec_marked *am_exec_marked_new(struct am_arena *arena)
{
    struct am_exec_marked *const m = am_arena_alloc(arena, sizeof(*m));

    if (m)
        m->arena = arena;
    return m;
}

/* Words and environment in one text, each ended by a line feed. */
static const char *command_text(const struct am_exec_program *p, struct am_arena *arena)
{
    struct am_text text;
    const char *copy;

    am_text_init(&text, COMMAND_MAX);
    for (size_t i = 0; p->argv[i]; i++)
        am_text_addf(&text, "%s\n", p->argv[i]);
    for (size_t i = 0; i < p->n_env; i++)
        am_text_addf(&text, "%s\n", p->env[i]);
    copy = am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return copy;
}

/* Events are counted at marks where their numbers are known; else the reason is kept. */
static bool add_events(struct am_exec_marked *m, const struct am_ctx *ctx, struct am_strings *env)
{
    const char *variable = NULL;
    struct am_text codes;
    enum am_status s;

    if (ctx->n_events == 0)
        return true;
    am_text_init(&codes, EVENTS_TEXT_MAX);
    s = ctx->n_events > AM_MARKS_EVENTS_MAX
            ? am_fail(&m->no_events, AM_E_LIMIT, "at most %d events are counted at marks",
                      AM_MARKS_EVENTS_MAX)
            : am_event_codes_text(ctx->events, ctx->n_events, &codes, &m->no_events);
    if (s == AM_OK)
        variable =
            am_arena_printf(m->arena, "%s=%s", am_marks_events_variable, am_text_str(&codes));
    am_text_fini(&codes);
    if (s != AM_OK)
        return true;
    m->n_events = ctx->n_events;
    return variable && am_strings_add(env, m->arena, variable);
}

static enum am_status execute(struct am_exec_marked *m, const struct am_exec_program *program,
                              const struct am_ctx *ctx, struct am_exec_end *end, struct am_err *err)
{
    struct am_marks_folder folder = {0};
    struct am_exec_program marked = *program;
    struct am_strings env = {0};
    enum am_status s = am_marks_open(&folder, err);
    bool good = s == AM_OK;

    for (size_t i = 0; good && i < program->n_env; i++)
        good = am_strings_add(&env, m->arena, program->env[i]);
    good = good && am_strings_add(&env, m->arena, folder.environment) && add_events(m, ctx, &env);
    if (s == AM_OK && !good)
        s = am_fail(err, AM_E_NOMEM, "no memory for a command line");
    marked.env = env.items;
    marked.n_env = env.n;
    if (s == AM_OK)
        s = am_exec_program_run(&marked, end, err);
    if (s == AM_OK)
        s = am_marks_collect(&folder, m->arena, &m->marks, err);
    am_marks_close(&folder);
    return s;
}

enum am_status am_exec_marked_run(struct am_exec_marked *m, const struct am_exec_program *program,
                                  const struct am_ctx *ctx, struct am_exec_end *end,
                                  struct am_err *err)
{
    *m = (struct am_exec_marked){.arena = m->arena, .story = {.status = AM_OK}};
    *end = (struct am_exec_end){0};
    m->command = command_text(program, m->arena);
    m->status = m->command ? execute(m, program, ctx, end, &m->story)
                           : am_fail(&m->story, AM_E_NOMEM, "no memory for a command line");
    m->elapsed_ns = end->elapsed_ns;
    if (m->status != AM_OK)
        *err = m->story;
    return m->status;
}

/* Whether the latest execution had this command line. */
static bool has_run(const struct am_exec_marked *m, const struct am_exec_program *program)
{
    struct am_arena arena = {0};
    const char *const text = command_text(program, &arena);
    const bool same = text && m->command && strcmp(text, m->command) == 0;

    am_arena_fini(&arena);
    return same;
}

/* How many threads a region has is known only now: no axis can say it, unless the experiment's own
 * does. */
static void say_threads(const struct am_ctx *ctx, uint64_t threads)
{
    if (threads && am_axis_find(ctx->bench->axes, "threads") < 0)
        am_ctx_chosen(ctx, "threads", "%llu", (unsigned long long)threads);
}

enum am_status am_exec_marked_prepare(struct am_exec_marked *m,
                                      const struct am_exec_program *program, const char *region,
                                      const struct am_ctx *ctx, struct am_work *work,
                                      struct am_err *err)
{
    const struct am_marks_region *found;
    struct am_exec_end end;

    if (strcmp(region, am_marks_program) == 0)
        return AM_OK;
    if (!has_run(m, program)) {
        (void)am_exec_marked_run(m, program, ctx, &end, err);
        am_text_fini(&end.output);
    }
    if (m->status != AM_OK) {
        *err = m->story;
        return m->status;
    }
    found = am_marks_find(&m->marks, region);
    if (!found || !found->calls)
        return am_fail(err, AM_E_ABSENT, "no call of region \"%s\" ended in this execution",
                       region);
    *work = (struct am_work){.ops = (double)found->calls,
                             .flops = found->flops,
                             .bytes_read = found->bytes_read,
                             .bytes_written = found->bytes_written};
    say_threads(ctx, found->threads);
    am_ctx_window(ctx, found->begin_ns, found->end_ns);
    if (found->within && *found->within)
        am_ctx_note(ctx, "within", "%s", found->within);
    return AM_OK;
}

static double or_none(double x)
{
    return x > 0 ? x : NAN;
}

static void region_values(const struct am_marks_region *r, double *v)
{
    v[TIME] = r->time_s;
    v[SELF] = r->self_s;
    v[CALLS] = (double)r->calls;
    v[THREADS] = (double)r->threads;
    v[TOTAL] = r->total_s;
    v[TOTAL_SELF] = r->total_self_s;
    v[BALANCE] = r->time_s > 0 ? r->total_s / (double)r->threads / r->time_s : NAN;
    v[PER_CALL] = r->total_s / (double)r->calls;
    v[FLOP_RATE] = or_none(r->flops / r->time_s);
    v[BYTE_RATE] = or_none((r->bytes_read + r->bytes_written) / r->time_s);
}

void am_exec_marked_values(const struct am_exec_marked *m, const char *region,
                           struct am_batch *batch)
{
    const bool program = strcmp(region, am_marks_program) == 0;
    const struct am_marks_region *const r = program ? NULL : am_marks_find(&m->marks, region);

    for (size_t i = 0; i < AM_EXEC_MARKED_METRICS; i++)
        batch->values[i] = NAN;
    batch->elsewhere = !program;
    if (!program && !r) {
        batch->elapsed_ns = 1; /* a moment that has a length */
        batch->values[TIME] = batch->values[SELF] = batch->values[CALLS] = 0;
        batch->values[TOTAL] = batch->values[TOTAL_SELF] = 0;
        return;
    }
    batch->elapsed_ns = m->elapsed_ns;
    batch->values[TIME] = (double)m->elapsed_ns * 1e-9;
    batch->values[CALLS] = 1;
    if (program && m->marks.threads)
        batch->values[THREADS] = (double)m->marks.threads;
    if (r) {
        region_values(r, batch->values);
        batch->elapsed_ns = (uint64_t)(r->time_s * 1e9);
        batch->counted = m->n_events && r->counted;
        memcpy(batch->counts, r->counts, sizeof(r->counts));
    }
}

void am_exec_marked_note(const struct am_exec_marked *m, const struct am_ctx *ctx)
{
    const struct am_marks *const marks = &m->marks;
    struct am_text text;

    am_text_init(&text, NOTE_MAX);
    am_marks_trouble(marks, &text);
    am_ctx_note(ctx, "marks", "%zu regions, %llu threads, %zu processes, %zu ranks", marks->n,
                (unsigned long long)marks->threads, marks->processes, marks->ranks);
    if (text.len)
        am_ctx_note(ctx, "marks_trouble", "%s", am_text_str(&text));
    if (ctx->n_events && m->n_events == 0)
        am_ctx_note(ctx, "marks_events", "%s", m->no_events.text);
    am_text_fini(&text);
}
