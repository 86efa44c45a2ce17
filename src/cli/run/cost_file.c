/* SPDX-License-Identifier: MIT */
/* The file of costs. */
#include "cli/run/cost_file.h"

#include "base/log.h"
#include "cli/run/datafile.h"
#include "cli/tune/tuning_file.h"
#include "conductor/costs.h"
#include "family/worth.h"

#include <string.h>
#include <unistd.h>

static const char *path_of(const struct am_cli *cli)
{
    return am_datafile_path("ARCHMETER_COSTS", "costs", cli->arena);
}

static long long count_cpus(const struct am_setup *setup)
{
    const struct am_symbol *s = am_topo_symbols(setup->topo);

    while (s->name && strcmp(s->name, "cpus") != 0)
        s++;
    return s->name ? (long long)s->value : 0;
}

/* As tuned values name it, and what else decides how long things take. */
static const char *machine_of(const struct am_cli *cli, const struct am_setup *setup)
{
    const char *const name = am_tuning_machine(setup, cli->arena);

    return name ? am_arena_printf(cli->arena, "%s cpus=%lld%s", name, count_cpus(setup),
                                  setup->catalogue.simulated ? " simulated" : "")
                : NULL;
}

static struct am_costs load(const struct am_cli *cli, const char *path)
{
    struct am_costs costs = {.arena = cli->arena};
    struct am_err ignored = {0};
    struct am_text text;
    bool there;

    am_text_init(&text, AM_COSTS_BYTES_MAX);
    if (am_datafile_read(path, "file of costs", &there, &text, &ignored) == AM_OK) {
        const size_t passed_over = am_costs_parse(&costs, am_text_str(&text), text.len);

        if (passed_over)
            am_log(AM_LOG_DEBUG, "%s: %zu lines are no costs, and were passed over", path,
                   passed_over);
    } else {
        am_log(AM_LOG_DEBUG, "%s", ignored.text);
    }
    am_text_fini(&text);
    return costs;
}

void am_setup_costs(const struct am_cli *cli, struct am_setup *setup)
{
    const char *const path = path_of(cli), *const machine = machine_of(cli, setup);

    am_worth_apply(&setup->plan);
    if (path && machine) {
        const struct am_costs costs = load(cli, path);
        const size_t known = am_costs_apply(&costs, machine, &setup->plan);

        am_log(AM_LOG_DEBUG, "%zu of %zu points were timed before: %s", known, setup->plan.n, path);
    }
}

void am_setup_learn_costs(const struct am_cli *cli, const struct am_setup *setup)
{
    const char *const path = path_of(cli), *const machine = machine_of(cli, setup);
    struct am_err err = {0};
    struct am_costs costs;
    struct am_text text;
    const int lock = path && machine ? am_datafile_lock(path, cli->arena, &err) : -1;
    enum am_status s = AM_E_SYS;

    if (lock >= 0) {
        costs = load(cli, path);
        am_costs_learn(&costs, machine, &setup->plan);
        am_text_init(&text, AM_COSTS_BYTES_MAX);
        am_costs_write(&costs, &text);
        s = am_datafile_write(path, &text, cli->arena, &err);
        am_text_fini(&text);
        (void)close(lock);
    }
    if (s != AM_OK)
        am_log(AM_LOG_DEBUG, "costs are not kept: %s", path ? err.text : "no place for them");
}
