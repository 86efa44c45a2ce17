/* SPDX-License-Identifier: MIT */
/* Claims of studies on simulated machines: planted truths are reproduced, planted untruths
 * contradicted, what is not there or too noisy is undecided with its reason; and over many studies
 * that ask several questions, at most one in twenty has any outcome that is wrong. */
#include "base/rng.h"
#include "base/text.h"
#include "core/spec/spec.h"
#include "model/study/claims.h"

#include "result_fixture.h"
#include "tap.h"

#include <math.h>
#include <stdio.h>

enum { LAUNCHES = 8, STUDIES = 200, QUESTIONS = 20 };

/* ---- a machine ---- */

struct machine {
    struct rx_run run;
    struct am_rng rng;
    double noise; /* sigma of a launch, relative */
    bool settled; /* grades were given by hand */
};

static double normal(struct am_rng *rng)
{
    return sqrt(-2 * log(1 - am_rng_unit(rng))) * cos(2 * 3.14159265358979 * am_rng_unit(rng));
}

static struct am_result *put_some(struct machine *m, const char *text, double value,
                                  size_t launches)
{
    struct am_result *const r = rx_add(&m->run, "omp.sched", text,
                                       (const struct rx_metric[]){{"overhead", "s", value}, {0}});
    struct am_series *const s = &r->metrics[0].series;
    double *const values = am_arena_array(&m->run.arena, launches, sizeof(*values));
    struct am_launch_values *const of = am_arena_array(&m->run.arena, launches, sizeof(*of));

    for (size_t i = 0; i < launches; i++) {
        values[i] = value * exp(m->noise * normal(&m->rng));
        of[i] = (struct am_launch_values){.values = &values[i], .n = 1, .round = (unsigned)i};
    }
    *s = (struct am_series){.launches = of, .n = launches};
    return r;
}

static struct am_result *put(struct machine *m, const char *text, double value)
{
    return put_some(m, text, value, LAUNCHES);
}

/* ---- a study ---- */

static const char head[] = "study s\ntitle T\nsource S\ntest null\nrun\n";

/* Judges a study that has these claims behind its head; everything lives in the machine's arena. */
static struct am_judged_study judge(struct machine *m, const char *claims)
{
    const char *const text = am_arena_printf(&m->run.arena, "%s%s", head, claims);
    const struct am_spec_source source = {
        .file = "s.study", .folder = "/", .text = text, .len = strlen(text)};
    struct am_judged_study out = {0};
    struct am_err err = {0};
    struct am_spec spec;

    if (!m->settled)
        am_evidence_settle(&m->run.set);
    if (am_spec_parse(&source, &m->run.arena, &spec, &err) != AM_OK ||
        am_claims_judge(spec.study, &m->run.set, &m->run.arena, &out, &err) != AM_OK)
        printf("# %s\n", err.text);
    return out;
}

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

    plant(&m, 0.05, seed);
    (void)put(&m, "schedule=a chunk=1 threads=4", 1e-6);
    (void)put(&m, "schedule=b chunk=1 threads=4", 1.025e-6);
    s = judge(&m, claim);
    ok(s.claims[0].outcome == AM_CLAIM_UNDECIDED, "2.5 %% in 5 %% of noise: %s, %s",
       am_claim_outcomes[s.claims[0].outcome], s.claims[0].why ? s.claims[0].why : "-");
    am_arena_fini(&m.run.arena);

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
    m.run.set.results[m.run.set.n - 1].metrics[0].grading.grade = AM_GRADE_C;
    s = judge(&m, claim);
    ok(s.claims[0].outcome == AM_CLAIM_UNDECIDED && strstr(s.claims[0].why, "grade C"),
       "evidence of grade C: %s", s.claims[0].why);
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
}

/* ---- how often studies are wrong ---- */

/* Studies of QUESTIONS claims "a is greater than b"; the true ratio is `ratio`. Returns in how many
 * of them a claim has the outcome. */
static size_t count_studies(double ratio, double noise, enum am_claim_outcome outcome,
                            uint64_t seed)
{
    size_t wrong = 0;

    for (size_t k = 0; k < STUDIES; k++) {
        struct machine m = {.noise = noise};
        struct am_judged_study s;
        const char *text = "";

        am_rng_seed(&m.rng, seed, k + 1);
        for (size_t i = 0; i < QUESTIONS; i++) {
            (void)put(&m, am_arena_printf(&m.run.arena, "schedule=a chunk=%zu", i + 1), ratio);
            (void)put(&m, am_arena_printf(&m.run.arena, "schedule=b chunk=%zu", i + 1), 1);
            text = am_arena_printf(&m.run.arena,
                                   "%sclaim c%zu\nsays X\nsection 1\nthat omp.sched schedule=a "
                                   "chunk=%zu is greater than schedule=b\n",
                                   text, i, i + 1);
        }
        s = judge(&m, text);
        wrong += s.count[outcome] > 0;
        am_arena_fini(&m.run.arena);
    }
    return wrong;
}

/* Studies in which `best` chooses among QUESTIONS points that are all at the margin: how many call
 * the one that looks best greater. */
static size_t count_best(double noise, uint64_t seed)
{
    size_t wrong = 0;

    for (size_t k = 0; k < STUDIES; k++) {
        struct machine m = {.noise = noise};

        am_rng_seed(&m.rng, seed, k + 1);
        for (size_t i = 0; i < QUESTIONS; i++)
            (void)put(&m, am_arena_printf(&m.run.arena, "schedule=a chunk=%zu", i + 1), 1);
        (void)put_some(&m, "schedule=b chunk=1", 1.02, 16 * LAUNCHES); /* of little noise */
        wrong +=
            judge(&m, "claim c\nsays X\nsection 1\nthat best omp.sched schedule=a is less than "
                      "omp.sched schedule=b\n")
                .count[AM_CLAIM_REPRODUCED] > 0;
        am_arena_fini(&m.run.arena);
    }
    return wrong;
}

/* 5 % of 200 are 10; more than 20 has a probability below 0.2 % where 5 % are wrong. */
static void test_level(uint64_t seed)
{
    const size_t same = count_studies(1, 0.01, AM_CLAIM_REPRODUCED, seed);
    const size_t edge = count_studies(1.02, 0.01, AM_CLAIM_REPRODUCED, seed + 1);
    const size_t beyond = count_studies(1.0201, 0.01, AM_CLAIM_CONTRADICTED, seed + 2);
    const size_t noisy = count_studies(1.02, 0.05, AM_CLAIM_REPRODUCED, seed + 3);
    const size_t chosen = count_best(0.01, seed + 5);
    const size_t found = count_studies(1.2, 0.01, AM_CLAIM_REPRODUCED, seed + 4);

    ok(same == 0, "%zu of %d studies of equal points call one greater", same, STUDIES);
    ok(edge <= 20, "%zu of %d studies at the margin call one greater", edge, STUDIES);
    ok(beyond <= 20, "%zu of %d studies beyond the margin deny one", beyond, STUDIES);
    ok(noisy <= 20, "%zu of %d studies at the margin, in more noise", noisy, STUDIES);
    ok(chosen <= 20, "%zu of %d studies believe the best of %d", chosen, STUDIES, QUESTIONS);
    ok(found == STUDIES, "%zu of %d studies see 20 %% in 1 %% of noise", found, STUDIES);
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
    test_level(seed);
    return tap_done();
}
