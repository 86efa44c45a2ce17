/* SPDX-License-Identifier: MIT */
/* Grids: cells first, form last. */
#include "report/grid.h"

#include "base/text.h"
#include "report/escape.h"
#include "document/units.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

enum {
    FIRST_ROWS = 16,
    CELL_MAX = 1024,
    GAP = 2,
    FLOW_EASY = 24, /* columns below which wrapped text is no longer read with ease */
    FLOW_MIN = 12   /* where nothing else can be left out */
};

void am_grid_init(struct am_grid *g, struct am_arena *arena)
{
    *g = (struct am_grid){.arena = arena};
}

void am_grid_column(struct am_grid *g, const char *title, enum am_align align, unsigned rank)
{
    const char *copy = am_arena_strdup(g->arena, title);

    assert(g->n_rows == 0);
    if (!copy || g->n_columns == AM_GRID_COLUMNS_MAX) {
        g->broken = true;
        return;
    }
    g->columns[g->n_columns++] =
        (struct am_grid_column){.title = copy, .align = align, .rank = rank};
}

void am_grid_flow(struct am_grid *g)
{
    if (g->n_columns > 0)
        g->columns[g->n_columns - 1].flow = true;
}

void am_grid_row(struct am_grid *g)
{
    if (g->n_rows == g->cap_rows) {
        const size_t cap = g->cap_rows ? g->cap_rows * 2 : FIRST_ROWS;
        struct am_grid_cell *cells =
            am_arena_array(g->arena, cap * (g->n_columns + 1), sizeof(*cells));

        if (!cells) {
            g->broken = true;
            g->at = g->n_columns; /* cells of the row that has no room go nowhere */
            return;
        }
        if (g->n_rows)
            memcpy(cells, g->cells, g->n_rows * g->n_columns * sizeof(*cells));
        g->cells = cells;
        g->cap_rows = cap;
    }
    g->n_rows++;
    g->at = 0;
}

void am_grid_paint(struct am_grid *g, const char *text, enum am_paint paint)
{
    if (g->n_rows == 0 || g->at >= g->n_columns)
        return;
    g->cells[(g->n_rows - 1) * g->n_columns + g->at++] = (struct am_grid_cell){
        .text = text ? am_arena_strdup(g->arena, text) : NULL,
        .paint = paint,
    };
}

void am_grid_cell(struct am_grid *g, const char *text)
{
    am_grid_paint(g, text, AM_PAINT_NONE);
}

void am_grid_cellf(struct am_grid *g, const char *fmt, ...)
{
    char text[CELL_MAX];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    am_grid_cell(g, text);
}

void am_grid_number(struct am_grid *g, double value)
{
    char text[AM_UNITS_MAX];

    am_units_exact(value, text, sizeof(text));
    am_grid_cell(g, isfinite(value) ? text : NULL);
}

static const struct am_grid_cell *cell_at(const struct am_grid *g, size_t row, size_t column)
{
    return &g->cells[row * g->n_columns + column];
}

static const char *text_at(const struct am_grid *g, size_t row, size_t column)
{
    const char *text = cell_at(g, row, column)->text;

    return text ? text : "";
}

void am_grid_hide_empty(struct am_grid *g)
{
    for (size_t c = 0; c < g->n_columns; c++) {
        bool filled = false;

        for (size_t r = 0; r < g->n_rows && !filled; r++)
            filled = *text_at(g, r, c) != '\0';
        g->columns[c].hidden |= !filled;
    }
}

/* ---- text ---- */

static void spaces(FILE *out, size_t n)
{
    (void)fprintf(out, "%*s", (int)n, "");
}

static void measure(const struct am_grid *g, size_t *widths)
{
    for (size_t c = 0; c < g->n_columns; c++) {
        widths[c] = am_text_width(g->columns[c].title);
        for (size_t r = 0; r < g->n_rows; r++) {
            const size_t w = am_text_width(text_at(g, r, c));

            widths[c] = w > widths[c] ? w : widths[c];
        }
    }
}

static size_t total_width(const struct am_grid *g, const size_t *widths)
{
    size_t total = 0;

    for (size_t c = 0; c < g->n_columns; c++) {
        if (!g->columns[c].hidden)
            total += widths[c] + (total ? GAP : 0);
    }
    return total;
}

