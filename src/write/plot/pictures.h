/* SPDX-License-Identifier: MIT */
/* Inside plots only: figures that are no plots, each drawn by its own code. Each appends one whole
 * <svg> element. */
#ifndef AM_WRITE_PLOT_PICTURES_H
#define AM_WRITE_PLOT_PICTURES_H

#include "base/text.h"
#include "document/figure/figure.h"

/* The picture of a figure that is one. */
void am_picture_svg(const struct am_figure *figure, struct am_text *out);

void am_machine_draw(const struct am_figure_source *source, struct am_text *out);
void am_tracks_draw(const struct am_track_scenes *tracks, struct am_text *out);

#endif
