/* SPDX-License-Identifier: MIT */
/* The stencil in two and three dimensions on one OpenCL device: arrays, plain steps, comparisons.
 */
#include "bench/ocl/app/stencil_grid.h"

#include "base/rng.h"
#include "base/text.h"
#include "bench/apps/grid_check.h"

#include <math.h>
#include <stdlib.h>

enum {
    OPTIONS_MAX = 64,
    GROUP_MAX = 256,
    ARGS_MAX = 12, /* of a kernel that steps */
    GROUP_X = 64,
    DIFFER_ITEMS = 1 << 16,
    ALL = 1 << 24,     /* points that the host compares, a transfer for each row, */
    SAMPLES = 1 << 13, /* and how many more of larger grids, each by one */
};

/* ---- open ---- */

static enum am_status build(struct am_ocl_grid *g, struct am_err *err)
{
    const bool wide = g->spec.type == AM_STENCIL_F64;
    const struct {
        const char *name;
        cl_kernel *to;
    } kernels[] = {
        {"am_grid_sweep", &g->sweep}, {"am_grid_begin", &g->begin}, {"am_grid_differ", &g->differ}};
    char options[OPTIONS_MAX];
    size_t most = 0;
    enum am_status s;

    if (!am_str_format(options, sizeof(options), "-DELEMENT=%s -DWIDE=%d -DDIM=%u",
                       wide ? "double" : "float", wide, g->spec.dim))
        return am_fail(err, AM_E_LIMIT, "build options are too long");
    s = am_ocl_program_build(&g->program, g->device, "stencil_grid", options, err);
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]) && s == AM_OK; i++)
        s = am_ocl_program_kernel(&g->program, kernels[i].name, kernels[i].to, err);
    if (s == AM_OK)
        s = am_ocl_program_group(g->device, g->sweep, GROUP_MAX, &most, err);
    g->group[0] = g->spec.dim == 2 || most < GROUP_X ? most : GROUP_X;
    g->group[1] = s == AM_OK ? most / g->group[0] : 1;
    return s;
}

static enum am_status check_spec(const struct am_ocl_grid *g, struct am_err *err)
{
    const struct am_ocl_grid_spec *const spec = &g->spec;

    if (spec->type == AM_STENCIL_F64 && !g->device->has_double)
        return am_fail(err, AM_E_ABSENT, "%s has no double", g->device->name);
    for (unsigned d = 0; d < 3; d++) {
        if (spec->n[d] < 1 || spec->n[d] > INT32_MAX)
            return am_fail(err, AM_E_ABSENT, "%zu points along a dimension", spec->n[d]);
    }
    if (spec->n[0] * spec->n[1] > UINT32_MAX / spec->n[2])
        return am_fail(err, AM_E_ABSENT, "grids of devices have less than 2^32 points");
    return AM_OK;
}

static enum am_status make_buffers(struct am_ocl_grid *g, struct am_err *err)
{
    const size_t lines = (size_t)g->across[0] + g->across[1] + g->far;
    const struct {
        cl_mem *to;
        size_t bytes;
    } buffers[] = {
        {&g->u[0], g->points * g->element_bytes}, {&g->u[1], g->points * g->element_bytes},
        {&g->lines, lines * g->element_bytes},    {&g->cosines, lines * g->element_bytes},
        {&g->found, 2 * sizeof(cl_uint)},
    };
    enum am_status s = AM_OK;

    for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]) && s == AM_OK; i++)
        s = am_ocl_device_buffer(g->device, CL_MEM_READ_WRITE, buffers[i].bytes, NULL,
                                 buffers[i].to, err);
    return s;
}

enum am_status am_ocl_grid_open(struct am_ocl_grid *g, const struct am_ocl_device *device,
                                const struct am_ocl_grid_spec *spec, struct am_err *err)
{
    enum am_status s;

    *g = (struct am_ocl_grid){.spec = *spec, .device = device};
    s = check_spec(g, err);
    if (s == AM_OK)
        s = am_stencil_coefs_in(2 * spec->dim, AM_STENCIL_paper, spec->type, spec->r, &g->coefs,
                                err);
    if (s != AM_OK)
        return s;
    g->element_bytes = spec->type == AM_STENCIL_F32 ? sizeof(cl_float) : sizeof(cl_double);
    g->across[0] = (cl_uint)spec->n[0];
    g->across[1] = spec->dim == 3 ? (cl_uint)spec->n[1] : 1;
    g->far = (cl_uint)(spec->planes ? spec->planes : spec->n[spec->dim - 1]);
    g->points = (size_t)g->across[0] * g->across[1] * g->far;
    s = build(g, err);
    if (s == AM_OK)
        s = make_buffers(g, err);
    return s == AM_OK ? am_ocl_grid_fill(g, err) : s;
}

