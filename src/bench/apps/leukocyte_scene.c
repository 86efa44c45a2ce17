/* SPDX-License-Identifier: MIT */
/* Scenes of app.leukocyte: made or read, and followed once by the plain reference. */
#include "bench/apps/leukocyte_scene.h"

#include "runtime/executor.h"
#include "app/leukocyte/detect.h"
#include "app/leukocyte/synth.h"
#include "app/leukocyte/track.h"
#include "app/leukocyte/video.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TRUTH_TOLERANCE 1.0 /* px */

enum { SHIFT = 2 }; /* px per frame, of videos of one frame */

const uint8_t *am_scene_frame(const struct am_scene *scene, size_t t)
{
    return scene->pixels + t * scene->width * scene->height;
}

/* A place that the reference follows: from the first to the last of the cells. */
static size_t checked_cell(const struct am_scene *scene, size_t k)
{
    return k * (scene->cells - 1) / (AM_SCENE_CHECKED - 1);
}

static enum am_status get_memory(struct am_scene *scene, uint64_t bytes_max, struct am_err *err)
{
    const size_t bytes = (scene->frames + 1) * scene->width * scene->height;

    if (bytes > bytes_max)
        return am_fail(err, AM_E_ABSENT, "%zu frames are %zu bytes, the limit is %llu",
                       scene->frames + 1, bytes, (unsigned long long)bytes_max);
    scene->pixels = malloc(bytes);
    return scene->pixels ? AM_OK : am_fail(err, AM_E_NOMEM, "no memory for %zu bytes", bytes);
}

static enum am_status get_cells(struct am_scene *scene, size_t cells, bool truth,
                                struct am_err *err)
{
    const size_t places = cells * (scene->frames + 1);

    scene->cells = cells;
    scene->start = calloc(cells, sizeof(*scene->start));
    scene->found = calloc(places, sizeof(*scene->found));
    scene->truth = truth ? calloc(places, sizeof(*scene->truth)) : NULL;
    return scene->start && scene->found && (scene->truth || !truth)
               ? AM_OK
               : am_fail(err, AM_E_NOMEM, "no memory for %zu cells", cells);
}

/* Detection finds whole pixels: cells begin at those nearest to their centres. */
static enum am_status make(struct am_scene *scene, const struct am_scene_setup *setup,
                           struct am_err *err)
{
    struct am_synth_setup how = am_synth_defaults;
    struct am_synth *synth = NULL;
    enum am_status s;

    how.frames = setup->frames + 1;
    how.cells = setup->cells ? setup->cells : how.cells;
    scene->width = AM_SYNTH_WIDTH;
    scene->height = AM_SYNTH_HEIGHT;
    s = am_synth_new(&how, &synth, err);
    if (s == AM_E_USAGE || s == AM_E_LIMIT)
        return AM_E_ABSENT;
    if (s == AM_OK)
        s = get_memory(scene, setup->bytes_max, err);
    if (s == AM_OK)
        s = get_cells(scene, how.cells, true, err);
    for (size_t i = 0; s == AM_OK && i < scene->cells; i++) {
        const struct am_centre first = am_synth_centre(synth, 0, i);

        scene->start[i] = (struct am_centre){nearbyint(first.x), nearbyint(first.y)};
    }
    for (size_t t = 0; s == AM_OK && t <= scene->frames; t++) {
        am_synth_frame(synth, t, (uint8_t *)am_scene_frame(scene, t));
        for (size_t i = 0; i < scene->cells; i++)
            scene->truth[t * scene->cells + i] = am_synth_centre(synth, t, i);
    }
    am_synth_free(synth);
    return s;
}

/* Cells of the first frame, as many as wanted. */
static enum am_status detect(struct am_scene *scene, const struct am_scene_setup *setup,
                             struct am_err *err)
{
    const struct am_image first = {scene->pixels, scene->width, scene->height};
    const struct am_detected *found = NULL;
    struct am_detect *detect = NULL;
    size_t n = 0, wanted;
    enum am_status s = am_detect_new(&am_detect_defaults, first, &detect, err);

    if (s == AM_OK) {
        struct am_blocks loops[2];

        am_detect_blocks(detect, &loops[0], &loops[1]);
        for (size_t k = 0; k < 2; k++) {
            for (size_t i = 0; i < loops[k].count; i++)
                loops[k].run(loops[k].app, i);
        }
        s = am_detect_found(detect, &found, &n, err);
    }
    wanted = setup->cells ? setup->cells : n;
    if (s == AM_OK && (wanted < 1 || wanted > n || wanted > AM_SCENE_CELLS_MAX))
        s = am_fail(err, AM_E_ABSENT, "%s: %zu cells of %zu, at most %d", setup->video, wanted, n,
                    AM_SCENE_CELLS_MAX);
    if (s == AM_OK)
        s = get_cells(scene, wanted, false, err);
    for (size_t i = 0; s == AM_OK && i < scene->cells; i++)
        scene->start[i] = found[i].centre;
    am_detect_free(detect);
    return s;
}

/* Frame t is the first one, moved to the right. */
static void shift_frame(const struct am_scene *scene, size_t t)
{
    const size_t by = SHIFT * t;

    for (size_t i = 0; i < scene->height; i++) {
        const uint8_t *const from = am_scene_frame(scene, 0) + i * scene->width;
        uint8_t *const to = (uint8_t *)am_scene_frame(scene, t) + i * scene->width;

        for (size_t j = 0; j < scene->width; j++)
            to[j] = from[j > by ? j - by : 0];
    }
}

