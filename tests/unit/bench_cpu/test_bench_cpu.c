/* SPDX-License-Identifier: MIT */
/* The native benches through their hooks: work stated, results verified, points refused. */
#include "bench/cpu/hwprefetch.h"
#include "bench/shared/memory.h"
#include "bench_fixture.h"
#include "kernels/flops.h"
#include "kernels/isa.h"
#include "tap.h"

#include <stdlib.h>

extern const struct am_bench am_bench_mem_line, am_bench_mem_parallel, am_bench_mem_stride,
    am_bench_mem_tlb, am_bench_mem_ways;
extern const struct am_bench am_bench_null, am_bench_cpu_flops, am_bench_mem_latency,
    am_bench_mem_bandwidth;

static struct am_ctx context(void)
{
    static int cpu;

    return (struct am_ctx){.cpus = &cpu,
                           .cpu_count = bx_cpus(&cpu, 1),
                           .seed = 42,
                           .memory_limit_bytes = BX_LIMIT_BYTES};
}

struct measured {
    const struct am_bench *bench;
    const char *point;
    struct am_work work;
};

static const struct measured points[] = {
    {&am_bench_null, "1", {.ops = 1}},
    {&am_bench_cpu_flops, "add f64 scalar 1 1 single", {.flops = 1, .ops = 1}},
    {&am_bench_cpu_flops, "mul f32 scalar 14 1 single", {.flops = 14, .ops = 14}},
    {&am_bench_mem_latency, "4096 random any 64 1", {.bytes_read = 8, .ops = 1}},
    {&am_bench_mem_latency, "1048576 local small 64 1", {.bytes_read = 8, .ops = 1}},
    {&am_bench_mem_latency, "1000 local small 64 4", {.bytes_read = 32, .ops = 4}},
    {&am_bench_mem_latency, "65536 page small 64 1", {.bytes_read = 8, .ops = 1}},
    {&am_bench_mem_line, "65536 64", {.bytes_read = 8, .ops = 1}},
    {&am_bench_mem_parallel, "65536 32 any", {.bytes_read = 256, .ops = 32}},
    {&am_bench_mem_stride, "65536 24 any as-is", {.bytes_read = 8, .ops = 1}},
    {&am_bench_mem_tlb, "1048576 small", {.bytes_read = 8, .ops = 1}},
    {&am_bench_mem_ways, "1 65536", {.bytes_read = 8, .ops = 1}},
    {&am_bench_mem_ways, "9 65536", {.bytes_read = 8, .ops = 1}},
    {&am_bench_mem_bandwidth, "read 0 4096 scalar 1 any 0 as-is", {.bytes_read = 4096, .ops = 1}},
    {&am_bench_mem_bandwidth,
     "write 0 4096 scalar 1 small 0 as-is",
     {.bytes_written = 4096, .ops = 1}},
    {&am_bench_mem_bandwidth,
     "write 1 4096 scalar 1 any 0 as-is",
     {.bytes_written = 4096, .ops = 1}},
    {&am_bench_mem_bandwidth,
     "update 0 4096 scalar 1 any 0 as-is",
     {.bytes_read = 4096, .bytes_written = 4096, .ops = 1}},
    {&am_bench_mem_bandwidth,
     "copy 1 4096 scalar 1 any 0 as-is",
     {.bytes_read = 2048, .bytes_written = 2048, .ops = 1}},
    {&am_bench_mem_bandwidth,
     "scale 0 4096 scalar 1 any 0 as-is",
     {.bytes_read = 2048, .bytes_written = 2048, .ops = 1}},
    {&am_bench_mem_bandwidth,
     "add 0 3072 scalar 1 any 0 as-is",
     {.bytes_read = 2048, .bytes_written = 1024, .ops = 1}},
    {&am_bench_mem_bandwidth,
     "triad 0 100 scalar 1 any 0 as-is", /* 12 elements: 4 of each array */
     {.bytes_read = 64, .bytes_written = 32, .ops = 1}},
    {&am_bench_mem_bandwidth,
     "scale1 0 4096 scalar 1 any 512 as-is",
     {.bytes_read = 2048, .bytes_written = 2048, .ops = 1}},
    {&am_bench_mem_bandwidth,
     "scale2 0 4096 scalar 1 any 0 as-is",
     {.bytes_read = 4096, .bytes_written = 4096, .ops = 1}},
    {&am_bench_mem_bandwidth,
     "saxpy1 1 3072 scalar 1 any 2048 as-is",
     {.bytes_read = 2048, .bytes_written = 1024, .ops = 1}},
    {&am_bench_mem_bandwidth,
     "saxpy2 0 4096 scalar 1 any 64 as-is",
     {.bytes_read = 4096, .bytes_written = 2048, .ops = 1}},
    {&am_bench_mem_bandwidth, "read 0 4096 scalar 1 any 256 as-is", {.bytes_read = 4096, .ops = 1}},
    {&am_bench_mem_bandwidth,
     "triad 0 3100 scalar 1 any 0 as-is", /* 129 of each array, whole blocks of 16: 128 */
     {.bytes_read = 2048, .bytes_written = 1024, .ops = 1}},
};

