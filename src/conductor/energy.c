/* SPDX-License-Identifier: MIT */
/* Energy beside time: the meters of a run, and the metrics they add to every bench. */
#include "conductor/energy.h"

#include "base/text.h"
#include "conductor/collect.h"
#include "conductor/energy_groups.h"
#include "conductor/energy_metrics.h"
#include "core/measure/sampler.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REASONS_CAP = 480 };
/* Metrics of a bench that are left to others: counts of events. */
enum { METRICS_RESERVED = 16 };
enum { SLOW_PERIODS = 20 }; /* looked at when the meters are opened */
enum { SPARE_PART = 5 };    /* batches are longer by it: the next may be quicker than the trial */

/* Least lengths of a batch: in shorter ones the energy of what happens around the batch dominates,
 * whatever the meter's period (research: 0.5 s for a package, 5 s for a GPU). */
static const uint64_t cpu_batch_ns = 500 * UINT64_C(1000000);
static const uint64_t gpu_batch_ns = 5000000000u;
static const uint64_t long_batch_ns = 2000000000u; /* from it on a batch more is a burden */
static const uint64_t quick_period_ns = 25 * UINT64_C(1000000);
static const uint64_t slow_look_ns = 2000000000u; /* at most */

/* Not of a group: what a package draws beyond its cores and graphics. */
static const struct am_metric off_core = {
    .name = "power:off-core",
    .unit = "W",
    .better = AM_LOWER,
    .rule = AM_RULE_OWN,
    .help = "package less cores less uncore",
};

/* ---- opening ---- */

/* A counter whose period the short look at the beginning cannot show: what it has is a guess. */
static bool is_slow_counter(const struct am_meter *m)
{
    return am_meter_counts(m) && m->kind == AM_METER_COUNTER && m->period_ns > quick_period_ns;
}

static enum am_status none_usable(const struct am_meters *meters, struct am_err *err)
{
    char reasons[REASONS_CAP] = "";
    size_t used = 0;

    for (size_t i = 0; i < meters->n && used + 2 < sizeof(reasons); i++) {
        const struct am_meter *const m = &meters->items[i];

        (void)am_str_format(reasons + used, sizeof(reasons) - used, "%s%s:%s: %s%s%s",
                            used ? "; " : "", m->provider, m->id, m->why_not ? m->why_not : "",
                            m->remedy ? ": " : "", m->remedy ? m->remedy : "");
        used = strlen(reasons);
    }
    if (meters->n == 0)
        return am_fail(err, AM_E_ABSENT,
                       "no energy meter is here (virtual machines show none); see \"archmeter "
                       "doctor\", or give --meter-command or --meter-scpi");
    return am_fail(err, AM_E_ABSENT, "no energy meter can be used: %s", reasons);
}

/* Slow counters come with a guess at their period; a look at some twenty of them tells it. Only
 * this thread reads it. */
static void watch_slow(struct am_energy_rig *rig)
{
    uint64_t longest = 0;

    for (size_t i = 0; i < rig->meters.n; i++) {
        const struct am_meter *const m = &rig->meters.items[i];

        if (is_slow_counter(m) && m->period_ns > longest)
            longest = m->period_ns;
    }
    longest = longest * SLOW_PERIODS < slow_look_ns ? longest * SLOW_PERIODS : slow_look_ns;
    if (longest == 0)
        return;
    am_meter_sampler_rest(rig->sampler, longest);
    for (size_t i = 0; i < rig->meters.n; i++) {
        const uint64_t seen = am_meter_sampler_period(rig->sampler, i);

        if (is_slow_counter(&rig->meters.items[i]) && seen)
            rig->meters.items[i].period_ns = seen;
    }
}

static enum am_status read_nothing(void *self, struct am_reading *out, struct am_err *err)
{
    (void)self;
    *out = (struct am_reading){0};
    return am_fail(err, AM_E_ABSENT, "a simulated machine has no time of its own to be read in");
}

/* The one meter of a machine that is not here; nobody reads it. */
static void open_source(struct am_energy_rig *rig)
{
    struct am_meter *const m = am_meters_add(&rig->meters, "simulated");

    m->id = "package-0";
    m->scope = AM_SCOPE_PACKAGE;
    m->covers = "what the machine's description says of its power";
    m->period_ns = 1000000;
    m->read = read_nothing;
    rig->meters.synthetic = true;
    am_energy_groups_make(rig);
}

enum am_status am_energy_rig_open(const struct am_energy_options *options, struct am_arena *arena,
                                  struct am_energy_rig **rig_p, struct am_err *err)
{
    struct am_energy_rig *const rig = calloc(1, sizeof(*rig));
    enum am_status s;

