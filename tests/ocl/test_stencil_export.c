/* SPDX-License-Identifier: MIT */
/* What `stencil export --language opencl` writes, built by a device's compiler and launched as its
 * comments say: every description must step like an interpreter of its formulas that finds each
 * neighbour by itself. Errors planted in the text must show. */
#include "bench/ocl/host/program.h"
#include "cli/stencil/emit.h"
#include "cli/stencil/emit_device.h"
#include "ocl_device.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAYS = 6, STEPS = 9, CHUNK = 7 };

/* ---- the reference ---- */

struct world {
    const struct am_description *d;
    long n[3];
    double *state[2][ARRAYS], *fixed[ARRAYS]; /* fields at even and odd steps; coefficients */
    unsigned now;
};

static double at_place(const struct world *w, const double *u, bool field, const long place[3])
{
    long at[3];

    for (unsigned k = 0; k < 3; k++) {
        const long n = w->n[k];
        const enum am_boundary side = w->d->boundary[k];

        at[k] = place[k];
        if (at[k] >= 0 && at[k] < n)
            continue;
        if (side == AM_BOUNDARY_FIXED && field)
            return w->d->boundary_value[k];
        at[k] = side == AM_BOUNDARY_PERIODIC ? (at[k] % n + n) % n
                : at[k] < 0                  ? -1 - at[k]
                                             : 2 * n - 1 - at[k];
    }
    return u[at[0] + w->n[0] * (at[1] + w->n[1] * at[2])];
}

static double value_of_name(const struct world *w, const struct am_formula_node *node,
                            const long here[3])
{
    const struct am_description *const d = w->d;
    const long place[3] = {here[0] + node->at[0], here[1] + node->at[1], here[2] + node->at[2]};
    const int parameter = am_description_find(&d->parameters, node->text);
    const int field = am_description_find(&d->fields, node->text);

    if (parameter >= 0)
        return d->parameters.items[parameter].value;
    if (field < 0)
        return at_place(w, w->fixed[am_description_find(&d->coefficients, node->text)], false,
                        place);
    return at_place(w, w->state[node->when == AM_FORMULA_NOW ? w->now : !w->now][field], true,
                    place);
}

static double evaluate(const struct world *w, const struct am_formula *f, int index,
                       const long here[3])
{
    const struct am_formula_node *const node = &f->nodes[index];
    double left, right = 0;

    if (node->kind == AM_FORMULA_NUMBER)
        return am_parse_f64(node->text, strlen(node->text), &right) ? right : NAN;
    if (node->kind == AM_FORMULA_NAME)
        return value_of_name(w, node, here);
    left = evaluate(w, f, node->left, here);
    if (node->kind == AM_FORMULA_NEGATE)
        return -left;
    right = evaluate(w, f, node->right, here);
    return node->kind == AM_FORMULA_ADD        ? left + right
           : node->kind == AM_FORMULA_SUBTRACT ? left - right
           : node->kind == AM_FORMULA_MULTIPLY ? left * right
                                               : left / right;
}

static size_t points_of(const struct world *w)
{
    return (size_t)(w->n[0] * w->n[1] * w->n[2]);
}

/* What an update reads of the step before lies where it writes: a point's own value only. */
static void step(struct world *w)
{
    for (size_t s = 0; s < w->d->n_updates; s++) {
        const struct am_description_update *const u = &w->d->updates[s];

        for (size_t i = 0; i < points_of(w); i++) {
            const long here[3] = {(long)i % w->n[0], (long)i / w->n[0] % w->n[1],
                                  (long)i / (w->n[0] * w->n[1])};

            w->state[!w->now][u->field][i] = evaluate(w, &u->formula, (int)u->formula.n - 1, here);
        }
    }
    w->now = !w->now;
}

static double *array_of(size_t points, unsigned salt)
{
    double *const u = calloc(points, sizeof(*u));

    for (size_t i = 0; u && i < points; i++)
        u[i] = (double)((i * 7919 + (size_t)salt * 104729) % 1009) / 1009;
    return u;
}

