/* SPDX-License-Identifier: MIT */
/* The worker program of a runtime that `archmeter runtime add` makes: compiled with the user's
 * compiler, together with the sources of the benches, on the user's machine. AM_OMP_NAME is the
 * name that the user gave. With --library it says which OpenMP library serves it. */
#include "bench/omp/library.h"
#include "core/bench/bench.h"
#include "worker/worker.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_NO_LIBRARY = 1 };

extern const struct am_bench am_bench_omp_region, am_bench_omp_sched, am_bench_omp_start,
    am_bench_omp_sync, am_bench_omp_target, am_bench_omp_task, am_bench_omp_touch;

static const struct am_bench *const benches[] = {
    &am_bench_omp_region, &am_bench_omp_sched, &am_bench_omp_start, &am_bench_omp_sync,
    &am_bench_omp_target, &am_bench_omp_task,  &am_bench_omp_touch, NULL,
};

static int tell_library(void)
{
    struct am_omp_library library = {0};
    struct am_err err = {0};

    if (am_omp_library_find(&library, &err) != AM_OK) {
        (void)dprintf(STDERR_FILENO, "%s\n", err.text);
        return EXIT_NO_LIBRARY;
    }
    (void)dprintf(STDOUT_FILENO, "library: %s\nbuild_id: %s\nkind: %s\nversion: %s\n", library.path,
                  library.build_id, library.kind, library.version);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--library") == 0)
        return tell_library();
    return am_worker_main("omp-" AM_OMP_NAME, benches, argc, argv);
}
