/* SPDX-License-Identifier: MIT */
/* archmeter profile: the regions of a marked program. */
#include "cli/run/experiment.h"
#include "cli/run/profile.h"

/* The first execution finds the regions and is a warm-up; it is not counted. */
static enum am_status load(const struct am_cli *cli, const struct am_symbol *symbols,
                           struct am_spec *out, struct am_err *err)
{
    struct am_marks marks = {0};
    const enum am_status s = am_profile_learn(cli, &marks, err);

    (void)symbols; /* a command line has no numbers of the machine */
    return s == AM_OK ? am_profile_describe(cli, &marks, out, err) : s;
}

enum am_status am_cmd_profile(struct am_cli *cli, struct am_err *err)
{
    return am_experiment_run(cli, &(struct am_experiment_way){.load = load}, err);
}
