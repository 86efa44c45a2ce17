/* SPDX-License-Identifier: MIT */
/* The words of the command line: every option, each written once (commands.c has the commands). */
#include "cli/words/options.h"

#include "core/bench/plan.h"
#include "core/tune/saved_tuning.h"
#include "write/style.h"

#define BIT(command) (UINT64_C(1) << AM_CMD_##command)
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

enum {
    PLANNING = BIT(PLAN) | BIT(RUN) | BIT(SELFTEST),
    EXECUTING = BIT(TIME) | BIT(PROFILE) | BIT(OMP), /* a launch is one execution of a program */
    SETTINGS = PLANNING | BIT(EXPERIMENT) | BIT(STUDY),
    PROGRAMS = SETTINGS | EXECUTING, /* without samples and batches, of which programs have none */
    TUNED = SETTINGS | BIT(TUNE),
    MEASURING = BIT(RUN) | BIT(RESUME) | BIT(EXPERIMENT) | BIT(STUDY) | EXECUTING,
    TABLES = BIT(DOCTOR) | BIT(LIST) | BIT(PLAN) | BIT(RUN) | BIT(RESUME) | BIT(SHOW) |
             BIT(COMPARE) | BIT(CHECK) | BIT(MODEL) | BIT(EXPLAIN) | BIT(PREDICT) | BIT(SELFTEST) |
             BIT(ENERGY) | BIT(EXPERIMENT) | BIT(STUDY) | BIT(TUNE) | BIT(HISTORY) | BIT(MACHINES) |
             BIT(VERIFY) | BIT(RUNTIME) | BIT(MERGE) | EXECUTING,
    GRAPHS = MEASURING | BIT(SHOW) | BIT(EXPLAIN),
    COUNTING = BIT(PLAN) | BIT(RUN) | BIT(EXPERIMENT) | BIT(STUDY) | EXECUTING,
    ENERGETIC = MEASURING | BIT(PLAN),
    METERED = ENERGETIC | BIT(ENERGY) | BIT(TUNE),
    OWNING = BIT(LIST) | BIT(PLAN) | BIT(RUN) | BIT(RESUME) | BIT(TUNE),
    COMPARING = BIT(COMPARE) | BIT(CHECK) | BIT(SELFTEST),
};

