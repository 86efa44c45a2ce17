/* SPDX-License-Identifier: MIT */
/* From raw samples to the figures that are shown. The launch is the unit of statistics: samples in
 * one process share page placement and clock state, and are not independent. */
#ifndef AM_CORE_SUMMARY_H
#define AM_CORE_SUMMARY_H

#include "core/stats/stats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The samples of one metric of one point in one launch. */
struct am_launch_values {
    int64_t launch_id;
    unsigned round;
    const double *values;
    const uint32_t *labels; /* AM_LABEL_*, parallel to values; NULL: none */
    size_t n;
    uint32_t busy; /* AM_BUSY_*: what else the machine did around the launch */
    double others; /* CPU time of others around it per second, stolen time with it, in CPUs; NAN:
                    * not known */
};

/* All launches of one metric of one point. */
struct am_series {
    struct am_launch_values *launches;
    size_t n;
};

struct am_summary {
    double median;            /* of the launch medians */
    struct am_interval ci;    /* of that median, order statistics of launch medians; widened by
                               * `systematic` on both sides once am_summary_widen() was called */
    double systematic;        /* what may be wrong in every launch alike, in the metric's unit */
    double min, max, p5, p95; /* over all samples used */
    double mad;               /* of the launch medians */
    double within, between;   /* median relative spread (p5..p95 over median) inside a launch, and
                               * relative spread (max-min over median) of launch medians */
    size_t launches, samples; /* used */
    size_t disturbed;         /* samples with a label, used or not */
    size_t busy;              /* launches used during which others were busy */
    size_t taken, labelled;   /* samples of the launches used, and those of them with a label */
    bool bimodal;             /* the launch medians, or the pooled samples with both modes inside
                               * launches */
};

/* Values that are not finite are no samples: they are passed over everywhere. */

/* Others were busy during the launch, or all of its samples have a label. Such launches are used
 * only where fewer than AM_QUIET_LAUNCHES others are there: their labels tell causes, so that
 * leaving them out favours no result. */
bool am_launch_disturbed(const struct am_launch_values *launch);
enum { AM_QUIET_LAUNCHES = 5 }; /* the fewest whose interval covers 90 % */

/* The median of a launch: of its undisturbed samples if it has any, else of all. NAN when empty.
 * `scratch` has room for launch->n doubles. */
double am_launch_median(const struct am_launch_values *launch, double *scratch);

/* The most samples that a launch of the series has. */
size_t am_series_most(const struct am_series *series);

/* Medians of the launches used, in launch order, into out (series->n doubles); returns how many:
 * launches without samples are left out. Allocates; 0 when memory is refused. */
size_t am_series_medians(const struct am_series *series, double *out);

/* False when memory is refused or there is nothing to summarise. Level is 0.95. */
bool am_summarise(const struct am_series *series, struct am_summary *out);

/* Adds a systematic uncertainty to the interval. Once per summary. */
void am_summary_widen(struct am_summary *s, double systematic);

/* Half-width of the interval relative to the median; INFINITY when it cannot be told: a median of
 * 0, or an interval that covers less than 90 % (four launches or fewer). */
double am_summary_precision(const struct am_summary *s);

#endif
