/* SPDX-License-Identifier: MIT */
/* The meters of a run on a tree that is made up: which scopes a bench has room for, how long
 * batches become, and what the metrics of energy are. */
#include "../fsroot/tree.h"
#include "conductor/energy.h"
#include "conductor/energy_metrics.h"
#include "scripted_time.h"
#include "tap.h"

#include <math.h>
#include <string.h>

#define ZONES "sys/class/powercap/"
#define CHIP "sys/class/hwmon/hwmon0/"

enum { RAILS = 6, MANY_RAILS = 30 };

struct bed {
    struct tree tree;
    struct am_fsroot root;
    struct am_arena arena;
    struct am_energy_rig *rig;
};

static void put_zone(struct bed *b, const char *zone, const char *name)
{
    char path[128];

    (void)snprintf(path, sizeof(path), ZONES "%s/name", zone);
    tree_put(&b->tree, path, "%s", name);
    (void)snprintf(path, sizeof(path), ZONES "%s/energy_uj", zone);
    tree_put(&b->tree, path, "%d", 5000000);
    (void)snprintf(path, sizeof(path), ZONES "%s/max_energy_range_uj", zone);
    tree_put(&b->tree, path, "262143328850");
}

static void put_rails(struct bed *b, int n)
{
    tree_put(&b->tree, CHIP "name", "ina3221");
    tree_put(&b->tree, CHIP "update_interval", "20");
    for (int i = 1; i <= n; i++) {
        char path[128];

        (void)snprintf(path, sizeof(path), CHIP "power%d_input", i);
        tree_put(&b->tree, path, "%d", 1000000 * i);
    }
}

static bool bed_open(struct bed *b, int rails, double nm)
{
    struct am_energy_options options = {.cpu = -1, .process_nm = nm, .process_exponent = 3};
    struct am_err err = {0};
    enum am_status s;

    *b = (struct bed){0};
    tree_open(&b->tree);
    put_rails(b, rails);
    put_zone(b, "intel-rapl:0", "package-0");
    put_zone(b, "intel-rapl:0:0", "core");
    s = am_fsroot_open(&b->root, b->tree.path, &err);
    options.meters.root = &b->root;
    if (s == AM_OK)
        s = am_energy_rig_open(&options, &b->arena, &b->rig, &err);
    return ok(s == AM_OK && !b->tree.broken, "a rig is opened (%s)", err.text);
}

static void bed_close(struct bed *b)
{
    am_energy_rig_close(b->rig);
    am_fsroot_close(&b->root);
    am_arena_fini(&b->arena);
    tree_close(&b->tree);
}

static bool has_metric(const struct am_bench *bench, const char *name)
{
    for (size_t i = 0; bench->metrics[i].name; i++) {
        if (strcmp(bench->metrics[i].name, name) == 0)
            return true;
    }
    return false;
}

/* The bench with what the rig adds, as the only point of a plan. */
static const char *left_out(struct bed *b, struct am_bench *bench)
{
    struct am_worker worker = {.name = "w", .benches = bench, .n = 1};
    struct am_catalogue catalogue = {.workers = &worker, .n = 1};
    struct am_point point = {.bench = bench};
    const struct am_plan plan = {.points = &point, .n = 1};
    struct am_err err = {0};

    ok(am_energy_rig_extend(b->rig, &catalogue, &b->arena, &err) == AM_OK &&
           am_metric_count(bench->metrics) <= AM_METRICS_MAX,
       "a bench is extended within its room");
    return am_energy_rig_left_out(b->rig, &plan, &b->arena);
}