    if (!rig)
        return am_fail(err, AM_E_NOMEM, "no memory for the meters");
    rig->options = *options;
    if (options->source) {
        open_source(rig);
        *rig_p = rig;
        return AM_OK;
    }
    s = am_meters_open(&options->meters, arena, &rig->meters, err);
    if (s == AM_OK) {
        am_meters_probe(&rig->meters);
        am_energy_groups_make(rig);
        if (rig->n_groups == 0)
            s = none_usable(&rig->meters, err);
    }
    if (s == AM_OK)
        s = am_meter_sampler_start(&rig->meters, options->cpu, &rig->sampler, err);
    if (s != AM_OK) {
        am_energy_rig_close(rig);
        return s;
    }
    watch_slow(rig);
    *rig_p = rig;
    return s;
}

void am_energy_rig_close(struct am_energy_rig *rig)
{
    if (!rig)
        return;
    am_meter_sampler_stop(rig->sampler);
    am_meters_close(&rig->meters);
    free(rig);
}

const struct am_meters *am_energy_rig_meters(const struct am_energy_rig *rig)
{
    return &rig->meters;
}

uint64_t am_energy_rig_begin(struct am_energy_rig *rig)
{
    am_meter_sampler_touch(rig->sampler);
    return am_meters_now(&rig->meters);
}

void am_energy_rig_window(struct am_energy_rig *rig, uint64_t t0_ns, uint64_t t1_ns,
                          struct am_energy *out)
{
    am_meter_sampler_window(rig->sampler, t0_ns, t1_ns, out);
    am_meter_sampler_forget(rig->sampler, t1_ns);
}

/* ---- metrics ---- */

const char *am_energy_rig_metric(const struct am_energy_rig *rig, const char *kind,
                                 struct am_arena *arena)
{
    return am_arena_printf(arena, "%s:%s", kind, rig->groups[0].name);
}

static bool is_wanted(const struct am_energy_rig *rig, const struct am_energy_kind *k)
{
    return !k->normalised || rig->options.process_nm > 0;
}

static bool has_group(const struct am_energy_rig *rig, const char *name)
{
    return am_energy_group_find(rig, name) != NULL;
}

static double watts_named(const struct am_energy_rig *rig, const char *name,
                          const struct am_energy *energies)
{
    const struct am_energy_group *const g = am_energy_group_find(rig, name);

    return g ? am_energy_group_watts(g, energies) : NAN;
}

static bool has_off_core(const struct am_energy_rig *rig)
{
    return has_group(rig, "package") && has_group(rig, "core");
}

static size_t kinds_wanted(const struct am_energy_rig *rig)
{
    size_t n = 0;

    for (size_t k = 0; am_energy_kinds[k].name; k++)
        n += is_wanted(rig, &am_energy_kinds[k]);
    return n;
}

/* A board has more rails than a bench has room for: the first groups are kept, each whole. */
static size_t groups_fitting(const struct am_energy_rig *rig, size_t bench_metrics)
{
    const size_t taken = bench_metrics + METRICS_RESERVED + 1; /* one for off_core */
    const size_t room = taken < AM_METRICS_MAX ? AM_METRICS_MAX - taken : 0;
    const size_t most = room / kinds_wanted(rig);

    return rig->n_groups < most ? rig->n_groups : most;
}

/* The rig's own metrics in the order in which fill_sample() fills them. */
static size_t own_metrics(const struct am_energy_rig *rig, struct am_arena *arena, size_t groups,
                          struct am_metric *out)
{
    size_t n = 0;

    for (size_t g = 0; g < groups; g++) {
        for (size_t k = 0; am_energy_kinds[k].name; k++) {
            if (is_wanted(rig, &am_energy_kinds[k]))
                out[n++] = (struct am_metric){
                    .name = am_arena_printf(arena, "%s:%s", am_energy_kinds[k].name,
                                            rig->groups[g].name),
                    .unit = am_energy_kinds[k].unit,
                    .better = am_energy_kinds[k].better,
                    .rule = AM_RULE_OWN,
                    .help = am_energy_kinds[k].help,
                };
        }
    }
    if (has_off_core(rig))
        out[n++] = off_core;
    return n;
}

static enum am_status extend_bench(const struct am_energy_rig *rig, struct am_bench *bench,
                                   struct am_arena *arena, struct am_err *err)
{
    const size_t n = am_metric_count(bench->metrics);
    struct am_metric *const all = am_arena_array(arena, AM_METRICS_MAX + 1, sizeof(*all));

