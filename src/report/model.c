/* SPDX-License-Identifier: MIT */
/* The model: tables of core and memory made of facts, every other fact in the table of its family,
 * contradictions, guidelines. */
#include "report/model.h"

#include "base/text.h"
#include "report/facts.h"
#include "report/grid.h"
#include "report/json.h"
#include "report/results.h"
#include "document/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 512, CLAIM_MAX = 256, INDENT = 2 };

/* What is written, and which facts have had their place. */
struct writer {
    const struct am_model_view *view;
    const struct am_style *style;
    struct am_arena *arena;
    FILE *out;
    bool *told;     /* by index of a fact */
    double threads; /* the most that a rate was measured with */
};

/* ---- facts by name and labels ---- */

static const struct am_fact *take(struct writer *w, const char *name, const char *where)
{
    const struct am_fact *const f = am_facts_only(w->view->facts, name, where);

    if (f)
        w->told[f - w->view->facts->items] = true;
    return f;
}

/* A cell with the fact's value, empty without it. */
static void put(struct writer *w, struct am_grid *g, const char *name, const char *where,
                enum am_paint paint)
{
    const struct am_fact *const f = take(w, name, where);
    char text[AM_UNITS_MAX] = "";

    if (f)
        am_fact_value(f, text, sizeof(text));
    am_grid_paint(g, text, paint);
}

/* A speed-up, with two decimals. */
static void put_ratio(struct writer *w, struct am_grid *g, const char *name, const char *where)
{
    const struct am_fact *const f = take(w, name, where);

    if (f)
        am_grid_cellf(g, "%.2f", f->value);
    else
        am_grid_cell(g, "");
}

/* What is claimed, with a mark where it is denied. */
static void put_claim(struct writer *w, struct am_grid *g, const char *name, const char *where)
{
    const struct am_fact *const f = take(w, name, where);
    char text[CLAIM_MAX] = "";

    if (f)
        am_fact_claim(f, text, sizeof(text) - 4);
    if (f && f->contradicts)
        (void)am_str_format(text + strlen(text), sizeof(text) - strlen(text), " !");
    am_grid_paint(g, text, f && f->contradicts ? AM_PAINT_WARN : AM_PAINT_NONE);
}

/* Threads of a rate of cores or memory; 1 of other facts. */
static double threads_of(const struct am_fact *f)
{
    const double n = am_fact_number(f, "threads");

    return n > 1 && (strcmp(f->family, "core") == 0 || strcmp(f->family, "memory") == 0) ? n : 1;
}

/* ---- headings ---- */

static void section(const struct writer *w, const char *name, const char *rest)
{
    (void)fputc('\n', w->out);
    am_style_heading(w->style, w->out, name, rest);
}

static void write_head(struct writer *w)
{
    const struct am_fact *const clock = take(w, "core.clock", NULL);
    char line[LINE_MAX_BYTES], text[AM_UNITS_MAX], interval[2 * AM_UNITS_MAX + 8];

    am_report_machine_line(&w->view->set->machine, line, sizeof(line));
    am_style_heading(w->style, w->out, "machine", line);
    if (!clock)
        return;
    am_fact_value(clock, text, sizeof(text));
    am_fact_interval(clock, interval, sizeof(interval));
    (void)am_str_format(line, sizeof(line), "%s measured (%s)%s%s%s", text, interval,
                        clock->claimed ? ", stated: " : "", clock->claimed ? clock->claimed : "",
                        clock->contradicts ? " !" : "");
    am_style_heading(w->style, w->out, "clock  ", line);
}

/* ---- the core ---- */

