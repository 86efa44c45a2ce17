/* SPDX-License-Identifier: MIT */
/* Threads that share passes of waves over a grid of three dimensions.
 *
 * Rows are cut into strips, and a strip is claimed as a whole by whoever is free, in order. Wave w
 * of a strip may be made as soon as the strip before has made its wave w: it reads the last two
 * rows that the strip before has left of each level, and overwrites nothing that the strip before
 * still needs. So all threads follow each other through the grid, no point is computed twice for
 * their sake, and the grid lies in memory once. What else a wave waits for: wave_order.h.
 *
 * Of the strips that are claimed and not done, the first waits for nobody: whoever claims strips
 * makes them all in the end, be it one thread alone, so that any executor can run this. Counts only
 * grow, from pass to pass. */
#ifndef AM_APP_STENCIL_WAVE_TEAM_H
#define AM_APP_STENCIL_WAVE_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct am_wave_team; /* on lines of its own, in zeroed memory */

size_t am_wave_team_bytes(size_t strips);
/* No pass has begun. While nobody is at work. */
void am_wave_team_reset(struct am_wave_team *team, size_t strips);
/* The next strip of the passes that begin with this one (they are counted from 0); false: all are
 * taken. */
bool am_wave_team_claim(struct am_wave_team *team, size_t pass, size_t strips, size_t *strip);
/* Until that strip has made so many waves. */
void am_wave_team_await(const struct am_wave_team *team, size_t pass, size_t strip, size_t waves);
/* That wave is made. */
void am_wave_team_tell(struct am_wave_team *team, size_t pass, size_t strip, size_t wave);

#endif
