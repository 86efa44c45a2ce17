/* SPDX-License-Identifier: MIT */
/* How long a process was ready to run and had no CPU. Its limits are meant for its own time: on a
 * machine where twenty others run, what takes two seconds takes forty, and nothing hangs. */
#ifndef AM_CONDUCTOR_WAITING_H
#define AM_CONDUCTOR_WAITING_H

#include "base/fsroot.h"

#include <stdint.h>
#include <sys/types.h>

/* Nanoseconds since the process began, of that of its threads which waited longest; 0 where the
 * system does not say. */
uint64_t am_waiting_ns(const struct am_fsroot *root, pid_t pid);

/* Of a limit, seconds that waiting adds to it: what was waited, up to nine times the limit. */
double am_waiting_grace_s(double limit_s, uint64_t waited_ns);

#endif
