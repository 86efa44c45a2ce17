/* SPDX-License-Identifier: MIT */
/* Inside figures only: what the pictures show of a run. */
#ifndef AM_DOCUMENT_FIGURE_PICTURES_H
#define AM_DOCUMENT_FIGURE_PICTURES_H

#include "document/figure/figure.h"

/* Fills `out`; false when the run has nothing for the picture. */
bool am_picture_make(const struct am_figure_source *source, enum am_drawing picture,
                     struct am_figure *out);

#endif
