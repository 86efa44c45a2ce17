/* SPDX-License-Identifier: MIT */
/* The words of the command line: every command and every option, each written once. */
#include "cli/options.h"

#include "core/plan.h"
#include "report/style.h"

#include <limits.h>

#define BIT(command) (1u << AM_CMD_##command)
#define FIELD(member) offsetof(struct am_options, member)

static const char *const color_words[] = {
    [AM_COLOR_AUTO] = "auto", [AM_COLOR_ALWAYS] = "always", [AM_COLOR_NEVER] = "never", NULL};

static const char *const format_words[] = {
    [AM_FORMAT_TABLE] = "table", [AM_FORMAT_JSON] = "json", [AM_FORMAT_CSV] = "csv",
    [AM_FORMAT_MD] = "md",       [AM_FORMAT_TEX] = "tex",   [AM_FORMAT_COUNT] = NULL};

static const char *const fail_on_words[] = {
    [AM_FAIL_ON_SLOWER] = "slower",
    [AM_FAIL_ON_INCONCLUSIVE] = "inconclusive",
    [AM_FAIL_ON_MISSING] = "missing",
    NULL,
};

static const char *const shell_words[] = {"bash", "zsh", "fish", NULL};

enum {
    PLANNING = BIT(PLAN) | BIT(RUN) | BIT(SELFTEST),
    TABLES = BIT(DOCTOR) | BIT(LIST) | BIT(PLAN) | BIT(RUN) | BIT(RESUME) | BIT(SHOW) |
             BIT(COMPARE) | BIT(CHECK) | BIT(MODEL) | BIT(SELFTEST),
    COMPARING = BIT(COMPARE) | BIT(CHECK) | BIT(SELFTEST),
};

