/* SPDX-License-Identifier: MIT */
/* Two sides of one run: what the plan knows and workers never hear, twins, and what is left out. */
#include "conductor/sides.h"

#include "conductor/replan.h"
#include "core/protocol/protocol.h"
#include "tap.h"

#include <string.h>

static const struct am_metric metrics[] = {{.name = "time", .unit = "s"}, {0}};

/* A catalogue with a worker of two benches, the second without axes, as a listing would give it. */
struct made {
    struct am_axis axes[3], none[1];
    struct am_bench benches[2];
    struct am_worker worker;
    struct am_catalogue catalogue;
};

static void make(struct made *m, unsigned version)
{
    static const char *const kinds[] = {"a", "b", NULL};

    *m = (struct made){0};
    m->axes[0] = (struct am_axis){.name = "n", .kind = AM_AXIS_INT, .dflt = "1,2"};
    m->axes[1] =
        (struct am_axis){.name = "kind", .kind = AM_AXIS_NAME, .dflt = "a", .choices = kinds};
    m->benches[0] = (struct am_bench){
        .name = "x.some", .version = version, .axes = m->axes, .metrics = metrics};
    m->benches[1] =
        (struct am_bench){.name = "x.none", .version = 1, .axes = m->none, .metrics = metrics};
    m->worker = (struct am_worker){
        .name = "cpu", .program = "archmeter-worker-cpu", .benches = m->benches, .n = 2};
    m->catalogue = (struct am_catalogue){.workers = &m->worker, .n = 1};
}

static void plan_all(const struct am_catalogue *c, struct am_arena *arena, struct am_plan *plan)
{
    static const struct am_symbol none[] = {{0}};
    struct am_err err = {0};

    *plan = (struct am_plan){.settings = am_profile_settings(AM_PROFILE_QUICK)};
    for (size_t i = 0; i < c->workers[0].n; i++)
        ok(am_plan_add(plan, &c->workers[0].benches[i], NULL, 0, none, arena, &err) == AM_OK,
           "planned %s", c->workers[0].benches[i].name);
}

static void test_mirror(void)
{
    struct made own, other;
    struct am_arena arena = {0};
    struct am_plan plan;
    struct am_err err = {0}, why = {0};
    struct am_strings environment = {0};
    size_t left_out;
    char text[AM_POINT_TEXT_MAX];

    make(&own, 1);
    make(&other, 1);
    ok(am_sides_join(&own.catalogue, &other.catalogue, &environment, &arena), "joined");
    plan_all(&own.catalogue, &arena, &plan);
    ok(plan.n == 3, "the plan has the points of the new side only: %zu", plan.n);
    ok(am_sides_mirror(&plan, &own.catalogue, &arena, &left_out, &why, &err) == AM_OK &&
           left_out == 0 && plan.n == 6,
       "each gets a twin");
    am_point_text(&plan.points[0], text, sizeof(text));
    is_str(text, "n=1 kind=a side=new", "the new side");
    am_point_text(&plan.points[1], text, sizeof(text));
    is_str(text, "n=1 kind=a side=base", "the base");
    am_point_text(&plan.points[5], text, sizeof(text));
    is_str(text, "side=base", "of a bench without axes");
    ok(plan.points[0].twin == 2 && plan.points[1].twin == 1, "they know each other");
    is_str(am_catalogue_worker(&own.catalogue, plan.points[1].bench)->name, "cpu@base",
           "the base has workers of its own");
    is_str(am_catalogue_worker(&own.catalogue, plan.points[1].bench)->calls_itself, "cpu",
           "which call themselves as ever");
    for (size_t i = 0; i < plan.n; i++)
        plan.points[i].twin = 0;
    am_sides_pair(&plan);
    ok(plan.points[0].twin == 2 && plan.points[1].twin == 1 && plan.points[4].twin == 6,
       "twins of a plan that was read back");
    am_arena_fini(&arena);
}

static void test_request(void)
{
    struct made own, other;
    struct am_arena arena = {0};
    struct am_plan plan;
    struct am_strings environment = {0};
    struct am_request request = {0};
    struct am_text text;

    make(&own, 1);
    make(&other, 1);
    (void)am_sides_join(&own.catalogue, &other.catalogue, &environment, &arena);
    plan_all(&own.catalogue, &arena, &plan);
    request.points = plan.points;
    request.n_points = plan.n;
    am_text_init(&text, 4096);
    am_request_write(&text, &request);
    ok(!strstr(am_text_str(&text), "side") && strstr(am_text_str(&text), "n=1 kind=a\n"),
       "workers never hear of the side");
    am_text_fini(&text);
    am_arena_fini(&arena);
}

static void test_left_out(void)
{
    struct made own, other;
    struct am_arena arena = {0};
    struct am_plan plan;
    struct am_err err = {0}, why = {0};
    struct am_strings environment = {0};
    size_t left_out;

    make(&own, 2);
    make(&other, 1);
    (void)am_sides_join(&own.catalogue, &other.catalogue, &environment, &arena);
    plan_all(&own.catalogue, &arena, &plan);
    ok(am_sides_mirror(&plan, &own.catalogue, &arena, &left_out, &why, &err) == AM_OK &&
           left_out == 2 && plan.n == 2 && strstr(why.text, "version"),
       "points of another version are left out: %s", why.text);
    am_arena_fini(&arena);
}

static void test_replan(void)
{
    static const struct {
        struct am_stored_point stored;
        enum am_status status;
        const char *word;
    } cases[] = {
        {{"cpu", "x.some", 1, "n=7 kind=b"}, AM_OK, NULL},
        {{"cpu", "x.none", 1, ""}, AM_OK, NULL},
        {{"gpu", "x.some", 1, "n=7 kind=b"}, AM_E_ABSENT, "not available"},
        {{"cpu@base", "x.some", 1, "n=7 kind=b"}, AM_E_ABSENT, "--against-build"},
        {{"cpu", "x.some", 2, "n=7 kind=b"}, AM_E_ABSENT, "version"},
        {{"cpu", "x.some", 1, "n=7"}, AM_E_STORE, "no axis kind"},
        {{"cpu", "x.some", 1, "n=7 kind=c"}, AM_E_STORE, "kind"},
        {{"cpu", "x.some", 1, "kind=b n=7"}, AM_E_STORE, "reads back"},
        {{"cpu", "x.some", 1, "n=07 kind=b"}, AM_E_STORE, "reads back"},
    };
    struct made own;
    struct am_arena arena = {0};

    make(&own, 1);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_point point;
        struct am_err err = {0};
        const enum am_status status =
            am_replan_point(&own.catalogue, &cases[i].stored, &arena, &point, &err);

        ok(status == cases[i].status && (!cases[i].word || strstr(err.text, cases[i].word)),
           "%s %s \"%s\": %s", cases[i].stored.worker, cases[i].stored.bench, cases[i].stored.text,
           status == AM_OK ? "a point again" : err.text);
    }
    am_arena_fini(&arena);
}

int main(void)
{
    test_mirror();
    test_request();
    test_left_out();
    test_replan();
    return tap_done();
}
