/* SPDX-License-Identifier: MIT */
/* Energy of a window: scripted power profiles with closed-form integrals, and counters that wrap,
 * jump, stand still or begin anew. None may yield a wrong number silently. */
#include "meter/window.h"
#include "tap.h"

enum { READINGS_MAX = 20001 };

static const uint64_t second = 1000000000u, ms = 1000000u;

/* Power at t seconds, and its integral from 0. */
struct profile {
    const char *name;
    double (*power)(double t);
    double (*energy)(double t);
};

static double constant_power(double t)
{
    (void)t;
    return 42;
}

static double constant_energy(double t)
{
    return 42 * t;
}

static double step_power(double t)
{
    return t < 1.0005 ? 20 : 120;
}

static double step_energy(double t)
{
    return t < 1.0005 ? 20 * t : 20 * 1.0005 + 120 * (t - 1.0005);
}

static double ramp_power(double t)
{
    return 10 + 30 * t;
}

static double ramp_energy(double t)
{
    return 10 * t + 15 * t * t;
}

static const struct profile profiles[] = {
    {"constant", constant_power, constant_energy},
    {"step", step_power, step_energy},
    {"ramp", ramp_power, ramp_energy},
};

/* Readings every `every` from time 0, each lasting `latency`, with some jitter. */
struct script {
    struct am_reading items[READINGS_MAX];
    struct am_readings list;
};

/* When a script reads, in seconds. */
struct rhythm {
    double from, to, every, latency;
};

static void play(struct script *s, const struct am_meter *m, const struct profile *p,
                 struct rhythm at, double first_joules)
{
    const double base_s = 1000; /* monotonic clocks do not begin at 0 */
    size_t n = 0;

    for (double t = at.from; t <= at.to && n < READINGS_MAX; t += at.every, n++) {
        const double jitter = at.every * 0.2 * (double)(n % 3) / 3;
        const double middle = t + jitter;
        struct am_reading *const r = &s->items[n];

        r->t0_ns = (uint64_t)((base_s + middle - at.latency / 2) * 1e9);
        r->t1_ns = (uint64_t)((base_s + middle + at.latency / 2) * 1e9);
        r->watts = p->power(middle);
        r->ticks =
            m->quantum_j > 0 ? (uint64_t)((first_joules + p->energy(middle)) / m->quantum_j) : 0;
        if (m->range_ticks)
            r->ticks %= m->range_ticks;
    }
    s->list = (struct am_readings){s->items, n};
}

static struct am_energy window(const struct am_meter *m, const struct script *s, double t0,
                               double t1)
{
    const double base = 1000;
    struct am_energy e;

    am_meter_window(m, &s->list, (uint64_t)((base + t0) * 1e9), (uint64_t)((base + t1) * 1e9), &e);
    return e;
}

static const struct am_meter counter = {.kind = AM_METER_COUNTER,
                                        .quantum_j = 61e-6,
                                        .range_ticks = (uint64_t)1 << 32,
                                        .period_ns = 1000000,
                                        .power_max_w = 400};
static const struct am_meter sampled = {.kind = AM_METER_POWER, .power_max_w = 400};

static void test_profiles(struct script *s)
{
    for (size_t i = 0; i < sizeof(profiles) / sizeof(*profiles); i++) {
        const struct profile *const p = &profiles[i];
        const double want = p->energy(2.5) - p->energy(0.25);
        struct am_energy e;

        play(s, &counter, p, (struct rhythm){0, 3, 2e-3, 2e-6}, 0);
        e = window(&counter, s, 0.25, 2.5);
        ok(e.valid && fabs(e.joules - want) <= 1e-3 * want, "%s: a counter is within 0.1 %% (%s)",
           p->name, e.reason);
        ok(fabs(e.joules - want) <= e.uncertainty_j, "%s: and within what it says of itself",
           p->name);
        play(s, &sampled, p, (struct rhythm){0, 3, 2e-3, 300e-6}, 0);
        e = window(&sampled, s, 0.25, 2.5);
        ok(e.valid && fabs(e.joules - want) <= 1e-3 * want,
           "%s: sampled power with 300 us a reading is within 0.1 %% (%s)", p->name, e.reason);
        ok(fabs(e.joules - want) <= e.uncertainty_j + 1e-9 * want,
           "%s: and within what it says of itself", p->name);
        ok(fabs(e.watts - want / 2.25) <= 1e-3 * want, "%s: mean power", p->name);
    }
}

/* Adjacent windows add up to the whole one, whichever way they are cut. */
static void test_sums(struct script *s)
{
    static const struct am_meter *const meters[] = {&counter, &sampled};

    for (size_t k = 0; k < 2; k++) {
        bool sums = true, negative = false;

        play(s, meters[k], &profiles[2], (struct rhythm){0, 3, 7e-3, 10e-6}, 0);
        for (double cut = 0.4; cut < 2.4; cut += 0.0731) {
            const struct am_energy whole = window(meters[k], s, 0.3, 2.5),
                                   left = window(meters[k], s, 0.3, cut),
                                   right = window(meters[k], s, cut, 2.5);

            sums = sums && fabs(left.joules + right.joules - whole.joules) < 1e-6 * whole.joules;
            negative = negative || left.joules < 0 || right.joules < 0;
        }
        ok(sums && !negative, "adjacent windows add up, and none is negative");
    }
}

