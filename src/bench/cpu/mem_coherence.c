/* SPDX-License-Identifier: MIT */
/* mem.coherence: latency of lines that another core holds in a known state of the protocol. */
#include "base/rng.h"
#include "bench/cpu/chasing.h"
#include "bench/cpu/cpus.h"
#include "bench/shared/memory.h"
#include "core/bench/bench.h"
#include "core/measure/team.h"
#include "kernels/chase.h"
#include "kernels/handoff.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum axis_index { STATE, OP, FROM, TO, SIZE, SHARERS };
enum metric_index { LATENCY, CYCLES, DISTANCE, SHARERS_DISTANCE };
enum state { MODIFIED, EXCLUSIVE, SHARED, OWNED, FORWARD, STATES };
enum op { OP_READ, OP_WRITE };

enum {
    WALKS = 16,    /* of a batch; each is prepared and timed by itself */
    STEPS_MAX = 6, /* of a sequence, with its end */
    SHARERS_MAX = 16,
    TASKS_MAX = STEPS_MAX + 2 * SHARERS_MAX, /* of a walk: each sharer has its own */
    LINES_MAX = 1 << 24,                     /* a gigabyte of them: no cache holds more */
    EVICT_TIMES = 3, /* private caches' sizes read to drop a copy, whatever is replaced first */
    SPINS = 1 << 14, /* before a waiting thread lets others run */
    MEMBERS_MAX = 2 + SHARERS_MAX,
    EMPTY_WALKS = 200,
};

/* No load that waits for the one before takes less: two cycles at 6.7 GHz. */
static const double least_s = 0.3e-9;

/* Who does a step: the core that is to hold the lines, others that share them with it (each in
 * turn), the core that is timed. */
enum role { OWNER, SHARER, TAKER, ROLES };

enum action {
    END,
    WRITE, /* a word of every line */
    FLUSH, /* every line, out of every cache */
    READ,  /* every line */
    DROP,  /* only where the taker stands in for a sharer: its copies, by reading other lines */
    WALK,  /* timed */
};

struct step {
    enum role who;
    enum action what;
};

/* How the states come about. Each sequence is followed by the walk. Owned: the owner reads once
 * more, since on some cores whoever reads a modified line takes it away whole. */
static const struct step sequences[STATES][STEPS_MAX] = {
    [MODIFIED] = {{OWNER, WRITE}},
    [EXCLUSIVE] = {{OWNER, FLUSH}, {OWNER, READ}},
    [SHARED] = {{OWNER, FLUSH}, {OWNER, READ}, {SHARER, READ}, {SHARER, DROP}},
    [OWNED] = {{OWNER, WRITE}, {SHARER, READ}, {OWNER, READ}},
    [FORWARD] = {{OWNER, FLUSH}, {SHARER, READ}, {OWNER, READ}},
};

/* A step of one member of the team. */
struct task {
    size_t member;
    enum action what;
};

/* A line of the set. */
struct line {
    uintptr_t next;   /* address of the next line's; op=write adds a tag to it */
    uint64_t written; /* by the owner: number of its pass */
};

/* The word that passes the work on, apart from everything else. */
struct baton {
    _Alignas(128) _Atomic uint64_t turn;
};

struct coherence {
    enum op op;
    enum am_distance distance;
    enum am_distance sharers_distance; /* of the farthest of them from the owner; SELF: none */
    struct task tasks[TASKS_MAX + 1];  /* the walk included, up to END */
    size_t owner;                      /* member of the team; the taker is the first one */
    bool stand_in;                     /* the taker does the sharer's steps */
    size_t line_bytes, lines;
    size_t *order;             /* the k-th line visited */
    uint64_t mix;              /* decides which line of each pair is used */
    struct am_memory memory;   /* of the set: every line with an unused neighbour */
    struct am_memory eviction; /* what DROP reads */
    size_t evict_bytes;
    struct am_team *team;
    struct baton *baton;
    const struct am_clock *clock;
    uint64_t iters;    /* of this batch */
    uint64_t walk_ns;  /* timed in this batch */
    uint64_t empty_ns; /* what a walk costs besides its lines */
    uint64_t passes;   /* of the owner over the set, writing */
    uint64_t walks;    /* of the taker, in all */
    const void *stop;  /* where the latest walk ended */
};

/* Lines are fetched in pairs by some cores: only one of each pair is used, so that no transfer
 * brings the next one along. Which one is random, so that all sets of the caches are used alike. */
