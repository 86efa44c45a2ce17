/* SPDX-License-Identifier: MIT */
/* How many steps of a field one pass over its rows should make (app/leukocyte/mgvf_pass.h).
 *
 * Edge map and field of a cell are 47 KB to 87 KB. Where that is more than the first-level cache
 * keeps, and the second gives lines not as fast as steps need them, several steps per pass go to it
 * once; where it is not, they only have more blocks that are lower than others. So it is tried here
 * and now. */
#ifndef AM_BENCH_APPS_LEUKOCYTE_PASS_H
#define AM_BENCH_APPS_LEUKOCYTE_PASS_H

#include "app/leukocyte/mgvf.h"
#include "base/clock.h"

#include <stddef.h>

struct am_leuko_pass {
    size_t steps;     /* chosen; 1 where nothing was tried */
    double one, best; /* seconds of some steps: one per pass, and so many */
};

/* For fields of the largest size that are stepped as one band, by a loop of the form lanes: a few
 * ms on the calling thread. */
void am_leuko_pass_measure(const struct am_mgvf_loop *loop, const struct am_clock *clock,
                           struct am_leuko_pass *pass);

#endif
