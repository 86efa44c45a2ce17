/* SPDX-License-Identifier: MIT */
/* The ranges of axes: from the marks of all panels that are looked at together. */
#ifndef AM_DOCUMENT_FIGURE_RANGE_H
#define AM_DOCUMENT_FIGURE_RANGE_H

#include "family/plot.h"

/* Gives all plots the same ranges, from the marks of all of them, where none is set; and those of
 * the other scale of y. */
void am_plot_share(struct am_plot *const *plots, size_t n);

#endif
