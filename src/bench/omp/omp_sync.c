/* SPDX-License-Identifier: MIT */
/* omp.sync: overhead of the constructs that synchronise threads. */
#include "bench/omp/sync.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum axis_index { CONSTRUCT, DELAY, COMMON };

enum construct {
    PARALLEL,
    FOR,
    PARALLEL_FOR,
    BARRIER,
    BARRIER_LATE,
    SINGLE,
    MASTER_BARRIER,
    SECTIONS,
    REDUCTION,
    REDUCTION_ARRAY,
    CRITICAL,
    CRITICAL_CONTENDED,
    LOCK,
    LOCK_CONTENDED,
    LOCK_CONTENDED_HINT,
    LOCK_UNCONTENDED,
    LOCK_UNCONTENDED_HINT,
    NEST_LOCK_UNCONTENDED,
    ORDERED,
    DOACROSS,
    ATOMIC_ADD_F64,
    ATOMIC_SEQ_CST,
    ATOMIC_ADD_I64,
    ATOMIC_READ,
    ATOMIC_WRITE,
    ATOMIC_CAPTURE,
    MASKED_BARRIER,
    SCOPE_REDUCTION,
    LOOP,
    SCAN,
    REDUCTION_USER,
    CANCEL,
    CANCELLATION_POINT,
    FLUSH,
    FOR_SIMD,
    ALLOCATE,
    CONSTRUCTS
};

static const char *const constructs[CONSTRUCTS + 1] = {
    [PARALLEL] = "parallel",
    [FOR] = "for",
    [PARALLEL_FOR] = "parallel_for",
    [BARRIER] = "barrier",
    [BARRIER_LATE] = "barrier_late",
    [SINGLE] = "single",
    [MASTER_BARRIER] = "master_barrier",
    [SECTIONS] = "sections",
    [REDUCTION] = "reduction",
    [REDUCTION_ARRAY] = "reduction_array",
    [CRITICAL] = "critical",
    [CRITICAL_CONTENDED] = "critical_contended",
    [LOCK] = "lock",
    [LOCK_CONTENDED] = "lock_contended",
    [LOCK_CONTENDED_HINT] = "lock_contended_hint",
    [LOCK_UNCONTENDED] = "lock_uncontended",
    [LOCK_UNCONTENDED_HINT] = "lock_uncontended_hint",
    [NEST_LOCK_UNCONTENDED] = "nest_lock_uncontended",
    [ORDERED] = "ordered",
    [DOACROSS] = "doacross",
    [ATOMIC_ADD_F64] = "atomic_add_f64",
    [ATOMIC_SEQ_CST] = "atomic_seq_cst",
    [ATOMIC_ADD_I64] = "atomic_add_i64",
    [ATOMIC_READ] = "atomic_read",
    [ATOMIC_WRITE] = "atomic_write",
    [ATOMIC_CAPTURE] = "atomic_capture",
    [MASKED_BARRIER] = "masked_barrier",
    [SCOPE_REDUCTION] = "scope_reduction",
    [LOOP] = "loop",
    [SCAN] = "scan",
    [REDUCTION_USER] = "reduction_user",
    [CANCEL] = "cancel",
    [CANCELLATION_POINT] = "cancellation_point",
    [FLUSH] = "flush",
    [FOR_SIMD] = "for_simd",
    [ALLOCATE] = "allocate",
};

enum {
    CHECKED = 100, /* iterations under observation */
    KEY = 42,      /* what atomic reads must find */
};

/* How many of something an iteration has. */
enum count { NONE, ONE, TEAM, ALL_SECTIONS };

/* Whether the values that n iterations left behind are right. */
typedef bool judge_fn(const struct am_sync *s, int64_t n);

static bool judge_reduction(const struct am_sync *s, int64_t n)
{
    return s->totals[0] == n * s->omp.threads;
}

static bool judge_reduction_array(const struct am_sync *s, int64_t n)
{
    for (int i = 0; i < AM_SYNC_ELEMENTS; i++) {
        if (s->totals[i] != (i + 1) * n * s->omp.threads)
            return false;
    }
    return true;
}

static bool judge_f64(const struct am_sync *s, int64_t n)
{
    return (int64_t)s->shared->f64 == KEY + n * s->omp.threads;
}

