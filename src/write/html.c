/* SPDX-License-Identifier: MIT */
/* A document as one self-contained page that needs no network and works without its script: head,
 * navigation by headings, blocks, style and script inside. */
#include "write/html.h"

#include "write/escape.h"
#include "write/plot/svg.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SVG_LIMIT = 64 << 20 };

static const char *const tones[AM_TONES] = {
    [AM_TONE_PLAIN] = NULL,  [AM_TONE_STRONG] = NULL, [AM_TONE_MUTED] = "muted",
    [AM_TONE_GOOD] = "good", [AM_TONE_WARN] = "warn", [AM_TONE_BAD] = "bad",
};

static void raw(struct am_html *h, const char *markup)
{
    (void)fputs(markup, h->out);
}

void am_html_element(struct am_html *h, const char *name, const char *kind, const char *text)
{
    (void)fprintf(h->out, "<%s", name);
    if (kind)
        (void)fprintf(h->out, " class=\"%s\"", kind);
    raw(h, ">");
    am_escape_html(h->out, text ? text : "");
    (void)fprintf(h->out, "</%s>", name);
}

/* The id of a heading: letters and digits of its title. */
static void put_id(struct am_html *h, const char *title)
{
    for (; *title; title++)
        (void)fputc(isalnum((unsigned char)*title) ? tolower((unsigned char)*title) : '-', h->out);
}

/* ---- tables ---- */

static void put_cell(struct am_html *h, const struct am_column *column,
                     const struct am_table_cell *cell)
{
    const bool number = column->right || am_cell_is_number(cell);
    const char *const tone = tones[am_cell_tone(cell)];
    char buf[AM_CELL_BYTES];

    (void)fprintf(h->out, "<td class=\"%s%s%s\"",
                  number         ? "n"
                  : column->flow ? "w"
                                 : "k",
                  tone ? " " : "", tone ? tone : "");
    if (isfinite(cell->value) && (am_cell_is_number(cell) || column->right))
        (void)fprintf(h->out, " data-v=\"%.6g\"", cell->value);
    raw(h, ">");
    if (cell->link) {
        raw(h, "<a href=\"");
        am_escape_html(h->out, cell->link);
        raw(h, "\">");
    }
    am_escape_html_parted(h->out, am_cell_show(cell, buf, sizeof(buf)));
    raw(h, cell->link ? "</a></td>" : "</td>");
}

static void put_table(struct am_html *h, const struct am_table *t)
{
    size_t columns[AM_COLUMNS_MAX];
    const size_t n = am_table_for_people(t, false, columns);

    (void)fprintf(h->out, "<div class=\"scroll%s\"><table class=\"sortable\"><thead><tr>",
                  t->tall ? " tall" : "");
    for (size_t i = 0; i < n; i++)
        am_html_element(h, "th", t->columns[columns[i]].right ? "n" : NULL,
                        t->columns[columns[i]].title);
    raw(h, "</tr></thead><tbody>\n");
    for (size_t r = 0; r < t->n_rows; r++) {
        raw(h, "<tr>");
        for (size_t i = 0; i < n; i++)
            put_cell(h, &t->columns[columns[i]], am_table_at(t, r, columns[i]));
        raw(h, "</tr>\n");
    }
    raw(h, "</tbody></table></div>\n");
}

/* One card per row: the first cell large, the others below it. */
static void put_cards(struct am_html *h, const struct am_table *t)
{
    raw(h, "<div class=\"cards\">\n");
    for (size_t r = 0; r < t->n_rows; r++) {
        raw(h, "<div class=\"card\">");
        for (size_t c = 0; c < t->n_columns; c++) {
            char buf[AM_CELL_BYTES];

            am_html_element(h, c ? "small" : "b", NULL,
                            am_cell_show(am_table_at(t, r, c), buf, sizeof(buf)));
        }
        raw(h, "</div>\n");
    }
    raw(h, "</div>\n");
}

static void put_pairs(struct am_html *h, const struct am_kvs *pairs)
{
    raw(h, "<dl class=\"facts\">");
    for (size_t i = 0; i < pairs->n; i++) {
        am_html_element(h, "dt", NULL, pairs->items[i].key);
        am_html_element(h, "dd", NULL, pairs->items[i].value);
    }
    raw(h, "</dl>\n");
}

/* ---- the data ---- */

static void put_base64(FILE *out, const char *data, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < n; i += 3) {
        const size_t have = n - i < 3 ? n - i : 3;
        uint32_t word = 0;

        for (size_t k = 0; k < 3; k++)
            word = word << 8 | (k < have ? (unsigned char)data[i + k] : 0u);
        for (size_t k = 0; k < 4; k++)
            (void)fputc(k <= have ? digits[word >> (18 - 6 * k) & 63] : '=', out);
    }
}

/* The document's tree as JSON in a link, where it is small enough for a page. */
static void put_data(struct am_html *h, const struct am_block *b,
                     const struct am_document *document, struct am_arena *arena)
{
    char *data = NULL;
    size_t n = 0;
    FILE *const memory = b->n ? open_memstream(&data, &n) : NULL;

    if (memory) {
        am_write_json(document, arena, memory);
        if (fclose(memory) != 0)
            n = SIZE_MAX;
    }
    if (memory && n <= b->n) {
        raw(h, "<p><a id=\"data\" download=\"archmeter.json\" "
               "href=\"data:application/json;base64,");
        put_base64(h->out, data, n);
        (void)fprintf(h->out, "\">Download the results as JSON</a> (%zu kB, in this page)</p>\n",
                      (n + 999) / 1000);
    } else {
        am_html_element(h, "p", "muted", b->text);
        raw(h, "\n");
    }
    free(data);
}

/* ---- text ---- */

