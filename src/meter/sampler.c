/* SPDX-License-Identifier: MIT */
/* Threads that read the meters: one for all quick ones, one for each slow one, one for slow ones
 * that share a mailbox. */
#include "meter/sampler.h"

#include "base/array.h"
#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FAILURES_MAX = 16 };

static const uint64_t patience_ns = 1000000000u; /* for a reading after a window's end */

/* What is known of one meter. */
struct track {
    const struct am_meter *meter;
    struct am_reading *readings;
    size_t n, cap;
    uint64_t due_ns;
    unsigned failures; /* in a row */
    char trouble[128]; /* of the latest failure */
};

/* One thread and the meters it reads; the lock covers the tracks and the reading itself. */
struct lane {
    const struct am_meters *meters;
    struct track *tracks[AM_METERS_MAX];
    size_t n;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake; /* by stop, and by whoever waits for a reading */
    pthread_cond_t read; /* something was read */
    bool started, stopping;
    int cpu;
    uint64_t readings, failures, started_ns;
    double helper_start_s; /* CPU time of its reading process before */
};

struct am_meter_sampler {
    const struct am_meters *meters;
    struct track tracks[AM_METERS_MAX]; /* indexed as the meters */
    struct lane lanes[AM_METERS_MAX];
    size_t n_lanes;
};

static bool make_room(struct track *t)
{
    return am_array_reserve(NULL, &t->readings, t->n, &t->cap, 1, sizeof(*t->readings));
}

/* With the lane's lock held. */
static void read_track(struct lane *l, struct track *t)
{
    struct am_reading r = {0};
    struct am_err err = {0};

    if (make_room(t) && am_meters_read(l->meters, t->meter, &r, &err) == AM_OK) {
        t->readings[t->n++] = r;
        t->failures = 0;
        l->readings++;
    } else {
        t->failures++;
        l->failures++;
        (void)am_str_copy(t->trouble, sizeof(t->trouble), err.text[0] ? err.text : "no memory");
    }
    t->due_ns = am_meters_now(l->meters) + am_meter_interval_ns(t->meter);
}

static void read_due(struct lane *l, bool all)
{
    const uint64_t now = am_meters_now(l->meters);

    for (size_t i = 0; i < l->n; i++) {
        if ((all || l->tracks[i]->due_ns <= now) && l->tracks[i]->failures < FAILURES_MAX)
            read_track(l, l->tracks[i]);
    }
    (void)pthread_cond_broadcast(&l->read);
}

static void wait_ns(struct lane *l, pthread_cond_t *condition, uint64_t ns)
{
    struct timespec until;

    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)(ns / 1000000000u);
    until.tv_nsec += (long)(ns % 1000000000u);
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    (void)pthread_cond_timedwait(condition, &l->lock, &until);
}

static uint64_t until_due(const struct lane *l)
{
    const uint64_t now = am_meters_now(l->meters);
    uint64_t wait = patience_ns;

    for (size_t i = 0; i < l->n; i++) {
        const uint64_t due = l->tracks[i]->due_ns;

        if (l->tracks[i]->failures < FAILURES_MAX && (due > now ? due - now : 0) < wait)
            wait = due > now ? due - now : 0;
    }
    return wait;
}

/* Lets time pass to where the next reading of the lane is due, at most `ns`, and takes it. For a
 * test's time only: nothing else reads then. With the lane's lock held. */
static void step(struct lane *l, uint64_t ns)
{
    const uint64_t due = until_due(l);

    am_meters_rest(l->meters, due < ns ? due : ns);
    read_due(l, false);
}

static void await_reading(struct lane *l)
{
    if (l->meters->time)
        step(l, patience_ns / 10);
    else
        wait_ns(l, &l->read, patience_ns / 10);
}

/* Binds the calling thread, and the process that reads for it, to the CPU that is not measured. */
static void settle(const struct lane *l)
{
    const pid_t helper = l->tracks[0]->meter->helper; /* meters of one mailbox have one */
    cpu_set_t set;

    if (l->cpu < 0 || l->cpu >= CPU_SETSIZE)
        return;
    CPU_ZERO(&set);
    CPU_SET((size_t)l->cpu, &set);
    (void)sched_setaffinity(0, sizeof(set), &set);
    if (helper)
        (void)sched_setaffinity(helper, sizeof(set), &set);
}

static void *serve(void *arg)
{
    struct lane *const l = arg;

    settle(l);
    (void)pthread_mutex_lock(&l->lock);
    while (!l->stopping) {
        read_due(l, false);
        wait_ns(l, &l->wake, until_due(l));
    }
    (void)pthread_mutex_unlock(&l->lock);
    return NULL;
}

