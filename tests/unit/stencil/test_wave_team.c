/* SPDX-License-Identifier: MIT */
/* Waves of three dimensions that threads share: by any number of them the same bits, in memory that
 * does not grow with them and in an order that lets them wait little; what one of them leaves out
 * is noticed. */
#include "app/stencil/wave_team.h"

#include "app/stencil/turns.h"
#include "app/stencil/wave.h"
#include "app/stencil/wave_course.h"
#include "app/stencil/wave_order.h"
#include "app/stencil/wave_ring.h"
#include "base/rng.h"
#include "kernels/isa.h"
#include "runtime/executor.h"
#include "tap.h"

#include <stdlib.h>

enum { PAGE_BYTES = 4096, STEPS = 11, CASES = 6 };

struct trial {
    struct am_stencil_grid grid;
    void *memory;
};

/* A grid whose state is x. */
static void begin(struct trial *t, const struct am_grid_spec *spec, const void *x)
{
    struct am_err err = {0};
    size_t bytes = 0;

    if (am_grid_bytes(spec, &bytes, &err) != AM_OK)
        abort();
    t->memory = aligned_alloc(PAGE_BYTES, bytes);
    memset(t->memory, 0xff, bytes); /* NaN: never a result */
    if (am_stencil_grid_init(&t->grid, spec, t->memory, &err) != AM_OK ||
        am_grid_load(&t->grid, x, &err) != AM_OK)
        abort();
}

static size_t bytes_of(const struct am_grid_spec *spec)
{
    return spec->n[0] * spec->n[1] * spec->n[2] * (spec->type == AM_STENCIL_F32 ? 4 : 8);
}

/* The largest difference of two states. */
static double difference(const struct am_grid_spec *spec, const void *a, const void *b)
{
    const bool single = spec->type == AM_STENCIL_F32;
    double largest = 0;

    for (size_t i = 0; i < spec->n[0] * spec->n[1] * spec->n[2]; i++) {
        const double d = single ? (double)((const float *)a)[i] - ((const float *)b)[i]
                                : ((const double *)a)[i] - ((const double *)b)[i];

        largest = fabs(d) <= largest ? largest : fabs(d);
    }
    return largest;
}

/* Ends a trial: whether its state is that of `want`. */
static bool is(struct trial *t, const void *want)
{
    const size_t bytes = bytes_of(&t->grid.spec);
    void *const x = malloc(bytes);
    bool same;

    am_grid_store(&t->grid, x);
    same = memcmp(x, want, bytes) == 0;
    free(x);
    free(t->memory);
    return same;
}

static struct am_grid_spec some_spec(const char *isa)
{
    return (struct am_grid_spec){.kernels = am_grid_find(isa),
                                 .dim = 3,
                                 .method = AM_STENCIL_BY_WAVE,
                                 .type = AM_STENCIL_F64,
                                 .n = {37, 23, 19},
                                 .r = 0.125,
                                 .depth = 4,
                                 .tile = {3},
                                 .parts = 1,
                                 .wall = {{0.5, -1}, {0.25, 2}, {-0.75, 1}}};
}

static void *random_state(const struct am_grid_spec *spec, struct am_rng *rng)
{
    const size_t n = spec->n[0] * spec->n[1] * spec->n[2];
    double *const x = malloc(n * sizeof(*x));

    for (size_t i = 0; i < n; i++) {
        if (spec->type == AM_STENCIL_F32)
            ((float *)(void *)x)[i] = (float)(2 * am_rng_unit(rng) - 1);
        else
            x[i] = 2 * am_rng_unit(rng) - 1;
    }
    return x;
}

/* x becomes the state after `times` runs of STEPS steps by so many parts, one after the other. */
static void step_alone(struct am_grid_spec spec, size_t parts, void *x, int times)
{
    struct trial t;

    spec.parts = parts;
    begin(&t, &spec, x);
    for (int i = 0; i < times; i++)
        am_grid_run(&t.grid, STEPS);
    am_grid_store(&t.grid, x);
    free(t.memory);
}

