/* SPDX-License-Identifier: MIT */
/* From a test of the experiment file and a point's values to command lines. */
#ifndef AM_BENCH_EXEC_COMMAND_H
#define AM_BENCH_EXEC_COMMAND_H

#include "bench/exec/program.h"
#include "core/spec/beside.h"
#include "core/spec/spec.h"

struct am_exec_marked;

/* One test of the experiment, as the hooks see it. */
struct am_exec_test {
    const struct am_spec *spec;
    const struct am_spec_test *test;
    struct am_spec_axes axes;
    struct am_exec_marked *marked; /* regions of its program (bench/exec/marked.h); NULL: none */
    const char *folder;            /* working directory of its programs */
    const char *set_cpufreq;       /* program that sets the clock; NULL: by sysfs, or not at all */
};

/* A point's values; texts[i] is what the label of axis i stands for, NULL: not set. */
struct am_exec_point {
    const struct am_exec_test *of;
    const char *texts[AM_AXES_MAX];
};

/* What a label of the point stands for. */
void am_exec_point_read(const struct am_exec_test *of, const struct am_value *values,
                        struct am_exec_point *out);
/* The text of the axis of that name; NULL: not set or no such axis. */
const char *am_exec_point_text(const struct am_exec_point *point, const char *axis);

/* The program with its arguments and environment; everything lives in the arena. */
enum am_status am_exec_command(const struct am_exec_point *point, struct am_arena *arena,
                               struct am_exec_program *out, struct am_err *err);
/* What is to run beside it; AM_E_ABSENT where the test says nothing. */
enum am_status am_exec_beside(const struct am_exec_point *point, struct am_arena *arena,
                              struct am_beside *out, struct am_err *err);
/* What `shell auto` runs, before its variables are put in. */
const char *am_exec_line(const struct am_exec_point *point);
/* What runs before and after an execution; AM_E_ABSENT where the test has none. */
enum am_status am_exec_prepare_command(const struct am_exec_point *point, struct am_arena *arena,
                                       struct am_exec_program *out, struct am_err *err);
enum am_status am_exec_cleanup_command(const struct am_exec_point *point, struct am_arena *arena,
                                       struct am_exec_program *out, struct am_err *err);
/* What an execution of the point does, as the test states it; nothing where it does not. */
enum am_status am_exec_work(const struct am_exec_point *point, struct am_arena *arena,
                            struct am_work *out, struct am_err *err);
/* The i-th build command; AM_E_ABSENT behind the last. Without `build` lines make is it, where the
 * folder has a makefile. */
enum am_status am_exec_build_command(const struct am_exec_point *point, size_t i,
                                     struct am_arena *arena, struct am_exec_program *out,
                                     struct am_err *err);

#endif
