/* SPDX-License-Identifier: MIT */
/* Names and marks of what is counted. */
#include "bench/omp/count/count.h"

#include <archmeter/mark.h>

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    ENTRIES = 1 << 8, /* different names of a thread, a power of two */
    OPEN_MAX = 64,    /* marks that a thread has open at a time */
};

/* What is below the first threshold is no gap. */
static const int gaps[AM_OMPCOUNT_GAP_STEPS] = AM_OMPCOUNT_GAPS;
static const double thresholds_us[AM_OMPCOUNT_GAP_STEPS - 1] = {5.5, 17, 55, 173, 548, 1732, 5477};

static const char *const words[AM_OMPCOUNT_KINDS] = {
    [AM_OMPCOUNT_REGION] = "region",
    [AM_OMPCOUNT_NESTED] = "nested",
    [AM_OMPCOUNT_BODY] = "body",
    [AM_OMPCOUNT_BARRIER] = "barrier",
    [AM_OMPCOUNT_CRITICAL] = "critical",
    [AM_OMPCOUNT_LOCK] = "lock",
    [AM_OMPCOUNT_ORDERED] = "ordered",
    [AM_OMPCOUNT_ATOMIC] = "atomic",
    [AM_OMPCOUNT_SINGLE] = "single",
    [AM_OMPCOUNT_CHUNK] = "chunk",
    [AM_OMPCOUNT_TASK] = "task",
    [AM_OMPCOUNT_TASKWAIT] = "taskwait",
    [AM_OMPCOUNT_TASKGROUP] = "taskgroup",
    [AM_OMPCOUNT_LEAVE] = "leave",
    [AM_OMPCOUNT_WEIGHT] = "weight",
    [AM_OMPCOUNT_NOTHING] = "nothing",
    [AM_OMPCOUNT_MET] = "met",
};

struct key {
    const void *place;
    int kind, threads, gap;
};

struct entry {
    struct key key;
    char name[AM_OMPCOUNT_NAME]; /* empty: the entry is */
};

/* Lives as long as its thread. */
struct thread {
    struct entry entries[ENTRIES];
    struct entry others[AM_OMPCOUNT_KINDS]; /* for what there is no room */
    const char *open[OPEN_MAX];
    int kinds[OPEN_MAX];
    unsigned depth;
    int team;               /* threads of the team that it is in; 0: none */
    uint64_t region_end_ns; /* of its last region outside of others; 0: it had none */
    uint64_t met_ns;        /* end of the last barrier of its body; 0: there was none */
    const void *body;       /* place of the region that it is in */
};

static __thread struct thread *self;
static __thread const void *passing; /* who made the call that passes through; NULL: none does */
static int chosen_way = -1;          /* enum am_ompcount_way; -1: nobody has asked yet */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key_of_threads;

/* Marks at the end of a thread, by destructors that come later, begin a new table. */
static void free_thread(void *thread)
{
    self = NULL;
    free(thread);
}

static void make_key(void)
{
    (void)pthread_key_create(&key_of_threads, free_thread);
}

static struct thread *this_thread(void)
{
    if (!self) {
        (void)pthread_once(&once, make_key);
        self = calloc(1, sizeof(*self));
        (void)pthread_setspecific(key_of_threads, self);
    }
    return self;
}

/* ---- what lies behind ---- */

union symbol {
    void *found;
    am_ompcount_fn *function;
};

struct search {
    const char *name;
    union symbol symbol;
};

/* One library of the process: where its name tells of OpenMP, it is asked for the function. */
static int look_into(struct dl_phdr_info *info, size_t size, void *data)
{
    struct search *const s = data;
    const char *const slash = strrchr(info->dlpi_name, '/');
    const char *const file = slash ? slash + 1 : info->dlpi_name;
    void *handle;

    (void)size;
    if (!strstr(file, "omp") || strstr(file, "archmeter"))
        return 0;
    handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return 0;
    s->symbol.found = dlsym(handle, s->name);
    (void)dlclose(handle); /* it stays for whoever loaded it */
    return s->symbol.found != NULL;
}

