/* SPDX-License-Identifier: MIT */
/* Summaries: launch medians, their interval, spread within and between launches, modes. */
#include "core/stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double level = 0.95;
/* Modes nearer than this (relative to the median) are of no consequence to a reader. */
static const double mode_floor = 0.02;
/* Below this coverage an interval says too little to stop measuring: five launches give 0.9375. */
static const double least_coverage = 0.9;

/* A value that cannot be told (no core clock, division by zero) is no sample. */
static bool usable(const struct am_launch_values *l, size_t i, bool undisturbed)
{
    return isfinite(l->values[i]) && !(undisturbed && l->labels && l->labels[i]);
}

static size_t collect(const struct am_launch_values *l, bool undisturbed, double *out)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++) {
        if (usable(l, i, undisturbed))
            out[n++] = l->values[i];
    }
    return n;
}

/* The samples of a launch that count, sorted: the undisturbed ones, or all if there are none. */
static size_t used_samples(const struct am_launch_values *l, double *out)
{
    size_t n = collect(l, true, out);

    if (n == 0)
        n = collect(l, false, out);
    am_stats_sort(out, n);
    return n;
}

double am_launch_median(const struct am_launch_values *launch, double *scratch)
{
    const size_t n = used_samples(launch, scratch);

    return am_stats_median(scratch, n);
}

bool am_launch_disturbed(const struct am_launch_values *launch)
{
    size_t samples = 0, clean = 0;

    for (size_t i = 0; i < launch->n; i++) {
        samples += usable(launch, i, false);
        clean += usable(launch, i, true);
    }
    return launch->busy || (samples && !clean);
}

/* Whether the series has launches enough without the disturbed ones. */
static bool has_quiet(const struct am_series *series)
{
    size_t quiet = 0;

    for (size_t i = 0; i < series->n; i++)
        quiet += series->launches[i].n && !am_launch_disturbed(&series->launches[i]);
    return quiet >= AM_QUIET_LAUNCHES;
}

static size_t longest_launch(const struct am_series *series)
{
    size_t longest = 0;

    for (size_t i = 0; i < series->n; i++) {
        if (series->launches[i].n > longest)
            longest = series->launches[i].n;
    }
    return longest;
}

static double *doubles(size_t n)
{
    return calloc(n ? n : 1, sizeof(double));
}

size_t am_series_most(const struct am_series *series)
{
    size_t most = 0;

    for (size_t i = 0; i < series->n; i++)
        most = series->launches[i].n > most ? series->launches[i].n : most;
    return most;
}

size_t am_series_medians(const struct am_series *series, double *out)
{
    double *scratch = doubles(longest_launch(series));
    const bool quiet = has_quiet(series);
    size_t n = 0;

    for (size_t i = 0; scratch && i < series->n; i++) {
        const struct am_launch_values *const l = &series->launches[i];
        const double median =
            quiet && am_launch_disturbed(l) ? (double)NAN : am_launch_median(l, scratch);

        if (!isnan(median))
            out[n++] = median;
    }
    free(scratch);
    return n;
}

static size_t count_labelled(const struct am_launch_values *l)
{
    size_t n = 0;

    for (size_t k = 0; l->labels && k < l->n; k++)
        n += l->labels[k] != 0;
    return n;
}

static size_t count_disturbed(const struct am_series *series)
{
    size_t n = 0;

    for (size_t i = 0; i < series->n; i++)
        n += count_labelled(&series->launches[i]);
    return n;
}

/* Where the figures are computed: pooled and scratch have room for every sample of the series. */
struct work {
    double *pooled;  /* used samples of all launches, launch after launch, each sorted */
    double *medians; /* one per launch that has samples */
    double *spreads; /* the same: p5..p95 over the median */
    double *scratch; /* for sorted copies */
    size_t *first;   /* where each launch begins in pooled; one more than launches */
    size_t n, launches;
};

static void work_fini(struct work *w)
{
    free(w->pooled);
    free(w->medians);
    free(w->spreads);
    free(w->scratch);
    free(w->first);
}

