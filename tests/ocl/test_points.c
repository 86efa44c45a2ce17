/* SPDX-License-Identifier: MIT */
/* Points of ocl.builtin, ocl.branch, ocl.constant and ocl.image on the first device that is here:
 * what their kernels compute is what the host computes. */
#include "ocl_point.h"

enum { TURNS = 5 };

/* Each kind of result, both types, several widths, both keys and works, every kind of pixel. */
static const struct point measured[] = {
    {&am_bench_ocl_builtin, "sin float 1", TURNS, false},
    {&am_bench_ocl_builtin, "ilogb float 8", TURNS, false},
    {&am_bench_ocl_builtin, "sincos double 2", TURNS, false},
    {&am_bench_ocl_builtin, "remquo double 1", TURNS, false},
    {&am_bench_ocl_builtin, "atan2 float 2", TURNS, false},
    {&am_bench_ocl_builtin, "fabs float 16", TURNS, false},
    {&am_bench_ocl_branch, "1 local fma 256", TURNS, false},
    {&am_bench_ocl_branch, "16 local fma 1024", TURNS, false},
    {&am_bench_ocl_branch, "8 group integer 4096", TURNS, false},
    {&am_bench_ocl_constant, "3 uniform 4096", TURNS, false},
    {&am_bench_ocl_constant, "127 divergent 1024", TURNS, false},
    {&am_bench_ocl_constant, "1 uniform 1024 96 32", TURNS, false},
    {&am_bench_ocl_builtin, "sin float 1 1024 32", TURNS, false},
    {&am_bench_ocl_local, "write 3 1 48 0", TURNS, false},
    {&am_bench_ocl_branch, "4 local fma 1024 8", TURNS, false},
    {&am_bench_ocl_image, "read 16384 square rgba-float 512", TURNS, false},
    {&am_bench_ocl_image, "read 16384 square rgba-float", TURNS, false},
    {&am_bench_ocl_image, "read 4096 tall8 rgba-unorm8", TURNS, false},
    {&am_bench_ocl_image, "read 4096 wide64 rgba-half", TURNS, false},
    {&am_bench_ocl_image, "write 16384 wide8 rgba-half", TURNS, false},
    {&am_bench_ocl_image, "write 4096 square r-unorm8", TURNS, false},
    {&am_bench_ocl_image, "write 16 square rgba-float", TURNS, false},
    {&am_bench_ocl_global, "read single 3 4 1048576 0 0", TURNS, false},
    {&am_bench_ocl_global, "write group 0 1 65536 0 0", TURNS, false},
    {&am_bench_ocl_global, "copy group 1 2 1048576 0 0", TURNS, false},
    {&am_bench_ocl_global, "read strided 16 2 1048576 0 0", TURNS, false},
    {&am_bench_ocl_global, "read group 1 4 1048576 3 64", TURNS, false},
    {&am_bench_ocl_global, "write strided 1 4 1048576 64 128", TURNS, false},
    {&am_bench_ocl_global, "write row 7 1 4194304 0 0", TURNS, false},
    {&am_bench_ocl_global, "read column 512 1 8388608 0 0", TURNS, false},
    {&am_bench_ocl_cache, "read 16384 16 0 0", TURNS, false},
    {&am_bench_ocl_local, "read 1 4", TURNS, false},
    {&am_bench_ocl_local, "write 32 1", TURNS, false},
    {&am_bench_ocl_bus, "h2d read_write pageable 65536", TURNS, false},
    {&am_bench_ocl_bus, "h2d map pinned 65536", TURNS, false},
    {&am_bench_ocl_bus, "d2h read_write pinned 4096", TURNS, false},
    {&am_bench_ocl_bus, "d2h map pageable 1048576", TURNS, false},
    {&am_bench_ocl_bus, "d2d read_write pageable 65536", TURNS, false},
    {&am_bench_ocl_scale, "opencl 3 65536", TURNS, false},
    {&am_bench_ocl_scale, "opencl 1000 1048576", TURNS, false},
    {&am_bench_ocl_intensity, "float 1 65536 0 0", TURNS, false},
    {&am_bench_ocl_intensity, "float 2 65536 8 64", TURNS, false},
    {&am_bench_ocl_intensity, "float 1024 65536 0 0", TURNS, false},
    {&am_bench_ocl_intensity, "double 1 1048576 0 0", TURNS, false},
    {&am_bench_ocl_intensity, "double 64 65536 0 0", TURNS, false},
    {&am_bench_ocl_latency, "global 4096", TURNS, false},
    {&am_bench_ocl_latency, "global 3145728", TURNS, false},
    {&am_bench_ocl_latency, "local 12288", TURNS, false},
    {&am_bench_ocl_atomic, "global group", TURNS, false},
    {&am_bench_ocl_atomic, "global line", TURNS, false},
    {&am_bench_ocl_atomic, "local one", TURNS, false},
    {&am_bench_ocl_barrier, "32 one", TURNS, false},
    {&am_bench_ocl_barrier, "64 full", TURNS, false},
    {&am_bench_ocl_subgroup, "reduce local one", TURNS, false},
    {&am_bench_ocl_subgroup, "scan local full", TURNS, false},
    {&am_bench_ocl_subgroup, "exchange local full", TURNS, false},
    {&am_bench_ocl_subgroup, "reduce subgroup one", TURNS, false},
    {&am_bench_ocl_subgroup, "scan warp one", TURNS, false},
    {&am_bench_ocl_svm, "buffer 4096", TURNS, false},
    {&am_bench_ocl_svm, "coarse 1048576", TURNS, false},
    {&am_bench_ocl_svm, "fine 65536", TURNS, false},
    {&am_bench_ocl_overlap, "h2d nothing 65536", TURNS, false},
    {&am_bench_ocl_overlap, "d2h compute 65536", TURNS, false},
    {&am_bench_ocl_overlap, "both memory 4096", TURNS, false},
    {&am_bench_ocl_dot, "int8 plain burst", TURNS, false},
    {&am_bench_ocl_dot, "int8 item steady", TURNS, false},
    {&am_bench_ocl_peer, "push 65536", TURNS, false},
    {&am_bench_ocl_peer, "pull 4096", TURNS, false},
    {&am_bench_ocl_peer, "host 1048576", TURNS, false},
    {&am_bench_ocl_global, "read group 1 0 1048576 0 0", TURNS, false},
};