/* A run that is forgotten, then two from the start. */
static bool same_by_threads(struct am_grid_spec spec, const struct am_executor *executor,
                            size_t threads, const void *start, const void *want)
{
    static const int cpus[] = {0};
    const struct am_executor_setup setup = {
        .threads = threads, .cpus = cpus, .cpu_count = 1, .wait = AM_WAIT_SLEEP};
    struct am_stencil_turns turns;
    struct am_blocks filling, stepping;
    struct trial t;
    void *self = NULL;

    begin(&t, &spec, start);
    if (am_stencil_turns_init_grid(&turns, &t.grid, STEPS, start, NULL) != AM_OK ||
        executor->open(executor, &setup, &self, NULL) != AM_OK)
        abort();
    filling = am_stencil_filling(&turns);
    stepping = am_stencil_stepping(&turns);
    if (executor->prepare(self, &stepping, NULL) != AM_OK)
        abort();
    executor->run(self, &stepping, am_stencil_rounds(&turns));
    executor->run(self, &filling, 1);
    executor->run(self, &stepping, 2 * am_stencil_rounds(&turns));
    am_stencil_turns_settle(&turns);
    executor->close(self);
    am_stencil_turns_fini(&turns);
    return is(&t, want);
}

/* Small grids of any shape, sides of both kinds. */
static void test_threads(const char *isa, enum am_stencil_type type, struct am_rng *rng)
{
    static const size_t teams[] = {2, 3, 16};

    for (int i = 0; i < CASES; i++) {
        struct am_grid_spec spec = some_spec(isa);
        bool same = true, serial;
        void *start, *want, *alone;
        double off;

        spec.type = type;
        spec.fixed = i % 2;
        spec.n[0] += (size_t)(am_rng_u64(rng) % 20);
        spec.n[1] = i == 2 ? 2 : 1 + (size_t)(am_rng_u64(rng) % 40);
        spec.n[2] = i == 3 ? 1 : 1 + (size_t)(am_rng_u64(rng) % 40);
        spec.depth = 1 + (size_t)(am_rng_u64(rng) % 7);
        spec.tile[0] = 1 + (size_t)(am_rng_u64(rng) % 6);
        start = random_state(&spec, rng);
        want = malloc(bytes_of(&spec));
        alone = malloc(bytes_of(&spec));
        memcpy(want, start, bytes_of(&spec));
        memcpy(alone, start, bytes_of(&spec));
        step_alone(spec, 2, want, 2);
        step_alone(spec, 1, alone, 2);
        off = difference(&spec, want, alone);
        for (size_t k = 0; k < sizeof(teams) / sizeof(*teams); k++) {
            spec.parts = teams[k];
            same = same_by_threads(spec, &am_executor_task_default, teams[k], start, want) && same;
        }
        serial = same_by_threads(spec, &am_executor_serial, 1, start, want);
        /* Passes that go round all go the same way by threads, and to and fro by one: sums of
         * neighbours are rounded in another order there. */
        ok(same && serial && off <= am_grid_tolerance(3, type, 2 * STEPS) &&
               (!spec.fixed || off == 0),
           "%s %s %s sides, %zu x %zu x %zu, depth %zu, strips of %zu: 2, 3 and 16 threads and one "
           "for 16 have the same bits, off by %.1g from one part",
           isa, am_stencil_types[type], spec.fixed ? "fixed" : "no", spec.n[0], spec.n[1],
           spec.n[2], spec.depth, spec.tile[0], off);
        free(start);
        free(alone);
        free(want);
    }
}

/* What a pass by three could leave out, or nothing. */
enum plant { NOTHING, ROWS_AROUND, ROUND, STRIP, STEP, PLANTS };

static bool pass_is_right(struct am_grid_spec spec, enum plant error, const void *start,
                          const void *want)
{
    struct am_grid_pass pass;
    struct trial t;
    size_t strip;

    begin(&t, &spec, start);
    pass = am_grid_next(&t.grid, &t.grid.phase, spec.depth - (error == STEP));
    for (size_t part = error == ROWS_AROUND; part < spec.parts; part++)
        am_grid_exchange(&t.grid, part, &pass);
    for (int i = 0; i < 3 && error == STRIP; i++) /* claimed and told as made, but not made */
        if (am_wave_team_claim(am_wave_team_of(&t.grid), 0, 100, &strip))
            am_wave_team_tell(am_wave_team_of(&t.grid), 0, strip, 1000);
    t.grid.spec.n[1] -= error == ROUND;
    for (size_t part = 0; part < spec.parts; part++)
        am_grid_advance(&t.grid, part, &pass);
    t.grid.spec.n[1] += error == ROUND;
    am_grid_passed(&t.grid, &t.grid.phase, &pass);
    return is(&t, want);
}

