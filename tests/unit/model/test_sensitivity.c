/* SPDX-License-Identifier: MIT */
/* What a program depends on, from curves of simulated programs: a stream, a chase, a loop, a
 * sleeper; and how often that is wrong on a noisy machine. */
#include "base/rng.h"
#include "core/spec/commands.h"
#include "model/sensitivity.h"

#include "result_fixture.h"
#include "tap.h"

#include <math.h>

enum { STEPS = 10, LAUNCHES = 10, SEEDS = 40 };

static const char *const steps[STEPS] = {"none",      "spin",      "cache-8M",  "cache-16M",
                                         "cache-32M", "memory-25", "memory-50", "memory-100",
                                         "share-25",  "share-50"};

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
     {1, 1.02, 1.02, 1.03, 1.03, 1.15, 1.4, 1.9, 1.33, 2},
     0.99,
     "depends on memory: its bandwidth, or its latency under load",
     {0},
     0},
    {"chase in the cache",
     {1, 1.02, 1.3, 1.9, 2.6, 1.8, 2.2, 2.6, 1.33, 2},
     0.99,
     "depends on its share of the cache",
     {0},
     0},
    {"both",
     {1, 1.02, 1.2, 1.4, 1.5, 1.5, 2.0, 2.8, 1.33, 2},
     0.99,
     "depends on its share of the cache, and on memory beyond that",
     {0},
     0},
    {"stream beside a cache that is smaller than it says",
     {1, 1.0, 1.01, 1.13, 1.36, 1.25, 1.41, 1.6, 1.33, 2},
     0.99,
     "depends on memory: its bandwidth, or its latency under load",
     {0, 0, 51, 30, 17, 4, 8, 16, 0, 0},
     0},
    {"chase that has room beside a quarter of the cache",
     {1, 1.0, 1.01, 1.5, 1.9, 1.0, 1.01, 1.01, 1.33, 2},
     0.99,
     "depends on its share of the cache",
     {0, 0, 51, 30, 17, 4, 8, 16, 0, 0},
     0},
    {"chase beside traffic that fills caches",
     {1, 1.0, 1.2, 1.5, 1.9, 1.2, 1.4, 1.9, 1.33, 2},
     0.99,
     "depends on its share of the cache",
     {0, 0, 51, 50, 49, 4, 8, 16, 0, 0},
     0},
    {"slow beside everything that spills",
     {1, 1.0, 1.3, 1.5, 1.9, 1.5, 1.8, 1.9, 1.33, 2},
     0.99,
     "depends on cache or memory; which of them is undecided",
     {0, 0, 17, 17, 17, 4, 8, 16, 0, 0},
     0},
    {"loop",
     {1, 1.03, 1.03, 1.03, 1.03, 1.03, 1.03, 1.03, 1.33, 2},
     0.99,
     "depends on the speed of its core alone",
     {0},
     0},
    {"loop beside what has no CPU to take anything with",
     {1, 1, 1, 1, 1, 1, 1, 1, 1.33, 2},
     0.99,
     "undecided",
     {0},
     0.2},
    {"loop on an SMT thread",
     {1, 1.6, 1.6, 1.6, 1.6, 1.6, 1.6, 1.6, 1.33, 2},
     0.99,
     "depends on the speed of its core alone",
     {0},
     0},
    {"sleeper",
     {1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
     0.01,
     "waits: depends on neither CPU time, cache nor memory",
     {0},
     0},
};
enum { PROGRAMS = sizeof(programs) / sizeof(programs[0]) };

/* Executions with `noise` on what it computes; `waiting`: a busy machine lets it wait for its CPU
 * for up to so many times its time. */
static void put_series(struct rx_run *run, struct am_result_metric *m, double seconds, double noise,
                       double waiting, struct am_rng *rng)
{
    double *const values = am_arena_array(&run->arena, LAUNCHES, sizeof(*values));
    struct am_launch_values *const launches =
        am_arena_array(&run->arena, LAUNCHES, sizeof(*launches));

    for (size_t i = 0; i < LAUNCHES; i++) {
        values[i] = seconds * (1 + noise * (am_rng_unit(rng) + am_rng_unit(rng) - 1)) *
                    (1 + waiting * am_rng_unit(rng));
        launches[i] = (struct am_launch_values){.values = &values[i], .n = 1};
    }
    m->series = (struct am_series){.launches = launches, .n = LAUNCHES};
}

static const char *judge(const struct program *p, double noise, double waiting, uint64_t seed)
{
    struct rx_run run = {0};
    struct am_timed_commands commands;
    const struct am_timed *of[STEPS];
    struct am_sensitivity out;
    struct am_err err = {0};
    struct am_rng rng;

    am_rng_seed(&rng, seed, 1);
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

        put_series(&run, &r->metrics[0], seconds, noise, waiting, &rng);
        put_series(&run, &r->metrics[1], p->cpu * (share ? 0.2 : seconds), noise, 0, &rng);
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

/* Each program by many seeds: right, undecided (wholly or in part), wrong. */
static void test_programs(double noise, double waiting, unsigned right_least, const char *when)
{
    for (size_t i = 0; i < PROGRAMS; i++) {
        unsigned right = 0, open = 0;

        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            const char *const what = judge(&programs[i], noise, waiting, seed);

            right += strcmp(what, programs[i].what) == 0;
            open += strcmp(what, programs[i].what) != 0 && strstr(what, "undecided") != NULL;
        }
        ok(right >= right_least && right + open >= SEEDS - 1,
           "%s, %s: %u right, %u undecided, %u wrong of %d", programs[i].name, when, right, open,
           SEEDS - right - open, SEEDS);
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
    return tap_done();
}
