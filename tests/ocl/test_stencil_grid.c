/* SPDX-License-Identifier: MIT */
/* The stencil in two and three dimensions on an OpenCL device: plain steps against the reference,
 * passes of several steps against plain steps, in sizes that fit nothing; and errors of each kind,
 * planted. */
#include "bench/ocl/app/stencil_parts.h"
#include "base/text.h"
#include "ocl_device.h"
#include "tap.h"

#include <stdint.h>
#include <string.h>

static const uint64_t seed = 12345;

/* ---- cuts ---- */

static void check_cuts(void)
{
    static const struct {
        size_t tiles, planes, places;
        unsigned depth, cuts;
    } cases[] = {
        {1, 1, 132, 4, 1},     /* there is nothing to cut */
        {132, 512, 132, 4, 1}, /* a tile for every place */
        {66, 512, 132, 4, 2},  /* half as many tiles as places */
        {1, 1000, 4, 1, 4},
        {133, 64, 132, 32, 1}, /* what begins early costs more than a second turn */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const unsigned cuts =
            am_ocl_wave_cuts(cases[i].tiles, cases[i].planes, cases[i].depth, cases[i].places);

        ok(cuts == cases[i].cuts, "%zu tiles of %zu planes on %zu places: %u cuts, not %u",
           cases[i].tiles, cases[i].planes, cases[i].places, cuts, cases[i].cuts);
    }
}

/* ---- right ---- */

struct grid_case {
    struct am_ocl_grid_spec spec;
    struct am_ocl_wave_shape shape; /* with its cuts */
};

/* False: it could not be had. */
static bool open_case(const struct grid_case *c, const struct am_ocl_device *device,
                      struct am_ocl_grid *grid, struct am_ocl_wave *wave)
{
    struct am_err err = {0};
    enum am_status s = am_ocl_grid_open(grid, device, &c->spec, &err);

    if (s == AM_OK)
        s = am_ocl_wave_build(wave, grid, &c->shape, &err);
    if (s == AM_OK)
        am_ocl_wave_cut(wave, c->shape.cuts);
    ok(s == AM_OK,
       "%u dimensions, %zu x %zu x %zu, tiles of %u x %u by %u x %u, depth %u: built %s",
       c->spec.dim, c->spec.n[0], c->spec.n[1], c->spec.n[2], c->shape.items[0], c->shape.items[1],
       c->shape.points[0], c->shape.points[1], c->shape.depth, err.text);
    return s == AM_OK;
}

static void check_right(const struct grid_case *c, const struct am_ocl_device *device)
{
    struct am_ocl_grid grid = {.front = 0};
    struct am_ocl_wave wave = {.grid = NULL};
    struct am_err err = {0};
    double residual = 0;
    enum am_status s;

    if (open_case(c, device, &grid, &wave)) {
        s = am_ocl_wave_prove(&wave, c->spec.steps, &err);
        ok(s == AM_OK, "passes have plain steps' bits %s", err.text);
        s = am_ocl_grid_compare(&grid, c->spec.steps, seed, &residual, &err);
        ok(s == AM_OK && residual > 0, "and these are right: off by %g %s", residual, err.text);
        ok(am_ocl_grid_look(&grid, seed, &err) == AM_OK, "and in range %s", err.text);
    }
    am_ocl_wave_free(&wave);
    am_ocl_grid_close(&grid);
}

/* Rows moved as one, grids smaller than a tile and than a halo, steps that are no whole passes;
 * slots of one level, of all, and of some with a shorter last one; several planes per turn of the
 * loop. */
