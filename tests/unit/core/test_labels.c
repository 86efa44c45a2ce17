/* SPDX-License-Identifier: MIT */
/* Labels by what the kernel says of waiting for a CPU. Those by the habits of a process are tried
 * with the sampler (test_sampler). */
#include "core/measure/labels.h"
#include "tap.h"

enum { MS = 1000000 };

/* A batch of 10 ms of a team that has all 16 CPUs, and a switch in it. */
static uint32_t labels_of(double process, const struct am_disturbance_totals *before,
                          const struct am_disturbance_totals *after)
{
    const struct am_occupancy habit = {.thread = 1, .process = 15.5};
    const struct am_sample x = {.t0_ns = 0, .t1_ns = 10 * MS, .switches = 1};
    struct am_batch_use use = {.wall_ns = 10 * MS,
                               .has_times = true,
                               .thread_ns = 10 * MS,
                               .process_ns = (uint64_t)(process * 10 * MS),
                               .threads = after->threads,
                               .cpus = 16};

    am_batch_waited(&use, before, after);
    return am_labels_of(&x, &habit, &use, 0.02);
}

static void test_waiting(void)
{
    const struct am_disturbance_totals before = {
        .threads = 16, .newest = 700, .has_waited = true, .waited_ns = 5 * MS};
    struct am_disturbance_totals after = before;

    after.waited_ns += MS / 20;
    ok(labels_of(15, &before, &after) == 0, "threads that sleep for want of work wait for nobody");
    after.waited_ns += MS;
    ok(labels_of(15, &before, &after) == AM_LABEL_SWITCH, "one that had to wait is told");
    ok(labels_of(16, &before, &after) == 0, "but not where the team lacks nothing");
    after.waited_ns = before.waited_ns;
    after.newest++;
    ok(labels_of(15, &before, &after) == AM_LABEL_SWITCH,
       "where somebody began, a thread may have come and gone: what is missing counts");
    after.newest = before.newest;
    after.threads--;
    ok(labels_of(15, &before, &after) == AM_LABEL_SWITCH, "or ended");
    after.threads++;
    after.has_waited = false;
    ok(labels_of(15, &before, &after) == AM_LABEL_SWITCH, "or nobody knows");
    after.has_waited = true;
    after.waited_ns = before.waited_ns - 1;
    ok(labels_of(15, &before, &after) == AM_LABEL_SWITCH, "or the total fell");
}

int main(void)
{
    test_waiting();
    return tap_done();
}
