/* SPDX-License-Identifier: MIT */
/* Points of OpenCL benches, as tests write them. */
#ifndef AM_TESTS_OCL_POINT_H
#define AM_TESTS_OCL_POINT_H

#include "bench/ocl/host/device.h"
#include "bench_fixture.h"
#include "ocl_device.h"

extern const struct am_bench am_bench_ocl_atomic, am_bench_ocl_barrier, am_bench_ocl_arith,
    am_bench_ocl_branch, am_bench_ocl_builtin, am_bench_ocl_bus, am_bench_ocl_cache,
    am_bench_ocl_constant, am_bench_ocl_dot, am_bench_ocl_global, am_bench_ocl_image,
    am_bench_ocl_intensity, am_bench_ocl_latency, am_bench_ocl_launch, am_bench_ocl_local,
    am_bench_ocl_overlap, am_bench_ocl_peer, am_bench_ocl_scale, am_bench_ocl_subgroup,
    am_bench_ocl_svm;

/* A point by the values of its axes after the device, and iterations of a batch. */
struct point {
    const struct am_bench *bench;
    const char *words;
    uint64_t iters;
    bool host_timed; /* by no clock of the device */
};

/* The device's name is a free word, which bx_point() cannot cut out of a line. */
static void set_point(const struct point *p, const char *device, struct am_value *point)
{
    const size_t names = p->bench == &am_bench_ocl_peer ? 2 : 1; /* sender and receiver */
    struct am_bench rest = *p->bench;

    rest.axes += names;
    for (size_t i = 0; i < names; i++)
        point[i] = (struct am_value){.kind = AM_AXIS_NAME, .i = -1, .name = device};
    bx_point(&rest, p->words, point + names);
}

#endif
