/* SPDX-License-Identifier: MIT */
/* mem.placement: read bandwidth of threads by the cores they sit on, and by whose memory it is. */
#include "base/rng.h"
#include "bench/cpu/axes.h"
#include "bench/cpu/cpus.h"
#include "bench/cpu/reading.h"
#include "core/bench/bench.h"
#include "core/measure/team.h"

#include <stdlib.h>
#include <string.h>

enum axis_index { PLACEMENT, CORES, MEMORY, SIZE, ISA };
enum placement { COMPACT, SCATTERED, RANDOM, SAME_CORE };
enum memory { SEPARATE, SAME };

enum { WHOLE_HUGE = 16 }; /* from this many huge pages on, no two threads' parts meet in one */

struct placing {
    enum memory whose;
    size_t n; /* elements of a thread's array */
    uint64_t passes;
    int *cpus; /* room for all of the machine's */
    size_t threads;
    struct am_memory memory;
    struct am_stream_reading reading;
    struct am_team *team;
};

/* Takes n of pool[0..size) to cpus[]; the pool is in the order of placement: neighbours are near.
 */
static void take_compact(int *cpus, size_t n, int *pool, size_t size, uint64_t seed)
{
    (void)size, (void)seed;
    memcpy(cpus, pool, n * sizeof(*cpus));
}

static void take_scattered(int *cpus, size_t n, int *pool, size_t size, uint64_t seed)
{
    (void)seed;
    for (size_t i = 0; i < n; i++)
        cpus[i] = pool[i * size / n];
}

/* Another choice in each launch, none twice in one. */
static void take_random(int *cpus, size_t n, int *pool, size_t size, uint64_t seed)
{
    struct am_rng rng;

    am_rng_seed(&rng, seed, 0);
    for (size_t i = 0; i < n; i++) {
        const size_t k = i + (size_t)am_rng_below(&rng, size - i);

        cpus[i] = pool[k];
        pool[k] = pool[i];
    }
}

typedef void take_fn(int *cpus, size_t n, int *pool, size_t size, uint64_t seed);

static take_fn *const takers[] = {
    [COMPACT] = take_compact,
    [SCATTERED] = take_scattered,
    [RANDOM] = take_random,
    [SAME_CORE] = take_compact,
};

/* The CPUs to choose from: a core's hardware threads, or one of each core while these suffice. */
static size_t fill_pool(const struct am_fsroot *root, const struct am_ctx *ctx,
                        enum placement placement, size_t n, int *pool)
{
    size_t size;

    if (placement == SAME_CORE)
        return am_cpus_of_core(root, ctx->cpus, ctx->cpu_count, ctx->cpus[0], pool);
    size = am_cpus_of_cores(root, ctx->cpus, ctx->cpu_count, pool);
    if (n <= size)
        return size;
    memcpy(pool, ctx->cpus, ctx->cpu_count * sizeof(*pool));
    return ctx->cpu_count;
}

static enum am_status choose_cpus(struct placing *p, const struct am_ctx *ctx,
                                  const struct am_value *point, struct am_err *err)
{
    const enum placement placement = (enum placement)point[PLACEMENT].i;
    int *const pool = calloc(ctx->cpu_count, sizeof(*pool));
    struct am_fsroot root;
    size_t size = 0;
    enum am_status s = am_fsroot_open(&root, NULL, err);

    p->cpus = calloc(ctx->cpu_count, sizeof(*p->cpus));
    if (s == AM_OK && (!pool || !p->cpus))
        s = am_fail(err, AM_E_NOMEM, "a list of %zu CPUs", ctx->cpu_count);
    if (s == AM_OK)
        size = fill_pool(&root, ctx, placement, p->threads, pool);
    if (s == AM_OK && p->threads <= size)
        takers[placement](p->cpus, p->threads, pool, size, ctx->seed);
    if (s == AM_OK && p->threads > size)
        s = am_fail(err, AM_E_ABSENT,
                    placement == SAME_CORE && size == 1 ? "no SMT siblings: %zu threads on a core "
                                                          "with %zu"
                                                        : "%zu threads where there are %zu CPUs",
                    p->threads, size);
    am_fsroot_close(&root);
    free(pool);
    return s;
}

/* First touch: a thread's own part is its own memory; what all read is the first one's. */
static void fill_member(void *arg, size_t thread, size_t threads)
{
    struct placing *const p = arg;
    const size_t part = p->whose == SEPARATE ? thread : 0;
    double *const array = (double *)(void *)p->memory.base + part * p->n;

    (void)threads;
    am_reading_assign(&p->reading, thread, array, p->n, part == thread);
}

