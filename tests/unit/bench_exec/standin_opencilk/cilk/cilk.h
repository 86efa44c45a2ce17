/* SPDX-License-Identifier: MIT */
/* Stands in for OpenCilk's header: its keywords mean what they mean without parallelism, as the
 * language defines it. What it cannot show is anything of the real runtime. */
#ifndef AM_TESTS_CILK_H
#define AM_TESTS_CILK_H

#define cilk_for for
#define cilk_spawn
#define cilk_sync ((void)0)

#endif
