/* SPDX-License-Identifier: MIT */
/* C text that is the same for every stencil, built into the program (*.c.txt of this folder; the
 * waves of devices are a kernel of bench/ocl). */
#ifndef AM_CLI_STENCIL_TEXTS_H
#define AM_CLI_STENCIL_TEXTS_H

extern const char am_stencil_text_driver[], am_stencil_text_team[], am_stencil_text_share[],
    am_stencil_text_start[], am_stencil_text_reference[], am_stencil_text_bench[],
    am_stencil_text_bench_type[], am_stencil_text_bench_end[], am_stencil_text_vectors[],
    am_stencil_text_lanes[], am_stencil_text_fold[], am_stencil_text_loops[],
    am_stencil_text_ends[], am_stencil_text_wave[], am_stencil_text_slice[],
    am_stencil_text_device[], am_stencil_text_device_type[], am_stencil_text_stencil_wave[];

#endif
