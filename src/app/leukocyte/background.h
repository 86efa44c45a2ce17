/* SPDX-License-Identifier: MIT */
/* What the picture shows where no cell is: of every pixel the mean grey of the frames in which none
 * covered it. Cells move and the camera does not, so that most of what lies under a cell was seen
 * before it came there. Without it a wall beside a cell pulls at the place that its picture is
 * found at. */
#ifndef AM_APP_LEUKOCYTE_BACKGROUND_H
#define AM_APP_LEUKOCYTE_BACKGROUND_H

#include "app/leukocyte/cell_fit.h"
#include "app/leukocyte/image.h"

#include <stddef.h>

enum { AM_BACKGROUND_FRAMES_MIN = 4 }; /* that a pixel is known from: half of the noise is left */

struct am_background;

struct am_background *am_background_new(size_t width, size_t height); /* NULL: no memory */
void am_background_free(struct am_background *background);            /* accepts NULL */

/* One more frame, of the size that new was told, and the n discs in which cells are seen. */
void am_background_add(struct am_background *background, struct am_image frame,
                       const struct am_cell_cover *cells, size_t n);

/* The mean grey of every pixel, row after row; NAN where it is not known. The background's own. */
const float *am_background_grey(const struct am_background *background);

#endif
