/* SPDX-License-Identifier: MIT */
/* The record of earlier runs: results files of one folder. */
#ifndef AM_CLI_RECORD_H
#define AM_CLI_RECORD_H

#include "cli/cli.h"
#include "model/record.h"

/* --record, else archmeter/runs in $XDG_DATA_HOME or ~/.local/share; NULL when nobody says where.
 */
const char *am_record_folder(const struct am_cli *cli);

/* The runs of that folder, the latest first and AM_RECORD_MOST at most, that may stand beside A, or
 * beside B where A has too few. A folder that is not there is no record; one that was asked for by
 * --record and is not there is an error. */
enum { AM_RECORD_MOST = 20 };
enum am_status am_record_load(const struct am_cli *cli, const struct am_result_set *a,
                              const struct am_result_set *b, struct am_record *out,
                              struct am_err *err);

#endif
