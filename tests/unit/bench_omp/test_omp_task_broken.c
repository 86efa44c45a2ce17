/* SPDX-License-Identifier: MIT */
/* omp.task notices tasks that are lost, doubled, out of order or run another way: these stand in
 * for task_constructs.c. */
#include "bench/omp/task.h"
#include "omp_fixture.h"

extern const struct am_bench am_bench_omp_task;

/* One thread, no OpenMP. What a runtime may do to a task: */
enum fate { RUN, LOSE, DOUBLE, DELAY, DISORDER, GIVE_UP };

static void count(struct am_task_thread *me, enum am_task_path path)
{
    atomic_fetch_add(&me->ran[path], 1);
}

static void make(struct am_omp_task_job *job, enum fate fate)
{
    struct am_task_thread *const me = job->all;
    const uint64_t number = am_task_next(me);

    if (fate != LOSE && fate != DELAY)
        count(me, AM_TASK_INLINE);
    if (fate == DOUBLE)
        count(me, AM_TASK_INLINE);
    if (job->ordered)
        am_task_link(me, fate == DISORDER ? number + 1 : number);
    am_task_made(me);
    if (fate == DELAY)
        count(me, AM_TASK_DEFERRED);
    job->stuck = job->stuck || fate == GIVE_UP;
}

/* One task in four meets its fate. */
static void run(struct am_omp_task_job *job, uint64_t n, enum fate fate)
{
    for (uint64_t i = 0; i < n * job->units; i++)
        make(job, i % 4 == 1 ? fate : RUN);
}

#define FATE(name, fate)                                                                           \
    static void name(void *self, uint64_t n)                                                       \
    {                                                                                              \
        run(self, n, fate);                                                                        \
    }

/* As it should be at the first look, another way later. */
static void run_changed(void *self, uint64_t n)
{
    run(self, n, n > 1 ? DELAY : RUN);
}

FATE(run_well, RUN)
FATE(run_lost, LOSE)
FATE(run_doubled, DOUBLE)
FATE(run_delayed, DELAY)
FATE(run_disordered, DISORDER)
FATE(run_vain, GIVE_UP)

#define ROW(fn, ...)                                                                               \
    {                                                                                              \
        .name = #fn, .run = (fn), .tasks = 1, .works = 1, __VA_ARGS__                              \
    }

const struct am_task_construct am_task_constructs[] = {
    ROW(run_well, .pure = true, .path = AM_TASK_INLINE),
    ROW(run_lost, .pure = false),
    ROW(run_doubled, .pure = false),
    ROW(run_delayed, .pure = false),
    ROW(run_delayed, .pure = true, .path = AM_TASK_INLINE),
    ROW(run_changed, .pure = true, .path = AM_TASK_INLINE),
    ROW(run_disordered, .pure = false),
    ROW(run_vain, .pure = false),
};

const char *const am_task_names[] = {"well",    "lost",       "doubled", "delayed", "other",
                                     "changed", "disordered", "vain",    NULL};

void am_task_serial(void *self, uint64_t n)
{
    (void)self;
    (void)n;
}

void am_task_run(void *self, uint64_t n)
{
    ((struct am_omp_task_job *)self)->construct->run(self, n);
}

static const struct {
    const char *construct;
    enum am_status status;
    const char *story;
} cases[] = {
    {"well", AM_OK, ""},
    {"lost", AM_E_WRONG, "run, not"},
    {"doubled", AM_E_WRONG, "run, not"},
    {"delayed", AM_OK, ""},
    {"other", AM_E_ABSENT, "15 of 20 tasks ran on the spot"},
    {"changed", AM_E_WRONG, "tasks ran on the spot"},
    {"disordered", AM_E_WRONG, "out of order"},
    {"vain", AM_E_WRONG, "in vain"},
};

int main(void)
{
    const struct am_ctx ctx = ox_context();

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_batch batch = {0};
        struct am_err err = {0};
        char own[64];
        enum am_status s;

        (void)snprintf(own, sizeof(own), "%s 20 50 respected", cases[i].construct);
        s = ox_visit(&am_bench_omp_task, own, 1, &ctx, &batch, &err);
        ok(s == cases[i].status && strstr(err.text, cases[i].story), "%s: %s", cases[i].construct,
           s == AM_OK ? "passes" : err.text);
    }
    return tap_done();
}