/* Of fewer planes than twice its steps a pass needs rows around, of more it goes round. */
static void test_planted(bool fixed, size_t planes, struct am_rng *rng)
{
    static const char *const what[PLANTS] = {"nothing", "rows around that one does not copy",
                                             "a row that is left out", "strips that nobody makes",
                                             "a step short"};
    struct am_grid_spec spec = some_spec(am_isa_names[1]), alone;
    void *const start = random_state(&spec, rng), *const want = malloc(bytes_of(&spec));
    struct trial t;

    spec.fixed = fixed;
    spec.n[2] = planes;
    alone = spec;
    begin(&t, &alone, start);
    am_grid_run(&t.grid, spec.depth);
    am_grid_store(&t.grid, want);
    free(t.memory);
    spec.parts = 3;
    for (int error = 0; error < PLANTS; error++) {
        const bool needed = !fixed && planes < 2 * spec.depth;
        const bool harmless = error == NOTHING || (error == ROWS_AROUND && !needed);

        ok(pass_is_right(spec, (enum plant)error, start, want) == harmless,
           "%s sides, %zu planes: %s is seen as such", fixed ? "fixed" : "no", planes, what[error]);
    }
    free(start);
    free(want);
}

static void test_team(void)
{
    struct am_wave_team *const team = aligned_alloc(PAGE_BYTES, PAGE_BYTES);
    size_t strip = 9, strips = 0;

    ok(am_wave_team_bytes(3) <= PAGE_BYTES, "a team of three strips fits a page");
    am_wave_team_reset(team, 3);
    while (am_wave_team_claim(team, 0, 3, &strip) && strip == strips)
        strips++;
    ok(strips == 3, "strips of a pass are claimed in order, each once");
    ok(am_wave_team_claim(team, 1, 2, &strip) && strip == 0, "the next pass begins with the first");
    am_wave_team_tell(team, 1, 0, 7);
    am_wave_team_await(team, 1, 0, 8);
    am_wave_team_await(team, 0, 0, 100);
    ok(true, "nobody waits for what is made, nor for passes before it");
    am_wave_team_reset(team, 3);
    ok(am_wave_team_claim(team, 0, 3, &strip) && strip == 0, "and all can begin anew");
    free(team);
}

/* However many share it, shapes as they are chosen; and passes do not become short for it. */
static void test_memory(const char *isa)
{
    static const size_t sides[] = {128, 256, 320}, teams[] = {1, 2, 3, 16, 64};
    double most = 0, longest = 0;
    size_t least = SIZE_MAX;

    for (size_t i = 0; i < 3 * 5 * 4; i++) {
        const size_t side = sides[i % 3];
        struct am_grid_spec spec = some_spec(isa);
        struct am_err err = {0};
        size_t bytes = 0;

        spec.n[0] = spec.n[1] = spec.n[2] = side;
        spec.parts = teams[i / 3 % 5];
        spec.fixed = i / 15 % 2;
        spec.type = i / 30 ? AM_STENCIL_F32 : AM_STENCIL_F64;
        spec.depth = spec.tile[0] = 0;
        am_grid_choose(&spec, 1000);
        if (am_grid_bytes(&spec, &bytes, &err) != AM_OK)
            abort();
        most = fmax(most, (double)bytes / (double)bytes_of(&spec));
        least = spec.depth < least ? spec.depth : least;
        if (side == 320)
            longest = fmax(longest, (double)spec.depth);
    }
    ok(most <= 1.3, "%s: by 1 to 64 threads waves take %.2f times the grid at most", isa, most);
    ok(least >= 2 && longest >= 8, "%s: in passes of %zu to %.0f steps", isa, least, longest);
}

