/* SPDX-License-Identifier: MIT */
/* app.stencil by a Fourier transform: the variant fft, in one dimension and on one thread. One
 * block is the whole transform, one round all steps. */
#include "app/stencil/fft_rival.h"
#include "app/stencil/forms.h"
#include "bench/apps/stencil_check.h"
#include "bench/apps/stencil_dim.h"

#include <stdlib.h>

enum { PAPER_FLOPS = 4 };

struct transform {
    struct am_stencil_task task;
    struct am_fft_rival *rival;
};

static enum am_status open_transform(const struct am_stencil_task *task, void **self_p,
                                     struct am_err *err)
{
    struct transform *const t = calloc(1, sizeof(*t));

    *self_p = t;
    if (!t)
        return am_fail(err, AM_E_NOMEM, "no memory for a grid");
    t->task = *task;
    if (am_fft_rival_why_not())
        return am_fail(err, AM_E_ABSENT, "%s", am_fft_rival_why_not());
    if (task->threads != 1)
        return am_fail(err, AM_E_ABSENT, "the transform is one thread, not %zu", task->threads);
    if (task->width || task->depth || task->form != AM_STENCIL_paper)
        return am_fail(err, AM_E_ABSENT,
                       "a transform has no slices and no form: w=0, depth=0, form=paper");
    return AM_OK;
}

static uint64_t bytes_of_transform(const void *self)
{
    const struct transform *const t = self;

    return am_fft_rival_bytes(t->task.type, t->task.n);
}

static enum am_status map_transform(void *self, struct am_err *err)
{
    struct transform *const t = self;

    return am_fft_rival_new(t->task.type, t->task.n, t->task.steps, t->task.r, &t->rival, err);
}

/* Flops are those of the steps that it stands for: nothing bounds them. */
static void cost_of_transform(void *self, const struct am_clock *clock, struct am_work *work,
                              struct am_stencil_cost *cost)
{
    const struct transform *const t = self;
    const double updates = (double)t->task.n * (double)t->task.steps;

    (void)clock;
    work->ops = updates;
    work->flops = PAPER_FLOPS * updates;
    *cost = (struct am_stencil_cost){.executed = am_fft_rival_flops(t->task.n)};
}

static void note_transform(const void *self, const struct am_ctx *ctx)
{
    (void)self;
    am_ctx_note(ctx, "planner", "FFTW_MEASURE");
}

static void fill(void *app, size_t block)
{
    const struct transform *const t = app;

    (void)block;
    am_stencil_start_all(t->task.type, am_fft_rival_state(t->rival), t->task.n);
}

static void step(void *app, size_t block)
{
    const struct transform *const t = app;

    (void)block;
    am_fft_rival_run(t->rival);
}

static struct am_blocks fill_transform(void *self)
{
    return (struct am_blocks){.count = 1, .app = self, .run = fill};
}

static struct am_blocks step_transform(void *self)
{
    return (struct am_blocks){.count = 1, .app = self, .run = step};
}

static uint64_t rounds_of_transform(const void *self)
{
    (void)self;
    return 1;
}

static double value(const void *self, size_t point)
{
    const struct transform *const t = self;
    const void *const x = am_fft_rival_state(t->rival);

    return t->task.type == AM_STENCIL_F32 ? (double)((const float *)x)[point]
                                          : ((const double *)x)[point];
}

static struct am_stencil_view view_of(const struct transform *t)
{
    return (struct am_stencil_view){.type = t->task.type,
                                    .n = t->task.n,
                                    .steps = t->task.steps,
                                    .r = t->task.r,
                                    .tolerance = am_fft_rival_tolerance(t->task.type, t->task.n) +
                                                 am_stencil_tolerance(t->task.type, 0),
                                    .seed = t->task.seed,
                                    .self = t,
                                    .value = value};
}

static enum am_status look_at_transform(const void *self, struct am_err *err)
{
    const struct am_stencil_view view = view_of(self);

    return am_stencil_look(&view, err);
}

static enum am_status check_transform(const void *self, double *residual, struct am_err *err)
{
    const struct am_stencil_view view = view_of(self);

    return am_stencil_compare(&view, residual, err);
}

static void close_transform(void *self)
{
    struct transform *const t = self;

    if (!t)
        return;
    am_fft_rival_free(t->rival);
    free(t);
}

const struct am_stencil_dim am_stencil_transform = {
    .r_max = 0.5,
    .open = open_transform,
    .bytes = bytes_of_transform,
    .map = map_transform,
    .cost = cost_of_transform,
    .note = note_transform,
    .filling = fill_transform,
    .stepping = step_transform,
    .rounds = rounds_of_transform,
    .look = look_at_transform,
    .check = check_transform,
    .close = close_transform,
};
