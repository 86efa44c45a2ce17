/* SPDX-License-Identifier: MIT */
/* Explanations: one table per bench, rows in the order of the plan; what has no bound is named with
 * its reason. */
#include "document/explanation.h"

#include "document/model.h"
#include "document/points.h"
#include "document/run.h"

#include <math.h>
#include <string.h>

enum rank { RANK_KEEP, RANK_COUNTED, RANK_BOUND, RANK_BAR, RANK_INTENSITY };

enum { INDENT = 2, LABEL_MAX = 256 };

/* The consecutive explanations of one bench. */
struct group {
    const struct am_explanation *first;
    size_t n, explained;
    struct am_points points;
};

static struct group group_at(const struct am_explanations *all, size_t i)
{
    struct group g = {.first = &all->items[i]};

    for (; i < all->n && am_points_together(g.first->result, all->items[i].result); i++) {
        g.n++;
        if (all->items[i].why_not)
            continue;
        am_points_add(&g.points, all->items[i].result);
        g.explained++;
    }
    return g;
}

/* ---- one table ---- */

static void add_row(struct am_table *t, const struct am_points *points,
                    const struct am_explanation *e)
{
    const double none = e->why_not ? NAN : 0; /* what has no bound has no number of it */
    const enum am_tone tone = e->above ? AM_TONE_BAD : AM_TONE_PLAIN;
    struct am_table_cell *cell;

    am_table_row(t);
    (void)am_table_text(t, e->result->bench);
    (void)am_table_text(t, e->result->text);
    am_points_cells(points, e->result, t);
    (void)am_table_text(t, e->metric->name);
    (void)am_table_text(t, e->metric->unit);
    cell = am_table_quantity(t, AM_FORM_QUANTITY, e->measured.median, e->metric->unit);
    cell->tone = AM_TONE_STRONG;
    cell->grade = e->metric->grading.grade;
    if (isfinite(e->intensity + none))
        (void)am_table_number(t, AM_FORM_NUMBER, e->intensity);
    else
        (void)am_table_text(t, NULL);
    (void)am_table_quantity(t, AM_FORM_QUANTITY, e->bound + none, e->metric->unit);
    am_table_number(t, AM_FORM_SHARE, e->share + none)->tone = tone;
    (void)am_table_number(t, AM_FORM_BAR, e->share + none);
    (void)am_table_text(t, e->above ? "yes" : "no");
    (void)am_table_text(t, e->resource);
    (void)am_table_text(t, e->why_not ? NULL : e->counted);
    am_table_text(t, e->next)->tone = tone;
    (void)am_table_text(t, e->why_not);
}

static struct am_table *add_table(struct am_body *b, const struct am_points *points)
{
    static const struct am_column before[] = {{.key = "bench"}, {.key = "point"}};
    static const struct am_column after[] = {
        {.key = "metric"},
        {.key = "unit"},
        {.title = "measured", .key = "measured", .right = true},
        {.title = "flop/B", .key = "intensity", .right = true, .rank = RANK_INTENSITY},
        {.title = "bound", .key = "bound", .right = true, .rank = RANK_BOUND},
        {.title = "share", .key = "share", .right = true},
        {.title = "", .rank = RANK_BAR},
        {.key = "above"},
        {.title = "limited by", .key = "limit", .flow = true},
        {.title = "work counted by", .key = "counted", .rank = RANK_COUNTED, .flow = true},
        {.title = "next", .key = "next", .flow = true},
        {.key = "why_not"}};
    struct am_table *const t = am_block_table(b, before, sizeof(before) / sizeof(before[0]));

    am_points_columns(points, t);
    am_table_columns(t, after, sizeof(after) / sizeof(after[0]));
    t->indent = INDENT;
    t->hide_empty = true;
    return t;
}

/* Points without a bound: one line per reason, at the first point that has it. */
static void tell_others(struct am_body *b, const struct group *g)
{
    for (size_t i = 0; i < g->n; i++) {
        size_t before = 0, more = 0;

        for (size_t k = 0; g->first[i].why_not && k < g->n; k++) {
            if (g->first[k].why_not && strcmp(g->first[k].why_not, g->first[i].why_not) == 0) {
                before += k < i;
                more++;
            }
        }
        if (g->first[i].why_not && !before)
            (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL, "%zu point%s without a bound: %s",
                                more, more == 1 ? "" : "s", g->first[i].why_not);
    }
}

/* Where the time of points goes whose code is known. */
static void tell_accounts(struct am_body *b, const struct group *g)
{
    for (size_t i = 0; i < g->n; i++) {
        const struct am_explanation *const e = &g->first[i];
        const char *const account = e->why_not ? NULL : am_explain_account(e, b->arena);
        char label[LABEL_MAX];

        if (!account)
            continue;
        am_points_label(&g->points, e->result, label, sizeof(label));
        am_block_addf(b, AM_BLOCK_PARAGRAPH, "Account. ", "%s%s%s", label, label[0] ? ": " : "",
                      account)
            ->indent = INDENT;
    }
}

