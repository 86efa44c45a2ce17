/* SPDX-License-Identifier: MIT */
/* Calls of clang's code, and of its kin's, that pass through: functions of the same names, which
 * the loader finds first.
 *
 * Where the runtime calls back (OMPT) they only call, but for what it does not tell of: chunks of
 * loops, and giving up a critical section. Where it does not, because it was built without OMPT or
 * tools are switched off, they count what the callbacks would. `source` is the place in the
 * program's text, which nobody looks at; `thread` is the runtime's own number of the thread. */
#include "bench/omp/count/count.h"

#include <stdarg.h>
#include <stddef.h>

/* ---- regions ---- */

enum { WORDS_MAX = 24 }; /* that a region has from outside; with more it is not counted by calls */

/* What each thread of a team calls: its numbers, then words of the program, each a pointer or a
 * number of that size. */
typedef void micro_fn(int *thread, int *in_team, ...);

/* By the calling conventions of the machines below, a function that is called with more words than
 * it takes does not see them, and the caller puts them away. */
#define SIX_WORDS void *, void *, void *, void *, void *, void *
typedef void full_fn(int *thread, int *in_team, SIX_WORDS, SIX_WORDS, SIX_WORDS, SIX_WORDS);

struct call {
    micro_fn *fn;
    const void *place;
    void *words[WORDS_MAX];
};

static int team_size(void)
{
    static int (*real)(void);

    AM_OMPCOUNT_FIND(real, "omp_get_num_threads");
    return real();
}

/* Of a clause num_threads, which is told ahead of its region; 0: there was none. */
static __thread int stated_size;

static int next_team_size(void)
{
    static int (*real)(void);
    const int stated = stated_size;

    AM_OMPCOUNT_FIND(real, "omp_get_max_threads");
    stated_size = 0;
    return stated > 0 ? stated : real();
}

void am_ompcount_push_num_threads(void *source, int thread,
                                  int threads) __asm__("__kmpc_push_num_threads");
void am_ompcount_push_num_threads(void *source, int thread, int threads)
{
    static void (*real)(void *, int, int);

    AM_OMPCOUNT_FIND(real, "__kmpc_push_num_threads");
    stated_size = threads;
    real(source, thread, threads);
}

static void do_body(int *thread, int *in_team, ...)
{
    const struct call *call;
    void *const *w;
    va_list words;
    int outer;

    va_start(words, in_team);
    call = va_arg(words, const struct call *);
    va_end(words);
    w = call->words;
    outer = am_ompcount_begin_body(call->place, team_size());
    ((full_fn *)(am_ompcount_fn *)call->fn)(
        thread, in_team, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11],
        w[12], w[13], w[14], w[15], w[16], w[17], w[18], w[19], w[20], w[21], w[22], w[23]);
    am_ompcount_end_body(outer);
}

typedef void fork_fn(void *source, int count, micro_fn *fn, ...);

static fork_fn *real_fork(void)
{
    static fork_fn *real;

    AM_OMPCOUNT_FIND(real, "__kmpc_fork_call");
    return real;
}

#if defined(__x86_64__) || defined(__aarch64__)

static void fork_counted(void *source, int count, micro_fn *fn, ...)
{
    struct call call = {.fn = fn, .place = __builtin_return_address(0)};
    va_list words;

    va_start(words, fn);
    for (int i = 0; i < count; i++)
        call.words[i] = va_arg(words, void *);
    va_end(words);
    am_ompcount_begin_region(call.place, next_team_size());
    real_fork()(source, 1, do_body, &call);
    am_ompcount_end_region();
}

/* Who serves a region: the runtime, or what counts. Called below. */
#pragma GCC visibility push(hidden)
fork_fn *am_ompcount_fork_target(const void *source, int count);
#pragma GCC visibility pop
fork_fn *am_ompcount_fork_target(const void *source, int count)
{
    (void)source;
    return am_ompcount_way() == AM_OMPCOUNT_CALLS && count <= WORDS_MAX ? fork_counted
                                                                        : real_fork();
}

/* A function that takes any number of words cannot hand all of them on in C: the registers that
 * have them are kept while it is asked who serves the call, which then goes there as it came. */
#if defined(__x86_64__)
__asm__(".text\n"
        ".globl __kmpc_fork_call\n"
        ".type __kmpc_fork_call, @function\n"
        "__kmpc_fork_call:\n"
        "endbr64\n"
        "push %rdi\n push %rsi\n push %rdx\n push %rcx\n push %r8\n push %r9\n push %rax\n"
        "call am_ompcount_fork_target\n"
        "mov %rax, %r11\n"
        "pop %rax\n pop %r9\n pop %r8\n pop %rcx\n pop %rdx\n pop %rsi\n pop %rdi\n"
        "jmp *%r11\n"
        ".size __kmpc_fork_call, . - __kmpc_fork_call\n");
