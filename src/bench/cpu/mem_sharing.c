/* SPDX-License-Identifier: MIT */
/* mem.sharing: what threads pay that count in words of one line, against lines of their own. */
#include "bench/cpu/axes.h"
#include "bench/cpu/chasing.h"
#include "core/bench/bench.h"
#include "core/measure/team.h"
#include "kernels/handoff.h"

#include <stdatomic.h>

enum axis_index { OP, LAYOUT, THREADS, ON };
enum op { ADD, STORE };
enum layout { SHARED_LINE, SEPARATE_LINES };

enum {
    APART_BYTES = 256, /* between lines that must not disturb each other: two pairs of 64 */
    /* Of a batch: 0.1 ms or more, below a second with a hundred threads. Not by calibration: how
     * fast a contended line goes changes from one batch to the next, twice the work need not take
     * longer. verify() counts instead. */
    INCREMENTS = 1 << 18,
};

struct sharing {
    enum op op;
    size_t threads;
    size_t in_line; /* words of one line that are in use, 1 in separate lines */
    uint64_t iters; /* of this batch */
    uint64_t total; /* additions of each thread so far */
    struct am_memory memory;
    struct am_team *team;
};

/* Neighbours share a line; where it has fewer words than there are threads, the next ones share
 * another. */
static _Atomic uint32_t *word_of(const struct sharing *h, size_t thread)
{
    char *const line = h->memory.base + thread / h->in_line * APART_BYTES;

    return (_Atomic uint32_t *)(void *)line + thread % h->in_line;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct sharing *const h = state;
    enum am_status s = am_usable_threads(point[THREADS].i, ctx, err);

    if (s != AM_OK)
        return s;
    h->op = (enum op)point[OP].i;
    h->threads = (size_t)point[THREADS].i;
    h->in_line = point[LAYOUT].i == SHARED_LINE ? am_chasing_line() / sizeof(uint32_t) : 1;
    s = am_memory_map(&h->memory, h->threads * APART_BYTES, AM_PAGES_SMALL, err);
    if (s == AM_OK)
        s = am_team_new(h->threads, ctx->cpus, ctx->cpu_count, &h->team, err);
    work->ops = 1;
    return s;
}

static void run_member(void *arg, size_t thread, size_t threads)
{
    const struct sharing *const h = arg;

    (void)threads;
    if (h->op == ADD)
        am_share_add(word_of(h, thread), h->iters);
    else
        am_share_count(word_of(h, thread), h->iters);
}

static void run(void *state, uint64_t iters)
{
    struct sharing *const h = state;

    h->iters = iters;
    h->total += iters;
    am_team_run(h->team, run_member, h);
}

/* No addition is lost. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct sharing *const h = state;

    *residual = 0;
    for (size_t i = 0; i < h->threads; i++) {
        const uint32_t got = atomic_load(word_of(h, i)), want = (uint32_t)h->total;

        if (got != want) {
            *residual = 1;
            return am_fail(err, AM_E_WRONG, "thread %zu has counted %lu, not %lu", i,
                           (unsigned long)got, (unsigned long)want);
        }
    }
    return AM_OK;
}

static void finish(void *state)
{
    struct sharing *const h = state;

    am_team_free(h->team);
    am_memory_unmap(&h->memory);
}

static const char *const ops[] = {[ADD] = "add", [STORE] = "store", NULL};
static const char *const layouts[] = {
    [SHARED_LINE] = "shared_line", [SEPARATE_LINES] = "separate_lines", NULL};

static const struct am_axis axes[] = {
    [OP] = {.name = "op",
            .kind = AM_AXIS_NAME,
            .dflt = "all",
            .choices = ops,
            .help = "add: atomic additions of 1; store: the same by a load and a plain store"},
    [LAYOUT] = {.name = "layout",
                .kind = AM_AXIS_NAME,
                .dflt = "all",
                .choices = layouts,
                .help =
                    "shared_line: a word for each thread, up to 16 in one line (false sharing); "
                    "separate_lines: each in a line of its own"},
    [THREADS] = AM_AXIS_THREADS(.dflt = "2,cpus", .quick = "2", .help = "threads, one per CPU"),
    [ON] = AM_AXIS_ON(.dflt = "machine"),
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"increment", "s", AM_LOWER, AM_RULE_TIME_PER_OP,
     "time from one increment of a thread to its next, while all do the same"},
    {"cycles", "cycle", AM_LOWER, AM_RULE_CYCLES_PER_OP,
     "the same by the core clock measured around the batch"},
    {.name = NULL},
};

const struct am_bench am_bench_mem_sharing = {
    .name = "mem.sharing",
    .summary = "false sharing: counters in one line against lines of their own",
    .version = 1,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct sharing),
    .fixed_iters = INCREMENTS,
    .points_per_launch = 4,
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .finish = finish,
};
