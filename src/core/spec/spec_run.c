/* SPDX-License-Identifier: MIT */
/* What an experiment's runs and tests must have, checked where they end. */
#include "core/spec/spec_reader.h"

#include <string.h>

enum { NAMES_MAX = 80 };

/* Whether one inserted, left-out, wrong or swapped letter makes one word of the other. */
static bool one_edit(const char *a, const char *b)
{
    const size_t la = strlen(a), lb = strlen(b);
    size_t head = 0, tail = 0;

    if (la + 1 < lb || lb + 1 < la)
        return false;
    while (a[head] && a[head] == b[head])
        head++;
    while (tail < la - head && tail < lb - head && a[la - 1 - tail] == b[lb - 1 - tail])
        tail++;
    if (la == lb && la - head - tail == 2)
        return a[head] == b[head + 1] && a[head + 1] == b[head];
    return la - head - tail <= 1 && lb - head - tail <= 1;
}

enum am_status am_spec_unknown(struct am_spec_reader *r, struct am_spec_place place,
                               const char *key)
{
    const char *names[NAMES_MAX];
    const char *near;
    size_t n = 0;

    for (; am_spec_key(n); n++)
        names[n] = am_spec_key(n);
    for (size_t i = 0; r->out->study && am_study_key(i) && n < NAMES_MAX; i++)
        names[n++] = am_study_key(i);
    for (size_t i = 0; i < r->used.n && n < NAMES_MAX; i++)
        names[n++] = r->used.items[i];
    near = am_nearest(key, names, n);
    return am_spec_bad_at(r, place,
                          "unknown key \"%s\"%s%s%s (a variable that no template uses: "
                          "\"variable %s\" declares it)",
                          key, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "",
                          key);
}

/* ---- templates ---- */

struct look {
    struct am_spec_reader *r;
    enum am_status status;
};

/* Every variable of a template has a value, and counts as used. */
static bool need_value(void *self, const char *name)
{
    struct look *const look = self;
    struct am_spec_reader *const r = look->r;
    const struct am_spec_variable *const v = am_spec_find_variable(&r->now.vars, name);
    const char *names[AM_AXES_MAX];
    const char *near;

    if (v && v->values.n) {
        if (!am_strings_have(&r->used, v->name) && !am_strings_add(&r->used, r->arena, v->name))
            look->status = am_spec_no_memory(r);
        return look->status == AM_OK;
    }
    for (size_t i = 0; i < r->now.vars.n; i++)
        names[i] = r->now.vars.items[i].name;
    near = am_nearest(name, names, r->now.vars.n);
    look->status = am_spec_bad(r, "{%s} has no value%s%s%s", name, near ? "; did you mean {" : "",
                               near ? near : "", near ? "}?" : "");
    return false;
}

static void look_at(struct look *look, const char *text)
{
    const char *why;

    if (look->status == AM_OK)
        (void)am_spec_template_names(text, need_value, look, &why); /* was checked when read */
}

/* Values that are whole command lines hold variables too. */
static void look_at_lines(struct look *look)
{
    const struct am_spec_state *const now = &look->r->now;
    char name[AM_SPEC_NAME_MAX];
    const struct am_spec_variable *v = NULL;

    if (now->test.shell == AM_SPEC_SHELL_AUTO && am_spec_is_variable(now->test.exec, name))
        v = am_spec_find_variable(&now->vars, name);
    for (size_t i = 0; v && i < v->values.n; i++)
        look_at(look, v->values.items[i]);
}

static enum am_status check_templates(struct am_spec_reader *r)
{
    const struct am_spec_state *const now = &r->now;
    struct look look = {.r = r, .status = AM_OK};

    look_at(&look, now->test.exec);
    for (size_t i = 0; i < now->test.args.n; i++)
        look_at(&look, now->test.args.items[i]);
    for (size_t i = 0; i < now->test.builds.n; i++)
        look_at(&look, now->test.builds.items[i]);
    for (size_t i = 0; i < now->env.n; i++)
        look_at(&look, strchr(now->env.items[i], '=') + 1);
    look_at(&look, now->test.prepare ? now->test.prepare : "");
    look_at(&look, now->test.cleanup ? now->test.cleanup : "");
    look_at(&look, now->test.beside ? now->test.beside : "");
    for (size_t i = 0; i < now->test.work.n; i++)
        look_at(&look, now->test.work.items[i]);
    look_at_lines(&look);
    return look.status;
}

/* ---- runs ---- */

static enum am_status check_program(struct am_spec_reader *r)
{
    const enum am_status s = am_spec_check_lines(r);

    if (s == AM_OK && r->now.test.marked && am_spec_has_more(&r->now.test))
        return am_spec_bad(r, "marks go with no other results, and with nothing before or after an "
                              "execution");
    return s == AM_OK ? check_templates(r) : s;
}

