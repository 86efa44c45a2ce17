/* SPDX-License-Identifier: MIT */
/* From options to a plan, and from files to the results that a pattern names. */
#include "cli/run/setup.h"

#include "base/log.h"
#include "base/rng.h"
#include "base/text.h"
#include "cli/own/own.h"
#include "cli/run/against.h"
#include "cli/run/cost_file.h"
#include "cli/run/machines.h"
#include "cli/run/run_folder.h"
#include "cli/run/runs.h"
#include "cli/tune/tuning_file.h"
#include "cli/words/patterns.h"
#include "cli/words/shared_params.h"
#include "evidence/evidence.h"
#include "conductor/sides.h"
#include "family/roles.h"
#include "model/between.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 512, LEFT_OUT_MAX = 4096 };

/* Makes the folder of the machine that --machine describes, once; without it does nothing. */
static enum am_status open_simulated(const struct am_cli *cli, struct am_setup *setup,
                                     struct am_err *err)
{
    struct am_sim_program programs[NAMES_MAX];
    struct am_catalogue found;
    enum am_status status;

    if (!cli->opt->machine || setup->simulated.path)
        return AM_OK;
    if (cli->opt->fsroot)
        return am_fail(err, AM_E_USAGE, "--machine and --fsroot are two machines; give one");
    status = am_catalogue_find_programs(cli->arena, &found, err);
    if (status != AM_OK)
        return status;
    for (size_t i = 0; i < found.n && i < NAMES_MAX; i++)
        programs[i] = (struct am_sim_program){.name = found.workers[i].name,
                                              .program = found.workers[i].program};
    status = am_sim_folder_make(cli->opt->machine, programs, found.n, cli->arena, &setup->simulated,
                                err);
    if (status != AM_OK)
        return status;
    am_kvs_add(&setup->settings, cli->arena, "simulated.machine", setup->simulated.name);
    am_kvs_addf(&setup->settings, cli->arena, "simulated.seed", "%llu", setup->simulated.seed);
    return AM_OK;
}

enum am_status am_setup_benches(const struct am_cli *cli, struct am_setup *setup,
                                struct am_err *err)
{
    enum am_status status = open_simulated(cli, setup, err);

    if (status == AM_OK && !setup->folder.path)
        setup->folder = am_run_folder_make(cli->arena);
    if (status == AM_OK)
        status =
            am_catalogue_load(cli->arena, setup->simulated.path ? setup->simulated.workers : NULL,
                              &setup->catalogue, err);
    if (status == AM_OK)
        status = am_own_check(&setup->catalogue, &cli->own, err);
    for (size_t i = 0; status == AM_OK && i < cli->own.n; i++)
        am_kvs_add(&setup->settings, cli->arena, cli->own.items[i].key, cli->own.items[i].value);
    if (status == AM_OK && setup->topo &&
        !am_catalogue_place(&setup->catalogue, setup->topo, cli->arena))
        status = am_fail(err, AM_E_NOMEM, "no memory for the places of the machine");
    return status == AM_OK ? am_against_open(cli, setup, err) : status;
}

enum am_status am_setup_machine(const struct am_cli *cli, struct am_setup *setup,
                                struct am_err *err)
{
    enum am_status status = open_simulated(cli, setup, err);

    if (status == AM_OK)
        status = am_fsroot_open(
            &setup->root, setup->simulated.path ? setup->simulated.root : cli->opt->fsroot, err);
    return status == AM_OK ? am_topo_open(&setup->root, &setup->topo, err) : status;
}

enum am_status am_setup_open(const struct am_cli *cli, struct am_setup *setup, struct am_err *err)
{
    enum am_status status = am_setup_machine(cli, setup, err);

    return status == AM_OK ? am_setup_benches(cli, setup, err) : status;
}

void am_setup_close(struct am_setup *setup)
{
    am_energy_rig_close(setup->energy);
    am_topo_close(setup->topo);
    am_fsroot_close(&setup->root);
    am_sim_folder_remove(&setup->simulated);
    am_run_folder_remove(&setup->folder);
    *setup = (struct am_setup){0};
}

/* ---- operands ---- */

struct am_strings am_operands_from(const struct am_options *opt, size_t skip)
{
    const struct am_strings *all = &opt->operands;

    if (all->n <= skip)
        return (struct am_strings){0};
    return (struct am_strings){.items = all->items + skip, .n = all->n - skip};
}

/* ---- the plan ---- */

