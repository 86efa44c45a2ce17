/* SPDX-License-Identifier: MIT */
/* The command-line parser: words in, struct am_options out, driven by the tables alone. */
#include "cli/words/options.h"

#include "base/text.h"
#include "core/bench/plan.h"

#include <string.h>

enum { NAMES_MAX = 64 };

bool am_option_applies(const struct am_option *option, enum am_command_id command)
{
    return (option->commands >> command) & 1u;
}

bool am_option_is_global(const struct am_option *option)
{
    return option->commands == AM_OPTION_COMMANDS_ALL;
}

bool am_option_takes_argument(const struct am_option *option)
{
    return option->kind != AM_OPTION_FLAG && option->kind != AM_OPTION_SET;
}

enum am_command_id am_command_find(const char *name)
{
    unsigned i = 0;

    while (i < AM_CMD_COUNT && strcmp(am_commands[i].name, name) != 0)
        i++;
    return (enum am_command_id)i;
}

bool am_parse_share(const char *text, double *share)
{
    const size_t digits = strspn(text, "0123456789.");
    const bool percent = strcmp(text + digits, "%") == 0;
    double v;

    if ((!percent && text[digits]) || !am_parse_f64(text, digits, &v))
        return false;
    v = percent ? v / 100 : v;
    if (v >= 1)
        return false;
    *share = v;
    return true;
}

/* ---- values ---- */

/* One word of the command line on its way into its field. */
struct setting {
    const struct am_option *option;
    void *field;
    const char *text; /* NULL where the option takes no argument */
    struct am_arena *arena;
    struct am_err *err;
};

static enum am_status bad_value(const struct setting *s, const char *wanted)
{
    return am_fail(s->err, AM_E_USAGE, "--%s: \"%s\" is not %s", s->option->name, s->text, wanted);
}

static enum am_status set_flag(const struct setting *s)
{
    *(bool *)s->field = true;
    return AM_OK;
}

/* The name of the row that also writes this field, with that value. */
static const char *name_of_value(const struct am_option *like, int value)
{
    for (const struct am_option *o = am_option_table; o->name; o++) {
        if (o->kind == AM_OPTION_SET && o->offset == like->offset && o->value == value)
            return o->name;
    }
    return "?";
}

/* A field of this kind starts as -1; am_options_parse() puts the default in at the end. */
static enum am_status set_value(const struct setting *s)
{
    int *const field = s->field;

    if (*field >= 0 && *field != s->option->value)
        return am_fail(s->err, AM_E_USAGE, "--%s and --%s exclude each other",
                       name_of_value(s->option, *field), s->option->name);
    *field = s->option->value;
    return AM_OK;
}

static enum am_status set_text(const struct setting *s)
{
    if (!*s->text)
        return am_fail(s->err, AM_E_USAGE, "--%s: %s must not be empty", s->option->name,
                       s->option->argument);
    *(const char **)s->field = s->text;
    return AM_OK;
}

static enum am_status add_word(struct am_strings *words, const char *word, struct am_arena *arena,
                               struct am_err *err)
{
    return am_strings_add(words, arena, word)
               ? AM_OK
               : am_fail(err, AM_E_NOMEM, "no memory for the command line");
}

static enum am_status set_list(const struct setting *s)
{
    const char *equals = strchr(s->text, '=');
    char form[64];

    (void)am_str_format(form, sizeof(form), "of the form %s", s->option->argument);
    if (!equals || equals == s->text || !equals[1])
        return bad_value(s, form);
    return add_word(s->field, s->text, s->arena, s->err);
}

static enum am_status set_words(const struct setting *s)
{
    return *s->text ? add_word(s->field, s->text, s->arena, s->err) : bad_value(s, "a word");
}

static enum am_status set_choice(const struct setting *s)
{
    const char *const *choices = s->option->choices;
    char list[256] = "";
    const char *near;
    size_t n = 0;

    for (; choices[n]; n++) {
        if (strcmp(choices[n], s->text) == 0) {
            *(int *)s->field = (int)n;
            return AM_OK;
        }
        if (!am_str_format(list + strlen(list), sizeof(list) - strlen(list), "%s%s", n ? ", " : "",
                           choices[n]))
            break;
    }
    near = am_nearest(s->text, choices, n);
    if (near)
        return am_fail(s->err, AM_E_USAGE, "--%s: unknown value \"%s\"; did you mean \"%s\"? (%s)",
                       s->option->name, s->text, near, list);
    return am_fail(s->err, AM_E_USAGE, "--%s: unknown value \"%s\" (%s)", s->option->name, s->text,
                   list);
}

