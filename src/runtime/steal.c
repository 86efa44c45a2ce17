/* SPDX-License-Identifier: MIT */
/* The executor task:steal: a deque per worker (deque.h), stealing, and ranges that are split only
 * when somebody may want a part.
 *
 * A round of a loop begins with a share of it for each worker. A worker takes its blocks one after
 * the other and, whenever its deque is empty, puts the upper half of what it still has there: a
 * thief finds half of the work, and without thieves there are few pieces. A share whose worker is
 * late, because its CPU is taken, is begun by whoever has nothing to do. Blocks that are done are
 * handed in when a worker runs out of work, not one by one; the round is over when all are. Graphs
 * (steal_graph.c) are the same with the roots as the loop.
 *
 * A loop that is run from inside a block is split in the same way. Its block waits for the parts
 * that were stolen and meanwhile runs other pieces, on the same stack, up to a depth. That cannot
 * lock up: a task waits only for tasks that it began itself, and lies under tasks that began later
 * on its stack, so whoever waits always waits for something that began later.
 *
 * An idle worker looks for work with a pause between looks, then yields its CPU, then naps: it does
 * not hold the other hardware thread of its core back for ever. */
#include "runtime/steal.h"

#include "base/clock.h"
#include "core/measure/team.h"
#include "runtime/task_queue.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    HELPS_MAX = 48,     /* pieces run inside waits: bounds the stack */
    NAP_NS = 50000,     /* about what the kernel makes of any shorter one */
    NAPS_EACH = 32,     /* of one length; then they are twice as long */
    NAP_DOUBLINGS = 4,  /* 0.8 ms at last */
    SHORT_NAP_NS = 100, /* Nanos++ 0.7a's */
};

/* How an idle worker passes the time: it looks for work again and again. */
struct idling {
    uint64_t spins;      /* looks with a pause between two rests */
    long rest_ns;        /* 0: it yields its CPU */
    uint64_t deep_after; /* looks until it naps after each, longer and longer; UINT64_MAX: never */
};

static const struct idling idling_of[] = {
    [AM_WAIT_DEFAULT] = {63, 0, 8192},
    [AM_WAIT_ACTIVE] = {UINT64_MAX, 0, UINT64_MAX},
    [AM_WAIT_PASSIVE] = {0, 0, 0},
    [AM_WAIT_YIELD] = {1, 0, UINT64_MAX},
    [AM_WAIT_SLEEP] = {100, SHORT_NAP_NS, UINT64_MAX},
};

struct am_steal {
    struct am_steal_worker *workers;
    size_t threads;
    struct idling idling;
    struct am_team *team;
    pthread_key_t key; /* a thread's worker, while there is a run */
    bool has_key;
    struct am_steal_graph *graph; /* NULL: no blocks with dependencies so far */
    size_t base, entries;         /* where the outermost loop begins, and how many it begins with */
    uint64_t last_round;          /* of the run */
    _Alignas(AM_DEQUE_LINE) _Atomic uint64_t round; /* raised when the next begins */
    struct am_steal_loop loop;                      /* the outermost */
};

/* ---- running ---- */

/* Offers a part of [lo, hi) to others and returns where the rest ends: the upper half of a loop; of
 * a graph all but the first entry, because running that one may take as long as the whole graph. */
static size_t share(struct am_steal_worker *w, struct am_steal_loop *loop, size_t lo, size_t hi)
{
    const size_t middle = loop->graph ? lo + 1 : lo + (hi - lo) / 2;

    if (!am_deque_push(&w->deque, (struct am_piece){.work = loop, .lo = middle, .hi = hi}))
        return hi;
    w->counts.deferred++;
    return middle;
}

/* Entries of a graph beyond its nodes are its roots. */
static size_t node_of(const struct am_steal_graph *g, size_t entry)
{
    return entry < g->n ? entry : g->roots[entry - g->n];
}

