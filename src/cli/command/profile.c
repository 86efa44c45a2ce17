/* SPDX-License-Identifier: MIT */
/* archmeter profile: the regions of a marked program. */
#include "cli/run/experiment.h"
#include "cli/run/profile.h"

/* The first execution finds the regions and is a warm-up; it is not counted. */
static enum am_status load(const struct am_cli *cli, const struct am_symbol *symbols,
                           struct am_spec *out, struct am_err *err)
{
    const struct am_profiled program = {.words = cli->opt->operands};
    const char *const name = am_profile_test_name(&program, 0, cli->arena);
    struct am_marks marks = {0};
    struct am_text text;
    enum am_status s = name ? am_profile_learn(cli, &program, &marks, err)
                            : am_fail(err, AM_E_NOMEM, "no memory for the experiment");

    (void)symbols; /* a command line has no numbers of the machine */
    if (s != AM_OK)
        return s;
    am_profile_tell(&program, &marks);
    am_text_init(&text, AM_SPEC_TEXT_MAX);
    am_profile_add_program(&program, name, &text);
    am_profile_add_regions(&program, &marks, NULL, &text);
    s = am_profile_parse(cli, &program, &text, out, err);
    am_text_fini(&text);
    return s;
}

enum am_status am_cmd_profile(struct am_cli *cli, struct am_err *err)
{
    return am_experiment_run(cli, &(struct am_experiment_way){.load = load}, err);
}