static void add_core(struct writer *w, struct am_grid *g, const struct am_fact *peak)
{
    const char *const type = am_fact_text(peak, "type"), *const isa = am_fact_text(peak, "isa");
    const char *const kind = am_arena_printf(w->arena, "type=%s isa=%s", type, isa);
    const char *const all = am_arena_printf(w->arena, "%s threads=%.0f", kind, w->threads);

    am_grid_row(g);
    am_grid_cell(g, type);
    am_grid_cell(g, isa);
    put(w, g, "core.peak", am_arena_printf(w->arena, "%s threads=1", kind), AM_PAINT_STRONG);
    put(w, g, "core.flops_per_cycle", kind, AM_PAINT_NONE);
    put(w, g, "core.streams", kind, AM_PAINT_NONE);
    put(w, g, "core.peak", w->threads > 1 ? all : "absent", AM_PAINT_STRONG);
    put_ratio(w, g, "core.speedup", kind);
}

static void write_core(struct writer *w)
{
    const struct am_facts *const facts = w->view->facts;
    char many[AM_UNITS_MAX];
    struct am_grid g;

    am_grid_init(&g, w->arena);
    (void)am_str_format(many, sizeof(many), "%.0f threads", w->threads);
    am_grid_column(&g, "type", AM_ALIGN_LEFT, 0);
    am_grid_column(&g, "isa", AM_ALIGN_LEFT, 0);
    am_grid_column(&g, "one thread", AM_ALIGN_RIGHT, 0);
    am_grid_column(&g, "per cycle", AM_ALIGN_RIGHT, 2);
    am_grid_column(&g, "streams", AM_ALIGN_RIGHT, 1);
    am_grid_column(&g, many, AM_ALIGN_RIGHT, 0);
    am_grid_column(&g, "speed-up", AM_ALIGN_RIGHT, 0);
    for (const struct am_fact *f = am_facts_next(facts, "core.peak", "threads=1", NULL); f;
         f = am_facts_next(facts, "core.peak", "threads=1", f))
        add_core(w, &g, f);
    if (g.n_rows == 0)
        return;
    section(w, "Core", "peak arithmetic; streams: independent operations that reach it");
    am_grid_hide_empty(&g);
    (void)am_grid_write(&g, w->style, INDENT, w->out);
}

static void write_instructions(struct writer *w)
{
    const struct am_facts *const facts = w->view->facts;
    struct am_grid g;

    am_grid_init(&g, w->arena);
    am_grid_column(&g, "instruction", AM_ALIGN_LEFT, 0);
    am_grid_column(&g, "latency", AM_ALIGN_RIGHT, 0);
    am_grid_column(&g, "rate", AM_ALIGN_RIGHT, 0);
    am_grid_column(&g, "what", AM_ALIGN_LEFT, 1);
    am_grid_flow(&g);
    for (const struct am_fact *f = am_facts_next(facts, "core.latency", NULL, NULL); f;
         f = am_facts_next(facts, "core.latency", NULL, f)) {
        const char *const instr = am_fact_text(f, "instr");
        const char *const where = am_arena_printf(w->arena, "instr=%s", instr);

        am_grid_row(&g);
        am_grid_cell(&g, instr);
        put(w, &g, "core.latency", where, AM_PAINT_STRONG);
        put(w, &g, "core.rate", where, AM_PAINT_STRONG);
        am_grid_cell(&g, strncmp(f->what, "latency of ", 11) == 0 ? f->what + 11 : f->what);
    }
    if (g.n_rows == 0)
        return;
    section(w, "Instructions", "of one core");
    am_grid_hide_empty(&g);
    (void)am_grid_write(&g, w->style, INDENT, w->out);
}

/* ---- the levels of memory ---- */

static const char *const kernels[] = {"read", "write", "copy", "triad"};
enum { KERNELS = sizeof(kernels) / sizeof(kernels[0]) };

/* "level=l2 kernel=read threads=4". */
static const char *rate_of(const struct writer *w, enum am_tier tier, size_t kernel, double threads)
{
    return am_arena_printf(w->arena, "level=%s kernel=%s threads=%.0f", am_tier_label(tier),
                           kernels[kernel], threads);
}

