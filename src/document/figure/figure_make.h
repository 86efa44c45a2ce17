/* SPDX-License-Identifier: MIT */
/* One row made into a figure; for figures themselves, and for studies with rows of their own. */
#ifndef AM_DOCUMENT_FIGURE_FIGURE_MAKE_H
#define AM_DOCUMENT_FIGURE_FIGURE_MAKE_H

#include "document/figure/figure.h"

/* `made` is false when the run has nothing that the row shows. */
enum am_status am_figure_make(const struct am_figure_source *source,
                              const struct am_figure_row *row, struct am_figure *out, bool *made,
                              struct am_err *err);

#endif