static struct line *line_at(const struct coherence *c, size_t i)
{
    const uint64_t hash = (i ^ c->mix) * UINT64_C(0x9e3779b97f4a7c15);
    const size_t place = 2 * i + (size_t)(hash >> 63);

    return (struct line *)(void *)(c->memory.base + place * c->line_bytes);
}

static struct line *visited(const struct coherence *c, size_t k)
{
    return line_at(c, c->order[k % c->lines]);
}

static void write_lines(struct coherence *c)
{
    c->passes++;
    for (size_t i = 0; i < c->lines; i++)
        *(volatile uint64_t *)&line_at(c, i)->written = c->passes;
    am_line_fence();
}

static void flush_lines(struct coherence *c)
{
    for (size_t i = 0; i < c->lines; i++)
        am_line_flush(line_at(c, i));
    am_line_fence();
}

static void read_lines(struct coherence *c)
{
    for (size_t i = 0; i < c->lines; i++)
        (void)*(volatile const uint64_t *)&line_at(c, i)->written;
    am_line_fence();
}

static void drop_lines(struct coherence *c)
{
    for (size_t at = 0; c->stand_in && at < c->evict_bytes; at += c->line_bytes)
        (void)*(volatile const char *)(c->eviction.base + at);
    am_line_fence();
}

/* Walks `lines` of the cycle; the fence keeps the first loads out of the reading of the clock. Tags
 * go up by one in every other walk, and down again in the next. */
static uint64_t timed_walk(struct coherence *c, size_t lines)
{
    const uint64_t delta = c->walks % 2 == 0 ? 1 : UINT64_MAX;
    const void *const start = visited(c, 0);
    const uint64_t t0 = c->clock->now_ns(c->clock->self);

    am_line_fence();
    c->stop = c->op == OP_READ ? am_chase(start, lines) : am_chase_own(start, lines, delta);
    return c->clock->now_ns(c->clock->self) - t0;
}

static void walk_lines(struct coherence *c)
{
    c->walk_ns += timed_walk(c, c->lines);
    c->walks++;
}

/* What a walk over no line takes, at its best. */
static uint64_t empty_walk(struct coherence *c)
{
    uint64_t best = UINT64_MAX;

    for (int i = 0; i < EMPTY_WALKS; i++) {
        const uint64_t ns = timed_walk(c, 0);

        best = ns < best ? ns : best;
    }
    return best;
}

typedef void action_fn(struct coherence *c);

static action_fn *const actions[] = {
    [WRITE] = write_lines, [FLUSH] = flush_lines, [READ] = read_lines,
    [DROP] = drop_lines,   [WALK] = walk_lines,
};

/* Spins, and stays awake while it does: a core that sleeps may lose its caches. */
static void await_turn(struct baton *b, uint64_t turn)
{
    for (unsigned i = 1; atomic_load_explicit(&b->turn, memory_order_acquire) < turn; i++) {
        if (i % SPINS == 0)
            (void)sched_yield();
    }
}

static void batch_member(void *arg, size_t member, size_t members)
{
    struct coherence *const c = arg;
    uint64_t turn = 0;

    (void)members;
    for (uint64_t i = 0; i < c->iters; i++) {
        for (const struct task *t = c->tasks; t->what != END; t++, turn++) {
            if (t->member != member)
                continue;
            await_turn(c->baton, turn);
            actions[t->what](c);
            atomic_store_explicit(&c->baton->turn, turn + 1, memory_order_release);
        }
    }
    await_turn(c->baton, turn);
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct coherence *const c = state;
    const uint64_t empty_ns = c->empty_ns * iters;

    c->iters = iters;
    c->walk_ns = 0;
    atomic_store(&c->baton->turn, 0);
    am_team_run(c->team, batch_member, c);
    batch->elapsed_ns = c->walk_ns > empty_ns ? c->walk_ns - empty_ns : 0;
    batch->values[DISTANCE] = c->distance;
    batch->values[SHARERS_DISTANCE] = c->sharers_distance;
    if ((double)batch->elapsed_ns * 1e-9 < least_s * (double)c->lines * (double)iters)
        return am_fail(err, AM_E_WRONG, "%llu ns for %zu dependent loads is faster than any core",
                       (unsigned long long)batch->elapsed_ns, c->lines * (size_t)iters);
    return AM_OK;
}

