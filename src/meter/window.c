/* SPDX-License-Identifier: MIT */
/* From readings to the energy of a window of time. */
#include "meter/window.h"

#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { PERIODS_MIN = 50, SAMPLES_MIN = 10, PERIODS_KEPT = 256, MIRROR_CHANGES_MIN = 4 };

/* Two packages were switched on together but never stay this close: their counts drift apart by
 * joules within seconds. */
static const double mirror_slack_j = 0.1;

static double middle_s(const struct am_reading *r)
{
    return ((double)r->t0_ns + (double)(r->t1_ns - r->t0_ns) / 2) * 1e-9;
}

__attribute__((format(printf, 2, 3))) static void refuse(struct am_energy *out, const char *fmt,
                                                         ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(out->reason, sizeof(out->reason), fmt, ap);
    va_end(ap);
    out->valid = false;
    out->joules = out->watts = out->uncertainty_j = NAN;
}

/* The last reading at or before t0 and the first at or after t1, by their middles. */
static bool enclose(const struct am_readings *r, double t0, double t1, size_t *first, size_t *last)
{
    size_t lo = 0, hi;

    if (r->n < 2 || middle_s(&r->items[0]) > t0)
        return false;
    while (lo + 1 < r->n && middle_s(&r->items[lo + 1]) <= t0)
        lo++;
    hi = lo + 1;
    while (hi < r->n && middle_s(&r->items[hi]) < t1)
        hi++;
    *first = lo;
    *last = hi;
    return hi < r->n;
}

/* ---- counters ---- */

/* Ticks gained between two readings; false when that cannot be told. */
static bool gained(const struct am_meter *m, const struct am_reading *a, const struct am_reading *b,
                   uint64_t *ticks)
{
    if (b->ticks >= a->ticks) {
        *ticks = b->ticks - a->ticks;
        return true;
    }
    if (m->range_ticks == 0 || a->ticks > m->range_ticks)
        return false;
    *ticks = m->range_ticks - a->ticks + b->ticks;
    return true;
}

/* One step between neighbouring readings, with the part of it that lies in the window. */
struct step {
    double seconds, joules; /* of the whole step */
    double part;            /* of it inside the window, 0..1 */
};

static bool counter_step(const struct am_meter *m, const struct am_reading *a,
                         const struct am_reading *b, double t0, double t1, struct step *step,
                         struct am_energy *out)
{
    const double from = middle_s(a), to = middle_s(b);
    uint64_t ticks;

    if (!gained(m, a, b, &ticks)) {
        refuse(out, "the counter went back from %llu to %llu%s", (unsigned long long)a->ticks,
               (unsigned long long)b->ticks,
               m->range_ticks ? " beyond its range" : ", and its range is not known");
        return false;
    }
    *step = (struct step){.seconds = to - from, .joules = (double)ticks * m->quantum_j};
    if (!(step->seconds > 0)) {
        refuse(out, "two readings at one time");
        return false;
    }
    if (m->range_ticks && m->power_max_w * step->seconds >= (double)m->range_ticks * m->quantum_j) {
        refuse(out, "readings are too far apart (%.3g s): a wrap could hide between them",
               step->seconds);
        return false;
    }
    /* A tick more than the power allows is the counter's own coarseness. */
    if (m->power_max_w > 0 &&
        step->joules >
            m->power_max_w * (step->seconds + (double)m->period_ns * 1e-9) + m->quantum_j) {
        refuse(out,
               "%.3g W between two readings cannot be (limit %.3g W): reset, or more than one wrap",
               step->joules / step->seconds, m->power_max_w);
        return false;
    }
    step->part = (fmin(to, t1) - fmax(from, t0)) / step->seconds;
    return true;
}

/* A part that draws nothing cannot be told from a counter that is stuck: neither is a number. A
 * counter whose period is not known must have moved at all. */
static bool stood_still(const struct am_meter *m, double longest_s, double window_s)
{
    const double bound = m->period_ns ? (double)am_meter_shortest_ns(m) * 1e-9 : window_s;

    return longest_s >= bound * (1 - 1e-9); /* the sum of parts rounds */
}

static void counter_window(const struct am_meter *m, const struct am_readings *r, size_t first,
                           size_t last, double t0, double t1, struct am_energy *out)
{
    double joules = 0, edges = 0, still = 0, longest = 0;
    const double seconds = t1 - t0;

    for (size_t i = first; i < last; i++) {
        struct step step;

        if (!counter_step(m, &r->items[i], &r->items[i + 1], t0, t1, &step, out))
            return;
        still = r->items[i].ticks != r->items[i + 1].ticks ? 0 : still + step.seconds * step.part;
        longest = fmax(longest, still);
        joules += step.joules * step.part;
        /* How a step's energy lies inside it is not known: at worst all on one side of the edge. */
        edges += step.joules * fmin(step.part, 1 - step.part);
    }
    if (stood_still(m, longest, seconds)) {
        refuse(out, "the counter stood still for %.3g s", longest);
        return;
    }
    out->joules = joules;
    out->watts = joules / seconds;
    out->uncertainty_j = m->quantum_j + edges + out->watts * (double)m->period_ns * 1e-9;
}

/* ---- sampled power ---- */

static double interpolate(const struct am_reading *a, const struct am_reading *b, double t)
{
    const double from = middle_s(a), to = middle_s(b);

    return a->watts + (b->watts - a->watts) * (t - from) / (to - from);
}

static bool power_is_sound(const struct am_meter *m, const struct am_reading *r,
                           struct am_energy *out)
{
    if (isfinite(r->watts) && r->watts >= 0 && (m->power_max_w <= 0 || r->watts <= m->power_max_w))
        return true;
    refuse(out, "a reading of %.3g W cannot be", r->watts);
    return false;
}

