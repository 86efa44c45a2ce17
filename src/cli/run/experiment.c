/* SPDX-License-Identifier: MIT */
/* Experiment files: read with their includes, handed to the workers, turned into a plan. */
#include "cli/run/experiment.h"

#include "base/log.h"
#include "base/text.h"
#include "base/textfile.h"
#include "cli/study/study.h"
#include "store/query.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_TEXT_MAX = 64, TESTSETS_MAX = 32 * 1024 * 1024 };

static const char key_spec[] = "experiment.spec", key_order[] = "experiment.interleave";
static const double program_limit_s = 600; /* a program may take longer than our benches do */
static const double assumed_s = 1;         /* of an execution, where the file does not say */

/* ---- files ---- */

static enum am_status read_file(const char *path, struct am_arena *arena, struct am_spec_file *out,
                                struct am_err *err)
{
    char *text;
    size_t len;
    const enum am_status status = am_textfile_read(path, AM_SPEC_TEXT_MAX, arena, &text, &len, err);

    *out = (struct am_spec_file){.name = path, .text = text, .len = status == AM_OK ? len : 0};
    return status;
}

/* Relative to the file that includes it. */
static enum am_status load_include(void *self, const char *name, const char *from,
                                   struct am_arena *arena, struct am_spec_file *out,
                                   struct am_err *err)
{
    const char *const slash = strrchr(from, '/');
    const char *path = name;

    (void)self;
    if (*name != '/' && slash)
        path = am_arena_printf(arena, "%.*s/%s", (int)(slash - from), from, name);
    if (!path)
        return am_fail(err, AM_E_NOMEM, "no memory for an included file");
    return read_file(path, arena, out, err);
}

enum am_status am_experiment_load(const char *path, const struct am_symbol *symbols, bool quick,
                                  struct am_arena *arena, struct am_spec *out, struct am_err *err)
{
    struct am_spec_source source = {
        .file = path, .quick = quick, .symbols = symbols, .load = load_include};
    struct am_spec_file file;
    char folder[PATH_MAX];
    enum am_status s = read_file(path, arena, &file, err);

    if (s != AM_OK)
        return s;
    if (!realpath(path, folder))
        return am_fail(err, AM_E_SYS, "%s: where it lies", path);
    *strrchr(folder, '/') = '\0';
    source.folder = am_arena_strdup(arena, *folder ? folder : "/");
    source.text = file.text;
    source.len = file.len;
    if (!source.folder)
        return am_fail(err, AM_E_NOMEM, "%s: no memory for it", path);
    return am_spec_parse(&source, arena, out, err);
}

/* ---- what workers see ---- */

static bool set_path(const char *variable, int fd)
{
    char path[PATH_TEXT_MAX];

    (void)am_str_format(path, sizeof(path), "/proc/%ld/fd/%d", (long)getpid(), fd);
    return setenv(variable, path, 1) == 0;
}

static bool write_all(int fd, const char *text)
{
    size_t left = strlen(text);

    while (left) {
        const ssize_t n = write(fd, text, left);

        if (n <= 0)
            return false;
        text += n;
        left -= (size_t)n;
    }
    return true;
}

/* The ledger of builds lies beside it (src/bench/exec/make.h). */
enum am_status am_experiment_publish(const char *flat, struct am_err *err)
{
    const int spec = memfd_create("archmeter-experiment", MFD_CLOEXEC);
    const int ledger = memfd_create("archmeter-ledger", MFD_CLOEXEC);

    if (spec < 0 || ledger < 0 || !write_all(spec, flat) ||
        !set_path("ARCHMETER_EXPERIMENT", spec) || !set_path("ARCHMETER_EXPERIMENT_LEDGER", ledger))
        return am_fail(err, AM_E_SYS, "cannot hand the experiment to the workers");
    return AM_OK;
}

void am_experiment_keep(const struct am_spec *spec, struct am_setup *setup, struct am_arena *arena)
{
    am_kvs_add(&setup->settings, arena, key_spec, spec->flat);
    am_kvs_addf(&setup->settings, arena, key_order, "%u", setup->plan.settings.interleave);
}

