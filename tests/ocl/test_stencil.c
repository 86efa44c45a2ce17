/* SPDX-License-Identifier: MIT */
/* The stencil on an OpenCL device, and on one that was divided into two: every point against the
 * reference, for sizes and depths that fit nothing. */
#include "app/stencil/reference.h"
#include "base/text.h"
#include "bench/apps/stencil.h"
#include "bench/ocl/host/found.h"
#include "bench/ocl/host/split.h"
#include "bench/ocl/app/stencil_plain.h"
#include "bench/ocl/app/stencil_tune.h"
#include "apps_fixture.h"
#include "ocl_device.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>

extern const struct am_app_port am_port_stencil_opencl;
static const struct am_bench *bench; /* app.stencil of the worker `ocl` */

static void check_unroll(void)
{
    static const struct {
        unsigned width;
        enum am_stencil_form form;
        unsigned unroll;
    } cases[] = {
        {1, AM_STENCIL_scaled, 8},   {96, AM_STENCIL_scaled, 2}, {96, AM_STENCIL_paper, 2},
        {64, AM_STENCIL_centred, 4}, {128, AM_STENCIL_paper, 1}, {207, AM_STENCIL_scaled, 1},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ok(am_ocl_stencil_unroll(cases[i].width, cases[i].form) == cases[i].unroll,
           "a slice of %u points, form %s, is unrolled %u times", cases[i].width,
           am_stencil_forms[cases[i].form], cases[i].unroll);
}

static void check_even_depth(void)
{
    static const struct {
        size_t steps, most, multiple, depth;
    } cases[] = {
        {480, 96, 8, 96}, {120, 96, 8, 64}, {100, 96, 8, 56}, {7, 96, 8, 7}, {97, 96, 8, 56},
        {1, 1, 8, 1},     {480, 4, 8, 4},   {96, 96, 8, 96},  {13, 5, 2, 5}, {12, 5, 2, 4},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ok(am_ocl_stencil_even_depth(cases[i].steps, cases[i].most, cases[i].multiple) ==
               cases[i].depth,
           "%zu steps by at most %zu: passes of %zu", cases[i].steps, cases[i].most,
           cases[i].depth);
}

/* The largest error of all points after one iteration. NAN: could not be had. */
static double error_of(const struct am_ocl_stencil *st)
{
    const size_t n = st->spec.n, steps = st->spec.steps;
    const struct am_stencil_view view = am_ocl_stencil_view(st, 0);
    long double *const x = malloc((n + 2 * steps) * sizeof(*x));
    double most = 0;

    if (!x)
        return NAN;
    for (size_t i = 0; i < n + 2 * steps; i++)
        x[i] = am_stencil_start((i + n - steps % n) % n);
    am_stencil_reference(x, n, steps, st->spec.r);
    for (size_t i = 0; i < n && !isnan(most); i++) {
        const double off = fabs((double)(view.value(st, i) - x[i]));

        most = off > most || isnan(off) ? off : most;
    }
    free(x);
    return most;
}

static enum am_status compare(const struct am_ocl_stencil *st, uint64_t seed, double *residual,
                              struct am_err *err)
{
    const struct am_stencil_view view = am_ocl_stencil_view(st, seed);

    return am_stencil_compare(&view, residual, err);
}

struct layout {
    size_t n, steps, depth;
    unsigned groups;
};

/* Another problem for kernels that are built. */
static void check_layout(struct am_ocl_stencil *st, const struct layout *l)
{
    const double tolerance = am_stencil_tolerance(st->spec.type, l->steps);
    struct am_err err = {0};
    uint64_t ns = 0;
    double residual = 0, error = NAN;
    enum am_status s;

    st->spec.n = l->n;
    st->spec.steps = l->steps;
    s = am_ocl_stencil_lay_out(st, l->groups, l->depth, &err);
    if (s == AM_OK)
        s = am_ocl_stencil_fill(st, &err);
    if (s == AM_OK)
        s = am_ocl_stencil_run(st, 1, &ns, &err);
    if (s == AM_OK)
        error = error_of(st);
    ok(s == AM_OK && error <= tolerance,
       "%zu points, %zu steps by %zu, %u groups on %zu: off by %.2g of %.2g allowed %s", l->n,
       l->steps, l->depth, l->groups, st->count, error, tolerance, err.text);
    if (s == AM_OK)
        s = compare(st, 12345, &residual, &err);
    ok(s == AM_OK && residual <= tolerance, "its windows too %s", err.text);
}

/* After so many steps the state is smooth, and still one step too few or a coefficient a little off
 * is told from what is right, with any seed. Lanes have slices enough that groups begin out of
 * phase. */
static void check_smooth(struct am_ocl_stencil *st)
{
    const struct layout l = {.n = 100003, .steps = 480, .depth = 24, .groups = 4};
    const double r = st->spec.r;
    struct am_err err = {0};
    double residual = 0;
    int short_found = 0, off_found = 0;

    check_layout(st, &l);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        st->spec.steps = l.steps + 1;
        short_found += compare(st, seed, &residual, &err) == AM_E_WRONG;
        st->spec.steps = l.steps;
        st->spec.r = 1.002 * r;
        off_found += compare(st, seed, &residual, &err) == AM_E_WRONG;
        st->spec.r = r;
    }
    ok(short_found == 3, "a step too few of %zu is found %d times of 3", l.steps, short_found);
    ok(off_found == 3, "a coefficient 0.2 %% off is found %d times of 3", off_found);
}

/* One iteration from the start with an argument of a kernel replaced. The layout's steps are whole
 * passes, so that arguments set by a run before stay. */
static bool notices(struct am_ocl_stencil *st, cl_kernel kernel, cl_uint argument, size_t bytes,
                    const void *value)
{
    struct am_err err = {0};
    double residual = 0;
    uint64_t ns;

    return am_ocl_stencil_fill(st, &err) == AM_OK &&
           am_ocl_stencil_run(st, 1, &ns, &err) == AM_OK &&
           compare(st, 1, &residual, &err) == AM_OK && am_ocl_stencil_fill(st, &err) == AM_OK &&
           clSetKernelArg(kernel, argument, bytes, value) == CL_SUCCESS &&
           am_ocl_stencil_run(st, 1, &ns, &err) == AM_OK &&
           compare(st, 1, &residual, &err) == AM_E_WRONG;
}

/* Neighbours that are copied to some other memory are not taken; a pass with a slice too few leaves
 * a block as it was. */
static void check_planted(struct am_ocl_stencil *st)
{
    enum { EXCHANGED = 0, SLICES = 5 };
    const struct layout l = {.n = 20011, .steps = 48, .depth = 24, .groups = 2};
    struct am_ocl_stencil_part *const part = &st->part[0];
    struct am_err err = {0};
    cl_mem elsewhere = NULL;
    cl_uint slices;

    check_layout(st, &l);
    ok(am_ocl_device_buffer(part->device, CL_MEM_READ_WRITE, part->u_bytes, NULL, &elsewhere,
                            &err) == AM_OK &&
           notices(st, part->exchange, EXCHANGED, sizeof(elsewhere), &elsewhere),
       "neighbours not taken are found %s", err.text);
    part->arguments_for = 0;
    slices = (cl_uint)((part->base + (part->extra > 0) + 2 * l.depth + st->shape.width - 1) /
                       st->shape.width) -
             (cl_uint)(l.depth / st->shape.width + 1);
    ok(notices(st, part->pass, SLICES, sizeof(slices), &slices), "a block skipped is found");
    part->arguments_for = 0;
    am_ocl_release_buffer(elsewhere);
}

/* What is one step further is told from what is right. */
static void check_wrong(struct am_ocl_stencil *st)
{
    const struct layout l = {.n = 501, .steps = 6, .depth = 4, .groups = 2};
    struct am_err err = {0};
    double residual = 0;
    uint64_t ns;

    check_layout(st, &l);
    st->spec.steps += 1;
    ok(compare(st, 1, &residual, &err) == AM_E_WRONG && strstr(err.text, "point"),
       "a step too few is found: %s", err.text);
    st->spec.steps = l.steps;
    err = (struct am_err){0};
    ok(am_ocl_stencil_run(st, 1, &ns, &err) == AM_OK &&
           compare(st, 1, &residual, &err) == AM_E_WRONG,
       "an iteration too many is found: %s", err.text);
}

static void check_refusals(struct am_ocl_stencil *st)
{
    static const struct {
        size_t n;
        unsigned groups;
        size_t depth;
        const char *reason;
    } cases[] = {
        {100, 0, 4, "0 groups"},
        {100, 1, 0, "0 steps per pass"},
        {0, 1, 1, "0 points"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_err err = {0};

        st->spec.n = cases[i].n;
        ok(am_ocl_stencil_lay_out(st, cases[i].groups, cases[i].depth, &err) == AM_E_ABSENT &&
               strstr(err.text, cases[i].reason),
           "refused: %s", err.text);
    }
}

/* Vectors of lanes, edges in local memory, more than one rescaling, a width that divides nothing.
 */
static void check_vectors(const struct am_ocl_device *device)
{
    static const struct layout layouts[] = {
        {1, 1, 1, 1},       {1, 7, 3, 1},      {2, 5, 8, 1},     {3, 100, 50, 1},
        {37, 13, 4, 3},     {40, 64, 64, 1},   {64, 5, 5, 2},    {1000, 1, 1, 2},
        {1000, 101, 33, 1}, {1001, 64, 64, 2}, {2049, 31, 8, 3}, {700, 120, 120, 1},
    };
    const struct am_ocl_stencil_spec spec = {
        .form = AM_STENCIL_scaled, .type = AM_STENCIL_F32, .n = 1, .steps = 1, .r = 0.2};
    const struct am_ocl_stencil_shape shape = {
        .width = 5, .group = 2, .vector = 2, .pack = 1, .unroll = 2, .local_edges = true};
    struct am_ocl_stencil st = {.count = 0};
    struct am_err err = {0};

    if (am_ocl_stencil_build(&st, &device, 1, &spec, &shape, &err) != AM_OK)
        ok(false, "built: %s", err.text);
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]) && st.count && !err.text[0]; i++)
        check_layout(&st, &layouts[i]);
    if (!err.text[0]) {
        check_wrong(&st);
        check_smooth(&st);
        check_planted(&st);
        check_refusals(&st);
    }
    am_ocl_stencil_free(&st);
}