static void check_sizes(const struct am_ocl_device *device)
{
    static const struct grid_case cases[] = {
        {{2, AM_STENCIL_F64, {3, 2, 1}, 7, 0.25, 0, 0},
         {{12, 1}, {1, 1}, 5, 1, 2, 2, 0, false, false, 2}},
        {{3, AM_STENCIL_F32, {40, 24, 17}, 9, 1.0 / 12, 0, 0},
         {{4, 8}, {4, 2}, 4, 4, 1, 1, 0, false, false, 3}},
        {{3, AM_STENCIL_F32, {2, 9, 1}, 5, 0.1, 0, 0},
         {{8, 8}, {2, 1}, 2, 1, 2, 2, 0, false, false, 1}},
        {{3, AM_STENCIL_F32, {33, 31, 29}, 7, 0.1, 0, 0},
         {{8, 4}, {2, 4}, 3, 2, 1, 4, 2, true, false, 2}},
        {{3, AM_STENCIL_F32, {96, 70, 21}, 9, 0.1, 0, 0},
         {{16, 16}, {4, 4}, 4, 1, 1, 1, 4, false, false, 2}},
        {{3, AM_STENCIL_F32, {96, 70, 21}, 9, 0.1, 0, 0},
         {{32, 4}, {4, 3}, 4, 2, 2, 2, 0, false, true, 1}},
        {{3, AM_STENCIL_F32, {96, 70, 21}, 9, 0.1, 0, 0},
         {{32, 8}, {2, 8}, 4, 1, 2, 2, 0, false, true, 1}},
        {{3, AM_STENCIL_F64, {48, 70, 21}, 9, 0.1, 0, 0},
         {{32, 8}, {2, 5}, 3, 1, 1, 2, 0, false, true, 2}},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (cases[i].spec.type == AM_STENCIL_F64 && !device->has_double)
            skip_test("this device has no double");
        else
            check_right(&cases[i], device);
    }
}

/* ---- wrong ---- */

static bool proof_fails(struct am_ocl_wave *w, struct am_err *err)
{
    *err = (struct am_err){0};
    return am_ocl_wave_prove(w, w->grid->spec.steps, err) == AM_E_WRONG;
}

static void plant_in_passes(struct am_ocl_wave *w)
{
    const struct am_ocl_wave right = *w;
    struct am_err err;

    w->own[0]++;
    ok(proof_fails(w, &err), "a point of the halo taken for right is found: %s", err.text);
    *w = right;
    for (unsigned d = 0; d < 3; d++) {
        if (w->groups[d] < 2)
            continue;
        w->groups[d]--;
        ok(proof_fails(w, &err), "a block skipped along %u is found: %s", d, err.text);
        *w = right;
    }
    w->shape.depth++;
    ok(proof_fails(w, &err), "passes of a step too few are found: %s", err.text);
    *w = right;
    w->chunk--;
    ok(proof_fails(w, &err), "a plane that nobody writes is found: %s", err.text);
    *w = right;
    ok(am_ocl_wave_prove(w, w->grid->spec.steps, &err) == AM_OK, "and without errors none is");
}

static bool comparison_fails(struct am_ocl_grid *g, size_t steps, struct am_err *err)
{
    const size_t asked = g->spec.steps;
    double residual = 0;
    enum am_status s;

    *err = (struct am_err){0};
    s = am_ocl_grid_fill(g, err);
    if (s == AM_OK)
        s = am_ocl_grid_sweep(g, steps, NULL, err);
    return s == AM_OK && am_ocl_grid_compare(g, asked, seed, &residual, err) == AM_E_WRONG;
}

static void plant_in_steps(struct am_ocl_grid *g)
{
    const size_t steps = g->spec.steps;
    const struct am_ocl_grid right = *g;
    struct am_err err;

    ok(comparison_fails(g, steps - 1, &err), "a step too few is found: %s", err.text);
    ok(comparison_fails(g, steps + 1, &err), "a step too many is found: %s", err.text);
    g->coefs.side *= 1.001;
    ok(comparison_fails(g, steps, &err), "a coefficient 0.1 %% off is found: %s", err.text);
    g->coefs = right.coefs;
    g->far--;
    ok(comparison_fails(g, steps, &err), "a plane left out is found: %s", err.text);
    g->far++;
    ok(!comparison_fails(g, steps, &err), "and without errors none is %s", err.text);
}

