/* SPDX-License-Identifier: MIT */
/* Errors planted in steps of grids: what the tests of grids would not notice, they would not test.
 */
#include "grid_trial.h"
#include "tap.h"

/* Waves: neighbours that are not taken, a step short, a row that is skipped, a wall that is not
 * there. */
static void test_planted_waves(unsigned dim, struct am_rng *rng)
{
    const struct am_grid_spec ring = {.kernels = am_grid_find(am_isa_names[1]),
                                      .dim = dim,
                                      .method = AM_STENCIL_BY_WAVE,
                                      .type = AM_STENCIL_F64,
                                      .n = {19, 14, dim == 3 ? 9 : 1},
                                      .r = 0.1,
                                      .depth = 4,
                                      .tile = {3},
                                      .parts = 2};
    const double clear = 100 * am_grid_tolerance(dim, ring.type, 12);
    struct am_grid_spec walls = ring;
    struct am_grid_pass pass;
    struct trial t;

    /* Parts of three dimensions make a pass together: test_wave_team. */
    for (int error = 0; error < (dim == 2 ? 4 : 3); error++) {
        static const char *const what[] = {"nothing", "neighbours not taken", "a step short",
                                           "a part not advanced"};

        ok(trial_begin(&t, &ring, 4, rng), "a %u-D problem for waves", dim);
        pass = am_grid_next(&t.grid, &t.grid.phase, error == 2 ? 3 : 4);
        for (size_t part = 0; part < ring.parts && error != 1; part++)
            am_grid_exchange(&t.grid, part, &pass);
        for (size_t part = 0; part < ring.parts - (error == 3); part++)
            am_grid_advance(&t.grid, part, &pass);
        am_grid_passed(&t.grid, &t.grid.phase, &pass);
        ok(error ? trial_error(&t) > clear : trial_error(&t) < clear, "%s is seen as such",
           what[error]);
        trial_end(&t);
    }
    walls.fixed = true;
    walls.wall[dim - 1][1] = 0.5;
    ok(trial_begin(&t, &walls, 12, rng), "a %u-D problem with walls", dim);
    t.grid.spec.wall[dim - 1][1] = 0.501;
    am_grid_run(&t.grid, 12);
    ok(trial_error(&t) > clear, "a wall that is a little higher is noticed");
    trial_end(&t);
}

/* What these tests would not notice, they would not test. */
static void test_planted(unsigned dim, struct am_rng *rng)
{
    const struct am_grid_spec spec = some_spec(dim);
    const double clear = 100 * am_grid_tolerance(dim, spec.type, 12);
    struct am_grid_pass pass;
    struct trial t;

    ok(trial_begin(&t, &spec, 12, rng), "a %u-D problem to spoil", dim);
    am_grid_run(&t.grid, 11);
    ok(trial_error(&t) > clear, "a step too few is noticed");
    trial_end(&t);

    (void)trial_begin(&t, &spec, 5, rng);
    pass = am_grid_next(&t.grid, &t.grid.phase, 5);
    for (size_t part = 0; part < spec.parts; part++)
        am_grid_exchange(&t.grid, part, &pass);
    t.grid.length[dim - 1]--; /* the last of each lane is left as it was */
    for (size_t part = 0; part < spec.parts; part++)
        am_grid_advance(&t.grid, part, &pass);
    t.grid.length[dim - 1]++;
    am_grid_passed(&t.grid, &t.grid.phase, &pass);
    ok(trial_error(&t) > clear, "a seam off by one is noticed");
    trial_end(&t);

    (void)trial_begin(&t, &spec, 5, rng);
    pass = am_grid_next(&t.grid, &t.grid.phase, 5);
    for (size_t part = 0; part < spec.parts; part++)
        am_grid_exchange(&t.grid, part, &pass);
    t.grid.row += 64; /* rows one line apart from where they are */
    am_grid_advance(&t.grid, 0, &pass);
    t.grid.row -= 64;
    for (size_t part = 1; part < spec.parts; part++)
        am_grid_advance(&t.grid, part, &pass);
    am_grid_passed(&t.grid, &t.grid.phase, &pass);
    ok(trial_error(&t) > clear, "neighbours off by a line are noticed");
    trial_end(&t);
}

int main(void)
{
    struct am_rng rng;

    am_rng_seed(&rng, 8, 0);
    test_planted(2, &rng);
    test_planted_waves(2, &rng);
    test_planted_waves(3, &rng);
    test_planted(3, &rng);
    return tap_done();
}
