/* SPDX-License-Identifier: MIT */
/* A team of pinned threads that run one function together: the thread axis of native benches. */
#ifndef AM_CORE_TEAM_H
#define AM_CORE_TEAM_H

#include "base/status.h"

#include <stddef.h>

struct am_team;

typedef void am_team_fn(void *arg, size_t thread, size_t threads);

/* `threads` members, member i pinned to cpus[i % cpu_count]; the caller is member 0 and is pinned
 * too. One member needs no thread at all. */
enum am_status am_team_new(size_t threads, const int *cpus, size_t cpu_count,
                           struct am_team **team_p, struct am_err *err);
/* Runs fn on every member and returns when all have returned. Members wait spinning for a short
 * while, then sleep. */
void am_team_run(struct am_team *team, am_team_fn *fn, void *arg);
size_t am_team_size(const struct am_team *team);
void am_team_free(struct am_team *team); /* accepts NULL */

#endif