/* Points one by one, last tiles and cuts of any length. */
static void check_planted(const struct am_ocl_device *device)
{
    static const struct grid_case cases[] = {
        {{2, AM_STENCIL_F32, {101, 67, 1}, 48, 0.125, 0, 0},
         {{16, 1}, {2, 1}, 4, 4, 1, 1, 0, false, false, 3}},
        {{3, AM_STENCIL_F32, {37, 21, 19}, 24, 1.0 / 12, 0, 0},
         {{4, 8}, {4, 2}, 3, 1, 2, 2, 2, true, false, 2}},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_ocl_grid grid = {.front = 0};
        struct am_ocl_wave wave = {.grid = NULL};

        if (open_case(&cases[i], device, &grid, &wave)) {
            plant_in_passes(&wave);
            plant_in_steps(&grid);
        }
        am_ocl_wave_free(&wave);
        am_ocl_grid_close(&grid);
    }
}

/* ---- plain steps as near to memory as they come ---- */

struct sweep_case {
    struct am_ocl_grid_spec spec;
    struct am_ocl_sweep_shape shape;
    unsigned points_x; /* of a work-item, as it is used */
};

static bool sweep_fails(struct am_ocl_sweep *w, struct am_err *err)
{
    *err = (struct am_err){0};
    return am_ocl_sweep_prove(w, w->grid->spec.steps, err) == AM_E_WRONG;
}

/* A block of the last one along a dimension is the tail of rows, columns or planes. */
static void plant_in_sweeps(struct am_ocl_sweep *w)
{
    const struct am_ocl_sweep right = *w;
    const struct am_stencil_coefs coefs = w->grid->coefs;
    struct am_err err;

    for (unsigned d = 0; d < 3; d++) {
        const size_t block = d < 2 ? w->shape.group[d] : 1;

        if (w->items[d] <= block)
            continue;
        w->items[d] -= block;
        ok(sweep_fails(w, &err), "a block of plain steps skipped along %u is found: %s", d,
           err.text);
        *w = right;
    }
    w->shape.chunk--;
    ok(sweep_fails(w, &err), "planes that nobody steps are found: %s", err.text);
    *w = right;
    ok(!sweep_fails(w, &err), "and without errors none is %s", err.text);
    w->grid->coefs.side *= 1.001; /* simple steps have it too: what is known from elsewhere tells */
    ok(!sweep_fails(w, &err) && comparison_fails(w->grid, w->grid->spec.steps, &err),
       "a coefficient of both is found by the known outcome: %s", err.text);
    w->grid->coefs = coefs;
}

static bool copy_fails(struct am_ocl_sweep *w, uint64_t *ns, struct am_err *err)
{
    *err = (struct am_err){0};
    return am_ocl_sweep_time_copy(w, ns, err) == AM_E_WRONG;
}

/* A kernel that writes nothing, and half of all bytes. */
static void plant_in_copies(struct am_ocl_sweep *w)
{
    const cl_kernel right = w->copy;
    struct am_err err;
    uint64_t ns = 0;

    ok(!copy_fails(w, &ns, &err) && ns > 0 && ns < UINT64_MAX, "copies are the state %s", err.text);
    w->copy = w->grid->differ;
    ok(copy_fails(w, &ns, &err), "a kernel that copies nothing is found: %s", err.text);
    w->copy = right;
    w->grid->element_bytes /= 2;
    ok(copy_fails(w, &ns, &err), "half a copy is found: %s", err.text);
    w->grid->element_bytes *= 2;
    ok(!copy_fails(w, &ns, &err), "and without errors none is %s", err.text);
}

