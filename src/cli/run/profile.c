/* SPDX-License-Identifier: MIT */
/* A marked program as an experiment. */
#include "cli/run/profile.h"

#include "base/child.h"
#include "base/log.h"
#include "base/text.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT_MAX = 64 * 1024, LAST_LINE_MAX = 200, TROUBLE_MAX = 1000 };

static const double learn_limit_s = 600; /* as a launch of a program has */

/* ---- learning ---- */

/* The end of what it printed, for a person. */
static enum am_status tell_end(const char *name, const struct am_child *child, struct am_text *said,
                               struct am_err *err)
{
    const char *const text = am_text_str(said);
    size_t end = said->len, begin;

    while (end && (text[end - 1] == '\n' || text[end - 1] == '\r'))
        end--;
    for (begin = end; begin && text[begin - 1] != '\n' && end - begin < LAST_LINE_MAX;)
        begin--;
    return am_fail(err, AM_E_WRONG, "%s ended %s %d%s%.*s", name,
                   child->signalled ? "by signal" : "with exit code", child->code,
                   end > begin ? ": " : "", (int)(end - begin), text + begin);
}

/* As the worker executes it: no input, output kept apart. */
static enum am_status execute(const struct am_cli *cli, const struct am_profiled *program,
                              const struct am_marks_folder *folder, struct am_err *err)
{
    static const struct am_child_fd fds[] = {{STDIN_FILENO, AM_CHILD_NULL},
                                             {STDOUT_FILENO, AM_CHILD_CAPTURED},
                                             {STDERR_FILENO, AM_CHILD_CAPTURED}};
    const struct am_strings *const words = &program->words;
    const char **const argv = am_arena_array(cli->arena, words->n + 1, sizeof(*argv));
    const struct am_child_plan plan = {
        .argv = argv,
        .environment = (const char *const[]){folder->environment, program->environment},
        .n_environment = program->environment ? 2 : 1,
        .fds = fds,
        .n_fds = sizeof(fds) / sizeof(*fds),
        .apart = true,
    };
    const struct am_child_limits limits = {
        .seconds = cli->opt->launch_limit_s > 0 ? cli->opt->launch_limit_s : learn_limit_s,
        .interrupted = cli->interrupted,
    };
    struct am_text said;
    struct am_child child;
    enum am_status s;

    if (!argv)
        return am_fail(err, AM_E_NOMEM, "no memory for a command line");
    memcpy(argv, words->items, words->n * sizeof(*argv));
    am_text_init(&said, OUTPUT_MAX);
    s = am_child_run(&plan, &limits, &said, &child, err);
    if (s == AM_OK && *cli->interrupted)
        s = am_fail(err, AM_E_INTERRUPTED, "%s was interrupted before it was measured", argv[0]);
    else if (s == AM_OK && child.signalled &&
             (double)(child.ended_ns - child.started_ns) > limits.seconds * 1e9)
        s = am_fail(err, AM_E_WRONG, "%s had not ended after %g s (--launch-limit)", argv[0],
                    limits.seconds);
    else if (s == AM_OK && am_child_shell_code(&child))
        s = tell_end(argv[0], &child, &said, err);
    am_text_fini(&said);
    return s;
}

void am_profile_tell(const struct am_profiled *program, const struct am_marks *marks)
{
    struct am_text trouble;

    am_text_init(&trouble, TROUBLE_MAX);
    am_marks_trouble(marks, &trouble);
    if (!marks->files && marks->refused)
        am_log(AM_LOG_WARN,
               "%s was compiled with another version of archmeter/mark.h: compile it again; only "
               "the whole program is measured",
               program->words.items[0]);
    else if (!marks->files)
        am_log(AM_LOG_WARN,
               "%s has no marks, or came by none (archmeter/mark.h): only the whole program is "
               "measured",
               program->words.items[0]);
    else if (trouble.len)
        am_log(AM_LOG_WARN, "marks: %s", am_text_str(&trouble));
    if (marks->n > AM_PROFILE_REGIONS_MAX)
        am_log(AM_LOG_WARN,
               "%zu regions: the %d with the most time are measured, the others are left out",
               marks->n, AM_PROFILE_REGIONS_MAX);
    am_text_fini(&trouble);
}

