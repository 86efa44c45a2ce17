/* SPDX-License-Identifier: MIT */
/* archmeter compare, check: two runs side by side, and the same as a gate. */
#include "base/log.h"
#include "cli/cli.h"
#include "cli/run/comparing.h"
#include "cli/run/rerun.h"
#include "cli/run/setup.h"
#include "model/gate.h"

/* What is compared by the operands: the sides, and how many operands name them. */
static enum am_status load_pair(const struct am_cli *cli, struct am_pair *pair, struct am_err *err)
{
    const struct am_options *const opt = cli->opt;
    const struct am_strings *const operands = &opt->operands;
    const size_t files = opt->between || opt->against ? 1 : 2;
    const struct am_strings patterns = am_operands_from(opt, files);

    if (opt->between && opt->against)
        return am_fail(err, AM_E_USAGE,
                       "--between compares within one run, --against with another");
    if (operands->n < files)
        return am_fail(err, AM_E_USAGE, "%s",
                       opt->command == AM_CMD_CHECK
                           ? "check needs BASE and NEW, or NEW --against BASE, or one run and "
                             "--between AXIS=A,B"
                           : "compare needs A and B, or one run and --between AXIS=A,B");
    if (opt->between)
        return am_pair_within(cli, operands->items[0], opt->between, &patterns, pair, err);
    if (opt->against)
        return am_pair_files(cli, opt->against, operands->items[0], &patterns, pair, err);
    return am_pair_files(cli, operands->items[0], operands->items[1], &patterns, pair, err);
}

static enum am_status judge(struct am_cli *cli, struct am_comparison *comparison,
                            struct am_err *err)
{
    struct am_pair pair = {0};
    enum am_status status = load_pair(cli, &pair, err);

    if (status == AM_OK)
        status = am_pair_judge(cli, &pair, comparison, err);
    if (status == AM_OK && cli->opt->rerun)
        status = am_rerun(cli, &pair, comparison, err);
    if (status == AM_OK)
        am_pair_show(cli, &pair, comparison);
    return status;
}

enum am_status am_cmd_compare(struct am_cli *cli, struct am_err *err)
{
    struct am_comparison comparison = {0};
    const enum am_status status = judge(cli, &comparison, err);

    if (status == AM_OK && comparison.n == 0) {
        am_log(AM_LOG_WARN, "there is no point in common that both sides measured");
        cli->exit_code = AM_EXIT_INCONCLUSIVE;
    }
    return status;
}

enum am_status am_cmd_check(struct am_cli *cli, struct am_err *err)
{
    static const enum am_exit codes[] = {[AM_GATE_PASSED] = AM_EXIT_DONE,
                                         [AM_GATE_OPEN] = AM_EXIT_INCONCLUSIVE,
                                         [AM_GATE_FAILED] = AM_EXIT_FINDINGS};
    static const char *const words[] = {
        [AM_GATE_PASSED] = "passed", [AM_GATE_OPEN] = "not decided", [AM_GATE_FAILED] = "failed"};
    const struct am_gate_demands demands = {.decided = cli->opt->fail_on >= AM_FAIL_ON_INCONCLUSIVE,
                                            .complete = cli->opt->fail_on >= AM_FAIL_ON_MISSING};
    struct am_comparison comparison = {0};
    const char *why = "";
    enum am_gate gate;
    const enum am_status status = judge(cli, &comparison, err);

    if (status != AM_OK)
        return status;
    gate = am_gate_of(&comparison, &demands, cli->arena, &why);
    cli->exit_code = codes[gate];
    am_log(AM_LOG_INFO,
           "check: %s: %zu slower, %zu slower?, %zu suspects that look slower, %zu of %zu "
           "undecided, %zu missing",
           words[gate], comparison.count[AM_VERDICT_SLOWER],
           comparison.count[AM_VERDICT_MAYBE_SLOWER], comparison.slower_suspects,
           comparison.count[AM_VERDICT_UNDECIDED], comparison.n, comparison.n_missing);
    if (*why)
        am_log(AM_LOG_INFO, "check: %s", why);
    return AM_OK;
}