/* A strip that nobody resets would be told of as made. */
static void test_strips(void)
{
    struct am_grid_spec spec = some_spec(am_isa_names[0]);
    struct am_stencil_grid grid;
    bool room = true;

    spec.parts = 3;
    for (size_t i = 0; i < 400; i++) {
        spec.depth = 1 + i % 5;
        spec.n[1] = 2 * spec.depth + i / 5 % 10;
        spec.tile[0] = 1 + i / 50;
        room = room && am_stencil_grid_init(&grid, &spec, NULL, NULL) == AM_OK &&
               am_wave_order_strips(spec.n[1], spec.depth, spec.tile[0]) <= grid.strips_most;
    }
    ok(room, "each strip of a pass has a place for its count");
}

/* ---- what the order allows ---- */

enum { TEAM = 16, WAVES_MAX = 512, STRIPS_MAX = 256, RUN = 96 };

/* When each wave of the strips of two passes was made, and when each thread is free. */
struct course {
    double made[2][STRIPS_MAX][WAVES_MAX];
    double free[TEAM];
};

/* Rows times planes of a wave, of all its levels, each with so many rows more. */
static double work_of(const struct am_stencil_grid *grid, const struct am_wave_order *order,
                      size_t strip, size_t wave, ptrdiff_t planes, double more)
{
    const size_t *const n = grid->spec.n, depth = grid->spec.depth;
    const struct am_wave_piece rows = {
        .n = (ptrdiff_t)n[1],
        .from = (ptrdiff_t)am_wave_order_edge(n[1], depth, order->strips, strip),
        .to = (ptrdiff_t)am_wave_order_edge(n[1], depth, order->strips, strip + 1),
        .closes = strip + 1 == order->strips};
    const struct am_wave_piece some = {.n = (ptrdiff_t)n[2],
                                       .from = (ptrdiff_t)wave * planes,
                                       .to = (ptrdiff_t)(wave + 1) * planes,
                                       .closes = wave + 1 == order->waves};
    double work = 0;

    for (ptrdiff_t t = 0; t < (ptrdiff_t)depth; t++) {
        ptrdiff_t y[2], z[2];

        am_wave_ring_range(&rows, t, y);
        am_wave_ring_range(&some, t, z);
        if (y[0] < y[1] && z[0] < z[1])
            work += ((double)(y[1] - y[0]) + more) * (double)(z[1] - z[0]);
    }
    return work;
}

static size_t first_free(const struct course *c)
{
    size_t first = 0;

    for (size_t i = 1; i < TEAM; i++)
        first = c->free[i] < c->free[first] ? i : first;
    return first;
}

/* Of the time that TEAM threads take for a run if a row takes each of them the same, what a strip
 * reads of others so many rows of a level, and nothing else costs anything: the share that they
 * make rows in. Played here without the code that chooses by it (wave_course.h). */
static double share_of_work(const struct am_stencil_grid *grid, const struct am_wave_order *order,
                            ptrdiff_t planes, double foreign)
{
    struct course *const c = calloc(1, sizeof(*c));
    double work = 0, end = 0;

    for (size_t i = 0; i < order->passes * order->strips; i++) {
        const size_t pass = i / order->strips, strip = i % order->strips, who = first_free(c);
        double now = c->free[who];

        for (size_t w = 0; w < order->waves; w++) {
            struct am_wave_stage waits[AM_WAVE_WAITS_MAX];
            const size_t n = am_wave_order_waits(order, pass, strip, w, waits);

            for (size_t k = 0; k < n; k++)
                now = fmax(now, c->made[waits[k].pass % 2][waits[k].strip][waits[k].waves - 1]);
            now += work_of(grid, order, strip, w, planes, foreign);
            work += work_of(grid, order, strip, w, planes, 0);
            c->made[pass % 2][strip][w] = now;
        }
        c->free[who] = now;
        end = fmax(end, now);
    }
    free(c);
    return work / (TEAM * end);
}

static struct am_stencil_grid shared_by_team(const char *isa, size_t side,
                                             enum am_stencil_type type)
{
    struct am_grid_spec spec = some_spec(isa);
    struct am_stencil_grid grid;
    struct am_err err = {0};

