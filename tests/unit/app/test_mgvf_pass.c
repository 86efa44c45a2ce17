/* SPDX-License-Identifier: MIT */
/* Steps of one field in a pass over its rows against the same steps one after the other: every bit
 * of the field, and the sums of every step. */
#include "app/leukocyte/mgvf_pass.h"

#include "base/rng.h"
#include "kernels/isa.h"
#include "tap.h"

#include <stdlib.h>

enum { ROWS_MAX = 41, COLUMNS_MAX = 81, STEPS = AM_MGVF_PASS_MAX };

/* A field as the form lanes has it, behind as many rows as there are steps. */
struct field {
    const struct am_mgvf_variant *v;
    enum am_mgvf_type type;
    size_t rows, columns, row_bytes, vector_bytes;
    struct am_mgvf_step first;
    char *memory; /* edge map, room, field, sums of all steps, constants */
};

static size_t element_of(enum am_mgvf_type type)
{
    return type == AM_MGVF_F32 ? sizeof(float) : sizeof(double);
}

static size_t up(size_t bytes)
{
    return (bytes + AM_MGVF_ALIGN - 1) / AM_MGVF_ALIGN * AM_MGVF_ALIGN;
}

static void make(struct field *f, const double *edge, unsigned every)
{
    const size_t lanes = f->v->lanes[f->type], vectors = (f->columns - 2 + lanes) / lanes + 1;
    const size_t parts = STEPS + f->rows;
    size_t bytes;
    char *at;

    f->vector_bytes = lanes * element_of(f->type);
    f->row_bytes = vectors * f->vector_bytes;
    bytes = (3 * f->rows + STEPS) * f->row_bytes + parts * f->vector_bytes;
    f->memory = aligned_alloc(AM_MGVF_ALIGN, up(bytes) + up(AM_MGVF_CONSTANTS));
    if (!f->memory)
        abort();
    memset(f->memory, 0x7f, bytes); /* large numbers: what was not written shows in sums */
    at = f->memory + (2 * f->rows + STEPS) * f->row_bytes;
    f->first = (struct am_mgvf_step){
        .edge = f->memory,
        .from = at,
        .to = at - f->row_bytes,
        .rows = f->rows,
        .columns = f->columns,
        .stride = vectors * lanes,
        .diffusion = 0.1,
        .pull = 0.2,
        .parts = at + f->rows * f->row_bytes,
        .constants = f->memory + up(bytes),
        .every = every,
    };
    f->v->pack[f->type](&f->first, edge, edge);
}

/* As a pass of so many steps, or each alone; sums of all steps, and the field of the last. */
static void step(struct field *f, size_t steps, bool together, double *sums, double *out)
{
    struct am_mgvf_pass pass = {.fn = f->v->fn[AM_MGVF_BY_LANES][f->type],
                                .block = f->v->block,
                                .row_bytes = f->row_bytes,

                                .sum_bytes = f->vector_bytes};
    struct am_mgvf_step now = f->first;

    am_mgvf_pass_begin(&pass, &now);
    for (size_t t = 0; t < steps; t += pass.n) {
        am_mgvf_pass_set(&pass, &now, together ? steps : 1);
        am_mgvf_pass_run(&pass);
        for (size_t i = 0; i < pass.n; i++)
            sums[t + i] = f->v->change[f->type](&pass.steps[i]);
        now.from = pass.steps[pass.n - 1].to;
        now.to = (char *)now.to - pass.n * f->row_bytes;
    }
    f->v->unpack[f->type](&now, out);
}

static bool check_steps(struct field *f, size_t steps, const double *edge)
{
    static double one[ROWS_MAX * COLUMNS_MAX], all[ROWS_MAX * COLUMNS_MAX];
    const double close = f->type == AM_MGVF_F32 ? 1e-5 : 1e-13;
    double sums_one[STEPS], sums_all[STEPS];
    bool same;

    make(f, edge, 1);
    step(f, steps, false, sums_one, one);
    free(f->memory);
    make(f, edge, 1);
    step(f, steps, true, sums_all, all);
    free(f->memory);
    same = memcmp(one, all, f->rows * f->columns * sizeof(*one)) == 0;
    for (size_t t = 0; t < steps; t++)
        same = same && fabs(sums_all[t] - sums_one[t]) <= close * sums_one[t];
    make(f, edge, AM_MGVF_EVERY_MAX);
    step(f, steps, true, sums_all, all);
    free(f->memory);
    for (size_t t = 0; t < steps; t++)
        same = same && sums_all[t] > 0 && sums_all[t] <= (1 + close) * sums_one[t];
    return same;
}

static void check_shapes(const struct am_mgvf_variant *v, enum am_mgvf_type type,
                         struct am_rng *rng)
{
    static const size_t rows[] = {2, 3, 4, 5, 7, 8, 9, 12, 22, 41}, columns[] = {81, 33, 23};
    static double edge[ROWS_MAX * COLUMNS_MAX];

    for (size_t i = 0; i < sizeof(edge) / sizeof(edge[0]); i++)
        edge[i] = am_rng_unit(rng);
    for (size_t i = 0; i < 3 * sizeof(rows) / sizeof(rows[0]); i++) {
        struct field f = {.v = v, .type = type, .rows = rows[i / 3], .columns = columns[i % 3]};
        size_t right = 0;

        for (size_t steps = 1; steps <= STEPS; steps++)
            right += check_steps(&f, steps, edge);
        ok(right == STEPS, "%s %s: %zu x %zu, passes of 1 to %d steps have bits and sums (%zu)",
           v->isa, am_mgvf_types[type], f.rows, f.columns, STEPS, right);
    }
}

int main(void)
{
    struct am_rng rng;

    am_rng_seed(&rng, 11, 1);
    for (size_t i = 0; am_isa_names[i]; i++) {
        for (int type = 0; type < AM_MGVF_TYPES && !am_isa_why_not(am_isa_names[i]); type++)
            check_shapes(am_mgvf_find(am_isa_names[i]), (enum am_mgvf_type)type, &rng);
    }
    return tap_done();
}