enum am_status am_experiment_parse(const char *file, const struct am_kvs *kept,
                                   struct am_arena *arena, bool *there, struct am_spec *out,
                                   struct am_err *err)
{
    const char *const flat = am_kvs_get(kept, key_spec);
    const struct am_spec_source source = {
        .file = file, .folder = "/", .text = flat, .len = flat ? strlen(flat) : 0};

    *there = flat != NULL;
    return flat ? am_spec_parse(&source, arena, out, err) : AM_OK;
}

/* The flat form of a study begins with its folder and its name. */
bool am_experiment_is_study(const struct am_kvs *kept)
{
    const char *const flat = am_kvs_get(kept, key_spec);
    const char *const second = flat ? strchr(flat, '\n') : NULL;

    return second && strncmp(second, "\nstudy ", 7) == 0;
}

enum am_status am_experiment_recall(const struct am_kvs *kept, struct am_err *err)
{
    const char *const flat = am_kvs_get(kept, key_spec);

    return flat ? am_experiment_publish(flat, err) : AM_OK;
}

static enum am_status rank_points(const struct am_spec *spec, struct am_plan *plan,
                                  struct am_arena *arena, struct am_err *err)
{
    if (!spec->study || am_study_rank(spec->study, plan, arena))
        return AM_OK;
    return am_fail(err, AM_E_NOMEM, "no memory for the order of the plan");
}

enum am_status am_experiment_order(const struct am_kvs *kept, struct am_plan *plan,
                                   struct am_arena *arena, struct am_err *err)
{
    const char *const text = am_kvs_get(kept, key_order);
    struct am_spec spec = {0};
    bool there;
    uint64_t n;
    enum am_status s;

    if (text && am_parse_u64(text, strlen(text), &n) && n <= UINT_MAX)
        plan->settings.interleave = (unsigned)n;
    s = am_experiment_parse("the stored experiment", kept, arena, &there, &spec, err);
    return s == AM_OK && there ? rank_points(&spec, plan, arena, err) : s;
}

/* ---- the plan ---- */

struct planner {
    const struct am_cli *cli;
    struct am_setup *setup;
    const struct am_spec *spec;
    const struct am_spec_run *run; /* at hand */
    struct am_param params[AM_AXES_MAX];
    size_t n_params;
    struct am_err *err;
};

static enum am_status bad(const struct planner *p, struct am_spec_place place, const char *what)
{
    return am_fail(p->err, AM_E_USAGE, "%s:%u: %s", place.file, place.line, what);
}

/* Whether a study has a test whose bench no worker here has: then values that only such a worker
 * knows, as an executor or an instruction set, are no errors of the study either. */
static bool lacks_worker(const struct planner *p)
{
    bool lacks = false;

    for (size_t i = 0; p->spec->study && i < p->spec->n_tests && !lacks; i++)
        lacks = !p->spec->tests[i].exec &&
                am_study_is_absent(&p->setup->catalogue, p->spec->tests[i].name);
    return lacks;
}

static enum am_status add_part(struct planner *p, const struct am_bench *bench)
{
    struct am_err why = {0};
    const enum am_status s = am_plan_add(&p->setup->plan, bench, p->params, p->n_params,
                                         am_topo_symbols(p->setup->topo), p->cli->arena, &why);

    if (s == AM_E_ABSENT || (s == AM_E_USAGE && lacks_worker(p))) {
        am_log(AM_LOG_WARN, "%s is left out: %s", bench->name, why.text);
        return AM_OK;
    }
    return s == AM_OK ? AM_OK : bad(p, p->run->place, why.text);
}

static bool has_choice(const struct am_axis *axis, const char *label)
{
    for (size_t i = 0; axis->choices && axis->choices[i]; i++) {
        if (strcmp(axis->choices[i], label) == 0)
            return true;
    }
    return !axis->choices;
}

