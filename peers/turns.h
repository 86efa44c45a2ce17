/* SPDX-License-Identifier: MIT */
/* Our own code and others' in one process, in turn: what the programs *_turns.c share.
 *
 * A side is something that does the same work as the others. A line on standard input asks for a
 * round: every side does a piece of at least PIECE_NS, the order changing from round to round, and
 * its rates are printed in the order of the sides. So the pieces of a round lie next to each other
 * in time, and their ratios hardly see what else happens to the machine. What may find its data in
 * a cache is done once more before, untimed: else who ends a round would be ahead in the next,
 * which it begins. The end of the input ends the program, which then says whether every outcome was
 * right (exit code 1: one was not).
 *
 * Our own side is a bench at a point, by its hooks: what `archmeter run` measures. */
#ifndef AM_PEERS_TURNS_H
#define AM_PEERS_TURNS_H

#include "bench/apps/join.h"
#include "bench/task/executors.h"
#include "kernels/isa.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TURNS_CPUS_MAX = 1024, TURNS_SIDES_MAX = 8, TURNS_LINE_MAX = 64 };
#define TURNS_PIECE_NS 20000000ULL /* a piece, at least */
#define TURNS_PAUSE_NS 60000000L   /* until idle threads of a library have stopped spinning */
#define TURNS_WARMED_S 0.25        /* what takes less is done once before it is timed */

/* What every point of the worker `task` has. */
#define TURNS_PLACE "runtime=own binding=close places=cores wait=default"

struct turns_side {
    const char *name;
    void (*run)(void *self, uint64_t times);
    void *self;
    double flops; /* of one time */
    uint64_t times;
    bool warmed;
};

/* The CPUs of this process, of which `threads` are used, and all of them as a set. */
struct turns_cpus {
    int list[TURNS_CPUS_MAX];
    size_t threads;
    cpu_set_t all;
};

static inline uint64_t turns_now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

/* The first `threads` CPUs become those of the process. False: there are fewer. */
static inline bool turns_take_cpus(struct turns_cpus *cpus, size_t threads)
{
    size_t n = 0;
    cpu_set_t may;

    CPU_ZERO(&may);
    CPU_ZERO(&cpus->all);
    (void)sched_getaffinity(0, sizeof(may), &may);
    for (int cpu = 0; cpu < CPU_SETSIZE && n < threads && n < TURNS_CPUS_MAX; cpu++) {
        if (!CPU_ISSET(cpu, &may))
            continue;
        CPU_SET(cpu, &cpus->all);
        cpus->list[n++] = cpu;
    }
    cpus->threads = n;
    return n == threads && threads > 0 && sched_setaffinity(0, sizeof(cpus->all), &cpus->all) == 0;
}

static inline const char *turns_best_isa(void)
{
    const char *best = am_isa_names[0];

    for (size_t i = 0; am_isa_names[i]; i++)
        best = am_isa_why_not(am_isa_names[i]) ? best : am_isa_names[i];
    return best;
}

/* ---- our own side ---- */

struct turns_own {
    struct am_arena arena; /* of the descriptors; all zero before */
    const struct am_bench *bench;
    struct am_clock clock;
    struct am_ctx ctx;
    struct am_work work;
    void *state;
};

static inline void turns_note(void *self, const char *key, const char *text)
{
    (void)self;
    printf("# %s: %s\n", key, text);
}

/* The value of an axis in "axis=value axis=value ..."; else the first of its default. */
static inline bool turns_value(const struct am_axis *axis, const char *words,
                               struct am_value *value)
{
    const size_t length = strlen(axis->name);
    const char *word = axis->dflt;
    struct am_err err = {0};

    for (const char *at = words; at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL) {
        if (strncmp(at, axis->name, length) == 0 && at[length] == '=')
            word = at + length + 1;
    }
    if (am_value_parse(axis, word, strcspn(word, " ,"), value, &err) == AM_OK)
        return true;
    fprintf(stderr, "%s: %s\n", axis->name, err.text);
    return false;
}

