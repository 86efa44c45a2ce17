/* SPDX-License-Identifier: MIT */
/* The thread that reads the meters, and the look at them before: windows on a real clock, a meter
 * that breaks, readings that were forgotten, two dies with one counter. */
#include "base/clock.h"
#include "meter/meter.h"
#include "meter/sampler.h"
#include "tap.h"

#include <time.h>

/* 50 W since `start_ns`, in microjoules. */
struct steady {
    uint64_t start_ns;
    bool broken;
};

static enum am_status read_steady(void *self, struct am_reading *out, struct am_err *err)
{
    const struct steady *const s = self;

    if (s->broken)
        return am_fail(err, AM_E_ABSENT, "it fell off");
    out->t0_ns = out->t1_ns = am_now_ns();
    out->ticks = (out->t0_ns - s->start_ns) / 20; /* 50 nJ a ns */
    out->watts = 50;
    return AM_OK;
}

static void rest(long n_ms)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = n_ms * 1000000}, NULL);
}

static void test_sampler(void)
{
    struct steady steady = {.start_ns = am_now_ns()}, loose = steady;
    struct am_meters meters = {0};
    struct am_energy e[4];
    struct am_meter_sampler *s = NULL;
    struct am_meter_cost cost;
    struct am_err err = {0};
    uint64_t t0, t1;

    for (int i = 0; i < 4; i++) {
        struct am_meter *const m = am_meters_add(&meters, "test");

        *m = (struct am_meter){.provider = "test",
                               .id = "x",
                               .kind = i == 1 ? AM_METER_POWER : AM_METER_COUNTER,
                               .parent = -1,
                               .same_as = -1,
                               .quantum_j = 1e-6,
                               .period_ns = 1000,
                               .slow = i == 1,
                               .interval_ns = 2000000,
                               .read = read_steady,
                               .self = i == 2 ? &loose : &steady};
    }
    meters.items[3].why_not = "not here";
    ok(am_meter_sampler_start(&meters, 0, &s, &err) == AM_OK, "the sampler starts (%s)", err.text);
    t0 = am_now_ns();
    rest(40);
    t1 = am_now_ns();
    am_meter_sampler_window(s, t0, t1, e);
    ok(e[0].valid && fabs(e[0].watts - 50) < 0.5, "a counter over a real window: %g W (%s)",
       e[0].watts, e[0].reason);
    ok(e[1].valid && fabs(e[1].watts - 50) < 0.5, "sampled power in its own thread: %g W (%s)",
       e[1].watts, e[1].reason);
    ok(!e[3].valid && strcmp(e[3].reason, "not here") == 0, "a meter that is not usable says why");
    am_meter_sampler_forget(s, t1);
    am_meter_sampler_window(s, t0, t1, e);
    ok(!e[0].valid, "what was forgotten is gone, not guessed: %s", e[0].reason);
    t0 = am_now_ns();
    rest(10);
    t1 = am_now_ns();
    am_meter_sampler_touch(s);
    am_meter_sampler_window(s, t0, t1, e);
    ok(e[0].valid && e[2].valid, "and later windows are sound (%s)", e[0].reason);
    cost = am_meter_sampler_cost(s);
    ok(cost.readings > 20 && cost.failures == 0 && cost.cpu_s > 0 && cost.wall_s > cost.cpu_s,
       "sampling states its own cost");
    am_meter_sampler_stop(s);
    loose.broken = true;
    ok(am_meter_sampler_start(&meters, -1, &s, &err) == AM_OK,
       "a meter that fails does not stop it");
    t0 = am_now_ns();
    rest(10);
    am_meter_sampler_window(s, t0, am_now_ns(), e);
    ok(e[0].valid && !e[2].valid && strstr(e[2].reason, "fell off"), "its windows say so: %s",
       e[2].reason);
    am_meter_sampler_stop(s);
}

/* Two dies that show one counter. */
static void test_mirrored_dies(void)
{
    struct steady one = {.start_ns = am_now_ns()}, other = {.start_ns = one.start_ns - 777777777};
    struct am_meters meters = {0};

    for (int i = 0; i < 3; i++)
        *am_meters_add(&meters, "test") = (struct am_meter){.provider = "test",
                                                            .id = "die",
                                                            .scope = AM_SCOPE_PACKAGE,
                                                            .parent = -1,
                                                            .same_as = -1,
                                                            .quantum_j = 1e-6,
                                                            .read = read_steady,
                                                            .self = i == 2 ? &other : &one};
    am_meters_probe(&meters);
    ok(meters.items[1].same_as == 0 && !am_meter_counts(&meters.items[1]),
       "a mirrored counter is found and does not count");
    ok(meters.items[2].same_as == -1 && meters.items[0].same_as == -1, "the others stay");
    ok(meters.items[0].period_ns > 0, "the update period was measured");
}

/* A counter that changes every 20 ms, read every 2 ms. */
static enum am_status read_slowly(void *self, struct am_reading *out, struct am_err *err)
{
    (void)self, (void)err;
    out->t0_ns = out->t1_ns = am_now_ns();
    out->ticks = out->t0_ns / 20000000;
    return AM_OK;
}

static void test_period(void)
{
    struct steady steady = {.start_ns = am_now_ns()};
    struct am_meters meters = {0};
    struct am_meter_sampler *s = NULL;
    struct am_err err = {0};
    uint64_t period;

    for (int i = 0; i < 2; i++)
        *am_meters_add(&meters, "test") = (struct am_meter){.provider = "test",
                                                            .id = "x",
                                                            .parent = -1,
                                                            .same_as = -1,
                                                            .quantum_j = 1,
                                                            .interval_ns = 2000000,
                                                            .read = i ? read_steady : read_slowly,
                                                            .self = &steady};
    if (!ok(am_meter_sampler_start(&meters, -1, &s, &err) == AM_OK, "a sampler (%s)", err.text))
        return;
    rest(300);
    period = am_meter_sampler_period(s, 0);
    ok(period > 10000000 && period < 60000000, "a slow meter's period is seen: %g ms",
       (double)period * 1e-6);
    ok(am_meter_sampler_period(s, 1) == 0, "one shorter than the interval is not");
    am_meter_sampler_stop(s);
}

int main(void)
{
    test_sampler();
    test_mirrored_dies();
    test_period();
    return tap_done();
}
