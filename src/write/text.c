/* SPDX-License-Identifier: MIT */
/* Blocks on a terminal: headings, wrapped paragraphs, tables (text_table.c), graphics. */
#include "base/text.h"
#include "write/plot/charts.h"
#include "write/write.h"

#include <string.h>

enum {
    LINE_NAME = 7, /* columns for the names of lines in the head of a document */
    LINE_MAX_BYTES = 4096
};

static void spaces(FILE *out, size_t n)
{
    (void)fprintf(out, "%*s", (int)n, "");
}

static void toned(const struct am_style *style, FILE *out, enum am_tone tone, const char *text)
{
    (void)fputs(am_style_on(style, tone), out);
    am_style_put(style, out, text);
    (void)fputs(am_style_off(style, tone), out);
}

/* A name, then what belongs to it, wrapped only where it does not fit. */
static void heading(const struct am_style *style, FILE *out, const char *name, const char *rest,
                    size_t least)
{
    const size_t width = am_text_width(name), pad = width < least ? least - width : 0;
    const size_t column = width + pad + 2;

    toned(style, out, AM_TONE_STRONG, name);
    if (*rest)
        spaces(out, pad + 2);
    if (style->width > column && column + am_text_width(rest) > style->width) {
        am_style_flow(style, out, column, rest);
        return;
    }
    am_style_put(style, out, rest);
    (void)fputc('\n', out);
}

static void paragraph(const struct am_block *b, const char *label, const struct am_style *style,
                      FILE *out)
{
    spaces(out, b->indent);
    toned(style, out, b->tone, label);
    am_style_flow(style, out, b->indent + am_text_width(label), b->text);
}

static void code(const struct am_block *b, const struct am_style *style, FILE *out)
{
    for (const char *line = b->text; *line;) {
        const size_t len = strcspn(line, "\n");

        char text[LINE_MAX_BYTES];

        (void)am_str_copy(text, len < sizeof(text) ? len + 1 : sizeof(text), line);
        spaces(out, b->indent + 2);
        am_style_put(style, out, text);
        (void)fputc('\n', out);
        line += len + (line[len] == '\n');
    }
}

static void pairs(const struct am_kvs *kvs, const struct am_style *style, FILE *out)
{
    size_t width = 0;

    for (size_t i = 0; i < kvs->n; i++) {
        const size_t w = am_text_width(kvs->items[i].key);

        width = w > width ? w : width;
    }
    for (size_t i = 0; i < kvs->n; i++) {
        am_style_put(style, out, kvs->items[i].key);
        spaces(out, width + 2 - am_text_width(kvs->items[i].key));
        am_style_flow(style, out, width + 2, kvs->items[i].value);
    }
}

static void write_block(const struct am_block *b, const struct am_body *all,
                        const struct am_style *style, struct am_left_out *left, FILE *out)
{
    switch (b->kind) {
    case AM_BLOCK_HEADING:
    case AM_BLOCK_SUBHEADING:
    case AM_BLOCK_DETAILS:
        (void)fputs(b == all->items ? "" : "\n", out);
        heading(style, out, b->name, b->text, 0);
        break;
    case AM_BLOCK_LINE: heading(style, out, b->name, b->text, LINE_NAME); break;
    case AM_BLOCK_VERDICT:
    case AM_BLOCK_PARAGRAPH: paragraph(b, b->name, style, out); break;
    case AM_BLOCK_ITEM: paragraph(b, "- ", style, out); break;
    case AM_BLOCK_CODE: code(b, style, out); break;
    case AM_BLOCK_CARDS:
    case AM_BLOCK_TABLE: am_write_text_table(b->table, style, left, out); break;
    case AM_BLOCK_PAIRS: pairs(b->pairs, style, out); break;
    case AM_BLOCK_CHART:
        if (style->graphs)
            am_charts_write(b->points, b->results, b->n, style, all->arena, out);
        break;
    case AM_BLOCK_GAP: (void)fputc('\n', out); break;
    case AM_BLOCK_DETAILS_END:
    case AM_BLOCK_FIGURE:
    case AM_BLOCK_FOREST:
    case AM_BLOCK_DATA: break; /* of pages */
    }
}

/* Which columns a reader of this terminal does not see, and where they are. */
static void tell_left_out(const struct am_left_out *left, struct am_arena *arena,
                          const struct am_style *style, FILE *out)
{
    const char *names = "";

    for (size_t i = 0; i < left->n && names; i++)
        names = am_arena_printf(arena, "%s%s%s", names, i ? ", " : "", left->titles[i]);
    if (left->n && names)
        am_style_wrap(style, out, 0, "left out to fit the terminal: ",
                      am_arena_printf(arena, "%s (--format csv or json has all)", names));
}

void am_write_text(const struct am_body *blocks, const struct am_style *style, FILE *out)
{
    struct am_left_out left = {.n = 0};

    for (size_t i = 0; i < blocks->n; i++)
        write_block(&blocks->items[i], blocks, style, &left, out);
    tell_left_out(&left, blocks->arena, style, out);
}
