/* SPDX-License-Identifier: MIT */
/* Steps of a pass, each one row behind the one before. */
#include "app/leukocyte/mgvf_pass.h"

void am_mgvf_pass_begin(struct am_mgvf_pass *pass, const struct am_mgvf_step *first)
{
    for (size_t t = 0; t < AM_MGVF_PASS_MAX; t++) {
        struct am_mgvf_step *const step = &pass->steps[t];

        *step = *first;
        step->parts = (char *)first->parts + t * pass->sum_bytes;
        step->gathers = true;
    }
}

void am_mgvf_pass_set(struct am_mgvf_pass *pass, const struct am_mgvf_step *first, size_t n)
{
    pass->n = n;
    for (size_t t = 0; t < n; t++) {
        struct am_mgvf_step *const step = &pass->steps[t];

        step->from = (const char *)first->from - t * pass->row_bytes;
        step->to = (char *)first->to - t * pass->row_bytes;
        step->every = first->every;
    }
}

/* How far a step may go whose predecessor has ended so many rows. */
static size_t reach(size_t before, size_t rows)
{
    return before == rows ? rows : before > 0 ? before - 1 : 0;
}

void am_mgvf_pass_run(const struct am_mgvf_pass *pass)
{
    const size_t rows = pass->steps[0].rows;
    size_t ended[AM_MGVF_PASS_MAX] = {0};

    while (ended[pass->n - 1] < rows) {
        for (size_t t = 0; t < pass->n; t++) {
            const size_t to = t > 0                           ? reach(ended[t - 1], rows)
                              : rows - ended[0] < pass->block ? rows
                                                              : ended[0] + pass->block;

            if (to > ended[t])
                pass->fn(&pass->steps[t], ended[t], to);
            ended[t] = to > ended[t] ? to : ended[t];
        }
    }
}
