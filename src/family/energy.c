/* SPDX-License-Identifier: MIT */
/* Energy: the best of a machine by the joule, from any bench that was measured with energy, and how
 * steady the meters are (meter.stability).
 *
 * Metrics of energy are called KIND:SCOPE ("energy:package"); the scope is a label of every fact.
 * The best point is that with the most work per mean energy of its launches, and its interval comes
 * from resampling whole launches, since neither is a median. */
#include "family/energy.h"
#include "family/families.h"

#include "core/stats/bootstrap.h"
#include "core/stats/steady.h"

#include <math.h>
#include <string.h>

#define ENERGY "energy:"

static const char *scope_of(const struct am_pick *pick)
{
    return pick->metric->name + strlen(ENERGY);
}

static void label_scope(struct am_fact *fact, const struct am_pick *pick, struct am_arena *arena)
{
    am_fact_label(fact, arena, "scope", AM_AXIS_NAME, scope_of(pick));
}

/* ---- the best by the joule ---- */

/* The mean energy of an iteration in each launch of a point. */
struct means {
    double *joules;
    size_t n;
    double work; /* of an iteration: operations, or bytes */
};

static double flops_of(const struct am_work *w)
{
    return w->flops;
}

static double bytes_of(const struct am_work *w)
{
    return w->bytes_read + w->bytes_written;
}

static double mean_joules(const struct means *m, const size_t *pick, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += m->joules[pick ? pick[i] : i];
    return sum / (double)n;
}

static double work_per_joule(const void *self, const size_t *pick, size_t n)
{
    const struct means *const m = self;

    return m->work / mean_joules(m, pick, n);
}

static double joules_per_work(const void *self, const size_t *pick, size_t n)
{
    return 1 / work_per_joule(self, pick, n);
}

static const struct kind {
    const char *name, *what, *unit;
    double (*work)(const struct am_work *w);
    am_bootstrap_fn *value;
} kinds[] = {
    {"flops_per_watt", "most operations per joule", "flop/J", flops_of, work_per_joule},
    {"joule_per_byte", "least energy per byte read or written", "J/B", bytes_of, joules_per_work},
};

/* False when the point does no such work, or used no energy that its meters saw. */
static bool gather(const struct am_pick *pick, const struct kind *k, struct am_arena *arena,
                   struct means *m)
{
    const struct am_series *const series = &pick->metric->series;

    *m = (struct means){.work = k->work(&pick->result->work)};
    m->joules = am_arena_array(arena, series->n + 1, sizeof(*m->joules));
    if (!m->joules || !(m->work > 0))
        return false;
    for (size_t i = 0; i < series->n; i++) {
        const double mean =
            am_stats_moments(series->launches[i].values, series->launches[i].n).mean;

        if (isfinite(mean) && mean > 0)
            m->joules[m->n++] = mean;
    }
    return m->n > 0;
}

/* `axes` become labels beside the scope; NULL: none. */
static void offer_best(const struct am_deriving *d, const struct kind *k, const char *axes,
                       const struct am_pick *best, const struct means *m)
{
    const double value = k->value(m, NULL, m->n);
    struct am_fact fact = {
        .name = k->name,
        .what = k->what,
        .unit = k->unit,
        .kind = AM_FACT_CAPABILITY,
        .value = value,
        .ci = am_bootstrap(m->n, k->value, m),
        .evidence = am_arena_printf(d->arena, "%s %s; interval by resampling %zu launches",
                                    best->result->bench, best->result->text, m->n)};

    if (isnan(fact.ci.lo))
        fact.ci = (struct am_interval){value, value, 0}; /* one launch shows no spread */
    am_fact_rest_on(&fact, best);
    label_scope(&fact, best, d->arena);
    if (axes)
        am_fact_label_axes(&fact, best->result, axes);
    am_facts_offer(d->facts, fact);
}

/* The best point of one scope; one of grade C counts where there is no other, so that it is told
 * why nothing is concluded. */
static void derive_best(const struct am_deriving *d, const struct am_picks *picks,
                        const char *metric, const struct kind *k, const char *axes)
{
    const struct am_pick *best = NULL;
    struct means of_best = {0};

    for (size_t i = 0; i < picks->n; i++) {
        const struct am_pick *const p = &picks->items[i];
        const bool sound = p->metric->grading.grade != AM_GRADE_C;
        const bool best_sound = best && best->metric->grading.grade != AM_GRADE_C;
        struct means m;

        if (strcmp(p->metric->name, metric) != 0 || (best_sound && !sound) ||
            !gather(p, k, d->arena, &m))
            continue;
        if (!best || (sound && !best_sound) ||
            work_per_joule(&m, NULL, m.n) > work_per_joule(&of_best, NULL, of_best.n)) {
            best = p;
            of_best = m;
        }
    }
    if (best)
        offer_best(d, k, axes, best, &of_best);
}

static bool is_first_of_scope(const struct am_picks *picks, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (strcmp(picks->items[k].metric->name, picks->items[i].metric->name) == 0)
            return false;
    }
    return true;
}

static void derive_bests(const struct am_deriving *d)
{
    const struct am_selector any = {.metric = ENERGY "*"};
    const struct am_picks picks = am_select(d->set, &any, d->arena);

    for (size_t i = 0; i < picks.n; i++) {
        for (size_t k = 0; is_first_of_scope(&picks, i) && k < sizeof(kinds) / sizeof(*kinds); k++)
            derive_best(d, &picks, picks.items[i].metric->name, &kinds[k], NULL);
    }
}

/* ---- devices ---- */

