/* SPDX-License-Identifier: MIT */
/* The catalogue: every worker program found, and the benches it says it has. */
#include "conductor/catalogue.h"

#include "base/fsroot.h"
#include "base/text.h"
#include "conductor/process.h"
#include "core/protocol/protocol.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define WORKER_PREFIX "archmeter-worker-"

enum { WORKERS_MAX = 64, LISTING_MAX = 16 * 1024 * 1024, MANIFEST_MAX = 16 * 1024 };

/* OpenCL drivers can take seconds to come up, and one that hangs is given ten of them by the worker
 * itself, which then lists the others: that must never become a race with this limit. */
static const double listing_limit_s = 60;

struct search {
    struct am_arena *arena;
    struct am_catalogue *out;
    const char *dir;
    bool out_of_memory;
};

static const struct am_worker *find_worker(const struct am_catalogue *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++) {
        if (strcmp(c->workers[i].name, name) == 0)
            return &c->workers[i];
    }
    return NULL;
}

/* Adds a worker unless one of that name is known: earlier directories win. */
static struct am_worker *add_worker(struct search *s, const char *name, size_t len)
{
    struct am_worker *w;
    char *copy = am_arena_strndup(s->arena, name, len);

    if (!copy) {
        s->out_of_memory = true;
        return NULL;
    }
    if (s->out->n == WORKERS_MAX || find_worker(s->out, copy))
        return NULL;
    w = &s->out->workers[s->out->n++];
    *w = (struct am_worker){.name = copy};
    return w;
}

/* What the dynamic loader says of a program whose library is not there, in short; NULL when it says
 * something else. */
static const char *missing_library(const char *said, struct am_arena *arena)
{
    static const char mark[] = "error while loading shared libraries: ";
    const char *const at = strstr(said, mark);
    const char *const name = at ? at + strlen(mark) : "";
    const size_t len = strcspn(name, ":\n");

    return len ? am_arena_printf(arena, "the library %.*s is not installed", (int)len, name) : NULL;
}

static const char *why_ended(const struct am_process_result *r, struct am_arena *arena)
{
    const char *const said = am_text_str(&r->err);
    const char *const missing = missing_library(said, arena);

    if (missing)
        return missing;
    if (r->end == AM_END_SIGNAL)
        return am_arena_printf(arena, "its --list was ended by signal %d (%s)", r->code,
                               strsignal(r->code));
    if (r->end == AM_END_TIMEOUT)
        return am_arena_printf(arena, "its --list gave no answer in %.0f s", listing_limit_s);
    return am_arena_printf(arena, "its --list ended with exit code %d: %.*s", r->code,
                           (int)strcspn(said, "\n"), said);
}

/* Asks the program for its benches; what goes wrong becomes the worker's why_not. */
static void ask(struct am_worker *w, struct am_arena *arena)
{
    const struct am_process p = {
        .program = w->program,
        .argument = "--list",
        .limit_s = listing_limit_s,
        .environment = w->environment.items,
        .n_environment = w->environment.n,
        .stream_limit = NULL,
        .output_limit = LISTING_MAX,
    };
    struct am_process_result r;
    struct am_listing listing;
    struct am_err err = {0};

    if (am_process_run(&p, &r, &err) != AM_OK) {
        w->why_not = am_arena_strdup(arena, err.text);
    } else if (r.end != AM_END_EXIT || r.code != 0) {
        w->why_not = why_ended(&r, arena);
    } else if (am_listing_parse(am_text_str(&r.out), r.out.len, arena, &listing, &err) != AM_OK) {
        w->why_not = am_arena_printf(arena, "its --list is not understood: %s", err.text);
    } else if (strcmp(listing.worker, w->name) != 0) {
        w->why_not = am_arena_printf(arena, "it calls itself \"%s\"", listing.worker);
    } else {
        w->benches = listing.benches;
        w->n = listing.n;
    }
    am_process_fini(&r);
}

static bool on_entry(void *self, const char *name)
{
    struct search *s = self;
    const size_t prefix = strlen(WORKER_PREFIX);
    struct am_worker *w;
    char *path;

    if (strncmp(name, WORKER_PREFIX, prefix) != 0 || strchr(name + prefix, '.'))
        return true;
    path = am_arena_printf(s->arena, "%s/%s", s->dir, name);
    if (!path || access(path, X_OK) != 0)
        return true;
    w = add_worker(s, name + prefix, strlen(name + prefix));
    if (w)
        w->program = path;
    return true;
}

/* workers.txt: "NAME REASON..." for each program that the build left out. */
static void read_manifest(struct search *s, const struct am_fsroot *dir)
{
    char text[MANIFEST_MAX];
    char *line = text;

    if (am_fsroot_read(dir, "workers.txt", text, sizeof(text)) <= 0)
        return;
    while (*line) {
        const size_t len = strcspn(line, "\n");
        const size_t name = strcspn(line, " \n");
        struct am_worker *w = name && name < len ? add_worker(s, line, name) : NULL;

        if (w)
            w->why_not = am_arena_strndup(s->arena, line + name + 1, len - name - 1);
        line += len + (line[len] == '\n');
    }
}

static void search_dir(struct search *s, const char *dir, size_t len)
{
    struct am_fsroot root = {0};
    char *path = am_arena_strndup(s->arena, dir, len);

    if (!path || am_fsroot_open(&root, path, NULL) != AM_OK)
        return;
    s->dir = path;
    (void)am_fsroot_list(&root, ".", on_entry, s);
    read_manifest(s, &root);
    am_fsroot_close(&root);
}

