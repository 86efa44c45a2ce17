/* SPDX-License-Identifier: MIT */
/* The hooks of all benches of the user's own: they call the file's functions, and what these call
 * back (archmeter_count(), archmeter_alloc(), ...) is answered here. A call that cannot be answered
 * (no such axis, no memory) leaves the function it was made in by longjmp(), so that files need no
 * checks; its reason becomes that of the point. */
#include "bench/own/own.h"

#include "base/array.h"
#include "base/text.h"
#include "core/measure/team.h"

#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64, PAGE_BYTES = 4096, LARGE_BYTES = 4 << 20 };

struct state {
    struct archmeter_point point; /* first: a pointer to it is one to the state */
    const struct am_own *own;
    const struct archmeter_bench *functions;
    const struct am_bench *bench;
    const struct am_ctx *ctx;
    const struct am_value *values; /* indexed as axes; none is open */
    struct am_arena arena;         /* for texts that functions ask for */
    struct am_team *team;          /* NULL: one thread */
    void **blocks;                 /* of archmeter_alloc() */
    size_t n_blocks, cap_blocks;
    uint64_t allocated_bytes;
    enum am_status said; /* by refuse(), fail() or a call that was not answered */
    struct am_err story;
    struct am_batch *batch; /* of the run_timed() at hand; NULL outside of it */
    bool guarded;           /* a call that cannot be answered may leave the function */
    jmp_buf away;
};

static struct state *state_of(struct archmeter_point *point)
{
    return (struct state *)point;
}

/* ---- what functions call ---- */

static void leave(struct state *s)
{
    if (s->guarded)
        longjmp(s->away, 1);
}

/* What was said first stays. */
static void tell(struct state *s, enum am_status status, const char *reason)
{
    if (s->said == AM_OK)
        s->said = am_fail(&s->story, status, "%s", reason && *reason ? reason : "without a reason");
}

