/* SPDX-License-Identifier: MIT */
/* What a disturbance that was seen can have done to a comparison at most.
 *
 * A number of grade C is not to be quoted. Held against another one of the same run it still tells
 * something, where what made it C is a matter of the comparison's own error (a wide interval), or
 * is bounded. What others took of the CPUs around a launch is counted: S CPUs per second. While
 * they run ours may stand still, all of its threads waiting for one, and do not otherwise. So of a
 * second at least 1 - S is left, a batch is longer by S / (1 - S) of itself in the mean, and half
 * of the batches, which the median goes by, by twice that at most (Markov). Who asks whether one
 * side is slower therefore takes it that all of this hit one side alone. Of a time less a reference
 * the whole time is stretched, and the rest by more. Other reasons for grade C (a value not told
 * from zero, cycles that are wrong, pressure on memory) have no bound. */
#include "model/study/claims.h"

#include "core/measure/surroundings.h"

#include <math.h>

/* Reasons whose C no comparison gets round. */
static const uint32_t unbounded = UINT32_C(1) << AM_REASON_ZERO | UINT32_C(1) << AM_REASON_STANDARD;

/* CPUs that others took around the launches of a series, in the mean; INFINITY: not known. */
static double others_of(const struct am_series *s)
{
    double sum = 0;

    for (size_t i = 0; i < s->n; i++) {
        const struct am_launch_values *const l = &s->launches[i];
        const bool counted = l->others > 0 || (l->others >= 0 && !l->busy);

        if (!counted || l->busy & AM_BUSY_MEMORY)
            return INFINITY;
        sum += l->others;
    }
    return s->n ? sum / (double)s->n : INFINITY;
}

/* Whether this alone makes it grade C. */
static bool is_beyond(const struct am_result_metric *m, enum am_reason reason)
{
    const struct am_grade_input in = {.summary = &m->summary, .verified = true};

    return am_grade_measure(reason, &in) > am_grade_rows[reason].b;
}

/* By how much they may have slowed the metric, as a logarithm. */
static double slowed(const struct am_result *r, const struct am_result_metric *m)
{
    const double others = others_of(&m->series), value = fabs(m->summary.median);
    const double whole = am_result_whole(r, m);

    if (m->grading.grade != AM_GRADE_C)
        return 0;
    if (m->grading.reasons & unbounded)
        return INFINITY;
    if (!is_beyond(m, AM_REASON_BUSY) && !is_beyond(m, AM_REASON_DISTURBED))
        return 0; /* its interval is wide, as that of the comparison then is */
    if (!(others < 1) || !(value > 0) || !(whole > 0))
        return INFINITY;
    return log1p(2 * others / (1 - others) * fmax(whole / value, 1));
}

double am_claim_allowance(const struct am_comparison_row *row)
{
    return fmax(slowed(row->a, row->metric_a), slowed(row->b, row->metric_b));
}
