/* SPDX-License-Identifier: MIT */
/* archmeter energy: time and energy of any program. */
#include "base/child.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/run/meters.h"
#include "core/stats/stats.h"
#include "document/units.h"
#include "write/write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { EXEC_FAILED = 127, JSON_DEPTH = 4, REPETITIONS_MAX = 10000 };

/* One execution of the program. */
struct execution {
    double seconds;
    int status; /* as a shell would say it */
    bool started;
    struct am_energy *energies; /* indexed as the meters */
};

struct job {
    struct am_cli *cli;
    char **argv;               /* of the program, ended by NULL */
    struct am_energy_rig *rig; /* NULL: no meter that can be used */
    struct am_meters unusable; /* without a rig: what there is, for its reasons */
    const struct am_meters *meters;
    struct execution *runs;
    size_t n;
    bool synthetic;
};

/* Runs the program to its end. One that cannot be started is told and has a shell's status for it:
 * the program's own words would come at the same place. An interrupt of the terminal reaches the
 * program too, and its end is awaited. */
static int run_program(const struct job *job, bool *started)
{
    /* The program's own output must not stand inside a file of ours. */
    static const struct am_child_fd apart[] = {{STDOUT_FILENO, STDERR_FILENO}};
    const struct am_child_plan plan = {.argv = (const char *const *)job->argv,
                                       .fds = apart,
                                       .n_fds = job->cli->style.format != AM_FORMAT_TABLE};
    struct am_child child;
    struct am_err why = {0};

    *started = am_child_start(&plan, &child, &why) == AM_OK;
    if (!*started) {
        am_log(AM_LOG_ERROR, "%s", why.text);
        return EXEC_FAILED;
    }
    am_child_await(&child);
    return am_child_shell_code(&child);
}

static void execute(const struct job *job, struct execution *run)
{
    uint64_t t0, t1;

    (void)fflush(stdout);
    t0 = job->rig ? am_energy_rig_begin(job->rig) : am_now_ns();
    run->status = run_program(job, &run->started);
    t1 = am_now_ns();
    run->seconds = (double)(t1 - t0) * 1e-9;
    if (job->rig)
        am_energy_rig_window(job->rig, t0, t1, run->energies);
}

/* Median over the executions in which the meter was valid; NAN when there are none. */
static double median_of(const struct job *job, size_t meter, double (*of)(const struct am_energy *))
{
    double values[REPETITIONS_MAX];
    size_t n = 0;

    for (size_t i = 0; i < job->n; i++) {
        if (job->runs[i].energies[meter].valid)
            values[n++] = of(&job->runs[i].energies[meter]);
    }
    am_stats_sort(values, n);
    return n ? am_stats_median(values, n) : NAN;
}

static double joules_of(const struct am_energy *e)
{
    return e->joules;
}

static double watts_of(const struct am_energy *e)
{
    return e->watts;
}

static double uncertainty_of(const struct am_energy *e)
{
    return e->uncertainty_j;
}

static double median_seconds(const struct job *job)
{
    double values[REPETITIONS_MAX];
    size_t n = 0;

    for (size_t i = 0; i < job->n; i++)
        values[n++] = job->runs[i].seconds;
    am_stats_sort(values, n);
    return am_stats_median(values, n);
}

/* Why a meter has no number: it cannot be read, or the reason of the last execution. */
static const char *reason_of(const struct job *job, size_t meter)
{
    const struct am_meter *const m = &job->meters->items[meter];

    return m->why_not ? m->why_not : job->runs[job->n - 1].energies[meter].reason;
}

/* A meter that cannot be used is shown with its reason, never with a number. */
static bool is_shown(const struct job *job, size_t meter)
{
    return am_meter_counts(&job->meters->items[meter]) || am_meters_lacks(job->meters, meter);
}

static void json_scope(struct am_data *d, const struct job *job, size_t i)
{
    const struct am_meter *const m = &job->meters->items[i];
    const double joules = median_of(job, i, joules_of);
    const bool valid = !isnan(joules);

    am_data_object(d, NULL);
    am_data_text(d, "meter", m->provider);
    am_data_text(d, "scope", am_scope_name(m->scope));
    am_data_text(d, "id", m->id);
    am_data_number(d, "energy", joules);
    am_data_number(d, "power", median_of(job, i, watts_of));
    am_data_number(d, "uncertainty", median_of(job, i, uncertainty_of));
    am_data_bool(d, "valid", valid);
    am_data_text(d, "reason", valid ? NULL : reason_of(job, i));
    am_data_text(d, "inside",
                 m->parent >= 0 ? job->meters->items[m->parent].id : NULL); /* never add both */
    am_data_object_end(d);
}

static void energy_data(struct am_data *d, const void *self)
{
    const struct job *const job = self;

    am_data_number(d, "time", median_seconds(job));
    am_data_bool(d, "synthetic", job->synthetic);
    am_data_array(d, "scopes");
    for (size_t i = 0; i < job->meters->n; i++) {
        if (is_shown(job, i))
            json_scope(d, job, i);
    }
    am_data_array_end(d);
    am_data_unsigned(d, "repetitions", job->n);
    am_data_integer(d, "exit", job->runs[job->n - 1].status);
}