size_t am_setup_names(const struct am_catalogue *catalogue, const char **names, size_t cap)
{
    size_t n = 0;

    for (size_t w = 0; w < catalogue->n; w++) {
        for (size_t b = 0; b < catalogue->workers[w].n && n < cap; b++) {
            if (am_catalogue_is_first(catalogue, &catalogue->workers[w].benches[b]))
                names[n++] = catalogue->workers[w].benches[b].name;
        }
    }
    return n;
}

static void tell_unavailable(const struct am_catalogue *catalogue)
{
    for (size_t w = 0; w < catalogue->n; w++) {
        if (catalogue->workers[w].why_not)
            am_log(AM_LOG_INFO, "worker %s is not available: %s", catalogue->workers[w].name,
                   catalogue->workers[w].why_not);
    }
}

/* What the options say in place of a profile's, or of an earlier run's. */
static void override(const struct am_options *opt, struct am_plan_settings *s)
{
    if (opt->seed.given)
        s->seed = opt->seed.value;
    if (opt->launches.min) {
        s->min_launches = opt->launches.min;
        s->max_launches = opt->launches.max;
    }
    if (opt->target >= 0)
        s->target = opt->target;
    if (opt->budget_s >= 0)
        s->budget_s = opt->budget_s;
    if (opt->launch_limit_s >= 0)
        s->launch_limit_s = opt->launch_limit_s;
    if (opt->min_batch_s >= 0)
        s->sampler.min_batch_ns = (uint64_t)(opt->min_batch_s * 1e9);
    if (opt->samples.given)
        s->sampler.samples = (unsigned)opt->samples.value;
}

static struct am_plan_settings settings_of(const struct am_options *opt)
{
    struct am_plan_settings s = am_profile_settings((enum am_profile)opt->profile);

    if (opt->operands.n && s.profile == AM_PROFILE_QUICK)
        s.budget_s = 0; /* the minute is for the default set, not for what was named */
    s.seed = am_rng_entropy();
    override(opt, &s);
    return s;
}

/* Smallest --target: no clock resolves a narrower interval. */
static const double target_min = 1e-4;

/* Bounds beyond those that an option's kind has by itself. */
static enum am_status check_settings(const struct am_options *opt, struct am_err *err)
{
    if (opt->target >= 0 && opt->target < target_min)
        return am_fail(err, AM_E_USAGE,
                       "--target must be at least 0.01%%: no interval becomes that narrow (to fix "
                       "the number of launches: --launches N)");
    if (opt->samples.given && (opt->samples.value < 1 || opt->samples.value > AM_SAMPLES_MAX))
        return am_fail(err, AM_E_USAGE, "--samples must be from 1 to %d", AM_SAMPLES_MAX);
    if (opt->launch_limit_s >= 0 && opt->launch_limit_s < 0.1)
        return am_fail(err, AM_E_USAGE, "--launch-limit must be at least 100ms");
    if (opt->min_batch_s > 60)
        return am_fail(err, AM_E_USAGE, "--min-batch must be at most 1m");
    return AM_OK;
}

enum am_status am_setup_params(const struct am_options *opt, struct am_arena *arena,
                               struct am_param **params_p, struct am_err *err)
{
    struct am_param *params = am_arena_array(arena, opt->params.n + 1, sizeof(*params));

    if (!params)
        return am_fail(err, AM_E_NOMEM, "no memory for the parameters");
    for (size_t i = 0; i < opt->params.n; i++) {
        const char *equals = strchr(opt->params.items[i], '=');
        const size_t len = (size_t)(equals - opt->params.items[i]);

        params[i].axis = am_arena_strndup(arena, opt->params.items[i], len);
        params[i].values = equals + 1;
        if (!params[i].axis)
            return am_fail(err, AM_E_NOMEM, "no memory for the parameters");
        for (size_t k = 0; k < i; k++) {
            if (strcmp(params[k].axis, params[i].axis) == 0)
                return am_fail(err, AM_E_USAGE, "axis %s is given twice; write -p %s=%s,%s",
                               params[i].axis, params[i].axis, params[k].values, params[i].values);
        }
    }
    *params_p = params;
    return AM_OK;
}

/* Whether --joint-axes has the axis: it belongs to benches of all ranks, which this node may lack.
 */
static bool is_of_all_ranks(const struct am_options *opt, const char *axis)
{
    const char *rest = opt->joint_axes;
    const size_t len = strlen(axis);

    while (rest && *rest) {
        const size_t word = strcspn(rest, ",");

        if (word == len && strncmp(rest, axis, len) == 0)
            return true;
        rest += word + strspn(rest + word, ",");
    }
    return false;
}

