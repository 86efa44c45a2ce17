/* SPDX-License-Identifier: MIT */
/* What a program depends on, from curves of simulated programs: a stream, a chase, a loop, a
 * sleeper; and how often that is wrong on a noisy machine. */
#include "base/rng.h"
#include "core/spec/commands.h"
#include "model/sensitivity.h"

#include "result_fixture.h"
#include "tap.h"

#include <math.h>

enum { STEPS = 8, LAUNCHES = 10, SEEDS = 40, ROUNDS_MAX = 64 };

static const char *const steps[STEPS] = {"none",      "spin",      "cache-8M",   "cache-16M",
                                         "cache-32M", "memory-50", "memory-100", "share-50"};

/* How many times as long a program takes beside each step. */
struct program {
    const char *name;
    double factor[STEPS];
    double cpu; /* share of its time in which it computes */
    const char *what;
    double rate[STEPS]; /* of what is taken, GB/s; 0: not known */
    double share;       /* of its CPUs that what takes it had; 0: not known */
};

static const struct program programs[] = {
    {"stream",
     {1, 1.02, 1.02, 1.03, 1.03, 1.4, 1.9, 2},
     0.99,
     "depends on memory: its bandwidth, or its latency under load",
     {0},
     0},
    {"chase in the cache",
     {1, 1.02, 1.3, 1.9, 2.6, 2.2, 2.6, 2},
     0.99,
     "depends on its share of the cache",
     {0},
     0},
    {"both",
     {1, 1.02, 1.2, 1.4, 1.5, 2.0, 2.8, 2},
     0.99,
     "depends on its share of the cache, and on memory beyond that",
     {0},
     0},
    {"stream beside a cache that is smaller than it says",
     {1, 1.0, 1.01, 1.13, 1.36, 1.41, 1.6, 2},
     0.99,
     "depends on memory: its bandwidth, or its latency under load",
     {0, 0, 51, 30, 17, 8, 16, 0},
     0},
    {"chase that has room beside a quarter of the cache",
     {1, 1.0, 1.01, 1.5, 1.9, 1.01, 1.01, 2},
     0.99,
     "depends on its share of the cache",
     {0, 0, 51, 30, 17, 8, 16, 0},
     0},
    {"chase beside traffic that fills caches",
     {1, 1.0, 1.2, 1.5, 1.9, 1.4, 1.9, 2},
     0.99,
     "depends on its share of the cache",
     {0, 0, 51, 50, 49, 8, 16, 0},
     0},
    {"slow beside everything that spills",
     {1, 1.0, 1.3, 1.5, 1.9, 1.8, 1.9, 2},
     0.99,
     "depends on cache or memory; which of them is undecided",
     {0, 0, 17, 17, 17, 8, 16, 0},
     0},
    {"loop",
     {1, 1.03, 1.03, 1.03, 1.03, 1.03, 1.03, 2},
     0.99,
     "depends on the speed of its core alone",
     {0},
     0},
    {"loop beside what has no CPU to take anything with",
     {1, 1, 1, 1, 1, 1, 1, 2},
     0.99,
     "undecided",
     {0},
     0.2},
    {"loop on an SMT thread",
     {1, 1.6, 1.6, 1.6, 1.6, 1.6, 1.6, 2},
     0.99,
     "depends on the speed of its core alone",
     {0},
     0},
    {"sleeper",
     {1, 1, 1, 1, 1, 1, 1, 1},
     0.01,
     "waits: depends on neither CPU time, cache nor memory",
     {0},
     0},
};
enum { PROGRAMS = sizeof(programs) / sizeof(programs[0]) };

/* How a machine disturbs what is measured. */
struct weather {
    double noise;   /* of an execution, relative: twice a uniform law, of which 0.4 is the sigma */
    double traffic; /* how many times as much beside traffic to memory */
    double round;   /* that all executions of a round share, of the same law */
    double waiting; /* a busy machine lets a program wait for up to so many times its time */
    size_t launches;
};

static double draw(struct am_rng *rng, double noise)
{
    return 1 + noise * (am_rng_unit(rng) + am_rng_unit(rng) - 1);
}

