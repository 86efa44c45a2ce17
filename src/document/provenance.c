/* SPDX-License-Identifier: MIT */
/* Rows of what measured a run, sorted by what they are said of. */
#include "document/provenance.h"

#include "base/array.h"
#include "document/verification.h"

#include <string.h>

/* One thing that is known. */
struct row {
    const char *of, *what, *value;
};

struct rows {
    struct row *items;
    size_t n, cap, left_out;
    struct am_arena *arena;
};

enum { ROWS_MAX = 2000 }; /* of an honest file some hundreds: each is compared with those before */

static const char ourselves[] = "archmeter", the_system[] = "system", the_file[] = "file";

static void add(struct rows *rows, const char *of, const char *what, const char *value)
{
    struct row *row;

    for (size_t i = 0; i < rows->n; i++) {
        if (strcmp(rows->items[i].of, of) == 0 && strcmp(rows->items[i].what, what) == 0 &&
            strcmp(rows->items[i].value, value) == 0)
            return;
    }
    if (rows->n == ROWS_MAX) {
        rows->left_out++;
        return;
    }
    row = AM_ARRAY_ADD(rows->arena, rows->items, rows->n, rows->cap);
    if (row)
        *row = (struct row){of, what, value};
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* "worker NAME" of the part of a key that names a worker, up to its first dot; the conductor's own
 * libraries are archmeter's. */
static const char *worker_of(const char *name, struct am_arena *arena)
{
    const size_t n = strcspn(name, ".");
    const char *const text = am_arena_printf(arena, "worker %.*s", (int)n, name);

    if (strlen(ourselves) == n && strncmp(name, ourselves, n) == 0)
        return ourselves;
    return text ? text : ourselves;
}

/* Keys of the build that are of a worker: what stands before its name, and what that is called. */
static const struct {
    const char *prefix, *what;
} of_workers[] = {
    {"worker.", "program, SHA-256"},
    {"compiler.", "compilers"},
    {"flags.", "flags"},
};

static void add_build(struct rows *rows, const char *node, const char *key, const char *value)
{
    for (size_t i = 0; i < sizeof(of_workers) / sizeof(*of_workers); i++) {
        const char *const name = key + strlen(of_workers[i].prefix);

        if (!begins(key, of_workers[i].prefix))
            continue;
        add(rows, node ? node : worker_of(name, rows->arena), node ? key : of_workers[i].what,
            value);
        return;
    }
    add(rows, node ? node : ourselves, key, value);
}

/* Circumstances that say what code ran: the others are those of the machine at that time. */
static void add_circumstance(struct rows *rows, const char *node, const char *key,
                             const char *value)
{
    static const char *const system_keys[] = {
        "os",        "kernel",         "kernel_build",   "kernel_parameters",
        "microcode", "virtualisation", "container",      "nvidia_driver",
        "libc",      "sqlite",         "hwloc_interface"};
    static const char library[] = "library.";
    const char *const name = begins(key, library) ? key + strlen(library) : NULL;
    const char *const dot = name ? strchr(name, '.') : NULL;

    if (dot)
        add(rows, node ? node : worker_of(name, rows->arena), node ? key : dot + 1, value);
    else if (begins(key, "env."))
        add(rows, node ? node : the_system, key, value);
    for (size_t i = 0; i < sizeof(system_keys) / sizeof(*system_keys); i++) {
        if (strcmp(key, system_keys[i]) == 0)
            add(rows, node ? node : the_system, key, value);
    }
}

/* What workers noted of code that is not theirs: drivers, libraries that were opened by name. */
static void add_notes(struct rows *rows, const struct am_result *r)
{
    static const char *const keys[] = {"driver",  "platform",     "compiler", "openmp",
                                       "library", "library_file", "fftw",     "options"};
    const char *const of = am_arena_printf(rows->arena, "worker %s", r->worker ? r->worker : "?");

    for (size_t i = 0; of && i < sizeof(keys) / sizeof(*keys); i++) {
        const char *const value = am_kvs_get(&r->notes, keys[i]);

        if (value)
            add(rows, of, keys[i], value);
    }
}

/* The facts of a node are those in which it differs, with their area before the key. */
static void add_node(struct rows *rows, const struct am_node *node)
{
    static const char build[] = "build.", circumstance[] = "environment.";
    const char *const of = am_arena_printf(rows->arena, "node %s", node->name);

    for (size_t i = 0; of && i < node->facts.n; i++) {
        const struct am_kv *const fact = &node->facts.items[i];

        if (begins(fact->key, build))
            add_build(rows, of, fact->key + strlen(build), fact->value);
        else if (begins(fact->key, circumstance))
            add_circumstance(rows, of, fact->key + strlen(circumstance), fact->value);
    }
}

static struct rows collect(const struct am_result_set *set, struct am_arena *arena)
{
    struct rows rows = {.arena = arena};

    for (size_t i = 0; i < set->build.n; i++)
        add_build(&rows, NULL, set->build.items[i].key, set->build.items[i].value);
    for (size_t i = 0; i < set->environment.n; i++)
        add_circumstance(&rows, NULL, set->environment.items[i].key,
                         set->environment.items[i].value);
    for (size_t i = 0; i < set->n; i++)
        add_notes(&rows, &set->results[i]);
    for (size_t i = 0; i < set->nodes.n; i++)
        add_node(&rows, &set->nodes.items[i]);
    return rows;
}

static void tell_row(struct am_table *t, const struct row *row)
{
    am_table_row(t);
    (void)am_table_text(t, row->of);
    (void)am_table_text(t, row->what);
    (void)am_table_text(t, row->value);
}

/* All rows of one thing, then those of the next: in the order of their first. */
static void tell_rows(struct am_table *t, const struct rows *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        const char *const of = rows->items[i].of;
        size_t before = 0;

        while (strcmp(rows->items[before].of, of) != 0)
            before++;
        for (size_t k = i; before == i && k < rows->n; k++) {
            if (strcmp(rows->items[k].of, of) == 0)
                tell_row(t, &rows->items[k]);
        }
    }
}

static void blocks(struct am_body *b, const void *self)
{
    static const struct am_column columns[] = {
        {.title = "of", .key = "of", .place = AM_PLACE_GROUP},
        {.title = "what", .key = "what"},
        {.title = "value", .key = "value", .flow = true},
    };
    const struct am_result_set *const set = self;
    const struct rows rows = collect(set, b->arena);
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));

    tell_rows(t, &rows);
    if (rows.left_out)
        tell_row(t, &(struct row){the_file, "left out",
                                  am_arena_printf(b->arena, "%zu more notes", rows.left_out)});
    tell_row(t, &(struct row){the_file, "seals", am_seal_sentence(&set->seal, b->arena)});
}

struct am_document am_document_provenance(const struct am_result_set *set)
{
    return (struct am_document){.self = set, .blocks = blocks};
}
