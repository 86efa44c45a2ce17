/* SPDX-License-Identifier: MIT */
/* archmeter-video: frames of any video that FFmpeg's libraries can read, as grey pictures.
 *
 * usage: archmeter-video VIDEO FRAMES [progress]
 *
 * Writes the first FRAMES frames (0: all) of the best video stream to standard output, one binary
 * PGM behind the other. VIDEO may be a folder: the first frame of each of its pictures. A program
 * of its own, so that only `archmeter track` of such videos loads these libraries, and a file that
 * they stumble over ends nothing else. Playlists must not lead elsewhere: only files are opened.
 *
 * Exit code 0: all frames were written. AM_VIDEO_INCOMPLETE: those before a place where the file
 * ends in the middle of a frame, or has one that cannot be decoded; what follows is not written,
 * since frames behind a gap are no neighbours of those before it. Any other: none. */
#include "base/text.h"
#include "cli/track/track_decode.h"
#include "cli/track/video_folder.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avstring.h>
#include <libswscale/swscale.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PROGRESS_EVERY = 16 };

struct decoder {
    AVFormatContext *format;
    AVCodecContext *codec;
    struct SwsContext *scale;
    AVPacket *packet;
    AVFrame *frame;
    int stream;
    int width, height;
    uint8_t *grey;
    uint64_t wanted, frames; /* wanted 0: all */
    uint64_t packets;        /* of the stream, read */
    int64_t behind;          /* of the last packet: where the next should begin; -1: unknown */
    bool progress;
    bool incomplete; /* nothing more is written */
    bool pictures;   /* one per file: all of them have one size */
    char why[256];   /* it failed */
};

/* Keeps what is to be said in the end. */
static bool fail(struct decoder *d, const char *what, int code)
{
    char text[AV_ERROR_MAX_STRING_SIZE] = "";

    if (code < 0)
        (void)av_strerror(code, text, sizeof(text));
    (void)snprintf(d->why, sizeof(d->why), "%s%s%s", what, *text ? ": " : "", text);
    return false;
}

/* The file of just this name: what stands before a colon is no protocol, and a percent sign asks
 * for no sequence of pictures. */
static int open_file(struct decoder *d, const char *path)
{
    AVDictionary *options = NULL;
    char *const url = av_asprintf("file:%s", path);
    int code = AVERROR(ENOMEM);

    if (url && av_dict_set(&options, "protocol_whitelist", "file", 0) >= 0 &&
        av_dict_set(&options, "pattern_type", "none", 0) >= 0)
        code = avformat_open_input(&d->format, url, NULL, &options);
    av_dict_free(&options);
    av_free(url);
    return code;
}

