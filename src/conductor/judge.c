/* SPDX-License-Identifier: MIT */
/* A worker's numbers against what they must follow from. */
#include "conductor/judge.h"

#include "core/bench/sane.h"
#include "core/measure/labels.h"

#include <math.h>

/* Reading a clock, or one of its steps, takes less than a second on any machine. */
static const uint64_t clock_most_ns = 1000000000;

/* What rounding may change, relative: workers are built by several compilers. */
static const double rounding = 1e-9;

/* No core has run above 10 GHz. */
static const double core_clock_most_hz = 1e11;

/* Stolen time is told in steps of 10 ms per CPU, and may be told late. */
static const double steal_slack_ns = 1e9;

/* A clock of a device may run faster than ours by this part. */
static const double own_clock_margin = 1.1;

/* Beside two steps of the clock: what times of two clocks may differ by. */
static const uint64_t slack_ns = 1000;

static const uint32_t known_labels =
    AM_LABEL_STEAL | AM_LABEL_SWITCH | AM_LABEL_DRIFT | AM_LABEL_OFF;

static bool is_amount(double x)
{
    return am_is_sane(x) && x >= 0;
}

static bool is_core_clock(double hz)
{
    return is_amount(hz) && hz <= core_clock_most_hz;
}

enum am_status am_judge_greeting(const struct am_clock *clock, double hz, struct am_err *err)
{
    if (clock->overhead_ns > clock_most_ns || clock->resolution_ns > clock_most_ns)
        return am_fail(
            err, AM_E_PROTOCOL, "no clock takes %llu ns to read and goes in steps of %llu ns",
            (unsigned long long)clock->overhead_ns, (unsigned long long)clock->resolution_ns);
    if (!is_core_clock(hz))
        return am_fail(err, AM_E_PROTOCOL, "a core clock of %g Hz cannot be", hz);
    return AM_OK;
}

enum am_status am_judge_work(const struct am_work *work, struct am_err *err)
{
    const struct {
        const char *what;
        double amount;
    } parts[] = {{"bytes read", work->bytes_read},
                 {"bytes written", work->bytes_written},
                 {"flops", work->flops},
                 {"ops", work->ops}};

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (!is_amount(parts[i].amount))
            return am_fail(err, AM_E_PROTOCOL, "no work has %g %s", parts[i].amount, parts[i].what);
    }
    return AM_OK;
}

enum am_status am_judge_residual(double residual, struct am_err *err)
{
    if (residual >= 0 && residual <= AM_SANE_MOST)
        return AM_OK;
    return am_fail(err, AM_E_PROTOCOL, "a residual of %g cannot be", residual);
}

/* ---- times ---- */

static bool uses_time(const struct am_metric *metrics)
{
    for (size_t i = 0; metrics[i].name; i++) {
        if (metrics[i].rule != AM_RULE_OWN && metrics[i].rule != AM_RULE_CLOCK_RATIO)
            return true;
    }
    return false;
}

static enum am_status judge_time(const struct am_judge *j, const struct am_bench *bench,
                                 const struct am_sample *x, struct am_err *err)
{
    const uint64_t batch = x->t1_ns - x->t0_ns, since = x->t1_ns - j->started_ns;
    const uint64_t slack = slack_ns + 2 * j->clock.resolution_ns;
    const double most = own_clock_margin * (double)since + (double)slack;
    const bool impossible = bench->timed == AM_TIMED_BATCH ? x->elapsed_ns != batch
                            : x->elapsed_ns == 0 ? batch > slack && uses_time(bench->metrics)
                                                 : (double)x->elapsed_ns > most;

    if (impossible)
        return am_fail(err, AM_E_PROTOCOL, "a batch of %llu ns cannot have taken %llu ns",
                       (unsigned long long)batch, (unsigned long long)x->elapsed_ns);
    if (x->off_ns > batch + slack)
        return am_fail(err, AM_E_PROTOCOL, "%llu ns off the CPU in a batch of %llu ns",
                       (unsigned long long)x->off_ns, (unsigned long long)batch);
    if (!is_core_clock(x->hz_before) || !is_core_clock(x->hz_after))
        return am_fail(err, AM_E_PROTOCOL, "a core clock of %g and %g Hz cannot be", x->hz_before,
                       x->hz_after);
    return AM_OK;
}

/* ---- counters ---- */

