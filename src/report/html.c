/* SPDX-License-Identifier: MIT */
/* The page around its parts: head, navigation, style, script; and the writer they share. */
#include "report/html.h"

#include "report/page.h"
#include "report/results.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { TEXT_LIMIT = 64 << 20, PUT_MAX = 2000, SECTIONS_MAX = 32 };

/* ---- the writer ---- */

void am_page_raw(struct am_page *p, const char *markup)
{
    am_text_add(&p->text, markup);
}

void am_page_rawf(struct am_page *p, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    am_text_vaddf(&p->text, fmt, ap);
    va_end(ap);
}

void am_page_put(struct am_page *p, const char *text)
{
    am_svg_escape_cut(&p->text, text ? text : "", PUT_MAX);
}

void am_page_element(struct am_page *p, const char *name, const char *kind, const char *text)
{
    am_page_rawf(p, "<%s", name);
    if (kind)
        am_page_rawf(p, " class=\"%s\"", kind);
    am_page_raw(p, ">");
    am_page_put(p, text);
    am_page_rawf(p, "</%s>", name);
}

void am_page_number(struct am_page *p, double value, const char *text)
{
    if (isfinite(value))
        am_page_rawf(p, "<td class=\"n\" data-v=\"%.6g\">", value);
    else
        am_page_raw(p, "<td class=\"n\">");
    am_page_put(p, text);
    am_page_raw(p, "</td>");
}

void am_page_table(struct am_page *p, const char *kind, const char *const *heads)
{
    am_page_rawf(p, "<div class=\"%s\"><table class=\"sortable\"><thead><tr>", kind);
    for (; *heads; heads++)
        am_page_element(p, "th", **heads == '#' ? "n" : NULL, *heads + (**heads == '#'));
    am_page_raw(p, "</tr></thead><tbody>\n");
}

void am_page_table_end(struct am_page *p)
{
    am_page_raw(p, "</tbody></table></div>\n");
}

void am_page_id(struct am_page *p, const char *title)
{
    for (; *title; title++)
        am_page_rawf(p, "%c", isalnum((unsigned char)*title) ? tolower(*title) : '-');
}

void am_page_heading(struct am_page *p, const char *title)
{
    am_page_raw(p, "<h2 id=\"");
    am_page_id(p, title);
    am_page_raw(p, "\">");
    am_page_put(p, title);
    am_page_raw(p, "</h2>\n");
}

void am_page_flush(struct am_page *p)
{
    if (p->status == AM_OK && p->text.overflow)
        p->status = am_fail(p->err, AM_E_LIMIT, "a part of the report is larger than %d MiB",
                            TEXT_LIMIT >> 20);
    if (p->status == AM_OK && p->text.len)
        (void)fwrite(am_text_str(&p->text), 1, p->text.len, p->out);
    am_text_clear(&p->text);
    if (p->status == AM_OK && ferror(p->out))
        p->status = am_fail(p->err, AM_E_SYS, "cannot write the report");
}

/* ---- the page ---- */

/* Parts in their order; the sections of figures stand between the two lists. */
static const struct {
    const char *title; /* NULL: no entry in the navigation */
    am_page_part_fn *write;
    am_page_has_fn *present; /* NULL: always */
} before[] =
    {
        {NULL, am_page_summary, NULL},
        {"Nodes", am_page_nodes, am_page_has_nodes},
        {"Findings", am_page_findings, am_page_has_findings},
        {"Machine model", am_page_model, am_page_has_model},
        {"Comparison", am_page_comparison, am_page_has_comparison},
},
  behind[] = {
      {"Measured against bound", am_page_bounds, am_page_has_bounds},
      {"All results", am_page_results, am_page_has_results},
      {"Method", am_page_method, NULL},
      {"Reproduce", am_page_reproduce, NULL},
};

enum { BEFORE = sizeof(before) / sizeof(before[0]), BEHIND = sizeof(behind) / sizeof(behind[0]) };

