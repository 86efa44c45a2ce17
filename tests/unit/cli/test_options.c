/* SPDX-License-Identifier: MIT */
/* The command line: what is accepted, what is refused and with which words, and the texts that come
 * from the same tables. */
#include "cli/words/help.h"
#include "cli/words/options.h"
#include "core/bench/plan.h"
#include "write/style.h"

#include "tap.h"

#include <stdlib.h>

enum { ARGS_MAX = 16, LINE_CAP = 512 };

/* Splits at spaces; "''" is an empty word. */
static int split(char *line, const char **argv)
{
    char *save = NULL;
    int argc = 0;

    argv[argc++] = "archmeter";
    for (char *word = strtok_r(line, " ", &save); word && argc < ARGS_MAX;
         word = strtok_r(NULL, " ", &save))
        argv[argc++] = strcmp(word, "''") == 0 ? "" : word;
    return argc;
}

struct parsed {
    struct am_arena arena;
    struct am_options options;
    struct am_err err;
    enum am_status status;
    char line[LINE_CAP];
};

static void parse(struct parsed *p, const char *line)
{
    const char *argv[ARGS_MAX];
    int argc;

    *p = (struct parsed){0};
    (void)snprintf(p->line, sizeof(p->line), "%s", line);
    argc = split(p->line, argv);
    p->status = am_options_parse(argc, argv, &p->arena, &p->options, &p->err);
}

