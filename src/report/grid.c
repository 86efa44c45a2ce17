/* SPDX-License-Identifier: MIT */
/* Grids: cells first, form last. */
#include "report/grid.h"

#include "base/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

enum { FIRST_ROWS = 16, CELL_MAX = 1024, GAP = 2 };

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
    g->columns[g->n_columns++] = (struct am_grid_column){copy, align, rank, false};
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

static const struct am_grid_cell *cell_at(const struct am_grid *g, size_t row, size_t column)
{
    return &g->cells[row * g->n_columns + column];
}

static const char *text_at(const struct am_grid *g, size_t row, size_t column)
{
    const char *text = cell_at(g, row, column)->text;

    return text ? text : "";
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

/* Hides columns, highest rank first and the rightmost of a rank, until the rest fits. */
static size_t fit(struct am_grid *g, const size_t *widths, size_t room)
{
    size_t hidden = 0;

    while (total_width(g, widths) > room) {
        size_t victim = g->n_columns;

        for (size_t c = 0; c < g->n_columns; c++) {
            if (!g->columns[c].hidden && g->columns[c].rank > 0 &&
                (victim == g->n_columns || g->columns[c].rank >= g->columns[victim].rank))
                victim = c;
        }
        if (victim == g->n_columns)
            break;
        g->columns[victim].hidden = true;
        hidden++;
    }
    return hidden;
}

static void put_padded(const struct am_style *style, FILE *out, const struct am_grid_cell *cell,
                       enum am_align align, size_t width, bool last)
{
    const char *text = cell->text ? cell->text : "";
    const size_t pad = width - am_text_width(text);

    if (align == AM_ALIGN_RIGHT)
        spaces(out, pad);
    (void)fputs(am_style_on(style, cell->paint), out);
    am_style_put(style, out, text);
    (void)fputs(am_style_off(style, cell->paint), out);
    if (align == AM_ALIGN_LEFT && !last)
        spaces(out, pad);
}

/* The last column that has something to write in this row: nothing trails behind it. */
static size_t last_filled(const struct am_grid *g, size_t row)
{
    size_t last = 0;

    for (size_t c = 0; c < g->n_columns; c++) {
        if (!g->columns[c].hidden && (row == SIZE_MAX || *text_at(g, row, c)))
            last = c;
    }
    return last;
}

/* Row SIZE_MAX is the line of titles. */
static void text_row(const struct am_grid *g, const struct am_style *style, const size_t *widths,
                     size_t row, FILE *out)
{
    const size_t last = last_filled(g, row);
    bool first = true;

    for (size_t c = 0; c <= last; c++) {
        const struct am_grid_cell title = {g->columns[c].title, AM_PAINT_STRONG};

        if (g->columns[c].hidden)
            continue;
        if (!first)
            spaces(out, GAP);
        first = false;
        put_padded(style, out, row == SIZE_MAX ? &title : cell_at(g, row, c), g->columns[c].align,
                   widths[c], c == last);
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
    spaces(out, indent);
    text_row(g, style, widths, SIZE_MAX, out);
    (void)fputc('\n', out);
    for (size_t r = 0; r < g->n_rows; r++) {
        spaces(out, indent);
        text_row(g, style, widths, r, out);
        (void)fputc('\n', out);
    }
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

static void put_md(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("|\\`*_<", *text))
            (void)fputc('\\', out);
        (void)fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
}

static void put_tex(FILE *out, const char *text)
{
    static const struct {
        char c;
        const char *tex;
    } table[] = {{'\\', "\\textbackslash{}"},  {'~', "\\textasciitilde{}"},
                 {'^', "\\textasciicircum{}"}, {'<', "\\textless{}"},
                 {'>', "\\textgreater{}"},     {'|', "\\textbar{}"}};

    for (; *text; text++) {
        const char *replacement = NULL;

        for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
            if (table[i].c == *text)
                replacement = table[i].tex;
        }
        if (replacement) {
            (void)fputs(replacement, out);
            continue;
        }
        if (strchr("&%$#_{}", *text))
            (void)fputc('\\', out);
        (void)fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
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
    static const struct form form = {"| ", " | ", " |\n", put_md};

    form_row(g, &form, SIZE_MAX, out);
    for (size_t c = 0; c < g->n_columns; c++)
        (void)fputs(g->columns[c].align == AM_ALIGN_RIGHT ? "| ---: " : "| --- ", out);
    (void)fputs("|\n", out);
    for (size_t r = 0; r < g->n_rows; r++)
        form_row(g, &form, r, out);
}

static void write_tex(const struct am_grid *g, FILE *out)
{
    static const struct form form = {"  ", " & ", " \\\\\n", put_tex};

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
