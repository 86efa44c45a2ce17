/* SPDX-License-Identifier: MIT */
/* The thread that reads the meters, and the look at them before: windows, a meter that breaks,
 * readings that were forgotten, two dies with one counter. Numbers are checked in a scripted time;
 * of the threads only what holds whenever they get to run. */
#include "base/clock.h"
#include "meter/meter.h"
#include "meter/sampler.h"
#include "scripted_time.h"
#include "tap.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

enum { METERS = 4, MS = 1000000 };

/* 50 W since `start_ns`, in microjoules, by the time of the set that it is in. */
struct steady {
    const struct am_meters *meters;
    uint64_t start_ns;
    bool broken;
};

static enum am_status read_steady(void *self, struct am_reading *out, struct am_err *err)
{
    const struct steady *const s = self;

    if (s->broken)
        return am_fail(err, AM_E_ABSENT, "it fell off");
    out->t0_ns = out->t1_ns = am_meters_now(s->meters);
    out->ticks = (out->t0_ns - s->start_ns) / 20; /* 50 nJ per ns */
    out->watts = 50;
    return AM_OK;
}

/* Two counters, one of them loose, sampled power that is slow to read, and a meter that is not
 * usable. */
static void add_meters(struct am_meters *meters, struct steady *steady, struct steady *loose)
{
    for (int i = 0; i < METERS; i++)
        *am_meters_add(meters, "test") =
            (struct am_meter){.provider = "test",
                              .id = "x",
                              .kind = i == 1 ? AM_METER_POWER : AM_METER_COUNTER,
                              .parent = -1,
                              .same_as = -1,
                              .quantum_j = 1e-6,
                              .period_ns = 1000,
                              .slow = i == 1,
                              .interval_ns = 2 * MS,
                              .read = read_steady,
                              .self = i == 2 ? loose : steady};
    meters->items[3].why_not = "not here";
    *steady = *loose = (struct steady){.meters = meters, .start_ns = am_meters_now(meters)};
}

static void check_windows(const struct am_meters *meters, struct am_meter_sampler *s)
{
    struct am_energy e[METERS];
    uint64_t t0 = am_meters_now(meters), t1;

    am_meter_sampler_rest(s, 40 * MS);
    t1 = am_meters_now(meters);
    am_meter_sampler_window(s, t0, t1, e);
    ok(e[0].valid && fabs(e[0].watts - 50) < 0.01, "a counter over a window: %g W (%s)", e[0].watts,
       e[0].reason);
    ok(e[1].valid && fabs(e[1].watts - 50) < 0.01, "sampled power: %g W (%s)", e[1].watts,
       e[1].reason);
    ok(!e[3].valid && strcmp(e[3].reason, "not here") == 0, "a meter that is not usable says why");
    am_meter_sampler_forget(s, t1);
    am_meter_sampler_window(s, t0, t1, e);
    ok(!e[0].valid, "what was forgotten is gone, not guessed: %s", e[0].reason);
    t0 = am_meters_now(meters);
    am_meter_sampler_rest(s, 10 * MS);
    t1 = am_meters_now(meters);
    am_meter_sampler_touch(s);
    am_meter_sampler_window(s, t0, t1, e);
    ok(e[0].valid && e[2].valid, "and later windows are sound (%s)", e[0].reason);
}

static void test_sampler(void)
{
    struct scripted_time time;
    struct am_meters meters = {.time = &time.time};
    struct steady steady, loose;
    struct am_energy e[METERS];
    struct am_meter_sampler *s = NULL;
    struct am_meter_cost cost;
    struct am_err err = {0};
    uint64_t t0;

    scripted_time_init(&time);
    add_meters(&meters, &steady, &loose);
    ok(am_meter_sampler_start(&meters, 0, &s, &err) == AM_OK, "the sampler starts (%s)", err.text);
    check_windows(&meters, s);
    cost = am_meter_sampler_cost(s);
    /* 50 ms at one reading per 2 ms and meter; more at the ends of windows. */
    ok(cost.readings >= 75 && cost.readings < 100 && cost.failures == 0,
       "every meter is read when it is due: %u readings", (unsigned)cost.readings);
    am_meter_sampler_stop(s);
    loose.broken = true;
    ok(am_meter_sampler_start(&meters, -1, &s, &err) == AM_OK,
       "a meter that fails does not stop it");
    t0 = am_meters_now(&meters);
    am_meter_sampler_rest(s, 10 * MS);
    am_meter_sampler_window(s, t0, am_meters_now(&meters), e);
    ok(e[0].valid && !e[2].valid && strstr(e[2].reason, "fell off"), "its windows say so: %s",
       e[2].reason);
    am_meter_sampler_stop(s);
}