/* The worker marks a clock that it cannot set: the results must not claim it. */
static const char *marked(const struct planner *p, const struct am_axis *axis, const char *label)
{
    if (has_choice(axis, label) || strcmp(axis->name, "cpufreq") != 0)
        return label;
    am_log(AM_LOG_WARN,
           "%s:%u: cpufreq %s cannot be set: no program set_cpufreq lies beside the experiment, "
           "and the limits in sysfs are not writable; measured at whatever clock there is",
           p->run->place.file, p->run->place.line, label);
    return am_arena_printf(p->cli->arena, "%s-unset", label);
}

static enum am_status add_program(struct planner *p, const struct am_spec_axes *axes)
{
    const struct am_spec_test *const test = &p->spec->tests[p->run->test];
    const size_t first = p->setup->plan.n;
    const char *const name = am_arena_printf(p->cli->arena, "exec.%s", test->name);
    const struct am_bench *const bench =
        name ? am_catalogue_find(&p->setup->catalogue, "exec", name) : NULL;
    enum am_status s;

    if (!bench)
        return am_fail(p->err, AM_E_ABSENT, "the worker program exec is not available");
    for (p->n_params = 0; p->n_params < axes->n; p->n_params++) {
        const char *const labels = am_spec_run_labels(axes, p->n_params, p->run, p->cli->arena);

        if (!labels)
            return am_fail(p->err, AM_E_NOMEM, "no memory for the plan");
        p->params[p->n_params] =
            (struct am_param){.axis = axes->items[p->n_params].name,
                              .values = marked(p, &bench->axes[p->n_params], labels)};
    }
    s = add_part(p, bench);
    for (size_t i = first; i < p->setup->plan.n; i++)
        p->setup->plan.points[i].expect_s = test->expect_s > 0 ? test->expect_s : assumed_s;
    return s;
}

static enum am_status unknown_axis(const struct planner *p, const struct am_bench *bench,
                                   const struct am_spec_variable *v)
{
    const char *names[AM_AXES_MAX];
    const size_t n = am_axis_count(bench->axes);
    const char *near;

    for (size_t i = 0; i < n && i < AM_AXES_MAX; i++)
        names[i] = bench->axes[i].name;
    near = am_nearest(v->name, names, n);
    return am_fail(p->err, AM_E_USAGE, "%s:%u: %s has no axis \"%s\"%s%s%s", v->place.file,
                   v->place.line, bench->name, v->name, near ? "; did you mean \"" : "",
                   near ? near : "", near ? "\"?" : "");
}

/* A test without exec is a bench of ours, its variables are axes. */
static enum am_status add_bench(struct planner *p)
{
    const struct am_spec_test *const test = &p->spec->tests[p->run->test];
    const struct am_catalogue *const c = &p->setup->catalogue;
    const struct am_bench *const any = am_catalogue_find(c, NULL, test->name);
    enum am_status s = AM_OK;

    if (!any && p->spec->study && am_study_is_absent(c, test->name)) {
        am_log(AM_LOG_WARN, "%s is left out: no worker here has it", test->name);
        return AM_OK;
    }
    if (!any)
        return am_fail(p->err, AM_E_USAGE,
                       "%s:%u: test %s has no exec, and no bench of ours is called so",
                       test->place.file, test->place.line, test->name);
    p->n_params = 0;
    for (size_t i = 0; i < p->run->vars.n; i++) {
        const struct am_spec_variable *const v = &p->run->vars.items[i];
        const char *values = v->values.n ? v->values.items[0] : NULL;

        for (size_t k = 1; values && k < v->values.n; k++)
            values = am_arena_printf(p->cli->arena, "%s,%s", values, v->values.items[k]);
        if (am_axis_find(any->axes, v->name) < 0)
            return unknown_axis(p, any, v);
        if (values)
            p->params[p->n_params++] = (struct am_param){.axis = v->name, .values = values};
    }
    for (size_t w = 0; w < c->n && s == AM_OK; w++) {
        const struct am_bench *const bench = am_catalogue_find(c, c->workers[w].name, test->name);

        if (bench)
            s = add_part(p, bench);
    }
    return s;
}

/* ---- points that are planned twice ---- */