void am_ocl_grid_close(struct am_ocl_grid *g)
{
    cl_mem buffers[] = {g->u[0], g->u[1], g->kept, g->lines, g->cosines, g->found};

    am_ocl_release_kernel(g->sweep);
    am_ocl_release_kernel(g->begin);
    am_ocl_release_kernel(g->differ);
    for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
        am_ocl_release_buffer(buffers[i]);
    am_ocl_program_free(&g->program);
    *g = (struct am_ocl_grid){.front = 0};
}

/* ---- the start ---- */

struct am_grid_spec am_ocl_grid_spec_of(const struct am_ocl_grid *g)
{
    return (struct am_grid_spec){
        .dim = g->spec.dim,
        .form = AM_STENCIL_paper,
        .type = g->spec.type,
        .n = {g->spec.n[0], g->spec.n[1], g->spec.n[2]},
        .r = g->spec.r,
    };
}

/* Values of the element type, of each dimension one after the other, in the kernels' order: the
 * last dimension of two is their third. */
static enum am_status write_lines(const struct am_ocl_grid *g, long double *const line[3],
                                  cl_mem to, struct am_err *err)
{
    const size_t counts[3] = {g->across[0], g->across[1], g->far};
    const long double *const from[3] = {line[0], g->spec.dim == 3 ? line[1] : line[2],
                                        line[g->spec.dim - 1]};
    const size_t all = counts[0] + counts[1] + counts[2];
    cl_double *const wide = malloc(all * sizeof(*wide));
    cl_float *const narrow = malloc(all * sizeof(*narrow));
    enum am_status s = AM_OK;
    size_t at = 0;

    if (!wide || !narrow)
        s = am_fail(err, AM_E_NOMEM, "lines of %zu points", all);
    for (unsigned d = 0; d < 3 && s == AM_OK; d++) {
        const size_t first = d == 2 ? g->spec.first : 0;
        const size_t whole = d == 2 ? g->spec.n[g->spec.dim - 1] : counts[d];

        for (size_t i = 0; i < counts[d]; i++, at++) {
            wide[at] = (cl_double)from[d][(first + i) % whole];
            narrow[at] = (cl_float)from[d][(first + i) % whole];
        }
    }
    if (s == AM_OK)
        s = am_ocl_device_write(g->device, to, 0, all * g->element_bytes,
                                g->spec.type == AM_STENCIL_F32 ? (void *)narrow : (void *)wide,
                                err);
    free(wide);
    free(narrow);
    return s;
}

/* Work-items for all points of a plane, and planes. */
static void items_of(const struct am_ocl_grid *g, size_t items[3], size_t group[3])
{
    for (unsigned d = 0; d < 2; d++) {
        group[d] = g->group[d];
        items[d] = (g->across[d] + group[d] - 1) / group[d] * group[d];
    }
    items[2] = g->far;
    group[2] = 1;
}

static enum am_status enqueue(const struct am_ocl_grid *g, cl_kernel kernel, const size_t items[3],
                              const size_t group[3], cl_event *event, struct am_err *err)
{
    const cl_int code =
        clEnqueueNDRangeKernel(g->device->queue, kernel, 3, NULL, items, group, 0, NULL, event);

    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clEnqueueNDRangeKernel");
}

static enum am_status run_begin(struct am_ocl_grid *g, double amplitude, struct am_err *err)
{
    const struct am_ocl_number level = am_ocl_number(0.5), height = am_ocl_number(amplitude);
    const struct am_ocl_arg args[] = {
        AM_OCL_ARG(g->u[g->front]),
        AM_OCL_ARG(g->lines),
        AM_OCL_ARG(g->cosines),
        AM_OCL_ARG(g->across[0]),
        AM_OCL_ARG(g->across[1]),
        AM_OCL_ARG(g->far),
        am_ocl_number_arg(g->spec.type, &level),
        am_ocl_number_arg(g->spec.type, &height),
    };
    size_t items[3], group[3];
    enum am_status s = am_ocl_program_args(g->begin, args, sizeof(args) / sizeof(args[0]), err);

