/* SPDX-License-Identifier: MIT */
/* What the conductor can check of a worker's numbers.
 *
 * A worker is a program of its own: it may be wrong, old or hostile. Of everything that it says the
 * conductor checks what follows from something else that it knows: metric values follow from work,
 * time and core clock by the metric's rule (bench.h); the time of a batch from its two clock
 * readings unless the bench has a clock of its own; labels from the counters beside them; the
 * iterations of a batch from the bench where it fixes them; no more time is stolen than there was;
 * and no number is one that a result cannot hold (core/bench/sane.h). Values of the rule `own`, and
 * times of a clock of the bench's own below the launch's length, cannot be checked: they are
 * believed.
 *
 * Each function returns AM_OK or AM_E_PROTOCOL with the reason: a lie fails the point
 * (conductor/collect.h). Nothing is changed or kept here. */
#ifndef AM_CONDUCTOR_JUDGE_H
#define AM_CONDUCTOR_JUDGE_H

#include "core/bench/bench.h"

#include <stddef.h>

/* What samples of a launch are judged by. */
struct am_judge {
    uint64_t started_ns;   /* of the launch, on the clock of the samples */
    size_t cpus;           /* that the launch was given */
    struct am_clock clock; /* of the worker: overhead and resolution only */
    double drift_limit;    /* relative change of the core clock that earns AM_LABEL_DRIFT */
};

/* The clock and the core clock of a greeting. */
enum am_status am_judge_greeting(const struct am_clock *clock, double hz, struct am_err *err);
enum am_status am_judge_work(const struct am_work *work, struct am_err *err);
enum am_status am_judge_residual(double residual, struct am_err *err);
/* A sample of the bench with so many values: those of its own metrics, then event counts. */
enum am_status am_judge_sample(const struct am_judge *judge, const struct am_bench *bench,
                               const struct am_work *work, const struct am_sample *sample,
                               size_t n_values, struct am_err *err);

#endif
