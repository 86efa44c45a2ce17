/* SPDX-License-Identifier: MIT */
/* archmeter machines: models of machines that are known. */
#include "cli/cli.h"
#include "cli/run/known.h"
#include "write/write.h"

#include <stdio.h>

enum am_status am_cmd_machines(struct am_cli *cli, struct am_err *err)
{
    struct am_known_machines known;
    const struct am_known_view view = {.known = &known, .folder = am_known_folder(cli->arena)};
    const struct am_document document = am_document_known(&view);
    const enum am_status status = am_known_load(cli, &known, err);

    if (status == AM_OK)
        am_write(&document, &cli->style, cli->arena, stdout);
    return status;
}
