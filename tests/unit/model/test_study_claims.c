/* SPDX-License-Identifier: MIT */
/* Claims of studies on simulated machines: planted truths are reproduced, planted untruths
 * contradicted, what is not there, too noisy or disturbed is undecided with its reason. How often
 * studies err and what they find: test_study_level.c. */
#include "study_fixture.h"
#include "tap.h"

#include <math.h>
#include <stdio.h>

/* A machine whose schedules cost what is planted. */
static void plant(struct machine *m, double noise, uint64_t seed)
{
    static const struct {
        const char *text;
        double us;
    } points[] = {
        {"schedule=static chunk=1 threads=4", 2},    {"schedule=static chunk=16 threads=4", 2},
        {"schedule=static chunk=256 threads=4", 2},  {"schedule=dynamic chunk=1 threads=4", 64},
        {"schedule=dynamic chunk=16 threads=4", 8},  {"schedule=dynamic chunk=256 threads=4", 4},
        {"schedule=guided chunk=1 threads=4", 4},    {"schedule=guided chunk=16 threads=4", 4},
        {"schedule=guided chunk=256 threads=4", 40},
    };

    *m = (struct machine){.noise = noise};
    am_rng_seed(&m->rng, seed, 1);
    for (size_t i = 0; i < sizeof(points) / sizeof(*points); i++)
        (void)put(m, points[i].text, points[i].us * 1e-6);
}

static const struct {
    const char *that, *more;
    enum am_claim_outcome outcome;
    const char *why;
} cases[] = {
    {"schedule=dynamic chunk=1 is greater than schedule=static", "", AM_CLAIM_REPRODUCED, NULL},
    {"schedule=dynamic chunk=1 is less than schedule=static", "", AM_CLAIM_CONTRADICTED, NULL},
    {"schedule=static chunk=1 is less than chunk=16", "margin 5%\n", AM_CLAIM_CONTRADICTED, NULL},
    {"schedule=dynamic is greater than schedule=static", "", AM_CLAIM_REPRODUCED, NULL},
    {"schedule=guided is less than schedule=dynamic", "", AM_CLAIM_CONTRADICTED, NULL},
    {"schedule=guided is less than schedule=dynamic", "pairs most\n", AM_CLAIM_REPRODUCED, NULL},
    {"schedule=guided is greater than schedule=dynamic", "pairs some\n", AM_CLAIM_REPRODUCED, NULL},
    {"schedule=guided is greater than schedule=dynamic", "pairs most\n", AM_CLAIM_CONTRADICTED,
     NULL},
    {"schedule=dynamic chunk=1 is at least 10 times schedule=guided", "", AM_CLAIM_REPRODUCED,
     NULL},
    {"schedule=dynamic chunk=1 is at least 16 times schedule=guided", "margin 10%\n",
     AM_CLAIM_REPRODUCED, NULL},
    {"schedule=dynamic chunk=1 is at least 20 times schedule=guided", "", AM_CLAIM_CONTRADICTED,
     NULL},
    {"schedule=dynamic chunk=1 is at most 20 times schedule=guided", "", AM_CLAIM_REPRODUCED, NULL},
    {"schedule=dynamic chunk=1 is at most 2 times schedule=guided", "", AM_CLAIM_CONTRADICTED,
     NULL},
    {"schedule=guided chunk=1 is within 20% of chunk=16", "", AM_CLAIM_REPRODUCED, NULL},
    {"schedule=guided chunk=1 is within a factor of 20 of chunk=256", "", AM_CLAIM_REPRODUCED,
     NULL},
    {"schedule=guided chunk=1 is within 20% of chunk=256", "", AM_CLAIM_CONTRADICTED, NULL},
    {"schedule=dynamic falls with chunk", "", AM_CLAIM_REPRODUCED, NULL},
    {"schedule=dynamic grows with chunk", "", AM_CLAIM_CONTRADICTED, NULL},
    {"schedule=static grows with chunk", "margin 5%\n", AM_CLAIM_CONTRADICTED, NULL},
    {"schedule=guided grows with chunk", "", AM_CLAIM_REPRODUCED, NULL},
    {"schedule=static is independent of chunk within 10%", "", AM_CLAIM_REPRODUCED, NULL},
    {"schedule=guided is independent of chunk within 10%", "", AM_CLAIM_CONTRADICTED, NULL},
    {"schedule=static is proportional to chunk within 10%", "", AM_CLAIM_CONTRADICTED, NULL},
    {"schedule=static is less than 3 us", "", AM_CLAIM_REPRODUCED, NULL},
    {"schedule=static is greater than 3 us", "", AM_CLAIM_CONTRADICTED, NULL},
    {"schedule=static is at least 2 times 0.5 us", "", AM_CLAIM_REPRODUCED, NULL},
    {"schedule=dynamic chunk=@max is less than chunk=@min", "", AM_CLAIM_REPRODUCED, NULL},
    {"schedule=runtime chunk=1 is less than schedule=static", "", AM_CLAIM_UNDECIDED,
     "no point of omp.sched has schedule=runtime chunk=1"},
    {"schedule=static chunk=1 is less than schedule=runtime", "", AM_CLAIM_UNDECIDED,
     "no point of omp.sched has schedule=runtime chunk=1"},
    {"schedule=static is less than 3 J", "", AM_CLAIM_UNDECIDED, "its unit is \"s\""},
    {"schedule=static chunk=1 grows with chunk", "", AM_CLAIM_UNDECIDED, "one value of chunk"},
    {"chunk=1 schedule=static is less than schedule!=static", "", AM_CLAIM_UNDECIDED,
     "differ in schedule"},
    {"chunk=1 is within 10% of chunk=1", "", AM_CLAIM_UNDECIDED, "the same point"},
};

