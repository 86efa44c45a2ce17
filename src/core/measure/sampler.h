/* SPDX-License-Identifier: MIT */
/* The sampler: measures one prepared point inside the worker, batch by batch.
 *
 * In this order: iterations per batch are chosen so that a batch lasts long enough, by batches of a
 * quarter of a second at most, from which longer ones are extrapolated; the outcome is
 * verified; warm-up batches; timed batches, each with the core clock of all threads of the bench's
 * team probed before and after it and with what disturbed it (steal time, context switches, CPU
 * time against wall time, a drifting clock: core/measure/labels.h) as labels; verified again. Every
 * batch goes to the sink at once as a struct am_sample. The sampler computes no statistics and
 * drops nothing: labelled batches are passed on too, and a bounded number of them is measured
 * again. Clock, disturbances and events are values with function pointers, so that tests script
 * them. */
#ifndef AM_CORE_SAMPLER_H
#define AM_CORE_SAMPLER_H

#include "core/bench/bench.h"
#include "core/measure/labels.h"

#include <stdint.h>

/* What happened to the machine besides us; a value so that tests can script it. */
struct am_disturbance {
    void (*read)(void *self, struct am_disturbance_totals *totals);
    void (*times)(void *self, struct am_cpu_times *times); /* NULL: CPU times are not known */
    size_t cpus;                                           /* that the process may use */
    void *self;
};

/* What counts events beside the time; a value so that tests can script it. */
struct am_event_reader {
    bool (*read)(void *self, double *counts); /* running totals */
    size_t n;                                 /* at most AM_EVENTS_MAX */
    void *self;
};

enum { AM_SAMPLES_MAX = 100000 }; /* batches of a launch, wanted or measured again */

/* What prepares the samples needs no batches as long as meters of energy want theirs (5 s and more
 * with a GPU): it is done with batches of at most these lengths. */
#define AM_SAMPLER_TRIAL_NS UINT64_C(250000000) /* calibration and the proof of growth */
#define AM_SAMPLER_WARM_NS UINT64_C(1000000000) /* a warm-up batch */

struct am_sampler_settings {
    uint64_t min_batch_ns; /* a batch lasts at least this long */
    uint64_t max_point_ns; /* no further batch is begun after this; at least one is taken */
    unsigned warmup;       /* untimed batches after calibration */
    unsigned samples;      /* undisturbed batches wanted */
    unsigned extra;        /* disturbed batches that are re-measured at most */
    double drift_limit;    /* relative change of the core clock that earns AM_LABEL_DRIFT */
};

/* Who hears of the sampler's progress. A status other than AM_OK ends the point. */
struct am_sample_sink {
    enum am_status (*verified)(void *self, double residual, struct am_err *err);
    enum am_status (*sample)(void *self, const struct am_sample *sample, struct am_err *err);
    void *self;
};

struct am_sampler {
    struct am_sampler_settings settings;
    const struct am_clock *clock;
    const struct am_disturbance *disturbance;
    const struct am_event_reader *events; /* NULL: none. A sample's values then go on behind those
                                           * of the metrics with the events of one iteration. */
    bool apart; /* timed by a device that what disturbs the host does not disturb: a labelled batch
                 * is not measured again */
};

/* Measures a prepared state. Batches below the settings' minimum, or below 1000 clock readings,
 * are lengthened; a run whose time does not grow with the iterations fails (AM_E_WRONG: the
 * compiler folded it); verify() runs after the first call and after the last batch. */
enum am_status am_sampler_run(const struct am_sampler *sampler, const struct am_bench *bench,
                              void *state, const struct am_work *work,
                              const struct am_sample_sink *sink, struct am_err *err);

#endif
