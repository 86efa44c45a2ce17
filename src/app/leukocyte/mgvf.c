/* SPDX-License-Identifier: MIT */
/* Jacobi iterations on two copies of the field, or on one that drifts; steps are loops that the
 * setup names. */
#include "app/leukocyte/mgvf.h"

#include "app/leukocyte/mgvf_pass.h"

#include <math.h>
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
    char *memory;        /* edge map (twice as wide for pairs) and both fields */
    size_t edges;        /* matrices that the edge map takes */
    double *sums;
    void *parts;     /* form lanes: a vector per block of its rows; others have none */
    void *constants; /* of the same form, from step to step */
    void *scratch;
};

/* One problem while it is being solved. What a step leaves behind is settled by the band that ends
 * last; an executor starts no band of the next step before. */
struct solution {
    const struct am_mgvf *mgvf;
    const double *edge; /* the caller's */
    am_mgvf_fn *fn;
    struct am_mgvf_step step;
    size_t bands, block; /* bands begin at multiples of `block` rows */
    double stop;
    double before; /* mean change of the steps before, counted likewise; NAN: none */
    double decay;  /* of changes, per step */
    size_t steps;  /* of the pass before */
    size_t limit, iterations;
    size_t next, most;        /* steps of the next pass, and of any */
    struct am_mgvf_pass pass; /* of a field that drifts */
    atomic_size_t ended;      /* bands of this step */
    bool packed, drifts;
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
    free(mgvf->parts);
    free(mgvf->constants);
    free(mgvf->scratch);
    free(mgvf);
}

static size_t sum_bytes(const struct am_mgvf *m)
{
    return m->loop.lanes * m->element;
}

/* A vector for each block of one step, or for each step of a pass. */
static size_t parts_bytes(const struct am_mgvf *m)
{
    const size_t blocks = (m->rows_max + m->loop.block - 1) / m->loop.block;

    return (blocks > AM_MGVF_PASS_MAX ? blocks : AM_MGVF_PASS_MAX) * sum_bytes(m);
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
    m->edges = m->loop.pack ? 2 : 1;
    scratch = m->loop.scratch ? m->loop.scratch(rows_max, columns_max) : 0;
    m->memory = aligned_new((m->edges + 2) * m->matrix_bytes + AM_MGVF_LEAD);
    m->sums = calloc(rows_max, sizeof(*m->sums));
    m->parts = m->loop.pack ? aligned_new(parts_bytes(m)) : NULL;
    m->constants = m->loop.pack ? aligned_new(AM_MGVF_CONSTANTS) : NULL;
    m->scratch = scratch ? aligned_new(scratch) : NULL;
    if (!m->memory || !m->sums || (m->loop.pack && (!m->parts || !m->constants)) ||
        (scratch && !m->scratch)) {
        am_mgvf_free(m);
        return am_fail(err, AM_E_NOMEM, "no memory for a field of %zu x %zu", rows_max,
                       columns_max);
    }
    *mgvf_p = m;
    return AM_OK;
}

/* Element (0, 0) of matrix k, with its frame: the edge map first, then both fields. */
static void *element_at(const struct am_mgvf *m, size_t k)
{
    const size_t before = k > 0 ? m->edges + k - 1 : 0;

    return m->memory + before * m->matrix_bytes + m->stride * m->element + AM_MGVF_LEAD;
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
            set(m, element_at(m, 1), i * stride + j, row[clamp(j, columns)]);
    }
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++)
            set(m, element_at(m, 0), (ptrdiff_t)(i * m->stride + j), edge[i * columns + j]);
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

static size_t count_bands(const struct am_mgvf_bands *bands, size_t parts)
{
    if (!bands || bands->count < 2)
        return 1;
    return bands->count < parts ? bands->count : parts;
}

static size_t row_bytes(const struct solution *s)
{
    return s->step.stride * s->mgvf->element;
}

/* Where the form lanes has its fields: two that are stepped in turn, or one that begins at the
 * second place and drifts to the first. Rows follow each other without gaps: the less memory, the
 * more of it is in the first cache. */
static char *packed_field(const struct solution *s, size_t k)
{
    const struct am_mgvf *const m = s->mgvf;
    char *const first = m->memory + m->edges * m->matrix_bytes;
    const size_t rows = 2 * m->matrix_bytes / row_bytes(s);

    if (k == 0)
        return first;
    return s->drifts ? first + (rows - s->step.rows) * row_bytes(s) : first + m->matrix_bytes;
}