static void test_cases(uint64_t seed)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct machine m;
        struct am_judged_study s;
        const struct am_judged_claim *c;

        plant(&m, 0.01, seed + i);
        s = judge(&m, am_arena_printf(&m.run.arena,
                                      "claim c\nsays X\nsection 1\nthat omp.sched:overhead %s\n%s",
                                      cases[i].that, cases[i].more));
        c = s.claims;
        ok(c && c->outcome == cases[i].outcome &&
               (!cases[i].why || (c->why && strstr(c->why, cases[i].why))),
           "%s is %s (%s, %s)", cases[i].that, am_claim_outcomes[cases[i].outcome],
           c ? am_claim_outcomes[c->outcome] : "nothing", c && c->why ? c->why : "-");
        am_arena_fini(&m.run.arena);
    }
}

/* What the machine does not let one see is not claimed. */
static void test_undecided(uint64_t seed)
{
    static const char claim[] = "claim c\nsays X\nsection 1\n"
                                "that omp.sched schedule=a chunk=1 is less than schedule=b\n";
    struct machine m;
    struct am_judged_study s;
    size_t open = 0;

    for (size_t i = 0; i < 40; i++) {
        plant(&m, 0.05, seed + i);
        (void)put(&m, "schedule=a chunk=1 threads=4", 1e-6);
        (void)put(&m, "schedule=b chunk=1 threads=4", 1.025e-6);
        open += judge(&m, claim).count[AM_CLAIM_UNDECIDED];
        am_arena_fini(&m.run.arena);
    }
    ok(open >= 28, "2.5 %% in 5 %% of noise is undecided in %zu of 40 studies", open);

    plant(&m, 0.01, seed);
    (void)put_some(&m, "schedule=a chunk=1 threads=4", 1e-6, 2);
    (void)put(&m, "schedule=b chunk=1 threads=4", 3e-6);
    s = judge(&m, claim);
    ok(s.claims[0].outcome == AM_CLAIM_UNDECIDED && strstr(s.claims[0].why, "three launches"),
       "two launches: %s", s.claims[0].why);
    am_arena_fini(&m.run.arena);

    plant(&m, 0.01, seed);
    (void)put(&m, "schedule=a chunk=1 threads=4", 1e-6);
    (void)put(&m, "schedule=b chunk=1 threads=4", 3e-6);
    am_evidence_settle(&m.run.set);
    m.settled = true;
    m.run.set.results[m.run.set.n - 1].metrics[0].grading =
        (struct am_grading){AM_GRADE_C, UINT32_C(1) << AM_REASON_ZERO};
    s = judge(&m, claim);
    ok(s.claims[0].outcome == AM_CLAIM_UNDECIDED && strstr(s.claims[0].why, "grade C"),
       "a value that is not told from zero: %s", s.claims[0].why);
    am_arena_fini(&m.run.arena);

    plant(&m, 0.01, seed);
    (void)put(&m, "schedule=a chunk=1 threads=4", -1e-6);
    (void)put(&m, "schedule=b chunk=1 threads=4", 3e-6);
    s = judge(&m, claim);
    ok(s.claims[0].outcome == AM_CLAIM_UNDECIDED && strstr(s.claims[0].why, "not above 0"),
       "a value below zero: %s", s.claims[0].why);
    am_arena_fini(&m.run.arena);
}

