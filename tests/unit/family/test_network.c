/* SPDX-License-Identifier: MIT */
/* Facts and the scaling figure of the distributed benches, from made-up results. */
#include "fact_fixture.h"
#include "family/plot.h"
#include "family_fixture.h"

#include <string.h>

static void put(struct rx_run *run, const char *bench, const char *text,
                const struct rx_metric *metrics)
{
    (void)rx_add(run, bench, text, metrics);
}

/* Messages of 1 us and 1 GB/s, and half of that to the last rank. */
static void test_facts(void)
{
    struct rx_run run = {0};
    struct am_facts facts;

    for (int size = 1; size <= 1 << 20; size *= 1024) {
        for (int far = 0; far < 2; far++) {
            const double time = (far + 1) * (1e-6 + size / 1e9);
            char text[64];

            (void)snprintf(text, sizeof(text), "ranks=4 pair=%s size=%d", far ? "far" : "near",
                           size);
            put(&run, "mpi.pingpong", text,
                (const struct rx_metric[]){
                    {"latency", "s", time}, {"bandwidth", "B/s", size / time}, {0}});
        }
    }
    put(&run, "mpi.collective", "ranks=4 op=barrier size=0",
        (const struct rx_metric[]){{"time", "s", 5e-6}, {0}});
    put(&run, "mpi.collective", "ranks=4 op=bcast size=8",
        (const struct rx_metric[]){{"time", "s", 1e-6}, {0}});
    put(&run, "mpi.overlap", "ranks=4 progress=test size=65536",
        (const struct rx_metric[]){{"hidden", "1", 0.8}, {0}});
    facts = fx_derive(&run, &am_family_network);
    fx_check(&facts, "network.hidden", "progress=test size=64K", 0.8, "an exchange");
    fx_check(&facts, "network.latency", "pair=near ranks=4", 1e-6 + 1e-9, "two ranks");
    fx_check(&facts, "network.latency", "pair=far", 2 * (1e-6 + 1e-9), "two ranks");
    fx_check(&facts, "network.bandwidth", "pair=near", 1048576 / (1e-6 + 1048576 / 1e9),
             "two ranks");
    fx_check(&facts, "network.barrier", "ranks=4", 5e-6, "all ranks");
    ok(facts.n == 6, "nothing else is said: %zu", facts.n);
    am_arena_fini(&run.arena);
}

/* Said both ways, and left undecided where intervals meet. */
static void test_progress(void)
{
    static const struct {
        double with, without;
        const char *said;
    } cases[] = {
        {0.9, 0.1, "Test outstanding"}, {0.1, 0.9, "Leave the library"}, {0.5, 0.5, "Not decided"}};

    for (size_t i = 0; i < 3; i++) {
        struct am_arena arena = {0};
        struct am_facts facts = {.arena = &arena};
        const char *said;

        (void)fx_fact(&facts, "network.hidden", "ranks=2 progress=test size=65536", "",
                      cases[i].with);
        said = fx_said(&am_family_network, "network.progress", &facts);
        is_str(said, "", "one way alone says nothing");
        (void)fx_fact(&facts, "network.hidden", "ranks=2 progress=none size=65536", "",
                      cases[i].without);
        said = fx_said(&am_family_network, "network.progress", &facts);
        ok(strncmp(said, cases[i].said, strlen(cases[i].said)) == 0, "%.1f against %.1f: %s",
           cases[i].with, cases[i].without, said);
        am_arena_fini(&arena);
    }
}

static void put_stencil(struct rx_run *run, const char *scaling, int ranks, int depth,
                        double measured, double predicted)
{
    char text[128];

    (void)snprintf(text, sizeof(text),
                   "scaling=%s ranks=%d threads=2 form=paper type=f64 isa=avx2 w=1 depth=%d "
                   "steps=100 n=4096",
                   scaling, ranks, depth);
    put(run, "mpi.stencil", text,
        (const struct rx_metric[]){
            {"flops", "flop/s", measured}, {"predicted", "flop/s", predicted}, {0}});
}

static void test_scaling(void)
{
    const struct am_figure_row *const row = fx_figure(&am_family_network, "mpi-scaling");
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    const struct am_figure_source source = {.set = &run.set, .facts = &facts, .arena = &run.arena};
    struct am_plots plots = {.arena = &run.arena};
    const struct am_plot_series *s;

    put_stencil(&run, "strong", 4, 8, 30e9, 40e9);
    put_stencil(&run, "weak", 1, 8, 10e9, 10e9);
    am_evidence_settle(&run.set);
    ok(!row->make(&source, &plots) && plots.n == 0, "one number of ranks is no curve");
    put_stencil(&run, "strong", 1, 8, 10e9, 10e9);
    put_stencil(&run, "strong", 1, 16, 9e9, 9e9);
    am_evidence_settle(&run.set);
    ok(row->make(&source, &plots) && plots.n == 1, "two are: a panel of the grid that has them");
    is_str(plots.items[0].title, "strong, n = 4096, f64, paper", "with its title");
    ok(plots.items[0].n == 2, "a measured line and a predicted one");
    s = plots.items[0].series;
    is_str(s[0].label, "threads=2", "named by the threads of a rank");
    ok(s[0].n == 2 && s[0].marks[0].x == 1 && s[0].marks[1].x == 4 && !s[0].dashed,
       "by rising ranks");
    is_near(s[0].marks[0].y / 10e9, 1, 1e-3, "the fastest depth at each");
    ok(s[0].marks[0].lo < s[0].marks[0].hi && s[0].color == s[1].color, "with intervals");
    is_str(s[1].label, "threads=2, predicted", "and what was predicted");
    ok(s[1].dashed && s[1].bare && s[1].n == 2 && s[1].marks[1].y > 39e9, "as a dashed line");
    am_arena_fini(&run.arena);
}

int main(void)
{
    test_facts();
    test_progress();
    test_scaling();
    return tap_done();
}
