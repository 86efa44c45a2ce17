/* SPDX-License-Identifier: MIT */
/* The store in peace: what goes in comes out, states, filters, uniqueness, who may write. */
#include "store/store.h"

#include "base/clock.h"
#include "store_fixture.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATH "run.db" /* in a directory of our own */

static void make_full_run(const char *path)
{
    struct am_store *store = fx_fresh_run(path);
    struct am_err err = {0};

    ok(fx_fill(store, &err) == AM_OK, "a run with eleven launches is written: %s", err.text);
    am_store_close(store);
}

static void test_create(void)
{
    static const char *const odd_names[] = {":memory:", "file:odd?mode=memory", "a b%20.db", "-o"};
    struct am_point points[FX_POINTS];
    struct am_plan plan = fx_plan(points);
    struct am_store *store = NULL;
    struct am_err err = {0};
    bool in_order = true;

    ok(am_store_create(PATH, &store, &err) == AM_OK && fx_exists(PATH), "a file is created");
    am_store_close(store);
    ok(!fx_exists(PATH), "and removed again when no run was begun");
    ok(am_store_create(PATH, &store, &err) == AM_OK, "the name can be used again");
    ok(fx_begin(store, &plan, &err) == AM_OK, "the run begins: %s", err.text);
    for (size_t i = 0; i < FX_POINTS; i++)
        in_order = in_order && points[i].id == (int64_t)i + 1;
    ok(in_order, "points get their ids in plan order");
    ok(fx_begin(store, &plan, &err) == AM_E_STORE, "a second run in one file is refused");
    am_store_close(store);
    ok(fx_exists(PATH), "a file with a run stays");

    err = (struct am_err){0};
    ok(am_store_create(PATH, &store, &err) == AM_E_USAGE, "an existing file is not overwritten");
    is_str(err.text, PATH ": exists already", "and the message says so");
    for (size_t i = 0; i < sizeof(odd_names) / sizeof(odd_names[0]); i++) {
        am_store_close(fx_fresh_run(odd_names[i]));
        ok(fx_exists(odd_names[i]), "\"%s\" is an ordinary file name", odd_names[i]);
        (void)unlink(odd_names[i]);
    }
}

