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

/* A program: 10000 regions at once, 100 after 1 ms, 20000 barriers of four threads, 44000 contended
 * entries, 40000 chunks. Regions take 0.3201 of 1.1 s while counting, and their threads work for
 * 0.035 s in the mean, of which 60005 counted constructs are 10 ns each; the longest of them works
 * for `longest` in place of 0.02 s at one place. */
static const double work = 0.035 - 60005e-8;

static void put_program(struct rx_run *run, double alone, double longest)
{
    const struct {
        const char *region;
        struct rx_metric metrics[4];
    } rows[] = {
        {"(program)", {{"time", "s", 1.1}}},
        {"gomp:region:4:0:a+0x10", {{"time", "s", 0.3}, {"calls", "", 10000}, {"total", "s", 0.3}}},
        {"gomp:region:4:1000:a+0x20",
         {{"time", "s", 0.02}, {"calls", "", 100}, {"total", "s", 0.02}}},
        {"gomp:region:4:-1:a+0x20", {{"time", "s", 1e-4}, {"calls", "", 1}, {"total", "s", 1e-4}}},
        {"gomp:body:4:0:a+0x10",
         {{"total_self", "s", 0.08}, {"self", "s", longest}, {"calls", "", 40000}}},
        {"gomp:body:4:0:a+0x20",
         {{"total_self", "s", 0.06}, {"calls", "", 404}, {"total", "s", 0.06}}},
        {"gomp:barrier:4:0:a+0x30", {{"calls", "", 80000}, {"total", "s", 0.1}}},
        {"gomp:critical:4:0:a+0x40", {{"calls", "", 40000}, {"total", "s", 0.6}}},
        {"gomp:critical:4:0:a+0x41", {{"calls", "", 4000}, {"total", "s", 0.2}}},
        {"gomp:leave:4:0:unknown", {{"calls", "", 48000}, {"total", "s", 0.01}}},
        {"gomp:ordered:4:0:a+0x43", {{"calls", "", 4000}, {"total", "s", 6}}},
        {"gomp:lock:4:0:a+0x50", {{"calls", "", 4000}, {"total", "s", 8e-5}}},
        {"gomp:chunk:4:0:a+0x60", {{"calls", "", 40000}, {"total", "s", 0.02}}},
        {"gomp:nested:2:0:a+0x70", {{"calls", "", 10}, {"total", "s", 0.001}}},
        {"gomp:met:4:0:a+0x10", {{"total", "s", 1e-3}, {"calls", "", 20000}}},
        {"gomp:weight:0:0:unknown", {{"total_self", "s", 1e-5}, {"calls", "", 1}}},
        {"gomp:nothing:0:0:unknown", {{"total", "s", 1e-5}, {"calls", "", 1000}}},
        {"solve", {{"calls", "", 10}, {"total", "s", 0.001}}},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        (void)rx_add(run, "exec.solver", am_arena_printf(&run->arena, "region=%s", rows[i].region),
                     rows[i].metrics);
    put(run, "exec.solver-alone", "env=-", "time", alone);
    put(run, "exec.solver-alone", "env=OMP_WAIT_POLICY=active", "time", 0.99 * alone);
}

static void put_prices(struct rx_run *run)
{
    (void)rx_add(
        run, "omp.region", "gap=0 wait=auto" REGION,
        (const struct rx_metric[]){{"overhead", "s", 4e-6}, {"overhead_mean", "s", 5e-6}, {0}});
    put(run, "omp.region", "gap=1000 wait=auto" REGION, "overhead_mean", 155e-6);
    put(run, "omp.region", "gap=0 wait=active" REGION, "overhead_mean", 5e-6);
    put(run, "omp.region", "gap=1000 wait=active" REGION, "overhead_mean", 5e-6);
    put(run, "omp.sync", "construct=barrier" SYNC, "overhead", 1e-6);
    put(run, "omp.sync", "construct=ordered" SYNC, "overhead", 1e-3);
    put(run, "omp.start", "event=parallel" SYNC, "first", 1e-3);
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
        {"region", 0, 10000, 50e-3}, {"region", 1000, 100, 15.5e-3}, {"barrier", 0, 20000, 20e-3},
        {"region", -1, 1, 1e-3},     {"lock", 0, 4000, 2e-5},        {"chunk", 0, 10000, 10e-3},
    };

    for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
        const struct am_omp_spent *const s = at(c, want[i].construct, want[i].gap_us);

        ok(s && near(s->times, want[i].times), "%s after %g us happens %g times", want[i].construct,
           want[i].gap_us, want[i].times);
        ok(s && s->lost.known && near(s->lost.value, want[i].lost), "and loses %g s", want[i].lost);
    }
    ok(unpriced(c, "a+0x43"), "what would lose more than the program takes is not believed");
    ok(at(c, "nested", 0) && !at(c, "nested", 0)->lost.known && at(c, "nested", 0)->why_not,
       "regions inside of regions are counted, and not predicted");
    ok(!at(c, "body", 0) && !at(c, "leave", 0), "what threads do in a region is no loss");
    ok(near(c->alone.value, 1) && near(c->counted.value, 1.1), "the program with and without");
    ok(c->beyond.known && near(c->beyond.value, 1 - (1.1 - 0.3201) - work),
       "regions' time without counting, less the mean work");
    is_str(c->items[0].construct, "critical", "what loses most comes first");
}

