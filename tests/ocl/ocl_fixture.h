/* SPDX-License-Identifier: MIT */
/* A point of every OpenCL bench, and how a worker measures one. */
#ifndef AM_TESTS_OCL_FIXTURE_H
#define AM_TESTS_OCL_FIXTURE_H

#include "ocl_point.h"

static const struct point
    arith_fma = {&am_bench_ocl_arith, "fma float 4 2 affine throughput 64 32 auto", 1, false},
    arith_muladd = {&am_bench_ocl_arith, "muladd float 4 2 affine throughput 64 32 auto", 1, false},
    arith_add = {&am_bench_ocl_arith, "add float 4 2 affine throughput 64 32 auto", 1, false},
    arith_sub = {&am_bench_ocl_arith, "sub double 2 2 affine throughput 64 32 auto", 1, false},
    arith_mul = {&am_bench_ocl_arith, "mul float 4 2 affine throughput 64 32 auto", 1, false},
    builtin = {&am_bench_ocl_builtin, "fabs float 1", 16, false},
    branch = {&am_bench_ocl_branch, "8 local fma 1024", 64, false},
    constant = {&am_bench_ocl_constant, "3 uniform 4096", 64, false},
    image_read = {&am_bench_ocl_image, "read 16384 square rgba-float", 16, false},
    image_write = {&am_bench_ocl_image, "write 65536 square rgba-float", 19, false},
    global_read = {&am_bench_ocl_global, "read group 1 4 1048576 0 0", 1, false},
    global_write = {&am_bench_ocl_global, "write group 1 4 1048576 0 0", 1, false},
    global_copy = {&am_bench_ocl_global, "copy group 1 4 1048576 0 0", 1, false},
    cache_read = {&am_bench_ocl_cache, "read 65536 4 0 0", 1, false},
    local_read = {&am_bench_ocl_local, "read 1 4", 64, false},
    local_write = {&am_bench_ocl_local, "write 32 1", 67, false},
    scale = {&am_bench_ocl_scale, "opencl 1000 1048576", 1, false},
    intensity = {&am_bench_ocl_intensity, "float 8 1048576 0 0", 1, false},
    intensity_double = {&am_bench_ocl_intensity, "double 1 1048576 0 0", 1, false},
    latency = {&am_bench_ocl_latency, "global 65536", 64, false},
    latency_local = {&am_bench_ocl_latency, "local 4096", 64, false},
    overlap = {&am_bench_ocl_overlap, "both compute 65536", 2, true},
    atomic_one = {&am_bench_ocl_atomic, "global one", 4, false},
    atomic_chain = {&am_bench_ocl_atomic, "global chain", 64, false},
    atomic_local = {&am_bench_ocl_atomic, "local own", 16, false},
    barriers = {&am_bench_ocl_barrier, "8 full", 65, false},
    reduce = {&am_bench_ocl_subgroup, "reduce local full", 16, false},
    scan = {&am_bench_ocl_subgroup, "scan local one", 16, false},
    exchange = {&am_bench_ocl_subgroup, "exchange local one", 17, false},
    svm_buffer = {&am_bench_ocl_svm, "buffer 65536", 2, true},
    svm_coarse = {&am_bench_ocl_svm, "coarse 65536", 2, true},
    svm_fine = {&am_bench_ocl_svm, "fine 65536", 2, true},
    launch = {&am_bench_ocl_launch, "1", 1, false},
    bus_h2d = {&am_bench_ocl_bus, "h2d read_write pageable 65536", 2, true},
    bus_d2h = {&am_bench_ocl_bus, "d2h read_write pinned 65536", 2, true},
    bus_d2d = {&am_bench_ocl_bus, "d2d read_write pageable 65536", 2, true},
    peer_push = {&am_bench_ocl_peer, "push 65536", 2, true},
    peer_host = {&am_bench_ocl_peer, "host 65536", 2, true},
    dot_plain = {&am_bench_ocl_dot, "int8 plain steady", 64, false};

static const struct point *const points[] = {
    &arith_fma,        &arith_muladd, &arith_add,     &arith_sub,   &arith_mul,    &builtin,
    &branch,           &constant,     &image_read,    &image_write, &global_read,  &global_write,
    &global_copy,      &cache_read,   &local_read,    &local_write, &scale,        &intensity,
    &intensity_double, &latency,      &latency_local, &atomic_one,  &atomic_chain, &atomic_local,
    &barriers,         &overlap,      &launch,        &svm_buffer,  &svm_coarse,   &svm_fine,
    &bus_h2d,          &bus_d2h,      &bus_d2d,       &dot_plain,   &peer_push,    &peer_host,
};

/* Whether it is about commands that transfer, and launches no kernel by which time is told. */
static inline bool transfers(const struct point *p)
{
    return p->bench == &am_bench_ocl_bus || p->bench == &am_bench_ocl_overlap ||
           p->bench == &am_bench_ocl_peer;
}

/* One launch of a point, as a worker makes it: prepared, `lengths` batches, each twice as long as
 * the last but of ocl.launch, verified. */
static enum am_status measure(const struct point *p, const char *device, const struct am_ctx *ctx,
                              unsigned lengths, struct am_err *err)
{
    const unsigned growing = p->bench == &am_bench_ocl_launch ? 0 : 6; /* its batches compile */
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_batch batch = {0};
    double residual = 0;
    void *const state = calloc(1, p->bench->state_size);
    enum am_status s;

    set_point(p, device, point);
    s = p->bench->prepare(state, ctx, point, &work, err);
    for (unsigned i = 0; i < lengths && s == AM_OK; i++)
        s = p->bench->run_timed(state, p->iters << (i < growing ? i : growing), &batch, err);
    if (s == AM_OK)
        s = p->bench->verify(state, &residual, err);
    p->bench->finish(state);
    free(state);
    return s;
}

#endif
