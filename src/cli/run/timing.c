/* SPDX-License-Identifier: MIT */
/* Commands: checked, turned into an experiment, shown. */
#include "cli/run/timing.h"

#include "base/text.h"
#include "cli/run/setup.h"
#include "core/spec/commands.h"
#include "document/commands/sensitivity.h"
#include "document/commands/timing.h"
#include "model/among.h"
#include "write/write.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_CAP = 4096, PROGRAMS_MAX = 16384, COMMANDS_MAX = 256, WARMUP_DEFAULT = 1 };

static const double default_delta = 0.02, level = 0.95;
static const char key_failures[] = "time.failures", goes_on[] = "go on";

/* ---- programs that are there ---- */

static bool is_program(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* The next folder of $PATH into `folder`; false behind the last. */
static bool next_folder(const char **at, char *folder, size_t cap)
{
    const size_t n = *at ? strcspn(*at, ":") : 0;

    if (!*at)
        return false;
    if (n == 0 || !am_str_copy(folder, n + 1 < cap ? n + 1 : cap, *at))
        folder[n < cap ? n : cap - 1] = '\0';
    if (n == 0)
        (void)am_str_copy(folder, cap, ".");
    *at = (*at)[n] == ':' ? *at + n + 1 : NULL;
    return true;
}

static bool in_path(const char *program)
{
    const char *at = getenv("PATH");
    char folder[PATH_CAP], path[PATH_CAP];

    while (next_folder(&at, folder, sizeof(folder))) {
        if (am_str_format(path, sizeof(path), "%s/%s", folder, program) && is_program(path))
            return true;
    }
    return false;
}

/* The program of $PATH whose name is nearest; NULL where none is near. */
static const char *nearest_program(const char *program, struct am_arena *arena)
{
    const char **const names = am_arena_array(arena, PROGRAMS_MAX, sizeof(*names));
    const char *at = getenv("PATH");
    char folder[PATH_CAP];
    size_t n = 0;

    while (names && next_folder(&at, folder, sizeof(folder))) {
        DIR *const dir = opendir(folder);

        for (const struct dirent *e = dir ? readdir(dir) : NULL; e && n < PROGRAMS_MAX;
             e = readdir(dir))
            names[n++] = am_arena_strdup(arena, e->d_name);
        if (dir)
            (void)closedir(dir);
    }
    return names ? am_nearest(program, names, n) : NULL;
}

/* Lines for a shell, and programs that a parameter names, show themselves when they are run. */
static enum am_status check_program(const struct am_cli *cli, const char *line, struct am_err *err)
{
    struct am_strings words;
    const char *why = "", *near;

    if (am_spec_needs_shell(line))
        return AM_OK;
    if (!am_spec_split(line, cli->arena, &words, &why))
        return am_fail(err, AM_E_USAGE, "\"%s\": %s", line, why);
    if (words.n == 0 || strchr(words.items[0], '{'))
        return AM_OK;
    if (strchr(words.items[0], '/'))
        return is_program(words.items[0])
                   ? AM_OK
                   : am_fail(err, AM_E_USAGE, "%s: no program is there", words.items[0]);
    if (in_path(words.items[0]))
        return AM_OK;
    near = nearest_program(words.items[0], cli->arena);
    return am_fail(err, AM_E_USAGE, "no program \"%s\" in $PATH%s%s%s", words.items[0],
                   near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* ---- from the words to an experiment ---- */

/* Of a machine that says nothing of its caches. */
static const int64_t usual_cache = INT64_C(32) << 20;

static const char *steps_of(const struct am_symbol *symbols, struct am_arena *arena)
{
    int64_t cache = 0;

    for (; symbols && symbols->name; symbols++) {
        if ((strcmp(symbols->name, "l3") == 0 || strcmp(symbols->name, "l2") == 0) &&
            symbols->value > cache)
            cache = symbols->value;
    }
    return am_commands_steps((uint64_t)(cache > 0 ? cache : usual_cache), arena);
}

static enum am_status read_words(const struct am_cli *cli, const struct am_symbol *symbols,
                                 struct am_commands *out, struct am_err *err)
{
    const struct am_options *const opt = cli->opt;
    enum am_status s = AM_OK;

    *out = (struct am_commands){
        .lines = opt->operands,
        .n_params = opt->params.n,
        .prepare = opt->prepare,
        .cleanup = opt->cleanup,
        .warmup = opt->warmup.given ? (unsigned)opt->warmup.value : WARMUP_DEFAULT,
        .any_code = opt->ignore_failure,
        .discard = opt->discard,
        .beside = opt->sensitivity ? steps_of(symbols, cli->arena) : NULL,
    };
    if (opt->operands.n > COMMANDS_MAX)
        return am_fail(err, AM_E_USAGE, "more than %d commands", COMMANDS_MAX);
    if (opt->warmup.given && opt->warmup.value > COMMANDS_MAX)
        return am_fail(err, AM_E_USAGE, "--warmup: more than %d executions", COMMANDS_MAX);
    if (opt->params.n > AM_AXES_MAX - 2)
        return am_fail(err, AM_E_USAGE, "-p: more than %d parameters", AM_AXES_MAX - 2);
    for (size_t i = 0; i < opt->operands.n && s == AM_OK; i++)
        s = check_program(cli, opt->operands.items[i], err);
    return s == AM_OK ? am_setup_params(opt, cli->arena, &out->params, err) : s;
}

enum am_status am_timing_load(const struct am_cli *cli, const struct am_symbol *symbols,
                              struct am_spec *out, struct am_err *err)
{
    struct am_spec_source source = {.file = "commands", .symbols = symbols};
    struct am_commands commands;
    char folder[PATH_CAP];
    enum am_status s = read_words(cli, symbols, &commands, err);

    if (s == AM_OK)
        s = am_commands_spec(&commands, cli->arena, &source.text, err);
    if (s != AM_OK)
        return s;
    if (!getcwd(folder, sizeof(folder)))
        return am_fail(err, AM_E_SYS, "the working directory");
    source.folder = am_arena_strdup(cli->arena, folder);
    source.len = strlen(source.text);
    if (!source.folder)
        return am_fail(err, AM_E_NOMEM, "no memory for the commands");
    return am_spec_parse(&source, cli->arena, out, err);
}

/* ---- what a run keeps ---- */

void am_timing_keep(const struct am_options *opt, struct am_arena *arena, struct am_kvs *settings)
{
    am_kvs_add(settings, arena, AM_COMMANDS_KIND,
               opt->sensitivity ? AM_COMMANDS_KIND_SENSITIVITY : AM_COMMANDS_KIND_TIME);
    if (opt->ignore_failure)
        am_kvs_add(settings, arena, key_failures, goes_on);
}

bool am_timing_ends_at_failure(const struct am_kvs *settings)
{
    const char *const kind = am_kvs_get(settings, AM_COMMANDS_KIND);
    const bool commands = kind && (strcmp(kind, AM_COMMANDS_KIND_TIME) == 0 ||
                                   strcmp(kind, AM_COMMANDS_KIND_SENSITIVITY) == 0);

    return commands && !am_kvs_get(settings, key_failures);
}

/* ---- the screen ---- */

static enum am_status show_times(const struct am_cli *cli, const struct am_result_set *set,
                                 const struct am_timed_commands *commands, const char *path,
                                 struct am_err *err)
{
    const struct am_compare_settings settings = {
        .delta = cli->opt->delta >= 0 ? cli->opt->delta : default_delta,
        .level = level,
        .basis = AM_BASIS_WITHIN_RUN,
        .graded = true,
    };
    struct am_comparison pairs;
    const struct am_timing_view view = {.set = set,
                                        .commands = commands,
                                        .pairs = &pairs,
                                        .settings = &settings,
                                        .path = path,
                                        .all = cli->opt->verbose};
    const struct am_document document = am_document_timing(&view);
    const struct am_result **const results =
        am_arena_array(cli->arena, commands->n + 1, sizeof(*results));
    enum am_status s;

    for (size_t i = 0; results && i < commands->n; i++)
        results[i] = commands->items[i].result;
    s = results ? am_compare_among(results, commands->n, &settings, cli->arena, &pairs, err)
                : am_fail(err, AM_E_NOMEM, "no memory for the commands");
    if (s == AM_OK)
        am_write(&document, &cli->style, cli->arena, stdout);
    return s;
}

/* The steps of the command at `first`, which are of the same line. */
static size_t same_line(const struct am_timed_commands *commands, const bool *taken, size_t first,
                        const struct am_timed **out)
{
    size_t n = 0;

    for (size_t i = first; i < commands->n; i++) {
        if (!taken[i] && strcmp(commands->items[i].line, commands->items[first].line) == 0)
            out[n++] = &commands->items[i];
    }
    return n;
}

enum am_status am_timing_sensitivity(const struct am_cli *cli, const struct am_result_set *set,
                                     struct am_sensitivity **items, size_t *n_items,
                                     struct am_err *err)
{
    struct am_timed_commands commands = {0};
    const bool read = am_timed_of(set, cli->arena, &commands);
    const struct am_timed **const steps =
        am_arena_array(cli->arena, commands.n + 1, sizeof(*steps));
    bool *const taken = am_arena_array(cli->arena, commands.n + 1, sizeof(*taken));
    enum am_status s;

    *n_items = 0;
    *items = am_arena_array(cli->arena, commands.n + 1, sizeof(**items));
    s = read && *items && steps && taken ? AM_OK
                                         : am_fail(err, AM_E_NOMEM, "no memory for the commands");
    for (size_t i = 0; s == AM_OK && i < commands.n; i++) {
        const size_t n = taken[i] ? 0 : same_line(&commands, taken, i, steps);

        for (size_t k = 0; k < n; k++)
            taken[steps[k] - commands.items] = true;
        if (n)
            s = am_sensitivity_judge(steps, n, cli->arena, &(*items)[(*n_items)++], err);
    }
    return s;
}

static enum am_status show_sensitivity(const struct am_cli *cli, const struct am_result_set *set,
                                       const char *path, struct am_err *err)
{
    struct am_sensitivity *items = NULL;
    struct am_sensitivity_view view = {.set = set, .path = path};
    const struct am_document document = am_document_sensitivity(&view);
    const enum am_status s = am_timing_sensitivity(cli, set, &items, &view.n, err);

    view.items = items;
    if (s == AM_OK)
        am_write(&document, &cli->style, cli->arena, stdout);
    return s;
}

enum am_status am_timing_show(const struct am_cli *cli, const struct am_result_set *set,
                              const char *path, struct am_err *err)
{
    struct am_timed_commands commands;

    if (am_timed_is_sensitivity(set))
        return show_sensitivity(cli, set, path, err);
    if (!am_timed_of(set, cli->arena, &commands))
        return am_fail(err, AM_E_NOMEM, "no memory for the commands");
    return show_times(cli, set, &commands, path, err);
}
