/* SPDX-License-Identifier: MIT */
/* The words of the command line: every command, with its texts and operands. */
#include "cli/words/options.h"

#include <limits.h>

static const char *const new_words[] = {"bench", NULL};
static const char *const stencil_words[] = {"export", NULL};
static const char *const study_words[] = {"run", "plan", "check", "show", NULL};
static const char *const runtime_words[] = {"add", "list", "remove", NULL};
static const char *const omp_words[] = {"cost", NULL};
static const char *const shell_words[] = {"bash", "zsh", "fish", NULL};

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
            .operands = "[PATTERN|FILE...]",
            .description =
                "Lists the benches that match a PATTERN (shell wildcards over names), "
                "all by default, and the workers that are not available, with the "
                "reason. The name of one bench shows its axes, their values in each profile, "
                "and its metrics. A FILE is a source file with benches of your own, as for run.",
            .operand = AM_OPERAND_BENCH,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_PLAN] =
        {
            .name = "plan",
            .summary = "what run would measure, and how long it would take",
            .operands = "[PATTERN|FILE...]",
            .description = "Takes the options of run, measures nothing and writes nothing. csv and "
                           "json (and --verbose) name every point.",
            .operand = AM_OPERAND_BENCH,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_RUN] =
        {
            .name = "run",
            .summary = "measure, store every sample, show what it came to",
            .operands = "[PATTERN|FILE...]",
            .description =
                "Measures the benches that match a PATTERN (shell wildcards over names). Without one "
                "it is the quick set, in about a minute; --standard measures everything. It ends "
                "with what everybody asks of a machine on one screen; show has the tables, as -v "
                "has. Every launch is a process of its own and is committed to the results "
                "file when it ends: an interrupted run keeps everything but the launch in flight, "
                "and resume finishes it.\n\n"
                "A FILE is a source file with benches of your own (./kernel.c; C, C++ and Fortran), "
                "the description of a stencil (heat.sten), an object, a library, or a folder of "
                "them: it is compiled, and its benches are measured like any other. new bench writes "
                "one to begin with.\n\n"
                "Ends with code 0 when every point was measured or skipped with its reason, 1 when "
                "some failed, 3 when none could be measured, 130 when interrupted.",
            .operand = AM_OPERAND_BENCH,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_RESUME] =
        {
            .name = "resume",
            .summary = "finish an interrupted run, or add launches to it",
            .operands = "FILE [SOURCE...]",
            .description =
                "Measures what the run's plan still lacks, with the settings and the "
                "seed stored in FILE. With --launches a finished run is gone on with, too: "
                "points that have fewer get more, and an interrupted call is finished by "
                "the same words. Benches of your own are those that were compiled "
                "for the run; name their SOURCEs again where these are gone. Codes as "
                "for run.",
            .operand = AM_OPERAND_FILE,
            .min_operands = 1,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_SHOW] =
        {
            .name = "show",
            .summary = "the results of a run",
            .operands = "[FILE] [PATTERN...]",
            .description =
                "One table per bench: the axes that vary, each metric's median with its spread, and "
                "what a reader should know (disturbed samples, two modes, why measuring stopped). On a "
                "terminal also bars, sparklines and heat maps. Of a bench with more than 48 points it "
                "says how many there are, how good they are, and the slowest; a PATTERN or --verbose "
                "has all.\n\n"
                "FILE is a results file, or a run of the working directory by name: latest, "
                "latest~1 (the one before), a tag, TAG~1. So it is for every command that reads "
                "one; show, model, explain, report and compare take the latest where none is "
                "named.",
            .operand = AM_OPERAND_FILE,
            .latest = 1,
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
            .operands = "[A [B [PATTERN...]]] | [A] --between AXIS=A,B [PATTERN...]",
            .description =
                "Compares the launch medians of every point that both runs measured: ratio with its "
                "95 % interval, Welch's t test against delta, p adjusted for the number of rows. "
                "faster? and slower?: beyond delta between these two runs; without the question "
                "mark where both sides were measured in turns. suspect: beyond delta if it were the "
                "only row. same: shown to be within delta. Anything else is undecided. Ends with "
                "code 0, or 4 when nothing can be compared.\n\n"
                "A and B are files, or runs of the working directory by name: latest, latest~1, a "
                "tag, TAG~1 (the one before with that tag). B is the latest where only A is "
                "named, and A the one before it where neither is. Several runs per side, at least "
                "three, are parted by commas: A1,A2,A3 B1,B2,B3. The run is the unit then; measure "
                "them in turns.",
            .operand = AM_OPERAND_FILE,
            .latest = 2,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_CHECK] =
        {
            .name = "check",
            .summary = "compare as a gate: fails when something became slower",
            .operands = "BASE NEW [PATTERN...] | NEW --against BASE [PATTERN...] | RUN --between "
                        "AXIS=A,B [PATTERN...]",
            .description =
                "Ends with code 1 when a row is slower; with 4 when a row looks slower beyond delta "
                "and is not decided (slower?, suspect, undecided), when a row of BASE is missing in "
                "NEW, when nothing can be compared or --fail-on asks for more; and with 0 else. "
                "--confirm measures again what was flagged, and decides it by fresh pairs.",
            .operand = AM_OPERAND_FILE,
            .min_operands = 1,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_MODEL] =
        {
            .name = "model",
            .summary = "what a run's measurements say about the machine",
            .operands = "[FILE [OTHER...]] | [FILE] -o MODEL",
            .description =
                "The machine as it was measured: core, caches, memory, ways between cores, "
                "scaling, each beside what the system claims; what contradicts the claims; and "
                "guidelines with their evidence and the command that shows it again. --facts gives "
                "every number with interval and evidence, as json and csv do.\n\n"
                "FILE is a run, or a machine model that -o wrote. Of a merged file each machine "
                "has its own model, after the facts in which they differ. With OTHERs every one "
                "is compared with FILE, fact by fact: different? where the intervals lie apart "
                "beyond doubt, same where they are shown to be within delta, undecided else. Ends "
                "with code 4 when they have no fact in common.",
            .operand = AM_OPERAND_FILE,
            .latest = 1,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_MACHINES] =
        {
            .name = "machines",
            .summary = "machines that are known, each by its measured model",
            .operands = "",
            .description =
                "Models shipped with the program, and those of the folder archmeter/machines in "
                "XDG_DATA_HOME (~/.local/share), where model RUN -o FOLDER/NAME.json adds one: what "
                "each machine reaches, when and of which run it was made. model places a machine "
                "among them.",
        },
    [AM_CMD_EXPLAIN] =
        {
            .name = "explain",
            .summary = "measured against the machine's bounds, and what to try next",
            .operands = "[FILE] [PATTERN...]",
            .description =
                "For every point that computes or moves bytes: the bound by the ceilings that "
                "cpu.flops, mem.bandwidth and the benches of OpenCL memory measured in the same "
                "run, the share of it that was reached, the resource that limits, and the next "
                "thing to try; for app.leukocyte also an analysis in prose. Of a merged file each "
                "machine by its own ceilings. Ends with code 1 when a point lies above its bound: "
                "there the model is wrong.\n\n"
                "With --on MODEL a prediction: what that machine would bound the points to, and "
                "what to expect there if they come as near to their bound as here. A run that "
                "measured no ceilings (profile, experiment) takes those of a MODEL of its own "
                "machine; a second --on then predicts for another.",
            .operand = AM_OPERAND_FILE,
            .latest = 1,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_PREDICT] =
        {
            .name = "predict",
            .summary = "cycles of a function's loops, and what limits them",
            .operands = "FILE",
            .description =
                "FILE is an object file, a library (.so, .a) or a program of x86-64 or AArch64. Every innermost loop of "
                "the function that --function names is held against what a run measured: cpu.ports "
                "and cpu.mix (which resources instructions share), cpu.chain or cpu.instr (latencies). Said are "
                "the cycles per iteration, the resource or the chain that limits, the pressure on "
                "every resource, and what stands for each instruction; one that was measured "
                "neither itself nor by its like is unknown, and makes the prediction a lower bound. "
                "Data are taken to be in the first-level cache; where the run has mem.bandwidth, a "
                "table says what the bytes of an iteration add from each level behind it. With "
                "--marked the blocks between marks take the place of a function's loops.\n\n"
                "Ends with code 2 when FILE is none of these, has no such function or mark, or the "
                "run has not what is needed.",
            .operand = AM_OPERAND_FILE,
            .min_operands = 1,
            .max_operands = 1,
        },
    [AM_CMD_TUNE] =
        {
            .name = "tune",
            .summary = "find the best values of a bench's tunable axes, for run to use",
            .operands = "BENCH... | omp | --list [PATTERN...] | --forget PATTERN | --merge FILE",
            .description =
                "For each point of the BENCHes (values by the quick profile and -p): measures "
                "candidates of the tunable axes by short launches, verified before they are timed, "
                "and saves the best in the tuning file. run then uses them wherever such an axis "
                "is left open (0, auto), by the nearest power of two of the size. -p AXIS=VALUES "
                "of a tunable axis are the candidates; a single one fixes it.\n\n"
                "omp in place of a BENCH asks which OpenMP runtime, wait policy and binding are "
                "best for regions at once and after serial work, by all CPUs (omp.region with "
                "--for time).\n\n"
                "Every sample is stored like those of run. The tuning file is that of --tuning, "
                "else of ARCHMETER_TUNING, else archmeter/tuning in XDG_DATA_HOME "
                "(~/.local/share).\n\n"
                "Ends with code 0, with 1 when some points failed, with 3 when "
                "nothing was tuned.",
            .operand = AM_OPERAND_BENCH,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_REPORT] =
        {
            .name = "report",
            .summary = "one self-contained HTML page of a run",
            .operands = "[FILE [OTHER...]]",
            .description =
                "Verdict, machine, findings, model, figures, method and data of the run in one "
                "file that needs no network and works without scripts. Each OTHER run is compared "
                "with the first. Prints the page's path.",
            .operand = AM_OPERAND_FILE,
            .latest = 1,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_HISTORY] =
        {
            .name = "history",
            .summary = "many runs in the order of time, and when something changed",
            .operands = "[FOLDER|FILE...]",
            .description =
                "Every headline figure (and each --point) over all runs of the folders and files, the "
                "working directory by default: what changed, between which runs, and whether "
                "machine or build changed there too. Changes are found by E-divisive (Matteson and "
                "James 2014), with a chance of 5 % at most to report any in a history without one. "
                "With -o an index page with a time line per figure, which links the pages that lie "
                "beside the runs.",
            .operand = AM_OPERAND_FILE,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_TIME] =
        {
            .name = "time",
            .summary = "commands side by side, and which is faster",
            .operands = "COMMAND...",
            .description =
                "Each COMMAND is one word of this command line, quoted: archmeter time 'gzip -1 -c F' "
                "'gzip -9 -c F'. It is started anew for every measurement, in rounds that visit all "
                "commands in drawn order, until the interval of its median is within the target. "
                "{NAME} in a command takes each value that -p NAME=VALUES gives. Every pair of "
                "commands gets a verdict with the interval of the ratio; the verdicts hold together.\n\n"
                "A command that needs no shell (pipes, redirections, variables, patterns) is started "
                "directly; else /bin/sh -c starts it, and what that costs is measured and said. What "
                "commands print is kept, its last 16 KiB. The results file is one like those of run: "
                "show, compare, report, history and resume read it.\n\n"
                "A command that ends with a code other than 0 ends the run, with code 1. Codes as for run "
                "else; 2 when something in the words is wrong.",
            .min_operands = 1,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_ENERGY] =
        {
            .name = "energy",
            .summary = "time and energy of any program",
            .operands = "-- COMMAND [ARGUMENT...]",
            .description =
                "Runs the command and shows its time and, by every meter of this machine, energy and "
                "mean power while it ran: of the whole scope, not of the program alone. What could not be "
                "measured has its reason and no number. As json, the command's own output goes "
                "to standard error.\n\n"
                "Ends with the command's code; with 3 when there is no meter and the command's was 0.",
            .min_operands = 1,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_EXPERIMENT] =
        {
            .name = "experiment",
            .summary = "measure what an experiment file describes",
            .operands = "SPEC",
            .description =
                "SPEC says which programs (or benches of ours) are run, with which variables, "
                "arguments and environment, how often, and which expressions read the results "
                "from what they print. Results are stored like those of run, the file itself with "
                "them: show, compare, report, table and resume work as ever. No shell sees any of "
                "it unless the file says \"shell yes\".\n\n"
                "Codes as for run; 2 when something in SPEC is wrong, with its file and line.",
            .operand = AM_OPERAND_FILE,
            .min_operands = 1,
            .max_operands = 1,
        },
    [AM_CMD_STUDY] =
        {
            .name = "study",
            .summary = "a paper's tables, figures and claims on this machine",
            .operands = "[run STUDY | plan STUDY | check STUDY | show FILE]",
            .description =
                "Without words the studies that are shipped are listed. STUDY is one of them, or a "
                "file of your own: what is measured, the tables and figures that are made of it in "
                "the paper's numbering, the paper's numbers beside, and its claims.\n\n"
                "run measures it like any experiment (resume goes on where it was interrupted) and "
                "shows what came out; --quick measures the short form in at most three minutes. plan says what would be "
                "measured and how long that takes. check reads a study in both forms and measures "
                "nothing. show tells again what FILE has: every claim reproduced, contradicted or undecided here, with the "
                "comparison behind it; -o writes a page with the figures. The level of 5 % is kept "
                "over all claims of a study.\n\n"
                "Codes as for run; 2 when something in STUDY is wrong, with its file, line and column.",
            .words = study_words,
            .operand = AM_OPERAND_WORD,
            .min_operands = 0,
            .max_operands = 2,
        },
    [AM_CMD_PROFILE] =
        {
            .name = "profile",
            .summary = "time the regions that a program marks",
            .operands = "-- PROGRAM [ARGUMENT...]",
            .description =
                "The program marks its regions by archmeter/mark.h (C, C++, Fortran). A first "
                "execution finds them and is not counted; then each launch is an execution, and "
                "every region is a point: time of the thread that was in it longest, self time, calls, threads, balance, and rates "
                "where the program states operations or bytes; the whole program is one too. "
                "Results are stored like those of run: show, compare, explain, report, history "
                "and resume work as ever.\n\n"
                "Codes as for run; 3 also when the first execution fails.",
            .min_operands = 1,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_MERGE] =
        {
            .name = "merge",
            .summary = "results files of several machines in one",
            .operands = "-o NEW [NAME=]FILE...",
            .description =
                "Every bench gets an axis node before its own ones: the new file is a run that all "
                "commands read, and compare NEW --between node=A,B compares two machines. A node "
                "is called NAME, or like its file. What can be read is taken; a file that is no "
                "run, or has other versions of the benches, is a node without results and with "
                "its reason. Ends with code 1 when a node is not complete.",
            .operand = AM_OPERAND_FILE,
            .min_operands = 1,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_VERIFY] =
        {
            .name = "verify",
            .summary = "whether a results file is as it was written",
            .operands = "[FILE]",
            .description =
                "Every launch is stored with a seal, a SHA-256 digest over all that the file has of "
                "it and over the seal of the launch before; the plan and the circumstances have "
                "seals too. verify checks the database, references, counts, the values that follow "
                "from work and time, and every seal, and prints the digest of the whole, which the "
                "page of report carries too. A seal shows that the file changed after it was "
                "written, not who wrote it: whoever changes a file on purpose can seal it again, and "
                "has another digest then.\n\n"
                "Ends with code 0 when everything holds, 1 when something does not, and 4 when "
                "launches have no seals, because an earlier version stored them.",
            .operand = AM_OPERAND_FILE,
            .latest = 1,
            .max_operands = 1,
        },
    [AM_CMD_TABLE] =
        {
            .name = "table",
            .summary = "queries over a run as LaTeX, CSV, gnuplot, Markdown",
            .operands = "SPEC",
            .description =
                "SPEC names a results file and, for each file to be written, its queries, in SQL "
                "over the views results (a row per sample) and stats (a row per point), which have "
                "the axes and metrics as columns. The results file is only read.",
            .operand = AM_OPERAND_FILE,
            .min_operands = 1,
            .max_operands = 1,
        },
    [AM_CMD_TRACK] =
        {
            .name = "track",
            .summary = "follow white blood cells through a video",
            .operands = "VIDEO | --make VIDEO",
            .description =
                "Finds the cells in the first frame of VIDEO, follows each through the others and "
                "writes frame,cell,x,y,mean_radius,confidence,lost: places in pixels, rows counted "
                "from the top; the probability, 0 to 1, that the cell is within 2 pixels of the "
                "place; the frame since which the track is not to be believed, or nothing. Frame 0 "
                "is the detection. VIDEO is an uncompressed 8-bit AVI file, a file of binary PGM "
                "pictures, a folder of such files, or what FFmpeg's libraries read, where archmeter "
                "was built with them.\n\n"
                "Ends with code 2 when VIDEO cannot be read, is of another kind, broken or cut "
                "off, with 3 when no cell was found, a frame in the middle could not be decoded, "
                "or what was asked for could not be written.",
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
                "With --aa: the quick set is measured six times. Even rounds of the first run, which has "
                "twice the launches, are compared with odd ones, and runs 1, 4 and 5 with runs 2, 3 "
                "and 6. Every faster or slower is false: code 1. Then rows are made slower one at a "
                "time in what was measured: code 1 when fewer than nine in ten are found of those "
                "that should be. Code 4 when most rows are too noisy to show a doubling.",
            .operand = AM_OPERAND_BENCH,
            .max_operands = UINT_MAX,
        },
    [AM_CMD_NEW] =
        {
            .name = "new",
            .summary = "a source file with a bench of your own, to begin with",
            .operands = "bench NAME",
            .description =
                "Writes NAME.c (NAME.cc, NAME.f90) into the working directory: less than "
                "20 lines that can be measured by run ./NAME.c as they are. A file that "
                "is there is left as it is.",
            .words = new_words,
            .operand = AM_OPERAND_WORD,
            .min_operands = 2,
            .max_operands = 2,
        },
    [AM_CMD_STENCIL] =
        {
            .name = "stencil",
            .summary = "the loops of a described stencil, for your own program",
            .operands = "export FILE",
            .description =
                "FILE describes a stencil in a few lines (NAME.sten: dimensions, fields, "
                "coefficients, boundary, and how a step updates each field). run FILE measures it, "
                "tune FILE -p variant=tiled finds its best shape, and this writes the same loops as C "
                "that depends on nothing, with the tuned shape as the one to begin with: passes of "
                "several steps that stay in cache, for any number of threads.",
            .words = stencil_words,
            .operand = AM_OPERAND_WORD,
            .min_operands = 2,
            .max_operands = 2,
        },
    [AM_CMD_RUNTIME] =
        {
            .name = "runtime",
            .summary = "OpenMP runtimes of your own, beside those of the build",
            .operands = "add NAME | list | remove NAME",
            .description =
                "add compiles the sources of the OpenMP benches with your compiler (--cc, --flags), "
                "on the library that its programs find or on that of --library, and keeps the "
                "program: NAME is then a value of the axis runtime of all benches omp.* but "
                "omp.array and omp.workshare. Stored are the library's file, its build id and the "
                "version that it says itself; a launch that would run on another one is refused. "
                "Without --cc, CC of the environment or cc compiles. Where the flags name no option "
                "for OpenMP, -fopenmp is given.\n\n"
                "list shows what was added, and whether it is still there. Everything lies in "
                "archmeter/runtimes in XDG_DATA_HOME (~/.local/share), or in ARCHMETER_RUNTIMES.",
            .words = runtime_words,
            .operand = AM_OPERAND_WORD,
            .min_operands = 1,
            .max_operands = 2,
        },
    [AM_CMD_OMP] =
        {
            .name = "omp",
            .summary = "what a program pays for its OpenMP directives, and what to change",
            .operands = "cost -- PROGRAM [ARGUMENT...]",
            .description =
                "Counts the directives of a program as it runs (calls to libgomp, callbacks of "
                "runtimes that offer OMPT), measures what regions, barriers, critical sections, "
                "chunks and tasks cost on this machine with teams of that size and after gaps of "
                "that length, and says how many seconds the program loses to each, at which place, "
                "and what a change would bring. Nothing has to be compiled again. Everything is "
                "stored like results of run, the program's executions with and without counting "
                "among them: show, export and resume work as ever.\n\n"
                "Codes as for run; 3 also when the first execution fails or has no OpenMP that "
                "can be counted.",
            .words = omp_words,
            .operand = AM_OPERAND_WORD,
            .min_operands = 2,
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