/* The next one that the loader has or, of a library that was loaded for one user alone (plugins,
 * Python's modules), the one that this library has; NULL: none. */
static am_ompcount_fn *find_real(const char *name)
{
    struct search s = {.name = name, .symbol = {.found = dlsym(RTLD_NEXT, name)}};

    if (!s.symbol.found)
        (void)dl_iterate_phdr(look_into, &s);
    return s.symbol.found ? s.symbol.function : NULL;
}

/* Whether the runtime is libomp or of its kin, whosever code calls it. */
static bool is_kmp(void)
{
    static int kmp = -1;

    if (__atomic_load_n(&kmp, __ATOMIC_RELAXED) < 0)
        __atomic_store_n(&kmp, find_real("__kmpc_fork_call") != NULL, __ATOMIC_RELAXED);
    return __atomic_load_n(&kmp, __ATOMIC_RELAXED) == 1;
}

am_ompcount_fn *am_ompcount_real(const char *name)
{
    static const char lead[] = "archmeter-omp-count: no function ";
    am_ompcount_fn *const real = find_real(name);

    if (real)
        return real;
    (void)!write(STDERR_FILENO, lead, sizeof(lead) - 1);
    (void)!write(STDERR_FILENO, name, strlen(name));
    (void)!write(STDERR_FILENO, "\n", 1);
    __builtin_trap(); /* a call that cannot be made has no status to return */
}

/* ---- who calls ---- */

#pragma GCC visibility push(hidden)
extern const char __ehdr_start[], etext[]; /* of this library, by its linker */
#pragma GCC visibility pop

const void *am_ompcount_pass(const void *caller)
{
    const void *const before = passing;

    passing = caller;
    return before;
}

const void *am_ompcount_whose(const void *place)
{
    const uintptr_t at = (uintptr_t)place;

    return passing && at >= (uintptr_t)__ehdr_start && at < (uintptr_t)etext ? passing : place;
}

/* ---- the way ---- */

bool am_ompcount_wanted(void)
{
    return getenv(AM_MARK_VARIABLE) != NULL;
}

/* The time of a mark is partly its own and partly of what is around it, where it looks like work of
 * the program's. */
static void weigh_marks(void)
{
    am_ompcount_begin(AM_OMPCOUNT_WEIGHT, NULL);
    for (int i = 0; i < AM_OMPCOUNT_WEIGHED; i++) {
        am_ompcount_begin(AM_OMPCOUNT_NOTHING, NULL);
        am_ompcount_end(AM_OMPCOUNT_NOTHING);
    }
    am_ompcount_end(AM_OMPCOUNT_WEIGHT);
}

/* Runtimes start late, and look for a tool when they do: the first call has the runtime start, so
 * that none is counted in both ways. */
static void choose_way(void)
{
    static int (*real)(void);

    __atomic_store_n(&chosen_way, am_ompcount_wanted() ? AM_OMPCOUNT_CALLS : AM_OMPCOUNT_NONE,
                     __ATOMIC_RELAXED);
    if (!am_ompcount_wanted())
        return;
    AM_OMPCOUNT_FIND(real, "omp_get_max_threads");
    (void)real();
    if (__atomic_load_n(&chosen_way, __ATOMIC_RELAXED) == AM_OMPCOUNT_CALLS)
        weigh_marks();
}

enum am_ompcount_way am_ompcount_way(void)
{
    if (__atomic_load_n(&chosen_way, __ATOMIC_RELAXED) < 0)
        choose_way();
    return (enum am_ompcount_way)__atomic_load_n(&chosen_way, __ATOMIC_RELAXED);
}

void am_ompcount_use_callbacks(void)
{
    __atomic_store_n(&chosen_way, AM_OMPCOUNT_CALLBACKS, __ATOMIC_RELAXED);
    weigh_marks();
}

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- names ---- */

