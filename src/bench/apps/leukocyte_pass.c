/* SPDX-License-Identifier: MIT */
/* Passes of 1, 2, 4 steps and so on, in turn on one made-up field. */
#include "bench/apps/leukocyte_pass.h"

#include "app/leukocyte/image.h"
#include "app/leukocyte/mgvf_pass.h"

#include <math.h>
#include <stdlib.h>

enum {
    ROWS = AM_WINDOW_ROWS_MAX,
    COLUMNS = AM_WINDOW_COLUMNS_MAX,
    ROUNDS = 16, /* what disturbs a try only makes it longer */
    STEPS = 6 * AM_MGVF_PASS_MAX,
    KINDS = 5, /* 1 to AM_MGVF_PASS_MAX, by doubling */
};
_Static_assert(1 << (KINDS - 1) == AM_MGVF_PASS_MAX, "the longest pass is tried");
/* What cannot be told apart by as much stays the shortest, in every launch the same. */
static const double alike = 1.003;

struct trial {
    struct am_mgvf *kinds[KINDS];
    double seconds[KINDS];
    double *edge, *field;
};

static void close_trial(struct trial *t)
{
    for (size_t i = 0; i < KINDS; i++)
        am_mgvf_free(t->kinds[i]);
    free(t->edge);
    free(t->field);
}

/* A field that does not come to rest. */
static bool open_trial(struct trial *t, const struct am_mgvf_loop *loop)
{
    struct am_mgvf_setup setup = am_mgvf_defaults;
    struct am_err err = {.text = ""};
    bool good;

    *t = (struct trial){.edge = calloc((size_t)ROWS * COLUMNS, sizeof(double)),
                        .field = calloc((size_t)ROWS * COLUMNS, sizeof(double))};
    good = t->edge && t->field;
    for (size_t i = 0; good && i < (size_t)ROWS * COLUMNS; i++)
        t->edge[i] = (double)(i % COLUMNS) / COLUMNS;
    setup.loop = loop;
    setup.limit = STEPS;
    setup.stop = 0;
    for (size_t i = 0; good && i < KINDS; i++) {
        setup.together = (size_t)1 << i;
        t->seconds[i] = INFINITY;
        good = am_mgvf_new(&setup, ROWS, COLUMNS, &t->kinds[i], &err) == AM_OK;
    }
    return good;
}

static void try_once(struct trial *t, size_t kind, const struct am_clock *clock)
{
    const uint64_t begin = clock->now_ns(clock->self);

    (void)am_mgvf_solve(t->kinds[kind], t->edge, ROWS, COLUMNS, NULL, t->field);
    t->seconds[kind] = fmin(t->seconds[kind], 1e-9 * (double)(clock->now_ns(clock->self) - begin));
}

static void choose(const struct trial *t, struct am_leuko_pass *pass)
{
    double least = INFINITY;
    size_t kind = 0;

    for (size_t i = 0; i < KINDS; i++)
        least = fmin(least, t->seconds[i]);
    while (t->seconds[kind] > alike * least)
        kind++;
    *pass = (struct am_leuko_pass){(size_t)1 << kind, t->seconds[0], t->seconds[kind]};
}

void am_leuko_pass_measure(const struct am_mgvf_loop *loop, const struct am_clock *clock,
                           struct am_leuko_pass *pass)
{
    struct trial t;

    *pass = (struct am_leuko_pass){.steps = 1};
    if (open_trial(&t, loop)) {
        for (size_t i = 0; i < (size_t)ROUNDS * KINDS; i++)
            try_once(&t, (i + i / KINDS) % KINDS, clock);
        choose(&t, pass);
    }
    close_trial(&t);
}
