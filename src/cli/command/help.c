/* SPDX-License-Identifier: MIT */
/* archmeter help, man, completion, version. */
#include "cli/cli.h"
#include "cli/words/help.h"
#include "base/kv.h"
#include "base/text.h"
#include "store/store.h"
#include "topo/topo.h"

#include <stdio.h>
#include <string.h>

enum am_status am_cmd_help(struct am_cli *cli, struct am_err *err)
{
    const char *names[AM_CMD_COUNT];
    enum am_command_id id;
    const char *word, *near;

    if (cli->opt->operands.n == 0) {
        am_help_overview(stdout);
        return AM_OK;
    }
    word = cli->opt->operands.items[0];
    id = am_command_find(word);
    if (id != AM_CMD_COUNT) {
        am_help_command(id, stdout);
        return AM_OK;
    }
    for (unsigned i = 0; i < AM_CMD_COUNT; i++)
        names[i] = am_commands[i].name;
    near = am_nearest(word, names, AM_CMD_COUNT);
    return am_fail(err, AM_E_USAGE, "unknown command \"%s\"%s%s%s", word,
                   near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

enum am_status am_cmd_man(struct am_cli *cli, struct am_err *err)
{
    (void)cli;
    (void)err;
    am_man_page(stdout);
    return AM_OK;
}

enum am_status am_cmd_completion(struct am_cli *cli, struct am_err *err)
{
    return am_completion(cli->opt->operands.items[0], stdout, err);
}

/* One line each for scripts, which a terminal has no room for. */
static void tell_build(const struct am_style *style, const struct am_kvs *build)
{
    for (size_t i = 0; i < build->n; i++) {
        (void)printf("%s: ", build->items[i].key);
        if (style->width)
            am_style_flow(style, stdout, strlen(build->items[i].key) + 2, build->items[i].value);
        else
            (void)printf("%s\n", build->items[i].value);
    }
}

enum am_status am_cmd_version(struct am_cli *cli, struct am_err *err)
{
    struct am_kvs build = {0};

    (void)err;
    am_build_describe(cli->arena, &build);
    am_kvs_add(&build, cli->arena, "sqlite", am_store_sqlite_version());
    (void)printf("archmeter %s\n", am_cli_version());
    tell_build(&cli->style, &build);
    return AM_OK;
}