static bool has_tier(const struct writer *w, enum am_tier tier)
{
    static const char *const names[] = {"memory.size", "memory.latency", "memory.bandwidth"};
    const char *const where = am_arena_printf(w->arena, "level=%s", am_tier_label(tier));

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (am_facts_next(w->view->facts, names[i], where, NULL))
            return true;
    }
    return false;
}

static void add_tier(struct writer *w, struct am_grid *g, enum am_tier tier)
{
    const char *const where = am_arena_printf(w->arena, "level=%s", am_tier_label(tier));

    am_grid_row(g);
    am_grid_cell(g, am_tier_title(tier));
    put(w, g, "memory.size", where, AM_PAINT_STRONG);
    put_claim(w, g, "memory.size", where);
    put(w, g, "memory.latency", where, AM_PAINT_STRONG);
    put(w, g, "memory.cycles", where, AM_PAINT_NONE);
    for (size_t k = 0; k < KERNELS; k++)
        put(w, g, "memory.bandwidth", rate_of(w, tier, k, 1), AM_PAINT_NONE);
}

static void write_memory(struct writer *w)
{
    struct am_grid g;

    am_grid_init(&g, w->arena);
    am_grid_column(&g, "level", AM_ALIGN_LEFT, 0);
    am_grid_column(&g, "size", AM_ALIGN_RIGHT, 0);
    am_grid_column(&g, "stated", AM_ALIGN_RIGHT, 0);
    am_grid_column(&g, "latency", AM_ALIGN_RIGHT, 0);
    am_grid_column(&g, "cycles", AM_ALIGN_RIGHT, 2);
    for (size_t k = 0; k < KERNELS; k++)
        am_grid_column(&g, kernels[k], AM_ALIGN_RIGHT, k == KERNELS - 1 ? 1 : 0);
    for (enum am_tier t = AM_TIER_L1D; t < AM_TIER_COUNT; t++) {
        if (has_tier(w, t))
            add_tier(w, &g, t);
    }
    if (g.n_rows == 0)
        return;
    section(w, "Memory", "of one thread; bandwidths count what the program reads and writes");
    am_grid_hide_empty(&g);
    (void)am_grid_write(&g, w->style, INDENT, w->out);
}

static void add_tier_of_all(struct writer *w, struct am_grid *g, enum am_tier tier)
{
    bool any = false;

    for (size_t k = 0; k < KERNELS && !any; k++)
        any = w->threads > 1 &&
              am_facts_only(w->view->facts, "memory.bandwidth", rate_of(w, tier, k, w->threads));
    if (!any)
        return;
    am_grid_row(g);
    am_grid_cell(g, am_tier_title(tier));
    for (size_t k = 0; k < KERNELS; k++) {
        put(w, g, "memory.bandwidth", rate_of(w, tier, k, w->threads), AM_PAINT_STRONG);
        put_ratio(w, g, "memory.speedup", rate_of(w, tier, k, w->threads));
    }
}

/* The same bandwidths of all threads, each with its speed-up over one. */
static void write_memory_of_all(struct writer *w)
{
    char title[AM_UNITS_MAX];
    struct am_grid g;

    am_grid_init(&g, w->arena);
    am_grid_column(&g, "level", AM_ALIGN_LEFT, 0);
    for (size_t k = 0; k < KERNELS; k++) {
        am_grid_column(&g, kernels[k], AM_ALIGN_RIGHT, k == KERNELS - 1 ? 2 : 0);
        am_grid_column(&g, w->style->utf8 ? "×" : "x", AM_ALIGN_RIGHT, k == KERNELS - 1 ? 2 : 1);
    }
    for (enum am_tier t = AM_TIER_L1D; t < AM_TIER_COUNT; t++)
        add_tier_of_all(w, &g, t);
    if (g.n_rows == 0)
        return;
    (void)am_str_format(title, sizeof(title), "Memory, %.0f threads", w->threads);
    section(w, title, "and how many times one thread's");
    am_grid_hide_empty(&g);
    (void)am_grid_write(&g, w->style, INDENT, w->out);
}