static void check_measured(const struct measured *m)
{
    static const uint64_t iters[] = {1, 2, 3, 64, 5, 70001};
    const struct am_ctx ctx = context();
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    void *const state = calloc(1, m->bench->state_size + 1);
    bool right = true;

    bx_point(m->bench, m->point, point);
    if (ok(m->bench->prepare(state, &ctx, point, &work, &err) == AM_OK, "%s %s is prepared",
           m->bench->name, m->point)) {
        ok(bx_same_work(&work, &m->work), "%s %s states its work", m->bench->name, m->point);
        for (size_t i = 0; i < sizeof(iters) / sizeof(iters[0]) && right; i++) {
            double residual = -1;

            m->bench->run(state, iters[i]);
            right = m->bench->verify(state, &residual, &err) == AM_OK && residual == 0;
        }
        ok(right, "%s %s is right after any number of iterations", m->bench->name, m->point);
    }
    if (err.text[0])
        printf("# %s\n", err.text);
    m->bench->finish(state);
    free(state);
}

static const struct bx_refused refused[] = {
    {&am_bench_cpu_flops, "add f64 scalar 0 1 single", "streams"},
    {&am_bench_cpu_flops, "add f64 scalar 17 1 single", "streams"},
    {&am_bench_cpu_flops, "add f64 scalar 1 2 single", "2 threads on 1 CPUs"},
    {&am_bench_cpu_flops, "add f64 scalar 1 0 single", "0 threads on 1 CPUs"},
    {&am_bench_mem_latency, "63 random any 64 1", "cells"},
    {&am_bench_mem_line, "65536 12", "stride 12"},
    {&am_bench_mem_parallel, "65536 33 any", "chains 33"},
    {&am_bench_mem_stride, "4096 8192 any as-is", "size 4096"},
    {&am_bench_mem_tlb, "4095 small", "cells"},
    {&am_bench_mem_ways, "0 65536", "cells 0"},
    {&am_bench_mem_ways, "2000 65536", "the limit is 67108864"},
    {&am_bench_mem_latency, "1073741824 random any 64 1", "the limit is 67108864"},
    {&am_bench_mem_bandwidth, "read 1 4096 scalar 1 any 0 as-is", "non-temporal"},
    {&am_bench_mem_bandwidth, "update 1 4096 scalar 1 any 0 as-is", "non-temporal"},
    {&am_bench_mem_bandwidth, "saxpy2 1 4096 scalar 1 any 0 as-is", "non-temporal"},
    {&am_bench_mem_bandwidth, "write 1 4096 scalar 1 any 512 as-is", "nothing to prefetch"},
    {&am_bench_mem_bandwidth, "copy 0 4096 scalar 1 any 2097152 as-is", "prefetch is 0 to"},
    {&am_bench_mem_bandwidth, "write 2 4096 scalar 1 any 0 as-is", "nt is 0 or 1"},
    {&am_bench_mem_bandwidth, "copy 0 8 scalar 1 any 0 as-is", "less than one element"},
    {&am_bench_mem_bandwidth, "copy 0 4096 scalar 3 any 0 as-is", "3 threads on 1 CPUs"},
    {&am_bench_mem_bandwidth, "copy 0 67108872 scalar 1 any 0 as-is", "the limit is 67108864"},
};

/* Every ISA that cannot run here is refused with its own reason, before its kernels are touched;
 * the others are right with as many streams as they have. */
