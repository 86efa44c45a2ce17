/* SPDX-License-Identifier: MIT */
/* Blocks as tasks of Nanos6. Its headers are the user's; in tests a small runtime stands in. */
#include "bench/nanos6/engine.h"

#include <pthread.h>
#include <stdlib.h>

#include <nanos6.h>
#include <nanos6/debug.h>
#include <nanos6/library-mode.h>

struct am_nanos6 {
    pthread_t caller; /* who opened it: not one of the runtime's threads */
    char *bytes;      /* one per block, what dependences are told of; never read or written */
    uint64_t executed;
};

/* What a task knows of its block; the numbers of those it waits for follow. */
struct call {
    const struct am_blocks *blocks;
    char *bytes; /* NULL: nothing is waited for */
    size_t block, n_before;
    size_t before[];
};

/* ---- the task, as the compiler of OmpSs-2 would describe it ---- */

static void run_block(void *args, void *device, nanos6_address_translation_entry_t *table)
{
    const struct call *const c = args;

    (void)device, (void)table;
    c->blocks->run(c->blocks->app, c->block);
}

static void tell_dependences(void *args, void *bounds, void *handler)
{
    const struct call *const c = args;

    (void)bounds;
    if (!c->bytes)
        return;
    nanos6_register_region_write_depinfo1(handler, 0, NULL, c->bytes + c->block, 1, 0, 1);
    for (size_t i = 0; i < c->n_before; i++)
        nanos6_register_region_read_depinfo1(handler, 0, NULL, c->bytes + c->before[i], 1, 0, 1);
}

/* The runtime keeps pointers to these, and fields of its own in them. */
struct description {
    nanos6_task_implementation_info_t how;
    nanos6_task_info_t what;
    nanos6_task_invocation_info_t where;
    const char *trouble; /* why it did not begin; NULL: it did */
};

static void begin(struct description *d)
{
    d->how = (nanos6_task_implementation_info_t){.device_type_id = nanos6_host_device,
                                                 .run = run_block,
                                                 .task_type_label = "block",
                                                 .declaration_source = "archmeter"};
    d->what = (nanos6_task_info_t){.num_symbols = 1,
                                   .register_depinfo = tell_dependences,
                                   .implementation_count = 1,
                                   .implementations = &d->how};
    d->where = (nanos6_task_invocation_info_t){.invocation_source = "archmeter"};
    d->trouble = nanos6_library_mode_init();
    if (!d->trouble)
        nanos6_register_task_info(&d->what);
}

/* It begins once per process, whoever asks first: a second time Nanos6 cannot. */
static struct description *runtime(void)
{
    static struct description once;
    static bool begun;

    if (!begun)
        begin(&once);
    begun = true;
    return &once;
}

/* ---- a run ---- */

/* In a task, whose children these become. */
static void submit_all(const struct am_nanos6 *engine, const struct am_blocks *blocks)
{
    struct description *const d = runtime();
    const size_t most = blocks->before ? blocks->before_max : 0;

    for (size_t i = 0; i < blocks->count; i++) {
        struct call *c = NULL;
        void *args = NULL, *task = NULL;

        nanos6_create_task(&d->what, &d->where, "block", sizeof(*c) + most * sizeof(*c->before),
                           &args, &task, 0, most + (most > 0));
        c = args;
        c->blocks = blocks;
        c->bytes = blocks->before ? engine->bytes : NULL;
        c->block = i;
        c->n_before = blocks->before ? blocks->before(blocks->app, i, c->before) : 0;
        nanos6_submit_task(task);
    }
    nanos6_taskwait("archmeter");
}

/* What the spawned function does, and how its caller hears of its end. */
struct job {
    struct am_nanos6 *engine;
    const struct am_blocks *blocks;
    uint64_t times;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool done;
};

static void do_job(void *self)
{
    const struct job *const job = self;

    for (uint64_t left = job->times; left; left--)
        submit_all(job->engine, job->blocks);
}

static void end_job(void *self)
{
    struct job *const job = self;

    (void)pthread_mutex_lock(&job->lock);
    job->done = true;
    (void)pthread_cond_signal(&job->ended);
    (void)pthread_mutex_unlock(&job->lock);
}

static void spawn_and_wait(struct job *job)
{
    (void)pthread_mutex_init(&job->lock, NULL);
    (void)pthread_cond_init(&job->ended, NULL);
    nanos6_spawn_function(do_job, job, end_job, job, "archmeter");
    (void)pthread_mutex_lock(&job->lock);
    while (!job->done)
        (void)pthread_cond_wait(&job->ended, &job->lock);
    (void)pthread_mutex_unlock(&job->lock);
    (void)pthread_cond_destroy(&job->ended);
    (void)pthread_mutex_destroy(&job->lock);
}

void am_nanos6_run_tasks(struct am_nanos6 *engine, const struct am_blocks *blocks, uint64_t times)
{
    struct job job = {.engine = engine, .blocks = blocks, .times = times};

    if (!pthread_equal(pthread_self(), engine->caller)) {
        do_job(&job);
        return;
    }
    spawn_and_wait(&job);
    engine->executed += times * blocks->count;
}

/* ---- opening ---- */

enum am_status am_nanos6_open(const struct am_executor_setup *setup, struct am_nanos6 **engine_p,
                              struct am_err *err)
{
    const struct description *const d = runtime();

    if (d->trouble)
        return am_fail(err, AM_E_ABSENT, "Nanos6 does not begin: %s", d->trouble);
    if (nanos6_get_num_cpus() != setup->threads)
        return am_fail(err, AM_E_ABSENT, "Nanos6 has %u CPUs, not %zu: those of this process",
                       nanos6_get_num_cpus(), setup->threads);
    *engine_p = calloc(1, sizeof(**engine_p));
    if (!*engine_p)
        return am_fail(err, AM_E_NOMEM, "no memory for the engine of Nanos6");
    (*engine_p)->caller = pthread_self();
    return AM_OK;
}

void am_nanos6_close(struct am_nanos6 *engine)
{
    if (!engine)
        return;
    free(engine->bytes);
    free(engine);
}

enum am_status am_nanos6_make_graph(struct am_nanos6 *engine, const struct am_blocks *blocks,
                                    struct am_err *err)
{
    char *const bytes = realloc(engine->bytes, blocks->count + 1);

    if (!bytes)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu blocks", blocks->count);
    engine->bytes = bytes;
    return AM_OK;
}

uint64_t am_nanos6_executed(const struct am_nanos6 *engine)
{
    return engine->executed;
}
