/* SPDX-License-Identifier: MIT */
/* The model: tables of core and memory made of facts, every other fact in the table of its family,
 * contradictions, guidelines. */
#include "document/model.h"

#include "base/text.h"
#include "document/facts.h"
#include "document/known.h"
#include "document/run.h"
#include "document/screen.h"
#include "document/units.h"
#include "model/machine.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WHERE_BYTES = 256, TITLE_BYTES = 64, INDENT = 2 };

/* The facts, and which have had their place. */
struct teller {
    struct am_body *b;
    const struct am_facts *facts;
    bool *told;     /* by index of a fact; NULL: nobody asks */
    double threads; /* the most that any fact was measured with */
};

/* ---- facts by name and labels ---- */

/* A cell with the value of the fact with these labels, of several the largest; empty without one.
 * A speed-up has two decimals. */
__attribute__((format(printf, 4, 5))) static const struct am_fact *
put(const struct teller *t, struct am_table *table, const char *name, const char *fmt, ...)
{
    const struct am_fact *f;
    char where[WHERE_BYTES];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(where, sizeof(where), fmt, ap);
    va_end(ap);
    f = am_facts_most(t->facts, name, where);
    if (f && t->told)
        t->told[f - t->facts->items] = true;
    if (!f)
        (void)am_table_text(table, NULL);
    else if (strcmp(f->name, "speedup") == 0)
        am_table_number(table, AM_FORM_RATIO, f->value)->digits = 2;
    else
        (void)am_table_fact_alone(table, f);
    return f;
}

/* What is claimed, with a mark where it is denied. */
static void put_claim(struct am_table *table, const struct am_fact *f)
{
    const bool denied = f && f->contradicts;

    am_table_textf(table, "%s%s", f ? am_fact_claim(f, table->arena) : "", denied ? " !" : "")
        ->tone = denied ? AM_TONE_WARN : AM_TONE_PLAIN;
}

/* Shown below a heading, if it has any row. */
static struct am_table *add_table(const struct teller *t, const char *name, const char *rest,
                                  const struct am_column *columns, size_t n)
{
    struct am_table *table;

    (void)am_block_add(t->b, AM_BLOCK_SUBHEADING, name, rest);
    table = am_block_table(t->b, columns, n);
    table->indent = INDENT;
    table->hide_empty = true;
    return table;
}

static void drop_if_empty(const struct teller *t, const struct am_table *table)
{
    if (table->n_rows == 0 && t->b->n >= 2)
        t->b->n -= 2; /* heading and table */
}

/* ---- the core ---- */

static bool is_first_pair(const struct teller *t, const struct am_fact *f)
{
    const struct am_fact *before = am_facts_next(t->facts, "core.peak", NULL, NULL);

    while (before != f && !am_fact_alike(before, f, "threads"))
        before = am_facts_next(t->facts, "core.peak", NULL, before);
    return before == f;
}

static void add_core(const struct teller *t, struct am_table *table, const char *type,
                     const char *isa)
{
    am_table_row(table);
    (void)am_table_text(table, type);
    (void)am_table_text(table, isa);
    (void)put(t, table, "core.peak", "type=%s isa=%s threads=1", type, isa);
    (void)put(t, table, "core.flops_per_cycle", "type=%s isa=%s", type, isa);
    (void)put(t, table, "core.streams", "type=%s isa=%s", type, isa);
    (void)put(t, table, "core.peak", "type=%s isa=%s threads=%.0f threads>1", type, isa,
              t->threads);
    (void)put(t, table, "core.speedup", "type=%s isa=%s threads=%.0f", type, isa, t->threads);
}

