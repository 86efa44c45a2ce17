/* SPDX-License-Identifier: MIT */
/* archmeter experiment, time: a campaign that a file describes, or commands side by side. */
#include "cli/cli.h"
#include "cli/trust/consent.h"
#include "cli/run/experiment.h"
#include "cli/run/timing.h"
#include "core/bench/plan.h"

static enum am_status load_file(const struct am_cli *cli, const struct am_symbol *symbols,
                                struct am_spec *out, struct am_err *err)
{
    return am_experiment_load(cli->opt->operands.items[0], symbols,
                              cli->opt->profile == AM_PROFILE_QUICK, cli->arena, out, err);
}

static enum am_status ask(const struct am_cli *cli, const struct am_spec *spec, struct am_err *err)
{
    struct am_consent consent = {.file = cli->opt->operands.items[0]};

    am_consent_experiment(&consent, spec, cli->arena);
    return am_consent_get(cli, &consent, err);
}

enum am_status am_cmd_experiment(struct am_cli *cli, struct am_err *err)
{
    return am_experiment_run(cli, &(struct am_experiment_way){.load = load_file, .ask = ask}, err);
}

/* What --sensitivity takes without other words: two minutes tell a stream, a chase and a loop of
 * some 100 ms apart on two quiet CPUs (doc/guide/time.md), and no fewer rounds do. */
static const double sensitivity_s = 180;

/* Programs are noisier than our benches, and often short: more launches, unless the words say how
 * many. */
enum am_status am_cmd_time(struct am_cli *cli, struct am_err *err)
{
    static const struct am_counts usual = {.min = 10, .max = 30}, taking = {.min = 10, .max = 40};
    static const struct am_experiment_way way = {
        .load = am_timing_load, .keep = am_timing_keep, .waits = true};
    struct am_options *const opt = am_arena_alloc(cli->arena, sizeof(*opt));

    if (!opt)
        return am_fail(err, AM_E_NOMEM, "no memory for the options");
    *opt = *cli->opt;
    if (opt->sensitivity && !opt->launches.min && opt->budget_s < 0)
        opt->budget_s = sensitivity_s;
    if (!opt->launches.min && opt->profile == AM_PROFILE_STANDARD)
        opt->launches = opt->sensitivity ? taking : usual;
    cli->opt = opt;
    return am_experiment_run(cli, &way, err);
}
