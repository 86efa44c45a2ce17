/* SPDX-License-Identifier: MIT */
/* Facts: labels and ids, grades that withhold, rules that part results and tell of several. */
#include "family/family.h"
#include "result_fixture.h"
#include "tap.h"

static void add(struct rx_run *run, const char *bench, const char *text, double value)
{
    (void)rx_add(run, bench, text, (const struct rx_metric[]){{"first", "s", value}, {0}});
}

static const struct am_fact_rule rules[] = {
    {.name = "start",
     .what = "the first region",
     .from = {"omp.start", NULL, "first"},
     .labels = "event,threads"},
    {.name = "best",
     .what = "the shortest of all",
     .from = {"omp.start", NULL, "first"},
     .labels = "event",
     .reduce = AM_REDUCE_BEST},
    {0},
};
static const struct am_family family = {.name = "openmp", .title = "OpenMP", .facts = rules};

static void test_rules(struct rx_run *run)
{
    struct am_facts facts = {.arena = &run->arena};
    const struct am_fact *f;

    am_family_derive(&family, &run->set, &facts);
    f = am_facts_only(&facts, "openmp.start", "event=task");
    ok(f && f->value > 7.9 && f->value < 8.1, "one result gives a fact");
    is_str(f ? f->id : NULL, "openmp.start{threads=2,event=task}", "with its labels in the id");
    is_str(f ? f->evidence : NULL, "omp.start threads=2 event=task delay=0", "and its evidence");
    ok(!am_facts_only(&facts, "openmp.start", "event=region threads=1"),
       "two results where one was wanted give none");
    ok(facts.n_remarks == 1 && strstr(facts.remarks[0].text, "delay=0, 300"), "and are told: %s",
       facts.n_remarks ? facts.remarks[0].text : "");
    f = am_facts_only(&facts, "openmp.best", "event=region");
    ok(f != NULL, "the best of several is one, where that is asked for");
}

static double twice(const struct am_result *result)
{
    return am_result_number(result, "threads") * 2;
}

/* Labels that are there when they are needed, the largest team, and a factor of the point. */
static void test_parts(struct rx_run *run)
{
    static const struct am_fact_rule parting[] = {
        {.name = "also",
         .what = "x",
         .from = {"omp.start", NULL, "first"},
         .labels = "event",
         .also = "threads,delay,none"},
        {.name = "most",
         .what = "x",
         .from = {"omp.start", NULL, "first"},
         .labels = "event",
         .most = "threads",
         .factor = twice},
        {0},
    };
    const struct am_family parted = {.name = "openmp", .title = "OpenMP", .facts = parting};
    struct am_facts facts = {.arena = &run->arena};
    const struct am_fact *f;

    am_family_derive(&parted, &run->set, &facts);
    f = am_facts_only(&facts, "openmp.also", "event=region threads=1 delay=300");
    is_str(f ? f->id : NULL, "openmp.also{threads=1,event=region,delay=300}",
           "axes that differ are labels, others are not");
    f = am_facts_only(&facts, "openmp.most", "event=region");
    is_str(f ? f->id : NULL, "openmp.most{event=region,threads=2}", "the largest team speaks");
    is_near(f ? f->value : NAN, 28, 0.1, "the metric times a factor of its point");
    ok(f && f->ci.lo <= f->value && f->value <= f->ci.hi, "and so its interval");
}

static void test_difference(struct rx_run *run)
{
    const struct am_picks all =
        am_select(&run->set, &(struct am_selector){"omp.start", NULL, NULL}, &run->arena);
    struct am_fact f = am_fact_of_difference(2, &all.items[3], &all.items[0], &run->arena);

    is_near(f.value, 11, 0.01, "twice the one less the other");
    ok(f.ci.lo < f.value && f.value < f.ci.hi && f.n_points == 2 && f.grading.grade == AM_GRADE_A,
       "with an interval, resting on both");
    f = am_fact_of_difference(1, &all.items[0], &all.items[0], &run->arena);
    ok(f.grading.grade == AM_GRADE_B && f.grading.reasons == 1u << AM_REASON_ZERO,
       "what cannot be told from zero is not fit to quote");
}

static void test_asking(struct rx_run *run)
{
    struct am_facts facts = {.arena = &run->arena};
    size_t n = 0;

    am_family_derive(&family, &run->set, &facts);
    for (const struct am_fact *f = am_facts_next(&facts, "openmp.start", NULL, NULL); f;
         f = am_facts_next(&facts, "openmp.start", NULL, f))
        n++;
    ok(n == 2, "facts of one name, one after the other");
    ok(!am_facts_only(&facts, "openmp.start", NULL), "several are not one");
    ok(am_facts_most(&facts, "openmp.start", NULL)->value >
           am_facts_least(&facts, "openmp.start", NULL)->value,
       "the largest and the smallest");
    ok(isnan(am_facts_value(&facts, "openmp.none", NULL)), "an absent fact has no value");
    ok(!am_facts_only(&facts, "openm.start", NULL) && !am_facts_only(&facts, "openmp.star", NULL),
       "a part of a name is no name");
    ok(am_fact_alike(&facts.items[0], &facts.items[1], "threads,event"), "alike but for labels");
}

