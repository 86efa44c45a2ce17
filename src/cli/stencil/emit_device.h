/* SPDX-License-Identifier: MIT */
/* Described stencils on OpenCL devices with several steps per pass.
 *
 * The kernel is bench/ocl/kernels/stencil_wave.cl, word for word, behind
 * definitions that say the weights, the sides and the shape of the tiles: so a description has it
 * if it is a sum of weighted neighbours at distance 1 along the axes, of one field, of first or
 * second order in time, in two or three dimensions. Others are stepped by one kernel per update. */
#ifndef AM_CLI_STENCIL_EMIT_DEVICE_H
#define AM_CLI_STENCIL_EMIT_DEVICE_H

#include "base/text.h"
#include "cli/stencil/emit.h"

bool am_emit_has_device_waves(const struct am_description *d);
long am_emit_device_depth(const struct am_description *d); /* steps of a pass, at most */

/* OpenCL C of one sweep per step: one kernel per update. */
void am_emit_opencl_kernels(const struct am_description *d, struct am_text *out);
/* OpenCL C: definitions and the kernel. Nothing where there are no such waves. */
void am_emit_device_kernel(const struct am_description *d, enum am_emit_type type,
                           struct am_text *out);
/* C for the host: sizes of tiles, names of kernels. NAME and REAL stand for what they stand for. */
void am_emit_device_constants(const struct am_description *d, enum am_emit_type type,
                              struct am_text *out);
/* Text as a C literal, a line each. */
void am_emit_literal(const char *text, struct am_text *out);

#endif
