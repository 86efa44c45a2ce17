/* SPDX-License-Identifier: MIT */
/* Loops that take cache, memory or time, one process per CPU. */
#include "bench/exec/interference.h"

#include "base/clock.h"
#include "core/protocol/protocol.h"
#include "kernels/isa.h"
#include "kernels/stream.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

enum {
    CHUNK = 256 * 1024,              /* bytes between two looks at the counters */
    MEMORY_MULTIPLE = 4,             /* of the largest cache, all processes together */
    MEMORY_LEAST = 64 * 1024 * 1024, /* bytes per process */
    MEMORY_PAST = 16 * 1024 * 1024,  /* the same where stores go past the caches */
    HUGE_PAGE = 2 * 1024 * 1024,
    SPINS = 100000,
    LINE = 64,    /* counters of two processes in one line would be a disturbance of its own */
    WAIT_S = 30,  /* for all to begin */
    NICE_MAX = 19 /* the weakest that the scheduler knows */
};

static const double nice_step = 1.25; /* each step of nice(2) is this factor of weight */

struct am_interference_counts {
    _Alignas(LINE) _Atomic uint64_t bytes;
    _Atomic uint64_t cpu_ns;
    atomic_bool ready;
};

struct am_interference_cpus am_interference_split(const int *cpus, size_t n)
{
    const size_t program = (n + 1) / 2;

    return (struct am_interference_cpus){.program = cpus,
                                         .n_program = program,
                                         .others = n ? cpus + program : cpus,
                                         .n_others = n - program};
}

/* ---- in a process of its own ---- */

struct job {
    struct am_beside beside;
    struct am_interference_counts *counts;
    size_t bytes; /* of its buffer; 0: none */
};

static uint64_t cpu_ns(void)
{
    struct timespec t;

    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0
               ? (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec
               : 0;
}

static void tell(const struct job *job, uint64_t bytes)
{
    (void)atomic_fetch_add_explicit(&job->counts->bytes, bytes, memory_order_relaxed);
    atomic_store_explicit(&job->counts->cpu_ns, cpu_ns(), memory_order_relaxed);
}

/* Dependent multiplications: nothing leaves the core. */
static void spin(const struct job *job)
{
    volatile uint64_t kept = 1;
    uint64_t x = kept;

    for (unsigned i = 0; i < SPINS; i++)
        x = x * UINT64_C(6364136223846793005) + 1;
    kept = x;
    tell(job, 0);
}

/* The widest loop that this CPU runs. */
static const struct am_stream_variant *widest(void)
{
    const struct am_stream_variant *found = am_stream_find("scalar");

    for (size_t i = 0; am_isa_names[i]; i++) {
        if (!am_isa_why_not(am_isa_names[i]))
            found = am_stream_find(am_isa_names[i]);
    }
    return found;
}

/* Traffic is stores past the caches where the processor has such: they take bandwidth and none of
 * the program's cache. */
static am_stream_fn *loop_of(enum am_stream_kernel kernel)
{
    const struct am_stream_variant *const v = widest();

    return kernel == AM_STREAM_write && v->fn[kernel][1] ? v->fn[kernel][1] : v->fn[kernel][0];
}

/* Works without an end, chunk by chunk; what it does is chosen by the kind. */
static void walk(const struct job *job, double *buffer, enum am_stream_kernel kernel)
{
    am_stream_fn *const loop = loop_of(kernel);
    const size_t n = job->bytes / sizeof(*buffer);
    const size_t chunk = n < CHUNK / sizeof(*buffer) ? n : CHUNK / sizeof(*buffer);
    const double pause =
        job->beside.kind == AM_BESIDE_MEMORY ? 100 / (double)job->beside.amount - 1 : 0;

    for (size_t at = 0;; at = at + 2 * chunk <= n ? at + chunk : 0) {
        const uint64_t begin = am_now_ns();
        struct am_stream_args args = {.a = buffer + at, .n = chunk, .passes = 1, .s = 1};
        uint64_t took;

        loop(&args);
        tell(job, chunk * sizeof(*buffer));
        took = am_now_ns() - begin;
        while (am_now_ns() - begin < took + (uint64_t)(pause * (double)took))
            continue;
    }
}

/* In large pages where there are some, from a multiple of their size on. */
static void *fresh_memory(size_t bytes)
{
    char *const p =
        mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *first;

    if (p == MAP_FAILED)
        return NULL;
    first = p + (HUGE_PAGE - (uintptr_t)p % HUGE_PAGE) % HUGE_PAGE;
    (void)madvise(first, bytes, MADV_HUGEPAGE);
    memset(first, 1, bytes);
    return first;
}

static int work(void *self)
{
    const struct job *const job = self;
    double *const buffer = job->bytes ? fresh_memory(job->bytes) : NULL;

    if (job->beside.kind == AM_BESIDE_SHARE) {
        const double part = (double)job->beside.amount / 100;
        const int nicer = (int)lround(log((1 - part) / part) / log(nice_step));

        (void)setpriority(PRIO_PROCESS, 0, nicer < NICE_MAX ? nicer : NICE_MAX);
    }
    if (job->bytes && !buffer)
        return 1;
    atomic_store(&job->counts->ready, true);
    if (job->beside.kind == AM_BESIDE_CACHE)
        walk(job, buffer, AM_STREAM_read);
    if (job->beside.kind == AM_BESIDE_MEMORY)
        walk(job, buffer, AM_STREAM_write);
    for (;;)
        spin(job);
    return 0;
}

/* ---- in the worker ---- */

/* x86 promises that stores past the caches reach memory; elsewhere they are a hint. */
#ifdef __x86_64__
static const bool goes_past = true;
#else
static const bool goes_past = false;
#endif

/* Where they do, a buffer of any size is traffic. A large buffer is made anew for every execution,
 * which takes longer than most programs, and takes the pages that the program would have got. */
static uint64_t traffic_bytes(size_t cpus, uint64_t cache)
{
    const uint64_t beyond = MEMORY_MULTIPLE * cache / cpus;

    if (goes_past && widest()->fn[AM_STREAM_write][1])
        return MEMORY_PAST;
    return beyond > MEMORY_LEAST ? beyond : MEMORY_LEAST;
}

static size_t buffer_of(const struct am_beside *beside, size_t cpus, uint64_t cache)
{
    const uint64_t line = LINE;
    uint64_t bytes = 0;

    if (beside->kind == AM_BESIDE_CACHE)
        bytes = beside->amount / cpus;
    if (beside->kind == AM_BESIDE_MEMORY)
        bytes = traffic_bytes(cpus, cache);
    bytes = bytes / line * line;
    return beside->kind == AM_BESIDE_CACHE && bytes == 0 ? (size_t)line : (size_t)bytes;
}

static bool all_ready(const struct am_interference *i)
{
    size_t ready = 0;

    for (size_t k = 0; k < i->n; k++)
        ready += atomic_load(&i->counts[k].ready);
    return ready == i->n;
}

static enum am_status await_all(struct am_interference *i, struct am_err *err)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    const uint64_t begin = am_now_ns();

    while (!all_ready(i)) {
        for (size_t k = 0; k < i->n; k++) {
            if (am_child_ended(&i->children[k]))
                return am_fail(err, AM_E_ABSENT, "no memory for what runs beside the program");
        }
        if (am_now_ns() - begin > WAIT_S * UINT64_C(1000000000))
            return am_fail(err, AM_E_WRONG, "what runs beside the program did not begin in %d s",
                           WAIT_S);
        (void)nanosleep(&moment, NULL);
    }
    return AM_OK;
}

