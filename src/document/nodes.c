/* SPDX-License-Identifier: MIT */
/* The machines of a merged file. */
#include "document/nodes.h"

#include <math.h>

enum { OUTLIERS_SHOWN = 100 };

static enum am_tone state_tone(enum am_node_state state)
{
    static const enum am_tone tones[AM_NODE_STATES] = {[AM_NODE_DONE] = AM_TONE_GOOD,
                                                       [AM_NODE_PARTIAL] = AM_TONE_WARN,
                                                       [AM_NODE_LOST] = AM_TONE_BAD};

    return tones[state];
}

static void add_standing(struct am_table *t, const struct am_node_standing *s)
{
    (void)am_table_number(t, AM_FORM_RATIO, s->median);
    (void)am_table_number(t, AM_FORM_RATIO, s->low);
    (void)am_table_number(t, AM_FORM_RATIO, s->high);
    (void)am_table_number(t, AM_FORM_COUNT, (double)s->slower);
    (void)am_table_number(t, AM_FORM_COUNT, (double)s->faster);
}

/* `study` NULL: nothing is compared. */
static void add_nodes(struct am_body *b, const struct am_nodes *nodes,
                      const struct am_node_study *study)
{
    static const struct am_column columns[] = {
        {.title = "node", .key = "node"},
        {.title = "state", .key = "state"},
        {.title = "results", .key = "results", .right = true},
        {.title = "of", .key = "of", .right = true},
        {.title = "speed", .right = true},
        {.title = "5th", .right = true},
        {.title = "95th", .right = true},
        {.title = "slower", .right = true},
        {.title = "faster", .right = true},
        {.title = "why not all", .key = "reason", .flow = true}};
    struct am_table *const t = am_block_table(b, columns, study ? 9 : 4);

    am_table_column(t, columns[9]);
    t->hide_empty = true;
    for (size_t i = 0; i < nodes->n; i++) {
        const struct am_node *const node = &nodes->items[i];

        am_table_row(t);
        (void)am_table_text(t, node->name);
        am_table_text(t, am_node_states[node->state])->tone = state_tone(node->state);
        (void)am_table_number(t, AM_FORM_COUNT, (double)node->ok);
        (void)am_table_number(t, AM_FORM_COUNT, (double)node->points);
        if (study)
            add_standing(t, &study->standings[i]);
        (void)am_table_text(t, node->reason);
    }
}

void am_nodes_blocks(struct am_body *b, const struct am_nodes *nodes)
{
    if (nodes->n)
        add_nodes(b, nodes, NULL);
}

static void nodes_document(struct am_body *b, const void *self)
{
    am_nodes_blocks(b, self);
}

struct am_document am_document_nodes(const struct am_nodes *nodes)
{
    return (struct am_document){.self = nodes, .blocks = nodes_document};
}

static void add_outliers(struct am_body *b, const struct am_node_study *study)
{
    static const struct am_column columns[] = {{.title = "node"},
                                               {.title = ""},
                                               {.title = "bench"},
                                               {.title = "point", .flow = true},
                                               {.title = "speed", .right = true},
                                               {.title = "p", .right = true}};
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));

    for (size_t i = 0; i < study->n_outliers && i < OUTLIERS_SHOWN; i++) {
        const struct am_node_outlier *const o = &study->outliers[i];

        am_table_row(t);
        (void)am_table_text(t, o->node->name);
        am_table_text(t, am_verdict_name(o->row->verdict))->tone =
            am_verdict_direction(o->row->verdict) > 0 ? AM_TONE_BAD : AM_TONE_GOOD;
        (void)am_table_text(t, o->row->b->bench);
        (void)am_table_text(t, o->row->b->text);
        (void)am_table_number(t, AM_FORM_RATIO, o->row->speedup);
        am_table_number(t, AM_FORM_NUMBER, o->p)->digits = 2;
    }
}

void am_nodes_study_blocks(struct am_body *b, const struct am_nodes *nodes,
                           const struct am_node_study *study)
{
    (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL,
                       "Speed: this node over all others together, the median over all points that "
                       "it shares with at least two of them, and the 5th and 95th percentile of "
                       "these ratios. The machine model is that of the first node with results.");
    add_nodes(b, nodes, study);
    if (study->n_outliers == 0) {
        (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL, "No node stands out.");
        return;
    }
    (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL,
                       "Rows in which a node's launches lie wholly beyond those of all others "
                       "together (rank test; p is adjusted for all rows and nodes):");
    add_outliers(b, study);
    if (study->n_outliers > OUTLIERS_SHOWN)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL, "%zu further rows are left out.",
                            study->n_outliers - OUTLIERS_SHOWN);
}
