/* SPDX-License-Identifier: MIT */
/* How often studies are wrong: over many of them that ask several questions, at most one in twenty
 * has any outcome that is wrong, also beside a neighbour that stops one side only, while effects of
 * stated sizes are found. test_study_level SEED repeats it with other numbers. */
#include "study_fixture.h"
#include "tap.h"

#include <math.h>
#include <stdio.h>

enum { STUDIES = 200, QUESTIONS = 20, CLAIMS = 8, PAIRS = 4 };

/* ---- beside others ---- */

/* A neighbour that takes a CPU for `visit_s` at a time, `share` of all time. */
struct neighbour {
    double visit_s, share;
    bool on;
    double left_s; /* of this visit, or until the next */
};

static double exponential(struct am_rng *rng, double mean)
{
    return -mean * log(1 - am_rng_unit(rng));
}

/* Until we had `work_s` of the CPU; *taken_s grows by what the neighbour had. */
static double play_batch(struct neighbour *n, double work_s, struct am_rng *rng, double *taken_s)
{
    double elapsed = 0;

    while (work_s > 0) {
        const double step = n->on ? n->left_s : fmin(n->left_s, work_s);

        elapsed += step;
        n->left_s -= step;
        work_s -= n->on ? 0 : step;
        *taken_s += n->on ? step : 0;
        if (n->left_s > 0)
            continue;
        n->on = !n->on;
        n->left_s = exponential(rng, n->on ? n->visit_s : n->visit_s * (1 - n->share) / n->share);
    }
    return elapsed;
}

/* A point whose batches of 2 ms stand still whenever the neighbour runs, beside it for a second per
 * launch. */
static void put_beside(struct machine *m, const char *text, struct neighbour n)
{
    enum { BATCHES = 5 };
    struct am_result *const r = put(m, text, 0.002);
    struct am_series *const s = &r->metrics[0].series;

    n.left_s = exponential(&m->rng, n.visit_s);
    for (size_t i = 0; i < s->n; i++) {
        double *const values = am_arena_array(&m->run.arena, BATCHES, sizeof(*values));
        double taken = 0, all = 0;

        for (size_t k = 0; k < BATCHES; k++) {
            values[k] = play_batch(&n, 0.002, &m->rng, &taken);
            all += values[k];
        }
        while (all < 1)
            all += play_batch(&n, 0.002, &m->rng, &taken);
        s->launches[i].values = values;
        s->launches[i].n = BATCHES;
        s->launches[i].busy = AM_BUSY_STEAL;
        s->launches[i].others = taken / all;
    }
}

/* The neighbour stops one side only, which is as fast as the other: never is it called slower, nor
 * one that is two times slower denied to be. */
