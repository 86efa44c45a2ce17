/* SPDX-License-Identifier: MIT */
/* mem.bandwidth: bytes a program reads and writes a second, streaming over arrays of f64. */
#include "bench/cpu/axes.h"
#include "bench/shared/bound.h"
#include "bench/cpu/scattered.h"
#include "core/bench/bench.h"
#include "core/measure/team.h"
#include "kernels/stream.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum axis_index { KERNEL, NT, SIZE, ISA, THREADS, PAGES, PREFETCH, HWPREFETCH, ON };

enum {
    /* Each array begins one line further into its page than the one before. A load whose address
     * equals that of a store still under way in the low 12 bits is held back on several cores: like
     * this, the loads run ahead of the stores in those bits, whatever the arrays' length. Measured
     * on a Zen 4 beside 0, 8, 21 and 33 lines: the best or equal at every level, 3 % in L2. */
    STAGGER_BYTES = 64,
    WHOLE_BLOCKS = 4, /* from this many on, arrays are whole unrolled blocks */
    AHEAD_MAX = 1 << 20,
};

/* What one thread works on; a line pair of its own, since `sum` is written in the timed region. */
struct share {
    _Alignas(128) struct am_stream_args args;
    double *arrays[AM_STREAM_ARRAYS_MAX]; /* a, b, c; those that the kernel lacks equal a */
    uint64_t sums[2];                     /* read: of the two calls of the latest run */
    uint64_t want;                        /* read: exclusive or of the array */
    size_t wrong;                         /* first wrong element found by verify, n when none */
    double got;
};

struct bandwidth {
    const struct am_stream_kind *kind;
    am_stream_fn *fn;
    size_t ahead;      /* bytes of software prefetch, 0: none */
    size_t threads, n; /* n: elements of each array of each thread */
    uint64_t iters;    /* of the latest run */
    uint64_t passes;   /* since the arrays were filled */
    struct am_memory memory;
    struct am_hwswitch prefetchers;
    struct share *shares;
    struct am_team *team;
};

static double value_at(const struct bandwidth *w, double s, size_t i)
{
    switch (w->kind->loop) {
    case AM_STREAM_write: return s;
    case AM_STREAM_update: return w->passes % 2 ? s * am_scattered_b(i) : am_scattered_b(i);
    case AM_STREAM_saxpy2: return am_scattered_c(i) + (double)w->passes * s * am_scattered_b(i);
    case AM_STREAM_copy: return am_scattered_b(i);
    case AM_STREAM_scale: return s * am_scattered_b(i);
    case AM_STREAM_add: return am_scattered_b(i) + am_scattered_c(i);
    case AM_STREAM_triad: return am_scattered_b(i) + s * am_scattered_c(i);
    default: break; /* read; and names whose loop is one of these */
    }
    return am_scattered_b(i);
}

/* What a holds before the first pass: what no kernel writes, where a is not read. */
static double start_at(const struct bandwidth *w, size_t i)
{
    switch (w->kind->loop) {
    case AM_STREAM_read:
    case AM_STREAM_update: return am_scattered_b(i);
    case AM_STREAM_saxpy2: return am_scattered_c(i);
    default: return -1;
    }
}

/* First touch: each thread's pages come from its own memory. */
static void fill_member(void *arg, size_t thread, size_t threads)
{
    const struct bandwidth *const w = arg;
    struct share *const sh = &w->shares[thread];
    double *const a = sh->arrays[0], *const b = sh->arrays[1], *const c = sh->arrays[2];

    (void)threads;
    for (size_t i = 0; i < w->n; i++)
        a[i] = start_at(w, i);
    for (size_t i = 0; i < w->n && w->kind->arrays > 1; i++)
        b[i] = am_scattered_b(i);
    for (size_t i = 0; i < w->n && w->kind->arrays > 2; i++)
        c[i] = am_scattered_c(i);
    for (size_t i = 0; i < w->n && w->kind->loop == AM_STREAM_read; i++) {
        uint64_t bits;

        memcpy(&bits, &a[i], sizeof(bits));
        sh->want ^= bits;
    }
}

static size_t array_bytes(const struct bandwidth *w)
{
    const size_t bytes = w->n * sizeof(double);

    return (bytes + AM_PAGE_BYTES - 1) / AM_PAGE_BYTES * AM_PAGE_BYTES + AM_PAGE_BYTES;
}

/* One thread's part, on huge pages of its own. */
static size_t share_bytes(const struct bandwidth *w)
{
    const size_t bytes = w->kind->arrays * array_bytes(w);

    return (bytes + AM_HUGE_BYTES - 1) / AM_HUGE_BYTES * AM_HUGE_BYTES;
}

