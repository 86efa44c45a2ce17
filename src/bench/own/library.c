/* SPDX-License-Identifier: MIT */
/* Loads shared libraries and asks them for their benches. */
#include "bench/own/library.h"

#include "base/text.h"
#include "bench/own/own.h"
#include "kernels/isa.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

/* Benches that one library adds. */
struct found {
    struct archmeter_host host; /* first: libraries hand it back */
    struct am_arena *arena;
    const char *isa; /* NULL: compiled once */
    struct archmeter_bench *benches[AM_OWN_BENCHES_MAX];
    size_t n;
    enum am_status status;
    struct am_err *err;
};

typedef void entry_fn(const struct archmeter_host *host);

static void add(const struct archmeter_host *host, const struct archmeter_bench *bench)
{
    struct found *const f = (struct found *)host;

    if (f->status != AM_OK)
        return;
    if (!bench || f->n == AM_OWN_BENCHES_MAX)
        f->status = am_fail(f->err, AM_E_USAGE, "a file adds %s",
                            bench ? "more benches than there may be" : "no bench, but NULL");
    else
        f->status = am_own_copy(bench, f->arena, &f->benches[f->n], f->err);
    f->n += f->status == AM_OK;
}

/* Calls the entry of that name; false where the library has none. */
static bool ask(void *library, const char *name, const struct found *f)
{
    void *const symbol = dlsym(library, name);
    entry_fn *entry;

    if (!symbol)
        return false;
    memcpy(&entry, &symbol, sizeof(entry)); /* POSIX has both in one size; ISO C has no cast */
    entry(&f->host);
    return true;
}

static enum am_status load(const char *path, struct found *f)
{
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    bool any;

    f->host = (struct archmeter_host){
        .size = sizeof(f->host), .interface_version = ARCHMETER_BENCH_VERSION, .add = add};
    if (!library)
        return am_fail(f->err, AM_E_USAGE, "cannot load it: %s", dlerror());
    any = ask(library, "archmeter_benches", f);
    any = ask(library, "archmeter_describe", f) || any;
    if (f->status == AM_OK && !any)
        return am_fail(f->err, AM_E_USAGE,
                       "it includes no archmeter/bench.h, and has no archmeter_describe()");
    if (f->status == AM_OK && f->n == 0)
        return am_fail(f->err, AM_E_USAGE, "it describes no bench: see ARCHMETER_BENCH()");
    return f->status;
}

/* ---- one folder ---- */

/* The libraries of one file, each with what it adds. */
struct libraries {
    struct found *items[AM_OWN_VARIANTS_MAX];
    size_t n;
};

static enum am_status add_library(struct libraries *l, const char *path, const char *isa,
                                  struct am_arena *arena, struct am_err *err)
{
    struct found *const f = am_arena_alloc(arena, sizeof(*f));

    if (!f || l->n == AM_OWN_VARIANTS_MAX)
        return am_fail(err, AM_E_NOMEM, "no memory for %s", path);
    f->arena = arena;
    f->isa = isa;
    f->err = err;
    l->items[l->n++] = f;
    /* Code for instructions that are not here must not run, not even to be listed. */
    return isa && am_isa_why_not(isa) ? AM_OK : load(path, f);
}

static enum am_status load_folder(const char *folder, struct am_arena *arena, struct libraries *l,
                                  struct am_err *err)
{
    const char *const plain = am_arena_printf(arena, "%s/" AM_OWN_LIBRARY ".so", folder);
    enum am_status s = AM_OK;

    if (plain && access(plain, R_OK) == 0)
        return add_library(l, plain, NULL, arena, err);
    for (size_t i = 0; am_isa_names[i] && s == AM_OK; i++) {
        const char *const path =
            am_arena_printf(arena, "%s/" AM_OWN_LIBRARY ".%s.so", folder, am_isa_names[i]);

        if (path && access(path, R_OK) == 0)
            s = add_library(l, path, am_isa_names[i], arena, err);
    }
    if (s == AM_OK && l->n == 0)
        s = am_fail(err, AM_E_USAGE, "%s holds no compiled bench", folder);
    return s;
}