static const struct device_kind {
    struct kind kind;
    const char *bench, *where, *axes;
} device_kinds[] = {
    {{"device_flop", "least energy per operation on a device", "J/flop", flops_of, joules_per_work},
     "ocl.arith",
     "mode=throughput",
     "device,type"},
    {{"device_byte", "least energy per byte of a device's memory", "J/B", bytes_of,
      joules_per_work},
     "ocl.global",
     "size=0 stride!=0",
     "device,kernel"},
    {{"device_transfer", "least energy per byte between host and device", "J/B", bytes_of,
      joules_per_work},
     "ocl.bus",
     NULL,
     "device,direction"},
};

/* A GPU's meters see what runs on GPUs, all others what runs on the host's cores. */
static bool sees_device(const struct am_pick *pick)
{
    const char *const kind = am_kvs_get(&pick->result->chosen, "device_kind");
    const bool on_host = kind && strcmp(kind, "cpu") == 0;

    return on_host != (strncmp(scope_of(pick), "gpu", 3) == 0);
}

static void derive_devices(const struct am_deriving *d)
{
    for (size_t k = 0; k < sizeof(device_kinds) / sizeof(*device_kinds); k++) {
        const struct device_kind *const row = &device_kinds[k];
        const struct am_selector all = {row->bench, row->where, ENERGY "*"};
        const struct am_picks picks = am_select(d->set, &all, d->arena);
        const struct am_groups groups = am_picks_group(&picks, row->axes);

        for (size_t g = 0; g < groups.n; g++) {
            const struct am_picks *const own = &groups.items[g].picks;

            for (size_t i = 0; i < own->n; i++) {
                if (is_first_of_scope(own, i) && sees_device(&own->items[i]))
                    derive_best(d, own, own->items[i].metric->name, &row->kind, row->axes);
            }
        }
    }
}

/* ---- meter.stability ---- */

/* Energy of equal work, all samples of all launches together (seed 001, tables 5.7 and 5.8). The
 * facts describe the samples themselves: they hold whatever grade the median has, and the usual way
 * to measure them is one launch of many repetitions. */
static void describe(const struct am_deriving *d, const struct am_pick *pick)
{
    struct am_steady y;

    if (!am_steady_describe(&pick->metric->series, d->arena, &y))
        return;
    const struct {
        const char *name, *what, *unit;
        double value;
    } rows[] = {
        {"repeated_mean", "energy of one matrix product of meter.stability: mean of repetitions",
         "J", y.mean},
        {"repeated_sigma",
         "its standard deviation over the mean: the meter's and the machine's together", "",
         y.sigma / y.mean},
        {"repeated_outliers", "repetitions beyond three deviations", "", (double)y.outliers},
        {"repeated_median", "energy of one matrix product of meter.stability: median", "J",
         y.median},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct am_fact fact = {.name = rows[i].name,
                               .what = rows[i].what,
                               .unit = rows[i].unit,
                               .value = rows[i].value,
                               .ci = {rows[i].value, rows[i].value, NAN},
                               .evidence =
                                   am_arena_printf(d->arena, "meter.stability %s: %zu repetitions",
                                                   pick->result->text, y.n)};

        label_scope(&fact, pick, d->arena);
        am_fact_label_axes(&fact, pick->result, "n,threads");
        am_facts_offer(d->facts, fact);
    }
}

static void derive_meters(const struct am_deriving *d)
{
    const struct am_selector steady = {"meter.stability", NULL, ENERGY "*"};
    const struct am_picks picks = am_select(d->set, &steady, d->arena);

    for (size_t i = 0; i < picks.n; i++)
        describe(d, &picks.items[i]);
}

static const struct am_fact_rule facts[] = {
    {.name = "flops_per_watt,joule_per_byte",
     .what = "the best point by the joule",
     .labels = "scope",
     .derive = derive_bests},
    {.name = "device_flop,device_byte,device_transfer",
     .what = "energy per operation and per byte of an OpenCL device, where a meter sees it",
     .labels = "scope,device,type,kernel,direction",
     .derive = derive_devices},
    {.name =
         "power_error,power_error_bench,power_static,power_per_core,energy_per_flop,energy_per_byte",
     .what = "a model of power, tested on points that it has not seen",
     .labels = "scope",
     .derive = am_energy_derive_model},
    {.name = "least,least_edp,price_of_speed",
     .what =
         "of all ways to do one work: the least energy, the least energy times delay, and what the "
         "fastest costs",
     .labels = "scope,bench",
     .derive = am_energy_derive_goals},
    {.name = "repeated_mean,repeated_median,repeated_sigma,repeated_outliers",
     .what = "energy of one matrix product that meter.stability repeats, and how far repetitions "
             "spread: the meter and the machine together",
     .labels = "scope,n,threads",
     .derive = derive_meters},
    {0},
};

static const struct am_headline headlines[] = {
    {.title = "operations per joule", .fact = "energy.flops_per_watt", .rank = 90},
    {0},
};

static const struct am_figure_row figures[] = {
    {
        .name = "energy-pareto",
        .section = "Energy",
        .title = "Energy over time, of all ways to do the same work",
        .caption =
            "A mark per executor, number of threads, instruction set, size of tasks and so on; the "
            "line joins those that none beats in both. A panel per work and scope of meter.",
        .make = am_energy_plot_goals,
    },
    {
        .name = "meter-readings",
        .section = "Energy",
        .title = "What a meter says of equal work",
        .caption = "Readings of the energy of one repetition, a panel per meter; lines mark the "
                   "mean and three deviations from it.",
        .make = am_energy_plot_readings,
    },
    {.name = NULL},
};

const struct am_family am_family_energy = {
    .name = "energy",
    .title = "Energy",
    .facts = facts,
    .figures = figures,
    .headlines = headlines,
};
