/* SPDX-License-Identifier: MIT */
/* Time on a simulated machine: its clock, what disturbs it, and samples. */
#include "sim/noise.h"

#include "base/fsroot.h"
#include "core/measure/labels.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CLOCK_MULTIPLE = 1000 }; /* clock readings that a batch lasts at least */

static const double tick_s = 0.01;                         /* in which kernels count stolen time */
static const double slice_s = 0.004;                       /* between two involuntary switches */
static const double switch_least = 0.01, off_least = 0.02; /* lost parts that the engine labels */
static const double start_s = 0.002;                       /* of a process */
static const double fill_rate = 4e9;                       /* bytes per second of filling memory */
static const double clock_probe_error = 5e-4; /* relative, of measuring the core clock */
static const double best_slice_share = 0.02;  /* noise left in the best of many slices */

/* ---- the clock ---- */

/* "NOW STAMP BUSY STEAL OTHER", as am_sim_clock_save() writes it. */
static bool read_clock(const char *text, struct am_sim_clock *c)
{
    double *const numbers[] = {&c->now_s, NULL, &c->busy_s, &c->steal_s, &c->other_s};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        const size_t len = strcspn(text, " ");

        if (numbers[i] ? !am_parse_f64(text, len, numbers[i])
                       : !am_parse_u64(text, len, &c->stamp_ns))
            return false;
        text += len + (text[len] == ' ');
    }
    return true;
}

void am_sim_clock_load(struct am_sim_clock *c, const char *folder)
{
    struct am_fsroot root = {0};
    char text[256];
    const uint64_t now = am_now_ns();

    *c = (struct am_sim_clock){0};
    if (am_fsroot_open(&root, folder, NULL) != AM_OK ||
        am_fsroot_read(&root, "clock", text, sizeof(text)) <= 0 || !read_clock(text, c))
        *c = (struct am_sim_clock){0};
    am_fsroot_close(&root);
    if (c->stamp_ns == 0)
        c->stamp_ns = now; /* from here on it goes its own way, however fast we are */
}

enum am_status am_sim_clock_save(const struct am_sim_clock *c, const char *folder,
                                 struct am_err *err)
{
    char path[4096], text[256];
    const int n = snprintf(text, sizeof(text), "%a %llu %a %a %a\n", c->now_s,
                           (unsigned long long)c->stamp_ns, c->busy_s, c->steal_s, c->other_s);
    int fd;
    bool written;

    if (!am_str_format(path, sizeof(path), "%s/clock", folder))
        return am_fail(err, AM_E_LIMIT, "the machine's folder has too long a name");
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    written = fd >= 0 && write(fd, text, (size_t)n) == n;
    if (fd >= 0)
        (void)close(fd);
    return written ? AM_OK : am_fail(err, AM_E_SYS, "the clock of a simulated machine");
}

void am_sim_clock_advance(struct am_sim_clock *c, double seconds)
{
    c->now_s += seconds;
    c->stamp_ns += (uint64_t)(seconds * 1e9);
}

/* ---- the neighbour ---- */

/* Time is cut into periods of the mean visit and absence together. In each of them the neighbour
 * comes once and goes again. The shorter of visit and absence is drawn evenly between nothing and
 * twice its mean; the period has the other's rest. The absence lies before and after the visit. */
static void visit_in(const struct am_sim_machine *m, double period, uint64_t index, double *begin,
                     double *end)
{
    const struct am_sim_neighbour *const b = &m->neighbour;
    struct am_rng rng;
    double drawn, away;

    am_rng_seed(&rng, m->seed ^ 0x6e65696768u, index);
    drawn = 2 * am_rng_unit(&rng);
    away = b->off_s < b->on_s ? drawn * b->off_s : period - drawn * b->on_s;
    *begin = am_rng_unit(&rng) * away;
    *end = *begin + period - away;
}

