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
    [AM_OMPCOUNT_REGION] = "region",       [AM_OMPCOUNT_NESTED] = "nested",
    [AM_OMPCOUNT_BODY] = "body",           [AM_OMPCOUNT_BARRIER] = "barrier",
    [AM_OMPCOUNT_CRITICAL] = "critical",   [AM_OMPCOUNT_LOCK] = "lock",
    [AM_OMPCOUNT_ORDERED] = "ordered",     [AM_OMPCOUNT_ATOMIC] = "atomic",
    [AM_OMPCOUNT_SINGLE] = "single",       [AM_OMPCOUNT_CHUNK] = "chunk",
    [AM_OMPCOUNT_TASK] = "task",           [AM_OMPCOUNT_TASKWAIT] = "taskwait",
    [AM_OMPCOUNT_TASKGROUP] = "taskgroup",
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
};

static __thread struct thread *self;
static int chosen_way = -1; /* enum am_ompcount_way; -1: nobody has asked yet */

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

enum am_ompcount_way am_ompcount_way(void)
{
    int way = __atomic_load_n(&chosen_way, __ATOMIC_RELAXED);

    if (way < 0) {
        way = getenv(AM_MARK_VARIABLE) ? AM_OMPCOUNT_CALLS : AM_OMPCOUNT_NONE;
        __atomic_store_n(&chosen_way, way, __ATOMIC_RELAXED);
    }
    return (enum am_ompcount_way)way;
}

void am_ompcount_use_callbacks(void)
{
    __atomic_store_n(&chosen_way, AM_OMPCOUNT_CALLBACKS, __ATOMIC_RELAXED);
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
    const char *const family = am_ompcount_way() == AM_OMPCOUNT_CALLBACKS ? "kmp" : "gomp";
    int n = snprintf(out, AM_OMPCOUNT_NAME, "%s:%s:%d:%d:", family, words[key->kind], key->threads,
                     key->gap);

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
    t->depth = depth - 1;
    am_mark_end(t->open[depth - 1]);
}

bool am_ompcount_in_body(void)
{
    const struct thread *const t = this_thread();

    return t && t->depth && t->depth <= OPEN_MAX && t->kinds[t->depth - 1] == AM_OMPCOUNT_BODY;
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
 * Python's modules), the one that this library has. */
am_ompcount_fn *am_ompcount_real(const char *name)
{
    static const char lead[] = "archmeter-omp-count: no function ";
    struct search s = {.name = name, .symbol = {.found = dlsym(RTLD_NEXT, name)}};

    if (!s.symbol.found)
        (void)dl_iterate_phdr(look_into, &s);
    if (s.symbol.found)
        return s.symbol.function;
    (void)!write(STDERR_FILENO, lead, sizeof(lead) - 1);
    (void)!write(STDERR_FILENO, name, strlen(name));
    (void)!write(STDERR_FILENO, "\n", 1);
    __builtin_trap(); /* a call that cannot be made has no status to return */
}
