/* SPDX-License-Identifier: MIT */
/* The keys of an experiment file, one function each. */
#include "core/spec/spec_reader.h"

#include "core/spec/spec_regex.h"

#include <string.h>

enum {
    REPS_MAX = 100000,
    CPUFREQ_MAX = 100000,
    LIST_MAX = 256,
    VALUES_MAX = 16384,
};

static enum am_status split(struct am_spec_reader *r, const char *value, struct am_strings *out)
{
    const char *why = "";

    return am_spec_split(value, r->arena, out, &why) ? AM_OK : am_spec_bad(r, "%s", why);
}

static bool ignore_name(void *self, const char *name)
{
    (void)self, (void)name;
    return true;
}

enum am_status am_spec_check_template(struct am_spec_reader *r, const char *text)
{
    const char *why = "";

    return am_spec_template_names(text, ignore_name, NULL, &why) ? AM_OK
                                                                 : am_spec_bad(r, "%s", why);
}

/* ---- files ---- */

static enum am_status key_include(struct am_spec_reader *r, const char *value)
{
    struct am_spec_file file;
    enum am_status s;

    if (!r->source->load)
        return am_spec_bad(r, "include is not possible here");
    if (r->depth + 1 >= AM_SPEC_DEPTH_MAX)
        return am_spec_bad(r, "files include each other more than %d deep", AM_SPEC_DEPTH_MAX);
    s = r->source->load(r->source->load_self, value, r->place.file, r->arena, &file, NULL);
    if (s != AM_OK)
        return am_spec_bad(r, "cannot read the included file \"%s\"", value);
    r->depth++;
    s = am_spec_read(r, &file);
    r->depth--;
    return s;
}

static enum am_status key_folder(struct am_spec_reader *r, const char *value)
{
    if (*value != '/')
        return am_spec_bad(r, "folder must be an absolute path");
    r->out->folder = value;
    return AM_OK;
}

/* ---- tests ---- */

static bool is_test_name(const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

    return strspn(name, allowed) == strlen(name) && strlen(name) < AM_SPEC_NAME_MAX &&
           *name != '.' && *name != '-';
}

/* A test begins with what stood before the first one, and nothing of the one before it. */
static enum am_status key_test(struct am_spec_reader *r, const char *value)
{
    enum am_status s = r->in_test ? am_spec_close_test(r) : AM_OK;

    if (s != AM_OK)
        return s;
    if (!is_test_name(value))
        return am_spec_bad(r,
                           "the name of a test is made of letters, digits, \"_\", \"-\" and \".\", "
                           "at most %d",
                           AM_SPEC_NAME_MAX - 1);
    for (size_t i = 0; i < r->out->n_tests; i++) {
        if (strcmp(r->out->tests[i].name, value) == 0)
            return am_spec_bad(r, "test %s stands at %s:%u already; its parts are testsets", value,
                               r->out->tests[i].place.file, r->out->tests[i].place.line);
    }
    if (r->out->n_tests == AM_SPEC_TESTS_MAX)
        return am_spec_bad(r, "more than %d tests", AM_SPEC_TESTS_MAX);
    if (!r->in_test)
        r->common = r->now;
    r->now = r->common;
    if (!am_spec_copy_variables(&r->now.vars, r->arena) ||
        !am_spec_copy_list(&r->now.env, r->arena) ||
        !am_spec_copy_list(&r->now.test.args, r->arena) ||
        !am_spec_copy_list(&r->now.test.builds, r->arena))
        return am_spec_no_memory(r);
    r->now.test.name = value;
    r->now.test.place = r->place;
    r->used = (struct am_strings){0};
    r->in_test = true;
    return AM_OK;
}

static enum am_status key_path(struct am_spec_reader *r, const char *value)
{
    r->now.test.path = value;
    return AM_OK;
}

static enum am_status key_exec(struct am_spec_reader *r, const char *value)
{
    r->now.test.exec = value;
    return am_spec_check_template(r, value);
}

static enum am_status key_arg(struct am_spec_reader *r, const char *value)
{
    struct am_strings words;
    enum am_status s = split(r, value, &words);