/* ---- every other fact ---- */

/* Titles of families by the first word of their facts; others have that word. */
static const char *family_title(const char *word)
{
    const struct am_family *const family = am_family_find(word);

    return family ? family->title : word;
}

static bool same_family(const char *a, const char *b)
{
    const size_t n = strcspn(a, ".");

    return n == strcspn(b, ".") && strncmp(a, b, n) == 0;
}

/* Of a rate by several numbers of threads only the most is told; --facts has the others. */
static bool is_left(const struct writer *w, size_t i)
{
    const double threads = threads_of(&w->view->facts->items[i]);

    return !w->told[i] && !(threads > 1 && threads < w->threads);
}

static void add_fact(struct writer *w, struct am_grid *g, size_t i)
{
    const struct am_fact *const f = &w->view->facts->items[i];
    char value[AM_UNITS_MAX], interval[2 * AM_UNITS_MAX + 8];

    w->told[i] = true;
    am_fact_value(f, value, sizeof(value));
    am_fact_interval(f, interval, sizeof(interval));
    am_grid_row(g);
    am_grid_cell(g, f->id);
    am_grid_paint(g, value, AM_PAINT_STRONG);
    am_grid_cell(g, interval);
    am_grid_paint(g, f->contradicts ? "!" : "", AM_PAINT_WARN);
    am_grid_cell(g, f->what);
}

static void write_family(struct writer *w, size_t first)
{
    const struct am_facts *const facts = w->view->facts;
    const char *const id = facts->items[first].id;
    char *const word = am_arena_strndup(w->arena, id, strcspn(id, "."));
    struct am_grid g;

    am_grid_init(&g, w->arena);
    am_grid_column(&g, "fact", AM_ALIGN_LEFT, 0);
    am_grid_flow(&g);
    am_grid_column(&g, "value", AM_ALIGN_RIGHT, 0);
    am_grid_column(&g, "interval", AM_ALIGN_LEFT, 2);
    am_grid_column(&g, "", AM_ALIGN_LEFT, 0);
    am_grid_column(&g, "meaning", AM_ALIGN_LEFT, 1);
    am_grid_flow(&g);
    for (size_t i = first; i < facts->n; i++) {
        if (is_left(w, i) && same_family(id, facts->items[i].id))
            add_fact(w, &g, i);
    }
    section(w, family_title(word ? word : ""), "");
    am_grid_hide_empty(&g);
    (void)am_grid_write(&g, w->style, INDENT, w->out);
}

/* ---- what follows ---- */

static void write_contradictions(const struct writer *w)
{
    const struct am_facts *const facts = w->view->facts;
    bool any = false;

    for (size_t i = 0; i < facts->n; i++) {
        const struct am_fact *const f = &facts->items[i];
        char value[AM_UNITS_MAX], claim[CLAIM_MAX], line[4 * LINE_MAX_BYTES];

        if (!f->contradicts)
            continue;
        if (!any)
            section(w, "Contradictions", "what is stated, and what the measurement denies");
        any = true;
        am_fact_value(f, value, sizeof(value));
        am_fact_claim(f, claim, sizeof(claim));
        (void)am_str_format(line, sizeof(line), "measured %s, stated: %s. %s.", value, claim,
                            f->evidence);
        (void)am_str_format(claim, sizeof(claim), "  ! %s: ", f->id);
        am_style_note(w->style, w->out, claim, line);
    }
}

static void write_guidelines(const struct writer *w)
{
    const struct am_guidelines *const all = w->view->guidelines;

    if (all->n == 0)
        return;
    section(w, "Guidelines", "what follows for programs on this machine");
    for (size_t i = 0; i < all->n; i++) {
        const struct am_guideline *const g = &all->items[i];
        char label[AM_UNITS_MAX], command[LINE_MAX_BYTES];

        (void)am_str_format(label, sizeof(label), "%*s%2zu. ", INDENT, "", i + 1);
        am_style_note(w->style, w->out, label, g->text);
        am_style_note(w->style, w->out, "      by: ", g->evidence);
        (void)am_str_format(command, sizeof(command), "archmeter %s", g->command);
        am_style_note(w->style, w->out, "      again: ", command);
    }
}