/* A variable that is nearly `exec` is what keeps a test from having one. */
static const struct am_spec_variable *mistyped_exec(const struct am_spec_variables *vars)
{
    for (size_t i = 0; i < vars->n; i++) {
        if (!vars->items[i].declared && one_edit(vars->items[i].name, "exec"))
            return &vars->items[i];
    }
    return NULL;
}

/* A test without exec is one of our benches: nothing of a program's may be set. */
static enum am_status check_bench(struct am_spec_reader *r)
{
    const struct am_spec_state *const n = &r->now;
    const struct am_spec_variable *const meant = mistyped_exec(&n->vars);
    const struct {
        const char *key;
        bool given;
    } of_programs[] = {
        {"path", n->test.path != NULL},
        {"arg", n->test.args.n > 0},
        {"build", n->test.builds.n > 0},
        {"result", n->test.results.n > 0},
        {"env", n->env.n > 0},
        {"iterations", n->test.iterations != NULL},
        {"argv", *n->argv != '\0'},
        {"makeflags", *n->makeflags != '\0'},
        {"cpufreq", n->cpufreq != NULL},
        {"shell", n->test.shell != AM_SPEC_DIRECT},
        {"prepare", n->test.prepare != NULL},
        {"cleanup", n->test.cleanup != NULL},
        {"warmup", n->test.warmup > 0},
        {"codes", n->test.any_code},
        {"beside", n->test.beside != NULL},
        {"resources", n->test.resources},
        {"printed", n->test.printed != AM_SPEC_FIRST},
        {"mark", n->test.marked},
        {"work", n->test.work.n > 0},
    };

    for (size_t i = 0; i < sizeof(of_programs) / sizeof(*of_programs); i++) {
        if (of_programs[i].given && meant)
            return am_spec_unknown(r, meant->place, meant->name);
        if (of_programs[i].given)
            return am_spec_bad(r, "test %s has no exec, and %s is for programs", n->test.name,
                               of_programs[i].key);
    }
    return AM_OK;
}

/* A test that says nothing goes with those that do. */
static enum am_status check_reps(struct am_spec_reader *r)
{
    if (r->now.reps && r->out->reps && r->out->reps != r->now.reps)
        return am_spec_bad(r, "reps is %u here and %u for an earlier run; an experiment has one",
                           r->now.reps, r->out->reps);
    if (r->now.reps)
        r->out->reps = r->now.reps;
    return AM_OK;
}

enum am_status am_spec_add_run(struct am_spec_reader *r)
{
    struct am_spec *const out = r->out;
    struct am_spec_run run = {
        .test = out->n_tests,
        .place = r->place,
        .testset = r->now.testset,
        .cpufreq = r->now.cpufreq,
        .env = r->now.env,
        .argv = r->now.argv,
        .makeflags = r->now.makeflags,
        .vars = r->now.vars,
    };
    enum am_status s;

    if (!r->in_test)
        return am_spec_bad(r, "run before any test");
    if (out->n_runs == AM_SPEC_RUNS_MAX)
        return am_spec_bad(r, "more than %d runs", AM_SPEC_RUNS_MAX);
    s = r->now.test.exec ? check_program(r) : check_bench(r);
    if (s == AM_OK)
        s = check_reps(r);
    if (s != AM_OK)
        return s;
    if (!am_spec_copy_variables(&run.vars, r->arena) || !am_spec_copy_list(&run.env, r->arena))
        return am_spec_no_memory(r);
    r->now.test.fixed = true;
    out->runs[out->n_runs++] = run;
    return AM_OK;
}

/* ---- the end of a test ---- */

/* Where arguments are templates, a variable that none uses is a typing error. Where every variable
 * is passed on, only one that is nearly a key is. */
static enum am_status check_variable(struct am_spec_reader *r, const struct am_spec_variable *v)
{
    if (v->declared || am_strings_have(&r->used, v->name))
        return AM_OK;
    if (r->now.test.args.n || r->now.test.shell != AM_SPEC_DIRECT)
        return am_spec_unknown(r, v->place, v->name);
    for (size_t i = 0; am_spec_key(i); i++) {
        if (one_edit(v->name, am_spec_key(i)))
            return am_spec_unknown(r, v->place, v->name);
    }
    return AM_OK;
}

enum am_status am_spec_close_test(struct am_spec_reader *r)
{
    enum am_status s = AM_OK;

    if (!r->in_test) {
        for (size_t i = 0; s == AM_OK && i < r->now.vars.n; i++)
            s = check_variable(r, &r->now.vars.items[i]);
        return s;
    }
    if (!r->now.test.fixed)
        return am_spec_bad_at(r, r->now.test.place, "test %s has no run", r->now.test.name);
    for (size_t i = 0; s == AM_OK && r->now.test.exec && i < r->now.vars.n; i++)
        s = check_variable(r, &r->now.vars.items[i]);
    if (s == AM_OK)
        r->out->tests[r->out->n_tests++] = r->now.test;
    return s;
}