static enum am_status set_number(const struct setting *s)
{
    struct am_number *const field = s->field;

    if (!am_parse_u64(s->text, strlen(s->text), &field->value))
        return bad_value(s, "a whole number");
    field->given = true;
    return AM_OK;
}

static enum am_status set_counts(const struct setting *s)
{
    const char *colon = strchr(s->text, ':');
    const size_t head = colon ? (size_t)(colon - s->text) : strlen(s->text);
    const uint64_t most = 100000; /* far above what any plan can use */
    uint64_t min, max;

    if (!am_parse_u64(s->text, head, &min) || min == 0 || min > most)
        return bad_value(s, "MIN or MIN:MAX with counts from 1 to 100000");
    max = min;
    if (colon && (!am_parse_u64(colon + 1, strlen(colon + 1), &max) || max < min || max > most))
        return bad_value(s, "MIN:MAX with MAX at least MIN and at most 100000");
    *(struct am_counts *)s->field = (struct am_counts){.min = (unsigned)min, .max = (unsigned)max};
    return AM_OK;
}

static enum am_status set_time(const struct setting *s)
{
    if (!am_parse_duration(s->text, s->field))
        return bad_value(s, "a time with its unit, e.g. 10ms, 30s, 5m, 1h");
    return AM_OK;
}

static enum am_status set_share(const struct setting *s)
{
    if (!am_parse_share(s->text, s->field))
        return bad_value(s, "a share below 1, e.g. 2% or 0.02");
    return AM_OK;
}

static enum am_status apply(const struct setting *s)
{
    static enum am_status (*const setters[])(const struct setting *) = {
        [AM_OPTION_FLAG] = set_flag,     [AM_OPTION_SET] = set_value,
        [AM_OPTION_TEXT] = set_text,     [AM_OPTION_LIST] = set_list,
        [AM_OPTION_WORDS] = set_words,   [AM_OPTION_CHOICE] = set_choice,
        [AM_OPTION_NUMBER] = set_number, [AM_OPTION_COUNTS] = set_counts,
        [AM_OPTION_TIME] = set_time,     [AM_OPTION_SHARE] = set_share,
    };

    return setters[s->option->kind](s);
}

/* ---- words ---- */

struct parser {
    int argc, next; /* next: index of the word to read */
    const char *const *argv;
    struct am_arena *arena;
    struct am_options *out;
    struct am_err *err;
};

static enum am_status set_option(const struct parser *p, const struct am_option *option,
                                 const char *text)
{
    return apply(&(struct setting){
        .option = option,
        .field = (char *)p->out + option->offset,
        .text = text,
        .arena = p->arena,
        .err = p->err,
    });
}

/* Before the command is known only global options are. */
static bool visible(const struct parser *p, const struct am_option *option)
{
    return p->out->command == AM_CMD_COUNT ? am_option_is_global(option)
                                           : am_option_applies(option, p->out->command);
}

static enum am_status unknown_option(const struct parser *p, const char *name)
{
    const bool chosen = p->out->command != AM_CMD_COUNT;
    const char *names[NAMES_MAX];
    const char *near;
    size_t n = 0;

    for (const struct am_option *o = am_option_table; o->name && n < NAMES_MAX; o++) {
        if (visible(p, o))
            names[n++] = o->name;
        else if (strcmp(o->name, name) == 0 && !chosen)
            return am_fail(p->err, AM_E_USAGE, "option --%s must follow the command it belongs to",
                           name);
    }
    near = am_nearest(name, names, n);
    return am_fail(p->err, AM_E_USAGE, "unknown option --%s%s%s%s%s%s", name, chosen ? " of " : "",
                   chosen ? am_commands[p->out->command].name : "", near ? "; did you mean --" : "",
                   near ? near : "", near ? "?" : "");
}

static const struct am_option *find_long(const struct parser *p, const char *name, size_t len)
{
    for (const struct am_option *o = am_option_table; o->name; o++) {
        if (visible(p, o) && strlen(o->name) == len && memcmp(o->name, name, len) == 0)
            return o;
    }
    return NULL;
}

static const struct am_option *find_letter(const struct parser *p, char letter)
{
    for (const struct am_option *o = am_option_table; o->name; o++) {
        if (visible(p, o) && o->letter == letter)
            return o;
    }
    return NULL;
}

