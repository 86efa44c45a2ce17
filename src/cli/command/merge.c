/* SPDX-License-Identifier: MIT */
/* archmeter merge: the results files of several machines in one. */
#include "evidence/evidence.h"
#include "base/log.h"
#include "cli/cli.h"
#include "document/nodes.h"
#include "store/merge.h"
#include "write/write.h"

#include <string.h>

/* "NAME=FILE", or FILE, whose name without folder and ending is the node's. */
static enum am_status read_part(const char *word, struct am_arena *arena, struct am_node_part *part,
                                struct am_err *err)
{
    const char *const equals = strchr(word, '='), *const slash = strrchr(word, '/');
    const char *const base = slash ? slash + 1 : word, *const dot = strrchr(base, '.');
    const bool named = equals && (!slash || equals < strchr(word, '/'));
    const size_t len = named ? (size_t)(equals - word) : dot ? (size_t)(dot - base) : strlen(base);

    *part = (struct am_node_part){.name = am_arena_strndup(arena, named ? word : base, len),
                                  .path = named ? equals + 1 : word};
    if (!part->name)
        return am_fail(err, AM_E_NOMEM, "no memory for the names of nodes");
    if (!*part->name || strpbrk(part->name, ",= \t") || len >= AM_VALUE_TEXT_MAX)
        return am_fail(err, AM_E_USAGE,
                       "\"%s\" is no name for a node (up to %d bytes, no blank, \",\" or \"=\"): "
                       "write NAME=FILE",
                       part->name, AM_VALUE_TEXT_MAX - 1);
    return AM_OK;
}

static enum am_status check_names(const struct am_node_part *parts, size_t n, struct am_err *err)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(parts[i].name, parts[k].name) == 0)
                return am_fail(err, AM_E_USAGE,
                               "%s and %s would both be node \"%s\": write NAME=FILE",
                               parts[k].path, parts[i].path, parts[i].name);
        }
    }
    return AM_OK;
}

static enum am_status show(struct am_cli *cli, const char *path, struct am_err *err)
{
    struct am_store *store = NULL;
    struct am_result_set set = {0};
    const struct am_filter nothing = {.pattern = ""}; /* no bench: only the nodes are told */
    const struct am_document document = am_document_nodes(&set.nodes);
    enum am_status s = am_store_open(path, false, &store, err);

    if (s == AM_OK)
        s = am_evidence_load(store, &nothing, cli->arena, &set, err);
    am_store_close(store);
    if (s != AM_OK)
        return s;
    am_write(&document, &cli->style, cli->arena, stdout);
    for (size_t i = 0; i < set.nodes.n; i++) {
        if (set.nodes.items[i].state != AM_NODE_DONE)
            cli->exit_code = AM_EXIT_FINDINGS;
    }
    return AM_OK;
}

enum am_status am_cmd_merge(struct am_cli *cli, struct am_err *err)
{
    const struct am_strings *const files = &cli->opt->operands;
    struct am_node_part *const parts = am_arena_array(cli->arena, files->n, sizeof(*parts));
    enum am_status s = AM_OK;

    if (!parts)
        return am_fail(err, AM_E_NOMEM, "no memory for the names of nodes");
    if (!cli->opt->output)
        return am_fail(err, AM_E_USAGE, "merge needs the new file: -o FILE");
    for (size_t i = 0; s == AM_OK && i < files->n; i++)
        s = read_part(files->items[i], cli->arena, &parts[i], err);
    if (s == AM_OK)
        s = check_names(parts, files->n, err);
    if (s == AM_OK)
        s = am_store_merge(cli->opt->output,
                           &(struct am_merge){cli->command, parts, files->n, cli->interrupted},
                           err);
    if (s == AM_OK)
        am_log(AM_LOG_INFO, "results: %s", cli->opt->output);
    return s == AM_OK ? show(cli, cli->opt->output, err) : s;
}