static void put_series(struct rx_run *run, struct am_result_metric *m, double seconds,
                       const struct weather *w, const double *rounds, struct am_rng *rng)
{
    double *const values = am_arena_array(&run->arena, w->launches, sizeof(*values));
    struct am_launch_values *const launches =
        am_arena_array(&run->arena, w->launches, sizeof(*launches));

    for (size_t i = 0; i < w->launches; i++) {
        values[i] = seconds * draw(rng, w->noise) * rounds[i] * (1 + w->waiting * am_rng_unit(rng));
        launches[i] = (struct am_launch_values){.values = &values[i], .n = 1, .round = (unsigned)i};
    }
    m->series = (struct am_series){.launches = launches, .n = w->launches};
}

static const char *judge(const struct program *p, const struct weather *w, uint64_t seed)
{
    struct rx_run run = {0};
    struct am_timed_commands commands;
    const struct am_timed *of[STEPS];
    struct am_sensitivity out;
    struct am_err err = {0};
    struct am_rng rng;
    double rounds[ROUNDS_MAX];

    am_rng_seed(&rng, seed, 1);
    for (size_t i = 0; i < w->launches; i++)
        rounds[i] = draw(&rng, w->round);
    am_kvs_add(&run.set.settings, &run.arena, AM_COMMANDS_KIND, AM_COMMANDS_KIND_SENSITIVITY);
    for (size_t i = 0; i < STEPS; i++) {
        const double seconds = 0.2 * p->factor[i];
        const char *const point =
            am_arena_printf(&run.arena, "command=c " AM_COMMANDS_BESIDE "=%s", steps[i]);
        const struct rx_metric third =
            p->share > 0     ? (struct rx_metric){AM_SPEC_TAKEN_SHARE, "", p->share}
            : p->rate[i] > 0 ? (struct rx_metric){AM_SPEC_TAKEN_RATE, "B/s", 1e9 * p->rate[i]}
                             : (struct rx_metric){NULL, NULL, 0};
        struct am_result *const r = rx_add(
            &run, "exec." AM_COMMANDS_TEST, point,
            (const struct rx_metric[]){
                {AM_SPEC_TIME, "s", seconds}, {AM_SPEC_CPU, "s", seconds}, third, {NULL, NULL, 0}});
        const bool share = strncmp(steps[i], "share", 5) == 0;
        struct weather here = *w;

        here.noise *= strncmp(steps[i], "memory", 6) == 0 && w->traffic > 0 ? w->traffic : 1;

        put_series(&run, &r->metrics[0], seconds, &here, rounds, &rng);
        here.waiting = 0;
        put_series(&run, &r->metrics[1], p->cpu * (share ? 0.2 : seconds), &here, rounds, &rng);
    }
    am_evidence_settle(&run.set);
    if (!am_timed_of(&run.set, &run.arena, &commands) || commands.n != STEPS)
        return "no commands";
    for (size_t i = 0; i < STEPS; i++)
        of[i] = &commands.items[i];
    if (am_sensitivity_judge(of, STEPS, &run.arena, &out, &err) != AM_OK)
        return err.text[0] ? "error" : "";
    am_arena_fini(&run.arena);
    return out.what;
}

/* What is said of a program by many seeds: right, undecided (wholly or in part), else wrong. */
struct tally {
    unsigned right, open;
};

static struct tally say_often(const struct program *p, const struct weather *w)
{
    struct tally t = {0};

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        const char *const what = judge(p, w, seed);
        const bool right = strcmp(what, p->what) == 0;

        t.right += right;
        t.open += !right && strstr(what, "undecided") != NULL;
    }
    return t;
}

static void test_programs(double noise, double waiting, unsigned right_least, const char *when)
{
    const struct weather w = {.noise = noise, .waiting = waiting, .launches = LAUNCHES};

    for (size_t i = 0; i < PROGRAMS; i++) {
        const struct tally t = say_often(&programs[i], &w);

        ok(t.right >= right_least && t.right + t.open >= SEEDS - 1,
           "%s, %s: %u right, %u undecided, %u wrong of %d", programs[i].name, when, t.right,
           t.open, SEEDS - t.right - t.open, SEEDS);
    }
}

