/* SPDX-License-Identifier: MIT */
/* The 1-D stencil on OpenCL devices: the search for what a point leaves open. */
#include "bench/ocl/app/stencil_tune.h"

#include <math.h>

enum {
    BODY_INSTRUCTIONS = 600, /* of 16 bytes: below the 12 KiB that a GPU's schedulers keep */
    DEPTH_LEAST = 4,
    GRAIN = 8,             /* depths are multiples: of every unrolling and every pack */
    ITEMS_LEAST = 128,     /* of a compute unit that are worth a trial */
    EDGE_BYTES = 16 << 10, /* CPUs: half of the smallest first-level cache */
    TIMINGS = 2,           /* of a shape; the best counts */
    GATE_SEAMS = 64,       /* that a kernel is compared at before it is timed */
};

/* No further shape is tried after this. */
static const uint64_t search_ns = 3000000000;
/* A later candidate must be better by this: noise chooses nothing. */
static const double better = 0.99;
/* More groups are not tried once they cost this much more: they do not run all at once any more. */
static const double hopeless = 1.2;

/* Of what is not likely. Start-up grows with the depth, and so does the local memory of a group,
 * which decides how many run at once; from here on memory is no bound any more. As measured on an
 * H200. */
static const size_t depth_most[AM_STENCIL_TYPES] = {[AM_STENCIL_F32] = 64, [AM_STENCIL_F64] = 48};

enum { WIDTHS = 6 };
static const unsigned widths[AM_STENCIL_TYPES][WIDTHS] = {
    [AM_STENCIL_F32] = {96, 80, 64, 128, 48, 32},
    [AM_STENCIL_F64] = {64, 48, 32, 80, 24, 16},
};

/* Where edges lie, and how many work-items share a compute unit's local memory. */
static const struct placement {
    bool local;
    unsigned group;
} placements[] = {{true, 64}, {true, 32}, {false, 128}, {true, 128}, {false, 256}, {false, 512}};

/* What was fastest on an H200 is tried first, with the number of groups that run at once there. Few
 * groups of wide slices have local memory for deep passes, which move less: at a limit of power
 * that decides, and a slice has so many points that one of them keeps a scheduler busy. By type and
 * form. */
enum { LIKELY = 3 };
static const struct likely {
    unsigned width, unroll, group, each; /* groups of a compute unit */
    size_t depth;
} likely_paper[AM_STENCIL_TYPES][LIKELY] =
    {
        [AM_STENCIL_F32] = {{80, 2, 64, 8, 48}, {96, 2, 64, 6, 64}, {64, 2, 64, 8, 48}},
        [AM_STENCIL_F64] = {{96, 1, 32, 4, 94}, {80, 1, 32, 4, 94}, {64, 2, 64, 4, 44}},
},
  likely_scaled[AM_STENCIL_TYPES][LIKELY] = {
      [AM_STENCIL_F32] = {{192, 1, 32, 8, 96}, {160, 1, 32, 8, 96}, {128, 1, 64, 6, 64}},
      [AM_STENCIL_F64] = {{96, 1, 32, 4, 94}, {104, 1, 32, 4, 94}, {96, 1, 32, 8, 48}},
};

struct search {
    const struct am_ocl_device *const *devices;
    size_t count;
    const struct am_ocl_stencil_spec *spec;
    const struct am_ocl_stencil_wish *wish;
    uint64_t begin_ns, best_ns; /* best_ns 0: none works so far */
    struct am_ocl_stencil_shape best;
    unsigned tried;
    struct am_err why_not; /* of the last shape that failed */
    enum am_status failure;
};

unsigned am_ocl_stencil_unroll(unsigned width, enum am_stencil_form form)
{
    const unsigned step = width * (form == AM_STENCIL_paper ? 3 : 2);
    unsigned unroll = 8;

    while (unroll > 1 && unroll * step > BODY_INSTRUCTIONS)
        unroll /= 2;
    return unroll;
}

size_t am_ocl_stencil_even_depth(size_t steps, size_t most, size_t multiple)
{
    const size_t passes = (steps + most - 1) / most, even = (steps + passes - 1) / passes;
    const size_t rounded = (even + multiple - 1) / multiple * multiple;

    return rounded <= most && rounded <= steps ? rounded : even;
}

static bool has_time(const struct search *s)
{
    return !s->best_ns || am_now_ns() - s->begin_ns < search_ns;
}

static size_t element_bytes(const struct search *s)
{
    return s->spec->type == AM_STENCIL_F32 ? sizeof(cl_float) : sizeof(cl_double);
}

/* ---- trials ---- */