enum am_status am_interference_start(struct am_interference *i, const struct am_beside *beside,
                                     const struct am_interference_cpus *cpus, uint64_t cache,
                                     struct am_err *err)
{
    const bool own = beside->kind == AM_BESIDE_SHARE;
    const int *const on = own ? cpus->program : cpus->others;
    size_t n = own ? cpus->n_program : cpus->n_others;
    struct job job = {.beside = *beside};
    enum am_status s = AM_OK;

    n = n < AM_INTERFERENCE_CPUS_MAX ? n : AM_INTERFERENCE_CPUS_MAX;
    if (beside->kind == AM_BESIDE_NONE)
        return AM_OK;
    if (n == 0)
        return am_fail(err, AM_E_ABSENT, "one CPU: there is none beside the program's");
    job.bytes = buffer_of(beside, n, cache);
    i->children = calloc(n, sizeof(*i->children));
    i->mapped = n * sizeof(*i->counts);
    i->counts = mmap(NULL, i->mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (i->counts == MAP_FAILED)
        i->counts = NULL;
    if (!i->children || !i->counts)
        return am_fail(err, AM_E_NOMEM, "no memory for what runs beside the program");
    for (; s == AM_OK && i->n < n; i->n += s == AM_OK) {
        /* the conductor must not wait for what they hold open */
        static const struct am_child_fd closed = {AM_PROTOCOL_FD, AM_CHILD_CLOSED};
        const struct am_child_plan plan = {.body = work,
                                           .self = &job,
                                           .fds = &closed,
                                           .n_fds = 1,
                                           .cpus = &on[i->n],
                                           .n_cpus = 1,
                                           .apart = true};

        job.counts = &i->counts[i->n];
        s = am_child_start(&plan, &i->children[i->n], err);
    }
    return s == AM_OK ? await_all(i, err) : s;
}

struct am_interference_taken am_interference_read(const struct am_interference *i)
{
    struct am_interference_taken t = {.at_s = (double)am_now_ns() * 1e-9, .cpus = i->n};

    for (size_t k = 0; k < i->n; k++) {
        t.bytes += (double)atomic_load_explicit(&i->counts[k].bytes, memory_order_relaxed);
        t.cpu_s += (double)atomic_load_explicit(&i->counts[k].cpu_ns, memory_order_relaxed) * 1e-9;
    }
    return t;
}

void am_interference_stop(struct am_interference *i)
{
    for (size_t k = 0; k < i->n; k++)
        am_child_kill(&i->children[k]);
    if (i->counts)
        (void)munmap(i->counts, i->mapped);
    free(i->children);
    *i = (struct am_interference){0};
}
