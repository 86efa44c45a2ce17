/* SPDX-License-Identifier: MIT */
/* app.leukocyte on the executors of OpenMP. */
#include "bench/apps/leukocyte.h"
#include "bench/omp/executor_omp.h"
#include "bench/omp/runtime.h"

#include <omp.h>
#include <string.h>

/* Teams of rows inside a team of cells. Bound closely, the threads of inner teams would begin at
 * the places of the outer one's and share their CPUs; spread, each has a part of its own. */
static enum am_status allow_levels(const struct am_value *point, struct am_err *err)
{
    const char *const binding = point[AM_LEUKO_COMMON + AM_APPS_BINDING].name;
    const bool nests = strcmp(point[AM_LEUKO_EXECUTOR].name, "omp-for") == 0;

    omp_set_max_active_levels(2);
    if (nests && point[AM_LEUKO_SLT].i > 1 && point[AM_LEUKO_FLT].i != 1 &&
        strcmp(binding, "close") == 0)
        return am_fail(err, AM_E_ABSENT,
                       "teams of rows would share the CPUs of other cells: binding spread or none");
    return AM_OK;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    static const struct am_leuko_executors executors = {.list = am_omp_executors,
                                                        .nests = "omp-for"};
    struct am_omp omp;
    enum am_status s = am_omp_open(&omp, ctx, point + AM_LEUKO_COMMON, err);

    if (s == AM_OK)
        s = allow_levels(point, err);
    return s == AM_OK ? am_leuko_prepare(state, &executors, ctx, point, work, err) : s;
}

static const struct am_axis axes[] = {
    AM_LEUKO_AXIS_ROWS(AM_LEUKO_VARIANT_AXIS(am_mgvf_forms), AM_LEUKO_ISA_AXIS,
                       AM_LEUKO_EXECUTOR_AXIS(am_omp_executor_names, "omp-for"),
                       AM_LEUKO_DEVICE_AXIS),
    AM_OMP_APPS_AXIS_ROWS(AM_LEUKO_COMMON),
    {.name = NULL},
};

const struct am_bench am_bench_leukocyte_openmp = {
    AM_LEUKO_BENCH,     AM_LEUKO_HOOKS,
    .axes = axes,       .named_only = true, /* the quick minute has it by our own executors */
    .prepare = prepare,
};