static void begin(struct world *w)
{
    for (unsigned f = 0; f < w->d->fields.n; f++) {
        for (unsigned k = 0; k < 2; k++) {
            free(w->state[k][f]);
            w->state[k][f] = array_of(points_of(w), f + 1);
        }
    }
    for (unsigned c = 0; c < w->d->coefficients.n; c++) {
        free(w->fixed[c]);
        w->fixed[c] = array_of(points_of(w), 100 + c);
    }
    w->now = 0;
}

static void end(struct world *w)
{
    for (unsigned i = 0; i < ARRAYS; i++) {
        free(w->state[0][i]);
        free(w->state[1][i]);
        free(w->fixed[i]);
    }
}

/* ---- the driver that a user would write ---- */

struct driver {
    const struct am_ocl_device *device;
    cl_program program;
    cl_mem state[2][ARRAYS], fixed[ARRAYS];
    cl_mem aside[2]; /* where passes of second order write */
    unsigned now;
};

static bool build(struct driver *r, const char *text, const char *options)
{
    cl_int code = 0;

    r->program = clCreateProgramWithSource(r->device->context, 1, &text, NULL, &code);
    return r->program &&
           clBuildProgram(r->program, 1, &r->device->id, options, NULL, NULL) == CL_SUCCESS;
}

static cl_mem buffer_of(const struct driver *r, double *from, size_t points)
{
    cl_int code = 0;

    return clCreateBuffer(r->device->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                          points * sizeof(*from), from, &code);
}

static void upload(struct driver *r, const struct world *w)
{
    for (unsigned f = 0; f < w->d->fields.n; f++) {
        for (unsigned k = 0; k < 2; k++) {
            am_ocl_release_buffer(r->state[k][f]);
            r->state[k][f] = buffer_of(r, w->state[k][f], points_of(w));
        }
    }
    for (unsigned c = 0; c < w->d->coefficients.n; c++) {
        am_ocl_release_buffer(r->fixed[c]);
        r->fixed[c] = buffer_of(r, w->fixed[c], points_of(w));
    }
    for (unsigned k = 0; k < 2; k++) {
        am_ocl_release_buffer(r->aside[k]);
        r->aside[k] = buffer_of(r, w->state[0][0], points_of(w));
    }
    r->now = 0;
}

static void clean(struct driver *r)
{
    for (unsigned i = 0; i < ARRAYS; i++) {
        am_ocl_release_buffer(r->state[0][i]);
        am_ocl_release_buffer(r->state[1][i]);
        am_ocl_release_buffer(r->fixed[i]);
    }
    am_ocl_release_buffer(r->aside[0]);
    am_ocl_release_buffer(r->aside[1]);
    if (r->program)
        (void)clReleaseProgram(r->program);
}

static void launch(const struct driver *r, cl_kernel kernel, const size_t items[3],
                   const size_t group[3])
{
    const cl_int code =
        clEnqueueNDRangeKernel(r->device->queue, kernel, 3, NULL, items, group, 0, NULL, NULL);

    if (code != CL_SUCCESS)
        ok(false, "a kernel is launched: %s", am_ocl_error_name(code));
}

static void set(cl_kernel kernel, cl_uint *i, size_t size, const void *value)
{
    if (clSetKernelArg(kernel, *i, size, value) != CL_SUCCESS)
        ok(false, "argument %u is taken", *i);
    (*i)++;
}

static void set_parameters(cl_kernel kernel, cl_uint *i, const struct am_description *d)
{
    for (size_t k = 0; k < d->parameters.n; k++)
        set(kernel, i, sizeof(cl_double), &d->parameters.items[k].value);
}