static const struct am_value *find_value(struct state *s, const char *name)
{
    const struct am_axis *const axes = s->bench->axes;
    const int i = name ? am_axis_find(axes, name) : -1;
    const char *names[AM_AXES_MAX];
    const char *near;

    if (i >= 0)
        return &s->values[i];
    for (size_t k = 0; axes[k].name; k++)
        names[k] = axes[k].name;
    near = name ? am_nearest(name, names, am_axis_count(axes)) : NULL;
    if (s->said == AM_OK)
        s->said = am_fail(&s->story, AM_E_WRONG,
                          "the bench asks for an axis \"%s\", and has none%s%s%s", name ? name : "",
                          near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    leave(s);
    return NULL;
}

static const struct am_value *find_number(struct state *s, const char *name)
{
    const struct am_value *const v = find_value(s, name);

    if (!v || v->kind != AM_AXIS_NAME)
        return v;
    tell(s, AM_E_WRONG, "the bench asks for a number of an axis of names: use archmeter_text()");
    leave(s);
    return NULL;
}

static int64_t call_count(struct archmeter_point *point, const char *axis)
{
    const struct am_value *const v = find_number(state_of(point), axis);

    if (v && v->kind == AM_AXIS_REAL)
        return (int64_t)v->r;
    return v ? v->i : 0;
}

static double call_number(struct archmeter_point *point, const char *axis)
{
    const struct am_value *const v = find_number(state_of(point), axis);

    if (v && v->kind == AM_AXIS_REAL)
        return v->r;
    return v ? (double)v->i : 0;
}

static const char *call_text(struct archmeter_point *point, const char *axis)
{
    struct state *const s = state_of(point);
    const struct am_value *const v = find_value(s, axis);
    char text[AM_VALUE_TEXT_MAX] = "";
    const char *copy;

    if (v)
        am_value_text(v, text, sizeof(text));
    copy = am_arena_strdup(&s->arena, text);
    return copy ? copy : "";
}

/* A refusal is the point's: another size may fit. */
static void *no_room(struct state *s, size_t bytes)
{
    if (s->said == AM_OK)
        s->said = am_fail(&s->story, AM_E_ABSENT,
                          "needs %zu bytes more than the %llu it has, and %llu are all it may have",
                          bytes, (unsigned long long)s->allocated_bytes,
                          (unsigned long long)s->point.memory_limit);
    leave(s);
    return NULL;
}

/* Large memory is on huge pages where the kernel gives them, as that of built-in benches is. */
static void ask_for_huge_pages(void *memory, size_t bytes)
{
    const size_t skip = (PAGE_BYTES - (uintptr_t)memory % PAGE_BYTES) % PAGE_BYTES;

    if (bytes >= LARGE_BYTES)
        (void)madvise((char *)memory + skip, (bytes - skip) / PAGE_BYTES * PAGE_BYTES,
                      MADV_HUGEPAGE);
}

static void *call_alloc(struct archmeter_point *point, size_t bytes)
{
    struct state *const s = state_of(point);
    const size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void *memory;

    if (rounded < bytes || rounded > s->point.memory_limit ||
        s->allocated_bytes > s->point.memory_limit - rounded ||
        !am_array_reserve(NULL, &s->blocks, s->n_blocks, &s->cap_blocks, 1, sizeof(*s->blocks)))
        return no_room(s, bytes);
    memory = aligned_alloc(ALIGNMENT, rounded ? rounded : ALIGNMENT);
    if (!memory)
        return no_room(s, bytes);
    ask_for_huge_pages(memory, rounded);
    memset(memory, 0, rounded);
    s->blocks[s->n_blocks++] = memory;
    s->allocated_bytes += rounded;
    return memory;
}

static int call_refuse(struct archmeter_point *point, const char *reason)
{
    tell(state_of(point), AM_E_ABSENT, reason);
    return 1;
}

static int call_fail(struct archmeter_point *point, const char *reason)
{
    tell(state_of(point), AM_E_WRONG, reason);
    return 1;
}

static int call_check(struct archmeter_point *point, const char *what, double got, double want,
                      double tolerance)
{
    struct state *const s = state_of(point);
    const double scale = fabs(want) > 0 ? fabs(want) : 1;
    const double off = fabs(got - want) / scale;

    if (!(off <= s->point.residual))
        s->point.residual = off;
    if (off <= tolerance)
        return 0;
    if (s->said == AM_OK)
        s->said =
            am_fail(&s->story, AM_E_WRONG, "%s is %.17g, not %.17g (off by %.3g, allowed %.3g)",
                    what ? what : "the result", got, want, off, tolerance);
    return 1;
}

static void call_parallel(struct archmeter_point *point, archmeter_part *part, void *argument)
{
    const struct state *const s = state_of(point);

    if (s->team)
        am_team_run(s->team, part, argument);
    else
        part(argument, 0, 1);
}

static void call_value(struct archmeter_point *point, const char *name, double value)
{
    struct state *const s = state_of(point);
    const struct am_metric *const metrics = s->bench->metrics;

    for (size_t i = 0; s->batch && name && metrics[i].name; i++) {
        if (metrics[i].rule == AM_RULE_OWN && strcmp(metrics[i].name, name) == 0) {
            s->batch->values[i] = value;
            return;
        }
    }
    tell(s, AM_E_WRONG, "archmeter_value() is for run_timed() and its metrics of the rule own");
    leave(s);
}

/* An axis says its value itself. */
static void call_note(struct archmeter_point *point, const char *key, const char *text)
{
    struct state *const s = state_of(point);

    if (key && am_axis_find(s->bench->axes, key) < 0) {
        am_ctx_note(s->ctx, key, "%s", text ? text : "");
        return;
    }
    if (s->said == AM_OK)
        s->said = am_fail(&s->story, AM_E_WRONG, "archmeter_note(): \"%s\" %s", key ? key : "",
                          key ? "is the name of an axis: take another" : "is no name");
    leave(s);
}

static void call_attach(struct archmeter_point *point, const char *name, const char *type,
                        const void *data, size_t bytes)
{
    am_ctx_attach(state_of(point)->ctx, name, type, data, bytes);
}

static void call_keep(const void *memory)
{
    __asm__ volatile("" : : "g"(memory) : "memory");
}

static const struct archmeter_calls calls = {
    .size = sizeof(calls),
    .interface_version = ARCHMETER_BENCH_VERSION,
    .count = call_count,
    .number = call_number,
    .text = call_text,
    .alloc = call_alloc,
    .refuse = call_refuse,
    .fail = call_fail,
    .check = call_check,
    .parallel = call_parallel,
    .value = call_value,
    .note = call_note,
    .attach = call_attach,
    .keep = call_keep,
};

/* ---- calling functions ---- */

typedef int point_fn(struct archmeter_point *point);

/* What the function said, or what it returned. */
static enum am_status outcome(const struct state *s, const char *name, int code, struct am_err *err)
{
    if (s->said != AM_OK)
        return am_fail(err, s->said, "%s", s->story.text);
    return code ? am_fail(err, AM_E_WRONG, "%s() returned %d", name, code) : AM_OK;
}

/* A call of it that cannot be answered ends it. */
static enum am_status call(struct state *s, const char *name, point_fn *function,
                           struct am_err *err)
{
    volatile int code = 0;

    s->guarded = true;
    if (setjmp(s->away) == 0)
        code = function(&s->point);
    s->guarded = false;
    return outcome(s, name, code, err);
}

/* ---- preparing ---- */

/* The values without what is left open; what that was settled to is told. */
static const struct am_value *settle(struct state *s, const struct am_value *values)
{
    const struct am_axis *const axes = s->bench->axes;
    const size_t n = am_axis_count(axes);
    struct am_value *const settled = am_arena_array(&s->arena, n + 1, sizeof(*settled));

    for (size_t i = 0; settled && i < n; i++) {
        char text[AM_VALUE_TEXT_MAX];

        settled[i] = values[i];
        if (!am_axis_is_open(&axes[i], &values[i]))
            continue;
        settled[i] = s->own->open[i];
        am_value_text(&settled[i], text, sizeof(text));
        am_ctx_chosen(s->ctx, axes[i].name, "%s", text);
    }
    return settled;
}

/* The functions of the point's instruction set. */
static enum am_status choose_variant(struct state *s, const struct am_value *values,
                                     struct am_err *err)
{
    const struct am_own_variants *const all = &s->own->variants;
    const char *const isa = s->own->isa_axis >= 0 ? values[s->own->isa_axis].name : NULL;

    for (size_t i = 0; i < all->n; i++) {
        if (isa && strcmp(all->items[i].isa, isa) != 0)
            continue;
        s->functions = all->items[i].bench;
        s->point.isa = all->items[i].isa;
    }
    return s->functions ? AM_OK
                        : am_fail(err, AM_E_ABSENT, "%s cannot be used here", isa ? isa : "it");
}

static size_t threads_of(const struct am_bench *bench, const struct am_value *values)
{
    const int axis = am_axis_find(bench->axes, "threads");

    return axis >= 0 && values[axis].i > 0 ? (size_t)values[axis].i : 1;
}

static enum am_status make_point(struct state *s, const struct am_value *values, struct am_err *err)
{
    const struct am_ctx *const ctx = s->ctx;
    enum am_status status;

    s->point = (struct archmeter_point){.size = sizeof(s->point),
                                        .interface_version = ARCHMETER_BENCH_VERSION,
                                        .cpus = ctx->cpus,
                                        .cpu_count = ctx->cpu_count,
                                        .threads = threads_of(s->bench, values),
                                        .seed = ctx->seed,
                                        .memory_limit = ctx->memory_limit_bytes,
                                        .calls = &calls};
    status = choose_variant(s, values, err);
    if (status != AM_OK)
        return status;
    s->values = settle(s, values);
    if (s->functions->state_size)
        s->point.state = am_arena_alloc(&s->arena, s->functions->state_size);
    if (!s->values || (s->functions->state_size && !s->point.state))
        return am_fail(err, AM_E_NOMEM, "no memory for the state of %s", s->bench->name);
    return s->point.threads > 1
               ? am_team_new(s->point.threads, ctx->cpus, ctx->cpu_count, &s->team, err)
               : AM_OK;
}

/* ---- the stated work ---- */

static enum am_status check_finite(const struct archmeter_point *p, struct am_err *err)
{
    const struct {
        const char *name;
        double value;
    } stated[] = {{"flops", p->flops},
                  {"bytes_read", p->bytes_read},
                  {"bytes_written", p->bytes_written},
                  {"ops", p->ops},
                  {"flops_per_cycle_max", p->flops_per_cycle_max},
                  {"bytes_per_cycle_max", p->bytes_per_cycle_max}};

    for (size_t i = 0; i < sizeof(stated) / sizeof(*stated); i++) {
        if (!isfinite(stated[i].value) || stated[i].value < 0)
            return am_fail(err, AM_E_WRONG, "prepare() states %g %s", stated[i].value,
                           stated[i].name);
    }
    return AM_OK;
}

/* A metric of work that nobody stated would be 0, or no number at all. */
static enum am_status check_stated(const struct state *s, struct am_err *err)
{
    const struct archmeter_point *const p = &s->point;
    const struct {
        enum am_rule rule;
        double amount;
        const char *field;
    } needs[] = {{AM_RULE_FLOP_RATE, p->flops, "flops"},
                 {AM_RULE_FLOPS_PER_CYCLE, p->flops, "flops"},
                 {AM_RULE_BYTE_RATE, p->bytes_read + p->bytes_written, "bytes_read"},
                 {AM_RULE_BYTES_PER_CYCLE, p->bytes_read + p->bytes_written, "bytes_read"},
                 {AM_RULE_OP_RATE, p->ops, "ops"},
                 {AM_RULE_TIME_PER_OP, p->ops, "ops"},
                 {AM_RULE_CYCLES_PER_OP, p->ops, "ops"}};

    for (const struct am_metric *m = s->bench->metrics; m->name; m++) {
        for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++) {
            if (needs[i].rule == m->rule && !(needs[i].amount > 0))
                return am_fail(err, AM_E_WRONG,
                               "the metric %s needs the work of an iteration: prepare() must set "
                               "point->%s",
                               m->name, needs[i].field);
        }
    }
    return AM_OK;
}

