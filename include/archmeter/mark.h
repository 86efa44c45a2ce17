/* SPDX-License-Identifier: MIT */
/* Marks: regions of a program, timed by `archmeter profile -- PROGRAM`.
 *
 *     #include <archmeter/mark.h>
 *
 *     am_mark_begin("solve");
 *     ...
 *     am_mark_end("solve");              or, with the work that was done in between:
 *     am_mark_end_work("solve", flops, bytes_read, bytes_written);
 *
 * One header, nothing to link. Without `archmeter profile` a mark is one branch on a flag. With it,
 * each thread adds its times to a table of its own in a file that is mapped into memory: nothing is
 * locked, no event is kept, and what was measured survives a crash of the program. Where `archmeter
 * profile --counters` asks for it, a mark also reads the thread's event counters (perf_event_open).
 *
 * A region is its name: calls with the same name, from wherever and by whatever thread, are one
 * region. Regions nest: the time of an inner one is part of its outer one's, and no part of the
 * outer one's self time. Of a region that is begun inside itself, directly or not, time counts once
 * and each call counts. A region that is still open when an outer one ends, ends with it;
 * an end without a begin does nothing; both are counted and told. Regions belong to the thread that
 * begins them. A name is compared by its text and may be made at run time; its first 95 bytes
 * count.
 *
 * Defining ARCHMETER_NO_MARKS before the inclusion leaves nothing of the marks. Marks must not be
 * used in signal handlers. C99, C++11 and later, with POSIX (-std=gnu11, or
 * -D_POSIX_C_SOURCE=200809L); Fortran: archmeter_mark.f90 and mark_fortran.c beside this file.
 * Names that end in "_" are not for users. The layout of the file is versioned: programs that were
 * compiled with another version of this header are told apart by archmeter, never misread. */
#ifndef ARCHMETER_MARK_H
#define ARCHMETER_MARK_H

#define AM_MARK_VERSION 2

#if defined(ARCHMETER_NO_MARKS) && !defined(ARCHMETER_MARK_LAYOUT)

#define am_mark_begin(name) ((void)(name))
#define am_mark_end(name) ((void)(name))
#define am_mark_end_work(name, flops, bytes_read, bytes_written)                                   \
    ((void)(name), (void)(flops), (void)(bytes_read), (void)(bytes_written))

#else

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__) && !defined(ARCHMETER_MARK_LAYOUT)
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#endif

#ifndef CLOCK_MONOTONIC
#error "archmeter/mark.h needs POSIX: compile with -std=gnu11, or with -D_POSIX_C_SOURCE=200809L"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if !defined(__cplusplus) && !defined(_DEFAULT_SOURCE) && !defined(_GNU_SOURCE)
long syscall(long number, ...); /* unistd.h hides it from strict programs */
#endif

#define AM_MARK_FUNCTION_ static __attribute__((noinline, unused))
#define AM_MARK_INLINE_ static inline __attribute__((always_inline, unused))

/* The environment variable that turns marks on: "ticks:FOLDER" or "clock:FOLDER". */
#define AM_MARK_VARIABLE "ARCHMETER_MARKS"
#define AM_MARK_MAGIC "ammarks"
/* Events to count at marks: "TYPE:CONFIG:CONFIG1:CONFIG2" each, as perf_event_open(2) takes them,
 * in hexadecimal, with blanks between. */
#define AM_MARK_EVENTS_VARIABLE "ARCHMETER_MARK_EVENTS"

enum {
    AM_MARK_NAME_MAX = 96,     /* bytes of a name, terminator included */
    AM_MARK_FRAMES_MAX = 1024, /* regions that a thread has open at most */
    AM_MARK_NODES_MAX = 16384, /* different regions of a thread at most */
    AM_MARK_NODES_STEP = 256,  /* the file grows by as many */
    AM_MARK_EVENTS_MAX = 8,    /* counted at a time */
    AM_MARK_CACHE_BITS = 12,   /* regions by the address of their name: a miss costs a search */
    AM_MARK_CACHE_SIZE = 1 << AM_MARK_CACHE_BITS,
    AM_MARK_INDEX_SIZE = 2 * AM_MARK_NODES_MAX /* regions by the text of their name */
};

