/* SPDX-License-Identifier: MIT */
/* Building, running and reading one program. */
#include "bench/exec/measure.h"

#include "base/log.h"
#include "bench/exec/command.h"
#include "bench/exec/cpufreq.h"
#include "bench/exec/interference.h"
#include "bench/exec/ledger.h"
#include "bench/exec/make.h"
#include "bench/exec/marked.h"
#include "core/marks/marks.h"
#include "core/spec/spec_regex.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
    SHOWN_MAX = 7 * 1024, /* of the output: what is kept with a launch */
    LAST_MAX = 16 * 1024, /* and as an attachment */
    NOTE_MAX = 500,
};

struct state {
    struct am_arena arena;
    const struct am_ctx *ctx;
    const struct am_exec_test *of;
    struct am_exec_point point;
    struct am_exec_program program;
    struct am_exec_cpufreq clock;
    struct am_interference interference;
    struct am_text output; /* of the execution that counts */
    bool prepared;         /* cleanup is due */
    bool failed;
    const char *region; /* of a marked program; else NULL */
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

/* As a shell would be given it: in quotes where it is not one plain word. */
static void add_word(struct am_text *text, const char *word)
{
    const bool plain = *word && !strpbrk(word, " \t\"'\\$&|;<>()*?[]#~`!{}");

    am_text_add(text, text->len ? " " : "");
    if (plain) {
        am_text_add(text, word);
        return;
    }
    am_text_add(text, "'");
    for (; *word; word++) {
        if (*word == '\'')
            am_text_add(text, "'\\''");
        else
            am_text_addn(text, word, 1);
    }
    am_text_add(text, "'");
}

/* The command line, so that a reader of the results can repeat it. */
static void note_command(const struct am_ctx *ctx, const struct state *s)
{
    struct am_text text;

    if (am_axis_find(ctx->bench->axes, "command_line") >= 0)
        return; /* a note of that name would speak of the axis */
    am_text_init(&text, NOTE_MAX);
    for (size_t i = 0; s->program.argv[i]; i++)
        add_word(&text, s->program.argv[i]);
    am_ctx_note(ctx, "command_line", "%s", am_text_str(&text));
    am_text_fini(&text);
}

/* The name of an axis would be taken for that axis. */
static void choose(const struct am_ctx *ctx, const char *name, const char *value)
{
    if (am_axis_find(ctx->bench->axes, name) < 0)
        am_ctx_chosen(ctx, name, "%s", value);
}

/* How the program is started, for code to read: the line as typed with its values in it, and
 * whether a shell starts it. */
static void tell_line(const struct am_ctx *ctx, const struct state *s)
{
    const bool shell = strcmp(s->program.argv[0], "/bin/sh") == 0;
    struct am_text text;

    if (s->of->test->shell != AM_SPEC_SHELL_AUTO)
        return;
    am_text_init(&text, NOTE_MAX);
    if (shell && s->program.argv[1] && s->program.argv[2])
        am_text_add(&text, s->program.argv[2]); /* the line itself */
    for (size_t i = 0; !shell && s->program.argv[i]; i++)
        add_word(&text, s->program.argv[i]);
    choose(ctx, AM_SPEC_TYPED, am_text_str(&text));
    choose(ctx, AM_SPEC_STARTER, shell ? AM_SPEC_STARTER_SHELL : AM_SPEC_STARTER_NONE);
    am_text_fini(&text);
}

/* Bytes of this process that are resident now; 0 where the system does not say. */
static uint64_t resident_bytes(void)
{
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    char text[NOTE_MAX];
    const ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
    const char *second;
    uint64_t pages = 0;

    if (fd >= 0)
        (void)close(fd);
    text[n > 0 ? n : 0] = '\0';
    second = strchr(text, ' '); /* the first is the size of all that is mapped */
    if (!second || !am_parse_u64(second + 1, strcspn(second + 1, " "), &pages))
        return 0;
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* A child begins as a copy of this process: its memory is never told as less than this. */
static void tell_floor(const struct am_ctx *ctx)
{
    char bytes[NOTE_MAX];

    (void)am_str_format(bytes, sizeof(bytes), "%llu", (unsigned long long)resident_bytes());
    choose(ctx, AM_SPEC_FLOOR, bytes);
}

/* A command before or after an execution, where there is one. */
static enum am_status run_aside(struct state *s, const char *what,
                                enum am_status (*of)(const struct am_exec_point *,
                                                     struct am_arena *, struct am_exec_program *,
                                                     struct am_err *),
                                struct am_err *err)
{
    struct am_exec_program program;
    struct am_exec_end end;
    struct am_err why = {0};
    enum am_status status = of(&s->point, &s->arena, &program, err);

    if (status != AM_OK)
        return status == AM_E_ABSENT ? AM_OK : status;
    status = am_exec_program_run(&program, &end, &why);
    am_text_fini(&end.output);
    return status == AM_OK ? AM_OK : am_fail(err, status, "%s: %s", what, why.text);
}

static enum am_status clean_up(struct state *s, struct am_err *err)
{
    const bool due = s->prepared;

    s->prepared = false;
    return due ? run_aside(s, "cleanup", am_exec_cleanup_command, err) : AM_OK;
}

static enum am_status get_ready(struct state *s, struct am_err *err)
{
    s->prepared = true; /* whatever comes of it, what it began is to be cleaned up */
    return run_aside(s, "prepare", am_exec_prepare_command, err);
}

/* Executions that do not count, once per point and invocation: files come into memory. */
static enum am_status warm_up(struct state *s, struct am_err *err)
{
    const unsigned n = s->of->test->warmup;
    const uint64_t hash = am_exec_hash(AM_EXEC_HASH_BASIS, &s->program);
    const char *const place = am_arena_printf(&s->arena, "warm %016llx", (unsigned long long)hash);
    enum am_status status = place ? AM_OK : am_fail(err, AM_E_NOMEM, "no memory to warm up");

    if (status != AM_OK || n == 0 || am_exec_ledger_has(hash, place, &s->arena))
        return status;
    for (unsigned i = 0; i < n && status == AM_OK; i++) {
        struct am_exec_end end = {0};

        status = get_ready(s, err);
        if (status == AM_OK)
            status = am_exec_program_run(&s->program, &end, err);
        am_text_fini(&end.output);
        if (status == AM_OK)
            status = clean_up(s, err);
    }
    if (status == AM_OK)
        am_exec_ledger_note(hash, place);
    return status;
}

static uint64_t largest_cache(void)
{
    static const uint64_t unknown = UINT64_C(32) << 20;
    const long l3 = sysconf(_SC_LEVEL3_CACHE_SIZE), l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);

    return l3 > 0 ? (uint64_t)l3 : l2 > 0 ? (uint64_t)l2 : unknown;
}

/* Begins what is to run beside the program, which has its part of the CPUs then, always the same.
 */
static enum am_status interfere(struct state *s, const struct am_ctx *ctx, struct am_err *err)
{
    const struct am_interference_cpus cpus = am_interference_split(ctx->cpus, ctx->cpu_count);
    struct am_beside beside;
    const enum am_status status = am_exec_beside(&s->point, &s->arena, &beside, err);

