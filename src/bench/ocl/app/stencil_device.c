/* SPDX-License-Identifier: MIT */
/* The 1-D stencil on OpenCL devices: what is compiled, where points are, passes. */
#include "bench/ocl/app/stencil_device.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>

enum {
    OPTIONS_MAX = 256,
    ROWS_MAX = 1 << 30, /* of a lane: kernels count them in 32 bits */
    FILL_ROWS = 64,     /* rows that are filled at once */
    DIFFER_GROUPS = 1 << 10,
};

/* Parts of the grid, here and with others. */
static size_t total_of(const struct am_ocl_stencil *st)
{
    return st->spec.ring ? st->spec.ring->total : st->count;
}

static bool is_alone(const struct am_ocl_stencil *st)
{
    return total_of(st) == 1;
}

/* ---- build ---- */

static enum am_status check_shape(const struct am_ocl_stencil *st, struct am_err *err)
{
    const struct am_ocl_stencil_shape *const shape = &st->shape;

    if (st->spec.n < 1 || st->spec.steps < 1)
        return am_fail(err, AM_E_ABSENT, "%zu points and %zu steps", st->spec.n, st->spec.steps);
    if (shape->width < 1 || shape->width > AM_OCL_STENCIL_WIDTH_MAX)
        return am_fail(err, AM_E_ABSENT, "slices of devices are 1 to %d points wide, not %u",
                       AM_OCL_STENCIL_WIDTH_MAX, shape->width);
    for (size_t i = 0; i < st->count; i++) {
        const struct am_ocl_device *const d = st->part[i].device;

        if (st->spec.type == AM_STENCIL_F64 && !d->has_double)
            return am_fail(err, AM_E_ABSENT, "%s has no double", d->name);
        if (shape->group > d->group_max)
            return am_fail(err, AM_E_ABSENT, "%s has groups of %zu work-items, not %u", d->name,
                           d->group_max, shape->group);
    }
    return AM_OK;
}

/* Passes of all lengths and slices move whole packs. */
static unsigned usable_pack(const struct am_ocl_stencil *st)
{
    const struct am_ocl_stencil_shape *const shape = &st->shape;
    unsigned pack = shape->vector > 1 ? 1 : shape->pack;

    while (pack > 1 && (shape->width % pack || st->spec.steps % pack || shape->depth % pack ||
                        st->spec.n / total_of(st) < pack))
        pack /= 2;
    return pack;
}

static enum am_status build_part(const struct am_ocl_stencil *st, struct am_ocl_stencil_part *part,
                                 struct am_err *err)
{
    const struct am_ocl_stencil_shape *const shape = &st->shape;
    const bool wide = st->spec.type == AM_STENCIL_F64;
    const struct {
        const char *name;
        cl_kernel *to;
    } kernels[] = {
        {"am_stencil_pass", &part->pass},     {"am_stencil_exchange", &part->exchange},
        {"am_stencil_border", &part->border}, {"am_stencil_fill", &part->fill},
        {"am_stencil_differ", &part->differ},
    };
    char options[OPTIONS_MAX];
    size_t group_max = 0;
    enum am_status s;

    if (!am_str_format(options, sizeof(options),
                       "-DELEMENT=%s -DWIDE=%d -DVECTOR=%u -DPACK=%u -DBLOCKS=%u -DREST=%u "
                       "-DGROUP=%u -DUNROLL=%u -DFORM=%d -DLOCAL_EDGES=%d",
                       wide ? "double" : "float", wide, shape->vector, shape->pack,
                       shape->width / 16, shape->width % 16, shape->group, shape->unroll,
                       (int)st->spec.form, shape->local_edges))
        return am_fail(err, AM_E_LIMIT, "build options are too long");
    s = am_ocl_program_build(&part->program, part->device, "stencil", options, err);
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]) && s == AM_OK; i++)
        s = am_ocl_program_kernel(&part->program, kernels[i].name, kernels[i].to, err);
    if (s == AM_OK)
        s = am_ocl_program_group_max(part->device, part->pass, &group_max, err);
    if (s == AM_OK && group_max < shape->group)
        return am_fail(err, AM_E_ABSENT, "slices of %u leave registers for groups of %zu, not %u",
                       shape->width, group_max, shape->group);
    return s;
}

