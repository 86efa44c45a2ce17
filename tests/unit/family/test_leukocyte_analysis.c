/* SPDX-License-Identifier: MIT */
/* The analysis of app.leukocyte: the paper's numbers follow from its machine, pieces that are
 * missing are named, and what does not decide concludes nothing. */
#include "family/families.h"

#include "fact_fixture.h"
#include "tap.h"

#define SCENE " type=f64 isa=avx512 video=synthetic cells=36 frames=1"

static struct am_result *track(struct rx_run *run, const char *text, double seconds, double share)
{
    const struct rx_metric metrics[] = {
        {"time_per_frame", "s", seconds}, {"bound_share", "", share}, {NULL, NULL, 0}};

    return rx_add(run, "app.leukocyte", text, metrics);
}

/* Table 3 of the paper, by one machine. */
static void make(struct rx_run *run)
{
    (void)track(run, "variant=naive executor=serial threads=1 slt=0" SCENE, 31, 0.002);
    (void)track(run, "variant=atan executor=serial threads=1 slt=0" SCENE, 8.5, 0.01);
    (void)track(run, "variant=minmax executor=serial threads=1 slt=0" SCENE, 4, 0.5);
    (void)track(run, "variant=minmax executor=task:dbf threads=240 slt=1" SCENE, 0.7, 0.1);
    (void)track(run, "variant=minmax executor=task:dbf threads=240 slt=8" SCENE, 0.1, 0.2);
}

static const char *paragraph(const struct am_analysis *a, const char *name)
{
    for (size_t i = 0; i < a->n; i++) {
        if (strncmp(a->items[i].name, name, strlen(name)) == 0)
            return a->items[i].text;
    }
    return "";
}

static bool analyse(struct rx_run *run, struct am_facts *facts, const char *threads,
                    struct am_analysis *out)
{
    const struct am_analysing a = {
        .set = &run->set, .facts = facts, .machine = &run->set.machine, .arena = &run->arena};

    if (threads)
        am_kvs_add(&run->set.machine, &run->arena, "threads", threads);
    am_evidence_settle(&run->set);
    *out = (struct am_analysis){0};
    return am_family_leukocyte.analyse(&a, out);
}

static void says(const struct am_analysis *a, const char *name, const char *words)
{
    const char *const text = paragraph(a, name);

    ok(strstr(text, words) != NULL, "%s: \"%s\"", name, words);
    if (!strstr(text, words))
        printf("# %s\n", text);
}

/* 60 cores of 4 threads, 512 KiB of L2. */
static void test_phi(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    struct am_analysis a;

    make(&run);
    fx_fact(&facts, "memory.size", "level=l1d", "B", 32768);
    fx_fact(&facts, "memory.size", "level=l2", "B", 524288);
    fx_fact(&facts, "core.peak", "type=f64 isa=avx512 threads=1", "flop/s", 16e9);
    fx_fact(&facts, "core.count", "", "", 60);
    ok(analyse(&run, &facts, "240", &a), "the points are analysed");
    says(&a, "Working set", "18 of them");
    says(&a, "Working set", "467 KiB in f64");
    says(&a, "Working set", "L1 holds 32.0 KiB");
    says(&a, "Working set", "the first does not fit, the second does not fit");
    says(&a, "Working set",
         "the plain program works in L2 or nearer, and memory does not limit it");
    says(&a, "Lanes", "1 of 8 lanes of avx512 is used, 12.5 %");
    says(&a, "Lanes", "11 vectors of 8 lanes, of which 92 % do work");
    says(&a, "Lanes", "3.65 x (");
    says(&a, "Lanes", "something else than lanes holds it back");
    says(&a, "Parallelism", "36, against 240 hardware threads that do the arithmetic of 60 cores");
    says(&a, "Parallelism", "204 of them find no cell");
    says(&a, "Parallelism", "the 41 rows of a cell must be shared");
    says(&a, "Parallelism", "240 threads (task:dbf) have 40 x");
    says(&a, "Parallelism", "Sharing rows (slt=8) has 7 x");
    says(&a, "Parallelism", "it pays");
    says(&a, "Step 0", "31 s per frame");
    says(&a, "Step 1", "8.5 s per frame");
    says(&a, "Step 3", "100 ms per frame");
    says(&a, "Instead", "not measured: run app.leukocyte -p executor=opencl");
    says(&a, "Bound", "From bottom to top: 310 x");
    says(&a, "Bound", "could still be 2 x as fast");
    ok(!strstr(paragraph(&a, "Bound"), "any unit"), "where extremes run is told by the note alone");
    am_arena_fini(&run.arena);
}

static void test_missing(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    struct am_analysis a;

    ok(!analyse(&run, &facts, NULL, &a) && a.n == 0, "without points there is no analysis");
    (void)track(&run, "variant=minmax executor=serial threads=1 slt=0" SCENE, 4, 0.5);
    fx_fact(&facts, "memory.size", "level=l2", "B", 470000)->ci =
        (struct am_interval){400000, 600000, NAN};
    ok(analyse(&run, &facts, "16", &a), "one point is enough");
    says(&a, "Working set", "the first may fit, the second fits");
    says(&a, "Working set", "Whether the plain program stays in the caches is not decided");
    says(&a, "Working set", "the pass of vectors works in L2 or nearer");
    says(&a, "Lanes", "What vectors gain is not measured: run app.leukocyte");
    says(&a, "Parallelism", "All of them have work, in 3 rounds; threads are busy for 75 %");
    says(&a, "Parallelism", "What threads gain is not measured");
    says(&a, "Step 0", "not measured: run app.leukocyte -p variant=naive");
    am_arena_fini(&run.arena);
}

/* One launch per point: grade C. */
static void test_doubtful(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    struct am_analysis a;

    make(&run);
    for (size_t i = 0; i < run.set.n; i++) {
        for (size_t m = 0; m < run.set.results[i].n_metrics; m++)
            run.set.results[i].metrics[m].series.n = 1;
    }
    ok(analyse(&run, &facts, NULL, &a), "points of grade C are told");
    says(&a, "Working set", "not measured: run mem.latency");
    says(&a, "Lanes", "is not concluded: the points were measured, but with grade C");
    says(&a, "Parallelism", "nothing is concluded");
    says(&a, "Step 1", "grade C");
    says(&a, "Bound", "not concluded from grade C");
    ok(!strstr(paragraph(&a, "Step 1"), " x ("), "no factor is told");
    am_arena_fini(&run.arena);
}

int main(void)
{
    test_phi();
    test_missing();
    test_doubtful();
    return tap_done();
}
