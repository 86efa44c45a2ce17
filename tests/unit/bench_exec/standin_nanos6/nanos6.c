/* SPDX-License-Identifier: MIT */
/* A runtime of tasks that stands in for Nanos6: one thread of its own runs what was spawned.
 * Children run when their parent waits, the latest first wherever the data that they named allows
 * it: an order that is told wrongly is then seen. */
#include "nanos6.h"

#include "nanos6/debug.h"
#include "nanos6/library-mode.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { ACCESSES_MAX = 16, TASKS_MAX = 4096 };

struct access {
    const char *byte;
    bool writes;
};

struct task {
    nanos6_task_info_t *info;
    const struct task *parent;
    struct access accesses[ACCESSES_MAX];
    size_t n, most; /* accesses told, and as many as were announced */
    bool submitted, done;
    max_align_t args[];
};

/* Only the one thread of the runtime touches these. */
static struct task *tasks[TASKS_MAX];
static size_t n_tasks;
static const struct task *current;

struct spawned {
    void (*function)(void *), (*ended)(void *);
    void *args, *ended_args;
};

const char *nanos6_library_mode_init(void)
{
    return getenv("STANDIN_NANOS6_BROKEN");
}

unsigned nanos6_get_num_cpus(void)
{
    return 2;
}

void nanos6_register_task_info(nanos6_task_info_t *info)
{
    info->task_type_data = info;
}

void nanos6_create_task(NANOS6_CREATE_PARAMETERS)
{
    struct task *const t = calloc(1, sizeof(*t) + args_bytes);

    (void)where, (void)label, (void)flags;
    if (!t || n_tasks == TASKS_MAX || info->task_type_data != info)
        abort();
    t->info = info;
    t->parent = current;
    t->most = num_deps;
    tasks[n_tasks++] = t;
    *args_p = t->args;
    *task_p = t;
}

static void note_access(void *handler, const char *byte, bool writes)
{
    struct task *const t = handler;

    if (t->n == ACCESSES_MAX || t->n == t->most)
        abort();
    t->accesses[t->n++] = (struct access){byte, writes};
}

void nanos6_register_region_read_depinfo1(void *handler, int symbol, const char *text, void *base,
                                          long size, long start, long end)
{
    (void)symbol, (void)text, (void)size, (void)end;
    note_access(handler, (const char *)base + start, false);
}

void nanos6_register_region_write_depinfo1(void *handler, int symbol, const char *text, void *base,
                                           long size, long start, long end)
{
    (void)symbol, (void)text, (void)size, (void)end;
    note_access(handler, (const char *)base + start, true);
}

void nanos6_submit_task(void *task)
{
    struct task *const t = task;

    t->info->register_depinfo(t->args, NULL, t);
    t->submitted = true;
}

static bool conflict(const struct task *a, const struct task *b)
{
    for (size_t i = 0; i < a->n; i++) {
        for (size_t k = 0; k < b->n; k++) {
            if (a->accesses[i].byte == b->accesses[k].byte &&
                (a->accesses[i].writes || b->accesses[k].writes))
                return true;
        }
    }
    return false;
}

static bool is_ready(size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (!tasks[i]->done && tasks[i]->parent == tasks[at]->parent &&
            conflict(tasks[i], tasks[at]))
            return false;
    }
    return true;
}

/* The latest child of the current task that may run; NULL when none is left. */
static struct task *next_child(void)
{
    for (size_t i = n_tasks; i-- > 0;) {
        struct task *const t = tasks[i];

        if (!t->done && t->submitted && t->parent == current && t != current && is_ready(i))
            return t;
    }
    return NULL;
}

static void forget_children(void)
{
    while (n_tasks && tasks[n_tasks - 1]->done && tasks[n_tasks - 1]->parent == current)
        free(tasks[--n_tasks]);
}

void nanos6_taskwait(const char *where)
{
    const struct task *const self = current;

    (void)where;
    for (struct task *t = next_child(); t; t = next_child()) {
        t->done = true; /* nobody takes it again; what waits for it runs on this thread, later */
        current = t;
        t->info->implementations[0].run(t->args, NULL, NULL);
        current = self;
    }
    forget_children();
}

static void *live(void *arg)
{
    struct spawned *const s = arg;

    s->function(s->args);
    s->ended(s->ended_args);
    free(s);
    return NULL;
}

void nanos6_spawn_function(void (*function)(void *), void *args, void (*ended)(void *),
                           void *ended_args, const char *label)
{
    struct spawned *const s = malloc(sizeof(*s));
    pthread_t thread;

    (void)label;
    if (!s)
        abort();
    *s = (struct spawned){
        .function = function, .ended = ended, .args = args, .ended_args = ended_args};
    if (pthread_create(&thread, NULL, live, s) != 0 || pthread_detach(thread) != 0)
        abort();
}