/* Runs `body` as an unprivileged user: root may write everywhere. */
static bool as_nobody(bool (*body)(void))
{
    const pid_t child = fork();
    int status = 0;

    if (child == 0) {
        if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
            _exit(2);
        _exit(body() ? 0 : 1);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool create_is_refused(void)
{
    struct am_store *store = NULL;
    struct am_err err = {0};

    return am_store_create("locked/x.db", &store, &err) == AM_E_STORE &&
           strcmp(err.text, "locked/x.db: cannot create: Permission denied") == 0;
}

static bool reading_works_writing_not(void)
{
    struct am_store *store = NULL;
    struct am_arena arena = {0};
    struct am_result_set set;
    struct am_err err = {0};
    bool good = am_store_open("locked/run.db", false, &store, &err) == AM_OK &&
                am_store_load(store, NULL, &arena, &set, &err) == AM_OK && set.n == FX_POINTS;

    am_store_close(store);
    am_arena_fini(&arena);
    good = good && am_store_open("locked/run.db", true, &store, &err) == AM_E_STORE;
    return good && strstr(err.text, "cannot open for writing: Permission denied");
}

static void test_permissions(void)
{
    struct am_store *store = NULL;
    struct am_err err = {0};

    ok(am_store_create("no/such/x.db", &store, &err) == AM_E_STORE, "no directory, no file");
    is_str(err.text, "no/such/x.db: cannot create: No such file or directory",
           "the message names the file and the cause");
    ok(mkdir("locked", 0777) == 0, "a directory is made");
    make_full_run("locked/run.db");
    (void)chmod("locked/run.db", 0444);
    (void)chmod("locked", 0555);
    (void)chmod(".", 0755); /* mkdtemp gave 0700 */
    ok(as_nobody(create_is_refused), "a directory that is not writable is told");
    ok(as_nobody(reading_works_writing_not),
       "a read-only file in a read-only directory is read, and not opened for writing");
    (void)chmod("locked", 0755);
    (void)unlink("locked/run.db");
    ok(rmdir("locked") == 0, "nothing was left beside it");
}

static bool same_settings(const struct am_plan_settings *a, const struct am_plan_settings *b)
{
    const struct am_sampler_settings *const x = &a->sampler, *const y = &b->sampler;

    return a->profile == b->profile && a->seed == b->seed && a->min_launches == b->min_launches &&
           a->max_launches == b->max_launches && a->target == b->target &&
           a->budget_s == b->budget_s && a->launch_limit_s == b->launch_limit_s &&
           x->min_batch_ns == y->min_batch_ns && x->max_point_ns == y->max_point_ns &&
           x->warmup == y->warmup && x->samples == y->samples && x->extra == y->extra &&
           x->drift_limit == y->drift_limit;
}

static void check_run(const struct am_run_info *run)
{
    is_str(run->name, PATH, "the run's name is the file's");
    is_str(run->command, "archmeter run '*.fake'", "command");
    is_str(run->version, "0.1.0", "version");
    is_str(run->started, "2024-02-29T12:00:00Z", "start");
    is_str(run->ended, NULL, "no end yet");
    is_str(am_run_states[run->state], "running", "state");
    is_str(run->label, "before", "label");
    ok(run->synthetic, "synthetic");
    ok(same_settings(&run->settings, &fx_settings), "every setting comes back exactly");
}

static void check_circumstances(const struct am_result_set *set)
{
    ok(set->machine.n == 2, "a fact given twice is kept once");
    is_str(am_kvs_get(&set->machine, "key"), "f00d", "with its first value");
    is_str(am_kvs_get(&set->environment, "OMP_WAIT_POLICY"), "", "an empty fact is kept");
    is_str(am_kvs_get(&set->build, "compiler"), "cc \xc3\xa9", "UTF-8 is kept");
    ok(set->settings.n == 1 && set->environment.n == 2, "settings are no circumstances");
    ok(set->findings.n == 2 && set->findings.items[0].level == AM_LEVEL_WARN &&
           set->findings.items[1].level == AM_LEVEL_OK,
       "findings with their levels");
    is_str(set->findings.items[0].remedy, "performance", "the remedy");
    is_str(set->findings.items[1].remedy, NULL, "and none where there is none");
}

static void check_points(const struct am_result_set *set)
{
    static const struct {
        const char *text, *state, *reason;
        size_t failures, launches;
    } want[FX_POINTS] = {
        {"size=4096 pattern=seq", "ok", NULL, 0, 4},
        {"size=4096 pattern=random", "ok", NULL, 1, 1},
        {"size=1099511627776 pattern=seq", "skip", "too large for this machine", 0, 0},
        {"size=1099511627776 pattern=random", "fail", "SIGSEGV", 1, 0},
        {"threads=1 ratio=0.1", "ok", NULL, 0, 2},
        {"threads=2 ratio=2", "pending", NULL, 0, 0},
    };

    ok(set->n == FX_POINTS && set->launches == 11, "all points and launches are there");
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        is_str(r->text, want[i].text, "the point's text");
        is_str(am_point_states[r->state], want[i].state, "its state");
        is_str(r->reason, want[i].reason, "its reason");
        ok(r->failures == want[i].failures, "its failures: %zu", r->failures);
        ok(r->n_metrics == 2 && r->metrics[0].series.n == want[i].launches, "its ok launches: %zu",
           r->metrics[0].series.n);
        is_str(r->worker, "cpu", "its worker");
        ok(r->stop_reason == AM_STOP_OPEN, "no stop reason yet");
    }
}

static void check_details(const struct am_result_set *set)
{
    const struct am_result *const mem = &set->results[0], *const cpu = &set->results[4];

    is_str(mem->bench, "mem.fake", "bench");
    ok(mem->version == 3 && cpu->version == 1, "bench versions");
    ok(mem->n_params == 2 && mem->params[0].kind == AM_AXIS_SIZE, "parameters with their kinds");
    is_str(mem->params[0].name, "size", "name of a parameter");
    is_str(mem->params[0].text, "4096", "a size");
    is_str(mem->params[1].text, "seq", "a name");
    is_str(cpu->params[1].text, "0.1", "a real in its canonical text");
    is_str(set->results[5].params[1].text, "2", "also when it is whole");
    is_str(cpu->metrics[0].unit, "flop/s", "unit");
    ok(cpu->metrics[0].better == AM_HIGHER && mem->metrics[0].better == AM_LOWER, "directions");
    ok(mem->work.bytes_read == 8 && mem->work.bytes_written == 0.5 && mem->work.flops == 2 &&
           mem->work.ops == 1.0 / 3,
       "the work of one iteration, exactly");
    ok(mem->residual == 4e-16, "the worst residual over the launches");
    ok(isnan(set->results[2].residual), "no residual where nothing was verified");
}

/* Point 1 was measured in the order of rounds 0, 1, 3, 2. */
static void check_series(const struct am_result *r)
{
    static const unsigned rounds[] = {0, 1, 3, 2};
    bool exact = true, labelled = true;

    for (size_t m = 0; m < r->n_metrics; m++) {
        const struct am_series *const series = &r->metrics[m].series;

        for (size_t l = 0; l < series->n; l++) {
            const struct am_launch_values *const values = &series->launches[l];

            exact = exact && values->n == FX_SAMPLES && values->round == rounds[l] &&
                    values->busy == fx_busy(rounds[l]);
            for (size_t i = 0; exact && i < values->n; i++) {
                exact = exact && values->values[i] == fx_value(1, rounds[l], i, m);
                labelled = labelled &&
                           values->labels[i] == (i == 2 ? AM_LABEL_STEAL | AM_LABEL_DRIFT : 0u);
            }
        }
    }
    ok(exact, "every value comes back exactly, launches in the order of time");
    ok(labelled, "with its labels");
}

static void check_said(const struct am_result *r)
{
    const struct am_attachment *const picture = am_result_attachment(r, "picture");

    is_str(am_kvs_get(&r->notes, "remark"), "100 % \n", "a remark");
    is_str(am_kvs_get(&r->chosen, "pattern"), "seq", "what was chosen");
    ok(r->notes.n == 1 && r->chosen.n == 2, "each where it belongs");
    ok(r->n_attachments == 2 && am_result_attachment(r, "empty")->n == 0, "an empty attachment");
    ok(picture && picture->n == 3 && memcmp(picture->data, "\x89\0\xff", 4) == 0,
       "one of any bytes, with a zero behind them");
    is_str(picture ? picture->type : NULL, "image/png", "its type");
    ok(!am_result_attachment(r, "other"), "and no other");
}

static void check_failures(const struct am_result_set *set)
{
    ok(set->n_failures == 4, "four visits were skipped or failed");
    is_str(set->failures[0].text, "size=4096 pattern=random", "the first one's point");
    is_str(am_failure_kinds[set->failures[0].kind], "signal", "its kind");
    is_str(set->failures[0].reason, "SIGSEGV", "its reason");
    is_str(set->failures[0].output, "last words \xff", "what the worker printed, byte by byte");
    is_str(am_failure_kinds[set->failures[1].kind], "skip", "a skip");
    is_str(set->failures[1].output, NULL, "printed nothing");
    ok(set->failures[3].round == 1, "the round is kept");
}

/* What the uncertainty of a metric follows from. */
static void check_timing(const struct am_result_set *set)
{
    const struct am_result *const r = &set->results[0];

    ok(fabs(r->timing.batch_s - 499.5e-9) < 1e-15 && fabs(r->timing.step_s - 1e-9) < 1e-18 &&
           fabs(r->timing.reading_s - 25e-9) < 1e-18 && fabs(r->timing.hz - 3e9 / 7) < 1,
       "the mean undisturbed batch, the clock, the core clock");
    ok(r->metrics[0].systematic.pieces == 0 && r->metrics[1].systematic.pieces == 5,
       "what the bench states of its metrics");
    is_str(r->metrics[1].systematic.difference, "latency", "and what one is a difference of");
}

static void test_round_trip(void)
{
    struct am_store *store = NULL;
    struct am_arena arena = {0};
    struct am_result_set set;
    struct am_err err = {0};

    make_full_run(PATH);
    ok(am_store_open(PATH, false, &store, &err) == AM_OK, "opened for reading: %s", err.text);
    ok(am_store_load(store, NULL, &arena, &set, &err) == AM_OK, "loaded: %s", err.text);
    check_run(&set.run);
    check_circumstances(&set);
    check_points(&set);
    check_details(&set);
    check_series(&set.results[0]);
    check_said(&set.results[0]);
    check_timing(&set);
    check_failures(&set);
    ok(fx_put(store, 6, 0, &err) == AM_E_STORE, "a reader cannot write");
    am_store_close(store);
    am_arena_fini(&arena);
}

static void test_filters(void)
{
    static const struct {
        struct am_filter filter;
        size_t results, launches, failures, first_series;
        const char *first_state;
    } cases[] = {
        {{NULL, 0, 0, false}, 6, 11, 4, 4, "ok"},
        {{"mem.*", 0, 0, false}, 4, 9, 4, 4, "ok"},
        {{"cpu.*", 0, 0, false}, 2, 2, 0, 2, "ok"},
        {{"none", 0, 0, false}, 0, 0, 0, 0, NULL},
        {{NULL, 2, 0, false}, 6, 7, 3, 2, "ok"},
        {{NULL, 2, 1, false}, 6, 4, 1, 2, "ok"},
        {{"cpu.fake", 2, 1, false}, 2, 0, 0, 0, "pending"},
    };
    struct am_store *store = NULL;
    struct am_err err = {0};

    ok(am_store_open(PATH, false, &store, &err) == AM_OK, "opened");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct am_filter *const f = &cases[i].filter;
        struct am_arena arena = {0};
        struct am_result_set set;
        const enum am_status s = am_store_load(store, f, &arena, &set, &err);

        ok(s == AM_OK && set.n == cases[i].results && set.launches == cases[i].launches &&
               set.n_failures == cases[i].failures,
           "%s, rounds %u mod %u: %zu points, %zu launches, %zu failures",
           f->pattern ? f->pattern : "all", f->round_rem, f->round_mod, set.n, set.launches,
           set.n_failures);
        if (set.n) {
            is_str(am_point_states[set.results[0].state], cases[i].first_state,
                   "state of the first point");
            ok(set.results[0].metrics[0].series.n == cases[i].first_series, "and its launches");
        }
        am_arena_fini(&arena);
    }
    am_store_close(store);
}

