/* SPDX-License-Identifier: MIT */
/* A team of pinned threads: rounds begin and end by futex words, reached by spinning first. */
#include "core/measure/team.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    CACHE_LINE = 128, /* two lines: some cores fetch them in pairs */
    CPU_SETS = 8,     /* 8 x 1024 CPUs */
    SPINS = 4000,     /* 10 to 150 us by core: longer than the gaps between batches */
    MEMBERS_MAX = 65536,
};

#if defined(__x86_64__)
#define relax() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define relax() __asm__ volatile("isb" ::: "memory")
#else
#error "no spin-wait hint for this architecture"
#endif

/* A word that one side changes and the other waits for; `sleepers` spares the waker a system call
 * while everybody spins. */
struct signal_word {
    _Alignas(CACHE_LINE) _Atomic uint32_t value;
    _Atomic uint32_t sleepers;
};

struct member {
    pthread_t thread;
    struct am_team *team;
    size_t index;
};

struct am_team {
    struct signal_word round; /* raised to begin a round */
    struct signal_word left;  /* members that have not returned yet */
    am_team_fn *fn;           /* of this round; published by `round`. NULL ends the members */
    void *arg;
    size_t size;
    unsigned spins;           /* 0 where members share CPUs: a spinner would stop the one awaited */
    size_t started;           /* threads to join */
    cpu_set_t home[CPU_SETS]; /* the caller's affinity before */
    bool pinned;              /* `home` is to be restored */
    struct member members[];
};

static void sleep_on(struct signal_word *w, uint32_t seen)
{
    atomic_fetch_add(&w->sleepers, 1);
    /* The kernel compares again: a change between our look and the sleep is not missed. */
    (void)syscall(SYS_futex, &w->value, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    atomic_fetch_sub(&w->sleepers, 1);
}

static void wake_all(struct signal_word *w)
{
    if (atomic_load(&w->sleepers))
        (void)syscall(SYS_futex, &w->value, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Returns the first value other than `old`. */
static uint32_t await_change(struct signal_word *w, uint32_t old, unsigned spins)
{
    uint32_t now = atomic_load(&w->value);

    for (unsigned i = 0; now == old && i < spins; i++) {
        relax();
        now = atomic_load(&w->value);
    }
    while (now == old) {
        sleep_on(w, old);
        now = atomic_load(&w->value);
    }
    return now;
}

static void *member_main(void *arg)
{
    const struct member *const self = arg;
    struct am_team *const team = self->team;
    uint32_t round = 0;

    for (;;) {
        round = await_change(&team->round, round, team->spins);
        if (!team->fn)
            return NULL;
        team->fn(team->arg, self->index, team->size);
        if (atomic_fetch_sub(&team->left.value, 1) == 1)
            wake_all(&team->left);
    }
}

static void begin_round(struct am_team *team, am_team_fn *fn, void *arg)
{
    team->fn = fn;
    team->arg = arg;
    atomic_store(&team->left.value, (uint32_t)(team->size - 1));
    atomic_fetch_add(&team->round.value, 1);
    wake_all(&team->round);
}

void am_team_run(struct am_team *team, am_team_fn *fn, void *arg)
{
    uint32_t left;

    if (team->size == 1) {
        fn(arg, 0, 1);
        return;
    }
    begin_round(team, fn, arg);
    fn(arg, 0, team->size);
    left = atomic_load(&team->left.value);
    while (left)
        left = await_change(&team->left, left, team->spins);
}

size_t am_team_size(const struct am_team *team)
{
    return team->size;
}

static enum am_status only_cpu(int cpu, cpu_set_t *set, struct am_err *err)
{
    if (cpu < 0 || cpu >= CPU_SETS * CPU_SETSIZE)
        return am_fail(err, AM_E_LIMIT, "CPU %d is outside 0 to %d", cpu,
                       CPU_SETS * CPU_SETSIZE - 1);
    CPU_ZERO_S(CPU_SETS * sizeof(*set), set);
    CPU_SET_S((size_t)cpu, CPU_SETS * sizeof(*set), set);
    return AM_OK;
}

static enum am_status pin_caller(struct am_team *team, int cpu, struct am_err *err)
{
    cpu_set_t set[CPU_SETS];
    const enum am_status s = only_cpu(cpu, set, err);

    if (s != AM_OK)
        return s;
    if (sched_getaffinity(0, sizeof(team->home), team->home) != 0)
        return am_fail(err, AM_E_SYS, "reading the affinity");
    if (sched_setaffinity(0, sizeof(set), set) != 0)
        return am_fail(err, AM_E_SYS, "binding to CPU %d", cpu);
    team->pinned = true;
    return AM_OK;
}

static enum am_status start_member(struct am_team *team, size_t index, int cpu, struct am_err *err)
{
    struct member *const m = &team->members[index];
    cpu_set_t set[CPU_SETS];
    pthread_attr_t attr;
    enum am_status s = only_cpu(cpu, set, err);
    int rc;

    if (s != AM_OK)
        return s;
    *m = (struct member){.team = team, .index = index};
    rc = pthread_attr_init(&attr);
    if (rc == 0) {
        rc = pthread_attr_setaffinity_np(&attr, sizeof(set), set);
        if (rc == 0)
            rc = pthread_create(&m->thread, &attr, member_main, m);
        (void)pthread_attr_destroy(&attr);
    }
    if (rc != 0) {
        errno = rc;
        return am_fail(err, AM_E_SYS, "starting thread %zu on CPU %d", index, cpu);
    }
    team->started++;
    return AM_OK;
}

static struct am_team *team_alloc(size_t threads)
{
    const size_t raw = sizeof(struct am_team) + threads * sizeof(struct member);
    struct am_team *const team =
        aligned_alloc(CACHE_LINE, (raw + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);

    if (team)
        *team = (struct am_team){.size = threads};
    return team;
}

enum am_status am_team_new(size_t threads, const int *cpus, size_t cpu_count,
                           struct am_team **team_p, struct am_err *err)
{
    struct am_team *team;
    enum am_status s;

    if (threads == 0 || threads > MEMBERS_MAX || cpu_count == 0)
        return am_fail(err, AM_E_LIMIT, "a team of %zu threads on %zu CPUs", threads, cpu_count);
    team = team_alloc(threads);
    if (!team)
        return am_fail(err, AM_E_NOMEM, "a team of %zu threads", threads);
    team->spins = threads <= cpu_count ? SPINS : 0;
    s = pin_caller(team, cpus[0], err);
    for (size_t i = 1; s == AM_OK && i < threads; i++)
        s = start_member(team, i, cpus[i % cpu_count], err);
    if (s != AM_OK) {
        am_team_free(team);
        return s;
    }
    *team_p = team;
    return AM_OK;
}

void am_team_free(struct am_team *team)
{
    if (!team)
        return;
    if (team->started)
        begin_round(team, NULL, NULL);
    for (size_t i = 1; i <= team->started; i++)
        (void)pthread_join(team->members[i].thread, NULL);
    if (team->pinned)
        (void)sched_setaffinity(0, sizeof(team->home), team->home);
    free(team);
}
