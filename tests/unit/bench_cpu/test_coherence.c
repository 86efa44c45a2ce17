/* SPDX-License-Identifier: MIT */
/* mem.coherence from within: every state's sequence is played, a wrong line or clock is noticed. */
#include "bench/cpu/mem_coherence.c" /* its state is nobody else's business */
#include "bench_fixture.h"
#include "fsroot/tree.h"
#include "tap.h"

enum { CPUS_MAX = 4, BYTES = 100 * 64 };

/* Every reading is `step` after the one before. */
struct fake {
    uint64_t now, step;
};

static uint64_t fake_now(void *self)
{
    struct fake *const f = self;

    return f->now += f->step;
}

static enum am_status start(struct coherence *c, const struct am_clock *clock, enum state state,
                            enum op op, bool remote, struct am_work *work, struct am_err *err)
{
    int cpus[CPUS_MAX] = {0};
    const size_t n = bx_cpus(cpus, CPUS_MAX);
    const struct am_ctx ctx = {
        .cpus = cpus, .cpu_count = n, .seed = 11, .memory_limit_bytes = 64 << 20, .clock = clock};
    const struct am_value point[] = {
        [STATE] = {.i = state}, [OP] = {.i = op},      [FROM] = {.i = cpus[remote ? n - 1 : 0]},
        [TO] = {.i = cpus[0]},  [SIZE] = {.i = BYTES}, [SHARERS] = {.i = 1}};

    *c = (struct coherence){0};
    return prepare(c, &ctx, point, work, err);
}

static void check_point(const struct am_clock *clock, enum state state, enum op op, bool remote)
{
    static const uint64_t iters[] = {1, 2, 5};
    struct coherence c;
    struct am_work work = {0};
    struct am_batch batch = {0};
    struct am_err err = {0};
    double residual = 0;
    const enum am_status s = start(&c, clock, state, op, remote, &work, &err);
    bool right = true;

    if (s == AM_E_ABSENT && (strstr(err.text, "third CPU") || state_why_not(states[state]))) {
        ok(state == OWNED || state == FORWARD, "%s is refused: %s", states[state], err.text);
        finish(&c);
        return;
    }
    ok(s == AM_OK && work.ops == 100, "%s %s %s is prepared %s", states[state], ops[op],
       remote ? "remote" : "local", err.text);
    for (size_t i = 0; i < 3 && s == AM_OK; i++) {
        right &= run_timed(&c, iters[i], &batch, &err) == AM_OK && batch.elapsed_ns > 0;
        right &= verify(&c, &residual, &err) == AM_OK;
    }
    ok(right && c.walks == 8, "its walks are right %s", err.text);
    ok(batch.values[DISTANCE] >= 0 && (batch.values[DISTANCE] > 0) == remote,
       "its distance is told");
    if (s == AM_OK && c.passes) {
        line_at(&c, 57)->written--;
        ok(verify(&c, &residual, &err) == AM_E_WRONG && residual == 1, "a stale line is noticed");
    } else if (s == AM_OK) {
        line_at(&c, 57)->next++;
        ok(verify(&c, &residual, &err) == AM_E_WRONG && residual == 1, "a wrong tag is noticed");
    }
    finish(&c);
}

/* Builds what prepare() builds, for a machine with more CPUs than this one may have; the third sits
 * beside the owner. */
static enum am_status start_three(struct coherence *c, const struct am_clock *clock,
                                  enum state state, struct am_err *err)
{
    int all[CPUS_MAX + 2] = {0}, cpus[MEMBERS_MAX + 1] = {0};
    const size_t n = bx_cpus(all, CPUS_MAX);
    const struct am_value point[] = {
        [STATE] = {.i = state}, [OP] = {.i = OP_WRITE}, [FROM] = {.i = all[1]},
        [TO] = {.i = all[0]},   [SIZE] = {.i = BYTES},  [SHARERS] = {.i = 1}};
    struct am_ctx ctx = {.cpus = all, .cpu_count = n + 2, .memory_limit_bytes = UINT64_MAX};
    size_t members = 0;
    enum am_status s;