    if (!all)
        return am_fail(err, AM_E_NOMEM, "no memory for the metrics of energy");
    memcpy(all, bench->metrics, n * sizeof(*all));
    bench->metrics_added = own_metrics(rig, arena, groups_fitting(rig, n), all + n);
    bench->metrics = all;
    return AM_OK;
}

enum am_status am_energy_rig_extend(const struct am_energy_rig *rig, struct am_catalogue *catalogue,
                                    struct am_arena *arena, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t w = 0; w < catalogue->n; w++) {
        for (size_t b = 0; b < catalogue->workers[w].n && s == AM_OK; b++)
            s = extend_bench(rig, (struct am_bench *)&catalogue->workers[w].benches[b], arena, err);
    }
    return s;
}

/* Groups are in the order of their worth: what is left out is the last. */
const char *am_energy_rig_left_out(const struct am_energy_rig *rig, const struct am_plan *plan,
                                   struct am_arena *arena)
{
    size_t kept = rig->n_groups;
    const char *names = NULL;

    for (size_t i = 0; i < plan->n; i++) {
        const struct am_bench *const b = plan->points[i].bench;
        const size_t fit = groups_fitting(rig, am_metric_count(b->metrics) - b->metrics_added);

        kept = fit < kept ? fit : kept;
    }
    for (size_t i = kept; i < rig->n_groups; i++)
        names = am_arena_printf(arena, "%s%s%s", names ? names : "", names ? ", " : "",
                                rig->groups[i].name);
    if (rig->groups_lost)
        names = am_arena_printf(arena, "%s%s%zu more", names ? names : "", names ? ", " : "",
                                rig->groups_lost);
    return names;
}

/* A window long enough for every meter, but for those that show the energy of another once more and
 * would take long: a GPU's averaged power beside its counter would need a minute. */
static uint64_t sufficient_ns(const struct am_energy_rig *rig, bool floored)
{
    uint64_t longest = 0;

    for (size_t i = 0; i < rig->meters.n; i++) {
        const struct am_meter *const m = &rig->meters.items[i];
        const uint64_t floor = m->scope == AM_SCOPE_GPU ? gpu_batch_ns : cpu_batch_ns;
        const uint64_t shortest = am_meter_shortest_ns(m) + am_meter_shortest_ns(m) / SPARE_PART;

        if (!am_meter_counts(m) ||
            (am_energy_is_second_way(rig, m) && (m->averaging_ns || !floored)))
            continue;
        longest = shortest > longest ? shortest : longest;
        longest = floored && floor > longest ? floor : longest;
    }
    return longest;
}

double am_energy_rig_rest_s(const struct am_energy_rig *rig, double seconds)
{
    return rig->options.source ? 0 : fmax(seconds, (double)sufficient_ns(rig, true) * 1e-9);
}

/* What a launch takes beside its samples, about: a process and its device, a look at the meters,
 * the trials, warming up.
 */
static double preparing_s(const struct am_sampler_settings *s)
{
    static const double start_s = 2, trials = 4;
    const double batch_s = 1e-9 * (double)s->min_batch_ns;

    return start_s + trials * fmin(batch_s, 1e-9 * (double)AM_SAMPLER_TRIAL_NS) +
           s->warmup * fmin(batch_s, 1e-9 * (double)AM_SAMPLER_WARM_NS);
}

/* Batches of one launch for which the budget leaves room when a single point gets its launches, and
 * the machine rests before them; at least one. */
static unsigned batches_within(const struct am_plan_settings *set, double rest_s)
{
    static const double longer = 1.1; /* than their least length */
    const double launches = set->min_launches ? set->min_launches : 1;
    const double each_s = (set->budget_s - rest_s) / launches - preparing_s(&set->sampler);
    const double n = each_s / (longer * 1e-9 * (double)set->sampler.min_batch_ns);

    return n < 1 ? 1 : n < 1e6 ? (unsigned)n : 1000000;
}

/* Long batches are measured again more seldom, and as many are taken as there is time for: five of
 * six seconds each, and five more for those that were disturbed, would be a minute per launch. */
static void take_fewer(const struct am_energy_rig *rig, struct am_plan_settings *settings)
{
    struct am_sampler_settings *const s = &settings->sampler;
    const unsigned room =
        settings->budget_s > 0 ? batches_within(settings, am_energy_rig_rest_s(rig, 0)) : UINT_MAX;

    if (s->min_batch_ns > long_batch_ns && s->extra > 1)
        s->extra = 1;
    if (s->samples > room)
        s->samples = room;
    if (s->extra > room - s->samples)
        s->extra = room - s->samples;
}

