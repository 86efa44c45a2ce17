/* SPDX-License-Identifier: MIT */
/* Machines of a merged file against each other: the odd one is found, the others are not accused.
 */
#include "model/nodes.h"

#include "evidence/evidence.h"

#include "result_fixture.h"
#include "tap.h"

enum { NODES = 6, POINTS = 12 };

static struct am_node nodes[] = {
    {.name = "n0", .points = POINTS, .ok = POINTS},
    {.name = "n1", .points = POINTS, .ok = POINTS},
    {.name = "n2", .points = POINTS, .ok = POINTS},
    {.name = "n3", .points = POINTS, .ok = POINTS},
    {.name = "n4", .points = POINTS, .ok = POINTS},
    {.name = "n5", .points = POINTS, .ok = POINTS},
    {.name = "gone", .state = AM_NODE_LOST, .reason = "no word from it"},
};

static const struct am_compare_settings settings = {.delta = 0.02, .level = 0.95};

/* Every node a little different from launch to launch; `odd` is `factor` times as fast in every
 * third point. */
static void make(struct rx_run *run, size_t odd, double factor)
{
    for (size_t n = 0; n < NODES; n++) {
        for (size_t i = 0; i < POINTS; i++) {
            char text[64];
            const double noise = 1 + 0.002 * (double)((n * 7 + i * 3) % 5);
            const struct rx_metric metric[] = {
                {"speed", "B/s", 1e9 * noise * (n == odd && i % 3 == 0 ? factor : 1)},
                {.name = NULL}};

            (void)snprintf(text, sizeof(text), "node=n%zu size=%zu", n, 1000 + i);
            rx_add(run, "mem.fake", text, metric);
        }
    }
    run->set.nodes = (struct am_nodes){nodes, NODES + 1};
    am_evidence_settle(&run->set);
}

static void test_slow_node(void)
{
    struct rx_run run = {0};
    struct am_node_study study;
    struct am_err err = {0};
    size_t accused = 0;

    make(&run, 4, 0.8);
    ok(am_nodes_study(&run.set, &settings, &run.arena, &study, &err) == AM_OK,
       "six nodes are compared (%s)", err.text);
    ok(study.standings[4].slower == 4 && study.standings[4].faster == 0,
       "the slow one is slower in its four points (%zu)", study.standings[4].slower);
    for (size_t i = 0; i < NODES; i++)
        accused += i == 4 ? 0 : study.standings[i].slower + study.standings[i].faster;
    ok(accused == 0, "no other stands out");
    ok(study.n_outliers == 4 && strcmp(study.outliers[0].node->name, "n4") == 0 &&
           study.outliers[0].p < 0.05 && study.outliers[0].row->speedup < 0.85,
       "each is a row with its effect");
    ok(study.standings[4].low < 0.85 && study.standings[4].rows == POINTS,
       "the spread over its points shows it");
    ok(study.standings[NODES].rows == 0 && isnan(study.standings[NODES].median),
       "a node without results has no figures");
    am_arena_fini(&run.arena);
}

static void test_quiet_cluster(void)
{
    struct rx_run run = {0};
    struct am_node_study study;
    struct am_err err = {0};
    const struct am_result_set *first;

    make(&run, NODES, 1);
    ok(am_nodes_study(&run.set, &settings, &run.arena, &study, &err) == AM_OK &&
           study.n_outliers == 0,
       "nodes that differ by less than delta do not stand out");
    first = am_nodes_first(&run.set, &run.arena);
    ok(first->n == POINTS && first->nodes.n == 0, "the model is made of one machine");
    is_str(first->results[0].text, "size=1000", "as if its file had been read");
    ok(am_nodes_first(first, &run.arena) == first, "a run of one machine stays what it is");
    am_arena_fini(&run.arena);
}

int main(void)
{
    test_slow_node();
    test_quiet_cluster();
    return tap_done();
}