/* Points that failed leave a claim about every pair open; those that cannot be measured here do
 * not. */
static void test_missing(uint64_t seed)
{
    static const char claim[] = "claim c\nsays X\nsection 1\n"
                                "that omp.sched schedule=dynamic is greater than schedule=static\n";
    struct machine m;
    struct am_judged_study s;
    struct am_result *r;

    plant(&m, 0.01, seed);
    r = put(&m, "schedule=dynamic chunk=64 threads=4", 1e-6);
    r->state = AM_POINT_FAIL;
    r->reason = "it crashed";
    r->n_metrics = 0;
    s = judge(&m, claim);
    ok(s.claims[0].outcome == AM_CLAIM_UNDECIDED && strstr(s.claims[0].why, "it crashed"),
       "a point that failed: %s", s.claims[0].why);
    am_arena_fini(&m.run.arena);

    plant(&m, 0.01, seed);
    r = put(&m, "schedule=dynamic chunk=64 threads=4", 1e-6);
    r->state = AM_POINT_SKIP;
    r->reason = "not here";
    r->n_metrics = 0;
    s = judge(&m, claim);
    ok(s.claims[0].outcome == AM_CLAIM_REPRODUCED && s.claims[0].skipped == 1,
       "a point that cannot be measured here is passed over, and counted");
    am_arena_fini(&m.run.arena);

    plant(&m, 0.01, seed);
    (void)put(&m, "schedule=dynamic chunk=64 threads=4", 1e-6);
    r = put(&m, "schedule=static chunk=64 threads=4", 1e-6);
    r->state = AM_POINT_SKIP;
    r->n_metrics = 0;
    s = judge(&m, claim);
    ok(s.claims[0].outcome == AM_CLAIM_REPRODUCED && s.claims[0].skipped == 1,
       "so is one whose partner cannot be measured here");
    am_arena_fini(&m.run.arena);
}

/* ---- beside others ---- */

/* What a claim comes to where others take CPUs around every launch, so that all is of grade C: the
 * true ratio is `ratio`. */
static struct am_judged_claim beside(double others, double ratio, const char *that, uint64_t seed)
{
    struct machine m = {.noise = 0.01, .others = others};
    struct am_judged_claim out;
    char why[256] = "-";