enum am_status am_ocl_stencil_build(struct am_ocl_stencil *st,
                                    const struct am_ocl_device *const *devices, size_t count,
                                    const struct am_ocl_stencil_spec *spec,
                                    const struct am_ocl_stencil_shape *shape, struct am_err *err)
{
    enum am_status s;

    if (count < 1 || count > AM_OCL_STENCIL_PARTS_MAX)
        return am_fail(err, AM_E_ABSENT, "%zu devices, not 1 to %d", count,
                       AM_OCL_STENCIL_PARTS_MAX);
    *st = (struct am_ocl_stencil){.spec = *spec, .shape = *shape, .count = count};
    st->element_bytes = spec->type == AM_STENCIL_F32 ? sizeof(cl_float) : sizeof(cl_double);
    st->shape.pack = usable_pack(st);
    for (size_t i = 0; i < count; i++)
        st->part[i].device = devices[i];
    s = check_shape(st, err);
    if (s == AM_OK)
        s = am_stencil_coefs(spec->form, spec->type, spec->r, &st->coefs, err);
    /* Whole bodies of the loop between two rescalings. */
    if (s == AM_OK && st->coefs.rescale_every > shape->unroll)
        st->coefs.rescale_every -= st->coefs.rescale_every % shape->unroll;
    for (size_t i = 0; i < count && s == AM_OK; i++)
        s = build_part(st, &st->part[i], err);
    return s;
}

void am_ocl_stencil_free(struct am_ocl_stencil *st)
{
    for (size_t i = 0; i < st->count; i++) {
        struct am_ocl_stencil_part *const part = &st->part[i];
        cl_kernel kernels[] = {part->pass, part->exchange, part->border, part->fill, part->differ};
        cl_mem buffers[] = {part->u, part->edges, part->halo, part->border_out};

        for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++)
            am_ocl_release_kernel(kernels[k]);
        for (size_t k = 0; k < sizeof(buffers) / sizeof(buffers[0]); k++)
            am_ocl_release_buffer(buffers[k]);
        am_ocl_program_free(&part->program);
    }
    free(st->borders);
    *st = (struct am_ocl_stencil){.borders = NULL};
}

/* ---- layout ---- */

static size_t lanes_of_group(const struct am_ocl_stencil *st)
{
    return (size_t)st->shape.group * st->shape.vector;
}

/* Of one group, for all steps of a pass. */
static size_t edge_bytes(const struct am_ocl_stencil *st)
{
    return 2 * st->shape.depth * lanes_of_group(st) * st->element_bytes;
}

static enum am_status make_room(const struct am_ocl_device *d, size_t bytes, cl_mem *buffer,
                                size_t *has, struct am_err *err)
{
    enum am_status s;

    if (bytes <= *has)
        return AM_OK;
    am_ocl_release_buffer(*buffer);
    *buffer = NULL;
    *has = 0;
    s = am_ocl_device_buffer(d, CL_MEM_READ_WRITE, bytes, NULL, buffer, err);
    *has = s == AM_OK ? bytes : 0;
    return s;
}

/* Slices write up to a width before their lane, and read up to one behind its neighbourhood. */
static enum am_status lay_out_part(const struct am_ocl_stencil *st,
                                   struct am_ocl_stencil_part *part, struct am_err *err)
{
    const struct am_ocl_stencil_shape *const shape = &st->shape;
    const size_t lanes = shape->groups * lanes_of_group(st), width = shape->width;
    const size_t ghosts = shape->depth + width + shape->pack;
    const size_t rows = ghosts + part->n / lanes + 1 + shape->depth + width + shape->pack;
    enum am_status s;

    if (rows > ROWS_MAX || lanes > ROWS_MAX)
        return am_fail(err, AM_E_ABSENT, "%zu points are too many for %zu lanes", part->n, lanes);
    part->base = part->n / lanes;
    part->extra = (cl_uint)(part->n % lanes);
    part->lanes = (cl_uint)lanes;
    part->ghosts = (cl_uint)(ghosts - ghosts % shape->pack);
    part->rows = (cl_uint)(rows + shape->pack - rows % shape->pack);
    part->arguments_for = 0;
    if (shape->local_edges && edge_bytes(st) > part->device->local_bytes)
        return am_fail(err, AM_E_ABSENT, "%zu bytes of edges: local memory has %llu",
                       edge_bytes(st), (unsigned long long)part->device->local_bytes);
    s = make_room(part->device, part->rows * lanes * st->element_bytes, &part->u, &part->u_bytes,
                  err);
    if (s == AM_OK && !shape->local_edges)
        s = make_room(part->device, shape->groups * edge_bytes(st), &part->edges,
                      &part->edges_bytes, err);
    return s;
}