void am_energy_rig_stretch(const struct am_energy_rig *rig, bool batch_given,
                           struct am_plan_settings *settings)
{
    struct am_sampler_settings *const sampler = &settings->sampler;
    const uint64_t need = sufficient_ns(rig, !batch_given);
    const uint64_t batch = need > sampler->min_batch_ns ? need : sampler->min_batch_ns;
    double point_s;

    sampler->min_batch_ns = batch;
    take_fewer(rig, settings);
    /* Warm-up, samples, some again, and the checks before them. */
    point_s = 2e-9 * (double)batch * (sampler->warmup + sampler->samples + sampler->extra + 4);
    if ((double)sampler->max_point_ns * 1e-9 < point_s)
        sampler->max_point_ns = (uint64_t)(point_s * 1e9);
    settings->launch_limit_s = fmax(settings->launch_limit_s, 4 * point_s);
}

/* ---- attribution ---- */

/* The time in which a sample was measured: its own, or what the bench says of the point. */
struct window {
    uint64_t t0_ns, t1_ns;
};

static struct window window_of(const struct am_visit *visit, const struct am_sample *sample)
{
    return visit->has_window ? (struct window){visit->window_begin_ns, visit->window_end_ns}
                             : (struct window){sample->t0_ns, sample->t1_ns};
}

/* Fills the values behind the first `at`, which are the worker's. */
static void fill_sample(const struct am_energy_rig *rig, const struct am_energy *energies,
                        const struct am_visit *visit, struct am_sample *sample, size_t at)
{
    const struct window window = window_of(visit, sample);
    const size_t groups = groups_fitting(rig, at);

    for (size_t g = 0; g < groups; g++) {
        const struct am_energy_measured m = {
            .watts = am_energy_group_watts(&rig->groups[g], energies),
            .idle_w = rig->groups[g].idle_w,
            .seconds = (double)sample->elapsed_ns * 1e-9 / (double)sample->iters,
            .window_s = (double)(window.t1_ns - window.t0_ns) * 1e-9 / (double)sample->iters,
            .work = &visit->work,
            .process_nm = rig->options.process_nm,
            .process_exponent = rig->options.process_exponent,
        };

        for (size_t k = 0; am_energy_kinds[k].name; k++) {
            if (is_wanted(rig, &am_energy_kinds[k]))
                sample->values[at++] = am_energy_kinds[k].value(&m);
        }
    }
    if (has_off_core(rig))
        sample->values[at] = watts_named(rig, "package", energies) -
                             watts_named(rig, "core", energies) -
                             (has_group(rig, "uncore") ? watts_named(rig, "uncore", energies) : 0);
}

/* What is not valid says why, once per visit; what is says how sure it is. */
static void note_sample(const struct am_energy_rig *rig, const struct am_energy *energies,
                        struct am_arena *arena, struct am_kvs *notes)
{
    for (size_t i = 0; i < rig->meters.n; i++) {
        const struct am_meter *const m = &rig->meters.items[i];
        const struct am_energy *const e = &energies[i];
        const char *const key = am_arena_printf(arena, AM_SAID_ENERGY "%s", m->id);

        if (!am_meter_counts(m) || !key || am_kvs_get(notes, key))
            continue;
        if (e->valid)
            am_kvs_addf(notes, arena, key, "%s: %.4g +- %.2g J in a batch, %zu readings",
                        m->provider, e->joules, e->uncertainty_j, e->readings);
        else
            am_kvs_addf(notes, arena, key, "%s: not valid: %s", m->provider, e->reason);
    }
}

/* Readings of a meter are of the whole machine: they say nothing of what is spread over the time of
 * others. */
static void no_window(const struct am_energy_rig *rig, struct am_energy *out)
{
    for (size_t i = 0; i < rig->meters.n; i++) {
        out[i] = (struct am_energy){.joules = NAN, .watts = NAN, .uncertainty_j = NAN};
        (void)am_str_copy(out[i].reason, sizeof(out[i].reason),
                          "it has no time of its own: its calls are spread over other work");
    }
}

/* What the description of a simulated machine says of this sample. */
static void ask_source(const struct am_energy_rig *rig, const struct am_point *point,
                       const struct am_visit *visit, const struct am_sample *sample,
                       struct am_energy *out)
{
    const struct am_energy_source *const source = rig->options.source;
    const double seconds = (double)sample->elapsed_ns * 1e-9;
    const double watts =
        source->watts(source->self, point, &visit->work, seconds / (double)sample->iters);

    *out = (struct am_energy){.watts = watts, .joules = watts * seconds, .valid = true};
}