    for (size_t i = 0; s == AM_OK && i < words.n; i++) {
        s = am_spec_check_template(r, words.items[i]);
        if (s == AM_OK && r->now.test.args.n == LIST_MAX)
            s = am_spec_bad(r, "more than %d arguments", LIST_MAX);
        if (s == AM_OK && !am_strings_add(&r->now.test.args, r->arena, words.items[i]))
            s = am_spec_no_memory(r);
    }
    return s;
}

static enum am_status key_build(struct am_spec_reader *r, const char *value)
{
    struct am_strings words;
    enum am_status s = split(r, value, &words);

    if (s == AM_OK)
        s = am_spec_check_template(r, value);
    if (s != AM_OK)
        return s;
    r->now.test.build_none = strcmp(value, "none") == 0;
    if (r->now.test.build_none) {
        r->now.test.builds = (struct am_strings){0};
        return AM_OK;
    }
    if (r->now.test.builds.n == LIST_MAX)
        return am_spec_bad(r, "more than %d build commands", LIST_MAX);
    return am_strings_add(&r->now.test.builds, r->arena, value) ? AM_OK : am_spec_no_memory(r);
}

static enum am_status key_expect(struct am_spec_reader *r, const char *value)
{
    if (!am_parse_f64(value, strlen(value), &r->now.test.expect_s) || !(r->now.test.expect_s > 0))
        return am_spec_bad(r, "expect is the time of one execution in seconds, not \"%s\"", value);
    return AM_OK;
}

static enum am_status check_regex(struct am_spec_reader *r, const char *pattern)
{
    const char *const why = am_spec_regex_check(pattern);

    return why ? am_spec_bad(r, "%s: \"%s\"", why, pattern) : AM_OK;
}

static enum am_status key_iterations(struct am_spec_reader *r, const char *value)
{
    r->now.test.iterations = value;
    return check_regex(r, value);
}

/* Cuts the next word off; what follows it. */
static char *cut_word(char *s)
{
    s += strcspn(s, " \t");
    while (*s == ' ' || *s == '\t')
        *s++ = '\0';
    return s;
}

static enum am_status add_result(struct am_spec_reader *r, const struct am_spec_result *result)
{
    struct am_spec_results *const all = &r->now.test.results;
    struct am_spec_result *items;

    for (size_t i = 0; i < all->n; i++) {
        if (strcmp(all->items[i].name, result->name) == 0)
            return am_spec_bad(r, "result %s is given twice", result->name);
    }
    if (all->n == AM_METRICS_MAX - AM_SPEC_OWN_RESULTS) /* ours have their places */
        return am_spec_bad(r, "more than %d results", AM_METRICS_MAX - AM_SPEC_OWN_RESULTS);
    items = am_arena_array(r->arena, all->n + 1, sizeof(*items)); /* a test may share its list */
    if (!items)
        return am_spec_no_memory(r);
    if (all->n)
        memcpy(items, all->items, all->n * sizeof(*items));
    items[all->n] = *result;
    *all = (struct am_spec_results){.items = items, .n = all->n + 1};
    return AM_OK;
}

static enum am_status key_result(struct am_spec_reader *r, const char *value)
{
    char *const name = am_arena_strdup(r->arena, value);
    char *const unit = name ? cut_word(name) : NULL;
    char *const better = unit ? cut_word(unit) : NULL;
    char *const regex = better ? cut_word(better) : NULL;
    struct am_spec_result result = {.name = name, .regex = regex};
    enum am_status s;

    if (!regex)
        return am_spec_no_memory(r);
    if (!*regex)
        return am_spec_bad(r, "write: result NAME UNIT higher|lower EXPRESSION");
    if (!am_spec_is_name(name) || strcmp(name, AM_SPEC_ITERATIONS) == 0)
        return am_spec_bad(r, "\"%s\" is no name for a result", name);
    if (strlen(unit) >= AM_NAME_MAX)
        return am_spec_bad(r, "the unit is too long");
    if (strcmp(better, "higher") != 0 && strcmp(better, "lower") != 0)
        return am_spec_bad(r, "better is higher or lower, not \"%s\"", better);
    result.better = strcmp(better, "higher") == 0 ? AM_HIGHER : AM_LOWER;
    am_spec_unit(unit, &result.unit, &result.scale);
    s = check_regex(r, regex);
    return s == AM_OK ? add_result(r, &result) : s;
}

