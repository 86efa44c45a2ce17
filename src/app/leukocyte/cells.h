/* SPDX-License-Identifier: MIT */
/* Files that say where cells are: lines "cell,x,y". */
#ifndef AM_APP_LEUKOCYTE_CELLS_H
#define AM_APP_LEUKOCYTE_CELLS_H

#include "app/leukocyte/detect.h"
#include "app/leukocyte/image.h"
#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { AM_CELLS_TEXT_MAX = 1 << 20 }; /* bytes of such a file */

struct am_cells {
    size_t n;
    uint64_t names[AM_CELLS_MAX]; /* numbers, each once */
    unsigned lines[AM_CELLS_MAX]; /* of the file */
    struct am_centre at[AM_CELLS_MAX];
};

/* The first line may be the heading "cell,x,y"; empty lines are passed over. AM_E_PARSE with `file`
 * and line. */
enum am_status am_cells_parse(const char *file, const char *text, size_t len, struct am_cells *out,
                              struct am_err *err);
/* Whether all of them lie in frames of width x height. AM_E_PARSE with `file` and the line of one
 * that does not. */
enum am_status am_cells_check(const char *file, const struct am_cells *cells, size_t width,
                              size_t height, struct am_err *err);

#endif