/* What the parts tell each other in a pass; alone, kernels get a buffer that they never touch. */
static enum am_status make_halos(struct am_ocl_stencil *st, struct am_err *err)
{
    const size_t bytes = 2 * st->shape.depth * st->element_bytes;
    enum am_status s = AM_OK;

    free(st->borders);
    st->borders = is_alone(st) ? NULL : malloc(bytes * (st->count + 1));
    if (!is_alone(st) && !st->borders)
        return am_fail(err, AM_E_NOMEM, "borders of %zu bytes", bytes);
    for (size_t i = 0; i < st->count && s == AM_OK; i++) {
        struct am_ocl_stencil_part *const part = &st->part[i];
        size_t none = 0;

        s = make_room(part->device, bytes, &part->halo, &none, err);
        none = 0;
        if (s == AM_OK)
            s = make_room(part->device, bytes, &part->border_out, &none, err);
    }
    return s;
}

enum am_status am_ocl_stencil_lay_out(struct am_ocl_stencil *st, unsigned groups, size_t depth,
                                      struct am_err *err)
{
    const size_t total = total_of(st), each = st->spec.n / total;
    const size_t before = st->spec.ring ? st->spec.ring->before : 0;
    struct am_ocl_stencil_shape *const shape = &st->shape;
    enum am_status s = AM_OK;

    if (each < 1)
        return am_fail(err, AM_E_ABSENT, "%zu points for %zu devices", st->spec.n, total);
    if (groups < 1 || depth < 1)
        return am_fail(err, AM_E_ABSENT, "%u groups, %zu steps per pass", groups, depth);
    shape->groups = groups;
    shape->depth = depth < each ? depth : each;
    shape->depth = shape->depth < st->spec.steps ? shape->depth : st->spec.steps;
    shape->depth -= shape->depth % shape->pack;
    if (!shape->depth)
        return am_fail(err, AM_E_ABSENT, "%zu steps per pass do not go by %u", depth, shape->pack);
    for (size_t i = 0; i < st->count && s == AM_OK; i++) {
        st->part[i].origin = am_ocl_ring_start(st->spec.n, before + i, total);
        st->part[i].n = am_ocl_ring_start(st->spec.n, before + i + 1, total) - st->part[i].origin;
        s = lay_out_part(st, &st->part[i], err);
    }
    return s == AM_OK ? make_halos(st, err) : s;
}

/* ---- kernels ---- */

static enum am_status enqueue(const struct am_ocl_stencil_part *part, cl_kernel kernel,
                              const size_t items[2], size_t group, cl_event *event,
                              struct am_err *err)
{
    const cl_int code = clEnqueueNDRangeKernel(part->device->queue, kernel, 2, NULL, items,
                                               (const size_t[]){group, 1}, 0, NULL, event);

    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clEnqueueNDRangeKernel");
}

struct am_ocl_number am_ocl_number(double x)
{
    return (struct am_ocl_number){(cl_float)x, x};
}

struct am_ocl_arg am_ocl_number_arg(enum am_stencil_type type, const struct am_ocl_number *x)
{
    return type == AM_STENCIL_F32 ? AM_OCL_ARG(x->narrow) : AM_OCL_ARG(x->wide);
}

static enum am_status set_pass(const struct am_ocl_stencil *st,
                               const struct am_ocl_stencil_part *part, cl_uint steps,
                               struct am_err *err)
{
    const size_t every = st->coefs.rescale_every;
    const cl_uint chunk = every < steps ? (cl_uint)every : steps;
    const cl_uint first = part->ghosts - steps;
    const cl_ulong length = part->base + (part->extra > 0);
    const cl_uint slices =
        (cl_uint)((length + 2 * (cl_ulong)steps + st->shape.width - 1) / st->shape.width);
    const cl_uint edge_rows = (cl_uint)(st->shape.depth * (st->shape.vector > 1 ? 2 : 1));
    const size_t last = steps - (steps - 1) / chunk * chunk;
    const struct am_ocl_number side = am_ocl_number(st->coefs.side),
                               centre = am_ocl_number(st->coefs.centre);
    const struct am_ocl_number rescale = am_ocl_number(am_stencil_shrink(&st->coefs, chunk));
    const struct am_ocl_number finish = am_ocl_number(am_stencil_shrink(&st->coefs, last));
    const struct am_ocl_arg args[] = {
        AM_OCL_ARG(part->u),
        st->shape.local_edges ? AM_OCL_LOCAL(edge_bytes(st)) : AM_OCL_ARG(part->edges),
        AM_OCL_ARG(part->rows),
        AM_OCL_ARG(edge_rows),
        AM_OCL_ARG(first),
        AM_OCL_ARG(slices),
        AM_OCL_ARG(steps),
        AM_OCL_ARG(chunk),
        am_ocl_number_arg(st->spec.type, &side),
        am_ocl_number_arg(st->spec.type, &centre),
        am_ocl_number_arg(st->spec.type, &rescale),
        am_ocl_number_arg(st->spec.type, &finish),
    };