const struct am_option am_option_table[] = {
    {
        .name = "param",
        .letter = 'p',
        .kind = AM_OPTION_LIST,
        .offset = FIELD(params),
        .argument = "AXIS=VALUES",
        .commands = PLANNING | BIT(TUNE),
        .help =
            "Values of an axis in place of the profile's: a list (a,b), a range (1:16, "
            "4K:1G:*2), or all, usable, best (the last usable "
            "one, of ranked choices only, as of isa). K, M, G, T (or k, KiB, MiB, GiB, TiB) are powers of 1024; cpus, cores, l1, "
            "l2, l3, memory, first and last (CPU numbers) stand for this machine's. May be "
            "repeated.",
    },
    {
        .name = "param",
        .letter = 'p',
        .kind = AM_OPTION_LIST,
        .offset = FIELD(params),
        .argument = "NAME=VALUES",
        .commands = BIT(TIME),
        .help = "Values that {NAME} in the commands takes in turn: a list (1,2,4; fast,small) or a "
                "range of numbers (1:16, 1:16:*2). A command without {NAME} is measured once. May "
                "be repeated: the product is measured.",
    },
    {
        .name = "param",
        .letter = 'p',
        .kind = AM_OPTION_LIST,
        .offset = FIELD(params),
        .argument = "runtime=NAME",
        .commands = BIT(OMP),
        .help = "The runtime whose overheads count, where the program's is neither libgomp nor the "
                "libomp of this build (runtime add).",
    },
    {
        .name = "warmup",
        .letter = 'w',
        .kind = AM_OPTION_NUMBER,
        .offset = FIELD(warmup),
        .argument = "N",
        .commands = BIT(TIME),
        .help = "Executions of each command before the first that counts (1).",
    },
    {
        .name = "prepare",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(prepare),
        .argument = "COMMAND",
        .commands = BIT(TIME),
        .help = "Run before every execution, not timed; may hold {NAME}.",
    },
    {
        .name = "cleanup",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(cleanup),
        .argument = "COMMAND",
        .commands = BIT(TIME),
        .help = "Run after every execution, not timed; may hold {NAME}.",
    },
    {
        .name = "ignore-failure",
        .letter = 'i',
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(ignore_failure),
        .commands = BIT(TIME),
        .help = "Measure commands whatever code they end with, which is stored as exit_code.",
    },
    {
        .name = "discard",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(discard),
        .commands = BIT(TIME),
        .help = "What commands print goes to /dev/null: nothing reads it, and nothing is kept.",
    },
    {
        .name = "sensitivity",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(sensitivity),
        .commands = BIT(TIME),
        .help =
            "Run each command, on half of the CPUs, beside what takes cache, memory bandwidth or "
            "CPU time from it, step by step, and say what it depends on.",
    },
    {
        .name = "quick",
        .kind = AM_OPTION_SET,
        .value = AM_PROFILE_QUICK,
        .offset = FIELD(profile),
        .commands = BIT(TIME),
        .help = "Five executions of each command, a minute for all.",
    },
    {
        .name = "standard",
        .kind = AM_OPTION_SET,
        .value = AM_PROFILE_STANDARD,
        .offset = FIELD(profile),
        .dflt = "standard",
        .commands = BIT(TIME),
        .help = "The default: 10 to 30 executions of each command, until the interval is within "
                "the target.",
    },
    {
        .name = "thorough",
        .kind = AM_OPTION_SET,
        .value = AM_PROFILE_THOROUGH,
        .offset = FIELD(profile),
        .commands = BIT(TIME),
        .help = "20 executions of each command.",
    },
    {
        .name = "launch-limit",
        .kind = AM_OPTION_TIME,
        .offset = FIELD(launch_limit_s),
        .argument = "TIME",
        .commands = EXECUTING,
        .help = "An execution that takes longer is killed, and has failed (10m).",
    },
    {
        .name = "quick",
        .kind = AM_OPTION_SET,
        .value = AM_PROFILE_QUICK,
        .offset = FIELD(profile),
        .commands = TUNED | BIT(PROFILE) | BIT(OMP),
        .help = "Few values and short batches: the whole default set in about a minute. The "
                "default where nothing is named.",
    },
    {
        .name = "standard",
        .kind = AM_OPTION_SET,
        .value = AM_PROFILE_STANDARD,
        .offset = FIELD(profile),
        .dflt = "standard",
        .commands = BIT(PLAN) | BIT(RUN) | BIT(EXPERIMENT) | BIT(STUDY) | BIT(PROFILE) | BIT(OMP),
        .help = "The default where benches are named: launches are added until the interval is "
                "within the target.",
    },
    {
        .name = "standard",
        .kind = AM_OPTION_SET,
        .value = AM_PROFILE_STANDARD,
        .offset = FIELD(profile),
        .commands = BIT(SELFTEST) | BIT(TUNE),
        .help = "The standard values instead of the quick ones.",
    },
    {
        .name = "thorough",
        .kind = AM_OPTION_SET,
        .value = AM_PROFILE_THOROUGH,
        .offset = FIELD(profile),
        .commands = TUNED | BIT(PROFILE) | BIT(OMP),
        .help = "More values, more launches, a narrower target.",
    },
    {
        .name = "budget",
        .kind = AM_OPTION_TIME,
        .offset = FIELD(budget_s),
        .argument = "TIME",
        .commands = PROGRAMS,
        .help = "Begin no launch after this time (30s, 5m, 1h; 0s: no limit).",
    },
    {
        .name = "budget",
        .kind = AM_OPTION_TIME,
        .offset = FIELD(budget_s),
        .argument = "TIME",
        .commands = BIT(TUNE),
        .help = "Time for each point; 18s in mode measure, none in the others (0s: no limit).",
    },
    {
        .name = "launches",
        .kind = AM_OPTION_COUNTS,
        .offset = FIELD(launches),
        .argument = "MIN[:MAX]",
        .commands = PROGRAMS | BIT(RESUME),
        .help =
            "Fresh processes per point; MIN alone fixes the count. With resume: so many in all.",
    },
    {
        .name = "samples",
        .kind = AM_OPTION_NUMBER,
        .offset = FIELD(samples),
        .argument = "N",
        .commands = SETTINGS,
        .help = "Timed batches per launch.",
    },
    {
        .name = "target",
        .kind = AM_OPTION_SHARE,
        .offset = FIELD(target),
        .argument = "SHARE",
        .commands = PROGRAMS,
        .help = "Half-width of the 95 % interval, relative to the median, at which a point is "
                "done (1%).",
    },
    {
        .name = "min-batch",
        .kind = AM_OPTION_TIME,
        .offset = FIELD(min_batch_s),
        .argument = "TIME",
        .commands = SETTINGS,
        .help = "Shortest timed batch (10ms).",
    },
    {
        .name = "launch-limit",
        .kind = AM_OPTION_TIME,
        .offset = FIELD(launch_limit_s),
        .argument = "TIME",
        .commands = TUNED,
        .help = "A worker that takes longer is killed and its point stored as failed (60s).",
    },
    {
        .name = "seed",
        .kind = AM_OPTION_NUMBER,
        .offset = FIELD(seed),
        .argument = "N",
        .commands = TUNED | EXECUTING,
        .help = "Seed of the order of launches and of their data; a fresh one by default. It is "
                "stored with the run.",
    },
    {
        .name = "tag",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(tag),
        .argument = "TEXT",
        .commands = BIT(RUN) | BIT(EXPERIMENT) | BIT(STUDY) | BIT(TUNE) | EXECUTING,
        .help = "A name for the run, stored and shown with it.",
    },
    {
        .name = "no-wait",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(no_wait),
        .commands = BIT(RUN) | BIT(TUNE) | BIT(TIME),
        .help = "Take the machine as it is: do not wait for a quiet moment (up to 10 s or a tenth "
                "of the budget), and do not repeat launches that were disturbed.",
    },
    {
        .name = "strict",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(strict),
        .commands = BIT(RUN) | BIT(TUNE) | BIT(TIME),
        .help = "Measure nothing on a busy machine: end with code 5 when no quiet moment came.",
    },
    {
        .name = "report",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(report),
        .commands = BIT(RUN) | BIT(TUNE),
        .help = "Write the report beside the results file, as the command report would.",
    },
    {
        .name = "mode",
        .kind = AM_OPTION_CHOICE,
        .offset = FIELD(tune_mode),
        .argument = "MODE",
        .dflt = "measure",
        .choices = am_tune_modes,
        .commands = BIT(TUNE),
        .help = "estimate: what the bench itself chooses; measure: a search by short launches; "
                "patient: every candidate.",
    },
    {
        .name = "for",
        .kind = AM_OPTION_CHOICE,
        .offset = FIELD(tune_for),
        .argument = "GOAL",
        .choices = am_tune_goals,
        .commands = BIT(TUNE),
        .help = "What is best: time (the bench's first metric), energy, or edp, energy times "
                "delay. Executors, threads, instruction sets and sizes of tasks that would have "
                "several values are searched too.",
    },
    {
        .name = "tuning",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(tuning),
        .argument = "FILE",
        .commands = TUNED | BIT(STENCIL),
        .help = "The file of tuned values, in place of the user's own.",
    },
    {
        .name = "no-tuning",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(no_tuning),
        .commands = SETTINGS,
        .help = "Use no tuned values: the bench chooses where an axis is left open.",
    },
    {
        .name = "trust",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(trust),
        .commands = BIT(RESUME) | BIT(EXPERIMENT) | BIT(STUDY) | BIT(TABLE),
        .help = "Do what the file says: run its commands, or write outside the working folder. "
                "Without it they are shown, and asked about on a terminal; what was agreed to "
                "once is not asked again.",
    },
    {
        .name = "force",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(force),
        .commands = BIT(EXPORT) | BIT(REPORT) | BIT(MODEL) | BIT(HISTORY) | BIT(TRACK) |
                    BIT(TABLE) | BIT(STENCIL) | BIT(STUDY),
        .help = "Replace a file that is there, also one that archmeter did not write.",
    },
    {
        .name = "joint-axes",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(joint_axes),
        .argument = "AXES",
        .commands = BIT(RUN),
        .help =
            "Given by archmeter-mpi: this is one machine's part of a run on several. AXES, with "
            "commas between, are those of the benches of all ranks: -p may set them though no "
            "bench here has them, and a pattern that no bench here matches is left out.",
    },
    {
        .name = "list",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(tuning_list),
        .commands = BIT(TUNE),
        .help = "Show the entries of the tuning file, those of other machines too.",
    },
    {
        .name = "forget",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(forget),
        .argument = "PATTERN",
        .commands = BIT(TUNE),
        .help = "Remove the entries whose bench, or whose whole line, matches (shell wildcards).",
    },
    {
        .name = "merge",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(merge),
        .argument = "FILE",
        .commands = BIT(TUNE),
        .help = "Take over the entries of another tuning file; of two for one point the more "
                "thorough stays, then the newer.",
    },
    {
        .name = "energy",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(energy),
        .commands = ENERGETIC,
        .help =
            "Measure energy beside time: every bench gets J, W, flop/s per watt and so on by each "
            "meter; batches last as long as the meters need.",
    },
    {
        .name = "meter",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(meter),
        .argument = "GLOB",
        .commands = METERED,
        .help = "Only these meters: PROVIDER or PROVIDER:ID (perf, powercap:package-0, nvml).",
    },
    {
        .name = "meter-command",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(meter_command),
        .argument = "WORDS",
        .commands = METERED,
        .help = "A program that prints watts each time it is run; no shell sees the words.",
    },
    {
        .name = "meter-scpi",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(meter_scpi),
        .argument = "PLACE",
        .commands = METERED,
        .help = "A bench power meter: tcp:HOST:PORT or tty:PATH[:SPEED].",
    },
    {
        .name = "meter-msr",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(meter_msr),
        .commands = METERED,
        .help = "Also read RAPL by the processor's registers (root; module msr).",
    },
    {
        .name = "meter-sys-cfg",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(meter_sys_cfg),
        .commands = METERED,
        .help = "ARM Versatile Express: write to the SYS_CFG registers through physical memory. On "
                "any other board this can do harm.",
    },
    {
        .name = "process-node",
        .kind = AM_OPTION_NUMBER,
        .offset = FIELD(process_nm),
        .argument = "NM",
        .commands = ENERGETIC,
        .help = "Feature size for process-normalised products, EDP/NM^s and ED2P/NM^(s+1).",
    },
    {
        .name = "process-exponent",
        .kind = AM_OPTION_NUMBER,
        .offset = FIELD(process_exponent),
        .argument = "S",
        .commands = ENERGETIC,
        .help = "The exponent s of --process-node (2 to 4; 3 unless given).",
    },
    {
        .name = "counters",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(counters),
        .argument = "EVENTS",
        .commands = COUNTING,
        .help =
            "Count hardware events by PAPI, in launches of their own: names with commas, or l2, "
            "l3 for accesses and misses of these caches.",
    },
    {
        .name = "counters-with-time",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(counters_with_time),
        .commands = COUNTING,
        .help = "Count in the timed launches; reading the counters then disturbs the times.",
    },
    {
        .name = "repeat",
        .letter = 'n',
        .kind = AM_OPTION_NUMBER,
        .offset = FIELD(repeat),
        .argument = "N",
        .commands = BIT(ENERGY),
        .help = "Execute the program N times; medians are shown.",
    },
    {
        .name = "interleave",
        .old = "ib",
        .kind = AM_OPTION_NUMBER,
        .offset = FIELD(interleave),
        .argument = "N",
        .commands = BIT(EXPERIMENT) | BIT(STUDY),
        .help =
            "Launches of one point in a row before the next point: 1, the default, visits every "
            "point once per round; 0 finishes each point before the next. Also written -ib N.",
    },
    {
        .name = "given",
        .kind = AM_OPTION_LIST,
        .offset = FIELD(given),
        .argument = "NAME=NUMBER",
        .commands = BIT(STUDY),
        .help = "A number that no machine states, such as a price, for the tables of the study "
                "that ask for NAME; kept with the run. show takes it too. May be repeated.",
    },
    {
        .name = "dry-run",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(dry_run),
        .commands = BIT(RUN) | BIT(EXPERIMENT) | BIT(STUDY) | BIT(TIME),
        .help = "Show what would be measured and how long it would take; run nothing.",
    },
    {
        .name = "db",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(database),
        .argument = "FILE",
        .commands = BIT(TABLE),
        .help = "The results file in place of the one that \"set db\" names.",
    },
    {
        .name = "output",
        .letter = 'o',
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(output),
        .argument = "FILE",
        .commands = BIT(STUDY),
        .help =
            "The results file that run makes, which must not exist yet (default: "
            "archmeter-YYYYMMDD-HHMMSS.db in the working directory); the page that show writes.",
    },
    {
        .name = "output",
        .letter = 'o',
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(output),
        .argument = "FILE",
        .commands = BIT(RUN) | BIT(EXPERIMENT) | BIT(TUNE) | EXECUTING,
        .help = "The results file; it must not exist yet. Default: "
                "archmeter-YYYYMMDD-HHMMSS.db in the working directory.",
    },
    {
        .name = "output",
        .letter = 'o',
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(output),
        .argument = "FILE",
        .commands = BIT(EXPORT) | BIT(STENCIL),
        .help = "Write to FILE instead of standard output; it appears complete or not at all.",
    },
    {
        .name = "output",
        .letter = 'o',
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(output),
        .argument = "FILE",
        .commands = BIT(MERGE),
        .help = "The new file; it must not exist yet.",
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
        .name = "output",
        .letter = 'o',
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(output),
        .argument = "FILE",
        .commands = BIT(REPORT),
        .help = "The page; by default beside the first file, with .html in place of .db. It "
                "appears complete or not at all.",
    },
    {
        .name = "output",
        .letter = 'o',
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(output),
        .argument = "FILE",
        .commands = BIT(COMPARE) | BIT(CHECK),
        .help = "Keep what is measured again in FILE instead of a temporary file.",
    },
    {
        .name = "output",
        .letter = 'o',
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(output),
        .argument = "FILE",
        .commands = BIT(HISTORY),
        .help = "Write the index page to FILE; it appears complete or not at all.",
    },
    {
        .name = "point",
        .kind = AM_OPTION_LIST,
        .offset = FIELD(points),
        .argument = "POINT",
        .commands = BIT(HISTORY),
        .help = "A line for every point of a bench that meets conditions: \"mem.latency size=32K "
                "pattern=random\". May be repeated.",
    },
    {
        .name = "svg",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(svg),
        .argument = "FIGURE",
        .commands = BIT(EXPORT),
        .help = "One figure of the report as SVG; list names those that the run has.",
    },
    {
        .name = "samples",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(raw_samples),
        .commands = BIT(EXPORT),
        .help = "Every raw sample instead of the summaries: csv, or json with one object per line.",
    },
    {
        .name = "provenance",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(provenance),
        .commands = BIT(SHOW),
        .help = "What measured instead of what was measured: commit, programs with their SHA-256, "
                "compilers, flags, libraries that were loaded, drivers, the system.",
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
        .name = "against",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(against),
        .argument = "BASE",
        .commands = BIT(RUN),
        .help = "Measure the points of BASE, an earlier run, with its settings, and compare with "
                "it. With --against-build or --against-env the base is measured again too, in "
                "turns, and these launches are compared. Nothing that BASE says is executed: only "
                "benches of this program are measured.",
    },
    {
        .name = "against-build",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(against_build),
        .argument = "DIR",
        .commands = BIT(RUN) | BIT(RESUME) | BIT(COMPARE) | BIT(CHECK),
        .help = "The base is another build: its worker programs are in DIR (a build folder, or "
                "where it is installed). Each point is measured by both, one after the other in "
                "drawn order, on the axis side (base, new).",
    },
    {
        .name = "against-env",
        .kind = AM_OPTION_LIST,
        .offset = FIELD(against_env),
        .argument = "NAME=VALUE",
        .commands = BIT(RUN) | BIT(RESUME) | BIT(COMPARE) | BIT(CHECK),
        .help = "The base is another setting: its launches have this environment variable, those "
                "of the new side do not. May be repeated.",
    },
    {
        .name = "cc",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(own_cc),
        .argument = "COMMAND",
        .commands = OWNING | BIT(RUNTIME),
        .help = "The compiler of the named source files, in place of CC, CXX or FC of the "
                "environment, or of cc, c++, gfortran.",
    },
    {
        .name = "flags",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(own_flags),
        .argument = "WORDS",
        .flags = true,
        .commands = OWNING | BIT(RUNTIME),
        .help = "Words for that compiler, behind CFLAGS (CXXFLAGS, FCFLAGS; -O2 without) and what "
                "the file itself says (archmeter-flags: ...).",
    },
    {
        .name = "library",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(library),
        .argument = "FILE",
        .commands = BIT(RUNTIME),
        .help = "The OpenMP library that serves the added runtime, in place of the one that the "
                "compiler's programs find.",
    },
    {
        .name = "against-source",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(against_source),
        .argument = "FILE",
        .commands = BIT(RUN) | BIT(RESUME),
        .help = "The base is another source file with benches of the same names: each point is "
                "measured by both, as with --against-build.",
    },
    {
        .name = "against-flags",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(against_flags),
        .argument = "WORDS",
        .flags = true,
        .commands = BIT(RUN) | BIT(RESUME),
        .help = "The base is the same file, or that of --against-source, with these words in place "
                "of --flags.",
    },
    {
        .name = "against-cc",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(against_cc),
        .argument = "COMMAND",
        .commands = BIT(RUN) | BIT(RESUME),
        .help = "The same with another compiler.",
    },
    {
        .name = "language",
        .kind = AM_OPTION_CHOICE,
        .offset = FIELD(language),
        .argument = "LANGUAGE",
        .dflt = "c",
        .choices = (const char *const[]){"c", "c++", "fortran", NULL},
        .commands = BIT(NEW),
        .help = "The language of the file.",
    },
    {
        .name = "language",
        .kind = AM_OPTION_CHOICE,
        .offset = FIELD(language),
        .argument = "LANGUAGE",
        .dflt = "c",
        .choices = (const char *const[]){"c", "opencl", "bench", NULL},
        .commands = BIT(STENCIL),
        .help =
            "What is written: C that depends on nothing, kernels of OpenCL C, or the whole bench "
            "that run measures, with start and verification.",
    },
    {
        .name = "type",
        .kind = AM_OPTION_CHOICE,
        .offset = FIELD(element_type),
        .argument = "TYPE",
        .dflt = "f64",
        .choices = (const char *const[]){"f32", "f64", NULL},
        .commands = BIT(STENCIL),
        .help = "The type of the elements: float or double. A bench has both.",
    },
    {
        .name = "loop",
        .kind = AM_OPTION_CHOICE,
        .offset = FIELD(loop),
        .argument = "LOOP",
        .dflt = "best",
        .choices = (const char *const[]){"best", "wave", "tiled", "fold", "all", NULL},
        .commands = BIT(STENCIL),
        .help =
            "Which loop is written as C: the one that tune found fastest here (where it was not "
            "asked, waves, or folds where these would be sweeps), a named one, or all.",
    },
    {
        .name = "rerun",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(rerun),
        .commands = BIT(COMPARE),
        .help = "Measure the rows that look changed again, both sides in turns, and decide them by "
                "these fresh pairs. Say with --against-build or --against-env what A is; where "
                "both sides are one build, B alone is measured again.",
    },
    {
        .name = "confirm",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(rerun),
        .commands = BIT(CHECK),
        .help = "Measure the rows that look changed again, both sides in turns, and decide them by "
                "these fresh pairs, as compare --rerun does.",
    },
    {
        .name = "record",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(record),
        .argument = "FOLDER",
        .commands = BIT(COMPARE) | BIT(CHECK),
        .help = "Earlier runs: where at least three of the same build on the same machine have a "
                "row, what they differ by is part of its interval, and one run per side decides. "
                "Default: archmeter/runs in XDG_DATA_HOME or ~/.local/share.",
    },
    {
        .name = "between",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(between),
        .argument = "AXIS=A,B",
        .commands = BIT(COMPARE) | BIT(CHECK),
        .help =
            "Compare within one run: the points that differ in this axis only, A being the base "
            "(runtime=libgomp,libomp). Several, separated by blanks, differ together "
            "(\"executor=omp-task,task:dbf runtime=libgomp,own\").",
    },
    {
        .name = "delta",
        .kind = AM_OPTION_SHARE,
        .offset = FIELD(delta),
        .argument = "SHARE",
        .dflt = "2%",
        .commands = COMPARING | BIT(REPORT) | BIT(RUN) | BIT(RESUME) | BIT(MODEL) | BIT(TIME),
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
        .help =
            "What makes the gate fail; each word includes those before it. A slower row ends "
            "with code 1, a suspect or undecided one (inconclusive) or one that is missing with code 4.",
    },
    {
        .name = "aa",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(aa),
        .commands = BIT(SELFTEST),
        .help =
            "Measure the quick set against itself, within a run and between runs: false verdicts, "
            "and planted effects that must be found.",
    },
    {
        .name = "runs",
        .kind = AM_OPTION_NUMBER,
        .offset = FIELD(runs),
        .argument = "N",
        .commands = BIT(SELFTEST),
        .help =
            "With --aa: so many runs, compared in turns. 6 by default; 1 compares the rounds of "
            "one run only.",
    },
    {
        .name = "record",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(record),
        .argument = "FOLDER",
        .commands = BIT(SELFTEST),
        .help = "With --aa: keep the runs in FOLDER, where compare --record finds them.",
    },
    {
        .name = "names",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(names),
        .commands = BIT(LIST),
        .help = "Print the names only, one per line.",
    },
    {
        .name = "axes",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(axis_names),
        .commands = BIT(LIST),
        .help = "Print the names of the axes only, one per line.",
    },
    {
        .name = "facts",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(facts),
        .commands = BIT(MODEL),
        .help = "Every fact with its interval and evidence, instead of the model in short; of "
                "several machines also those that do not differ.",
    },
    {
        .name = "output",
        .letter = 'o',
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(output),
        .argument = "FILE",
        .commands = BIT(MODEL),
        .help = "Write the model of one machine to FILE, which model and explain --on read again. "
                "It appears complete or not at all.",
    },
    {
        .name = "node",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(node),
        .argument = "NAME",
        .commands = BIT(MODEL) | BIT(EXPLAIN),
        .help = "Of a merged file only this machine.",
    },
    {
        .name = "on",
        .kind = AM_OPTION_WORDS,
        .offset = FIELD(on),
        .argument = "MODEL",
        .commands = BIT(EXPLAIN),
        .help =
            "What another machine would bound the points to: a file of model -o, or a run. A run "
            "without ceilings of its own (profile, experiment, time) is held against a MODEL of "
            "its own machine; --on is then given twice to predict for another.",
    },
    {
        .name = "on",
        .kind = AM_OPTION_WORDS,
        .offset = FIELD(on),
        .argument = "RUN",
        .commands = BIT(OMP),
        .help = "Take the overheads of this run of the same machine in place of measuring them.",
    },
    {
        .name = "on",
        .kind = AM_OPTION_WORDS,
        .offset = FIELD(on),
        .argument = "RUN",
        .commands = BIT(PREDICT),
        .help = "The run that measured the core: a results file, or a run by name (latest).",
    },
    {
        .name = "function",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(function),
        .argument = "NAME",
        .commands = BIT(PREDICT),
        .help = "Whose loops are predicted; needed unless FILE has only one function.",
    },
    {
        .name = "marked",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(marked),
        .commands = BIT(PREDICT),
        .help = "Predict the blocks that are marked by archmeter/block.h, or for IACA or OSACA.",
    },
    {
        .name = "graphs",
        .kind = AM_OPTION_CHOICE,
        .offset = FIELD(graphs),
        .argument = "WHEN",
        .dflt = "auto",
        .choices = color_words,
        .commands = GRAPHS,
        .help = "Bars, sparklines and heat maps beside the numbers; auto: on a terminal.",
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
        .help = "Print a shell script that remedies what it can, and how to undo it. archmeter "
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
        .help = "Format of the output.",
    },
    {
        .name = "format",
        .kind = AM_OPTION_CHOICE,
        .offset = FIELD(format),
        .argument = "FORMAT",
        .dflt = "json",
        .choices = format_words,
        .commands = BIT(EXPORT),
        .help = "Format of the output.",
    },
    {
        .name = "output",
        .letter = 'o',
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(output),
        .argument = "FILE",
        .commands = BIT(TRACK),
        .help = "The table of places; standard output by default. It appears complete or not at "
                "all.",
    },
    {
        .name = "frames",
        .kind = AM_OPTION_NUMBER,
        .offset = FIELD(frames),
        .argument = "N",
        .commands = BIT(TRACK),
        .help = "The first N frames only, frame 0 included. With --make: how many (10).",
    },
    {
        .name = "cells",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(cells),
        .argument = "FILE",
        .commands = BIT(TRACK),
        .help = "Begin with the cells of FILE (lines cell,x,y) instead of detecting them. With "
                "--make: how many cells (36).",
    },
    {
        .name = "band",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(band),
        .argument = "FIRST:LAST",
        .commands = BIT(TRACK),
        .help = "Rows in which cells are looked for. By default all; 166:306, the vessel of the "
                "video that is known from Rodinia, in frames of 640 x 480.",
    },
    {
        .name = "heaviside",
        .kind = AM_OPTION_CHOICE,
        .offset = FIELD(heaviside),
        .argument = "HOW",
        .dflt = "minmax",
        .choices = (const char *const[]){"atan", "minmax", NULL},
        .commands = BIT(TRACK),
        .help = "Weights of the flow: by the arc tangent, or by its limit, which is faster.",
    },
    {
        .name = "snake-stop",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(snake_stop),
        .argument = "PIXELS",
        .commands = BIT(TRACK),
        .help = "A contour rests when its centre and radii move less in one step, all together "
                "(0.01). With 0.1, the value of Rodinia's code, it falls behind cells that move.",
    },
    {
        .name = "threads",
        .kind = AM_OPTION_NUMBER,
        .offset = FIELD(threads),
        .argument = "N",
        .commands = BIT(TRACK),
        .help = "Threads, one per CPU; all CPUs by default. The outcome does not depend on it.",
    },
    {
        .name = "overlay",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(overlay),
        .argument = "DIR",
        .commands = BIT(TRACK),
        .help = "Also write each frame with its contours to DIR, as PNG and PGM.",
    },
    {
        .name = "svg",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(svg),
        .argument = "FILE",
        .commands = BIT(TRACK),
        .help = "Also write a plot of the tracks.",
    },
    {
        .name = "make",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(make),
        .commands = BIT(TRACK),
        .help = "Write a synthetic video to VIDEO instead of reading it: an AVI file of 640 x 480.",
    },
    {
        .name = "truth",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(truth),
        .argument = "FILE",
        .commands = BIT(TRACK),
        .help = "With --make: where the cells really are (frame,cell,x,y,r).",
    },
    {
        .name = "seed",
        .kind = AM_OPTION_NUMBER,
        .offset = FIELD(seed),
        .argument = "N",
        .commands = BIT(TRACK),
        .help = "With --make: another scene for each seed (1).",
    },
    {
        .name = "noise",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(noise),
        .argument = "GREY",
        .commands = BIT(TRACK),
        .help = "With --make: standard deviation of the noise, in grey values (3).",
    },
    {
        .name = "speed",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(speed),
        .argument = "PIXELS",
        .commands = BIT(TRACK),
        .help = "With --make: pixels per frame of the fastest cell (2).",
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
        .name = "machine",
        .kind = AM_OPTION_TEXT,
        .offset = FIELD(machine),
        .argument = "FILE",
        .commands = AM_OPTION_COMMANDS_ALL,
        .help = "Simulate the machine that FILE describes: its topology is planned for, and its "
                "workers answer with the times it would take; results are stamped synthetic.",
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
        .name = "ascii",
        .kind = AM_OPTION_FLAG,
        .offset = FIELD(ascii),
        .commands = AM_OPTION_COMMANDS_ALL,
        .help = "Plain ASCII in tables and graphics, as outside a UTF-8 locale.",
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