struct planned {
    const struct am_bench *bench;
    const char *text;
    const struct am_spec_run *run;
    size_t index; /* in the plan */
};

static int by_point(const void *x, const void *y)
{
    const struct planned *const a = x, *const b = y;
    const int order = strcmp(a->bench->name, b->bench->name);

    return order ? order : strcmp(a->text, b->text);
}

/* Keeps the points that are not marked, in their order. */
static void drop_marked(struct am_plan *plan, const bool *marked)
{
    size_t n = 0;

    for (size_t i = 0; i < plan->n; i++) {
        if (!marked[i])
            plan->points[n++] = plan->points[i];
    }
    plan->n = n;
}

/* Sweeps of a bench of ours may cross, the more so on a small machine: a point is measured once.
 * A program's are told apart by all that is set: two alike are a mistake. */
static enum am_status settle_twice(const struct planner *p, struct planned *planned, bool *twice)
{
    const struct am_plan *const plan = &p->setup->plan;

    for (size_t i = 1; i < plan->n; i++) {
        const struct am_spec_run *const a = planned[i - 1].run, *const b = planned[i].run;
        const struct am_spec_run *const later = a > b ? a : b, *const earlier = a > b ? b : a;

        if (by_point(&planned[i - 1], &planned[i]) != 0 || planned[i].bench != planned[i - 1].bench)
            continue;
        if (p->spec->tests[later->test].exec)
            return am_fail(p->err, AM_E_USAGE, "%s:%u: the run at line %u has \"%s\" already",
                           later->place.file, later->place.line, earlier->place.line,
                           planned[i].text);
        twice[planned[i].index] = true;
    }
    return AM_OK;
}