static void tell_core(const struct teller *t)
{
    const bool streams = am_facts_next(t->facts, "core.streams", NULL, NULL) != NULL;
    const char *const many = am_arena_printf(t->b->arena, "%.0f threads", t->threads);
    const struct am_column columns[] = {{.title = "type"},
                                        {.title = "isa"},
                                        {.title = "one thread", .right = true},
                                        {.title = "per cycle", .right = true, .rank = 2},
                                        {.title = "streams", .right = true, .rank = 1},
                                        {.title = many ? many : "all threads", .right = true},
                                        {.title = "speed-up", .right = true}};
    struct am_table *const table =
        add_table(t, "Core",
                  streams ? "peak arithmetic; streams: independent operations that reach it"
                          : "peak arithmetic",
                  columns, sizeof(columns) / sizeof(columns[0]));

    for (const struct am_fact *f = am_facts_next(t->facts, "core.peak", NULL, NULL); f;
         f = am_facts_next(t->facts, "core.peak", NULL, f)) {
        const char *const type = am_fact_text(f, "type"), *const isa = am_fact_text(f, "isa");

        if (type && isa && is_first_pair(t, f))
            add_core(t, table, type, isa);
    }
    drop_if_empty(t, table);
}

static void tell_instructions(const struct teller *t)
{
    static const struct am_column columns[] = {{.title = "instruction"},
                                               {.title = "latency", .right = true},
                                               {.title = "rate", .right = true},
                                               {.title = "what", .rank = 1, .flow = true}};
    static const char before[] = "latency of ";
    struct am_table *const table =
        add_table(t, "Instructions", "of one core", columns, sizeof(columns) / sizeof(columns[0]));

    for (const struct am_fact *f = am_facts_next(t->facts, "core.latency", NULL, NULL); f;
         f = am_facts_next(t->facts, "core.latency", NULL, f)) {
        const char *const instr = am_fact_text(f, "instr");
        const bool known = strncmp(f->what, before, sizeof(before) - 1) == 0;

        if (!instr)
            continue;
        am_table_row(table);
        (void)am_table_text(table, instr);
        (void)put(t, table, "core.latency", "instr=%s", instr);
        (void)put(t, table, "core.rate", "instr=%s", instr);
        (void)am_table_text(table, known ? f->what + sizeof(before) - 1 : f->what);
    }
    drop_if_empty(t, table);
}

/* ---- the levels of memory ---- */

static const char *const kernels[] = {"read", "write", "copy", "triad"};
enum { KERNELS = sizeof(kernels) / sizeof(kernels[0]) };

static void add_level(const struct teller *t, struct am_table *table, enum am_tier level)
{
    const char *const of = am_tier_label(level);
    const struct am_fact *size;

    am_table_row(table);
    (void)am_table_text(table, am_tier_title(level));
    size = put(t, table, "memory.size", "level=%s", of);
    put_claim(table, size);
    (void)put(t, table, "memory.latency", "level=%s", of);
    (void)put(t, table, "memory.cycles", "level=%s", of);
    for (size_t k = 0; k < KERNELS; k++)
        (void)put(t, table, "memory.bandwidth", "level=%s kernel=%s threads=1", of, kernels[k]);
    for (size_t c = 1; c < table->n_columns; c++) {
        char buf[AM_CELL_BYTES];

        if (*am_cell_show(am_table_at(table, table->n_rows - 1, c), buf, sizeof(buf)))
            return;
    }
    table->n_rows--; /* nothing is known of this level */
}

static void tell_memory(const struct teller *t)
{
    static const struct am_column columns[] = {{.title = "level"},
                                               {.title = "size", .right = true},
                                               {.title = "stated", .right = true},
                                               {.title = "latency", .right = true},
                                               {.title = "cycles", .right = true, .rank = 2},
                                               {.title = "read", .right = true},
                                               {.title = "write", .right = true},
                                               {.title = "copy", .right = true},
                                               {.title = "triad", .right = true, .rank = 1}};
    struct am_table *const table =
        add_table(t, "Memory", "of one thread; bandwidths count what the program reads and writes",
                  columns, sizeof(columns) / sizeof(columns[0]));

    for (enum am_tier l = AM_TIER_L1D; l < AM_TIER_COUNT; l++)
        add_level(t, table, l);
    drop_if_empty(t, table);
}