static void power_window(const struct am_meter *m, const struct am_readings *r, size_t first,
                         size_t last, double t0, double t1, struct am_energy *out)
{
    double joules = 0, spread = 0;

    for (size_t i = first; i < last; i++) {
        const struct am_reading *const a = &r->items[i], *const b = &r->items[i + 1];
        const double from = fmax(middle_s(a), t0), to = fmin(middle_s(b), t1);
        double pa, pb;

        if (!power_is_sound(m, a, out) || !power_is_sound(m, b, out))
            return;
        if (!(middle_s(b) > middle_s(a))) {
            refuse(out, "two readings at one time");
            return;
        }
        pa = interpolate(a, b, from);
        pb = interpolate(a, b, to);
        joules += (pa + pb) / 2 * (to - from);
        spread += fabs(pb - pa) / 2 * (to - from); /* between the lower and the upper sum */
    }
    out->joules = joules;
    out->watts = joules / (t1 - t0);
    out->uncertainty_j = spread + out->watts * (double)m->averaging_ns * 1e-9;
}

/* ---- both ---- */

/* Power of which nobody says how often it changes: only the readings themselves tell anything. */
static bool is_sampled_blindly(const struct am_meter *m)
{
    return m->kind == AM_METER_POWER && m->period_ns == 0 && m->averaging_ns == 0;
}

uint64_t am_meter_interval_ns(const struct am_meter *m)
{
    static const uint64_t usual_ns = 10 * UINT64_C(1000000);

    return m->interval_ns ? m->interval_ns : usual_ns;
}

uint64_t am_meter_shortest_ns(const struct am_meter *m)
{
    const uint64_t slow = m->period_ns > m->averaging_ns ? m->period_ns : m->averaging_ns;

    return is_sampled_blindly(m) ? am_meter_interval_ns(m) * SAMPLES_MIN : slow * PERIODS_MIN;
}

static uint64_t longest_gap(const struct am_readings *r, size_t first, size_t last)
{
    uint64_t gap = 0;

    for (size_t i = first; i < last; i++) {
        const uint64_t d = r->items[i + 1].t0_ns - r->items[i].t0_ns;

        gap = d > gap ? d : gap;
    }
    return gap;
}

void am_meter_window(const struct am_meter *m, const struct am_readings *readings, uint64_t t0_ns,
                     uint64_t t1_ns, struct am_energy *out)
{
    const double t0 = (double)t0_ns * 1e-9, t1 = (double)t1_ns * 1e-9;
    size_t first, last;

    *out = (struct am_energy){.valid = true};
    if (t1_ns <= t0_ns) {
        refuse(out, "the window has no length");
        return;
    }
    if (t1_ns - t0_ns < am_meter_shortest_ns(m)) {
        refuse(out, "%.3g s is shorter than %d %s (%.3g s)", t1 - t0,
               is_sampled_blindly(m) ? SAMPLES_MIN : PERIODS_MIN,
               is_sampled_blindly(m) ? "readings" : "update periods",
               (double)am_meter_shortest_ns(m) * 1e-9);
        return;
    }
    if (!enclose(readings, t0, t1, &first, &last)) {
        refuse(out, "no readings on both sides of the window");
        return;
    }
    out->readings = last - first + 1;
    out->gap_ns = longest_gap(readings, first, last);
    /* A program that takes longer than the interval between its readings gives fewer of them. */
    if (is_sampled_blindly(m) && out->readings < SAMPLES_MIN) {
        refuse(out, "%zu readings are too few for %.3g s of power (%d at least)", out->readings,
               t1 - t0, SAMPLES_MIN);
        return;
    }
    if (m->kind == AM_METER_COUNTER)
        counter_window(m, readings, first, last, t0, t1, out);
    else
        power_window(m, readings, first, last, t0, t1, out);
}

static bool same_value(const struct am_meter *m, const struct am_reading *a,
                       const struct am_reading *b)
{
    if (m->kind == AM_METER_COUNTER)
        return a->ticks == b->ticks;
    return !(a->watts < b->watts) && !(a->watts > b->watts);
}

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

uint64_t am_meter_period(const struct am_meter *m, const struct am_readings *r)
{
    uint64_t distance[PERIODS_KEPT], latest = 0;
    size_t n = 0;

    for (size_t i = 1; i < r->n && n < PERIODS_KEPT; i++) {
        if (same_value(m, &r->items[i - 1], &r->items[i]))
            continue;
        if (latest)
            distance[n++] = r->items[i].t0_ns - latest;
        latest = r->items[i].t0_ns;
    }
    if (n < 2)
        return 0;
    qsort(distance, n, sizeof(*distance), by_size);
    return distance[n / 2];
}

/* The two are read one after the other, and the counter may be updated between: at 300 W and a
 * millisecond that is 0.3 J. So the other's value must lie between the neighbours of this one's. */
bool am_meter_mirrors(const struct am_meter *m, const struct am_readings *a,
                      const struct am_readings *b)
{
    size_t changes = 0;

    if (a->n != b->n)
        return false;
    for (size_t i = 1; i + 1 < a->n; i++) {
        const double before = (double)a->items[i - 1].ticks * m->quantum_j;
        const double after = (double)a->items[i + 1].ticks * m->quantum_j;
        const double other = (double)b->items[i].ticks * m->quantum_j;

        if (after < before)
            continue; /* it wraps here: that tells nothing */
        if (other < before - mirror_slack_j || other > after + mirror_slack_j)
            return false;
        changes += a->items[i].ticks != a->items[i - 1].ticks &&
                   b->items[i].ticks != b->items[i - 1].ticks;
    }
    return changes >= MIRROR_CHANGES_MIN;
}
