/* SPDX-License-Identifier: MIT */
/* What ocl.branch shows: how many work-items of a device share their instructions, and the price of
 * paths that part. */
#include "model/derive.h"

#include <math.h>
#include <string.h>

enum { POINTS_MAX = 16 };

/* Paths that cost less than this, over one path, are taken independently. */
static const double no_price = 1.5;
/* A number of paths has reached the end of the climb at this part of the greatest price. */
static const double reached = 0.75;
/* Work-items in lock step make n paths cost n times one path, or nearly: at least this part. */
static const double lock_step = 0.5;

/* One number of paths. What interferes only adds: the best time counts for the shape. */
struct place {
    double paths;
    struct am_summary time;
};

/* Over rising numbers of paths; the first is one path. */
struct climb {
    struct place at[POINTS_MAX];
    size_t n;
};

static bool is_param(const struct am_result *r, const char *param, const char *text)
{
    const char *const value = am_result_text(r, param);

    return value && strcmp(value, text) == 0;
}

static bool same(const struct am_result *a, const struct am_result *b, const char *param)
{
    const char *const value = am_result_text(a, param);

    return value && is_param(b, param, value);
}

static bool is_branch(const struct am_result *r)
{
    return strcmp(r->bench, "ocl.branch") == 0 && is_param(r, "by", "local") &&
           is_param(r, "work", "fma") && am_result_text(r, "device");
}

static void insert(struct climb *c, const struct place *p)
{
    size_t i = c->n;

    if (c->n == POINTS_MAX)
        return;
    for (; i > 0 && c->at[i - 1].paths > p->paths; i--)
        c->at[i] = c->at[i - 1];
    c->at[i] = *p;
    c->n++;
}

static struct climb collect(const struct am_result_set *set, const struct am_result *like)
{
    struct climb c = {.n = 0};

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        struct place p = {.paths = am_result_number(r, "paths")};

        if (is_branch(r) && same(r, like, "device") && same(r, like, "items") && p.paths >= 1 &&
            am_result_summary(r, "time", &p.time) && p.time.min > 0)
            insert(&c, &p);
    }
    return c;
}

static double price(const struct climb *c, size_t i)
{
    return c->at[i].time.min / c->at[0].time.min;
}

/* Index of the width: 0 when paths cost nothing, the number of places when it cannot be told. */
static size_t find_width(const struct climb *c)
{
    double most = 0;
    size_t i = 0;

    for (size_t k = 1; k < c->n; k++)
        most = price(c, k) > most ? price(c, k) : most;
    if (most < no_price)
        return 0;
    while (i < c->n && price(c, i) < reached * most)
        i++;
    if (i + 1 >= c->n)
        return c->n; /* it may climb on beyond what was measured */
    return price(c, i) >= lock_step * c->at[i].paths ? i : c->n;
}

static void add_width(struct am_facts *facts, const struct climb *c, const char *device)
{
    const size_t i = find_width(c);
    const double most = c->at[c->n - 1].paths;

    if (i == c->n)
        return;
    am_facts_offer(
        facts,
        (struct am_fact){
            .id = am_arena_printf(facts->arena, "ocl.%s.simd_width", device),
            .what = "work-items that share their instructions",
            .unit = "",
            .value = c->at[i].paths,
            .ci = {i ? c->at[i - 1].paths + 1 : 1, c->at[i].paths, NAN},
            .evidence =
                i ? am_arena_printf(facts->arena,
                                    "ocl.branch by=local: the price of paths climbs to %.3g at "
                                    "%.0f of them, and no further up to %.0f",
                                    price(c, i), c->at[i].paths, most)
                  : am_arena_printf(facts->arena,
                                    "ocl.branch by=local: up to %.0f paths cost less than %g "
                                    "times one",
                                    most, no_price),
        });
}

static void add_price(struct am_facts *facts, const struct climb *c, const char *device)
{
    const struct place *const last = &c->at[c->n - 1];
    struct am_fact fact = {
        .id = am_arena_printf(facts->arena, "ocl.%s.divergence", device),
        .what = "price of work-items that part, over one path",
        .unit = "",
        .evidence =
            am_arena_printf(facts->arena, "ocl.branch by=local: %.0f paths over one", last->paths),
    };

    am_fact_set_ratio(&fact, &last->time, &c->at[0].time);
    am_facts_offer(facts, fact);
}

void am_derive_ocl_branch(const struct am_result_set *set, struct am_facts *facts)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        struct climb c;

        if (!is_branch(r) || !(am_result_number(r, "paths") <= 1))
            continue;
        c = collect(set, r);
        if (c.n < 2 || c.at[0].paths > 1)
            continue;
        add_width(facts, &c, am_result_text(r, "device"));
        add_price(facts, &c, am_result_text(r, "device"));
    }
}
