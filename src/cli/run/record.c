/* SPDX-License-Identifier: MIT */
/* Earlier runs from a folder. */
#include "cli/run/record.h"

#include "cli/run/runs.h"
#include "cli/run/setup.h"
#include "model/circumstances.h"

#include <stdlib.h>
#include <unistd.h>

enum { LOADED_MOST = 4 * AM_RECORD_MOST }; /* of a folder that holds other runs as well */

const char *am_record_folder(const struct am_cli *cli)
{
    const char *const data = getenv("XDG_DATA_HOME");
    const char *const home = getenv("HOME");

    if (cli->opt->record)
        return cli->opt->record;
    if (data && *data == '/') /* a relative one is to be ignored, says its specification */
        return am_arena_printf(cli->arena, "%s/archmeter/runs", data);
    return home && *home ? am_arena_printf(cli->arena, "%s/.local/share/archmeter/runs", home)
                         : NULL;
}

/* Those of `all` that may stand beside `of`, without the other side itself. */
static size_t choose(const struct am_result_set *all, size_t n, const struct am_result_set *of,
                     const struct am_result_set *other, struct am_result_set *out)
{
    size_t kept = 0;

    for (size_t i = 0; i < n && kept < AM_RECORD_MOST; i++) {
        if (am_record_takes(of, &all[i]) && !am_run_same(&other->run, &all[i].run))
            out[kept++] = all[i];
    }
    return kept;
}

enum am_status am_record_load(const struct am_cli *cli, const struct am_result_set *a,
                              const struct am_result_set *b, struct am_record *out,
                              struct am_err *err)
{
    const char *const folder = am_record_folder(cli);
    struct am_result_set *all, *chosen;
    struct am_strings paths = {0};
    size_t loaded = 0;
    enum am_status status;

    *out = (struct am_record){0};
    if (!folder || (!cli->opt->record && access(folder, F_OK) != 0))
        return AM_OK;
    status = am_runs_in(folder, cli->arena, &paths, err);
    if (status != AM_OK)
        return status;
    all = am_arena_array(cli->arena, paths.n + 1, sizeof(*all));
    chosen = am_arena_array(cli->arena, paths.n + 1, sizeof(*chosen));
    if (!all || !chosen)
        return am_fail(err, AM_E_NOMEM, "no memory for the record");
    for (size_t i = paths.n; i-- > 0 && loaded < LOADED_MOST;) { /* the latest first */
        struct am_err ignored = {0};

        loaded += am_load_file(cli, paths.items[i], &(struct am_strings){0}, &all[loaded],
                               &ignored) == AM_OK;
    }
    out->n = choose(all, loaded, a, b, chosen);
    if (out->n < AM_RECORD_LEAST)
        out->n = choose(all, loaded, b, a, chosen);
    out->runs = chosen;
    return AM_OK;
}
