/* SPDX-License-Identifier: MIT */
/* ocl.image: bytes per second of read_imagef() and write_imagef() by size, shape and format. */
#include "base/rng.h"
#include "bench/ocl/host/program.h"
#include "bench/ocl/host/texture.h"
#include "bench/ocl/host/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum axis_index { DEVICE, KERNEL, SIZE, SHAPE, FORMAT, PIXELS };

enum kernel { READ, WRITE };
static const char *const kernel_names[] = {[READ] = "read", [WRITE] = "write", NULL};

enum {
    ACROSS = 16, /* of a work-group; powers of two */
    GROUP = 256,
    GPU_ITEMS_A_UNIT = 2048, /* what a compute unit of a large GPU holds */
    CPU_ITEMS_A_UNIT = 256,
    TURNS_MAX = 4096,  /* sums of as many numbers up to 255 are exact */
    CHECKED = 64,      /* work-items that read */
    CHECKED_ROWS = 64, /* of an image that was written, where it has more bytes than these: */
    CHECKED_BYTES = 4 << 20,
    BAND_BYTES = 1 << 20,
};

struct image {
    struct am_ocl_device device;
    struct am_ocl_program program;
    struct am_ocl_timer timer;
    struct am_ocl_loop loop;
    struct am_texture texture;
    struct am_texture_bands bands; /* in which it is written */
    cl_kernel kernel;
    cl_mem image, out; /* out: sums of what was read */
    enum kernel what;
    cl_int2 step;     /* of the coordinates, from turn to turn */
    uint64_t batches; /* so far */
};

static size_t row_bytes(const struct image *w)
{
    return w->texture.width * am_texture_pixel_bytes(&w->texture);
}

static size_t image_bytes(const struct image *w)
{
    return row_bytes(w) * w->texture.height;
}

static size_t items(const struct image *w)
{
    return w->loop.range.global[0] * w->loop.range.global[1];
}

/* ---- preparation ---- */

static enum am_status check_limits(const struct image *w, struct am_err *err)
{
    const struct am_ocl_device *const d = &w->device;
    const struct am_texture *const t = &w->texture;

    if (!d->has_images)
        return am_fail(err, AM_E_ABSENT, "the device has no images (CL_DEVICE_IMAGE_SUPPORT)");
    if (t->width > d->image2d_width_max || t->height > d->image2d_height_max)
        return am_fail(err, AM_E_ABSENT, "%u x %u pixels: the device takes up to %zu x %zu",
                       t->width, t->height, d->image2d_width_max, d->image2d_height_max);
    if (image_bytes(w) > d->memory_bytes / 2 ||
        (d->shares_memory && image_bytes(w) > d->ctx->memory_limit_bytes))
        return am_fail(err, AM_E_ABSENT, "an image of %zu bytes is more than memory allows",
                       image_bytes(w));
    return AM_OK;
}

static cl_mem_flags flags_of(const struct image *w)
{
    return w->what == READ ? CL_MEM_READ_ONLY : CL_MEM_WRITE_ONLY;
}

static enum am_status check_format(const struct image *w, struct am_err *err)
{
    const cl_image_format *const want = &w->texture.format->format;
    const char *const name = am_texture_format_names[w->texture.format - am_texture_formats];
    cl_image_format *formats = NULL;
    cl_uint n = 0;
    bool found = false;
    cl_int code = clGetSupportedImageFormats(w->device.context, flags_of(w), CL_MEM_OBJECT_IMAGE2D,
                                             0, NULL, &n);

    if (code == CL_SUCCESS && n)
        formats = calloc(n, sizeof(*formats));
    if (formats)
        code = clGetSupportedImageFormats(w->device.context, flags_of(w), CL_MEM_OBJECT_IMAGE2D, n,
                                          formats, NULL);
    for (cl_uint i = 0; formats && i < n; i++)
        found |= formats[i].image_channel_order == want->image_channel_order &&
                 formats[i].image_channel_data_type == want->image_channel_data_type;
    free(formats);
    if (code != CL_SUCCESS)
        return am_ocl_fail(err, code, "clGetSupportedImageFormats");
    return found ? AM_OK
                 : am_fail(err, AM_E_ABSENT, "the device cannot %s images of format %s",
                           kernel_names[w->what], name);
}

