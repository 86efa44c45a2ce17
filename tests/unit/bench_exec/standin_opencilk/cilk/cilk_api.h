/* SPDX-License-Identifier: MIT */
/* Stands in for OpenCilk's functions; a test says how many workers there are, and whether one of
 * them calls. */
#ifndef AM_TESTS_CILK_API_H
#define AM_TESTS_CILK_API_H

unsigned __cilkrts_get_nworkers(void);
int __cilkrts_running_on_workers(void);

#endif