static void run_piece(struct am_steal_worker *w, struct am_steal_loop *loop, size_t lo, size_t hi)
{
    struct am_steal *const team = w->team;
    const struct am_blocks *const blocks = loop->blocks;
    const bool splits = team->threads > 1;
    size_t done = 0;

    while (lo < hi) {
        if (splits && hi - lo > 1 && (loop->graph || am_deque_is_empty(&w->deque)))
            hi = share(w, loop, lo, hi);
        if (loop->graph) {
            done += am_steal_run_nodes(w, loop, node_of(loop->graph, lo));
        } else {
            blocks->run(blocks->app, lo);
            done++;
        }
        lo++;
    }
    w->counts.executed += done;
    if (loop == &team->loop)
        w->done += done;
    else /* its block may go on at once: the loop is not touched after this */
        (void)atomic_fetch_sub_explicit(&loop->left, done, memory_order_acq_rel);
}

static void hand_in(struct am_steal_worker *w)
{
    if (w->done == 0)
        return;
    (void)atomic_fetch_sub_explicit(&w->team->loop.left, w->done, memory_order_acq_rel);
    w->done = 0;
}

static bool is_over(const struct am_steal_loop *loop)
{
    return atomic_load_explicit(&loop->left, memory_order_acquire) == 0;
}

static void nap(long ns)
{
    const struct timespec rest = {.tv_nsec = ns};

    (void)nanosleep(&rest, NULL);
}

/* One pause of an idle worker; `turn` counts them from 0. */
static void pause_idle(const struct am_steal_worker *w, uint64_t turn)
{
    const struct idling *const how = &w->team->idling;

    if (turn >= how->deep_after) {
        const uint64_t naps = (turn - how->deep_after) / NAPS_EACH;

        nap(NAP_NS << (naps < NAP_DOUBLINGS ? naps : NAP_DOUBLINGS));
    } else if (how->spins == UINT64_MAX || (turn + 1) % (how->spins + 1) != 0) {
        am_spin_relax();
    } else if (how->rest_ns) {
        nap(how->rest_ns);
    } else {
        (void)sched_yield();
    }
}

/* ---- finding work ---- */

static bool take_own(struct am_steal_worker *w, struct am_piece *piece)
{
    if (am_deque_pop(&w->deque, piece))
        return true;
    return w->spare != AM_STEAL_NONE && am_steal_offer_spare(w, &w->team->loop) &&
           am_deque_pop(&w->deque, piece);
}

/* Any other worker, by a xorshift generator. */
static struct am_steal_worker *choose_victim(struct am_steal_worker *w)
{
    const struct am_steal *const team = w->team;
    size_t v;

    w->seed ^= w->seed << 13;
    w->seed ^= w->seed >> 7;
    w->seed ^= w->seed << 17;
    v = (size_t)(w->seed % (team->threads - 1));
    return &team->workers[v < w->index ? v : v + 1];
}

static bool steal(struct am_steal_worker *w, struct am_steal_worker *victim, struct am_piece *piece)
{
    if (am_deque_is_empty(&victim->deque) || !am_deque_steal(&victim->deque, piece))
        return false;
    w->counts.stolen++;
    return true;
}

/* Rounds only rise, so that a worker which is late for one cannot take a share of the next for it.
 */
static bool claim(struct am_steal_worker *owner, uint64_t round)
{
    uint64_t seen = atomic_load_explicit(&owner->claimed, memory_order_relaxed);

    return seen < round &&
           atomic_compare_exchange_strong_explicit(&owner->claimed, &seen, round,
                                                   memory_order_relaxed, memory_order_relaxed);
}

/* Begins the share of a worker, unless somebody has. */
static bool run_share(struct am_steal_worker *w, struct am_steal_worker *owner, uint64_t round)
{
    struct am_steal *const team = w->team;
    const size_t each = team->entries / team->threads, rest = team->entries % team->threads;
    const size_t i = owner->index, lo = i * each + (i < rest ? i : rest);
    const size_t hi = lo + each + (i < rest ? 1 : 0);

    if (!claim(owner, round))
        return false;
    run_piece(w, &team->loop, team->base + lo, team->base + hi);
    return true;
}

/* ---- rounds ---- */

