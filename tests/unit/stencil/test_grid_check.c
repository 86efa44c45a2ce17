/* SPDX-License-Identifier: MIT */
/* The outcome that app.stencil expects of grids: right ones pass, wrong ones do not. */
#include "app/stencil/grid.h"
#include "bench/apps/grid_check.h"
#include "bench/apps/stencil_dim.h"
#include "kernels/isa.h"
#include "tap.h"

#include <stdlib.h>

enum { PAGE_BYTES = 4096, STEPS = 21 };

struct trial {
    struct am_stencil_grid grid;
    void *memory, *x;
};

static void begin(struct trial *t, unsigned dim, enum am_stencil_type type, size_t side)
{
    const struct am_grid_spec spec = {.kernels = am_grid_find(am_isa_names[1]),
                                      .dim = dim,
                                      .method = AM_STENCIL_BY_SLICE,
                                      .form = AM_STENCIL_scaled,
                                      .type = type,
                                      .n = {side, side + 1, dim == 2 ? 1 : side - 1},
                                      .r = 0.1,
                                      .depth = 4,
                                      .tile = {16, 8, 4},
                                      .parts = 2};
    size_t bytes;

    (void)am_grid_bytes(&spec, &bytes, NULL);
    t->memory = aligned_alloc(PAGE_BYTES, bytes);
    t->x = malloc(spec.n[0] * spec.n[1] * spec.n[2] * sizeof(double));
    (void)am_grid_start_all(&spec, STEPS, t->x, NULL);
    (void)am_stencil_grid_init(&t->grid, &spec, t->memory, NULL);
    (void)am_grid_load(&t->grid, t->x, NULL);
}

static void end(struct trial *t)
{
    free(t->memory);
    free(t->x);
}

static enum am_status judge(const struct trial *t)
{
    double residual = 0;

    return am_grid_compare(&t->grid, STEPS, 3, &residual, NULL);
}

static void test_judgement(unsigned dim, enum am_stencil_type type, size_t side)
{
    struct trial t;

    begin(&t, dim, type, side);
    am_grid_run(&t.grid, STEPS);
    ok(am_grid_look(&t.grid, 3, NULL) == AM_OK && judge(&t) == AM_OK,
       "%u-D %s, sides of about %zu: a right outcome is one", dim, am_stencil_types[type], side);
    am_grid_run(&t.grid, 1);
    ok(judge(&t) == AM_E_WRONG, "a step too many is none");
    end(&t);

    begin(&t, dim, type, side);
    am_grid_run(&t.grid, STEPS - 1);
    ok(judge(&t) == AM_E_WRONG, "a step too few is none");
    end(&t);
}

/* One step as a stencil across the corners would make it: lines do not tell, cosines must. */
static void test_corners(void)
{
    const size_t n = 64;
    struct am_grid_spec spec;
    struct trial t;
    double *y, *x;

    begin(&t, 2, AM_STENCIL_F64, n);
    spec = t.grid.spec;
    x = t.x;
    y = malloc(spec.n[0] * spec.n[1] * sizeof(*y));
    am_grid_run(&t.grid, STEPS - 1);
    am_grid_store(&t.grid, x);
    for (size_t j = 0; j < spec.n[1]; j++) {
        for (size_t i = 0; i < n; i++) {
            const double *const above = x + (j + spec.n[1] - 1) % spec.n[1] * n;
            const double *const below = x + (j + 1) % spec.n[1] * n;
            const size_t left = (i + n - 1) % n, right = (i + 1) % n;

            y[j * n + i] = (1 - 2 * spec.r) * x[j * n + i] +
                           spec.r / 2 * (above[left] + above[right] + below[left] + below[right]);
        }
    }
    (void)am_grid_load(&t.grid, y, NULL);
    ok(judge(&t) == AM_E_WRONG, "neighbours across the corners are noticed");
    free(y);
    end(&t);
}

/* Shapes that the bench decides, and what it refuses. */
static void test_open(void)
{
    struct am_stencil_task task = {.method = AM_STENCIL_BY_SLICE,
                                   .form = AM_STENCIL_scaled,
                                   .type = AM_STENCIL_F64,
                                   .isa = am_isa_names[1],
                                   .steps = 10,
                                   .n = 1000,
                                   .r = 0.1,
                                   .threads = 2};
    struct am_err err = {0};
    void *self;

    ok(am_stencil_flat.open(&task, &self, &err) == AM_OK && am_stencil_flat.bytes(self) > 8000,
       "1000 points in two dimensions");
    am_stencil_flat.close(self);
    task.n = 1;
    ok(am_stencil_solid.open(&task, &self, &err) == AM_OK, "one point in three dimensions");
    am_stencil_solid.close(self);
    task.depth = 11;
    ok(am_stencil_flat.open(&task, &self, &err) == AM_E_ABSENT, "refused: %s", err.text);
    am_stencil_flat.close(self);
    task.depth = 2;
    task.method = AM_STENCIL_BY_AUTO;
    err = (struct am_err){0};
    ok(am_stencil_solid.open(&task, &self, &err) == AM_E_ABSENT, "refused: %s", err.text);
    am_stencil_solid.close(self);
}

int main(void)
{
    test_judgement(2, AM_STENCIL_F64, 37);
    test_judgement(2, AM_STENCIL_F32, 400); /* more than are all compared */
    test_judgement(3, AM_STENCIL_F64, 60);
    test_judgement(3, AM_STENCIL_F32, 11);
    test_corners();
    test_open();
    return tap_done();
}