static enum am_status judge_counters(const struct am_judge *j, const struct am_bench *bench,
                                     const struct am_sample *x, struct am_err *err)
{
    const double since = (double)(x->t1_ns - j->started_ns);

    if (x->iters > INT64_MAX || (bench->fixed_iters && x->iters != bench->fixed_iters))
        return am_fail(err, AM_E_PROTOCOL, "a batch of %llu iterations was not asked for",
                       (unsigned long long)x->iters);
    if (x->switches > INT64_MAX)
        return am_fail(err, AM_E_PROTOCOL, "%llu switches cannot be",
                       (unsigned long long)x->switches);
    if ((double)x->steal_ns > (since + steal_slack_ns) * (double)j->cpus)
        return am_fail(err, AM_E_PROTOCOL, "%llu ns cannot have been stolen from %zu CPUs",
                       (unsigned long long)x->steal_ns, j->cpus);
    return AM_OK;
}

/* ---- labels ---- */

/* A label and the counter that it follows from. */
static enum am_status judge_labels(const struct am_judge *j, const struct am_sample *x,
                                   struct am_err *err)
{
    const bool drifts = x->hz_before > 0 && fabs(x->hz_after / x->hz_before - 1) > j->drift_limit;
    const bool steal = x->labels & AM_LABEL_STEAL, drift = x->labels & AM_LABEL_DRIFT;

    if (x->labels & ~known_labels)
        return am_fail(err, AM_E_PROTOCOL, "labels 0x%x are not known", x->labels & ~known_labels);
    if (steal != am_steal_tells(x->steal_ns, x->t1_ns - x->t0_ns))
        return am_fail(err, AM_E_PROTOCOL, "%s the label of stolen time, with %llu ns stolen",
                       steal ? "has" : "lacks", (unsigned long long)x->steal_ns);
    if (drift != drifts)
        return am_fail(err, AM_E_PROTOCOL,
                       "%s the label of a drifting clock, with %.4g Hz before and %.4g Hz after",
                       drift ? "has" : "lacks", x->hz_before, x->hz_after);
    /* Switches and time off the CPU earn a label by the habits of the process, which only it knows;
     * without any there is nothing to label. */
    if ((x->labels & AM_LABEL_SWITCH && x->switches == 0) ||
        (x->labels & AM_LABEL_OFF && x->off_ns == 0))
        return am_fail(err, AM_E_PROTOCOL, "labelled for switches or time off the CPU without any");
    return AM_OK;
}

/* ---- values ---- */

static bool follows(const struct am_metric *m, double value, double expected, double seconds)
{
    const double slack = m->rule == AM_RULE_TIME_BEYOND_CLOCK ? rounding * seconds : 0;

    if (m->rule == AM_RULE_OWN)
        return true;
    if (m->rule == AM_RULE_CLOCK_RATIO) /* the clocks of single threads are not told */
        return isnan(value) || value >= 1 - rounding;
    if (!am_is_sane(expected))
        return isnan(value); /* a time of zero: no such rate is known */
    return fabs(value - expected) <= rounding * fabs(expected) + slack;
}

static enum am_status judge_values(const struct am_judge *j, const struct am_bench *bench,
                                   const struct am_work *work, const struct am_sample *x,
                                   size_t n_values, struct am_err *err)
{
    const size_t own = am_metric_count(bench->metrics) - bench->metrics_added;
    struct am_sample expected = *x;

    am_bench_derive(bench->metrics, work, &j->clock, &expected);
    for (size_t i = 0; i < n_values; i++) {
        const char *const name = i < own ? bench->metrics[i].name : "a count";

        if (!isnan(x->values[i]) && (!am_is_sane(x->values[i]) || (i >= own && x->values[i] < 0)))
            return am_fail(err, AM_E_PROTOCOL, "%s of %g: no result can be that", name,
                           x->values[i]);
        if (i < own && !follows(&bench->metrics[i], x->values[i], expected.values[i],
                                (double)x->elapsed_ns * 1e-9))
            return am_fail(err, AM_E_PROTOCOL,
                           "%s of %g does not follow from work and time: %g does", name,
                           x->values[i], expected.values[i]);
    }
    return AM_OK;
}

enum am_status am_judge_sample(const struct am_judge *judge, const struct am_bench *bench,
                               const struct am_work *work, const struct am_sample *sample,
                               size_t n_values, struct am_err *err)
{
    enum am_status s = judge_time(judge, bench, sample, err);

    if (s == AM_OK)
        s = judge_counters(judge, bench, sample, err);
    if (s == AM_OK)
        s = judge_labels(judge, sample, err);
    return s == AM_OK ? judge_values(judge, bench, work, sample, n_values, err) : s;
}
