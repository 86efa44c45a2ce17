/* SPDX-License-Identifier: MIT */
/* Command lines from templates: a value never becomes two words, and no shell sees it unasked. */
#include "bench/exec/command.h"

#include "base/text.h"

#include <string.h>
#include <unistd.h>

void am_exec_point_read(const struct am_exec_test *of, const struct am_value *values,
                        struct am_exec_point *out)
{
    *out = (struct am_exec_point){.of = of};
    for (size_t i = 0; i < of->axes.n; i++) {
        const struct am_spec_axis *const axis = &of->axes.items[i];
        char label[AM_VALUE_TEXT_MAX];
        int k;

        am_value_text(&values[i], label, sizeof(label));
        k = am_name_index(axis->labels, axis->n, label);
        if (k >= 0)
            out->texts[i] = axis->texts[k];
    }
}

const char *am_exec_point_text(const struct am_exec_point *point, const char *axis)
{
    for (size_t i = 0; i < point->of->axes.n; i++) {
        if (strcmp(point->of->axes.items[i].name, axis) == 0)
            return point->texts[i];
    }
    return NULL;
}

static const char *value_of(const void *self, const char *name)
{
    return am_exec_point_text(self, name);
}

/* ---- what does not vary is no axis: the first run of the test has it ---- */

static const struct am_spec_run *first_run(const struct am_exec_test *of)
{
    const size_t test = (size_t)(of->test - of->spec->tests);

    for (size_t i = 0; i < of->spec->n_runs; i++) {
        if (of->spec->runs[i].test == test)
            return &of->spec->runs[i];
    }
    return NULL; /* the parser refuses a test without a run */
}

static bool has_axis(const struct am_exec_test *of, const char *name)
{
    for (size_t i = of->axes.n_variables; i < of->axes.n; i++) {
        if (strcmp(of->axes.items[i].name, name) == 0)
            return true;
    }
    return false;
}

/* The words of argv, makeflags or env: the point's, or all runs'. */
static enum am_status extra_words(const struct am_exec_point *p, const char *name,
                                  const char *otherwise, struct am_arena *arena,
                                  struct am_strings *out, struct am_err *err)
{
    const char *const own = am_exec_point_text(p, name);
    const char *const text = has_axis(p->of, name) ? (own ? own : "") : otherwise;
    const char *why = "";

    if (am_spec_split(text, arena, out, &why))
        return AM_OK;
    return am_fail(err, AM_E_PARSE, "%s: %s", name, why);
}

static enum am_status no_memory(struct am_err *err)
{
    return am_fail(err, AM_E_NOMEM, "no memory for a command line");
}

static bool add_expanded(struct am_strings *list, const char *text, const struct am_exec_point *p,
                         struct am_arena *arena)
{
    const char *const word = am_spec_expand(text, value_of, p, arena);

    return word && am_strings_add(list, arena, word);
}

/* ---- the environment ---- */

static enum am_status add_environment(const struct am_exec_point *p, struct am_arena *arena,
                                      struct am_exec_program *out, struct am_err *err)
{
    const struct am_spec_run *const run = first_run(p->of);
    struct am_strings words = run->env, list = {0};

    /* The label of the axis stands for all entries, joined: entries themselves may hold blanks. */
    for (size_t i = 0; has_axis(p->of, "env") && i < p->of->spec->n_runs; i++) {
        const struct am_spec_run *const other = &p->of->spec->runs[i];
        const char *const mine = am_exec_point_text(p, "env");
        const char *joined = "";

        if (other->test != run->test)
            continue;
        for (size_t k = 0; joined && k < other->env.n; k++)
            joined = am_arena_printf(arena, "%s%s%s", joined, k ? " " : "", other->env.items[k]);
        if (!joined)
            return no_memory(err);
        if (strcmp(joined, mine ? mine : "") == 0)
            words = other->env;
    }
    for (size_t i = 0; i < words.n; i++) {
        if (!add_expanded(&list, words.items[i], p, arena))
            return no_memory(err);
    }
    out->env = list.items;
    out->n_env = list.n;
    return AM_OK;
}

/* ---- the program ---- */

/* A name is used by some template of the test, so that it is not passed by itself. */
struct search {
    const char *name;
    bool found;
};

static bool is_it(void *self, const char *name)
{
    struct search *const s = self;

    s->found = s->found || strcmp(s->name, name) == 0;
    return true;
}

