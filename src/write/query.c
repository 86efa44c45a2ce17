/* SPDX-License-Identifier: MIT */
/* Tables of queries, written for papers and plots. */
#include "write/query.h"

#include "document/units.h"
#include "write/escape.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef void put_fn(const struct am_tablespec_file *file, const char *text, FILE *out);

/* How a form writes its rows where the specification does not say otherwise. */
struct form {
    const char *begin, *separator, *newline, *null;
    put_fn *put;
    bool header;
    const char *header_begin; /* in place of begin */
};

static const char *separator_of(const struct am_tablespec_file *file);

static void put_tex(const struct am_tablespec_file *file, const char *text, FILE *out)
{
    (void)file;
    am_escape_tex(out, text);
}

static void put_md(const struct am_tablespec_file *file, const char *text, FILE *out)
{
    (void)file;
    am_escape_md(out, text);
}

static void put_csv(const struct am_tablespec_file *file, const char *text, FILE *out)
{
    am_escape_csv(out, text, separator_of(file));
}

/* gnuplot parts columns at blanks, and comments at '#'. */
static void put_data(const struct am_tablespec_file *file, const char *text, FILE *out)
{
    const char *const separator = separator_of(file);
    const bool quoted =
        !*text || strpbrk(text, " \t\"#\r\n") || (*separator && strstr(text, separator));

    (void)fputs(quoted ? "\"" : "", out);
    am_escape_quoted(out, text);
    (void)fputs(quoted ? "\"" : "", out);
}

static const struct form forms[AM_TABLEFORM_COUNT] = {
    [AM_TABLEFORM_TEX] = {"", " & ", " \\\\", "", put_tex, false, ""},
    [AM_TABLEFORM_CSV] = {"", ",", "", "", put_csv, true, ""},
    [AM_TABLEFORM_DATA] = {"", " ", "", "NaN", put_data, true, "# "},
    [AM_TABLEFORM_MD] = {"| ", " | ", " |", "", put_md, true, "| "},
};

static const char *separator_of(const struct am_tablespec_file *file)
{
    return file->separator ? file->separator : forms[file->form].separator;
}

static void put_text(const struct am_tablespec_file *file, const char *text, FILE *out)
{
    if (file->escape)
        forms[file->form].put(file, text, out);
    else
        am_escape_controls(out, text);
}

static void put_cell(const struct am_tablespec_file *file, const struct am_cell *cell, FILE *out)
{
    char text[AM_UNITS_MAX];

    switch (cell->kind) {
    case AM_CELL_NULL: (void)fputs(forms[file->form].null, out); return;
    case AM_CELL_INT: (void)fprintf(out, "%" PRId64, cell->i); return;
    case AM_CELL_REAL:
        am_units_exact(cell->r, text, sizeof(text));
        (void)fputs(isfinite(cell->r) ? text : forms[file->form].null, out);
        return;
    case AM_CELL_TEXT: put_text(file, cell->text, out); return;
    }
}

static void end_row(const struct am_tablespec_file *file, FILE *out)
{
    (void)fputs(file->newline ? file->newline : forms[file->form].newline, out);
    (void)fputc('\n', out);
}

static void write_header(const struct am_tablespec_file *file, const struct am_query_table *table,
                         FILE *out)
{
    (void)fputs(forms[file->form].header_begin, out);
    for (size_t c = 0; c < table->n_columns; c++) {
        (void)fputs(c ? separator_of(file) : "", out);
        put_text(file, table->columns[c], out);
    }
    end_row(file, out);
    for (size_t c = 0; file->form == AM_TABLEFORM_MD && c < table->n_columns; c++)
        (void)fputs("| --- ", out);
    if (file->form == AM_TABLEFORM_MD)
        (void)fputs("|\n", out);
}

void am_query_write(const struct am_tablespec_file *file, const struct am_query_table *table,
                    FILE *out)
{
    if (file->header > 0 || (file->header < 0 && forms[file->form].header))
        write_header(file, table, out);
    for (size_t r = 0; r < table->n_rows; r++) {
        (void)fputs(forms[file->form].begin, out);
        for (size_t c = 0; c < table->n_columns; c++) {
            (void)fputs(c ? separator_of(file) : "", out);
            put_cell(file, &table->cells[r * table->n_columns + c], out);
        }
        end_row(file, out);
    }
}

/* ---- several queries ---- */

static void copy_block(const struct am_query_table *from, struct am_query_table *to, size_t row,
                       size_t column)
{
    for (size_t r = 0; r < from->n_rows; r++)
        memcpy(&to->cells[(row + r) * to->n_columns + column], &from->cells[r * from->n_columns],
               from->n_columns * sizeof(*from->cells));
    if (row == 0)
        memcpy(&to->columns[column], from->columns, from->n_columns * sizeof(*from->columns));
}

enum am_status am_query_join(struct am_query_table *all, const struct am_query_table *more,
                             bool right, struct am_arena *arena, struct am_err *err)
{
    const size_t taller = all->n_rows > more->n_rows ? all->n_rows : more->n_rows;
    struct am_query_table sum = {
        .n_columns = right ? all->n_columns + more->n_columns : more->n_columns,
        .n_rows = right ? taller : all->n_rows + more->n_rows,
    };

    if (all->n_columns == 0) {
        *all = *more;
        return AM_OK;
    }
    if (!right && all->n_columns != more->n_columns)
        return am_fail(err, AM_E_USAGE, "the query has %zu columns, those before it have %zu",
                       more->n_columns, all->n_columns);
    sum.cells = am_arena_array(arena, sum.n_rows * sum.n_columns + 1, sizeof(*sum.cells));
    sum.columns = am_arena_array(arena, sum.n_columns, sizeof(*sum.columns));
    if (!sum.cells || !sum.columns)
        return am_fail(err, AM_E_NOMEM, "no memory for the table");
    copy_block(all, &sum, 0, 0);
    copy_block(more, &sum, right ? 0 : all->n_rows, right ? all->n_columns : 0);
    if (!right) /* an empty first part must not lend the second its names */
        memcpy(sum.columns, all->columns, all->n_columns * sizeof(*sum.columns));
    *all = sum;
    return AM_OK;
}
