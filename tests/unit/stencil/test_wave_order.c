/* SPDX-License-Identifier: MIT */
/* Threads that share a ring: any two waves that touch the same row, one of them to write it, have
 * an order by what they wait for, whoever makes them and whenever.
 *
 * All waves of a run are made one after the other, as one thread would. A row of the grid or of
 * what is kept aside is a number that says which row of which step it holds, so that a wave which
 * finds another is noticed; and for each row we know who wrote it last and who has read it since.
 * Each of these must have been waited for, directly or by way of others: then a run by threads in
 * any order is this one. Which strip a thread has made before does not count, only that the waves
 * of a strip follow each other. What is kept and brought back is what am_wave_ring_turn() does to
 * memory in which each row holds its own place. */
#include "app/stencil/wave_order.h"

#include "app/stencil/wave.h"
#include "app/stencil/wave_ring.h"
#include "base/rng.h"
#include "kernels/isa.h"
#include "tap.h"

#include <stdint.h>
#include <stdlib.h>

enum {
    AROUND = 2, /* rows and planes on each side of the grid */
    BOTH_SIDES = 2 * AROUND,
    READERS_MAX = 24,
    PASSES = 3,
    PLANES_MAX = 8,
    NOBODY = -1,
    NO_VALUE = INT32_MAX,
    PAGE_BYTES = 4096
};

/* What a run could get wrong. */
enum plant {
    NOTHING,
    NO_LAG,
    LAG_LESS_1,
    NO_WAIT_FOR_PASS,
    PASS_LESS_1,
    NO_WAIT_FOR_STRIP,
    STRIP_LESS_1,
    PLANTS
};

static const char *const plant_name[PLANTS] = {
    "nothing",
    "no lag behind the pass before",
    "a lag of one wave less",
    "no wait for the strip in the pass before",
    "a wait for all but the last wave of it",
    "no wait for the strip before",
    "a wait for one wave less of it",
};

/* Who wrote a row last, and who has read it since; of readers that have an order the last alone. */
struct row {
    uint32_t value;
    int writer;
    int readers, reader[READERS_MAX];
};

struct run {
    struct am_stencil_grid grid;
    struct am_wave_order order;
    ptrdiff_t planes; /* of a wave */
    size_t steps;     /* of all passes */
    enum plant plant;
    size_t rows_all; /* of the grid with those around it and of what is kept */
    struct row *row;
    uint32_t *place, *own; /* each row's number: what a turn copies, and as it was */
    size_t chains, units;  /* strips of all passes, their waves */
    uint16_t *seen;        /* [unit][chain]: waves that were made before the unit is complete */
    /* Pairs of waves that have no order; rows that do not hold what they should; waits for what
     * comes later; waves that are told of while their strip is in the pass before: its count is one
     * for all passes and may not go back. */
    size_t hazards, wrong, stuck, back;
};

static void begin_run(struct run *r, const struct am_grid_spec *spec, size_t planes, size_t steps)
{
    const size_t across = spec->n[1] + BOTH_SIDES, slots = across * (spec->n[2] + BOTH_SIDES);
    struct am_stencil_grid *const grid = &r->grid;

    *r = (struct run){.planes = (ptrdiff_t)planes, .steps = steps};
    if (am_stencil_grid_init(grid, spec, NULL, NULL) != AM_OK || !am_wave_runs_on(grid))
        abort();
    grid->length[0] = 1;
    grid->point_bytes = sizeof(*r->place);
    grid->row = (ptrdiff_t)grid->point_bytes;
    grid->plane = (ptrdiff_t)across * grid->row;
    grid->kept_offset = slots * grid->point_bytes;
    r->order = am_wave_order_of(grid, steps, planes);
    r->rows_all = slots + am_wave_ring_bytes(grid) / grid->point_bytes;
    r->row = malloc(r->rows_all * sizeof(*r->row));
    r->place = malloc(r->rows_all * sizeof(*r->place));
    r->own = malloc(r->rows_all * sizeof(*r->own));
    for (size_t i = 0; i < r->rows_all; i++)
        r->place[i] = r->own[i] = (uint32_t)i;
    grid->memory = (char *)r->place;
    r->chains = r->order.passes * r->order.strips;
    r->units = r->chains * r->order.waves;
    r->seen = malloc(r->units * r->chains * sizeof(*r->seen));
}

static void end_run(struct run *r)
{
    free(r->row);
    free(r->place);
    free(r->own);
    free(r->seen);
}

/* ---- rows ---- */