static void check_sweep(const struct sweep_case *c, const struct am_ocl_device *device)
{
    struct am_ocl_grid grid = {.front = 0};
    struct am_ocl_sweep sweep = {.grid = NULL};
    struct am_err err = {0};
    enum am_status s = am_ocl_grid_open(&grid, device, &c->spec, &err);

    if (s == AM_OK)
        s = am_ocl_sweep_build(&sweep, &grid, &c->shape, &err);
    if (ok(s == AM_OK && sweep.shape.points[0] == c->points_x,
           "%u dimensions, %zu x %zu x %zu, plain steps by %u x %u points, %u planes: %u %s",
           c->spec.dim, c->spec.n[0], c->spec.n[1], c->spec.n[2], c->shape.points[0],
           c->shape.points[1], c->shape.chunk, sweep.shape.points[0], err.text)) {
        plant_in_sweeps(&sweep);
        plant_in_copies(&sweep);
    }
    am_ocl_sweep_free(&sweep);
    am_ocl_grid_close(&grid);
}

/* Rows that no vector divides, last groups and chunks of any length, one point per side, planes
 * ahead of more than there are. */
static void check_sweeps(const struct am_ocl_device *device)
{
    static const struct sweep_case cases[] = {
        {{3, AM_STENCIL_F32, {44, 21, 19}, 24, 1.0 / 12, 0, 0}, {{4, 2}, {8, 4}, 5, 4}, 4},
        {{3, AM_STENCIL_F32, {37, 22, 8}, 24, 1.0 / 12, 0, 0}, {{4, 3}, {8, 4}, 4, 5}, 1},
        {{3, AM_STENCIL_F64, {38, 9, 11}, 24, 0.1, 0, 0}, {{4, 1}, {8, 4}, 2, 1}, 2},
        {{2, AM_STENCIL_F32, {100, 67, 1}, 48, 0.125, 0, 0}, {{4, 1}, {16, 1}, 6, 3}, 4},
        {{3, AM_STENCIL_F32, {4, 1, 3}, 7, 0.1, 0, 0}, {{4, 2}, {8, 4}, 2, 1}, 4},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (cases[i].spec.type == AM_STENCIL_F64 && !device->has_double)
            skip_test("this device has no double");
        else
            check_sweep(&cases[i], device);
    }
}

/* What a search leaves is right, and the state that of step 0. */
static void check_search(const struct am_ocl_device *device)
{
    const struct am_ocl_grid_spec spec = {3, AM_STENCIL_F32, {40, 24, 17}, 9, 0.1, 0, 0};
    struct am_ocl_grid grid = {.front = 0};
    struct am_ocl_sweep sweep = {.grid = NULL};
    struct am_ocl_sweep_found found;
    struct am_err err = {0};
    double residual = 0;
    bool right;

    right = am_ocl_grid_open(&grid, device, &spec, &err) == AM_OK &&
            am_ocl_sweep_tune(&sweep, &grid, &found, &err) == AM_OK;
    ok(right && found.tried > 0 && found.step_ns > 0, "plain steps are searched for %s", err.text);
    right = right && am_ocl_sweep_advance(&sweep, spec.steps, NULL, &err) == AM_OK &&
            am_ocl_grid_compare(&grid, spec.steps, seed, &residual, &err) == AM_OK;
    ok(right, "and right from the start on: off by %g %s", residual, err.text);
    am_ocl_sweep_free(&sweep);
    am_ocl_grid_close(&grid);
}

/* ---- several devices ---- */

static bool parts_fail(struct am_ocl_parts *w, struct am_err *err)
{
    *err = (struct am_err){0};
    return am_ocl_parts_prove(w, w->spec.steps, err) == AM_E_WRONG;
}