/* <name class="tone">label text</name> */
static void put_text(struct am_html *h, const char *name, const struct am_block *b)
{
    (void)fprintf(h->out, "<%s", name);
    if (tones[b->tone])
        (void)fprintf(h->out, " class=\"%s\"", tones[b->tone]);
    raw(h, ">");
    if (*b->name)
        am_html_element(h, "strong", NULL, b->name);
    if (*b->name && *b->text)
        raw(h, " ");
    am_escape_html(h->out, b->text);
    (void)fprintf(h->out, "</%s>\n", name);
}

static void put_heading(struct am_html *h, const struct am_block *b)
{
    const bool section = b->kind == AM_BLOCK_HEADING;

    raw(h, section ? "<h2 id=\"" : "<h3");
    if (section)
        put_id(h, b->name);
    raw(h, section ? "\">" : ">");
    am_escape_html(h->out, b->name);
    if (*b->text) {
        raw(h, " ");
        am_html_element(h, "small", "muted", b->text);
    }
    raw(h, section ? "</h2>\n" : "</h3>\n");
}

static void put_verdict(struct am_html *h, const struct am_block *b)
{
    (void)fprintf(h->out, "<div class=\"verdict %s\" id=\"verdict\">",
                  tones[b->tone] ? tones[b->tone] : "");
    am_html_element(h, "strong", NULL, b->name);
    am_html_element(h, "span", NULL, b->text);
    raw(h, "</div>\n");
}

static void put_details(struct am_html *h, const struct am_block *b)
{
    raw(h, b->open ? "<details open>" : "<details>");
    am_html_element(h, "summary", NULL, b->name);
    raw(h, "\n");
}

/* ---- blocks ---- */

static void put_block(struct am_html *h, const struct am_document *document,
                      const struct am_body *all, size_t i)
{
    const struct am_block *const b = &all->items[i];

    switch (b->kind) {
    case AM_BLOCK_HEADING:
    case AM_BLOCK_SUBHEADING: put_heading(h, b); break;
    case AM_BLOCK_LINE:
    case AM_BLOCK_PARAGRAPH: put_text(h, "p", b); break;
    case AM_BLOCK_ITEM:
        raw(h, i > 0 && all->items[i - 1].kind == AM_BLOCK_ITEM ? "" : "<ul>\n");
        put_text(h, "li", b);
        raw(h, i + 1 < all->n && all->items[i + 1].kind == AM_BLOCK_ITEM ? "" : "</ul>\n");
        break;
    case AM_BLOCK_CODE:
        am_html_element(h, "pre", NULL, b->text);
        raw(h, "\n");
        break;
    case AM_BLOCK_VERDICT: put_verdict(h, b); break;
    case AM_BLOCK_TABLE: put_table(h, b->table); break;
    case AM_BLOCK_PAIRS: put_pairs(h, b->pairs); break;
    case AM_BLOCK_CARDS: put_cards(h, b->table); break;
    case AM_BLOCK_DETAILS: put_details(h, b); break;
    case AM_BLOCK_DETAILS_END: raw(h, "</details>\n"); break;
    case AM_BLOCK_FIGURE: am_html_figure(h, b->figure); break;
    case AM_BLOCK_FOREST: am_html_forest(h, b, all->arena); break;
    case AM_BLOCK_DATA: put_data(h, b, document, all->arena); break;
    case AM_BLOCK_CHART:
    case AM_BLOCK_GAP: break; /* of terminals */
    }
}

/* ---- the page around them ---- */

static void put_inks(struct am_html *h)
{
    raw(h, "@media screen and (prefers-color-scheme: dark) {\n");
    for (int i = 0; i < AM_INK_COUNT; i++)
        (void)fprintf(h->out, ".%s { color: %s; }\n", am_ink_class((enum am_ink)i),
                      am_ink_color((enum am_ink)i, true));
    raw(h, "}\n@media not screen, (prefers-color-scheme: light) {\n");
    for (int i = AM_INK_SERIES; i < AM_INK_COUNT; i++)
        (void)fprintf(h->out, "i.%s { color: %s; }\n", am_ink_class((enum am_ink)i),
                      am_ink_color((enum am_ink)i, false));
    raw(h, "}\n");
}

static void put_head(struct am_html *h, const char *title)
{
    raw(h, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
           "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>");
    am_escape_html(h->out, title);
    raw(h, " - archmeter</title>\n<style>\n");
    raw(h, am_page_css);
    put_inks(h);
    raw(h, "</style>\n</head>\n<body>\n<header class=\"top\">");
    am_html_element(h, "h1", NULL, title);
    raw(h, "</header>\n");
}

static void put_nav(struct am_html *h, const struct am_body *blocks)
{
    raw(h, "<nav><ul>\n");
    for (size_t i = 0; i < blocks->n; i++) {
        if (blocks->items[i].kind != AM_BLOCK_HEADING)
            continue;
        raw(h, "<li><a href=\"#");
        put_id(h, blocks->items[i].name);
        raw(h, "\">");
        am_escape_html(h->out, blocks->items[i].name);
        raw(h, "</a></li>\n");
    }
    raw(h, "</ul></nav>\n<main>\n");
}

void am_write_html(const struct am_document *document, const struct am_body *blocks, FILE *out)
{
    struct am_html h = {.out = out};

    am_text_init(&h.svg, SVG_LIMIT);
    put_head(&h, document->title ? document->title : "archmeter");
    put_nav(&h, blocks);
    for (size_t i = 0; i < blocks->n; i++)
        put_block(&h, document, blocks, i);
    raw(&h, "</main>\n");
    am_html_element(&h, "footer", NULL, document->footer);
    raw(&h, "\n<script>\n");
    raw(&h, am_page_js);
    raw(&h, "</script>\n</body>\n</html>\n");
    am_text_fini(&h.svg);
}
