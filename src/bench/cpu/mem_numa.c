/* SPDX-License-Identifier: MIT */
/* mem.numa: latency and bandwidth from the CPUs of one memory node to the memory of another. */
#include "base/text.h"
#include "bench/cpu/axes.h"
#include "bench/cpu/chasing.h"
#include "bench/cpu/cpus.h"
#include "bench/cpu/reading.h"
#include "core/bench/bench.h"
#include "core/measure/team.h"

#include <linux/mempolicy.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum axis_index { CPU_NODE, MEMORY_NODE, SIZE, ISA };
enum metric_index { LATENCY, BANDWIDTH };

enum {
    NODES_MAX = 1024, /* the kernel's own bound */
    WORD_BITS = 8 * sizeof(unsigned long),
    LOADS = 20000, /* of a batch: 1 to 10 ms */
    PROBES = 64,   /* pages of an area whose node is looked up */
};

#define NODES_DIR "sys/devices/system/node"

struct numa {
    int *cpus;
    size_t threads;
    int64_t node; /* that the memory must lie on; -1: there is no choice */
    uint64_t passes;
    size_t n; /* elements of a thread's part */
    struct am_chasing chase;
    struct am_memory memory;
    struct am_stream_reading reading;
    struct am_team *team;
    const struct am_clock *clock;
};

static bool node_exists(const struct am_fsroot *root, int64_t node)
{
    char path[64];

    return am_str_format(path, sizeof(path), NODES_DIR "/node%lld", (long long)node) &&
           am_fsroot_exists(root, path);
}

static bool count_node(void *self, const char *name)
{
    unsigned *const n = self;

    *n += strncmp(name, "node", 4) == 0 && name[4] >= '0' && name[4] <= '9';
    return true;
}

/* The node's CPUs. A kernel without nodes has one, number 0, with everything. */
static enum am_status choose(struct numa *u, const struct am_fsroot *root, const struct am_ctx *ctx,
                             const struct am_value *point, struct am_err *err)
{
    const int64_t ends[] = {point[CPU_NODE].i, point[MEMORY_NODE].i};
    unsigned nodes = 0;
    const bool stated = am_fsroot_list(root, NODES_DIR, count_node, &nodes) && nodes > 0;

    for (size_t i = 0; i < 2; i++) {
        if (ends[i] < 0 || ends[i] >= NODES_MAX || (!stated && ends[i] != 0) ||
            (stated && !node_exists(root, ends[i])))
            return am_fail(err, AM_E_ABSENT, "there is no memory node %lld", (long long)ends[i]);
    }
    u->node = nodes > 1 ? ends[1] : -1;
    u->cpus = calloc(ctx->cpu_count, sizeof(*u->cpus));
    if (!u->cpus)
        return am_fail(err, AM_E_NOMEM, "a list of %zu CPUs", ctx->cpu_count);
    u->threads = ctx->cpu_count;
    memcpy(u->cpus, ctx->cpus, ctx->cpu_count * sizeof(*u->cpus));
    if (stated)
        u->threads = am_cpus_of_node(root, ctx->cpus, ctx->cpu_count, ends[0], u->cpus);
    if (u->threads == 0)
        return am_fail(err, AM_E_ABSENT, "node %lld has no CPU that this process may use",
                       (long long)ends[0]);
    return AM_OK;
}

/* For what the calling thread touches from now on. Preferred, not bound: a node that is full gives
 * pages of another, which check_nodes() finds; bound, the kernel would end a process instead. */
static enum am_status prefer_node(int64_t node, struct am_err *err)
{
    unsigned long mask[NODES_MAX / WORD_BITS] = {0};

    if (node < 0)
        return AM_OK;
    mask[(size_t)node / WORD_BITS] = 1UL << (size_t)node % WORD_BITS;
    if (syscall(SYS_set_mempolicy, MPOL_PREFERRED, mask, (unsigned long)NODES_MAX) != 0)
        return am_fail(err, AM_E_ABSENT, "the system refuses memory of node %lld", (long long)node);
    return AM_OK;
}

static enum am_status check_nodes(const struct am_memory *m, int64_t node, struct am_err *err)
{
    const size_t pages = m->bytes / AM_PAGE_BYTES;

    for (size_t i = 0; i < PROBES && node >= 0; i++) {
        const char *const at = m->base + pages * i / PROBES * AM_PAGE_BYTES;
        int where = -1;

        if (syscall(SYS_get_mempolicy, &where, NULL, 0UL, at, MPOL_F_NODE | MPOL_F_ADDR) != 0)
            return am_fail(err, AM_E_ABSENT, "the system does not tell where memory lies");
        if (where != node)
            return am_fail(err, AM_E_ABSENT, "the system gave memory of node %d, not of %lld",
                           where, (long long)node);
    }
    return AM_OK;
}

static void share_out(struct numa *u)
{
    double *const first = (double *)(void *)u->memory.base;

    for (size_t t = 0; t < u->threads; t++)
        am_reading_assign(&u->reading, t, first + t * u->n, u->n, true);
}

/* All of it is touched by the calling thread, whose policy places it. */
static enum am_status lay_out(struct numa *u, const struct am_ctx *ctx, int64_t size,
                              struct am_err *err)
{
    const struct am_chasing_spec spec = {
        .size = size,
        .stride = (int64_t)am_chasing_line(),
        .chains = 1,
        .pattern = AM_CHASE_RANDOM,
        .pages = AM_PAGES_ANY,
    };
    struct am_work ignored = {0};
    enum am_status s = prefer_node(u->node, err);

