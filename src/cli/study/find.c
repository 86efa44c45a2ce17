/* SPDX-License-Identifier: MIT */
/* Where studies lie, and what they may take. */
#include "base/log.h"
#include "cli/run/experiment.h"
#include "cli/run/known.h"
#include "cli/study/study.h"
#include "write/write.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STUDIES_MAX = 256 };

static const char ending[] = ".study", folder_name[] = "studies";
static const double quick_s = 180; /* of the short form, at most */

double am_study_budget(const struct am_study *study, bool quick)
{
    if (!quick)
        return study->budget_s;
    return study->budget_s > 0 ? fmin(study->budget_s, quick_s) : quick_s;
}

static size_t stem_of(const char *name)
{
    const size_t n = strlen(name), e = sizeof(ending) - 1;

    return n > e && strcmp(name + n - e, ending) == 0 ? n - e : 0;
}

static int is_study(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && stem_of(entry->d_name) > 0;
}

/* Names of the shipped studies without their ending; returns how many. */
static size_t names_in(const char *folder, struct am_arena *arena, const char **names)
{
    struct dirent **entries = NULL;
    const int found = folder ? scandir(folder, &entries, is_study, alphasort) : 0;
    size_t n = 0;

    for (int i = 0; i < found; i++) {
        if (n < STUDIES_MAX)
            names[n] = am_arena_strndup(arena, entries[i]->d_name, stem_of(entries[i]->d_name));
        n += n < STUDIES_MAX && names[n];
        free(entries[i]);
    }
    free(entries);
    return n;
}

enum am_status am_study_find(const struct am_cli *cli, const char *word, const char **path,
                             struct am_err *err)
{
    const char *const folder = am_shipped_folder(folder_name, cli->arena);
    const char *names[STUDIES_MAX];
    const char *near;

    *path = word;
    if (strchr(word, '/') || stem_of(word) || access(word, R_OK) == 0)
        return AM_OK; /* whoever reads it says what is wrong */
    if (folder) {
        *path = am_arena_printf(cli->arena, "%s/%s%s", folder, word, ending);
        if (!*path)
            return am_fail(err, AM_E_NOMEM, "no memory for the study's name");
        if (access(*path, R_OK) == 0)
            return AM_OK;
    }
    near = am_nearest(word, names, names_in(folder, cli->arena, names));
    return am_fail(
        err, AM_E_USAGE,
        "no study \"%s\"%s%s%s (archmeter study lists those that are shipped; others are "
        "files NAME.study)",
        word, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static const char *numbers_of(const struct am_study *study, enum am_study_kind kind,
                              struct am_arena *arena)
{
    size_t made = 0, missing = 0;

    for (size_t i = 0; i < study->n_items; i++)
        made += study->items[i].kind == kind ? study->items[i].numbers.n : 0;
    for (size_t i = 0; i < study->n_missing; i++)
        missing += study->missing[i].kind == kind ? study->missing[i].numbers.n : 0;
    return am_arena_printf(arena, "%zu of %zu", made, made + missing);
}

static void add_row(struct am_table *t, const char *name, const struct am_study *study)
{
    am_table_row(t);
    am_table_text(t, name)->tone = AM_TONE_STRONG;
    (void)am_table_text(t, study->title);
    (void)am_table_text(t, study->source);
    (void)am_table_text(t, numbers_of(study, AM_STUDY_TABLE, t->arena));
    (void)am_table_text(t, numbers_of(study, AM_STUDY_FIGURE, t->arena));
    (void)am_table_whole(t, study->n_claims);
}

enum am_status am_study_list(const struct am_cli *cli, struct am_err *err)
{
    static const struct am_column columns[] = {
        {.title = "study", .key = "study"},
        {.title = "title", .key = "title", .flow = true},
        {.title = "source", .key = "source", .flow = true, .rank = 1},
        {.title = "tables", .key = "tables", .right = true},
        {.title = "figures", .key = "figures", .right = true},
        {.title = "claims", .key = "claims", .right = true},
    };
    const char *const folder = am_shipped_folder(folder_name, cli->arena);
    const char *names[STUDIES_MAX];
    const size_t n = names_in(folder, cli->arena, names);
    struct am_setup setup = {0};
    struct am_table t;
    const enum am_status s = am_setup_machine(cli, &setup, err);

    am_table_init(&t, cli->arena);
    am_table_columns(&t, columns, sizeof(columns) / sizeof(*columns));
    for (size_t i = 0; i < n && s == AM_OK; i++) {
        const char *const path = am_arena_printf(cli->arena, "%s/%s%s", folder, names[i], ending);
        struct am_err story = {0};
        struct am_spec spec;

        if (path &&
            am_experiment_load(path, am_topo_symbols(setup.topo), false, cli->arena, &spec,
                               &story) == AM_OK &&
            spec.study)
            add_row(&t, names[i], spec.study);
        else
            am_log(AM_LOG_WARN, "passed over: %s", story.text);
    }
    if (s == AM_OK && n == 0)
        am_log(AM_LOG_INFO, "no study is shipped beside this program");
    if (s == AM_OK && t.n_rows)
        am_write_table(&t, &cli->style, stdout);
    am_setup_close(&setup);
    return s;
}