    am_rng_seed(&m.rng, seed, 1);
    (void)put(&m, "schedule=a chunk=1", ratio);
    (void)put(&m, "schedule=b chunk=1", 1);
    out = judge(&m,
                am_arena_printf(&m.run.arena,
                                "claim c\nsays X\nsection 1\nthat omp.sched schedule=a %s\n", that))
              .claims[0];
    (void)am_str_copy(why, sizeof(why), out.why ? out.why : "-");
    printf("# %g CPUs taken, %g times: %s, %s\n", others, ratio, am_claim_outcomes[out.outcome],
           why);
    am_arena_fini(&m.run.arena);
    return out;
}

static void test_beside_others(uint64_t seed)
{
    const double fifth = 0.2; /* may slow a median by 1.2 / 0.8 = 1.5 */

    ok(beside(fifth, 10, "is greater than schedule=b", seed).outcome == AM_CLAIM_REPRODUCED &&
           beside(fifth, 1.7, "is greater than schedule=b", seed).outcome == AM_CLAIM_REPRODUCED,
       "what a fifth of a CPU cannot explain is decided");
    ok(beside(fifth, 1.25, "is greater than schedule=b", seed).outcome == AM_CLAIM_UNDECIDED &&
           beside(fifth, 1.45, "is greater than schedule=b", seed).outcome == AM_CLAIM_UNDECIDED &&
           beside(fifth, 0.69, "is less than schedule=b", seed).outcome == AM_CLAIM_UNDECIDED,
       "what it can explain is not");
    ok(beside(fifth, 1.1, "is at most 1.5 times schedule=b", seed).outcome == AM_CLAIM_UNDECIDED &&
           beside(fifth, 0.9, "is at most 1.5 times schedule=b", seed).outcome ==
               AM_CLAIM_REPRODUCED &&
           beside(fifth, 1, "is within 20% of schedule=b", seed).outcome == AM_CLAIM_UNDECIDED,
       "nor what it may have hidden");
    ok(beside(0.99, 100, "is greater than schedule=b", seed).outcome == AM_CLAIM_UNDECIDED &&
           beside(1.5, 100, "is greater than schedule=b", seed).outcome == AM_CLAIM_UNDECIDED &&
           beside(NAN, 100, "is greater than schedule=b", seed).outcome == AM_CLAIM_UNDECIDED,
       "a CPU that is taken for good, or nobody knows how long, explains anything");
    ok(beside(0, 1.1, "is greater than schedule=b", seed).outcome == AM_CLAIM_REPRODUCED,
       "beside nobody a tenth is seen");
}

/* ---- reasons ---- */

static void test_reasons(uint64_t seed)
{
    static const struct {
        const char *reason;
        enum am_claim_outcome support;
    } of[] = {
        {"omp.sched schedule=dynamic falls with chunk", AM_CLAIM_REPRODUCED},
        {"omp.sched schedule=dynamic grows with chunk", AM_CLAIM_CONTRADICTED},
        {"omp.sched schedule=runtime grows with chunk", AM_CLAIM_UNDECIDED},
    };

    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
        struct machine m;
        struct am_judged_study s;

        plant(&m, 0.01, seed + i);
        s = judge(&m, am_arena_printf(
                          &m.run.arena,
                          "claim c\nsays X\nsection 1\nbecause It is so. | %s\n"
                          "that omp.sched schedule=dynamic chunk=1 is less than schedule=static\n",
                          of[i].reason));
        ok(s.claims[0].outcome == AM_CLAIM_CONTRADICTED && s.n_judged == 1 &&
               s.reasons[0].outcome == of[i].support && s.count[AM_CLAIM_CONTRADICTED] == 1,
           "a reason is %s", am_claim_supports[s.reasons[0].outcome]);
        am_arena_fini(&m.run.arena);
    }
}

int main(int argc, char **argv)
{
    uint64_t seed = 1;

    if (argc > 1 && !am_parse_u64(argv[1], strlen(argv[1]), &seed))
        return 2;
    printf("# seed %llu\n", (unsigned long long)seed);
    test_cases(seed);
    test_undecided(seed);
    test_missing(seed);
    test_beside_others(seed);
    test_reasons(seed);
    return tap_done();
}