/* The same bandwidths of all threads, each with its speed-up over one. */
static void tell_memory_of_all(const struct teller *t)
{
    static const struct am_column columns[] = {{.title = "level"},
                                               {.title = "read", .right = true},
                                               {.title = "×", .right = true, .rank = 1},
                                               {.title = "write", .right = true},
                                               {.title = "×", .right = true, .rank = 1},
                                               {.title = "copy", .right = true},
                                               {.title = "×", .right = true, .rank = 1},
                                               {.title = "triad", .right = true, .rank = 2},
                                               {.title = "×", .right = true, .rank = 2}};
    struct am_table *table;

    if (!(t->threads > 1))
        return;
    table =
        add_table(t, am_arena_printf(t->b->arena, "Memory, %.0f threads", t->threads),
                  "and how many times one thread's", columns, sizeof(columns) / sizeof(columns[0]));
    for (enum am_tier l = AM_TIER_L1D; l < AM_TIER_COUNT; l++) {
        char where[WHERE_BYTES];

        (void)am_str_format(where, sizeof(where),
                            "level=%s threads=%.0f kernel=read,write,copy,triad", am_tier_label(l),
                            t->threads);
        if (!am_facts_next(t->facts, "memory.bandwidth", where, NULL))
            continue;
        am_table_row(table);
        (void)am_table_text(table, am_tier_title(l));
        for (size_t k = 0; k < KERNELS; k++) {
            (void)put(t, table, "memory.bandwidth", "level=%s kernel=%s threads=%.0f",
                      am_tier_label(l), kernels[k], t->threads);
            (void)put(t, table, "memory.speedup", "level=%s kernel=%s threads=%.0f",
                      am_tier_label(l), kernels[k], t->threads);
        }
    }
    drop_if_empty(t, table);
}

static double most_threads(const struct am_facts *facts)
{
    double most = 1;

    for (size_t i = 0; i < facts->n; i++) {
        const struct am_fact *const f = &facts->items[i];

        if (am_fact_is(f, "core.peak") || am_fact_is(f, "memory.bandwidth"))
            most = fmax(most, am_fact_number(f, "threads")); /* NAN is passed over */
    }
    return most;
}

/* ---- claimed beside measured ---- */

static void add_claim(const struct teller *t, struct am_table *table, const struct am_fact *f)
{
    static const char *const labels[] = {"type", "isa", "level", "device", "direction"};
    char *const of = am_arena_printf(t->b->arena, "%s", am_fact_text(f, "of"));
    const char *what = of;

    for (char *c = of; c && *c; c++)
        *c = *c == '_' ? ' ' : *c;
    for (size_t i = 0; what && i < sizeof(labels) / sizeof(labels[0]); i++) {
        const char *const text = am_fact_text(f, labels[i]);

        what = text ? am_arena_printf(t->b->arena, "%s, %s", what, text) : what;
    }
    am_table_row(table);
    (void)am_table_text(table, what);
    put_claim(table, f);
    (void)am_table_text(table, am_arena_strndup(t->b->arena, f->evidence,
                                                strcspn(f->evidence, ","))); /* then comes where */
    (void)am_table_fact(table, f);
    (void)am_table_fact_interval(table, f);
    if (t->told)
        t->told[f - t->facts->items] = true;
}

static void tell_claims(const struct teller *t)
{
    static const struct am_column columns[] = {{.title = "of", .flow = true},
                                               {.title = "claimed", .flow = true},
                                               {.title = "measured", .right = true},
                                               {.title = "share", .right = true},
                                               {.title = "between", .right = true, .rank = 2}};
    const struct am_fact *const ecc = am_facts_only(t->facts, "claims.ecc", NULL);
    struct am_table *const table =
        add_table(t, "Claimed beside measured",
                  ecc ? am_arena_printf(t->b->arena, "error correction of memory, as stated: %s",
                                        ecc->claimed)
                      : "what is claimed of the machine, and which share a program gets",
                  columns, sizeof(columns) / sizeof(columns[0]));
    const struct am_fact *f = NULL;

    while ((f = am_facts_next(t->facts, "claims.share", NULL, f)) != NULL)
        add_claim(t, table, f);
    if (ecc && t->told)
        t->told[ecc - t->facts->items] = true;
    drop_if_empty(t, table);
}

