/* SPDX-License-Identifier: MIT */
/* Calls to libgomp that pass through: functions of the same names, which the loader finds first.
 *
 * Each counts and calls the real one, which is looked up once. Where the runtime counts by
 * callbacks (gcc's code on libomp), or nothing is to be counted, it only calls. The declarations
 * are those of gcc's calling interface, which is stable: libgomp's symbols are versioned. */
#include "bench/omp/count/count.h"

#include <stddef.h>

typedef void body_fn(void *data);

static bool counts(void)
{
    return am_ompcount_way() == AM_OMPCOUNT_CALLS;
}

/* ---- regions ---- */

/* What each thread of a team calls in place of the program's function. */
struct call {
    body_fn *fn;
    void *data;
};

static int team_size(void)
{
    static int (*real)(void);

    AM_OMPCOUNT_FIND(real, "omp_get_num_threads");
    return real();
}

static int next_team_size(unsigned wanted)
{
    static int (*real)(void);

    AM_OMPCOUNT_FIND(real, "omp_get_max_threads");
    return wanted ? (int)wanted : real();
}

static const void *place_of(body_fn *fn)
{
    union {
        body_fn *fn;
        const void *place;
    } both = {.fn = fn};

    return both.place;
}

static void do_body(void *data)
{
    const struct call *const call = data;
    const int outer = am_ompcount_begin_body(place_of(call->fn), team_size());

    call->fn(call->data);
    am_ompcount_end_body(outer);
}

/* A function that starts a team: its parameters beside the program's function, their names, and
 * what is done with the result. */
