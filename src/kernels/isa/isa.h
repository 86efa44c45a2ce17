/* SPDX-License-Identifier: MIT */
/* The intrinsics header of the architecture that a .k.c file is being compiled for. */
#ifndef AM_KERNELS_ISA_ISA_H
#define AM_KERNELS_ISA_ISA_H

#if defined(__x86_64__)
#include "kernels/isa/x86_64.h"
#elif defined(__aarch64__)
#include "kernels/isa/aarch64.h"
#endif

#endif
