/* SPDX-License-Identifier: MIT */
/* Images of ocl.image on the host: formats, shapes, and what is in each pixel. */
#include "bench/ocl/host/texture.h"

#include <string.h>

/* Neighbours that stay together when the coordinates move: a cache line of the smallest pixels. */
enum { TOGETHER = 16 };
/* As the writing kernel has them. */
enum { BANDS_MAX = 8, TURN_STEP = 11 };

#define FORMAT_MAP(X)                                                                              \
    X("rgba-float", CL_RGBA, CL_FLOAT, 4, 4, 1.0, 0)                                               \
    X("rgba-half", CL_RGBA, CL_HALF_FLOAT, 4, 2, 1.0, 0)                                           \
    X("rgba-unorm8", CL_RGBA, CL_UNORM_INT8, 4, 1, 1.0 / 255, 1e-4)                                \
    X("r-float", CL_R, CL_FLOAT, 1, 4, 1.0, 0)                                                     \
    X("r-unorm8", CL_R, CL_UNORM_INT8, 1, 1, 1.0 / 255, 1e-4)

const struct am_texture_format am_texture_formats[] = {
#define FORMAT_ROW(name, order, type, n, size, factor, relative)                                   \
    {.format = {order, type},                                                                      \
     .channels = n,                                                                                \
     .channel_bytes = size,                                                                        \
     .scale = factor,                                                                              \
     .tolerance = relative},
    FORMAT_MAP(FORMAT_ROW)
#undef FORMAT_ROW
};

const char *const am_texture_format_names[] = {
#define FORMAT_NAME(name, order, type, n, size, factor, relative) name,
    FORMAT_MAP(FORMAT_NAME)
#undef FORMAT_NAME
        NULL};

/* log2 of width over height. */
#define SHAPE_MAP(X)                                                                               \
    X("tall256", -8)                                                                               \
    X("tall64", -6)                                                                                \
    X("tall8", -3)                                                                                 \
    X("square", 0)                                                                                 \
    X("wide8", 3)                                                                                  \
    X("wide64", 6)                                                                                 \
    X("wide256", 8)

static const int aspects[] = {
#define SHAPE_ASPECT(name, aspect) aspect,
    SHAPE_MAP(SHAPE_ASPECT)
#undef SHAPE_ASPECT
};

const char *const am_texture_shape_names[] = {
#define SHAPE_NAME(name, aspect) name,
    SHAPE_MAP(SHAPE_NAME)
#undef SHAPE_NAME
        NULL};

size_t am_texture_pixel_bytes(const struct am_texture *t)
{
    return t->format->channels * t->format->channel_bytes;
}

enum am_status am_texture_choose(struct am_texture *t, size_t format, size_t shape, int64_t bytes,
                                 struct am_err *err)
{
    int64_t pixels;
    int bits = 0, across;

    t->format = &am_texture_formats[format];
    pixels = bytes / (int64_t)am_texture_pixel_bytes(t);
    if (pixels < 1 || (bytes & (bytes - 1)))
        return am_fail(err, AM_E_ABSENT, "size: a power of two of bytes and a pixel, not %lld",
                       (long long)bytes);
    while (pixels >> (bits + 1))
        bits++;
    across = (bits + aspects[shape] + 1) / 2;
    if (bits + aspects[shape] < 0 || across > bits || across > 30 || bits - across > 30)
        return am_fail(err, AM_E_ABSENT, "%lld pixels make no image of shape %s", (long long)pixels,
                       am_texture_shape_names[shape]);
    t->width = UINT32_C(1) << across;
    t->height = UINT32_C(1) << (bits - across);
    return AM_OK;
}

enum am_status am_texture_reshape(struct am_texture *t, int64_t across, struct am_err *err)
{
    const int64_t pixels = (int64_t)t->width * t->height;

    if (across < 1 || across > pixels || (across & (across - 1)) || across > INT32_MAX ||
        pixels / across > INT32_MAX)
        return am_fail(err, AM_E_ABSENT, "across %lld: a power of two up to the %lld pixels",
                       (long long)across, (long long)pixels);
    t->width = (uint32_t)across;
    t->height = (uint32_t)(pixels / across);
    return AM_OK;
}

uint32_t am_texture_channel(uint32_t x, uint32_t y, unsigned c)
{
    return (x * 7 + y * 13 + c * 29) & 255;
}

double am_texture_pixel_sum(const struct am_texture *t, uint32_t x, uint32_t y)
{
    double sum = 0;

    for (unsigned c = 0; c < t->format->channels; c++)
        sum += am_texture_channel(x, y, c);
    /* Channels that the format lacks read as 0, 0 and 1. */
    return sum * t->format->scale + (t->format->channels < AM_TEXTURE_CHANNELS);
}

/* A whole number from 0 to 255 as binary16. */
static uint16_t half_of(uint32_t v)
{
    uint32_t exponent = 0;

    if (!v)
        return 0;
    while (v >> (exponent + 1))
        exponent++;
    return (uint16_t)((15 + exponent) << 10 | ((v << (10 - exponent)) & 0x3ff));
}

static void pack_channel(const struct am_texture_format *f, uint32_t v, unsigned char *to)
{
    const float wide = (float)v;
    const uint16_t half = half_of(v);
    const uint8_t byte = (uint8_t)v;
    const void *const from = f->channel_bytes == sizeof(wide)   ? (const void *)&wide
                             : f->channel_bytes == sizeof(half) ? (const void *)&half
                                                                : (const void *)&byte;

    memcpy(to, from, f->channel_bytes);
}

void am_texture_pack_written(const struct am_texture *t, uint32_t y, uint32_t turn, uint32_t rows,
                             void *to)
{
    unsigned char *at = to;

    for (uint32_t row = y; row < y + rows; row++) {
        for (uint32_t x = 0; x < t->width; x++) {
            for (unsigned c = 0; c < t->format->channels; c++, at += t->format->channel_bytes)
                pack_channel(t->format, (am_texture_channel(x, row, c) + TURN_STEP * turn) & 255,
                             at);
        }
    }
}

void am_texture_pack(const struct am_texture *t, uint32_t y, uint32_t rows, void *to)
{
    am_texture_pack_written(t, y, 0, rows, to);
}

struct am_texture_bands am_texture_divide(const struct am_texture *t, size_t items)
{
    struct am_texture_bands b = {.bands = 1, .rows = t->height};

    while (b.bands < BANDS_MAX && b.rows > 1 && (size_t)t->width * b.rows / 2 >= items) {
        b.bands *= 2;
        b.rows /= 2;
    }
    return b;
}

bool am_texture_last_turn(const struct am_texture_bands *b, uint32_t y, uint32_t turns,
                          uint32_t *turn)
{
    const uint32_t band = y / b->rows;

    if (turns <= band)
        return false;
    *turn = turns - 1 - ((turns - 1 - band) & (b->bands - 1));
    return true;
}

void am_texture_step(const struct am_texture *t, int32_t step[2])
{
    step[0] = (int32_t)(t->width / 8 * 5) & ~(TOGETHER - 1);
    step[1] = (int32_t)(t->height / 8 * 5) | 1;
}
