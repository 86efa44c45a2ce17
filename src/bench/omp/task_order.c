/* SPDX-License-Identifier: MIT */
/* Whether dependent tasks run in the order that their dependences demand. */
#include "bench/omp/task.h"

void am_task_link(struct am_task_thread *chain, uint64_t number)
{
    if (chain->link + 1 != number)
        atomic_fetch_add(&chain->disorder, 1);
    chain->link = number;
}

void am_task_write(struct am_task_thread *chain, uint64_t number, unsigned fan)
{
    const uint64_t reads = atomic_exchange(&chain->reads, 0);

    if (number > 1 && (reads != fan - 1 || chain->link + fan != number))
        atomic_fetch_add(&chain->disorder, 1);
    chain->link = number;
}

void am_task_read(struct am_task_thread *chain, uint64_t number, unsigned fan)
{
    if (chain->link != number - (number - 1) % fan)
        atomic_fetch_add(&chain->disorder, 1);
    atomic_fetch_add(&chain->reads, 1);
}

void am_task_node(struct am_task_thread *maker, unsigned node, uint64_t tree)
{
    const unsigned below = 2 * node + 1;

    if (below + 1 < AM_TASK_TREE && (maker->tree[below] != tree || maker->tree[below + 1] != tree))
        atomic_fetch_add(&maker->disorder, 1);
    maker->tree[node] = tree;
}
