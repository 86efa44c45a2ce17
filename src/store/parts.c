/* SPDX-License-Identifier: MIT */
/* Threads that check the parts of a merge ahead of their copying. */
#include "store/parts.h"

#include "store/db.h"
#include "store/seal.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum {
    THREADS_MAX = 8,         /* together they are faster than one thread copies */
    SLOTS = 2 * THREADS_MAX, /* parts that are open at once */
    DESCRIPTORS = 64,        /* for all else, where their number is limited */
};

/* Of the files that are checked at once: a check has the results of its file in memory. */
static const uint64_t bytes_max = 64 << 20;

/* A ring of parts: the slot i % n_slots has the i-th part with a file, which stays open until the
 * slot has the next one: whoever checks that closes it, and not the caller. */
struct am_parts {
    const struct am_merge *merge;
    struct am_checked_part slots[SLOTS];
    bool ready[SLOTS];
    size_t n_slots;         /* that may be in use */
    size_t at;              /* of merge->parts: where the next check looks */
    size_t begun, taken;    /* parts whose check has begun; parts that the caller has had */
    size_t held;            /* 1 while the caller has the latest of them */
    uint64_t bytes;         /* of the files that are being checked */
    bool stopping;          /* no further check begins */
    pthread_mutex_t lock;   /* of all above, a slot's contents aside while it is not ready */
    pthread_cond_t changed; /* a part is ready, a slot is free, or it is to end */
    pthread_t threads[THREADS_MAX];
    size_t n_threads;
};

/* ---- one part ---- */

static int64_t state_of(struct am_store *store)
{
    return am_db_ask(store, "PRAGMA main.data_version");
}

bool am_checked_part_is_same(const struct am_checked_part *part)
{
    return part->state >= 0 && state_of(part->store) == part->state;
}

/* The numbers that loading does not look at, which the file's readers by SQL do. */
static enum am_status check_numbers(struct am_store *store, struct am_err *err)
{
    const int64_t wrong = am_db_ask(store, "SELECT count(*) FROM (SELECT hz AS x FROM launch"
                                           " UNION ALL SELECT runnable FROM surroundings"
                                           " UNION ALL SELECT pressure_cpu FROM surroundings"
                                           " UNION ALL SELECT pressure_memory FROM surroundings"
                                           " UNION ALL SELECT pressure_io FROM surroundings)"
                                           " WHERE x <> 0 AND abs(x) NOT BETWEEN 1e-30 AND 1e30");

    return wrong == 0 ? AM_OK
                      : am_fail(err, AM_E_STORE,
                                "it is damaged (what is said of its launches is not zero "
                                "or between 1e-30 and 1e30)");
}

/* What copying need not ask again. */
static enum am_status look_at(struct am_checked_part *part, const struct am_result_set *set)
{
    /* As in enum am_part_table. */
    static const char tables[] = "SELECT EXISTS (SELECT 1 FROM failure)"
                                 " + 2 * EXISTS (SELECT 1 FROM note)"
                                 " + 4 * EXISTS (SELECT 1 FROM chosen)"
                                 " + 8 * EXISTS (SELECT 1 FROM proposed)"
                                 " + 16 * EXISTS (SELECT 1 FROM attachment)"
                                 " + 32 * EXISTS (SELECT 1 FROM off_cpu)";
    const int64_t has = am_db_ask(part->store, tables);
    enum am_status s = check_numbers(part->store, &part->failed);

    if (s == AM_OK && has < 0)
        s = am_fail(&part->failed, AM_E_STORE, "its tables cannot be read");
    part->version = part->store->version;
    part->has = (unsigned)has;
    part->synthetic = set->run.synthetic;
    part->ended = set->run.state == AM_RUN_DONE;
    return s == AM_OK ? am_seal_plan(part->store, part->plan, &part->failed) : s;
}

static void tell_seal(struct am_checked_part *part, const struct am_seal *seal)
{
    part->sealed = seal->state == AM_SEAL_HOLDS;
    if (seal->state == AM_SEAL_BROKEN)
        (void)am_fail(&part->broken, AM_E_STORE, "the file is not as it was written: %s",
                      seal->story);
    else if (seal->story)
        (void)am_fail(&part->remark, AM_E_STORE, "%s", seal->story);
}

static void check_part(const char *path, struct am_checked_part *out)
{
    struct am_result_set set = {0};
    struct am_arena arena = {0};
    enum am_status s;

    am_store_close(out->store);
    *out = (struct am_checked_part){0};
    s = am_store_open(path, false, &out->store, &out->failed);
    if (s == AM_OK) {
        out->state = state_of(out->store);
        s = am_store_load(out->store, &(struct am_filter){.check = true}, &arena, &set,
                          &out->failed);
    }
    if (s == AM_OK)
        s = look_at(out, &set);
    if (s == AM_OK) {
        tell_seal(out, &set.seal);
    } else {
        am_store_close(out->store);
        out->store = NULL;
    }
    am_arena_fini(&arena);
}

