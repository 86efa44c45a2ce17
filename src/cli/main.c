/* SPDX-License-Identifier: MIT */
/* archmeter: parses the command line, runs the command, turns its status into an exit code. */
#include "base/log.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/own/own.h"
#include "cli/own/runtimes.h"
#include "cli/words/help.h"
#include "cli/run/output.h"
#include "cli/run/runs.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMMAND_LINE_MAX = 64 * 1024 };

/* A signal handler can reach nothing but a global. */
static volatile sig_atomic_t interrupted;

/* Of commands that only read: whatever they are at, they end now. */
static void end_at_once(int number)
{
    (void)number;
    am_output_abandon();
    _exit(AM_EXIT_INTERRUPTED);
}

/* Of commands that measure: the first signal asks them to end well, the next one does not ask. A
 * run that is cut off so has lost nothing but its launch in flight. */
static void on_signal(int number)
{
    if (interrupted)
        end_at_once(number);
    interrupted = 1;
}

/* No SA_RESTART: a wait for a worker ends at once. */
static void handle_signals(void (*handler)(int number))
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        struct sigaction action = {.sa_handler = handler}, old;

        /* nohup(1) and background jobs ignore some of them on purpose */
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(signals[i], &action, NULL);
    }
}

/* A write into a closed pipe, or beyond the limit of a file's size, is an error that is told, not a
 * death without a word. */
static void catch_signals(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};

    handle_signals(end_at_once);
    (void)sigaction(SIGPIPE, &ignore, NULL);
    (void)sigaction(SIGXFSZ, &ignore, NULL);
}

/* Whether the command may be cut off anywhere: it measures nothing and what it writes appears
 * complete or not at all. The others look at `interrupted` again and again. */
static bool only_reads(const struct am_options *opt)
{
    static const bool reads[AM_CMD_COUNT] = {
        [AM_CMD_LIST] = true,       [AM_CMD_PLAN] = true,     [AM_CMD_SHOW] = true,
        [AM_CMD_EXPORT] = true,     [AM_CMD_COMPARE] = true,  [AM_CMD_CHECK] = true,
        [AM_CMD_MODEL] = true,      [AM_CMD_MACHINES] = true, [AM_CMD_EXPLAIN] = true,
        [AM_CMD_PREDICT] = true,    [AM_CMD_REPORT] = true,   [AM_CMD_HISTORY] = true,
        [AM_CMD_TABLE] = true,      [AM_CMD_HELP] = true,     [AM_CMD_MAN] = true,
        [AM_CMD_COMPLETION] = true, [AM_CMD_VERSION] = true,  [AM_CMD_VERIFY] = true,
    };

    return opt->command == AM_CMD_COUNT || (reads[opt->command] && !opt->rerun);
}

