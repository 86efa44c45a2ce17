/* SPDX-License-Identifier: MIT */
/* The command line as data: one table of options and one of commands drive the parser, --help, the
 * man page and the shells' completion. */
#ifndef AM_CLI_OPTIONS_H
#define AM_CLI_OPTIONS_H

#include "base/arena.h"
#include "base/array.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum am_command_id {
    AM_CMD_DOCTOR,
    AM_CMD_LIST,
    AM_CMD_PLAN,
    AM_CMD_RUN,
    AM_CMD_RESUME,
    AM_CMD_SHOW,
    AM_CMD_EXPORT,
    AM_CMD_COMPARE,
    AM_CMD_CHECK,
    AM_CMD_MODEL,
    AM_CMD_MACHINES,
    AM_CMD_EXPLAIN,
    AM_CMD_PREDICT,
    AM_CMD_TUNE,
    AM_CMD_REPORT,
    AM_CMD_HISTORY,
    AM_CMD_TIME,
    AM_CMD_ENERGY,
    AM_CMD_EXPERIMENT,
    AM_CMD_STUDY,
    AM_CMD_PROFILE,
    AM_CMD_TABLE,
    AM_CMD_MERGE,
    AM_CMD_VERIFY,
    AM_CMD_TRACK,
    AM_CMD_SELFTEST,
    AM_CMD_NEW,
    AM_CMD_STENCIL,
    AM_CMD_RUNTIME,
    AM_CMD_OMP,
    AM_CMD_HELP,
    AM_CMD_MAN,
    AM_CMD_COMPLETION,
    AM_CMD_VERSION,
    AM_CMD_COUNT,
};

/* What a command's operands are, for completion. */
enum am_operand { AM_OPERAND_NONE, AM_OPERAND_BENCH, AM_OPERAND_FILE, AM_OPERAND_WORD };

struct am_command {
    const char *name;
    const char *summary;      /* one line, no full stop */
    const char *operands;     /* as written in the synopsis; "" when there are none */
    const char *description;  /* paragraphs parted by an empty line */
    const char *const *words; /* AM_OPERAND_WORD: what may be written; ended by NULL */
    enum am_operand operand;
    unsigned min_operands, max_operands;
    unsigned latest; /* runs that the command takes where none is named: the latest one, or the
                      * latest two; with one of two named, the latest is the other */
};

/* The table's order is the enumerators'. */
extern const struct am_command am_commands[AM_CMD_COUNT];

/* How an option's text becomes a value, and the type of the field it is written to. */
enum am_option_kind {
    AM_OPTION_FLAG,   /* bool; takes no argument */
    AM_OPTION_SET,    /* int: `value`; takes no argument; two different ones are an error */
    AM_OPTION_TEXT,   /* const char * */
    AM_OPTION_LIST,   /* struct am_strings of NAME=VALUE; may be repeated */
    AM_OPTION_WORDS,  /* struct am_strings; may be repeated */
    AM_OPTION_CHOICE, /* int: index into `choices` */
    AM_OPTION_NUMBER, /* struct am_number */
    AM_OPTION_COUNTS, /* struct am_counts: MIN[:MAX], both above zero */
    AM_OPTION_TIME,   /* double, seconds: "10ms", "5m"; negative when not given */
    AM_OPTION_SHARE,  /* double: "2%" or "0.02"; negative when not given */
};

struct am_option {
    const char *name; /* without the dashes; NULL ends the table */
    char letter;      /* 0: none */
    const char *old;  /* a name of more letters after one dash, as in -ib; NULL: none */
    enum am_option_kind kind;
    int value;                  /* AM_OPTION_SET */
    size_t offset;              /* of the field in struct am_options */
    const char *argument;       /* its name in the synopsis; NULL for flags */
    const char *dflt;           /* text that passes through the same parser; NULL: none */
    const char *const *choices; /* AM_OPTION_CHOICE, ended by NULL */
    bool flags;                 /* the argument is flags of another program: it may begin with - */
    uint64_t commands;          /* bit AM_CMD_*: the commands that have it; all bits: global */
    const char *help;
};

extern const struct am_option am_option_table[];

#define AM_OPTION_COMMANDS_ALL ((UINT64_C(1) << AM_CMD_COUNT) - 1)