const struct am_option am_option_table[] = {
    {
        .name = "param",
        .letter = 'p',
        .kind = AM_OPTION_LIST,
        .offset = FIELD(params),
        .argument = "AXIS=VALUES",
        .commands = PLANNING,
        .help = "Values of an axis in place of the profile's: a list (a,b), a range (1:16, "
                "4K:1G:*2), or all, usable, best. K, M, G, T are powers of 1024; cpus, cores, l1, "
                "l2, l3, memory, first and last (CPU numbers) stand for this machine's. May be "
                "repeated.",
    },
    {
        .name = "quick",
        .kind = AM_OPTION_SET,
        .value = AM_PROFILE_QUICK,
        .offset = FIELD(profile),
        .commands = PLANNING,
        .help = "Few values and short batches: the whole default set in less than a minute.",
    },
    {
        .name = "standard",
        .kind = AM_OPTION_SET,
        .value = AM_PROFILE_STANDARD,
        .offset = FIELD(profile),
        .dflt = "standard",
        .commands = BIT(PLAN) | BIT(RUN),
        .help = "The default: launches are added until the interval is within the target.",
    },
    {
        .name = "standard",
        .kind = AM_OPTION_SET,
        .value = AM_PROFILE_STANDARD,
        .offset = FIELD(profile),
        .commands = BIT(SELFTEST),
        .help = "The standard values instead of the quick ones.",
    },
    {
        .name = "thorough",
        .kind = AM_OPTION_SET,
        .value = AM_PROFILE_THOROUGH,
        .offset = FIELD(profile),
        .commands = PLANNING,
        .help = "More values, more launches, a narrower target.",
    },
    {
        .name = "budget",
        .kind = AM_OPTION_TIME,
        .offset = FIELD(budget_s),
        .argument = "TIME",
        .commands = PLANNING,
        .help = "Begin no launch after this time (30s, 5m, 1h; 0s: no limit).",
    },
    {
        .name = "launches",
        .kind = AM_OPTION_COUNTS,
        .offset = FIELD(launches),
        .argument = "MIN[:MAX]",
        .commands = PLANNING,
        .help = "Fresh processes a point; MIN alone fixes the count.",
    },
    {
        .name = "samples",
        .kind = AM_OPTION_NUMBER,
        .offset = FIELD(samples),
        .argument = "N",
        .commands = PLANNING,
        .help = "Timed batches a launch.",
    },
    {
        .name = "target",
        .kind = AM_OPTION_SHARE,
        .offset = FIELD(target),
        .argument = "SHARE",
        .commands = PLANNING,
        .help = "Half-width of the 95 % interval, relative to the median, at which a point is "
                "done (1%).",
    },
    {
        .name = "min-batch",
        .kind = AM_OPTION_TIME,
        .offset = FIELD(min_batch_s),
        .argument = "TIME",
        .commands = PLANNING,
        .help = "Shortest timed batch (10ms).",
    },
    {
        .name = "launch-limit",
        .kind = AM_OPTION_TIME,
        .offset = FIELD(launch_limit_s),
        .argument = "TIME",
        .commands = PLANNING,
        .help = "A worker that takes longer is killed and its point stored as failed (60s).",
    },
    {
        .name = "seed",
        .kind = AM_OPTION_NUMBER,
        .offset = FIELD(seed),
        .argument = "N",
        .commands = PLANNING,
        .help = "Seed of the order of launches and of their data; a fresh one by default. It is "
                "stored with the run.",
    },
    {
        .name = "tag",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(tag),
        .argument = "TEXT",
        .commands = BIT(RUN),
        .help = "A name for the run, stored and shown with it.",
    },
    {
        .name = "output",
        .letter = 'o',
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(output),
        .argument = "FILE",
        .commands = BIT(RUN),
        .help = "The results file; it must not exist yet. Default: "
                "archmeter-YYYYMMDD-HHMMSS.db in the working directory.",
    },
    {
        .name = "output",
        .letter = 'o',
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(output),
        .argument = "FILE",
        .commands = BIT(EXPORT),
        .help = "Write to FILE instead of standard output; it appears complete or not at all.",
    },
    {
        .name = "output",
        .letter = 'o',
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(output),
        .argument = "FILE",
        .commands = BIT(SELFTEST),
        .help = "Keep the measurements in FILE instead of a temporary file.",
    },
    {
        .name = "samples",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(raw_samples),
        .commands = BIT(EXPORT),
        .help = "Every raw sample instead of the summaries: csv, or json with one object a line.",
    },
    {
        .name = "against",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(against),
        .argument = "BASE",
        .commands = BIT(CHECK),
        .help = "The results file to compare with, where only NEW is an operand.",
    },
    {
        .name = "delta",
        .kind = AM_OPTION_SHARE,
        .offset = FIELD(delta),
        .argument = "SHARE",
        .dflt = "2%",
        .commands = COMPARING,
        .help = "The smallest relative difference that matters.",
    },
    {
        .name = "all-metrics",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(all_metrics),
        .commands = BIT(COMPARE) | BIT(CHECK),
        .help = "Compare every metric instead of the first one of each bench.",
    },
    {
        .name = "fail-on",
        .kind = AM_OPTION_CHOICE,
        .offset = FIELD(fail_on),
        .argument = "WHAT",
        .dflt = "slower",
        .choices = fail_on_words,
        .commands = BIT(CHECK),
        .help = "What makes the gate fail; each word includes those before it. A slower row ends "
                "with code 1, an inconclusive one or one that is missing with code 4.",
    },
    {
        .name = "aa",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(aa),
        .commands = BIT(SELFTEST),
        .help = "Measure the quick set against itself and print the share of false verdicts.",
    },
    {
        .name = "names",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(names),
        .commands = BIT(LIST),
        .help = "Print the names only, one a line.",
    },
    {
        .name = "strict",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(strict),
        .commands = BIT(DOCTOR),
        .help = "End with code 1 when a check is at level error.",
    },
    {
        .name = "explain",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(explain),
        .argument = "ID",
        .commands = BIT(DOCTOR),
        .help = "Explain one check at length.",
    },
    {
        .name = "print-fix",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(print_fix),
        .commands = BIT(DOCTOR),
        .help = "Print a shell script that remedies what it can, and how to restore it. archmeter "
                "itself changes nothing.",
    },
    {
        .name = "noise",
        .kind = AM_OPTION_TIME,
        .offset = FIELD(noise_s),
        .argument = "TIME",
        .dflt = "2s",
        .commands = BIT(DOCTOR),
        .help = "Length of the noise probe; 0s leaves it out.",
    },
    {
        .name = "json",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(json),
        .commands = BIT(DOCTOR),
        .help = "The same as --format json.",
    },
    {
        .name = "format",
        .kind = AM_OPTION_CHOICE,
        .offset = FIELD(format),
        .argument = "FORMAT",
        .dflt = "table",
        .choices = format_words,
        .commands = TABLES,
        .help = "Form of the output.",
    },
    {
        .name = "format",
        .kind = AM_OPTION_CHOICE,
        .offset = FIELD(format),
        .argument = "FORMAT",
        .dflt = "json",
        .choices = format_words,
        .commands = BIT(EXPORT),
        .help = "Form of the output.",
    },
    {
        .name = "fsroot",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(fsroot),
        .argument = "DIR",
        .commands = AM_OPTION_COMMANDS_ALL,
        .help = "Read the machine's description below DIR instead of /; results are stamped "
                "synthetic.",
    },
    {
        .name = "color",
        .kind = AM_OPTION_CHOICE,
        .offset = FIELD(color),
        .argument = "WHEN",
        .dflt = "auto",
        .choices = color_words,
        .commands = AM_OPTION_COMMANDS_ALL,
        .help = "Colour on a terminal; NO_COLOR and TERM=dumb turn auto off.",
    },
    {
        .name = "quiet",
        .letter = 'q',
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(quiet),
        .commands = AM_OPTION_COMMANDS_ALL,
        .help = "No progress and no hints; warnings and errors only.",
    },
    {
        .name = "verbose",
        .letter = 'v',
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(verbose),
        .commands = AM_OPTION_COMMANDS_ALL,
        .help = "Say more.",
    },
    {
        .name = "help",
        .letter = 'h',
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(help),
        .commands = AM_OPTION_COMMANDS_ALL,
        .help = "Show help for the command and exit.",
    },
    {
        .name = "version",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(version),
        .commands = AM_OPTION_COMMANDS_ALL,
        .help = "Show the version and exit.",
    },
    {.name = NULL},
};