static void write_inks(struct am_page *p)
{
    am_page_raw(p, "@media screen and (prefers-color-scheme: dark) {\n");
    for (int i = 0; i < AM_INK_COUNT; i++)
        am_page_rawf(p, ".%s { color: %s; }\n", am_ink_class((enum am_ink)i),
                     am_ink_color((enum am_ink)i, true));
    am_page_raw(p, "}\n@media not screen, (prefers-color-scheme: light) {\n");
    for (int i = AM_INK_SERIES; i < AM_INK_COUNT; i++)
        am_page_rawf(p, "i.%s { color: %s; }\n", am_ink_class((enum am_ink)i),
                     am_ink_color((enum am_ink)i, false));
    am_page_raw(p, "}\n");
}

static void write_head(struct am_page *p)
{
    char machine[512];

    am_report_machine_line(&p->set->machine, machine, sizeof(machine));
    am_page_raw(p, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                   "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>");
    am_page_put(p, machine);
    am_page_raw(p, " - archmeter</title>\n<style>\n");
    am_page_raw(p, am_page_css);
    write_inks(p);
    am_page_raw(p, "</style>\n</head>\n<body>\n<header class=\"top\"><h1>");
    am_page_put(p, machine);
    am_page_raw(p, "</h1></header>\n");
}

static void nav_entry(struct am_page *p, const char *title)
{
    am_page_raw(p, "<li><a href=\"#");
    am_page_id(p, title);
    am_page_raw(p, "\">");
    am_page_put(p, title);
    am_page_raw(p, "</a></li>\n");
}

/* Sections of figures in the order of their first one; the model shows its own. */
static size_t sections_of(const struct am_page *p, const char **sections)
{
    size_t n = 0;

    for (size_t i = 0; i < p->figures.n; i++) {
        const char *const section = am_figure_section(&p->figures.items[i]);
        size_t k = 0;

        while (k < n && strcmp(sections[k], section) != 0)
            k++;
        if (k == n && n < SECTIONS_MAX && strcmp(section, AM_FIGURE_MODEL_SECTION) != 0)
            sections[n++] = section;
    }
    return n;
}

static void write_nav(struct am_page *p, const char *const *sections, size_t n)
{
    am_page_raw(p, "<nav><ul>\n");
    for (size_t i = 0; i < BEFORE; i++) {
        if (before[i].title && (!before[i].present || before[i].present(p)))
            nav_entry(p, before[i].title);
    }
    for (size_t i = 0; i < n; i++)
        nav_entry(p, sections[i]);
    for (size_t i = 0; i < BEHIND; i++) {
        if (!behind[i].present || behind[i].present(p))
            nav_entry(p, behind[i].title);
    }
    am_page_raw(p, "</ul></nav>\n<main>\n");
}

static void write_page(struct am_page *p)
{
    const char *sections[SECTIONS_MAX];
    const size_t n = sections_of(p, sections);

    write_head(p);
    write_nav(p, sections, n);
    for (size_t i = 0; i < BEFORE; i++) {
        if (!before[i].present || before[i].present(p))
            before[i].write(p);
        am_page_flush(p);
    }
    for (size_t i = 0; i < n; i++)
        am_page_section(p, sections[i]);
    for (size_t i = 0; i < BEHIND; i++) {
        if (!behind[i].present || behind[i].present(p))
            behind[i].write(p);
        am_page_flush(p);
    }
    am_page_raw(p, "</main>\n<footer>archmeter ");
    am_page_put(p, p->set->run.version);
    am_page_raw(p, ". Medians of launch medians with 95 % intervals; every raw sample is in the "
                   "results file.</footer>\n<script>\n");
    am_page_raw(p, am_page_js);
    am_page_raw(p, "</script>\n</body>\n</html>\n");
    am_page_flush(p);
}

enum am_status am_report_html(const struct am_html_input *input, FILE *out, struct am_err *err)
{
    struct am_page p = {
        .in = input, .set = &input->sets[0], .arena = input->arena, .out = out, .err = err};
    const struct am_figure_source source = {.set = p.set, .facts = &p.facts, .arena = p.arena};

    am_text_init(&p.text, TEXT_LIMIT);
    am_facts_derive(p.set, p.arena, &p.facts);
    p.status = am_figures_make(&source, &p.figures, err);
    if (p.status == AM_OK)
        write_page(&p);
    am_text_fini(&p.text);
    return p.status;
}
