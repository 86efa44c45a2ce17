/* SPDX-License-Identifier: MIT */
/* A program that is measured: started, heard to its end, never through a shell unless asked. */
#ifndef AM_BENCH_EXEC_PROGRAM_H
#define AM_BENCH_EXEC_PROGRAM_H

#include "base/child.h"
#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct am_exec_program {
    const char *const
        *argv;          /* ended by NULL; the first is looked for in $PATH unless it has a '/' */
    const char *folder; /* working directory */
    const char *const *env; /* "NAME=VALUE" each, added to the environment */
    size_t n_env;
    const int *cpus; /* that it may use; n_cpus == 0: all of this process */
    size_t n_cpus;
    bool discard;    /* what it prints goes to /dev/null */
    bool any_code;   /* it may end with any code, or by a signal */
    bool keeps_last; /* of its output the end is kept, not the beginning */
};

struct am_exec_end {
    uint64_t elapsed_ns; /* from before the fork until it was reaped */
    int code;            /* as a shell says it */
    struct am_child_usage usage;
    struct am_text output; /* stdout and stderr as they came, a MiB of it; am_text_fini() */
};

/* Waits for the end. AM_E_WRONG with the reason and the last line of output when it cannot be
 * started, ends by a signal or with a code other than 0 (unless any is good). `end` is filled in
 * any case. */
enum am_status am_exec_program_run(const struct am_exec_program *program, struct am_exec_end *end,
                                   struct am_err *err);

#endif
