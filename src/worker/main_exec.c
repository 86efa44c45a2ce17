/* SPDX-License-Identifier: MIT */
/* The worker `exec`: programs that an experiment file describes. Its benches are known at run time
 * only, so it has a main() of its own in place of the generated one. */
#include "base/log.h"
#include "bench/exec/tests.h"
#include "worker/worker.h"

#include <stdlib.h>

enum { EXIT_SPEC = 2 };

int main(int argc, char **argv)
{
    struct am_arena arena = {0};
    const struct am_bench **benches = NULL;
    struct am_err err = {0};
    int code = EXIT_SPEC;

    if (am_exec_tests_load(getenv(AM_EXEC_SPEC), &arena, &benches, &err) == AM_OK)
        code = am_worker_main("exec", benches, argc, argv);
    else
        am_log(AM_LOG_ERROR, "worker exec: %s", err.text);
    am_arena_fini(&arena);
    return code;
}