static const struct refused {
    struct point point;
    const char *reason;
} refused[] = {
    {{&am_bench_ocl_builtin, "native_sin double 1", TURNS, false}, "float only"},
    {{&am_bench_ocl_builtin, "sin float 3", TURNS, false}, "components"},
    {{&am_bench_ocl_branch, "3 local fma 1024", TURNS, false}, "power of two"},
    {{&am_bench_ocl_branch, "256 local fma 1024", TURNS, false}, "power of two"},
    {{&am_bench_ocl_branch, "8 group fma 256", TURNS, false}, "work-groups for 8 paths"},
    {{&am_bench_ocl_branch, "8 local fma 300", TURNS, false}, "multiple"},
    {{&am_bench_ocl_constant, "1 uniform 3000", TURNS, false}, "power of two"},
    {{&am_bench_ocl_constant, "1024 uniform 4096", TURNS, false}, "stride 1024"},
    {{&am_bench_ocl_constant, "1 uniform 1099511627776", TURNS, false}, "4 GiB"},
    {{&am_bench_ocl_constant, "1 uniform 1024 100 32", TURNS, false}, "a multiple of"},
    {{&am_bench_ocl_local, "read 1 1 0 1048576", TURNS, false}, "group 1048576"},
    {{&am_bench_ocl_image, "read 4096 square rgba-float 48", TURNS, false}, "across 48"},
    {{&am_bench_ocl_image, "read 4096 square rgba-float 512", TURNS, false}, "across 512"},
    {{&am_bench_ocl_image, "read 3000 square rgba-float", TURNS, false}, "power of two"},
    {{&am_bench_ocl_image, "read 281474976710656 square rgba-float", TURNS, false}, "pixels"},
    {{&am_bench_ocl_global, "read row 0 4 0 0 0", TURNS, false}, "rows and columns"},
    {{&am_bench_ocl_global, "read single 1 4 3000000 0 0", TURNS, false}, "powers of two"},
    {{&am_bench_ocl_global, "read column 2 4 1048576 0 0", TURNS, false}, "no room for a matrix"},
    {{&am_bench_ocl_global, "read single 1 16 1073741824 0 0", TURNS, false}, "limit"},
    {{&am_bench_ocl_global, "read single 1 4 1048576 4 0", TURNS, false}, "each 4"},
    {{&am_bench_ocl_global, "read group 1 4 1048576 0 1048576", TURNS, false}, "group 1048576"},
    {{&am_bench_ocl_cache, "read 0 4 0 0", TURNS, false}, "working set"},
    {{&am_bench_ocl_local, "read 5000 1", TURNS, false}, "stride 5000"},
    {{&am_bench_ocl_local, "read 1 5", TURNS, false}, "width 5"},
    {{&am_bench_ocl_bus, "d2d map pageable 65536", TURNS, false}, "no memory of the host"},
    {{&am_bench_ocl_bus, "h2d read_write pageable 5000", TURNS, false}, "whole pages"},
    {{&am_bench_ocl_bus, "h2d read_write pageable 1073741824", TURNS, false}, "limit"},
    {{&am_bench_ocl_intensity, "float 3 0 0 0", TURNS, false}, "power of two"},
    {{&am_bench_ocl_intensity, "float 2048 0 0 0", TURNS, false}, "fmas 2048"},
    {{&am_bench_ocl_intensity, "float 8 0 7 0", TURNS, false}, "each 7"},
    {{&am_bench_ocl_latency, "global 1000", TURNS, false}, "lines of 128 bytes"},
    {{&am_bench_ocl_latency, "global 1408", TURNS, false}, "a product of 2, 3, 5 and 7"},
    {{&am_bench_ocl_latency, "local 65536", TURNS, false}, "local memory"},
    {{&am_bench_ocl_atomic, "local chain", TURNS, false}, "one, group and own"},
    {{&am_bench_ocl_barrier, "2048 one", TURNS, false}, "group 2048"},
    {{&am_bench_ocl_svm, "coarse 1000", TURNS, false}, "whole pages"},
    {{&am_bench_ocl_svm, "fine 1073741824", TURNS, false}, "limit"},
    {{&am_bench_ocl_overlap, "both nothing 1000", TURNS, false}, "whole pages"},
    {{&am_bench_ocl_overlap, "both nothing 1073741824", TURNS, false}, "limit"},
    {{&am_bench_ocl_dot, "bf16 plain steady", TURNS, false}, "int8 only"},
    {{&am_bench_ocl_peer, "push 1000", TURNS, false}, "whole pages"},
    {{&am_bench_ocl_scale, "opencl 0 65536", TURNS, false}, "0 items"},
    {{&am_bench_ocl_scale, "opencl 1 100", TURNS, false}, "multiple"},
};

