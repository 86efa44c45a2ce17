/* SPDX-License-Identifier: MIT */
/* mem.pingpong: how long a line takes from one core to another that waits for it. */
#include "bench/cpu/cpus.h"
#include "bench/shared/memory.h"
#include "core/bench/bench.h"
#include "core/measure/team.h"
#include "kernels/handoff.h"

#include <string.h>

enum axis_index { METHOD, FROM, TO };
enum metric_index { LATENCY, CYCLES, DISTANCE };
enum method { CAS, STORE };

enum {
    /* Games one after the other, each on its own lines of one fresh page: the way of a line goes
     * over its home slice or directory, and one line alone would measure that one's place. */
    GAMES = 8,
    GAME_BYTES = AM_PAGE_BYTES / GAMES,
    TURNS = 1500, /* of a game in a batch: 24 000 hand-offs, from 0.3 to some ms */
};

/* No line has changed hands, or an atomic instruction been done, in less. */
static const double least_s = 1e-9;

/* The words that the players write, out of reach of a prefetcher that fetches lines in pairs. */
struct game {
    _Alignas(GAME_BYTES) _Atomic uint64_t word;
    _Alignas(GAME_BYTES / 2) _Atomic uint64_t answer; /* store: the follower's own */
};

/* What the two share; pages of its own, so that nothing else comes near. */
struct table {
    struct game games[GAMES];
    _Alignas(AM_PAGE_BYTES) _Atomic int ready; /* the follower has come */
};

struct pingpong {
    enum method method;
    enum am_distance distance;
    struct am_memory memory;
    struct table *table;
    struct am_team *team;
    const struct am_clock *clock;
    uint64_t turns, played; /* of each game: in this batch, in all batches before it */
    uint64_t t0_ns, t1_ns;  /* of this batch, by the leader */
};

/* Fills the pages on the side of `from`: its memory node is the lines' home. */
static void touch_member(void *arg, size_t member, size_t members)
{
    const struct pingpong *const p = arg;

    if (member == members - 1)
        memset((void *)p->table, 0, sizeof(*p->table));
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct pingpong *const p = state;
    const int cpus[] = {(int)point[TO].i, (int)point[FROM].i};
    struct am_fsroot root;
    enum am_status s = am_cpus_check_pair(ctx, point[FROM].i, point[TO].i, err);

    if (s == AM_OK && cpus[0] == cpus[1])
        s = am_fail(err, AM_E_ABSENT, "CPU %d cannot hand a line to itself", cpus[0]);
    if (s == AM_OK)
        s = am_fsroot_open(&root, NULL, err);
    if (s != AM_OK)
        return s;
    p->distance = am_cpus_distance(&root, cpus[1], cpus[0]);
    am_fsroot_close(&root);
    p->method = (enum method)point[METHOD].i;
    p->clock = ctx->clock;
    s = am_memory_map(&p->memory, sizeof(*p->table), AM_PAGES_SMALL, err);
    if (s == AM_OK)
        s = am_team_new(2, cpus, 2, &p->team, err);
    if (s != AM_OK)
        return s;
    p->table = (struct table *)(void *)p->memory.base;
    am_team_run(p->team, touch_member, p);
    work->ops = 2 * GAMES;
    return AM_OK;
}

static void follow(struct pingpong *p)
{
    const uint64_t n = p->turns, before = p->played;

    atomic_store(&p->table->ready, 1);
    for (size_t g = 0; g < GAMES; g++) {
        struct game *const x = &p->table->games[g];

        if (p->method == CAS)
            am_handoff_cas(&x->word, 2 * before + 1, n);
        else
            am_handoff_follow(&x->answer, &x->word, before + 1, n);
    }
}

static void lead(struct pingpong *p)
{
    const uint64_t n = p->turns, before = p->played;

    while (!atomic_load(&p->table->ready)) {
    }
    p->t0_ns = p->clock->now_ns(p->clock->self);
    for (size_t g = 0; g < GAMES; g++) {
        struct game *const x = &p->table->games[g];

        if (p->method == CAS) {
            am_handoff_cas(&x->word, 2 * before, n);
            while (atomic_load(&x->word) != 2 * (before + n)) { /* the last answer counts too */
            }
        } else {
            am_handoff_lead(&x->word, &x->answer, before + 1, n);
        }
    }
    p->t1_ns = p->clock->now_ns(p->clock->self);
}

static void play_member(void *arg, size_t member, size_t members)
{
    (void)members;
    if (member == 0)
        lead(arg);
    else
        follow(arg);
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct pingpong *const p = state;

    p->turns = iters;
    atomic_store(&p->table->ready, 0);
    am_team_run(p->team, play_member, p);
    p->played += iters;
    batch->elapsed_ns = p->t1_ns - p->t0_ns;
    batch->values[DISTANCE] = p->distance;
    if ((double)batch->elapsed_ns * 1e-9 < least_s * 2 * GAMES * (double)iters)
        return am_fail(err, AM_E_WRONG, "%llu ns for %llu hand-offs is faster than any core",
                       (unsigned long long)batch->elapsed_ns, 2ULL * GAMES * iters);
    return AM_OK;
}

/* Every turn leaves its trace: a hand-off that did not happen is missing in the sum. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct pingpong *const p = state;

    *residual = 0;
    for (size_t g = 0; g < GAMES; g++) {
        const uint64_t word = atomic_load(&p->table->games[g].word);
        const uint64_t answer = atomic_load(&p->table->games[g].answer);
        const bool right = p->method == CAS ? word == 2 * p->played && answer == 0
                                            : word == p->played && answer == p->played;

        if (!right) {
            *residual = 1;
            return am_fail(err, AM_E_WRONG, "line %zu says %llu and %llu after %llu turns", g,
                           (unsigned long long)word, (unsigned long long)answer,
                           (unsigned long long)p->played);
        }
    }
    return AM_OK;
}

static void finish(void *state)
{
    struct pingpong *const p = state;

    am_team_free(p->team);
    am_memory_unmap(&p->memory);
}

static const char *const methods[] = {"cas", "store", NULL};

static const struct am_axis axes[] = {
    [METHOD] = {.name = "method",
                .kind = AM_AXIS_NAME,
                .dflt = "all",
                .quick = "cas",
                .choices = methods,
                .help = "cas: both change one line by compare-and-swap; store: each writes a line "
                        "of its own and reads the other's, two transfers a hand-off"},
    [FROM] = {.name = "from",
              .kind = AM_AXIS_INT,
              .dflt = "joined",
              .quick = "last",
              .help = "CPU that answers, by the system's number; joined: pairs drawn of each "
                      "relation, and some for every CPU"},
    [TO] = {.name = "to",
            .kind = AM_AXIS_INT,
            .dflt = "joined",
            .quick = "first",
            .help = "CPU that begins and measures"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    [LATENCY] = {"latency", "s", AM_LOWER, AM_RULE_TIME_PER_OP,
                 "one hand-off: half of a round trip"},
    [CYCLES] = {"cycles", "cycle", AM_LOWER, AM_RULE_CYCLES_PER_OP,
                "the same by the core clock of `to`"},
    [DISTANCE] = AM_DISTANCE_METRIC,
    {.name = NULL},
};

const struct am_bench am_bench_mem_pingpong = {
    .name = "mem.pingpong",
    .summary = "core-to-core hand-off of a cache line",
    .version = 1,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct pingpong),
    .fixed_iters = TURNS,
    .points_per_launch = 32,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
