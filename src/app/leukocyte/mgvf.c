/* SPDX-License-Identifier: MIT */
/* Jacobi iterations on two copies of the field; steps are loops that the setup names. */
#include "app/leukocyte/mgvf.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MAX = 4096, STEPS_PER_RUN = 16 };

const struct am_mgvf_setup am_mgvf_defaults = AM_MGVF_DEFAULTS;

struct am_mgvf {
    struct am_mgvf_setup setup;
    struct am_mgvf_loop loop;
    size_t rows_max, columns_max;
    size_t element;      /* bytes */
    size_t stride;       /* elements */
    size_t matrix_bytes; /* with the frame's rows */
    char *memory;        /* edge map and both fields, one after the other */
    double *sums;
    void *scratch;
};

/* One problem while it is being solved. What a step leaves behind is settled by the band that ends
 * last; an executor starts no band of the next step before. */
struct solution {
    am_mgvf_fn *fn;
    struct am_mgvf_step step;
    size_t bands;
    double stop;
    size_t limit, iterations;
    atomic_size_t ended; /* bands of this step */
    bool rests;
};

/* ---- memory ---- */

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* Zeroed. */
static void *aligned_new(size_t bytes)
{
    const size_t size = round_up(bytes, AM_MGVF_ALIGN);
    void *const memory = aligned_alloc(AM_MGVF_ALIGN, size);

    if (memory)
        memset(memory, 0, size);
    return memory;
}

void am_mgvf_free(struct am_mgvf *mgvf)
{
    if (!mgvf)
        return;
    free(mgvf->memory);
    free(mgvf->sums);
    free(mgvf->scratch);
    free(mgvf);
}

static void lay_out(struct am_mgvf *m)
{
    const size_t row_bytes =
        AM_MGVF_LEAD + round_up((m->columns_max + 1) * m->element, AM_MGVF_ALIGN);

    m->stride = row_bytes / m->element;
    m->matrix_bytes = (m->rows_max + 2) * row_bytes;
}

enum am_status am_mgvf_new(const struct am_mgvf_setup *setup, size_t rows_max, size_t columns_max,
                           struct am_mgvf **mgvf_p, struct am_err *err)
{
    struct am_mgvf *m;
    size_t scratch;

    if (rows_max < 2 || rows_max > SIDE_MAX || columns_max < 2 || columns_max > SIDE_MAX)
        return am_fail(err, AM_E_LIMIT, "a field of %zu x %zu: sides are 2 to %d", rows_max,
                       columns_max, SIDE_MAX);
    m = calloc(1, sizeof(*m));
    if (!m)
        return am_fail(err, AM_E_NOMEM, "no memory for a field");
    m->setup = *setup;
    m->loop = setup->loop ? *setup->loop : am_mgvf_reference[setup->heaviside];
    m->rows_max = rows_max;
    m->columns_max = columns_max;
    m->element = m->loop.type == AM_MGVF_F32 ? sizeof(float) : sizeof(double);
    lay_out(m);
    scratch = m->loop.scratch ? m->loop.scratch(rows_max, columns_max) : 0;
    m->memory = aligned_new(3 * m->matrix_bytes + AM_MGVF_LEAD);
    m->sums = calloc(rows_max, sizeof(*m->sums));
    m->scratch = scratch ? aligned_new(scratch) : NULL;
    if (!m->memory || !m->sums || (scratch && !m->scratch)) {
        am_mgvf_free(m);
        return am_fail(err, AM_E_NOMEM, "no memory for a field of %zu x %zu", rows_max,
                       columns_max);
    }
    *mgvf_p = m;
    return AM_OK;
}

/* Element (0, 0) of matrix k. */
static void *matrix(const struct am_mgvf *m, size_t k)
{
    return m->memory + k * m->matrix_bytes + m->stride * m->element + AM_MGVF_LEAD;
}

/* ---- values in and out ---- */

static void set(const struct am_mgvf *m, void *matrix, ptrdiff_t at, double value)
{
    if (m->loop.type == AM_MGVF_F32)
        ((float *)matrix)[at] = (float)value;
    else
        ((double *)matrix)[at] = value;
}

