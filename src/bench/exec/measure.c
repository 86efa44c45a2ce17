/* SPDX-License-Identifier: MIT */
/* Building, running and reading one program. */
#include "bench/exec/measure.h"

#include "bench/exec/command.h"
#include "bench/exec/cpufreq.h"
#include "bench/exec/make.h"
#include "core/spec/spec_regex.h"

#include <string.h>
#include <unistd.h>

enum { SHOWN_MAX = 7 * 1024 /* of the output: what is kept with a launch */, NOTE_MAX = 500 };

struct state {
    struct am_arena arena;
    const struct am_exec_test *of;
    struct am_exec_program program;
    struct am_exec_cpufreq clock;
};

/* In MHz in the file and in kHz for the program, as in the thesis. */
static enum am_status set_clock(struct state *s, const struct am_ctx *ctx,
                                const struct am_exec_point *point, struct am_err *err)
{
    const char *const mhz = am_exec_point_text(point, "cpufreq");
    const char *const khz = mhz ? am_arena_printf(&s->arena, "%s000", mhz) : NULL;
    struct am_exec_end end;
    enum am_status status;
    uint64_t number;

    if (!mhz)
        return AM_OK;
    if (!khz)
        return am_fail(err, AM_E_NOMEM, "no memory for a clock");
    if (!s->of->set_cpufreq) {
        if (!am_exec_cpufreq_writable("") || !am_parse_u64(khz, strlen(khz), &number))
            return AM_OK; /* the axis says that it is not set */
        return am_exec_cpufreq_set(&s->clock, "", ctx->cpus, ctx->cpu_count, number, err);
    }
    status = am_exec_program_run(
        &(struct am_exec_program){.argv = (const char *const[]){s->of->set_cpufreq, khz, NULL},
                                  .folder = s->of->spec->folder},
        &end, err);
    am_text_fini(&end.output);
    return status;
}

/* The command line, so that a reader of the results can repeat it. */
static void note_command(const struct am_ctx *ctx, const struct state *s)
{
    struct am_text text;

    if (am_axis_find(ctx->bench->axes, "command_line") >= 0)
        return; /* a note of that name would speak of the axis */
    am_text_init(&text, NOTE_MAX);
    for (size_t i = 0; s->program.argv[i]; i++)
        am_text_addf(&text, "%s%s", i ? " " : "", s->program.argv[i]);
    am_ctx_note(ctx, "command_line", "%s", am_text_str(&text));
    am_text_fini(&text);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *values,
                              struct am_work *work, struct am_err *err)
{
    struct state *const s = state;
    struct am_exec_point point;
    enum am_status status;

    s->of = ctx->bench->data;
    work->ops = 1;
    am_exec_point_read(s->of, values, &point);
    status = am_exec_make(&point, &s->arena, err);
    if (status == AM_OK)
        status = am_exec_command(&point, &s->arena, &s->program, err);
    if (status == AM_OK)
        status = set_clock(s, ctx, &point, err);
    if (status == AM_OK)
        note_command(ctx, s);
    return status;
}

static enum am_status read_result(const char *name, const char *regex, const char *output,
                                  double *value, struct am_err *err)
{
    switch (am_spec_regex_find(regex, output, value)) {
    case AM_SPEC_MATCHED: return AM_OK;
    case AM_SPEC_NO_NUMBER:
        return am_fail(err, AM_E_WRONG, "%s: what \"%s\" finds is no number", name, regex);
    case AM_SPEC_NO_MATCH: break;
    }
    return am_fail(err, AM_E_WRONG, "%s: no line of the output matches \"%s\"", name, regex);
}

static enum am_status read_results(const struct am_spec_test *test, const struct am_exec_end *end,
                                   struct am_batch *batch, struct am_err *err)
{
    const char *const output = am_text_str(&end->output);
    enum am_status s = AM_OK;
    bool has_time = false;
    size_t n = 0;

    for (; s == AM_OK && n < test->results.n; n++) {
        const struct am_spec_result *const r = &test->results.items[n];

        s = read_result(r->name, r->regex, output, &batch->values[n], err);
        batch->values[n] *= r->scale;
        has_time = has_time || strcmp(r->name, "time") == 0;
    }
    if (!has_time)
        batch->values[n++] = (double)end->elapsed_ns * 1e-9;
    if (s == AM_OK && test->iterations)
        s = read_result("iterations", test->iterations, output, &batch->values[n], err);
    if (s == AM_OK && test->iterations && !(batch->values[n] > 0))
        s = am_fail(err, AM_E_WRONG, "iterations: a weight must be above zero");
    return s;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    const struct state *const s = state;
    struct am_exec_end end;
    enum am_status status = am_exec_program_run(&s->program, &end, err);

    (void)iters;
    batch->elapsed_ns = end.elapsed_ns;
    if (end.output.len) /* kept with the launch as diagnostics */
        (void)!write(STDOUT_FILENO, am_text_str(&end.output),
                     end.output.len < SHOWN_MAX ? end.output.len : SHOWN_MAX);
    if (status == AM_OK)
        status = read_results(s->of->test, &end, batch, err);
    am_text_fini(&end.output);
    return status;
}

static void finish(void *state)
{
    struct state *const s = state;

    am_exec_cpufreq_restore(&s->clock);
    am_arena_fini(&s->arena);
}

void am_exec_bench_init(struct am_bench *bench)
{
    *bench = (struct am_bench){
        .state_size = sizeof(struct state),
        .fixed_iters = 1,
        .points_per_launch = 1,
        .cpus = AM_CPUS_ALL,
        .once = true,
        .prepare = prepare,
        .run_timed = run_timed,
        .finish = finish,
    };
}
