/* SPDX-License-Identifier: MIT */
/* Images of ocl.image: shapes of powers of two, and pixels in every format. */
#include "bench/ocl/host/texture.h"
#include "tap.h"

static size_t index_of(const char *const *names, const char *name)
{
    size_t i = 0;

    while (names[i] && strcmp(names[i], name) != 0)
        i++;
    return i;
}

static enum am_status choose(struct am_texture *t, const char *format, const char *shape,
                             int64_t bytes, struct am_err *err)
{
    return am_texture_choose(t, index_of(am_texture_format_names, format),
                             index_of(am_texture_shape_names, shape), bytes, err);
}

static void check_shapes(void)
{
    static const struct {
        const char *format, *shape;
        int64_t bytes;
        uint32_t width, height; /* 0: refused */
    } cases[] = {
        {"rgba-float", "square", 16384, 32, 32}, {"rgba-float", "square", 4 << 20, 512, 512},
        {"rgba-float", "square", 32768, 64, 32}, {"rgba-float", "wide8", 65536, 256, 16},
        {"rgba-float", "wide64", 16384, 256, 4}, {"rgba-float", "tall64", 16384, 4, 256},
        {"r-unorm8", "square", 16384, 128, 128}, {"rgba-half", "square", 2 << 20, 512, 512},
        {"rgba-float", "tall256", 1024, 0, 0},   {"rgba-float", "wide256", 1024, 0, 0},
        {"rgba-float", "square", 16, 1, 1},      {"rgba-float", "square", 8, 0, 0},
        {"rgba-float", "square", 3 << 14, 0, 0}, {"rgba-float", "square", 0, 0, 0},
        {"rgba-float", "square", -16384, 0, 0},  {"r-float", "wide256", 1024, 256, 1},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct am_texture t = {0};
        struct am_err err = {0};
        const enum am_status s = choose(&t, cases[i].format, cases[i].shape, cases[i].bytes, &err);

        if (!cases[i].width)
            ok(s == AM_E_ABSENT && err.text[0], "%s %s of %lld bytes is refused: %s",
               cases[i].shape, cases[i].format, (long long)cases[i].bytes, err.text);
        else
            ok(s == AM_OK && t.width == cases[i].width && t.height == cases[i].height,
               "%s %s of %lld bytes is %u x %u", cases[i].shape, cases[i].format,
               (long long)cases[i].bytes, cases[i].width, cases[i].height);
    }
}

/* The number that a binary16 means; no subnormal, infinity or NaN here. */
static double half_value(uint16_t h)
{
    return h ? ldexp(1024 + (h & 0x3ff), (h >> 10) - 25) : 0;
}

static double channel_value(const struct am_texture_format *f, const unsigned char *at)
{
    float wide;
    uint16_t half;

    memcpy(&wide, at, f->channel_bytes == 4 ? 4 : 0);
    memcpy(&half, at, f->channel_bytes == 2 ? 2 : 0);
    return f->channel_bytes == 4 ? (double)wide : f->channel_bytes == 2 ? half_value(half) : *at;
}

static void check_pixels(const char *format)
{
    static unsigned char rows[64 * 2 * 16];
    struct am_texture t;
    struct am_err err = {0};
    const unsigned char *at = rows;
    int wrong = 0, sums = 0;

    (void)choose(&t, format, "wide8", 4096, &err);
    memset(rows, 0xa5, sizeof(rows));
    am_texture_pack(&t, 1, 1, rows);
    for (uint32_t x = 0; x < t.width && x < 64; x++) {
        double sum = t.format->channels == 4 ? 0 : 1;

        for (unsigned c = 0; c < t.format->channels; c++, at += t.format->channel_bytes) {
            const double v = channel_value(t.format, at);

            wrong += v != am_texture_channel(x, 1, c) || v > 255;
            sum += v * t.format->scale;
        }
        sums += fabs(sum - am_texture_pixel_sum(&t, x, 1)) < 1e-12;
    }
    ok(!wrong && sums > 0, "pixels of %s hold their numbers", format);
    ok(sums == (t.width < 64 ? (int)t.width : 64), "what reading them gives is their sum");
}

/* Turns go through all rows, and whole groups of neighbours stay together. */
static void check_steps(void)
{
    for (int64_t bytes = 16; bytes <= 1 << 24; bytes *= 4) {
        struct am_texture t;
        struct am_err err = {0};
        int32_t step[2];

        if (choose(&t, "rgba-float", "square", bytes, &err) != AM_OK)
            continue;
        am_texture_step(&t, step);
        ok(step[0] % 16 == 0 && step[0] >= 0 && (step[0] > 0 || t.width < 32) &&
               step[0] < (int32_t)t.width && step[1] % 2 == 1,
           "%u x %u: turns move by %d, %d", t.width, t.height, step[0], step[1]);
    }
}

/* What turns leave behind, row by row. */
static void check_bands(void)
{
    static const size_t items[] = {1, 512, 1024, 1 << 20};
    enum { HEIGHT = 32 };
    const struct am_texture t = {.format = am_texture_formats, .width = 64, .height = HEIGHT};

    for (size_t k = 0; k < sizeof(items) / sizeof(items[0]); k++) {
        const struct am_texture_bands b = am_texture_divide(&t, items[k]);
        unsigned wrong = 0;

        for (uint32_t turns = 1; turns < 20; turns++) {
            int last[HEIGHT];

            memset(last, -1, sizeof(last));
            for (uint32_t i = 0; i < turns; i++) {
                for (uint32_t row = 0; row < b.rows; row++)
                    last[row + (i & (b.bands - 1)) * b.rows] = (int)i;
            }
            for (uint32_t y = 0; y < HEIGHT; y++) {
                uint32_t turn = 0;
                const bool written = am_texture_last_turn(&b, y, turns, &turn);

                wrong += written ? last[y] != (int)turn : last[y] >= 0;
            }
        }
        ok(wrong == 0 && b.bands * b.rows == HEIGHT &&
               (b.bands == 1 || (size_t)t.width * b.rows >= items[k]),
           "%zu work-items: %u bands of %u rows", items[k], b.bands, b.rows);
    }
}

int main(void)
{
    check_bands();
    check_shapes();
    for (size_t i = 0; am_texture_format_names[i]; i++)
        check_pixels(am_texture_format_names[i]);
    check_steps();
    return tap_done();
}
