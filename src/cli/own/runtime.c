/* SPDX-License-Identifier: MIT */
/* archmeter runtime add, list, remove: OpenMP runtimes of the user's own. */
#include "base/log.h"
#include "cli/cli.h"
#include "cli/own/runtimes.h"
#include "write/write.h"

#include <stdio.h>
#include <string.h>

static void show(const struct am_cli *cli, const struct am_runtime *items, size_t n)
{
    static const struct am_column columns[] = {
        {.title = "runtime", .key = "runtime"},
        {.title = "compiler", .key = "compiler", .flow = true},
        {.title = "flags", .key = "flags", .flow = true, .rank = 2},
        {.title = "library", .key = "library", .flow = true},
        {.title = "version", .key = "version", .flow = true},
        {.title = "build id", .key = "build_id", .rank = 3},
        {.title = NULL, .key = "kind"},
        {.title = NULL, .key = "program"},
        {.title = "trouble", .key = "trouble", .flow = true},
    };
    struct am_table t;

    am_table_init(&t, cli->arena);
    t.hide_empty = true;
    am_table_columns(&t, columns, sizeof(columns) / sizeof(*columns));
    for (size_t i = 0; i < n; i++) {
        const struct am_runtime *const r = &items[i];
        const char *const cells[] = {r->name,     r->compiler, r->flags,   r->library, r->version,
                                     r->build_id, r->kind,     r->program, r->trouble};

        am_table_row(&t);
        for (size_t k = 0; k < sizeof(cells) / sizeof(*cells); k++)
            (void)am_table_text(&t, cells[k]);
    }
    am_write_table(&t, &cli->style, stdout);
}

static enum am_status add(struct am_cli *cli, const char *name, struct am_err *err)
{
    const struct am_own_tools tools = {cli->opt->own_cc, cli->opt->own_flags, cli->interrupted};
    struct am_runtime added;
    const enum am_status s =
        am_runtime_add(name, &tools, cli->opt->library, cli->arena, &added, err);

    if (s != AM_OK)
        return s;
    show(cli, &added, 1);
    am_log(AM_LOG_INFO, "-p runtime=%s measures with it", name);
    return AM_OK;
}

static enum am_status list(struct am_cli *cli, const char *name, struct am_err *err)
{
    struct am_runtimes all;
    const enum am_status s = am_runtimes_load(cli->arena, &all, err);

    (void)name;
    if (s == AM_OK && all.n == 0)
        am_log(AM_LOG_INFO, "none was added beside those of the build");
    if (s == AM_OK)
        show(cli, all.items, all.n);
    return s;
}

static enum am_status forget(struct am_cli *cli, const char *name, struct am_err *err)
{
    return am_runtime_remove(name, cli->arena, err);
}

static const struct {
    const char *word;
    enum am_status (*run)(struct am_cli *cli, const char *name, struct am_err *err);
    bool named, compiles;
} actions[] = {
    {"add", add, true, true}, {"list", list, false, false}, {"remove", forget, true, false}};

enum am_status am_cmd_runtime(struct am_cli *cli, struct am_err *err)
{
    const struct am_options *const opt = cli->opt;
    const char *const word = opt->operands.items[0];

    for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++) {
        if (strcmp(word, actions[i].word) != 0)
            continue;
        if (actions[i].named != (opt->operands.n == 2))
            return am_fail(err, AM_E_USAGE, "runtime %s takes %s", word,
                           actions[i].named ? "the name of a runtime" : "no name");
        if (!actions[i].compiles && (opt->own_cc || opt->own_flags || opt->library))
            return am_fail(err, AM_E_USAGE, "--cc, --flags and --library belong to runtime add");
        return actions[i].run(cli, actions[i].named ? opt->operands.items[1] : NULL, err);
    }
    return am_fail(err, AM_E_USAGE,
                   "\"%s\": a runtime is added, listed or removed (add, list, remove)", word);
}
