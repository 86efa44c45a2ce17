/* SPDX-License-Identifier: MIT */
/* The parts of the family of tasks that are models: rules and figures of the thesis's (Lien 2012)
 * chapter 7, for the tables of tasks.c. */
#ifndef AM_FAMILY_TASKS_H
#define AM_FAMILY_TASKS_H

#include "family/family.h"

/* app.blackscholes over sizes of tasks: what a task costs (7.1.1). */
am_derive_fn am_tasks_derive_sizes;
/* Speed over the size of tasks: measured, by the thesis's model, by two terms (Figures 7.1, 7.2).
 * A panel per executor, team and the like; nothing without a curve of three sizes. */
am_figure_make_fn am_tasks_plot_sizes;

/* Applications on one thread over sizes of problems: what main memory costs them (7.1.2). */
am_derive_fn am_tasks_derive_memory;
/* Accesses of main memory per operation, and what they cost: predicted and observed (Figure 7.3).
 * Nothing unless a problem, of several, is larger than the caches. */
am_figure_make_fn am_tasks_plot_memory;

/* task.graph over the steps of a task: the shortest that pays, of each executor and graph. */
am_derive_fn am_tasks_derive_graphs;
/* The same of applications, over the sizes of their blocks. */
am_derive_fn am_tasks_derive_applications;

#endif
