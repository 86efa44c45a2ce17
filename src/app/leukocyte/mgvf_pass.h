/* SPDX-License-Identifier: MIT */
/* Several steps of one field in one pass over its rows.
 *
 * The form lanes steps a field in place (kernels/mgvf.h): row y goes where row y - 1 was. Step t of
 * a pass follows step t - 1 one row behind, in the rows that this has just left; so a row of the
 * edge map and of the field is used by all steps of a pass while it is near. */
#ifndef AM_APP_LEUKOCYTE_MGVF_PASS_H
#define AM_APP_LEUKOCYTE_MGVF_PASS_H

#include "kernels/mgvf.h"

#include <stddef.h>

enum { AM_MGVF_PASS_MAX = 16 }; /* steps */

struct am_mgvf_pass {
    am_mgvf_fn *fn;   /* of the form lanes */
    size_t block;     /* its rows */
    size_t row_bytes; /* of the field */
    size_t sum_bytes; /* a vector: of each step's sums, where there are several */
    size_t n;         /* steps */
    struct am_mgvf_step steps[AM_MGVF_PASS_MAX];
};

/* Steps like `first` from now on, with as many vectors for parts as a pass has steps. */
void am_mgvf_pass_begin(struct am_mgvf_pass *pass, const struct am_mgvf_step *first);
/* The next pass has n steps, from 1 to AM_MGVF_PASS_MAX, of which the first is from, to and counts
 * rows as `first`; as many rows are free before its field. Steps of a pass leave their sums in
 * another order of additions than those that are alone. */
void am_mgvf_pass_set(struct am_mgvf_pass *pass, const struct am_mgvf_step *first, size_t n);
void am_mgvf_pass_run(const struct am_mgvf_pass *pass);

#endif
