/* SPDX-License-Identifier: MIT */
/* From command lines to the text of an experiment. */
#include "core/spec/commands.h"

#include "base/text.h"

#include <string.h>

enum { SHORT_NAME = 2 }; /* letters: of these each is near to any other */

struct writer {
    const struct am_commands *of;
    struct am_arena *arena;
    struct am_text text;
    bool *set; /* by parameter: the runs so far left it set */
    struct am_err *err;
};

static enum am_status no_memory(const struct writer *w)
{
    return am_fail(w->err, AM_E_NOMEM, "no memory for the commands");
}

/* ---- parameters in a line ---- */

/* The length of NAME in "{NAME}" at s of the line; 0 where no name stands there. "${NAME}" is a
 * shell's. */
static size_t braced(const char *line, const char *s)
{
    const bool begins = *s == '{' && (s == line || s[-1] != '$');
    const size_t n = begins ? strspn(s + 1, "abcdefghijklmnopqrstuvwxyz"
                                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
                            : 0;

    return n && s[n + 1] == '}' ? n : 0;
}

static int param_at(const struct am_commands *c, const char *name, size_t n)
{
    for (size_t i = 0; i < c->n_params; i++) {
        if (strlen(c->params[i].axis) == n && strncmp(c->params[i].axis, name, n) == 0)
            return (int)i;
    }
    return -1;
}

static bool line_uses(const struct am_commands *c, const char *line, size_t param)
{
    for (const char *s = line; s && *s; s++) {
        const size_t n = braced(line, s);

        if (n && param_at(c, s + 1, n) == (int)param)
            return true;
    }
    return false;
}

/* In a run of the line: what goes before and after it counts too. */
static bool run_uses(const struct am_commands *c, const char *line, size_t param)
{
    return line_uses(c, line, param) || line_uses(c, c->prepare, param) ||
           line_uses(c, c->cleanup, param);
}

/* "{name}" that is nearly a parameter. */
static enum am_status check_names(const struct writer *w, const char *line)
{
    const char *names[AM_AXES_MAX];
    size_t n_names = 0;

    for (; n_names < w->of->n_params && n_names < AM_AXES_MAX; n_names++)
        names[n_names] = w->of->params[n_names].axis;
    for (const char *s = line; *s; s++) {
        const size_t n = braced(line, s);
        const char *const name = n ? am_arena_strndup(w->arena, s + 1, n) : NULL;
        const char *near = NULL;

        if (name && n > SHORT_NAME && param_at(w->of, s + 1, n) < 0)
            near = am_nearest(name, names, n_names);
        if (near)
            return am_fail(w->err, AM_E_USAGE, "{%s} in \"%s\" has no value; did you mean {%s}?",
                           name, line, near);
    }
    return AM_OK;
}

/* A line as a template: braces that hold no parameter are doubled. */
static void add_template(struct writer *w, const char *key, const char *line)
{
    am_text_addf(&w->text, "%s ", key);
    for (const char *s = line; *s; s++) {
        const size_t n = braced(line, s);

        if (n && param_at(w->of, s + 1, n) >= 0) {
            am_text_addn(&w->text, s, n + 2);
            s += n + 1;
        } else if (*s == '{' || *s == '}') {
            am_text_addf(&w->text, "%c%c", *s, *s);
        } else {
            am_text_addn(&w->text, s, 1);
        }
    }
    am_text_add(&w->text, "\n");
}

/* ---- what may be asked for ---- */

static enum am_status check_line(const struct writer *w, const char *what, const char *line)
{
    if (line[strspn(line, " \t")] == '\0')
        return am_fail(w->err, AM_E_USAGE, "%s is empty", what);
    for (const char *s = line; *s; s++) {
        if ((unsigned char)*s < ' ' && *s != '\t')
            return am_fail(w->err, AM_E_USAGE,
                           "%s holds a control character, as the end of a line is one: put "
                           "several lines into a script",
                           what);
    }
    return check_names(w, line);
}

static enum am_status check_params(const struct writer *w)
{
    const struct am_commands *const c = w->of;

    for (size_t i = 0; i < c->n_params; i++) {
        bool used = line_uses(c, c->prepare, i) || line_uses(c, c->cleanup, i);

        for (size_t k = 0; k < c->lines.n; k++)
            used = used || line_uses(c, c->lines.items[k], i);
        if (!used)
            return am_fail(w->err, AM_E_USAGE, "-p %s: no command holds {%s}", c->params[i].axis,
                           c->params[i].axis);
        if (strcmp(c->params[i].axis, AM_COMMANDS_AXIS) == 0 ||
            strcmp(c->params[i].axis, AM_COMMANDS_BESIDE) == 0 ||
            strcmp(c->params[i].axis, AM_COMMANDS_COPY) == 0)
            return am_fail(w->err, AM_E_USAGE, "-p %s: the name is taken, choose another",
                           c->params[i].axis);
        if (param_at(c, c->params[i].axis, strlen(c->params[i].axis)) != (int)i)
            return am_fail(w->err, AM_E_USAGE, "-p %s: given twice", c->params[i].axis);
    }
    return AM_OK;
}

static enum am_status check(const struct writer *w)
{
    const struct am_commands *const c = w->of;
    enum am_status s = AM_OK;

    for (size_t i = 0; i < c->lines.n && s == AM_OK; i++)
        s = check_line(w, "a command", c->lines.items[i]);
    if (s == AM_OK && c->prepare)
        s = check_line(w, "--prepare", c->prepare);
    if (s == AM_OK && c->cleanup)
        s = check_line(w, "--cleanup", c->cleanup);
    return s == AM_OK ? check_params(w) : s;
}

/* ---- the text ---- */

/* How often the line stands before place i; `all`: in the whole list. */
static size_t count_before(const struct am_strings *lines, size_t i, bool all)
{
    size_t n = 0;

    for (size_t k = 0; k < (all ? lines->n : i); k++)
        n += strcmp(lines->items[k], lines->items[i]) == 0;
    return n;
}

static void add_head(struct writer *w)
{
    const struct am_commands *const c = w->of;

    am_text_addf(&w->text,
                 "test " AM_COMMANDS_TEST "\nshell auto\nexec {" AM_COMMANDS_AXIS "}\n"
                 "resources yes\nprinted %s\nwarmup %u\ncodes %s\n"
                 "variable " AM_COMMANDS_AXIS "\nvariable " AM_COMMANDS_COPY "\n",
                 c->discard ? "none" : "last", c->warmup, c->any_code ? "any" : "zero");
    if (c->prepare)
        add_template(w, "prepare", c->prepare);
    if (c->cleanup)
        add_template(w, "cleanup", c->cleanup);
    if (c->beside)
        am_text_addf(&w->text, "beside {" AM_COMMANDS_BESIDE "}\n");
}

/* One run per command, with the parameters that it uses and no others. */
static void add_run(struct writer *w, size_t i)
{
    const struct am_commands *const c = w->of;
    const char *const line = c->lines.items[i];

    add_template(w, AM_COMMANDS_AXIS, line);
    if (c->beside)
        am_text_addf(&w->text, "axis " AM_COMMANDS_BESIDE " %s\n", c->beside);
    for (size_t k = 0; k < c->n_params; k++) {
        const bool uses = run_uses(c, line, k);

        if (uses && !w->set[k])
            am_text_addf(&w->text, "axis %s %s\n", c->params[k].axis, c->params[k].values);
        else if (!uses && w->set[k])
            am_text_addf(&w->text, "unset %s\n", c->params[k].axis);
        w->set[k] = uses;
    }
    if (count_before(&c->lines, i, true) > 1)
        am_text_addf(&w->text, AM_COMMANDS_COPY " %zu\n", 1 + count_before(&c->lines, i, false));
    else
        am_text_add(&w->text, "unset " AM_COMMANDS_COPY "\n");
    am_text_add(&w->text, "run\n");
}

/* What the shell itself costs, where it starts a command. */
static void add_shell(struct writer *w)
{
    const struct am_strings *const lines = &w->of->lines;
    bool any = false;

    for (size_t i = 0; i < lines->n; i++)
        any = any || am_spec_needs_shell(lines->items[i]);
    if (any)
        am_text_addf(&w->text,
                     "test " AM_COMMANDS_SHELL_TEST "\nshell yes\nexec :\nresources yes\n"
                     "warmup %u\nrun\n",
                     w->of->warmup);
}

enum am_status am_commands_spec(const struct am_commands *commands, struct am_arena *arena,
                                const char **text, struct am_err *err)
{
    struct writer w = {.of = commands, .arena = arena, .err = err};
    enum am_status s;

    w.set = am_arena_array(arena, commands->n_params + 1, sizeof(*w.set));
    s = w.set ? check(&w) : no_memory(&w);
    if (s != AM_OK)
        return s;
    am_text_init(&w.text, AM_SPEC_TEXT_MAX);
    add_head(&w);
    for (size_t i = 0; i < commands->lines.n; i++)
        add_run(&w, i);
    add_shell(&w);
    *text = w.text.overflow ? NULL : am_arena_strdup(arena, am_text_str(&w.text));
    am_text_fini(&w.text);
    return *text ? AM_OK
                 : am_fail(err, AM_E_USAGE, "the commands are longer than %d bytes together",
                           AM_SPEC_TEXT_MAX);
}

const char *am_commands_steps(uint64_t cache, struct am_arena *arena)
{
    const unsigned long long quarter = cache / 4096; /* in KiB */

    return am_arena_printf(arena,
                           "none,spin,cache-%lluK,cache-%lluK,cache-%lluK,"
                           "memory-50,memory-100,share-50",
                           quarter, 2 * quarter, 4 * quarter);
}
