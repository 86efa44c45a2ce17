/* SPDX-License-Identifier: MIT */
/* archmeter verify: whether a results file is as it was written. */
#include "cli/cli.h"
#include "cli/run/runs.h"
#include "document/verification.h"
#include "write/write.h"

#include <stdio.h>

enum am_status am_cmd_verify(struct am_cli *cli, struct am_err *err)
{
    struct am_verification verification = {.holds = false};
    const struct am_document document = am_document_verification(&verification);
    struct am_store *store = NULL;
    const char *path;
    enum am_status status = am_runs_resolve(cli->opt->operands.items[0], cli->arena, &path, err);

    if (status == AM_OK)
        status = am_store_open(path, false, &store, err);
    if (status == AM_OK)
        status = am_store_verify(store, cli->arena, &verification, err);
    am_store_close(store);
    if (status != AM_OK)
        return status;
    am_write(&document, &cli->style, cli->arena, stdout);
    if (!verification.holds)
        cli->exit_code = AM_EXIT_FINDINGS;
    else if (verification.seal.state != AM_SEAL_HOLDS)
        cli->exit_code = AM_EXIT_INCONCLUSIVE;
    return AM_OK;
}