static void begin_packed(struct solution *s)
{
    const struct am_mgvf *const m = s->mgvf;

    s->step.edge = m->memory;
    s->step.from = packed_field(s, s->drifts ? 1 : 0);
    s->step.to = s->drifts ? packed_field(s, 1) - row_bytes(s) : packed_field(s, 1);
    m->loop.pack(&s->step, s->edge, s->edge);
    if (s->drifts)
        am_mgvf_pass_begin(&s->pass, &s->step);
}

/* The field as the edge map, and the settings of the first step. */
static void begin(struct solution *s, unsigned every)
{
    const struct am_mgvf *const m = s->mgvf;

    s->step.every = every;
    s->before = NAN;
    s->decay = 0.5;
    s->iterations = 0;
    s->next = 1;
    if (s->packed) {
        begin_packed(s);
        return;
    }
    s->step.edge = element_at(m, 0);
    s->step.from = element_at(m, 1);
    s->step.to = element_at(m, 2);
    load(m, s->edge, s->step.rows, s->step.columns);
}

/* Rows in their order, so that bands make no difference. */
static double sum_of_rows(const struct am_mgvf_step *step)
{
    double sum = 0;

    for (size_t i = 0; i < step->rows; i++)
        sum += step->sums[i];
    return sum;
}

static double mean_of(const struct solution *s, double sum)
{
    return sum / (double)(s->step.rows * s->step.columns);
}

static double mean_change(const struct solution *s)
{
    return mean_of(s, s->packed ? s->mgvf->loop.change(&s->step) : sum_of_rows(&s->step));
}

/* The least of all steps of a pass. */
static double least_change(const struct solution *s)
{
    double least = INFINITY;

    for (size_t t = 0; t < s->pass.n; t++) {
        const double sum = s->mgvf->loop.change(&s->pass.steps[t]);

        least = sum < least ? sum : least;
    }
    return mean_of(s, least);
}

/* What was written is read next. */
static void exchange(struct solution *s, size_t steps)
{
    char *const old = (char *)s->step.from;

    s->step.from = s->drifts ? old - steps * row_bytes(s) : s->step.to;
    s->step.to = s->drifts ? old - (steps + 1) * row_bytes(s) : old;
}

/* Changes decay smoothly: from step to step by about as much as they did last. Passes of different
 * lengths have counted different rows: that they decay slower is not believed. */
static void update_decay(struct solution *s, double change, size_t steps)
{
    const double usual = 0.5;
    double decay = usual;

    if (change < s->before)
        decay = steps == 1 ? change / s->before : pow(change / s->before, 1.0 / (double)steps);
    if (!isnan(s->before))
        s->decay = steps == s->steps ? decay : fmin(decay, s->decay);
    s->before = change;
    s->steps = steps;
}

/* More rows are counted before the rows that are could be too few to tell, and a pass is no longer
 * than all of its steps are sure to change enough. Which rows are counted differs from step to step
 * of a pass, unless all are. */
static void choose_next(struct solution *s, double change, size_t steps)
{
    const double limit = (s->step.every > 1 ? 1.15 : 1.01) * s->stop;
    double after;

    if (steps > 1 && steps == s->most && steps == s->steps &&
        change * change >= limit * s->before) { /* as many again: nothing is nearer than that */
        s->before = change;
        return;
    }
    update_decay(s, change, steps);
    after = change * s->decay;
    s->next = 1;
    if (s->step.every > 1 && after < limit) {
        s->step.every /= 2;
        s->before = NAN;
        return;
    }
    for (; s->next < s->most && after * s->decay >= limit; s->next++)
        after *= s->decay;
}

/* `change` is the least of so many steps. In a pass of several, sums are of other blocks than those
 * that decide (`close` is more than these differ by). */
static void end_steps(struct solution *s, double change, size_t steps)
{
    static const double close = 1e-3;

    exchange(s, steps);
    s->iterations += steps;
    if (steps > 1 ? change <= (1 + close) * s->stop : s->step.every > 1 && change <= s->stop) {
        s->most = 1;
        begin(s, 1); /* the rows that were not counted could have changed enough */
        return;
    }
    s->rests = s->iterations >= s->limit || change <= s->stop;
    choose_next(s, change, steps);
}

