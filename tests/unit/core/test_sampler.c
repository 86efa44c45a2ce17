/* SPDX-License-Identifier: MIT */
/* The sampler under a scripted clock: calibration, warm-up, labels, re-measurement, folded work. */
#include "core/measure/sampler.h"
#include "core/measure/team.h"
#include "tap.h"

#include <pthread.h>
#include <sched.h>

/* Time passes only when the bench works or a clock is read. */
static uint64_t fake_ns;

static uint64_t fake_now(void *self)
{
    (void)self;
    return fake_ns += 20;
}

static const struct am_clock fake_clock = {
    .name = "fake", .now_ns = fake_now, .overhead_ns = 20, .resolution_ns = 1};

struct work_state {
    uint64_t ns_per_iter, calls, largest;
    uint64_t waits_ns; /* no batch is shorter: threads that wait for each other's turn */
    unsigned stalls;   /* a bit per batch from the first on: set, it takes 5 ms more */
    uint64_t turns;    /* 0: all that are asked for; else at most so many */
    bool folded, wrong, wrong_later;
    unsigned slow_calls; /* of the first batches, which take half as long again */
    bool flickers;       /* the clock makes one more step in the longest batches */
};

static void run(void *state, uint64_t iters)
{
    struct work_state *w = state;
    const uint64_t turns = w->turns && w->turns < iters ? w->turns : iters;
    const uint64_t took = w->folded ? 5000000 : w->ns_per_iter * turns;
    const bool stalled = w->calls < 32 && w->stalls >> w->calls & 1;

    fake_ns += w->flickers && iters > UINT64_C(1) << 60 ? 20 : 0;
    w->calls++;
    w->largest = iters > w->largest ? iters : w->largest;
    fake_ns += w->calls <= w->slow_calls ? took / 2 : 0;
    fake_ns += (took > w->waits_ns ? took : w->waits_ns) + (stalled ? 5000000 : 0);
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct work_state *w = state;

    *residual = 1e-16;
    if (w->wrong || (w->wrong_later && w->calls > 1))
        return am_fail(err, AM_E_WRONG, "residual too large");
    return AM_OK;
}

static const struct am_axis no_axes[] = {{0}};
static const struct am_metric metrics[] = {
    {.name = "time", .unit = "s", .rule = AM_RULE_TIME_PER_ITER},
    {.name = "rate", .unit = "1/s", .rule = AM_RULE_OP_RATE},
    {0},
};
static const struct am_bench bench = {
    .name = "fake", .axes = no_axes, .metrics = metrics, .run = run, .verify = verify};

/* Disturbances come from a list: totals after each reading. */
struct script {
    const unsigned *switches;
    size_t n, at;
    uint64_t total;
};

static void scripted(void *self, struct am_disturbance_totals *out)
{
    struct script *s = self;

    /* Readings come in pairs around a sample: the second one sees the disturbance. */
    if (s->at % 2 == 1 && s->at / 2 < s->n)
        s->total += s->switches[s->at / 2];
    s->at++;
    *out = (struct am_disturbance_totals){.switches = s->total};
}

struct heard {
    size_t verified, samples, labelled;
    struct am_sample last;
};

static enum am_status on_verified(void *self, double residual, struct am_err *err)
{
    (void)residual, (void)err;
    ((struct heard *)self)->verified++;
    return AM_OK;
}

static enum am_status on_sample(void *self, const struct am_sample *sample, struct am_err *err)
{
    struct heard *h = self;

    (void)err;
    h->samples++;
    h->labelled += sample->labels != 0;
    h->last = *sample;
    return AM_OK;
}

/* Totals that go down, as when a CPU goes offline. */
static void falling(void *self, struct am_disturbance_totals *out)
{
    out->steal_ns = out->switches = --*(uint64_t *)self;
}

static enum am_status measure(struct work_state *w, const unsigned *switches, size_t n,
                              struct am_sampler_settings settings, const struct am_bench *b,
                              struct heard *h, struct am_err *err)
{
    struct script script = {.switches = switches, .n = n};
    const struct am_disturbance disturbance = {.read = scripted, .self = &script};
    const struct am_sampler sampler = {
        .settings = settings, .clock = &fake_clock, .disturbance = &disturbance};
    const struct am_sample_sink sink = {.verified = on_verified, .sample = on_sample, .self = h};
    const struct am_work work = {.ops = 4};

