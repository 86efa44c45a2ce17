/* SPDX-License-Identifier: MIT */
/* AVI files: the chunks of RIFF, walked with every size checked against what is around it. */
#include "app/leukocyte/video.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNKS_MAX = 1 << 21, /* of a file: frames and all else */
    HEADER = 8,           /* bytes: a name of four letters, a length */
    FORMAT_BYTES = 40,    /* of a bitmap's description */
    FORMAT_MAX = FORMAT_BYTES + 256 * 4,
};

struct chunk {
    char name[5];
    uint64_t at, size; /* of its content */
};

struct avi {
    const struct am_source *source;
    struct am_stills *stills;
    size_t chunks;
    unsigned streams;   /* seen so far */
    int video;          /* number of the stream that is read; -1: none yet */
    bool in_video;      /* the stream that is being described */
    size_t frame_bytes; /* 0: not described yet */
};

typedef enum am_status chunk_fn(struct avi *avi, const struct chunk *chunk, struct am_err *err);

static uint32_t u16_at(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t u32_at(const uint8_t *p)
{
    return u16_at(p) | u16_at(p + 2) << 16;
}

static enum am_status broken(const struct avi *avi, uint64_t at, const char *why,
                             struct am_err *err)
{
    return am_fail(err, AM_E_PARSE, "%s: byte %llu: %s", avi->source->name, (unsigned long long)at,
                   why);
}

/* Names come from the file: only letters that a terminal can stand. */
static void copy_name(char *name, const uint8_t *bytes)
{
    for (size_t i = 0; i < 4; i++)
        name[i] = bytes[i] >= ' ' && bytes[i] < 127 ? (char)bytes[i] : '?';
    name[4] = '\0';
}

static enum am_status read_at(const struct avi *avi, uint64_t at, void *buf, size_t n,
                              struct am_err *err)
{
    if (at > avi->source->size || n > avi->source->size - at)
        return broken(avi, at, "the file ends here: it was cut off", err);
    if (!avi->source->read(avi->source->self, at, buf, n))
        return am_fail(err, AM_E_SYS, "%s: cannot be read", avi->source->name);
    return AM_OK;
}

/* ---- chunks ---- */

static enum am_status read_chunk(struct avi *avi, uint64_t at, uint64_t end, struct chunk *out,
                                 struct am_err *err)
{
    uint8_t head[HEADER];
    enum am_status s;

    if (++avi->chunks > CHUNKS_MAX)
        return am_fail(err, AM_E_PARSE, "%s: more than %d chunks", avi->source->name, CHUNKS_MAX);
    s = read_at(avi, at, head, sizeof(head), err);
    if (s != AM_OK)
        return s;
    copy_name(out->name, head);
    out->at = at + HEADER;
    out->size = u32_at(head + 4);
    if (out->size <= end - out->at)
        return AM_OK;
    return am_fail(err, AM_E_PARSE,
                   "%s: byte %llu: chunk \"%s\" has %llu bytes, but only %llu follow: the file was "
                   "cut off, or its writer did not finish it",
                   avi->source->name, (unsigned long long)at, out->name,
                   (unsigned long long)out->size, (unsigned long long)(end - out->at));
}

/* Each chunk between begin and end, in turn. */
static enum am_status walk(struct avi *avi, uint64_t begin, uint64_t end, chunk_fn *fn,
                           struct am_err *err)
{
    enum am_status s = AM_OK;

    while (s == AM_OK && end - begin >= HEADER) {
        struct chunk chunk;

        s = read_chunk(avi, begin, end, &chunk, err);
        if (s != AM_OK)
            break;
        s = fn(avi, &chunk, err);
        begin = chunk.at + chunk.size + (chunk.size & 1);
        if (begin > end)
            break; /* the last one's padding may be missing */
    }
    return s;
}

/* The kind of a list, and what is in it. */
static enum am_status open_list(const struct avi *avi, struct chunk *list, struct am_err *err)
{
    uint8_t kind[4];
    enum am_status s;

    if (list->size < sizeof(kind))
        return broken(avi, list->at, "a list without a kind", err);
    s = read_at(avi, list->at, kind, sizeof(kind), err);
    copy_name(list->name, kind);
    list->at += sizeof(kind);
    list->size -= sizeof(kind);
    return s;
}

/* ---- the description of the stream ---- */

static enum am_status check_codec(const struct avi *avi, const uint8_t *format, bool *packed,
                                  struct am_err *err)
{
    static const char *const grey[] = {"Y800", "Y8  ", "GREY"};
    const uint32_t bits = u16_at(format + 14), codec = u32_at(format + 16);
    char name[5];

    copy_name(name, format + 16);
    *packed = am_name_index(grey, sizeof(grey) / sizeof(grey[0]), name) >= 0;
    if (codec != 0 && !*packed)
        return am_fail(err, AM_E_USAGE,
                       "%s: compressed (\"%s\"); only uncompressed 8-bit grey can be read",
                       avi->source->name, name);
    if (bits != 8)
        return am_fail(err, AM_E_USAGE,
                       "%s: %u bits per pixel; only uncompressed 8-bit grey can be read",
                       avi->source->name, bits);
    return AM_OK;
}

/* Colours become their brightness. Without a palette a byte is its own. */
static void read_palette(struct am_stills *stills, const uint8_t *entries, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const unsigned blue = entries[4 * i], green = entries[4 * i + 1], red = entries[4 * i + 2];

        stills->grey[i] = (uint8_t)((299 * red + 587 * green + 114 * blue + 500) / 1000);
    }
}

