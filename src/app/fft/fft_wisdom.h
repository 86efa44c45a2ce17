/* SPDX-License-Identifier: MIT */
/* What FFTW learnt by measuring ("wisdom"), kept between processes: one file per library version,
 * CPU and purpose. None of this may fail a measurement: without a file, or with one that cannot be
 * read, FFTW measures again. */
#ifndef AM_APP_FFT_WISDOM_H
#define AM_APP_FFT_WISDOM_H

#include <stdbool.h>
#include <stddef.h>

enum { AM_FFT_PATH_MAX = 512 };

/* The file for plans of this library version on this CPU; `purpose` tells plans apart that must not
 * be mixed. Below $XDG_CACHE_HOME, or ~/.cache. False when the environment names neither. */
bool am_fft_wisdom_path(const char *version, const char *purpose, char *path);
/* The file's text, which the caller frees; NULL: there is none that can be read. */
char *am_fft_wisdom_read(const char *path);
/* In one step: who reads at the same time sees the old file or the new one. False: not written. */
bool am_fft_wisdom_write(const char *path, const char *text);

#endif