static void add_group(struct am_body *b, const struct group *g)
{
    if (g->explained || b->programs) {
        struct am_table *const t = add_table(b, &g->points);

        for (size_t i = 0; i < g->n; i++) {
            if (b->programs || !g->first[i].why_not)
                add_row(t, &g->points, &g->first[i]);
        }
    }
    if (!b->programs)
        tell_accounts(b, g);
    tell_others(b, g);
}

static void add_groups(struct am_body *b, const struct am_explanations *all,
                       enum am_block_kind heading)
{
    for (size_t i = 0; i < all->n;) {
        const struct group g = group_at(all, i);

        (void)am_block_add(b, heading, g.first->result->bench,
                           g.explained ? am_points_shared(&g.points, b->arena) : NULL);
        add_group(b, &g);
        i += g.n;
    }
}

/* ---- documents ---- */

static void tell_meaning(struct am_body *b, const struct am_explanations *all, const char *ceilings)
{
    if (all->above)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, "FINDING: ",
                            "%zu point%s measured above the bound: there the model is wrong",
                            all->above, all->above == 1 ? " was" : "s were");
    for (size_t i = 0; i < all->n_remarks; i++)
        (void)am_block_add(b, AM_BLOCK_PARAGRAPH, "ceiling: ", all->remarks[i]);
    if (all->no_accounts)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, "account: ", "none of any point: %s",
                            all->no_accounts);
    (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, "bound: ",
                        "the least time that the work needs at the highest rates measured in %s "
                        "for its instruction set, precision, level of memory and threads (95 %% "
                        "quantile of the best point), as if all resources worked at once",
                        ceilings ? ceilings : "this run");
    (void)am_block_add(b, AM_BLOCK_PARAGRAPH, "scaled: ",
                       "not measured with as many threads; taken from those of fewer or more");
}

void am_analyses_blocks(struct am_body *b, const struct am_analysis *analyses, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        (void)am_block_addf(b, AM_BLOCK_HEADING, "Analysis", "%s: %s", analyses[i].bench,
                            analyses[i].title ? analyses[i].title : "");
        for (size_t k = 0; k < analyses[i].n; k++)
            am_block_add(b, AM_BLOCK_PARAGRAPH,
                         am_arena_printf(b->arena, "%s. ", analyses[i].items[k].name),
                         analyses[i].items[k].text)
                ->indent = INDENT;
    }
}

static void tell_machine(struct am_body *b, const struct am_explanation_view *view)
{
    if (view->node && !b->programs)
        (void)am_block_addf(b, AM_BLOCK_HEADING, "Node", "%s", view->node);
    (void)am_block_add(b, AM_BLOCK_LINE, "machine", am_machine_line(&view->set->machine, b->arena));
    add_groups(b, view->all, AM_BLOCK_HEADING);
    if (view->all->n == 0 && b->programs && !view->next)
        (void)add_table(b, &(struct am_points){0}); /* the head of an empty table */
    if (!b->programs)
        am_analyses_blocks(b, view->analyses, view->n_analyses);
    (void)am_block_add(b, AM_BLOCK_GAP, NULL, NULL);
    tell_meaning(b, view->all, view->ceilings);
}

static void explanation_blocks(struct am_body *b, const void *self)
{
    for (const struct am_explanation_view *view = self; view; view = view->next)
        tell_machine(b, view);
}

void am_explanation_section(struct am_body *b, const struct am_explanations *all)
{
    tell_meaning(b, all, NULL);
    (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                        "Above their bound: %zu; where that happens the model is wrong, not the "
                        "program fast. Without a bound: %zu.",
                        all->above, all->unexplained);
    (void)am_block_add(b, AM_BLOCK_DETAILS, "Points and their bounds", NULL);
    add_groups(b, all, AM_BLOCK_SUBHEADING);
    (void)am_block_add(b, AM_BLOCK_DETAILS_END, NULL, NULL);
}

/* ---- for programs ---- */

static void tell_roofs(struct am_data *d, const struct am_explanation *e)
{
    am_data_object(d, "roofs");
    for (size_t k = 0; k < AM_CEILING_KINDS; k++) {
        const struct am_roof *const roof = &e->roofs[k];

        if (!roof->ceiling)
            continue;
        am_data_object(d, am_ceiling_words[k]);
        am_data_number(d, "rate", roof->rate);
        am_data_bool(d, "scaled", roof->scaled);
        am_data_text(d, "from", roof->ceiling->from);
        am_data_object_end(d);
    }
    am_data_object_end(d);
}

/* What launches measured of themselves; nothing where they did not. */
static void tell_share(struct am_data *d, const char *name, const struct am_core_part *part)
{
    if (!(part->share > 0)) {
        am_data_number(d, name, NAN);
        return;
    }
    am_data_object(d, name);
    am_data_number(d, "share", part->share);
    am_data_range(d, "interval", part->lo, part->hi);
    am_data_object_end(d);
}

