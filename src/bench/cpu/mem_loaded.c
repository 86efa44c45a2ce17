/* SPDX-License-Identifier: MIT */
/* mem.loaded: load latency while other threads keep the memory busy, by how busy they keep it. */
#include "bench/cpu/axes.h"
#include "bench/cpu/chasing.h"
#include "bench/cpu/scattered.h"
#include "core/bench/bench.h"
#include "core/measure/team.h"
#include "kernels/stream.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum axis_index { DELAY, TRAFFIC, THREADS, SIZE, ISA, PATTERN, PAGES, ON };
enum metric_index { LATENCY, CYCLES, BANDWIDTH };

enum { CHUNK = 512 }; /* elements streamed between two delays: a page of 4 KiB */

/* Both count every byte that the memory moves: neither writes what it has not read. */
static const enum am_stream_kernel kernels[] = {AM_STREAM_read, AM_STREAM_update};
static const char *const traffic_names[] = {"read", "update", NULL};

/* One generator; a pair of lines of its own, since `bytes` is written all the time. */
struct generator {
    _Alignas(128) _Atomic uint64_t bytes; /* moved in the round at hand */
    struct am_stream_args args;
    double *array;
    size_t at;       /* element at which the next chunk begins */
    uint64_t passes; /* whole ones before that */
    uint64_t sum;    /* read: exclusive or of everything read */
};

struct loaded {
    struct am_chasing chase;
    const struct am_clock *clock;
    am_stream_fn *fn;
    enum am_stream_kernel kernel;
    unsigned per_element; /* bytes moved */
    uint64_t delay;
    size_t n; /* elements of a generator's array: whole chunks */
    size_t generators;
    struct generator *gens;
    struct am_memory memory;
    struct am_team *team;
    uint64_t iters;
    _Atomic size_t busy; /* generators under way in this round */
    _Atomic bool stop;
    uint64_t elapsed_ns,
        bytes; /* of the latest round: the chase, and all generators in that time */
};

/* First touch by the thread that will stream: member 0 chases. */
static void fill_member(void *arg, size_t thread, size_t threads)
{
    struct loaded *const w = arg;
    struct generator *g;

    (void)threads;
    if (thread == 0)
        return;
    g = &w->gens[thread - 1];
    for (size_t i = 0; i < w->n; i++)
        g->array[i] = am_scattered_b(i);
}

/* One dependent subtraction a count: about a cycle. */
static void idle_for(uint64_t counts)
{
    while (counts) {
        __asm__ volatile("" : "+r"(counts));
        counts--;
    }
}

static void generate(struct loaded *w, struct generator *g)
{
    uint64_t bytes = 0;

    atomic_fetch_add(&w->busy, 1);
    while (!atomic_load_explicit(&w->stop, memory_order_relaxed)) {
        g->args.a = g->array + g->at;
        w->fn(&g->args);
        g->sum ^= g->args.sum;
        g->at += CHUNK;
        if (g->at == w->n) {
            g->at = 0;
            g->passes++;
        }
        bytes += CHUNK * (uint64_t)w->per_element;
        atomic_store_explicit(&g->bytes, bytes, memory_order_relaxed);
        idle_for(w->delay);
    }
}

static uint64_t total_bytes(const struct loaded *w)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < w->generators; i++)
        sum += atomic_load_explicit(&w->gens[i].bytes, memory_order_relaxed);
    return sum;
}

/* The bytes counted are those of the time in which the chase ran. */
static void chase(struct loaded *w)
{
    uint64_t begin, bytes;

    while (atomic_load(&w->busy) < w->generators)
        ;
    bytes = total_bytes(w);
    begin = w->clock->now_ns(w->clock->self);
    am_chasing_run(&w->chase, w->iters);
    w->elapsed_ns = w->clock->now_ns(w->clock->self) - begin;
    w->bytes = total_bytes(w) - bytes;
    atomic_store(&w->stop, true);
}

