/* SPDX-License-Identifier: MIT */
/* app.leukocyte on the first OpenCL device that is here: both types and weights end where the plain
 * reference does, and so many steps are counted as processors need. */
#include "bench/apps/leukocyte.h"
#include "bench/ocl/host/device.h"
#include "apps_fixture.h"
#include "ocl_device.h"

#include <math.h>

extern const struct am_app_port am_port_leukocyte_opencl;
static const struct am_bench *bench; /* app.leukocyte of the worker `ocl` */

/* Values before and behind the two free names: device and video. */
struct visit {
    const char *variant_type, *levels;
};

/* The first is the form of accelerators, with barriers and a tree, on whatever device there is: its
 * three strips do not divide the rows. */
static const struct visit visits[] = {{"minmax f32", "0 3"}, {"atan f64", "0 0"}};

static const struct {
    struct visit visit;
    const char *reason;
} refused[] = {
    {{"minmax f32", "2 0"}, "flt is 0"},
    {{"minmax f32", "0 -1"}, "-1 strips"},
    {{"minmax f32", "0 42"}, "42 strips"},
};

static void set_point(const struct visit *v, const char *device, struct am_value *point)
{
    const struct am_axis *const axes = bench->axes;
    const struct {
        size_t from, to;
        const char *words;
    } parts[] = {
        {AM_LEUKO_VARIANT, AM_LEUKO_ISA, v->variant_type},
        {AM_LEUKO_ISA, AM_LEUKO_DEVICE, "device opencl"},
        {AM_LEUKO_FLT, AM_LEUKO_VIDEO, v->levels},
        {AM_LEUKO_CELLS, AM_LEUKO_COMMON + AM_APPS_AXES, "3 1 opencl 1 close cores default"},
    };

    for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++) {
        struct am_axis some[AM_AXES_MAX] = {{.name = NULL}};
        const struct am_bench part = {.axes = some};

        memcpy(some, axes + parts[k].from, (parts[k].to - parts[k].from) * sizeof(*some));
        bx_point(&part, parts[k].words, point + parts[k].from);
    }
    point[AM_LEUKO_DEVICE] = (struct am_value){.kind = AM_AXIS_NAME, .i = -1, .name = device};
    point[AM_LEUKO_VIDEO] =
        (struct am_value){.kind = AM_AXIS_NAME, .i = -1, .name = AM_SCENE_SYNTHETIC};
}

static void check_visit(const struct visit *v, const char *device, const struct am_ctx *ctx)
{
    const struct am_bench *const b = bench;
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_batch batch = {0};
    struct am_err err = {0};
    double residual = 0;
    void *const state = calloc(1, b->state_size);
    enum am_status s;

    set_point(v, device, point);
    s = b->prepare(state, ctx, point, &work, &err);
    if (s == AM_OK) {
        ok(b->verify(state, &residual, &err) == AM_E_WRONG,
           "%s, levels %s: verify notices that nothing ran", v->variant_type, v->levels);
        err = (struct am_err){0};
        s = b->run_timed(state, 2, &batch, &err);
    }
    if (s == AM_OK)
        s = b->verify(state, &residual, &err);
    if (s == AM_E_ABSENT) {
        skip_test(err.text);
    } else {
        ok(s == AM_OK && work.ops == 1, "%s is right to %.2g px%s", v->variant_type, residual,
           err.text);
        ok(fabs(batch.values[AM_LEUKO_ITERATIONS] - 204.67) < 1,
           "its fields need as many steps as on processors: %.2f",
           batch.values[AM_LEUKO_ITERATIONS]);
        ok(batch.values[AM_LEUKO_KERNEL_TIME] > 0 && batch.values[AM_LEUKO_TRANSFER_TIME] > 0 &&
               isnan(batch.values[AM_LEUKO_BOUND_SHARE]),
           "kernels and transfers are told apart");
    }
    b->finish(state);
    free(state);
}

static void check_refused(const char *device, const struct am_ctx *ctx)
{
    const struct am_bench *const b = bench;

    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct am_value point[AM_AXES_MAX];
        struct am_work work = {0};
        struct am_err err = {0};
        void *const state = calloc(1, b->state_size);

        set_point(&refused[i].visit, device, point);
        ok(b->prepare(state, ctx, point, &work, &err) == AM_E_ABSENT &&
               strstr(err.text, refused[i].reason),
           "levels %s are refused: %s", refused[i].visit.levels, err.text);
        b->finish(state);
        free(state);
    }
}

int main(void)
{
    const char *const device = usable_device();
    int cpu = 0;
    struct am_clock clock;
    struct am_ctx ctx = {.cpus = &cpu,
                         .cpu_count = bx_cpus(&cpu, 1),
                         .seed = 1,
                         .memory_limit_bytes = BX_LIMIT_BYTES,
                         .clock = &clock};

    bench = ax_find(NULL, &am_port_leukocyte_opencl, "app.leukocyte");
    ctx.bench = bench;
    am_clock_init(&clock);
    if (!device) {
        skip_test("no OpenCL device");
        return tap_done();
    }
    for (size_t i = 0; i < sizeof(visits) / sizeof(visits[0]); i++)
        check_visit(&visits[i], device, &ctx);
    check_refused(device, &ctx);
    return tap_done();
}
