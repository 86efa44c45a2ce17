/* SPDX-License-Identifier: MIT */
/* The experiment file: what to run, with which values, and how to read the results (grammar in
 * doc/guide/experiment.md). Parsing is pure: it reads no file, runs nothing, and bounds everything.
 */
#ifndef AM_CORE_SPEC_H
#define AM_CORE_SPEC_H

#include "base/arena.h"
#include "base/array.h"
#include "base/status.h"
#include "core/bench/axis.h"
#include "core/bench/bench.h"
#include "core/spec/place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    AM_SPEC_TEXT_MAX = 1024 * 1024, /* bytes of one file, and of all files together */
    AM_SPEC_DEPTH_MAX = 16,         /* files that include each other */
    AM_SPEC_RUNS_MAX = 4096,
    AM_SPEC_TESTS_MAX = 256,
    AM_SPEC_NAME_MAX = 40, /* of a test or a variable, terminator included */
};

#define AM_SPEC_REGION "region" /* the axis that `mark` lines make */

struct am_study;

/* A variable and the values that a run takes for it, in the order written. */
struct am_spec_variable {
    const char *name;
    struct am_strings values;
    struct am_spec_place place; /* of the latest assignment */
    bool declared;              /* by `variable`: may be unused */
};

struct am_spec_variables {
    struct am_spec_variable *items;
    size_t n;
};

struct am_spec_result {
    const char *name;
    const char *unit; /* SI */
    double scale;     /* from the unit the program prints to the SI unit */
    enum am_better better;
    const char *regex; /* POSIX extended; its first group is the number */
};

struct am_spec_results {
    struct am_spec_result *items;
    size_t n;
};

/* Who starts a program. */
enum am_spec_shell {
    AM_SPEC_DIRECT,     /* nobody but the worker: exec is one word, arguments are words */
    AM_SPEC_SHELL,      /* /bin/sh -c, with everything in one text */
    AM_SPEC_SHELL_AUTO, /* exec is a whole command line: the worker where that needs no shell, else
                         * /bin/sh -c. An exec that is a variable and nothing else has command lines
                         * for values, which may hold variables in their turn */
};

/* What is kept of a program's output. */
enum am_spec_printed {
    AM_SPEC_FIRST, /* the beginning, with the launch */
    AM_SPEC_LAST,  /* the end, as an attachment */
    AM_SPEC_NONE,  /* nothing: it goes to /dev/null */
};

/* What all runs of a test share. Words may hold {variable}. */
struct am_spec_test {
    const char *name;
    struct am_spec_place place;
    const char *path;         /* as written; NULL: the experiment file's folder, exec by $PATH */
    const char *exec;         /* NULL: the test is one of archmeter's own benches */
    struct am_strings args;   /* templates, one per word */
    struct am_strings builds; /* templates, one a command line */
    bool build_none;          /* `build none`: not even make */
    struct am_strings work;  /* templates of flops, bytes read, bytes written; n == 0: not stated */
    bool marked;             /* regions of the program are measured: `mark` lines */
    struct am_strings maybe; /* those of them that an execution need not enter: `maybe` lines */
    enum am_spec_shell shell;     /* of exec, build, prepare and cleanup */
    const char *prepare;          /* command line before each execution, not timed; NULL: none */
    const char *cleanup;          /* the same after it */
    unsigned warmup;              /* executions before the first one of a point that counts */
    const char *beside;           /* what runs beside it (core/spec/beside.h); NULL: nothing */
    bool any_code;                /* an exit code other than 0 is a result, not a failure */
    bool resources;               /* CPU time and memory are results */
    enum am_spec_printed printed; /* what is kept of the output */
    const char *iterations;       /* expression that finds the weight, or NULL */
    struct am_spec_results results;
    double expect_s; /* of one execution, for the estimate; 0: not said */
    bool fixed;      /* has a run: nothing above may change any more */
};

/* One `run`: the product of its variables' values. */
struct am_spec_run {
    size_t test; /* index */
    struct am_spec_place place;
    const char *testset;           /* NULL: none */
    const char *cpufreq;           /* MHz, decimal; NULL: as the machine is */
    struct am_strings env;         /* "NAME=TEMPLATE" each */
    const char *argv, *makeflags;  /* as written, "" when not given */
    struct am_spec_variables vars; /* a copy */
};

struct am_spec {
    const char *folder; /* absolute: paths are relative to it */
    struct am_spec_test *tests;
    size_t n_tests;
    struct am_spec_run *runs;
    size_t n_runs;
    unsigned reps;          /* launches of every point; 0: not said */
    struct am_study *study; /* core/spec/study.h; NULL: an experiment that is none */
    /* The same experiment as one file without includes, symbols and comments: it parses to the same
     * tests and runs, and is what a results file keeps. */
    const char *flat;
};

/* An included file; name and text live in the arena. */
struct am_spec_file {
    const char *name, *text;
    size_t len;
};

/* Finds the file that the file `from` includes as `name`. */
typedef enum am_status am_spec_load_fn(void *self, const char *name, const char *from,
                                       struct am_arena *arena, struct am_spec_file *out,
                                       struct am_err *err);

