/* SPDX-License-Identifier: MIT */
/* archmeter table: queries over a run as files for papers. */
#include "base/log.h"
#include "base/text.h"
#include "base/textfile.h"
#include "cli/cli.h"
#include "cli/run/output.h"
#include "cli/run/runs.h"
#include "cli/run/setup.h"
#include "store/verify.h"
#include "write/query.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The results file at hand: blocks that follow each other mostly share it. */
struct source {
    const char *db;
    struct am_store *store;
};

static enum am_status read_spec(const char *path, struct am_arena *arena, struct am_tablespec *out,
                                struct am_err *err)
{
    char *text;
    size_t len;
    const enum am_status status =
        am_textfile_read(path, AM_TABLESPEC_TEXT_MAX, arena, &text, &len, err);

    return status == AM_OK ? am_tablespec_parse(path, text, len, arena, out, err) : status;
}

static enum am_status retell(const struct am_tablespec *spec, unsigned line, enum am_status status,
                             const struct am_err *why, struct am_err *err)
{
    return am_fail(err, status, "%s:%u: %s", spec->file, line, why->text);
}

static enum am_status open_source(struct am_cli *cli, const struct am_tablespec *spec,
                                  const struct am_tablespec_file *file, struct source *source,
                                  struct am_err *err)
{
    const char *const db = cli->opt->database ? cli->opt->database : file->db;
    struct am_err why = {0};
    struct am_seal seal;
    const char *path;
    enum am_status s;

    if (!db)
        return am_fail(err, AM_E_USAGE, "%s:%u: no \"set db FILE\" stands before file %s",
                       spec->file, file->line, file->name);
    if (source->store && strcmp(source->db, db) == 0)
        return AM_OK;
    am_store_close(source->store);
    *source = (struct source){.db = db};
    s = am_runs_resolve(db, cli->arena, &path, &why);
    if (s == AM_OK)
        s = am_store_open(path, false, &source->store, &why);
    if (s == AM_OK)
        am_store_seal(source->store, cli->arena, &seal);
    if (s == AM_OK)
        am_load_warn(path, &seal);
    if (s == AM_OK)
        s = am_store_open_queries(source->store, NULL, &why);
    return s == AM_OK ? AM_OK : retell(spec, file->line, s, &why, err);
}

static enum am_status ask(struct am_cli *cli, const struct am_tablespec *spec,
                          const struct am_tablespec_file *file, struct am_store *store,
                          struct am_query_table *all, struct am_err *err)
{
    for (size_t i = 0; i < file->n; i++) {
        struct am_query_table table;
        struct am_err why = {0};
        enum am_status s = am_store_query(store, file->queries[i].sql, cli->arena, &table, &why);

        if (s == AM_OK)
            s = am_query_join(all, &table, file->right, cli->arena, &why);
        if (s != AM_OK)
            return retell(spec, file->queries[i].line, s, &why, err);
        if (table.n_rows == 0)
            am_log(AM_LOG_WARN, "%s:%u: the query gives no row", spec->file, file->queries[i].line);
    }
    return AM_OK;
}

/* A file in the working folder or below it, of which no part of the name is hidden or leads away:
 * a link with that name could be one to a device. */
static bool is_below(const char *name)
{
    char here[PATH_MAX], there[PATH_MAX], folder[PATH_MAX];
    const char *const slash = strrchr(name, '/');
    struct stat st;
    size_t n;

    for (const char *part = name; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL) {
        if (*part == '.' || *part == '/')
            return false;
    }
    if (lstat(name, &st) == 0 && S_ISLNK(st.st_mode))
        return false;
    if (!slash)
        return true;
    if (!am_str_format(folder, sizeof(folder), "%.*s", (int)(slash - name), name) ||
        !realpath(".", here) || !realpath(folder, there))
        return false;
    n = strlen(here);
    return strncmp(there, here, n) == 0 && (there[n] == '/' || !there[n] || n == 1);
}

static enum am_status check_name(const struct am_cli *cli, const struct am_tablespec *spec,
                                 const struct am_tablespec_file *file, struct am_err *err)
{
    if (cli->opt->trust || strcmp(file->name, "-") == 0 || is_below(file->name))
        return AM_OK;
    return am_fail(
        err, AM_E_USAGE,
        "%s:%u: the file %s is not in the working folder, or is hidden; --trust allows it",
        spec->file, file->line, file->name);
}

static enum am_status write_file(struct am_cli *cli, const struct am_tablespec *spec,
                                 const struct am_tablespec_file *file, struct source *source,
                                 struct am_err *err)
{
    struct am_query_table table = {0};
    struct am_output out;
    enum am_status s = check_name(cli, spec, file, err), closed;

    if (s == AM_OK)
        s = open_source(cli, spec, file, source, err);
    if (s == AM_OK)
        s = ask(cli, spec, file, source->store, &table, err);
    if (s == AM_OK)
        s = am_output_open(&out, file->name, cli->opt->force, cli->arena, err);
    if (s != AM_OK)
        return s;
    am_query_write(file, &table, out.file);
    closed = am_output_close(&out, true, err);
    if (closed == AM_OK && out.path)
        am_log(AM_LOG_INFO, "%s: %zu rows", file->name, table.n_rows);
    return closed;
}

enum am_status am_cmd_table(struct am_cli *cli, struct am_err *err)
{
    struct am_tablespec spec;
    struct source source = {0};
    enum am_status s = read_spec(cli->opt->operands.items[0], cli->arena, &spec, err);

    for (size_t i = 0; s == AM_OK && i < spec.n; i++)
        s = write_file(cli, &spec, &spec.files[i], &source, err);
    am_store_close(source.store);
    return s;
}