enum am_status am_profile_learn(const struct am_cli *cli, const struct am_profiled *program,
                                struct am_marks *out, struct am_err *err)
{
    struct am_marks_folder folder = {0};
    enum am_status s = am_marks_open(&folder, err);

    if (s == AM_OK)
        s = execute(cli, program, &folder, err);
    if (s == AM_OK)
        s = am_marks_collect(&folder, cli->arena, out, err);
    am_marks_close(&folder);
    return s;
}

/* ---- describing ---- */

/* A word so that an experiment's line has it unchanged: braces doubled, each piece in the quotes
 * that it does not hold. */
static void add_word(struct am_text *text, const char *word)
{
    char quote = '"';

    am_text_add(text, " \"");
    for (; *word; word++) {
        if (*word == quote) {
            am_text_addn(text, &quote, 1);
            quote = quote == '"' ? '\'' : '"';
            am_text_addn(text, &quote, 1);
        }
        am_text_addn(text, word, 1);
        if (*word == '{' || *word == '}')
            am_text_addn(text, word, 1);
    }
    am_text_addn(text, &quote, 1);
}

const char *am_profile_test_name(const struct am_profiled *program, size_t ending,
                                 struct am_arena *arena)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    const char *const path = program->words.items[0], *const slash = strrchr(path, '/');
    char *const name =
        am_arena_strndup(arena, slash ? slash + 1 : path, AM_SPEC_NAME_MAX - 1 - ending);

    for (char *c = name; c && *c; c++) {
        if (!strchr(allowed, *c) || (c == name && (*c == '.' || *c == '-')))
            *c = '_';
    }
    return name && !*name ? "program" : name;
}

static bool has_control(const char *word)
{
    for (; *word; word++) {
        if ((unsigned char)*word < ' ' || *word == 0x7f)
            return true;
    }
    return false;
}

void am_profile_add_program(const struct am_profiled *program, const char *name,
                            struct am_text *text)
{
    const struct am_strings *const words = &program->words;

    am_text_addf(text, "test %s\nexec", name);
    add_word(text, words->items[0]);
    am_text_add(text, "\nbuild none\n");
    for (size_t i = 1; i < words->n; i++) {
        am_text_add(text, "arg");
        add_word(text, words->items[i]);
        am_text_add(text, "\n");
    }
}

void am_profile_add_regions(const struct am_profiled *program, const struct am_marks *marks,
                            const struct am_strings *more, struct am_text *text)
{
    const char *const key = program->maybe ? "maybe" : "mark";
    size_t left = AM_PROFILE_REGIONS_MAX;

    am_text_addf(text, "mark %s\n", am_marks_program);
    for (size_t i = 0; i < marks->n && left; i++, left--)
        am_text_addf(text, "%s %s\n", key, marks->items[i].name);
    for (size_t i = 0; more && i < more->n && left; i++, left--)
        am_text_addf(text, "maybe %s\n", more->items[i]);
    if (program->environment) {
        am_text_add(text, "env");
        add_word(text, program->environment);
        am_text_add(text, "\n");
    }
    am_text_add(text, "run\n");
}

enum am_status am_profile_parse(const struct am_cli *cli, const struct am_profiled *program,
                                const struct am_text *text, struct am_spec *out, struct am_err *err)
{
    const struct am_strings *const words = &program->words;
    struct am_spec_source source = {.file = "profile"};
    char folder[PATH_MAX];

    for (size_t i = 0; i < words->n; i++) {
        if (has_control(words->items[i]))
            return am_fail(err, AM_E_USAGE, "a word of the command holds a control character");
    }
    if (!getcwd(folder, sizeof(folder)))
        return am_fail(err, AM_E_SYS, "where the program is started");
    source.folder = am_arena_strdup(cli->arena, folder);
    source.text = am_arena_strdup(cli->arena, am_text_str(text));
    source.len = text->len;
    return text->overflow || !source.folder || !source.text
               ? am_fail(err, AM_E_LIMIT, "the command line and its regions are too long")
               : am_spec_parse(&source, cli->arena, out, err);
}
