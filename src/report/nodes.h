/* SPDX-License-Identifier: MIT */
/* The machines of a merged file, for a terminal. */
#ifndef AM_REPORT_NODES_H
#define AM_REPORT_NODES_H

#include "store/merge.h"

#include <stdio.h>

/* One line a node: its name, how its part ended, results of planned points, and why not all. */
void am_report_nodes(const struct am_nodes *nodes, FILE *out);

#endif
