/* SPDX-License-Identifier: MIT */
/* Seconds lost to directives, from counts and overheads that are known. */
#include "family/omp/cost.h"

#include "result_fixture.h"
#include "tap.h"

#include "core/spec/commands.h"

#include <math.h>
#include <string.h>

#define REGION                                                                                     \
    " team=fixed imbalance=0 crowd=1 spin=auto binding=auto places=auto runtime=libgomp threads=4"
#define SYNC " runtime=libgomp threads=4 binding=none wait=default"

static bool near(double a, double b)
{
    return fabs(a - b) <= 0.01 * fabs(b);
}

static void put(struct rx_run *run, const char *bench, const char *point, const char *metric,
                double value)
{
    (void)rx_add(run, bench, point, (const struct rx_metric[]){{metric, "s", value}, {0}});
}

/* A program of 1 s: 10000 regions at once, 100 after 1 ms, 20000 barriers of four threads, 4000
 * contended entries, 40000 chunks. */
static void put_program(struct rx_run *run)
{
    static const struct {
        const char *region;
        struct rx_metric metrics[4];
    } rows[] = {
        {"(program)", {{"time", "s", 1.1}}},
        {"gomp:region:4:0:a+0x10", {{"time", "s", 0.3}, {"calls", "", 10000}, {"total", "s", 0.3}}},
        {"gomp:region:4:1000:a+0x20",
         {{"time", "s", 0.02}, {"calls", "", 100}, {"total", "s", 0.02}}},
        {"gomp:region:4:-1:a+0x20", {{"time", "s", 1e-4}, {"calls", "", 1}, {"total", "s", 1e-4}}},
        {"gomp:body:4:0:a+0x10",
         {{"total_self", "s", 0.08}, {"calls", "", 40000}, {"total", "s", 0.9}}},
        {"gomp:body:4:0:a+0x20",
         {{"total_self", "s", 0.06}, {"calls", "", 404}, {"total", "s", 0.06}}},
        {"gomp:barrier:4:0:a+0x30", {{"calls", "", 80000}, {"total", "s", 0.1}}},
        {"gomp:critical:4:0:a+0x40", {{"calls", "", 4000}, {"total", "s", 0.06}}},
        {"gomp:critical:4:0:a+0x41", {{"calls", "", 10}, {"total", "s", 4e-3}}},
        {"gomp:critical:4:0:a+0x42", {{"calls", "", 10}, {"total", "s", 4e-5}}},
        {"gomp:critical:4:0:a+0x43", {{"calls", "", 400000}, {"total", "s", 6}}},
        {"gomp:lock:4:0:a+0x50", {{"calls", "", 4000}, {"total", "s", 4e-5}}},
        {"gomp:chunk:4:0:a+0x60", {{"calls", "", 40000}, {"total", "s", 0.02}}},
        {"gomp:nested:2:0:a+0x70", {{"calls", "", 10}, {"total", "s", 0.001}}},
        {"solve", {{"calls", "", 10}, {"total", "s", 0.001}}},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        (void)rx_add(run, "exec.solver", am_arena_printf(&run->arena, "region=%s", rows[i].region),
                     rows[i].metrics);
    put(run, "exec.solver-alone", "env=-", "time", 1.0);
    put(run, "exec.solver-alone", "env=OMP_WAIT_POLICY=active", "time", 0.99);
}

static void put_prices(struct rx_run *run)
{
    put(run, "omp.region", "gap=0 wait=auto" REGION, "overhead", 5e-6);
    put(run, "omp.region", "gap=1000 wait=auto" REGION, "overhead", 155e-6);
    put(run, "omp.region", "gap=0 wait=active" REGION, "overhead", 5e-6);
    put(run, "omp.region", "gap=1000 wait=active" REGION, "overhead", 5e-6);
    put(run, "omp.sync", "construct=barrier" SYNC, "overhead", 1e-6);
    put(run, "omp.sync", "construct=critical_contended" SYNC, "overhead", 5e-6);
    put(run, "omp.sync", "construct=critical" SYNC, "overhead", 1e-4);
    put(run, "omp.sync", "construct=lock_contended" SYNC, "overhead", 5e-6);
    put(run, "omp.sync", "construct=lock_uncontended" SYNC, "overhead", 2e-8);
    put(run, "omp.sched", "schedule=dynamic chunk=1" SYNC, "overhead", 1100e-6);
    put(run, "omp.sched", "schedule=dynamic chunk=64" SYNC, "overhead", 92e-6);
}

static const struct am_omp_spent *at(const struct am_omp_cost *c, const char *construct,
                                     double gap_us)
{
    for (size_t i = 0; i < c->n; i++) {
        if (strcmp(c->items[i].construct, construct) == 0 &&
            !(c->items[i].gap_us < gap_us || c->items[i].gap_us > gap_us))
            return &c->items[i];
    }
    return NULL;
}

static const struct am_omp_advice *advice_of(const struct am_omp_cost *c, const char *words)
{
    for (size_t i = 0; i < c->n_advice; i++) {
        if (strstr(c->advice[i].text, words))
            return &c->advice[i];
    }
    return NULL;
}

static bool unpriced(const struct am_omp_cost *c, const char *place)
{
    for (size_t i = 0; i < c->n; i++) {
        if (strcmp(c->items[i].place, place) == 0)
            return !c->items[i].lost.known && c->items[i].why_not;
    }
    return false;
}

static void test_losses(const struct am_omp_cost *c)
{
    static const struct {
        const char *construct;
        double gap_us, times, lost;
    } want[] = {
        {"region", 0, 10000, 50e-3},  {"region", 1000, 100, 15.5e-3}, {"barrier", 0, 20000, 20e-3},
        {"critical", 0, 4000, 20e-3}, {"lock", 0, 4000, 2e-5},        {"chunk", 0, 10000, 10e-3},
    };

    for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
        const struct am_omp_spent *const s = at(c, want[i].construct, want[i].gap_us);

        ok(s && near(s->times, want[i].times), "%s after %g us happens %g times", want[i].construct,
           want[i].gap_us, want[i].times);
        ok(s && s->lost.known && near(s->lost.value, want[i].lost), "and loses %g s", want[i].lost);
    }
    ok(c->n > 5 && near(c->items[5].lost.value, 1e-3) && strcmp(c->items[5].place, "a+0x41") == 0,
       "entries are priced as those whose waiting is nearest");
    ok(!c->items[c->n - 1].lost.known && unpriced(c, "a+0x42"),
       "and not at all where no price is near");
    ok(unpriced(c, "a+0x43"), "nor where they would lose more than the program takes");
    ok(at(c, "nested", 0) && !at(c, "nested", 0)->lost.known && at(c, "nested", 0)->why_not,
       "regions inside of regions are counted, and not predicted");
    ok(at(c, "region", -1) && !at(c, "region", -1)->lost.known, "nor is the first region");
    ok(!at(c, "body", 0), "what threads do in a region is no loss");
    ok(near(c->lost.value, 116.52e-3) && c->lost.lo <= c->lost.value, "all together");
    ok(near(c->alone.value, 1) && near(c->counted.value, 1.1), "the program with and without");
    ok(near(c->waiting_s, 0.3 + 0.02 + 1e-4 - 0.02 - 0.015), "regions' time less the mean work");
    is_str(c->items[0].construct, "region", "what loses most comes first");
}