static void test_wrap(struct script *s)
{
    struct am_meter m = counter;
    struct am_energy e;

    m.range_ticks = 1000000; /* 61 J */
    play(s, &m, &profiles[0], (struct rhythm){0, 3, 2e-3, 2e-6}, 50);
    e = window(&m, s, 0.1, 2.9);
    ok(e.valid && fabs(e.joules - 42 * 2.8) < 0.2, "a counter that wraps is unwrapped: %g J",
       e.joules);
    m.power_max_w = 20;
    play(s, &m, &profiles[0], (struct rhythm){0, 3, 2e-3, 2e-6}, 50);
    e = window(&m, s, 0.1, 2.9);
    ok(!e.valid && isnan(e.joules) && strstr(e.reason, "cannot be"),
       "more power than there can be is refused: %s", e.reason);
    m = counter;
    m.range_ticks = 0;
    play(s, &counter, &profiles[0], (struct rhythm){0, 3, 2e-3, 2e-6}, 0);
    s->items[700].ticks = 5;
    e = window(&m, s, 0.1, 2.9);
    ok(!e.valid && isnan(e.joules) && strstr(e.reason, "went back"),
       "a counter of unknown range that goes back is refused: %s", e.reason);
}

/* After a reset to 0 the unwrapped step would be nearly the whole range. */
static void test_reset(struct script *s)
{
    struct am_energy e;

    play(s, &counter, &profiles[0], (struct rhythm){0, 3, 2e-3, 2e-6}, 1000);
    for (size_t i = 800; i < s->list.n; i++)
        s->items[i].ticks -= s->items[800].ticks;
    s->items[800].ticks = 0;
    e = window(&counter, s, 0.1, 2.9);
    ok(!e.valid && isnan(e.joules), "a counter that was reset is refused: %s", e.reason);
    e = window(&counter, s, 0.1, 1.2);
    ok(e.valid, "what was before it is sound (%s)", e.reason);
}

static void test_double_wrap(struct script *s)
{
    struct am_meter m = counter;
    struct am_energy e;

    /* 61 J a round, 42 W: a late sampler that sleeps 4 s misses two rounds and sees 46 of 168 J,
     * which is a power like any other. */
    m.range_ticks = 1000000;
    play(s, &m, &profiles[0], (struct rhythm){0, 16, 4, 2e-6}, 0);
    e = window(&m, s, 1, 13);
    ok(!e.valid && strstr(e.reason, "readings are too far apart"),
       "readings so far apart that a wrap could hide are refused: %s", e.reason);
}

static void test_stuck(struct script *s)
{
    struct am_meter unknown = counter;
    struct am_energy e;
    uint64_t lost;

    play(s, &counter, &profiles[0], (struct rhythm){0, 3, 2e-3, 2e-6}, 1000);
    for (size_t i = 0; i < s->list.n; i++)
        s->items[i].ticks = 77;
    e = window(&counter, s, 0.1, 2.9);
    ok(!e.valid && strstr(e.reason, "stood still"), "a counter that stands still is refused: %s",
       e.reason);
    play(s, &counter, &profiles[0], (struct rhythm){0, 3, 2e-3, 2e-6}, 1000);
    lost = s->items[1000].ticks - s->items[900].ticks;
    for (size_t i = 900; i < 1000; i++)
        s->items[i].ticks = s->items[900].ticks;
    for (size_t i = 1000; i < s->list.n; i++)
        s->items[i].ticks -= lost; /* it goes on where it stood: no power is too high */
    e = window(&counter, s, 0.1, 2.9);
    ok(!e.valid && isnan(e.joules) && strstr(e.reason, "stood still"),
       "one that stood still for a part of the window is refused too: %s", e.reason);
    e = window(&counter, s, 0.1, 1.7);
    ok(e.valid, "a window before that is sound (%s)", e.reason);
    unknown.period_ns = 0;
    for (size_t i = 0; i < s->list.n; i++)
        s->items[i].ticks = 77;
    e = window(&unknown, s, 0.1, 0.2);
    ok(!e.valid && strstr(e.reason, "stood still"),
       "where the period is not known, no movement is no number: %s", e.reason);
}

static void test_edges(struct script *s)
{
    struct am_meter slow = sampled;
    struct am_energy e;

    play(s, &counter, &profiles[0], (struct rhythm){0.5, 3, 2e-3, 2e-6}, 0);
    e = window(&counter, s, 0.1, 2);
    ok(!e.valid && strstr(e.reason, "both sides"), "no reading before the window: %s", e.reason);
    e = window(&counter, s, 1, 9);
    ok(!e.valid && strstr(e.reason, "both sides"), "no reading after it: %s", e.reason);
    e = window(&counter, s, 1, 1.02);
    ok(!e.valid && strstr(e.reason, "shorter"), "a window too short for the meter: %s", e.reason);
    e = window(&counter, s, 1, 1);
    ok(!e.valid, "a window without length: %s", e.reason);
    slow.averaging_ns = second;
    e = window(&slow, s, 1, 2);
    ok(!e.valid && am_meter_shortest_ns(&slow) == 50 * second,
       "averaged power needs a window far longer than its average");
    play(s, &sampled, &profiles[0], (struct rhythm){0, 3, 2e-3, 2e-6}, 0);
    s->items[300].watts = NAN;
    e = window(&sampled, s, 0.1, 2.9);
    ok(!e.valid, "a reading that is no number spoils its window: %s", e.reason);
    s->items[300].watts = 9000;
    e = window(&sampled, s, 0.1, 2.9);
    ok(!e.valid, "so does one above all power there can be: %s", e.reason);
}

