/* SPDX-License-Identifier: MIT */
/* How an experiment's programs are executed: by whom, what runs before and after, what is kept. */
#include "core/spec/spec_reader.h"

#include "core/spec/beside.h"

#include <string.h>

enum { WARMUP_MAX = 1000 };

/* ---- keys ---- */

/* The index of the value among the words of a key; -1, and a story with the nearest, else. */
static int choose(struct am_spec_reader *r, const char *key, const char *value,
                  const char *const *words, size_t n)
{
    const int chosen = am_name_index(words, n, value);
    const char *const near = am_nearest(value, words, n);
    char list[128] = "";

    if (chosen >= 0)
        return chosen;
    for (size_t i = 0; i < n; i++)
        (void)am_str_format(list + strlen(list), sizeof(list) - strlen(list), "%s%s",
                            i == 0       ? ""
                            : i + 1 == n ? " or "
                                         : ", ",
                            words[i]);
    (void)am_spec_bad(r, "%s is %s, not \"%s\"%s%s%s", key, list, value,
                      near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    return -1;
}

enum am_status am_spec_key_shell(struct am_spec_reader *r, const char *value)
{
    static const char *const words[] = {
        [AM_SPEC_DIRECT] = "no", [AM_SPEC_SHELL] = "yes", [AM_SPEC_SHELL_AUTO] = "auto"};
    const int chosen = choose(r, "shell", value, words, sizeof(words) / sizeof(*words));

    if (chosen < 0)
        return AM_E_USAGE;
    r->now.test.shell = (enum am_spec_shell)chosen;
    return AM_OK;
}

enum am_status am_spec_key_prepare(struct am_spec_reader *r, const char *value)
{
    r->now.test.prepare = value;
    return am_spec_check_template(r, value);
}

enum am_status am_spec_key_cleanup(struct am_spec_reader *r, const char *value)
{
    r->now.test.cleanup = value;
    return am_spec_check_template(r, value);
}

enum am_status am_spec_key_warmup(struct am_spec_reader *r, const char *value)
{
    uint64_t n;

    if (!am_parse_u64(value, strlen(value), &n) || n > WARMUP_MAX)
        return am_spec_bad(r, "warmup is a number from 0 to %d, not \"%s\"", WARMUP_MAX, value);
    r->now.test.warmup = (unsigned)n;
    return AM_OK;
}

enum am_status am_spec_key_codes(struct am_spec_reader *r, const char *value)
{
    static const char *const words[] = {"zero", "any"};
    const int chosen = choose(r, "codes", value, words, sizeof(words) / sizeof(*words));

    r->now.test.any_code = chosen > 0;
    return chosen < 0 ? AM_E_USAGE : AM_OK;
}

enum am_status am_spec_key_resources(struct am_spec_reader *r, const char *value)
{
    static const char *const words[] = {"no", "yes"};
    const int chosen = choose(r, "resources", value, words, sizeof(words) / sizeof(*words));

    r->now.test.resources = chosen > 0;
    return chosen < 0 ? AM_E_USAGE : AM_OK;
}

enum am_status am_spec_key_printed(struct am_spec_reader *r, const char *value)
{
    static const char *const words[] = {
        [AM_SPEC_FIRST] = "first", [AM_SPEC_LAST] = "last", [AM_SPEC_NONE] = "none"};
    const int chosen = choose(r, "printed", value, words, sizeof(words) / sizeof(*words));

    if (chosen < 0)
        return AM_E_USAGE;
    r->now.test.printed = (enum am_spec_printed)chosen;
    return AM_OK;
}

enum am_status am_spec_key_beside(struct am_spec_reader *r, const char *value)
{
    r->now.test.beside = value;
    return am_spec_check_template(r, value);
}

/* ---- what exec must be ---- */

static enum am_status check_words(struct am_spec_reader *r, const char *what, const char *line)
{
    struct am_strings words;
    const char *why = "";

    if (r->now.test.shell == AM_SPEC_SHELL ||
        (r->now.test.shell == AM_SPEC_SHELL_AUTO && am_spec_needs_shell(line)))
        return AM_OK;
    if (!am_spec_split(line, r->arena, &words, &why))
        return am_spec_bad(r, "%s: %s", what, why);
    return words.n ? AM_OK : am_spec_bad(r, "%s: a command line without a word", what);
}

static enum am_status check_direct(struct am_spec_reader *r)
{
    struct am_strings words;
    const char *why = "";

    if (!am_spec_split(r->now.test.exec, r->arena, &words, &why))
        return am_spec_bad(r, "exec: %s", why);
    if (words.n != 1)
        return am_spec_bad(r, "exec names one program; its arguments go to arg or argv (a command "
                              "line for a shell needs \"shell yes\")");
    return AM_OK;
}

static enum am_status check_auto(struct am_spec_reader *r)
{
    const struct am_spec_state *const now = &r->now;
    const struct am_spec_variable *v = NULL;
    char name[AM_SPEC_NAME_MAX];
    enum am_status s = AM_OK;

    if (now->test.args.n || *now->argv)
        return am_spec_bad(r,
                           "with \"shell auto\" the whole command line stands in exec, and %s "
                           "has nothing to add to",
                           now->test.args.n ? "arg" : "argv");
    if (!am_spec_is_variable(now->test.exec, name))
        return check_words(r, "exec", now->test.exec);
    v = am_spec_find_variable(&now->vars, name);
    for (size_t i = 0; v && s == AM_OK && i < v->values.n; i++) {
        s = am_spec_check_template(r, v->values.items[i]);
        if (s == AM_OK)
            s = check_words(r, name, v->values.items[i]);
    }
    return s;
}

static enum am_status check_beside_text(struct am_spec_reader *r, const char *text)
{
    const size_t n = strcspn(text, "-");
    const char *const word = am_arena_strndup(r->arena, text, n);
    const char *const near = word ? am_nearest(word, am_beside_words, AM_BESIDE_KINDS) : NULL;
    struct am_beside beside;

    if (am_beside_parse(text, &beside))
        return AM_OK;
    return am_spec_bad(r,
                       "beside is none, spin, cache-BYTES, memory-PERCENT (to 100) or "
                       "share-PERCENT (to 50), not \"%s\"%s%s%s",
                       text, near && strcmp(near, word) != 0 ? "; did you mean \"" : "",
                       near && strcmp(near, word) != 0 ? near : "",
                       near && strcmp(near, word) != 0 ? "\"?" : "");
}

static enum am_status check_beside(struct am_spec_reader *r)
{
    const struct am_spec_variable *v;
    char name[AM_SPEC_NAME_MAX];
    enum am_status s = AM_OK;

    if (!am_spec_is_variable(r->now.test.beside, name))
        return check_beside_text(r, r->now.test.beside);
    v = am_spec_find_variable(&r->now.vars, name);
    for (size_t i = 0; v && s == AM_OK && i < v->values.n; i++)
        s = check_beside_text(r, v->values.items[i]);
    return s;
}

enum am_status am_spec_check_lines(struct am_spec_reader *r)
{
    const struct am_spec_test *const test = &r->now.test;
    enum am_status s = test->shell == AM_SPEC_DIRECT       ? check_direct(r)
                       : test->shell == AM_SPEC_SHELL_AUTO ? check_auto(r)
                                                           : AM_OK;

    if (s == AM_OK && test->prepare)
        s = check_words(r, "prepare", test->prepare);
    if (s == AM_OK && test->cleanup)
        s = check_words(r, "cleanup", test->cleanup);
    if (s == AM_OK && test->beside)
        s = check_beside(r);
    return s;
}