    spec.n[0] = spec.n[1] = spec.n[2] = side;
    spec.type = type;
    spec.parts = TEAM;
    spec.depth = spec.tile[0] = 0;
    am_grid_choose(&spec, RUN);
    if (am_stencil_grid_init(&grid, &spec, NULL, &err) != AM_OK)
        abort();
    return grid;
}

static void test_order(const char *isa, size_t side, enum am_stencil_type type)
{
    const struct am_stencil_grid grid = shared_by_team(isa, side, type);
    const ptrdiff_t planes = (ptrdiff_t)am_wave_find(isa)->planes;
    const struct am_wave_order order = am_wave_order_of(&grid, RUN, (size_t)planes);
    const double share = share_of_work(&grid, &order, planes, 0);

    ok(am_wave_runs_on(&grid) && share >= 0.92,
       "%s %s %zu^3, %d steps by %d threads, passes of %zu, %zu strips of %zu, %zu waves: they wait "
       "for %.1f %% of the time at least",
       isa, am_stencil_types[type], side, RUN, TEAM, grid.spec.depth, order.strips,
       grid.spec.tile[0], order.waves, 100 * (1 - share));
}

/* Strips of any other width would use the threads less. */
static void test_choice(const char *isa, size_t side)
{
    enum { FOREIGN = 2 };
    struct am_stencil_grid grid = shared_by_team(isa, side, AM_STENCIL_F32);
    const ptrdiff_t planes = (ptrdiff_t)am_wave_find(isa)->planes;
    const size_t chosen = grid.spec.tile[0];
    double shares[64] = {0}, best = 0;
    size_t differ = 0;

    for (size_t rows = 2; rows < 64; rows++) {
        struct am_wave_order order;

        grid.spec.tile[0] = rows;
        order = am_wave_order_of(&grid, RUN, (size_t)planes);
        shares[rows] = share_of_work(&grid, &order, planes, FOREIGN);
        differ += fabs(am_wave_course_share(&grid, &order, (size_t)planes, FOREIGN) -
                       shares[rows]) > 1e-12;
        best = fmax(best, shares[rows]);
    }
    ok(chosen < 64 && shares[chosen] >= 0.995 * best && differ == 0,
       "%s %zu^3: strips of %zu rows, by which %d threads are used for %.1f %% (%.1f at best)", isa,
       side, chosen, TEAM, 100 * shares[chosen % 64], 100 * best);
}

static size_t rows_for(const char *isa, size_t rows, size_t planes)
{
    struct am_grid_spec spec = some_spec(isa);

    spec.n[1] = rows;
    spec.n[2] = planes;
    spec.parts = TEAM;
    return am_wave_order_rows(&spec, 2, 32);
}

/* Whoever asks for a grid that no memory holds is refused by its size, which comes behind this: the
 * course of its strips and waves would fill as much. */
static void test_too_large(const char *isa)
{
    const size_t huge = (size_t)1 << 40, many = rows_for(isa, huge, 19), long_ones = 1 << 16;

    ok(many == 32, "of more strips than threads wait for the widest are taken: %zu rows", many);
    ok(rows_for(isa, 160, huge) == rows_for(isa, 160, long_ones) && rows_for(isa, 160, huge) > 2,
       "many waves are as good as few: %zu rows", rows_for(isa, 160, huge));
}

int main(void)
{
    struct am_rng rng;

    am_rng_seed(&rng, 11, 0);
    test_team();
    test_strips();
    test_too_large(am_isa_names[1]);
    test_planted(false, 7, &rng);
    test_planted(false, 19, &rng);
    test_planted(true, 19, &rng);
    for (int i = 0; am_isa_names[i]; i++) {
        if (am_isa_why_not(am_isa_names[i]))
            continue;
        test_memory(am_isa_names[i]);
        for (int k = 0; k < 4; k++)
            test_order(am_isa_names[i], k / 2 ? 256 : 160, k % 2 ? AM_STENCIL_F64 : AM_STENCIL_F32);
        for (size_t side = 120; side <= 320; side += 40)
            test_choice(am_isa_names[i], side);
        test_threads(am_isa_names[i], AM_STENCIL_F32, &rng);
        test_threads(am_isa_names[i], AM_STENCIL_F64, &rng);
    }
    return tap_done();
}
