/* SPDX-License-Identifier: MIT */
/* Looking for runs in a folder. */
#include "cli/run/runs.h"

#include "base/text.h"
#include "cli/words/options.h"
#include "evidence/evidence.h"
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char newest[] = "latest";

enum { RUNS_MAX = 10000 };

/* A word taken apart: FOLDER/NAME~BACK. */
struct name {
    const char *folder, *name;
    uint64_t back;
};

struct run {
    const char *path, *started, *tag; /* tag: NULL when it has none */
};

struct runs {
    struct run *items;
    size_t n;
};

static bool parse_name(const char *word, struct am_arena *arena, struct name *out)
{
    const char *const slash = strrchr(word, '/'), *const base = slash ? slash + 1 : word;
    const char *const tilde = strrchr(base, '~');

    *out = (struct name){.folder = ".", .name = am_arena_strdup(arena, base)};
    if (slash)
        out->folder = slash == word ? "/" : am_arena_strndup(arena, word, (size_t)(slash - word));
    if (tilde && am_parse_u64(tilde + 1, strlen(tilde + 1), &out->back))
        out->name = am_arena_strndup(arena, base, (size_t)(tilde - base));
    return out->folder && out->name && *out->name;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool is_run_file(const char *name)
{
    const size_t n = strlen(name);

    return n > 3 && strcmp(name + n - 3, ".db") == 0;
}

static int is_candidate(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && is_run_file(entry->d_name);
}

/* The newest first; of two that began in one second, the later name. */
static int by_start(const void *x, const void *y)
{
    const struct run *const a = x, *const b = y;
    const int order = strcmp(b->started, a->started);

    return order ? order : strcmp(b->path, a->path);
}

/* What the file says of its run, and none of its results; other databases are passed over. */
static void add_run(struct runs *runs, const char *path, struct am_arena *arena)
{
    struct am_store *store = NULL;
    struct am_result_set set = {0};
    struct am_err ignored = {0};

    if (am_store_open(path, false, &store, &ignored) == AM_OK &&
        am_evidence_load(store, &(struct am_filter){.pattern = "/"}, arena, &set, &ignored) ==
            AM_OK)
        runs->items[runs->n++] =
            (struct run){path, set.run.started ? set.run.started : "", set.run.label};
    am_store_close(store);
}

static enum am_status find_runs(const char *folder, struct am_arena *arena, struct runs *out,
                                struct am_err *err)
{
    struct dirent **entries = NULL;
    const int n = scandir(folder, &entries, is_candidate, by_name);
    enum am_status status = AM_OK;

    if (n < 0)
        return am_fail(err, AM_E_USAGE, "cannot look for runs in %s: %s", folder, strerror(errno));
    out->items = am_arena_array(arena, (size_t)n + 1, sizeof(*out->items));
    if (!out->items || n > RUNS_MAX)
        status = am_fail(err, AM_E_LIMIT, "%s: %d runs are too many to look through", folder, n);
    for (int i = 0; i < n; i++) {
        const char *const path = strcmp(folder, ".") == 0
                                     ? am_arena_strdup(arena, entries[i]->d_name)
                                     : am_arena_printf(arena, "%s/%s", folder, entries[i]->d_name);

        if (status == AM_OK && path)
            add_run(out, path, arena);
        free(entries[i]);
    }
    free(entries);
    if (out->n > 0)
        qsort(out->items, out->n, sizeof(*out->items), by_start);
    return status;
}

static enum am_status tell_unknown(const struct name *name, const char *word,
                                   const struct runs *runs, size_t seen, struct am_arena *arena,
                                   struct am_err *err)
{
    const char **const tags = am_arena_array(arena, runs->n + 1, sizeof(*tags));
    const char *near;

    for (size_t i = 0; tags && i < runs->n; i++)
        tags[i] = runs->items[i].tag;
    if (seen > 0)
        return am_fail(err, AM_E_USAGE, "%s: there %s only %zu such run%s in %s", word,
                       seen == 1 ? "is" : "are", seen, seen == 1 ? "" : "s", name->folder);
    if (strcmp(name->name, newest) == 0)
        return am_fail(err, AM_E_USAGE, "%s: there is no run in %s", word, name->folder);
    near = tags ? am_nearest(name->name, tags, runs->n) : NULL;
    return am_fail(err, AM_E_USAGE, "%s: no such file, and no run in %s has this tag%s%s%s", word,
                   name->folder, near ? "; did you mean \"" : "", near ? near : "",
                   near ? "\"?" : "");
}

enum am_status am_runs_resolve(const char *word, struct am_arena *arena, const char **path,
                               struct am_err *err)
{
    struct runs runs = {0};
    struct name name;
    enum am_status status;
    size_t seen = 0;

    *path = word;
    if (access(word, F_OK) == 0 || is_run_file(word))
        return AM_OK; /* a file that is not there is told by whoever opens it */
    if (!parse_name(word, arena, &name))
        return am_fail(err, AM_E_USAGE, "%s: no such file", word);
    status = find_runs(name.folder, arena, &runs, err);
    if (status != AM_OK)
        return status;
    for (size_t i = 0; i < runs.n; i++) {
        const struct run *const r = &runs.items[i];

        if (strcmp(name.name, newest) != 0 && !(r->tag && strcmp(r->tag, name.name) == 0))
            continue;
        if (seen++ == name.back) {
            *path = r->path;
            return AM_OK;
        }
    }
    return tell_unknown(&name, word, &runs, seen, arena, err);
}

/* Names of benches have a dot, patterns often a wildcard; a word without either is a run's name. */
static bool can_be_pattern(const char *word)
{
    return !strchr(word, '/') && !is_run_file(word) && strpbrk(word, ".*?[");
}

enum am_status am_runs_settle(struct am_options *opt, struct am_arena *arena, struct am_err *err)
{
    const struct am_command *const c = &am_commands[opt->command];
    struct am_strings named = {0};
    struct am_err ignored = {0};
    const char *path;

    if (c->latest != 1 || c->max_operands == 1 || opt->operands.n == 0 ||
        !can_be_pattern(opt->operands.items[0]) ||
        am_runs_resolve(opt->operands.items[0], arena, &path, &ignored) == AM_OK)
        return AM_OK;
    if (!am_strings_add(&named, arena, newest))
        return am_fail(err, AM_E_NOMEM, "no memory for the command line");
    for (size_t i = 0; i < opt->operands.n; i++) {
        if (!am_strings_add(&named, arena, opt->operands.items[i]))
            return am_fail(err, AM_E_NOMEM, "no memory for the command line");
    }
    opt->operands = named;
    return AM_OK;
}

enum am_status am_runs_in(const char *folder, struct am_arena *arena, struct am_strings *out,
                          struct am_err *err)
{
    struct runs runs = {0};
    enum am_status status = find_runs(folder, arena, &runs, err);

    for (size_t i = runs.n; i-- > 0 && status == AM_OK;) {
        if (!am_strings_add(out, arena, runs.items[i].path))
            status = am_fail(err, AM_E_NOMEM, "no memory for the runs");
    }
    return status;
}