    return am_ocl_program_args(part->pass, args, sizeof(args) / sizeof(args[0]), err);
}

static enum am_status set_exchange(const struct am_ocl_stencil *st,
                                   const struct am_ocl_stencil_part *part, cl_uint steps,
                                   struct am_err *err)
{
    const cl_ulong n = part->n;
    const cl_uint alone = is_alone(st);
    const struct am_ocl_arg args[] = {
        AM_OCL_ARG(part->u),      AM_OCL_ARG(part->halo),  AM_OCL_ARG(part->rows),
        AM_OCL_ARG(part->ghosts), AM_OCL_ARG(steps),       AM_OCL_ARG(n),
        AM_OCL_ARG(part->base),   AM_OCL_ARG(part->extra), AM_OCL_ARG(alone),
    };
    const struct am_ocl_arg border[] = {
        AM_OCL_ARG(part->u),    AM_OCL_ARG(part->border_out),
        AM_OCL_ARG(part->rows), AM_OCL_ARG(part->ghosts),
        AM_OCL_ARG(steps),      AM_OCL_ARG(n),
        AM_OCL_ARG(part->base), AM_OCL_ARG(part->extra),
    };
    const enum am_status s =
        am_ocl_program_args(part->border, border, sizeof(border) / sizeof(border[0]), err);

    return s == AM_OK
               ? am_ocl_program_args(part->exchange, args, sizeof(args) / sizeof(args[0]), err)
               : s;
}

enum am_status am_ocl_stencil_fill(struct am_ocl_stencil *st, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; i < st->count && s == AM_OK; i++) {
        const struct am_ocl_stencil_part *const part = &st->part[i];
        const cl_ulong origin = part->origin;
        const struct am_ocl_arg args[] = {AM_OCL_ARG(part->u),      AM_OCL_ARG(part->rows),
                                          AM_OCL_ARG(part->ghosts), AM_OCL_ARG(part->base),
                                          AM_OCL_ARG(part->extra),  AM_OCL_ARG(origin)};

        s = am_ocl_program_args(part->fill, args, sizeof(args) / sizeof(args[0]), err);
        if (s == AM_OK)
            s = enqueue(part, part->fill, (const size_t[]){part->lanes, FILL_ROWS}, st->shape.group,
                        NULL, err);
        if (s == AM_OK && clFinish(part->device->queue) != CL_SUCCESS)
            s = am_fail(err, AM_E_WRONG, "clFinish after filling");
    }
    return s;
}

/* ---- passes ---- */

/* The ends of each part to its neighbours: first to the one before it, last to the one after. */
static enum am_status trade_borders(const struct am_ocl_stencil *st, size_t steps,
                                    struct am_err *err)
{
    const struct am_ocl_ring *const ring = st->spec.ring;
    const size_t bytes = steps * st->element_bytes;
    char *const first = st->borders, *const last = first + (2 * st->count - 1) * bytes;
    char *const more = last + bytes;
    void *const outside[2] = {ring ? more : last, ring ? more + bytes : first};
    enum am_status s = AM_OK;

    for (size_t i = 0; i < st->count && s == AM_OK; i++)
        s = enqueue(&st->part[i], st->part[i].border, (const size_t[]){2 * steps, 1}, 1, NULL, err);
    for (size_t i = 0; i < st->count && s == AM_OK; i++)
        s = am_ocl_device_read(st->part[i].device, st->part[i].border_out, 0, 2 * bytes,
                               st->borders + i * 2 * bytes, err);
    if (s == AM_OK && ring)
        s = ring->trade(ring->self, first, last, outside, bytes, err);
    for (size_t i = 0; i < st->count && s == AM_OK; i++) {
        const struct am_ocl_stencil_part *const part = &st->part[i];
        const char *const before = i ? first + (2 * i - 1) * bytes : outside[0];
        const char *const after = i + 1 < st->count ? first + 2 * (i + 1) * bytes : outside[1];

        s = am_ocl_device_write(part->device, part->halo, 0, bytes, before, err);
        if (s == AM_OK)
            s = am_ocl_device_write(part->device, part->halo, bytes, bytes, after, err);
    }
    return s;
}