/* Narrows the columns that may flow, the widest first, by `over` columns; false when one would
 * become narrower than `least`. */
static bool narrow(const struct am_grid *g, size_t *widths, size_t over, size_t least)
{
    size_t spare = 0;

    for (size_t c = 0; c < g->n_columns; c++) {
        if (g->columns[c].flow && !g->columns[c].hidden && widths[c] > least)
            spare += widths[c] - least;
    }
    if (spare < over)
        return false;
    for (; over > 0; over--) {
        size_t widest = g->n_columns;

        for (size_t c = 0; c < g->n_columns; c++) {
            if (g->columns[c].flow && !g->columns[c].hidden &&
                (widest == g->n_columns || widths[c] > widths[widest]))
                widest = c;
        }
        widths[widest]--;
    }
    return true;
}

/* Makes the columns fit: those that may flow become narrower; where that is not enough columns are
 * hidden, highest rank first and the rightmost of a rank. */
static size_t fit(struct am_grid *g, size_t *widths, size_t room)
{
    size_t hidden = 0;

    while (total_width(g, widths) > room) {
        size_t victim = g->n_columns;

        if (narrow(g, widths, total_width(g, widths) - room, FLOW_EASY))
            break;
        for (size_t c = 0; c < g->n_columns; c++) {
            if (!g->columns[c].hidden && g->columns[c].rank > 0 &&
                (victim == g->n_columns || g->columns[c].rank >= g->columns[victim].rank))
                victim = c;
        }
        if (victim == g->n_columns) {
            (void)narrow(g, widths, total_width(g, widths) - room, FLOW_MIN);
            break;
        }
        g->columns[victim].hidden = true;
        hidden++;
    }
    return hidden;
}

static void put_padded(const struct am_style *style, FILE *out, const struct am_grid_cell *cell,
                       enum am_align align, size_t width, bool last)
{
    const char *text = cell->text ? cell->text : "";
    const size_t taken = am_text_width(text), pad = taken < width ? width - taken : 0;

    if (align == AM_ALIGN_RIGHT)
        spaces(out, pad);
    (void)fputs(am_style_on(style, cell->paint), out);
    am_style_put(style, out, text);
    (void)fputs(am_style_off(style, cell->paint), out);
    if (align == AM_ALIGN_LEFT && !last)
        spaces(out, pad);
}

/* What is still to be written of a row, column by column. */
struct rest {
    const char *text[AM_GRID_COLUMNS_MAX];
};

/* The last column that has something to write in this line: nothing trails behind it. */
static size_t last_filled(const struct am_grid *g, const struct rest *rest)
{
    size_t last = 0;

    for (size_t c = 0; c < g->n_columns; c++) {
        if (!g->columns[c].hidden && *rest->text[c])
            last = c;
    }
    return last;
}

/* One line of a cell, and what is left of it: all of it unless the column may flow. */
static const char *take_line(const struct am_grid *g, size_t column, size_t width,
                             struct rest *rest, char *buf)
{
    const char *const text = rest->text[column];
    size_t next, n;

    if (!g->columns[column].flow || am_text_width(text) <= width) {
        rest->text[column] = "";
        return text;
    }
    n = am_text_line(text, width, &next);
    rest->text[column] = text + next;
    (void)am_str_copy(buf, n < CELL_MAX ? n + 1 : CELL_MAX, text);
    return buf;
}

/* Writes one line of what is left; false when nothing was. */
static bool text_line(const struct am_grid *g, const struct am_style *style, const size_t *widths,
                      const enum am_paint *paints, struct rest *rest, FILE *out)
{
    const size_t last = last_filled(g, rest);
    bool first = true;

    for (size_t c = 0; c <= last; c++) {
        char buf[CELL_MAX];
        struct am_grid_cell cell;

        if (g->columns[c].hidden)
            continue;
        cell = (struct am_grid_cell){take_line(g, c, widths[c], rest, buf), paints[c]};
        if (!first)
            spaces(out, GAP);
        first = false;
        put_padded(style, out, &cell, g->columns[c].align, widths[c], c == last);
    }
    (void)fputc('\n', out);
    return *rest->text[last_filled(g, rest)] != '\0';
}