static void test_refusals(void)
{
    static const struct {
        const char *line, *says;
    } cases[] = {
        {"--quiet", "no command given"},
        {"rnu", "did you mean \"run\"?"},
        {"facts", "did you mean \"model --facts\"?"},
        {"against", "see \"archmeter help\""},
        {"xyzzyxyzzy", "see \"archmeter help\""},
        {"run --quik", "unknown option --quik of run; did you mean --quick?"},
        {"run --qui", "unknown option --qui of run"}, /* no abbreviations */
        {"run -z", "unknown option -z of run"},
        {"show a.db --budget 5m", "unknown option --budget of show"},
        {"--budget 5m run", "must follow the command"},
        {"run --format jsn", "did you mean \"json\"? (table, json, csv, md, tex)"},
        {"run --format ''", "unknown value \"\""},
        {"run --quick --thorough", "--quick and --thorough exclude each other"},
        {"run --budget 5", "a time with its unit"},
        {"run --budget 5x", "a time with its unit"},
        {"run --budget -5m", "needs TIME, not \"-5m\""},
        {"run --budget", "option --budget needs TIME"},
        {"run -o --quick", "if you mean it: --output=--quick"},
        {"run -o", "option --output needs FILE"},
        {"run --output=", "FILE must not be empty"},
        {"run --quick=1", "takes no value"},
        {"run --launches 0", "counts from 1"},
        {"run --launches 5:3", "MAX at least MIN"},
        {"run --launches 5:", "MAX at least MIN"},
        {"run --launches 5:99999999999999999999", "MAX at least MIN"},
        {"run --samples -1", "needs N, not \"-1\""},
        {"run --samples=-1", "\"-1\" is not a whole number"},
        {"run --seed 18446744073709551616", "is not a whole number"},
        {"run --target 1", "a share below 1"},
        {"run --target 100%", "a share below 1"},
        {"run --target 1%%", "a share below 1"},
        {"run -p size", "of the form AXIS=VALUES"},
        {"run -p =4", "of the form AXIS=VALUES"},
        {"run -psize=", "of the form AXIS=VALUES"},
        {"export", "export needs FILE [PATTERN...]"},
        {"experiment a.exp b.exp", "unexpected \"b.exp\""},
        {"doctor extra", "unexpected \"extra\""},
        {"check a b --fail-on faster", "unknown value \"faster\""},
        {"list -p a=b", "unknown option -p of list"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct parsed p;

        parse(&p, cases[i].line);
        if (!ok(p.status == AM_E_USAGE && strstr(p.err.text, cases[i].says),
                "\"%s\" is refused: %s", cases[i].line, cases[i].says))
            printf("# status %d, \"%s\"\n", p.status, p.err.text);
        am_arena_fini(&p.arena);
    }
}

static void test_run(void)
{
    struct parsed p;
    const struct am_options *o = &p.options;

    parse(&p, "run mem.* -p size=4K,8K -pisa=best --quick --budget=5m --launches 3:9 --samples 7 "
              "--seed 42");
    ok(p.status == AM_OK, "a long run line parses");
    ok(o->command == AM_CMD_RUN && o->operands.n == 1 && o->params.n == 2, "words are in place");
    is_str(o->operands.items[0], "mem.*", "the pattern is an operand");
    is_str(o->params.items[0], "size=4K,8K", "-p AXIS=VALUES");
    is_str(o->params.items[1], "isa=best", "-pAXIS=VALUES");
    ok(o->profile == AM_PROFILE_QUICK, "--quick sets the profile");
    is_near(o->budget_s, 300, 1e-12, "--budget=5m is 300 s");
    ok(o->launches.min == 3 && o->launches.max == 9, "--launches 3:9");
    ok(o->samples.given && o->samples.value == 7, "--samples 7");
    ok(o->seed.given && o->seed.value == 42, "--seed 42");
    am_arena_fini(&p.arena);

    parse(&p, "run --min-batch 250us --target 0.5% --launch-limit 1.5h --launches 4 -o x.db");
    ok(p.status == AM_OK, "times and shares parse");
    is_near(o->min_batch_s, 250e-6, 1e-15, "250us");
    is_near(o->target, 0.005, 1e-15, "0.5%");
    is_near(o->launch_limit_s, 5400, 1e-12, "1.5h");
    ok(o->launches.min == 4 && o->launches.max == 4, "--launches 4 fixes the count");
    is_str(o->output, "x.db", "-o FILE");
    am_arena_fini(&p.arena);
}

static void test_defaults(void)
{
    struct parsed p;
    const struct am_options *o = &p.options;

    parse(&p, "run null");
    ok(p.status == AM_OK && o->profile == AM_PROFILE_STANDARD,
       "standard is the default profile of what is named");
    ok(o->format == AM_FORMAT_TABLE, "run writes a table by default");
    ok(o->budget_s < 0 && o->target < 0 && o->min_batch_s < 0 && !o->seed.given &&
           !o->samples.given && o->launches.min == 0,
       "what was not given says so");
    am_arena_fini(&p.arena);

    parse(&p, "export a.db --samples");
    ok(p.status == AM_OK && o->format == AM_FORMAT_JSON, "export writes JSON by default");
    ok(o->raw_samples && !o->samples.given, "--samples of export is a flag of its own");
    am_arena_fini(&p.arena);

    parse(&p, "selftest");
    ok(p.status == AM_OK && o->profile < 0, "selftest leaves the profile to the command");
    am_arena_fini(&p.arena);

    parse(&p, "compare a b");
    is_near(o->delta, 0.02, 1e-15, "delta is 2 % by default");
    am_arena_fini(&p.arena);
}

static void test_syntax(void)
{
    struct parsed p;
    const struct am_options *o = &p.options;

    parse(&p, "-q --color never run -v");
    ok(p.status == AM_OK && o->quiet && o->verbose && o->color == AM_COLOR_NEVER,
       "global options stand before and after the command");
    am_arena_fini(&p.arena);
    parse(&p, "list -qv");
    ok(p.status == AM_OK && o->quiet && o->verbose, "letters of flags may be joined");
    am_arena_fini(&p.arena);
    parse(&p, "show -- --odd.db -x");
    ok(p.status == AM_OK && o->operands.n == 2, "-- ends the options");
    is_str(o->operands.items[0], "--odd.db", "what follows -- is an operand");
    am_arena_fini(&p.arena);
    parse(&p, "show - a b c d e f");
    ok(p.status == AM_OK && o->operands.n == 7, "a lone dash is an operand; lists grow");
    am_arena_fini(&p.arena);
    parse(&p, "--help");
    ok(p.status == AM_OK && o->help && o->command == AM_CMD_COUNT, "--help needs no command");
    am_arena_fini(&p.arena);
    parse(&p, "");
    ok(p.status == AM_OK && !o->help && o->command == AM_CMD_COUNT, "the name alone is no mistake");
    am_arena_fini(&p.arena);
    parse(&p, "show");
    ok(p.status == AM_OK && o->operands.n == 1 && strcmp(o->operands.items[0], "latest") == 0,
       "show takes the latest run where none is named");
    am_arena_fini(&p.arena);
    parse(&p, "compare");
    ok(p.status == AM_OK && o->operands.n == 2 && strcmp(o->operands.items[0], "latest~1") == 0 &&
           strcmp(o->operands.items[1], "latest") == 0,
       "compare takes the latest two");
    am_arena_fini(&p.arena);
    parse(&p, "compare a.db");
    ok(p.status == AM_OK && o->operands.n == 2 && strcmp(o->operands.items[0], "a.db") == 0 &&
           strcmp(o->operands.items[1], "latest") == 0,
       "or one that is named and the latest");
    am_arena_fini(&p.arena);
    parse(&p, "compare --between isa=avx,avx2");
    ok(p.status == AM_OK && o->operands.n == 1 && strcmp(o->operands.items[0], "latest") == 0,
       "or the latest alone, between two values of an axis");
    am_arena_fini(&p.arena);
    parse(&p, "run");
    ok(p.status == AM_OK && o->profile == AM_PROFILE_QUICK, "run alone is the quick set");
    am_arena_fini(&p.arena);
    parse(&p, "run --standard");
    ok(p.status == AM_OK && o->profile == AM_PROFILE_STANDARD, "unless more is asked for");
    am_arena_fini(&p.arena);
    parse(&p, "run mem.latency");
    ok(p.status == AM_OK && o->profile == AM_PROFILE_STANDARD,
       "and what is named is measured with care");
    am_arena_fini(&p.arena);
    parse(&p, "show --help");
    ok(p.status == AM_OK && o->help, "--help excuses missing operands");
    am_arena_fini(&p.arena);
    parse(&p, "run --seed 1 --seed 2");
    ok(p.status == AM_OK && o->seed.value == 2, "the last of two values counts");
    am_arena_fini(&p.arena);
    parse(&p, "run --quick --quick");
    ok(p.status == AM_OK, "the same profile twice is no contradiction");
    am_arena_fini(&p.arena);
}

static bool fields_overlap(const struct am_option *a, const struct am_option *b)
{
    const bool same_field = a->offset == b->offset && a->kind == b->kind;

    return a->offset == b->offset && !same_field;
}

static void test_tables(void)
{
    bool letters = true, names = true, texts = true, fields = true;

    for (const struct am_option *a = am_option_table; a->name; a++) {
        texts = texts && a->help && *a->help && a->commands &&
                (a->argument != NULL) == am_option_takes_argument(a) &&
                (a->choices != NULL) == (a->kind == AM_OPTION_CHOICE);
        for (const struct am_option *b = a + 1; b->name; b++) {
            const bool together = (a->commands & b->commands) != 0;

            names = names && !(together && strcmp(a->name, b->name) == 0);
            letters = letters && !(together && a->letter && a->letter == b->letter);
            fields = fields && !fields_overlap(a, b);
        }
    }
    ok(names, "no command has two options of one name");
    ok(letters, "no command has two options of one letter");
    ok(texts, "every option has help, and an argument's name where it takes one");
    ok(fields, "options that share a field share its type");
    for (unsigned i = 0; i < AM_CMD_COUNT; i++) {
        const struct am_command *c = &am_commands[i];

        ok(c->name && c->summary && c->operands && c->description &&
               c->min_operands <= c->max_operands && am_command_find(c->name) == i,
           "command %s is complete", c->name ? c->name : "?");
    }
}

/* What a writer printed. */
static char *printed(void (*write)(FILE *out))
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    write(out);
    (void)fclose(out);
    return text;
}