/* The row that band k begins with. */
static size_t first_row(const struct solution *s, size_t k)
{
    const size_t blocks = (s->step.rows + s->block - 1) / s->block;
    const size_t row = k * blocks / s->bands * s->block;

    return row < s->step.rows ? row : s->step.rows;
}

static void run_band(void *app, size_t band)
{
    struct solution *const s = app;

    if (s->rests)
        return;
    s->fn(&s->step, first_row(s, band), first_row(s, band + 1));
    if (atomic_fetch_add_explicit(&s->ended, 1, memory_order_acq_rel) + 1 < s->bands)
        return;
    atomic_store_explicit(&s->ended, 0, memory_order_relaxed);
    end_steps(s, mean_change(s), 1);
}

/* A field with fewer rows before it than a pass needs is moved back first. */
static void run_pass(struct solution *s)
{
    const size_t left = s->limit - s->iterations, n = s->next < left ? s->next : left;

    if ((size_t)((const char *)s->step.from - packed_field(s, 0)) < n * row_bytes(s)) {
        memmove(packed_field(s, 1), s->step.from, s->step.rows * row_bytes(s));
        s->step.from = packed_field(s, 1);
        s->step.to = packed_field(s, 1) - row_bytes(s);
    }
    if (n == 1) {
        s->fn(&s->step, 0, s->step.rows);
        end_steps(s, mean_change(s), 1);
        return;
    }
    am_mgvf_pass_set(&s->pass, &s->step, n);
    am_mgvf_pass_run(&s->pass);
    end_steps(s, least_change(s), n);
}

/* Several steps per run: some executors need longer to begin a loop than for its rounds. Those
 * after the last do nothing. */
static void run_steps(struct solution *s, const struct am_mgvf_bands *bands)
{
    const struct am_blocks blocks = {.count = s->bands, .app = s, .run = run_band};

    if (s->drifts)
        run_pass(s);
    else if (s->bands == 1)
        run_band(s, 0);
    else
        bands->executor->run(bands->self, &blocks, STEPS_PER_RUN);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Steps together drift through as many rows, which a small field has not. */
static void choose_passes(struct solution *s)
{
    const size_t rows = (size_t)(packed_field(s, 1) - packed_field(s, 0)) / row_bytes(s);

    s->most = least(least(s->mgvf->setup.together, AM_MGVF_PASS_MAX), rows);
    s->pass.fn = s->fn;
    s->pass.block = s->block;
    s->pass.row_bytes = row_bytes(s);
    s->pass.sum_bytes = sum_bytes(s->mgvf);
}

/* How the loop takes fields of this size. */
static void choose_way(struct solution *s, const struct am_mgvf_bands *bands)
{
    const struct am_mgvf_loop *const loop = &s->mgvf->loop;
    const size_t rows = s->step.rows;

    s->packed = loop->pack && s->step.columns >= loop->columns_min;
    s->fn = loop->pack && !s->packed ? loop->narrow : loop->fn;
    s->block = s->packed ? loop->block : 1;
    s->bands = count_bands(bands, (rows + s->block - 1) / s->block);
    s->drifts = s->packed && s->bands == 1;
    if (!s->packed)
        return;
    s->step.stride = ((s->step.columns - 2 + loop->lanes) / loop->lanes + 1) * loop->lanes;
    if (s->drifts)
        choose_passes(s);
}

size_t am_mgvf_solve(struct am_mgvf *mgvf, const double *edge, size_t rows, size_t columns,
                     const struct am_mgvf_bands *bands, double *field)
{
    const struct am_mgvf_setup *const how = &mgvf->setup;
    struct solution s = {
        .mgvf = mgvf,
        .edge = edge,
        .stop = how->stop,
        .limit = how->limit,
        .rests = how->limit == 0,
        .step = {.rows = rows,
                 .columns = columns,
                 .stride = mgvf->stride,
                 .diffusion = how->mu / how->lambda,
                 .pull = 1 / how->lambda,
                 .epsilon = how->epsilon,
                 .sums = mgvf->sums,
                 .parts = mgvf->parts,
                 .constants = mgvf->constants,
                 .scratch = mgvf->scratch},
    };

    choose_way(&s, bands);
    begin(&s, s.packed ? AM_MGVF_EVERY_MAX : 1);
    while (!s.rests)
        run_steps(&s, bands);
    if (s.packed)
        mgvf->loop.unpack(&s.step, field);
    else
        store(mgvf, s.step.from, rows, columns, field);
    return s.iterations;
}