static void test_advice(const struct am_omp_cost *c)
{
    const struct am_omp_advice *const joined = advice_of(c, "join regions");
    const struct am_omp_advice *const policy = advice_of(c, "OMP_WAIT_POLICY");
    const struct am_omp_advice *const critical = advice_of(c, "critical");
    const struct am_omp_advice *const serial = advice_of(c, "a+0x10 on one thread");

    ok(joined && near(joined->gain.value, 40e-3), "joined regions cost a barrier each");
    ok(policy && near(policy->gain.value, 15e-3), "threads that stay awake save what waking costs");
    ok(policy && policy->seen.known && near(policy->seen.value, 0.01),
       "and what that brought is known, because it was tried");
    ok(critical && near(critical->gain.value, 20e-3), "entries that wait for each other");
    ok(!advice_of(c, "lock at"), "a lock that nobody else wants is left alone");
    ok(!serial, "regions whose work is worth a team are left alone");
    ok(!advice_of(c, "iterations at once") ||
           near(advice_of(c, "iterations at once")->gain.value, 10e-3 * 15 / 16),
       "chunks of 16 times as many iterations save 15 of 16 requests");
    ok(advice_of(c, "more evenly") != NULL, "waiting that no overhead explains is told");
}

/* The same program with hardly any work in its regions. */
static void test_serial(void)
{
    struct rx_run run = {0};
    struct am_omp_cost c;

    put_prices(&run);
    (void)rx_add(&run, "exec.s", "region=gomp:region:4:0:a+0x10",
                 (const struct rx_metric[]){
                     {"time", "s", 0.06}, {"calls", "", 10000}, {"total", "s", 0.06}, {0}});
    (void)rx_add(&run, "exec.s", "region=gomp:body:4:0:a+0x10",
                 (const struct rx_metric[]){
                     {"total_self", "s", 0.004}, {"calls", "", 40000}, {"total", "s", 0.004}, {0}});
    put(&run, "exec.s-alone", "env=-", "time", 0.1);
    am_evidence_settle(&run.set);
    ok(am_omp_cost_of(&run.set, &run.set, &run.arena, &c), "a program of small regions is read");
    ok(advice_of(&c, "a+0x10 on one thread") &&
           near(advice_of(&c, "a+0x10 on one thread")->gain.value, 50e-3 - 3e-3),
       "regions of 0.4 us of work are better run by one thread");
    am_arena_fini(&run.arena);
}