static enum am_status read_frames(struct am_scene *scene, const struct am_scene_setup *setup,
                                  struct am_video *video, struct am_err *err)
{
    size_t frames;
    enum am_status s;

    am_video_size(video, &scene->width, &scene->height, &frames);
    if (frames > 1 && frames <= scene->frames)
        return am_fail(err, AM_E_ABSENT, "%s: %zu frames behind the first, %zu are asked for",
                       setup->video, frames - 1, scene->frames);
    s = get_memory(scene, setup->bytes_max, err);
    for (size_t t = 0; s == AM_OK && t <= scene->frames; t++) {
        if (t < frames)
            s = am_video_read(video, t, (uint8_t *)am_scene_frame(scene, t), err);
        else
            shift_frame(scene, t);
    }
    return s;
}

/* A file that cannot be had is a point that cannot be measured here. */
static enum am_status read_file(struct am_scene *scene, const struct am_scene_setup *setup,
                                struct am_err *err)
{
    struct am_video *video = NULL;
    enum am_status s = am_video_open(setup->video, &video, err);

    if (s == AM_OK)
        s = read_frames(scene, setup, video, err);
    else if (s != AM_E_NOMEM)
        s = AM_E_ABSENT;
    am_video_close(video);
    return s == AM_OK ? detect(scene, setup, err) : s;
}

static enum am_status follow_reference(struct am_scene *scene, enum am_mgvf_heaviside heaviside,
                                       struct am_err *err)
{
    struct am_track_setup setup = am_track_defaults;
    struct am_centre start[AM_SCENE_CHECKED];
    struct am_tracker *tracker = NULL;
    struct am_blocks blocks;
    enum am_status s;
    size_t n;

    setup.mgvf.heaviside = heaviside;
    for (size_t k = 0; k < AM_SCENE_CHECKED; k++)
        start[k] = scene->start[checked_cell(scene, k)];
    s = am_tracker_new(&setup, scene->width, scene->height, start, AM_SCENE_CHECKED, &tracker, err);
    if (s != AM_OK)
        return s;
    am_tracker_blocks(tracker, &blocks);
    for (size_t t = 1; t <= scene->frames; t++) {
        am_tracker_show(tracker, am_scene_frame(scene, t));
        for (size_t k = 0; k < AM_SCENE_CHECKED; k++)
            blocks.run(blocks.app, k);
    }
    for (size_t k = 0; k < AM_SCENE_CHECKED; k++)
        scene->reference[k] = am_tracker_cells(tracker, &n)[k].snake.centre;
    am_tracker_free(tracker);
    return AM_OK;
}

enum am_status am_scene_open(struct am_scene *scene, const struct am_scene_setup *setup,
                             struct am_err *err)
{
    enum am_status s;

    if (setup->frames < 1 || setup->frames > AM_SCENE_FRAMES_MAX)
        return am_fail(err, AM_E_ABSENT, "%zu frames: 1 to %d are possible", setup->frames,
                       AM_SCENE_FRAMES_MAX);
    scene->frames = setup->frames;
    if (strcmp(setup->video, AM_SCENE_SYNTHETIC) == 0)
        s = make(scene, setup, err);
    else
        s = read_file(scene, setup, err);
    if (s == AM_OK)
        memcpy(scene->found, scene->start, scene->cells * sizeof(*scene->found));
    return s == AM_OK ? follow_reference(scene, setup->heaviside, err) : s;
}

void am_scene_close(struct am_scene *scene)
{
    free(scene->pixels);
    free(scene->start);
    free(scene->truth);
    free(scene->found);
    *scene = (struct am_scene){0};
}

static double distance(struct am_centre a, struct am_centre b)
{
    return hypot(a.x - b.x, a.y - b.y);
}

enum am_status am_scene_check(const struct am_scene *scene, double tolerance, double *residual,
                              struct am_err *err)
{
    const size_t last = scene->frames * scene->cells;
    const struct am_centre *const found = scene->found + last;
    const struct am_centre *const truth = scene->truth ? scene->truth + last : NULL;

    *residual = 0;
    for (size_t k = 0; k < AM_SCENE_CHECKED; k++) {
        const size_t i = checked_cell(scene, k);
        const double off = distance(found[i], scene->reference[k]);

        *residual = off <= *residual ? *residual : off; /* NaN is the most */
        if (!(off <= tolerance))
            return am_fail(err, AM_E_WRONG,
                           "wrong: cell %zu ends at (%.9g, %.9g), the reference at (%.9g, %.9g)", i,
                           found[i].x, found[i].y, scene->reference[k].x, scene->reference[k].y);
    }
    for (size_t i = 0; truth && i < scene->cells; i++) {
        if (!(distance(found[i], truth[i]) <= TRUTH_TOLERANCE))
            return am_fail(err, AM_E_WRONG,
                           "wrong: cell %zu ends at (%.4g, %.4g), it is at (%.4g, %.4g)", i,
                           found[i].x, found[i].y, truth[i].x, truth[i].y);
    }
    return AM_OK;
}
