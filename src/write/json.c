/* SPDX-License-Identifier: MIT */
/* JSON (RFC 8259): the document's tree inside one object that begins with the schema's number.
 * Commas, indentation and escapes are made here, nesting is the document's. */
#include "write/json.h"

#include "write/escape.h"
#include "write/write.h"

enum { SCHEMA = 1, DEPTH = 3 };

static void new_line(const struct am_json *j)
{
    (void)fprintf(j->out, "\n%*s", (int)j->depth * 2, "");
}

/* What stands before a member: comma, line break or space, key. */
static struct am_json *lead_in(struct am_data *d, const char *key)
{
    struct am_json *const j = (struct am_json *)d;

    if (j->filled)
        (void)fputc(',', j->out);
    if (j->depth > 0 && j->depth < j->pretty)
        new_line(j);
    else if (j->filled)
        (void)fputc(' ', j->out);
    j->filled = true;
    if (key) {
        am_escape_json_key(j->out, key);
        (void)fputs(": ", j->out);
    }
    return j;
}

static void open_container(struct am_data *d, const char *key, char bracket)
{
    struct am_json *const j = lead_in(d, key);

    (void)fputc(bracket, j->out);
    j->depth++;
    j->filled = false;
}

static void close_container(struct am_data *d, char bracket)
{
    struct am_json *const j = (struct am_json *)d;
    const bool broken = j->filled && j->depth < j->pretty;

    j->depth--;
    if (broken)
        new_line(j);
    (void)fputc(bracket, j->out);
    j->filled = true;
    if (j->depth == 0) {
        (void)fputc('\n', j->out);
        j->filled = false;
    }
}

static void put_text(struct am_data *d, const char *key, const char *text)
{
    am_escape_json(lead_in(d, key)->out, text);
}

static void put_literal(struct am_data *d, const char *key, const char *text)
{
    (void)fputs(text, lead_in(d, key)->out);
}

void am_json_init(struct am_json *j, FILE *out, unsigned pretty)
{
    *j = (struct am_json){
        .data = {open_container, close_container, put_text, put_literal},
        .out = out,
        .pretty = pretty,
    };
}

/* ---- tables by their keys ---- */

static void tell_row(struct am_data *d, const struct am_table *table, size_t row)
{
    size_t columns[AM_COLUMNS_MAX];
    const size_t n = am_table_for_programs(table, columns);

    am_data_object(d, NULL);
    for (size_t i = 0; i < n; i++) {
        const struct am_table_cell *const cell = am_table_at(table, row, columns[i]);
        const char *const key = table->columns[columns[i]].key;
        char buf[AM_CELL_BYTES];
        const char *const text = am_cell_exact(cell, buf, sizeof(buf));

        if (am_cell_is_number(cell))
            d->literal(d, key, *text ? text : "null");
        else
            am_data_text(d, key, cell->text ? text : NULL);
    }
    am_data_object_end(d);
}

void am_write_json_rows(const struct am_table *table, FILE *out)
{
    for (size_t r = 0; r < table->n_rows; r++) {
        struct am_json j;

        am_json_init(&j, out, 0);
        tell_row(&j.data, table, r);
    }
}

static void tell_tables(struct am_data *d, const struct am_document *document,
                        struct am_arena *arena)
{
    struct am_body b = {.arena = arena, .programs = true};

    document->blocks(&b, document->self);
    am_data_array(d, "rows");
    for (size_t i = 0; i < b.n; i++) {
        const struct am_table *const table = b.items[i].table;

        for (size_t r = 0; b.items[i].kind == AM_BLOCK_TABLE && r < table->n_rows; r++)
            tell_row(d, table, r);
    }
    am_data_array_end(d);
}

void am_write_json(const struct am_document *document, struct am_arena *arena, FILE *out)
{
    struct am_json j;

    am_json_init(&j, out, document->depth ? document->depth : DEPTH);
    am_data_object(&j.data, NULL);
    am_data_integer(&j.data, "schema", SCHEMA);
    if (document->data)
        document->data(&j.data, document->self);
    else
        tell_tables(&j.data, document, arena);
    am_data_object_end(&j.data);
}
