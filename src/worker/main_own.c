/* SPDX-License-Identifier: MIT */
/* The worker `own`: benches out of the tree. They are known at run time only, so that it has a
 * main() of its own in place of the generated one. */
#include "base/log.h"
#include "bench/own/library.h"
#include "worker/worker.h"

#include <stdlib.h>

enum { EXIT_FILE = 2 };

int main(int argc, char **argv)
{
    struct am_arena arena = {0};
    const struct am_bench **benches = NULL;
    struct am_err err = {0};
    int code = EXIT_FILE;

    if (am_own_load(getenv(AM_OWN_FOLDERS), &arena, &benches, &err) == AM_OK)
        code = am_worker_main("own", benches, argc, argv);
    else
        am_log(AM_LOG_ERROR, "%s", err.text);
    am_arena_fini(&arena);
    return code;
}
