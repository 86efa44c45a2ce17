/* SPDX-License-Identifier: MIT */
/* Consent to what a file from elsewhere would do here: commands that it would run.
 *
 * A results file keeps the experiment and the meters that it was measured with, and resume goes on
 * with them; an experiment file names programs. Both may come from anybody. So what would be run is
 * shown, and asked about on a terminal; elsewhere --trust is needed. What was agreed to once is not
 * asked again: a MAC of the text, by a random key that only this user can read, is kept in the data
 * folder (files `key` and `trusted`). Where there is no data folder everything is asked anew. */
#ifndef AM_CLI_CONSENT_H
#define AM_CLI_CONSENT_H

#include "base/array.h"
#include "base/kv.h"
#include "cli/cli.h"
#include "core/spec/spec.h"

struct am_consent {
    const char *file;       /* that says it */
    struct am_strings acts; /* what would be done, a line each; none: nothing is asked */
    size_t unshown;         /* acts that are too many, or too long, for a person to read here */
    struct am_strings text; /* all that decides what would be done: what the consent is bound to */
    bool broken;            /* memory was refused: nothing is agreed to */
};

/* Adds what an experiment would run. */
void am_consent_experiment(struct am_consent *c, const struct am_spec *spec,
                           struct am_arena *arena);
/* Adds one act, with the text that decides it. */
void am_consent_act(struct am_consent *c, struct am_arena *arena, const char *what,
                    const char *text);
/* Adds what resume would run because of the settings of a results file: the programs of its
 * experiment, and its meters. */
enum am_status am_consent_settings(struct am_consent *c, const struct am_kvs *settings,
                                   struct am_arena *arena, struct am_err *err);

/* Remembers the consent: of what this user says on the command line. */
void am_consent_give(const struct am_cli *cli, const struct am_consent *c);
/* AM_OK when it may be done; AM_E_USAGE when nobody agreed. */
enum am_status am_consent_get(const struct am_cli *cli, const struct am_consent *c,
                              struct am_err *err);

#endif