double am_sim_visited(const struct am_sim_machine *m, double from, double length)
{
    enum { PERIODS_MAX = 1000 };
    const double period = m->neighbour.on_s + m->neighbour.off_s;
    double here = 0;
    uint64_t first, last;

    if (!(m->neighbour.on_s > 0))
        return 0;
    if (length > period * PERIODS_MAX) /* no single visit matters */
        return m->neighbour.on_s / period;
    first = (uint64_t)(from / period);
    last = (uint64_t)((from + length) / period);
    for (uint64_t i = first; i <= last; i++) {
        double begin, end;

        visit_in(m, period, i, &begin, &end);
        begin = fmax(from, (double)i * period + begin);
        end = fmin(from + length, (double)i * period + end);
        here += end > begin ? end - begin : 0;
    }
    return length > 0 ? fmin(1, here / length) : 0;
}

/* ---- launches and samples ---- */

/* A standard normal number, by the sum of uniform ones: bounded at six, which no test minds. */
static double normal(struct am_rng *rng)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += am_rng_unit(rng);
    return sum;
}

void am_sim_launch_draw(struct am_sim_launch *l, const struct am_sim_clock *c)
{
    const struct am_sim_machine *const m = l->layout->machine;
    const bool visited = am_sim_visited(m, c->now_s, 0.01) > 0;

    am_rng_seed(&l->rng, l->request->seed, m->seed ^ ((uint64_t)l->turn << 48));
    for (size_t i = 0; i < m->n_caches; i++) {
        const struct am_sim_cache *const cache = &m->caches[i];
        const double drawn = am_rng_unit(&l->rng);

        l->share[i] = cache->share_least + drawn * (cache->share_most - cache->share_least);
        if (visited && cache->share != 1)
            l->share[i] *= 1 - m->neighbour.cache;
    }
    l->memory_share = visited ? 1 - m->neighbour.memory : 1;
}

static double drift_at(const struct am_sim_noise *n, double now_s)
{
    return 1 + n->drift * fmin(1, now_s / n->drift_s);
}

void am_sim_visit_begin(struct am_sim_visit *v, const struct am_sim_question *q,
                        const struct am_sim_answer *a, struct am_sim_clock *c)
{
    const struct am_sim_noise *const n = &am_sim_machine_of(q)->noise;
    const struct am_sampler_settings *const set = &q->launch->request->sampler;
    const double want = fmax((double)set->min_batch_ns, n->clock_ns * CLOCK_MULTIPLE) * 1e-9;
    const uint64_t fixed = q->point->bench->fixed_iters;
    struct am_rng *const rng = &q->launch->rng;

    *v = (struct am_sim_visit){.question = q, .answer = a, .factor = 1};
    v->iters = fixed ? fixed : (uint64_t)fmin(1e18, fmax(1, ceil(want / a->seconds)));
    v->factor = exp(n->launch * normal(rng));
    if (am_rng_unit(rng) < n->mode_chance)
        v->factor *= n->mode;
    /* what comes before the first sample: filling, calibration, warm-up */
    am_sim_clock_advance(c, start_s + a->setup_s + a->setup_bytes / fill_rate +
                                (2 + set->warmup) * a->seconds * (double)v->iters);
}

/* How a metric that a bench computes itself changes when everything takes `factor` times as long.
 */
static double scaled(const struct am_metric *metric, double value, double factor,
                     double cycle_error)
{
    if (strcmp(metric->unit, "cycle") == 0)
        return value * factor * (1 + cycle_error);
    if (strcmp(metric->unit, "s") == 0)
        return value * factor;
    return strstr(metric->unit, "/s") ? value / factor : value;
}

static void fill_values(const struct am_sim_visit *v, double factor, struct am_sample *out)
{
    const struct am_point *const point = v->question->point;
    const struct am_sim_noise *const n = &am_sim_machine_of(v->question)->noise;
    const struct am_clock clock = {.overhead_ns = (uint64_t)n->clock_ns,
                                   .resolution_ns = (uint64_t)n->clock_step_ns};
    const double seen = v->answer->unnoised > 0 ? 1 + (factor - 1) * best_slice_share : factor;

    for (size_t i = 0; point->bench->metrics[i].name; i++)
        out->values[i] = scaled(&point->bench->metrics[i], v->answer->own[i], seen, n->cycle_error);
    am_bench_derive(point->bench->metrics, &v->answer->work, &clock, out);
}