/* ---- what may change between two runs ---- */

static enum am_status key_testset(struct am_spec_reader *r, const char *value)
{
    r->now.testset = value;
    return AM_OK;
}

static enum am_status key_reps(struct am_spec_reader *r, const char *value)
{
    uint64_t n;

    if (!am_parse_u64(value, strlen(value), &n) || n < 1 || n > REPS_MAX)
        return am_spec_bad(r, "reps is a number from 1 to %d, not \"%s\"", REPS_MAX, value);
    r->now.reps = (unsigned)n;
    return AM_OK;
}

static enum am_status key_cpufreq(struct am_spec_reader *r, const char *value)
{
    uint64_t mhz;

    if (!am_parse_u64(value, strlen(value), &mhz) || mhz < 1 || mhz > CPUFREQ_MAX || *value == '0')
        return am_spec_bad(r, "cpufreq is a clock in MHz, not \"%s\"", value);
    r->now.cpufreq = value;
    return AM_OK;
}

static enum am_status set_env(struct am_spec_reader *r, const char *item)
{
    const size_t len = strcspn(item, "=");
    const char *const name = am_arena_strndup(r->arena, item, len);
    struct am_strings *const env = &r->now.env;
    enum am_status s;

    if (!name)
        return am_spec_no_memory(r);
    if (item[len] != '=' || !am_spec_is_name(name))
        return am_spec_bad(r, "env is made of NAME=VALUE, not \"%s\"", item);
    s = am_spec_check_template(r, item + len + 1);
    for (size_t i = 0; s == AM_OK && i < env->n; i++) {
        if (strncmp(env->items[i], item, len + 1) == 0) {
            env->items[i] = item;
            return AM_OK;
        }
    }
    if (s == AM_OK && env->n == LIST_MAX)
        s = am_spec_bad(r, "more than %d environment variables", LIST_MAX);
    if (s == AM_OK && !am_strings_add(env, r->arena, item))
        s = am_spec_no_memory(r);
    return s;
}

static enum am_status key_env(struct am_spec_reader *r, const char *value)
{
    struct am_strings words;
    enum am_status s = split(r, value, &words);

    for (size_t i = 0; s == AM_OK && i < words.n; i++)
        s = set_env(r, words.items[i]);
    return s;
}

static enum am_status key_argv(struct am_spec_reader *r, const char *value)
{
    struct am_strings words;

    r->now.argv = value;
    return split(r, value, &words);
}

static enum am_status key_makeflags(struct am_spec_reader *r, const char *value)
{
    struct am_strings words;

    r->now.makeflags = value;
    return split(r, value, &words);
}

static enum am_status key_run(struct am_spec_reader *r, const char *value)
{
    if (*value)
        return am_spec_bad(r, "run stands alone, without \"%s\"", value);
    return am_spec_add_run(r);
}

/* ---- variables ---- */

enum am_status am_spec_variable_of(struct am_spec_reader *r, const char *name,
                                   struct am_spec_variable **out)
{
    struct am_spec_variables *const vars = &r->now.vars;

    *out = am_spec_find_variable(vars, name);
    if (*out)
        return AM_OK;
    if (vars->n == AM_AXES_MAX)
        return am_spec_bad(r, "more than %d variables", AM_AXES_MAX);
    *out = &vars->items[vars->n++];
    **out = (struct am_spec_variable){.name = name, .place = r->place};
    return AM_OK;
}

static bool is_key(const struct am_spec_reader *r, const char *name)
{
    for (size_t i = 0; am_spec_key(i); i++) {
        if (strcmp(am_spec_key(i), name) == 0)
            return true;
    }
    for (size_t i = 0; r->out->study && am_study_key(i); i++) {
        if (strcmp(am_study_key(i), name) == 0)
            return true;
    }
    return false;
}

static enum am_status check_name(struct am_spec_reader *r, const char *name)
{
    if (!am_spec_is_name(name))
        return am_spec_bad(r, "\"%s\" is no name for a variable", name);
    return is_key(r, name) ? am_spec_bad(r, "\"%s\" is a key and no variable", name) : AM_OK;
}