static void write_text(struct writer *w)
{
    const struct am_facts *const facts = w->view->facts;

    write_head(w);
    write_core(w);
    write_instructions(w);
    write_memory(w);
    write_memory_of_all(w);
    for (size_t i = 0; i < facts->n; i++) {
        if (is_left(w, i))
            write_family(w, i);
    }
    write_contradictions(w);
    write_guidelines(w);
    if (facts->n == 0)
        return;
    (void)fputc('\n', w->out);
    am_style_note(w->style, w->out, "!: ",
                  "the measurement denies what the system states; archmeter model --facts gives "
                  "every number with its interval and evidence");
}

/* ---- JSON ---- */

static void json_guidelines(struct am_json *j, const struct am_guidelines *all)
{
    am_json_array(j, "guidelines");
    for (size_t i = 0; i < all->n; i++) {
        am_json_object(j, NULL);
        am_json_string(j, "id", all->items[i].id);
        am_json_string(j, "text", all->items[i].text);
        am_json_string(j, "evidence", all->items[i].evidence);
        am_json_string(j, "command", all->items[i].command);
        am_json_object_end(j);
    }
    am_json_array_end(j);
}

static void json_ceilings(struct am_json *j, const struct am_roofline *roofline)
{
    static const char *const names[AM_CEILING_KINDS] = {
        [AM_CEILING_FLOPS] = "flops",
        [AM_CEILING_READ] = "read",
        [AM_CEILING_WRITE] = "write",
        [AM_CEILING_BYTES] = "bytes",
    };

    am_json_array(j, "ceilings");
    for (size_t i = 0; i < roofline->n; i++) {
        const struct am_ceiling *const c = &roofline->items[i];

        am_json_object(j, NULL);
        am_json_string(j, "kind", names[c->kind]);
        am_json_string(j, "level", c->kind == AM_CEILING_FLOPS ? NULL : am_tier_label(c->level));
        am_json_string(j, "type", c->type);
        am_json_string(j, "isa", c->isa);
        am_json_string(j, "device", c->device);
        am_json_number(j, "threads", c->threads);
        am_json_string(j, "unit", am_ceiling_unit(c->kind));
        am_json_number(j, "rate", c->rate);
        am_json_number(j, "median", c->median);
        am_json_string(j, "from", c->point->text);
        am_json_object_end(j);
    }
    am_json_array_end(j);
}

static void write_json(const struct am_model_view *view, FILE *out)
{
    struct am_json j;

    am_json_init(&j, out, 3);
    am_json_object(&j, NULL);
    am_json_integer(&j, "schema", 1);
    am_json_run(&j, "run", view->set);
    am_json_facts(&j, "machine", &view->set->machine);
    am_json_fact_list(&j, view->facts);
    json_guidelines(&j, view->guidelines);
    json_ceilings(&j, view->roofline);
    am_json_object_end(&j);
}

void am_report_model(const struct am_model_view *view, const struct am_style *style,
                     struct am_arena *arena, FILE *out)
{
    const struct am_facts *const facts = view->facts;
    struct writer w = {.view = view, .style = style, .arena = arena, .out = out, .threads = 1};

    if (style->format == AM_FORMAT_JSON) {
        write_json(view, out);
        return;
    }
    w.told = am_arena_array(arena, facts->n + 1, sizeof(*w.told));
    if (style->format == AM_FORMAT_CSV || !w.told) {
        am_report_facts(view->set, facts, style, arena, out);
        return;
    }
    for (size_t i = 0; i < facts->n; i++)
        w.threads = fmax(w.threads, threads_of(&facts->items[i]));
    write_text(&w);
}