/* One iteration from the start, against the reference at a few seams: what wins is compared at all
 * points later on. */
static enum am_status gate(const struct search *s, struct am_ocl_stencil *st, struct am_err *err)
{
    struct am_stencil_view view;
    double residual = 0;
    uint64_t ns = 0;
    enum am_status status = am_ocl_stencil_fill(st, err);

    if (status == AM_OK)
        status = am_ocl_stencil_run(st, 1, &ns, err);
    view = am_ocl_stencil_view(st, s->wish->seed);
    view.seams = view.seams < GATE_SEAMS ? view.seams : GATE_SEAMS;
    return status == AM_OK ? am_stencil_compare(&view, &residual, err) : status;
}

static enum am_status time_shape(struct am_ocl_stencil *st, uint64_t *best, struct am_err *err)
{
    enum am_status status = AM_OK;

    *best = UINT64_MAX;
    for (int i = 0; i < TIMINGS && status == AM_OK; i++) {
        uint64_t ns = 0;

        status = am_ocl_stencil_run(st, 1, &ns, err);
        *best = ns < *best ? ns : *best;
    }
    return status;
}

/* Any number of groups for a kernel; what cannot be had, or is wrong, only loses. The first of a
 * kernel is compared; drivers compile in that run. */
static void try_groups(struct search *s, struct am_ocl_stencil *st, unsigned groups, bool first,
                       uint64_t *took_ns)
{
    const size_t depth = s->wish->depth ? s->wish->depth : st->shape.depth;
    struct am_err why_not = {0};
    enum am_status status = am_ocl_stencil_lay_out(st, groups, depth, &why_not);

    *took_ns = UINT64_MAX;
    if (status == AM_OK)
        status = first ? gate(s, st, &why_not) : am_ocl_stencil_fill(st, &why_not);
    if (status == AM_OK)
        status = time_shape(st, took_ns, &why_not);
    if (status != AM_OK) {
        s->why_not = why_not;
        s->failure = status;
        *took_ns = UINT64_MAX;
        return;
    }
    s->tried++;
    if (!s->best_ns || (double)*took_ns < better * (double)s->best_ns) {
        s->best_ns = *took_ns ? *took_ns : 1;
        s->best = st->shape;
    }
}

/* One kernel, with `n` numbers of groups a compute unit, more and more. */
static void try_groups_of(struct search *s, const struct am_ocl_stencil_shape *shape,
                          const unsigned *each, size_t n)
{
    const unsigned units = s->devices[0]->compute_units;
    struct am_ocl_stencil st = {.count = 0};
    uint64_t best = UINT64_MAX;

    if (!has_time(s))
        return;
    s->why_not = (struct am_err){.sys = 0};
    s->failure = am_ocl_stencil_build(&st, s->devices, s->count, s->spec, shape, &s->why_not);
    for (size_t i = 0; i < n && s->failure == AM_OK; i++) {
        uint64_t took = 0;

        if (!has_time(s) || (each[i] * shape->group < ITEMS_LEAST && i + 1 < n))
            continue;
        try_groups(s, &st, each[i] * units, best == UINT64_MAX, &took);
        if ((double)took > hopeless * (double)best)
            break;
        best = took < best ? took : best;
    }
    am_ocl_stencil_free(&st);
}

static void try_kernel(struct search *s, const struct am_ocl_stencil_shape *shape)
{
    static const unsigned each[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16};

    try_groups_of(s, shape, each, sizeof(each) / sizeof(each[0]));
}

/* ---- GPUs ---- */

/* Passes of `deepest` steps at most. False where local memory does not hold the edges. */
static bool place_edges(const struct search *s, const struct placement *p, unsigned width,
                        size_t deepest, struct am_ocl_stencil_shape *shape)
{
    const size_t step_bytes = 2 * element_bytes(s) * p->group;
    /* not all of it: drivers keep some */
    const size_t room = p->local ? (s->devices[0]->local_bytes - 1) / step_bytes : SIZE_MAX;
    const size_t most = room < deepest ? room : deepest;

    if (room < DEPTH_LEAST || (s->wish->depth && s->wish->depth > room) ||
        p->group > s->devices[0]->group_max)
        return false;
    *shape = (struct am_ocl_stencil_shape){
        .width = width,
        .group = p->group,
        .vector = 1,
        .pack = 2,
        .unroll = am_ocl_stencil_unroll(width, s->spec->form),
        .local_edges = p->local,
        .depth = s->wish->depth ? s->wish->depth
                                : am_ocl_stencil_even_depth(s->spec->steps, most, GRAIN),
    };
    return true;
}

