/* SPDX-License-Identifier: MIT */
/* The OpenMP library of this process: which one it is, by what it exports and says of itself.
 *
 * A file's name proves nothing: distributions link libgomp.so to libomp, and two versions of libomp
 * have one name. The library is therefore found by the symbols that every OpenMP library exports,
 * among all files that are loaded now; its kind follows from the symbols of the compilers' calls,
 * and its version is the text that the library itself carries. */
#ifndef AM_BENCH_OMP_LIBRARY_H
#define AM_BENCH_OMP_LIBRARY_H

#include "base/loaded.h"
#include "base/status.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { AM_OMP_VERSION_TEXT = 256 };

struct am_omp_library {
    char path[PATH_MAX];               /* without links; the program's own where it is linked in */
    char build_id[AM_BUILD_ID_TEXT];   /* "none" where the linker gave none */
    char version[AM_OMP_VERSION_TEXT]; /* in its own words; "" where it says nothing */
    const char *kind;                  /* "libgomp", "libomp", "libiomp5", "libnvomp" */
};

/* AM_E_WRONG with the story when no OpenMP library is loaded, or more than one. */
enum am_status am_omp_library_find(struct am_omp_library *out, struct am_err *err);

/* What the bytes of a library say of its version. "" when that is nothing. */
void am_omp_library_version(const char *bytes, size_t n, char out[AM_OMP_VERSION_TEXT]);

/* The kind of a library by what it exports: `kmp` the calls of clang's code, `gomp` those of gcc's
 * (libomp has both). Intel's is told by what it says, NVIDIA's by its file. NULL: of no kind that
 * is known. */
const char *am_omp_library_kind(bool kmp, bool gomp, const char *version, const char *path);

/* The build id of the library that the runtime of this name was added with, as the file
 * NAME.runtime beside this program says; false when it does not. */
bool am_omp_library_added(const char *name, char build_id[AM_BUILD_ID_TEXT]);

#endif