/* ---- the ring ---- */

/* A check that is under way. */
struct check {
    const char *path;
    uint64_t bytes;
    size_t slot;
};

static uint64_t size_of(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

static bool has_more(struct am_parts *p)
{
    while (p->at < p->merge->n && !p->merge->parts[p->at].path)
        p->at++;
    return !p->stopping && p->at < p->merge->n;
}

/* With the lock held. False: no part may be checked now. */
static bool begin_check(struct am_parts *p, struct check *out)
{
    if (!has_more(p) || p->begun - p->taken + p->held >= p->n_slots)
        return false;
    *out = (struct check){.path = p->merge->parts[p->at].path, .slot = p->begun % p->n_slots};
    out->bytes = size_of(out->path);
    if (p->bytes && p->bytes + out->bytes > bytes_max)
        return false;
    p->bytes += out->bytes;
    p->begun++;
    p->at++;
    return true;
}

/* The lock is held before and afterwards. */
static void do_check(struct am_parts *p, const struct check *check)
{
    (void)pthread_mutex_unlock(&p->lock);
    check_part(check->path, &p->slots[check->slot]);
    (void)pthread_mutex_lock(&p->lock);
    p->bytes -= check->bytes;
    p->ready[check->slot] = true;
    (void)pthread_cond_broadcast(&p->changed);
}

static void *run_thread(void *self)
{
    struct am_parts *const p = self;
    struct check check;

    (void)pthread_mutex_lock(&p->lock);
    while (has_more(p)) {
        if (begin_check(p, &check))
            do_check(p, &check);
        else
            (void)pthread_cond_wait(&p->changed, &p->lock);
    }
    (void)pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* With the lock held: the slot of what the caller had may be used again. */
static void release(struct am_parts *p)
{
    p->held = 0;
    (void)pthread_cond_broadcast(&p->changed);
}

const struct am_checked_part *am_parts_next(struct am_parts *p)
{
    const size_t slot = p->taken % p->n_slots;
    struct check check;

    (void)pthread_mutex_lock(&p->lock);
    release(p);
    while (!p->ready[slot]) {
        if (begin_check(p, &check))
            do_check(p, &check);
        else
            (void)pthread_cond_wait(&p->changed, &p->lock);
    }
    p->ready[slot] = false;
    p->taken++;
    p->held = 1;
    (void)pthread_mutex_unlock(&p->lock);
    return &p->slots[slot];
}

/* ---- threads ---- */

static size_t count_slots(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > DESCRIPTORS + 4 * SLOTS)
        return SLOTS;
    return limit.rlim_cur > DESCRIPTORS ? (size_t)(limit.rlim_cur - DESCRIPTORS) / 4 + 1 : 1;
}

/* One processor is left to who copies. */
static size_t count_threads(const struct am_parts *p)
{
    cpu_set_t set;
    const size_t cpus = sched_getaffinity(0, sizeof(set), &set) == 0 ? (size_t)CPU_COUNT(&set) : 2;
    const size_t most = cpus - 1 < p->n_slots - 1 ? cpus - 1 : p->n_slots - 1;

    if (sqlite3_threadsafe() == 0)
        return 0;
    return most < THREADS_MAX ? most : THREADS_MAX;
}

enum am_status am_parts_open(const struct am_merge *merge, struct am_parts **parts_p,
                             struct am_err *err)
{
    struct am_parts *const p = calloc(1, sizeof(*p));
    size_t threads;

    if (!p || pthread_mutex_init(&p->lock, NULL) != 0) {
        free(p);
        return am_fail(err, AM_E_NOMEM, "no memory for the parts of a merge");
    }
    (void)pthread_cond_init(&p->changed, NULL); /* cannot fail here */
    p->merge = merge;
    p->n_slots = count_slots();
    threads = count_threads(p);
    while (p->n_threads < threads &&
           pthread_create(&p->threads[p->n_threads], NULL, run_thread, p) == 0)
        p->n_threads++;
    *parts_p = p;
    return AM_OK;
}

void am_parts_close(struct am_parts *p)
{
    if (!p)
        return;
    (void)pthread_mutex_lock(&p->lock);
    p->stopping = true;
    release(p);
    (void)pthread_cond_broadcast(&p->changed);
    (void)pthread_mutex_unlock(&p->lock);
    for (size_t i = 0; i < p->n_threads; i++)
        (void)pthread_join(p->threads[i], NULL);
    for (size_t i = 0; i < SLOTS; i++)
        am_store_close(p->slots[i].store);
    (void)pthread_cond_destroy(&p->changed);
    (void)pthread_mutex_destroy(&p->lock);
    free(p);
}