/* Row SIZE_MAX is the line of titles. */
static void text_row(const struct am_grid *g, const struct am_style *style, const size_t *widths,
                     size_t row, unsigned indent, FILE *out)
{
    enum am_paint paints[AM_GRID_COLUMNS_MAX];
    struct rest rest;
    bool more = true;

    for (size_t c = 0; c < g->n_columns; c++) {
        rest.text[c] = row == SIZE_MAX ? g->columns[c].title : text_at(g, row, c);
        paints[c] = row == SIZE_MAX ? AM_PAINT_STRONG : cell_at(g, row, c)->paint;
    }
    while (more && g->n_columns > 0) {
        spaces(out, indent);
        more = text_line(g, style, widths, paints, &rest, out);
    }
}

static size_t write_text(struct am_grid *g, const struct am_style *style, unsigned indent,
                         FILE *out)
{
    size_t widths[AM_GRID_COLUMNS_MAX];
    size_t hidden = 0;

    measure(g, widths);
    if (style->width > indent)
        hidden = fit(g, widths, style->width - indent);
    if (total_width(g, widths) == 0) /* no column is shown: no line could end */
        return hidden;
    text_row(g, style, widths, SIZE_MAX, indent, out);
    for (size_t r = 0; r < g->n_rows; r++)
        text_row(g, style, widths, r, indent, out);
    return hidden;
}

/* ---- the other forms ---- */

/* How one form writes a row; `put` escapes a cell. */
struct form {
    const char *begin, *between, *end;
    void (*put)(FILE *out, const char *text);
};

static void put_csv(FILE *out, const char *text)
{
    if (!strpbrk(text, "\",\r\n")) {
        (void)fputs(text, out);
        return;
    }
    (void)fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            (void)fputc('"', out);
        (void)fputc(*text, out);
    }
    (void)fputc('"', out);
}

static void form_row(const struct am_grid *g, const struct form *form, size_t row, FILE *out)
{
    (void)fputs(form->begin, out);
    for (size_t c = 0; c < g->n_columns; c++) {
        if (c)
            (void)fputs(form->between, out);
        form->put(out, row == SIZE_MAX ? g->columns[c].title : text_at(g, row, c));
    }
    (void)fputs(form->end, out);
}

static void write_csv(const struct am_grid *g, FILE *out)
{
    static const struct form form = {"", ",", "\n", put_csv};

    form_row(g, &form, SIZE_MAX, out);
    for (size_t r = 0; r < g->n_rows; r++)
        form_row(g, &form, r, out);
}

static void write_md(const struct am_grid *g, FILE *out)
{
    static const struct form form = {"| ", " | ", " |\n", am_escape_md};

    form_row(g, &form, SIZE_MAX, out);
    for (size_t c = 0; c < g->n_columns; c++)
        (void)fputs(g->columns[c].align == AM_ALIGN_RIGHT ? "| ---: " : "| --- ", out);
    (void)fputs("|\n", out);
    for (size_t r = 0; r < g->n_rows; r++)
        form_row(g, &form, r, out);
}

static void write_tex(const struct am_grid *g, FILE *out)
{
    static const struct form form = {"  ", " & ", " \\\\\n", am_escape_tex};

    (void)fputs("\\begin{tabular}{", out);
    for (size_t c = 0; c < g->n_columns; c++)
        (void)fputc(g->columns[c].align == AM_ALIGN_RIGHT ? 'r' : 'l', out);
    (void)fputs("}\n  \\hline\n", out);
    form_row(g, &form, SIZE_MAX, out);
    (void)fputs("  \\hline\n", out);
    for (size_t r = 0; r < g->n_rows; r++)
        form_row(g, &form, r, out);
    (void)fputs("  \\hline\n\\end{tabular}\n", out);
}

size_t am_grid_write(struct am_grid *g, const struct am_style *style, unsigned indent, FILE *out)
{
    if (style->format == AM_FORMAT_CSV)
        write_csv(g, out);
    else if (style->format == AM_FORMAT_MD)
        write_md(g, out);
    else if (style->format == AM_FORMAT_TEX)
        write_tex(g, out);
    else
        return write_text(g, style, indent, out);
    return 0;
}
