/* SPDX-License-Identifier: MIT */
/* From the options to the meters. */
#include "cli/run/meters.h"

#include "base/log.h"

enum { CPUS_MAX = 4096 };

struct am_meter_request am_meters_request(const struct am_cli *cli, const struct am_fsroot *root)
{
    const struct am_options *const opt = cli->opt;

    return (struct am_meter_request){.root = root,
                                     .only = opt->meter,
                                     .command = opt->meter_command,
                                     .scpi = opt->meter_scpi,
                                     .sys_cfg = opt->meter_sys_cfg,
                                     .msr = opt->meter_msr};
}

static struct am_energy_options rig_options(const struct am_cli *cli, const struct am_fsroot *root,
                                            int cpu)
{
    const struct am_options *const opt = cli->opt;

    return (struct am_energy_options){
        .meters = am_meters_request(cli, root),
        .cpu = cpu,
        .process_nm = opt->process_nm.given ? (double)opt->process_nm.value : 0,
        .process_exponent = opt->process_exponent.given ? (double)opt->process_exponent.value : 3,
    };
}

enum am_status am_meters_rig(const struct am_cli *cli, const struct am_fsroot *root, int cpu,
                             struct am_energy_rig **rig_p, struct am_err *err)
{
    const struct am_energy_options options = rig_options(cli, root, cpu);

    return am_energy_rig_open(&options, cli->arena, rig_p, err);
}

static double simulated_watts(const void *self, const struct am_point *point,
                              const struct am_work *work, double seconds)
{
    return am_sim_power_watts(self, point ? (double)am_point_threads(point) : 0,
                              work->flops / seconds,
                              (work->bytes_read + work->bytes_written) / seconds);
}

/* The meter of a simulated machine is its description. */
static enum am_status simulated_rig(const struct am_cli *cli, struct am_setup *setup,
                                    struct am_err *err)
{
    struct am_energy_options options = rig_options(cli, &setup->root, -1);
    struct am_energy_source *const source = am_arena_alloc(cli->arena, sizeof(*source));

    if (!source)
        return am_fail(err, AM_E_NOMEM, "no memory for the meters");
    *source = (struct am_energy_source){simulated_watts, &setup->simulated.power};
    options.source = source;
    return am_energy_rig_open(&options, cli->arena, &setup->energy, err);
}

/* The last CPU in the order of placement is the one that launches use least. */
static int spare_cpu(const struct am_setup *setup)
{
    int cpus[CPUS_MAX];
    const size_t n = am_topo_cpu_order(setup->topo, cpus, CPUS_MAX);

    return n ? cpus[n - 1] : -1;
}

enum am_status am_setup_energy(const struct am_cli *cli, struct am_setup *setup, struct am_err *err)
{
    enum am_status s;

    if (!cli->opt->energy)
        return AM_OK;
    s = setup->simulated.path && setup->simulated.power.static_w > 0
            ? simulated_rig(cli, setup, err)
            : am_meters_rig(cli, &setup->root, spare_cpu(setup), &setup->energy, err);
    if (s == AM_OK)
        s = am_energy_rig_extend(setup->energy, &setup->catalogue, cli->arena, err);
    return s;
}

/* Counting is tried in this process: a worker would say the same, launch after launch. */
enum am_status am_setup_counters(const struct am_cli *cli, struct am_setup *setup,
                                 struct am_err *err)
{
    struct am_counting *const counting = &setup->counting;
    struct am_counters *counters = NULL;
    enum am_status s;

    if (!cli->opt->counters)
        return AM_OK;
    counting->with_time = cli->opt->counters_with_time;
    s = am_counters_expand(cli->opt->counters, cli->arena, &counting->events, err);
    if (s == AM_OK)
        s = am_counters_open(&counting->events, &counters, err);
    am_counters_close(counters);
    if (s == AM_OK)
        s = am_counting_extend(counting, &setup->catalogue, cli->arena, err);
    return s;
}

/* Whoever waits for launches of half a minute should know why. */
static void tell_windows(const struct am_plan_settings *before, const struct am_plan_settings *now)
{
    const double window_s = (double)now->sampler.min_batch_ns * 1e-9;

    am_log(AM_LOG_INFO, "energy is measured in windows of %.2g s, as the meters need", window_s);
    if (now->sampler.samples < before->sampler.samples)
        am_log(AM_LOG_WARN, "the budget leaves room for %u such window%s per launch in place of %u",
               now->sampler.samples, now->sampler.samples == 1 ? "" : "s", before->sampler.samples);
}

void am_setup_stretch(const struct am_cli *cli, const struct am_setup *setup,
                      struct am_plan_settings *settings)
{
    const struct am_plan_settings before = *settings;

    if (setup->energy) {
        am_energy_rig_stretch(setup->energy, cli->opt->min_batch_s >= 0, settings);
        tell_windows(&before, settings);
    }
    if (setup->counting.events.n && !setup->counting.with_time)
        settings->max_launches *= 2; /* every other one has no times */
}