    items_of(g, items, group);
    if (s == AM_OK)
        s = enqueue(g, g->begin, items, group, NULL, err);
    if (s == AM_OK && clFinish(g->device->queue) != CL_SUCCESS)
        s = am_fail(err, AM_E_WRONG, "clFinish after filling");
    return s;
}

enum am_status am_ocl_grid_fill(struct am_ocl_grid *g, struct am_err *err)
{
    const struct am_grid_spec spec = am_ocl_grid_spec_of(g);
    struct am_grid_lines lines;
    enum am_status s = am_grid_lines_make(&spec, g->spec.steps, &lines, err);

    if (s == AM_OK)
        s = write_lines(g, lines.line, g->lines, err);
    if (s == AM_OK)
        s = write_lines(g, lines.cosine, g->cosines, err);
    if (s == AM_OK)
        s = run_begin(g, (double)lines.amplitude, err);
    am_grid_lines_free(&lines);
    return s;
}

/* ---- steps ---- */

/* Where the event of the next command goes. */
static cl_event *next_of(struct am_ocl_ends *ends)
{
    if (!ends)
        return NULL;
    if (!ends->first)
        return &ends->first;
    if (ends->last)
        (void)clReleaseEvent(ends->last);
    ends->last = NULL;
    return &ends->last;
}

enum am_status am_ocl_grid_enqueue(struct am_ocl_grid *g, cl_kernel kernel, const size_t items[3],
                                   const size_t group[3], struct am_ocl_ends *ends,
                                   struct am_err *err)
{
    const struct am_ocl_arg args[] = {AM_OCL_ARG(g->u[g->front]), AM_OCL_ARG(g->u[!g->front])};
    cl_event *const event = next_of(ends);
    enum am_status s = am_ocl_program_args(kernel, args, 2, err);

    if (s == AM_OK)
        s = enqueue(g, kernel, items, group, event, err);
    g->front = !g->front;
    return s;
}

enum am_status am_ocl_grid_copy(struct am_ocl_grid *g, struct am_ocl_ends *ends, struct am_err *err)
{
    const cl_int code = clEnqueueCopyBuffer(g->device->queue, g->u[g->front], g->u[!g->front], 0, 0,
                                            g->points * g->element_bytes, 0, NULL, next_of(ends));

    g->front = !g->front;
    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clEnqueueCopyBuffer");
}

enum am_status am_ocl_grid_args(const struct am_ocl_grid *g, cl_kernel kernel,
                                const struct am_ocl_arg *own, size_t n, struct am_err *err)
{
    const struct am_ocl_number side = am_ocl_number(g->coefs.side);
    const struct am_ocl_number centre = am_ocl_number(g->coefs.centre);
    struct am_ocl_arg args[ARGS_MAX] = {AM_OCL_ARG(g->u[0]), AM_OCL_ARG(g->u[1]),
                                        AM_OCL_ARG(g->across[0]), AM_OCL_ARG(g->across[1]),
                                        AM_OCL_ARG(g->far)};
    size_t all = 5;

    if (all + n + 2 > ARGS_MAX)
        return am_fail(err, AM_E_LIMIT, "a kernel has too many arguments");
    for (size_t i = 0; i < n; i++)
        args[all++] = own[i];
    args[all++] = am_ocl_number_arg(g->spec.type, &side);
    args[all++] = am_ocl_number_arg(g->spec.type, &centre);
    return am_ocl_program_args(kernel, args, all, err);
}

enum am_status am_ocl_grid_sweep(void *grid, size_t steps, struct am_ocl_ends *ends,
                                 struct am_err *err)
{
    struct am_ocl_grid *const g = grid;
    size_t items[3], group[3];
    enum am_status s = am_ocl_grid_args(g, g->sweep, NULL, 0, err);

    items_of(g, items, group);
    for (size_t i = 0; i < steps && s == AM_OK; i++)
        s = am_ocl_grid_enqueue(g, g->sweep, items, group, ends, err);
    return s;
}

