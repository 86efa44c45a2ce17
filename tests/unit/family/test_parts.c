/* SPDX-License-Identifier: MIT */
/* Facts by place: kinds of core and threads on one core, told apart and asked for by name. */
#include "family/family.h"

#include "fact_fixture.h"
#include "family/parts.h"
#include "tap.h"

#include <math.h>

static void add_flops(struct rx_run *run, const char *text, double flops, double per_cycle)
{
    const struct rx_metric metrics[] = {
        {"flops", "flop/s", flops}, {"flops_per_cycle", "flop/cycle", per_cycle}, {NULL, NULL, 0}};

    (void)rx_add(run, "cpu.flops", text, metrics);
}

/* Two fast cores at 4 GHz (3 together), four slow ones at 2 GHz. */
static void fill(struct rx_run *run)
{
    am_kvs_add(&run->set.machine, &run->arena, "cores", "6");
    am_kvs_add(&run->set.machine, &run->arena, "core_kinds", "2");
    am_kvs_add(&run->set.machine, &run->arena, "kind:P.cores", "2");
    am_kvs_add(&run->set.machine, &run->arena, "kind:E.cores", "4");
    am_kvs_add(&run->set.machine, &run->arena, "kind:E.frequency_max_khz", "1000000");
    am_kvs_add(&run->set.environment, &run->arena, "frequency_max_khz", "4000000");
    add_flops(run, "op=fma type=f64 isa=x streams=8 threads=1 on=machine", 64e9, 16);
    add_flops(run, "op=fma type=f64 isa=x streams=8 threads=6 on=machine", 96e9, 32);
    add_flops(run, "op=fma type=f64 isa=x streams=8 threads=1 on=kind:P", 64e9, 16);
    add_flops(run, "op=fma type=f64 isa=x streams=8 threads=2 on=kind:P", 96e9, 32);
    add_flops(run, "op=fma type=f64 isa=x streams=8 threads=1 on=kind:E", 16e9, 8);
    add_flops(run, "op=fma type=f64 isa=x streams=8 threads=4 on=kind:E", 64e9, 32);
    add_flops(run, "op=fma type=f64 isa=x streams=8 threads=4 on=smt4", 80e9, 20);
}

static void test_facts(void)
{
    static const struct {
        const char *name, *where;
        double value; /* 0: no such fact */
    } wanted[] = {
        {"core.peak", "threads=1", 64e9},
        {"core.peak", "threads=1 on=kind:E", 16e9},
        {"core.peak", "threads=4", 0}, /* the slow kind's is not the machine's */
        {"core.peak", "threads=4 on=kind:E", 64e9},
        {"core.peak", "threads=4 on=smt4", 80e9},
        {"core.clock", NULL, 4e9},
        {"core.clock", "on=kind:E", 2e9},
        {"core.flops_per_cycle", "on=kind:E", 8},
        {"core.speedup", NULL, 1.5},
        {"core.speedup", "on=kind:E", 4},
        {"core.smt_gain", "work=peak threads=4", 1.25},
        {"core.count", NULL, 0}, /* of several kinds: not by one number */
        {"core.count", "on=kind:P", 2},
        {"core.count", "on=kind:E", 4},
    };
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_fact *clock;

    fill(&run);
    am_evidence_settle(&run.set);
    am_families_derive(&run.set, &run.arena, &facts);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        const double value = am_facts_value(&facts, wanted[i].name, wanted[i].where);

        ok(wanted[i].value > 0 ? fabs(value / wanted[i].value - 1) < 1e-3 : isnan(value),
           "%s %s is %g", wanted[i].name, wanted[i].where ? wanted[i].where : "", value);
    }
    clock = am_facts_only(&facts, "core.clock", "on=kind:E");
    ok(clock && clock->contradicts, "what is stated of the kind is held against the kind");
    ok(!am_facts_only(&facts, "core.clock", NULL)->contradicts, "and not against the machine");
    ok(!am_facts_only(&facts, "core.count", "on=kind:P")->contradicts,
       "a clock that falls under load does not hide cores");
    am_arena_fini(&run.arena);
}

static void test_parts(void)
{
    struct rx_run run = {0};
    const char **list;

    fill(&run);
    list = am_parts_list(&run.set, &run.arena);
    is_str(list[0], "kind:P", "the first place besides the machine");
    is_str(list[2], "smt4", "the last one");
    ok(!list[3], "and no further");
    ok(am_part_of(&run.set, NULL, &run.arena).n == 2 &&
           am_part_of(&run.set, "kind:E", &run.arena).n == 2 &&
           am_part_of(&run.set, "l3", &run.arena).n == 0,
       "each result is in one part");
    am_arena_fini(&run.arena);
}

int main(void)
{
    test_parts();
    test_facts();
    return tap_done();
}