void am_model_tables(struct am_body *b, const struct am_facts *facts, bool *told)
{
    const struct teller t = {b, facts, told, most_threads(facts)};

    tell_core(&t);
    tell_instructions(&t);
    tell_memory(&t);
    tell_memory_of_all(&t);
    tell_claims(&t);
}

/* ---- what follows ---- */

static void tell_contradictions(struct am_body *b, const struct am_facts *facts)
{
    bool any = false;

    for (size_t i = 0; i < facts->n; i++) {
        const struct am_fact *const f = &facts->items[i];
        char value[AM_UNITS_MAX];

        if (!f->contradicts)
            continue;
        if (!any)
            (void)am_block_add(b, AM_BLOCK_SUBHEADING, "Contradictions",
                               "what is stated, and what the measurement denies");
        any = true;
        am_fact_value(f, value, sizeof(value));
        am_block_addf(b, AM_BLOCK_PARAGRAPH, am_arena_printf(b->arena, "! %s: ", f->id),
                      "measured %s, stated: %s. %s.", value, am_fact_claim(f, b->arena),
                      f->evidence)
            ->indent = INDENT;
    }
    if (any)
        (void)am_block_add(b, AM_BLOCK_PARAGRAPH,
                           "!: ", "the measurement denies what the system states");
}

void am_model_guidelines(struct am_body *b, const struct am_guidelines *all)
{
    if (all->n)
        (void)am_block_add(b, AM_BLOCK_SUBHEADING, "Guidelines",
                           "what follows for programs on this machine");
    for (size_t i = 0; i < all->n; i++) {
        const struct am_guideline *const g = &all->items[i];
        struct am_block *block;

        am_block_add(b, AM_BLOCK_PARAGRAPH, am_arena_printf(b->arena, "%2zu. ", i + 1), g->text)
            ->indent = INDENT;
        block = am_block_add(b, AM_BLOCK_PARAGRAPH, "by: ", g->evidence);
        block->indent = INDENT + 4;
        block->tone = AM_TONE_MUTED;
        block = am_block_addf(b, AM_BLOCK_PARAGRAPH, "again: ", "archmeter %s", g->command);
        block->indent = INDENT + 4;
        block->tone = AM_TONE_MUTED;
    }
}

/* ---- the document ---- */

/* Where a model that was read comes from. */
static void tell_origin(struct am_body *b, const struct am_result_set *set)
{
    (void)am_block_addf(b, AM_BLOCK_LINE, "model", "read from a file; made of %s, measured %s%s",
                        set->run.name ? set->run.name : "a run",
                        set->run.started ? set->run.started : "at an unknown time",
                        set->run.synthetic ? ", of a simulated machine" : "");
}

/* The first screen, or the machine's name where there is nothing for one. */
static void tell_head(struct am_body *b, const struct am_model_view *view, bool *left)
{
    const struct am_fact *const clock = am_facts_only(view->facts, "core.clock", NULL);
    const struct am_screen_view screen = {
        .set = view->set, .facts = view->facts, .read = view->read};

    if (clock)
        left[clock - view->facts->items] = false;
    if (view->read)
        tell_origin(b, view->set);
    if (am_screen_families(view->facts) > 0)
        am_screen_section(b, &screen);
    else
        (void)am_block_add(b, AM_BLOCK_LINE, "machine",
                           am_machine_line(&view->set->machine, b->arena));
}

