/* SPDX-License-Identifier: MIT */
/* Options that decide what is measured beside time: kept with a run, so that resume measures the
 * same without being told. */
#ifndef AM_CLI_REMEMBER_H
#define AM_CLI_REMEMBER_H

#include "base/kv.h"
#include "cli/words/options.h"

/* Adds "option.NAME" for each of them that was given, and the numbers of --given. */
void am_options_keep(const struct am_options *options, struct am_arena *arena,
                     struct am_kvs *settings);

/* Adds the key PREFIX NAME with its number for each --given. */
void am_options_given(const struct am_options *options, struct am_arena *arena, const char *prefix,
                      struct am_kvs *out);

/* Sets those that are kept there, unless the command line gives the option itself. Texts point into
 * the settings. */
void am_options_recall(const struct am_kvs *settings, struct am_options *options);

#endif