/* The owner links the lines, so that its memory node is their home. */
static void link_member(void *arg, size_t member, size_t members)
{
    struct coherence *const c = arg;

    (void)members;
    if (member != c->owner)
        return;
    for (size_t i = 0; i < c->lines; i++)
        *line_at(c, i) = (struct line){0};
    for (size_t k = 0; k < c->lines; k++)
        visited(c, k)->next = (uintptr_t)visited(c, k + 1);
}

/* The two CPUs of a point, and where the system states others to be. */
struct pair {
    const struct am_fsroot *root;
    int from, to;
};

/* A sharer must keep its copies on the owner's side: not nearer to the taker than the owner is, and
 * on no core of the two. What another cache near the taker answers would not be the owner's. */
static bool may_share(const struct pair *p, int cpu)
{
    return cpu != p->from && am_cpus_distance(p->root, p->from, cpu) > AM_DISTANCE_CORE &&
           am_cpus_distance(p->root, p->to, cpu) > AM_DISTANCE_CORE &&
           am_cpus_distance(p->root, p->to, cpu) >= am_cpus_distance(p->root, p->to, p->from);
}

/* Up to `n` CPUs that may share, those nearest to the owner first. Returns how many; *farthest is
 * the last one's distance from the owner. */
static size_t find_sharers(const struct pair *p, const struct am_ctx *ctx, size_t n, int *out,
                           enum am_distance *farthest)
{
    size_t found = 0;

    *farthest = AM_DISTANCE_SELF;
    for (enum am_distance d = AM_DISTANCE_CACHE; d <= AM_DISTANCE_OTHER; d++) {
        for (size_t i = 0; i < ctx->cpu_count && found < n; i++) {
            if (am_cpus_distance(p->root, p->from, ctx->cpus[i]) != d ||
                !may_share(p, ctx->cpus[i]))
                continue;
            out[found++] = ctx->cpus[i];
            *farthest = d;
        }
    }
    return found;
}

/* Whether any CPU is on neither core of the pair. */
static bool has_third(const struct pair *p, const struct am_ctx *ctx)
{
    for (size_t i = 0; i < ctx->cpu_count; i++) {
        if (am_cpus_distance(p->root, p->from, ctx->cpus[i]) > AM_DISTANCE_CORE &&
            am_cpus_distance(p->root, p->to, ctx->cpus[i]) > AM_DISTANCE_CORE)
            return true;
    }
    return false;
}

#if defined(__x86_64__)
/* Intel's cores, and nobody else's, speak MESIF; the others know an owned state. */
static bool is_intel(void)
{
    unsigned leaf, b = 0, c = 0, d = 0;

    return __get_cpuid(0, &leaf, &b, &c, &d) && b == signature_INTEL_ebx &&
           c == signature_INTEL_ecx && d == signature_INTEL_edx;
}
#else
static bool is_intel(void)
{
    return false;
}
#endif

static const char *const states[] = {
    [MODIFIED] = "modified", [EXCLUSIVE] = "exclusive", [SHARED] = "shared",
    [OWNED] = "owned",       [FORWARD] = "forward",     [STATES] = NULL,
};
static const char *const ops[] = {[OP_READ] = "read", [OP_WRITE] = "write", NULL};

static const char *state_why_not(const char *choice)
{
    if (strcmp(choice, states[OWNED]) == 0 && is_intel())
        return "the protocol of Intel's cores, MESIF, has no owned state";
    if (strcmp(choice, states[FORWARD]) == 0 && !is_intel())
        return "only the protocol of Intel's cores, MESIF, has a forward state";
    return NULL;
}

static bool has_sharers(enum state state)
{
    for (const struct step *x = sequences[state]; x->what != END; x++) {
        if (x->who == SHARER)
            return true;
    }
    return false;
}

/* Writes the tasks: those of sharers once per sharer, who are the members from `first` on. */
static void write_tasks(struct coherence *c, enum state state, size_t first, size_t sharers)
{
    struct task *next = c->tasks;

    for (const struct step *x = sequences[state]; x->what != END; x++) {
        const size_t n = x->who == SHARER ? sharers : 1;

        for (size_t i = 0; i < n; i++)
            *next++ = (struct task){x->who == OWNER ? c->owner : first + i, x->what};
    }
    *next = (struct task){0, WALK};
}