enum am_status am_ocl_grid_wait(struct am_ocl_grid *g, struct am_ocl_ends *ends,
                                uint64_t *elapsed_ns, struct am_err *err)
{
    const cl_int code = clFinish(g->device->queue);
    const enum am_status taken =
        am_ocl_ends_take(ends, elapsed_ns, code == CL_SUCCESS ? err : NULL);

    return code == CL_SUCCESS ? taken : am_ocl_fail(err, code, "clFinish");
}

/* ---- comparisons ---- */

enum am_status am_ocl_grid_keep(struct am_ocl_grid *g, struct am_err *err)
{
    const size_t bytes = g->points * g->element_bytes;
    enum am_status s = AM_OK;
    cl_int code;

    if (!g->kept)
        s = am_ocl_device_buffer(g->device, CL_MEM_READ_WRITE, bytes, NULL, &g->kept, err);
    if (s != AM_OK)
        return s;
    code =
        clEnqueueCopyBuffer(g->device->queue, g->u[g->front], g->kept, 0, 0, bytes, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = clFinish(g->device->queue);
    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clEnqueueCopyBuffer");
}

static double value_in(const struct am_ocl_grid *g, cl_mem from, size_t index)
{
    cl_float narrow = NAN;
    cl_double wide = NAN;
    void *const to = g->spec.type == AM_STENCIL_F32 ? (void *)&narrow : (void *)&wide;

    (void)am_ocl_device_read(g->device, from, index * g->element_bytes, g->element_bytes, to, NULL);
    return g->spec.type == AM_STENCIL_F32 ? (double)narrow : wide;
}

/* found[0]: points of the state that are not those of `other`; found[1]: the first of them. */
static enum am_status run_differ(const struct am_ocl_grid *g, cl_mem other, cl_uint found[2],
                                 struct am_err *err)
{
    const cl_uint none[2] = {0, UINT32_MAX}, points = (cl_uint)g->points;
    const struct am_ocl_arg args[] = {AM_OCL_ARG(other), AM_OCL_ARG(g->u[g->front]),
                                      AM_OCL_ARG(points), AM_OCL_ARG(g->found)};
    const size_t items[3] = {DIFFER_ITEMS / g->group[0] * g->group[0], 1, 1};
    const size_t group[3] = {g->group[0], 1, 1};
    enum am_status s = am_ocl_device_write(g->device, g->found, 0, sizeof(none), none, err);

    if (s == AM_OK)
        s = am_ocl_program_args(g->differ, args, sizeof(args) / sizeof(args[0]), err);
    if (s == AM_OK)
        s = enqueue(g, g->differ, items, group, NULL, err);
    return s == AM_OK ? am_ocl_device_read(g->device, g->found, 0, 2 * sizeof(found[0]), found, err)
                      : s;
}

enum am_status am_ocl_grid_same(struct am_ocl_grid *g, struct am_err *err)
{
    const size_t *const n = g->spec.n;
    cl_uint found[2] = {1, 0};
    enum am_status s = g->kept ? run_differ(g, g->kept, found, err)
                               : am_fail(err, AM_E_WRONG, "nothing was set aside");