static void search_path(struct search *s, const char *path)
{
    while (*path) {
        const size_t len = strcspn(path, ":");

        if (len)
            search_dir(s, path, len);
        path += len + (path[len] == ':');
    }
}

/* The full path of this program. Where /proc is hidden, the name it was started by tells. */
static bool own_path(char path[PATH_MAX])
{
    const ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    const char *const started_as = (const char *)getauxval(AT_EXECFN);

    if (n <= 0)
        return started_as && realpath(started_as, path);
    path[n] = '\0';
    return true;
}

static enum am_status search_beside_program(struct search *s, struct am_err *err)
{
    const char *const added = getenv("ARCHMETER_RUNTIMES");
    char self[PATH_MAX], libexec[PATH_MAX];

    if (!own_path(self))
        return am_fail(err, AM_E_SYS, "where this program lies");
    *strrchr(self, '/') = '\0'; /* both ways give a full path */
    search_dir(s, self, strlen(self));
    if (am_str_format(libexec, sizeof(libexec), "%s/../libexec/archmeter", self))
        search_dir(s, libexec, strlen(libexec));
    if (added)
        search_dir(s, added, strlen(added));
    return AM_OK;
}

static enum am_status find_programs(struct am_arena *arena, const char *path,
                                    struct am_catalogue *out, struct am_err *err)
{
    struct search s = {.arena = arena, .out = out};
    enum am_status status = AM_OK;

    *out = (struct am_catalogue){.workers =
                                     am_arena_array(arena, WORKERS_MAX, sizeof(struct am_worker))};
    if (!out->workers)
        return am_fail(err, AM_E_NOMEM, "no memory for the catalogue");
    if (path && *path)
        search_path(&s, path);
    else
        status = search_beside_program(&s, err);
    if (s.out_of_memory)
        return am_fail(err, AM_E_NOMEM, "no memory for the catalogue");
    return status;
}

enum am_status am_catalogue_find_programs(struct am_arena *arena, struct am_catalogue *out,
                                          struct am_err *err)
{
    return find_programs(arena, getenv("ARCHMETER_WORKERS"), out, err);
}

static enum am_status ask_all(struct am_catalogue *c, struct am_arena *arena, struct am_err *err)
{
    for (size_t i = 0; i < c->n; i++) {
        if (c->workers[i].program)
            ask(&c->workers[i], arena);
    }
    return am_catalogue_unite(c, arena) ? AM_OK
                                        : am_fail(err, AM_E_NOMEM, "no memory for the catalogue");
}

enum am_status am_catalogue_load(struct am_arena *arena, const char *simulated,
                                 struct am_catalogue *out, struct am_err *err)
{
    const enum am_status status =
        find_programs(arena, simulated ? simulated : getenv("ARCHMETER_WORKERS"), out, err);

    if (status != AM_OK)
        return status;
    out->simulated = simulated != NULL;
    return ask_all(out, arena, err);
}

/* The programs of another catalogue, not yet asked. */
static enum am_status copy_programs(struct am_arena *arena, const struct am_catalogue *like,
                                    struct am_catalogue *out, struct am_err *err)
{
    *out = (struct am_catalogue){.workers =
                                     am_arena_array(arena, like->n + 1, sizeof(struct am_worker)),
                                 .n = like->n,
                                 .simulated = like->simulated};
    if (!out->workers)
        return am_fail(err, AM_E_NOMEM, "no memory for the catalogue");
    for (size_t i = 0; i < like->n; i++)
        out->workers[i] =
            (struct am_worker){.name = like->workers[i].name, .program = like->workers[i].program};
    return AM_OK;
}

enum am_status am_catalogue_load_again(struct am_arena *arena, const struct am_catalogue *like,
                                       const char *folder, const struct am_strings *environment,
                                       struct am_catalogue *out, struct am_err *err)
{
    const char *const path =
        folder ? am_arena_printf(arena, "%s:%s/libexec/archmeter:%s/../libexec/archmeter", folder,
                                 folder, folder)
               : NULL;
    enum am_status status;

    if (folder && !path)
        return am_fail(err, AM_E_NOMEM, "no memory for the catalogue");
    status = folder ? find_programs(arena, path, out, err) : copy_programs(arena, like, out, err);
    for (size_t i = 0; status == AM_OK && i < out->n; i++)
        out->workers[i].environment = *environment;
    return status == AM_OK ? ask_all(out, arena, err) : status;
}

const struct am_bench *am_catalogue_find(const struct am_catalogue *c, const char *worker,
                                         const char *bench)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct am_worker *w = &c->workers[i];

        if (worker && strcmp(w->name, worker) != 0)
            continue;
        for (size_t k = 0; k < w->n; k++) {
            if (strcmp(w->benches[k].name, bench) == 0)
                return &w->benches[k];
        }
    }
    return worker && c->base ? am_catalogue_find(c->base, worker, bench) : NULL;
}

bool am_catalogue_is_first(const struct am_catalogue *c, const struct am_bench *bench)
{
    return am_catalogue_find(c, NULL, bench->name) == bench;
}

bool am_catalogue_is_named_only(const struct am_catalogue *c, const char *name)
{
    for (size_t w = 0; w < c->n; w++) {
        const struct am_bench *const bench = am_catalogue_find(c, c->workers[w].name, name);

        if (bench && !bench->named_only)
            return false;
    }
    return true;
}

const struct am_worker *am_catalogue_worker(const struct am_catalogue *c,
                                            const struct am_bench *bench)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct am_worker *w = &c->workers[i];

        if (w->n && bench >= w->benches && bench < w->benches + w->n)
            return w;
    }
    return c->base ? am_catalogue_worker(c->base, bench) : NULL;
}