static bool is_templated(const struct am_exec_test *of, const char *name)
{
    struct search s = {.name = name};
    const char *why;

    (void)am_spec_template_names(of->test->exec, is_it, &s, &why);
    for (size_t i = 0; i < of->test->builds.n; i++)
        (void)am_spec_template_names(of->test->builds.items[i], is_it, &s, &why);
    for (size_t i = 0; i < of->spec->n_runs; i++) {
        const struct am_spec_run *const run = &of->spec->runs[i];

        for (size_t k = 0; &of->spec->tests[run->test] == of->test && k < run->env.n; k++)
            (void)am_spec_template_names(strchr(run->env.items[k], '=') + 1, is_it, &s, &why);
    }
    return s.found;
}

/* Without `arg` lines: --name value for every variable that no template uses. */
static bool add_default_args(struct am_strings *list, const struct am_exec_point *p,
                             struct am_arena *arena)
{
    for (size_t i = 0; i < p->of->axes.n_variables; i++) {
        const char *const name = p->of->axes.items[i].name;
        const char *option;

        if (!p->texts[i] || is_templated(p->of, name) ||
            (p->of->marked && strcmp(name, AM_SPEC_REGION) == 0))
            continue;
        option = am_arena_printf(arena, "--%s", name);
        if (!option || !am_strings_add(list, arena, option) ||
            !am_strings_add(list, arena, p->texts[i]))
            return false;
    }
    return true;
}

/* path/exec; the name alone, for $PATH, where the test has no path and the name no slash. */
static const char *located(const struct am_exec_test *of, const char *exec, struct am_arena *arena)
{
    if (*exec == '/' || (!of->test->path && !strchr(exec, '/')))
        return exec;
    return am_arena_printf(arena, "%s/%s", of->folder, exec);
}

/* One text for /bin/sh -c: what the test asked for by `shell yes`. */
static enum am_status through_shell(const struct am_strings *words, struct am_arena *arena,
                                    struct am_strings *out, struct am_err *err)
{
    const char *text = "";

    for (size_t i = 0; text && i < words->n; i++)
        text = am_arena_printf(arena, "%s%s%s", text, i ? " " : "", words->items[i]);
    *out = (struct am_strings){0};
    if (!text || !am_strings_add(out, arena, "/bin/sh") || !am_strings_add(out, arena, "-c") ||
        !am_strings_add(out, arena, text))
        return no_memory(err);
    return AM_OK;
}

static enum am_status finish(const struct am_exec_point *p, struct am_strings *words,
                             struct am_arena *arena, struct am_exec_program *out,
                             struct am_err *err)
{
    if (!am_strings_add(words, arena, NULL))
        return no_memory(err);
    *out = (struct am_exec_program){.argv = words->items, .folder = p->of->folder};
    return add_environment(p, arena, out, err);
}

/* A whole line as the test's `shell` has it. Where no shell sees it, it is cut into words before
 * values are put in: a value stays one word. */
static enum am_status line_command(const struct am_exec_point *p, const char *what,
                                   const char *line, struct am_arena *arena,
                                   struct am_exec_program *out, struct am_err *err)
{
    const enum am_spec_shell shell = p->of->test->shell;
    struct am_strings templates, words = {0};
    const char *why = "";

    if (shell == AM_SPEC_SHELL || (shell == AM_SPEC_SHELL_AUTO && am_spec_needs_shell(line))) {
        if (!add_expanded(&words, line, p, arena) ||
            through_shell(&words, arena, &words, err) != AM_OK)
            return no_memory(err);
        return finish(p, &words, arena, out, err);
    }
    if (!am_spec_split(line, arena, &templates, &why))
        return am_fail(err, AM_E_PARSE, "%s: %s", what, why);
    for (size_t k = 0; k < templates.n; k++) {
        if (!add_expanded(&words, templates.items[k], p, arena))
            return no_memory(err);
    }
    return finish(p, &words, arena, out, err);
}

const char *am_exec_line(const struct am_exec_point *p)
{
    char name[AM_SPEC_NAME_MAX];
    const char *const exec = p->of->test->exec;
    const char *const value = am_spec_is_variable(exec, name) ? am_exec_point_text(p, name) : NULL;

    return value ? value : exec;
}

enum am_status am_exec_command(const struct am_exec_point *p, struct am_arena *arena,
                               struct am_exec_program *out, struct am_err *err)
{
    const struct am_spec_test *const test = p->of->test;
    const bool shell = test->shell == AM_SPEC_SHELL;
    struct am_strings words = {0}, exec, argv;
    const char *why = "";
    enum am_status s = extra_words(p, "argv", first_run(p->of)->argv, arena, &argv, err);
    bool good = s == AM_OK;

