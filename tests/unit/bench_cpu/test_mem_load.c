/* SPDX-License-Identifier: MIT */
/* mem.stanza and mem.loaded through their hooks, and the bounds that results must keep. */
#include "bench/shared/bound.h"
#include "bench_fixture.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>

extern const struct am_bench am_bench_mem_stanza, am_bench_mem_loaded;

enum { CPUS = 2 };

/* The first CPUs that this process may use; one is given twice where there is only one. */
static struct am_ctx context(void)
{
    static int cpus[CPUS];
    static struct am_clock clock;

    if (bx_cpus(cpus, CPUS) == 1)
        cpus[1] = cpus[0];
    am_clock_init(&clock);
    return (struct am_ctx){.cpus = cpus,
                           .cpu_count = CPUS,
                           .seed = 42,
                           .memory_limit_bytes = BX_LIMIT_BYTES,
                           .clock = &clock};
}

static const struct {
    const struct am_bench *bench;
    const char *point;
    struct am_work work;
    uint64_t iters[3];
} points[] = {
    /* 240000 bytes: 10000 elements in each of three arrays */
    {&am_bench_mem_stanza,
     "1 2048 240000 scalar any",
     {.ops = 5, .bytes_read = 80, .bytes_written = 40},
     {1, 2, 1}},
    {&am_bench_mem_stanza,
     "16 0 240000 scalar small",
     {.ops = 625, .bytes_read = 160000, .bytes_written = 80000},
     {1, 1, 1}},
    {&am_bench_mem_stanza,
     "3000 2048 240000 scalar any", /* 0 to 3000, 5048 to 8048 */
     {.ops = 2, .bytes_read = 96000, .bytes_written = 48000},
     {1, 3, 1}},
    {&am_bench_mem_stanza,
     "10000 2048 240000 scalar any",
     {.ops = 1, .bytes_read = 160000, .bytes_written = 80000},
     {1, 1, 1}},
    {&am_bench_mem_loaded,
     "0 read 2 1048576 scalar random any",
     {.ops = 1, .bytes_read = 8},
     {1, 20000, 30001}},
    {&am_bench_mem_loaded,
     "500 update 2 1048576 scalar local small",
     {.ops = 1, .bytes_read = 8},
     {1, 20000, 30001}},
    {&am_bench_mem_loaded,
     "0 update 2 5000 scalar random any", /* one chunk of 4096 bytes, again and again */
     {.ops = 1, .bytes_read = 8},
     {1, 3000, 2}},
};

static void check_point(size_t k)
{
    const struct am_bench *const b = points[k].bench;
    const struct am_ctx ctx = context();
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    void *const state = calloc(1, b->state_size);
    bool right = true, timed = true;

    bx_point(b, points[k].point, point);
    if (ok(b->prepare(state, &ctx, point, &work, &err) == AM_OK, "%s %s is prepared", b->name,
           points[k].point)) {
        ok(bx_same_work(&work, &points[k].work), "%s %s states its work: %g, %g, %g", b->name,
           points[k].point, work.ops, work.bytes_read, work.bytes_written);
        for (size_t i = 0; i < 3 && right; i++) {
            struct am_batch batch = {0};
            double residual = -1;

            right = b->run_timed(state, points[k].iters[i], &batch, &err) == AM_OK &&
                    b->verify(state, &residual, &err) == AM_OK && residual == 0;
            timed = timed && batch.elapsed_ns > 0;
            for (size_t m = 0; b->metrics[m].name; m++)
                timed = timed && isfinite(batch.values[m]) && batch.values[m] >= 0;
        }
        ok(right && timed, "%s %s is right after any number of iterations %s", b->name,
           points[k].point, err.text);
    }
    b->finish(state);
    free(state);
}

static const struct bx_refused refused[] = {
    {&am_bench_mem_stanza, "0 2048 240000 scalar any", "length 0"},
    {&am_bench_mem_stanza, "10001 2048 240000 scalar any", "length 10001"},
    {&am_bench_mem_stanza, "1 10001 240000 scalar any", "jump 10001"},
    {&am_bench_mem_stanza, "1 2048 134217728 scalar any", "the limit is 67108864"},
    {&am_bench_mem_loaded, "0 read 1 1048576 scalar random any", "are two"},
    {&am_bench_mem_loaded, "0 read 3 1048576 scalar random any", "3 threads on 2 CPUs"},
    {&am_bench_mem_loaded, "0 read 2 4000 scalar random any", "can be streamed"},
    {&am_bench_mem_loaded, "0 read 2 67108864 scalar random any", "the limit is 67108864"},
};

#if defined(__x86_64__)
static const double known = 1;
#else
static const double known = 0; /* no bound is certain there */
#endif

static void check_bounds(void)
{
    is_near(am_bound_flops(AM_FLOPS_FMA, AM_FLOPS_F64, 32), 16 * known, 1e-12,
            "two fma of four lanes a cycle");
    is_near(am_bound_flops(AM_FLOPS_ADD, AM_FLOPS_F32, 64), 32 * known, 1e-12,
            "two additions of sixteen lanes");
    is_near(am_bound_flops(AM_FLOPS_MIX, AM_FLOPS_F64, 32), 24 * known, 1e-12,
            "two fma and two additions of four lanes");
    is_near(am_bound_flops(AM_FLOPS_MUL, AM_FLOPS_F32, 4), 4 * known, 1e-12,
            "a scalar is one lane of a narrow unit");
    is_near(am_bound_bytes(1, 0, 64), 128 * known, 1e-12, "two loads of 64 bytes");
    is_near(am_bound_bytes(1, 1, 32), 128 * known, 1e-12, "copy waits for its stores");
    is_near(am_bound_bytes(2, 1, 32), 144 * known, 1e-12, "triad waits for its loads");
    is_near(am_bound_bytes(1, 1, 24), 0, 0, "no bound is known of a width that is not");
}

int main(void)
{
    const struct am_ctx ctx = context();

    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
        check_point(i);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        bx_check_refused(&refused[i], &ctx);
    bx_check_notices(&am_bench_mem_stanza, "8 8 240000 scalar any", &ctx);
    check_bounds();
    return tap_done();
}