/* A guest with two CPUs as it was measured in November 2026: 5 % between executions, 20 % beside
 * traffic, 3 % between rounds. Slowdowns and rates are those measured there, but for the chase,
 * which had nothing left of its cache and is that of a quieter host. */
static void test_power(void)
{
    static const struct program seen[] = {
        {"multiplications",
         {1, 1, 1, 1, 1.01, 1.01, 1.01, 2},
         0.99,
         "depends on the speed of its core alone",
         {0, 0, 51, 42, 23, 9, 18, 0},
         0},
        {"triad",
         {1, 1, 1.01, 1.15, 1.36, 1.41, 1.48, 2.2},
         0.99,
         "depends on memory: its bandwidth, or its latency under load",
         {0, 0, 51, 30, 17, 8, 16, 0},
         0},
        {"chase",
         {1, 1, 1.3, 2.2, 2.4, 1.0, 1.02, 2},
         0.99,
         "depends on its share of the cache",
         {0, 0, 51, 33, 19, 8, 17, 0},
         0},
    };
    static const size_t rounds[] = {8, 24, 40};

    for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++) {
        unsigned right_before = 0;

        for (size_t k = 0; k < sizeof(rounds) / sizeof(rounds[0]); k++) {
            const bool moved = seen[i].factor[6] > 1.1;
            const struct weather w = {
                .noise = 0.12, .traffic = moved ? 4 : 1, .round = 0.07, .launches = rounds[k]};
            const struct tally t = say_often(&seen[i], &w);
            const unsigned wrong = SEEDS - t.right - t.open;

            ok(wrong <= 1 && t.right >= right_before,
               "%s, %zu rounds: %u right, %u undecided, %u wrong", seen[i].name, rounds[k], t.right,
               t.open, wrong);
            right_before = t.right;
        }
        ok(right_before >= SEEDS * 3 / 4, "%s: %zu rounds decide", seen[i].name,
           rounds[sizeof(rounds) / sizeof(rounds[0]) - 1]);
    }
}

static void test_steps(void)
{
    static const struct {
        const char *text;
        bool good;
        enum am_beside_kind kind;
        uint64_t amount;
    } cases[] = {
        {"none", true, AM_BESIDE_NONE, 0},
        {"spin", true, AM_BESIDE_SPIN, 0},
        {"cache-8M", true, AM_BESIDE_CACHE, UINT64_C(8) << 20},
        {"cache-100", true, AM_BESIDE_CACHE, 100},
        {"memory-100", true, AM_BESIDE_MEMORY, 100},
        {"share-50", true, AM_BESIDE_SHARE, 50},
        {"memory-101", false, AM_BESIDE_NONE, 0},
        {"share-51", false, AM_BESIDE_NONE, 0},
        {"cache", false, AM_BESIDE_NONE, 0},
        {"cache-", false, AM_BESIDE_NONE, 0},
        {"cache-0", false, AM_BESIDE_NONE, 0},
        {"cache-99999999999G", false, AM_BESIDE_NONE, 0},
        {"none-1", false, AM_BESIDE_NONE, 0},
        {"disk-1", false, AM_BESIDE_NONE, 0},
        {"", false, AM_BESIDE_NONE, 0},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_beside b = {0};
        const bool good = am_beside_parse(cases[i].text, &b);

        ok(good == cases[i].good &&
               (!good || (b.kind == cases[i].kind && b.amount == cases[i].amount)),
           "\"%s\" is %s", cases[i].text, cases[i].good ? "a step" : "none");
    }
}

int main(void)
{
    test_steps();
    test_programs(0.005, 0, SEEDS - 2, "quiet");
    test_programs(0.02, 0, SEEDS / 2, "some noise");
    test_programs(0.4, 0, 0, "much noise");
    test_programs(0.01, 3, 0, "on a busy machine");
    test_power();
    return tap_done();
}