/* Of a rate by several numbers of threads only the most is told; --facts has the others. */
static void find_left(const struct am_facts *facts, const bool *told, bool *left)
{
    const double most = most_threads(facts);

    for (size_t i = 0; i < facts->n; i++) {
        const double threads = am_fact_number(&facts->items[i], "threads");

        left[i] = left[i] && !told[i] && !(threads > 1 && threads < most);
    }
}

void am_model_blocks(struct am_body *b, const struct am_model_view *view)
{
    const struct am_facts *const facts = view->facts;
    bool *const told = am_arena_array(b->arena, facts->n + 1, sizeof(*told));
    bool *const left = am_arena_array(b->arena, facts->n + 1, sizeof(*left));

    b->broken |= !told || !left;
    if (!told || !left)
        return;
    memset(left, true, facts->n + 1);
    if (b->programs) {
        am_facts_tables(b, facts, left);
        return;
    }
    tell_head(b, view, left);
    am_model_tables(b, facts, told);
    find_left(facts, told, left);
    am_facts_tables(b, facts, left);
    tell_contradictions(b, facts);
    am_facts_remarks(b, facts);
    am_model_guidelines(b, view->guidelines);
    if (view->known)
        am_known_table(b, view->known, view->set, facts);
    if (facts->n == 0)
        return;
    (void)am_block_add(b, AM_BLOCK_GAP, NULL, NULL);
    (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL,
                       "archmeter model --facts gives every number with its interval and evidence");
}

static void tell_ceilings(struct am_data *d, const struct am_roofline *roofline)
{
    am_data_array(d, "ceilings");
    for (size_t i = 0; i < roofline->n; i++) {
        const struct am_ceiling *const c = &roofline->items[i];

        am_data_object(d, NULL);
        am_data_text(d, "kind", am_ceiling_words[c->kind]);
        am_data_text(d, "level", c->level < AM_TIER_COUNT ? am_tier_label(c->level) : NULL);
        am_data_text(d, "space", c->space);
        am_data_text(d, "type", c->type);
        am_data_text(d, "isa", c->isa);
        am_data_text(d, "op", c->op);
        am_data_text(d, "device", c->device);
        am_data_number(d, "threads", c->threads);
        am_data_text(d, "unit", am_ceiling_unit_of(c->kind, c->type));
        am_data_number(d, "rate", c->rate);
        am_data_number(d, "median", c->median);
        am_data_range(d, "interval", c->ci.lo, c->ci.hi);
        am_data_text(d, "from", c->from);
        am_data_object_end(d);
    }
    am_data_array_end(d);
}

/* Facts, guidelines and ceilings with where they come from. */
void am_data_model(struct am_data *d, const struct am_model_view *view)
{
    am_data_text(d, "kind", am_machine_kind);
    am_data_integer(d, "version", AM_MACHINE_VERSION);
    am_data_text(d, "node", view->node);
    am_data_origin(d, view->set);
    am_data_machine(d, &view->set->machine);
    am_data_pairs(d, "environment", &view->set->environment);
    am_data_pairs(d, "build", &view->set->build);
    am_data_facts(d, view->facts);
    am_data_array(d, "guidelines");
    for (size_t i = 0; i < view->guidelines->n; i++) {
        const struct am_guideline *const g = &view->guidelines->items[i];

        am_data_object(d, NULL);
        am_data_text(d, "id", g->id);
        am_data_text(d, "text", g->text);
        am_data_text(d, "evidence", g->evidence);
        am_data_text(d, "command", g->command);
        am_data_object_end(d);
    }
    am_data_array_end(d);
    tell_ceilings(d, view->roofline);
}

static void model_blocks(struct am_body *b, const void *self)
{
    am_model_blocks(b, self);
}

static void model_data(struct am_data *d, const void *self)
{
    am_data_model(d, self);
}

struct am_document am_document_model(const struct am_model_view *view)
{
    return (struct am_document){.self = view, .blocks = model_blocks, .data = model_data};
}
