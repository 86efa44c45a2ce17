/* SPDX-License-Identifier: MIT */
/* Processes that a child left behind, also those that hid from its process group by setsid().
 *
 * am_orphans_adopt() makes this process the reaper of its descendants: whatever loses its parent
 * becomes a child of this process, and cannot get away. am_orphans_end() then ends what is there.
 * Assumed: children that this process started itself and still wants are in its own process group
 * (am_child_plan.apart is false) or are gone. Where /proc cannot be read nothing is found. A
 * process that joins our group, or outlives a killed conductor, is not found either: SECURITY.md
 * says what a worker may do. */
#ifndef AM_BASE_ORPHANS_H
#define AM_BASE_ORPHANS_H

#include <stddef.h>

void am_orphans_adopt(void);

/* Ends adopted processes and their descendants, and reaps them. They have `grace_s` to end by
 * themselves (the guardian of bench/cpu/hwprefetch.c has registers to restore); then they are
 * killed. Returns how many had to be, those
 * that came later not counted. Costs one system call when there are none. */
size_t am_orphans_end(double grace_s);

#endif
