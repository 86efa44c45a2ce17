/* SPDX-License-Identifier: MIT */
/* Command lines as an experiment: who starts them, what braces mean, what is refused. */
#include "base/text.h"
#include "core/spec/commands.h"

#include "tap.h"

#include <string.h>

/* ---- shells ---- */

static void test_shells(void)
{
    static const struct {
        const char *line;
        bool needs;
    } cases[] = {
        {"gzip -9 -c file", false},
        {"echo 'a | b; $c *' \"x & y\"", false},
        {"find . -name x", false},
        {"awk {print}", false},
        {"a#b c~d", false},
        {"make -j4 CC=gcc", false},
        {"true", false},
        {"a | b", true},
        {"a > b", true},
        {"a; b", true},
        {"a && b", true},
        {"ls *.c", true},
        {"echo $HOME", true},
        {"echo \"$HOME\"", true},
        {"echo `date`", true},
        {"echo a\\ b", true},
        {"ls ~/x", true},
        {"A=1 b", true},
        {"cd /tmp", true},
        {"exit 3", true},
        {"  ulimit -s 100", true},
        {"a # rest", true},
        {"(a)", true},
        {"'un|closed", false},
        {"", false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        ok(am_spec_needs_shell(cases[i].line) == cases[i].needs, "\"%s\" %s a shell", cases[i].line,
           cases[i].needs ? "needs" : "needs no");
}

/* ---- the experiment ---- */

static enum am_status make(struct am_commands *c, const char *const *lines, struct am_arena *arena,
                           const char **text, struct am_err *err)
{
    c->lines = (struct am_strings){0};
    for (; *lines; lines++) {
        if (!am_strings_add(&c->lines, arena, *lines))
            return AM_E_NOMEM;
    }
    *text = "";
    *err = (struct am_err){0};
    return am_commands_spec(c, arena, text, err);
}

static enum am_status parse(const char *text, struct am_arena *arena, struct am_spec *spec,
                            struct am_err *err)
{
    const struct am_spec_source source = {
        .file = "commands", .folder = "/here", .text = text, .len = strlen(text)};

    return am_spec_parse(&source, arena, spec, err);
}

static const char *nothing(const void *self, const char *name)
{
    (void)self, (void)name;
    return "7";
}

static void test_parameters(void)
{
    struct am_param params[] = {{.axis = "n", .values = "1,2,4"}, {.axis = "f", .values = "x,y"}};
    struct am_commands c = {.params = params, .n_params = 2, .warmup = 1, .prepare = "touch {f}"};
    struct am_arena arena = {0};
    struct am_spec *const spec = am_arena_alloc(&arena, sizeof(*spec));
    struct am_spec_axes *const axes = am_arena_alloc(&arena, sizeof(*axes));
    struct am_err err = {0};
    const char *text;

    ok(make(&c,
            (const char *const[]){"a -{n} {f}", "b {f} | awk '{print} {x y}' ${n}", "c {f}", NULL},
            &arena, &text, &err) == AM_OK,
       "three commands with two parameters (%s)", err.text);
    ok(parse(text, &arena, spec, &err) == AM_OK, "are an experiment (%s)", err.text);
    ok(spec->n_tests == 2 && spec->n_runs == 4,
       "of a run each, and a shell of its own, since one needs it");
    ok(spec->tests[0].shell == AM_SPEC_SHELL_AUTO && spec->tests[0].resources &&
           spec->tests[0].warmup == 1 && spec->tests[0].printed == AM_SPEC_LAST,
       "they are started by need, and what they use and print is kept");
    ok(am_spec_axes_of(spec, 0, &arena, axes, &err) == AM_OK, "axes (%s)", err.text);
    is_str(axes->items[0].name, "command", "the first axis is the command");
    is_str(am_spec_run_labels(axes, 1, &spec->runs[0], &arena), "1,2,4", "the first takes each n");
    is_str(am_spec_run_labels(axes, 1, &spec->runs[1], &arena), "-",
           "the second does not: ${n} is the shell's");
    is_str(am_spec_run_labels(axes, 1, &spec->runs[2], &arena), "-",
           "the third, without {n}, is measured once");
    is_str(am_spec_run_labels(axes, 2, &spec->runs[2], &arena), "x,y",
           "but for each f, which --prepare uses");
    is_str(am_spec_expand(spec->runs[1].vars.items[0].values.items[0], nothing, NULL, &arena),
           "b 7 | awk '{print} {x y}' ${n}", "braces that are no parameter stay");
    ok(strcmp(spec->tests[1].name, AM_COMMANDS_SHELL_TEST) == 0 &&
           spec->tests[1].shell == AM_SPEC_SHELL,
       "the shell that does nothing");
    am_arena_fini(&arena);
}

static void test_copies(void)
{
    struct am_commands c = {0};
    struct am_arena arena = {0};
    struct am_spec *const spec = am_arena_alloc(&arena, sizeof(*spec));
    struct am_spec_axes *const axes = am_arena_alloc(&arena, sizeof(*axes));
    struct am_err err = {0};
    const char *text;

    ok(make(&c, (const char *const[]){"a", "b", "a", NULL}, &arena, &text, &err) == AM_OK &&
           parse(text, &arena, spec, &err) == AM_OK &&
           am_spec_axes_of(spec, 0, &arena, axes, &err) == AM_OK,
       "the same command twice is an A/A test (%s)", err.text);
    ok(spec->n_tests == 1 && spec->n_runs == 3, "without a shell, since none is needed");
    is_str(am_spec_run_labels(axes, 1, &spec->runs[0], &arena), "1", "the first copy");
    is_str(am_spec_run_labels(axes, 1, &spec->runs[1], &arena), "-", "one of its own has none");
    is_str(am_spec_run_labels(axes, 1, &spec->runs[2], &arena), "2", "the second");
    am_arena_fini(&arena);
}

static void test_refusals(void)
{
    static struct am_param params[] = {{.axis = "level", .values = "1,2"},
                                       {.axis = "command", .values = "1"},
                                       {.axis = "level", .values = "1"}};
    static const struct {
        const char *lines[3];
        size_t first, n; /* of the parameters */
        const char *prepare;
        const char *story;
    } cases[] = {
        {{"a {level}", "b {levle}"}, 0, 1, NULL, "did you mean {level}?"},
        {{"a"}, 0, 1, NULL, "-p level: no command holds {level}"},
        {{"a {level} {command}"}, 0, 2, NULL, "the name is taken"},
        {{"a {level} {command}"}, 0, 3, NULL, "taken"},
        {{"   "}, 0, 0, NULL, "empty"},
        {{"a\nb"}, 0, 0, NULL, "control character"},
        {{"a"}, 0, 0, "", "--prepare is empty"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct am_commands c = {
            .params = params + cases[i].first, .n_params = cases[i].n, .prepare = cases[i].prepare};
        struct am_arena arena = {0};
        struct am_err err;
        const char *text;

        ok(make(&c, cases[i].lines, &arena, &text, &err) == AM_E_USAGE &&
               strstr(err.text, cases[i].story),
           "case %zu is refused: %s", i, err.text);
        am_arena_fini(&arena);
    }
}

int main(void)
{
    test_shells();
    test_parameters();
    test_copies();
    test_refusals();
    return tap_done();
}