static void attribute_visit(struct am_energy_rig *rig, const struct am_point *point,
                            struct am_arena *arena, struct am_visit *visit)
{
    const struct am_bench *const bench = point->bench;
    const size_t end = am_metric_count(bench->metrics), at = end - bench->metrics_added;

    visit->n_metrics = end;
    for (size_t i = 0; i < visit->n_samples; i++) {
        struct am_sample *const sample = &visit->samples[i];

        const struct window window = window_of(visit, sample);

        if (rig->options.source)
            ask_source(rig, point, visit, sample, rig->scratch);
        else if (window.t1_ns)
            am_meter_sampler_window(rig->sampler, window.t0_ns, window.t1_ns, rig->scratch);
        else
            no_window(rig, rig->scratch);
        fill_sample(rig, rig->scratch, visit, sample, at);
        note_sample(rig, rig->scratch, arena, &visit->notes);
    }
}

void am_energy_rig_attribute(struct am_energy_rig *rig, const struct am_point *const *points,
                             struct am_arena *arena, struct am_launch *launch)
{
    for (size_t i = 0; i < launch->n_visits; i++)
        attribute_visit(rig, points[i], arena, &launch->visits[i]);
    if (rig->sampler)
        am_meter_sampler_forget(rig->sampler, launch->ended_ns);
}

/* ---- circumstances ---- */

/* Periods too long for the look at the beginning: of GPUs, boards, instruments. */
static void add_periods(const struct am_energy_rig *rig, struct am_arena *arena,
                        struct am_kvs *facts)
{
    for (size_t i = 0; i < rig->meters.n; i++) {
        const struct am_meter *const m = &rig->meters.items[i];
        const uint64_t period = am_meter_sampler_period(rig->sampler, i);
        const char *const key = am_arena_printf(arena, "energy.period.%s:%s", m->provider, m->id);

        if (period && key)
            am_kvs_addf(facts, arena, key, "%.3g ms as seen at rest", (double)period * 1e-6);
    }
}

/* Rests and reads. */
static void look_at_rest(struct am_energy_rig *rig, double seconds, struct am_arena *arena,
                         struct am_kvs *facts)
{
    const uint64_t t0 = am_energy_rig_begin(rig);
    uint64_t t1;

    am_meter_sampler_rest(rig->sampler, (uint64_t)(am_energy_rig_rest_s(rig, seconds) * 1e9));
    t1 = am_meters_now(&rig->meters);
    am_meter_sampler_window(rig->sampler, t0, t1, rig->scratch);
    add_periods(rig, arena, facts);
    am_meter_sampler_forget(rig->sampler, t1);
}

void am_energy_rig_idle(struct am_energy_rig *rig, double seconds, const char *when,
                        struct am_arena *arena, struct am_kvs *facts)
{
    const struct am_energy_source *const source = rig->options.source;

    if (source)
        rig->scratch[0] = (struct am_energy){
            .watts = source->watts(source->self, NULL, &(struct am_work){0}, 1), .valid = true};
    else
        look_at_rest(rig, seconds, arena, facts);
    for (size_t g = 0; g < rig->n_groups; g++) {
        struct am_energy_group *const group = &rig->groups[g];
        const double watts = am_energy_group_watts(group, rig->scratch);
        const char *const key = am_arena_printf(arena, "energy.idle.%s.%s", group->name, when);

        if (isnan(group->idle_w))
            group->idle_w = watts;
        if (key && !isnan(watts))
            am_kvs_addf(facts, arena, key, "%.6g W", watts);
    }
}

void am_energy_rig_describe(const struct am_energy_rig *rig, struct am_arena *arena,
                            struct am_kvs *facts)
{
    for (size_t i = 0; i < rig->meters.n; i++) {
        const struct am_meter *const m = &rig->meters.items[i];
        const char *const key = am_arena_printf(arena, "energy.meter.%s:%s", m->provider, m->id);

        if (!key)
            continue;
        if (m->why_not)
            am_kvs_addf(facts, arena, key, "not used: %s", m->why_not);
        else if (m->same_as >= 0)
            am_kvs_addf(facts, arena, key, "not counted: the same as %s:%s",
                        rig->meters.items[m->same_as].provider, rig->meters.items[m->same_as].id);
        else
            am_kvs_addf(facts, arena, key, "%s %s; %s; update period %.3g ms",
                        am_scope_name(m->scope), m->kind == AM_METER_COUNTER ? "counter" : "power",
                        m->covers ? m->covers : "", (double)m->period_ns * 1e-6);
    }
    if (rig->options.process_nm > 0)
        am_kvs_addf(facts, arena, "energy.process", "%g nm, s = %g", rig->options.process_nm,
                    rig->options.process_exponent);
}