/* Node 0 is the outside of all regions, node 1 takes what there is no room for. */
enum { AM_MARK_OUTSIDE = 0, AM_MARK_OTHERS = 1, AM_MARK_FIRST = 2 };

/* ---- the file: one per thread at a time; a later thread of the process goes on with it ---- */

/* A region as one thread saw it. Times are in ticks of the file's clock. */
struct am_mark_node_ {
    uint64_t calls;      /* that ended */
    uint64_t ticks;      /* from begin to end, of calls that are not inside another of the region */
    uint64_t self_ticks; /* less what inner regions took */
    uint64_t shortest, longest; /* call; 0 and 0 when none ended */
    double flops, bytes_read, bytes_written;
    uint64_t closed;    /* calls that ended because an outer region did */
    uint64_t abandoned; /* calls that ended because their thread or the program did */
    uint32_t open;      /* calls at this moment */
    uint32_t outer;     /* the region around its first call; 0: none */
    uint32_t several;   /* other calls were inside others */
    uint32_t unused;
    uint64_t first_begin, last_end;      /* moments, of all calls */
    uint64_t counts[AM_MARK_EVENTS_MAX]; /* events of this thread, where `ticks` counts */
    char name[AM_MARK_NAME_MAX];
};

struct am_mark_frame_ {
    uint64_t begin, inner_ticks;
    uint32_t node, unused;
    uint64_t counts[AM_MARK_EVENTS_MAX]; /* at the beginning */
};

struct am_mark_file_ {
    char magic[8];
    uint32_t version, node_size, frame_size;
    uint32_t ticks;                /* 1: the processor's counter, 0: nanoseconds */
    int64_t pid, parent_pid, rank; /* rank -1: none */
    uint64_t threads;              /* that used this file, one after the other */
    uint64_t unopened;             /* ends without a begin */
    uint64_t lost;                 /* begins beyond AM_MARK_FRAMES_MAX */
    char first_unopened[AM_MARK_NAME_MAX];
    char program[AM_MARK_NAME_MAX]; /* the end of its path */
    uint32_t depth, lost_depth;
    uint32_t n_nodes, room;          /* nodes that are there; for which the file is long enough */
    uint32_t events;                 /* that are counted; 0: none */
    int32_t events_error;            /* errno of the event that could not be opened; 0: all could */
    uint64_t enabled_ns, running_ns; /* of the events, at the latest reading: they differ where
                                      * the processor has too few counters */
    struct am_mark_frame_ frames[AM_MARK_FRAMES_MAX];
    struct am_mark_node_ nodes[AM_MARK_NODES_MAX]; /* the file ends behind `room` of them */
};

/* Bytes of a file with room for so many nodes. */
AM_MARK_INLINE_ size_t am_mark_length_(size_t nodes)
{
    return sizeof(struct am_mark_file_) -
           (AM_MARK_NODES_MAX - nodes) * sizeof(struct am_mark_node_);
}

/* ---- clocks ---- */

