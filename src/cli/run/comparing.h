/* SPDX-License-Identifier: MIT */
/* Two sides of a comparison: loaded, judged and shown. What compare, check and run --against share.
 */
#ifndef AM_CLI_COMPARING_H
#define AM_CLI_COMPARING_H

#include "cli/cli.h"
#include "model/compare.h"

/* Two loaded sets by their names, and what comparing them can show. */
struct am_pair {
    struct am_result_set a, b; /* A is the base, B what is judged */
    const char *name_a, *name_b;
    enum am_basis basis;
    struct am_record record; /* earlier runs, where each side is one run */
    struct am_compare_settings settings;
};

/* A and B are a file or run by name each, or several parted by commas; only what the patterns name.
 */
enum am_status am_pair_files(const struct am_cli *cli, const char *a, const char *b,
                             const struct am_strings *patterns, struct am_pair *pair,
                             struct am_err *err);
/* Two values of one axis of one run, or of several: "AXIS=A,B", parted by blanks. */
enum am_status am_pair_within(const struct am_cli *cli, const char *run, const char *between,
                              const struct am_strings *patterns, struct am_pair *pair,
                              struct am_err *err);

/* Judges the rows by the options; am_pair_show() writes them to standard output. */
enum am_status am_pair_judge(const struct am_cli *cli, struct am_pair *pair,
                             struct am_comparison *out, struct am_err *err);
void am_pair_show(const struct am_cli *cli, const struct am_pair *pair,
                  const struct am_comparison *comparison);

#endif