static void init_lane(struct lane *l, const struct am_meters *meters, int cpu)
{
    pthread_condattr_t attributes;

    l->meters = meters;
    l->cpu = cpu;
    (void)pthread_mutex_init(&l->lock, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&l->wake, &attributes);
    (void)pthread_cond_init(&l->read, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

/* The lane of a slow meter: that of others which share its mailbox, else one of its own; the quick
 * ones' where there is no room for more. */
static struct lane *slow_lane(struct am_meter_sampler *s, const struct am_meter *m, int cpu)
{
    for (size_t i = 1; m->mailbox && i < s->n_lanes; i++) {
        if (s->lanes[i].tracks[0]->meter->mailbox == m->mailbox)
            return &s->lanes[i];
    }
    if (s->n_lanes == AM_METERS_MAX)
        return &s->lanes[0];
    init_lane(&s->lanes[s->n_lanes], s->meters, cpu);
    return &s->lanes[s->n_lanes++];
}

/* Lane 0 is that of the quick meters, and may stay empty. */
static void share_out(struct am_meter_sampler *s, int cpu)
{
    init_lane(&s->lanes[s->n_lanes++], s->meters, cpu);
    for (size_t i = 0; i < s->meters->n; i++) {
        const struct am_meter *const m = &s->meters->items[i];
        struct lane *l = &s->lanes[0];

        s->tracks[i].meter = m;
        if (!am_meter_counts(m))
            continue;
        if (m->slow)
            l = slow_lane(s, m, cpu);
        l->tracks[l->n++] = &s->tracks[i];
    }
}

static double clock_s(clockid_t clock)
{
    struct timespec t = {0};

    return clock_gettime(clock, &t) == 0 ? (double)t.tv_sec + (double)t.tv_nsec * 1e-9 : 0;
}

/* CPU time of the process that reads for a lane, with that of its start; 0 without one. */
static double helper_s(const struct lane *l)
{
    const pid_t helper = l->n ? l->tracks[0]->meter->helper : 0;
    clockid_t clock;

    return helper && clock_getcpuclockid(helper, &clock) == 0 ? clock_s(clock) : 0;
}

enum am_status am_meter_sampler_start(const struct am_meters *meters, int cpu,
                                      struct am_meter_sampler **sampler_p, struct am_err *err)
{
    struct am_meter_sampler *s = calloc(1, sizeof(*s));

    if (!s)
        return am_fail(err, AM_E_NOMEM, "no memory for the meters' readings");
    s->meters = meters;
    share_out(s, cpu);
    for (size_t i = 0; i < s->n_lanes; i++) {
        struct lane *const l = &s->lanes[i];

        if (l->n == 0)
            continue;
        l->started_ns = am_meters_now(meters);
        l->helper_start_s = helper_s(l);
        (void)pthread_mutex_lock(&l->lock);
        read_due(l, true); /* a first reading before the caller goes on */
        (void)pthread_mutex_unlock(&l->lock);
        if (meters->time)
            continue;
        errno = pthread_create(&l->thread, NULL, serve, l);
        if (errno) {
            am_meter_sampler_stop(s);
            return am_fail(err, AM_E_SYS, "a thread for the meters");
        }
        l->started = true;
    }
    *sampler_p = s;
    return AM_OK;
}

/* The lane of a meter's track; NULL when it has none. */
static struct lane *lane_of(struct am_meter_sampler *s, const struct track *t)
{
    for (size_t i = 0; i < s->n_lanes; i++) {
        for (size_t k = 0; k < s->lanes[i].n; k++) {
            if (s->lanes[i].tracks[k] == t)
                return &s->lanes[i];
        }
    }
    return NULL;
}

static bool read_after(const struct track *t, uint64_t t_ns)
{
    return t->n && t->readings[t->n - 1].t0_ns >= t_ns;
}

static void window_of(struct lane *l, struct track *t, uint64_t t0_ns, uint64_t t1_ns,
                      struct am_energy *out)
{
    const uint64_t give_up = am_meters_now(l->meters) + patience_ns;

    (void)pthread_mutex_lock(&l->lock);
    if (!read_after(t, t1_ns)) {
        t->due_ns = 0; /* now: the nearer to the end, the less is interpolated */
        (void)pthread_cond_broadcast(&l->wake);
    }
    while (!read_after(t, t1_ns) && t->failures < FAILURES_MAX &&
           am_meters_now(l->meters) < give_up)
        await_reading(l);
    am_meter_window(t->meter, &(struct am_readings){t->readings, t->n}, t0_ns, t1_ns, out);
    if (!out->valid && t->failures)
        (void)am_str_format(out->reason, sizeof(out->reason), "cannot be read: %s", t->trouble);
    (void)pthread_mutex_unlock(&l->lock);
}

void am_meter_sampler_window(struct am_meter_sampler *s, uint64_t t0_ns, uint64_t t1_ns,
                             struct am_energy *out)
{
    for (size_t i = 0; i < s->meters->n; i++) {
        const struct am_meter *const m = &s->meters->items[i];
        struct lane *const l = lane_of(s, &s->tracks[i]);

        if (l) {
            window_of(l, &s->tracks[i], t0_ns, t1_ns, &out[i]);
            continue;
        }
        out[i] = (struct am_energy){.joules = NAN, .watts = NAN, .uncertainty_j = NAN};
        (void)am_str_copy(out[i].reason, sizeof(out[i].reason),
                          m->why_not ? m->why_not : "another meter reads the same counter");
    }
}

void am_meter_sampler_touch(struct am_meter_sampler *s)
{
    for (size_t i = 0; i < s->n_lanes; i++) {
        (void)pthread_mutex_lock(&s->lanes[i].lock);
        read_due(&s->lanes[i], true);
        (void)pthread_mutex_unlock(&s->lanes[i].lock);
    }
}

/* The lane whose next reading is due first. */
static struct lane *next_lane(struct am_meter_sampler *s)
{
    struct lane *next = &s->lanes[0];

    for (size_t i = 1; i < s->n_lanes; i++) {
        if (until_due(&s->lanes[i]) < until_due(next))
            next = &s->lanes[i];
    }
    return next;
}

void am_meter_sampler_rest(struct am_meter_sampler *s, uint64_t ns)
{
    const uint64_t end = am_meters_now(s->meters) + ns;

    if (!s->meters->time) {
        am_meters_rest(s->meters, ns);
        return;
    }
    for (uint64_t now; (now = am_meters_now(s->meters)) < end;)
        step(next_lane(s), end - now);
}

uint64_t am_meter_sampler_period(struct am_meter_sampler *s, size_t meter)
{
    struct track *const t = &s->tracks[meter];
    struct lane *const l = lane_of(s, t);
    uint64_t period = 0;

    if (!l)
        return 0;
    (void)pthread_mutex_lock(&l->lock);
    period = am_meter_period(t->meter, &(struct am_readings){t->readings, t->n});
    (void)pthread_mutex_unlock(&l->lock);
    /* A quicker one shows the interval itself: every reading differs. */
    return 2 * period > 3 * am_meter_interval_ns(t->meter) ? period : 0;
}

/* The last reading before the time stays: a window may begin right after it. */
static void forget(struct track *t, uint64_t before_ns)
{
    size_t drop = 0;

    while (drop + 1 < t->n && t->readings[drop + 1].t1_ns < before_ns)
        drop++;
    if (drop == 0)
        return;
    memmove(t->readings, t->readings + drop, (t->n - drop) * sizeof(*t->readings));
    t->n -= drop;
}

void am_meter_sampler_forget(struct am_meter_sampler *s, uint64_t before_ns)
{
    for (size_t i = 0; i < s->n_lanes; i++) {
        struct lane *const l = &s->lanes[i];

        (void)pthread_mutex_lock(&l->lock);
        for (size_t k = 0; k < l->n; k++)
            forget(l->tracks[k], before_ns);
        (void)pthread_mutex_unlock(&l->lock);
    }
}

struct am_meter_cost am_meter_sampler_cost(struct am_meter_sampler *s)
{
    struct am_meter_cost cost = {0};

    for (size_t i = 0; i < s->n_lanes; i++) {
        struct lane *const l = &s->lanes[i];
        clockid_t clock;

        (void)pthread_mutex_lock(&l->lock);
        cost.readings += l->readings;
        cost.failures += l->failures;
        if (l->started && pthread_getcpuclockid(l->thread, &clock) == 0)
            cost.cpu_s += clock_s(clock) + fmax(0, helper_s(l) - l->helper_start_s);
        if (l->started_ns)
            cost.wall_s =
                fmax(cost.wall_s, (double)(am_meters_now(l->meters) - l->started_ns) * 1e-9);
        (void)pthread_mutex_unlock(&l->lock);
    }
    return cost;
}

static void stop_lane(struct lane *l)
{
    (void)pthread_mutex_lock(&l->lock);
    l->stopping = true;
    (void)pthread_cond_broadcast(&l->wake);
    (void)pthread_mutex_unlock(&l->lock);
    if (l->started)
        (void)pthread_join(l->thread, NULL);
    (void)pthread_cond_destroy(&l->wake);
    (void)pthread_cond_destroy(&l->read);
    (void)pthread_mutex_destroy(&l->lock);
}

void am_meter_sampler_stop(struct am_meter_sampler *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n_lanes; i++)
        stop_lane(&s->lanes[i]);
    for (size_t i = 0; i < AM_METERS_MAX; i++)
        free(s->tracks[i].readings);
    free(s);
}