static void test_withheld(struct rx_run *run)
{
    struct am_facts facts = {.arena = &run->arena, .family = "core"};
    struct am_fact fact = {
        .name = "clock", .what = "clock", .unit = "Hz", .value = 1, .evidence = "made up"};

    fact.grading = (struct am_grading){AM_GRADE_C, 1u << AM_REASON_LAUNCHES};
    am_facts_offer(&facts, fact);
    ok(facts.n == 0 && facts.n_remarks == 1, "evidence of grade C concludes nothing");
    is_str(facts.remarks[0].text, "core.clock is not concluded: too few launches", "and says why");
    fact.grading = (struct am_grading){AM_GRADE_B, 1u << AM_REASON_LAUNCHES};
    am_facts_offer(&facts, fact);
    am_facts_offer(&facts, fact);
    ok(facts.n == 1, "grade B does, once");
    fact.value = NAN;
    fact.name = "other";
    am_facts_offer(&facts, fact);
    ok(facts.n == 1, "what is no number is no fact");
}

/* Rates over threads: three threads and more reach what there is. */
/* As a file that was edited may have them: no rate reaches its own share below zero. */
static void test_below_zero(void)
{
    struct rx_run run = {0};
    struct am_picks picks;

    for (int i = 0; i < 3; i++) {
        char text[32];

        (void)snprintf(text, sizeof(text), "threads=%d", i + 1);
        (void)rx_add(&run, "cpu.flops", text,
                     (const struct rx_metric[]){{"flops", "flop/s", -1}, {0}});
    }
    am_evidence_settle(&run.set);
    picks = am_select(&run.set, &(struct am_selector){"cpu.flops", NULL, NULL}, &run.arena);
    picks = am_picks_curve(&picks, "threads", NULL);
    ok(picks.n == 3 && isnan(am_fact_of_knee(&picks, 0.95, &run.arena).value),
       "rates below zero have no knee");
    am_arena_fini(&run.arena);
}

static void test_reduced(void)
{
    static const double rates[] = {10, 19.9, 29.5, 30, 29.9};
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena, .family = "core"};
    struct am_picks picks;
    struct am_fact f;

    for (int i = 0; i < 5; i++) {
        char text[32];

        (void)snprintf(text, sizeof(text), "threads=%d", i + 1);
        (void)rx_add(&run, "cpu.flops", text,
                     (const struct rx_metric[]){{"flops", "flop/s", rates[i]}, {0}});
    }
    am_evidence_settle(&run.set);
    picks = am_select(&run.set, &(struct am_selector){"cpu.flops", NULL, NULL}, &run.arena);
    picks = am_picks_curve(&picks, "threads", NULL);
    f = am_fact_of_knee(&picks, 0.95, &run.arena);
    ok(f.value > 2.9 && f.value < 3.1 && f.ci.lo > 2.9 && f.ci.hi < 3.1, "3 threads are enough");
    f = am_fact_of_knee(&picks, 29.5 / 30, &run.arena);
    ok(f.value > 2.9 && f.value < 3.1 && f.ci.lo > 2.9 && f.ci.hi < 3.1, "at the limit too");
    f = am_fact_of_knee(&picks, 19.905 / 30, &run.arena);
    ok(f.value > 2.9 && f.ci.lo > 1.9 && f.ci.lo < 2.1,
       "where an interval reaches the limit, the knee may lie there as well");
    f = am_fact_of_middle(&picks, &run.arena);
    ok(fabs(f.value - 29.5) < 1e-9 && f.ci.lo < 29.5 && f.n_points == AM_FACT_POINTS_MAX,
       "the middle of several results");
    for (size_t i = 0; i < picks.n; i++) {
        f = am_fact_of(&picks.items[i], &run.arena);
        f.name = "peak";
        f.what = "peak";
        am_fact_label_axes(&f, picks.items[i].result, "threads");
        am_facts_offer(&facts, f);
    }
    am_facts_offer_speedups(&facts, "peak");
    is_near(am_facts_value(&facts, "core.speedup", NULL), 2.99, 1e-9,
            "the speed-up of the most threads over one");
    is_str(facts.items[facts.n - 1].id, "core.speedup{threads=5}", "with their number");
    am_arena_fini(&run.arena);
}

int main(void)
{
    struct rx_run run = {0};

    add(&run, "omp.start", "threads=1 event=region delay=0", 5);
    add(&run, "omp.start", "threads=1 event=region delay=300", 6);
    add(&run, "omp.start", "threads=2 event=region delay=0", 7);
    add(&run, "omp.start", "threads=2 event=task delay=0", 8);
    am_evidence_settle(&run.set);
    test_rules(&run);
    test_parts(&run);
    test_difference(&run);
    test_asking(&run);
    test_withheld(&run);
    test_below_zero();
    test_reduced();
    am_arena_fini(&run.arena);
    return tap_done();
}