static enum am_status set_format(struct avi *avi, const uint8_t *format, size_t n,
                                 struct am_err *err)
{
    struct am_stills *const stills = avi->stills;
    const int64_t height = (int32_t)u32_at(format + 8);
    const uint32_t head = u32_at(format), colours = u32_at(format + 32);
    bool packed;
    enum am_status s = check_codec(avi, format, &packed, err);

    if (s == AM_OK)
        s = am_stills_size(stills, avi->source, u32_at(format + 4),
                           (uint64_t)(height < 0 ? -height : height), err);
    if (s != AM_OK)
        return s;
    if (colours > 256 || head < FORMAT_BYTES)
        return broken(avi, 0, "the description of its pixels makes no sense", err);
    stills->stride = packed ? stills->width : (stills->width + 3) / 4 * 4;
    stills->bottom_up = !packed && height > 0;
    avi->frame_bytes = stills->stride * stills->height;
    if (!packed && head < n) {
        const size_t room = (n - head) / 4, most = colours ? colours : 256;

        read_palette(stills, format + head, room < most ? room : most);
    }
    return AM_OK;
}

static enum am_status on_format(struct avi *avi, const struct chunk *chunk, struct am_err *err)
{
    uint8_t format[FORMAT_MAX];
    const size_t n = chunk->size < sizeof(format) ? (size_t)chunk->size : sizeof(format);
    enum am_status s;

    if (avi->frame_bytes)
        return broken(avi, chunk->at, "its pixels are described twice", err);
    if (n < FORMAT_BYTES)
        return broken(avi, chunk->at, "the description of its pixels is too short", err);
    s = read_at(avi, chunk->at, format, n, err);
    return s == AM_OK ? set_format(avi, format, n, err) : s;
}

static enum am_status on_stream_header(struct avi *avi, const struct chunk *chunk,
                                       struct am_err *err)
{
    uint8_t type[4];
    enum am_status s;

    if (chunk->size < sizeof(type))
        return broken(avi, chunk->at, "a stream without a type", err);
    s = read_at(avi, chunk->at, type, sizeof(type), err);
    avi->in_video = s == AM_OK && avi->video < 0 && memcmp(type, "vids", 4) == 0;
    if (avi->in_video)
        avi->video = (int)avi->streams;
    return s;
}

static enum am_status on_stream_part(struct avi *avi, const struct chunk *chunk, struct am_err *err)
{
    if (strcmp(chunk->name, "strh") == 0)
        return on_stream_header(avi, chunk, err);
    if (strcmp(chunk->name, "strf") == 0 && avi->in_video)
        return on_format(avi, chunk, err);
    return AM_OK;
}

static enum am_status on_header_part(struct avi *avi, const struct chunk *chunk, struct am_err *err)
{
    struct chunk list = *chunk;
    enum am_status s;

