/* SPDX-License-Identifier: MIT */
/* Devices with small limits, and devices that fail: every OpenCL bench measures within small
 * groups, searches end where memory is refused, and a device that is lost, or has no memory, is a
 * failure with its reason at whatever moment that happens. */
#include "between.h"

#include "bench/ocl/units/arith_search.h"
#include "ocl_fixture.h"

enum { SMALL_GROUP = 8 };

static void forget(void)
{
    memset(&between, 0, sizeof(between));
}

static void check_groups(const struct point *p, const char *device, const struct am_ctx *ctx)
{
    struct am_err err = {0};
    enum am_status s;

    forget();
    between.group_max = SMALL_GROUP;
    s = measure(p, device, ctx, 1, &err);
    /* who asks for groups of 32, or for more paths than a group has work-items, is told so */
    ok(s == AM_OK || (s == AM_E_ABSENT && strstr(p->words, "32")),
       "%s %s on a device with groups of %d: %s", p->bench->name, p->words, SMALL_GROUP,
       s == AM_OK ? "right" : err.text);
    forget();
}

/* After the first launch, after the third, ... */
static void check_lost(const struct point *p, const char *device, const struct am_ctx *ctx)
{
    static const unsigned moments[] = {1, 3, 10};

    for (size_t i = 0; i < sizeof(moments) / sizeof(moments[0]) && !transfers(p); i++) {
        struct am_err err = {0};
        enum am_status s;

        forget();
        between.lost_after = moments[i];
        s = measure(p, device, ctx, 8, &err);
        ok(s == AM_E_NOMEM && strstr(err.text, "CL_OUT_OF_RESOURCES"),
           "%s %s, lost after %u launches: %s", p->bench->name, p->words, moments[i],
           s == AM_OK ? "not noticed" : err.text);
    }
    forget();
}

static void check_no_memory(const struct point *p, const char *device, const struct am_ctx *ctx)
{
    struct am_err err = {0};
    enum am_status s;

    forget();
    between.buffer_max = 3;
    s = measure(p, device, ctx, 1, &err);
    ok(s == AM_E_NOMEM && strstr(err.text, "CL_MEM_OBJECT_ALLOCATION_FAILURE"),
       "%s %s without memory: %s", p->bench->name, p->words, s == AM_OK ? "not noticed" : err.text);
    forget();
}

/* The search begins with what the device has and looks for more work-items: when that is refused,
 * at once or at the first launch, it ends with the best so far. */
static void check_search(const char *name, const struct am_ctx *ctx)
{
    const struct am_arith_request request = {
        .op = AM_ARITH_FMA, .type = AM_ARITH_FLOAT, .width = 16, .chains = 1, .group = 32};

    for (int at_launch = 0; at_launch < 2; at_launch++) {
        struct am_ocl_device d = {.ctx = NULL};
        struct am_ocl_timer timer = {.device = &d};
        struct am_arith_buffers buffers = {.out = NULL};
        struct am_arith_trial best = {.turn_ns = 0};
        struct am_err err = {0};
        size_t first, found = 0;
        enum am_status s = am_ocl_device_open(&d, ctx, name, &err);

        forget();
        first = 16 * 32 * (size_t)d.compute_units; /* work-items that it begins with on a CPU */
        *(at_launch ? &between.items_max : &between.buffer_max) =
            at_launch ? first : first * 16 * sizeof(float);
        if (s == AM_OK)
            s = am_arith_search(&timer, &request, &buffers, &best, &err);
        found = best.loop.range.global[0];
        ok(s == AM_OK && found > 0 && found <= first && buffers.out,
           "the search ends with %zu work-items where more are refused %s %s", found,
           at_launch ? "at the launch" : "at once", err.text);
        if (s == AM_OK)
            s = am_arith_gate(&timer, &buffers, &best, &err);
        ok(s == AM_OK, "and what it found can be measured %s", err.text);
        am_arith_trial_free(&best);
        am_arith_buffers_free(&buffers);
        am_ocl_device_close(&d);
    }
    forget();
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
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        check_groups(points[i], device, &ctx);
        check_lost(points[i], device, &ctx);
        check_no_memory(points[i], device, &ctx);
    }
    check_search(device, &ctx);
    return tap_done();
}
