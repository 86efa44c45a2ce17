/* SPDX-License-Identifier: MIT */
/* --help and the manual page, from the same tables as the parser. */
#include "cli/words/help.h"

#include "base/text.h"

#include <string.h>

enum { LINE_WIDTH = 80, HELP_COLUMN = 28, LABEL_MAX = 128 };

const struct am_exit_code am_exit_codes[] = {
    {0, "done"},
    {1,
     "findings: a slower row in check, failed points in run, an error in doctor --strict, a file that does not verify"},
    {2, "the command line is wrong; nothing was done"},
    {3, "could not measure, read or write"},
    {4, "inconclusive, or nothing to compare"},
    {5,
     "busy: run, tune or time with --strict found others at work on the machine; nothing was measured"},
    {130, "interrupted; everything measured so far is kept"},
    {0, NULL},
};

const struct am_help_item am_environment_variables[] = {
    {"NO_COLOR", "When set and not empty: no colour unless --color always."},
    {"TERM", "dumb: neither colour nor a progress line that redraws itself."},
    {"ARCHMETER_WORKERS",
     "Directories to search for worker programs, separated by colons, in place "
     "of those beside the program."},
    {"ARCHMETER_WAIT",
     "How long run and tune wait at most for a quiet moment, in place of 10s; 0s: as --no-wait."},
    {NULL, NULL},
};

static const struct {
    const char *command, *meaning;
} examples[] = {
    {"archmeter run --quick", "Measure the whole default set in less than a minute."},
    {"archmeter run 'mem.*' -p size=16K:256M:*2 -o mem.db", "Sweep the memory benches."},
    {"archmeter show mem.db --format md", "The results as Markdown tables."},
    {"archmeter check base.db new.db --delta 3%", "Fail when something became slower by 3 %."},
};

const char *am_cli_version(void)
{
    return AM_CLI_VERSION;
}

/* Writes words wrapped at LINE_WIDTH; the cursor stands at `column`, later lines begin at `indent`.
 * An empty line in the text parts paragraphs. */