/* In the array, counted from where a pass begins. */
static size_t at(const struct run *r, ptrdiff_t y, ptrdiff_t z)
{
    const ptrdiff_t across = (ptrdiff_t)r->grid.spec.n[1] + BOTH_SIDES;

    if (y < -AROUND || z < -AROUND || y >= across - AROUND ||
        z >= (ptrdiff_t)r->grid.spec.n[2] + AROUND)
        abort();
    return (size_t)((z + AROUND) * across + y + AROUND);
}

/* Row (y, z) after so many steps of the run; y and z as the pass counts that begins after `gone`
 * steps. */
static uint32_t value_of(const struct run *r, size_t step, ptrdiff_t y, ptrdiff_t z, size_t gone)
{
    const size_t *const n = r->grid.spec.n;
    const size_t from_y = ((size_t)(y + (ptrdiff_t)n[1]) + gone) % n[1];
    const size_t from_z = ((size_t)(z + (ptrdiff_t)n[2]) + gone) % n[2];

    return (uint32_t)((step * n[2] + from_z) * n[1] + from_y);
}

static bool is_before(const struct run *r, int before, size_t unit)
{
    const size_t waves = r->order.waves, chain = (size_t)before / waves;

    return before == NOBODY || r->seen[unit * r->chains + chain] > (size_t)before % waves;
}

static void read_row(struct run *r, size_t unit, size_t i)
{
    struct row *const row = &r->row[i];
    int kept = 0;

    r->hazards += !is_before(r, row->writer, unit);
    for (int k = 0; k < row->readers; k++) {
        if (!is_before(r, row->reader[k], unit))
            row->reader[kept++] = row->reader[k];
    }
    if (kept == READERS_MAX)
        abort();
    row->reader[kept++] = (int)unit;
    row->readers = kept;
}

static void write_row(struct run *r, size_t unit, size_t i, uint32_t value)
{
    struct row *const row = &r->row[i];

    r->hazards += !is_before(r, row->writer, unit);
    for (int k = 0; k < row->readers; k++)
        r->hazards += !is_before(r, row->reader[k], unit);
    row->readers = 0;
    row->writer = (int)unit;
    row->value = value;
}

/* ---- a wave ---- */

static struct am_wave_piece strip_of(const struct run *r, size_t strip)
{
    const size_t n = r->grid.spec.n[1], depth = r->grid.spec.depth, strips = r->order.strips;

    return (struct am_wave_piece){.n = (ptrdiff_t)n,
                                  .from = (ptrdiff_t)am_wave_order_edge(n, depth, strips, strip),
                                  .to = (ptrdiff_t)am_wave_order_edge(n, depth, strips, strip + 1),
                                  .closes = strip + 1 == strips};
}

static struct am_wave_piece wave_of(const struct run *r, size_t wave)
{
    return (struct am_wave_piece){.n = (ptrdiff_t)r->grid.spec.n[2],
                                  .from = (ptrdiff_t)wave * r->planes,
                                  .to = (ptrdiff_t)(wave + 1) * r->planes,
                                  .closes = wave + 1 == r->order.waves};
}

static size_t steps_of(const struct run *r, size_t pass)
{
    const size_t depth = r->grid.spec.depth, left = r->steps - pass * depth;

    return left < depth ? left : depth;
}

/* What is kept and brought back: rows that hold another one's number then. */
static void turn(struct run *r, size_t unit, size_t pass, ptrdiff_t t,
                 const struct am_wave_piece pieces[2])
{
    const struct am_wave_way way = {.origin = (char *)(r->place + at(r, 0, 0)),
                                    .row = r->grid.row,
                                    .plane = r->grid.plane,
                                    .pass = pass};
    const size_t bytes = r->rows_all * sizeof(*r->place);

    am_wave_ring_turn(&r->grid, &way, t, &pieces[0], &pieces[1]);
    if (memcmp(r->place, r->own, bytes) == 0)
        return;
    for (size_t i = 0; i < r->rows_all; i++) {
        if (r->place[i] != i)
            read_row(r, unit, r->place[i]);
    }
    /* values first: what is overwritten may be what another row becomes */
    for (size_t i = 0; i < r->rows_all; i++)
        r->place[i] = r->place[i] == i ? (uint32_t)i : ~r->row[r->place[i]].value;
    for (size_t i = 0; i < r->rows_all; i++) {
        if (r->place[i] != i)
            write_row(r, unit, i, ~r->place[i]);
    }
    memcpy(r->place, r->own, bytes);
}

