/* SPDX-License-Identifier: MIT */
/* In which order threads that share a grid make its strips and waves, and what each waits for.
 *
 * A pass is cut into strips of rows, a strip into waves of planes (wave_team.h). Wave w of a strip
 * comes behind wave w of the strip before. Passes over a ring all go the same way, and the first
 * strip of the next pass follows the last one of this pass like any other strip, some waves behind
 * it: so there is no end of a pass at which threads wait for each other, and all passes of a run
 * are one sequence of strips. Passes over other grids turn round at their end: each is a run of its
 * own.
 *
 * Why that is enough, for passes of T steps and waves of P planes. Wave w of a pass touches slots
 * of planes up to (w + 1) P. Waves behind wave w of the pass before touch none below
 * (w + 1) P - 2 T + 1, but for the last one of all: it closes the ring, and has slots from n - 2 T
 * on. So a wave of the first strip comes `lag` waves behind the last strip of the pass before, and
 * with them behind all its strips: by then these have made the final values of what it reads, and
 * read what it overwrites. What a pass has kept aside of the first planes (wave_ring.h) is needed
 * by the last wave of each strip, of its own rows: a strip begins when it is complete in the pass
 * before. None of these waits can be shorter (tests/unit/stencil/test_wave_order.c). */
#ifndef AM_APP_STENCIL_WAVE_ORDER_H
#define AM_APP_STENCIL_WAVE_ORDER_H

#include "app/stencil/grid.h"

struct am_wave_order {
    size_t passes, strips, waves; /* of a run, of a pass, of a strip */
    size_t lag;                   /* waves */
};

/* So many waves of a strip have been made. */
struct am_wave_stage {
    size_t pass, strip, waves;
};

enum { AM_WAVE_WAITS_MAX = 2 };

/* Rings that threads share: all passes of a run are one sequence. */
bool am_wave_runs_on(const struct am_stencil_grid *grid);
/* Of a run of so many steps, with waves of so many planes. */
struct am_wave_order am_wave_order_of(const struct am_stencil_grid *grid, size_t steps,
                                      size_t planes);
/* What has to be reached before a wave is begun; how many. */
size_t am_wave_order_waits(const struct am_wave_order *order, size_t pass, size_t strip,
                           size_t wave, struct am_wave_stage waits[AM_WAVE_WAITS_MAX]);

/* Strips of a ring that are shared: as even as can be. The first has as many rows more as a pass
 * has steps, since each level begins a row later, and the last closes the ring: it has two rows
 * more with each level. */
size_t am_wave_order_strips(size_t n, size_t depth, size_t rows);
/* Where level 0 of a strip begins; of the last one, where it would. */
size_t am_wave_order_edge(size_t n, size_t depth, size_t strips, size_t strip);
/* Rows of a strip for so many threads, not more than `most` and not fewer than `least`: those by
 * which the threads are used best, as wave_course.h plays it. */
size_t am_wave_order_rows(const struct am_grid_spec *spec, size_t least, size_t most);

#endif