static void test_resume(void)
{
    static const struct am_stop stops[] = {
        {1, AM_STOP_TARGET}, {3, AM_STOP_SKIP}, {6, AM_STOP_BUDGET}};
    static const struct am_stop wrong[] = {{2, AM_STOP_TARGET}, {99, AM_STOP_TARGET}};
    struct am_store *store = NULL;
    struct am_arena arena = {0};
    struct am_resume resume;
    struct am_err err = {0};

    ok(am_store_open(PATH, true, &store, &err) == AM_OK, "opened for going on: %s", err.text);
    ok(am_store_put_stops(store, stops, 3, &err) == AM_OK, "stop reasons are stored");
    ok(am_store_put_stops(store, &(struct am_stop){6, AM_STOP_OPEN}, 1, &err) == AM_OK,
       "one is reopened");
    ok(am_store_put_stops(store, wrong, 2, &err) == AM_E_STORE, "an unknown point is refused");
    ok(am_store_load_resume(store, &arena, &resume, &err) == AM_OK, "the state is read");
    ok(resume.n == FX_POINTS && resume.points[5].point_id == 6, "all points in plan order");
    ok(same_settings(&resume.run.settings, &fx_settings), "with the settings");
    ok(resume.points[0].n_rounds == 4 && resume.points[0].rounds[2] == 2 &&
           resume.points[0].rounds[3] == 3,
       "rounds in ascending order");
    ok(resume.points[1].n_rounds == 2 && resume.points[1].failures == 1,
       "a failed round is a round, and counted");
    ok(resume.points[2].failures == 0, "a skip is no failure");
    ok(resume.points[5].n_rounds == 0, "a point never visited has none");
    ok(resume.points[0].stop_reason == AM_STOP_TARGET, "stop reason");
    ok(resume.points[1].stop_reason == AM_STOP_OPEN, "a refused set of stops leaves nothing");
    ok(resume.points[5].stop_reason == AM_STOP_OPEN, "a reopened point has none");
    is_str(resume.points[4].text, "threads=1 ratio=0.1", "text");
    is_near(resume.spent_s, 5.5, 1e-12, "the launches' time adds up");
    am_store_close(store);
    am_arena_fini(&arena);
}

