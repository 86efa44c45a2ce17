/* SPDX-License-Identifier: MIT */
/* archmeter report: one self-contained page of a run, others compared with it. */
#include "base/log.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/run/known.h"
#include "cli/run/output.h"
#include "cli/run/page.h"
#include "cli/run/runs.h"
#include "cli/run/setup.h"
#include "document/page.h"
#include "write/write.h"

#include <stdio.h>
#include <string.h>

const char *am_page_path(struct am_arena *arena, const char *file)
{
    const size_t len = strlen(file);
    const size_t stem = len > 3 && strcmp(file + len - 3, ".db") == 0 ? len - 3 : len;

    return am_arena_printf(arena, "%.*s.html", (int)stem, file);
}

static enum am_status load_all(const struct am_cli *cli, const struct am_strings *files,
                               struct am_result_set *sets, struct am_err *err)
{
    const struct am_strings all = {0};
    enum am_status status = AM_OK;

    for (size_t i = 0; i < files->n && status == AM_OK; i++)
        status = am_load_file(cli, files->items[i], &all, &sets[i], err);
    return status;
}

static enum am_status write_page(const struct am_cli *cli, const struct am_result_set *sets,
                                 size_t n, const char *path, struct am_err *err)
{
    struct am_known_machines known;
    struct am_page page = {
        .sets = sets,
        .n = n,
        .compare = {.delta = cli->opt->delta, .level = 0.95},
        .command = cli->command,
        .known = &known,
        .arena = cli->arena,
    };
    struct am_document document;
    struct am_output output;
    enum am_status status = am_known_load(cli, &known, err);

    if (status == AM_OK)
        status = am_page_learn(&page, err);
    if (status == AM_OK)
        status = am_output_open(&output, path, cli->opt->force, cli->arena, err);
    if (status != AM_OK)
        return status;
    document = am_document_page(&page);
    am_write(&document, &(struct am_style){.format = AM_FORMAT_HTML, .utf8 = true}, cli->arena,
             output.file);
    return am_output_close(&output, true, err);
}

enum am_status am_page_write(const struct am_cli *cli, const struct am_strings *files,
                             const char *path, const char **written_p, struct am_err *err)
{
    struct am_result_set *const sets = am_arena_array(cli->arena, files->n, sizeof(*sets));
    const char *file = NULL;
    enum am_status status;

    if (!sets)
        return am_fail(err, AM_E_NOMEM, "no memory for the runs");
    status = am_runs_resolve(files->items[0], cli->arena, &file, err);
    if (status != AM_OK)
        return status;
    *written_p = path ? path : am_page_path(cli->arena, file);
    if (!*written_p)
        return am_fail(err, AM_E_NOMEM, "no memory for the page's name");
    status = load_all(cli, files, sets, err);
    return status == AM_OK ? write_page(cli, sets, files->n, *written_p, err) : status;
}

enum am_status am_page_beside(const struct am_cli *cli, const char *results, struct am_err *err)
{
    const struct am_strings file = {.items = &results, .n = 1};
    const char *page = NULL;
    const enum am_status status = am_page_write(cli, &file, NULL, &page, err);

    if (status == AM_OK)
        am_log(AM_LOG_INFO, "report:  %s", page);
    return status;
}

enum am_status am_cmd_report(struct am_cli *cli, struct am_err *err)
{
    const char *path = NULL;
    const enum am_status status =
        am_page_write(cli, &cli->opt->operands, cli->opt->output, &path, err);

    if (status == AM_OK)
        (void)printf("%s\n", path);
    return status;
}