static enum am_status key_variable(struct am_spec_reader *r, const char *value)
{
    struct am_spec_variable *v;
    enum am_status s = check_name(r, value);

    if (s == AM_OK)
        s = am_spec_variable_of(r, value, &v);
    if (s == AM_OK)
        v->declared = true;
    return s;
}

/* Later runs have no value of it; a variable that never had one is a typing error. */
static enum am_status key_unset(struct am_spec_reader *r, const char *value)
{
    struct am_spec_variable *const v = am_spec_find_variable(&r->now.vars, value);

    if (!v)
        return am_spec_unknown(r, r->place, value);
    v->values = (struct am_strings){0};
    return AM_OK;
}

/* Values that are numbers, by the syntax of axes; AM_E_PARSE where they are not. */
static enum am_status numbers(struct am_spec_reader *r, const char *name, const char *text,
                              enum am_axis_kind kind, struct am_strings *out)
{
    const struct am_axis axis = {.name = name, .kind = kind};
    struct am_values values;
    struct am_err why = {0};

    if (am_axis_parse(&axis, text, strlen(text), r->source->symbols, r->arena, &values, &why) !=
        AM_OK) {
        /* a range can be nothing but numbers: its story is told */
        if (kind == AM_AXIS_REAL && strchr(text, ':'))
            return am_spec_bad(r, "axis %s", why.text);
        return AM_E_PARSE;
    }
    for (size_t i = 0; i < values.n; i++) {
        char *const item = am_arena_alloc(r->arena, AM_VALUE_TEXT_MAX);

        if (!item || !am_strings_add(out, r->arena, item))
            return am_spec_no_memory(r);
        am_value_text(&values.v[i], item, AM_VALUE_TEXT_MAX);
    }
    return AM_OK;
}

