/* SPDX-License-Identifier: MIT */
/* Prints one page of doc/reference/ as Markdown, from the tables that the program itself works
 * with: `archmeter-reference PAGE`.
 *
 * Every page is a function of constant tables, so that the same source always prints the same text;
 * nothing is measured and no machine is looked at. tools/reference.py writes the pages (and makes
 * benches.md from what the workers list); the test `reference` compares them with the tree. */
#include "base/text.h"
#include "cli/words/help.h"
#include "cli/words/options.h"
#include "core/bench/outcome.h"
#include "core/stats/grade.h"
#include "document/figure/figure.h"
#include "family/family.h"

#include <stdio.h>
#include <string.h>

static const char made[] =
    "<!-- Made by tools/reference.py from the tables of the program: do not edit. -->\n\n";

/* Text inside a cell of a table: a bar would end the cell, a line's end the row. */
static void put_cell(const char *text)
{
    for (; text && *text; text++) {
        if (*text == '|')
            (void)putchar('\\');
        (void)putchar(*text == '\n' ? ' ' : *text);
    }
}

static void put_row(const char *word, const char *meaning)
{
    printf("| %s%s%s | ", *word ? "`" : "", *word ? word : "(none)", *word ? "`" : "");
    put_cell(meaning);
    printf(" |\n");
}

static void put_head(const char *title, const char *columns)
{
    printf("\n## %s\n\n| %s |\n|", title, columns);
    for (const char *at = columns; at; at = strchr(at + 1, '|'))
        printf(" --- |");
    printf("\n");
}

/* ---- commands ---- */

static bool has_options(enum am_command_id id)
{
    for (const struct am_option *o = am_option_table; o->name; o++) {
        if (am_option_applies(o, id) && !am_option_is_global(o))
            return true;
    }
    return false;
}

static void put_option(const struct am_option *o)
{
    char text[1024];

    am_option_text(o, text, sizeof(text));
    printf("| ");
    if (o->letter)
        printf("`-%c`, ", o->letter);
    printf("`--%s%s", o->name, o->argument ? " " : "");
    put_cell(o->argument);
    printf("` | ");
    put_cell(text);
    printf(" |\n");
}

static void put_options(enum am_command_id id, bool global)
{
    printf("\n| option | meaning |\n| --- | --- |\n");
    for (const struct am_option *o = am_option_table; o->name; o++) {
        if (am_option_applies(o, id) && am_option_is_global(o) == global)
            put_option(o);
    }
}

static void put_command(enum am_command_id id)
{
    const struct am_command *const c = &am_commands[id];

    printf("\n## %s\n\n%s.\n\n    archmeter %s%s%s%s\n\n%s\n", c->name, c->summary, c->name,
           has_options(id) ? " [OPTION...]" : "", *c->operands ? " " : "", c->operands,
           c->description);
    if (has_options(id))
        put_options(id, false);
}

static void page_commands(void)
{
    printf(
        "# Commands and options\n\n%s"
        "What `archmeter help COMMAND` says. How words, values and patterns are written, and what "
        "the outputs hold: [the command line](../guide/command-line.md).\n",
        made);
    put_head("Exit codes", "code | meaning");
    for (const struct am_exit_code *e = am_exit_codes; e->meaning; e++)
        printf("| %d | %s |\n", e->code, e->meaning);
    put_head("Environment", "variable | meaning");
    for (const struct am_help_item *v = am_environment_variables; v->name; v++)
        put_row(v->name, v->meaning);
    printf("\n## Options of every command\n");
    put_options(AM_CMD_HELP, true);
    for (unsigned i = 0; i < AM_CMD_COUNT; i++)
        put_command((enum am_command_id)i);
}

/* ---- facts ---- */

/* Names of a rule, each as `family.name`. */
static void put_fact_names(const char *family, const char *names)
{
    for (const char *at = names; *at;) {
        const size_t n = strcspn(at, ",");

        printf("%s`%s.%.*s`", at == names ? "" : ", ", family, (int)n, at);
        at += n;
        at += strspn(at, ",");
    }
}

/* Words of a list "a,b", each as code, behind `before`. */
static void put_list(const char *before, const char *list, const char *after)
{
    for (const char *at = list; at && *at;) {
        const size_t n = strcspn(at, ",");

        printf("%s`%.*s`", at == list ? before : ", ", (int)n, at);
        at += n;
        at += strspn(at, ",");
    }
    printf("%s", list && *list ? after : "");
}

static void put_labels(const struct am_fact_rule *rule)
{
    put_list("", rule->labels, "");
    put_list(rule->labels ? ", " : "", rule->most, " (the largest)");
    put_list("; ", rule->also, " where they vary");
}

/* Facts that are computed say it themselves. */
static const char *kind_of(const struct am_fact_rule *rule)
{
    return rule->derive ? "" : rule->kind == AM_FACT_CAPABILITY ? "capability" : "typical";
}