/* Where no axis says how many CPUs the launch is bound to: what it reaches is judged by that. */
static void say_threads(const struct state *s)
{
    if (am_axis_find(s->bench->axes, "threads") < 0)
        am_ctx_chosen(s->ctx, "threads", "%zu",
                      s->bench->cpus == AM_CPUS_ALL ? s->ctx->cpu_count : (size_t)1);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct state *const s = state;
    enum am_status status;

    s->ctx = ctx;
    s->bench = ctx->bench;
    s->own = ctx->bench->data;
    status = make_point(s, point, err);
    if (status == AM_OK)
        say_threads(s);
    if (status == AM_OK && !s->functions->verify)
        am_ctx_note(ctx, "verified", "no: the file has no verify()");
    if (status == AM_OK && s->functions->prepare)
        status = call(s, "prepare", s->functions->prepare, err);
    if (status == AM_OK)
        status = check_finite(&s->point, err);
    if (status == AM_OK)
        status = check_stated(s, err);
    *work = (struct am_work){.bytes_read = s->point.bytes_read,
                             .bytes_written = s->point.bytes_written,
                             .flops = s->point.flops,
                             .ops = s->point.ops,
                             .flops_per_cycle_max = s->point.flops_per_cycle_max,
                             .bytes_per_cycle_max = s->point.bytes_per_cycle_max};
    return status;
}

