/* SPDX-License-Identifier: MIT */
/* Tables of queries as LaTeX, CSV, gnuplot data or Markdown. */
#ifndef AM_WRITE_QUERY_H
#define AM_WRITE_QUERY_H

#include "core/spec/tablespec.h"
#include "store/query.h"

#include <stdio.h>

/* Puts a query's table below (same number of columns: AM_E_USAGE otherwise) or beside the others;
 * where rows are missing, cells are NULL. `all` begins zeroed. */
enum am_status am_query_join(struct am_query_table *all, const struct am_query_table *more,
                             bool right, struct am_arena *arena, struct am_err *err);

/* Numbers have as many digits as read back the same. Write errors stay with `out`. */
void am_query_write(const struct am_tablespec_file *file, const struct am_query_table *table,
                    FILE *out);

#endif
