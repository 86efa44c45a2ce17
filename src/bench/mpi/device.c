/* SPDX-License-Identifier: MIT */
/* app.stencil over ranks with devices: who has which, the shape of passes, their exchange. */
#include "bench/mpi/device.h"

#include "base/text.h"
#include "bench/ocl/host/found.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- exchange ---- */

static enum am_status trade(void *self, const void *first, const void *last, void *const from[2],
                            size_t bytes, struct am_err *err)
{
    struct am_mpi_device *const w = self;
    const struct am_clock *const clock = w->team->clock;
    /* messages that are sent are not written to */
    void *const ends[AM_RING_ENDS] = {[AM_RING_TO_BEFORE] = (void *)(uintptr_t)first,
                                      [AM_RING_TO_AFTER] = (void *)(uintptr_t)last,
                                      [AM_RING_FROM_BEFORE] = from[0],
                                      [AM_RING_FROM_AFTER] = from[1]};
    const uint64_t begin = clock->now_ns(clock->self);
    struct am_mpi_ring messages;

    if (bytes > INT_MAX)
        return am_fail(err, AM_E_ABSENT, "%zu bytes are too many for a message", bytes);
    am_mpi_ring_post(&messages, w->team, ends, (int)bytes, MPI_BYTE);
    am_mpi_ring_wait(&messages);
    w->traded++;
    w->trade_ns += clock->now_ns(clock->self) - begin;
    return AM_OK;
}

/* ---- devices ---- */

/* The name of the device that a rank takes: NAME, NAME-2, NAME-3, ... in turn, as many as there
 * are. What says how many (NAME*2) is taken by every rank. */
static bool name_for(const char *name, int rank, char *buf, size_t cap)
{
    size_t equal = 1;

    if (strchr(name, '*'))
        return am_str_copy(buf, cap, name);
    while (am_str_format(buf, cap, "%s-%zu", name, equal + 1) &&
           am_name_index(am_ocl_device_names(), AM_NAMES_ENDED, buf) >= 0)
        equal++;
    return (size_t)rank % equal == 0
               ? am_str_copy(buf, cap, name)
               : am_str_format(buf, cap, "%s-%zu", name, (size_t)rank % equal + 1);
}

static enum am_status open_devices(struct am_mpi_device *w, const char *name, struct am_err *err)
{
    const struct am_mpi_team *const team = w->team;
    uint64_t memory = team->ctx ? team->ctx->memory_limit_bytes : 0;
    char own[AM_OCL_NAME_MAX];

    (void)MPI_Bcast(&memory, 1, MPI_UINT64_T, 0, team->comm);
    w->ctx = team->ctx ? *team->ctx
                       : (struct am_ctx){.memory_limit_bytes = memory,
                                         .seed = team->seed,
                                         .clock = team->clock};
    w->ctx.memory_limit_bytes = memory / (size_t)(team->local_size > 0 ? team->local_size : 1);
    if (!name_for(name, team->local_rank, own, sizeof(own)))
        return am_fail(err, AM_E_ABSENT, "the name of %s is too long", name);
    return am_ocl_together_open(&w->devices, &w->ctx, own, err);
}

/* ---- the shape, found by rank 0 ---- */

/* All that is told; one of both shapes is meant. */
struct shapes {
    int status;
    struct am_ocl_stencil_shape line;
    struct am_ocl_wave_shape grid;
    char why[sizeof(((struct am_err *)NULL)->text)];
};

static enum am_status search_line(const struct am_mpi_device *w, struct am_ocl_stencil_shape *out,
                                  struct am_err *err)
{
    const struct am_ocl_stencil_wish wish = {
        .width = (unsigned)w->width, .depth = w->depth, .seed = w->team->seed};
    struct am_ocl_stencil_spec share = w->line;
    struct am_ocl_stencil st = {.count = 0};
    unsigned tried = 0;
    enum am_status s;

    share.ring = NULL;
    share.n = w->n / w->ring.total;
    if (!share.n)
        return am_fail(err, AM_E_ABSENT, "%zu points for %zu devices", w->n, w->ring.total);
    s = am_ocl_stencil_tune(&st, w->devices.use, 1, &share, &wish, &tried, err);
    *out = st.shape;
    am_ocl_stencil_free(&st);
    return s;
}

static enum am_status search_grid(const struct am_mpi_device *w, struct am_ocl_wave_shape *out,
                                  struct am_err *err)
{
    const struct am_ocl_wave_wish wish = {.width = (unsigned)w->width, .depth = w->depth};
    struct am_ocl_wave_found found = {.tried = 0};
    struct am_ocl_grid_spec share = w->grid;
    struct am_ocl_grid grid = {.front = 0};
    struct am_ocl_wave wave = {.grid = NULL};
    enum am_status s;

    share.planes = w->grid.n[w->dim - 1] / w->ring.total;
    if (!share.planes)
        return am_fail(err, AM_E_ABSENT, "fewer planes than devices");
    s = am_ocl_grid_open(&grid, w->devices.use[0], &share, err);
    if (s == AM_OK)
        s = am_ocl_wave_tune(&wave, &grid, &wish, &found, err);
    *out = wave.shape;
    am_ocl_wave_free(&wave);
    am_ocl_grid_close(&grid);
    return s;
}

