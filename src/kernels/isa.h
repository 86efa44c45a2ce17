/* SPDX-License-Identifier: MIT */
/* The instruction sets that kernels are compiled for, and whether this machine runs them. */
#ifndef AM_KERNELS_ISA_H
#define AM_KERNELS_ISA_H

#include <stddef.h>

/* X(name) in rising order. Its twin is the flag table of src/kernels/meson.build: a name missing
 * there does not link. */
#if defined(__x86_64__)
#define AM_ISA_MAP(X) X(scalar) X(sse2) X(avx) X(avx2) X(avx512)
#elif defined(__aarch64__)
#define AM_ISA_MAP(X) X(scalar) X(neon)
#else
#error "no instruction sets are described for this architecture"
#endif

/* Names in rising order, ended by NULL: the choices of the axis `isa`. */
extern const char *const am_isa_names[];

/* NULL when the CPU and the operating system can run it, else why not. */
const char *am_isa_why_not(const char *isa);

/* Position in am_isa_names, or -1. */
int am_isa_index(const char *isa);

#endif