static size_t count_launches(struct am_store *store)
{
    struct am_arena arena = {0};
    struct am_result_set set;
    struct am_err err = {0};
    size_t n = am_store_load(store, NULL, &arena, &set, &err) == AM_OK ? set.launches : SIZE_MAX;

    am_arena_fini(&arena);
    return n;
}

static void test_refusals(void)
{
    struct am_store *store = NULL;
    struct am_err err = {0};
    struct fx_launch l, second;
    struct am_visit both[2];

    ok(am_store_open(PATH, true, &store, &err) == AM_OK, "opened");
    ok(fx_put(store, 1, 0, &err) == AM_E_STORE, "a point cannot be stored twice for a round");
    is_str(err.text, PATH ": point 1 is stored already for round 0", "and the message says so");
    err = (struct am_err){0};
    ok(fx_put(store, 99, 0, &err) == AM_E_STORE, "nor a point that is not in the plan");
    fx_launch_init(&l, 6, 0);
    l.visit.n_metrics = 3;
    ok(am_store_put_launch(store, &l.launch, &err) == AM_E_STORE, "nor more metrics than planned");

    fx_launch_init(&l, 6, 0);
    fx_launch_init(&second, 1, 0);
    both[0] = l.visit;
    both[1] = second.visit;
    l.launch.visits = both;
    l.launch.n_visits = 2;
    ok(am_store_put_launch(store, &l.launch, &err) == AM_E_STORE, "one bad visit refuses all");
    ok(count_launches(store) == 11, "and nothing of a refused launch is kept");
    both[1].point_id = 5;
    l.launch.round = 9;
    ok(am_store_put_launch(store, &l.launch, &err) == AM_OK, "two points in one launch");
    ok(count_launches(store) == 12, "count as one launch");
    am_store_close(store);
}