static void run_member(void *arg, size_t thread, size_t threads)
{
    struct loaded *const w = arg;

    (void)threads;
    if (thread)
        generate(w, &w->gens[thread - 1]);
    else
        chase(w);
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct loaded *const w = state;

    (void)err;
    w->iters = iters;
    atomic_store(&w->busy, 0);
    atomic_store(&w->stop, false);
    for (size_t i = 0; i < w->generators; i++)
        atomic_store(&w->gens[i].bytes, 0);
    am_team_run(w->team, run_member, w);
    batch->elapsed_ns = w->elapsed_ns;
    batch->values[BANDWIDTH] = (double)w->bytes / ((double)w->elapsed_ns * 1e-9);
    return AM_OK;
}

static enum am_status choose(struct loaded *w, const struct am_ctx *ctx,
                             const struct am_value *point, struct am_err *err)
{
    const int64_t threads = point[THREADS].i;
    const struct am_stream_variant *v;
    enum am_status s = am_axes_find_stream(point[ISA].name, &v, err);

    if (s == AM_OK && threads >= 2)
        s = am_usable_threads(threads, ctx, err);
    if (s != AM_OK)
        return s;
    if (threads < 2)
        return am_fail(err, AM_E_ABSENT,
                       "%lld threads: one that loads the memory and one that waits for it are two",
                       (long long)threads);
    if (point[DELAY].i < 0)
        return am_fail(err, AM_E_ABSENT, "delay %lld is negative", (long long)point[DELAY].i);
    w->n = (size_t)(point[SIZE].i / (int64_t)sizeof(double)) / CHUNK * CHUNK;
    if (point[SIZE].i < 0 || w->n == 0)
        return am_fail(err, AM_E_ABSENT, "size %lld: %zu bytes or more can be streamed",
                       (long long)point[SIZE].i, CHUNK * sizeof(double));
    w->kernel = kernels[point[TRAFFIC].i];
    w->fn = v->fn[w->kernel][0];
    w->per_element = (am_stream_kinds[w->kernel].reads + am_stream_kinds[w->kernel].writes) *
                     (unsigned)sizeof(double);
    w->delay = (uint64_t)point[DELAY].i;
    w->generators = (size_t)threads - 1;
    return AM_OK;
}

/* One generator's array, on huge pages of its own. */
static size_t pitch(const struct loaded *w)
{
    const size_t bytes = w->n * sizeof(double);

    return (bytes + AM_HUGE_BYTES - 1) / AM_HUGE_BYTES * AM_HUGE_BYTES;
}

static enum am_status make_generators(struct loaded *w, enum am_pages pages, struct am_err *err)
{
    const enum am_status s = am_memory_map(&w->memory, w->generators * pitch(w), pages, err);

    if (s != AM_OK)
        return s;
    w->gens = aligned_alloc(_Alignof(struct generator), w->generators * sizeof(*w->gens));
    if (!w->gens)
        return am_fail(err, AM_E_NOMEM, "%zu generators", w->generators);
    memset(w->gens, 0, w->generators * sizeof(*w->gens));
    for (size_t i = 0; i < w->generators; i++) {
        struct generator *const g = &w->gens[i];

        g->array = (double *)(void *)(w->memory.base + i * pitch(w));
        g->args = (struct am_stream_args){
            .a = g->array, .b = g->array, .c = g->array, .s = -1, .n = CHUNK, .passes = 1};
    }
    am_team_run(w->team, fill_member, w);
    return am_memory_check(&w->memory, err);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct loaded *const w = state;
    const struct am_chasing_spec spec = {
        .size = point[SIZE].i,
        .stride = (int64_t)am_chasing_line(),
        .chains = 1,
        .pattern = (enum am_chase_pattern)point[PATTERN].i,
        .pages = (enum am_pages)point[PAGES].i,
    };
    enum am_status s = choose(w, ctx, point, err);