/* Power that a program prints every 0.2 s: nobody says how often it changes, and two readings with
 * equal values show nothing of what was between them. */
static void test_blind(struct script *s)
{
    struct am_meter command = sampled;
    struct am_energy e;

    command.period_ns = command.averaging_ns = 0;
    command.interval_ns = 200 * ms;
    play(s, &command, &profiles[0], (struct rhythm){0, 6, 0.2, 2e-6}, 0);
    e = window(&command, s, 1.05, 1.06);
    ok(!e.valid && isnan(e.joules) && strstr(e.reason, "shorter than 10 readings"),
       "10 ms between two readings are no number: %s", e.reason);
    e = window(&command, s, 1, 4);
    ok(e.valid && fabs(e.joules - 126) < 1e-6, "three seconds are one (%s)", e.reason);
    for (size_t i = 0; i < s->list.n; i++)
        s->items[i].watts = i % 2 ? 90 : 10;
    e = window(&command, s, 1, 4);
    ok(e.valid && e.uncertainty_j > 100, "power that jumps is as uncertain as it is: %g +- %g J",
       e.joules, e.uncertainty_j);
    play(s, &command, &profiles[0], (struct rhythm){0, 6, 1, 2e-6}, 0);
    e = window(&command, s, 1.5, 4.5);
    ok(!e.valid && strstr(e.reason, "too few"), "a program that takes a second gives too few: %s",
       e.reason);
}

static void test_gap(struct script *s)
{
    struct am_energy e;

    play(s, &counter, &profiles[1], (struct rhythm){0, 3, 2e-3, 2e-6}, 0);
    /* A late sampler: nothing between 0.5 s and 2 s, while the power steps. */
    for (size_t i = 1000; i < s->list.n; i++)
        s->items[i - 750] = s->items[i];
    s->list.n -= 750;
    e = window(&counter, s, 0.2, 1.5);
    ok(e.valid && e.gap_ns > second, "a long gap is told");
    ok(fabs(e.joules - (step_energy(1.5) - step_energy(0.2))) <= e.uncertainty_j,
       "and makes the result as uncertain as it is: %g +- %g J", e.joules, e.uncertainty_j);
}

static void test_period(struct script *s)
{
    struct script *const t = s;

    for (size_t i = 0; i < 400; i++)
        t->items[i] = (struct am_reading){.t0_ns = i * ms / 4, .ticks = i / 8};
    t->list = (struct am_readings){t->items, 400};
    ok(am_meter_period(&counter, &t->list) == 2 * ms, "the update period is found");
    for (size_t i = 0; i < 400; i++)
        t->items[i].ticks = 3;
    ok(am_meter_period(&counter, &t->list) == 0, "where there is one");
}

static void test_mirrors(void)
{
    struct am_reading a[40], b[40];
    const struct am_readings x = {a, 40}, y = {b, 40};

    for (size_t i = 0; i < 40; i++)
        a[i].ticks = b[i].ticks = 5000 + i * 30;
    b[7].ticks++; /* read a moment later */
    ok(am_meter_mirrors(&counter, &x, &y), "one counter under two names is found");
    for (size_t i = 0; i < 40; i++)
        a[i].ticks = b[i].ticks = 5000 + i * 9000; /* 0.55 J from one reading to the next */
    b[7].ticks += 9000;
    ok(am_meter_mirrors(&counter, &x, &y), "also where it is updated between the two reads");
    for (size_t i = 0; i < 40; i++)
        b[i].ticks = a[i].ticks + 30000;
    ok(!am_meter_mirrors(&counter, &x, &y), "one that runs three steps ahead is another");
    for (size_t i = 0; i < 40; i++)
        a[i].ticks = b[i].ticks = 5000 + i * 30;
    for (size_t i = 0; i < 40; i++)
        b[i].ticks += 90000 + i;
    ok(!am_meter_mirrors(&counter, &x, &y), "two counters are two");
    for (size_t i = 0; i < 40; i++)
        a[i].ticks = b[i].ticks = 9;
    ok(!am_meter_mirrors(&counter, &x, &y), "what does not move proves nothing");
}

int main(void)
{
    static struct script s;

    test_profiles(&s);
    test_sums(&s);
    test_wrap(&s);
    test_reset(&s);
    test_double_wrap(&s);
    test_stuck(&s);
    test_edges(&s);
    test_blind(&s);
    test_gap(&s);
    test_period(&s);
    test_mirrors();
    return tap_done();
}
