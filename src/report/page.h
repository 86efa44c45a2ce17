/* SPDX-License-Identifier: MIT */
/* Inside the HTML report only: the page as it is written, and its parts. */
#ifndef AM_REPORT_PAGE_H
#define AM_REPORT_PAGE_H

#include "base/text.h"
#include "document/figure/figure.h"
#include "document/figure/keys.h"
#include "model/facts.h"
#include "report/html.h"
#include "write/plot/figure_svg.h"
#include "write/plot/plot.h"

/* page.css and page.js, embedded by tools/embed.py */
extern const char am_page_css[], am_page_js[];

struct am_page {
    const struct am_html_input *in;
    const struct am_result_set *set; /* the run that is shown */
    struct am_arena *arena;
    struct am_facts facts;
    struct am_figures figures;
    FILE *out;
    struct am_text text; /* what is not yet written to `out` */
    struct am_err *err;
    enum am_status status; /* the first failure; nothing is written after it */
};

/* Markup as it is. */
void am_page_raw(struct am_page *p, const char *markup);
void am_page_rawf(struct am_page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Text from anywhere: escaped, and cut where it is longer than a person reads. */
void am_page_put(struct am_page *p, const char *text);
/* <name class="kind">text</name>; kind NULL: no class. */
void am_page_element(struct am_page *p, const char *name, const char *kind, const char *text);
/* A cell that is sorted by `value` (NAN: by its text). */
void am_page_number(struct am_page *p, double value, const char *text);
/* The heads of a table's columns, ended by NULL; one that begins with '#' is of numbers. */
void am_page_table(struct am_page *p, const char *kind, const char *const *heads);
void am_page_table_end(struct am_page *p);
/* Writes out what there is. */
void am_page_flush(struct am_page *p);

/* A part writes its <h2> and what follows; `present` tells whether it has anything. */
typedef void am_page_part_fn(struct am_page *p);
typedef bool am_page_has_fn(const struct am_page *p);

am_page_part_fn am_page_summary, am_page_nodes, am_page_findings, am_page_model, am_page_bounds,
    am_page_comparison, am_page_results, am_page_method, am_page_reproduce;
am_page_has_fn am_page_has_findings, am_page_has_nodes, am_page_has_model, am_page_has_bounds,
    am_page_has_comparison, am_page_has_results;

/* The figures of one section, with its <h2>. */
void am_page_section(struct am_page *p, const char *section);
/* One figure: caption, panels or table. */
void am_page_figure(struct am_page *p, const struct am_figure *figure);
/* The id of a heading: letters and digits of `title`. */
void am_page_heading(struct am_page *p, const char *title);
void am_page_id(struct am_page *p, const char *title);

#endif
