/* SPDX-License-Identifier: MIT */
/* Benches through their hooks: points from words, a context, and points that must be refused. */
#ifndef AM_TESTS_BENCH_FIXTURE_H
#define AM_TESTS_BENCH_FIXTURE_H

#include "core/bench/bench.h"
#include "tap.h"

#include <sched.h>
#include <stdlib.h>

enum { BX_LIMIT_BYTES = 64 << 20 };

/* The first CPUs that this process may use, at most `max`: not always number 0. How many. */
static inline size_t bx_cpus(int *cpus, size_t max)
{
    size_t n = 0;
    cpu_set_t set;

    CPU_ZERO(&set);
    (void)sched_getaffinity(0, sizeof(set), &set);
    for (int cpu = 0; cpu < CPU_SETSIZE && n < max; cpu++) {
        if (CPU_ISSET(cpu, &set))
            cpus[n++] = cpu;
    }
    return n;
}

/* `words` are the values in the order of the axes, separated by spaces; axes beyond them take the
 * first value of their default. */
static inline void bx_point(const struct am_bench *b, const char *words, struct am_value *point)
{
    for (size_t i = 0; b->axes[i].name; i++) {
        const bool given = *words != '\0';
        const char *const word = given ? words : b->axes[i].dflt;
        const size_t n = strcspn(word, given ? " " : ",");
        struct am_err err = {0};

        if (am_value_parse(&b->axes[i], word, n, &point[i], &err) != AM_OK)
            printf("Bail out! %s=%.*s: %s\n", b->axes[i].name, (int)n, word, err.text);
        if (given)
            words += n + (words[n] == ' ');
    }
}

static inline bool bx_same_work(const struct am_work *a, const struct am_work *b)
{
    return a->bytes_read == b->bytes_read && a->bytes_written == b->bytes_written &&
           a->flops == b->flops && a->ops == b->ops;
}

/* Hooks that several benches share ask the context which of them is meant. */
static inline struct am_ctx bx_context(const struct am_ctx *ctx, const struct am_bench *bench)
{
    struct am_ctx own = *ctx;

    own.bench = bench;
    return own;
}

/* A point that prepare() must refuse with a story in which `reason` stands. */
struct bx_refused {
    const struct am_bench *bench;
    const char *point, *reason;
};

static inline void bx_check_refused(const struct bx_refused *x, const struct am_ctx *ctx)
{
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    const struct am_ctx own = bx_context(ctx, x->bench);
    void *const state = calloc(1, x->bench->state_size);

    bx_point(x->bench, x->point, point);
    ok(x->bench->prepare(state, &own, point, &work, &err) == AM_E_ABSENT &&
           strstr(err.text, x->reason),
       "%s %s is refused: %s", x->bench->name, x->point, err.text);
    x->bench->finish(state);
    free(state);
}

/* Benches whose outcome is not there before the first run must notice that it is not. */
static inline void bx_check_notices(const struct am_bench *b, const char *words,
                                    const struct am_ctx *ctx)
{
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    double residual = 0;
    const struct am_ctx own = bx_context(ctx, b);
    void *const state = calloc(1, b->state_size);

    bx_point(b, words, point);
    if (b->prepare(state, &own, point, &work, &err) == AM_OK)
        ok(b->verify(state, &residual, &err) == AM_E_WRONG && err.text[0],
           "%s %s: verify notices that nothing ran", b->name, words);
    else
        ok(false, "%s %s: %s", b->name, words, err.text);
    b->finish(state);
    free(state);
}

#endif