enum am_status am_setup_check_used(const struct am_cli *cli, const struct am_setup *setup,
                                   const struct am_param *params, struct am_err *err)
{
    const char *names[NAMES_MAX];
    size_t n = 0;

    for (size_t i = 0; i < setup->plan.n; i++) {
        const struct am_axis *axes = setup->plan.points[i].bench->axes;

        if (i > 0 && setup->plan.points[i].bench == setup->plan.points[i - 1].bench)
            continue;
        for (size_t k = 0; axes[k].name && n < NAMES_MAX; k++)
            names[n++] = axes[k].name;
    }
    for (size_t i = 0; i < cli->opt->params.n; i++) {
        const char *near = am_nearest(params[i].axis, names, n);

        if (params[i].used || is_of_all_ranks(cli->opt, params[i].axis))
            continue;
        return am_fail(err, AM_E_USAGE, "no chosen bench has an axis \"%s\"%s%s%s", params[i].axis,
                       near ? "; did you mean \"" : "", near ? near : "",
                       near ? "\"?" : "; see \"archmeter list BENCH\"");
    }
    return AM_OK;
}

/* The quick profile without a pattern: the default set, which must fit into a minute. */
static bool is_quick_set(const struct am_cli *cli, const struct am_setup *setup)
{
    return setup->plan.settings.profile == AM_PROFILE_QUICK && cli->opt->operands.n == 0;
}

/* The points of one worker's part of a bench. */
static enum am_status add_part(const struct am_cli *cli, struct am_setup *setup,
                               const struct am_bench *bench, struct am_param *params,
                               struct am_err *err)
{
    const size_t n = cli->opt->params.n;
    const char *nothing;
    struct am_param *const own = am_shared_params(cli, &setup->catalogue, bench, params, &nothing);
    enum am_status status;

    if (!own)
        return am_fail(err, AM_E_NOMEM, "no memory for the parameters");
    if (nothing)
        return am_fail(err, AM_E_ABSENT, "none of the values of %s is one of its own", nothing);
    status = am_own_check_variants(cli, bench->name, own, n, err);
    if (status == AM_OK)
        status =
            am_plan_add(&setup->plan, bench, own, n, am_topo_symbols(setup->topo), cli->arena, err);
    am_shared_params_used(own, params, n);
    return status;
}

/* Adds the points of a bench from every worker that has it, so that they stand together in the
 * plan. A worker that can measure none of them here (no device) is named and left out. */
static enum am_status add_bench(const struct am_cli *cli, struct am_setup *setup, const char *name,
                                struct am_param *params, struct am_err *err)
{
    const struct am_catalogue *c = &setup->catalogue;

    for (size_t w = 0; w < c->n; w++) {
        const struct am_bench *bench = am_catalogue_find(c, c->workers[w].name, name);
        const bool left_out = bench && bench->named_only && is_quick_set(cli, setup);
        const enum am_status status =
            bench && !left_out ? add_part(cli, setup, bench, params, err) : AM_OK;

        if (status == AM_E_ABSENT)
            am_log(AM_LOG_WARN, "%s is left out: %s", name, err->text);
        else if (status != AM_OK)
            return status;
    }
    return AM_OK;
}

/* Benches that measure the meters themselves need --energy. */
static bool lacks_meters(const struct am_setup *setup, const struct am_bench *bench)
{
    return !setup->energy && am_bench_needs_meters(bench->name);
}

/* ---- standards ---- */

static bool counts_cycles(const struct am_bench *bench)
{
    for (size_t i = 0; bench->metrics[i].name; i++) {
        if (am_unit_has_cycles(bench->metrics[i].unit))
            return true;
    }
    return false;
}

static bool plan_has(const struct am_plan *plan, bool (*says)(const struct am_bench *))
{
    for (size_t i = 0; i < plan->n; i++) {
        const struct am_bench *const bench = plan->points[i].bench;

        if ((i == 0 || bench != plan->points[i - 1].bench) && says(bench))
            return true;
    }
    return false;
}

/* A run that counts cycles measures the standards of known latency too, asked for or not: without
 * them nobody knows what its cycles are worth. Not so with --energy: batches as long as its meters
 * need would make the standards the longest part of a run that is about something else. */
static enum am_status add_standards(const struct am_cli *cli, struct am_setup *setup,
                                    struct am_param *params, struct am_err *err)
{
    const struct am_catalogue *const c = &setup->catalogue;
    enum am_status status = AM_OK;

