/* SPDX-License-Identifier: MIT */
/* An experiment from its description to its results. */
#include "cli/run/experiment.h"
#include "cli/run/measure.h"
#include "cli/run/meters.h"
#include "cli/run/quiet.h"
#include "cli/run/timing.h"
#include "cli/tune/tuning_file.h"

#include "document/units.h"

static enum am_status measure(struct am_cli *cli, struct am_setup *setup,
                              const struct am_spec *spec, struct am_err *err)
{
    struct am_store *store = NULL;
    struct am_outcome outcome = {0};
    char name[AM_UNITS_MAX];
    const char *const path =
        cli->opt->output ? cli->opt->output : am_measure_default_path(name, sizeof(name));
    enum am_status s;

    am_experiment_keep(spec, setup, cli->arena);
    s = am_measure_create(cli, setup, path, &store, err);
    if (s == AM_OK)
        s = am_measure_run(cli, setup, store, NULL, &outcome, err);
    if (s == AM_OK)
        s = am_measure_report(cli, store, path, &outcome, err);
    am_store_close(store);
    return s;
}

/* Whatever is wrong with the description is found before anything of it is run. */
enum am_status am_experiment_run(struct am_cli *cli, const struct am_experiment_way *way,
                                 struct am_err *err)
{
    struct am_setup setup = {0};
    struct am_spec spec;
    enum am_status s = am_setup_machine(cli, &setup, err);

    if (s == AM_OK)
        s = way->load(cli, am_topo_symbols(setup.topo), &spec, err);
    if (s == AM_OK)
        s = am_experiment_publish(spec.flat, err);
    if (s == AM_OK)
        s = am_setup_benches(cli, &setup, err);
    if (s == AM_OK)
        s = am_setup_energy(cli, &setup, err);
    if (s == AM_OK)
        s = am_setup_counters(cli, &setup, err);
    if (s == AM_OK)
        s = am_experiment_plan(cli, &setup, &spec, err);
    if (s == AM_OK)
        s = am_setup_tuning(cli, &setup, err);
    if (s == AM_OK)
        am_setup_stretch(cli, &setup, &setup.plan.settings);
    if (s == AM_OK && way->keep) {
        way->keep(cli->opt, cli->arena, &setup.settings);
        setup.ends_at_failure = am_timing_ends_at_failure(&setup.settings);
    }
    if (s == AM_OK && way->ask && !cli->opt->dry_run)
        s = way->ask(cli, &spec, err);
    if (s == AM_OK && way->waits && !cli->opt->dry_run)
        s = am_quiet_begin(cli, &setup, setup.plan.settings.budget_s, err);
    if (s == AM_OK && cli->opt->dry_run)
        am_setup_show_plan(cli, &setup.plan);
    else if (s == AM_OK)
        s = measure(cli, &setup, &spec, err);
    am_setup_close(&setup);
    return s;
}