static double get(const struct am_mgvf *m, const void *matrix, size_t at)
{
    return m->loop.type == AM_MGVF_F32 ? (double)((const float *)matrix)[at]
                                       : ((const double *)matrix)[at];
}

static size_t clamp(ptrdiff_t i, size_t n)
{
    if (i < 0)
        return 0;
    return (size_t)i < n ? (size_t)i : n - 1;
}

/* The field begins as the edge map, with its frame. */
static void load(const struct am_mgvf *m, const double *edge, size_t rows, size_t columns)
{
    const ptrdiff_t stride = (ptrdiff_t)m->stride;

    memset(m->memory, 0, m->matrix_bytes); /* padding of an edge map before this one */
    for (ptrdiff_t i = -1; i <= (ptrdiff_t)rows; i++) {
        const double *const row = edge + clamp(i, rows) * columns;

        for (ptrdiff_t j = -1; j <= (ptrdiff_t)columns; j++)
            set(m, matrix(m, 1), i * stride + j, row[clamp(j, columns)]);
    }
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++)
            set(m, matrix(m, 0), (ptrdiff_t)(i * m->stride + j), edge[i * columns + j]);
    }
}

static void store(const struct am_mgvf *m, const void *from, size_t rows, size_t columns,
                  double *field)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++)
            field[i * columns + j] = get(m, from, i * m->stride + j);
    }
}

/* ---- iterations ---- */

/* Rows in their order, so that bands make no difference. */
static double mean_change(const struct am_mgvf_step *step)
{
    double sum = 0;

    for (size_t i = 0; i < step->rows; i++)
        sum += step->sums[i];
    return sum / (double)(step->rows * step->columns);
}

static void end_step(struct solution *s)
{
    const void *const old = s->step.from;

    s->iterations++;
    s->step.from = s->step.to;
    s->step.to = (void *)old;
    s->rests = s->iterations >= s->limit || mean_change(&s->step) <= s->stop;
}

static void run_band(void *app, size_t band)
{
    struct solution *const s = app;
    const size_t rows = s->step.rows;

    if (s->rests)
        return;
    s->fn(&s->step, band * rows / s->bands, (band + 1) * rows / s->bands);
    if (atomic_fetch_add_explicit(&s->ended, 1, memory_order_acq_rel) + 1 < s->bands)
        return;
    atomic_store_explicit(&s->ended, 0, memory_order_relaxed);
    end_step(s);
}

/* Several steps per run: some executors need longer to begin a loop than for its rounds. Those
 * after the last do nothing. */
static void run_steps(struct solution *s, const struct am_mgvf_bands *bands)
{
    const struct am_blocks blocks = {.count = s->bands, .app = s, .run = run_band};

    if (s->bands == 1)
        run_band(s, 0);
    else
        bands->executor->run(bands->self, &blocks, STEPS_PER_RUN);
}

static size_t count_bands(const struct am_mgvf_bands *bands, size_t rows)
{
    if (!bands || bands->count < 2)
        return 1;
    return bands->count < rows ? bands->count : rows;
}

size_t am_mgvf_solve(struct am_mgvf *mgvf, const double *edge, size_t rows, size_t columns,
                     const struct am_mgvf_bands *bands, double *field)
{
    const struct am_mgvf_setup *const how = &mgvf->setup;
    struct solution s = {
        .fn = mgvf->loop.fn,
        .bands = count_bands(bands, rows),
        .stop = how->stop,
        .limit = how->limit,
        .rests = how->limit == 0,
        .step = {.edge = matrix(mgvf, 0),
                 .from = matrix(mgvf, 1),
                 .to = matrix(mgvf, 2),
                 .rows = rows,
                 .columns = columns,
                 .stride = mgvf->stride,
                 .diffusion = how->mu / how->lambda,
                 .pull = 1 / how->lambda,
                 .epsilon = how->epsilon,
                 .sums = mgvf->sums,
                 .scratch = mgvf->scratch},
    };

    load(mgvf, edge, rows, columns);
    while (!s.rests)
        run_steps(&s, bands);
    store(mgvf, s.step.from, rows, columns, field);
    return s.iterations;
}