    *h = (struct heard){0};
    fake_ns = 0;
    return am_sampler_run(&sampler, b, w, &work, &sink, err);
}

static const struct am_sampler_settings usual = {.min_batch_ns = 1000000,
                                                 .max_point_ns = UINT64_MAX,
                                                 .warmup = 1,
                                                 .samples = 5,
                                                 .extra = 3,
                                                 .drift_limit = 0.02};

static void test_batches(void)
{
    static const uint64_t costs[] = {1, 7, 1000, 999999, 1000000, 50000000};

    for (size_t i = 0; i < sizeof(costs) / sizeof(*costs); i++) {
        struct work_state w = {.ns_per_iter = costs[i]};
        struct am_err err = {0};
        struct heard h;
        const enum am_status s = measure(&w, NULL, 0, usual, &bench, &h, &err);
        const uint64_t took = h.last.elapsed_ns;

        ok(s == AM_OK && h.samples == 5 && h.verified == 2, "%llu ns an iteration: 5 samples",
           (unsigned long long)costs[i]);
        ok(took >= 1000000 && (took <= 5000000 || h.last.iters == 1),
           "a batch lasts the minimum and not much more (%llu ns)", (unsigned long long)took);
        is_near(h.last.values[0], (double)took * 1e-9 / (double)h.last.iters, 1e-12,
                "the metric is derived from the sample");
        is_near(h.last.values[1] * (double)took * 1e-9, 4.0 * (double)h.last.iters, 1e-9,
                "rates use the stated work");
    }
}

/* Windows as the meters of a GPU want them: they are taken whole, and nothing else is that long. */
static void test_long_batches(void)
{
    static const struct {
        uint64_t ns_per_iter;
        unsigned slow_calls;
    } cases[] = {{1000, 0}, {10000000, 0}, {3000000000u, 0}, {10000000, 4}};
    const uint64_t second = 1000000000u, window = 6 * second;
    struct am_sampler_settings settings = usual;

    settings.min_batch_ns = window;
    settings.samples = 2;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct work_state w = {.ns_per_iter = cases[i].ns_per_iter,
                               .slow_calls = cases[i].slow_calls};
        struct am_err err = {0};
        struct heard h;
        const enum am_status s = measure(&w, NULL, 0, settings, &bench, &h, &err);

        ok(s == AM_OK && h.samples == 2 && h.last.elapsed_ns >= window &&
               h.last.elapsed_ns <= window + window / 2,
           "%llu ns an iteration: windows of %.3g s (%s)", (unsigned long long)cases[i].ns_per_iter,
           (double)h.last.elapsed_ns * 1e-9, err.text);
        ok(fake_ns < 2 * h.last.elapsed_ns + 3 * second + 5 * cases[i].ns_per_iter,
           "and little besides: %.3g s in all", (double)fake_ns * 1e-9);
    }
}