static void add_json(struct am_text *out, const char *text)
{
    am_text_add(out, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            am_text_add(out, "\\");
        if ((unsigned char)*text < ' ')
            am_text_addf(out, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            am_text_addn(out, text, 1);
    }
    am_text_add(out, "\"");
}

/* A program has its testset as an axis. Our benches have their own axes only, and one point may
 * belong to several: the names are kept beside the plan. */
static enum am_status keep_testsets(const struct planner *p, const struct planned *planned)
{
    struct am_text text;
    enum am_status s = AM_OK;

    am_text_init(&text, TESTSETS_MAX);
    for (size_t i = 0; i < p->setup->plan.n; i++) {
        const struct am_spec_run *const run = planned[i].run;

        if (!run->testset || p->spec->tests[run->test].exec)
            continue;
        am_text_add(&text, text.len ? "," : "[");
        am_text_add(&text, "[");
        add_json(&text, run->testset);
        am_text_add(&text, ",");
        add_json(&text, planned[i].bench->name);
        am_text_add(&text, ",");
        add_json(&text, planned[i].text);
        am_text_add(&text, "]");
    }
    if (text.len) {
        am_text_add(&text, "]");
        am_kvs_add(&p->setup->settings, p->cli->arena, AM_STORE_TESTSETS, am_text_str(&text));
    }
    if (text.overflow)
        s = am_fail(p->err, AM_E_LIMIT, "the points in testsets are too many");
    am_text_fini(&text);
    return s;
}

static enum am_status check_twice(const struct planner *p, struct planned *planned)
{
    struct am_plan *const plan = &p->setup->plan;
    bool *const twice = am_arena_array(p->cli->arena, plan->n, sizeof(*twice));
    enum am_status s;

    for (size_t i = 0; i < plan->n; i++) {
        char text[AM_POINT_TEXT_MAX];

        am_point_text(&plan->points[i], text, sizeof(text));
        planned[i].bench = plan->points[i].bench;
        planned[i].text = am_arena_strdup(p->cli->arena, text);
        planned[i].index = i;
        if (!planned[i].text || !twice)
            return am_fail(p->err, AM_E_NOMEM, "no memory for the plan");
    }
    qsort(planned, plan->n, sizeof(*planned), by_point);
    s = settle_twice(p, planned, twice);
    if (s == AM_OK)
        s = keep_testsets(p, planned);
    if (s == AM_OK)
        drop_marked(plan, twice);
    return s;
}

/* Which run each point came from, for messages. */
static enum am_status note_runs(const struct planner *p, struct planned **planned, size_t *cap,
                                size_t first)
{
    const size_t n = p->setup->plan.n;

    if (n > *cap) {
        struct planned *const more = am_arena_array(p->cli->arena, 2 * n, sizeof(*more));

        if (!more)
            return am_fail(p->err, AM_E_NOMEM, "no memory for the plan");
        if (first)
            memcpy(more, *planned, first * sizeof(*more));
        *planned = more;
        *cap = 2 * n;
    }
    for (size_t i = first; i < n; i++)
        (*planned)[i].run = p->run;
    return AM_OK;
}

static enum am_status add_runs(struct planner *p)
{
    struct am_spec_axes *const axes = am_arena_alloc(p->cli->arena, sizeof(*axes));
    struct planned *planned = NULL;
    size_t test = SIZE_MAX, cap = 0;
    enum am_status s = axes ? AM_OK : am_fail(p->err, AM_E_NOMEM, "no memory for the plan");

    for (size_t i = 0; i < p->spec->n_runs && s == AM_OK; i++) {
        const size_t first = p->setup->plan.n;
        const bool program = p->spec->tests[p->spec->runs[i].test].exec != NULL;

        p->run = &p->spec->runs[i];
        if (program && p->run->test != test) {
            test = p->run->test;
            s = am_spec_axes_of(p->spec, test, p->cli->arena, axes, p->err);
        }
        if (s == AM_OK)
            s = program ? add_program(p, axes) : add_bench(p);
        if (s == AM_OK)
            s = note_runs(p, &planned, &cap, first);
    }
    if (s == AM_OK && p->setup->plan.n == 0)
        s = am_fail(p->err, AM_E_ABSENT, "nothing of the experiment can be measured here");
    return s == AM_OK ? check_twice(p, planned) : s;
}

static void tell_assumed(const struct am_spec *spec)
{
    for (size_t i = 0; i < spec->n_tests; i++) {
        if (spec->tests[i].exec && !(spec->tests[i].expect_s > 0))
            am_log(AM_LOG_INFO,
                   "%s: %.0f s assumed for one execution; \"expect SECONDS\" says better",
                   spec->tests[i].name, assumed_s);
    }
}

enum am_status am_experiment_plan(const struct am_cli *cli, struct am_setup *setup,
                                  const struct am_spec *spec, struct am_err *err)
{
    struct planner p = {.cli = cli, .setup = setup, .spec = spec, .err = err};
    struct am_plan_settings *const set = &setup->plan.settings;
    enum am_status s;

    setup->plan = (struct am_plan){.places = am_topo_places(setup->topo)};
    s = am_setup_settings(cli->opt, set, err);
    if (s != AM_OK)
        return s;
    if (spec->study && set->profile == AM_PROFILE_QUICK && !cli->opt->launches.min)
        am_study_launches(set);
    if (spec->reps && !cli->opt->launches.min)
        set->min_launches = set->max_launches = spec->reps;
    if (cli->opt->launch_limit_s < 0)
        set->launch_limit_s = program_limit_s;
    if (cli->opt->interleave.given && cli->opt->interleave.value > UINT_MAX)
        return am_fail(err, AM_E_USAGE, "--interleave: too large a number");
    set->interleave = !cli->opt->interleave.given  ? 1
                      : cli->opt->interleave.value ? (unsigned)cli->opt->interleave.value
                                                   : UINT_MAX;
    if (spec->study && cli->opt->budget_s < 0)
        set->budget_s = am_study_budget(spec->study, set->profile == AM_PROFILE_QUICK);
    s = spec->study ? am_study_check(spec->study, &setup->catalogue, err) : AM_OK;
    if (s == AM_OK)
        s = add_runs(&p);
    if (s == AM_OK)
        s = rank_points(spec, &setup->plan, cli->arena, err);
    if (s == AM_OK && cli->opt->dry_run)
        tell_assumed(spec);
    return s;
}