    if (setup->energy || !plan_has(&setup->plan, counts_cycles) ||
        plan_has(&setup->plan, am_bench_is_standard))
        return AM_OK;
    for (size_t w = 0; w < c->n; w++) {
        for (size_t b = 0; b < c->workers[w].n && status == AM_OK; b++) {
            const struct am_bench *const bench = &c->workers[w].benches[b];

            if (am_catalogue_is_first(c, bench) && am_bench_is_standard(bench))
                status = add_bench(cli, setup, bench->name, params, err);
        }
    }
    return status;
}

static enum am_status add_benches(const struct am_cli *cli, struct am_setup *setup,
                                  struct am_param *params, struct am_err *err)
{
    const struct am_catalogue *c = &setup->catalogue;
    struct am_text left_out;
    enum am_status status = AM_OK;

    am_text_init(&left_out, LEFT_OUT_MAX);
    for (size_t w = 0; w < c->n; w++) {
        for (size_t b = 0; b < c->workers[w].n && status == AM_OK; b++) {
            const struct am_bench *bench = &c->workers[w].benches[b];

            if (!am_catalogue_is_first(c, bench) ||
                !am_patterns_match(&cli->opt->operands, bench->name))
                continue;
            if (lacks_meters(setup, bench) && cli->opt->operands.n)
                am_log(AM_LOG_WARN, "%s is left out: it measures the energy meters; give --energy",
                       bench->name);
            else if (lacks_meters(setup, bench))
                continue;
            else if (is_quick_set(cli, setup) && am_catalogue_is_named_only(c, bench->name))
                am_text_addf(&left_out, " %s", bench->name);
            else
                status = add_bench(cli, setup, bench->name, params, err);
        }
    }
    if (left_out.len)
        am_log(AM_LOG_DEBUG, "left to be named, being too long for the quick set:%s",
               am_text_str(&left_out));
    am_text_fini(&left_out);
    if (status == AM_OK)
        status = add_standards(cli, setup, params, err);
    if (status == AM_OK && setup->plan.n == 0)
        return am_fail(err, AM_E_ABSENT, "nothing of what was asked for can be measured here");
    /* values that do not parse, and plans beyond every bound, are the user's words too */
    return status == AM_E_PARSE || status == AM_E_LIMIT ? AM_E_USAGE : status;
}

enum am_status am_setup_settings(const struct am_options *opt, struct am_plan_settings *out,
                                 struct am_err *err)
{
    *out = settings_of(opt);
    return check_settings(opt, err);
}

enum am_status am_setup_override(const struct am_options *opt, struct am_plan_settings *settings,
                                 struct am_err *err)
{
    override(opt, settings);
    return check_settings(opt, err);
}

static bool any_of(const struct am_strings *patterns, const char *const *names, size_t n)
{
    for (size_t i = 0; i < patterns->n; i++) {
        if (am_pattern_matches_any(patterns->items[i], names, n))
            return true;
    }
    return false;
}

/* As one of several machines (archmeter-mpi): a bench that is missing here is a warning, stored
 * with the run, and the others are measured. */
static enum am_status leave_out(const struct am_cli *cli, struct am_setup *setup,
                                struct am_err *err)
{
    const char *const story = am_arena_strdup(cli->arena, err->text);

    am_log(AM_LOG_WARN, "left out on this machine: %s", err->text);
    am_kvs_add(&setup->settings, cli->arena, "cluster.left_out", story ? story : "");
    *err = (struct am_err){0};
    return AM_OK;
}

/* With the first reason of one that was found and cannot be used. */
static enum am_status no_worker(const struct am_catalogue *c, struct am_err *err)
{
    static const char words[] = "no worker program is available: nothing to measure with";

    for (size_t i = 0; i < c->n; i++) {
        if (c->workers[i].program && c->workers[i].why_not)
            return am_fail(err, AM_E_ABSENT, "%s (%s: %s)", words, c->workers[i].name,
                           c->workers[i].why_not);
    }
    return am_fail(err, AM_E_ABSENT, "%s", words);
}

enum am_status am_setup_plan(const struct am_cli *cli, struct am_setup *setup, struct am_err *err)
{
    const char *names[NAMES_MAX];
    const size_t n = am_setup_names(&setup->catalogue, names, NAMES_MAX);
    struct am_param *params = NULL;
    enum am_status status = check_settings(cli->opt, err);

