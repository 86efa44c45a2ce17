/* SPDX-License-Identifier: MIT */
/* Cholesky factorisation by tiles: right in any valid order, and what is not in order is noticed.
 */
#include "app/cholesky/cholesky.h"
#include "base/rng.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { BEFORE_MAX = 3 };

static struct am_cholesky *make(size_t n, size_t tile)
{
    struct am_cholesky *c = NULL;
    struct am_err err = {0};

    if (am_cholesky_new(n, tile, 42, &c, &err) != AM_OK)
        printf("Bail out! %s\n", err.text);
    return c;
}

/* Runs the tasks in a drawn order in which nobody is too early. */
static void run_shuffled(const struct am_blocks *b, struct am_rng *rng)
{
    bool *const ended = calloc(b->count, sizeof(*ended));
    size_t left = b->count;

    while (ended && left) {
        const size_t i = (size_t)am_rng_below(rng, b->count);
        size_t before[BEFORE_MAX], n;
        bool ready = !ended[i];

        n = b->before(b->app, i, before);
        for (size_t k = 0; k < n; k++)
            ready = ready && ended[before[k]];
        if (!ready)
            continue;
        b->run(b->app, i);
        ended[i] = true;
        left--;
    }
    free(ended);
}

static void check_orders(struct am_rng *rng)
{
    static const size_t sizes[][2] = {{8, 8}, {24, 8}, {60, 5}, {64, 16}};
    struct am_err err;
    double residual;

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct am_cholesky *const c = make(sizes[i][0], sizes[i][1]);
        const struct am_blocks b = am_cholesky_blocks(c);

        for (size_t k = 0; k < b.count; k++)
            b.run(b.app, k);
        err = (struct am_err){0};
        ok(am_cholesky_check(c, &residual, &err) == AM_OK, "%zu by tiles of %zu in order: %.2g %s",
           sizes[i][0], sizes[i][1], residual, err.text);
        ok(am_cholesky_check(c, &residual, &err) == AM_E_WRONG,
           "what was not computed again is noticed");
        run_shuffled(&b, rng);
        err = (struct am_err){0};
        ok(am_cholesky_check(c, &residual, &err) == AM_OK, "in a drawn order: %.2g %s", residual,
           err.text);
        am_cholesky_free(c);
    }
}

/* Any task left out, and any one run before one that it waits for. */
static void check_notices(void)
{
    struct am_cholesky *const c = make(40, 8);
    const struct am_blocks b = am_cholesky_blocks(c);
    size_t missed = 0, early = 0, pairs = 0;
    double residual;

    for (size_t out = 0; out < b.count; out++) {
        struct am_err err = {0};
        size_t before[BEFORE_MAX];

        for (size_t k = 0; k < b.count; k++) {
            if (k != out)
                b.run(b.app, k);
        }
        missed += am_cholesky_check(c, &residual, &err) == AM_OK;
        if (b.before(b.app, out, before) == 0)
            continue;
        for (size_t k = 0; k < b.count;
             k++) { /* `out` runs just before the first that it waits for */
            if (k == before[0])
                b.run(b.app, out);
            if (k != out)
                b.run(b.app, k);
        }
        err = (struct am_err){0};
        early += am_cholesky_check(c, &residual, &err) == AM_OK;
        pairs++;
    }
    ok(missed == 0, "each of %zu tasks is missed when it is left out (%zu not)", b.count, missed);
    ok(early == 0, "each of %zu that wait is noticed when it is too early (%zu not)", pairs, early);
    am_cholesky_free(c);
}

static void check_critical(void)
{
    const double each[AM_CHOLESKY_KINDS] = {1, 10, 100, 1000};
    struct am_cholesky *const one = make(8, 8), *const three = make(24, 8);
    struct am_err err = {0};
    struct am_cholesky *none = NULL;

    is_near(am_cholesky_critical(one, each), 1, 1e-12, "one tile is one task");
    /* factor, solve(1,0) or (2,0), product(2,1,0), solve(2,1), update(2,1), factor(2) */
    is_near(am_cholesky_critical(three, each), 1 + 10 + 1000 + 10 + 100 + 1, 1e-12,
            "three tiles: the longest way has a product");
    is_near(am_cholesky_flops(three), 24 * 24 * 24 / 3.0 + 24 * 24 / 2.0 + 4, 1e-9, "operations");
    ok(am_cholesky_new(25, 8, 1, &none, &err) == AM_E_ABSENT && !none, "no tile is cut: %s",
       err.text);
    am_cholesky_free(one);
    am_cholesky_free(three);
}

int main(void)
{
    struct am_rng rng;
    const uint64_t seed = am_rng_entropy();

    printf("# seed %llu\n", (unsigned long long)seed);
    am_rng_seed(&rng, seed, 0);
    check_orders(&rng);
    check_notices();
    check_critical();
    return tap_done();
}
