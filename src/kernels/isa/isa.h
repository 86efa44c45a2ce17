/* SPDX-License-Identifier: MIT */
/* The intrinsics header of the architecture that a .k.c file is being compiled for. */
#ifndef AM_KERNELS_ISA_ISA_H
#define AM_KERNELS_ISA_ISA_H

#if defined(__x86_64__)
#include "kernels/isa/x86_64.h"
#elif defined(__aarch64__)
#include "kernels/isa/aarch64.h"
#endif

/* x + a b, fused where the instruction set has that. */
#if defined(AM_FMA_f32)
#define AM_FUSED_f32 AM_FMA_f32
#define AM_FUSED_f64 AM_FMA_f64
#else
#define AM_FUSED_f32(x, a, b) ((x) + (a) * (b))
#define AM_FUSED_f64(x, a, b) ((x) + (a) * (b))
#endif

#endif