/* Points of the slices that differ from plain steps, after so many iterations of the former. */
static size_t count_apart(struct am_ocl_stencil *st, const struct am_ocl_plain *plain,
                          uint64_t iterations, struct am_err *err)
{
    struct am_ocl_difference found = {1, 0};
    uint64_t ns;

    if (am_ocl_stencil_fill(st, err) != AM_OK ||
        am_ocl_stencil_run(st, iterations, &ns, err) != AM_OK ||
        am_ocl_stencil_differ(st, plain->u[plain->front], 0, &found, err) != AM_OK)
        return SIZE_MAX;
    return found.count;
}

/* In the paper's form all points have the bits of plain steps; whatever is wrong in one lane shows.
 */
static void check_every_point(const struct am_ocl_device *device)
{
    enum { SLICES = 5 };
    const struct am_ocl_stencil_spec spec = {
        .form = AM_STENCIL_paper, .type = AM_STENCIL_F32, .n = 20011, .steps = 48, .r = 0.3};
    const struct am_ocl_stencil_shape shape = {
        .width = 7, .group = 2, .vector = 2, .pack = 1, .unroll = 2, .local_edges = true};
    struct am_ocl_stencil st = {.count = 0};
    struct am_ocl_plain plain = {.front = 0};
    struct am_err err = {0};
    uint64_t ns;
    cl_uint few;
    enum am_status s = am_ocl_stencil_build(&st, &device, 1, &spec, &shape, &err);

    if (s == AM_OK)
        s = am_ocl_stencil_lay_out(&st, 3, 24, &err);
    if (s == AM_OK)
        s = am_ocl_plain_open(&plain, device, &spec, &err);
    if (s == AM_OK)
        s = am_ocl_plain_run(&plain, 1, &ns, &err);
    ok(s == AM_OK && count_apart(&st, &plain, 1, &err) == 0,
       "all points are those of plain steps %s", err.text);
    ok(s == AM_OK && count_apart(&st, &plain, 2, &err) > spec.n / 2, "more steps differ %s",
       err.text);
    few = (cl_uint)((st.part[0].base + 48) / shape.width - 24 / shape.width - 1);
    ok(s == AM_OK && clSetKernelArg(st.part[0].pass, SLICES, sizeof(few), &few) == CL_SUCCESS &&
           count_apart(&st, &plain, 1, &err) > 0,
       "slices left out differ %s", err.text);
    am_ocl_plain_close(&plain);
    am_ocl_stencil_free(&st);
}

