/* SPDX-License-Identifier: MIT */
/* A marked program as an experiment: it is executed once to learn its regions, and then described
 * by the text of an experiment file with a `mark` line per region. */
#ifndef AM_CLI_PROFILE_H
#define AM_CLI_PROFILE_H

#include "base/text.h"
#include "cli/cli.h"
#include "core/marks/marks.h"
#include "core/spec/spec.h"

enum { AM_PROFILE_REGIONS_MAX = 500 /* that are measured: those with the most time */ };

/* The program that is executed, with its arguments. */
struct am_profiled {
    struct am_strings words;
    const char *environment; /* "NAME=VALUE", added to it; NULL: nothing is */
    bool maybe;              /* executions need not enter all regions */
};

/* Executes the program. AM_E_WRONG when it fails. */
enum am_status am_profile_learn(const struct am_cli *cli, const struct am_profiled *program,
                                struct am_marks *out, struct am_err *err);
/* Says on stderr what is remarkable about its marks. */
void am_profile_tell(const struct am_profiled *program, const struct am_marks *marks);

/* The end of the program's path, of the letters that a test's name may have, with room for an
 * ending of so many bytes; NULL without memory. */
const char *am_profile_test_name(const struct am_profiled *program, size_t ending,
                                 struct am_arena *arena);
/* Adds a test of that name with the program's command line. */
void am_profile_add_program(const struct am_profiled *program, const char *name,
                            struct am_text *text);
/* Adds its regions, `more` that this execution had not (NULL: none), its environment and a run. */
void am_profile_add_regions(const struct am_profiled *program, const struct am_marks *marks,
                            const struct am_strings *more, struct am_text *text);
/* The experiment that was written. */
enum am_status am_profile_parse(const struct am_cli *cli, const struct am_profiled *program,
                                const struct am_text *text, struct am_spec *out,
                                struct am_err *err);

#endif