static void check_measured(const struct point *p, const char *device, const struct am_ctx *ctx)
{
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_batch batch = {0};
    struct am_err err = {0};
    double residual = 0;
    void *const state = calloc(1, p->bench->state_size);
    enum am_status s;

    set_point(p, device, point);
    s = p->bench->prepare(state, ctx, point, &work, &err);
    if (s == AM_OK) {
        ok(p->bench->verify(state, &residual, &err) == AM_E_WRONG && err.text[0],
           "%s %s: verify notices that nothing ran", p->bench->name, p->words);
        err = (struct am_err){0};
        s = p->bench->run_timed(state, p->iters, &batch, &err);
    }
    if (s == AM_OK)
        s = p->bench->verify(state, &residual, &err);
    if (s == AM_E_ABSENT)
        skip_test(err.text);
    else
        ok(s == AM_OK && batch.elapsed_ns > 0 && work.ops > 0, "%s %s is right%s%s", p->bench->name,
           p->words, s == AM_OK ? "" : ": ", err.text);
    p->bench->finish(state);
    free(state);
}

static void check_refused(const struct refused *x, const char *device, const struct am_ctx *ctx)
{
    const struct am_bench *const b = x->point.bench;
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    void *const state = calloc(1, b->state_size);

    set_point(&x->point, device, point);
    ok(b->prepare(state, ctx, point, &work, &err) == AM_E_ABSENT && strstr(err.text, x->reason),
       "%s %s is refused: %s", b->name, x->point.words, err.text);
    b->finish(state);
    free(state);
}

int main(void)
{
    const char *const device = usable_device();
    int cpus[2];
    struct am_clock clock;
    struct am_ctx ctx = {
        .cpus = cpus, .seed = 12345, .memory_limit_bytes = BX_LIMIT_BYTES, .clock = &clock};

    if (!device) {
        printf("1..0 # SKIP no OpenCL device\n");
        return 0;
    }
    ctx.cpu_count = bx_cpus(cpus, 2);
    am_clock_init(&clock);
    for (size_t i = 0; i < sizeof(measured) / sizeof(*measured); i++)
        check_measured(&measured[i], device, &ctx);
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
        check_refused(&refused[i], device, &ctx);
    return tap_done();
}
