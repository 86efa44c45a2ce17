/* SPDX-License-Identifier: MIT */
/* Patterns of Task Bench: who waits for whom, what a task computes, and what all must have
 * computed. */
#include "app/graph/patterns.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 64 };

/* A line of its own: tasks share nothing but what they wait for. Not atomic: an executor that does
 * not order tasks, or runs one twice at a time, is to be found out. */
struct am_patterns_task {
    _Alignas(LINE_BYTES) uint64_t value;
    uint64_t ran;
    uint32_t n, before[AM_PATTERN_BEFORE_MAX]; /* found out once: not what is measured */
};

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

/* ---- who waits for whom ---- */

/* The numbers in the row above, for task `i` of row `row`; each once. */
typedef size_t above_fn(const struct am_patterns *p, size_t row, size_t i, size_t *above);

static size_t above_nothing(const struct am_patterns *p, size_t row, size_t i, size_t *above)
{
    (void)p, (void)row, (void)i, (void)above;
    return 0;
}

static size_t above_chains(const struct am_patterns *p, size_t row, size_t i, size_t *above)
{
    (void)p, (void)row;
    above[0] = i;
    return 1;
}

static size_t above_stencil(const struct am_patterns *p, size_t row, size_t i, size_t *above)
{
    size_t n = 0;

    (void)row;
    if (i > 0)
        above[n++] = i - 1;
    above[n++] = i;
    if (i + 1 < p->width)
        above[n++] = i + 1;
    return n;
}

/* Stage after stage of a transform, from the beginning again after the last. */
static size_t above_fft(const struct am_patterns *p, size_t row, size_t i, size_t *above)
{
    size_t stages = 0, partner;

    while ((size_t)2 << stages <= p->width)
        stages++;
    above[0] = i;
    if (stages == 0)
        return 1;
    partner = i ^ (size_t)1 << (row - 1) % stages;
    above[1] = partner;
    return partner < p->width ? 2 : 1;
}

static size_t above_tree(const struct am_patterns *p, size_t row, size_t i, size_t *above)
{
    (void)p, (void)row;
    above[0] = i / 2;
    return 1;
}

static size_t add_once(size_t number, size_t *above, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (above[k] == number)
            return n;
    }
    above[n] = number;
    return n + 1;
}

static size_t above_random(const struct am_patterns *p, size_t row, size_t i, size_t *above)
{
    size_t n = 0;

    for (uint64_t k = 0; k < AM_PATTERN_BEFORE_MAX; k++)
        n = add_once((size_t)(mix(mix(row * 0x9e3779b97f4a7c15u + i) + k) % p->width), above, n);
    return n;
}

static size_t above_spread(const struct am_patterns *p, size_t row, size_t i, size_t *above)
{
    size_t n = 0;

    for (size_t k = 0; k < AM_PATTERN_BEFORE_MAX; k++)
        n = add_once((i + k * p->width / AM_PATTERN_BEFORE_MAX + (k ? row - 1 : 0)) % p->width,
                     above, n);
    return n;
}

const char *const am_pattern_names[] = {"trivial", "chains", "stencil", "fft",
                                        "tree",    "random", "spread",  NULL};
/* By the index of the name. */
static above_fn *const aboves[] = {above_nothing, above_chains, above_stencil, above_fft,
                                   above_tree,    above_random, above_spread};

int am_patterns_waits(const struct am_patterns *p)
{
    return aboves[p->pattern] != above_nothing;
}

size_t am_patterns_before(const void *app, size_t task, size_t *before)
{
    const struct am_patterns *const p = app;
    const struct am_patterns_task *const t = &p->tasks[task];

    for (size_t i = 0; i < t->n; i++)
        before[i] = t->before[i];
    return t->n;
}

static void find_before(const struct am_patterns *p, size_t task)
{
    const size_t row = task / p->width;
    struct am_patterns_task *const t = &p->tasks[task];
    size_t above[AM_PATTERN_BEFORE_MAX];

    if (row == 0)
        return;
    t->n = (uint32_t)aboves[p->pattern](p, row, task % p->width, above);
    for (size_t i = 0; i < t->n; i++)
        t->before[i] = (uint32_t)((row - 1) * p->width + above[i]);
}

size_t am_patterns_depth(const struct am_patterns *p)
{
    return am_patterns_waits(p) ? p->rows : 1;
}

/* ---- what a task computes ---- */

/* Each step needs the one before: no instruction set makes it faster. */
static double work(size_t steps, double x)
{
    for (size_t i = 0; i < steps; i++)
        x = x * 0.9999 + 0.0001;
    return x;
}

/* Of the work's outcome, which lies in 0.5 to 1.5, every digit counts. */
static uint64_t value_of(size_t task, uint64_t round, double worked, uint64_t sum)
{
    uint64_t bits;

    memcpy(&bits, &worked, sizeof(bits));
    return mix(mix(task + 1) + round) + mix(bits) + mix(sum);
}

/* A beginning that the compiler does not know. */
static double start_of(const struct am_patterns *p, size_t task)
{
    return 1.5 - (double)(task % p->width) / (double)p->width;
}

void am_patterns_run(void *app, size_t task)
{
    const struct am_patterns *const p = app;
    struct am_patterns_task *const t = &p->tasks[task];
    uint64_t sum = 0;

    for (size_t i = 0; i < t->n; i++)
        sum += p->tasks[t->before[i]].value;
    t->ran++;
    t->value = value_of(task, t->ran, work(p->steps, start_of(p, task)), sum);
}

/* ---- what all must have computed ---- */

size_t am_patterns_wrong(const struct am_patterns *p)
{
    const size_t count = p->width * p->rows;
    uint64_t *const values = calloc(count + 1, sizeof(*values));
    double *const worked = calloc(p->width + 1, sizeof(*worked)); /* the same in every row */
    size_t wrong = values && worked ? 0 : count;

    for (size_t i = 0; worked && values && i < p->width; i++)
        worked[i] = work(p->steps, start_of(p, i));
    for (size_t task = 0; worked && values && task < count; task++) {
        const struct am_patterns_task *const t = &p->tasks[task];
        uint64_t sum = 0;

        for (size_t i = 0; i < t->n; i++)
            sum += values[t->before[i]];
        values[task] = value_of(task, p->rounds, worked[task % p->width], sum);
        wrong += t->value != values[task] || t->ran != p->rounds;
    }
    free(values);
    free(worked);
    return wrong;
}

/* ---- life ---- */

enum am_status am_patterns_init(struct am_patterns *p, struct am_err *err)
{
    const size_t bytes = p->width * p->rows * sizeof(*p->tasks);

    p->tasks = aligned_alloc(LINE_BYTES, bytes);
    if (!p->tasks)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu tasks", p->width * p->rows);
    memset(p->tasks, 0, bytes);
    for (size_t i = 0; i < p->width * p->rows; i++)
        find_before(p, i);
    return AM_OK;
}

void am_patterns_fini(struct am_patterns *p)
{
    free(p->tasks);
    p->tasks = NULL;
}
