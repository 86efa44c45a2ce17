/* SPDX-License-Identifier: MIT */
/* What archmeter-video tells archmeter track by its exit code. */
#ifndef AM_CLI_TRACK_TRACK_DECODE_H
#define AM_CLI_TRACK_TRACK_DECODE_H

/* Frames were written, but the video goes on with one that is not whole. */
enum { AM_VIDEO_INCOMPLETE = 4 };

#endif
