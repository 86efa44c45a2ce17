/* SPDX-License-Identifier: MIT */
/* The metrics of energy. */
#include "conductor/energy_metrics.h"

#include <math.h>

static double energy_of(const struct am_energy_measured *m)
{
    return m->watts * m->window_s;
}

static double power_of(const struct am_energy_measured *m)
{
    return m->watts;
}

static double net_energy_of(const struct am_energy_measured *m)
{
    return (m->watts - m->idle_w) * m->window_s;
}

static double ratio_or_nan(double amount, double per)
{
    return per > 0 ? amount / per : NAN;
}

static double flops_per_watt_of(const struct am_energy_measured *m)
{
    return m->work->flops > 0 ? ratio_or_nan(m->work->flops, energy_of(m)) : NAN;
}

static double joule_per_byte_of(const struct am_energy_measured *m)
{
    return ratio_or_nan(energy_of(m), m->work->bytes_read + m->work->bytes_written);
}

static double joule_per_op_of(const struct am_energy_measured *m)
{
    return ratio_or_nan(energy_of(m), m->work->ops);
}

static double edp_of(const struct am_energy_measured *m)
{
    return energy_of(m) * m->seconds;
}

static double ed2p_of(const struct am_energy_measured *m)
{
    return energy_of(m) * m->seconds * m->seconds;
}

/* Seed 001, equations of section 2.4: the product divided by the feature size to a power. */
static double normalised_edp_of(const struct am_energy_measured *m)
{
    return m->process_nm > 0 ? edp_of(m) / pow(m->process_nm, m->process_exponent) : NAN;
}

static double normalised_ed2p_of(const struct am_energy_measured *m)
{
    return m->process_nm > 0 ? ed2p_of(m) / pow(m->process_nm, m->process_exponent + 1) : NAN;
}

const struct am_energy_kind am_energy_kinds[] = {
    {"energy", "J", AM_LOWER, energy_of, false, "of one iteration, idle power included"},
    {"power", "W", AM_LOWER, power_of, false, "mean over the batch"},
    {"net_energy", "J", AM_LOWER, net_energy_of, false, "beyond what the idle machine draws"},
    {"flops_per_watt", "flop/J", AM_HIGHER, flops_per_watt_of, false, "flop/s per watt"},
    {"joule_per_byte", "J/B", AM_LOWER, joule_per_byte_of, false, "read and written"},
    {"joule_per_op", "J", AM_LOWER, joule_per_op_of, false, "of what the bench counts"},
    {"edp", "J.s", AM_LOWER, edp_of, false, "energy times delay"},
    {"ed2p", "J.s^2", AM_LOWER, ed2p_of, false, "energy times delay squared"},
    {"edp_norm", "J.s/nm^s", AM_LOWER, normalised_edp_of, true, "process-normalised"},
    {"ed2p_norm", "J.s^2/nm^(s+1)", AM_LOWER, normalised_ed2p_of, true, "process-normalised"},
    {.name = NULL},
};
