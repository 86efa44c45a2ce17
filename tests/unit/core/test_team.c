/* SPDX-License-Identifier: MIT */
/* The team: everybody runs every round once, where it should, and the caller sees the outcome. */
#include "core/measure/team.h"

#include "tap.h"

#include <sched.h>
#include <stdint.h>
#include <time.h>

enum { MEMBERS_MAX = 16 };

/* One line a member. Plain integers: the rounds alone must order the accesses. */
struct tally {
    _Alignas(128) uint64_t runs;
    size_t threads;
    cpu_set_t where;
};

struct record {
    struct tally member[MEMBERS_MAX];
    uint64_t input; /* written by the caller between rounds, read by all */
    uint64_t wrong_inputs[MEMBERS_MAX];
    uint64_t expect;
};

static size_t my_cpus(int *cpus, size_t cap)
{
    cpu_set_t set;
    size_t n = 0;

    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return 0;
    for (int i = 0; i < CPU_SETSIZE && n < cap; i++) {
        if (CPU_ISSET(i, &set))
            cpus[n++] = i;
    }
    return n;
}

static void count(void *arg, size_t thread, size_t threads)
{
    struct record *const r = arg;

    r->member[thread].runs++;
    r->member[thread].threads = threads;
    r->wrong_inputs[thread] += r->input != r->expect;
}

static void look_around(void *arg, size_t thread, size_t threads)
{
    struct record *const r = arg;

    (void)threads;
    CPU_ZERO(&r->member[thread].where);
    (void)sched_getaffinity(0, sizeof(cpu_set_t), &r->member[thread].where);
}

static void nap_ms(long ms)
{
    const struct timespec t = {.tv_nsec = ms * 1000000};

    (void)nanosleep(&t, NULL);
}

static bool all_counted(const struct record *r, size_t threads, uint64_t rounds)
{
    for (size_t i = 0; i < MEMBERS_MAX; i++) {
        const bool in = i < threads;

        if (r->member[i].runs != (in ? rounds : 0) || r->member[i].threads != (in ? threads : 0) ||
            r->wrong_inputs[i])
            return false;
    }
    return true;
}

static bool placed(const struct record *r, size_t threads, const int *cpus, size_t n_cpus)
{
    for (size_t i = 0; i < threads; i++) {
        if (CPU_COUNT(&r->member[i].where) != 1 ||
            !CPU_ISSET(cpus[i % n_cpus], &r->member[i].where))
            return false;
    }
    return true;
}

static void check_rounds(size_t threads, uint64_t rounds, const int *cpus, size_t n_cpus)
{
    static struct record r;
    struct am_team *team = NULL;
    struct am_err err = {0};

    memset(&r, 0, sizeof(r));
    if (!ok(am_team_new(threads, cpus, n_cpus, &team, &err) == AM_OK,
            "a team of %zu on %zu CPUs starts", threads, n_cpus)) {
        printf("# %s\n", err.text);
        return;
    }
    ok(am_team_size(team) == threads, "it has %zu members", threads);
    for (uint64_t i = 0; i < rounds; i++) {
        r.expect = r.input = i;
        am_team_run(team, count, &r);
    }
    ok(all_counted(&r, threads, rounds), "%zu members ran each of %llu rounds once", threads,
       (unsigned long long)rounds);
    am_team_run(team, look_around, &r);
    ok(placed(&r, threads, cpus, n_cpus), "each of %zu members is bound to its CPU", threads);
    am_team_free(team);
}

static void check_sleepers(const int *cpus, size_t n_cpus)
{
    static struct record r;
    struct am_team *team = NULL;

    if (!ok(am_team_new(3, cpus, n_cpus, &team, NULL) == AM_OK, "a team starts"))
        return;
    for (int i = 0; i < 10; i++) {
        nap_ms(5); /* far beyond the spinning: the members are asleep */
        am_team_run(team, count, &r);
    }
    ok(all_counted(&r, 3, 10), "members that fell asleep between rounds are woken");
    am_team_free(team);
}

static void nap_if_last(void *arg, size_t thread, size_t threads)
{
    (void)arg;
    if (thread == threads - 1)
        nap_ms(5);
}

static void check_late_member(const int *cpus, size_t n_cpus)
{
    static struct record r;
    struct am_team *team = NULL;

    if (!ok(am_team_new(2, cpus, n_cpus, &team, NULL) == AM_OK, "a team starts"))
        return;
    for (int i = 0; i < 5; i++) {
        am_team_run(team, nap_if_last, NULL);
        am_team_run(team, count, &r);
    }
    ok(all_counted(&r, 2, 5), "a caller that fell asleep over a late member is woken");
    am_team_free(team);
}

static void check_refusals(const int *cpus, size_t n_cpus)
{
    static const struct {
        size_t threads;
        int cpu; /* of member 1 */
        const char *what;
    } cases[] = {
        {0, 0, "a team of nobody"},
        {2, -1, "a negative CPU"},
        {2, 8191, "a CPU that is not there"},
        {2, 1 << 20, "a CPU beyond every mask"},
    };
    cpu_set_t before, after;

    (void)sched_getaffinity(0, sizeof(before), &before);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const int two[2] = {cpus[0], cases[i].cpu};
        struct am_team *team = NULL;
        struct am_err err = {0};

        ok(am_team_new(cases[i].threads, two, 2, &team, &err) != AM_OK && !team && err.text[0],
           "%s is refused with its reason", cases[i].what);
    }
    ok(am_team_new(1, cpus, 0, &(struct am_team *){NULL}, NULL) == AM_E_LIMIT,
       "no CPU at all is refused");
    am_team_free(NULL);
    (void)sched_getaffinity(0, sizeof(after), &after);
    ok(CPU_EQUAL(&before, &after), "the caller's affinity is what it was");
    (void)n_cpus;
}

int main(void)
{
    int cpus[MEMBERS_MAX];
    const size_t n = my_cpus(cpus, MEMBERS_MAX);
    cpu_set_t before, after;

    (void)sched_getaffinity(0, sizeof(before), &before);
    check_rounds(1, 1000, cpus, n);
    check_rounds(n, 2000, cpus, n);
    check_rounds(2, 500, cpus, 1);
    check_rounds(MEMBERS_MAX, 200, cpus, n);
    check_sleepers(cpus, n);
    check_late_member(cpus, n);
    (void)sched_getaffinity(0, sizeof(after), &after);
    ok(CPU_EQUAL(&before, &after), "the caller's affinity is restored");
    check_refusals(cpus, n);
    return tap_done();
}