/* Pairs of points moved at once, edges in global memory, two devices that meet through the host. */
static void check_two(const struct am_ocl_device *whole)
{
    static const struct layout layouts[] = {
        {17, 26, 20, 1}, {400, 30, 10, 2}, {1003, 26, 8, 1}, {801, 64, 64, 3}, {5, 4, 2, 1},
    };
    const struct am_ocl_stencil_spec spec = {
        .form = AM_STENCIL_paper, .type = AM_STENCIL_F64, .n = 4, .steps = 2, .r = 0.3};
    const struct am_ocl_stencil_shape shape = {
        .width = 18, .group = 4, .vector = 1, .pack = 2, .unroll = 4, .depth = 2};
    const struct am_ocl_device *devices[2];
    struct am_ocl_stencil st = {.count = 0};
    struct am_ocl_split split = {.n = 0};
    struct am_err err = {0};
    enum am_status s = am_ocl_split_open(&split, whole, 2, &err);

    if (s == AM_E_ABSENT || !whole->has_double) {
        skip_test("this device cannot be divided");
        am_ocl_split_close(&split);
        return;
    }
    devices[0] = &split.device[0];
    devices[1] = &split.device[1];
    if (s == AM_OK)
        s = am_ocl_stencil_build(&st, devices, 2, &spec, &shape, &err);
    ok(s == AM_OK && st.shape.pack == 2, "built for two devices, by pairs %s", err.text);
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]) && s == AM_OK; i++)
        check_layout(&st, &layouts[i]);
    am_ocl_stencil_free(&st);
    am_ocl_split_close(&split);
}

