/* SPDX-License-Identifier: MIT */
/* The executor `serial`: blocks in the order of their numbers, on the calling thread. It is always
 * right, so that the outcome of other executors is compared with its. */
#include "runtime/executor.h"

#include <stdlib.h>

struct serial {
    uint64_t executed;
};

static enum am_status open_serial(const struct am_executor *kind,
                                  const struct am_executor_setup *setup, void **self_p,
                                  struct am_err *err)
{
    (void)kind;
    if (setup->threads != 1)
        return am_fail(err, AM_E_ABSENT, "serial is one thread, not %zu", setup->threads);
    *self_p = calloc(1, sizeof(struct serial));
    return *self_p ? AM_OK : am_fail(err, AM_E_NOMEM, "no memory for an executor");
}

static enum am_status prepare(void *self, const struct am_blocks *blocks, struct am_err *err)
{
    (void)self;
    (void)blocks;
    (void)err;
    return AM_OK;
}

static void run(void *self, const struct am_blocks *blocks, uint64_t times)
{
    struct serial *const serial = self;

    serial->executed += times * blocks->count;
    for (; times; times--) {
        for (size_t i = 0; i < blocks->count; i++)
            blocks->run(blocks->app, i);
    }
}

static void count(void *self, struct am_executor_counts *counts)
{
    const struct serial *const serial = self;

    *counts = (struct am_executor_counts){.executed = serial->executed};
}

const struct am_executor am_executor_serial = {
    .name = "serial",
    .alone = true,
    .open = open_serial,
    .prepare = prepare,
    .run = run,
    .count = count,
    .close = free,
};