static enum am_status step_part(const struct am_ocl_stencil *st, struct am_ocl_stencil_part *part,
                                size_t steps, struct am_ocl_ends *ends, struct am_err *err)
{
    cl_event *const first = ends && !ends->first ? &ends->first : NULL;
    enum am_status s = enqueue(part, part->exchange, (const size_t[]){part->lanes, 2 * steps},
                               st->shape.group, first, err);

    if (ends && ends->last)
        (void)clReleaseEvent(ends->last);
    if (ends)
        ends->last = NULL;
    if (s == AM_OK)
        s = enqueue(part, part->pass,
                    (const size_t[]){(size_t)st->shape.groups * st->shape.group, 1},
                    st->shape.group, ends ? &ends->last : NULL, err);
    return s;
}

static enum am_status run_pass(struct am_ocl_stencil *st, size_t steps, struct am_ocl_ends *ends,
                               struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; i < st->count && s == AM_OK; i++) {
        struct am_ocl_stencil_part *const part = &st->part[i];

        if (part->arguments_for == steps)
            continue;
        s = set_pass(st, part, (cl_uint)steps, err);
        if (s == AM_OK)
            s = set_exchange(st, part, (cl_uint)steps, err);
        part->arguments_for = s == AM_OK ? steps : 0;
    }
    if (s == AM_OK && !is_alone(st))
        s = trade_borders(st, steps, err);
    for (size_t i = 0; i < st->count && s == AM_OK; i++) {
        s = step_part(st, &st->part[i], steps, is_alone(st) ? ends : NULL, err);
        if (s == AM_OK && !is_alone(st) && clFlush(st->part[i].device->queue) != CL_SUCCESS)
            s = am_fail(err, AM_E_WRONG, "clFlush after a pass");
    }
    return s;
}

static enum am_status finish_parts(const struct am_ocl_stencil *st, struct am_err *err)
{
    cl_int code = CL_SUCCESS;

    for (size_t i = 0; i < st->count; i++) {
        const cl_int one = clFinish(st->part[i].device->queue);

        code = code == CL_SUCCESS ? one : code;
    }
    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clFinish");
}

static cl_int time_between(cl_event first, cl_event last, uint64_t *elapsed_ns)
{
    cl_ulong start = 0, end = 0;
    cl_int code =
        clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL);

    if (code == CL_SUCCESS)
        code = clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL);
    if (code == CL_SUCCESS)
        *elapsed_ns = end > start ? end - start : 0;
    return code;
}

enum am_status am_ocl_ends_take(struct am_ocl_ends *ends, uint64_t *elapsed_ns, struct am_err *err)
{
    const cl_event last = ends->last ? ends->last : ends->first;
    const cl_int code = last ? time_between(ends->first, last, elapsed_ns) : CL_SUCCESS;

    if (ends->first)
        (void)clReleaseEvent(ends->first);
    if (ends->last)
        (void)clReleaseEvent(ends->last);
    *ends = (struct am_ocl_ends){.first = NULL};
    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clGetEventProfilingInfo");
}

enum am_status am_ocl_stencil_run(struct am_ocl_stencil *st, uint64_t iters, uint64_t *elapsed_ns,
                                  struct am_err *err)
{
    const uint64_t begin = am_now_ns();
    struct am_ocl_ends ends = {.first = NULL};
    enum am_status s = AM_OK, finished, taken;

    for (uint64_t i = 0; i < iters && s == AM_OK; i++) {
        for (size_t left = st->spec.steps; left && s == AM_OK;) {
            const size_t steps = left < st->shape.depth ? left : st->shape.depth;

            s = run_pass(st, steps, &ends, err);
            left -= steps;
        }
    }
    finished = finish_parts(st, s == AM_OK ? err : NULL);
    s = s == AM_OK ? finished : s;
    *elapsed_ns = am_now_ns() - begin;
    taken = am_ocl_ends_take(&ends, elapsed_ns, s == AM_OK ? err : NULL);
    return s == AM_OK ? taken : s;
}

size_t am_ocl_stencil_passes(const struct am_ocl_stencil *st)
{
    return (st->spec.steps + st->shape.depth - 1) / st->shape.depth;
}

/* ---- looking at it ---- */