static void put_fact_rule(const struct am_family *family, const struct am_fact_rule *rule)
{
    printf("| ");
    put_fact_names(family->name, rule->name);
    printf(" | ");
    put_cell(rule->what);
    printf(" | ");
    put_labels(rule);
    printf(" | ");
    if (rule->from.bench)
        printf("`%s`%s%s", rule->from.bench, rule->from.metric ? ": " : "",
               rule->from.metric ? rule->from.metric : "");
    else
        printf("computed");
    printf(" | %s |\n", kind_of(rule));
}

static void page_facts(void)
{
    printf(
        "# Facts\n\n%s"
        "What `archmeter model` concludes from a run, by family. A fact is printed as "
        "`family.name{label=value,...}`. *typical* is a median; a *capability* is the best that was "
        "reached. A fact that the run cannot show is absent, and one that rests on evidence of "
        "[grade](grades.md) C is withheld with a remark. How they are found and read: "
        "[facts](../guide/facts.md).\n",
        made);
    for (size_t i = 0; am_families[i]; i++) {
        const struct am_fact_rule *rule = am_families[i]->facts;

        if (!rule || !rule->name)
            continue;
        put_head(am_families[i]->title, "fact | what | labels | from | kind");
        for (; rule->name; rule++)
            put_fact_rule(am_families[i], rule);
    }
}

/* ---- figures ---- */

static void put_figure(const struct am_figure_row *row)
{
    printf("| `%s` | ", row->name);
    put_cell(row->title);
    printf(" | ");
    if (row->bench)
        printf("`%s`", row->bench);
    printf(" | ");
    put_cell(row->caption);
    printf(" |\n");
}

static void put_pictures(void)
{
    put_head("Pictures", "name | shows | caption");
    for (int i = 0; i < AM_DRAWINGS; i++) {
        printf("| `%s` | %s | ", am_figures_drawn[i].name, am_figures_drawn[i].title);
        put_cell(am_figures_drawn[i].caption);
        printf(" |\n");
    }
}

static void page_figures(void)
{
    printf(
        "# Figures\n\n%s"
        "The figures that a report may have, by family. A run has those whose bench it measured; "
        "`archmeter export RUN --svg list` names them, `--svg NAME` writes one. How to read them: "
        "[the report](../guide/report.md).\n",
        made);
    put_pictures();
    for (size_t i = 0; am_families[i]; i++) {
        const struct am_figure_row *row = am_families[i]->figures;

        if (!row || !row->name)
            continue;
        put_head(am_families[i]->title, "name | shows | bench | caption");
        for (; row->name; row++)
            put_figure(row);
    }
}

/* ---- grades and outcomes ---- */

static void page_grades(void)
{
    printf(
        "# Grades\n\n%s"
        "How far a number can be trusted. **A** is fit to quote; **B** may support conclusions, "
        "with its interval; **C** is shown and concludes nothing. Each reason below is measured; up "
        "to the first limit it leaves the grade at A, up to the second at B, beyond it is C. A "
        "number has the worst grade of all reasons, a conclusion the worst of what it rests on.\n",
        made);
    put_head("Reasons", "reason | said as | measured by | A up to | B up to");
    for (int i = 0; i < AM_REASONS; i++) {
        const struct am_grade_row *const row = &am_grade_rows[i];

        printf("| `%s` | %s | ", am_reason_words[row->reason], am_reason_phrases[row->reason]);
        put_cell(row->measure);
        printf(" | %g | %g |\n", row->a, row->b);
    }
}

static void put_words(const char *title, const char *head, const char *const *words,
                      const char *const *meanings, int n)
{
    put_head(title, head);
    for (int i = 0; i < n; i++)
        put_row(words[i], meanings[i]);
}

static void page_outcomes(void)
{
    static const char head[] = "word | meaning";

    printf("# Outcomes\n\n%s"
           "How points, runs and launches end, and why samples are suspect: the words that tables, "
           "JSON and the store have in common.\n",
           made);
    put_words("States of a run", head, am_run_states, am_run_state_meanings, AM_RUN_STATES);
    put_words("States of a point", head, am_point_states, am_point_state_meanings, AM_POINT_STATES);
    put_words("Why a point gets no more launches", head, am_stop_reasons, am_stop_reason_meanings,
              AM_STOP_REASONS);
    put_words("Kinds of failure", head, am_failure_kinds, am_failure_kind_meanings,
              AM_FAILURE_KINDS);
    put_words("Labels of disturbed samples", head, am_label_words, am_label_meanings, AM_LABELS);
}

static const struct {
    const char *name;
    void (*print)(void);
} pages[] = {
    {"commands", page_commands}, {"facts", page_facts},       {"figures", page_figures},
    {"grades", page_grades},     {"outcomes", page_outcomes},
};

/* Without a page: the names of all. */
int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        if (argc < 2) {
            printf("%s\n", pages[i].name);
        } else if (strcmp(pages[i].name, argv[1]) == 0) {
            pages[i].print();
            return 0;
        }
    }
    return argc < 2 ? 0 : 2;
}