    if (test->shell == AM_SPEC_SHELL_AUTO)
        return line_command(p, "exec", am_exec_line(p), arena, out, err);
    if (!shell && !am_spec_split(test->exec, arena, &exec, &why))
        return am_fail(err, AM_E_PARSE, "exec: %s", why);
    good = good && add_expanded(&words, shell ? test->exec : exec.items[0], p, arena);
    if (good && !shell)
        words.items[0] = located(p->of, words.items[0], arena);
    good = good && words.items[0];
    for (size_t i = 0; good && i < test->args.n; i++)
        good = add_expanded(&words, test->args.items[i], p, arena);
    if (good && !test->args.n && !shell)
        good = add_default_args(&words, p, arena);
    for (size_t i = 0; good && i < argv.n; i++)
        good = am_strings_add(&words, arena, argv.items[i]);
    good = good && (!shell || through_shell(&words, arena, &words, err) == AM_OK);
    if (!good)
        return s == AM_OK ? no_memory(err) : s;
    return finish(p, &words, arena, out, err);
}

enum am_status am_exec_prepare_command(const struct am_exec_point *p, struct am_arena *arena,
                                       struct am_exec_program *out, struct am_err *err)
{
    return p->of->test->prepare ? line_command(p, "prepare", p->of->test->prepare, arena, out, err)
                                : AM_E_ABSENT;
}

enum am_status am_exec_cleanup_command(const struct am_exec_point *p, struct am_arena *arena,
                                       struct am_exec_program *out, struct am_err *err)
{
    return p->of->test->cleanup ? line_command(p, "cleanup", p->of->test->cleanup, arena, out, err)
                                : AM_E_ABSENT;
}

enum am_status am_exec_beside(const struct am_exec_point *p, struct am_arena *arena,
                              struct am_beside *out, struct am_err *err)
{
    const char *const line = p->of->test->beside;
    const char *const text = line ? am_spec_expand(line, value_of, p, arena) : NULL;

    if (!line)
        return AM_E_ABSENT;
    if (!text)
        return no_memory(err);
    return am_beside_parse(text, out) ? AM_OK
                                      : am_fail(err, AM_E_PARSE, "beside: \"%s\" is none", text);
}

enum am_status am_exec_work(const struct am_exec_point *p, struct am_arena *arena,
                            struct am_work *out, struct am_err *err)
{
    double *const fields[] = {&out->flops, &out->bytes_read, &out->bytes_written};
    const struct am_strings *const work = &p->of->test->work;

    out->ops = 1;
    for (size_t i = 0; i < work->n; i++) {
        const char *const text = am_spec_expand(work->items[i], value_of, p, arena);

        if (!text || !am_spec_product(text, fields[i]))
            return am_fail(err, AM_E_WRONG, "work: \"%s\" is no number, and no product of numbers",
                           text ? text : "");
    }
    return AM_OK;
}

/* ---- building ---- */

static bool has_makefile(const struct am_exec_test *of, struct am_arena *arena)
{
    static const char *const names[] = {"GNUmakefile", "makefile", "Makefile"};

    for (size_t i = 0; of->test->path && i < sizeof(names) / sizeof(*names); i++) {
        const char *const path = am_arena_printf(arena, "%s/%s", of->folder, names[i]);

        if (path && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

static enum am_status make_command(const struct am_exec_point *p, struct am_arena *arena,
                                   struct am_exec_program *out, struct am_err *err)
{
    struct am_strings words = {0}, flags;
    enum am_status s = extra_words(p, "makeflags", first_run(p->of)->makeflags, arena, &flags, err);
    bool good = s == AM_OK && am_strings_add(&words, arena, "make");

    for (size_t i = 0; good && i < flags.n; i++)
        good = am_strings_add(&words, arena, flags.items[i]);
    if (!good || !am_strings_add(&words, arena, NULL))
        return s == AM_OK ? no_memory(err) : s;
    *out = (struct am_exec_program){.argv = words.items, .folder = p->of->folder};
    return add_environment(p, arena, out, err);
}

enum am_status am_exec_build_command(const struct am_exec_point *p, size_t i,
                                     struct am_arena *arena, struct am_exec_program *out,
                                     struct am_err *err)
{
    const struct am_spec_test *const test = p->of->test;

    if (test->build_none || i >= (test->builds.n ? test->builds.n : 1))
        return AM_E_ABSENT;
    if (test->builds.n == 0)
        return has_makefile(p->of, arena) ? make_command(p, arena, out, err) : AM_E_ABSENT;
    return line_command(p, "build", test->builds.items[i], arena, out, err);
}
