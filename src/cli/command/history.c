/* SPDX-License-Identifier: MIT */
/* archmeter history: many runs in the order of time, and when something changed. */
#include "cli/cli.h"
#include "cli/run/output.h"
#include "cli/run/page.h"
#include "cli/run/runs.h"
#include "cli/run/setup.h"
#include "document/history.h"
#include "model/facts.h"
#include "write/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Folders stand for the runs in them. */
static enum am_status find_files(const struct am_cli *cli, struct am_strings *files,
                                 struct am_err *err)
{
    static const char *const here[] = {"."};
    const struct am_strings named = cli->opt->operands;
    const char *const *const words = named.n ? named.items : here;
    enum am_status status = AM_OK;

    for (size_t i = 0; i < (named.n ? named.n : 1) && status == AM_OK; i++) {
        const char *path = words[i];

        if (is_folder(words[i])) {
            status = am_runs_in(words[i], cli->arena, files, err);
            continue;
        }
        status = am_runs_resolve(words[i], cli->arena, &path, err);
        if (status == AM_OK && !am_strings_add(files, cli->arena, path))
            status = am_fail(err, AM_E_NOMEM, "no memory for the runs");
    }
    return status;
}

static enum am_status load_runs(const struct am_cli *cli, const struct am_strings *files,
                                struct am_history_run *runs, struct am_result_set *sets,
                                struct am_err *err)
{
    const struct am_strings all = {0};

    for (size_t i = 0; i < files->n; i++) {
        const enum am_status status = am_load_file(cli, files->items[i], &all, &sets[i], err);

        if (status != AM_OK)
            return status;
        runs[i] = (struct am_history_run){.path = files->items[i], .set = &sets[i]};
        am_facts_derive(&sets[i], cli->arena, &runs[i].facts);
    }
    return AM_OK;
}

/* Where the page of a run lies, as seen from the page that links it; NULL: it has none. */
static const char *link_to(const struct am_cli *cli, const char *run)
{
    const char *const page = am_page_path(cli->arena, run);
    const char *const from = cli->opt->output, *const slash = from ? strrchr(from, '/') : NULL;
    char *whole, *link;

    if (!page || access(page, R_OK) != 0)
        return NULL;
    if (!slash)
        return page;
    whole = realpath(page, NULL);
    link = whole ? am_arena_printf(cli->arena, "file://%s", whole) : NULL;
    free(whole);
    return link;
}

static enum am_status write_history(const struct am_cli *cli, const struct am_history *history,
                                    struct am_err *err)
{
    const char **const pages = am_arena_array(cli->arena, history->n_runs + 1, sizeof(*pages));
    const struct am_history_view view = {.history = history, .pages = pages};
    const struct am_document document = am_document_history(&view);
    const struct am_style style = {.format = AM_FORMAT_HTML, .utf8 = true};
    struct am_output output;
    enum am_status status;

    if (!pages)
        return am_fail(err, AM_E_NOMEM, "no memory for the history");
    if (!cli->opt->output) {
        am_write(&document, &cli->style, cli->arena, stdout);
        return AM_OK;
    }
    for (size_t i = 0; i < history->n_runs; i++)
        pages[i] = link_to(cli, history->runs[i].path);
    status = am_output_open(&output, cli->opt->output, cli->opt->force, cli->arena, err);
    if (status != AM_OK)
        return status;
    am_write(&document, &style, cli->arena, output.file);
    status = am_output_close(&output, true, err);
    if (status == AM_OK)
        (void)printf("%s\n", cli->opt->output);
    return status;
}

enum am_status am_cmd_history(struct am_cli *cli, struct am_err *err)
{
    struct am_strings files = {0};
    struct am_history_run *runs;
    struct am_result_set *sets;
    struct am_history history;
    enum am_status status = find_files(cli, &files, err);

    if (status != AM_OK)
        return status;
    runs = am_arena_array(cli->arena, files.n + 1, sizeof(*runs));
    sets = am_arena_array(cli->arena, files.n + 1, sizeof(*sets));
    if (!runs || !sets)
        return am_fail(err, AM_E_NOMEM, "no memory for the runs");
    status = load_runs(cli, &files, runs, sets, err);
    if (status == AM_OK && files.n < 2)
        status = am_fail(err, AM_E_USAGE, "history: %zu run%s found in %s; it takes two at least",
                         files.n, files.n == 1 ? "" : "s",
                         cli->opt->operands.n ? cli->opt->operands.items[0] : ".");
    if (status == AM_OK)
        status = am_history_make(runs, files.n, cli->opt->points.items, cli->opt->points.n,
                                 cli->arena, &history, err);
    return status == AM_OK ? write_history(cli, &history, err) : status;
}
