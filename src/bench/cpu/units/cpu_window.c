/* SPDX-License-Identifier: MIT */
/* Sizes of a core: cpu.window, what it holds at once between two chains of divisions; cpu.fetch,
 * how fast code of growing length comes in; cpu.target, how many jumps it knows the targets of;
 * cpu.forward, how long a load waits for the store before it.
 *
 * The loops are made in prepare() (kernels/mix/row.h). Cycles are by the core clock around each
 * batch. Chains are compared bit by bit with the same divisions done one by one; of pairs the bytes
 * that went through them are. */
#include "core/bench/bench.h"
#include "core/bench/place.h"
#include "kernels/mix/row.h"

#include <stdlib.h>
#include <string.h>

struct rows {
    struct am_mix_room room;
    struct am_row_area *area;
    am_row_fn *fn;
    uint64_t passes; /* since the last start; 0: none yet */
    struct am_row_pair pair;
};

static enum am_status open_rows(struct rows *r, struct am_err *err)
{
    r->area = aligned_alloc(4096, 4096);
    if (!r->area)
        return am_fail(err, AM_E_NOMEM, "no memory for a loop's operands");
    am_row_start(r->area);
    return AM_OK;
}

/* From the start again: chains of divisions reach subnormal numbers in 10^14 steps, no batch does.
 */
static void run(void *state, uint64_t iters)
{
    struct rows *const r = state;

    am_row_start(r->area);
    r->fn(r->area, iters);
    r->passes = iters;
}

static void finish(void *state)
{
    struct rows *const r = state;

    am_mix_room_close(&r->room);
    free(r->area);
}

#define CYCLES(help)                                                                               \
    {                                                                                              \
        "cycles", "cycle", AM_LOWER, AM_RULE_CYCLES_PER_OP, help                                   \
    }

/* ---- cpu.window ---- */

enum window_axis { FILLER, COUNT, WINDOW_ON };

static enum am_status prepare_window(void *state, const struct am_ctx *ctx,
                                     const struct am_value *point, struct am_work *work,
                                     struct am_err *err)
{
    struct rows *const r = state;
    enum am_status s = open_rows(r, err);

    (void)ctx;
    if (s == AM_OK && (point[COUNT].i < 0 || point[COUNT].i > AM_ROW_COUNT_MAX))
        s = am_fail(err, AM_E_ABSENT, "count is 0 to %d, not %lld", AM_ROW_COUNT_MAX,
                    (long long)point[COUNT].i);
    if (s == AM_OK)
        s = am_row_between(&r->room, (enum am_row_filler)point[FILLER].i, (size_t)point[COUNT].i,
                           &r->fn, err);
    work->ops = 1;
    return s;
}

static enum am_status verify_window(void *state, double *residual, struct am_err *err)
{
    const struct rows *const r = state;

    *residual = 0;
    if (am_row_is_right(r->area, r->passes))
        return AM_OK;
    *residual = 1;
    return am_fail(err, AM_E_WRONG, "the chains do not end where %llu passes lead",
                   (unsigned long long)r->passes);
}

static const struct am_axis window_axes[] = {
    [FILLER] = {.name = "filler",
                .kind = AM_AXIS_NAME,
                .dflt = "all",
                .choices = am_row_fillers,
                .help = "the instruction between two chains; nop and zero occupy a place in the "
                        "window only, the others also a register or an entry of a queue"},
    [COUNT] = {.name = "count",
               .kind = AM_AXIS_INT,
               .dflt = "8:760:8",
               .quick = "16:736:24",
               .help = "so many between one chain and the next"},
    [WINDOW_ON] = AM_AXIS_ON(.dflt = "machine"),
    {.name = NULL},
};

static const struct am_metric window_metrics[] = {
    CYCLES("of two chains of 24 divisions with the fillers behind each"),
    {.name = NULL},
};

const struct am_bench am_bench_cpu_window = {
    .name = "cpu.window",
    .summary = "how many instructions, registers, loads and stores a core has in flight",
    .version = 5, /* 1: chains of 12 divisions; 2: `general` may have been done by renaming; 3:
                   * nops and zeros may have shared places, loads left their queue when done; 4:
                   * all loads went to general registers, which may have ended first */
    .axes = window_axes,
    .metrics = window_metrics,
    .state_size = sizeof(struct rows),
    .points_per_launch = 32,
    .named_only = true,
    .prepare = prepare_window,
    .run = run,
    .verify = verify_window,
    .finish = finish,
};

/* ---- cpu.fetch ---- */

enum fetch_axis { CODE, LENGTH, FETCH_ON };

static enum am_status prepare_fetch(void *state, const struct am_ctx *ctx,
                                    const struct am_value *point, struct am_work *work,
                                    struct am_err *err)
{
    struct rows *const r = state;
    enum am_status s = open_rows(r, err);

    (void)ctx;
    if (s == AM_OK && (point[CODE].i < AM_ROW_WIDE_BYTES || point[CODE].i > AM_ROW_BYTES_MAX))
        s = am_fail(err, AM_E_ABSENT, "%lld bytes of code: %d to %d", (long long)point[CODE].i,
                    AM_ROW_WIDE_BYTES, AM_ROW_BYTES_MAX);
    if (s == AM_OK)
        s = am_row_plain(&r->room, (size_t)point[CODE].i, (size_t)point[LENGTH].i, &r->fn, err);
    work->ops = s == AM_OK ? (double)(point[CODE].i / point[LENGTH].i) : 0;
    return s;
}

