/* SPDX-License-Identifier: MIT */
/* app.stencil on devices: grids that stay in registers or local memory. */
#include "bench/apps/stencil.h"
#include "bench/ocl/app/stencil_resident.h"
#include "bench/ocl/host/found.h"
#include "ocl_device.h"
#include "tap.h"

#include <math.h>

/* Grids that stay in registers or local memory: right after an iteration, and one grid that is not
 * like the others is noticed. */
static void check_resident(const struct am_ocl_device *device, bool local, size_t n,
                           enum am_stencil_type type)
{
    const struct am_ocl_stencil_spec spec = {
        .form = AM_STENCIL_paper, .type = type, .n = n, .steps = 33, .r = 0.25};
    struct am_ocl_resident p = {.grids = 0};
    struct am_stencil_view view;
    struct am_err err = {0};
    const cl_double odd = 0.5;
    double residual = 0;
    uint64_t ns = 0;
    enum am_status s = am_ocl_resident_open(&p, device, &spec, local, &err);

    if (s == AM_OK)
        s = am_ocl_resident_run(&p, 1, &ns, &err);
    view = am_ocl_resident_view(&p, 7);
    if (s == AM_OK)
        s = am_stencil_compare(&view, &residual, &err);
    ok(s == AM_OK && ns > 0 && residual > 0, "%zu grids of %zu points in %s: off by %g %s", p.grids,
       n, local ? "local memory" : "registers", residual, err.text);
    if (s == AM_OK)
        s = am_ocl_device_write(device, p.u, (p.grids - 1) * p.element_bytes, p.element_bytes, &odd,
                                &err);
    ok(s == AM_OK && isnan(view.value(&p, 0)) && !isnan(view.value(&p, 1)),
       "one grid that differs is noticed %s", err.text);
    am_ocl_resident_close(&p);
}

static void check_resident_refused(const struct am_ocl_device *device)
{
    static const struct {
        size_t n;
        enum am_stencil_form form;
        bool local;
    } cases[] = {{65, AM_STENCIL_paper, false},
                 {1, AM_STENCIL_paper, true},
                 {1 << 24, AM_STENCIL_paper, true},
                 {16, AM_STENCIL_scaled, false}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct am_ocl_stencil_spec spec = {
            .form = cases[i].form, .type = AM_STENCIL_F32, .n = cases[i].n, .steps = 8, .r = 0.25};
        struct am_ocl_resident p = {.grids = 0};
        struct am_err err = {0};

        ok(am_ocl_resident_open(&p, device, &spec, cases[i].local, &err) == AM_E_ABSENT,
           "refused: %s", err.text);
        am_ocl_resident_close(&p);
    }
}

int main(void)
{
    struct am_clock clock;
    const struct am_ctx ctx = {.memory_limit_bytes = 1 << 28, .seed = 12345, .clock = &clock};
    const char *const name = usable_device();
    struct am_ocl_device device = {.ctx = NULL};
    struct am_err err = {0};

    am_clock_init(&clock);
    if (!name) {
        skip_test("no OpenCL device here");
        return tap_done();
    }
    ok(am_ocl_device_open(&device, &ctx, name, &err) == AM_OK, "%s opens %s", name, err.text);
    if (device.queue) {
        check_resident_refused(&device);
        check_resident(&device, false, 9, AM_STENCIL_F32);
        check_resident(&device, true, 37, AM_STENCIL_F32);
        if (device.has_double)
            check_resident(&device, true, 700, AM_STENCIL_F64);
    }
    am_ocl_device_close(&device);
    return tap_done();
}