/* Shares of the median's time. */
static void tell_core(struct am_data *d, const struct am_core_bound *c)
{
    const bool near = c->near.share > 0;

    if (!(c->share > 0))
        return;
    am_data_object(d, "core");
    am_data_number(d, "loops", c->share);
    am_data_range(d, "loops_interval", c->share_lo, c->share_hi);
    am_data_number(d, "cycles_per_pass", c->cycles);
    am_data_text(d, "by", c->limit);
    am_data_unsigned(d, "unknown", c->unknown);
    tell_share(d, "near", &c->near);
    tell_share(d, "begin", &c->begin);
    tell_share(d, "crossing", &c->crossing);
    am_data_number(d, "not_predicted", near ? c->inside : NAN);
    am_data_range(d, "not_predicted_interval", near ? c->inside_lo : NAN,
                  near ? c->inside_hi : NAN);
    am_data_number(d, "waited", near ? c->waited : NAN);
    tell_share(d, "far", &c->far);
    tell_share(d, "walk", &c->walk);
    tell_share(d, "walk_near", &c->walk_near);
    am_data_number(d, "bytes", c->moved);
    am_data_number(d, "bytes_l2", c->moved_l2);
    am_data_object(d, "steps");
    for (size_t i = 0; i < c->n_steps; i++)
        tell_share(d, c->steps[i].name, &c->steps[i].part);
    am_data_object_end(d);
    am_data_number(d, "over", c->over);
    am_data_number(d, "held_back", c->held);
    am_data_number(d, "left", c->left_apart);
    am_data_number(d, "left_if_overlapped", c->left_beside);
    am_data_range(d, "left_interval", c->left_lo, c->left_hi);
    am_data_object_end(d);
}

static void tell_explanation(struct am_data *d, const struct am_explanation *e)
{
    am_data_object(d, NULL);
    am_data_text(d, "bench", e->result->bench);
    am_data_text(d, "worker", e->result->worker);
    am_data_point(d, "point", e->result);
    am_data_text(d, "metric", e->metric->name);
    am_data_text(d, "unit", e->metric->unit);
    am_data_number(d, "measured", e->measured.median);
    am_data_range(d, "ci", e->measured.ci.lo, e->measured.ci.hi);
    am_data_text(d, "why_not", e->why_not);
    am_data_text(d, "counted", e->counted);
    am_data_number(d, "intensity", e->why_not ? NAN : e->intensity);
    am_data_number(d, "bound", e->why_not ? NAN : e->bound);
    am_data_range(d, "bound_interval", e->why_not ? NAN : e->bound_lo,
                  e->why_not ? NAN : e->bound_hi);
    am_data_number(d, "share", e->why_not ? NAN : e->share);
    am_data_bool(d, "above", e->above);
    am_data_text(d, "level", e->level < AM_TIER_COUNT ? am_tier_label(e->level) : NULL);
    am_data_text(d, "space", e->space);
    am_data_text(d, "limit", e->resource);
    am_data_text(d, "next", e->next);
    tell_core(d, &e->core);
    tell_roofs(d, e);
    am_data_object_end(d);
}

void am_data_analyses(struct am_data *d, const struct am_analysis *analyses, size_t n)
{
    am_data_array(d, "analyses");
    for (size_t i = 0; i < n; i++) {
        am_data_object(d, NULL);
        am_data_text(d, "bench", analyses[i].bench);
        am_data_text(d, "title", analyses[i].title);
        am_data_array(d, "paragraphs");
        for (size_t k = 0; k < analyses[i].n; k++) {
            am_data_object(d, NULL);
            am_data_text(d, "name", analyses[i].items[k].name);
            am_data_text(d, "text", analyses[i].items[k].text);
            am_data_object_end(d);
        }
        am_data_array_end(d);
        am_data_object_end(d);
    }
    am_data_array_end(d);
}

static void tell_part(struct am_data *d, const struct am_explanation_view *view)
{
    am_data_run(d, "run", view->set);
    am_data_machine(d, &view->set->machine);
    am_data_text(d, "ceilings", view->ceilings);
    am_data_unsigned(d, "above", view->all->above);
    am_data_text(d, "no_accounts", view->all->no_accounts);
    am_data_array(d, "remarks");
    for (size_t i = 0; i < view->all->n_remarks; i++)
        am_data_text(d, NULL, view->all->remarks[i]);
    am_data_array_end(d);
    am_data_array(d, "points");
    for (size_t i = 0; i < view->all->n; i++)
        tell_explanation(d, &view->all->items[i]);
    am_data_array_end(d);
    am_data_analyses(d, view->analyses, view->n_analyses);
}

/* Of one machine its parts, of a merged file an array of such objects. */
static void explanation_data(struct am_data *d, const void *self)
{
    const struct am_explanation_view *view = self;

    if (!view->node) {
        tell_part(d, view);
        return;
    }
    am_data_array(d, "nodes");
    for (; view; view = view->next) {
        am_data_object(d, NULL);
        am_data_text(d, "node", view->node);
        tell_part(d, view);
        am_data_object_end(d);
    }
    am_data_array_end(d);
}

struct am_document am_document_explanation(const struct am_explanation_view *view)
{
    return (struct am_document){
        .self = view, .blocks = explanation_blocks, .data = explanation_data};
}