/* What a guest sees of the neighbour: whole ticks of stolen time, switches by the scheduler. */
static void fill_disturbance(struct am_sim_visit *v, double lost_s, double visited,
                             struct am_sim_clock *c, struct am_sample *out)
{
    const struct am_sim_neighbour *const b = &am_sim_machine_of(v->question)->neighbour;
    double ticks;

    if (b->steal) {
        v->stolen += lost_s;
        ticks = floor(v->stolen / tick_s);
        v->stolen -= ticks * tick_s;
        out->steal_ns = (uint64_t)(ticks * tick_s * 1e9);
        c->steal_s += lost_s;
    }
    if (b->switches && visited > 0) {
        out->switches = 1 + (uint64_t)(visited * (double)out->elapsed_ns * 1e-9 / slice_s);
        out->off_ns = (uint64_t)(lost_s * 1e9);
    }
}

/* As the engine labels: what costs a thread too little of a batch is no disturbance. */
static void fill_labels(const struct am_sampler_settings *set, struct am_sample *out)
{
    const double off = (double)out->off_ns / (double)out->elapsed_ns;

    if (am_steal_tells(out->steal_ns, out->t1_ns - out->t0_ns))
        out->labels |= AM_LABEL_STEAL;
    if (out->switches && off > switch_least)
        out->labels |= AM_LABEL_SWITCH;
    if (off > off_least)
        out->labels |= AM_LABEL_OFF;
    if (out->hz_before > 0 && fabs(out->hz_after / out->hz_before - 1) > set->drift_limit)
        out->labels |= AM_LABEL_DRIFT;
}

void am_sim_visit_sample(struct am_sim_visit *v, struct am_sim_clock *c, struct am_sample *out)
{
    const struct am_sim_machine *const m = am_sim_machine_of(v->question);
    const struct am_sim_noise *const n = &m->noise;
    struct am_rng *const rng = &v->question->launch->rng;
    const double plain = v->answer->seconds * (double)v->iters, drift = drift_at(n, c->now_s);
    const double hz = v->answer->hz * (1 + n->cycle_error);
    double factor = v->factor * drift * exp(n->sample * normal(rng));
    const double tail = am_rng_unit(rng), length = -log(1 - am_rng_unit(rng));
    double visited, seconds, lost;

    *out = (struct am_sample){.iters = v->iters, .t0_ns = c->stamp_ns};
    if (tail < n->tail_chance)
        factor *= 1 + n->tail * length;
    visited = am_sim_visited(m, c->now_s, plain * factor);
    lost = plain * factor * visited * (m->neighbour.slow - 1);
    seconds = plain * factor + lost;
    out->elapsed_ns = (uint64_t)(floor(seconds * 1e9 / n->clock_step_ns + 0.5) * n->clock_step_ns);
    if (out->elapsed_ns == 0)
        out->elapsed_ns = (uint64_t)n->clock_step_ns;
    out->hz_before = hz / drift * (1 + clock_probe_error * normal(rng));
    am_sim_clock_advance(c, (double)out->elapsed_ns * 1e-9);
    c->stamp_ns = out->t0_ns + out->elapsed_ns;
    c->busy_s += (seconds - (m->neighbour.steal || m->neighbour.switches ? lost : 0)) *
                 (double)v->question->launch->request->n_cpus;
    out->t1_ns = c->stamp_ns;
    out->hz_after = hz / drift_at(n, c->now_s) * (1 + clock_probe_error * normal(rng));
    out->hz_least =
        out->hz_before * (v->answer->hz_least > 0 ? v->answer->hz_least / v->answer->hz : 1);
    out->hz_most =
        out->hz_after * (v->answer->hz_most > 0 ? v->answer->hz_most / v->answer->hz : 1);
    if (out->hz_most < out->hz_least)
        out->hz_most = out->hz_least;
    fill_disturbance(v, lost, visited, c, out);
    fill_labels(&v->question->launch->request->sampler, out);
    fill_values(v, seconds / plain, out);
    am_sim_clock_advance(c, 1e-4); /* probing and telling */
}