static bool judge_i64(const struct am_sync *s, int64_t n)
{
    return s->shared->i64 == KEY + n * s->omp.threads;
}

static bool judge_read(const struct am_sync *s, int64_t n)
{
    return s->shared->sum == KEY * n * s->omp.threads;
}

/* Whichever thread wrote last, it wrote its own last value. */
static bool judge_write(const struct am_sync *s, int64_t n)
{
    return s->shared->i64 == n - 1;
}

/* Every value from the first on was captured once. */
static bool judge_capture(const struct am_sync *s, int64_t n)
{
    const int64_t all = n * s->omp.threads;

    return s->shared->i64 == KEY + all && s->shared->sum == KEY * all + all * (all - 1) / 2;
}

/* Of every loop the sum of ones, and their prefixes. */
static bool judge_scan(const struct am_sync *s, int64_t n)
{
    const int64_t p = s->omp.threads;

    return s->totals[0] == n * p && s->totals[1] == n * p * (p + 1) / 2;
}

/* The largest value is that of the last region, and every thread brought it. */
static bool judge_peak(const struct am_sync *s, int64_t n)
{
    return s->totals[0] == n - 1 && s->totals[1] == s->omp.threads;
}

enum trait {
    EXCLUDES = 1,      /* one thread at a time */
    ORDERS = 2,        /* in the order of the loop */
    LOCKS = 4,         /* needs locks */
    HINTS = LOCKS | 8, /* with hints */
    CANCELS = 16,      /* needs OMP_CANCELLATION */
    CONTENDS = 32,     /* needs a second thread, and hands over at every entry */
    TURNS = EXCLUDES | ORDERS,
    HANDS = EXCLUDES | CONTENDS,
};

/* How a construct is measured and what it is held to. */
static const struct row {
    am_overhead_fn *construct, *reference;
    enum count units; /* directives */
    enum count works; /* pieces of work */
    unsigned traits;
    judge_fn *judge; /* NULL: it leaves no value */
} rows[CONSTRUCTS] = {
    [PARALLEL] = {am_sync_parallel, am_sync_one, ONE, TEAM, 0, NULL},
    [FOR] = {am_sync_for, am_sync_one, ONE, TEAM, 0, NULL},
    [PARALLEL_FOR] = {am_sync_parallel_for, am_sync_one, ONE, TEAM, 0, NULL},
    [BARRIER] = {am_sync_barrier, am_sync_one, ONE, TEAM, 0, NULL},
    [BARRIER_LATE] = {am_sync_barrier_late, am_sync_one, ONE, ONE, 0, NULL},
    [SINGLE] = {am_sync_single, am_sync_one, ONE, ONE, 0, NULL},
    [MASTER_BARRIER] = {am_sync_master, am_sync_one, ONE, ONE, 0, NULL},
    [SECTIONS] = {am_sync_sections, am_sync_divided, ONE, ALL_SECTIONS, 0, NULL},
    [REDUCTION] = {am_sync_reduction, am_sync_one, ONE, TEAM, 0, judge_reduction},
    [REDUCTION_ARRAY] = {am_sync_reduction_array, am_sync_one, ONE, TEAM, 0, judge_reduction_array},
    [CRITICAL] = {am_sync_critical, am_sync_each, TEAM, TEAM, EXCLUDES, NULL},
    [CRITICAL_CONTENDED] = {am_sync_critical_contended, am_sync_each, TEAM, TEAM, HANDS, NULL},
    [LOCK] = {am_sync_lock, am_sync_each, TEAM, TEAM, EXCLUDES | LOCKS, NULL},
    [LOCK_CONTENDED] = {am_sync_lock_contended, am_sync_each, TEAM, TEAM, HANDS | LOCKS, NULL},
    [LOCK_CONTENDED_HINT] = {am_sync_lock_contended, am_sync_each, TEAM, TEAM, HANDS | HINTS, NULL},
    [LOCK_UNCONTENDED] = {am_sync_own_lock, am_sync_one, ONE, TEAM, LOCKS, NULL},
    [LOCK_UNCONTENDED_HINT] = {am_sync_own_lock, am_sync_one, ONE, TEAM, HINTS, NULL},
    [NEST_LOCK_UNCONTENDED] = {am_sync_nest_lock, am_sync_one, ONE, TEAM, LOCKS, NULL},
    [ORDERED] = {am_sync_ordered, am_sync_each, TEAM, TEAM, TURNS, NULL},
    [DOACROSS] = {am_sync_doacross, am_sync_each, TEAM, TEAM, TURNS, NULL},
    [ATOMIC_ADD_F64] = {am_sync_add_f64, am_sync_add_f64_plain, TEAM, NONE, 0, judge_f64},
    [ATOMIC_SEQ_CST] = {am_sync_seq_cst, am_sync_add_f64_plain, TEAM, NONE, 0, judge_f64},
    [ATOMIC_ADD_I64] = {am_sync_add_i64, am_sync_add_i64_plain, TEAM, NONE, 0, judge_i64},
    [ATOMIC_READ] = {am_sync_read, am_sync_read_plain, ONE, NONE, 0, judge_read},
    [ATOMIC_WRITE] = {am_sync_write, am_sync_write_plain, ONE, NONE, 0, judge_write},
    [ATOMIC_CAPTURE] = {am_sync_capture, am_sync_capture_plain, TEAM, NONE, 0, judge_capture},
    [MASKED_BARRIER] = {am_sync_masked, am_sync_one, ONE, ONE, 0, NULL},
    [SCOPE_REDUCTION] = {am_sync_scope, am_sync_one, ONE, TEAM, 0, judge_reduction},
    [LOOP] = {am_sync_loop, am_sync_one, ONE, TEAM, 0, NULL},
    [SCAN] = {am_sync_scan, am_sync_one, ONE, TEAM, 0, judge_scan},
    [REDUCTION_USER] = {am_sync_reduction_user, am_sync_one, ONE, TEAM, 0, judge_peak},
    [CANCEL] = {am_sync_cancel, am_sync_one, ONE, TEAM, CANCELS, NULL},
    [CANCELLATION_POINT] = {am_sync_cancellation_point, am_sync_one, ONE, TEAM, CANCELS, NULL},
    [FLUSH] = {am_sync_flush, am_sync_one, ONE, TEAM, 0, NULL},
    [FOR_SIMD] = {am_sync_for_simd, am_sync_one, ONE, TEAM, 0, NULL},
    [ALLOCATE] = {am_sync_allocate, am_sync_one, ONE, TEAM, 0, NULL},
};