static bool work_init(struct work *w, const struct am_series *series)
{
    size_t samples = 0;

    *w = (struct work){0};
    for (size_t i = 0; i < series->n; i++)
        samples += series->launches[i].n;
    w->pooled = doubles(samples);
    w->medians = doubles(series->n);
    w->spreads = doubles(series->n);
    w->scratch = doubles(samples);
    w->first = calloc(series->n + 1, sizeof(*w->first));
    return w->pooled && w->medians && w->spreads && w->scratch && w->first;
}

/* A spread relative to the median; without bound where the median is 0 and the spread is not. */
static double relative(double spread, double median)
{
    if (!(spread > 0))
        return 0;
    return spread / fabs(median);
}

static void gather(struct work *w, const struct am_series *series, struct am_summary *out)
{
    const bool quiet = has_quiet(series);

    for (size_t i = 0; i < series->n; i++) {
        const struct am_launch_values *const l = &series->launches[i];
        double *x = w->pooled + w->n;
        const size_t n = quiet && am_launch_disturbed(l) ? 0 : used_samples(l, x);
        const double median = am_stats_median(x, n);

        if (n == 0)
            continue;
        out->busy += l->busy != 0;
        out->taken += l->n;
        out->labelled += count_labelled(l);
        w->spreads[w->launches] =
            relative(am_stats_quantile(x, n, 0.95) - am_stats_quantile(x, n, 0.05), median);
        w->medians[w->launches++] = median;
        w->n += n;
        w->first[w->launches] = w->n;
    }
}

/* Modes that alternate within launches: values of both groups must occur in two launches or more
 * (in the only one, if there is one). Launches that differ as a whole are clusters of the pooled
 * samples too, but a few launches tell nothing of modes: that is judged by the launch medians. */
static bool mixed(const struct work *w, double below)
{
    size_t n = 0;

    for (size_t i = 0; i < w->launches; i++)
        n += w->pooled[w->first[i]] < below && w->pooled[w->first[i + 1] - 1] >= below;
    return n >= (w->launches > 1 ? 2 : 1);
}

/* Needs the sorted samples in scratch, and sorted medians. */
static bool bimodal(const struct work *w)
{
    const size_t lower = am_stats_lower_mode(w->scratch, w->n, mode_floor);

    if (lower > 0 && mixed(w, w->scratch[lower]))
        return true;
    return am_stats_bimodal(w->medians, w->launches, mode_floor);
}

static void fill(struct work *w, struct am_summary *out)
{
    am_stats_sort(w->medians, w->launches);
    am_stats_sort(w->spreads, w->launches);
    out->launches = w->launches;
    out->samples = w->n;
    out->median = am_stats_median(w->medians, w->launches);
    out->ci = am_stats_median_interval(w->medians, w->launches, level);
    out->mad = am_stats_mad(w->medians, w->launches, w->scratch);
    out->within = am_stats_median(w->spreads, w->launches);
    out->between = relative(w->medians[w->launches - 1] - w->medians[0], out->median);
    memcpy(w->scratch, w->pooled, w->n * sizeof(*w->scratch));
    am_stats_sort(w->scratch, w->n);
    out->min = w->scratch[0];
    out->max = w->scratch[w->n - 1];
    out->p5 = am_stats_quantile(w->scratch, w->n, 0.05);
    out->p95 = am_stats_quantile(w->scratch, w->n, 0.95);
    out->bimodal = bimodal(w);
}

bool am_summarise(const struct am_series *series, struct am_summary *out)
{
    struct work w;
    bool good = work_init(&w, series);

    *out = (struct am_summary){.disturbed = count_disturbed(series)};
    if (good) {
        gather(&w, series, out);
        good = w.n > 0;
    }
    if (good)
        fill(&w, out);
    work_fini(&w);
    return good;
}

double am_summary_precision(const struct am_summary *s)
{
    const double width = s->ci.hi - s->ci.lo;

    if (s->launches < 2 || s->ci.coverage < least_coverage || !(fabs(s->median) > 0))
        return INFINITY;
    return width / 2 / fabs(s->median);
}

void am_summary_widen(struct am_summary *s, double systematic)
{
    if (!(systematic > 0) || !isfinite(systematic))
        return;
    s->systematic = systematic;
    s->ci.lo -= systematic;
    s->ci.hi += systematic;
}