static enum am_status share_out(struct placing *p, int64_t size, struct am_err *err)
{
    const size_t parts = p->whose == SEPARATE ? p->threads : 1;
    const size_t bytes = size < 0 ? 0 : (size_t)((uint64_t)size / parts);
    const size_t page = bytes < WHOLE_HUGE * (size_t)AM_HUGE_BYTES ? AM_PAGE_BYTES : AM_HUGE_BYTES;

    p->n = bytes / page * page / sizeof(double);
    if (p->n == 0)
        return am_fail(err, AM_E_ABSENT, "size %lld: less than a page for each of %zu threads",
                       (long long)size, parts);
    return AM_OK;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct placing *const p = state;
    enum am_status s;

    if (ctx->cpu_count < 2)
        return am_fail(err, AM_E_ABSENT, "one CPU only: there is nothing to place");
    if (point[CORES].i < 1 || (uint64_t)point[CORES].i > ctx->cpu_count)
        return am_fail(err, AM_E_ABSENT, "%lld cores where there are %zu CPUs",
                       (long long)point[CORES].i, ctx->cpu_count);
    p->threads = (size_t)point[CORES].i;
    p->whose = (enum memory)point[MEMORY].i;
    s = choose_cpus(p, ctx, point, err);
    if (s == AM_OK)
        s = share_out(p, point[SIZE].i, err);
    if (s == AM_OK)
        s = am_memory_allowed((uint64_t)point[SIZE].i, ctx->memory_limit_bytes, err);
    if (s == AM_OK)
        s = am_reading_init(&p->reading, point[ISA].name, p->threads, err);
    if (s == AM_OK)
        s = am_memory_map(&p->memory, (size_t)point[SIZE].i, AM_PAGES_ANY, err);
    if (s == AM_OK)
        s = am_team_new(p->threads, p->cpus, p->threads, &p->team, err);
    if (s != AM_OK)
        return s;
    am_team_run(p->team, fill_member, p);
    work->ops = 1;
    work->bytes_read = (double)(p->threads * p->n * sizeof(double));
    work->bytes_per_cycle_max = p->reading.bytes_per_cycle_max;
    return AM_OK;
}

static void run_member(void *arg, size_t thread, size_t threads)
{
    struct placing *const p = arg;

    (void)threads;
    am_reading_pass(&p->reading, thread, p->passes);
}

static void run(void *state, uint64_t iters)
{
    struct placing *const p = state;

    p->passes = iters;
    am_team_run(p->team, run_member, p);
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct placing *const p = state;

    return am_reading_verify(&p->reading, residual, err);
}

static void finish(void *state)
{
    struct placing *const p = state;

    am_team_free(p->team);
    am_memory_unmap(&p->memory);
    am_reading_fini(&p->reading);
    free(p->cpus);
}

static const char *const placements[] = {[COMPACT] = "compact",
                                         [SCATTERED] = "scattered",
                                         [RANDOM] = "random",
                                         [SAME_CORE] = "same_core",
                                         NULL};
static const char *const memories[] = {[SEPARATE] = "separate", [SAME] = "same", NULL};

static const struct am_axis axes[] = {
    [PLACEMENT] = {.name = "placement",
                   .kind = AM_AXIS_NAME,
                   .dflt = "all",
                   .quick = "compact",
                   .choices = placements,
                   .help = "compact: cores near each other; scattered: evenly over all; random: "
                           "others in each launch; same_core: hardware threads of one core"},
    [CORES] = {.name = "cores",
               .kind = AM_AXIS_INT,
               .dflt = "1:cpus:*2,cpus",
               .quick = "cpus",
               .help = "threads, each on a core of its own unless placed on the same one"},
    [MEMORY] = {.name = "memory",
                .kind = AM_AXIS_NAME,
                .dflt = "all",
                .choices = memories,
                .help = "separate: each thread reads its own part; same: all read the whole"},
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "beyond",
              .quick = "beyond/2",
              .thorough = "beyond*2",
              .help = "bytes of memory read, all threads together, rounded down to "
                      "whole pages for each"},
    [ISA] = AM_AXIS_ISA(.dflt = "widest", .help = "instruction set of the loop"),
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"bandwidth", "B/s", AM_HIGHER, AM_RULE_BYTE_RATE, "bytes that all threads together read"},
    {.name = NULL},
};

const struct am_bench am_bench_mem_placement = {
    .name = "mem.placement",
    .summary = "read bandwidth by the placement of threads, on separate or the same memory",
    .version = 1,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct placing),
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .finish = finish,
};