static const struct am_axis fetch_axes[] = {
    [CODE] = {.name = "code",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "1K:2M:*1.25",
              .quick = "1K:1M:*1.5",
              .help = "length of the loop"},
    [LENGTH] = {.name = "length",
                .kind = AM_AXIS_INT,
                .dflt = "4,8",
                .quick = "4",
                .help = "bytes of each instruction; 8 where instructions differ in length"},
    [FETCH_ON] = AM_AXIS_ON(.dflt = "machine"),
    {.name = NULL},
};

static const struct am_metric fetch_metrics[] = {
    CYCLES("per instruction, which does nothing"),
    {.name = NULL},
};

const struct am_bench am_bench_cpu_fetch = {
    .name = "cpu.fetch",
    .summary = "cycles per instruction of code that caches of operations and instructions hold",
    .version = 1, /* until there was an axis length: all were of four bytes */
    .axes = fetch_axes,
    .metrics = fetch_metrics,
    .state_size = sizeof(struct rows),
    .points_per_launch = 16,
    .named_only = true,
    .prepare = prepare_fetch,
    .run = run,
    .finish = finish,
};

/* ---- cpu.target ---- */

enum target_axis { JUMPS, SPACING, TARGET_ON };

static enum am_status prepare_target(void *state, const struct am_ctx *ctx,
                                     const struct am_value *point, struct am_work *work,
                                     struct am_err *err)
{
    struct rows *const r = state;
    enum am_status s = open_rows(r, err);

    (void)ctx;
    if (s == AM_OK && (point[JUMPS].i < 1 || point[SPACING].i < 1))
        s = am_fail(err, AM_E_ABSENT, "jumps and spacing begin at 1");
    if (s == AM_OK)
        s = am_row_jumps(&r->room, (size_t)point[JUMPS].i, (size_t)point[SPACING].i, &r->fn, err);
    work->ops = (double)point[JUMPS].i;
    return s;
}

static const struct am_axis target_axes[] = {
    [JUMPS] = {.name = "jumps",
               .kind = AM_AXIS_INT,
               .dflt = "16:32768:*1.25",
               .quick = "16:32768:*2",
               .help = "each leads to the next, the last back to the first"},
    [SPACING] = {.name = "spacing",
                 .kind = AM_AXIS_INT,
                 .unit = "B",
                 .dflt = "16,32,64",
                 .quick = "16,64",
                 .help = "from one jump to the next"},
    [TARGET_ON] = AM_AXIS_ON(.dflt = "machine"),
    {.name = NULL},
};

static const struct am_metric target_metrics[] = {
    CYCLES("per jump, which is always taken"),
    {.name = NULL},
};

const struct am_bench am_bench_cpu_target = {
    .name = "cpu.target",
    .summary = "cycles per taken jump by the number of jumps",
    .version = 1,
    .axes = target_axes,
    .metrics = target_metrics,
    .state_size = sizeof(struct rows),
    .points_per_launch = 16,
    .named_only = true,
    .prepare = prepare_target,
    .run = run,
    .finish = finish,
};

/* ---- cpu.forward ---- */

enum forward_axis { STORE, LOAD, OFFSET, FORWARD_ON };

static enum am_status prepare_forward(void *state, const struct am_ctx *ctx,
                                      const struct am_value *point, struct am_work *work,
                                      struct am_err *err)
{
    struct rows *const r = state;
    enum am_status s = open_rows(r, err);

    (void)ctx;
    r->pair = (struct am_row_pair){(size_t)point[STORE].i, (size_t)point[LOAD].i,
                                   (size_t)point[OFFSET].i};
    if (s == AM_OK)
        s = am_row_pairs(&r->room, &r->pair, &r->fn, err);
    work->ops = AM_ROW_PAIRS;
    return s;
}

/* What is loaded at last: the five that began, moved down by the offset in each pair. */
static uint64_t passed_on(const struct rows *r)
{
    unsigned char bytes[16] = {0};
    uint64_t value = 5;

    for (int i = 0; i < AM_ROW_PAIRS; i++) {
        memcpy(bytes, &value, r->pair.store);
        value = 0;
        memcpy(&value, bytes + r->pair.offset, r->pair.load);
    }
    return value;
}

static enum am_status verify_forward(void *state, double *residual, struct am_err *err)
{
    const struct rows *const r = state;

    *residual = 0;
    if (r->passes == 0 || r->area->passed == passed_on(r))
        return AM_OK;
    *residual = 1;
    return am_fail(err, AM_E_WRONG, "loads gave %llu, not %llu",
                   (unsigned long long)r->area->passed, (unsigned long long)passed_on(r));
}

static const struct am_axis forward_axes[] = {
    [STORE] = {.name = "store", .kind = AM_AXIS_INT, .dflt = "1,2,4,8", .help = "bytes stored"},
    [LOAD] = {.name = "load", .kind = AM_AXIS_INT, .dflt = "1,2,4,8", .help = "bytes loaded"},
    [OFFSET] = {.name = "offset",
                .kind = AM_AXIS_INT,
                .dflt = "0,1,2,4",
                .quick = "0",
                .help = "of the load's first byte behind the store's; of what the store did not "
                        "write there is nothing to measure"},
    [FORWARD_ON] = AM_AXIS_ON(.dflt = "machine"),
    {.name = NULL},
};

static const struct am_metric forward_metrics[] = {
    CYCLES("from one load to the next, through a store"),
    {.name = NULL},
};

const struct am_bench am_bench_cpu_forward = {
    .name = "cpu.forward",
    .summary = "cycles of a load that reads what a store just wrote",
    .version = 1,
    .axes = forward_axes,
    .metrics = forward_metrics,
    .state_size = sizeof(struct rows),
    .points_per_launch = 16,
    .named_only = true,
    .prepare = prepare_forward,
    .run = run,
    .verify = verify_forward,
    .finish = finish,
};