/* Until the round is over, or (for who is late) another one has begun. */
static void look_for_work(struct am_steal_worker *w, uint64_t round)
{
    struct am_steal *const team = w->team;
    struct am_piece piece;
    uint64_t turn = 0, idle_since = 0;

    while (!is_over(&team->loop) &&
           atomic_load_explicit(&team->round, memory_order_relaxed) == round) {
        struct am_steal_worker *const victim = team->threads > 1 ? choose_victim(w) : w;
        const bool shared = run_share(w, victim, round);

        if (!shared && !steal(w, victim, &piece)) {
            if (turn == 0)
                idle_since = am_now_ns();
            pause_idle(w, turn++);
            continue;
        }
        if (turn)
            w->counts.idle_ns += am_now_ns() - idle_since;
        turn = 0;
        if (!shared)
            run_piece(w, piece.work, piece.lo, piece.hi);
        while (take_own(w, &piece))
            run_piece(w, piece.work, piece.lo, piece.hi);
        hand_in(w);
    }
    if (turn)
        w->counts.idle_ns += am_now_ns() - idle_since;
}

static void play_round(struct am_steal_worker *w, uint64_t round)
{
    struct am_piece piece;

    (void)run_share(w, w, round);
    while (take_own(w, &piece))
        run_piece(w, piece.work, piece.lo, piece.hi);
    hand_in(w);
    look_for_work(w, round);
}

static void lead(struct am_steal *team, struct am_steal_worker *w)
{
    const size_t blocks = team->loop.blocks->count;

    for (uint64_t round = team->round + 1; round <= team->last_round; round++) {
        atomic_store_explicit(&team->loop.left, blocks, memory_order_relaxed);
        atomic_store_explicit(&team->round, round, memory_order_release);
        play_round(w, round);
    }
}

/* Returns the round that goes on; waits while it is still `seen`. */
static uint64_t await_round(struct am_steal_worker *w, uint64_t seen)
{
    uint64_t round = atomic_load_explicit(&w->team->round, memory_order_acquire);

    for (uint64_t turn = 0; round == seen; turn++) {
        pause_idle(w, turn);
        round = atomic_load_explicit(&w->team->round, memory_order_acquire);
    }
    return round;
}

static void follow(const struct am_steal *team, struct am_steal_worker *w, uint64_t seen)
{
    while (seen != team->last_round) {
        seen = await_round(w, seen);
        play_round(w, seen);
    }
}

/* A thread's part in a run. */
struct part {
    struct am_steal *team;
    uint64_t before; /* the last round of the run before */
};

static void take_part(void *arg, size_t thread, size_t threads)
{
    const struct part *const part = arg;
    struct am_steal *const team = part->team;
    struct am_steal_worker *const w = &team->workers[thread];

    (void)threads;
    (void)pthread_setspecific(team->key, w);
    if (thread == 0)
        lead(team, w);
    else
        follow(team, w, part->before);
    (void)pthread_setspecific(team->key, NULL);
}

/* ---- loops inside blocks ---- */

/* One piece while waiting; false when there is none, or too many were begun so already. */
static bool help(struct am_steal_worker *w, struct am_steal_loop *awaited)
{
    struct am_piece piece;

    if (am_deque_pop(&w->deque, &piece)) {
        if (piece.work != awaited && w->helps >= HELPS_MAX) {
            (void)am_deque_push(&w->deque, piece); /* where it was: others can take it */
            return false;
        }
    } else if (w->helps >= HELPS_MAX || w->team->threads == 1 ||
               !steal(w, choose_victim(w), &piece)) {
        return false;
    }
    w->helps++;
    run_piece(w, piece.work, piece.lo, piece.hi);
    w->helps--;
    return true;
}

static void await(struct am_steal_worker *w, struct am_steal_loop *loop)
{
    uint64_t turn = 0;

    while (!is_over(loop)) {
        if (help(w, loop))
            turn = 0;
        else
            pause_idle(w, turn++);
    }
}

static void run_inside(struct am_steal_worker *w, const struct am_blocks *blocks, uint64_t times)
{
    for (; times && blocks->count; times--) {
        struct am_steal_loop loop = {.blocks = blocks, .left = blocks->count};

        run_piece(w, &loop, 0, blocks->count);
        await(w, &loop);
    }
}