static void test_end(void)
{
    struct am_store *store = NULL;
    struct am_arena arena = {0};
    struct am_resume resume;
    struct am_err err = {0};

    ok(am_store_open(PATH, true, &store, &err) == AM_OK, "opened");
    ok(am_store_end_run(store, AM_RUN_INTERRUPTED, &err) == AM_OK, "interrupted");
    (void)am_store_load_resume(store, &arena, &resume, &err);
    is_str(am_run_states[resume.run.state], "interrupted", "state is kept");
    ok(resume.run.ended && strlen(resume.run.ended) == 20, "with the time: %s", resume.run.ended);
    ok(am_store_end_run(store, AM_RUN_RUNNING, &err) == AM_OK, "resumed");
    (void)am_store_load_resume(store, &arena, &resume, &err);
    is_str(resume.run.ended, NULL, "a run that goes on has no end");
    ok(am_store_end_run(store, AM_RUN_DONE, &err) == AM_OK, "done: %s", err.text);
    am_store_close(store);
    am_arena_fini(&arena);
}

struct raw_count {
    size_t n, nan, limit;
    bool exact;
};

static enum am_status count_raw(void *self, const struct am_raw_sample *raw, struct am_err *err)
{
    struct raw_count *const c = self;
    const size_t metric = strcmp(raw->metric, "cycles") == 0;
    const struct am_sample *const x = &raw->sample;