/* Prepares the bench at a point. False: it says why on stderr. */
static inline bool turns_open(struct turns_own *own, const char *name, const char *words,
                              const struct turns_cpus *cpus)
{
    static const struct am_bench *const none[] = {NULL};
    static const struct am_app_port *const ports[] = {NULL};
    const struct am_apps_worker worker = {
        .benches = none, .ports = ports, .executors = &am_task_set};
    const struct am_bench **all = am_apps_join(&worker, &own->arena);
    struct am_value point[AM_AXES_MAX];
    struct am_err err = {0};

    while (all && *all && strcmp((*all)->name, name) != 0)
        all++;
    if (!all || !*all) {
        fprintf(stderr, "%s was not built\n", name);
        return false;
    }
    own->bench = *all;
    am_clock_init(&own->clock);
    own->ctx = (struct am_ctx){.cpus = cpus->list,
                               .cpu_count = cpus->threads,
                               .seed = turns_now(),
                               .memory_limit_bytes = UINT64_MAX,
                               .clock = &own->clock,
                               .bench = own->bench,
                               .note = turns_note};
    for (size_t i = 0; own->bench->axes[i].name; i++) {
        if (!turns_value(&own->bench->axes[i], words, &point[i]))
            return false;
    }
    own->state = calloc(1, own->bench->state_size);
    if (own->bench->prepare(own->state, &own->ctx, point, &own->work, &err) == AM_OK)
        return true;
    fprintf(stderr, "%s %s: %s\n", name, words, err.text);
    return false;
}

static inline void turns_run_own(void *self, uint64_t times)
{
    const struct turns_own *const own = self;

    own->bench->run(own->state, times);
}

/* What was run last is right. */
static inline bool turns_verify(struct turns_own *own)
{
    struct am_err err = {0};
    double residual = 0;

    if (own->bench->verify(own->state, &residual, &err) == AM_OK)
        return true;
    printf("# own is wrong: %s\n", err.text);
    return false;
}

/* ---- rounds ---- */

/* The sides have the same CPUs: threads that a library starts in a call inherit all of them. */
static inline double turns_piece(const struct turns_side *side, const struct turns_cpus *cpus)
{
    const bool ours = side->run == turns_run_own;
    const struct timespec pause = {.tv_nsec = TURNS_PAUSE_NS};
    uint64_t begin;

    if (cpus->threads > 1) {
        cpu_set_t first;

        CPU_ZERO(&first);
        CPU_SET(cpus->list[0], &first);
        (void)nanosleep(&pause, NULL);
        (void)sched_setaffinity(0, sizeof(first), ours ? &first : &cpus->all);
    }
    if (side->warmed)
        side->run(side->self, 1);
    begin = turns_now();
    side->run(side->self, side->times);
    return side->flops * (double)side->times * 1e9 / (double)(turns_now() - begin);
}

/* As often as a piece is long enough. The first time is a warm-up, which tells what is long enough
 * by itself. */
static inline void turns_choose_times(struct turns_side *side, const struct turns_cpus *cpus)
{
    const double piece = (double)TURNS_PIECE_NS * 1e-9;
    double seconds;

    side->times = 1;
    side->warmed = false;
    seconds = side->flops / turns_piece(side, cpus);
    if (seconds < 2 * piece)
        seconds = side->flops / turns_piece(side, cpus);
    side->times = seconds < piece ? 1 + (uint64_t)(piece / seconds) : 1;
    side->warmed = seconds < TURNS_WARMED_S;
}

static inline void turns_serve(struct turns_side *sides, size_t n, const struct turns_cpus *cpus)
{
    char line[TURNS_LINE_MAX];

    printf("sides");
    for (size_t i = 0; i < n; i++) {
        turns_choose_times(&sides[i], cpus);
        printf(" %s", sides[i].name);
    }
    printf("\n");
    (void)fflush(stdout);
    for (size_t round = 0; fgets(line, sizeof(line), stdin); round++) {
        double rates[TURNS_SIDES_MAX];

        for (size_t k = 0; k < n; k++) {
            const size_t i = round % 2 ? n - 1 - k : k;

            rates[i] = turns_piece(&sides[i], cpus);
        }
        for (size_t i = 0; i < n; i++)
            printf("%s%.6e", i ? " " : "", rates[i]);
        printf("\n");
        (void)fflush(stdout);
    }
}

/* The whole word as a number above 0; 0 when it is none. */
static inline size_t turns_number(const char *word)
{
    char *end;
    const long n = strtol(word, &end, 10);

    return *word && !*end && n > 0 ? (size_t)n : 0;
}

#endif
