/* SPDX-License-Identifier: MIT */
/* The SIMD width that ocl.branch shows, from made-up devices. */
#include "model/derive.h"
#include "result_fixture.h"
#include "tap.h"

enum { PLACES = 8, PARAMS_MAX = 8, LAUNCHES = 6 };

/* Seconds at 1, 2, 4, ... paths; 0 ends them. */
struct device {
    const char *what;
    double times[PLACES];
    double width, divergence; /* NAN: nothing may be said */
};

static const struct device devices[] = {
    {"in lock step of 32", {1, 2, 4, 8, 15.8, 31, 31.5}, 32, 31.5},
    {"as the paper's GTX 460SE", {2.05, 4, 6.55, 13, 26.78, 60.12, 60}, 32, 60 / 2.05},
    {"in lock step of 8", {1, 1.9, 3.8, 7.4, 7.5, 7.5, 7.6}, 8, 7.6},
    {"one by one", {1, 1, 1.02, 1.01, 1, 1.04, 1.06}, 1, 1.06},
    {"that climbs to the last place", {1, 2, 4, 8, 16}, NAN, 16},
    {"whose branches only cost something", {1, 1.2, 1.4, 1.6, 1.8, 2, 2}, NAN, 2},
    {"of one place", {1}, NAN, NAN},
};

/* One run: every launch tells the same. `slow` is the time of a launch that was held up. */
struct made {
    struct am_arena arena;
    struct am_result results[PLACES];
    struct am_result_metric metrics[PLACES];
    struct am_launch_values launches[PLACES][LAUNCHES];
    double values[PLACES][LAUNCHES];
    struct am_result_set set;
};

static void put(struct made *m, const char *by, unsigned paths, double time)
{
    const size_t i = m->set.n++;
    struct am_result *const r = &m->results[i];

    *r = (struct am_result){.bench = "ocl.branch", .state = AM_POINT_OK};
    r->text =
        am_arena_printf(&m->arena, "device=thing paths=%u by=%s work=fma items=32768", paths, by);
    rx_params(&m->arena, r, r->text, PARAMS_MAX);
    for (size_t l = 0; l < LAUNCHES; l++) {
        m->values[i][l] = time;
        m->launches[i][l] = (struct am_launch_values){.values = &m->values[i][l], .n = 1};
    }
    m->metrics[i] = (struct am_result_metric){
        .name = "time", .unit = "s", .series = {.launches = m->launches[i], .n = LAUNCHES}};
    r->metrics = &m->metrics[i];
    r->n_metrics = 1;
    m->set.results = m->results;
}

static void check_fact(const struct am_facts *facts, const char *id, double want, const char *of)
{
    const struct am_fact *const f = am_facts_find(facts, id);

    if (isnan(want)) {
        ok(!f, "a device %s: nothing is said of %s", of, id);
        return;
    }
    ok(f && fabs(f->value / want - 1) < 1e-9, "a device %s: %s is %g", of, id, want);
    ok(f && f->ci.lo <= f->value && f->value <= f->ci.hi && f->evidence && f->what,
       "with its evidence: %s", f ? f->evidence : "none");
}

static void check_device(const struct device *d)
{
    struct made m = {0};
    struct am_facts facts = {.arena = &m.arena};

    /* The order of results is nobody's promise: the last place first. */
    for (size_t i = PLACES; i-- > 0;) {
        if (d->times[i] > 0)
            put(&m, "local", 1U << i, d->times[i]);
    }
    am_derive_ocl_branch(&m.set, &facts);
    check_fact(&facts, "ocl.thing.simd_width", d->width, d->what);
    check_fact(&facts, "ocl.thing.divergence", d->divergence, d->what);
    am_arena_fini(&m.arena);
}

/* A neighbour that takes the device away from one launch does not make it wider. */
static void check_disturbed(void)
{
    struct made m = {0};
    struct am_facts facts = {.arena = &m.arena};

    for (unsigned i = 0; i < 7; i++)
        put(&m, "local", 1U << i, 1);
    for (size_t l = 0; l + 1 < LAUNCHES; l++)
        m.values[3][l] = 8;
    am_derive_ocl_branch(&m.set, &facts);
    check_fact(&facts, "ocl.thing.simd_width", 1, "that was busy for most of one place");
    am_arena_fini(&m.arena);
}

/* Groups that part are not work-items that part. */
static void check_groups(void)
{
    struct made m = {0};
    struct am_facts facts = {.arena = &m.arena};

    for (unsigned i = 0; i < 7; i++)
        put(&m, "group", 1U << i, i < 5 ? 1U << i : 32);
    am_derive_ocl_branch(&m.set, &facts);
    ok(facts.n == 0, "paths of whole groups say nothing of the width");
    am_arena_fini(&m.arena);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
        check_device(&devices[i]);
    check_disturbed();
    check_groups();
    return tap_done();
}
