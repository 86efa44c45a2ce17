/* SPDX-License-Identifier: MIT */
/* Tables and lists of blocks, as they grow. */
#include "document/document.h"

#include "base/array.h"
#include "base/text.h"
#include "evidence/evidence.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { FIRST_ROWS = 16 };

/* ---- tables ---- */

void am_table_init(struct am_table *table, struct am_arena *arena)
{
    *table = (struct am_table){.arena = arena};
}

void am_table_column(struct am_table *table, struct am_column column)
{
    assert(table->n_rows == 0);
    if (table->n_columns < AM_COLUMNS_MAX)
        table->columns[table->n_columns++] = column;
    else
        table->broken = true;
}

void am_table_columns(struct am_table *table, const struct am_column *columns, size_t n)
{
    for (size_t i = 0; i < n; i++)
        am_table_column(table, columns[i]);
}

void am_table_row(struct am_table *t)
{
    if (t->n_rows == t->cap_rows) {
        const size_t cap = t->cap_rows ? t->cap_rows * 2 : FIRST_ROWS;
        struct am_table_cell *const cells =
            am_arena_array(t->arena, cap * (t->n_columns + 1), sizeof(*cells));

        if (!cells) {
            t->broken = true;
            t->at = t->n_columns; /* cells of the row that has no room go nowhere */
            return;
        }
        if (t->n_rows)
            memcpy(cells, t->cells, t->n_rows * t->n_columns * sizeof(*cells));
        t->cells = cells;
        t->cap_rows = cap;
    }
    memset(&t->cells[t->n_rows * t->n_columns], 0, t->n_columns * sizeof(*t->cells));
    t->n_rows++;
    t->at = 0;
}

static struct am_table_cell *add_cell(struct am_table *t, struct am_table_cell cell)
{
    struct am_table_cell *const place = t->n_rows > 0 && t->at < t->n_columns
                                            ? &t->cells[(t->n_rows - 1) * t->n_columns + t->at++]
                                            : &t->nowhere;

    *place = cell;
    return place;
}

struct am_table_cell *am_table_text(struct am_table *table, const char *text)
{
    return add_cell(table, (struct am_table_cell){.text = text, .value = NAN});
}

struct am_table_cell *am_table_textf(struct am_table *table, const char *fmt, ...)
{
    const char *text;
    va_list ap;

    va_start(ap, fmt);
    text = am_arena_vprintf(table->arena, fmt, ap);
    va_end(ap);
    return am_table_text(table, text);
}

struct am_table_cell *am_table_number(struct am_table *table, enum am_form form, double value)
{
    return add_cell(table, (struct am_table_cell){.form = form, .value = value, .digits = 3});
}

struct am_table_cell *am_table_whole(struct am_table *table, uint64_t value)
{
    return add_cell(table, (struct am_table_cell){
                               .form = AM_FORM_WHOLE, .value = (double)value, .whole = value});
}

struct am_table_cell *am_table_quantity(struct am_table *table, enum am_form form, double value,
                                        const char *unit)
{
    return add_cell(table, (struct am_table_cell){.form = form, .value = value, .text = unit});
}

struct am_table_cell *am_table_known(struct am_table *table, enum am_form form, double value,
                                     const struct am_interval *ci, const char *unit)
{
    const double bound = am_evidence_bound(ci, unit);
    struct am_table_cell *const cell =
        am_table_quantity(table, form, isfinite(bound) ? bound : value, unit);

    cell->bounded = isfinite(bound);
    return cell;
}

struct am_table_cell *am_table_param(struct am_table *table, enum am_axis_kind kind,
                                     const char *text)
{
    struct am_table_cell *const cell = am_table_text(table, text);
    double value;

    if (kind == AM_AXIS_NAME || !text || !am_parse_f64(text, strlen(text), &value))
        return cell;
    cell->value = value;
    if (kind == AM_AXIS_SIZE)
        cell->form = AM_FORM_BYTES;
    return cell;
}

const struct am_table_cell *am_table_at(const struct am_table *table, size_t row, size_t column)
{
    return &table->cells[row * table->n_columns + column];
}

bool am_table_is_empty(const struct am_table *table, size_t column)
{
    for (size_t r = 0; r < table->n_rows; r++) {
        char buf[AM_CELL_BYTES];

        if (*am_cell_show(am_table_at(table, r, column), buf, sizeof(buf)))
            return false;
    }
    return true;
}

size_t am_table_for_people(const struct am_table *table, bool bars, size_t *out)
{
    size_t n = 0;

    for (size_t c = 0; c < table->n_columns; c++) {
        const bool bar = table->n_rows > 0 && am_table_at(table, 0, c)->form == AM_FORM_BAR;

        if (table->columns[c].title &&
            (bar ? bars : !table->hide_empty || !am_table_is_empty(table, c)))
            out[n++] = c;
    }
    return n;
}

size_t am_table_for_programs(const struct am_table *table, size_t *out)
{
    size_t n = 0;

    for (size_t c = 0; c < table->n_columns; c++) {
        if (table->columns[c].key)
            out[n++] = c;
    }
    return n;
}

/* ---- blocks ---- */

struct am_block *am_block_add(struct am_body *b, enum am_block_kind kind, const char *name,
                              const char *text)
{
    struct am_block *block = AM_ARRAY_ADD(b->arena, b->items, b->n, b->cap);

    if (!block) {
        b->broken = true;
        block = &b->spare;
    }
    *block = (struct am_block){.kind = kind, .name = name ? name : "", .text = text ? text : ""};
    return block;
}

struct am_block *am_block_addf(struct am_body *b, enum am_block_kind kind, const char *name,
                               const char *fmt, ...)
{
    const char *text;
    va_list ap;

    va_start(ap, fmt);
    text = am_arena_vprintf(b->arena, fmt, ap);
    va_end(ap);
    return am_block_add(b, kind, name, text);
}

struct am_table *am_block_table(struct am_body *b, const struct am_column *columns, size_t n)
{
    struct am_table *const made = am_arena_alloc(b->arena, sizeof(*made));
    struct am_table *const table = made ? made : &b->spare_table;

    am_table_init(table, b->arena);
    am_block_add(b, AM_BLOCK_TABLE, NULL, NULL)->table = table;
    b->broken |= !made;
    am_table_columns(table, columns, n);
    return table;
}