static enum am_status create(struct image *w, struct am_err *err)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = w->texture.width,
                                .image_height = w->texture.height};
    cl_int code = CL_SUCCESS;

    w->image = clCreateImage(w->device.context, flags_of(w), &w->texture.format->format, &desc,
                             NULL, &code);
    return code == CL_SUCCESS ? AM_OK : am_ocl_fail(err, code, "clCreateImage");
}

/* A band of rows from the host to the image, or back. */
static enum am_status move_rows(const struct image *w, uint32_t y, uint32_t rows, bool back,
                                void *host, struct am_err *err)
{
    const size_t origin[3] = {0, y, 0}, region[3] = {w->texture.width, rows, 1};
    const cl_int code = back ? clEnqueueReadImage(w->device.queue, w->image, CL_TRUE, origin,
                                                  region, 0, 0, host, 0, NULL, NULL)
                             : clEnqueueWriteImage(w->device.queue, w->image, CL_TRUE, origin,
                                                   region, 0, 0, host, 0, NULL, NULL);

    return code == CL_SUCCESS
               ? AM_OK
               : am_ocl_fail(err, code, back ? "clEnqueueReadImage" : "clEnqueueWriteImage");
}

/* The pixels that will be read; zeros where they are to be written. */
static enum am_status fill(struct image *w, struct am_err *err)
{
    const uint32_t height = w->texture.height;
    const size_t fitting = BAND_BYTES / row_bytes(w);
    const uint32_t band = fitting < 1 ? 1 : fitting > height ? height : (uint32_t)fitting;
    void *const rows = calloc(band, row_bytes(w));
    enum am_status s = AM_OK;

    if (!rows)
        return am_fail(err, AM_E_NOMEM, "%u rows of the image", band);
    for (uint32_t y = 0; y < height && s == AM_OK; y += band) { /* powers of two: none is left */
        if (w->what == READ)
            am_texture_pack(&w->texture, y, band, rows);
        s = move_rows(w, y, band, false, rows, err);
    }
    free(rows);
    return s;
}

static enum am_status build(struct image *w, struct am_err *err)
{
    const enum am_status s = am_ocl_program_build(&w->program, &w->device, "image", "", err);

    am_ctx_note(w->device.ctx, "options", "none");
    if (s != AM_OK)
        return s;
    return am_ocl_program_kernel(&w->program, w->what == READ ? "am_image_read" : "am_image_write",
                                 &w->kernel, err);
}

/* A work-item for each pixel, or for each of a band that is written; where those are too few for
 * the device, for each several times. */
static enum am_status choose_range(struct image *w, struct am_err *err)
{
    const struct am_ocl_device *const d = &w->device;
    const size_t width = w->texture.width;
    const size_t wanted =
        d->compute_units * (size_t)(d->is_cpu ? CPU_ITEMS_A_UNIT : GPU_ITEMS_A_UNIT);
    size_t most = 0, down, across = width < ACROSS ? width : ACROSS, group;
    const enum am_status s = am_ocl_program_group_max(d, w->kernel, &most, err);

    if (s != AM_OK)
        return s;
    w->bands = am_texture_divide(&w->texture, wanted);
    down = w->what == READ ? w->texture.height : w->bands.rows;
    while (width * down < wanted)
        down *= 2;
    while (across > most)
        across /= 2;
    for (group = GROUP / across; group > down || group * across > most;)
        group /= 2;
    w->loop = (struct am_ocl_loop){
        .kernel = w->kernel,
        .arg = w->what == READ,
        .range = {.dims = 2, .global = {width, down, 1}, .local = {across, group, 1}},
        .loops_max = TURNS_MAX};
    am_ctx_note(d->ctx, "pixels", "%u x %u", w->texture.width, w->texture.height);
    am_ctx_note(d->ctx, "items", "%zu x %zu in groups of %zu x %zu", width, down, across, group);
    return AM_OK;
}

static enum am_status set_arguments(const struct image *w, struct am_err *err)
{
    const cl_uint turns = 0;
    const cl_float scale = (cl_float)w->texture.format->scale;
    const cl_int2 mask = {.s = {(cl_int)w->texture.width - 1, (cl_int)w->texture.height - 1}};
    const cl_int rows = (cl_int)w->bands.rows, bands = (cl_int)w->bands.bands - 1;
    const struct am_ocl_arg reading[] = {AM_OCL_ARG(w->out), AM_OCL_ARG(turns),
                                         AM_OCL_ARG(w->image), AM_OCL_ARG(mask),
                                         AM_OCL_ARG(w->step)};
    const struct am_ocl_arg writing[] = {AM_OCL_ARG(turns), AM_OCL_ARG(w->image), AM_OCL_ARG(rows),
                                         AM_OCL_ARG(bands), AM_OCL_ARG(scale)};

