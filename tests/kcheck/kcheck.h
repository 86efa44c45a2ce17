/* SPDX-License-Identifier: MIT */
/* kcheck: every kernel variant that this machine can run, against a scalar reference. */
#ifndef AM_TESTS_KCHECK_KCHECK_H
#define AM_TESTS_KCHECK_KCHECK_H

#include "base/rng.h"

/* Each prints its checks; `isa` is one that this machine can run. */
void kcheck_blackscholes(const char *isa, struct am_rng *rng);
void kcheck_flops(const char *isa, struct am_rng *rng);
void kcheck_gemm(const char *isa, struct am_rng *rng);
void kcheck_mgvf(const char *isa, struct am_rng *rng);
void kcheck_mgvf_lanes(const char *isa, struct am_rng *rng);
void kcheck_stream(const char *isa, struct am_rng *rng);
void kcheck_wave(const char *isa, struct am_rng *rng);
void kcheck_stencil(const char *isa, struct am_rng *rng);
void kcheck_grid(const char *isa, struct am_rng *rng);
void kcheck_chase(struct am_rng *rng);
void kcheck_instr(void);
void kcheck_dot(struct am_rng *rng);
void kcheck_handoff(struct am_rng *rng);

/* Prints one check of TAP; the format is the sentence. */
void kcheck_report(_Bool pass, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