/* Row (y, z) of level t + 1 from five rows of level t. */
static void step(struct run *r, size_t unit, size_t gone, ptrdiff_t t, ptrdiff_t y, ptrdiff_t z)
{
    static const ptrdiff_t around[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const size_t done = gone + (size_t)t;

    for (int k = 0; k < 5; k++) {
        const ptrdiff_t from_y = y + around[k][0], from_z = z + around[k][1];
        const size_t i = at(r, from_y - t, from_z - t);

        r->wrong += r->row[i].value != value_of(r, done, from_y, from_z, gone);
        read_row(r, unit, i);
    }
    write_row(r, unit, at(r, y - t - 1, z - t - 1), value_of(r, done + 1, y, z, gone));
}

/* Rows that were stepped, one after the other, and where a wave begins a level. */
struct list {
    size_t n, most;
    size_t *row;
    bool *first;
};

static void tell(struct list *list, size_t row, bool first)
{
    if (list->n == list->most) {
        list->most = 2 * list->most + 64;
        list->row = realloc(list->row, list->most * sizeof(*list->row));
        list->first = realloc(list->first, list->most * sizeof(*list->first));
    }
    list->row[list->n] = row;
    list->first[list->n++] = first;
}

static void make_wave(struct run *r, size_t pass, size_t strip, size_t wave, struct list *told)
{
    const size_t unit = (pass * r->order.strips + strip) * r->order.waves + wave;
    const size_t gone = pass * r->grid.spec.depth;
    const struct am_wave_piece pieces[2] = {strip_of(r, strip), wave_of(r, wave)};

    for (ptrdiff_t t = 0; t < (ptrdiff_t)steps_of(r, pass); t++) {
        ptrdiff_t ys[2], zs[2];

        turn(r, unit, pass, t, pieces);
        am_wave_ring_range(&pieces[0], t, ys);
        am_wave_ring_range(&pieces[1], t, zs);
        for (ptrdiff_t z = zs[0]; z < zs[1]; z++) {
            for (ptrdiff_t y = ys[0]; y < ys[1]; y++) {
                step(r, unit, gone, t, y, z);
                if (told)
                    tell(told, at(r, y - t - 1, z - t - 1), y == ys[0] && z == zs[0]);
            }
        }
    }
}

/* ---- a run ---- */

/* Waves that a stage asks for, of those that have not been left out. */
static size_t planted_waves(enum plant plant, const struct am_wave_stage *stage, size_t pass,
                            size_t strip)
{
    const bool beside = stage->pass == pass, own = !beside && stage->strip == strip;

    if ((beside && plant == NO_WAIT_FOR_STRIP) || (own && plant == NO_WAIT_FOR_PASS))
        return 0;
    return stage->waves - ((beside && plant == STRIP_LESS_1) || (own && plant == PASS_LESS_1));
}

/* What the unit waits for, and all that was waited for before that. */
static void await(struct run *r, size_t pass, size_t strip, size_t wave)
{
    const size_t waves = r->order.waves, chain = pass * r->order.strips + strip;
    const size_t unit = chain * waves + wave;
    struct am_wave_order order = r->order;
    struct am_wave_stage waits[AM_WAVE_WAITS_MAX];
    uint16_t *const seen = r->seen + unit * r->chains;
    size_t n;

    order.lag = r->plant == NO_LAG ? 0 : order.lag - (r->plant == LAG_LESS_1);
    n = am_wave_order_waits(&order, pass, strip, wave, waits);
    if (wave > 0)
        memcpy(seen, seen - r->chains, r->chains * sizeof(*seen));
    else
        memset(seen, 0, r->chains * sizeof(*seen));
    for (size_t i = 0; i < n; i++) {
        const size_t other = waits[i].pass * order.strips + waits[i].strip;
        const size_t made = planted_waves(r->plant, &waits[i], pass, strip);

        r->stuck += other >= chain || waits[i].waves > waves || waits[i].waves == 0;
        for (size_t k = 0; made > 0 && k < r->chains; k++) {
            const uint16_t there = r->seen[(other * waves + made - 1) * r->chains + k];

            seen[k] = there > seen[k] ? there : seen[k];
        }
    }
    seen[chain] = (uint16_t)(wave + 1);
    r->back += pass > 0 && seen[chain - order.strips] != waves;
}

/* The rows that it steps are told to a list, where there is one. */
static void make_run(struct run *r, enum plant plant, struct list *told)
{
    const size_t *const n = r->grid.spec.n, waves = r->order.waves;

    r->plant = plant;
    r->hazards = r->wrong = r->stuck = r->back = 0;
    for (size_t i = 0; i < r->rows_all; i++)
        r->row[i] = (struct row){.value = NO_VALUE, .writer = NOBODY};
    for (size_t i = 0; i < n[1] * n[2]; i++) {
        const ptrdiff_t y = (ptrdiff_t)(i % n[1]), z = (ptrdiff_t)(i / n[1]);

        r->row[at(r, y, z)].value = value_of(r, 0, y, z, 0);
    }
    for (size_t i = 0; i < r->units && (plant == NOTHING || !r->hazards); i++) {
        const size_t pass = i / waves / r->order.strips, strip = i / waves % r->order.strips;

        await(r, pass, strip, i % waves);
        make_wave(r, pass, strip, i % waves, told);
    }
    for (size_t i = 0; i < n[1] * n[2]; i++) {
        const ptrdiff_t y = (ptrdiff_t)(i % n[1]), z = (ptrdiff_t)(i / n[1]);

        r->wrong += r->row[at(r, y, z)].value != value_of(r, r->steps, y, z, r->steps);
    }
}

/* ---- any shapes ---- */

/* Sides from the smallest, strips as they are chosen for 2 to 16 threads, as narrow and as wide as
 * can be, and any between. */
static struct am_grid_spec some_spec(struct am_rng *rng)
{
    const size_t depth = 1 + am_rng_u64(rng) % 8, parts = 2 + am_rng_u64(rng) % 15;
    struct am_grid_spec spec = {.kernels = am_grid_find(am_isa_names[0]),
                                .dim = 3,
                                .method = AM_STENCIL_BY_WAVE,
                                .type = AM_STENCIL_F64,
                                .n = {8, 0, 0},
                                .r = 0.125,
                                .depth = depth,
                                .parts = parts};
    const uint64_t shape = am_rng_u64(rng) % 6;

    for (int d = 1; d < 3; d++) {
        const size_t range = am_rng_u64(rng) % 3 ? 61 - 2 * depth : 4;

        spec.n[d] = 2 * depth + am_rng_u64(rng) % range;
    }
    spec.tile[0] = shape == 0   ? 1
                   : shape == 1 ? 2
                   : shape == 2 ? spec.n[1]
                   : shape == 3 ? 1 + am_rng_u64(rng) % 12
                                : am_wave_order_rows(&spec, 1 + shape % 2, spec.n[1]);
    return spec;
}

static void some_run(struct run *r, struct am_rng *rng)
{
    const struct am_grid_spec spec = some_spec(rng);

    begin_run(r, &spec, 1 + am_rng_u64(rng) % PLANES_MAX,
              PASSES * spec.depth + am_rng_u64(rng) % spec.depth);
}

/* Shapes in which each would be noticed. A lag of a pass or more lets nobody in before all of it is
 * made: it may as well be shorter, and there is nothing else to wait for. */
static void count_needed(const struct am_wave_order *order, size_t needed[PLANTS])
{
    needed[NO_LAG]++;
    needed[LAG_LESS_1] += order->lag < order->waves;
    needed[NO_WAIT_FOR_PASS] += order->lag + 1 < order->waves;
    needed[PASS_LESS_1] += order->lag + 1 < order->waves;
    needed[NO_WAIT_FOR_STRIP]++;
    needed[STRIP_LESS_1]++;
}

static void test_shapes(int cases)
{
    size_t noticed[PLANTS] = {0}, needed[PLANTS] = {0}, wrong = 0, stuck = 0, back = 0;
    struct am_rng rng;

    am_rng_seed(&rng, 5, 0);
    for (int i = 0; i < cases; i++) {
        struct run r;

        some_run(&r, &rng);
        for (int plant = PLANTS - 1; plant >= NOTHING; plant--) {
            make_run(&r, (enum plant)plant, NULL);
            noticed[plant] += r.hazards > 0;
        }
        wrong += r.wrong;
        stuck += r.stuck;
        back += r.back;
        count_needed(&r.order, needed);
        if (r.hazards || r.wrong || r.stuck || r.back)
            printf("# %zu x %zu rows, depth %zu, strips of %zu, waves of %td, %zu steps\n",
                   r.grid.spec.n[1], r.grid.spec.n[2], r.grid.spec.depth, r.grid.spec.tile[0],
                   r.planes, r.steps);
        end_run(&r);
    }
    ok(wrong == 0, "in %d shapes each wave finds the rows of the step that it needs", cases);
    ok(stuck == 0, "none waits for one that is claimed later");
    ok(back == 0, "none is told of before its strip is complete in the pass before");
    ok(noticed[NOTHING] == 0, "any two waves that touch the same row have an order");
    for (int plant = NOTHING + 1; plant < PLANTS; plant++)
        ok(noticed[plant] == needed[plant] && needed[plant] > 0,
           "%s leaves two without in %zu shapes, of %zu that need it", plant_name[plant],
           noticed[plant], needed[plant]);
}

/* ---- the passes themselves ---- */

/* Kernels that step nothing and tell of the rows that they were to write. */
static struct {
    const struct run *run;
    const struct am_stencil_grid *grid;
    struct list list;
} passes;

static void tell_block(const struct am_wave_block *block, ptrdiff_t planes, ptrdiff_t rows)
{
    const ptrdiff_t row = block->row, plane = block->plane;
    const char *const corner = am_wave_slot(passes.grid, 0, 0, -AROUND, -AROUND);
    const ptrdiff_t first = block->first - corner;

    for (ptrdiff_t i = 0; i < planes * rows; i++) {
        const ptrdiff_t z = first / plane - AROUND + i / rows - 1;
        const ptrdiff_t y = first % plane / row - AROUND + i % rows - 1;

        tell(&passes.list, at(passes.run, y, z), false);
    }
}

#define BLOCK(planes, rows)                                                                        \
    static void block_##planes##_##rows(const struct am_wave_block *block)                         \
    {                                                                                              \
        tell_block(block, planes, rows);                                                           \
    }
BLOCK(1, 1)
BLOCK(1, 2)
BLOCK(2, 1)
BLOCK(2, 2)
BLOCK(3, 1)
BLOCK(3, 2)
BLOCK(4, 1)
BLOCK(4, 2)

static int by_number(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

/* Within a level of a wave rows come in blocks of any form. */
static bool same_rows(struct list *a, struct list *b)
{
    bool same = a->n == b->n;

    for (size_t from = 0, to; same && from < a->n; from = to) {
        for (to = from + 1; to < a->n && !a->first[to];)
            to++;
        qsort(a->row + from, to - from, sizeof(*a->row), by_number);
        qsort(b->row + from, to - from, sizeof(*b->row), by_number);
        same = memcmp(a->row + from, b->row + from, (to - from) * sizeof(*a->row)) == 0;
    }
    return same;
}

/* Whether one thread makes a whole run of passes as they are made here. */
static bool passes_are(const struct am_grid_spec *spec, size_t planes, size_t steps)
{
    const struct am_wave_variant kernels = {.isa = "none",
                                            .planes = (unsigned)planes,
                                            .deep = 2,
                                            .solid[AM_STENCIL_F64] = {{block_1_1, block_1_2},
                                                                      {block_2_1, block_2_2},
                                                                      {block_3_1, block_3_2},
                                                                      {block_4_1, block_4_2}}};
    double *const x = calloc(spec->n[0] * spec->n[1] * spec->n[2], sizeof(*x));
    struct list here = {0};
    struct am_stencil_grid grid;
    struct am_grid_pass all;
    size_t bytes = 0;
    struct run r;
    void *memory;
    bool same;

    begin_run(&r, spec, planes, steps);
    make_run(&r, NOTHING, &here);
    if (am_grid_bytes(spec, &bytes, NULL) != AM_OK)
        abort();
    memory = aligned_alloc(PAGE_BYTES, bytes);
    if (am_stencil_grid_init(&grid, spec, memory, NULL) != AM_OK ||
        am_grid_load(&grid, x, NULL) != AM_OK)
        abort();
    grid.waves = &kernels;
    passes.run = &r;
    passes.grid = &grid;
    passes.list.n = 0;
    all = am_grid_next(&grid, &grid.phase, steps);
    am_grid_advance(&grid, 0, &all);
    same = all.steps == steps && same_rows(&here, &passes.list);
    free(memory);
    free(x);
    free(here.row);
    free(here.first);
    end_run(&r);
    return same;
}

static void test_passes(int cases)
{
    struct am_rng rng;
    int same = 0;

    am_rng_seed(&rng, 6, 0);
    for (int i = 0; i < cases; i++) {
        const struct am_grid_spec spec = some_spec(&rng);

        same += passes_are(&spec, i % 2 ? 2 : 4, PASSES * spec.depth + (size_t)i % spec.depth);
    }
    ok(same == cases, "passes step these rows, wave by wave, in %d shapes of %d", same, cases);
    free(passes.list.row);
    free(passes.list.first);
}

int main(void)
{
    enum { CASES = 400, RUNS = 100 };

    test_shapes(TAP_CASES(CASES));
    test_passes(TAP_CASES(RUNS));
    return tap_done();
}
