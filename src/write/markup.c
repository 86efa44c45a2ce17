/* SPDX-License-Identifier: MIT */
/* Markdown and LaTeX: tables as tables; in LaTeX all that is between them as comments, so that the
 * file can be put into a paper as it is. */
#include "write/escape.h"
#include "write/write.h"

/* How a language writes what every block has. */
struct language {
    void (*put)(FILE *out, const char *text);
    const char *heading, *subheading, *line, *item; /* before their text */
    const char *strong, *strong_end;
    const char *after_heading;
    const char *row, *between, *row_end;
};

static const struct language markdown = {am_escape_md, "\n### ", "\n#### ", "- ",  "- ",  "**",
                                         "**",         "\n\n",   "| ",      " | ", " |\n"};
static const struct language latex = {
    am_escape_comment, "\n% ", "\n% ", "% ", "% ", "", "", "\n", "  ", " & ", " \\\\\n"};

/* Row SIZE_MAX is that of the titles. */
static void write_row(const struct am_table *t, const struct language *l, size_t row,
                      const size_t *columns, size_t n, FILE *out)
{
    void (*const put)(FILE *, const char *) = l == &latex ? am_escape_tex : l->put;

    (void)fputs(l->row, out);
    for (size_t i = 0; i < n; i++) {
        char buf[AM_CELL_BYTES];

        (void)fputs(i ? l->between : "", out);
        put(out, row == SIZE_MAX ? t->columns[columns[i]].title
                                 : am_cell_show(am_table_at(t, row, columns[i]), buf, sizeof(buf)));
    }
    (void)fputs(l->row_end, out);
}

static void write_table(const struct am_table *t, const struct language *l, FILE *out)
{
    size_t columns[AM_COLUMNS_MAX];
    const size_t n = am_table_for_people(t, false, columns);

    if (n == 0)
        return;
    (void)fputs(l == &latex ? "\\begin{tabular}{" : "", out);
    for (size_t i = 0; l == &latex && i < n; i++)
        (void)fputc(t->columns[columns[i]].right ? 'r' : 'l', out);
    (void)fputs(l == &latex ? "}\n  \\hline\n" : "", out);
    write_row(t, l, SIZE_MAX, columns, n, out);
    for (size_t i = 0; l == &markdown && i < n; i++)
        (void)fputs(t->columns[columns[i]].right ? "| ---: " : "| --- ", out);
    (void)fputs(l == &latex ? "  \\hline\n" : "|\n", out);
    for (size_t r = 0; r < t->n_rows; r++)
        write_row(t, l, r, columns, n, out);
    (void)fputs(l == &latex ? "  \\hline\n\\end{tabular}\n" : "", out);
}

/* "- **name** text" */
static void write_line(const struct am_block *b, const struct language *l, const char *before,
                       const char *after, FILE *out)
{
    (void)fputs(before, out);
    if (*b->name) {
        const bool strong = b->kind == AM_BLOCK_LINE || b->kind == AM_BLOCK_VERDICT;

        (void)fputs(strong ? l->strong : "", out);
        l->put(out, b->name);
        (void)fputs(strong ? l->strong_end : "", out);
        (void)fputs(*b->text && b->kind != AM_BLOCK_PARAGRAPH ? "  " : "", out);
    }
    l->put(out, b->text);
    (void)fputs(after, out);
}

static void write_block(const struct am_block *b, const struct language *l, FILE *out)
{
    switch (b->kind) {
    case AM_BLOCK_HEADING: write_line(b, l, l->heading, l->after_heading, out); break;
    case AM_BLOCK_SUBHEADING:
    case AM_BLOCK_DETAILS: write_line(b, l, l->subheading, l->after_heading, out); break;
    case AM_BLOCK_LINE:
    case AM_BLOCK_VERDICT: write_line(b, l, l->line, "\n", out); break;
    case AM_BLOCK_PARAGRAPH:
    case AM_BLOCK_CODE:
    case AM_BLOCK_ITEM: write_line(b, l, l->item, "\n", out); break;
    case AM_BLOCK_CARDS:
    case AM_BLOCK_TABLE: write_table(b->table, l, out); break;
    case AM_BLOCK_PAIRS:
        for (size_t i = 0; i < b->pairs->n; i++)
            write_line(&(struct am_block){.kind = AM_BLOCK_LINE,
                                          .name = b->pairs->items[i].key,
                                          .text = b->pairs->items[i].value},
                       l, l->line, "\n", out);
        break;
    case AM_BLOCK_GAP: (void)fputc('\n', out); break;
    case AM_BLOCK_DETAILS_END:
    case AM_BLOCK_FIGURE:
    case AM_BLOCK_FOREST:
    case AM_BLOCK_CHART:
    case AM_BLOCK_DATA: break; /* of pages and terminals */
    }
}

void am_write_markup(const struct am_body *blocks, enum am_format format, FILE *out)
{
    for (size_t i = 0; i < blocks->n; i++)
        write_block(&blocks->items[i], format == AM_FORMAT_TEX ? &latex : &markdown, out);
}