static void try_placements(struct search *s, size_t from, size_t to, unsigned width)
{
    struct am_ocl_stencil_shape shape;

    for (size_t i = from; i < to; i++) {
        if (place_edges(s, &placements[i], width, depth_most[s->spec->type], &shape))
            try_kernel(s, &shape);
    }
}

static void try_likely(struct search *s)
{
    const struct likely *const list =
        (s->spec->form == AM_STENCIL_paper ? likely_paper : likely_scaled)[s->spec->type];
    struct am_ocl_stencil_shape shape;

    for (size_t i = 0; i < LIKELY; i++) {
        const struct likely *const l = &list[i];
        const struct placement p = {true, l->group};

        if ((s->wish->width && s->wish->width != l->width) ||
            !place_edges(s, &p, l->width, l->depth, &shape))
            continue;
        shape.unroll = l->unroll;
        try_groups_of(s, &shape, &l->each, 1);
    }
}

/* The likeliest first: time may not suffice for all. */
static void search_gpu(struct search *s)
{
    const unsigned *const likely = widths[s->spec->type];
    const unsigned width = s->wish->width ? s->wish->width : likely[0];
    const size_t all = sizeof(placements) / sizeof(placements[0]);
    struct am_ocl_stencil_shape shape;

    try_likely(s);
    try_placements(s, 0, 2, width);
    for (size_t i = 1; i < WIDTHS && !s->wish->width && s->best_ns; i++) {
        shape = s->best;
        shape.width = likely[i];
        shape.unroll = am_ocl_stencil_unroll(shape.width, s->spec->form);
        try_kernel(s, &shape);
    }
    try_placements(s, 2, all, s->best_ns ? s->best.width : width);
    for (unsigned pack = 1; pack <= 4 && s->best_ns; pack *= 4) {
        shape = s->best;
        shape.pack = pack;
        try_kernel(s, &shape);
    }
}

/* ---- CPUs ---- */

/* A work-item is a vector of lanes, a compute unit has one; the rest as on the CPU itself: as wide
 * as the registers, as deep as the first-level cache and the start-up allow. */
static void search_cpu(struct search *s)
{
    const struct am_ocl_device *const d = s->devices[0];
    const unsigned native = s->spec->type == AM_STENCIL_F32 ? d->float_width : d->double_width;
    const unsigned vector = native > 1 ? native : 1;
    const size_t vector_bytes = vector * element_bytes(s);
    const size_t lanes = (size_t)vector * d->compute_units * s->count;
    const double root = sqrt(3.3 * (double)(s->spec->n / lanes));
    const double edges = (double)(EDGE_BYTES / (2 * vector_bytes));
    const size_t most = (size_t)fmax(DEPTH_LEAST, fmin(root, edges));
    const unsigned width = s->wish->width ? s->wish->width : vector_bytes >= 64 ? 16 : 12;
    const struct am_ocl_stencil_shape shape = {
        .width = width,
        .group = 1,
        .vector = vector,
        .pack = 1,
        .unroll = 2,
        .depth =
            s->wish->depth ? s->wish->depth : am_ocl_stencil_even_depth(s->spec->steps, most, 2),
    };
    struct am_ocl_stencil st = {.count = 0};
    uint64_t took = 0;

    s->failure = am_ocl_stencil_build(&st, s->devices, s->count, s->spec, &shape, &s->why_not);
    if (s->failure == AM_OK)
        try_groups(s, &st, d->compute_units, true, &took);
    am_ocl_stencil_free(&st);
}

enum am_status am_ocl_stencil_tune(struct am_ocl_stencil *st,
                                   const struct am_ocl_device *const *devices, size_t count,
                                   const struct am_ocl_stencil_spec *spec,
                                   const struct am_ocl_stencil_wish *wish, unsigned *tried,
                                   struct am_err *err)
{
    struct search s = {
        .devices = devices, .count = count, .spec = spec, .wish = wish, .begin_ns = am_now_ns()};
    enum am_status status;

    if (devices[0]->is_cpu)
        search_cpu(&s);
    else
        search_gpu(&s);
    *tried = s.tried;
    if (!s.best_ns && s.failure == AM_OK)
        return am_fail(err, AM_E_ABSENT, "local memory has no room for edges of %zu steps",
                       wish->depth);
    if (!s.best_ns) {
        *err = s.why_not;
        return s.failure;
    }
    status = am_ocl_stencil_build(st, devices, count, spec, &s.best, err);
    if (status == AM_OK)
        status = am_ocl_stencil_lay_out(st, s.best.groups, s.best.depth, err);
    return status == AM_OK ? am_ocl_stencil_fill(st, err) : status;
}