    if (s != AM_OK || !found[0])
        return s;
    return am_fail(err, AM_E_WRONG,
                   "%u of %zu points are not what plain steps make: (%zu, %zu, %zu) is %.17g, "
                   "not %.17g",
                   found[0], g->points, found[1] % n[0], found[1] / n[0] % n[1],
                   found[1] / (n[0] * n[1]), value_in(g, g->kept, found[1]),
                   value_in(g, g->u[g->front], found[1]));
}

enum am_status am_ocl_grid_prove(struct am_ocl_grid *g, am_ocl_advance_fn *advance, void *self,
                                 size_t steps, struct am_err *err)
{
    enum am_status s = am_ocl_grid_fill(g, err);

    if (s == AM_OK)
        s = advance(self, steps, NULL, err);
    if (s == AM_OK)
        s = am_ocl_grid_keep(g, err);
    if (s == AM_OK)
        s = am_ocl_grid_fill(g, err);
    if (s == AM_OK)
        s = am_ocl_grid_sweep(g, steps, NULL, err);
    return s == AM_OK ? am_ocl_grid_same(g, err) : s;
}

enum am_status am_ocl_grid_time(struct am_ocl_grid *g, am_ocl_advance_fn *advance, void *self,
                                size_t steps, int times, uint64_t *ns, struct am_err *err)
{
    enum am_status s = AM_OK;

    *ns = UINT64_MAX;
    for (int t = 0; t < times && s == AM_OK; t++) {
        struct am_ocl_ends ends = {.first = NULL};
        uint64_t all_ns = 0;
        enum am_status waited;

        s = advance(self, steps, &ends, err);
        waited = am_ocl_grid_wait(g, &ends, &all_ns, s == AM_OK ? err : NULL);
        s = s == AM_OK ? waited : s;
        *ns = all_ns < *ns ? all_ns : *ns;
    }
    return s;
}

enum am_status am_ocl_grid_clear_other(struct am_ocl_grid *g, struct am_err *err)
{
    const cl_uint nothing = 0;
    const cl_int code =
        clEnqueueFillBuffer(g->device->queue, g->u[!g->front], &nothing, sizeof(nothing), 0,
                            g->points * g->element_bytes, 0, NULL, NULL);

    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clEnqueueFillBuffer");
}

enum am_status am_ocl_grid_both_same(const struct am_ocl_grid *g, struct am_err *err)
{
    cl_uint found[2] = {1, 0};
    const enum am_status s = run_differ(g, g->u[!g->front], found, err);

    if (s != AM_OK || !found[0])
        return s;
    return am_fail(err, AM_E_WRONG,
                   "%u of %zu points of a copy differ: point %u is %.17g, not %.17g", found[0],
                   g->points, found[1], value_in(g, g->u[g->front], found[1]),
                   value_in(g, g->u[!g->front], found[1]));
}

double am_ocl_grid_value(const struct am_ocl_grid *g, const size_t at[3])
{
    return value_in(g, g->u[g->front], (at[2] * g->spec.n[1] + at[1]) * g->spec.n[0] + at[0]);
}

void am_ocl_grid_row(const struct am_ocl_grid *g, size_t y, size_t z, double *values)
{
    const size_t n = g->spec.n[0], first = (z * g->spec.n[1] + y) * n;
    const bool narrow = g->spec.type == AM_STENCIL_F32;
    float *const room = narrow ? malloc(n * sizeof(*room)) : NULL;
    void *const to = narrow ? (void *)room : values;
    const enum am_status s =
        to ? am_ocl_device_read(g->device, g->u[g->front], first * g->element_bytes,
                                n * g->element_bytes, to, NULL)
           : AM_E_NOMEM;

    for (size_t i = 0; i < n && s != AM_OK; i++)
        values[i] = NAN;
    for (size_t i = 0; i < n && s == AM_OK && narrow; i++)
        values[i] = (double)room[i];
    free(room);
}

static void row_of(const void *self, size_t y, size_t z, double *values)
{
    am_ocl_grid_row(self, y, z, values);
}

static double value_of(const void *self, const size_t at[3])
{
    return am_ocl_grid_value(self, at);
}

/* Half of all points are moved to a side, where the grid closes. */
static void to_seam(const void *self, struct am_rng *rng, size_t i, size_t at[3])
{
    const struct am_ocl_grid *const g = self;
    const unsigned d = (unsigned)(am_rng_u64(rng) % g->spec.dim);

    if (i % 2)
        at[d] = i / 2 % 2 ? g->spec.n[d] - 1 : 0;
}

static struct am_grid_view view_of(const struct am_ocl_grid *g)
{
    return (struct am_grid_view){.spec = am_ocl_grid_spec_of(g),
                                 .self = g,
                                 .value = value_of,
                                 .seam = to_seam,
                                 .row = row_of,
                                 .all = ALL,
                                 .samples = SAMPLES};
}

enum am_status am_ocl_grid_look(const struct am_ocl_grid *g, uint64_t seed, struct am_err *err)
{
    const struct am_grid_view view = view_of(g);

    return am_grid_view_look(&view, seed, err);
}

enum am_status am_ocl_grid_compare(const struct am_ocl_grid *g, size_t steps, uint64_t seed,
                                   double *residual, struct am_err *err)
{
    const struct am_grid_view view = view_of(g);

    return am_grid_view_compare(&view, steps, seed, residual, err);
}