static const struct am_metric one[] = {{"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, ""},
                                       {.name = NULL}};

static void test_room(void)
{
    struct am_bench bench = {.name = "x", .metrics = one};
    const char *names;
    struct bed b;

    if (!bed_open(&b, RAILS, 0)) {
        bed_close(&b);
        return;
    }
    names = left_out(&b, &bench);
    ok(has_metric(&bench, "energy:package") && has_metric(&bench, "energy:core") &&
           has_metric(&bench, "power:off-core"),
       "packages and cores come before the rails of a board");
    ok(has_metric(&bench, "energy:hwmon0.ina3221.power1"), "the first rails fit");
    ok(names && strstr(names, "hwmon0.ina3221.power6") && !strstr(names, "power1") &&
           !has_metric(&bench, "energy:hwmon0.ina3221.power6"),
       "the last ones are named as left out (%s)", names ? names : "none");
    bed_close(&b);
    if (bed_open(&b, MANY_RAILS, 0)) {
        bench = (struct am_bench){.name = "x", .metrics = one};
        names = left_out(&b, &bench);
        ok(names && strstr(names, " more"), "rails beyond every table are counted (%s)",
           names ? names : "none");
    }
    bed_close(&b);
    if (bed_open(&b, 1, 0)) {
        bench = (struct am_bench){.name = "x", .metrics = one};
        ok(!left_out(&b, &bench), "where all fit nothing is said");
    }
    bed_close(&b);
}

/* Rails change every 20 ms: 50 periods are a second. */
static void test_batches(void)
{
    const uint64_t ms = 1000000;
    struct am_plan_settings settings = {.sampler = {.min_batch_ns = 10 * ms, .samples = 5}};
    struct bed b;

    if (bed_open(&b, 1, 0)) {
        am_energy_rig_stretch(b.rig, false, &settings);
        ok(settings.sampler.min_batch_ns > 1000 * ms && settings.sampler.min_batch_ns < 2000 * ms,
           "batches last 50 periods and a little more");
        ok(settings.sampler.max_point_ns > 5 * settings.sampler.min_batch_ns &&
               settings.launch_limit_s * 1e9 > (double)settings.sampler.max_point_ns,
           "and the limits leave them time");
        settings.sampler.min_batch_ns = 3000 * ms;
        am_energy_rig_stretch(b.rig, true, &settings);
        ok(settings.sampler.min_batch_ns == 3000 * ms, "longer ones stay");
    }
    bed_close(&b);
    if (bed_open(&b, 0, 0)) {
        settings.sampler.min_batch_ns = 100 * ms;
        am_energy_rig_stretch(b.rig, true, &settings);
        ok(settings.sampler.min_batch_ns == 100 * ms,
           "the user's own are enough where the meters can resolve them");
        am_energy_rig_stretch(b.rig, false, &settings);
        ok(settings.sampler.min_batch_ns == 500 * ms, "else half a second");
    }
    bed_close(&b);
}

/* As with a GPU whose counter changes every tenth of a second: 5 samples of 6 s, as many more for
 * those that were disturbed, and nothing was stored when a budget of 24 s ended. */
static void test_budget(void)
{
    static const struct {
        double budget_s;
        unsigned launches, wanted, samples;
    } cases[] = {{0, 2, 5, 5},  {1000, 1, 5, 5}, {26, 1, 6, 3},
                 {40, 1, 6, 5}, {46, 2, 6, 2},   {3, 5, 6, 1}};
    struct bed b;

    if (bed_open(&b, 1, 0)) {
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
            struct am_plan_settings set = {.budget_s = cases[i].budget_s,
                                           .min_launches = cases[i].launches,
                                           .sampler = {.min_batch_ns = 6000000000u,
                                                       .warmup = 1,
                                                       .samples = cases[i].wanted,
                                                       .extra = 5}};

            am_energy_rig_stretch(b.rig, true, &set);
            ok(set.sampler.samples == cases[i].samples && set.sampler.extra <= 1,
               "%g s for %u launches of %u windows of 6 s: %u and %u", cases[i].budget_s,
               cases[i].launches, cases[i].wanted, set.sampler.samples, set.sampler.extra);
        }
    }
    bed_close(&b);
}

/* 50 W for 2 s an iteration, of which the bench's own clock saw 1.5; the idle machine draws 20 W.
 */
static void test_metrics(void)
{
    static const struct am_work work = {
        .flops = 1e9, .bytes_read = 30, .bytes_written = 20, .ops = 4};
    static const struct am_energy_measured m = {.watts = 50,
                                                .idle_w = 20,
                                                .seconds = 1.5,
                                                .window_s = 2,
                                                .work = &work,
                                                .process_nm = 10,
                                                .process_exponent = 3};
    static const struct {
        const char *name;
        double value;
    } want[] = {
        {"energy", 100},       {"power", 50},         {"net_energy", 60}, {"flops_per_watt", 1e7},
        {"joule_per_byte", 2}, {"joule_per_op", 25},  {"edp", 150},       {"ed2p", 225},
        {"edp_norm", 0.15},    {"ed2p_norm", 0.0225},
    };
    size_t n = 0;

    for (; am_energy_kinds[n].name && n < sizeof(want) / sizeof(*want); n++) {
        ok(strcmp(am_energy_kinds[n].name, want[n].name) == 0, "metric %zu is %s", n, want[n].name);
        is_near(am_energy_kinds[n].value(&m), want[n].value, 1e-12, "and has its value");
    }
    ok(n == sizeof(want) / sizeof(*want) && !am_energy_kinds[n].name, "there are no others");
    for (size_t i = 0; i < n; i++) {
        const struct am_energy_measured none = {.watts = NAN, .work = &work, .process_nm = 10};

        ok(isnan(am_energy_kinds[i].value(&none)), "%s of a window without number is none",
           want[i].name);
    }
}

/* A counter that says it changes every 90 ms, and changes every 45. */
enum { TOLD_MS = 90, TRUE_MS = 45, MS = 1000000 };

static void move_energy(void *self, uint64_t now_ns)
{
    tree_put(self, CHIP "energy1_input", "%012d", (int)(1000000 * (now_ns / (TRUE_MS * MS))));
}

static void test_period(void)
{
    struct bed b = {0};
    struct scripted_time time;
    struct am_energy_options options = {.cpu = -1, .meters = {.root = &b.root, .time = &time.time}};
    struct am_err err = {0};

    scripted_time_init(&time);
    time.passed = move_energy;
    time.self = &b.tree;
    tree_open(&b.tree);
    tree_put(&b.tree, CHIP "name", "gpu");
    tree_put(&b.tree, CHIP "update_interval", "%d", TOLD_MS);
    tree_put(&b.tree, CHIP "energy1_input", "%012d", 5000000);
    ok(am_fsroot_open(&b.root, b.tree.path, &err) == AM_OK &&
           am_energy_rig_open(&options, &b.arena, &b.rig, &err) == AM_OK,
       "a slow counter is opened (%s)", err.text);
    if (b.rig) {
        const double ms = (double)am_energy_rig_meters(b.rig)->items[0].period_ns / MS;

        ok(ms > TRUE_MS * 0.7 && ms < TOLD_MS * 0.85, "its period is the one seen: %.0f ms", ms);
    }
    bed_close(&b);
}

int main(void)
{
    test_period();
    test_room();
    test_batches();
    test_budget();
    test_metrics();
    return tap_done();
}