    return am_ocl_program_args(w->kernel, w->what == READ ? reading : writing, 5, err);
}

static enum am_status make_sums(struct image *w, struct am_err *err)
{
    if (w->what == WRITE)
        return AM_OK;
    return am_ocl_device_buffer(&w->device, CL_MEM_READ_WRITE, items(w) * sizeof(cl_float), NULL,
                                &w->out, err);
}

/* Drivers compile at the first launch: not in the sampler's time. */
static enum am_status warm(struct image *w, struct am_err *err)
{
    double ignored;

    return am_ocl_timing_probe(&w->timer, &w->loop, 1, &ignored, err);
}

/* Leaves nothing of the warm-up behind that verify() could take for a result. */
static enum am_status forget(struct image *w, struct am_err *err)
{
    const cl_float nothing = -1;
    const cl_int code =
        w->what == WRITE ? CL_SUCCESS
                         : clEnqueueFillBuffer(w->device.queue, w->out, &nothing, sizeof(nothing),
                                               0, items(w) * sizeof(nothing), 0, NULL, NULL);

    return code == CL_SUCCESS ? fill(w, err) : am_ocl_fail(err, code, "clEnqueueFillBuffer");
}

static enum am_status open_image(struct image *w, struct am_err *err)
{
    enum am_status s = check_limits(w, err);

    if (s == AM_OK)
        s = check_format(w, err);
    return s == AM_OK ? create(w, err) : s;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct image *const w = state;
    enum am_status s = am_texture_choose(&w->texture, (size_t)point[FORMAT].i,
                                         (size_t)point[SHAPE].i, point[SIZE].i, err);

    w->what = (enum kernel)point[KERNEL].i;
    if (s == AM_OK && point[PIXELS].i)
        s = am_texture_reshape(&w->texture, point[PIXELS].i, err);
    if (s != AM_OK)
        return s;
    am_texture_step(&w->texture, w->step.s);
    s = am_ocl_device_open(&w->device, ctx, point[DEVICE].name, err);
    am_ocl_timing_open(&w->timer, &w->device);
    if (s == AM_OK)
        s = open_image(w, err);
    if (s == AM_OK)
        s = build(w, err);
    if (s == AM_OK)
        s = choose_range(w, err);
    if (s == AM_OK)
        s = make_sums(w, err);
    if (s == AM_OK)
        s = set_arguments(w, err);
    if (s == AM_OK)
        s = warm(w, err);
    if (s == AM_OK)
        s = forget(w, err);
    if (s != AM_OK)
        return s;
    work->ops = (double)items(w);
    *(w->what == READ ? &work->bytes_read : &work->bytes_written) =
        work->ops * (double)am_texture_pixel_bytes(&w->texture);
    return AM_OK;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct image *const w = state;

    w->batches++;
    return am_ocl_timing_loop(&w->timer, &w->loop, iters, &batch->elapsed_ns, err);
}

/* ---- verification ---- */

/* What a work-item must have added up in the latest launch. */
static double expected(const struct image *w, size_t item)
{
    const struct am_texture *const t = &w->texture;
    const size_t across = w->loop.range.global[0];
    uint32_t x = (uint32_t)(item % across), y = (uint32_t)(item / across);
    double sum = 0;

    for (cl_uint i = 0; i < w->loop.last; i++) {
        sum += am_texture_pixel_sum(t, x & (t->width - 1), y & (t->height - 1));
        x += (uint32_t)w->step.s[0];
        y += (uint32_t)w->step.s[1];
    }
    return sum;
}

