/* SPDX-License-Identifier: MIT */
/* Intervals by resampling, for what is no median: quotients and products of means over launches. A
 * median has its exact interval in core/stats/stats.h, which resampling cannot better. */
#ifndef AM_CORE_BOOTSTRAP_H
#define AM_CORE_BOOTSTRAP_H

#include "core/stats/stats.h"

#include <stddef.h>
#include <stdint.h>

/* The statistic of the launches pick[0..n), each an index below n and any number of times. What
 * belongs to one launch (its time, its energy) is thereby drawn together. NAN leaves a draw out. */
typedef double am_bootstrap_fn(const void *self, const size_t *pick, size_t n);

/* 95 % interval of the statistic over n launches by the percentiles of 2000 draws, taken further
 * out for few launches as Student's law is wider than the normal one (Hesterberg's expanded
 * percentiles: the plain ones of 5 launches hold the truth in 82 of 100 cases only). The seed is
 * fixed: the same launches give the same interval. `coverage` is 0.95, or what the least and the
 * greatest of n values can cover at most, 1 - 2^(1 - n), where that is less. All NAN below two
 * launches or when memory is refused. */
struct am_interval am_bootstrap(size_t n, am_bootstrap_fn *statistic, const void *self);

#endif
