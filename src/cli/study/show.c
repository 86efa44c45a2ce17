/* SPDX-License-Identifier: MIT */
/* From a results file to the document of its study: the stored text is read again, its queries are
 * asked, its claims judged. */
#include "base/log.h"
#include "cli/run/experiment.h"
#include "cli/run/output.h"
#include "cli/run/runs.h"
#include "cli/study/study.h"
#include "cli/words/remember.h"
#include "document/study/study.h"
#include "model/facts.h"
#include "store/query.h"
#include "write/query.h"
#include "write/write.h"

#include <stdio.h>
#include <string.h>

/* ---- the study of a run ---- */

bool am_study_is(const struct am_result_set *set)
{
    return am_experiment_is_study(&set->settings);
}

/* ---- tables ---- */

/* All queries of one table, below each other. What SQLite refuses (a column of a bench that was not
 * measured here) is why the table is not made. */
static enum am_status ask(struct am_store *store, const struct am_study_item *item,
                          struct am_arena *arena, struct am_study_made *made)
{
    for (size_t i = 0; i < item->n_queries; i++) {
        struct am_query_table table;
        struct am_err why = {0};
        enum am_status s = am_store_query(store, item->queries[i].sql, arena, &table, &why);

        if (s == AM_OK)
            s = am_query_join(&made->table, &table, false, arena, &why);
        if (s == AM_E_NOMEM)
            return s;
        if (s != AM_OK) {
            made->why = am_arena_printf(arena, "its query was refused: %s", why.text);
            return AM_OK;
        }
    }
    if (item->n_queries && made->table.n_rows == 0)
        made->why = "its queries select nothing of this run";
    return AM_OK;
}

static enum am_status ask_all(const struct am_cli *cli, const char *path,
                              const struct am_study *study, struct am_study_made *made,
                              struct am_err *err)
{
    struct am_store *store = NULL;
    struct am_kvs given = {0};
    enum am_status s = am_store_open(path, false, &store, err);

    am_options_given(cli->opt, cli->arena, "", &given);
    if (s == AM_OK)
        s = am_store_open_queries(store, &given, err);
    for (size_t i = 0; s == AM_OK && i < study->n_items; i++)
        s = ask(store, &study->items[i], cli->arena, &made[i]);
    am_store_close(store);
    return s;
}

/* ---- the document ---- */

static enum am_status write_document(const struct am_cli *cli, const struct am_study_view *view,
                                     const char *page, struct am_err *err)
{
    const struct am_document document = am_document_study(view);
    struct am_output output;
    enum am_status s;

    if (!page) {
        am_write(&document, &cli->style, cli->arena, stdout);
        return AM_OK;
    }
    s = am_output_open(&output, page, cli->opt->force, cli->arena, err);
    if (s != AM_OK)
        return s;
    am_write(&document, &(struct am_style){.format = AM_FORMAT_HTML, .utf8 = true}, cli->arena,
             output.file);
    s = am_output_close(&output, true, err);
    if (s == AM_OK)
        (void)printf("%s\n", page);
    return s;
}

enum am_status am_study_tell(const struct am_cli *cli, const struct am_result_set *set,
                             const char *path, const char *page, struct am_err *err)
{
    struct am_judged_study judged;
    struct am_study_view view = {.set = set,
                                 .judged = &judged,
                                 .path = path,
                                 .page = page != NULL,
                                 .all = page || cli->opt->verbose ||
                                        cli->style.format != AM_FORMAT_TABLE};
    struct am_study_made *made;
    struct am_facts facts = {0};
    struct am_spec spec;
    bool there;
    enum am_status s = am_experiment_parse(path, &set->settings, cli->arena, &there, &spec, err);

    if (s == AM_OK && (!there || !spec.study))
        s = am_fail(err, AM_E_USAGE, "%s is no run of a study", path);
    if (s != AM_OK)
        return s;
    made = am_arena_array(cli->arena, spec.study->n_items + 1, sizeof(*made));
    if (!made)
        return am_fail(err, AM_E_NOMEM, "no memory for the study");
    am_facts_derive(set, cli->arena, &facts);
    s = ask_all(cli, path, spec.study, made, err);
    if (s == AM_OK)
        s = am_study_make(spec.study, set, &facts, cli->arena, made, err);
    if (s == AM_OK)
        s = am_claims_judge(spec.study, set, cli->arena, &judged, err);
    view.study = spec.study;
    view.made = made;
    return s == AM_OK ? write_document(cli, &view, page, err) : s;
}

enum am_status am_study_show(const struct am_cli *cli, const char *word, struct am_err *err)
{
    const struct am_strings all = {0};
    struct am_result_set set = {0};
    const char *path;
    enum am_status s = am_runs_resolve(word, cli->arena, &path, err);

    if (s == AM_OK)
        s = am_load_file(cli, path, &all, &set, err);
    return s == AM_OK ? am_study_tell(cli, &set, path, cli->opt->output, err) : s;
}
