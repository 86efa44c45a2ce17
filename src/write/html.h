/* SPDX-License-Identifier: MIT */
/* Inside the writer of pages: what its files share. */
#ifndef AM_WRITE_HTML_H
#define AM_WRITE_HTML_H

#include "base/text.h"
#include "write/write.h"

/* page.css and page.js, embedded by tools/embed.py */
extern const char am_page_css[], am_page_js[];

struct am_html {
    FILE *out;
    struct am_text svg; /* of one picture, before it is written */
};

/* <name class="kind">text</name>; kind NULL: no class. */
void am_html_element(struct am_html *h, const char *name, const char *kind, const char *text);
/* Caption, panels or table of a figure (html_figure.c). */
void am_html_figure(struct am_html *h, const struct am_figure *figure);
/* The rows of a comparison as ratios with intervals. */
void am_html_forest(struct am_html *h, const struct am_block *block, struct am_arena *arena);

#endif
