/* SPDX-License-Identifier: MIT */
#include "worker/worker.h"
int am_worker_main(const char *name, const struct am_bench *const *benches, int argc, char **argv)
{
    (void)name, (void)benches, (void)argc, (void)argv;
    return 0;
}