/* ---- the other hooks ---- */

static void run(void *state, uint64_t iters)
{
    struct state *const s = state;

    s->functions->run(&s->point, iters);
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct state *const s = state;
    volatile int code = 0;

    s->batch = batch;
    s->point.elapsed_ns = 0;
    s->guarded = true;
    if (setjmp(s->away) == 0)
        code = s->functions->run_timed(&s->point, iters);
    s->guarded = false;
    s->batch = NULL;
    batch->elapsed_ns = s->point.elapsed_ns;
    if (code == 0 && s->said == AM_OK && batch->elapsed_ns == 0)
        return am_fail(err, AM_E_WRONG, "run_timed() left no time in point->elapsed_ns");
    return outcome(s, "run_timed", code, err);
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct state *const s = state;
    enum am_status status;

    s->point.residual = 0;
    status = call(s, "verify", s->functions->verify, err);
    *residual = s->point.residual;
    /* A skip at this place would hide what is wrong. */
    return status == AM_E_ABSENT ? AM_E_WRONG : status;
}

static void finish(void *state)
{
    struct state *const s = state;

    if (s->functions && s->functions->finish)
        s->functions->finish(&s->point);
    for (size_t i = 0; i < s->n_blocks; i++)
        free(s->blocks[i]);
    free((void *)s->blocks);
    am_team_free(s->team);
    am_arena_fini(&s->arena);
}

static struct am_team *team(void *state)
{
    return ((struct state *)state)->team;
}

void am_own_set_hooks(const struct archmeter_bench *like, struct am_bench *bench)
{
    bench->state_size = sizeof(struct state);
    bench->prepare = prepare;
    bench->run = like->run ? run : NULL;
    bench->run_timed = like->run ? NULL : run_timed;
    bench->verify = like->verify ? verify : NULL;
    bench->finish = finish;
    bench->team = team;
}