static const struct found *first_loaded(const struct libraries *l)
{
    for (size_t i = 0; i < l->n; i++) {
        if (l->items[i]->n)
            return l->items[i];
    }
    return NULL;
}

static const struct archmeter_bench *find_bench(const struct found *f, const char *name)
{
    for (size_t i = 0; i < f->n; i++) {
        if (f->benches[i]->name && strcmp(f->benches[i]->name, name) == 0)
            return f->benches[i];
    }
    return NULL;
}

static enum am_status collect_variants(const struct libraries *l, const char *name,
                                       struct am_own_variants *out, struct am_err *err)
{
    out->n = l->n;
    for (size_t i = 0; i < l->n; i++) {
        const struct found *const f = l->items[i];

        out->items[i] = (struct am_own_variant){f->isa, find_bench(f, name)};
        if (f->n && !out->items[i].bench)
            return am_fail(err, AM_E_USAGE, "bench %s is missing in the variant for %s", name,
                           f->isa ? f->isa : "all");
    }
    return AM_OK;
}

/* ---- all folders ---- */

struct list {
    const struct am_bench **items;
    size_t n;
    struct am_arena *arena;
};

static enum am_status add_bench(struct list *list, const struct libraries *l,
                                const struct archmeter_bench *like, struct am_err *err)
{
    struct am_bench *const bench = am_arena_alloc(list->arena, sizeof(*bench));
    struct am_own_variants variants;
    enum am_status s = bench ? AM_OK : am_fail(err, AM_E_NOMEM, "no memory for a bench");

    if (s == AM_OK)
        s = collect_variants(l, like->name ? like->name : "", &variants, err);
    if (s == AM_OK)
        s = am_own_describe(&variants, list->arena, bench, err);
    for (size_t i = 0; s == AM_OK && i < list->n; i++) {
        if (strcmp(list->items[i]->name, bench->name) == 0)
            s = am_fail(err, AM_E_USAGE, "two benches are called %s", like->name);
    }
    if (s == AM_OK && list->n == AM_OWN_BENCHES_MAX)
        s = am_fail(err, AM_E_USAGE, "more than %d benches", AM_OWN_BENCHES_MAX);
    if (s == AM_OK)
        list->items[list->n++] = bench;
    return s;
}

static enum am_status add_folder(struct list *list, const char *folder, struct am_err *err)
{
    struct libraries *const l = am_arena_alloc(list->arena, sizeof(*l));
    enum am_status s = l ? load_folder(folder, list->arena, l, err)
                         : am_fail(err, AM_E_NOMEM, "no memory for a file");
    const struct found *const first = s == AM_OK ? first_loaded(l) : NULL;

    if (s == AM_OK && !first)
        return am_fail(err, AM_E_USAGE,
                       "it was compiled for instruction sets only that are not here: %s",
                       am_isa_why_not(l->items[0]->isa));
    for (size_t i = 0; first && i < first->n && s == AM_OK; i++)
        s = add_bench(list, l, first->benches[i], err);
    return s;
}

enum am_status am_own_load(const char *folders, struct am_arena *arena,
                           const struct am_bench ***out, struct am_err *err)
{
    struct list list = {
        .arena = arena,
        .items = am_arena_array(arena, AM_OWN_BENCHES_MAX + 1, sizeof(const struct am_bench *))};
    enum am_status s =
        list.items ? AM_OK : am_fail(err, AM_E_NOMEM, "no memory for the benches of a file");

    *out = list.items;
    while (folders && *folders && s == AM_OK) {
        const size_t len = strcspn(folders, ":");
        const char *const folder = am_arena_strndup(arena, folders, len);

        if (folder && len)
            s = add_folder(&list, folder, err);
        folders += len + (folders[len] == ':');
    }
    return s;
}