/* A pack must divide all that is moved by it; a device's limits are its own. */
static void check_build_refused(const struct am_ocl_device *device)
{
    const struct am_ocl_stencil_spec spec = {
        .form = AM_STENCIL_paper, .type = AM_STENCIL_F32, .n = 10, .steps = 3, .r = 0.25};
    struct am_ocl_stencil_shape shape = {.width = 300, .group = 1, .vector = 1, .pack = 1};
    struct am_ocl_stencil st = {.count = 0};
    struct am_err err = {0};

    ok(am_ocl_stencil_build(&st, &device, 1, &spec, &shape, &err) == AM_E_ABSENT &&
           strstr(err.text, "not 300"),
       "refused: %s", err.text);
    am_ocl_stencil_free(&st);
    err = (struct am_err){0};
    shape = (struct am_ocl_stencil_shape){
        .width = 4, .group = (unsigned)device->group_max + 1, .vector = 1, .pack = 1};
    ok(am_ocl_stencil_build(&st, &device, 1, &spec, &shape, &err) == AM_E_ABSENT, "refused: %s",
       err.text);
    am_ocl_stencil_free(&st);
}

/* The bench itself: one of its axes is a device's name, a free word. */
static void set_point(const char *words, const char *device, struct am_value *point)
{
    struct am_axis axes[AM_AXES_MAX + 1];
    struct am_bench plain = *bench;
    size_t n = 0, device_at = 0;

    for (; bench->axes[n].name; n++) {
        axes[n] = bench->axes[n];
        if (strcmp(axes[n].name, "device") == 0)
            device_at = n;
    }
    axes[n] = (struct am_axis){.name = NULL};
    axes[device_at] = axes[0]; /* any that takes a number */
    plain.axes = axes;
    bx_point(&plain, words, point);
    point[device_at] = (struct am_value){.kind = AM_AXIS_NAME, .i = -1, .name = device};
}