static void sweep(struct driver *r, const struct world *w, long planes)
{
    const struct am_description *const d = w->d;

    for (size_t s = 0; s < d->n_updates; s++) {
        const size_t to = d->updates[s].field;
        size_t items[3];
        char name[64];
        cl_uint i = 0;
        cl_kernel kernel;

        (void)am_str_format(name, sizeof(name), "s_f64_update_%s", d->fields.items[to].name);
        kernel = clCreateKernel(r->program, name, NULL);
        for (size_t f = 0; f < d->fields.n; f++) {
            set(kernel, &i, sizeof(cl_mem), &r->state[r->now][f]);
            if (f != to)
                set(kernel, &i, sizeof(cl_mem), &r->state[!r->now][f]);
        }
        for (size_t c = 0; c < d->coefficients.n; c++)
            set(kernel, &i, sizeof(cl_mem), &r->fixed[c]);
        set_parameters(kernel, &i, d);
        for (unsigned k = 0; k < 3; k++) {
            const cl_int side = (cl_int)w->n[k];
            const long walked = k > 0 && k == d->dimensions - 1 ? planes : 1;

            set(kernel, &i, sizeof(side), &side);
            items[k] = (size_t)((w->n[k] + walked - 1) / walked);
        }
        items[0] += 3; /* work-items beyond the grid do nothing */
        set(kernel, &i, sizeof(cl_mem), &r->state[!r->now][to]);
        launch(r, kernel, items, NULL);
        am_ocl_release_kernel(kernel);
    }
    r->now = !r->now;
}

/* A number that the exported text defines. */
static size_t defined(const char *text, const char *word)
{
    char line[32];
    const char *at;
    uint64_t number = 0;

    (void)am_str_format(line, sizeof(line), "#define %s ", word);
    at = strstr(text, line);
    if (at)
        (void)am_parse_u64(at + strlen(line), strcspn(at + strlen(line), "\n"), &number);
    return number;
}

/* What a pass of second order has made, and the step before it. */
static void take_aside(struct driver *r)
{
    const cl_mem now = r->state[r->now][0], before = r->state[!r->now][0];

    r->state[r->now][0] = r->aside[0];
    r->state[!r->now][0] = r->aside[1];
    r->aside[0] = now;
    r->aside[1] = before;
}

/* One pass of `depth` steps. */
static void pass(struct driver *r, const struct world *w, const char *text, size_t depth)
{
    const bool flat = w->d->dimensions == 2;
    const size_t side[2] = {defined(text, "QX"), defined(text, "QY")};
    const size_t group[3] = {defined(text, "LX"), defined(text, "LY"), 1};
    const size_t halo[2] = {(depth + side[0] - 1) / side[0] * side[0], flat ? 0 : depth};
    const cl_uint n[3] = {(cl_uint)w->n[0], flat ? 1 : (cl_uint)w->n[1],
                          (cl_uint)w->n[flat ? 1 : 2]};
    const cl_uint chunk = CHUNK;
    const cl_kernel kernel = clCreateKernel(r->program, "am_wave_pass", NULL);
    size_t items[3] = {0, 0, (n[2] + chunk - 1) / chunk};
    cl_uint i = 0;

    set(kernel, &i, sizeof(cl_mem), &r->state[r->now][0]);
    set(kernel, &i, sizeof(cl_mem), w->d->second ? &r->aside[0] : &r->state[!r->now][0]);
    for (unsigned k = 0; k < 3; k++)
        set(kernel, &i, sizeof(n[k]), &n[k]);
    for (unsigned k = 0; k < 2; k++) {
        const cl_uint own = (cl_uint)(group[k] * side[k] - 2 * halo[k]);

        set(kernel, &i, sizeof(own), &own);
        items[k] = (n[k] + own - 1) / own * group[k];
    }
    set(kernel, &i, sizeof(chunk), &chunk);
    if (w->d->second) {
        set(kernel, &i, sizeof(cl_mem), &r->state[!r->now][0]);
        set(kernel, &i, sizeof(cl_mem), &r->aside[1]);
    }
    set_parameters(kernel, &i, w->d);
    launch(r, kernel, items, group);
    am_ocl_release_kernel(kernel);
    if (w->d->second)
        take_aside(r);
    else
        r->now = !r->now;
}

/* The largest difference of both states. */
static double apart(const struct driver *r, const struct world *w)
{
    double *const got = calloc(points_of(w), sizeof(*got)), worst = got ? 0 : INFINITY;

    for (unsigned f = 0; f < w->d->fields.n && got; f++) {
        if (clEnqueueReadBuffer(r->device->queue, r->state[r->now][f], CL_TRUE, 0,
                                points_of(w) * sizeof(*got), got, 0, NULL, NULL) != CL_SUCCESS)
            worst = INFINITY;
        for (size_t i = 0; i < points_of(w); i++) {
            const double off = fabs(got[i] - w->state[w->now][f][i]);

            worst = off <= worst ? worst : off;
        }
    }
    free(got);
    return worst;
}