/* Seats sharers behind the pair. AM_E_ABSENT when there are too few on the owner's side. */
static enum am_status seat_sharers(struct coherence *c, const struct pair *p,
                                   const struct am_ctx *ctx, const struct am_value *point,
                                   int *cpus, size_t *members, struct am_err *err)
{
    const enum state state = (enum state)point[STATE].i;
    const size_t wanted = (size_t)point[SHARERS].i;
    const size_t found = find_sharers(p, ctx, wanted, cpus + *members, &c->sharers_distance);

    c->stand_in =
        found == 0 && wanted == 1 && state == SHARED && p->from != p->to && !has_third(p, ctx);
    if (found < wanted && !c->stand_in)
        return am_fail(
            err, AM_E_ABSENT,
            "this state needs a third CPU: %zu of %zu that share lines with CPU %d, none "
            "nearer to CPU %d",
            found, wanted, p->from, p->to);
    write_tasks(c, state, c->stand_in ? 0 : *members, wanted);
    *members += found;
    return AM_OK;
}

/* Seats everybody: cpus[i] is where member i belongs, the taker first. */
static enum am_status cast(struct coherence *c, const struct am_ctx *ctx,
                           const struct am_value *point, int *cpus, size_t *members,
                           struct am_err *err)
{
    const enum state state = (enum state)point[STATE].i;
    const int64_t sharers = point[SHARERS].i;
    struct am_fsroot root;
    struct pair p = {&root, (int)point[FROM].i, (int)point[TO].i};
    enum am_status s;

    if (sharers < 1 || sharers > SHARERS_MAX || (sharers > 1 && !has_sharers(state)))
        return am_fail(err, AM_E_ABSENT,
                       "%lld sharers: 1 to %d, of lines that are shared, owned or "
                       "forwarded",
                       (long long)sharers, SHARERS_MAX);
    s = am_fsroot_open(&root, NULL, err);
    if (s != AM_OK)
        return s;
    c->distance = am_cpus_distance(&root, p.from, p.to);
    c->evict_bytes = EVICT_TIMES * (size_t)am_cpu_private_bytes(&root, p.to);
    cpus[0] = p.to;
    cpus[1] = p.from;
    *members = p.from == p.to ? 1 : 2;
    c->owner = *members - 1;
    if (has_sharers(state))
        s = seat_sharers(c, &p, ctx, point, cpus, members, err);
    else
        write_tasks(c, state, 0, 0);
    am_fsroot_close(&root);
    return s;
}

static enum am_status make_order(struct coherence *c, uint64_t seed, struct am_err *err)
{
    struct am_rng rng;

    c->order = calloc(c->lines, sizeof(*c->order));
    c->baton = aligned_alloc(_Alignof(struct baton), sizeof(*c->baton));
    if (!c->order || !c->baton)
        return am_fail(err, AM_E_NOMEM, "the order of %zu lines", c->lines);
    am_rng_seed(&rng, seed, 0);
    c->mix = am_rng_u64(&rng);
    for (size_t i = 0; i < c->lines; i++)
        c->order[i] = i;
    am_rng_shuffle(&rng, c->order, c->lines);
    return AM_OK;
}

static enum am_status map_lines(struct coherence *c, const struct am_ctx *ctx, struct am_err *err)
{
    const size_t bytes = 2 * c->lines * c->line_bytes;
    const size_t evict_bytes = c->stand_in ? c->evict_bytes : 0;
    enum am_status s = am_memory_allowed(bytes + evict_bytes + c->lines * sizeof(*c->order),
                                         ctx->memory_limit_bytes, err);

    if (s == AM_OK)
        s = am_memory_map(&c->memory, bytes, AM_PAGES_ANY, err);
    if (s == AM_OK && evict_bytes)
        s = am_memory_map(&c->eviction, evict_bytes, AM_PAGES_ANY, err);
    if (s == AM_OK && evict_bytes)
        memset(c->eviction.base, 1, evict_bytes); /* pages of its own, not the zero page */
    return s;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct coherence *const c = state;
    int cpus[MEMBERS_MAX + 1] = {0};
    size_t members = 0;
    const char *const why_not = state_why_not(states[point[STATE].i]);
    enum am_status s = am_cpus_check_pair(ctx, point[FROM].i, point[TO].i, err);