static void write_bash(FILE *out)
{
    struct am_err err = {0};

    (void)am_completion("bash", out, &err);
}

static void write_zsh(FILE *out)
{
    struct am_err err = {0};

    (void)am_completion("zsh", out, &err);
}

static void write_fish(FILE *out)
{
    struct am_err err = {0};

    (void)am_completion("fish", out, &err);
}

static void write_all_help(FILE *out)
{
    for (unsigned i = 0; i < AM_CMD_COUNT; i++)
        am_help_command((enum am_command_id)i, out);
}

/* "launch-limit" is written "launch\-limit" in roff. */
static bool names_option(const char *text, const char *name, bool roff)
{
    char word[128] = "";
    size_t n = 0;

    for (; *name && n < sizeof(word) - 3; name++) {
        if (*name == '-' && roff)
            word[n++] = '\\';
        word[n++] = *name;
    }
    word[n] = '\0';
    return strstr(text, word) != NULL;
}

static void test_texts(void)
{
    static const struct {
        const char *what;
        void (*write)(FILE *out);
        bool roff;
    } writers[] = {{"help", write_all_help, false},
                   {"the manual page", am_man_page, true},
                   {"bash completion", write_bash, false},
                   {"zsh completion", write_zsh, false},
                   {"fish completion", write_fish, false}};

    for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
        char *text = printed(writers[i].write);
        const char *missing = NULL;

        for (const struct am_option *o = am_option_table; text && o->name; o++) {
            if (!names_option(text, o->name, writers[i].roff))
                missing = o->name;
        }
        for (unsigned c = 0; text && c < AM_CMD_COUNT; c++) {
            if (!strstr(text, am_commands[c].name))
                missing = am_commands[c].name;
        }
        ok(text && !missing, "%s names every command and option%s%s", writers[i].what,
           missing ? ": not " : "", missing ? missing : "");
        free(text);
    }
}

static void test_help_width(void)
{
    char *text = printed(write_all_help);
    size_t longest = 0;

    for (const char *line = text; line && *line;) {
        const size_t len = strcspn(line, "\n");

        longest = len > longest ? len : longest;
        line += len + (line[len] == '\n');
    }
    ok(text && longest <= 80, "help fits 80 columns (longest line: %zu)", longest);
    free(text);
}

static void test_shell_name(void)
{
    struct am_err err = {0};

    ok(am_completion("bsh", stdout, &err) == AM_E_USAGE && strstr(err.text, "\"bash\""),
       "an unknown shell is refused with the nearest one");
}

int main(void)
{
    test_refusals();
    test_run();
    test_defaults();
    test_syntax();
    test_tables();
    test_texts();
    test_help_width();
    test_shell_name();
    return tap_done();
}