static void lay_out(struct bandwidth *w)
{
    for (size_t t = 0; t < w->threads; t++) {
        char *const first = w->memory.base + t * share_bytes(w);
        struct share *const sh = &w->shares[t];

        for (size_t k = 0; k < AM_STREAM_ARRAYS_MAX; k++) {
            const size_t place = k < w->kind->arrays ? k : 0;

            sh->arrays[k] = (double *)(void *)(first + place * (array_bytes(w) + STAGGER_BYTES));
        }
        sh->args = (struct am_stream_args){
            .a = sh->arrays[0],
            .b = sh->arrays[1],
            .c = sh->arrays[2],
            .s = w->kind->loop == AM_STREAM_update ? -1 : 3, /* update: no growth over passes */
            .n = w->n,
            .ahead = w->ahead,
        };
    }
}

static enum am_status choose_loop(struct bandwidth *w, const struct am_stream_variant *v,
                                  const struct am_value *point, struct am_err *err)
{
    const int64_t nt = point[NT].i, ahead = point[PREFETCH].i;

    if (nt < 0 || nt > 1)
        return am_fail(err, AM_E_ABSENT, "nt is 0 or 1, not %lld", (long long)nt);
    if (ahead < 0 || ahead > AHEAD_MAX)
        return am_fail(err, AM_E_ABSENT, "prefetch is 0 to %d bytes, not %lld", AHEAD_MAX,
                       (long long)ahead);
    w->kind = &am_stream_kinds[point[KERNEL].i];
    if (!v->fn[point[KERNEL].i][nt])
        return am_fail(err, AM_E_ABSENT, "%s has no use for non-temporal stores", w->kind->name);
    w->ahead = (size_t)ahead;
    w->fn = ahead ? v->ahead[point[KERNEL].i][nt] : v->fn[point[KERNEL].i][nt];
    if (!w->fn)
        return am_fail(err, AM_E_ABSENT, "%s past the caches has nothing to prefetch",
                       w->kind->name);
    return AM_OK;
}

static enum am_status choose(struct bandwidth *w, const struct am_value *point,
                             struct am_work *work, struct am_err *err)
{
    const struct am_stream_variant *v;
    enum am_status s = am_axes_find_stream(point[ISA].name, &v, err);

    if (s == AM_OK)
        s = choose_loop(w, v, point, err);
    if (s != AM_OK)
        return s;
    w->n = (size_t)((uint64_t)point[SIZE].i / sizeof(double) / w->kind->arrays / w->threads);
    if (point[SIZE].i < 0 || w->n == 0)
        return am_fail(err, AM_E_ABSENT, "size %lld: less than one element for each of %zu threads",
                       (long long)point[SIZE].i, w->threads);
    if (w->n >= (size_t)WHOLE_BLOCKS * v->block)
        w->n -= w->n % v->block;
    work->ops = 1;
    work->bytes_read = (double)(w->kind->reads * sizeof(double) * w->n * w->threads);
    work->bytes_written = (double)(w->kind->writes * sizeof(double) * w->n * w->threads);
    work->bytes_per_cycle_max = am_bound_bytes(w->kind->reads, w->kind->writes,
                                               v->block / AM_STREAM_UNROLL * sizeof(double)) *
                                (double)w->threads;
    return AM_OK;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct bandwidth *const w = state;
    enum am_status s = am_usable_threads(point[THREADS].i, ctx, err);

    if (s != AM_OK)
        return s;
    w->threads = (size_t)point[THREADS].i;
    s = choose(w, point, work, err);
    if (s == AM_OK)
        s = am_memory_allowed(w->threads * share_bytes(w), ctx->memory_limit_bytes, err);
    if (s == AM_OK)
        s = am_memory_map(&w->memory, w->threads * share_bytes(w), (enum am_pages)point[PAGES].i,
                          err);
    if (s == AM_OK)
        s = am_hwswitch_prepare(&w->prefetchers, ctx, w->threads,
                                (enum am_hwprefetch)point[HWPREFETCH].i, err);
    if (s == AM_OK)
        s = am_team_new(w->threads, ctx->cpus, ctx->cpu_count, &w->team, err);
    if (s != AM_OK)
        return s;
    w->shares = aligned_alloc(_Alignof(struct share), w->threads * sizeof(*w->shares));
    if (!w->shares)
        return am_fail(err, AM_E_NOMEM, "%zu threads", w->threads);
    memset(w->shares, 0, w->threads * sizeof(*w->shares));
    lay_out(w);
    am_team_run(w->team, fill_member, w);
    return am_memory_check(&w->memory, err);
}

/* An even number of passes would leave nothing of an exclusive or: read makes it odd plus one. */
static void run_member(void *arg, size_t thread, size_t threads)
{
    const struct bandwidth *const w = arg;
    struct share *const sh = &w->shares[thread];
    const uint64_t apart = w->kind->loop == AM_STREAM_read && w->iters % 2 == 0 ? 1 : 0;

    (void)threads;
    sh->args.passes = w->iters - apart;
    w->fn(&sh->args);
    sh->sums[0] = sh->args.sum;
    sh->args.passes = apart;
    if (apart)
        w->fn(&sh->args);
    sh->sums[1] = sh->args.sum;
}

