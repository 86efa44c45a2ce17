/* SPDX-License-Identifier: MIT */
/* Command lines to be measured side by side, as an experiment (core/spec/spec.h).
 *
 * Each command line is a value of the variable `command` of one test whose exec is that variable;
 * parameters are further variables of the runs that use them. So a run of commands is an experiment
 * like any other: planned, interleaved, stored and resumed by the same code. Pure: nothing is
 * looked for, nothing is run. */
#ifndef AM_CORE_SPEC_COMMANDS_H
#define AM_CORE_SPEC_COMMANDS_H

#include "core/bench/plan.h"
#include "core/spec/spec.h"

#define AM_COMMANDS_AXIS "command"
#define AM_COMMANDS_COPY "copy"     /* tells the same command line, given several times, apart */
#define AM_COMMANDS_BESIDE "taken"  /* what is taken from it */
#define AM_COMMANDS_TEST "time"     /* the commands */
#define AM_COMMANDS_SHELL_TEST "sh" /* a shell that does nothing, where one starts commands */
#define AM_COMMANDS_KIND "experiment.kind" /* setting of a stored run */
#define AM_COMMANDS_KIND_TIME "time"
#define AM_COMMANDS_KIND_SENSITIVITY "sensitivity"

struct am_commands {
    struct am_strings lines;
    struct am_param *params; /* {axis} in a line is replaced by each of its values */
    size_t n_params;
    const char *prepare, *cleanup; /* NULL: none */
    unsigned warmup;
    bool any_code, discard;
    const char *beside; /* what is taken from each, with commas between; NULL: nothing */
};

/* What is taken step by step, of a machine whose largest cache has so many bytes. */
const char *am_commands_steps(uint64_t cache, struct am_arena *arena);

/* The text of the experiment. Braces that hold no parameter stay what they are. AM_E_USAGE for a
 * parameter that nothing uses, a name that is nearly one, a line of nothing. */
enum am_status am_commands_spec(const struct am_commands *commands, struct am_arena *arena,
                                const char **text, struct am_err *err);

#endif
