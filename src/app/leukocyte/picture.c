/* SPDX-License-Identifier: MIT */
/* Contours in frames, as PGM and as PNG with stored blocks. */
#include "app/leukocyte/picture.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum {
    OUTLINE_DOTS = 240, /* around a cell: no gaps up to a radius of 38 px */
    CROSS = 2,          /* pixels of the cross's arms */
    STORED_MAX = 65535, /* bytes of one stored block */
};

struct colour {
    uint8_t red, green, blue;
};

static const struct colour outline_colour = {255, 214, 0}, centre_colour = {255, 64, 64};

enum am_status am_picture_init(struct am_picture *picture, struct am_image frame,
                               struct am_err *err)
{
    const size_t n = frame.width * frame.height;

    *picture = (struct am_picture){malloc(3 * n), frame.width, frame.height};
    if (!picture->rgb)
        return am_fail(err, AM_E_NOMEM, "no memory for a picture of %zu x %zu", frame.width,
                       frame.height);
    for (size_t i = 0; i < 3 * n; i++)
        picture->rgb[i] = frame.pixels[i / 3];
    return AM_OK;
}

void am_picture_fini(struct am_picture *picture)
{
    free(picture->rgb);
    *picture = (struct am_picture){0};
}

/* ---- drawing ---- */

static void dot(struct am_picture *p, double x, double y, struct colour c)
{
    uint8_t *at;

    if (!(x >= 0 && y >= 0 && x <= (double)(p->width - 1) && y <= (double)(p->height - 1)))
        return;
    at = p->rgb + 3 * ((size_t)lround(y) * p->width + (size_t)lround(x));
    at[0] = c.red;
    at[1] = c.green;
    at[2] = c.blue;
}

/* Between two of the contour's points the radius is interpolated. */
static double radius_at(const struct am_snake *snake, double turn)
{
    const double at = turn * AM_SNAKE_POINTS;
    const size_t i = (size_t)at % AM_SNAKE_POINTS;
    const double part = at - floor(at);

    return (1 - part) * snake->radius[i] + part * snake->radius[(i + 1) % AM_SNAKE_POINTS];
}

void am_picture_draw(struct am_picture *picture, const struct am_snake *snake)
{
    const struct am_centre c = snake->centre;

    for (int i = 0; i < OUTLINE_DOTS; i++) {
        const double turn = (double)i / OUTLINE_DOTS, radius = radius_at(snake, turn);

        dot(picture, c.x + radius * cos(2 * M_PI * turn), c.y + radius * sin(2 * M_PI * turn),
            outline_colour);
    }
    for (int i = -CROSS; i <= CROSS; i++) {
        dot(picture, c.x + i, c.y, centre_colour);
        dot(picture, c.x, c.y + i, centre_colour);
    }
}

/* ---- PNG ---- */

static void put32(struct am_text *out, uint32_t v)
{
    const char bytes[4] = {(char)(v >> 24), (char)(v >> 16), (char)(v >> 8), (char)v};

    am_text_addn(out, bytes, sizeof(bytes));
}

/* A byte at a time, without a table: files are few. */
static uint32_t crc_of(const char *bytes, size_t n)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < n; i++) {
        crc ^= (uint8_t)bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

static uint32_t adler_of(const char *bytes, size_t n)
{
    uint32_t a = 1, b = 0;

    for (size_t i = 0; i < n; i++) {
        a = (a + (uint8_t)bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static void put_chunk(struct am_text *out, const char *name, const char *bytes, size_t n)
{
    const size_t begin = out->len + 4;

    put32(out, (uint32_t)n);
    am_text_addn(out, name, 4);
    am_text_addn(out, bytes, n);
    if (!out->overflow)
        put32(out, crc_of(out->data + begin, n + 4));
}

/* zlib's form of data that is not compressed. */
static void put_stored(struct am_text *out, const char *bytes, size_t n)
{
    am_text_addn(out, "\x78\x01", 2);
    for (size_t at = 0; at < n; at += STORED_MAX) {
        const size_t len = n - at < STORED_MAX ? n - at : STORED_MAX;
        const char head[5] = {at + len == n, (char)len, (char)(len >> 8), (char)~len,
                              (char)(~len >> 8)};

        am_text_addn(out, head, sizeof(head));
        am_text_addn(out, bytes + at, len);
    }
    put32(out, adler_of(bytes, n));
}

void am_picture_png(const struct am_picture *picture, struct am_text *out)
{
    struct am_text head, rows, data;

    am_text_init(&head, 64);
    am_text_init(&rows, AM_PICTURE_BYTES_MAX);
    am_text_init(&data, AM_PICTURE_BYTES_MAX);
    put32(&head, (uint32_t)picture->width);
    put32(&head, (uint32_t)picture->height);
    am_text_addn(&head, "\x08\x02\x00\x00\x00", 5); /* 8 bits, three colours */
    for (size_t i = 0; i < picture->height; i++) {
        am_text_addn(&rows, "", 1); /* rows are not filtered */
        am_text_addn(&rows, (const char *)picture->rgb + 3 * i * picture->width,
                     3 * picture->width);
    }
    put_stored(&data, am_text_str(&rows), rows.len);
    am_text_addn(out, "\x89PNG\r\n\x1a\n", 8);
    put_chunk(out, "IHDR", am_text_str(&head), head.len);
    put_chunk(out, "IDAT", am_text_str(&data), data.len);
    put_chunk(out, "IEND", "", 0);
    out->overflow = out->overflow || rows.overflow || data.overflow;
    am_text_fini(&head);
    am_text_fini(&rows);
    am_text_fini(&data);
}

/* ---- PGM ---- */

void am_picture_pgm(const struct am_picture *picture, struct am_text *out)
{
    am_text_addf(out, "P5\n%zu %zu\n255\n", picture->width, picture->height);
    for (size_t i = 0; i < picture->width * picture->height; i++) {
        const uint8_t *const p = picture->rgb + 3 * i;
        const bool grey = p[0] == p[1] && p[1] == p[2];
        const char value = (char)(grey ? p[0] : 255);

        am_text_addn(out, &value, 1);
    }
}