    if (isnan(raw->value))
        c->nan++;
    else if (c->n < 6) /* the first launch, of point 1 */
        c->exact = c->exact && raw->value == fx_value(1, 0, raw->sequence, metric) &&
                   raw->value == x->values[metric] && x->iters == UINT64_MAX - raw->sequence &&
                   x->t0_ns == 1000 * (raw->sequence + 1) && x->t1_ns == x->t0_ns + 500 &&
                   x->elapsed_ns == 499 + raw->sequence && x->hz_before == 3e9 / 7 &&
                   x->hz_after == 0 && x->steal_ns == raw->sequence * 10000000 &&
                   x->switches == raw->sequence && x->off_ns == (raw->sequence == 1 ? 250 : 0) &&
                   strcmp(raw->bench, "mem.fake") == 0;
    return ++c->n == c->limit ? am_fail(err, AM_E_LIMIT, "enough") : AM_OK;
}

static void test_not_finite_and_raw(void)
{
    struct am_store *const store = fx_fresh_run("nan.db");
    struct raw_count all = {.exact = true}, mem = {.exact = true}, some = {.limit = 4};
    struct am_arena arena = {0};
    struct am_result_set set;
    struct am_err err = {0};
    struct fx_launch l;

    (void)fx_put(store, 1, 0, &err);
    fx_launch_init(&l, 5, 0);
    l.samples[0].values[0] = NAN;
    l.samples[1].values[0] = INFINITY;
    l.samples[0].values[1] = l.samples[1].values[1] = l.samples[2].values[1] = -INFINITY;
    l.samples[0].hz_before = NAN;
    l.visit.residual = NAN;
    ok(am_store_put_launch(store, &l.launch, &err) == AM_OK,
       "values that are not finite are taken");
    ok(am_store_load(store, NULL, &arena, &set, &err) == AM_OK, "and the run is read");
    ok(set.results[4].metrics[0].series.n == 1 &&
           set.results[4].metrics[0].series.launches[0].n == 1 &&
           set.results[4].metrics[0].series.launches[0].values[0] == fx_value(5, 0, 2, 0),
       "a series holds the finite ones");
    ok(set.results[4].metrics[1].series.n == 0, "or no launch when there is none");
    ok(isnan(set.results[4].residual), "a residual that is no number is none");
    ok(am_store_each_sample(store, NULL, count_raw, &all, &err) == AM_OK && all.n == 12 &&
           all.nan == 5 && all.exact,
       "export gives every sample with every field, and NAN for those");
    ok(am_store_each_sample(store, "mem.*", count_raw, &mem, &err) == AM_OK && mem.n == 6,
       "or of some benches");
    ok(am_store_each_sample(store, NULL, count_raw, &some, &err) == AM_E_LIMIT && some.n == 4,
       "until the callback ends it");
    is_str(err.text, "enough", "with its own story");
    am_store_close(store);
    am_arena_fini(&arena);
}

static void test_two_at_once(void)
{
    struct am_store *const writer = fx_fresh_run("two.db");
    struct am_store *second = NULL, *reader = NULL;
    struct am_err err = {0};

    ok(fx_put(writer, 1, 0, &err) == AM_OK, "a first writer writes");
    ok(am_store_open("two.db", true, &second, &err) == AM_E_STORE, "a second one is refused");
    is_str(err.text, "two.db: being written by another archmeter", "and told why");
    err = (struct am_err){0};
    ok(am_store_open("two.db", false, &reader, &err) == AM_OK && count_launches(reader) == 1,
       "a reader sees what is committed: %s", err.text);
    ok(fx_put(writer, 1, 1, &err) == AM_OK && count_launches(reader) == 2,
       "and what comes while it has the file open");
    am_store_close(reader);
    ok(fx_put(writer, 1, 2, &err) == AM_OK, "the first one goes on: %s", err.text);
    am_store_close(writer);
    ok(am_store_open("two.db", true, &second, &err) == AM_OK, "after it has closed, one may");
    am_store_close(second);
}

