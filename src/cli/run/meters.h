/* SPDX-License-Identifier: MIT */
/* From the options to the meters: the part that run, resume and energy share. */
#ifndef AM_CLI_METERS_H
#define AM_CLI_METERS_H

#include "cli/cli.h"
#include "cli/run/setup.h"
#include "conductor/energy.h"

/* What the options ask of the meters. */
struct am_meter_request am_meters_request(const struct am_cli *cli, const struct am_fsroot *root);

/* The meters that the options name, being read. `cpu` is where the sampler belongs. */
enum am_status am_meters_rig(const struct am_cli *cli, const struct am_fsroot *root, int cpu,
                             struct am_energy_rig **rig_p, struct am_err *err);

/* With --energy, after am_setup_open(): opens the rig and lets every bench have its metrics.
 * Without it, nothing. A run with --energy and no usable meter is refused before anything is
 * measured. */
enum am_status am_setup_energy(const struct am_cli *cli, struct am_setup *setup,
                               struct am_err *err);

/* With --counters, after am_setup_energy(): looks whether the events can be counted here, and lets
 * every bench have their metrics. A run whose events cannot be counted is refused. */
enum am_status am_setup_counters(const struct am_cli *cli, struct am_setup *setup,
                                 struct am_err *err);

/* What energy and counters change in the settings of a fresh plan. */
void am_setup_stretch(const struct am_cli *cli, const struct am_setup *setup,
                      struct am_plan_settings *settings);

#endif