static void test_disturbed(void)
{
    static const unsigned some[] = {0, 2, 0, 1, 0, 0, 0};
    static const unsigned always[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct work_state w = {.ns_per_iter = 1000};
    struct am_err err = {0};
    struct heard h;

    ok(measure(&w, some, 7, usual, &bench, &h, &err) == AM_OK && h.samples == 7 && h.labelled == 2,
       "two disturbed samples are kept and measured again");
    ok(measure(&w, always, 12, usual, &bench, &h, &err) == AM_OK && h.samples == 8 &&
           h.labelled == 8,
       "re-measurement is bounded");
}

/* By the clock of a device the host's disturbances are told, and cost nothing. */
static void test_apart(void)
{
    static const unsigned always[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct script script = {.switches = always, .n = 12};
    const struct am_disturbance disturbance = {.read = scripted, .self = &script};
    const struct am_sampler sampler = {
        .settings = usual, .clock = &fake_clock, .disturbance = &disturbance, .apart = true};
    struct work_state w = {.ns_per_iter = 1000};
    struct heard h = {0};
    const struct am_sample_sink sink = {.verified = on_verified, .sample = on_sample, .self = &h};
    struct am_err err = {0};

    fake_ns = 0;
    ok(am_sampler_run(&sampler, &bench, &w, &(struct am_work){.ops = 1}, &sink, &err) == AM_OK &&
           h.samples == 5 && h.labelled == 5,
       "timed by a device, disturbed samples are not measured again");
}

static void test_falling(void)
{
    uint64_t total = 1000;
    const struct am_disturbance disturbance = {.read = falling, .self = &total};
    const struct am_sampler sampler = {
        .settings = usual, .clock = &fake_clock, .disturbance = &disturbance};
    struct work_state w = {.ns_per_iter = 1000};
    struct heard h = {0};
    const struct am_sample_sink sink = {.verified = on_verified, .sample = on_sample, .self = &h};
    struct am_err err = {0};

    ok(am_sampler_run(&sampler, &bench, &w, &(struct am_work){.ops = 1}, &sink, &err) == AM_OK &&
           h.samples == 5 && h.labelled == 0 && h.last.steal_ns == 0,
       "totals that go down are no disturbance");
}

/* A clock that stands still, e.g. one with steps longer than a point may take. */
static uint64_t stopped_now(void *self)
{
    (void)self;
    return 0;
}

static void test_stopped_clock(void)
{
    const struct am_clock stopped = {.name = "stopped", .now_ns = stopped_now};
    struct script script = {0};
    const struct am_disturbance disturbance = {.read = scripted, .self = &script};
    const struct am_sampler sampler = {
        .settings = usual, .clock = &stopped, .disturbance = &disturbance};
    struct work_state w = {.ns_per_iter = 1};
    struct heard h = {0};
    const struct am_sample_sink sink = {.verified = on_verified, .sample = on_sample, .self = &h};
    struct am_err err = {0};

    ok(am_sampler_run(&sampler, &bench, &w, &(struct am_work){.ops = 1}, &sink, &err) ==
               AM_E_WRONG &&
           h.samples == 0,
       "a time of nothing is never reported: %s", err.text);
}

static void test_refused(void)
{
    struct work_state folded = {.folded = true}, wrong = {.ns_per_iter = 9, .wrong = true},
                      later = {.ns_per_iter = 9, .wrong_later = true}, nothing = {.ns_per_iter = 0},
                      flickering = {.ns_per_iter = 0, .flickers = true};
    struct am_sampler_settings hurried = usual;
    struct am_err err = {0}, err2 = {0}, err3 = {0}, err4 = {0}, err5 = {0};
    struct heard h;

    ok(measure(&folded, NULL, 0, usual, &bench, &h, &err) == AM_E_WRONG && h.samples == 0,
       "work that takes the same time for twice the iterations is never reported");
    ok(strstr(err.text, "does not grow") != NULL, "and the reason says so");
    ok(measure(&wrong, NULL, 0, usual, &bench, &h, &err2) == AM_E_WRONG && h.samples == 0 &&
           wrong.calls == 1,
       "a wrong result is not timed");
    ok(measure(&later, NULL, 0, usual, &bench, &h, &err3) == AM_E_WRONG && h.samples == 5,
       "a result that goes wrong during the batches fails the point");
    hurried.max_point_ns = 50000000;
    ok(measure(&nothing, NULL, 0, hurried, &bench, &h, &err4) == AM_E_WRONG && h.samples == 0,
       "a run that does nothing fails: %s", err4.text);
    ok(measure(&flickering, NULL, 0, usual, &bench, &h, &err5) == AM_E_WRONG && h.samples == 0,
       "a step of the clock is no growth: %s", err5.text);
}

/* On a crowded machine the trials of one length alone can use the point's time up. */
static void test_patient(void)
{
    struct work_state waits = {.ns_per_iter = 100000, .waits_ns = 12500000},
                      stalled = {.ns_per_iter = 40, .waits_ns = 100000, .stalls = 0xf},
                      folded = {.folded = true};
    struct am_sampler_settings hurried = usual;
    struct am_err err = {0};
    struct heard h;

    ok(measure(&stalled, NULL, 0, usual, &bench, &h, &err) == AM_OK && h.samples > 0,
       "work that stalled while its length was chosen is tried longer: %s", err.text);
    hurried.max_point_ns = 100000000;
    ok(measure(&waits, NULL, 0, hurried, &bench, &h, &err) == AM_OK && h.samples > 0,
       "work hidden behind waiting is tried longer before it is accused: %s", err.text);
    ok(measure(&folded, NULL, 0, hurried, &bench, &h, &err) == AM_E_WRONG && h.samples == 0,
       "folded work is not saved by being hurried: %s", err.text);
}

/* Whichever of the first ten batches stall: work that caps its turns is refused, and honest work
 * gets batches of a fair length. */
static void test_stalls(void)
{
    unsigned kept = 0, short_batches = 0;

    for (unsigned stalls = 0; stalls < 1u << 10; stalls++) {
        struct work_state capped = {.ns_per_iter = 1890, .turns = 10, .stalls = stalls},
                          honest = {.ns_per_iter = 1890, .stalls = stalls};
        struct am_err err = {0};
        struct heard h;

        kept += measure(&capped, NULL, 0, usual, &bench, &h, &err) != AM_E_WRONG;
        short_batches += measure(&honest, NULL, 0, usual, &bench, &h, &err) != AM_OK ||
                         h.last.elapsed_ns < usual.min_batch_ns / 4;
    }
    ok(kept == 0, "no pattern of stalls hides that work caps its turns: %u do", kept);
    ok(short_batches == 0, "nor shortens the batches of honest work: %u do", short_batches);
}

/* The scripted core clock is absurd, but the same for every batch. */
static void test_bound(void)
{
    static const struct {
        struct am_work work;
        enum am_status want;
        const char *what;
    } cases[] = {
        {{.ops = 1, .flops = 8, .bytes_read = 8}, AM_OK, "no bound is known: all passes"},
        {{.ops = 1, .flops = 8, .flops_per_cycle_max = 1e9}, AM_OK, "flops below the bound pass"},
        {{.ops = 1, .flops = 8, .flops_per_cycle_max = 1e-9}, AM_E_WRONG, "flops above it fail"},
        {{.ops = 1, .bytes_read = 8, .bytes_per_cycle_max = 1e9}, AM_OK, "bytes below it pass"},
        {{.ops = 1, .bytes_written = 8, .bytes_per_cycle_max = 1e-9}, AM_E_WRONG, "above it fail"},
    };

    struct am_clock clock = fake_clock;

    clock.overhead_ns = 10; /* less than its step: what is left of the probe is a core clock */
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct script script = {0};
        const struct am_disturbance disturbance = {.read = scripted, .self = &script};
        const struct am_sampler sampler = {
            .settings = usual, .clock = &clock, .disturbance = &disturbance};
        struct work_state w = {.ns_per_iter = 1000};
        struct heard h = {0};
        const struct am_sample_sink sink = {
            .verified = on_verified, .sample = on_sample, .self = &h};
        struct am_err err = {0};

        ok(am_sampler_run(&sampler, &bench, &w, &cases[i].work, &sink, &err) == cases[i].want &&
               h.samples == 5 && !err.text[0] == (cases[i].want == AM_OK),
           "%s %s", cases[i].what, err.text);
    }
}

static void test_limits(void)
{
    struct am_sampler_settings tight = usual;
    struct am_bench fixed = bench;
    struct work_state slow = {.ns_per_iter = 3000000000u}, once = {.ns_per_iter = 1};
    struct am_err err = {0};
    struct heard h;

    tight.max_point_ns = 1000000000;
    ok(measure(&slow, NULL, 0, tight, &bench, &h, &err) == AM_OK && h.samples == 1,
       "a slow point is sampled at least once");
    fixed.fixed_iters = 3;
    ok(measure(&once, NULL, 0, usual, &fixed, &h, &err) == AM_OK && h.samples == 5 &&
           once.largest == 3 && h.last.iters == 3,
       "a fixed loop count is not calibrated");
    tight.min_batch_ns = 0;
    ok(measure(&once, NULL, 0, tight, &bench, &h, &err) == AM_OK && h.last.elapsed_ns >= 20000,
       "a batch is far above the clock's cost even when no minimum is given");
}

/* A launch that is one batch: no trial, no warm-up, no second sample, however disturbed. */
static void test_once(void)
{
    struct am_bench whole = bench;
    struct work_state w = {.ns_per_iter = 10};
    struct am_err err = {0};
    struct heard h;

    whole.once = true;
    whole.fixed_iters = 1;
    ok(measure(&w, (const unsigned[]){3}, 1, usual, &whole, &h, &err) == AM_OK && w.calls == 1 &&
           h.samples == 1 && h.labelled == 1 && h.verified == 1,
       "a bench that runs once is called once, sampled once and verified once");
}

/* ---- CPU time against wall time ---- */

/* Batches of a process with its own habits, and what a few of them lose to others. */
struct story {
    const char *what;
    double thread, process; /* CPU time per wall time while nobody disturbs */
    size_t cpus, threads;
    bool switched; /* every batch has an involuntary switch */
    double longer; /* every third batch: by this part of it, of which the CPU time lost is ... */
    double thread_lost, process_lost; /* ... of the measuring thread, of all of them together */
    uint32_t want;                    /* the labels of those */
};

static struct {
    const struct story *story;
    struct am_cpu_times times;
    unsigned batches;
} told;

static bool is_hit(void)
{
    return told.batches % 3 == 2;
}

static void run_story(void *state, uint64_t iters)
{
    const struct story *const s = told.story;
    const double ns = 1000.0 * (double)iters;
    double longer, hit;

    (void)state;
    told.batches++;
    hit = is_hit() ? 1 : 0;
    longer = 1 + hit * s->longer;
    fake_ns += (uint64_t)(longer * ns);
    told.times.thread_ns += (uint64_t)((s->thread * longer - hit * s->thread_lost) * ns);
    told.times.process_ns += (uint64_t)((s->process * longer - hit * s->process_lost) * ns);
}

static void story_times(void *self, struct am_cpu_times *out)
{
    (void)self;
    *out = told.times;
}

static void story_totals(void *self, struct am_disturbance_totals *out)
{
    (void)self;
    *out = (struct am_disturbance_totals){.switches = told.story->switched ? told.batches : 0,
                                          .threads = told.story->threads};
}

struct labelled {
    size_t right, wrong;
};

static enum am_status judge_sample(void *self, const struct am_sample *sample, struct am_err *err)
{
    struct labelled *const l = self;
    const uint32_t want = is_hit() ? told.story->want : 0;

    (void)err;
    l->right += sample->labels == want;
    l->wrong += sample->labels != want;
    return AM_OK;
}

static enum am_status no_verdict(void *self, double residual, struct am_err *err)
{
    (void)self, (void)residual, (void)err;
    return AM_OK;
}

static void test_occupancy(void)
{
    static const struct story stories[] = {
        {"stopped for twenty times the batch", 1, 1, 1, 1, false, 20, 20, 20, AM_LABEL_OFF},
        {"stopped for a tenth of it", 1, 1, 1, 1, false, 0.1, 0.1, 0.1, AM_LABEL_OFF},
        {"nothing lost", 1, 1, 1, 1, false, 0, 0, 0, 0},
        {"switched, and nothing lost", 1, 1, 1, 1, true, 0, 0, 0, 0},
        {"a neighbour took a third", 1, 1, 1, 1, true, 0.5, 0.5, 0.5,
         AM_LABEL_SWITCH | AM_LABEL_OFF},
        {"a neighbour took a third of another thread of the team", 1, 2, 2, 2, true, 0.5, 0, 0.5,
         AM_LABEL_SWITCH},
        {"more threads than CPUs displace each other", 0.5, 1.95, 2, 5, true, 0, 0, 0, 0},
        {"and a neighbour displaces them", 0.5, 1.95, 2, 5, true, 0.5, 0.2, 0.9, AM_LABEL_SWITCH},
        {"waits for a device, now and then longer", 0.1, 0.1, 2, 3, false, 0.2, 0.02, 0.02, 0},
        {"waits for a device and was stopped", 0.1, 0.1, 2, 3, false, 20, 2, 2, AM_LABEL_OFF},
        {"waits for a device on one of many CPUs, and is switched", 1, 1.2, 16, 9, true, 0, 0, 0,
         0},
        {"and a neighbour took a third", 1, 1.2, 16, 9, true, 0.5, 0.5, 0.5,
         AM_LABEL_SWITCH | AM_LABEL_OFF},
        {"and its driver's threads did less", 1, 1.2, 16, 9, true, 0, 0, 0.1, 0},
        {"one of two threads lost a third", 1, 2, 16, 2, true, 0.5, 0, 0.5, AM_LABEL_SWITCH},
        {"stopped with its team", 1, 4, 4, 4, false, 2, 2, 8, AM_LABEL_OFF},
    };
    static const struct am_bench told_bench = {
        .name = "told", .axes = no_axes, .metrics = metrics, .run = run_story};

    for (size_t i = 0; i < sizeof(stories) / sizeof(*stories); i++) {
        const struct am_disturbance disturbance = {
            .read = story_totals, .times = story_times, .cpus = stories[i].cpus};
        const struct am_sampler sampler = {
            .settings = usual, .clock = &fake_clock, .disturbance = &disturbance};
        struct labelled l = {0};
        const struct am_sample_sink sink = {
            .verified = no_verdict, .sample = judge_sample, .self = &l};
        struct am_err err = {0};
        enum am_status status;

        told.story = &stories[i];
        told.batches = 0;
        told.times = (struct am_cpu_times){0};
        status =
            am_sampler_run(&sampler, &told_bench, NULL, &(struct am_work){.ops = 1}, &sink, &err);
        ok(status == AM_OK && l.wrong == 0 && l.right >= 5,
           "%s: %zu of %zu labelled as they should %s", stories[i].what, l.right, l.right + l.wrong,
           err.text);
    }
}

/* A clock by which the second thread's core is half as fast as the first one's. */
struct two_speeds {
    pthread_t first;
};

static uint64_t uneven_now(void *self)
{
    static _Thread_local uint64_t ns;
    const struct two_speeds *const t = self;

    return ns += pthread_equal(pthread_self(), t->first) ? 10020 : 20020;
}

static void pass(void *arg, size_t thread, size_t threads)
{
    (void)arg, (void)thread, (void)threads;
}

static void run_team(void *state, uint64_t iters)
{
    (void)iters;
    am_team_run(*(struct am_team **)state, pass, NULL);
}

static struct am_team *team_of(void *state)
{
    return *(struct am_team **)state;
}

static void test_clocks(void)
{
    static const struct am_metric uneven_metrics[] = {
        {.name = "clocks", .unit = "", .rule = AM_RULE_CLOCK_RATIO}, {0}};
    const struct am_bench uneven = {.name = "uneven",
                                    .axes = no_axes,
                                    .metrics = uneven_metrics,
                                    .run = run_team,
                                    .team = team_of,
                                    .once = true};
    struct two_speeds speeds = {pthread_self()};
    const struct am_clock clock = {
        .name = "uneven", .now_ns = uneven_now, .overhead_ns = 20, .self = &speeds};
    struct script quiet = {0};
    const struct am_disturbance disturbance = {.read = scripted, .self = &quiet};
    const struct am_sampler sampler = {.settings = {.samples = 1, .max_point_ns = UINT64_MAX},
                                       .clock = &clock,
                                       .disturbance = &disturbance};
    const int cpus[] = {sched_getcpu()};
    struct am_team *team = NULL;
    struct heard heard = {0};
    const struct am_sample_sink sink = {on_verified, on_sample, &heard};
    struct am_err err = {0};

    if (!ok(am_team_new(2, cpus, 1, &team, &err) == AM_OK, "a team of two (%s)", err.text))
        return;
    ok(am_sampler_run(&sampler, &uneven, &team, &(struct am_work){0}, &sink, &err) == AM_OK &&
           heard.samples == 1,
       "a point of two threads is measured");
    is_near(heard.last.hz_before / 1e9, 0.75 * 3.2768, 1e-9, "its clock is the mean of both");
    is_near(heard.last.values[0], 2, 1e-9, "and their ratio is told");
    am_team_free(team);
}

int main(void)
{
    test_occupancy();
    test_once();
    test_batches();
    test_long_batches();
    test_disturbed();
    test_apart();
    test_falling();
    test_stopped_clock();
    test_refused();
    test_patient();
    test_stalls();
    test_bound();
    test_limits();
    test_clocks();
    return tap_done();
}