/* ---- the executor ---- */

static void run(void *self, const struct am_blocks *blocks, uint64_t times)
{
    struct am_steal *const team = self;
    struct am_steal_worker *const inside = pthread_getspecific(team->key);
    const struct am_steal_graph *const graph = blocks->before ? team->graph : NULL;
    struct part part = {.team = team, .before = team->round};

    if (inside) {
        run_inside(inside, blocks, times);
        return;
    }
    if (times == 0 || blocks->count == 0)
        return;
    assert(!blocks->before || (graph && graph->n == blocks->count)); /* it was prepared */
    team->loop.blocks = blocks;
    team->loop.graph = graph;
    team->base = graph ? graph->n : 0;
    team->entries = graph ? graph->n_roots : blocks->count;
    team->last_round = part.before + times;
    am_team_run(team->team, take_part, &part);
}

static enum am_status prepare(void *self, const struct am_blocks *blocks, struct am_err *err)
{
    struct am_steal *const team = self;

    if (!blocks->before)
        return AM_OK;
    am_steal_graph_free(team->graph);
    team->graph = NULL;
    return am_steal_graph_new(blocks, &team->graph, err);
}

static void count(void *self, struct am_executor_counts *counts)
{
    const struct am_steal *const team = self;

    *counts = (struct am_executor_counts){0};
    for (size_t i = 0; i < team->threads; i++) {
        const struct am_executor_counts *const one = &team->workers[i].counts;

        counts->executed += one->executed;
        counts->deferred += one->deferred;
        counts->stolen += one->stolen;
        counts->idle_ns += one->idle_ns;
    }
}

static void close_team(void *self)
{
    struct am_steal *const team = self;

    if (!team)
        return;
    am_team_free(team->team);
    if (team->has_key)
        (void)pthread_key_delete(team->key);
    am_steal_graph_free(team->graph);
    free(team->workers);
    free(team);
}

static struct am_steal *team_alloc(size_t threads)
{
    struct am_steal *const team = aligned_alloc(_Alignof(struct am_steal), sizeof(*team));
    struct am_steal_worker *const workers =
        aligned_alloc(_Alignof(struct am_steal_worker), threads * sizeof(*workers));

    if (!team || !workers) {
        free(team);
        free(workers);
        return NULL;
    }
    memset(team, 0, sizeof(*team));
    memset(workers, 0, threads * sizeof(*workers));
    team->workers = workers;
    team->threads = threads;
    for (size_t i = 0; i < threads; i++) {
        workers[i].team = team;
        workers[i].index = i;
        workers[i].seed = 0x9e3779b97f4a7c15u * (i + 1); /* not 0, which would stay so */
        workers[i].spare = AM_STEAL_NONE;
    }
    return team;
}

static enum am_status open_team(const struct am_executor *kind,
                                const struct am_executor_setup *setup, void **self_p,
                                struct am_err *err)
{
    struct am_steal *team;
    enum am_status s;

    (void)kind;
    if (setup->threads == 0 || setup->threads > SIZE_MAX / sizeof(struct am_steal_worker))
        return am_fail(err, AM_E_LIMIT, "tasks on %zu threads", setup->threads);
    team = team_alloc(setup->threads);
    if (!team)
        return am_fail(err, AM_E_NOMEM, "no memory for tasks on %zu threads", setup->threads);
    team->idling = idling_of[setup->wait];
    team->has_key = pthread_key_create(&team->key, NULL) == 0;
    s = team->has_key ? am_team_new(setup->threads, setup->cpus, setup->cpu_count, &team->team, err)
                      : am_fail(err, AM_E_LIMIT, "no key for another task runtime");
    if (s != AM_OK) {
        close_team(team);
        return s;
    }
    *self_p = team;
    return AM_OK;
}

const struct am_executor am_executor_task_steal = {
    .name = "task:steal",
    .open = open_team,
    .prepare = prepare,
    .run = run,
    .count = count,
    .close = close_team,
};