#else
__asm__(".text\n"
        ".globl __kmpc_fork_call\n"
        ".type __kmpc_fork_call, %function\n"
        "__kmpc_fork_call:\n"
        "stp x0, x1, [sp, #-80]!\n"
        "stp x2, x3, [sp, #16]\n stp x4, x5, [sp, #32]\n stp x6, x7, [sp, #48]\n"
        "str x30, [sp, #64]\n"
        "bl am_ompcount_fork_target\n"
        "mov x16, x0\n"
        "ldr x30, [sp, #64]\n"
        "ldp x6, x7, [sp, #48]\n ldp x4, x5, [sp, #32]\n ldp x2, x3, [sp, #16]\n"
        "ldp x0, x1, [sp], #80\n"
        "br x16\n"
        ".size __kmpc_fork_call, . - __kmpc_fork_call\n");
#endif
#endif

/* ---- waiting and excluding ---- */

/* A call that is counted from begin to end. */
#define CALL(symbol, kind, enter, parameters, names)                                               \
    int am_ompcount_##symbol parameters __asm__("__kmpc_" #symbol);                                \
    int am_ompcount_##symbol parameters                                                            \
    {                                                                                              \
        static int(*real) parameters;                                                              \
        const bool counted = enter(kind, __builtin_return_address(0));                             \
        const void *before;                                                                        \
        int got;                                                                                   \
                                                                                                   \
        AM_OMPCOUNT_FIND(real, "__kmpc_" #symbol);                                                 \
        before = am_ompcount_pass(__builtin_return_address(0));                                    \
        got = real names;                                                                          \
        (void)am_ompcount_pass(before);                                                            \
        if (counted)                                                                               \
            am_ompcount_end(kind);                                                                 \
        return got; /* of those that return nothing, whatever is there: nobody looks at it */      \
    }

#define PLAIN (void *source, int thread)
#define PLAIN_NAMES (source, thread)
#define NAMED (void *source, int thread, void *name)
#define NAMED_NAMES (source, thread, name)
#define HINTED (void *source, int thread, void *name, uint32_t hint)
#define HINTED_NAMES (source, thread, name, hint)
#define DEPENDENT                                                                                  \
    (void *source, int thread, void *task, int count, void *list, int other_count, void *others)
#define DEPENDENT_NAMES (source, thread, task, count, list, other_count, others)

CALL(barrier, AM_OMPCOUNT_BARRIER, am_ompcount_enter, PLAIN, PLAIN_NAMES)
CALL(cancel_barrier, AM_OMPCOUNT_BARRIER, am_ompcount_enter, PLAIN, PLAIN_NAMES)
CALL(single, AM_OMPCOUNT_SINGLE, am_ompcount_enter, PLAIN, PLAIN_NAMES)
CALL(ordered, AM_OMPCOUNT_ORDERED, am_ompcount_enter, PLAIN, PLAIN_NAMES)
CALL(critical, AM_OMPCOUNT_CRITICAL, am_ompcount_enter, NAMED, NAMED_NAMES)
CALL(critical_with_hint, AM_OMPCOUNT_CRITICAL, am_ompcount_enter, HINTED, HINTED_NAMES)
CALL(omp_task, AM_OMPCOUNT_TASK, am_ompcount_enter, NAMED, NAMED_NAMES)
CALL(omp_task_with_deps, AM_OMPCOUNT_TASK, am_ompcount_enter, DEPENDENT, DEPENDENT_NAMES)
CALL(omp_taskwait, AM_OMPCOUNT_TASKWAIT, am_ompcount_enter, PLAIN, PLAIN_NAMES)
CALL(end_taskgroup, AM_OMPCOUNT_TASKGROUP, am_ompcount_enter, PLAIN, PLAIN_NAMES)

/* Where they lie is of no interest: their time is. */
static bool enter_leave(enum am_ompcount_kind kind, const void *place)
{
    (void)place;
    return am_ompcount_enter_either(kind, NULL);
}

CALL(end_critical, AM_OMPCOUNT_LEAVE, enter_leave, NAMED, NAMED_NAMES)

/* ---- chunks ---- */

#define NEXT(word, number)                                                                         \
    CALL(dispatch_next_##word, AM_OMPCOUNT_CHUNK, am_ompcount_enter_either,                        \
         (void *source, int thread, int *last, number *first, number *end, number *step),          \
         (source, thread, last, first, end, step))

NEXT(4, int)
NEXT(4u, unsigned)
NEXT(8, long long)
NEXT(8u, unsigned long long)