static void add_row(struct am_table *t, const struct job *job, size_t i)
{
    const struct am_meter *const m = &job->meters->items[i];
    const double joules = median_of(job, i, joules_of);

    am_table_row(t);
    (void)am_table_textf(t, "%s:%s", m->provider, m->id);
    (void)am_table_text(t, am_scope_name(m->scope));
    am_table_number(t, AM_FORM_NUMBER, joules)->digits = 4;
    am_table_number(t, AM_FORM_NUMBER, median_of(job, i, uncertainty_of))->digits = 2;
    am_table_number(t, AM_FORM_NUMBER, median_of(job, i, watts_of))->digits = 4;
    /* as seen when the meters were opened, or as the source says */
    (void)am_table_quantity(t, AM_FORM_QUANTITY, m->period_ns ? (double)m->period_ns * 1e-9 : NAN,
                            "s");
    if (isnan(joules))
        (void)am_table_text(t, reason_of(job, i));
    else if (m->parent >= 0)
        (void)am_table_textf(t, "inside %s", job->meters->items[m->parent].id);
    else
        (void)am_table_text(t, "");
    am_table_number(t, AM_FORM_NUMBER, median_seconds(job))->digits = 4;
}

static void energy_blocks(struct am_body *b, const void *self)
{
    static const struct am_column columns[] = {
        {.title = "meter", .key = "meter"},
        {.title = "scope", .key = "scope"},
        {.title = "energy J", .key = "energy J", .right = true},
        {.title = "±", .key = "+-", .right = true},
        {.title = "power W", .key = "power W", .right = true},
        {.title = "updated every", .key = "updated every", .right = true, .rank = 1},
        {.title = "", .key = "remark", .rank = 1},
        {.title = NULL, .key = "time"}};
    const struct job *const job = self;
    struct am_table *t;
    char text[AM_UNITS_MAX];

    am_units_value(median_seconds(job), "s", text, sizeof(text));
    (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL, "time %s%s%s", text,
                        job->n > 1 ? ", median of several executions" : "",
                        job->synthetic ? " (synthetic: read below a false root)" : "");
    t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));
    for (size_t i = 0; i < job->meters->n; i++) {
        if (is_shown(job, i))
            add_row(t, job, i);
    }
    if (t->n_rows == 0)
        b->n--; /* no head over nothing */
}

static enum am_status execute_all(struct job *job, struct am_err *err)
{
    const struct am_strings *const words = &job->cli->opt->operands;
    const size_t meters = job->meters->n;
    const uint64_t wanted = job->cli->opt->repeat.given ? job->cli->opt->repeat.value : 1;
    enum am_status s = AM_OK;

    if (wanted < 1 || wanted > REPETITIONS_MAX)
        return am_fail(err, AM_E_USAGE, "--repeat must be from 1 to %d", REPETITIONS_MAX);
    job->runs = am_arena_array(job->cli->arena, wanted, sizeof(*job->runs));
    job->argv = am_arena_array(job->cli->arena, words->n + 1, sizeof(*job->argv));
    if (!job->runs || !job->argv)
        return am_fail(err, AM_E_NOMEM, "no memory for %llu executions",
                       (unsigned long long)wanted);
    for (size_t i = 0; i < words->n; i++)
        job->argv[i] = (char *)words->items[i];
    while (s == AM_OK && job->n < wanted && !*job->cli->interrupted) {
        struct execution *const run = &job->runs[job->n];

        run->energies = am_arena_array(job->cli->arena, meters + 1, sizeof(*run->energies));
        if (!run->energies)
            return am_fail(err, AM_E_NOMEM, "no memory for the energies");
        execute(job, run);
        job->n++;
        if (run->status != 0)
            break; /* a program that fails is not measured again */
    }
    return s;
}

/* Meters that can be read, or the list of those that cannot with the reason in `why`. */
static enum am_status open_meters(struct job *job, const struct am_fsroot *root, struct am_err *why,
                                  struct am_err *err)
{
    const struct am_meter_request request = am_meters_request(job->cli, root);
    const enum am_status s = am_meters_rig(job->cli, root, -1, &job->rig, why);

    job->synthetic = root->synthetic;
    job->meters = job->rig ? am_energy_rig_meters(job->rig) : &job->unusable;
    if (s == AM_E_ABSENT)
        return am_meters_open(&request, job->cli->arena, &job->unusable, err);
    return s == AM_OK ? AM_OK : am_fail(err, s, "%s", why->text);
}

/* The program's own exit status is passed on; ours is for a machine without a usable meter. */
static void conclude(const struct job *job, const struct am_err *why)
{
    const struct execution *const last = &job->runs[job->n - 1];
    const int status = last->status;

    if (!last->started && job->cli->style.format == AM_FORMAT_TABLE) {
        job->cli->exit_code = (enum am_exit)status;
        return;
    }
    am_write(
        &(struct am_document){
            .self = job, .blocks = energy_blocks, .data = energy_data, .depth = JSON_DEPTH},
        &job->cli->style, job->cli->arena, stdout);
    (void)fflush(stdout);
    if (!job->rig)
        am_log(AM_LOG_ERROR, "%s", why->text);
    job->cli->exit_code = status      ? (enum am_exit)status
                          : !job->rig ? AM_EXIT_UNMEASURED
                                      : AM_EXIT_DONE;
}

enum am_status am_cmd_energy(struct am_cli *cli, struct am_err *err)
{
    struct job job = {.cli = cli};
    struct am_fsroot root = {0};
    struct am_err why = {0};
    enum am_status s;

    if (cli->opt->machine)
        return am_fail(err, AM_E_USAGE, "the energy of a simulated machine is not simulated");
    s = am_fsroot_open(&root, cli->opt->fsroot, err);
    if (s == AM_OK)
        s = open_meters(&job, &root, &why, err);
    if (s == AM_OK)
        s = execute_all(&job, err);
    if (s == AM_OK && job.n)
        conclude(&job, &why);
    am_energy_rig_close(job.rig);
    am_meters_close(&job.unusable);
    am_fsroot_close(&root);
    return s;
}