static void test_plan(void)
{
    struct am_marks_region regions[] = {
        {.name = "kmp:region:16:300:x+0x1"},
        {.name = "kmp:critical:16:0:x+0x2"},
        {.name = "kmp:chunk:16:0:x+0x3"},
        {.name = "kmp:region:8:0:x+0x1"},
        {.name = "solve"},
    };
    const struct am_marks marks = {.items = regions, .n = 5};
    const struct am_marks others = {.items = regions + 4, .n = 1};
    struct am_omp_cost_wish wish = {0};
    struct am_text text;

    am_text_init(&text, 4096);
    am_omp_cost_plan(&marks, &wish, &text);
    ok(strstr(am_text_str(&text), "test omp.region\naxis runtime libomp\naxis threads 16,8\n"
                                  "axis gap 300,0\naxis wait auto,active\n"),
       "the regions that were counted are measured, and how else threads could wait");
    ok(strstr(am_text_str(&text),
              "axis construct barrier,lock_uncontended,critical,critical_contended\n"
              "axis binding none\n"),
       "so are constructs, unbound as the program");
    ok(strstr(am_text_str(&text), "test omp.sched") && !strstr(am_text_str(&text), "test omp.task"),
       "and loops, but no tasks: there were none");
    wish.waits = true;
    ok(am_omp_cost_tries(&marks, &(struct am_omp_cost_wish){0}) &&
           !am_omp_cost_tries(&marks, &wish),
       "a wait policy of the user's own stands");
    ok(am_omp_cost_counted(&marks) && !am_omp_cost_counted(&others),
       "marks of a user are no directives");
    am_text_fini(&text);
}

int main(void)
{
    struct rx_run run = {0};
    struct am_omp_cost c;

    put_program(&run);
    put_prices(&run);
    am_kvs_add(&run.set.settings, &run.arena, AM_COMMANDS_KIND, AM_OMP_COST_KIND);
    am_evidence_settle(&run.set);
    ok(am_omp_cost_is(&run.set), "a run of its kind is known");
    ok(am_omp_cost_of(&run.set, &run.set, &run.arena, &c), "and read");
    test_losses(&c);
    test_advice(&c);
    test_serial();
    test_plan();
    am_arena_fini(&run.arena);
    return tap_done();
}