#define REGION(symbol, result, keep, give, parameters, ...)                                        \
    result am_ompcount_##symbol(body_fn *fn, void *data, unsigned threads,                         \
                                parameters) __asm__("GOMP_" #symbol);                              \
    result am_ompcount_##symbol(body_fn *fn, void *data, unsigned threads, parameters)             \
    {                                                                                              \
        static result (*real)(body_fn *, void *, unsigned, parameters);                            \
        const struct call call = {fn, data};                                                       \
        const bool counted = counts();                                                             \
        const void *before;                                                                        \
                                                                                                   \
        AM_OMPCOUNT_FIND(real, "GOMP_" #symbol);                                                   \
        if (counted)                                                                               \
            am_ompcount_begin_region(place_of(fn), next_team_size(threads));                       \
        before = am_ompcount_pass(place_of(fn));                                                   \
        keep real(counted ? do_body : fn, counted ? (void *)(uintptr_t)&call : data, threads,      \
                  __VA_ARGS__);                                                                    \
        (void)am_ompcount_pass(before);                                                            \
        if (counted)                                                                               \
            am_ompcount_end_region();                                                              \
        give;                                                                                      \
    }

#define COMMA ,
#define PLAIN unsigned flags
#define LOOP long first COMMA long end COMMA long step COMMA long chunk COMMA unsigned flags
#define RUNTIME_LOOP long first COMMA long end COMMA long step COMMA unsigned flags
#define SECTIONS unsigned count COMMA unsigned flags
#define NO_RESULT (void)0

REGION(parallel, void, , NO_RESULT, PLAIN, flags)
REGION(parallel_reductions, unsigned, const unsigned got =, return got, PLAIN, flags)
REGION(parallel_sections, void, , NO_RESULT, SECTIONS, count, flags)
REGION(parallel_loop_static, void, , NO_RESULT, LOOP, first, end, step, chunk, flags)
REGION(parallel_loop_dynamic, void, , NO_RESULT, LOOP, first, end, step, chunk, flags)
REGION(parallel_loop_guided, void, , NO_RESULT, LOOP, first, end, step, chunk, flags)
REGION(parallel_loop_nonmonotonic_dynamic, void, , NO_RESULT, LOOP, first, end, step, chunk, flags)
REGION(parallel_loop_nonmonotonic_guided, void, , NO_RESULT, LOOP, first, end, step, chunk, flags)
REGION(parallel_loop_runtime, void, , NO_RESULT, RUNTIME_LOOP, first, end, step, flags)
REGION(parallel_loop_nonmonotonic_runtime, void, , NO_RESULT, RUNTIME_LOOP, first, end, step, flags)
REGION(parallel_loop_maybe_nonmonotonic_runtime, void, , NO_RESULT, RUNTIME_LOOP, first, end, step,
       flags)

/* ---- waiting and excluding ---- */

/* A call without parameters that is counted from begin to end. */
#define SIMPLE(symbol, kind, result, keep, give)                                                   \
    result am_ompcount_##symbol(void) __asm__("GOMP_" #symbol);                                    \
    result am_ompcount_##symbol(void)                                                              \
    {                                                                                              \
        static result (*real)(void);                                                               \
        const bool counted = am_ompcount_enter(kind, __builtin_return_address(0));                 \
        const void *before;                                                                        \
                                                                                                   \
        AM_OMPCOUNT_FIND(real, "GOMP_" #symbol);                                                   \
        before = am_ompcount_pass(__builtin_return_address(0));                                    \
        keep real();                                                                               \
        (void)am_ompcount_pass(before);                                                            \
        if (counted)                                                                               \
            am_ompcount_end(kind);                                                                 \
        give;                                                                                      \
    }

SIMPLE(barrier, AM_OMPCOUNT_BARRIER, void, , NO_RESULT)
SIMPLE(barrier_cancel, AM_OMPCOUNT_BARRIER, bool, const bool got =, return got)
SIMPLE(loop_end, AM_OMPCOUNT_BARRIER, void, , NO_RESULT)
SIMPLE(loop_end_cancel, AM_OMPCOUNT_BARRIER, bool, const bool got =, return got)
SIMPLE(sections_end, AM_OMPCOUNT_BARRIER, void, , NO_RESULT)
SIMPLE(sections_end_cancel, AM_OMPCOUNT_BARRIER, bool, const bool got =, return got)
SIMPLE(single_start, AM_OMPCOUNT_SINGLE, bool, const bool got =, return got)
SIMPLE(single_copy_start, AM_OMPCOUNT_SINGLE, void *, void *const got =, return got)
SIMPLE(critical_start, AM_OMPCOUNT_CRITICAL, void, , NO_RESULT)
SIMPLE(atomic_start, AM_OMPCOUNT_ATOMIC, void, , NO_RESULT)
SIMPLE(ordered_start, AM_OMPCOUNT_ORDERED, void, , NO_RESULT)
SIMPLE(sections_next, AM_OMPCOUNT_CHUNK, unsigned, const unsigned got =, return got)
SIMPLE(taskwait, AM_OMPCOUNT_TASKWAIT, void, , NO_RESULT)
SIMPLE(taskgroup_end, AM_OMPCOUNT_TASKGROUP, void, , NO_RESULT)

/* A call with one pointer. */
#define OF_POINTER(function, symbol, kind, enter)                                                  \
    void am_ompcount_##function(void *lock) __asm__(symbol);                                       \
    void am_ompcount_##function(void *lock)                                                        \
    {                                                                                              \
        static void (*real)(void *);                                                               \
        const bool counted = enter;                                                                \
        const void *before;                                                                        \
                                                                                                   \
        AM_OMPCOUNT_FIND(real, symbol);                                                            \
        before = am_ompcount_pass(__builtin_return_address(0));                                    \
        real(lock);                                                                                \
        (void)am_ompcount_pass(before);                                                            \
        if (counted)                                                                               \
            am_ompcount_end(kind);                                                                 \
    }

#define ASKS(kind) am_ompcount_enter(kind, __builtin_return_address(0))
/* Callbacks tell when a lock was given up, and not when that began. */
#define LEAVES am_ompcount_enter_either(AM_OMPCOUNT_LEAVE, NULL)

OF_POINTER(critical_name_start, "GOMP_critical_name_start", AM_OMPCOUNT_CRITICAL,
           ASKS(AM_OMPCOUNT_CRITICAL))
OF_POINTER(set_lock, "omp_set_lock", AM_OMPCOUNT_LOCK, ASKS(AM_OMPCOUNT_LOCK))
OF_POINTER(set_nest_lock, "omp_set_nest_lock", AM_OMPCOUNT_LOCK, ASKS(AM_OMPCOUNT_LOCK))
OF_POINTER(critical_name_end, "GOMP_critical_name_end", AM_OMPCOUNT_LEAVE, LEAVES)
OF_POINTER(unset_lock, "omp_unset_lock", AM_OMPCOUNT_LEAVE, LEAVES)
OF_POINTER(unset_nest_lock, "omp_unset_nest_lock", AM_OMPCOUNT_LEAVE, LEAVES)

void am_ompcount_critical_end(void) __asm__("GOMP_critical_end");
void am_ompcount_critical_end(void)
{
    static void (*real)(void);
    const bool counted = LEAVES;

    AM_OMPCOUNT_FIND(real, "GOMP_critical_end");
    real();
    if (counted)
        am_ompcount_end(AM_OMPCOUNT_LEAVE);
}

/* ---- loops ---- */

#define NEXT(word, number)                                                                         \
    bool am_ompcount_##word##_next(number *first, number *end) __asm__("GOMP_" #word "_next");     \
    bool am_ompcount_##word##_next(number *first, number *end)                                     \
    {                                                                                              \
        static bool (*real)(number *, number *);                                                   \
        const bool counted = am_ompcount_enter(AM_OMPCOUNT_CHUNK, __builtin_return_address(0));    \
        bool got;                                                                                  \
                                                                                                   \
        AM_OMPCOUNT_FIND(real, "GOMP_" #word "_next");                                             \
        got = real(first, end);                                                                    \
        if (counted)                                                                               \
            am_ompcount_end(AM_OMPCOUNT_CHUNK);                                                    \
        return got;                                                                                \
    }
#define NEXT_BOTH(word)                                                                            \
    NEXT(loop_##word, long)                                                                        \
    NEXT(loop_ull_##word, unsigned long long)

NEXT_BOTH(static)
NEXT_BOTH(dynamic)
NEXT_BOTH(guided)
NEXT_BOTH(runtime)
NEXT_BOTH(nonmonotonic_dynamic)
NEXT_BOTH(nonmonotonic_guided)
NEXT_BOTH(nonmonotonic_runtime)
NEXT_BOTH(maybe_nonmonotonic_runtime)
NEXT_BOTH(ordered_static)
NEXT_BOTH(ordered_dynamic)
NEXT_BOTH(ordered_guided)
NEXT_BOTH(ordered_runtime)

/* ---- tasks ---- */

/* The last parameter is of libgomp 11 and later; older ones do not look at it. */
#define TASK                                                                                       \
    body_fn *fn, void *data, void (*copy)(void *, void *), long size, long align, bool deferred,   \
        unsigned flags, void **depend, int priority, void *detach

void am_ompcount_task(TASK) __asm__("GOMP_task");
void am_ompcount_task(TASK)
{
    static void (*real)(TASK);
    const bool counted = am_ompcount_enter(AM_OMPCOUNT_TASK, place_of(fn));
    const void *before;

    AM_OMPCOUNT_FIND(real, "GOMP_task");
    before = am_ompcount_pass(place_of(fn));
    real(fn, data, copy, size, align, deferred, flags, depend, priority, detach);
    (void)am_ompcount_pass(before);
    if (counted)
        am_ompcount_end(AM_OMPCOUNT_TASK);
}