static void test_stolen(uint64_t seed)
{
    static const double visits[] = {0.0005, 0.002, 0.008, 0.05}, parts[] = {0.1, 0.3, 0.5};
    enum { ROUNDS = 40 };
    size_t wrong = 0, asked = 0;

    for (size_t i = 0; i < sizeof(visits) / sizeof(*visits) * 3 * ROUNDS; i++) {
        const struct neighbour n = {.visit_s = visits[i / ROUNDS % 4],
                                    .share = parts[i / ROUNDS / 4]};
        struct machine m = {.noise = 0.01};
        struct am_judged_study s;

        am_rng_seed(&m.rng, seed, i + 1);
        put_beside(&m, "schedule=a chunk=1", n);
        (void)put(&m, "schedule=b chunk=1", 0.002);
        (void)put(&m, "schedule=c chunk=1", 0.0042);
        s = judge(&m, "claim c\nsays X\nsection 1\n"
                      "that omp.sched schedule=a is greater than schedule=b\n"
                      "claim d\nsays X\nsection 1\n"
                      "that omp.sched schedule=c is less than omp.sched schedule=a\n");
        wrong += s.count[AM_CLAIM_REPRODUCED];
        asked += 2;
        am_arena_fini(&m.run.arena);
    }
    ok(asked == 960 && wrong <= 24, "%zu of %zu claims believe what a neighbour did", wrong, asked);
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

/* Studies of CLAIMS claims over PAIRS pairs each, `truly` of which have the ratio `beyond` and the
 * others `within`. Returns in how many of them a claim has the outcome. */
static size_t count_pairs(const char *share, size_t truly, double beyond, double within,
                          enum am_claim_outcome outcome, uint64_t seed)
{
    size_t wrong = 0;

    for (size_t k = 0; k < STUDIES; k++) {
        struct machine m = {.noise = 0.01};
        const char *text = "";

        am_rng_seed(&m.rng, seed, k + 1);
        for (size_t i = 0; i < CLAIMS * PAIRS; i++) {
            const double ratio = i % PAIRS < truly ? beyond : within;

            (void)put(&m, am_arena_printf(&m.run.arena, "schedule=a%zu chunk=%zu", i / PAIRS, i),
                      ratio);
            (void)put(&m, am_arena_printf(&m.run.arena, "schedule=b%zu chunk=%zu", i / PAIRS, i),
                      1);
        }
        for (size_t i = 0; i < CLAIMS; i++)
            text = am_arena_printf(&m.run.arena,
                                   "%sclaim c%zu\nsays X\nsection 1\npairs %s\nthat omp.sched "
                                   "schedule=a%zu is greater than schedule=b%zu\n",
                                   text, i, share, i, i);
        wrong += judge(&m, text).count[outcome] > 0;
        am_arena_fini(&m.run.arena);
    }
    return wrong;
}

/* The worst cases of every share: one more pair would make the claim true, or one less. */
static void test_level_of_pairs(uint64_t seed)
{
    static const struct {
        const char *share;
        size_t truly;
        enum am_claim_outcome wrong;
    } worst[] = {
        {"every", 3, AM_CLAIM_REPRODUCED},  {"most", 2, AM_CLAIM_REPRODUCED},
        {"some", 0, AM_CLAIM_REPRODUCED},   {"every", 4, AM_CLAIM_CONTRADICTED},
        {"most", 3, AM_CLAIM_CONTRADICTED}, {"some", 1, AM_CLAIM_CONTRADICTED},
    };

    for (size_t i = 0; i < sizeof(worst) / sizeof(*worst); i++) {
        const bool reproduced = worst[i].wrong == AM_CLAIM_REPRODUCED;
        const size_t wrong = count_pairs(worst[i].share, worst[i].truly, reproduced ? 1.2 : 1.0201,
                                         reproduced ? 1.02 : 0.9, worst[i].wrong, seed + i);

        ok(wrong <= 20, "%zu of %d studies of %s of %d pairs are wrongly %s", wrong, STUDIES,
           worst[i].share, PAIRS, am_claim_outcomes[worst[i].wrong]);
    }
}

/* How many of QUESTIONS claims in each of ten studies are found: `launches` of `noise`, a true
 * ratio of `ratio`. */
static size_t count_found(size_t launches, double noise, double ratio, uint64_t seed)
{
    size_t found = 0;

    for (size_t k = 0; k < 10; k++) {
        struct machine m = {.noise = noise};
        const char *text = "";

        am_rng_seed(&m.rng, seed, k + 1);
        for (size_t i = 0; i < QUESTIONS; i++) {
            (void)put_some(&m, am_arena_printf(&m.run.arena, "schedule=a chunk=%zu", i + 1), ratio,
                           launches);
            (void)put_some(&m, am_arena_printf(&m.run.arena, "schedule=b chunk=%zu", i + 1), 1,
                           launches);
            text = am_arena_printf(&m.run.arena,
                                   "%sclaim c%zu\nsays X\nsection 1\nthat omp.sched schedule=a "
                                   "chunk=%zu is greater than schedule=b\n",
                                   text, i, i + 1);
        }
        found += judge(&m, text).count[AM_CLAIM_REPRODUCED];
        am_arena_fini(&m.run.arena);
    }
    return found;
}

/* Of 200 true claims: what 5, 8 and 20 launches find in noise of a few percent. */
static void test_power(uint64_t seed)
{
    static const struct {
        size_t launches;
        double noise, ratio;
        size_t least;
    } rows[] = {{5, 0.03, 1.25, 190}, {5, 0.1, 2, 180},      {8, 0.03, 1.15, 190},
                {8, 0.1, 1.5, 180},   {20, 0.03, 1.08, 190}, {20, 0.1, 1.2, 180},
                {20, 0.3, 1.8, 180}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const size_t found = count_found(rows[i].launches, rows[i].noise, rows[i].ratio, seed + i);

        ok(found >= rows[i].least,
           "%zu of %d claims of %g times are found by %zu launches in %g %% of noise", found,
           10 * QUESTIONS, rows[i].ratio, rows[i].launches, 100 * rows[i].noise);
    }
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
    test_stolen(seed);
    test_level(seed);
    test_level_of_pairs(seed);
    test_power(seed);
    return tap_done();
}
