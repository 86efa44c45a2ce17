/* SPDX-License-Identifier: MIT */
/* Figures of families that have no file of their own yet. */
#ifndef AM_FAMILY_FIGURES_REST_H
#define AM_FAMILY_FIGURES_REST_H

#include "family/figure_row.h"

extern const struct am_figure_row am_figures_app[];

#endif
