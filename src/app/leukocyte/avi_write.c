/* SPDX-License-Identifier: MIT */
/* AVI files of uncompressed 8-bit pictures, rows from the bottom, a palette of greys. */
#include "app/leukocyte/video.h"

enum {
    FRAMES_A_SECOND = 30,
    LIMIT_BYTES = 1 << 30,
    FORMAT = 40 + 256 * 4, /* bytes of a bitmap's description with its palette */
    STREAM_HEADER = 56,
    MAIN_HEADER = 56,
    STREAM_LIST = 4 + 8 + STREAM_HEADER + 8 + FORMAT, /* the content of "strl" */
    HEADER_LIST = 4 + 8 + MAIN_HEADER + 8 + STREAM_LIST,
    INDEX_ENTRY = 16,
    FLAG_HAS_INDEX = 0x10,
    FLAG_KEY_FRAME = 0x10,
};

struct shape {
    uint32_t width, height, frames;
    uint32_t frame_bytes, movie_bytes, index_bytes;
};

static uint32_t row_bytes(size_t width)
{
    return (uint32_t)((width + 3) / 4 * 4);
}

static struct shape shape_of(size_t width, size_t height, size_t frames)
{
    const uint32_t frame = row_bytes(width) * (uint32_t)height;

    return (struct shape){
        .width = (uint32_t)width,
        .height = (uint32_t)height,
        .frames = (uint32_t)frames,
        .frame_bytes = frame,
        .movie_bytes = 4 + (8 + frame) * (uint32_t)frames,
        .index_bytes = INDEX_ENTRY * (uint32_t)frames,
    };
}

static void put16(FILE *out, uint32_t v)
{
    (void)fputc((int)(v & 0xff), out);
    (void)fputc((int)(v >> 8 & 0xff), out);
}

static void put32(FILE *out, uint32_t v)
{
    put16(out, v & 0xffff);
    put16(out, v >> 16);
}

static void put_chunk(FILE *out, const char *name, uint32_t bytes)
{
    (void)fwrite(name, 1, 4, out);
    put32(out, bytes);
}

static void put_list(FILE *out, const char *list, uint32_t bytes, const char *kind)
{
    put_chunk(out, list, bytes);
    (void)fwrite(kind, 1, 4, out);
}

static void put_main_header(FILE *out, const struct shape *s)
{
    const uint32_t fields[MAIN_HEADER / 4] = {
        1000000 / FRAMES_A_SECOND,
        s->frame_bytes * FRAMES_A_SECOND,
        0,
        FLAG_HAS_INDEX,
        s->frames,
        0,
        1, /* streams */
        s->frame_bytes,
        s->width,
        s->height,
    };

    put_chunk(out, "avih", MAIN_HEADER);
    for (size_t i = 0; i < MAIN_HEADER / 4; i++)
        put32(out, fields[i]);
}

static void put_stream_header(FILE *out, const struct shape *s)
{
    const uint32_t fields[] = {
        0, 0, 0, 0, 1, FRAMES_A_SECOND, 0, s->frames, s->frame_bytes, UINT32_MAX, 0,
    };

    put_chunk(out, "strh", STREAM_HEADER);
    (void)fwrite("vids", 1, 4, out);
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        put32(out, fields[i]);
    put16(out, 0); /* where it is shown */
    put16(out, 0);
    put16(out, s->width);
    put16(out, s->height);
}

static void put_format(FILE *out, const struct shape *s)
{
    put_chunk(out, "strf", FORMAT);
    put32(out, 40);
    put32(out, s->width);
    put32(out, s->height); /* above 0: rows from the bottom */
    put16(out, 1);
    put16(out, 8);
    put32(out, 0);
    put32(out, s->frame_bytes);
    put32(out, 0);
    put32(out, 0);
    put32(out, 256);
    put32(out, 0);
    for (uint32_t grey = 0; grey < 256; grey++)
        put32(out, grey * 0x010101);
}

enum am_status am_avi_begin(FILE *out, size_t width, size_t height, size_t frames,
                            struct am_err *err)
{
    const struct shape s = shape_of(width, height, frames);

    if (width > AM_IMAGE_SIDE_MAX || height > AM_IMAGE_SIDE_MAX || frames > AM_VIDEO_FRAMES_MAX ||
        (uint64_t)frames * (row_bytes(width) * height + 8 + INDEX_ENTRY) > LIMIT_BYTES)
        return am_fail(err, AM_E_LIMIT, "%zu frames of %zu x %zu are too many for one AVI file",
                       frames, width, height);
    put_list(out, "RIFF", 4 + 8 + HEADER_LIST + 8 + s.movie_bytes + 8 + s.index_bytes, "AVI ");
    put_list(out, "LIST", HEADER_LIST, "hdrl");
    put_main_header(out, &s);
    put_list(out, "LIST", STREAM_LIST, "strl");
    put_stream_header(out, &s);
    put_format(out, &s);
    put_list(out, "LIST", s.movie_bytes, "movi");
    return AM_OK;
}

void am_avi_frame(FILE *out, struct am_image frame)
{
    static const char padding[4];
    const uint32_t stride = row_bytes(frame.width);

    put_chunk(out, "00db", stride * (uint32_t)frame.height);
    for (size_t i = frame.height; i-- > 0;) {
        (void)fwrite(frame.pixels + i * frame.width, 1, frame.width, out);
        (void)fwrite(padding, 1, stride - frame.width, out);
    }
}

void am_avi_end(FILE *out, size_t width, size_t height, size_t frames)
{
    const struct shape s = shape_of(width, height, frames);

    put_chunk(out, "idx1", s.index_bytes);
    for (uint32_t i = 0; i < s.frames; i++) {
        (void)fwrite("00db", 1, 4, out);
        put32(out, FLAG_KEY_FRAME);
        put32(out, 4 + i * (8 + s.frame_bytes)); /* from the word "movi" on */
        put32(out, s.frame_bytes);
    }
}
