/* SPDX-License-Identifier: MIT */
/* C and OpenCL C of a description.
 *
 * What depends on the formulas is written here: the rows of each update, its reference, constants.
 * The rest is C text of this folder (*.c.txt), the same for every stencil, in which NAME stands for
 * the stencil's name with its type and REAL for the type: blocks that lean in time, sides, threads;
 * and, for a bench, the start, the verification and the descriptor (include/archmeter/bench.h). So
 * what is exported is what was measured, word for word. */
#ifndef AM_CLI_STENCIL_EMIT_H
#define AM_CLI_STENCIL_EMIT_H

#include "base/text.h"
#include "cli/stencil/description.h"

enum { AM_EMIT_MAX = 8 * 1024 * 1024 };

enum am_emit_type { AM_EMIT_F32, AM_EMIT_F64, AM_EMIT_TYPES };
extern const char *const am_emit_types[]; /* names, ended by NULL */

/* Loops, of which several may stand in one file: passes of several steps by waves and by tiles, and
 * sweeps over folded vectors. */
enum am_emit_loop {
    AM_EMIT_WAVE = 1,
    AM_EMIT_TILED = 2,
    AM_EMIT_FOLD = 4,
    AM_EMIT_ALL = AM_EMIT_WAVE | AM_EMIT_TILED | AM_EMIT_FOLD,
};

/* What an export holds, and the shape that it names as the one to begin with. What has none of the
 * loops that are asked for is tiled. */
struct am_emit_shape {
    long depth, wave, strip, rows;
    unsigned loops; /* enum am_emit_loop */
};

/* The loop for those who have measured nothing: waves; where these would be sweeps, for the formula
 * reaches far, folds. */
enum am_emit_loop am_emit_first_loop(const struct am_description *d);

/* Functions that step a grid, without anything of archmeter's. */
enum am_status am_emit_kernel(const struct am_description *d, enum am_emit_type type,
                              const struct am_emit_shape *shape, struct am_text *out,
                              struct am_err *err);
/* A bench of both types: a source for am_own_compile(). */
enum am_status am_emit_bench(const struct am_description *d, struct am_text *out,
                             struct am_err *err);
/* Kernels of OpenCL C, one per update, one work-item per point. */
enum am_status am_emit_opencl(const struct am_description *d, enum am_emit_type type,
                              struct am_text *out, struct am_err *err);

/* The shape that is measured where nothing is said, and the values that a tuner tries. */
struct am_emit_values {
    const char *sides, *sides_quick, *steps, *depths, *waves, *strips, *rows;
};
const struct am_emit_values *am_emit_values_of(const struct am_description *d);

#endif
