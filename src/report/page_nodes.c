/* SPDX-License-Identifier: MIT */
/* The machines of a merged file: how each part went, how each compares, which stand out. */
#include "model/nodes.h"
#include "report/page.h"
#include "document/units.h"

#include <math.h>
#include <stdio.h>

enum { TEXT_MAX = 128, OUTLIERS_SHOWN = 100 };

bool am_page_has_nodes(const struct am_page *p)
{
    return p->set->nodes.n > 0;
}

static const char *state_kind(enum am_node_state state)
{
    static const char *const kinds[AM_NODE_STATES] = {
        [AM_NODE_DONE] = "good", [AM_NODE_PARTIAL] = "warn", [AM_NODE_LOST] = "bad"};

    return kinds[state];
}

static void ratio_cell(struct am_page *p, double value)
{
    char text[TEXT_MAX];

    (void)snprintf(text, sizeof(text), isfinite(value) ? "%.3f" : "-", value);
    am_page_number(p, value, text);
}

static void count_cell(struct am_page *p, size_t count)
{
    char text[TEXT_MAX];

    (void)snprintf(text, sizeof(text), "%zu", count);
    am_page_number(p, (double)count, text);
}

static void standing_row(struct am_page *p, const struct am_node_standing *s)
{
    const struct am_node *const node = s->node;

    am_page_raw(p, "<tr>");
    am_page_element(p, "td", "k", node->name);
    am_page_rawf(p, "<td class=\"%s\">%s</td>", state_kind(node->state),
                 am_node_states[node->state]);
    count_cell(p, node->ok);
    count_cell(p, node->points);
    ratio_cell(p, s->median);
    ratio_cell(p, s->low);
    ratio_cell(p, s->high);
    count_cell(p, s->slower);
    count_cell(p, s->faster);
    am_page_element(p, "td", "w", node->reason);
    am_page_raw(p, "</tr>\n");
}

static void outlier_row(struct am_page *p, const struct am_node_outlier *o)
{
    const struct am_comparison_row *const row = o->row;
    char text[TEXT_MAX];

    am_page_raw(p, "<tr>");
    am_page_element(p, "td", "k", o->node->name);
    am_page_rawf(p, "<td class=\"%s\">%s</td>", row->verdict == AM_VERDICT_SLOWER ? "bad" : "good",
                 am_verdict_name(row->verdict));
    am_page_element(p, "td", NULL, row->b->bench);
    am_page_element(p, "td", "w", row->b->text);
    ratio_cell(p, row->speedup);
    (void)snprintf(text, sizeof(text), "%.2g", o->p);
    am_page_number(p, o->p, text);
    am_page_raw(p, "</tr>\n");
}

static void outliers(struct am_page *p, const struct am_node_study *study)
{
    static const char *const heads[] = {"node", "", "bench", "point", "#speed", "#p", NULL};

    if (study->n_outliers == 0) {
        am_page_raw(p, "<p>No node stands out.</p>\n");
        return;
    }
    am_page_raw(p, "<p>Rows in which a node's launches lie wholly beyond those of all others "
                   "together (rank test; p is adjusted for all rows and nodes):</p>\n");
    am_page_table(p, "scroll", heads);
    for (size_t i = 0; i < study->n_outliers && i < OUTLIERS_SHOWN; i++)
        outlier_row(p, &study->outliers[i]);
    am_page_table_end(p);
    if (study->n_outliers > OUTLIERS_SHOWN)
        am_page_rawf(p, "<p>%zu further rows are left out.</p>\n",
                     study->n_outliers - OUTLIERS_SHOWN);
}

void am_page_nodes(struct am_page *p)
{
    static const char *const heads[] = {"node",    "state",       "#results", "#of",
                                        "#speed",  "#5th",        "#95th",    "#slower",
                                        "#faster", "why not all", NULL};
    struct am_node_study study;
    const enum am_status s = am_nodes_study(p->set, &p->in->compare, p->arena, &study, p->err);

    if (s != AM_OK) {
        p->status = p->status == AM_OK ? s : p->status;
        return;
    }
    am_page_heading(p, "Nodes");
    am_page_raw(p, "<p>Speed: this node over all others together, the median over all points that "
                   "it shares with at least two of them, and the 5th and 95th percentile of these "
                   "ratios. The machine model is that of the first node with results.</p>\n");
    am_page_table(p, "scroll", heads);
    for (size_t i = 0; i < p->set->nodes.n; i++)
        standing_row(p, &study.standings[i]);
    am_page_table_end(p);
    outliers(p, &study);
}