/* The speed is shown, not asserted: machines differ. */
static void test_many_samples(void)
{
    enum { ROUNDS = 20, SAMPLES = 500 };
    static struct am_sample samples[SAMPLES];
    struct am_store *const store = fx_fresh_run("many.db");
    struct am_arena arena = {0};
    struct am_result_set set;
    struct am_err err = {0};
    uint64_t t0, t1, t2;
    bool good = true;
    struct fx_launch l;

    fx_launch_init(&l, 1, 0);
    for (size_t i = 0; i < SAMPLES; i++)
        samples[i] = l.samples[0];
    l.visit.samples = samples;
    l.visit.n_samples = SAMPLES;
    t0 = am_now_ns();
    for (unsigned r = 0; good && r < ROUNDS; r++) {
        l.launch.round = r;
        good = am_store_put_launch(store, &l.launch, &err) == AM_OK;
    }
    t1 = am_now_ns();
    ok(good, "%d samples in %d launches are stored: %s", ROUNDS * SAMPLES, ROUNDS, err.text);
    ok(am_store_load(store, NULL, &arena, &set, &err) == AM_OK &&
           set.results[0].metrics[1].series.n == ROUNDS &&
           set.results[0].metrics[1].series.launches[ROUNDS - 1].n == SAMPLES,
       "and loaded");
    t2 = am_now_ns();
    printf("# stored in %.3f s, loaded in %.3f s\n", (double)(t1 - t0) / 1e9,
           (double)(t2 - t1) / 1e9);
    am_store_close(store);
    am_arena_fini(&arena);
}

/* Points that a search thought of while the run was going on. */
static void test_added_points(void)
{
    static const struct am_value values[] = {{.kind = AM_AXIS_INT, .i = 7},
                                             {.kind = AM_AXIS_REAL, .r = 0.5}};
    struct am_store *const store = fx_fresh_run("added.db");
    struct am_point point = {.bench = &fx_cpu, .values = values}, twin = point;
    struct am_point *const one[] = {&point}, *const other[] = {&twin};
    struct am_arena arena = {0};
    struct am_result_set set = {0};
    struct am_err err = {0};

    (void)am_store_load(store, NULL, &arena, &set, &err);
    ok(am_store_add_points(store, set.results[4].worker, one, 1, &err) == AM_OK &&
           point.id == FX_POINTS + 1,
       "a point is added behind the plan's");
    ok(am_store_add_points(store, set.results[4].worker, other, 1, &err) == AM_E_STORE,
       "not a second time: %s", err.text);
    err = (struct am_err){0};
    ok(am_store_add_points(store, "nobody", other, 1, &err) == AM_E_STORE,
       "nor to a worker that the plan does not have: %s", err.text);
    (void)am_store_load(store, NULL, &arena, &set, &err);
    ok(set.n == FX_POINTS + 1 && set.results[FX_POINTS].n_params == 2, "it is one of the results");
    is_str(set.results[FX_POINTS].text, "threads=7 ratio=0.5", "with its values");
    am_store_close(store);
    am_arena_fini(&arena);
}

int main(void)
{
    char dir[] = P_tmpdir "/test_store_XXXXXX";

    if (!mkdtemp(dir) || chdir(dir) != 0)
        return 1;
    test_create();
    test_permissions();
    test_round_trip();
    test_filters();
    test_resume();
    test_refusals();
    test_end();
    test_not_finite_and_raw();
    test_two_at_once();
    test_many_samples();
    test_added_points();
    ok(am_store_sqlite_version()[0] == '3', "SQLite says its version");
    for (size_t i = 0; i < 5; i++)
        (void)unlink(((const char *const[]){PATH, "nan.db", "two.db", "many.db", "added.db"})[i]);
    ok(chdir("/") == 0 && rmdir(dir) == 0, "nothing is left behind: no journal, no lock file");
    return tap_done();
}