    all[n] = all[n - 1] + 1000; /* numbers that no system states anything of */
    all[n + 1] = all[n - 1] + 1001;
    *c = (struct coherence){
        .op = OP_WRITE, .clock = clock, .line_bytes = am_chasing_line(), .lines = 100};
    s = cast(c, &ctx, point, cpus, &members, err);
    ok(s == AM_OK && members == 3 && !c->stand_in && cpus[0] == all[0] && cpus[1] == all[1] &&
           cpus[2] != all[0] && cpus[2] != all[1] && cpus[2] > 0,
       "%s: a third CPU is found", states[state]);
    cpus[2] = cpus[1];
    if (s == AM_OK)
        s = am_team_new(members, cpus, members, &c->team, err);
    if (s == AM_OK)
        s = map_lines(c, &ctx, err);
    return s == AM_OK ? make_order(c, 3, err) : s;
}

static void check_three(const struct am_clock *clock, enum state state)
{
    struct coherence c;
    struct am_batch batch = {0};
    struct am_err err = {0};
    double residual = 1;
    enum am_status s = start_three(&c, clock, state, &err);

    if (s == AM_OK) {
        am_team_run(c.team, link_member, &c);
        s = run_timed(&c, 3, &batch, &err);
    }
    if (s == AM_OK)
        s = verify(&c, &residual, &err);
    ok(s == AM_OK && residual == 0 && c.walks == 3, "%s: three threads play it right %s",
       states[state], err.text);
    finish(&c);
}

/* One cycle over all lines, one line of each pair; the neighbours are never used. */
static void check_cycle(const struct am_clock *clock)
{
    struct coherence c;
    struct am_work work = {0};
    struct am_err err = {0};
    unsigned char seen[BYTES / 64] = {0};
    const struct line *x;
    size_t n = 0, odd = 0;

    if (!ok(start(&c, clock, MODIFIED, OP_READ, true, &work, &err) == AM_OK, "a set is laid out"))
        return;
    x = visited(&c, 0);
    do {
        const size_t place = (size_t)((const char *)x - c.memory.base) / c.line_bytes;

        odd += place % 2;
        n += !seen[place / 2]++;
        x = (const struct line *)x->next;
    } while (x != visited(&c, 0) && n <= c.lines);
    ok(n == c.lines, "its lines form one cycle");
    ok(odd > 0 && odd < n, "which uses either line of a pair, never both");
    finish(&c);
}

/* A clock that hardly moves would make loads faster than any core's. */
static void check_bound(void)
{
    struct fake f = {.step = 1};
    const struct am_clock clock = {.now_ns = fake_now, .self = &f};
    struct coherence c;
    struct am_work work = {0};
    struct am_batch batch;
    struct am_err err = {0};

    if (ok(start(&c, &clock, MODIFIED, OP_READ, true, &work, &err) == AM_OK, "any clock will do")) {
        ok(run_timed(&c, 4, &batch, &err) == AM_E_WRONG, "what no core can do is refused: %s",
           err.text);
        ok(c.empty_ns == 1, "the empty walk is one step of the clock");
    }
    finish(&c);
}

static void check_refusals(const struct am_clock *clock)
{
    static const int one[] = {0};
    static const int64_t sizes[] = {-1, 0, 64, INT64_MAX};
    int cpus[CPUS_MAX];
    struct am_ctx ctx = {.cpus = cpus, .cpu_count = bx_cpus(cpus, CPUS_MAX), .clock = clock};
    struct am_value point[] = {
        [STATE] = {.i = MODIFIED}, [OP] = {.i = OP_READ}, [FROM] = {.i = cpus[0]},
        [TO] = {.i = cpus[0]},     [SIZE] = {.i = BYTES}, [SHARERS] = {.i = 1}};
    struct am_work work;

    for (size_t i = 0; i <= sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct coherence c = {0};
        struct am_err err = {0};

        point[SIZE].i = i < 4 ? sizes[i] : BYTES; /* the last one: more than the limit of 0 */
        ok(prepare(&c, &ctx, point, &work, &err) == AM_E_ABSENT, "refused: %s", err.text);
        finish(&c);
    }
    ctx = (struct am_ctx){.cpus = one, .cpu_count = 1, .clock = clock};
    {
        struct coherence c = {0};
        struct am_err err = {0};

        ok(prepare(&c, &ctx, point, &work, &err) == AM_E_ABSENT, "one CPU: %s", err.text);
        finish(&c);
    }
}