static bool open_video(struct decoder *d, const char *path)
{
    const AVCodec *codec = NULL;
    int code = open_file(d, path);

    if (code < 0)
        return fail(d, "no known kind of video", code);
    code = avformat_find_stream_info(d->format, NULL);
    if (code < 0)
        return fail(d, "its streams", code);
    d->stream = av_find_best_stream(d->format, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
    if (d->stream < 0)
        return fail(d, "there is no video in it", d->stream);
    d->codec = avcodec_alloc_context3(codec);
    if (!d->codec)
        return fail(d, "no memory for a decoder", 0);
    code = avcodec_parameters_to_context(d->codec, d->format->streams[d->stream]->codecpar);
    if (code >= 0)
        code = avcodec_open2(d->codec, codec, NULL);
    return code >= 0 || fail(d, "its decoder", code);
}

static void close_video(struct decoder *d)
{
    avcodec_free_context(&d->codec);
    avformat_close_input(&d->format);
    d->packets = 0;
    d->behind = -1;
}

/* The first frame says what is made of all: later ones of other sizes are scaled to it. */
static bool begin_frames(struct decoder *d)
{
    d->width = d->frame->width;
    d->height = d->frame->height;
    d->grey = malloc((size_t)d->width * (size_t)d->height);
    return d->grey || fail(d, "no memory for a frame", 0);
}

static bool write_frame(struct decoder *d)
{
    const size_t bytes = (size_t)d->width * (size_t)d->height;
    uint8_t *const to[] = {d->grey, NULL, NULL, NULL};
    const int strides[] = {d->width, 0, 0, 0};

    if (d->pictures && (d->frame->width != d->width || d->frame->height != d->height))
        return fail(d, "it has another size than the first picture", 0);
    d->scale = sws_getCachedContext(d->scale, d->frame->width, d->frame->height,
                                    (enum AVPixelFormat)d->frame->format, d->width, d->height,
                                    AV_PIX_FMT_GRAY8, SWS_BILINEAR, NULL, NULL, NULL);
    if (!d->scale)
        return fail(d, "its pixels cannot be made grey", 0);
    (void)sws_scale(d->scale, (const uint8_t *const *)d->frame->data, d->frame->linesize, 0,
                    d->frame->height, to, strides);
    if (printf("P5\n%d %d\n255\n", d->width, d->height) < 0 ||
        fwrite(d->grey, 1, bytes, stdout) != bytes)
        return fail(d, "frames cannot be written", 0);
    d->frames++;
    if (d->progress && d->frames % PROGRESS_EVERY == 0)
        (void)fprintf(stderr, "\r%llu frames read", (unsigned long long)d->frames);
    return true;
}

static bool is_enough(const struct decoder *d)
{
    return d->wanted && d->frames >= d->wanted;
}

static bool is_whole(const AVFrame *frame)
{
    return !(frame->flags & AV_FRAME_FLAG_CORRUPT) && frame->decode_error_flags == 0;
}

/* All frames that the decoder has ready, as far as they are whole. False: writing failed. */
static bool take_frames(struct decoder *d)
{
    int code = 0;

    while (!is_enough(d) && !d->incomplete &&
           (code = avcodec_receive_frame(d->codec, d->frame)) >= 0) {
        const bool whole = is_whole(d->frame);
        const bool done = !whole || ((d->grey || begin_frames(d)) && write_frame(d));

        d->incomplete = !whole;
        av_frame_unref(d->frame);
        if (!done)
            return false;
    }
    if (code < 0 && code != AVERROR(EAGAIN) && code != AVERROR_EOF)
        d->incomplete = true;
    return true;
}

/* Packet NULL: there are no more. A decoder holds frames back: those before a packet that it cannot
 * take are still written. */
static bool decode(struct decoder *d, const AVPacket *packet)
{
    const int code = avcodec_send_packet(d->codec, packet);
    const bool bad = code < 0 && code != AVERROR_EOF;

    if (bad)
        (void)avcodec_send_packet(d->codec, NULL);
    if (!take_frames(d))
        return false;
    d->incomplete = d->incomplete || bad;
    return true;
}

/* Whether the file should go on where its reader found an end: `code` is what it said. Readers take
 * a part of a frame for the end of the file, too; where frames stand behind each other in a file
 * (YUV4MPEG2), bytes behind the last one tell. */
static bool is_cut_off(const struct decoder *d, int code)
{
    const AVStream *const stream = d->format->streams[d->stream];
    const int64_t size = d->format->pb ? avio_size(d->format->pb) : -1;
    const bool plain = strcmp(d->format->iformat->name, "yuv4mpegpipe") == 0;

    if (code != AVERROR_EOF)
        return true;
    if (stream->nb_frames > 0 && d->packets < (uint64_t)stream->nb_frames)
        return true;
    return plain && d->behind >= 0 && size > d->behind;
}

/* One packet. False: writing failed. */
static bool take_packet(struct decoder *d)
{
    const AVPacket *const packet = d->packet;

    if (packet->stream_index != d->stream)
        return true;
    d->packets++;
    d->behind = packet->pos >= 0 ? packet->pos + packet->size : -1;
    if (packet->flags & AV_PKT_FLAG_CORRUPT) { /* fewer bytes than it should have */
        const bool done = decode(d, NULL);

        d->incomplete = true;
        return done;
    }
    return decode(d, packet);
}

static bool decode_all(struct decoder *d)
{
    const uint64_t before = d->frames;
    bool going = true;
    int code = 0;

    while (going && !is_enough(d) && !d->incomplete &&
           (code = av_read_frame(d->format, d->packet)) >= 0) {
        going = take_packet(d);
        av_packet_unref(d->packet);
    }
    going = going && (d->incomplete || decode(d, NULL));
    if (code < 0 && !is_enough(d) && is_cut_off(d, code))
        d->incomplete = true;
    if (d->progress && d->frames >= PROGRESS_EVERY)
        (void)fprintf(stderr, "\r%40s\r", "");
    if (going && d->frames == before)
        return fail(d, "no frame of it could be decoded", 0);
    return going && (fflush(stdout) == 0 || fail(d, "frames cannot be written", 0));
}

/* Every picture is a video of which one frame is wanted. One that cannot be decoded, or has another
 * size, ends the video behind the picture before it. */
static bool decode_folder(struct decoder *d, const char *path)
{
    const uint64_t all = d->wanted;
    struct am_video_folder folder = {0};
    const char *why = NULL, *bad = NULL;

    if (!am_video_folder_list(path, &folder, &why))
        (void)fail(d, why, 0);
    d->pictures = true;
    for (size_t i = 0; i < folder.n && !why && !bad && (!all || d->frames < all); i++) {
        d->wanted = d->frames + 1;
        if (!open_video(d, folder.paths[i]) || !decode_all(d))
            bad = folder.paths[i];
        close_video(d);
    }
    if (bad)
        (void)fprintf(stderr, "%s: ", bad);
    d->incomplete = bad && d->frames > 0 && !ferror(stdout);
    am_video_folder_free(&folder);
    return !why && (!bad || d->incomplete);
}

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int main(int argc, char **argv)
{
    struct decoder d = {.stream = -1, .behind = -1};
    bool done;

    if (argc < 3 || !am_parse_u64(argv[2], strlen(argv[2]), &d.wanted)) {
        (void)fprintf(stderr, "usage: archmeter-video VIDEO FRAMES [progress]\n");
        return 2;
    }
    d.progress = argc > 3 && strcmp(argv[3], "progress") == 0;
    av_log_set_level(AV_LOG_QUIET); /* what matters is said here */
    d.packet = av_packet_alloc();
    d.frame = av_frame_alloc();
    done = d.packet && d.frame &&
           (is_folder(argv[1]) ? decode_folder(&d, argv[1])
                               : open_video(&d, argv[1]) && decode_all(&d));
    sws_freeContext(d.scale);
    av_frame_free(&d.frame);
    av_packet_free(&d.packet);
    close_video(&d);
    free(d.grey);
    if (*d.why)
        (void)fprintf(stderr, "%s\n", d.why);
    if (!done)
        return 1;
    return d.incomplete ? AM_VIDEO_INCOMPLETE : 0;
}