/* The real clock: the threads read by themselves, each lane its own meters. */
static void test_threads(void)
{
    struct am_meters meters = {0};
    struct steady steady, loose;
    struct am_energy e[METERS];
    struct am_meter_sampler *s = NULL;
    struct am_meter_cost cost;
    struct am_err err = {0};
    uint64_t t0;

    add_meters(&meters, &steady, &loose);
    if (!ok(am_meter_sampler_start(&meters, 0, &s, &err) == AM_OK, "threads start (%s)", err.text))
        return;
    t0 = am_now_ns();
    do {
        (void)sched_yield();
        cost = am_meter_sampler_cost(s);
    } while (cost.readings < 20 || am_now_ns() - t0 < MS);
    ok(cost.failures == 0 && cost.cpu_s > 0 && cost.wall_s > 0, "sampling states its own cost");
    am_meter_sampler_touch(s);
    am_meter_sampler_window(s, t0, am_now_ns(), e);
    ok(e[0].valid && fabs(e[0].watts - 50) < 0.5 && e[1].valid && fabs(e[1].watts - 50) < 0.5,
       "their readings give windows: %g W, %g W (%s%s)", e[0].watts, e[1].watts, e[0].reason,
       e[1].reason);
    am_meter_sampler_stop(s);
}

/* A board with one mailbox: a request names the device, the answer comes a moment later and is that
 * of whoever asked last. */
struct mailbox {
    _Atomic int asked;
};

struct device {
    struct mailbox *box;
    int number;
};

static enum am_status ask_device(void *self, struct am_reading *out, struct am_err *err)
{
    const struct device *const d = self;

    (void)err;
    out->t0_ns = am_now_ns();
    d->box->asked = d->number;
    (void)nanosleep(&(struct timespec){.tv_nsec = MS / 5}, NULL);
    out->watts = d->box->asked == 0 ? 1 : 3;
    out->t1_ns = am_now_ns();
    return AM_OK;
}

/* Both devices are slow, and each would have a thread of its own. */
static void test_mailbox(void)
{
    struct am_meters meters = {0};
    struct mailbox box = {0};
    struct device devices[2] = {{&box, 0}, {&box, 1}};
    struct am_meter_sampler *s = NULL;
    struct am_energy e[2];
    struct am_err err = {0};
    uint64_t t0;

    for (int i = 0; i < 2; i++)
        *am_meters_add(&meters, "test") = (struct am_meter){.provider = "test",
                                                            .id = i ? "core" : "l2",
                                                            .kind = AM_METER_POWER,
                                                            .parent = -1,
                                                            .same_as = -1,
                                                            .period_ns = 1000,
                                                            .interval_ns = MS / 10,
                                                            .slow = true,
                                                            .mailbox = &box,
                                                            .read = ask_device,
                                                            .self = &devices[i]};
    if (!ok(am_meter_sampler_start(&meters, -1, &s, &err) == AM_OK, "a mailbox (%s)", err.text))
        return;
    t0 = am_now_ns();
    while (am_meter_sampler_cost(s).readings < 100)
        (void)sched_yield();
    am_meter_sampler_touch(s);
    am_meter_sampler_window(s, t0, am_now_ns(), e);
    ok(e[0].valid && fabs(e[0].watts - 1) < 1e-9 && e[1].valid && fabs(e[1].watts - 3) < 1e-9,
       "each device of one mailbox gets its own answers: %g W and %g W", e[0].watts, e[1].watts);
    am_meter_sampler_stop(s);
}

/* Two dies that show one counter. */
static void test_mirrored_dies(void)
{
    struct scripted_time time;
    struct am_meters meters = {.time = &time.time};
    struct steady one = {.meters = &meters}, other = {.meters = &meters};

    scripted_time_init(&time);
    one.start_ns = time.now_ns;
    other.start_ns = time.now_ns - 777777777;
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
    const struct steady *const s = self;

    (void)err;
    out->t0_ns = out->t1_ns = am_meters_now(s->meters);
    out->ticks = out->t0_ns / 20000000;
    return AM_OK;
}

static void test_period(void)
{
    struct scripted_time time;
    struct am_meters meters = {.time = &time.time};
    struct steady steady = {.meters = &meters};
    struct am_meter_sampler *s = NULL;
    struct am_err err = {0};
    uint64_t period;

    scripted_time_init(&time);
    steady.start_ns = time.now_ns;
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
    am_meter_sampler_rest(s, 300 * MS);
    period = am_meter_sampler_period(s, 0);
    ok(period == 20 * MS, "a slow meter's period is seen: %g ms", (double)period * 1e-6);
    ok(am_meter_sampler_period(s, 1) == 0, "one shorter than the interval is not");
    am_meter_sampler_stop(s);
}

int main(void)
{
    test_sampler();
    test_threads();
    test_mailbox();
    test_mirrored_dies();
    test_period();
    return tap_done();
}