static double lost_at(const struct am_omp_cost *c, const char *place)
{
    for (size_t i = 0; i < c->n; i++) {
        if (strcmp(c->items[i].place, place) == 0)
            return c->items[i].lost.known ? c->items[i].lost.value : NAN;
    }
    return NAN;
}

/* Of what is beyond the mean work 0.0965 s are other constructs' and 0.001 s uneven work. */
static void test_entries(const struct am_omp_cost *c)
{
    const double left = 1 - (1.1 - 0.3201) - work - 0.0965 - 0.001;

    ok(near(lost_at(c, "a+0x40"), left * 0.15 / 0.20002) &&
           near(lost_at(c, "a+0x41"), left * 0.05 / 0.20002),
       "entries have what nothing else explains, as waiting was divided while counting");
    ok(near(c->lost.value, 0.0965 + left) && c->lost.lo <= c->lost.value, "all together");
}

/* The program with another time of its own. */
static void test_entries_of(double alone, double longest, double want, const char *what)
{
    struct rx_run run = {0};
    struct am_omp_cost c;

    put_program(&run, alone, longest);
    put_prices(&run);
    am_evidence_settle(&run.set);
    ok(am_omp_cost_of(&run.set, &run.set, &run.arena, &c), "the program is read");
    ok(near(lost_at(&c, "a+0x40"), want), "%s: %g of %g", what, lost_at(&c, "a+0x40"), want);
    ok((alone > 1) == (advice_of(&c, "more evenly") != NULL),
       "waiting that nothing explains is told where there is some");
    am_arena_fini(&run.arena);
}

static void test_advice(const struct am_omp_cost *c)
{
    const struct am_omp_advice *const joined = advice_of(c, "join regions");
    const struct am_omp_advice *const policy = advice_of(c, "OMP_WAIT_POLICY");
    const struct am_omp_advice *const critical = advice_of(c, "critical");
    const struct am_omp_advice *const serial = advice_of(c, "a+0x10 on one thread");

    ok(joined && near(joined->gain.value, 45e-3),
       "joined regions cost a barrier each, but for those that end with one");
    ok(policy && near(policy->gain.value, 15e-3), "threads that stay awake save what waking costs");
    ok(policy && policy->seen.known && near(policy->seen.value, 0.01),
       "and what that brought is known, because it was tried");
    ok(critical && near(critical->gain.value, lost_at(c, "a+0x40")),
       "entries that wait for each other");
    ok(!advice_of(c, "lock at"), "a lock that nobody else wants is left alone");
    ok(!serial, "regions whose work is worth a team are left alone");
    ok(!advice_of(c, "iterations at once") ||
           near(advice_of(c, "iterations at once")->gain.value, 10e-3 * 15 / 16),
       "chunks of 16 times as many iterations save 15 of 16 requests");
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
    (void)rx_add(&run, "exec.s", "region=gomp:barrier:4:0:a+0x18",
                 (const struct rx_metric[]){{"calls", "", 40000}, {"total", "s", 0.01}, {0}});
    put(&run, "exec.s-alone", "env=-", "time", 0.1);
    am_evidence_settle(&run.set);
    ok(am_omp_cost_of(&run.set, &run.set, &run.arena, &c), "a program of small regions is read");
    ok(advice_of(&c, "a+0x10 on one thread") &&
           near(advice_of(&c, "a+0x10 on one thread")->gain.value, 50e-3 + 10e-3 - 3e-3),
       "regions of 0.4 us of work, and the barriers in them, are better run by one thread");
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
                                  "axis wait auto,active\naxis gap 0\naxis regions 200\nrun\n"
                                  "axis gap 300\naxis regions 25\nrun\n"),
       "the regions that were counted are measured, and how else threads could wait");
    ok(strstr(am_text_str(&text), "axis construct barrier,lock_uncontended\naxis binding none\n") &&
           strstr(am_text_str(&text), "test omp.start"),
       "so are constructs, unbound as the program, and the first region");
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

    put_program(&run, 1, 0.021);
    put_prices(&run);
    am_kvs_add(&run.set.settings, &run.arena, AM_COMMANDS_KIND, AM_OMP_COST_KIND);
    am_evidence_settle(&run.set);
    ok(am_omp_cost_is(&run.set), "a run of its kind is known");
    ok(am_omp_cost_of(&run.set, &run.set, &run.arena, &c), "and read");
    test_losses(&c);
    test_entries(&c);
    test_entries_of(0.9, 0.021, 0, "entries that wait only while counting cost nothing");
    test_entries_of(2, 0.021, 0.15, "nothing is lost that was not waited for while counting");
    test_entries_of(1.2, 0.22, (1.2 - (1.1 - 0.3201) - work - 0.0965 - 0.2) * 0.15 / 0.20002,
                    "uneven work is no waiting for entries");
    test_advice(&c);
    test_serial();
    test_plan();
    am_arena_fini(&run.arena);
    return tap_done();
}