static void plant_in_parts(struct am_ocl_parts *w)
{
    struct am_err err = {0};
    double residual = 0;
    bool found;

    w->part[1].planes--;
    ok(parts_fail(w, &err), "a halo of the wrong planes is found: %s", err.text);
    w->part[1].planes++;
    w->part[2].grid.coefs.side *= 1.001;
    ok(parts_fail(w, &err), "a device's own coefficient is found: %s", err.text);
    w->part[2].grid.coefs = w->part[0].grid.coefs;
    if (!w->passes) {
        w->part[1].sweep.items[2]--;
        ok(parts_fail(w, &err), "a device's planes left out are found: %s", err.text);
        w->part[1].sweep.items[2]++;
    } else {
        w->part[1].wave.groups[0]--;
        ok(parts_fail(w, &err), "a device's block skipped is found: %s", err.text);
        w->part[1].wave.groups[0]++;
    }
    err = (struct am_err){0};
    found = am_ocl_parts_fill(w, &err) == AM_OK &&
            am_ocl_parts_advance(w, w->spec.steps - 1, &err) == AM_OK &&
            am_ocl_parts_compare(w, w->spec.steps, seed, &residual, &err) == AM_E_WRONG;
    ok(found, "a step too few is found: %s", err.text);
    ok(!parts_fail(w, &err), "and without errors none is %s", err.text);
}

/* One device three times: runs of planes of different lengths, the shortest a pass long. */
static void check_parts(const struct am_ocl_device *device)
{
    static const struct grid_case cases[] = {
        {{2, AM_STENCIL_F32, {101, 16, 1}, 21, 0.125, 0, 0},
         {{16, 1}, {2, 1}, 4, 4, 1, 1, 0, false, false, 1}},
        {{3, AM_STENCIL_F32, {37, 21, 10}, 11, 1.0 / 12, 0, 0},
         {{4, 8}, {4, 2}, 3, 1, 2, 2, 2, true, false, 2}},
        {{3, AM_STENCIL_F32, {19, 11, 5}, 7, 0.1, 0, 0}, {.depth = 0}},
    };
    const struct am_ocl_device *const devices[] = {device, device, device};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct grid_case *const c = &cases[i];
        struct am_ocl_parts parts = {.count = 0};
        struct am_err err = {0};
        double residual = 0;
        bool right;

        if (ok(am_ocl_parts_open(&parts, devices, 3, &c->spec, c->shape.depth ? &c->shape : NULL,
                                 NULL, &err) == AM_OK,
               "%u dimensions on three devices, %u steps per pass %s", c->spec.dim, c->shape.depth,
               err.text)) {
            ok(am_ocl_parts_prove(&parts, c->spec.steps, &err) == AM_OK,
               "they have the bits of one device %s", err.text);
            right = am_ocl_parts_compare(&parts, c->spec.steps, seed, &residual, &err) == AM_OK &&
                    am_ocl_parts_look(&parts, seed, &err) == AM_OK;
            ok(right && residual > 0, "and these are right: off by %g %s", residual, err.text);
            plant_in_parts(&parts);
        }
        am_ocl_parts_close(&parts);
    }
}

/* ---- refused ---- */