    if (s == AM_OK)
        s = am_chasing_prepare(&u->chase, ctx, &spec, &ignored, err);
    if (s == AM_OK)
        s = am_memory_map(&u->memory, (size_t)size, AM_PAGES_ANY, err);
    if (s == AM_OK) {
        memset(u->memory.base, 0, u->memory.bytes);
        share_out(u);
    }
    if (u->node >= 0)
        (void)syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0UL);
    if (s == AM_OK)
        s = check_nodes(&u->chase.memory, u->node, err);
    if (s == AM_OK)
        s = check_nodes(&u->memory, u->node, err);
    return s;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct numa *const u = state;
    const int64_t size = point[SIZE].i;
    const size_t page = AM_PAGE_BYTES / sizeof(double);
    struct am_fsroot root;
    enum am_status s;

    if (ctx->cpu_count < 2)
        return am_fail(err, AM_E_ABSENT, "one CPU only: it has no remote memory");
    s = am_fsroot_open(&root, NULL, err);
    if (s != AM_OK)
        return s;
    s = choose(u, &root, ctx, point, err);
    am_fsroot_close(&root);
    if (s != AM_OK)
        return s;
    u->clock = ctx->clock;
    u->n = size < 0 ? 0 : (size_t)size / sizeof(double) / u->threads / page * page;
    if (u->n == 0)
        return am_fail(err, AM_E_ABSENT, "size %lld: less than a page for each of %zu threads",
                       (long long)size, u->threads);
    s = am_memory_allowed(2 * (uint64_t)size, ctx->memory_limit_bytes, err);
    if (s == AM_OK)
        s = am_reading_init(&u->reading, point[ISA].name, u->threads, err);
    if (s == AM_OK)
        s = am_team_new(u->threads, u->cpus, u->threads, &u->team, err);
    if (s == AM_OK)
        s = lay_out(u, ctx, size, err);
    work->ops = LOADS;
    work->bytes_read = LOADS * sizeof(void *) + (double)(u->threads * u->n * sizeof(double));
    return s;
}

static void wake_member(void *arg, size_t thread, size_t threads)
{
    (void)arg, (void)thread, (void)threads;
}

static void read_member(void *arg, size_t thread, size_t threads)
{
    struct numa *const u = arg;

    (void)threads;
    am_reading_pass(&u->reading, thread, u->passes);
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct numa *const u = state;
    const struct am_clock *const clock = u->clock;
    const double loads = (double)iters * LOADS;
    const double bytes = (double)iters * (double)(u->threads * u->n * sizeof(double));
    uint64_t t0, walk_ns, read_ns;

    u->passes = iters;
    t0 = clock->now_ns(clock->self);
    am_chasing_run(&u->chase, iters * LOADS);
    walk_ns = clock->now_ns(clock->self) - t0;
    am_team_run(u->team, wake_member, u); /* they fell asleep meanwhile */
    t0 = clock->now_ns(clock->self);
    am_team_run(u->team, read_member, u);
    read_ns = clock->now_ns(clock->self) - t0;
    if (walk_ns == 0 || read_ns == 0)
        return am_fail(err, AM_E_WRONG, "no time passes by this clock");
    batch->elapsed_ns = walk_ns + read_ns;
    batch->values[LATENCY] = (double)walk_ns * 1e-9 / loads;
    batch->values[BANDWIDTH] = bytes / ((double)read_ns * 1e-9);
    return AM_OK;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct numa *const u = state;
    const enum am_status s = am_chasing_verify(&u->chase, residual, err);

    return s == AM_OK ? am_reading_verify(&u->reading, residual, err) : s;
}

static void finish(void *state)
{
    struct numa *const u = state;

    am_team_free(u->team);
    am_chasing_finish(&u->chase);
    am_memory_unmap(&u->memory);
    am_reading_fini(&u->reading);
    free(u->cpus);
}

static const struct am_axis axes[] = {
    [CPU_NODE] = {.name = "cpu_node",
                  .kind = AM_AXIS_INT,
                  .dflt = "0:last_node",
                  .quick = "0",
                  .help = "memory node whose CPUs read: one for the latency, all for the "
                          "bandwidth"},
    [MEMORY_NODE] = {.name = "memory_node",
                     .kind = AM_AXIS_INT,
                     .dflt = "0:last_node",
                     .help = "memory node that holds what they read"},
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "beyond",
              .quick = "beyond/2",
              .thorough = "beyond*2",
              .help = "bytes walked over, and as many read"},
    [ISA] = AM_AXIS_ISA(.dflt = "widest", .help = "instruction set of the reading loop"),
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    [LATENCY] = {"latency", "s", AM_LOWER, AM_RULE_OWN, "one dependent load, random lines"},
    [BANDWIDTH] = {"bandwidth", "B/s", AM_HIGHER, AM_RULE_OWN,
                   "bytes that all CPUs of the node together read"},
    {.name = NULL},
};

const struct am_bench am_bench_mem_numa = {
    .name = "mem.numa",
    .summary = "latency and bandwidth from each memory node to each",
    .version = 1,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct numa),
    .fixed_iters = 1,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
