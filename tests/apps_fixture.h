/* SPDX-License-Identifier: MIT */
/* Applications on a set of executors, as a worker joins them. */
#ifndef AM_TESTS_APPS_FIXTURE_H
#define AM_TESTS_APPS_FIXTURE_H

#include "bench/apps/join.h"
#include "bench_fixture.h"

/* One of the benches that a worker with these executors, or with this port, has. The memory of the
 * joined descriptors stays until the program ends. */
static inline const struct am_bench *ax_find(const struct am_executor_set *set,
                                             const struct am_app_port *port, const char *name)
{
    static struct am_arena arena;
    const struct am_bench *const none[] = {NULL};
    const struct am_app_port *const ports[] = {port, NULL};
    const struct am_apps_worker worker = {.benches = none, .ports = ports, .executors = set};
    const struct am_bench **all = am_apps_join(&worker, &arena);

    while (all && *all && strcmp((*all)->name, name) != 0)
        all++;
    if (!all || !*all) {
        printf("Bail out! no %s here\n", name);
        exit(1);
    }
    return *all;
}

static inline const struct am_bench *ax_bench(const struct am_executor_set *set, const char *name)
{
    return ax_find(set, NULL, name);
}

#endif
