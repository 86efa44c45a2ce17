/* SPDX-License-Identifier: MIT */
/* Parts of `archmeter track`: tracks and their files, videos made up. */
#ifndef AM_CLI_TRACK_H
#define AM_CLI_TRACK_H

#include "app/leukocyte/image.h"
#include "app/leukocyte/track.h"
#include "app/leukocyte/cell_watch.h"
#include "app/leukocyte/video.h"
#include "base/temp_folder.h"
#include "cli/cli.h"

#include <stddef.h>
#include <stdint.h>

/* Places of n cells in frames 0, 1, ...; cell i in frame t is entry t * n + i. */
struct am_paths {
    size_t width, height; /* of the video */
    size_t n, frames;
    const uint64_t *names; /* numbers of the cells */
    struct am_centre *at;
    double *radius;                  /* means of the contours */
    struct am_cell_watched *watched; /* whether to believe them */
};

/* Frame,cell,x,y,mean_radius,confidence,lost: to the output of the options. */
enum am_status am_track_csv(struct am_cli *cli, const struct am_paths *paths, struct am_err *err);
/* Which cells were lost, when and why: told. */
void am_track_tell_lost(const struct am_paths *paths);
/* To the file of --svg. */
enum am_status am_track_svg(struct am_cli *cli, const struct am_paths *paths, struct am_err *err);
/* Frame t with its contours as PNG and PGM in the folder of --overlay, which is made. */
enum am_status am_track_overlay(struct am_cli *cli, struct am_image frame, size_t t,
                                const struct am_leuko_cell *cells, size_t n, struct am_err *err);

/* A decimal number of the option --name, from low to high. */
enum am_status am_track_number(const char *name, const char *text, double low, double high,
                               double *out, struct am_err *err);

/* A video of a kind that am_video_open() does not read, by archmeter-video if it was built. Its
 * frames stand in `folder`, the caller's to remove. `err` holds why it was not read; that stays
 * where nobody else reads it either. *incomplete: behind the frames of the video there is one that
 * is not whole; ": " and the reason, or "" where none is known. NULL: all are. */
enum am_status am_track_decode(struct am_cli *cli, struct am_temp_folder *folder,
                               struct am_video **video_p, const char **incomplete,
                               struct am_err *err);

/* track --make: a synthetic video and its truth. */
enum am_status am_track_make(struct am_cli *cli, struct am_err *err);

#endif