static enum am_status share_shape(const struct am_mpi_device *w, struct shapes *shapes,
                                  struct am_err *err)
{
    if (w->team->rank == 0) {
        shapes->status = (int)(w->dim == 1 ? search_line(w, &shapes->line, err)
                                           : search_grid(w, &shapes->grid, err));
        (void)am_str_copy(shapes->why, sizeof(shapes->why), err->text);
    }
    (void)MPI_Bcast(shapes, (int)sizeof(*shapes), MPI_BYTE, 0, w->team->comm);
    return shapes->status == AM_OK
               ? AM_OK
               : am_fail(err, (enum am_status)shapes->status, "%s", shapes->why);
}

/* ---- open ---- */

static void note_shape(const struct am_mpi_device *w, const struct shapes *shapes)
{
    const struct am_ctx *const ctx = w->team->ctx;

    if (!ctx)
        return;
    if (!w->width)
        am_ctx_chosen(ctx, "w", "%u",
                      w->dim == 1 ? shapes->line.width
                                  : shapes->grid.items[0] * shapes->grid.points[0]);
    if (!w->depth)
        am_ctx_chosen(ctx, "depth", "%zu", w->dim == 1 ? w->st.shape.depth : w->parts.depth);
    if (w->dim > 1)
        am_ctx_note(ctx, "sides", "%zu x %zu x %zu", w->grid.n[0], w->grid.n[1], w->grid.n[2]);
}

static enum am_status open_parts(struct am_mpi_device *w, const struct shapes *shapes,
                                 struct am_err *err)
{
    enum am_status s;

    if (w->dim > 1)
        return am_ocl_parts_open(&w->parts, w->devices.use, w->devices.count, &w->grid,
                                 &shapes->grid, &w->ring, err);
    s = am_ocl_stencil_build(&w->st, w->devices.use, w->devices.count, &w->line, &shapes->line,
                             err);
    return s == AM_OK ? am_ocl_stencil_lay_out(&w->st, shapes->line.groups, shapes->line.depth, err)
                      : s;
}

enum am_status am_mpi_device_open(struct am_mpi_device *w, const char *name, struct am_err *err)
{
    struct shapes shapes = {.status = AM_OK};
    enum am_status s = open_devices(w, name, err);

    if (!am_mpi_all_well(w->team, &s, err))
        return s;
    w->ring = (struct am_ocl_ring){.before = (size_t)w->team->rank * w->devices.count,
                                   .total = (size_t)w->team->size * w->devices.count,
                                   .self = w,
                                   .trade = trade};
    w->line.ring = &w->ring;
    s = share_shape(w, &shapes, err);
    if (s == AM_OK)
        s = open_parts(w, &shapes, err);
    if (!am_mpi_all_well(w->team, &s, err))
        return s;
    note_shape(w, &shapes);
    return AM_OK;
}

void am_mpi_device_close(struct am_mpi_device *w)
{
    am_ocl_stencil_free(&w->st);
    am_ocl_parts_close(&w->parts);
    am_ocl_together_close(&w->devices);
}

/* ---- steps ---- */

enum am_status am_mpi_device_fill(struct am_mpi_device *w, struct am_err *err)
{
    return w->dim == 1 ? am_ocl_stencil_fill(&w->st, err) : am_ocl_parts_fill(&w->parts, err);
}

/* Exchanges of one iteration, and bytes of each end in the i-th of them. */
static uint64_t exchanges_of(const struct am_mpi_device *w)
{
    const size_t depth = w->dim == 1 ? w->st.shape.depth : w->parts.depth;

    return w->dim == 1 && w->ring.total == 1 ? 0 : (w->steps + depth - 1) / depth;
}

static size_t bytes_of(const struct am_mpi_device *w, uint64_t i)
{
    const size_t depth = w->st.shape.depth, left = w->steps - (size_t)i * depth;
    const struct am_ocl_grid *const g = &w->parts.part[0].grid;

    if (w->dim == 1)
        return (left < depth ? left : depth) * w->st.element_bytes;
    return w->parts.depth * g->across[0] * g->across[1] * g->element_bytes;
}

enum am_status am_mpi_device_advance(struct am_mpi_device *w, struct am_err *err)
{
    const uint64_t begun = w->traded;
    uint64_t ns = 0;
    enum am_status s;

    s = w->dim == 1 ? am_ocl_stencil_run(&w->st, 1, &ns, err)
                    : am_ocl_parts_advance(&w->parts, w->steps, err);
    while (s != AM_OK && w->traded - begun < exchanges_of(w)) {
        const size_t bytes = bytes_of(w, w->traded - begun);
        char *const none = calloc(4, bytes);

        if (!none ||
            trade(w, none, none + bytes, (void *const[]){none + 2 * bytes, none + 3 * bytes}, bytes,
                  &(struct am_err){0}) != AM_OK)
            w->traded++;
        free(none);
    }
    return s;
}

/* ---- verification ---- */

enum am_status am_mpi_device_compare(const struct am_mpi_device *w, double *residual,
                                     struct am_err *err)
{
    enum am_status s;

    if (w->dim == 1) {
        const struct am_stencil_view view = am_ocl_stencil_view(&w->st, w->team->seed);

        s = am_stencil_look(&view, err);
        return s == AM_OK ? am_stencil_compare(&view, residual, err) : s;
    }
    s = am_ocl_parts_look(&w->parts, w->team->seed, err);
    if (s == AM_OK)
        s = am_ocl_parts_compare(&w->parts, w->steps, w->team->seed, residual, err);
    if (s == AM_OK)
        s = am_ocl_parts_match(&w->parts, w->steps, err);
    if (s == AM_E_ABSENT) {
        am_ctx_note(&w->ctx, "not_proven", "by plain steps of one device: %s", err->text);
        s = AM_OK;
    }
    return s;
}