static void wrap(FILE *out, const char *text, size_t column, size_t indent)
{
    bool first = true;

    while (*text) {
        const size_t len = strcspn(text, " \n");

        if (!first && column + 1 + len > LINE_WIDTH) {
            (void)fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            (void)fputc(' ', out);
            column++;
        }
        (void)fwrite(text, 1, len, out);
        column += len;
        first = false;
        text += len;
        if (strncmp(text, "\n\n", 2) == 0) {
            (void)fprintf(out, "\n\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        text += strspn(text, " \n");
    }
    (void)fputc('\n', out);
}

static void list_line(FILE *out, const char *label, const char *text)
{
    if (strlen(label) + 4 > HELP_COLUMN)
        (void)fprintf(out, "  %s\n%*s", label, HELP_COLUMN, "");
    else
        (void)fprintf(out, "  %-*s", HELP_COLUMN - 2, label);
    wrap(out, text, HELP_COLUMN, HELP_COLUMN);
}

void am_option_text(const struct am_option *o, char *buf, size_t cap)
{
    size_t used;

    (void)am_str_copy(buf, cap, o->help);
    for (size_t i = 0; o->choices && o->choices[i]; i++) {
        used = strlen(buf);
        (void)am_str_format(buf + used, cap - used, "%s%s", i ? ", " : " One of ", o->choices[i]);
    }
    used = strlen(buf);
    if (o->choices)
        (void)am_str_format(buf + used, cap - used, ".");
    used = strlen(buf);
    if (o->dflt && am_option_takes_argument(o))
        (void)am_str_format(buf + used, cap - used, " Default: %s.", o->dflt);
}

static void option_label(const struct am_option *o, char *buf, size_t cap)
{
    char letter[8] = "    ";

    if (o->letter)
        (void)am_str_format(letter, sizeof(letter), "-%c, ", o->letter);
    (void)am_str_format(buf, cap, "%s--%s%s%s", letter, o->name, o->argument ? " " : "",
                        o->argument ? o->argument : "");
}

static void list_options(FILE *out, enum am_command_id id, bool global)
{
    for (const struct am_option *o = am_option_table; o->name; o++) {
        char label[LABEL_MAX], text[1024];

        if (!am_option_applies(o, id) || am_option_is_global(o) != global)
            continue;
        option_label(o, label, sizeof(label));
        am_option_text(o, text, sizeof(text));
        list_line(out, label, text);
    }
}

static bool has_own_options(enum am_command_id id)
{
    for (const struct am_option *o = am_option_table; o->name; o++) {
        if (am_option_applies(o, id) && !am_option_is_global(o))
            return true;
    }
    return false;
}

static void list_exit_codes(FILE *out)
{
    (void)fputs("\nExit codes:\n", out);
    for (const struct am_exit_code *e = am_exit_codes; e->meaning; e++) {
        (void)fprintf(out, "  %3d  ", e->code);
        wrap(out, e->meaning, 7, 7);
    }
}

void am_help_overview(FILE *out)
{
    (void)fprintf(out,
                  "archmeter %s: measures what a machine can really do, part by part\n\n"
                  "Usage: archmeter COMMAND [OPTION...] [OPERAND...]\n\nCommands:\n",
                  am_cli_version());
    for (unsigned i = 0; i < AM_CMD_COUNT; i++)
        (void)fprintf(out, "  %-12s%s\n", am_commands[i].name, am_commands[i].summary);
    (void)fputs("\nOptions of every command:\n", out);
    list_options(out, AM_CMD_HELP, true);
    (void)fputs("\nExamples:\n", out);
    for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
        (void)fprintf(out, "  %s\n      %s\n", examples[i].command, examples[i].meaning);
    list_exit_codes(out);
    (void)fputs("\n\"archmeter help COMMAND\" tells more of one.\n", out);
}

void am_help_brief(FILE *out)
{
    static const struct {
        const char *command, *meaning;
    } lines[] = {
        {"run", "measure this machine: the quick set, about a minute"},
        {"run --standard", "all of it; plan --standard says how long"},
        {"run 'mem.*'", "some benches; list names them"},
        {"doctor", "what would disturb a measurement here"},
        {"show", "the tables of the latest run"},
        {"model", "what it says about the machine, and guidelines"},
        {"explain", "each result against its bound, and what to try next"},
        {"report", "all of it as one page"},
        {"compare", "the latest run against the one before"},
        {"help", "every command and option"},
    };

    (void)fprintf(out, "archmeter %s: measures what a machine can really do, part by part\n\n",
                  am_cli_version());
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        (void)fprintf(out, "  archmeter %-16s%s\n", lines[i].command, lines[i].meaning);
}

void am_help_command(enum am_command_id id, FILE *out)
{
    const struct am_command *c = &am_commands[id];
    char usage[256];

    (void)am_str_format(usage, sizeof(usage), "archmeter %s%s%s%s", c->name,
                        has_own_options(id) ? " [OPTION...]" : "", *c->operands ? " " : "",
                        c->operands);
    (void)fprintf(out, "archmeter %s: %s\n\nUsage: ", c->name, c->summary);
    wrap(out, usage, 7, 11);
    (void)fputc('\n', out);
    wrap(out, c->description, 0, 0);
    if (has_own_options(id)) {
        (void)fputs("\nOptions:\n", out);
        list_options(out, id, false);
    }
    (void)fputs("\nOptions of every command:\n", out);
    list_options(out, id, true);
}

/* ---- manual page ---- */

/* Text for roff: dashes that stay dashes, no accidental requests. */
static void put_roff(FILE *out, const char *text)
{
    bool line_start = true;

    for (; *text; text++) {
        if (strncmp(text, "\n\n", 2) == 0) {
            (void)fputs("\n.PP\n", out);
            text++;
            line_start = true;
            continue;
        }
        if (line_start && (*text == '.' || *text == '\''))
            (void)fputs("\\&", out);
        if (*text == '\\')
            (void)fputs("\\e", out);
        else if (*text == '-')
            (void)fputs("\\-", out);
        else
            (void)fputc(*text, out);
        line_start = *text == '\n';
    }
}

static void man_option(FILE *out, const struct am_option *o)
{
    char text[1024];

    (void)fputs(".TP\n", out);
    if (o->letter)
        (void)fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
    (void)fputs("\\fB\\-\\-", out);
    put_roff(out, o->name);
    (void)fputs("\\fR", out);
    if (o->argument) {
        (void)fputs(" \\fI", out);
        put_roff(out, o->argument);
        (void)fputs("\\fR", out);
    }
    (void)fputc('\n', out);
    am_option_text(o, text, sizeof(text));
    put_roff(out, text);
    (void)fputc('\n', out);
}

static void man_command(FILE *out, enum am_command_id id)
{
    const struct am_command *c = &am_commands[id];

    (void)fprintf(out, ".SS archmeter %s ", c->name);
    put_roff(out, c->operands);
    (void)fputs("\n", out);
    put_roff(out, c->description);
    (void)fputc('\n', out);
    for (const struct am_option *o = am_option_table; o->name; o++) {
        if (am_option_applies(o, id) && !am_option_is_global(o))
            man_option(out, o);
    }
}

static void man_item(FILE *out, const char *term, const char *text)
{
    (void)fputs(".TP\n\\fB", out);
    put_roff(out, term);
    (void)fputs("\\fR\n", out);
    put_roff(out, text);
    (void)fputc('\n', out);
}

void am_man_page(FILE *out)
{
    (void)fprintf(out,
                  ".TH ARCHMETER 1 \"\" \"archmeter %s\" \"User Commands\"\n"
                  ".SH NAME\narchmeter \\- measures what a machine can really do, part by part\n"
                  ".SH SYNOPSIS\n.B archmeter\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] "
                  "[\\fIOPERAND\\fR...]\n.SH DESCRIPTION\n",
                  am_cli_version());
    put_roff(out,
             "archmeter plans and runs measurements in separate worker processes, keeps every "
             "raw sample with its circumstances in one SQLite file per run, and turns them into "
             "tables and comparisons. Standard output carries data only, standard error "
             "everything else.\n");
    (void)fputs(".SH COMMANDS\n", out);
    for (unsigned i = 0; i < AM_CMD_COUNT; i++)
        man_command(out, (enum am_command_id)i);
    (void)fputs(".SH OPTIONS\nThese belong to every command.\n", out);
    for (const struct am_option *o = am_option_table; o->name; o++) {
        if (am_option_is_global(o))
            man_option(out, o);
    }
    (void)fputs(".SH EXIT STATUS\n", out);
    for (const struct am_exit_code *e = am_exit_codes; e->meaning; e++) {
        char code[8];

        (void)am_str_format(code, sizeof(code), "%d", e->code);
        man_item(out, code, e->meaning);
    }
    (void)fputs(".SH ENVIRONMENT\n", out);
    for (const struct am_help_item *v = am_environment_variables; v->name; v++)
        man_item(out, v->name, v->meaning);
    (void)fputs(".SH EXAMPLES\n", out);
    for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
        man_item(out, examples[i].command, examples[i].meaning);
}
