/* SPDX-License-Identifier: MIT */
/* Known machines as rows; columns are headlines that most runs have. */
#include "document/known.h"

#include "document/screen.h"
#include "family/family.h"
#include "model/circumstances.h"

#include <string.h>

enum { DATE = 10 };

/* Headlines by their titles, and how short a column calls them. */
static const struct {
    const char *title, *column, *key;
    unsigned rank;
} figures[] = {
    {"f64 peak, best", "f64", "f64", 0},
    {"f32 peak, best", "f32", "f32", 1},
    {"memory read, best", "read, all", "memory_read", 0},
    {"memory read, one thread", "read, one", "memory_read_one", 1},
    {"memory latency", "latency", "memory_latency", 0},
    {"hand-off between cores", "hand-off", "handoff", 3},
    {"OpenCL f64 peak", "device f64", "device_f64", 3},
    {"device memory, read", "device read", "device_read", 3},
};
enum { FIGURES = sizeof(figures) / sizeof(figures[0]) };

/* The fact behind the headline of that title, by the first way that is known. */
static const struct am_fact *fact_of(const struct am_facts *facts, const char *title)
{
    const struct am_headline *all[AM_HEADLINES_MAX];
    const size_t n = am_families_headlines(all);

    for (size_t i = 0; i < n; i++) {
        const struct am_headline *const h = all[i];
        const struct am_fact *f = NULL;

        if (strcmp(h->title, title) == 0)
            f = am_headline_fact(h, facts);
        if (f)
            return f;
    }
    return NULL;
}

static bool has_figures(const struct am_facts *facts)
{
    size_t i = 0;

    while (i < FIGURES && !fact_of(facts, figures[i].title))
        i++;
    return i < FIGURES;
}

static void add_figures(struct am_table *t, const struct am_facts *facts, enum am_tone tone)
{
    for (size_t i = 0; i < FIGURES; i++) {
        const struct am_fact *const f = fact_of(facts, figures[i].title);

        if (f)
            am_table_quantity(t, AM_FORM_FACT, f->value, f->unit)->tone = tone;
        else
            (void)am_table_text(t, NULL);
    }
}

static const char *day_of(const struct am_result_set *set, struct am_arena *arena)
{
    const char *const started = set->run.started;
    const char *const day = started ? am_arena_strndup(arena, started, DATE) : NULL;

    return day ? day : "";
}

/* `from` NULL: the machine that is placed among the others. */
static void add_row(struct am_table *t, const char *name, const struct am_result_set *set,
                    const struct am_facts *facts, const char *from)
{
    const enum am_tone tone = from ? AM_TONE_PLAIN : AM_TONE_STRONG;

    am_table_row(t);
    am_table_text(t, name)->tone = tone;
    (void)am_table_text(t, am_screen_machine(set, t->arena));
    add_figures(t, facts, tone);
    (void)am_table_text(t, day_of(set, t->arena));
    (void)am_table_text(t, from);
}

static struct am_table *new_table(struct am_body *b)
{
    struct am_column columns[FIGURES + 4] = {
        {.title = "name", .key = "name"},
        {.title = "machine", .key = "machine", .flow = true, .rank = 2},
    };
    struct am_table *t;

    for (size_t i = 0; i < FIGURES; i++)
        columns[2 + i] = (struct am_column){.title = figures[i].column,
                                            .key = figures[i].key,
                                            .right = true,
                                            .rank = figures[i].rank};
    columns[2 + FIGURES] = (struct am_column){.title = "measured", .key = "measured", .rank = 4};
    columns[3 + FIGURES] = (struct am_column){.title = "from", .key = "from", .rank = 2};
    t = am_block_table(b, columns, FIGURES + 4);
    t->hide_empty = true;
    return t;
}

/* A simulated machine is no measured one, however alike they are described. */
static bool is_same(const struct am_known *known, const struct am_result_set *set)
{
    return set && known->model.set.run.synthetic == set->run.synthetic &&
           am_machine_same(&known->model.set.machine, &set->machine);
}

/* Those that are not the machine of `but`, which may be NULL. */
static void add_known(struct am_table *t, const struct am_known_machines *known,
                      const struct am_result_set *but)
{
    for (size_t i = 0; i < known->n; i++) {
        if (is_same(&known->items[i], but))
            continue;
        add_row(t, known->items[i].name, &known->items[i].model.set, &known->items[i].model.facts,
                known->items[i].shipped ? "shipped" : "yours");
    }
}

/* "" where no known machine is this one. */
static const char *names_of_same(const struct am_known_machines *known,
                                 const struct am_result_set *set, struct am_arena *arena, size_t *n)
{
    const char *names = "";

    *n = 0;
    for (size_t i = 0; i < known->n; i++) {
        if (is_same(&known->items[i], set))
            names = am_arena_printf(arena, "%s%s%s", names ? names : "", (*n)++ ? ", " : "",
                                    known->items[i].name);
    }
    return names ? names : "";
}

void am_known_table(struct am_body *b, const struct am_known_machines *known,
                    const struct am_result_set *set, const struct am_facts *facts)
{
    struct am_table *t;
    size_t same;
    const char *const names = names_of_same(known, set, b->arena, &same);

    if (known->n == same || !has_figures(facts))
        return;
    (void)am_block_add(b, AM_BLOCK_SUBHEADING, "Among known machines",
                       "memory read by all threads or by one (archmeter machines)");
    t = new_table(b);
    t->indent = 2;
    add_row(t, "this one", set, facts, NULL);
    add_known(t, known, set);
    if (same)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                            "This one is the same kind of machine as %s (processor, cores, caches "
                            "and memory), which is not listed.",
                            names);
}

static void known_blocks(struct am_body *b, const void *self)
{
    const struct am_known_view *const view = self;

    if (view->known->n)
        add_known(new_table(b), view->known, NULL);
    else if (!b->programs)
        (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL, "No machine is known.");
    (void)am_block_add(b, AM_BLOCK_GAP, NULL, NULL);
    for (size_t i = 0; i < view->known->n; i++) {
        const struct am_known *const k = &view->known->items[i];

        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, am_arena_printf(b->arena, "%s: ", k->name),
                            "made of %s by archmeter %s%s; archmeter model %s",
                            k->model.set.run.name ? k->model.set.run.name : "a run",
                            k->model.set.run.version ? k->model.set.run.version : "?",
                            k->model.set.run.synthetic ? ", simulated" : "", k->path);
    }
    if (view->folder)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH,
                            "yours: ", "what archmeter model RUN -o %s/NAME.json writes",
                            view->folder);
}

struct am_document am_document_known(const struct am_known_view *view)
{
    return (struct am_document){.self = view, .blocks = known_blocks};
}