    if (strcmp(chunk->name, "LIST") != 0)
        return AM_OK;
    s = open_list(avi, &list, err);
    if (s != AM_OK || strcmp(list.name, "strl") != 0)
        return s;
    avi->in_video = false;
    s = walk(avi, list.at, list.at + list.size, on_stream_part, err);
    avi->streams++;
    return s;
}

/* ---- frames ---- */

/* "00db" or "00dc", with the number of the stream. */
static bool is_frame(const struct avi *avi, const char *name)
{
    return name[0] == '0' + avi->video / 10 && name[1] == '0' + avi->video % 10 && name[2] == 'd' &&
           (name[3] == 'b' || name[3] == 'c');
}

static enum am_status on_frame(struct avi *avi, const struct chunk *chunk, struct am_err *err)
{
    struct am_stills *const stills = avi->stills;

    if (!is_frame(avi, chunk->name))
        return AM_OK;
    if (chunk->size == 0 && stills->frames > 0) /* dropped: the one before is shown again */
        return am_stills_add(stills, avi->source, stills->at[stills->frames - 1], err);
    if (chunk->size != avi->frame_bytes)
        return am_fail(err, AM_E_PARSE, "%s: byte %llu: frame %zu has %llu bytes, not %zu",
                       avi->source->name, (unsigned long long)chunk->at, stills->frames,
                       (unsigned long long)chunk->size, avi->frame_bytes);
    return am_stills_add(stills, avi->source, chunk->at, err);
}

/* Frames may be grouped, one level deep. */
static enum am_status on_movie_part(struct avi *avi, const struct chunk *chunk, struct am_err *err)
{
    struct chunk list = *chunk;
    enum am_status s;

    if (strcmp(chunk->name, "LIST") != 0)
        return on_frame(avi, chunk, err);
    s = open_list(avi, &list, err);
    if (s != AM_OK || strcmp(list.name, "rec ") != 0)
        return s;
    return walk(avi, list.at, list.at + list.size, on_frame, err);
}

/* ---- the file ---- */

static enum am_status on_part(struct avi *avi, const struct chunk *chunk, struct am_err *err)
{
    struct chunk list = *chunk;
    enum am_status s;

    if (strcmp(chunk->name, "LIST") != 0)
        return AM_OK;
    s = open_list(avi, &list, err);
    if (s != AM_OK)
        return s;
    if (strcmp(list.name, "hdrl") == 0)
        return walk(avi, list.at, list.at + list.size, on_header_part, err);
    if (strcmp(list.name, "movi") != 0)
        return AM_OK;
    if (!avi->frame_bytes)
        return broken(avi, list.at, "there is no video stream, or it comes before its description",
                      err);
    return walk(avi, list.at, list.at + list.size, on_movie_part, err);
}

/* Large files go on with further pieces ("AVIX"). What else follows the first is left alone. */
static enum am_status on_piece(struct avi *avi, const struct chunk *chunk, struct am_err *err)
{
    struct chunk riff = *chunk;
    enum am_status s;

    if (strcmp(chunk->name, "RIFF") != 0)
        return AM_OK;
    s = open_list(avi, &riff, err);
    if (s != AM_OK)
        return s;
    if (strcmp(riff.name, "AVI ") != 0 && strcmp(riff.name, "AVIX") != 0)
        return broken(avi, chunk->at, "a RIFF file, but not a video", err);
    return walk(avi, riff.at, riff.at + riff.size, on_part, err);
}

enum am_status am_avi_index(const struct am_source *source, struct am_stills *out,
                            struct am_err *err)
{
    struct avi avi = {.source = source, .stills = out, .video = -1};
    enum am_status s;

    *out = (struct am_stills){0};
    for (size_t i = 0; i < 256; i++)
        out->grey[i] = (uint8_t)i;
    s = walk(&avi, 0, source->size, on_piece, err);
    if (s == AM_OK && out->frames == 0)
        s = am_fail(err, AM_E_PARSE, "%s: there are no frames in it", source->name);
    if (s != AM_OK)
        am_stills_fini(out);
    return s;
}