static void check_refused(const struct am_ocl_device *device)
{
    static const struct am_ocl_wave_shape shapes[] = {
        {{4, 4}, {4, 4}, 17, 1, 1, 1, 0, false, false, 1}, /* more steps than there may be */
        {{4, 4}, {4, 4}, 8, 1, 2, 2, 0, false, false, 1},  /* the halo is all of the tile */
        {{4, 4}, {3, 4}, 2, 1, 1, 1, 0, false, false, 1},  /* no such patch */
        {{8, 8}, {2, 2}, 2, 1, 1, 1, 0, false, true, 1},   /* a row is no warp's */
        {{32, 2}, {2, 9}, 2, 1, 1, 1, 0, false, true, 1},  /* more rows than a patch may have */
        {{1 << 12, 1 << 8}, {1, 1}, 2, 1, 2, 2, 0, false, false, 1}, /* more work-items than a group
                                                                        has */
    };
    static const struct am_ocl_wave_shape long_pass = {{8, 8}, {2, 2}, 5,     1,     1,
                                                       1,      0,      false, false, 1};
    const struct am_ocl_grid_spec spec = {3, AM_STENCIL_F32, {8, 8, 8}, 4, 0.1, 0, 0};
    const struct am_ocl_device *const devices[] = {device, device};
    struct am_ocl_parts parts = {.count = 0};
    struct am_ocl_grid grid = {.front = 0};
    struct am_err err = {0};

    ok(am_ocl_grid_open(&grid, device, &spec, &err) == AM_OK, "a grid %s", err.text);
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        struct am_ocl_wave wave = {.grid = NULL};

        err = (struct am_err){0};
        ok(am_ocl_wave_build(&wave, &grid, &shapes[i], &err) == AM_E_ABSENT, "refused: %s",
           err.text);
        am_ocl_wave_free(&wave);
    }
    ok(am_ocl_parts_open(&parts, devices, 2, &spec, &long_pass, NULL, &err) == AM_E_ABSENT,
       "fewer planes than steps of a pass are refused: %s", err.text);
    am_ocl_parts_close(&parts);
    ok(am_ocl_grid_same(&grid, &err) == AM_E_WRONG, "nothing is like what was not kept");
    am_ocl_grid_close(&grid);
}

/* Wherever a single point differs from what was kept, it is found. */
static void check_differ(const struct am_ocl_device *device)
{
    const struct am_ocl_grid_spec spec = {3, AM_STENCIL_F32, {8, 9, 7}, 4, 0.1, 0, 0};
    const size_t last = (size_t)8 * 9 * 7 - 1, at[] = {0, 9, last - 1, last};
    struct am_ocl_grid grid = {.front = 0};
    struct am_err err = {0};

    ok(am_ocl_grid_open(&grid, device, &spec, &err) == AM_OK &&
           am_ocl_grid_fill(&grid, &err) == AM_OK && am_ocl_grid_keep(&grid, &err) == AM_OK &&
           am_ocl_grid_same(&grid, &err) == AM_OK,
       "a grid is like itself %s", err.text);
    for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
        const cl_float wrong = 3;
        cl_float right = 0;
        char place[64];

        err = (struct am_err){0};
        (void)am_str_format(place, sizeof(place), "(%zu, %zu, %zu) is", at[i] % 8, at[i] / 8 % 9,
                            at[i] / 72);
        (void)am_ocl_device_read(device, grid.u[grid.front], at[i] * sizeof(right), sizeof(right),
                                 &right, NULL);
        (void)am_ocl_device_write(device, grid.u[grid.front], at[i] * sizeof(wrong), sizeof(wrong),
                                  &wrong, NULL);
        ok(am_ocl_grid_same(&grid, &err) == AM_E_WRONG && strstr(err.text, "1 of 504 points") &&
               strstr(err.text, place),
           "point %zu alone is wrong: %s", at[i], err.text);
        (void)am_ocl_device_write(device, grid.u[grid.front], at[i] * sizeof(right), sizeof(right),
                                  &right, NULL);
    }
    am_ocl_grid_close(&grid);
}

int main(void)
{
    struct am_clock clock;
    const struct am_ctx ctx = {.memory_limit_bytes = 1 << 28, .seed = seed, .clock = &clock};
    const char *const name = usable_device();
    struct am_ocl_device device = {.ctx = NULL};
    struct am_err err = {0};

    am_clock_init(&clock);
    check_cuts();
    if (!name) {
        skip_test("no OpenCL device here");
        return tap_done();
    }
    ok(am_ocl_device_open(&device, &ctx, name, &err) == AM_OK, "%s opens %s", name, err.text);
    if (device.queue) {
        check_sizes(&device);
        check_planted(&device);
        check_sweeps(&device);
        check_search(&device);
        check_parts(&device);
        check_differ(&device);
        check_refused(&device);
    }
    am_ocl_device_close(&device);
    return tap_done();
}