static const struct am_option *find_old(const struct parser *p, const char *name)
{
    for (const struct am_option *o = am_option_table; o->name; o++) {
        if (visible(p, o) && o->old && strcmp(o->old, name) == 0)
            return o;
    }
    return NULL;
}

/* The following word as the option's argument. A word that looks like an option is refused:
 * "-o --quick" is a forgotten file name far more often than a file called --quick. */
static enum am_status take_argument(struct parser *p, const struct am_option *option)
{
    const char *word = p->next < p->argc ? p->argv[p->next] : NULL;

    if (!word)
        return am_fail(p->err, AM_E_USAGE, "option --%s needs %s", option->name, option->argument);
    if (word[0] == '-' && word[1] && !(option->flags && word[1] != '-'))
        return am_fail(p->err, AM_E_USAGE,
                       "option --%s needs %s, not \"%s\" (if you mean it: --%s=%s)", option->name,
                       option->argument, word, option->name, word);
    p->next++;
    return set_option(p, option, word);
}

static enum am_status parse_long(struct parser *p, const char *word)
{
    const char *equals = strchr(word, '=');
    const size_t len = equals ? (size_t)(equals - word) : strlen(word);
    const struct am_option *option = find_long(p, word, len);

    if (!option) {
        char name[NAMES_MAX];

        (void)am_str_copy(name, len < sizeof(name) ? len + 1 : sizeof(name), word);
        return unknown_option(p, name);
    }
    if (!am_option_takes_argument(option)) {
        if (equals)
            return am_fail(p->err, AM_E_USAGE, "option --%s takes no value", option->name);
        return set_option(p, option, NULL);
    }
    return equals ? set_option(p, option, equals + 1) : take_argument(p, option);
}

/* "-q", "-qv", "-p a=b", "-pa=b", and "-ib 2". */
static enum am_status parse_letters(struct parser *p, const char *letters)
{
    const struct am_option *const old = find_old(p, letters);
    enum am_status status = AM_OK;

    if (old)
        return take_argument(p, old);

    for (; *letters && status == AM_OK; letters++) {
        const struct am_option *option = find_letter(p, *letters);

        if (!option)
            return am_fail(p->err, AM_E_USAGE, "unknown option -%c%s%s", *letters,
                           p->out->command == AM_CMD_COUNT ? "" : " of ",
                           p->out->command == AM_CMD_COUNT ? ""
                                                           : am_commands[p->out->command].name);
        if (am_option_takes_argument(option))
            return letters[1] ? set_option(p, option, letters + 1) : take_argument(p, option);
        status = set_option(p, option, NULL);
    }
    return status;
}

/* The one command that has an option of this name, "model" for facts; NULL: none or several have.
 */
static const char *command_with(const char *option)
{
    const char *found = NULL;

    for (const struct am_option *o = am_option_table; o->name; o++) {
        for (unsigned i = 0; i < AM_CMD_COUNT && strcmp(o->name, option) == 0; i++) {
            if (!(o->commands >> i & 1))
                continue;
            if (found)
                return NULL;
            found = am_commands[i].name;
        }
    }
    return found;
}

static enum am_status parse_command(struct parser *p, const char *word)
{
    const char *names[AM_CMD_COUNT];
    const char *const with = command_with(word);
    const char *near;

    p->out->command = am_command_find(word);
    if (p->out->command != AM_CMD_COUNT)
        return AM_OK;
    for (unsigned i = 0; i < AM_CMD_COUNT; i++)
        names[i] = am_commands[i].name;
    if (with)
        return am_fail(p->err, AM_E_USAGE, "unknown command \"%s\"; did you mean \"%s --%s\"?",
                       word, with, word);
    near = am_nearest(word, names, AM_CMD_COUNT);
    return am_fail(p->err, AM_E_USAGE, "unknown command \"%s\"%s%s%s", word,
                   near ? "; did you mean \"" : "", near ? near : "",
                   near ? "\"?" : "; see \"archmeter help\"");
}

static enum am_status parse_operand(struct parser *p, const char *word)
{
    if (p->out->command == AM_CMD_COUNT)
        return parse_command(p, word);
    return add_word(&p->out->operands, word, p->arena, p->err);
}

static enum am_status parse_words(struct parser *p)
{
    bool options_ended = false;
    enum am_status status = AM_OK;