struct am_spec_source {
    const char *file;   /* for messages */
    bool quick;         /* lines that a study marks `quick` count, those marked `full` do not */
    const char *folder; /* absolute; a `folder` line, as the flat form has, replaces it */
    const char *text;
    size_t len;
    const struct am_symbol *symbols; /* numbers of this machine, for `axis`; may be NULL */
    am_spec_load_fn *load;           /* NULL: includes are refused */
    void *load_self;
};

/* AM_E_USAGE with "FILE:LINE: ..." for whatever is wrong; in a study the column follows the line.
 */
enum am_status am_spec_parse(const struct am_spec_source *source, struct am_arena *arena,
                             struct am_spec *out, struct am_err *err);

/* ---- words and templates ---- */

/* Splits at blanks; "..." and '...' keep blanks together, without any other meaning. False, with
 * the reason, on an open quote. */
bool am_spec_split(const char *text, struct am_arena *arena, struct am_strings *out,
                   const char **why);

/* Calls `fn` for every {name} of a template; false, with the reason, when it is malformed. */
typedef bool am_spec_name_fn(void *self, const char *name);
bool am_spec_template_names(const char *text, am_spec_name_fn *fn, void *self, const char **why);
/* The text with every {name} replaced by what `value_of` says (NULL: nothing), "{{" by "{" and "}}"
 * by "}". NULL without memory. */
typedef const char *am_spec_value_fn(const void *self, const char *name);
const char *am_spec_expand(const char *text, am_spec_value_fn *value_of, const void *self,
                           struct am_arena *arena);

/* Whether a shell has to see the command line: pipes, redirections, variables and patterns outside
 * of quotes, commands that only a shell has. Words that am_spec_split() makes suffice otherwise. */
bool am_spec_needs_shell(const char *line);
/* Whether the template is "{name}" and nothing else; the name goes to `name`. */
bool am_spec_is_variable(const char *text, char name[AM_SPEC_NAME_MAX]);

/* Whether the test's program prints a result of that name itself. */
bool am_spec_prints(const struct am_spec_test *test, const char *result);

/* "2*1000*1000", as `work` has it with its variables replaced; false when it is no product of
 * numbers from 0 on. */
bool am_spec_product(const char *text, double *out);

/* A duration or rate as programs print it in SI: "ms" is 1e-3 "s". Unknown units are themselves. */
void am_spec_unit(const char *word, const char **unit, double *scale);

/* ---- results that tests have beside those that their programs print ----
 * One that a program prints by the same name takes its place. */

#define AM_SPEC_TIME "time"
#define AM_SPEC_ITERATIONS "iterations"
#define AM_SPEC_CPU "cpu" /* of `resources`: user + system */
#define AM_SPEC_USER "user"
#define AM_SPEC_SYSTEM "system"
#define AM_SPEC_MEMORY "memory"
#define AM_SPEC_CODE "exit_code"          /* of `codes any` */
#define AM_SPEC_TAKEN_RATE "taken_rate"   /* of `beside`: bytes per second that it moved */
#define AM_SPEC_TAKEN_SHARE "taken_share" /* CPU time that it had, of the time there was */
enum { AM_SPEC_OWN_RESULTS = 9 };

/* What a launch says it was done with (am_ctx_chosen()), and attaches. */
#define AM_SPEC_TYPED "typed"         /* `shell auto`: the command line with its values */
#define AM_SPEC_STARTER "starter"     /* the same: who started it */
#define AM_SPEC_STARTER_SHELL "sh"    /* /bin/sh -c, whose start is in the time */
#define AM_SPEC_STARTER_NONE "direct" /* nobody */
#define AM_SPEC_FLOOR "memory_floor"  /* `resources`: memory is never told as less, bytes */
#define AM_SPEC_OUTPUT "output"       /* `printed last`: the attachment */

/* ---- axes ---- */

/* A test's parameters as axes: its variables, then testset, cpufreq, env, argv and makeflags where
 * its runs give any or differ in them. An axis value is a label: the value itself where that is a
 * word of at most 63 bytes, else a like word. */
struct am_spec_axis {
    const char *name;
    const char **labels; /* distinct */
    const char **texts;  /* parallel: what the label stands for; NULL: not set */
    size_t n;
    bool numbers; /* all labels are canonical whole numbers */
};

struct am_spec_axes {
    struct am_spec_axis items[AM_AXES_MAX];
    size_t n;
    size_t n_variables; /* the first ones are the test's variables */
};

/* AM_E_USAGE with the place when there are too many axes or values. */
enum am_status am_spec_axes_of(const struct am_spec *spec, size_t test, struct am_arena *arena,
                               struct am_spec_axes *out, struct am_err *err);
/* The labels of one run's values of an axis, joined by commas; NULL without memory. */
const char *am_spec_run_labels(const struct am_spec_axes *axes, size_t axis,
                               const struct am_spec_run *run, struct am_arena *arena);

#endif
