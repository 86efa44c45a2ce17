/* SPDX-License-Identifier: MIT */
/* The stencil's blocks on the executors that need no library. */
#include "app/stencil/grid.h"
#include "stencil_fixture.h"

#include <stdlib.h>

enum { AFTER = 9 /* iterations */ };

/* Behind a cycle of iterations every one begins in a place where one of them has begun, and within
 * it no two do: what is proven of a cycle is proven of all. */
static bool cycle_is_right(enum am_stencil_method method, size_t depth, size_t steps)
{
    const struct am_grid_spec spec = {.kernels = am_grid_find("scalar"),
                                      .dim = 2,
                                      .method = method,
                                      .form = AM_STENCIL_paper,
                                      .type = AM_STENCIL_F64,
                                      .n = {70, 60, 1},
                                      .r = 0.1,
                                      .depth = depth,
                                      .tile = {4, 8},
                                      .parts = 1};
    double *const x = calloc(spec.n[0] * spec.n[1], sizeof(*x));
    struct am_stencil_turns turns = {0};
    struct am_stencil_grid grid;
    size_t bytes = 0, cycle = 0, begun[AFTER] = {0}, again = 0, twice = 0;
    void *memory = NULL;

    if (am_grid_bytes(&spec, &bytes, NULL) == AM_OK)
        memory = aligned_alloc(4096, (bytes / 4096 + 1) * 4096);
    if (x && memory && am_stencil_grid_init(&grid, &spec, memory, NULL) == AM_OK &&
        am_grid_load(&grid, x, NULL) == AM_OK &&
        am_stencil_turns_init_grid(&turns, &grid, steps, x, NULL) == AM_OK)
        cycle = am_stencil_turns_cycle(&turns);
    for (size_t i = 0; i < AFTER && cycle; i++) {
        size_t seen = 0;

        begun[i] = 2 * grid.phase.shift + grid.phase.front;
        while (begun[seen] != begun[i])
            seen++;
        again += i >= cycle && seen < cycle;
        twice += i < cycle && seen < i;
        am_grid_run(&grid, steps);
    }
    am_stencil_turns_fini(&turns);
    free(memory);
    free(x);
    return cycle > 0 && !twice && again == AFTER - cycle;
}

static void check_cycles(enum am_stencil_method method)
{
    size_t wrong = 0, first_depth = 0, first_steps = 0;

    for (size_t depth = 1; depth <= 9; depth++) {
        for (size_t steps = depth; steps <= 40; steps++) {
            const bool right = cycle_is_right(method, depth, steps);

            first_depth = right || wrong ? first_depth : depth;
            first_steps = right || wrong ? first_steps : steps;
            wrong += !right;
        }
    }
    ok(wrong == 0,
       "%s: cycles hold all places where iterations begin (%zu do not: depth %zu, %zu steps)",
       am_stencil_methods[method], wrong, first_depth, first_steps);
}

int main(void)
{
    static const struct am_executor *const executors[] = {
        &am_executor_serial, &am_executor_task_default, &am_executor_task_bf, &am_executor_task_dbf,
        &am_executor_task_wf};

    for (size_t i = 0; i < sizeof(executors) / sizeof(executors[0]); i++)
        sx_check_all(executors[i]);
    check_cycles(AM_STENCIL_BY_PREFETCH);
    check_cycles(AM_STENCIL_BY_SKEW);
    check_cycles(AM_STENCIL_BY_SLICE);
    check_cycles(AM_STENCIL_BY_WAVE);
    return tap_done();
}