/* Where a debugger would look the address up: relative to a file that may lie anywhere, absolute
 * in a program that may not. */
static unsigned long address_in(const Dl_info *file, const void *place)
{
    const ElfW(Ehdr) *const head = file->dli_fbase;
    const uintptr_t base = head->e_type == ET_DYN ? (uintptr_t)file->dli_fbase : 0;

    return (unsigned long)((uintptr_t)place - base);
}

static bool is_plain(char c)
{
    return c > ' ' && c < 0x7f && c != ',' && c != ':' && c != '{' && c != '}';
}

/* The last bytes of the file's name, as far as there is room for them. */
static void write_place(const void *place, char *out, size_t room)
{
    char address[2 + 2 * sizeof(unsigned long) + 2];
    const char *file, *slash;
    Dl_info info;
    size_t len, fits, n = 0;

    if (!place || !dladdr(place, &info) || !info.dli_fname || !info.dli_fbase) {
        (void)snprintf(out, room, "unknown");
        return;
    }
    (void)snprintf(address, sizeof(address), "+0x%lx", address_in(&info, place));
    slash = strrchr(info.dli_fname, '/');
    file = slash ? slash + 1 : info.dli_fname;
    len = strlen(file);
    fits = room - 1 > strlen(address) ? room - 1 - strlen(address) : 0;
    if (len > fits)
        file += len - fits;
    for (; *file; file++)
        out[n++] = is_plain(*file) ? *file : '_';
    (void)snprintf(out + n, room - n, "%s", address);
}

static void write_name(const struct key *key, bool placed, char *out)
{
    int n = snprintf(out, AM_OMPCOUNT_NAME, "%s:%s:%d:%d:", is_kmp() ? "kmp" : "gomp",
                     words[key->kind], key->threads, key->gap);

    n = n < AM_OMPCOUNT_NAME - 1 ? n : AM_OMPCOUNT_NAME - 1;
    if (placed)
        write_place(key->place, out + n, (size_t)(AM_OMPCOUNT_NAME - n));
    else
        (void)snprintf(out + n, (size_t)(AM_OMPCOUNT_NAME - n), "others");
}

static bool same_key(const struct key *a, const struct key *b)
{
    return a->place == b->place && a->kind == b->kind && a->threads == b->threads &&
           a->gap == b->gap;
}

static const char *name_of(struct thread *t, const struct key *key)
{
    const uint64_t mixed = ((uint64_t)(uintptr_t)key->place + (uint64_t)key->gap * 131u +
                            (uint64_t)key->threads * 31u + (uint64_t)key->kind) *
                           UINT64_C(0x9e3779b97f4a7c15);
    struct entry *e;

    for (unsigned i = 0; i < ENTRIES; i++) {
        e = &t->entries[((mixed >> 32) + i) % ENTRIES];
        if (*e->name && same_key(&e->key, key))
            return e->name;
        if (!*e->name) {
            e->key = *key;
            write_name(key, true, e->name);
            return e->name;
        }
    }
    e = &t->others[key->kind];
    if (!*e->name)
        write_name(key, false, e->name);
    return e->name;
}

/* ---- marks ---- */

static void begin(struct thread *t, const struct key *key)
{
    const char *const name = name_of(t, key);

    if (t->depth < OPEN_MAX) {
        t->open[t->depth] = name;
        t->kinds[t->depth] = key->kind;
        am_mark_begin(name);
    }
    t->depth++;
}

void am_ompcount_begin(enum am_ompcount_kind kind, const void *place)
{
    struct thread *const t = this_thread();

    if (t)
        begin(t, &(struct key){.place = place, .kind = (int)kind, .threads = t->team});
}

/* Whether all that is left of a body behind its last barrier is its end. */
static bool is_at_barrier(const struct thread *t)
{
    static const uint64_t no_work_ns = 1000; /* less than regions cost */

    return t->met_ns && now_ns() - t->met_ns < no_work_ns;
}