static enum am_status verify_read(const struct image *w, struct am_rng *rng, double *residual,
                                  struct am_err *err)
{
    for (int i = 0; i < CHECKED; i++) {
        const size_t item = (size_t)am_rng_below(rng, items(w));
        const double want = expected(w, item);
        float got = NAN;
        const enum am_status s =
            am_ocl_device_read(&w->device, w->out, item * sizeof(got), sizeof(got), &got, err);

        if (s != AM_OK)
            return s;
        *residual = fmax(*residual, fabs(got - want) / fmax(want, 1));
        if (!(fabs(got - want) <= w->texture.format->tolerance * fmax(want, 1)))
            return am_fail(err, AM_E_WRONG,
                           "wrong: work-item %zu adds up to %.9g in %u turns, not %.9g", item,
                           (double)got, w->loop.last, want);
    }
    return AM_OK;
}

/* One row as the last turn that wrote it must have left it; `rows` is room for two. */
static enum am_status check_row(const struct image *w, uint32_t y, unsigned char *rows,
                                struct am_err *err)
{
    const size_t bytes = row_bytes(w);
    uint32_t turn = 0;
    enum am_status s;

    memset(rows, 0, bytes);
    if (am_texture_last_turn(&w->bands, y, w->loop.last, &turn))
        am_texture_pack_written(&w->texture, y, turn, 1, rows);
    s = move_rows(w, y, 1, true, rows + bytes, err);
    if (s == AM_OK && memcmp(rows, rows + bytes, bytes) != 0)
        s = am_fail(err, AM_E_WRONG, "wrong: row %u of the image is not what turn %u of %u wrote",
                    y, turn, w->loop.last);
    return s;
}

/* Every row of an image, or some of a large one. */
static enum am_status verify_write(const struct image *w, struct am_rng *rng, double *residual,
                                   struct am_err *err)
{
    const bool all = image_bytes(w) <= CHECKED_BYTES;
    const uint32_t height = w->texture.height, checked = all ? height : CHECKED_ROWS;
    unsigned char *const rows = malloc(2 * row_bytes(w));
    enum am_status s = rows ? AM_OK : am_fail(err, AM_E_NOMEM, "rows of the image");

    for (uint32_t i = 0; i < checked && s == AM_OK; i++)
        s = check_row(w, all ? i : (uint32_t)am_rng_below(rng, height), rows, err);
    *residual = s == AM_E_WRONG;
    free(rows);
    return s;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct image *const w = state;
    struct am_rng rng;

    *residual = 0;
    am_rng_seed(&rng, w->device.ctx->seed, w->batches);
    return w->what == READ ? verify_read(w, &rng, residual, err)
                           : verify_write(w, &rng, residual, err);
}

static void finish(void *state)
{
    struct image *const w = state;
    const cl_mem buffers[] = {w->image, w->out};

    am_ocl_program_close(&w->program, w->kernel, buffers, 2, &w->device);
}

static const struct am_axis axes[] = {
    [DEVICE] = AM_OCL_DEVICE_AXIS,
    [KERNEL] = {.name = "kernel",
                .kind = AM_AXIS_NAME,
                .dflt = "all",
                .choices = kernel_names,
                .help = "what is done with the pixels"},
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "16K:4M:*4,64M",
              .quick = "1M",
              .thorough = "16K:4M:*2,16M:1G:*4",
              .help = "bytes of the image, a power of two"},
    [SHAPE] = {.name = "shape",
               .kind = AM_AXIS_NAME,
               .dflt = "tall64,tall8,square,wide8,wide64",
               .quick = "tall64,square",
               .thorough = "all",
               .choices = am_texture_shape_names,
               .help = "height over width, or width over height, to the nearest power of two"},
    [FORMAT] = {.name = "format",
                .kind = AM_AXIS_NAME,
                .dflt = "rgba-float",
                .thorough = "all",
                .choices = am_texture_format_names,
                .help = "channels of a pixel, and their type"},
    [PIXELS] = {.name = "across",
                .kind = AM_AXIS_INT,
                .dflt = "0",
                .help = "pixels side by side, by which the height follows; 0: as the shape says"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"bandwidth", "B/s", AM_HIGHER, AM_RULE_BYTE_RATE, "bytes of the pixels read or written"},
    {"rate", "1/s", AM_HIGHER, AM_RULE_OP_RATE, "pixels per second"},
    {.name = NULL},
};

const struct am_bench am_bench_ocl_image = {
    .name = "ocl.image",
    .summary = "two-dimensional images: reading and writing by size, shape and format",
    .version = 2, /* what is written depends on the turn */
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct image),
    .points_per_launch = 8,
    .mixes = true,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