/* ---- what is exported ---- */

struct export_case {
    const char *name, *text; /* without its first line */
    long n[3];
    long planes;           /* of a work-item of sweeps */
    size_t depth;          /* of a pass; 0: it has none */
    const char *from, *to; /* a planted error */
};

/* STEPS steps by what `text` has, from the same start. */
static double run(const struct export_case *c, struct world *w, const struct am_ocl_device *device,
                  const char *text)
{
    struct driver r = {.device = device};
    char options[96];
    double worst = INFINITY;
    size_t left = STEPS;

    (void)am_str_format(options, sizeof(options), "-DPLANES__=%ld -DDEPTH=%zu -DPACKED=%d",
                        c->planes, c->depth ? c->depth : 1,
                        c->depth && w->n[0] % (long)defined(text, "QX") == 0);
    begin(w);
    upload(&r, w);
    if (ok(build(&r, text, options), "%s is built with %s", c->name, options)) {
        for (size_t i = 0; i < STEPS; i++)
            step(w);
        for (; c->depth && left >= c->depth; left -= c->depth)
            pass(&r, w, text, c->depth);
        for (; left; left--)
            sweep(&r, w, c->planes);
        worst = apart(&r, w);
    }
    clean(&r);
    return worst;
}

/* The text with every `from` replaced; NULL: there is none. */
static char *planted(const char *text, const char *from, const char *to)
{
    struct am_text out;
    const char *at, *next = text;
    char *copy;

    if (!strstr(text, from))
        return NULL;
    am_text_init(&out, AM_EMIT_MAX);
    while ((at = strstr(next, from))) {
        am_text_addn(&out, next, (size_t)(at - next));
        am_text_add(&out, to);
        next = at + strlen(from);
    }
    am_text_add(&out, next);
    copy = strdup(am_text_str(&out));
    am_text_fini(&out);
    return copy;
}

static void check(const struct export_case *c, const struct am_ocl_device *device)
{
    struct am_arena arena = {0};
    struct am_description d;
    struct am_err err = {0};
    struct world w = {.d = &d, .n = {c->n[0], c->n[1], c->n[2]}};
    struct am_text text;
    double worst;
    char *wrong;

    am_text_init(&text, AM_EMIT_MAX);
    if (ok(am_description_parse("f", am_arena_printf(&arena, "stencil s\n%s", c->text), &arena, &d,
                                &err) == AM_OK &&
               am_emit_opencl(&d, AM_EMIT_F64, &text, &err) == AM_OK &&
               am_emit_has_device_waves(&d) == (c->depth > 0),
           "%s is exported %s", c->name, err.text)) {
        worst = run(c, &w, device, am_text_str(&text));
        ok(worst < 1e-13, "%s: off by %g", c->name, worst);
        wrong = planted(am_text_str(&text), c->from, c->to);
        ok(wrong != NULL, "%s has a place for an error: %s", c->name, c->from);
        worst = wrong ? run(c, &w, device, wrong) : 0;
        ok(worst > 1e-6, "%s: the planted error shows: %g", c->name, worst);
        free(wrong);
    }
    end(&w);
    am_text_fini(&text);
    am_arena_fini(&arena);
}

#define STAR3                                                                                      \
    "update u = 0.2 * u + r * (u[-1,0,0] + u[0,1,0]) + 0.2 * u[1,0,0] + 0.1 * (u[0,-1,0] + "       \
    "u[0,0,1]) + 0.15 * u[0,0,-1]\n"