enum am_status am_ocl_stencil_differ(const struct am_ocl_stencil *st, cl_mem plain, double allowed,
                                     struct am_ocl_difference *found, struct am_err *err)
{
    const struct am_ocl_stencil_part *const part = &st->part[0];
    const struct am_ocl_difference none = {0, UINT32_MAX};
    const struct am_ocl_number bound = am_ocl_number(allowed);
    const cl_ulong n = part->n;
    cl_mem counters = NULL;
    enum am_status s =
        am_ocl_device_buffer(part->device, CL_MEM_READ_WRITE, sizeof(none), NULL, &counters, err);
    const struct am_ocl_arg args[] = {
        AM_OCL_ARG(part->u),     AM_OCL_ARG(plain),
        AM_OCL_ARG(part->rows),  AM_OCL_ARG(part->ghosts),
        AM_OCL_ARG(n),           AM_OCL_ARG(part->base),
        AM_OCL_ARG(part->extra), am_ocl_number_arg(st->spec.type, &bound),
        AM_OCL_ARG(counters),
    };

    if (s == AM_OK)
        s = am_ocl_device_write(part->device, counters, 0, sizeof(none), &none, err);
    if (s == AM_OK)
        s = am_ocl_program_args(part->differ, args, sizeof(args) / sizeof(args[0]), err);
    if (s == AM_OK)
        s = enqueue(part, part->differ,
                    (const size_t[]){(size_t)DIFFER_GROUPS * st->shape.group, 1}, st->shape.group,
                    NULL, err);
    if (s == AM_OK)
        s = am_ocl_device_read(part->device, counters, 0, sizeof(*found), found, err);
    am_ocl_release_buffer(counters);
    return s;
}

/* The element of a part's buffer that holds a point of it: locate() of the kernels. */
static size_t element_of(const struct am_ocl_stencil *st, const struct am_ocl_stencil_part *part,
                         size_t point)
{
    const size_t longer = part->extra * (part->base + 1);
    const bool in_longer = point < longer;
    const size_t length = in_longer ? part->base + 1 : part->base;
    const size_t at = in_longer ? point : point - longer;
    const size_t lane = at / length + (in_longer ? 0 : part->extra);
    const size_t row = part->ghosts + at % length, pack = st->shape.pack;
    const size_t lanes = lanes_of_group(st);

    return ((lane / lanes * (part->rows / pack) + row / pack) * lanes + lane % lanes) * pack +
           row % pack;
}

static double value_of(const void *self, size_t point)
{
    const struct am_ocl_stencil *const st = self;
    const struct am_ocl_stencil_part *part = &st->part[st->count - 1];
    cl_float narrow = NAN;
    cl_double wide = NAN;
    void *const to = st->spec.type == AM_STENCIL_F32 ? (void *)&narrow : (void *)&wide;
    size_t at;

    while (point < part->origin)
        part--;
    at = element_of(st, part, point - part->origin) * st->element_bytes;
    (void)am_ocl_device_read(part->device, part->u, at, st->element_bytes, to, NULL);
    return st->spec.type == AM_STENCIL_F32 ? (double)narrow : wide;
}

/* Where devices meet comes up often: there may be a hundred thousand lanes. */
static size_t seam_of(const void *self, size_t i)
{
    const struct am_ocl_stencil *const st = self;
    const struct am_ocl_stencil_part *const part = &st->part[i % st->count];
    const size_t lane = i / st->count % 4 ? i / st->count : 0;

    return part->origin + lane * part->base + (lane < part->extra ? lane : part->extra);
}

struct am_stencil_view am_ocl_stencil_view(const struct am_ocl_stencil *st, uint64_t seed)
{
    const struct am_ocl_stencil_part *const last = &st->part[st->count - 1];
    const size_t first = st->part[0].origin;

    return (struct am_stencil_view){
        .type = st->spec.type,
        .n = st->spec.n,
        .steps = st->spec.steps,
        .r = st->spec.r,
        .tolerance = am_stencil_tolerance(st->spec.type, st->spec.steps),
        .sharp = am_stencil_is_sharp(st->spec.form, st->spec.r),
        .seed = seed,
        .self = st,
        .value = value_of,
        .exact = st->spec.ring && st->spec.form == AM_STENCIL_paper,
        .fuses = true,
        .seams = st->count * st->part[0].lanes,
        .seam = seam_of,
        .first = first,
        .own = st->spec.ring ? last->origin + last->n - first : 0,
    };
}