struct am_number {
    bool given;
    uint64_t value;
};

struct am_counts {
    unsigned min, max; /* 0: not given */
};

/* When a terminal is dressed: on one, always, never. */
enum am_color { AM_COLOR_AUTO, AM_COLOR_ALWAYS, AM_COLOR_NEVER };
/* What makes `check` fail; each includes those before it. */
enum am_fail_on { AM_FAIL_ON_SLOWER, AM_FAIL_ON_INCONCLUSIVE, AM_FAIL_ON_MISSING };

/* Everything a command line can say. Texts point into argv or the arena. */
struct am_options {
    enum am_command_id command; /* AM_CMD_COUNT when none was written */
    struct am_strings operands;
    bool help, version, quiet, verbose;
    int color; /* enum am_color */
    bool ascii;
    int graphs; /* enum am_color */
    const char *fsroot, *machine;

    int format; /* enum am_format */
    const char *output;

    struct am_strings params; /* "axis=values" each */
    int profile;              /* enum am_profile */
    double budget_s, target, min_batch_s, launch_limit_s;
    struct am_counts launches;
    struct am_number samples, seed;
    const char *tag;
    bool no_wait;

    bool report;
    bool energy, meter_sys_cfg, meter_msr;
    const char *meter, *meter_command, *meter_scpi;
    const char *counters;
    bool counters_with_time;
    struct am_number process_nm, process_exponent, repeat;

    int tune_mode;      /* enum am_tune_mode */
    int tune_for;       /* enum am_tune_goal; -1: not said */
    const char *tuning; /* the file of tuned values */
    bool no_tuning;
    const char *joint_axes; /* NULL: not one machine's part of a run on several */
    bool tuning_list;
    const char *forget, *merge;

    struct am_number frames, threads;
    int heaviside;            /* enum am_mgvf_heaviside */
    const char *cells, *band; /* a file or a count; rows */
    const char *snake_stop, *overlay;
    bool make;
    const char *truth, *noise, *speed;

    const char *prepare, *cleanup;
    struct am_number warmup;
    bool ignore_failure, discard, sensitivity;

    bool dry_run;
    bool trust; /* what a file from elsewhere says may be done */
    bool force; /* outputs replace what is there */
    struct am_number interleave;
    struct am_strings given; /* NAME=NUMBER each, for the queries of a study */
    const char *database;

    bool raw_samples;
    bool provenance;
    const char *svg;          /* name of a figure */
    struct am_strings points; /* "BENCH CONDITIONS" each */
    double delta;
    bool all_metrics;
    const char *against, *between, *record;
    const char *against_build;      /* the base's workers; NULL: ours */
    struct am_strings against_env;  /* NAME=VALUE each, of the base's launches */
    const char *own_cc, *own_flags; /* of the files among the operands, of an added runtime */
    const char *library;            /* OpenMP library of an added runtime */
    const char *against_source;     /* the base's file; NULL: the same ones */
    const char *against_cc, *against_flags;
    int language;     /* of `new` and `stencil`: index of its word */
    int element_type; /* of `stencil`: enum am_emit_type */
    int loop;         /* of `stencil`: index of its word */
    bool rerun;
    struct am_number runs;
    int fail_on; /* enum am_fail_on */

    bool aa;
    bool names, axis_names;
    bool facts;
    const char *node;     /* a machine of a merged file */
    struct am_strings on; /* models to explain with */
    const char *function; /* whose loops are predicted */
    bool marked;          /* predict blocks that are marked in the code */
    bool strict, json, print_fix;
    const char *explain;
    double noise_s;
};

/* Parses argv[1..argc). Every word is checked; a story names the word and the nearest valid one
 * (AM_E_USAGE). Options without a command (--help, --version) are accepted. */
enum am_status am_options_parse(int argc, const char *const *argv, struct am_arena *arena,
                                struct am_options *out, struct am_err *err);

/* True when the command has the option. */
bool am_option_applies(const struct am_option *option, enum am_command_id command);
bool am_option_is_global(const struct am_option *option);
bool am_option_takes_argument(const struct am_option *option);

/* AM_CMD_COUNT when unknown. */
enum am_command_id am_command_find(const char *name);

/* "2%" or "0.02"; from 0 up to, not including, 1. */
bool am_parse_share(const char *text, double *share);

#endif
