/* SPDX-License-Identifier: MIT */
/* The stencil's blocks on the executors of OpenMP. */
#include "bench/omp/executor_omp.h"
#include "stencil_fixture.h"

/* Not every number: teams that share a CPU meet slowly. */
int main(void)
{
    static const size_t threads[] = {1, 2, 3, 7, 16};

    for (size_t i = 0; am_omp_executors[i]; i++) {
        for (size_t j = 0; j < sizeof(threads) / sizeof(threads[0]); j++)
            sx_check(am_omp_executors[i], threads[j], threads[j], 997);
    }
    return tap_done();
}