static void run(void *state, uint64_t iters)
{
    struct bandwidth *const w = state;

    if (!iters)
        return;
    w->iters = iters;
    w->passes += iters;
    am_team_run(w->team, run_member, w);
}

static void verify_member(void *arg, size_t thread, size_t threads)
{
    const struct bandwidth *const w = arg;
    struct share *const sh = &w->shares[thread];
    size_t i = 0;

    (void)threads;
    while (i < w->n && w->kind->writes) {
        const double want = value_at(w, sh->args.s, i);

        if (memcmp(&sh->args.a[i], &want, sizeof(want)) != 0)
            break;
        i++;
    }
    sh->wrong = w->kind->writes ? i : w->n;
    sh->got = i < w->n ? sh->args.a[i] : 0;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct bandwidth *const w = state;

    *residual = 0;
    if (!w->passes) /* update and saxpy2 would find what they start from */
        return am_fail(err, AM_E_WRONG, "no pass was made");
    am_team_run(w->team, verify_member, w);
    for (size_t t = 0; t < w->threads; t++) {
        const struct share *const sh = &w->shares[t];

        if (!w->kind->writes && (sh->sums[0] != sh->want || sh->sums[1] != sh->want)) {
            *residual = 1;
            return am_fail(err, AM_E_WRONG, "thread %zu: the bits read do not sum up", t);
        }
        if (sh->wrong < w->n) {
            const double want = value_at(w, sh->args.s, sh->wrong);

            *residual = fabs(sh->got - want);
            return am_fail(err, AM_E_WRONG, "thread %zu, element %zu: %.17g, not %.17g", t,
                           sh->wrong, sh->got, want);
        }
    }
    return AM_OK;
}

static void finish(void *state)
{
    struct bandwidth *const w = state;

    am_team_free(w->team);
    am_hwswitch_restore(&w->prefetchers);
    am_memory_unmap(&w->memory);
    free(w->shares);
}

static struct am_team *team(void *state)
{
    return ((const struct bandwidth *)state)->team;
}

static const struct am_axis axes[] = {
    [KERNEL] = {.name = "kernel",
                .kind = AM_AXIS_NAME,
                .dflt = "read,write,copy,triad,scale1,scale2,saxpy1,saxpy2",
                .quick = "read,write,copy,triad",
                .thorough = "read,write,copy,add,triad,scale1,scale2,saxpy1,saxpy2",
                .choices = am_stream_names,
                .help = "read, write: a; update, scale2: a = s a; copy: a = b; scale, scale1: a = "
                        "s b; add: a = b + c; triad, saxpy1: a = b + s c; saxpy2: a = a + s b"},
    [NT] = {.name = "nt",
            .kind = AM_AXIS_INT,
            .dflt = "0,1",
            .quick = "0",
            .help = "1: non-temporal stores, which pass the caches by"},
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "l1s/2,l2s/2,l3s/4,beyond",
              .quick = "l1s/2,l2s/2,l3s/4,far",
              .thorough = "8K:1G:*2",
              .help = "bytes touched by all threads and arrays together, rounded down to whole "
                      "unrolled steps; l1s, l2s, l3s: all such caches that the threads reach"},
    [ISA] = AM_AXIS_ISA(.dflt = "best", .help = "instruction set of the loops"),
    [THREADS] = AM_AXIS_THREADS(.dflt = "1,cpus", .quick = "1,cpus",
                                .help = "threads, one per CPU, each on its own part"),
    [PAGES] = AM_AXIS_PAGES(.dflt = "any"),
    [PREFETCH] = {.name = "prefetch",
                  .kind = AM_AXIS_SIZE,
                  .unit = "B",
                  .dflt = "0",
                  .thorough = "0,2K",
                  .help = "distance of software prefetch; 0: none"},
    [HWPREFETCH] = AM_AXIS_HWPREFETCH(.dflt = "as-is"),
    [ON] = AM_AXIS_ON(.dflt = "machine,kind:*", .quick = "machine"),
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"bandwidth", "B/s", AM_HIGHER, AM_RULE_BYTE_RATE,
     "bytes the program reads and writes; no write-allocate traffic"},
    {"bytes_per_cycle", "B/cycle", AM_HIGHER, AM_RULE_BYTES_PER_CYCLE,
     "the same by the core clock of all threads, measured around the batch"},
    {"clock_ratio", "", AM_LOWER, AM_RULE_CLOCK_RATIO,
     "core clock of the fastest thread over that of the slowest"},
    {.name = NULL},
};

const struct am_bench am_bench_mem_bandwidth = {
    .name = "mem.bandwidth",
    .summary = "streaming bandwidth of caches and memory",
    .version = 2,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct bandwidth),
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .finish = finish,
    .team = team,
};