    w->clock = ctx->clock;
    if (s == AM_OK)
        s = am_memory_allowed((w->generators + 1) * (uint64_t)pitch(w), ctx->memory_limit_bytes,
                              err);
    if (s == AM_OK) /* first of all: it binds this thread, whose pages the chase will have */
        s = am_team_new(w->generators + 1, ctx->cpus, ctx->cpu_count, &w->team, err);
    if (s == AM_OK)
        s = am_chasing_prepare(&w->chase, ctx, &spec, work, err);
    if (s == AM_OK)
        s = make_generators(w, spec.pages, err);
    return s;
}

/* Every element of a generator: streamed once more before the place it has reached. */
static enum am_status verify_generator(const struct loaded *w, size_t k, struct am_err *err)
{
    const struct generator *const g = &w->gens[k];
    uint64_t sum = 0;

    for (size_t i = 0; i < w->n; i++) {
        const bool odd = (g->passes + (i < g->at)) % 2 != 0;
        const double want =
            w->kernel == AM_STREAM_update && odd ? -am_scattered_b(i) : am_scattered_b(i);
        uint64_t bits;

        memcpy(&bits, &g->array[i], sizeof(bits));
        sum ^= odd ? bits : 0;
        if (memcmp(&g->array[i], &want, sizeof(want)) != 0)
            return am_fail(err, AM_E_WRONG, "generator %zu, element %zu: %.17g, not %.17g", k, i,
                           g->array[i], want);
    }
    if (w->kernel == AM_STREAM_read && sum != g->sum)
        return am_fail(err, AM_E_WRONG, "generator %zu: the bits read do not sum up", k);
    return AM_OK;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct loaded *const w = state;
    enum am_status s = am_chasing_verify(&w->chase, residual, err);

    for (size_t i = 0; i < w->generators && s == AM_OK; i++) {
        s = verify_generator(w, i, err);
        *residual = s == AM_OK ? 0 : 1;
    }
    return s;
}

static void finish(void *state)
{
    struct loaded *const w = state;

    am_team_free(w->team);
    am_chasing_finish(&w->chase);
    am_memory_unmap(&w->memory);
    free(w->gens);
}

static const struct am_axis axes[] = {
    [DELAY] = {.name = "delay",
               .kind = AM_AXIS_INT,
               .dflt = "0,250,500,1000,2000,4000,8000,16000,64000",
               .quick = "0,64000",
               .thorough = "0,100,200,300,500,700,1000,1500,2000,3000,5000,7000,10000,15000,20000,"
                           "50000,100000,1000000",
               .help = "counts (about a cycle each) that a generator waits after every 4 KiB"},
    [TRAFFIC] = {.name = "traffic",
                 .kind = AM_AXIS_NAME,
                 .dflt = "read,update",
                 .quick = "read",
                 .choices = traffic_names,
                 .help = "what the generators do; update: as many writes as reads"},
    [THREADS] =
        AM_AXIS_THREADS(.dflt = "cpus",
                        .help = "one that waits for its loads, the others generate traffic"),
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "128M",
              .quick = "64M",
              .help = "working set of each thread"},
    [ISA] = AM_AXIS_ISA(.dflt = "widest", .help = "instruction set of the generators"),
    [PATTERN] = {.name = "pattern",
                 .kind = AM_AXIS_NAME,
                 .dflt = "random",
                 .choices = am_chase_patterns,
                 .help = "order of the loads that are timed, as in mem.latency"},
    [PAGES] = AM_AXIS_PAGES(.dflt = "any"),
    [ON] = AM_AXIS_ON(.dflt = "machine"),
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    [LATENCY] = {"latency", "s", AM_LOWER, AM_RULE_TIME_PER_OP, "time of one dependent load"},
    [CYCLES] = {"cycles", "cycle", AM_LOWER, AM_RULE_CYCLES_PER_OP,
                "the same by the core clock measured around the batch"},
    [BANDWIDTH] = {"bandwidth", "B/s", AM_HIGHER, AM_RULE_OWN,
                   "bytes that the generators move in the same time"},
    {.name = NULL},
};

const struct am_bench am_bench_mem_loaded = {
    .name = "mem.loaded",
    .summary = "load latency while other threads keep the memory busy",
    .version = 1,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct loaded),
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
