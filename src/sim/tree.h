/* SPDX-License-Identifier: MIT */
/* The /sys and /proc of a simulated machine, as files below a folder. */
#ifndef AM_SIM_TREE_H
#define AM_SIM_TREE_H

#include "sim/layout.h"

/* Running totals that a kernel shows, at one moment of the simulated machine's time. */
struct am_sim_totals {
    double now_s;   /* since it was started */
    double busy_s;  /* CPU time that we used, all CPUs together */
    double steal_s; /* CPU time that the hypervisor took */
    double other_s; /* CPU time that a neighbour's programs used in this system */
    bool visited;   /* a neighbour is here */
};

/* Writes everything that archmeter and hwloc read below `folder`, which exists. */
enum am_status am_sim_tree_write(const struct am_sim_layout *l, const char *folder,
                                 struct am_err *err);
/* Rewrites what changes while a machine runs: /proc/stat, /proc/self/stat, /proc/loadavg and
 * /proc/pressure. */
enum am_status am_sim_tree_update(const struct am_sim_layout *l, const char *folder,
                                  const struct am_sim_totals *totals, struct am_err *err);

#endif
