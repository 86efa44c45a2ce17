/* SPDX-License-Identifier: MIT */
/* The pictures of a folder, which archmeter-video takes for the frames of a video. */
#ifndef AM_CLI_TRACK_VIDEO_FOLDER_H
#define AM_CLI_TRACK_VIDEO_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialise. */
struct am_video_folder {
    char **paths; /* in the order of their names */
    size_t n, cap;
};

/* Lists what the name says is a picture (PNG, TIFF, JPEG, BMP, PGM, PPM, PNM). False: *why is a
 * sentence; there are none, or not all are of one kind. */
bool am_video_folder_list(const char *path, struct am_video_folder *folder, const char **why);
void am_video_folder_free(struct am_video_folder *folder); /* accepts a half-made one */

#endif