/* What the overhead is held against, in words that are stored with the result. */
static const struct {
    am_overhead_fn *reference;
    const char *text;
} references[] = {
    {am_sync_one, "the delay of one directive, on one thread"},
    {am_sync_each, "the delay of one entry, on one thread: entries follow each other"},
    {am_sync_divided, "the delays of all sections on one thread, divided by the threads"},
    {am_sync_add_f64_plain, "a plain addition in memory on one thread: updates follow each other"},
    {am_sync_add_i64_plain, "a plain addition in memory on one thread: updates follow each other"},
    {am_sync_read_plain, "a plain read on one thread: threads read side by side"},
    {am_sync_write_plain, "a plain store on one thread: threads store side by side"},
    {am_sync_capture_plain, "a plain read and addition on one thread: they follow each other"},
};

static void note_reference(const struct am_ctx *ctx, am_overhead_fn *reference)
{
    for (size_t i = 0; i < sizeof(references) / sizeof(*references); i++) {
        if (references[i].reference == reference)
            am_ctx_note(ctx, "reference", "%s", references[i].text);
    }
}

struct state {
    struct am_sync sync; /* first: what the constructs get */
    const struct row *row;
    struct am_overhead overhead;
};

static uint64_t count(const struct am_sync *s, enum count how)
{
    const uint64_t counts[] = {[NONE] = 0,
                               [ONE] = 1,
                               [TEAM] = (uint64_t)s->omp.threads,
                               [ALL_SECTIONS] = AM_SYNC_SECTIONS};

    return counts[how];
}

/* What this point cannot be measured for; AM_OK when it can. */
static enum am_status refuse(const struct row *row, int threads, struct am_err *err)
{
    if (!row->construct)
        return am_fail(err, AM_E_ABSENT, "this worker's compiler does not know %s",
                       constructs[row - rows]);
    if ((row->traits & CONTENDS) && threads < 2)
        return am_fail(err, AM_E_ABSENT, "%s needs a second thread", constructs[row - rows]);
    if ((row->traits & CANCELS) && !omp_get_cancellation())
        return am_fail(err, AM_E_ABSENT, "cancellation is off: set OMP_CANCELLATION=true");
    return AM_OK;
}