const struct am_command am_commands[AM_CMD_COUNT] = {
    [AM_CMD_DOCTOR] =
        {
            .name = "doctor",
            .summary = "what would disturb a measurement here; read-only",
            .operands = "",
            .description =
                "Checks frequency control, throttling, interference, CPU limits, topology, memory, "
                "kernel, virtualisation, energy sensors, the build, noise and the store. Each "
                "check is ok, warn, error or unknown: in a virtual machine or a container much "
                "cannot be seen, and that is not ok.\n\n"
                "Ends with code 0 whatever is found, unless --strict is given.",
        },
    [AM_CMD_LIST] =
        {
            .name = "list",
            .summary = "benches, axes, availability and why not",
            .operands = "[PATTERN...]",
            .description = "Lists the benches that match a PATTERN (shell wildcards over names), "
                           "all by default, and the workers that are not available, with the "
                           "reason. The name of one bench shows its axes, their values a profile, "
                           "and its metrics.",
            .operand = AM_OPERAND_BENCH,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_PLAN] =
        {
            .name = "plan",
            .summary = "what run would measure, and how long it would take",
            .operands = "[PATTERN...]",
            .description = "Takes the options of run, measures nothing and writes nothing. csv and "
                           "json (and --verbose) name every point.",
            .operand = AM_OPERAND_BENCH,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_RUN] =
        {
            .name = "run",
            .summary = "measure, store every sample, show the results",
            .operands = "[PATTERN...]",
            .description =
                "Measures the benches that match a PATTERN (shell wildcards over names), all by "
                "default. Every launch is a process of its own and is committed to the results "
                "file when it ends: an interrupted run keeps everything but the launch in flight, "
                "and resume finishes it.\n\n"
                "Ends with code 0 when every point was measured or skipped with its reason, 1 when "
                "some failed, 3 when none could be measured, 130 when interrupted.",
            .operand = AM_OPERAND_BENCH,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_RESUME] =
        {
            .name = "resume",
            .summary = "finish an interrupted run",
            .operands = "FILE",
            .description = "Measures what the run's plan still lacks, with the settings and the "
                           "seed stored in FILE. Codes as for run.",
            .operand = AM_OPERAND_FILE,
            .min_operands = 1,
            .max_operands = 1,
        },
    [AM_CMD_SHOW] =
        {
            .name = "show",
            .summary = "the results of a run",
            .operands = "FILE [PATTERN...]",
            .description =
                "One table a bench: the axes that vary, each metric's median with its spread, and "
                "what a reader should know (disturbed samples, two modes, why measuring stopped).",
            .operand = AM_OPERAND_FILE,
            .min_operands = 1,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_EXPORT] =
        {
            .name = "export",
            .summary = "the results of a run for other programs",
            .operands = "FILE [PATTERN...]",
            .description = "JSON by default; values in SI units, unscaled. --samples gives every "
                           "raw sample.",
            .operand = AM_OPERAND_FILE,
            .min_operands = 1,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_COMPARE] =
        {
            .name = "compare",
            .summary = "two runs side by side, with verdicts",
            .operands = "A B [PATTERN...]",
            .description =
                "Compares the launch medians of every point that both runs measured: "
                "Hodges-Lehmann ratio with its 95 % interval, Mann-Whitney U test, p adjusted for "
                "the number of rows. faster and slower: the interval lies wholly beyond delta and "
                "p is below 5 %. same: wholly within delta. Anything else is inconclusive. Ends "
                "with code 0, or 4 when nothing can be compared.",
            .operand = AM_OPERAND_FILE,
            .min_operands = 2,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_CHECK] =
        {
            .name = "check",
            .summary = "compare as a gate: fails when something became slower",
            .operands = "BASE NEW [PATTERN...] | NEW --against BASE [PATTERN...]",
            .description = "Ends with code 0 when nothing became slower, 1 when a row is slower, 4 "
                           "when nothing can be compared or --fail-on asks for more.",
            .operand = AM_OPERAND_FILE,
            .min_operands = 1,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_MODEL] =
        {
            .name = "model",
            .summary = "what a run's measurements say about the machine",
            .operands = "FILE",
            .description =
                "Facts derived from the results: each with its interval, what the system claims, "
                "and the evidence. A claim that the measurement denies is marked.",
            .operand = AM_OPERAND_FILE,
            .min_operands = 1,
            .max_operands = 1,
        },
    [AM_CMD_SELFTEST] =
        {
            .name = "selftest",
            .summary = "the instrument measured against itself",
            .operands = "[PATTERN...]",
            .description =
                "Without --aa: the engine's own cost (clock, an empty batch, a launch, storing "
                "samples) against its goals; code 1 when one is missed.\n\n"
                "With --aa: the quick set with twice the launches, even rounds compared with odd "
                "ones. Every verdict of faster or slower is false; code 1 when their share is "
                "above 5 %.",
            .operand = AM_OPERAND_BENCH,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_HELP] =
        {
            .name = "help",
            .summary = "this overview, or one command in full",
            .operands = "[COMMAND]",
            .description = "The same texts make the manual page (archmeter man).",
            .operand = AM_OPERAND_WORD,
            .max_operands = 1,
        },
    [AM_CMD_MAN] =
        {
            .name = "man",
            .summary = "the manual page in roff on standard output",
            .operands = "",
            .description = "Read it with: archmeter man | man -l -",
        },
    [AM_CMD_COMPLETION] =
        {
            .name = "completion",
            .summary = "a completion script for bash, zsh or fish",
            .operands = "SHELL",
            .description = "For example, in bash: source <(archmeter completion bash)",
            .words = shell_words,
            .operand = AM_OPERAND_WORD,
            .min_operands = 1,
            .max_operands = 1,
        },
    [AM_CMD_VERSION] =
        {
            .name = "version",
            .summary = "the version, how it was built, and its libraries",
            .operands = "",
            .description = "The first line is the same as that of --version.",
        },
};
