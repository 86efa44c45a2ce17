/* SPDX-License-Identifier: MIT */
/* What `archmeter track` writes: a table of places, a plot, frames with contours. */
#include "app/leukocyte/picture.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/run/output.h"
#include "cli/track/track.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { PLOT_LIMIT = 256 << 20 };

enum am_status am_track_number(const char *name, const char *text, double low, double high,
                               double *out, struct am_err *err)
{
    if (!text)
        return AM_OK;
    if (am_parse_f64(text, strlen(text), out) && *out >= low && *out <= high)
        return AM_OK;
    return am_fail(err, AM_E_USAGE, "--%s \"%s\": a number from %g to %g", name, text, low, high);
}

enum am_status am_track_csv(struct am_cli *cli, const struct am_paths *paths, struct am_err *err)
{
    struct am_output out;
    const enum am_status s =
        am_output_open(&out, cli->opt->output, cli->opt->force, cli->arena, err);

    if (s != AM_OK)
        return s;
    (void)fputs("frame,cell,x,y,mean_radius,confidence,lost\n", out.file);
    for (size_t i = 0; i < paths->n * paths->frames; i++) {
        const struct am_cell_watched *const w = &paths->watched[i];

        (void)fprintf(out.file, "%zu,%llu,%.4f,%.4f,%.4f,%.4f,", i / paths->n,
                      (unsigned long long)paths->names[i % paths->n], paths->at[i].x,
                      paths->at[i].y, paths->radius[i], w->confidence);
        if (w->lost != AM_LOST_NOT)
            (void)fprintf(out.file, "%zu", w->since);
        (void)fputs("\n", out.file);
    }
    return am_output_close(&out, true, err);
}

void am_track_tell_lost(const struct am_paths *paths)
{
    for (size_t i = 0; i < paths->n && paths->frames; i++) {
        const struct am_cell_watched *const w = &paths->watched[(paths->frames - 1) * paths->n + i];
        const unsigned long long name = paths->names[i];

        if (w->lost == AM_LOST_HIDDEN || w->lost == AM_LOST_GAP)
            am_log(AM_LOG_WARN, "cell %llu is lost from frame %zu on: %s (cell %llu)", name,
                   w->since, am_lost_reasons[w->lost], (unsigned long long)paths->names[w->other]);
        else if (w->lost != AM_LOST_NOT)
            am_log(AM_LOG_WARN, "cell %llu is lost from frame %zu on: %s", name, w->since,
                   am_lost_reasons[w->lost]);
    }
}

/* A file with these bytes. */
static enum am_status write_bytes(struct am_cli *cli, const char *path, const struct am_text *bytes,
                                  struct am_err *err)
{
    struct am_output out;
    enum am_status s;

    if (!path)
        return am_fail(err, AM_E_NOMEM, "no memory");
    if (bytes->overflow)
        return am_fail(err, AM_E_LIMIT, "%s: would be too large", path);
    s = am_output_open(&out, path, cli->opt->force, cli->arena, err);
    if (s != AM_OK)
        return s;
    (void)fwrite(am_text_str(bytes), 1, bytes->len, out.file);
    return am_output_close(&out, true, err);
}

enum am_status am_track_svg(struct am_cli *cli, const struct am_paths *paths, struct am_err *err)
{
    const struct am_tracks tracks = {.at = paths->at,
                                     .names = paths->names,
                                     .n = paths->n,
                                     .frames = paths->frames,
                                     .width = paths->width,
                                     .height = paths->height};
    struct am_text svg;
    enum am_status s;

    am_text_init(&svg, PLOT_LIMIT);
    am_tracks_svg(&tracks, &svg);
    s = write_bytes(cli, cli->opt->svg, &svg, err);
    am_text_fini(&svg);
    return s;
}

static enum am_status write_picture(struct am_cli *cli, const struct am_picture *picture, size_t t,
                                    struct am_err *err)
{
    static const struct {
        const char *suffix;
        void (*encode)(const struct am_picture *picture, struct am_text *out);
    } kinds[] = {{"png", am_picture_png}, {"pgm", am_picture_pgm}};
    enum am_status s = AM_OK;

    for (size_t i = 0; s == AM_OK && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct am_text bytes;

        am_text_init(&bytes, AM_PICTURE_BYTES_MAX);
        kinds[i].encode(picture, &bytes);
        s = write_bytes(
            cli,
            am_arena_printf(cli->arena, "%s/frame-%06zu.%s", cli->opt->overlay, t, kinds[i].suffix),
            &bytes, err);
        am_text_fini(&bytes);
    }
    return s;
}

enum am_status am_track_overlay(struct am_cli *cli, struct am_image frame, size_t t,
                                const struct am_leuko_cell *cells, size_t n, struct am_err *err)
{
    struct am_picture picture;
    enum am_status s;

    if (mkdir(cli->opt->overlay, 0777) != 0 && errno != EEXIST)
        return am_fail(err, AM_E_SYS, "%s: cannot be made", cli->opt->overlay);
    s = am_picture_init(&picture, frame, err);
    for (size_t i = 0; s == AM_OK && i < n; i++)
        am_picture_draw(&picture, &cells[i].snake);
    if (s == AM_OK)
        s = write_picture(cli, &picture, t, err);
    am_picture_fini(&picture);
    return s;
}