/* libomp 14 serves gcc's doacross loops of several threads, and reads a null pointer with one. */
static bool crashes(const struct am_value *point)
{
    return point[CONSTRUCT].i == DOACROSS && point[COMMON + AM_OMP_THREADS].i == 1 &&
           strcmp(am_omp_runtimes[0], "libomp-gcc") == 0;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct state *const st = state;
    struct am_sync *const s = &st->sync;
    enum am_status status = am_omp_open(&s->omp, ctx, point + COMMON, err);

    if (status != AM_OK)
        return status;
    if (point[DELAY].i < 0)
        return am_fail(err, AM_E_ABSENT, "a delay of %lld cycles", (long long)point[DELAY].i);
    if (crashes(point))
        return am_fail(err, AM_E_ABSENT, "libomp crashes in gcc's doacross loops of one thread");
    st->row = &rows[point[CONSTRUCT].i];
    status = refuse(st->row, s->omp.threads, err);
    if (status != AM_OK)
        return status;
    note_reference(ctx, st->row->reference);
    s->delay = (uint64_t)point[DELAY].i;
    s->shared = aligned_alloc(_Alignof(struct am_sync_shared), sizeof(*s->shared));
    if (!s->shared)
        return am_fail(err, AM_E_NOMEM, "no memory for shared variables");
    memset(s->shared, 0, sizeof(*s->shared));
    if (st->row->traits & LOCKS)
        status = am_sync_locks_new(s, (st->row->traits & HINTS) == HINTS, err);
    st->overhead = (struct am_overhead){
        .construct = st->row->construct,
        .reference = st->row->reference,
        .units = (double)count(s, st->row->units),
    };
    work->ops = st->overhead.units;
    return status;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct state *const st = state;

    (void)err;
    am_overhead_run(&st->overhead, &st->sync, st->sync.omp.clock, iters, batch, NULL);
    return AM_OK;
}

/* Runs what is timed once more under observation. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct state *const st = state;
    struct am_sync *const s = &st->sync;
    const struct row *const row = st->row;
    const struct am_check_promise promise = {.works = CHECKED * count(s, row->works),
                                             .excludes = row->traits & EXCLUDES,
                                             .orders = row->traits & ORDERS,
                                             .hands_over = row->traits & CONTENDS};
    enum am_status status;

    *s->shared = (struct am_sync_shared){.f64 = KEY, .i64 = KEY};
    memset(s->totals, 0, sizeof(s->totals));
    am_check_begin(&s->check);
    row->construct(s, CHECKED);
    status = am_check_end(&s->check, &promise, residual, err);
    if (status == AM_OK && row->judge && !row->judge(s, CHECKED)) {
        *residual = 1;
        status = am_fail(err, AM_E_WRONG, "%s leaves a wrong value behind", constructs[row - rows]);
    }
    return status;
}

static void finish(void *state)
{
    struct state *const st = state;

    am_sync_locks_free(&st->sync);
    free(st->sync.shared);
}

static const struct am_axis axes[] = {
    [CONSTRUCT] =
        {.name = "construct",
         .kind = AM_AXIS_NAME,
         .dflt = "all",
         .quick = "parallel,for,barrier,single,reduction,critical_contended,lock_contended,ordered,"
                  "atomic_add_f64",
         .choices = constructs,
         .help = "what the threads meet at"},
    [DELAY] = {.name = "delay",
               .kind = AM_AXIS_INT,
               .unit = "cycle",
               .dflt = "300",
               .help = "work at each directive; of the order of the overhead, or that drowns"},
    AM_OMP_AXIS_ROWS(COMMON),
    [COMMON + AM_OMP_AXES] = {.name = NULL},
};

static const struct am_metric metrics[] = {AM_OVERHEAD_METRIC_ROWS, {.name = NULL}};

const struct am_bench am_bench_omp_sync = {
    .name = "omp.sync",
    .summary = "overhead of OpenMP's synchronisation constructs",
    .version = 2,
    .target = AM_OVERHEAD_TARGET,
    .axes = axes,
    .metrics = metrics,
    .systematic = am_overhead_systematic,
    .state_size = sizeof(struct state),
    .points_per_launch = 32,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