static const struct export_case cases[] = {
    {"a row that is a ring",
     "dimensions 1\nfield u\nboundary periodic\nupdate u = 0.5 * u[-3] + 0.3 * u + 0.2 * u[2]\n",
     {41, 1, 1},
     1,
     0,
     "[at - 3]",
     "[at - 2]"},
    {"a row between fixed ends",
     "dimensions 1\nfield u\nparameter r 0.2\nboundary fixed 0.75\nupdate u = u + r * (u[-1] + u[1] - 2 * u)\n",
     {33, 1, 1},
     4,
     0,
     "return (double)0.75",
     "return (double)0.74"},
    {"a plane with mirrors, radius 2",
     "dimensions 2\nfield u\nboundary x mirror\nboundary y fixed 0.3\n"
     "update u = u[-1,-2] / 2 + 0.3 * u[2,1] - 0.2 * u[0,1] + 0.1 * u\n",
     {23, 37, 1},
     16,
     0,
     "x < nx - 2",
     "x < nx - 1"},
    {"a wave of second order",
     "dimensions 3\nfield u\nparameter c 0.1\nboundary fixed 0\nboundary y periodic\n"
     "update u = 2 * u - u.before + c * (u[-2,0,0] + u[2,0,0] + u[0,1,0] + u[0,0,-2] - 4 * u)\n",
     {17, 13, 19},
     4,
     0,
     "first__ + PLANES__;",
     "first__ + PLANES__ - 1;"},
    {"two fields and coefficients",
     "dimensions 3\nfield u\nfield v\ncoefficient k\ncoefficient h\nboundary fixed 0.3\nboundary z mirror\n"
     "update u = k * k[0,1,-1] * u[1,1,1] / 2 - 0.1 * v[-1,0,1] + 0.1\n"
     "update v = 0.3 * v[0,1,1] + 0.4 * h * u.new[1,-1,0] - 0.1 * v.before * u + 0.01\n",
     {15, 16, 17},
     5,
     0,
     "u__new[at + 1 - row__]",
     "u__now[at + 1 - row__]"},
    {"passes of a plane",
     "dimensions 2\nfield u\nparameter r 0.2\nboundary x periodic\nboundary y mirror\n"
     "update u = 0.2 * u + r * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1])\n",
     {500, 61, 1},
     16,
     3,
     "#define W_LEFT s_f64_weight_1",
     "#define W_LEFT 0.999 * s_f64_weight_1"},
    {"passes of a space, all sides different",
     "dimensions 3\nfield u\nparameter r 0.125\nboundary x fixed 0.3\nboundary y periodic\nboundary z mirror\n" STAR3,
     {75, 29, 18},
     16,
     4,
     "#define HALO_Y DEPTH",
     "#define HALO_Y (DEPTH - 1)"},
    {"passes of second order in a space",
     "dimensions 3\nfield u\nparameter c 0.1\nboundary x fixed 0.3\nboundary y periodic\nboundary z mirror\n"
     "update u = 2 * u - u.before + c * (u[-1,0,0] + u[1,0,0] + 2 * u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1] - 7 * u)\n",
     {75, 61, 18},
     16,
     2,
     "older[q] = value[q];",
     "older[q] = 0.999 * value[q];"},
    {"passes of second order in a plane",
     "dimensions 2\nfield u\nparameter c 0.1\nboundary fixed 0\nboundary y periodic\n"
     "update u = 1.9 * u - 0.9 * u.before + c * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4 * u)\n",
     {500, 61, 1},
     4,
     4,
     "GIVE_PAST(into - v, older);",
     ""},
    {"passes without any parameter",
     "dimensions 3\nfield u\nboundary fixed 0.5\n"
     "update u = 0.4 * u + 0.1 * (u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1])\n",
     {64, 29, 18},
     2,
     4,
     "#define FIXED_Y ((ELEMENT)0.5)",
     "#define FIXED_Y ((ELEMENT)0.49)"},
};

int main(void)
{
    struct am_clock clock;
    const struct am_ctx ctx = {.memory_limit_bytes = 1 << 28, .clock = &clock};
    const char *const name = usable_device();
    struct am_ocl_device device = {.ctx = NULL};
    struct am_err err = {0};

    am_clock_init(&clock);
    if (!name) {
        skip_test("no OpenCL device here");
        return tap_done();
    }
    ok(am_ocl_device_open(&device, &ctx, name, &err) == AM_OK, "%s opens %s", name, err.text);
    if (device.queue && device.has_double) {
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
            check(&cases[i], &device);
    } else {
        skip_test("this device has no double");
    }
    am_ocl_device_close(&device);
    return tap_done();
}