static enum am_status names(struct am_spec_reader *r, const char *text, struct am_strings *out)
{
    for (;;) {
        const size_t len = strcspn(text, ",");
        const char *const next = text + len;
        const char *const item = am_arena_strndup(r->arena, text, len);

        if (!item)
            return am_spec_no_memory(r);
        if (!len)
            return am_spec_bad(r, "a value is missing in the list");
        if (out->n == AM_AXIS_VALUES_MAX)
            return am_spec_bad(r, "more than %d values", AM_AXIS_VALUES_MAX);
        if (!am_strings_have(out, item) && !am_strings_add(out, r->arena, item))
            return am_spec_no_memory(r);
        if (!*next)
            return AM_OK;
        text = next + 1;
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Takes the blanks beside commas out of a list: "1, 2" is two numbers, and is so in the flat form.
 */
static void close_up(char *text)
{
    char *to = text;

    for (const char *from = text; *from; from++) {
        const char *next = from;

        while (is_blank(*next))
            next++;
        if (is_blank(*from) && (*next == ',' || *next == '\0' || to == text || to[-1] == ','))
            continue;
        *to++ = *from;
    }
    *to = '\0';
}

static enum am_status axis_values(struct am_spec_reader *r, const char *name, char *text,
                                  struct am_strings *out)
{
    enum am_status s = AM_E_PARSE;

    close_up(text);
    if ((*text >= '0' && *text <= '9') || strchr(text, ':')) {
        s = numbers(r, name, text, AM_AXIS_INT, out);
        if (s == AM_E_PARSE)
            s = numbers(r, name, text, AM_AXIS_REAL, out);
    }
    return s == AM_E_PARSE ? names(r, text, out) : s;
}

/* The flat form has the values: ranges and symbols were of this machine. */
static enum am_status key_axis(struct am_spec_reader *r, const char *value)
{
    char *const name = am_arena_strdup(r->arena, value);
    char *const text = name ? cut_word(name) : NULL;
    struct am_strings values = {0};
    struct am_spec_variable *v;
    enum am_status s;

    if (!text)
        return am_spec_no_memory(r);
    /* axes of our benches may be called like keys */
    s = r->in_test && !r->now.test.exec && am_spec_is_name(name) ? AM_OK : check_name(r, name);
    if (s == AM_OK && !*text)
        return am_spec_bad(r, "write: axis NAME VALUES");
    if (s == AM_OK)
        s = axis_values(r, name, text, &values);
    if (s == AM_OK)
        s = am_spec_variable_of(r, name, &v);
    if (s != AM_OK)
        return s;
    r->values += values.n;
    if (r->values > VALUES_MAX)
        return am_spec_bad(r, "more than %d values on all axes", VALUES_MAX);
    v->values = values;
    v->place = r->place;
    am_text_addf(&r->flat, "axis %s ", name);
    for (size_t i = 0; i < values.n; i++)
        am_text_addf(&r->flat, "%s%s", i ? "," : "", values.items[i]);
    am_text_add(&r->flat, "\n");
    return AM_OK;
}

/* A key that is none of the table's: a variable, which may yet turn out to be a typing error. */
static enum am_status assign(struct am_spec_reader *r, const char *key, const char *value)
{
    struct am_spec_variable *v;
    enum am_status s;

    if (!am_spec_is_name(key))
        return am_spec_bad(r, "unknown key \"%s\"", key);
    if (!*value)
        return am_spec_unknown(r, r->place, key);
    s = am_spec_variable_of(r, key, &v);
    if (s != AM_OK)
        return s;
    v->values = (struct am_strings){0};
    v->place = r->place;
    return am_strings_add(&v->values, r->arena, value) ? AM_OK : am_spec_no_memory(r);
}

/* ---- the table ---- */

enum { WHOLE_TEST = 1, NO_VALUE = 2, OWN_LINE = 4 };

static const struct {
    const char *name;
    am_spec_key_fn *set;
    unsigned flags;
} keys[] = {
    {"test", key_test, 0},
    {"testset", key_testset, 0},
    {"include", key_include, OWN_LINE},
    {"path", key_path, WHOLE_TEST},
    {"exec", key_exec, WHOLE_TEST},
    {"reps", key_reps, 0},
    {"env", key_env, 0},
    {"makeflags", key_makeflags, NO_VALUE},
    {"argv", key_argv, NO_VALUE},
    {"cpufreq", key_cpufreq, 0},
    {"run", key_run, NO_VALUE},
    {"arg", key_arg, WHOLE_TEST},
    {"axis", key_axis, OWN_LINE},
    {"variable", key_variable, 0},
    {"mark", am_spec_key_mark, WHOLE_TEST},
    {"maybe", am_spec_key_maybe, WHOLE_TEST},
    {"work", am_spec_key_work, WHOLE_TEST},
    {"build", key_build, WHOLE_TEST},
    {"result", key_result, WHOLE_TEST},
    {"iterations", key_iterations, WHOLE_TEST},
    {"shell", am_spec_key_shell, WHOLE_TEST},
    {"prepare", am_spec_key_prepare, WHOLE_TEST},
    {"cleanup", am_spec_key_cleanup, WHOLE_TEST},
    {"warmup", am_spec_key_warmup, WHOLE_TEST},
    {"codes", am_spec_key_codes, WHOLE_TEST},
    {"beside", am_spec_key_beside, WHOLE_TEST},
    {"resources", am_spec_key_resources, WHOLE_TEST},
    {"printed", am_spec_key_printed, WHOLE_TEST},
    {"unset", key_unset, 0},
    {"expect", key_expect, WHOLE_TEST},
    {"folder", key_folder, OWN_LINE},
};

const char *am_spec_key(size_t i)
{
    return i < sizeof(keys) / sizeof(*keys) ? keys[i].name : NULL;
}

enum am_status am_spec_line(struct am_spec_reader *r, const char *key, const char *value)
{
    bool taken = false;
    const enum am_status s = am_study_line(r, key, value, &taken);

    if (taken)
        return s;
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        if (strcmp(keys[i].name, key) != 0)
            continue;
        if (!*value && !(keys[i].flags & NO_VALUE))
            return am_spec_bad(r, "%s has no value", key);
        if ((keys[i].flags & WHOLE_TEST) && r->in_test && r->now.test.fixed)
            return am_spec_bad(r,
                               "%s belongs to the whole test and cannot follow its first run: "
                               "begin another test",
                               key);
        if (!(keys[i].flags & OWN_LINE))
            am_text_addf(&r->flat, "%s %s\n", key, value);
        return keys[i].set(r, value);
    }
    am_text_addf(&r->flat, "%s %s\n", key, value);
    return assign(r, key, value);
}
