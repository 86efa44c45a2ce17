/* SPDX-License-Identifier: MIT */
/* archmeter model: what measurements say about a machine, as a screen or as a file; and machines
 * against each other. */
#include "base/log.h"
#include "cli/cli.h"
#include "cli/run/known.h"
#include "cli/run/machines.h"
#include "cli/run/output.h"
#include "document/machine/differences.h"
#include "document/facts.h"
#include "document/machine/machines.h"
#include "document/model.h"
#include "write/write.h"

#include <stdio.h>

static struct am_compare_settings settings_of(const struct am_cli *cli)
{
    return (struct am_compare_settings){.delta = cli->opt->delta, .level = 0.95};
}

/* ---- one machine ---- */

static struct am_model_view view_of(const struct am_machine_model *m,
                                    const struct am_guidelines *guidelines)
{
    return (struct am_model_view){.set = &m->set,
                                  .facts = &m->facts,
                                  .guidelines = guidelines,
                                  .roofline = &m->roofline,
                                  .node = m->node,
                                  .read = m->read};
}

static void tell_empty(const struct am_machine_model *m)
{
    if (m->facts.n == 0 && m->facts.n_remarks == 0)
        am_log(AM_LOG_WARN, "this run measured nothing that a fact could be derived from");
}

static enum am_status show_one(struct am_cli *cli, const struct am_machine_model *m,
                               struct am_err *err)
{
    const struct am_guidelines guidelines = am_families_guide(&m->facts, cli->arena);
    const struct am_facts_view of_facts = {&m->set, &m->facts};
    struct am_model_view of_model = view_of(m, &guidelines);
    struct am_known_machines known;
    const bool only_facts = cli->opt->facts && cli->style.format != AM_FORMAT_JSON;
    const struct am_document document =
        only_facts ? am_document_facts(&of_facts) : am_document_model(&of_model);
    const enum am_status status = am_known_load(cli, &known, err);

    if (status != AM_OK)
        return status;
    of_model.known = &known;
    am_write(&document, &cli->style, cli->arena, stdout);
    tell_empty(m);
    return AM_OK;
}

/* The file that commands read again, whatever --format says. */
static enum am_status save(struct am_cli *cli, const struct am_machine_model *m, struct am_err *err)
{
    const struct am_style style = {.format = AM_FORMAT_JSON, .utf8 = true};
    const struct am_guidelines guidelines = am_families_guide(&m->facts, cli->arena);
    const struct am_model_view view = view_of(m, &guidelines);
    const struct am_document document = am_document_model(&view);
    struct am_output out;
    enum am_status s = am_output_open(&out, cli->opt->output, cli->opt->force, cli->arena, err);

    if (s != AM_OK)
        return s;
    am_write(&document, &style, cli->arena, out.file);
    s = am_output_close(&out, true, err);
    tell_empty(m);
    return s;
}

/* ---- several ---- */

/* The machines of one merged file: one model each, and what differs. */
static enum am_status show_nodes(struct am_cli *cli, const struct am_machine_models *models,
                                 struct am_err *err)
{
    const struct am_compare_settings settings = settings_of(cli);
    struct am_guidelines *const guidelines =
        am_arena_array(cli->arena, models->n + 1, sizeof(*guidelines));
    struct am_differences differences;
    const struct am_machines_view view = {models, guidelines, &differences};
    const struct am_document document = am_document_machines(&view);
    const enum am_status s = am_nodes_differ(models, &settings, cli->arena, &differences, err);

    if (s != AM_OK || !guidelines)
        return s != AM_OK ? s : am_fail(err, AM_E_NOMEM, "no memory for the models");
    for (size_t i = 0; i < models->n; i++)
        guidelines[i] = am_families_guide(&models->items[i].facts, cli->arena);
    am_write(&document, &cli->style, cli->arena, stdout);
    return AM_OK;
}

/* All that the operands mean, one after the other. */
static enum am_status load_all(struct am_cli *cli, struct am_machine_models *out,
                               struct am_err *err)
{
    const struct am_strings *const words = &cli->opt->operands;
    size_t cap = 0;

    *out = (struct am_machine_models){0};
    for (size_t i = 0; i < words->n; i++) {
        struct am_machine_models some = {0};
        const enum am_status s = am_load_machines(cli, words->items[i], NULL, &some, err);

        if (s != AM_OK)
            return s;
        for (size_t k = 0; k < some.n; k++) {
            struct am_machine_model *const added =
                AM_ARRAY_ADD(cli->arena, out->items, out->n, cap);

            if (!added)
                return am_fail(err, AM_E_NOMEM, "no memory for the models");
            *added = some.items[k];
            if (!added->node)
                added->name = words->items[i];
        }
    }
    return AM_OK;
}

static enum am_status show_differences(struct am_cli *cli, struct am_err *err)
{
    const struct am_compare_settings settings = settings_of(cli);
    struct am_machine_models models;
    struct am_differences differences;
    const struct am_differences_view view = {&differences, cli->opt->facts};
    const struct am_document document = am_document_differences(&view);
    enum am_status s;

    if (cli->opt->output)
        return am_fail(err, AM_E_USAGE, "-o writes the model of one machine; name one");
    if (cli->opt->node)
        return am_fail(err, AM_E_USAGE, "--node chooses within one file; name one");
    s = load_all(cli, &models, err);
    if (s == AM_OK)
        s = am_models_differ(&models, &settings, cli->arena, &differences, err);
    if (s != AM_OK)
        return s;
    am_write(&document, &cli->style, cli->arena, stdout);
    if (differences.n == 0) {
        am_log(AM_LOG_WARN, "these models have no fact in common");
        cli->exit_code = AM_EXIT_INCONCLUSIVE;
    }
    return AM_OK;
}

enum am_status am_cmd_model(struct am_cli *cli, struct am_err *err)
{
    const char *const word = cli->opt->operands.items[0];
    struct am_machine_models models;
    enum am_status s;

    if (cli->opt->operands.n > 1)
        return show_differences(cli, err);
    s = am_load_machines(cli, word, cli->opt->node, &models, err);
    if (s != AM_OK)
        return s;
    if (models.n > 1 && cli->opt->output)
        return am_fail(err, AM_E_USAGE,
                       "%s holds %zu machines; choose one by --node, for example --node %s", word,
                       models.n, models.items[0].node);
    if (models.n > 1)
        return show_nodes(cli, &models, err);
    if (cli->opt->output)
        return save(cli, &models.items[0], err);
    return show_one(cli, &models.items[0], err);
}