/* What points say of themselves: each name once per point, or the conductor refuses the launch. */
struct said {
    char names[32][32];
    size_t n, twice;
    double copies; /* the note `copy`: updates per second of one sweep per step */
};

static void hear_note(void *self, const char *key, const char *text)
{
    struct said *const said = self;
    const char *const number = strstr(text, ": ");

    if (strcmp(key, "copy") == 0 && number)
        said->copies = strtod(number + 2, NULL);
}

static void hear_chosen(void *self, const char *name, const char *value)
{
    struct said *const said = self;

    (void)value;
    for (size_t i = 0; i < said->n; i++)
        said->twice += strcmp(said->names[i], name) == 0;
    if (said->n < sizeof(said->names) / sizeof(said->names[0]))
        (void)am_str_copy(said->names[said->n++], sizeof(said->names[0]), name);
}

/* Axes that are said to be other than asked for, which the conductor refuses. */
static size_t contradictions(const struct said *said, const struct am_value *point)
{
    size_t found = 0;

    for (size_t i = 0; i < said->n; i++) {
        const int axis = am_axis_find(bench->axes, said->names[i]);

        found += axis >= 0 && !am_axis_is_open(&bench->axes[axis], &point[axis]);
    }
    return found;
}

/* Of two iterations. In one dimension nothing is copied. */
static void check_over_sweep(const struct said *said, const struct am_work *work,
                             const struct am_batch *batch)
{
    const double over = batch->values[AM_STENCIL_OVER_SWEEP];
    const double updates = 2 * work->ops * 1e9 / (double)batch->elapsed_ns;

    ok(said->copies > 0 ? fabs(over * said->copies / updates - 1) < 0.01 : isnan(over),
       "updates over %g of one sweep: %g", said->copies, over);
}

static void check_bench(const char *words, double flops, const char *device,
                        const struct am_ctx *outer)
{
    const struct am_bench *const b = bench;
    struct said said = {.n = 0};
    struct am_ctx own = *outer;
    const struct am_ctx *const ctx = &own;
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_batch batch = {0};
    struct am_err err = {0};
    double residual = 0;
    void *const state = calloc(1, b->state_size);
    enum am_status s;

    own.chosen = hear_chosen;
    own.note = hear_note;
    own.said_self = &said;
    set_point(words, device, point);
    s = b->prepare(state, ctx, point, &work, &err);
    ok(s == AM_OK && work.flops == flops, "%s: prepared %s", words, err.text);
    ok(said.n > 0 && said.twice == 0 && contradictions(&said, point) == 0,
       "%zu things are said of it, %zu of them twice", said.n, said.twice);
    ok(b->verify(state, &residual, &err) == AM_E_WRONG, "verify notices that nothing ran: %s",
       err.text);
    err = (struct am_err){0};
    if (s == AM_OK)
        s = b->run_timed(state, 2, &batch, &err);
    ok(s == AM_OK && batch.elapsed_ns > 0 && batch.values[AM_STENCIL_EXECUTED] > 0,
       "and measured %s", err.text);
    check_over_sweep(&said, &work, &batch);
    ok((said.copies > 0) == (words[0] != '1'), "of grids it is known what a copy takes");
    if (s == AM_OK)
        s = b->verify(state, &residual, &err);
    ok(s == AM_OK && residual > 0, "and right: off by %g %s", residual, err.text);
    b->finish(state);
    free(state);
}

/* Where n is left open, it is chosen and said. */
static void check_size_chosen(const char *words, const char *device, const struct am_ctx *outer)
{
    struct said said = {.n = 0};
    struct am_ctx own = *outer;
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    void *const state = calloc(1, bench->state_size);
    bool is_said = false;
    enum am_status s;

    own.chosen = hear_chosen;
    own.said_self = &said;
    set_point(words, device, point);
    s = bench->prepare(state, &own, point, &work, &err);
    for (size_t i = 0; i < said.n; i++)
        is_said = is_said || strcmp(said.names[i], "points") == 0;
    ok(s == AM_OK && is_said && contradictions(&said, point) == 0 && work.ops >= 1 << 14,
       "%s: %g updates %s", words, work.ops, err.text);
    bench->finish(state);
    free(state);
}