AM_MARK_INLINE_ uint64_t am_mark_ns_(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#if defined(__x86_64__)
#define AM_MARK_HAS_TICKS 1
AM_MARK_INLINE_ uint64_t am_mark_ticks_(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}
#elif defined(__aarch64__)
#define AM_MARK_HAS_TICKS 1
AM_MARK_INLINE_ uint64_t am_mark_ticks_(void)
{
    uint64_t ticks;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}
#else
#define AM_MARK_HAS_TICKS 0
AM_MARK_INLINE_ uint64_t am_mark_ticks_(void)
{
    return am_mark_ns_();
}
#endif

#ifndef ARCHMETER_MARK_LAYOUT /* archmeter itself needs nothing of what follows */

/* ---- what a process keeps ---- */

struct am_mark_key_ {
    const char *name;
    uint64_t node; /* 0: an empty entry */
};

struct am_mark_thread_ {
    struct am_mark_file_ *file;
    int fd, ticks;
    uint32_t events;                  /* that are counted */
    int event[AM_MARK_EVENTS_MAX];    /* descriptors; the first leads the group */
    uint64_t now[AM_MARK_EVENTS_MAX]; /* counts at the mark at hand */
    struct am_mark_thread_ *next;     /* in the list of those that no thread uses */
    struct am_mark_key_ cache[AM_MARK_CACHE_SIZE];
    uint32_t index[AM_MARK_INDEX_SIZE]; /* of nodes, by open addressing; 0: none */
};

struct am_mark_process_ {
    char lock, prepared;
    int files; /* that were tried to be created */
    pthread_key_t key;
    struct am_mark_thread_ *spare;
};

/* One copy per program, whichever of its files has it. */
#define AM_MARK_SHARED_ __attribute__((weak, visibility("default")))

/* 0: off, 1: on, 2: not known yet. */
extern int am_mark_state_;
extern struct am_mark_process_ am_mark_process_;
extern __thread struct am_mark_thread_ *am_mark_self_;
AM_MARK_SHARED_ int am_mark_state_ = 2;
#ifdef __cplusplus
AM_MARK_SHARED_ struct am_mark_process_ am_mark_process_ = {};
#else
AM_MARK_SHARED_ struct am_mark_process_ am_mark_process_ = {0};
#endif
AM_MARK_SHARED_ __thread struct am_mark_thread_ *am_mark_self_ = NULL;

AM_MARK_INLINE_ uint64_t am_mark_now_(const struct am_mark_thread_ *t)
{
    return t->ticks ? am_mark_ticks_() : am_mark_ns_();
}

AM_MARK_FUNCTION_ void am_mark_copy_(char *to, const char *from)
{
    size_t n = 0;

    for (; n + 1 < AM_MARK_NAME_MAX && from[n]; n++)
        to[n] = from[n];
    to[n] = '\0';
}

AM_MARK_INLINE_ int am_mark_same_(const char *stored, const char *name)
{
    return strncmp(stored, name, AM_MARK_NAME_MAX - 1) == 0;
}

/* ---- events ---- */

#if defined(__linux__) && defined(__NR_perf_event_open) && defined(PERF_ATTR_SIZE_VER0)
/* One event of this thread, on whatever CPU it runs; `leader` -1: it leads a group. */
AM_MARK_FUNCTION_ int am_mark_open_event_(const uint64_t *code, int leader)
{
    struct perf_event_attr what;

    memset(&what, 0, sizeof(what));
    what.size = sizeof(what);
    what.type = (uint32_t)code[0];
    what.config = code[1];
    what.config1 = code[2];
    what.config2 = code[3];
    what.disabled = leader < 0; /* until the group is complete */
    what.exclude_kernel = 1;
    what.exclude_hv = 1;
    what.read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return (int)syscall(__NR_perf_event_open, &what, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

AM_MARK_FUNCTION_ void am_mark_start_events_(int leader)
{
    (void)ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}
#else
AM_MARK_FUNCTION_ int am_mark_open_event_(const uint64_t *code, int leader)
{
    (void)code;
    (void)leader;
    errno = ENOSYS;
    return -1;
}

AM_MARK_FUNCTION_ void am_mark_start_events_(int leader)
{
    (void)leader;
}
#endif

AM_MARK_FUNCTION_ void am_mark_close_events_(struct am_mark_thread_ *t)
{
    while (t->events)
        (void)close(t->event[--t->events]);
}

/* All events that are asked for, or none. */
AM_MARK_FUNCTION_ void am_mark_open_events_(struct am_mark_thread_ *t)
{
    const char *at = getenv(AM_MARK_EVENTS_VARIABLE);

    while (at && *at && t->events < AM_MARK_EVENTS_MAX) {
        uint64_t code[4] = {0, 0, 0, 0};
        char *end = NULL;
        int fd;

        for (int i = 0; i < 4; i++) {
            code[i] = strtoull(at, &end, 16);
            at = *end == ':' ? end + 1 : end;
        }
        while (*at == ' ')
            at++;
        fd = am_mark_open_event_(code, t->events ? t->event[0] : -1);
        if (fd < 0) {
            t->file->events_error = errno;
            am_mark_close_events_(t);
            return;
        }
        t->event[t->events++] = fd;
    }
    if (t->events)
        am_mark_start_events_(t->event[0]);
    t->file->events = t->events;
}

/* The thread's counts at this moment. */
AM_MARK_FUNCTION_ void am_mark_count_(struct am_mark_thread_ *t)
{
    uint64_t got[3 + AM_MARK_EVENTS_MAX]; /* how many, time enabled, time running, counts */
    const size_t bytes = (3 + t->events) * sizeof(*got);

    if (read(t->event[0], got, bytes) != (ssize_t)bytes)
        return;
    t->file->enabled_ns = got[1];
    t->file->running_ns = got[2];
    memcpy(t->now, got + 3, t->events * sizeof(*got));
}

/* ---- joining and leaving ---- */

AM_MARK_FUNCTION_ void am_mark_lock_(void)
{
    while (__atomic_test_and_set(&am_mark_process_.lock, __ATOMIC_ACQUIRE))
        continue;
}

AM_MARK_FUNCTION_ void am_mark_unlock_(void)
{
    __atomic_clear(&am_mark_process_.lock, __ATOMIC_RELEASE);
}

/* Ends the innermost region. */
AM_MARK_INLINE_ struct am_mark_node_ *am_mark_pop_(struct am_mark_thread_ *t, uint64_t now)
{
    struct am_mark_file_ *const f = t->file;
    const struct am_mark_frame_ *const frame = &f->frames[--f->depth];
    struct am_mark_node_ *const node = &f->nodes[frame->node];
    const uint64_t took = now > frame->begin ? now - frame->begin : 0;

    node->open--;
    node->calls++;
    node->self_ticks += took > frame->inner_ticks ? took - frame->inner_ticks : 0;
    if (node->open == 0)
        node->ticks += took;
    for (uint32_t i = 0; node->open == 0 && i < t->events; i++)
        node->counts[i] += t->now[i] - frame->counts[i];
    node->last_end = now;
    if (node->calls == 1 || took < node->shortest)
        node->shortest = took;
    if (took > node->longest)
        node->longest = took;
    if (f->depth)
        f->frames[f->depth - 1].inner_ticks += took;
    return node;
}

/* Of a thread that ends: its open regions end with it, and its file waits for another thread. */
AM_MARK_FUNCTION_ void am_mark_leave_(void *arg)
{
    struct am_mark_thread_ *const t = (struct am_mark_thread_ *)arg;
    const uint64_t now = am_mark_now_(t);

    if (t->events)
        am_mark_count_(t);
    while (t->file->depth)
        am_mark_pop_(t, now)->abandoned++;
    t->file->lost_depth = 0;
    am_mark_close_events_(t); /* they are those of this thread */
    am_mark_self_ = NULL;
    am_mark_lock_();
    t->next = am_mark_process_.spare;
    am_mark_process_.spare = t;
    am_mark_unlock_();
}

/* Threads' destructors are not called for the thread that ends the process. */
AM_MARK_FUNCTION_ void am_mark_exit_(void)
{
    if (am_mark_self_)
        am_mark_leave_(am_mark_self_);
}

/* A forked child begins anew, with files of its own: those that it inherits are its parent's. */
AM_MARK_FUNCTION_ void am_mark_forked_(void)
{
    am_mark_process_.spare = NULL;
    am_mark_process_.lock = 0;
    am_mark_self_ = NULL;
    am_mark_state_ = 2;
}

AM_MARK_FUNCTION_ void am_mark_prepare_(void)
{
    am_mark_lock_();
    if (!am_mark_process_.prepared) {
        am_mark_process_.prepared = 1;
        (void)pthread_key_create(&am_mark_process_.key, am_mark_leave_);
        (void)pthread_atfork(NULL, NULL, am_mark_forked_);
        (void)atexit(am_mark_exit_);
    }
    am_mark_unlock_();
}

/* The number among the processes of a parallel program; -1: it is none. */
AM_MARK_FUNCTION_ int64_t am_mark_rank_(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                            "MV2_COMM_WORLD_RANK", "SLURM_PROCID"};

    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
        const char *const text = getenv(variables[i]);
        char *end = NULL;
        const long rank = text ? strtol(text, &end, 10) : -1;

        if (text && end != text && *end == '\0' && rank >= 0)
            return rank;
    }
    return -1;
}

AM_MARK_FUNCTION_ void am_mark_program_(char *out)
{
    char path[1024];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
    const char *slash;

    path[n > 0 ? n : 0] = '\0';
    slash = strrchr(path, '/');
    am_mark_copy_(out, slash ? slash + 1 : path);
}

/* A file that is there belongs to a thread, or to what this process was before it called exec. */
AM_MARK_FUNCTION_ int am_mark_create_(const char *folder)
{
    char path[4096];
    int fd = -1, n;

    do {
        n = snprintf(path, sizeof(path), "%s/%ld.%d", folder, (long)getpid(),
                     __atomic_fetch_add(&am_mark_process_.files, 1, __ATOMIC_RELAXED));
        if (n < 0 || (size_t)n >= sizeof(path))
            return -1;
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    } while (fd < 0 && access(path, F_OK) == 0);
    return fd;
}

AM_MARK_FUNCTION_ void am_mark_begin_file_(struct am_mark_file_ *f, int ticks)
{
    memcpy(f->magic, AM_MARK_MAGIC, sizeof(AM_MARK_MAGIC));
    f->version = AM_MARK_VERSION;
    f->node_size = sizeof(struct am_mark_node_);
    f->frame_size = sizeof(struct am_mark_frame_);
    f->ticks = (uint32_t)ticks;
    f->pid = getpid();
    f->parent_pid = getppid();
    f->rank = am_mark_rank_();
    f->n_nodes = AM_MARK_FIRST;
    f->room = AM_MARK_NODES_STEP;
    am_mark_program_(f->program);
    am_mark_copy_(f->nodes[AM_MARK_OTHERS].name, "(too many regions)");
}

/* Space is reserved before it is written to: a full disk costs marks, not the program. */
AM_MARK_FUNCTION_ struct am_mark_thread_ *am_mark_open_(const char *folder, int ticks)
{
    struct am_mark_thread_ *const t = (struct am_mark_thread_ *)calloc(1, sizeof(*t));
    void *file = MAP_FAILED;
    int fd;

    if (!t)
        return NULL;
    fd = am_mark_create_(folder);
    if (fd >= 0 && posix_fallocate(fd, 0, (off_t)am_mark_length_(AM_MARK_NODES_STEP)) == 0)
        file = mmap(NULL, sizeof(struct am_mark_file_), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (file == MAP_FAILED) {
        if (fd >= 0)
            (void)close(fd);
        free(t);
        return NULL;
    }
    t->file = (struct am_mark_file_ *)file;
    t->fd = fd;
    t->ticks = ticks && AM_MARK_HAS_TICKS;
    am_mark_begin_file_(t->file, t->ticks);
    return t;
}

/* The thread's first mark. NULL: marks are off, or nothing can be kept, and are off from now on. */
AM_MARK_FUNCTION_ struct am_mark_thread_ *am_mark_join_(void)
{
    const char *const text = getenv(AM_MARK_VARIABLE);
    const char *const colon = text ? strchr(text, ':') : NULL;
    struct am_mark_thread_ *t = NULL;

    if (colon) {
        am_mark_prepare_();
        am_mark_lock_();
        t = am_mark_process_.spare;
        if (t)
            am_mark_process_.spare = t->next;
        am_mark_unlock_();
        if (!t)
            t = am_mark_open_(colon + 1, *text == 't');
    }
    __atomic_store_n(&am_mark_state_, t != NULL, __ATOMIC_RELAXED);
    if (!t)
        return NULL;
    t->file->threads++;
    am_mark_open_events_(t);
    am_mark_self_ = t;
    (void)pthread_setspecific(am_mark_process_.key, t);
    return t;
}

/* ---- regions ---- */

AM_MARK_FUNCTION_ uint32_t am_mark_add_(struct am_mark_thread_ *t, const char *name)
{
    struct am_mark_file_ *const f = t->file;

    if (f->n_nodes == f->room) {
        const size_t room = (size_t)f->room + AM_MARK_NODES_STEP;

        if (room > AM_MARK_NODES_MAX ||
            posix_fallocate(t->fd, 0, (off_t)am_mark_length_(room)) != 0)
            return AM_MARK_OTHERS;
        f->room = (uint32_t)room;
    }
    am_mark_copy_(f->nodes[f->n_nodes].name, name);
    f->nodes[f->n_nodes].outer = f->depth ? f->frames[f->depth - 1].node : 0;
    return f->n_nodes++;
}

/* FNV-1a of the bytes that count. */
AM_MARK_FUNCTION_ uint32_t am_mark_hash_(const char *name)
{
    uint32_t hash = 0x811c9dc5u;

    for (size_t i = 0; i + 1 < AM_MARK_NAME_MAX && name[i]; i++)
        hash = (hash ^ (unsigned char)name[i]) * 0x01000193u;
    return hash ^ hash >> 15;
}

AM_MARK_FUNCTION_ uint32_t am_mark_search_(struct am_mark_thread_ *t, const char *name)
{
    uint32_t at = am_mark_hash_(name) % AM_MARK_INDEX_SIZE, node;

    for (; t->index[at]; at = (at + 1) % AM_MARK_INDEX_SIZE) {
        if (am_mark_same_(t->file->nodes[t->index[at]].name, name))
            return t->index[at];
    }
    node = am_mark_add_(t, name);
    if (node != AM_MARK_OTHERS)
        t->index[at] = node;
    return node;
}

AM_MARK_INLINE_ uint32_t am_mark_find_(struct am_mark_thread_ *t, const char *name)
{
    const uint64_t mixed = (uint64_t)(uintptr_t)name * UINT64_C(0x9e3779b97f4a7c15);
    struct am_mark_key_ *const key = &t->cache[mixed >> (64 - AM_MARK_CACHE_BITS)];

    if (key->name != name || !key->node || !am_mark_same_(t->file->nodes[key->node].name, name)) {
        key->name = name;
        key->node = am_mark_search_(t, name);
    }
    return (uint32_t)key->node;
}

AM_MARK_INLINE_ const char *am_mark_name_(const char *given)
{
    return given && *given ? given : "(unnamed)";
}

AM_MARK_FUNCTION_ void am_mark_begin_on_(const char *given)
{
    struct am_mark_thread_ *const t = am_mark_self_ ? am_mark_self_ : am_mark_join_();
    struct am_mark_frame_ *frame;
    struct am_mark_node_ *node;
    struct am_mark_file_ *f;
    uint32_t outer;

    if (!t)
        return;
    f = t->file;
    if (f->depth == AM_MARK_FRAMES_MAX) {
        f->lost++;
        f->lost_depth++;
        return;
    }
    outer = f->depth ? f->frames[f->depth - 1].node : (uint32_t)AM_MARK_OUTSIDE;
    frame = &f->frames[f->depth];
    frame->node = am_mark_find_(t, am_mark_name_(given));
    frame->inner_ticks = 0;
    node = &f->nodes[frame->node];
    node->open++;
    if (t->events) {
        am_mark_count_(t);
        memcpy(frame->counts, t->now, sizeof(frame->counts));
    }
    if (node->outer != outer)
        node->several = 1;
    f->depth++;
    frame->begin = am_mark_now_(t);
    if (!node->first_begin)
        node->first_begin = frame->begin;
}

/* The innermost region has another name: ends what is inside the one that is meant. False when
 * there is none. */
AM_MARK_FUNCTION_ int am_mark_unwind_(struct am_mark_thread_ *t, const char *name, uint64_t now)
{
    struct am_mark_file_ *const f = t->file;
    uint32_t depth = f->depth;

    while (depth && !am_mark_same_(f->nodes[f->frames[depth - 1].node].name, name))
        depth--;
    if (!depth) {
        if (f->unopened++ == 0)
            am_mark_copy_(f->first_unopened, name);
        return 0;
    }
    while (f->depth > depth)
        am_mark_pop_(t, now)->closed++;
    return 1;
}

AM_MARK_FUNCTION_ void am_mark_end_on_(const char *given, double flops, double bytes_read,
                                       double bytes_written)
{
    struct am_mark_thread_ *const t = am_mark_self_ ? am_mark_self_ : am_mark_join_();
    const char *const name = am_mark_name_(given);
    struct am_mark_node_ *node;
    struct am_mark_file_ *f;
    uint64_t now;

    if (!t)
        return;
    now = am_mark_now_(t);
    if (t->events)
        am_mark_count_(t);
    f = t->file;
    if (f->lost_depth) {
        f->lost_depth--;
        return;
    }
    if (!(f->depth && am_mark_same_(f->nodes[f->frames[f->depth - 1].node].name, name)) &&
        !(f->depth && f->frames[f->depth - 1].node == AM_MARK_OTHERS) &&
        !am_mark_unwind_(t, name, now))
        return;
    node = am_mark_pop_(t, now);
    node->flops += flops;
    node->bytes_read += bytes_read;
    node->bytes_written += bytes_written;
}

/* ---- for users ---- */

AM_MARK_INLINE_ void am_mark_begin(const char *name)
{
    if (__builtin_expect(__atomic_load_n(&am_mark_state_, __ATOMIC_RELAXED) != 0, 0))
        am_mark_begin_on_(name);
}

AM_MARK_INLINE_ void am_mark_end(const char *name)
{
    if (__builtin_expect(__atomic_load_n(&am_mark_state_, __ATOMIC_RELAXED) != 0, 0))
        am_mark_end_on_(name, 0, 0, 0);
}

AM_MARK_INLINE_ void am_mark_end_work(const char *name, double flops, double bytes_read,
                                      double bytes_written)
{
    if (__builtin_expect(__atomic_load_n(&am_mark_state_, __ATOMIC_RELAXED) != 0, 0))
        am_mark_end_on_(name, flops, bytes_read, bytes_written);
}

#endif /* ARCHMETER_MARK_LAYOUT */

#ifdef __cplusplus
}
#endif

#endif /* ARCHMETER_NO_MARKS */

#if defined(__cplusplus) && !defined(ARCHMETER_MARK_LAYOUT)
namespace archmeter
{

/* A region as long as an object of it lives. The name must live as long. */
class region
{
  public:
    explicit region(const char *name) : name_(name)
    {
        am_mark_begin(name_);
    }
    ~region()
    {
        am_mark_end_work(name_, flops_, read_, written_);
    }
    region(const region &) = delete;
    region &operator=(const region &) = delete;

    /* Work of this call, added up. */
    void work(double flops, double bytes_read, double bytes_written)
    {
        flops_ += flops;
        read_ += bytes_read;
        written_ += bytes_written;
    }

  private:
    const char *name_;
    double flops_ = 0, read_ = 0, written_ = 0;
};

} // namespace archmeter
#endif

#endif
