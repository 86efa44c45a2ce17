/* SPDX-License-Identifier: MIT */
/* CSV (RFC 4180): the columns that have a key, numbers with all their digits. Tables with the same
 * keys follow each other under one head. */
#include "write/escape.h"
#include "write/write.h"

#include <string.h>

void am_write_csv_head(const struct am_table *table, FILE *out)
{
    size_t columns[AM_COLUMNS_MAX];
    const size_t n = am_table_for_programs(table, columns);

    for (size_t i = 0; i < n; i++) {
        (void)fputs(i ? "," : "", out);
        am_escape_csv(out, table->columns[columns[i]].key, ",");
    }
    (void)fputs(n ? "\n" : "", out);
}

void am_write_csv_rows(const struct am_table *table, FILE *out)
{
    size_t columns[AM_COLUMNS_MAX];
    const size_t n = am_table_for_programs(table, columns);

    for (size_t r = 0; r < table->n_rows && n > 0; r++) {
        for (size_t i = 0; i < n; i++) {
            const struct am_table_cell *const cell = am_table_at(table, r, columns[i]);
            char buf[AM_CELL_BYTES];
            const char *const text = am_cell_exact(cell, buf, sizeof(buf));

            (void)fputs(i ? "," : "", out);
            if (am_cell_is_number(cell))
                (void)fputs(text, out);
            else
                am_escape_csv(out, text, ",");
        }
        (void)fputc('\n', out);
    }
}

static bool same_head(const struct am_table *a, const struct am_table *b)
{
    size_t of_a[AM_COLUMNS_MAX], of_b[AM_COLUMNS_MAX];
    const size_t n = am_table_for_programs(a, of_a);
    size_t same = 0;

    if (n != am_table_for_programs(b, of_b))
        return false;
    while (same < n && strcmp(a->columns[of_a[same]].key, b->columns[of_b[same]].key) == 0)
        same++;
    return same == n;
}

void am_write_csv(const struct am_body *blocks, FILE *out)
{
    const struct am_table *last = NULL;

    for (size_t i = 0; i < blocks->n; i++) {
        const struct am_table *const table = blocks->items[i].table;

        if (blocks->items[i].kind != AM_BLOCK_TABLE)
            continue;
        if (!last || !same_head(last, table))
            am_write_csv_head(table, out);
        am_write_csv_rows(table, out);
        last = table;
    }
}
