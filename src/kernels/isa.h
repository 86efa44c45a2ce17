/* SPDX-License-Identifier: MIT */
/* The instruction sets of this architecture, and whether this machine runs them. Of each family of
 * kernels a .k.c file is compiled once per set; AM_ISA_FINDER() makes the table of these variants.
 */
#ifndef AM_KERNELS_ISA_H
#define AM_KERNELS_ISA_H

#include "core/bench/isas.h"

#include <stddef.h>

/* X(name, a, b) in rising order, a and b as given; a part of AM_ISAS (core/bench/isas.h). Its twin
 * is the flag table of src/kernels/meson.build: a name missing there does not link. */
#if defined(__x86_64__)
#define AM_ISA_MAP(X, a, b) X(scalar, a, b) X(sse2, a, b) X(avx, a, b) X(avx2, a, b) X(avx512, a, b)
#elif defined(__aarch64__)
#define AM_ISA_MAP(X, a, b) X(scalar, a, b) X(neon, a, b)
#else
#error "no instruction sets are described for this architecture"
#endif

/* Names in rising order, ended by NULL: the choices of the axis `isa`. */
extern const char *const am_isa_names[];

/* NULL when the CPU and the operating system can run it, else why not. */
const char *am_isa_why_not(const char *isa);

/* Position in am_isa_names, or -1. */
int am_isa_index(const char *isa);

/* Defines `function(isa)`: the variant prefix##isa of that set, a `struct type`; NULL where there
 * is no set of the name. A set whose .k.c object does not define its variant does not link. */
#define AM_ISA_DECLARE(isa, type, prefix) extern const struct type prefix##isa;
#define AM_ISA_ROW(isa, type, prefix) &prefix##isa,
#define AM_ISA_FINDER(function, type, prefix)                                                      \
    AM_ISA_MAP(AM_ISA_DECLARE, type, prefix)                                                       \
    const struct type *function(const char *isa)                                                   \
    {                                                                                              \
        static const struct type *const variants[] = {AM_ISA_MAP(AM_ISA_ROW, type, prefix)};       \
        const int i = am_isa_index(isa);                                                           \
                                                                                                   \
        return i < 0 ? NULL : variants[i];                                                         \
    }

#endif