static void check_isa(const char *isa, const char *op_and_type)
{
    const struct am_bench *const b = &am_bench_cpu_flops;
    const struct am_ctx ctx = context();
    const char *why_not = am_isa_why_not(isa);
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    double residual = -1;
    char words[64];
    void *const state = calloc(1, b->state_size);
    enum am_status s;

    (void)snprintf(words, sizeof(words), "%s %s 14 1 single", op_and_type, isa);
    bx_point(b, words, point);
    s = b->prepare(state, &ctx, point, &work, &err);
    if (s == AM_OK) {
        b->run(state, 33000); /* one full round of steps and a part of the next */
        s = b->verify(state, &residual, &err);
    }
    if (!why_not && am_flops_fuses((enum am_flops_op)point[0].i) && !am_flops_find(isa)->has_fma)
        why_not = "no fused multiply-add";
    if (why_not)
        ok(s == AM_E_ABSENT && strstr(err.text, why_not), "cpu.flops %s: %s", words, err.text);
    else
        ok(s == AM_OK && residual == 0, "cpu.flops %s is right", words);
    b->finish(state);
    free(state);
}

static void check_isas(void)
{
    for (size_t i = 0; am_isa_names[i]; i++) {
        check_isa(am_isa_names[i], "add f32");
        check_isa(am_isa_names[i], "mul f64");
        check_isa(am_isa_names[i], "fma f64");
        check_isa(am_isa_names[i], "mix f32");
        check_isa(am_isa_names[i], "mix f64");
    }
    ok(am_isa_why_not("mmx") != NULL && am_isa_index("mmx") == -1, "an unknown ISA is not usable");
}

/* Where the registers may be written, tests leave them alone: test_hwprefetch has its own. */
static void check_hwprefetch(const struct am_ctx *ctx)
{
    const char *const why_not = am_hwprefetch_why_not("off");
    const struct bx_refused switched[] = {
        {&am_bench_mem_bandwidth, "read 0 4096 scalar 1 any 0 off", why_not},
        {&am_bench_mem_stride, "65536 64 any on", why_not},
    };

    ok(!am_hwprefetch_why_not("as-is"), "prefetchers can always stay as they are");
    for (size_t i = 0; i < sizeof(switched) / sizeof(switched[0]); i++) {
        if (why_not)
            bx_check_refused(&switched[i], ctx);
        else
            skip_test("the registers can be written here");
    }
}

static void check_memory(void)
{
    struct am_memory m = {0};
    struct am_err err = {0};

    ok(am_memory_map(&m, 0, AM_PAGES_ANY, &err) == AM_E_LIMIT, "no bytes are refused");
    am_memory_unmap(&m);
    for (int pages = AM_PAGES_ANY; pages <= AM_PAGES_HUGE; pages++) {
        bool zero = true;
        enum am_status s;

        m = (struct am_memory){0};
        ok(am_memory_map(&m, 5000, (enum am_pages)pages, NULL) == AM_OK &&
               (uintptr_t)m.base % AM_HUGE_BYTES == 0 && m.bytes == AM_HUGE_BYTES,
           "memory of %s pages is aligned and whole", am_pages_names[pages]);
        for (size_t i = 0; i < m.bytes; i++)
            zero = zero && m.base[i] == 0;
        memset(m.base, 1, m.bytes);
        s = am_memory_check(&m, NULL);
        ok(zero && (s == AM_OK || (pages == AM_PAGES_HUGE && s == AM_E_ABSENT)),
           "it is zeroed, and its pages are as asked or refused");
        am_memory_unmap(&m);
        am_memory_unmap(&m); /* twice does no harm */
    }
    (void)am_memory_map(&m, 5000, AM_PAGES_SMALL, NULL);
    memset(m.base, 1, m.bytes);
    m.pages = AM_PAGES_HUGE;
    err = (struct am_err){0};
    ok(am_memory_check(&m, &err) == AM_E_ABSENT && strstr(err.text, "for 0 of 2097152"),
       "small pages do not pass for huge ones");
    am_memory_unmap(&m);
}

int main(void)
{
    const struct am_ctx ctx = context();

    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
        check_measured(&points[i]);
    bx_check_notices(&am_bench_cpu_flops, "add f64 scalar 3 1 single", &ctx);
    bx_check_notices(&am_bench_mem_bandwidth, "read 0 4096 scalar 1 any 0 as-is", &ctx);
    bx_check_notices(&am_bench_mem_bandwidth, "write 0 4096 scalar 1 any 0 as-is", &ctx);
    bx_check_notices(&am_bench_mem_bandwidth, "copy 1 4096 scalar 1 any 0 as-is", &ctx);
    bx_check_notices(&am_bench_mem_bandwidth, "saxpy2 0 4096 scalar 1 any 0 as-is", &ctx);
    bx_check_notices(&am_bench_mem_bandwidth, "triad 0 4096 scalar 1 any 0 as-is", &ctx);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        bx_check_refused(&refused[i], &ctx);
    check_isas();
    check_hwprefetch(&ctx);
    check_memory();
    return tap_done();
}