    if (status != AM_OK)
        return status;
    tell_unavailable(&setup->catalogue);
    if (n == 0)
        return no_worker(&setup->catalogue, err);
    status = am_check_patterns(&cli->opt->operands, names, n, err);
    if (status == AM_E_USAGE && cli->opt->joint_axes && any_of(&cli->opt->operands, names, n))
        status = leave_out(cli, setup, err);
    if (status == AM_OK)
        status = am_setup_params(cli->opt, cli->arena, &params, err);
    setup->plan =
        (struct am_plan){.settings = settings_of(cli->opt), .places = am_topo_places(setup->topo)};
    if (status == AM_OK)
        status = add_benches(cli, setup, params, err);
    if (status == AM_OK)
        status = am_setup_check_used(cli, setup, params, err);
    if (status == AM_OK)
        status = am_setup_tuning(cli, setup, err);
    if (status == AM_OK)
        status = am_against_mirror(cli, setup, err);
    if (status == AM_OK)
        am_setup_costs(cli, setup);
    return status;
}

/* ---- results ---- */

enum am_status am_select_results(struct am_result_set *set, const struct am_strings *patterns,
                                 struct am_arena *arena, struct am_err *err)
{
    const char **names = am_arena_array(arena, set->n + 1, sizeof(*names));
    enum am_status status;
    size_t kept = 0;

    if (!names)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu results", set->n);
    for (size_t i = 0; i < set->n; i++)
        names[i] = set->results[i].bench;
    status = am_check_patterns(patterns, names, set->n, err);
    if (status != AM_OK)
        return status;
    for (size_t i = 0; i < set->n; i++) {
        if (am_patterns_match(patterns, set->results[i].bench))
            set->results[kept++] = set->results[i];
    }
    set->n = kept;
    kept = 0;
    for (size_t i = 0; i < set->n_failures; i++) {
        if (am_patterns_match(patterns, set->failures[i].bench))
            set->failures[kept++] = set->failures[i];
    }
    set->n_failures = kept;
    return AM_OK;
}

/* A run with two sides, to commands that speak of one machine: they get the new side. */
static enum am_status leave_base(const struct am_cli *cli, struct am_result_set *set,
                                 struct am_err *err)
{
    static const uint64_t keep = UINT64_C(1) << AM_CMD_SHOW | UINT64_C(1) << AM_CMD_EXPORT |
                                 UINT64_C(1) << AM_CMD_COMPARE | UINT64_C(1) << AM_CMD_CHECK |
                                 UINT64_C(1) << AM_CMD_RUN | UINT64_C(1) << AM_CMD_RESUME;
    const struct am_result_set all = *set;
    bool two = false;

    for (size_t i = 0; i < set->n; i++)
        two = two || am_result_is(&set->results[i], AM_SIDE_AXIS, AM_SIDE_BASE);
    if (!two || keep >> cli->opt->command & 1)
        return AM_OK;
    am_log(AM_LOG_INFO, "the run has two sides; what follows is about the new one");
    return am_results_where(&all, AM_SIDE_AXIS, AM_SIDE_NEW, cli->arena, set, err);
}

void am_load_warn(const char *path, const struct am_seal *seal)
{
    if (seal->state == AM_SEAL_BROKEN)
        am_log(AM_LOG_WARN,
               "%s is not as it was written: %s; \"archmeter verify\" checks all of it", path,
               seal->story);
    else if (seal->story)
        am_log(AM_LOG_WARN, "%s: %s", path, seal->story);
}

enum am_status am_load_file(const struct am_cli *cli, const char *path,
                            const struct am_strings *patterns, struct am_result_set *out,
                            struct am_err *err)
{
    struct am_store *store = NULL;
    const char *file;
    enum am_status status = am_runs_resolve(path, cli->arena, &file, err);

    if (status == AM_OK && am_machine_is_file(file))
        status = am_fail(err, AM_E_USAGE,
                         "%s: a machine model or other JSON, not a run; model and explain --on "
                         "read machine models",
                         file);
    if (status == AM_OK)
        status = am_store_open(file, false, &store, err);
    if (status == AM_OK)
        status = am_evidence_load(store, &(struct am_filter){.check = true}, cli->arena, out, err);
    am_store_close(store);
    if (status == AM_OK)
        am_load_warn(file, &out->seal);
    if (status == AM_OK)
        status = leave_base(cli, out, err);
    return status == AM_OK ? am_select_results(out, patterns, cli->arena, err) : status;
}
