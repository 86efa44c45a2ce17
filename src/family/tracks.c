/* SPDX-License-Identifier: MIT */
/* Tracks of cells read from what points attached. */
#include "family/tracks.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

static const double px_max = 100000; /* of a video that is believed */

/* "x,y" or "x,y,dx,dy". */
static bool read_place(const char *s, size_t n, struct am_track_place *out)
{
    double v[4] = {NAN, NAN, NAN, NAN};
    size_t count = 0, at = 0;

    for (; at <= n && count < 4; count++) {
        const char *const comma = memchr(s + at, ',', n - at);
        const size_t len = comma ? (size_t)(comma - s) - at : n - at;

        if (!am_parse_f64(s + at, len, &v[count]) || fabs(v[count]) > px_max)
            return false;
        at += len + 1;
    }
    *out = (struct am_track_place){v[0], v[1], v[2], v[3]};
    return at > n && (count == 2 || count == 4);
}

/* "7: PLACE PLACE ..."; two places at least. */
static bool read_track(const char *s, size_t n, struct am_track *out)
{
    const size_t head = strcspn(s, ":");

    out->n = 0;
    if (head + 1 >= n || !am_parse_u64(s, head, &out->cell))
        return false;
    for (size_t at = head + 2; at < n && out->n < AM_TRACK_PLACES_MAX; out->n++) {
        const char *const blank = memchr(s + at, ' ', n - at);
        const size_t len = blank ? (size_t)(blank - s) - at : n - at;

        if (!read_place(s + at, len, &out->places[out->n]))
            return false;
        at += len + 1;
    }
    return out->n >= 2;
}

/* A line per cell. */
static void read_tracks(const char *text, struct am_track_scene *scene)
{
    while (*text && scene->n < AM_TRACK_CELLS_MAX) {
        const size_t len = strcspn(text, "\n");

        scene->n += read_track(text, len, &scene->tracks[scene->n]);
        text += len;
        text += strspn(text, "\n");
    }
}

/* "640x480 px, 36 cells, 2 frames", all in the first line. */
static bool read_size(const char *line, struct am_track_scene *scene)
{
    double *const to[] = {&scene->width, &scene->height, &scene->cells, &scene->frames};
    static const char digits[] = "0123456789";

    for (size_t i = 0; i < sizeof(to) / sizeof(to[0]); i++) {
        const size_t before = strcspn(line, "\n0123456789"), len = strspn(line + before, digits);

        if (!am_parse_f64(line + before, len, to[i]) || !(*to[i] >= 1) || *to[i] > px_max)
            return false;
        line += before + len;
    }
    return true;
}

/* The attachment (bench/apps/leukocyte_tracks.h has its form); NULL: none. */
static const char *tracks_of(const struct am_result *r)
{
    const struct am_attachment *const a = am_result_attachment(r, "tracks");

    return a && strcmp(r->bench, "app.leukocyte") == 0 ? a->data : NULL;
}

static bool read_scene(const struct am_result *r, struct am_arena *arena,
                       struct am_track_scene *out)
{
    const char *const text = tracks_of(r);
    const char *const ways = text ? strchr(text, '\n') : NULL;

    *out = (struct am_track_scene){.video = am_result_text(r, "video")};
    if (!ways || !out->video || !read_size(text, out))
        return false;
    out->tracks = am_arena_array(arena, AM_TRACK_CELLS_MAX, sizeof(*out->tracks));
    if (out->tracks)
        read_tracks(ways + 1, out);
    return out->n > 0;
}

/* Of the same video the point of more frames, then of more cells counts. */
static void take(struct am_track_scenes *out, const struct am_result *r, struct am_arena *arena)
{
    const char *const video = am_result_text(r, "video");
    struct am_track_scene s = {0};
    size_t at = 0;

    while (at < out->n && strcmp(out->scenes[at].video, video) != 0)
        at++;
    if (!read_size(tracks_of(r), &s) ||
        (at < out->n && (s.frames < out->scenes[at].frames ||
                         (s.frames <= out->scenes[at].frames && s.cells <= out->scenes[at].cells))))
        return;
    if (!read_scene(r, arena, &s))
        return;
    if (at == AM_TRACK_VIDEOS_MAX) {
        out->omitted++;
        return;
    }
    out->scenes[at] = s;
    out->n += at == out->n;
}

bool am_tracks_read(const struct am_result_set *set, struct am_arena *arena,
                    struct am_track_scenes *out)
{
    *out = (struct am_track_scenes){0};
    for (size_t i = 0; i < set->n; i++) {
        if (tracks_of(&set->results[i]) && am_result_text(&set->results[i], "video"))
            take(out, &set->results[i], arena);
    }
    return out->n > 0;
}
