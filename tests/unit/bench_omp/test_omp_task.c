/* SPDX-License-Identifier: MIT */
/* omp.task: every task is made and run once, in its order and by its way, on the runtime linked
 * with. */
#include "bench/omp/task.h"
#include "omp_fixture.h"

extern const struct am_bench am_bench_omp_task;

/* Ways that a construct forces: the shares that follow, -1 where the runtime decides. */
static const struct {
    const char *construct;
    double deferred, stolen;
} shares[] = {
    {"conditional_task", 0, 0},
    {"task_inline", 0, 0},
    {"task_deferred", 1, 0},
    {"task_stolen", 1, 1},
};

static void check_shares(const char *construct, int threads, const struct am_batch *batch)
{
    const struct am_bench *const b = &am_bench_omp_task;
    const double deferred = ox_value(b, batch, "deferred_share");
    const double stolen = ox_value(b, batch, "stolen_share");
    bool right = stolen >= 0 && deferred >= stolen && deferred <= 1;

    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
        if (strcmp(shares[i].construct, construct) == 0)
            right = right && fabs(deferred - shares[i].deferred) < 1e-12 &&
                    fabs(stolen - shares[i].stolen) < 1e-12;
    }
    right = right && (threads > 1 || stolen <= 0);
    ok(right, "%s of %d: %g of the tasks are queued, %g move", construct, threads, deferred,
       stolen);
}

/* Whether the runtime may refuse the way: one thread has no thief, and libomp no queue for it. */
static bool may_be_absent(const char *construct, int threads)
{
    return threads == 1 &&
           (strcmp(construct, "task_stolen") == 0 || strcmp(construct, "task_deferred") == 0 ||
            strcmp(construct, "detached_task") == 0);
}

static void check_construct(const char *construct, int threads, const struct am_ctx *ctx)
{
    const struct am_bench *const b = &am_bench_omp_task;
    struct am_batch batch = {0};
    struct am_err err = {0};
    char own[64];
    enum am_status s;

    (void)snprintf(own, sizeof(own), "%s 20 50 respected", construct);
    s = ox_visit(b, own, threads, ctx, &batch, &err);
    if (s == AM_E_ABSENT) {
        ok(may_be_absent(construct, threads), "%s of %d is skipped: %s", construct, threads,
           err.text);
        return;
    }
    if (ok(s == AM_OK && ox_all_finite(b, &batch), "%s of %d runs every task once %s", construct,
           threads, err.text))
        check_shares(construct, threads, &batch);
}

/* How a task came to run, from what its maker was doing. */
static void check_paths(void)
{
    struct am_task_thread team[2] = {{.creating = 7}, {.creating = 9}};
    const struct am_omp_task_job job = {.delay = 1};

    am_task_body(&job, team, &team[0], 7);
    ok(team[0].ran[AM_TASK_INLINE] == 1, "a task that is being made runs on the spot");
    am_task_body(&job, team, &team[0], 6);
    ok(team[0].ran[AM_TASK_DEFERRED] == 1, "one that was made before comes from a queue");
    am_task_bare(team, &team[1], 9);
    ok(team[0].ran[AM_TASK_STOLEN] == 1, "one that another thread makes was taken from it");
    ok(team[1].ran[AM_TASK_INLINE] + team[1].ran[AM_TASK_STOLEN] == 0, "and counts where it ran");
    am_task_made(&team[0]);
    ok(am_task_next(&team[0]) == 1 && team[0].creating == 1, "numbers begin with one");
}

/* The reference does what one thread has to do of an iteration, and runs it on the spot. */
static void check_reference(void)
{
    struct am_task_thread alone = {.made = 0};
    struct am_omp_task_job job = {.works = 5, .bare = 3, .delay = 1, .alone = &alone};

    am_task_serial(&job, 4);
    ok(alone.made == 32 && alone.ran[AM_TASK_INLINE] == 32,
       "the reference does 5 works and 3 bare tasks, 4 times");
}

static void check_names(void)
{
    size_t n = 0;

    while (am_task_names[n] && strcmp(am_task_names[n], am_task_constructs[n].name) == 0)
        n++;
    ok(n > 0 && !am_task_names[n], "the %zu names of the axis are those of the constructs", n);
}

/* Dependent tasks by their numbers, as they run. */
static const struct {
    const char *what;
    uint64_t numbers[12]; /* ended by 0 */
    unsigned fan;         /* 0: a chain */
    uint64_t disorder;
} orders[] = {
    {"a chain in order", {1, 2, 3, 4}, 0, 0},
    {"a chain with two links exchanged", {1, 3, 2, 4}, 0, 3},
    {"a chain without a link", {1, 2, 4, 5}, 0, 1},
    {"a fan in order", {1, 2, 3, 4, 5, 6, 7, 8}, 4, 0},
    {"readers in another order", {1, 4, 2, 3, 5, 7, 8, 6}, 4, 0},
    {"a reader before its writer", {2, 1, 3, 4, 5}, 4, 2},
    {"a writer before the last reader", {1, 2, 3, 5, 4, 6}, 4, 2},
};

static void check_order(size_t k)
{
    struct am_task_thread chain = {.made = 0};

    for (const uint64_t *n = orders[k].numbers; *n; n++) {
        if (!orders[k].fan)
            am_task_link(&chain, *n);
        else if (*n % orders[k].fan == 1)
            am_task_write(&chain, *n, orders[k].fan);
        else
            am_task_read(&chain, *n, orders[k].fan);
    }
    ok(chain.disorder == orders[k].disorder, "%s: %d out of order", orders[k].what,
       (int)chain.disorder);
}

/* Nodes of trees as they run: root 0, below it 1 and 2, ... */
static void check_tree(void)
{
    struct am_task_thread maker = {.made = 0};

    for (unsigned tree = 1; tree <= 2; tree++) {
        for (unsigned node = AM_TASK_TREE; node-- > 0;)
            am_task_node(&maker, node, tree);
    }
    ok(maker.disorder == 0, "two trees from the leaves up are in order");
    am_task_node(&maker, 3, 3);
    ok(maker.disorder == 1, "a node before those below it is not");
}

static char noted[32];

static void take_note(void *self, const char *key, const char *text)
{
    (void)self;
    if (strcmp(key, "priorities") == 0)
        (void)snprintf(noted, sizeof(noted), "%s", text);
}

int main(void)
{
    struct am_ctx ctx = ox_context();

    check_paths();
    check_reference();
    check_names();
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
        check_order(i);
    check_tree();
    ctx.chosen = take_note;
    for (const char *const *c = am_task_names; *c; c++) {
        for (int threads = 1; threads <= (int)ctx.cpu_count; threads++)
            check_construct(*c, threads, &ctx);
    }
    is_str(noted, omp_get_max_task_priority() > 0 ? "respected" : "ignored",
           "the launch says what the runtime does with priorities");
    ox_refuses(&am_bench_omp_task, "priority 20 50 ignored", 1, &ctx, "ignored");
    ox_refuses(&am_bench_omp_task, "task_stolen 20 50 ignored", 1, &ctx, "second thread");
    ox_refuses(&am_bench_omp_task, "task_wait 0 50 ignored", 1, &ctx, "tasks 0");
    ox_refuses(&am_bench_omp_task, "task_wait 20 -1 ignored", 1, &ctx, "body -1");
    ox_refuses(&am_bench_omp_task, "task_wait 20 50 ignored", OX_CPUS + 1, &ctx, "3 threads");
    return tap_done();
}
