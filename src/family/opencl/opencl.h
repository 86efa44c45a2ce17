/* SPDX-License-Identifier: MIT */
/* Inside the family of OpenCL devices only: what its files share. */
#ifndef AM_FAMILY_OPENCL_H
#define AM_FAMILY_OPENCL_H

#include "family/family.h"

/* Whether the point ran on a device that is the host's CPU, so that native code may be compared. */
bool am_opencl_is_cpu(const struct am_result *result);

/* Memory of devices: widths, pieces, banks, caches, ratios. */
am_derive_fn am_opencl_derive_width, am_opencl_derive_segment, am_opencl_derive_banks,
    am_opencl_derive_order, am_opencl_derive_caches, am_opencl_derive_items,
    am_opencl_derive_read_items, am_opencl_derive_over_host, am_opencl_derive_native_rates,
    am_opencl_derive_levels;
/* Memory against arithmetic. */
am_derive_fn am_opencl_derive_ridge;

extern const struct am_figure_row am_opencl_figures[];
extern const struct am_guideline_rule am_opencl_guidelines[];

/* How points on devices are bounded, and what to try below a bound. */
extern const struct am_bound_row am_opencl_bounds[];
extern am_try_fn *const am_opencl_tries[];
/* By the sizes of the device's caches (opencl.cache_size). */
const char *am_opencl_space(const struct am_placing *placing);

#endif