    if (status != AM_OK)
        return status == AM_E_ABSENT ? AM_OK : status;
    s->program.cpus = cpus.program;
    s->program.n_cpus = cpus.n_program;
    return am_interference_start(&s->interference, &beside, &cpus, largest_cache(), err);
}

/* A region that every execution enters, or one that some do not. */
static enum am_status prepare_region(struct state *s, struct am_work *work, struct am_err *err)
{
    const enum am_status status =
        am_exec_marked_prepare(s->of->marked, &s->program, s->region, s->ctx, work, err);

    if (status != AM_E_ABSENT)
        return status;
    if (!am_strings_have(&s->of->test->maybe, s->region))
        return am_fail(err, AM_E_WRONG, "%s", am_arena_strdup(&s->arena, err->text));
    work->ops = 1;
    return AM_OK;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *values,
                              struct am_work *work, struct am_err *err)
{
    struct state *const s = state;
    enum am_status status;

    s->ctx = ctx;
    s->of = ctx->bench->data;
    am_exec_point_read(s->of, values, &s->point);
    s->region = s->of->marked ? am_exec_point_text(&s->point, AM_SPEC_REGION) : NULL;
    status = am_exec_make(&s->point, &s->arena, err);
    if (status == AM_OK)
        status = am_exec_work(&s->point, &s->arena, work, err);
    if (status == AM_OK)
        status = am_exec_command(&s->point, &s->arena, &s->program, err);
    if (status != AM_OK)
        return status;
    s->program.any_code = s->of->test->any_code;
    s->program.discard = s->of->test->printed == AM_SPEC_NONE;
    s->program.keeps_last = s->of->test->printed == AM_SPEC_LAST;
    note_command(ctx, s);
    tell_line(ctx, s);
    status = set_clock(s, ctx, &s->point, err);
    if (status == AM_OK && s->region)
        return prepare_region(s, work, err);
    if (status == AM_OK)
        status = warm_up(s, err);
    if (status == AM_OK)
        status = get_ready(s, err);
    if (status == AM_OK)
        status = interfere(s, ctx, err);
    if (status == AM_OK && s->of->test->resources)
        tell_floor(ctx);
    return status;
}

static enum am_status read_result(const char *name, const char *regex, const struct am_text *output,
                                  double *value, struct am_err *err)
{
    const size_t kib = output->len / 1024;

    switch (am_spec_regex_find(regex, am_text_str(output), value)) {
    case AM_SPEC_MATCHED: return AM_OK;
    case AM_SPEC_NO_NUMBER:
        return am_fail(err, AM_E_WRONG, "%s: what \"%s\" finds is no number", name, regex);
    case AM_SPEC_NO_MATCH: break;
    }
    if (output->len == output->limit)
        return am_fail(err, AM_E_WRONG,
                       "%s: no line of the first %zu KiB of the output matches \"%s\", and the "
                       "rest is not searched: let the program print less, or say the result first",
                       name, kib, regex);
    return am_fail(err, AM_E_WRONG, "%s: no line of the output matches \"%s\"", name, regex);
}

/* What was taken from the program while it ran. */
struct taken {
    double rate, share;
};

static struct taken between(const struct am_interference_taken *a,
                            const struct am_interference_taken *b)
{
    const double seconds = b->at_s - a->at_s;

    if (b->cpus == 0 || !(seconds > 0))
        return (struct taken){0};
    return (struct taken){.rate = (b->bytes - a->bytes) / seconds,
                          .share = (b->cpu_s - a->cpu_s) / seconds / (double)b->cpus};
}

/* Behind what the program prints, in the order of the metrics (tests.c). */
static void put_own(const struct am_spec_test *test, const struct am_exec_end *end,
                    double iterations, const struct taken *taken, double *values)
{
    const double user = end->usage.user_s, kernel = end->usage.system_s;
    const struct {
        const char *name;
        bool wanted;
        double value;
    } own[] = {
        {AM_SPEC_TIME, true, (double)end->elapsed_ns * 1e-9},
        {AM_SPEC_ITERATIONS, test->iterations != NULL, iterations},
        {AM_SPEC_CPU, test->resources, user + kernel},
        {AM_SPEC_USER, test->resources, user},
        {AM_SPEC_SYSTEM, test->resources, kernel},
        {AM_SPEC_MEMORY, test->resources, (double)end->usage.memory_bytes},
        {AM_SPEC_TAKEN_RATE, test->beside != NULL, taken->rate},
        {AM_SPEC_TAKEN_SHARE, test->beside != NULL, taken->share},
        {AM_SPEC_CODE, test->any_code, end->code},
    };

    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
        if (own[i].wanted && !am_spec_prints(test, own[i].name))
            *values++ = own[i].value;
    }
}