    if (s == AM_OK && why_not)
        s = am_fail(err, AM_E_ABSENT, "%s", why_not);
    c->op = (enum op)point[OP].i;
    c->clock = ctx->clock;
    c->line_bytes = am_chasing_line();
    c->lines = (size_t)((uint64_t)point[SIZE].i / c->line_bytes);
    if (s == AM_OK && (point[SIZE].i < 0 || c->lines < 2 || c->lines > LINES_MAX))
        s = am_fail(err, AM_E_ABSENT, "size %lld: 2 to 2^24 lines of %zu bytes can be handed over",
                    (long long)point[SIZE].i, c->line_bytes);
    if (s == AM_OK)
        s = cast(c, ctx, point, cpus, &members, err);
    if (s == AM_OK)
        s = am_team_new(members, cpus, members, &c->team, err);
    if (s == AM_OK)
        s = map_lines(c, ctx, err);
    if (s == AM_OK)
        s = make_order(c, ctx->seed, err);
    if (s != AM_OK)
        return s;
    am_team_run(c->team, link_member, c);
    c->empty_ns = empty_walk(c);
    work->ops = (double)c->lines;
    work->bytes_read = (double)(c->lines * sizeof(uintptr_t));
    work->bytes_written = c->op == OP_WRITE ? work->bytes_read : 0;
    return AM_OK;
}

/* The walk came around; every line has the owner's latest word, and the taker's tag. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct coherence *const c = state;
    const uintptr_t tag = c->op == OP_WRITE ? c->walks % 2 : 0;
    size_t wrong = 0;

    for (size_t k = 0; k < c->lines; k++) {
        const struct line *const x = visited(c, k);

        wrong += x->next != (uintptr_t)visited(c, k + 1) + tag || x->written != c->passes;
    }
    *residual = (double)wrong;
    if (wrong || c->stop != (const void *)visited(c, 0))
        return am_fail(err, AM_E_WRONG, "%zu of %zu lines are not as written, the walk %s", wrong,
                       c->lines,
                       c->stop == (const void *)visited(c, 0) ? "came around" : "went astray");
    return AM_OK;
}

static void finish(void *state)
{
    struct coherence *const c = state;

    am_team_free(c->team);
    am_memory_unmap(&c->memory);
    am_memory_unmap(&c->eviction);
    free(c->order);
    free(c->baton);
}

static const struct am_axis axes[] = {
    [STATE] = {.name = "state",
               .kind = AM_AXIS_NAME,
               .dflt = "usable",
               .choices = states,
               .why_not = state_why_not,
               .help = "of the lines in the caches of `from`, made by a sequence of accesses"},
    [OP] = {.name = "op",
            .kind = AM_AXIS_NAME,
            .dflt = "read,write",
            .choices = ops,
            .help = "read: dependent loads; write: dependent atomic additions"},
    [FROM] = {.name = "from",
              .kind = AM_AXIS_INT,
              .dflt = "related",
              .quick = "last",
              .thorough = "joined",
              .help = "CPU that holds the lines, by the system's number; related: pairs drawn of "
                      "each relation; joined: and some for every CPU"},
    [TO] = {.name = "to",
            .kind = AM_AXIS_INT,
            .dflt = "related",
            .quick = "first",
            .thorough = "joined",
            .help = "CPU that takes them and is timed; the same as `from`: its own caches"},
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "64K",
              .thorough = "4K:128K:*2",
              .help = "bytes of the lines handed over in one walk"},
    [SHARERS] = {.name = "sharers",
                 .kind = AM_AXIS_INT,
                 .dflt = "1",
                 .thorough = "1,2,4",
                 .help = "CPUs beside `from`, on its side, that have copies of shared, owned and "
                         "forwarded lines"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    [LATENCY] = {"latency", "s", AM_LOWER, AM_RULE_TIME_PER_OP, "time of one line"},
    [CYCLES] = {"cycles", "cycle", AM_LOWER, AM_RULE_CYCLES_PER_OP,
                "the same by the core clock of `to`"},
    [DISTANCE] = AM_DISTANCE_METRIC,
    [SHARERS_DISTANCE] = {"sharers_distance", "", AM_LOWER, AM_RULE_OWN,
                          "the same of `from` and the farthest CPU that shares its lines; 0: none"},
    {.name = NULL},
};

const struct am_bench am_bench_mem_coherence = {
    .name = "mem.coherence",
    .summary = "latency of lines in another core's caches, by their state",
    .version = 2,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct coherence),
    .fixed_iters = WALKS,
    .points_per_launch = 8,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