/* Two packages of four cores, a cache for each package. */
static void put_packages(struct tree *t)
{
    for (int cpu = 0; cpu < 8; cpu++) {
        const char *const near = cpu < 4 ? "0-3" : "4-7";
        char path[128];

        (void)snprintf(path, sizeof(path),
                       "sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
        tree_put(t, path, "%d", cpu);
        (void)snprintf(path, sizeof(path),
                       "sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
        tree_put(t, path, "%d", cpu / 4);
        (void)snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/cache/index0/level", cpu);
        tree_put(t, path, "3");
        (void)snprintf(path, sizeof(path),
                       "sys/devices/system/cpu/cpu%d/cache/index0/shared_cpu_list", cpu);
        tree_put(t, path, "%s", near);
    }
}

/* Lines of a holder far away are shared far away: a copy near the taker would answer instead. */
static void check_sharers(void)
{
    static const int all[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const struct {
        int from, to;
        size_t wanted, found;
        int cpus[4];
        enum am_distance farthest;
    } cases[] = {
        {4, 0, 1, 1, {5}, AM_DISTANCE_CACHE},       {7, 1, 3, 3, {4, 5, 6}, AM_DISTANCE_CACHE},
        {4, 0, 4, 3, {5, 6, 7}, AM_DISTANCE_CACHE}, /* the fourth would be the taker's neighbour */
        {1, 0, 1, 1, {2}, AM_DISTANCE_CACHE},       {1, 0, 3, 3, {2, 3, 4}, AM_DISTANCE_OTHER},
        {0, 0, 1, 1, {1}, AM_DISTANCE_CACHE},
    };
    const struct am_ctx ctx = {.cpus = all, .cpu_count = 8};
    struct am_fsroot root;
    struct tree t;

    tree_open(&t);
    put_packages(&t);
    if (!ok(am_fsroot_open(&root, t.path, NULL) == AM_OK, "a tree of two packages opens"))
        return;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct pair p = {&root, cases[i].from, cases[i].to};
        enum am_distance farthest;
        int out[SHARERS_MAX] = {0};
        const size_t n = find_sharers(&p, &ctx, cases[i].wanted, out, &farthest);

        ok(n == cases[i].found && memcmp(out, cases[i].cpus, n * sizeof(*out)) == 0 &&
               farthest == cases[i].farthest,
           "%zu of %zu sharers of CPU %d, lines for CPU %d", n, cases[i].wanted, cases[i].from,
           cases[i].to);
    }
    am_fsroot_close(&root);
    tree_close(&t);
}

int main(void)
{
    struct am_clock clock;
    int cpus[CPUS_MAX];

    am_clock_init(&clock);
    ok((state_why_not("owned") == NULL) != (state_why_not("forward") == NULL),
       "a machine has owned lines or forwarded ones");
    ok(!state_why_not("modified") && !state_why_not("exclusive") && !state_why_not("shared"),
       "the other states are everywhere");
    if (bx_cpus(cpus, CPUS_MAX) < 2) {
        skip_test("one CPU only");
        check_sharers();
        return tap_done();
    }
    for (int i = 0; i < STATES * 4; i++)
        check_point(&clock, (enum state)(i / 4), (enum op)(i % 2), i / 2 % 2);
    check_three(&clock, SHARED);
    check_three(&clock, OWNED);
    check_three(&clock, FORWARD);
    check_cycle(&clock);
    check_bound();
    check_refusals(&clock);
    check_sharers();
    return tap_done();
}
