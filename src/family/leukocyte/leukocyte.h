/* SPDX-License-Identifier: MIT */
/* Inside the family of app.leukocyte only: its steps as conditions on points, and its analysis. */
#ifndef AM_FAMILY_LEUKOCYTE_H
#define AM_FAMILY_LEUKOCYTE_H

#include "family/family.h"

#define AM_LEUKOCYTE_BENCH "app.leukocyte"
#define AM_LEUKOCYTE_SCENE "video=synthetic "
/* Axes in which points must agree to have done the same work. */
#define AM_LEUKOCYTE_WORK "type,cells,frames"

/* Steps of the staircase. */
#define AM_LEUKOCYTE_NAIVE AM_LEUKOCYTE_SCENE "variant=naive executor=serial threads<=1"
#define AM_LEUKOCYTE_ATAN AM_LEUKOCYTE_SCENE "variant=atan executor=serial threads<=1"
#define AM_LEUKOCYTE_MINMAX AM_LEUKOCYTE_SCENE "variant=minmax,lanes executor=serial threads<=1"
#define AM_LEUKOCYTE_THREADS AM_LEUKOCYTE_SCENE "variant=minmax,lanes executor!=opencl threads>1"
#define AM_LEUKOCYTE_DEVICE AM_LEUKOCYTE_SCENE "variant=minmax executor=opencl threads<=1"

/* Working set against caches, lanes in use, cells against threads, the staircase of measures and
 * its bound: section 5.1 and Table 3 of Fang et al., "Test-driving Intel Xeon Phi" (ICPE 2014),
 * from what was measured. */
am_analyse_fn am_leukocyte_analyse;

/* ---- words for the analysis: words.c ---- */

/* "112 ms", "467 KiB"; never NULL. */
const char *am_leukocyte_time(double seconds, struct am_arena *arena);
const char *am_leukocyte_bytes(double bytes, struct am_arena *arena);
/* "704 KiB (498 KiB to 996 KiB, grade A)" of a fact of bytes. */
const char *am_leukocyte_size(const struct am_fact *size, struct am_arena *arena);
/* "13.2 x (13.0 to 13.4, grade A)" of a ratio. */
const char *am_leukocyte_gain(const struct am_fact *gain, struct am_arena *arena);

#endif
