/* SPDX-License-Identifier: MIT */
/* Where app.leukocyte found its cells, frame by frame, beside the truth. */
#ifndef AM_REPORT_TRACKS_H
#define AM_REPORT_TRACKS_H

#include "report/figure.h"

/* A panel a video, of the point that was followed through the most frames; read from the points'
 * attachments (bench/apps/leukocyte_tracks.h has their form). */
am_figure_draw_fn am_tracks_draw;

#endif