static void note_meeting(struct thread *t, enum am_ompcount_kind ended)
{
    if (ended == AM_OMPCOUNT_BARRIER)
        t->met_ns = now_ns();
    else if (ended != AM_OMPCOUNT_BODY)
        t->met_ns = 0;
}

/* Ends down to the latest of that kind, as marks do; nothing where none is open. */
void am_ompcount_end(enum am_ompcount_kind kind)
{
    struct thread *const t = this_thread();
    unsigned depth = t ? t->depth : 0;

    if (depth > OPEN_MAX) {
        t->depth--;
        return;
    }
    while (depth && t->kinds[depth - 1] != (int)kind)
        depth--;
    if (!depth)
        return;
    if (kind == AM_OMPCOUNT_BODY && is_at_barrier(t)) {
        t->met_ns = 0;
        begin(t, &(struct key){.place = t->body, .kind = AM_OMPCOUNT_MET, .threads = t->team});
        am_ompcount_end(AM_OMPCOUNT_MET);
    }
    t->depth = depth - 1;
    am_mark_end(t->open[depth - 1]);
    note_meeting(t, kind);
}

static bool is_latest(enum am_ompcount_kind kind)
{
    const struct thread *const t = this_thread();

    return t && t->depth && t->depth <= OPEN_MAX && t->kinds[t->depth - 1] == (int)kind;
}

/* Whether it may be met inside of its own: tasks run while others are made and waited for. */
static bool nests(enum am_ompcount_kind kind)
{
    return kind == AM_OMPCOUNT_TASK || kind == AM_OMPCOUNT_TASKWAIT ||
           kind == AM_OMPCOUNT_TASKGROUP;
}

static bool enter(bool counts, enum am_ompcount_kind kind, const void *place)
{
    if (!counts || (is_latest(kind) && !nests(kind)))
        return false;
    am_ompcount_begin(kind, place);
    return true;
}

bool am_ompcount_enter(enum am_ompcount_kind kind, const void *place)
{
    return enter(am_ompcount_way() == AM_OMPCOUNT_CALLS, kind, place);
}

bool am_ompcount_enter_either(enum am_ompcount_kind kind, const void *place)
{
    return enter(am_ompcount_way() != AM_OMPCOUNT_NONE, kind, place);
}

/* ---- regions ---- */

static int gap_before(const struct thread *t)
{
    const double us = (double)(now_ns() - t->region_end_ns) * 1e-3;
    int step = 0;

    while (step < AM_OMPCOUNT_GAP_STEPS - 1 && us >= thresholds_us[step])
        step++;
    return gaps[step];
}

/* The first region of a process makes its team: that is another thing, gap -1. */
void am_ompcount_begin_region(const void *place, int threads)
{
    struct thread *const t = this_thread();

    if (t)
        begin(t, &(struct key){.place = place,
                               .kind = t->team ? AM_OMPCOUNT_NESTED : AM_OMPCOUNT_REGION,
                               .threads = threads,
                               .gap = t->team            ? 0
                                      : t->region_end_ns ? gap_before(t)
                                                         : -1});
}

void am_ompcount_end_region(void)
{
    struct thread *const t = this_thread();

    if (!t)
        return;
    am_ompcount_end(t->team ? AM_OMPCOUNT_NESTED : AM_OMPCOUNT_REGION);
    if (!t->team)
        t->region_end_ns = now_ns();
}

int am_ompcount_begin_body(const void *place, int threads)
{
    struct thread *const t = this_thread();
    const int outer = t ? t->team : 0;

    if (t) {
        t->team = threads;
        t->body = place;
        t->met_ns = 0;
        begin(t, &(struct key){.place = place, .kind = AM_OMPCOUNT_BODY, .threads = threads});
    }
    return outer;
}

void am_ompcount_end_body(int outer_threads)
{
    struct thread *const t = this_thread();

    if (!t)
        return;
    am_ompcount_end(AM_OMPCOUNT_BODY);
    t->team = outer_threads;
}
