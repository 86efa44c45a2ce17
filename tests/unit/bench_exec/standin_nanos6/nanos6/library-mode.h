/* SPDX-License-Identifier: MIT */
/* Stands in for a header of Nanos6. */
#ifndef AM_TESTS_NANOS6_LIBRARY_MODE_H
#define AM_TESTS_NANOS6_LIBRARY_MODE_H

const char *nanos6_library_mode_init(void);
void nanos6_spawn_function(void (*function)(void *), void *args, void (*ended)(void *),
                           void *ended_args, const char *label);

#endif