static void check_bench_refused(const char *device, const struct am_ctx *ctx)
{
    static const struct {
        const char *words, *reason;
        bool elsewhere; /* another device's name */
    } cases[] = {
        {"2 slice paper f32 device 0 0 8 100 0 opencl 1 opencl 1 close cores default",
         "one dimension", false},
        {"1 slice paper f32 device 0 0 8 100 0 opencl 1 opencl 2 close cores default", "threads=1",
         false},
        {"1 slice paper f32 device 0 0 8 100 0 opencl 1 opencl 1 close cores default",
         "2 to 8 devices", true},
        {"1 auto paper f32 device 4 0 8 100 0 opencl 1 opencl 1 close cores default", "only slices",
         false},
        {"1 wave paper f32 device 0 0 8 100 0 opencl 1 opencl 1 close cores default",
         "two and three dimensions", false},
        {"4 wave paper f32 device 0 0 8 100 0 opencl 1 opencl 1 close cores default",
         "1 to 3 dimensions", false},
        {"3 wave scaled f32 device 0 0 8 100 0 opencl 1 opencl 1 close cores default",
         "paper's form", false},
        {"3 wave paper f32 device 0 9 8 100 0 opencl 1 opencl 1 close cores default",
         "a pass of 9 steps", false},
        {"2 auto paper f32 device 0 2 8 100 0 opencl 1 opencl 1 close cores default", "only waves",
         false},
    };
    char several[AM_OCL_NAME_MAX + 4];

    (void)am_str_format(several, sizeof(several), "%s*9", device);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct am_bench *const b = bench;
        struct am_value point[AM_AXES_MAX];
        struct am_work work = {0};
        struct am_err err = {0};
        void *const state = calloc(1, b->state_size);

        set_point(cases[i].words, cases[i].elsewhere ? several : device, point);
        ok(b->prepare(state, ctx, point, &work, &err) == AM_E_ABSENT &&
               strstr(err.text, cases[i].reason),
           "refused: %s", err.text);
        b->finish(state);
        free(state);
    }
}

int main(void)
{
    struct am_clock clock;
    const struct am_ctx ctx = {.memory_limit_bytes = 1 << 28, .seed = 12345, .clock = &clock};
    const char *const name = usable_device();
    struct am_ocl_device device = {.ctx = NULL};
    struct am_err err = {0};

    bench = ax_find(NULL, &am_port_stencil_opencl, "app.stencil");
    am_clock_init(&clock);
    check_unroll();
    check_even_depth();
    if (!name) {
        skip_test("no OpenCL device here");
        return tap_done();
    }
    ok(am_ocl_device_open(&device, &ctx, name, &err) == AM_OK, "%s opens %s", name, err.text);
    if (device.queue) {
        check_build_refused(&device);
        check_vectors(&device);
        check_every_point(&device);
        check_two(&device);
        check_bench_refused(name, &ctx);
        check_bench("1 slice scaled f32 device 3 9 20 5001 0 opencl 1 opencl 1 close cores default",
                    4.0 * 5001 * 20, name, &ctx);
        check_bench(
            "1 auto scaled f32 device 0 0 20 5001 0.5 opencl 1 opencl 1 close cores default",
            4.0 * 5001 * 20, name, &ctx);
        check_bench("2 auto paper f32 device 0 0 20 5001 0 opencl 1 opencl 1 close cores default",
                    6.0 * 70 * 71 * 20, name, &ctx);
        check_bench("3 wave paper f32 device 24 3 20 5001 0 opencl 1 opencl 1 close cores default",
                    8.0 * 17 * 17 * 17 * 20, name, &ctx);
        check_size_chosen("2 auto paper f32 device 0 0 2 0 0 opencl 1 opencl 1 close cores default",
                          name, &ctx);
    }
    am_ocl_device_close(&device);
    return tap_done();
}
