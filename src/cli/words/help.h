/* SPDX-License-Identifier: MIT */
/* Texts made from the option and command tables: help, manual page, completion scripts, and (by
 * tools/reference) the reference page of the documentation. */
#ifndef AM_CLI_HELP_H
#define AM_CLI_HELP_H

#include "cli/words/options.h"

#include <stdio.h>

const char *am_cli_version(void);

void am_help_overview(FILE *out);
/* What somebody sees who types the name alone: at most 20 lines. */
void am_help_brief(FILE *out);
void am_help_command(enum am_command_id id, FILE *out);
void am_man_page(FILE *out);

/* `shell` is bash, zsh or fish; AM_E_USAGE names the nearest otherwise. */
enum am_status am_completion(const char *shell, FILE *out, struct am_err *err);

/* Everything there is to say of an option: help, choices, default. */
void am_option_text(const struct am_option *option, char *buf, size_t cap);

struct am_help_item {
    const char *name, *meaning; /* NULL ends a table */
};
extern const struct am_help_item am_environment_variables[];

struct am_exit_code {
    int code;
    const char *meaning; /* NULL ends the table */
};
extern const struct am_exit_code am_exit_codes[];

#endif