static enum am_status read_results(const struct am_spec_test *test, const struct am_exec_end *end,
                                   const struct taken *taken, struct am_batch *batch,
                                   struct am_err *err)
{
    const struct am_text *const output = &end->output;
    double iterations = 0;
    enum am_status s = AM_OK;

    for (size_t n = 0; s == AM_OK && n < test->results.n; n++) {
        const struct am_spec_result *const r = &test->results.items[n];

        s = read_result(r->name, r->regex, output, &batch->values[n], err);
        batch->values[n] *= r->scale;
    }
    if (s == AM_OK && test->iterations)
        s = read_result("iterations", test->iterations, output, &iterations, err);
    if (s == AM_OK && test->iterations && !(iterations > 0))
        s = am_fail(err, AM_E_WRONG, "iterations: a weight must be above zero");
    put_own(test, end, iterations, taken, batch->values + test->results.n);
    return s;
}

/* The whole program is executed; a region was collected before. */
static enum am_status run_marked(struct state *s, struct am_batch *batch, struct am_err *err)
{
    struct am_exec_end end = {0};
    enum am_status status = AM_OK;

    if (strcmp(s->region, am_marks_program) == 0) {
        status = am_exec_marked_run(s->of->marked, &s->program, s->ctx, &end, err);
        s->output = end.output;
        s->failed = status != AM_OK;
        if (status == AM_OK)
            am_exec_marked_note(s->of->marked, s->ctx);
    }
    am_exec_marked_values(s->of->marked, s->region, batch);
    return status;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct state *const s = state;
    const struct am_interference_taken before = am_interference_read(&s->interference);
    struct am_interference_taken after;
    struct taken taken;
    struct am_exec_end end;
    enum am_status status;

    (void)iters;
    if (s->region)
        return run_marked(s, batch, err);
    status = am_exec_program_run(&s->program, &end, err);
    after = am_interference_read(&s->interference);
    taken = between(&before, &after);
    batch->elapsed_ns = end.elapsed_ns;
    if (status == AM_OK)
        status = read_results(s->of->test, &end, &taken, batch, err);
    s->output = end.output;
    s->failed = status != AM_OK;
    return status;
}

/* With the launch as diagnostics, or as an attachment. */
static void keep_output(const struct state *s)
{
    const char *const text = am_text_str(&s->output);
    const size_t n = s->output.len, last = n < LAST_MAX ? n : LAST_MAX;

    if (n && s->program.keeps_last)
        am_ctx_attach(s->ctx, AM_SPEC_OUTPUT, "text/plain", text + n - last, last);
    if (n && (s->failed || !s->program.keeps_last))
        (void)!write(STDOUT_FILENO, text, n < SHOWN_MAX ? n : SHOWN_MAX);
}

static void finish(void *state)
{
    struct state *const s = state;
    struct am_err why = {0};

    am_interference_stop(&s->interference);
    keep_output(s);
    if (clean_up(s, &why) != AM_OK) {
        am_ctx_note(s->ctx, "cleanup_failed", "%s", why.text);
        am_log(AM_LOG_WARN, "%s", why.text);
    }
    am_exec_cpufreq_restore(&s->clock);
    am_text_fini(&s->output);
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
