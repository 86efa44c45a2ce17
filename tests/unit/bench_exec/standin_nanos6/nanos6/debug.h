/* SPDX-License-Identifier: MIT */
/* Stands in for a header of Nanos6. */
#ifndef AM_TESTS_NANOS6_DEBUG_H
#define AM_TESTS_NANOS6_DEBUG_H

unsigned nanos6_get_num_cpus(void);

#endif
