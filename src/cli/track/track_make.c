/* SPDX-License-Identifier: MIT */
/* archmeter track --make: a synthetic video, and where its cells really are. */
#include "app/leukocyte/synth.h"
#include "app/leukocyte/video.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/run/output.h"
#include "cli/track/track.h"

#include <stdlib.h>
#include <string.h>

static enum am_status read_setup(const struct am_options *opt, struct am_synth_setup *out,
                                 struct am_err *err)
{
    uint64_t cells = am_synth_defaults.cells;
    enum am_status s;

    *out = am_synth_defaults;
    if (opt->cells && !am_parse_u64(opt->cells, strlen(opt->cells), &cells))
        return am_fail(err, AM_E_USAGE, "--cells \"%s\": with --make, how many", opt->cells);
    out->cells = (size_t)cells;
    out->frames = opt->frames.given ? (size_t)opt->frames.value : out->frames;
    out->seed = opt->seed.given ? opt->seed.value : out->seed;
    s = am_track_number("noise", opt->noise, 0, 1e9, &out->noise, err);
    if (s == AM_OK)
        s = am_track_number("speed", opt->speed, 0, 1e9, &out->speed, err);
    return s;
}

static enum am_status write_video(struct am_cli *cli, const struct am_synth *synth, size_t frames,
                                  struct am_err *err)
{
    uint8_t *const pixels = am_arena_alloc(cli->arena, (size_t)AM_SYNTH_WIDTH * AM_SYNTH_HEIGHT);
    struct am_output out;
    enum am_status s, closed;

    if (!pixels)
        return am_fail(err, AM_E_NOMEM, "no memory for a frame");
    s = am_output_open(&out, cli->opt->operands.items[0], cli->opt->force, cli->arena, err);
    if (s != AM_OK)
        return s;
    s = am_avi_begin(out.file, AM_SYNTH_WIDTH, AM_SYNTH_HEIGHT, frames, err);
    for (size_t t = 0; s == AM_OK && t < frames; t++) {
        am_synth_frame(synth, t, pixels);
        am_avi_frame(out.file, (struct am_image){pixels, AM_SYNTH_WIDTH, AM_SYNTH_HEIGHT});
    }
    if (s == AM_OK)
        am_avi_end(out.file, AM_SYNTH_WIDTH, AM_SYNTH_HEIGHT, frames);
    closed = am_output_close(&out, s == AM_OK, err);
    return s != AM_OK ? s : closed;
}

static enum am_status write_truth(struct am_cli *cli, const struct am_synth *synth,
                                  const struct am_synth_setup *setup, struct am_err *err)
{
    struct am_output out;
    const enum am_status s =
        am_output_open(&out, cli->opt->truth, cli->opt->force, cli->arena, err);

    if (s != AM_OK)
        return s;
    (void)fputs("frame,cell,x,y,r\n", out.file);
    for (size_t t = 0; t < setup->frames; t++) {
        for (size_t i = 0; i < setup->cells; i++) {
            const struct am_centre c = am_synth_centre(synth, t, i);

            (void)fprintf(out.file, "%zu,%zu,%.4f,%.4f,%.4f\n", t, i, c.x, c.y,
                          am_synth_radius(synth, i));
        }
    }
    return am_output_close(&out, true, err);
}

enum am_status am_track_make(struct am_cli *cli, struct am_err *err)
{
    struct am_synth_setup setup;
    struct am_synth *synth = NULL;
    enum am_status s = read_setup(cli->opt, &setup, err);

    if (s == AM_OK)
        s = am_synth_new(&setup, &synth, err);
    if (s == AM_OK)
        s = write_video(cli, synth, setup.frames, err);
    if (s == AM_OK && cli->opt->truth)
        s = write_truth(cli, synth, &setup, err);
    if (s == AM_OK)
        am_log(AM_LOG_INFO, "%s: %zu frame%s, %zu cells, seed %llu", cli->opt->operands.items[0],
               setup.frames, setup.frames == 1 ? "" : "s", setup.cells,
               (unsigned long long)setup.seed);
    am_synth_free(synth);
    return s;
}