static const char *command_line(int argc, char **argv, struct am_arena *arena)
{
    struct am_text text;
    const char *copy;

    am_text_init(&text, COMMAND_LINE_MAX);
    for (int i = 0; i < argc; i++) {
        const bool plain =
            *argv[i] && strspn(argv[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789-_=+.,:/%@") == strlen(argv[i]);

        am_text_add(&text, i ? " " : "");
        am_text_add(&text, plain ? "" : "'");
        for (const char *s = argv[i]; *s; s++) {
            if (*s == '\'')
                am_text_add(&text, "'\\''");
            else
                am_text_addn(&text, s, 1);
        }
        am_text_add(&text, plain ? "" : "'");
    }
    copy = am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return copy ? copy : "archmeter";
}

static enum am_exit exit_code_of(enum am_status status)
{
    if (status == AM_E_USAGE || status == AM_E_PARSE)
        return AM_EXIT_USAGE;
    if (status == AM_E_BUSY)
        return AM_EXIT_BUSY;
    return status == AM_E_INTERRUPTED ? AM_EXIT_INTERRUPTED : AM_EXIT_UNMEASURED;
}

/* Tells the catalogue, and whoever else looks for workers, where added runtimes are. */
static void publish_runtimes(struct am_arena *arena)
{
    const char *const folder = am_runtimes_folder(arena);

    if (folder)
        (void)setenv("ARCHMETER_RUNTIMES", folder, 1);
}

static enum am_status run_command(struct am_cli *cli, struct am_err *err)
{
    static am_command_fn *const commands[AM_CMD_COUNT] = {
        [AM_CMD_DOCTOR] = am_cmd_doctor,
        [AM_CMD_LIST] = am_cmd_list,
        [AM_CMD_PLAN] = am_cmd_plan,
        [AM_CMD_RUN] = am_cmd_run,
        [AM_CMD_RESUME] = am_cmd_resume,
        [AM_CMD_SHOW] = am_cmd_show,
        [AM_CMD_EXPORT] = am_cmd_export,
        [AM_CMD_COMPARE] = am_cmd_compare,
        [AM_CMD_CHECK] = am_cmd_check,
        [AM_CMD_MODEL] = am_cmd_model,
        [AM_CMD_MACHINES] = am_cmd_machines,
        [AM_CMD_EXPLAIN] = am_cmd_explain,
        [AM_CMD_PREDICT] = am_cmd_predict,
        [AM_CMD_TUNE] = am_cmd_tune,
        [AM_CMD_REPORT] = am_cmd_report,
        [AM_CMD_HISTORY] = am_cmd_history,
        [AM_CMD_TIME] = am_cmd_time,
        [AM_CMD_ENERGY] = am_cmd_energy,
        [AM_CMD_EXPERIMENT] = am_cmd_experiment,
        [AM_CMD_STUDY] = am_cmd_study,
        [AM_CMD_PROFILE] = am_cmd_profile,
        [AM_CMD_TABLE] = am_cmd_table,
        [AM_CMD_MERGE] = am_cmd_merge,
        [AM_CMD_VERIFY] = am_cmd_verify,
        [AM_CMD_TRACK] = am_cmd_track,
        [AM_CMD_SELFTEST] = am_cmd_selftest,
        [AM_CMD_NEW] = am_cmd_new,
        [AM_CMD_RUNTIME] = am_cmd_runtime,
        [AM_CMD_OMP] = am_cmd_omp,
        [AM_CMD_STENCIL] = am_cmd_stencil,
        [AM_CMD_HELP] = am_cmd_help,
        [AM_CMD_MAN] = am_cmd_man,
        [AM_CMD_COMPLETION] = am_cmd_completion,
        [AM_CMD_VERSION] = am_cmd_version,
    };
    const struct am_options *opt = cli->opt;

    if (opt->help && opt->command != AM_CMD_COUNT) {
        am_help_command(opt->command, stdout);
        return AM_OK;
    }
    if (opt->help) {
        am_help_overview(stdout);
        return AM_OK;
    }
    if (opt->command == AM_CMD_COUNT && !opt->version) {
        am_help_brief(stdout);
        return AM_OK;
    }
    if (opt->version) {
        (void)printf("archmeter %s\n", am_cli_version());
        return AM_OK;
    }
    return commands[opt->command](cli, err);
}

int main(int argc, char **argv)
{
    struct am_arena arena = {0};
    struct am_options options;
    struct am_err err = {0};
    struct am_cli cli = {.opt = &options, .arena = &arena, .interrupted = &interrupted};
    enum am_status status, written;

    am_output_reserve_fds();
    am_log_set_columns(am_output_columns(STDERR_FILENO));
    catch_signals();
    status = am_options_parse(argc, (const char *const *)argv, &arena, &options, &err);
    if (status == AM_OK && options.command != AM_CMD_COUNT)
        status = am_runs_settle(&options, &arena, &err);
    if (status == AM_OK) {
        handle_signals(on_signal); /* compilers are ended with all that they started */
        am_log_set_level(options.quiet     ? AM_LOG_WARN
                         : options.verbose ? AM_LOG_DEBUG
                                           : AM_LOG_INFO);
        cli.style = am_output_style(&options);
        cli.command = command_line(argc, argv, &arena);
        publish_runtimes(&arena);
        status = am_own_settle(&options, &cli, &err);
    }
    if (status == AM_OK && only_reads(&options))
        handle_signals(end_at_once);
    if (status == AM_OK)
        status = run_command(&cli, &err);
    written = am_output_finish(&err);
    if (status == AM_OK)
        status = written;
    if (status != AM_OK) {
        if (*err.text)
            am_log(AM_LOG_ERROR, "%s", err.text);
        cli.exit_code = exit_code_of(status);
    }
    am_arena_fini(&arena);
    return (int)cli.exit_code;
}