    while (p->next < p->argc && status == AM_OK) {
        const char *word = p->argv[p->next++];

        if (options_ended || word[0] != '-' || !word[1])
            status = parse_operand(p, word);
        else if (strcmp(word, "--") == 0)
            options_ended = true;
        else if (word[1] == '-')
            status = parse_long(p, word + 2);
        else
            status = parse_letters(p, word + 1);
    }
    return status;
}

/* ---- defaults and the whole ---- */

/* Values that say "not given"; the rest of the struct is zero. */
static void preset(struct am_options *out)
{
    *out = (struct am_options){.command = AM_CMD_COUNT};
    for (const struct am_option *o = am_option_table; o->name; o++) {
        void *field = (char *)out + o->offset;

        if (o->kind == AM_OPTION_TIME || o->kind == AM_OPTION_SHARE)
            *(double *)field = -1;
        else if (o->kind == AM_OPTION_SET || o->kind == AM_OPTION_CHOICE)
            *(int *)field = -1;
    }
}

static bool is_unset(const struct am_option *o, const struct am_options *out)
{
    const void *field = (const char *)out + o->offset;

    if (o->kind == AM_OPTION_TIME || o->kind == AM_OPTION_SHARE)
        return *(const double *)field < 0;
    if (o->kind == AM_OPTION_CHOICE || o->kind == AM_OPTION_SET)
        return *(const int *)field < 0;
    if (o->kind == AM_OPTION_TEXT)
        return *(const char *const *)field == NULL;
    return false;
}

static enum am_status set_defaults(const struct parser *p)
{
    enum am_status status = AM_OK;

    for (const struct am_option *o = am_option_table; o->name && status == AM_OK; o++) {
        if (o->dflt && visible(p, o) && is_unset(o, p->out))
            status = set_option(p, o, o->dflt);
    }
    return status;
}

static enum am_status check_operands(const struct am_options *out, struct am_err *err)
{
    const struct am_command *c = &am_commands[out->command];

    if (out->operands.n < c->min_operands)
        return am_fail(err, AM_E_USAGE, "%s needs %s; see \"archmeter help %s\"", c->name,
                       c->operands, c->name);
    if (out->operands.n > c->max_operands)
        return am_fail(err, AM_E_USAGE, "%s: unexpected \"%s\"; see \"archmeter help %s\"", c->name,
                       out->operands.items[c->max_operands], c->name);
    return AM_OK;
}

/* "latest~1", "latest" in place of runs that were not named. */
static enum am_status name_latest(const struct parser *p)
{
    static const char *const names[] = {"latest~1", "latest"};
    struct am_options *const out = p->out;
    const size_t wanted = out->between ? 1 : am_commands[out->command].latest;
    enum am_status status = AM_OK;

    if (am_commands[out->command].latest == 0)
        return AM_OK;
    while (out->operands.n < wanted) {
        status = add_word(&out->operands, names[2 - wanted + out->operands.n], p->arena, p->err);
        if (status != AM_OK)
            break;
    }
    return status;
}

/* Nothing named and no profile asked for: the minute that answers most questions, not the hours
 * that answer all. */
static void prefer_quick(struct am_options *out)
{
    const bool measures = out->command == AM_CMD_RUN || out->command == AM_CMD_PLAN;
    const bool counts =
        out->command == AM_CMD_OMP; /* overheads are few, and named by the program */

    if (((measures && out->operands.n == 0) || counts) && out->profile < 0)
        out->profile = AM_PROFILE_QUICK;
}

enum am_status am_options_parse(int argc, const char *const *argv, struct am_arena *arena,
                                struct am_options *out, struct am_err *err)
{
    struct parser p = {
        .argc = argc, .next = 1, .argv = argv, .arena = arena, .out = out, .err = err};
    enum am_status status;

    preset(out);
    status = parse_words(&p);
    if (status == AM_OK)
        prefer_quick(out);
    if (status == AM_OK)
        status = set_defaults(&p);
    if (status != AM_OK || out->help || out->version)
        return status;
    if (out->command == AM_CMD_COUNT && argc <= 1)
        return AM_OK; /* the program's name alone asks what it can do */
    if (out->command == AM_CMD_COUNT)
        return am_fail(err, AM_E_USAGE, "no command given; see \"archmeter help\"");
    status = name_latest(&p);
    return status == AM_OK ? check_operands(out, err) : status;
}
