/* SPDX-License-Identifier: MIT */
/* Claimed beside measured: shares of what is claimed, from made-up facts and results. */
#include "family_fixture.h"

#include "fact_fixture.h"

/* A machine's claims and the facts of the families before. */
static void put_machine(struct rx_run *run, struct am_facts *facts)
{
    am_kvs_add(&run->set.machine, &run->arena, "cores", "8");
    am_kvs_add(&run->set.machine, &run->arena, "memory_channels", "2");
    am_kvs_add(&run->set.machine, &run->arena, "memory_mts", "3200");
    am_kvs_add(&run->set.machine, &run->arena, "memory_bytes_per_s", "51200000000");
    am_kvs_add(&run->set.machine, &run->arena, "link", "16 GT/s x 16");
    am_kvs_add(&run->set.machine, &run->arena, "link_bytes_per_s", "32000000000");
    am_kvs_add(&run->set.machine, &run->arena, "ecc", "SECDED");
    fx_fact(facts, "core.clock", "", "Hz", 3e9);
    fx_fact(facts, "core.rate", "instr=vfmadd231pd_ymm", "1/cycle", 2);
    fx_fact(facts, "core.peak", "type=f64 isa=avx2 threads=1", "flop/s", 45.6e9);
    fx_fact(facts, "core.peak", "type=f64 isa=avx2 threads=8", "flop/s", 192e9);
    fx_fact(facts, "memory.bandwidth", "level=memory kernel=read threads=8", "B/s", 41e9);
    fx_fact(facts, "memory.bandwidth", "level=memory kernel=read threads=1", "B/s", 12e9);
    fx_fact(facts, "memory.size", "level=l2", "B", 500 * 1024.0)->claimed = "1048576 B";
}

static void put_device(struct rx_run *run, const char *device, const char *kind)
{
    char text[128];
    struct am_result *r;

    (void)snprintf(text, sizeof(text), "device=%s mode=throughput type=float", device);
    r = rx_add(run, "ocl.arith", text, (const struct rx_metric[]){{"flops", "flop/s", 9e12}, {0}});
    am_kvs_add(&r->chosen, &run->arena, "device_kind", kind);
    am_kvs_add(&r->chosen, &run->arena, "device_shape", "40 units x 64 lanes x 2 GHz");
    am_kvs_add(&r->chosen, &run->arena, "device_flops", "1.024e13");
    (void)snprintf(text, sizeof(text), "device=%s direction=h2d", device);
    r = rx_add(run, "ocl.bus", text, (const struct rx_metric[]){{"bandwidth", "B/s", 24e9}, {0}});
    am_kvs_add(&r->chosen, &run->arena, "device_kind", kind);
}

static void share(const struct am_facts *facts, const char *where, double want, const char *claimed)
{
    const struct am_fact *const f = am_facts_only(facts, "claims.share", where);

    ok(f && fabs(f->value - want) < 0.01 && f->ci.lo <= f->value && f->ci.hi >= f->value &&
           strstr(f->claimed, claimed) && !f->contradicts,
       "%s: %.3g of %s (%s)", where, f ? f->value : 0.0, claimed, f ? f->claimed : "");
}

static void test_shares(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};

    put_machine(&run, &facts);
    put_device(&run, "gpu", "other");
    put_device(&run, "pocl", "cpu");
    fx_fact(&facts, "core.dot_per_cycle", "instr=vpdpbusd_zmm", "op/cycle", 124.16);
    fx_fact(&facts, "core.rate", "instr=vpdpbusd_zmm", "1/cycle", 2);
    fx_fact(&facts, "core.dot_per_cycle", "instr=vfmadd231ph_zmm", "op/cycle", 60);
    am_evidence_settle(&run.set);
    am_family_derive(&am_family_claims, &run.set, &facts);
    share(&facts, "type=f64 isa=avx2 of=arithmetic_of_one_core", 0.95,
          "48.0 Gflop/s: 2 vfmadd231pd");
    share(&facts, "type=f64 isa=avx2 of=arithmetic_of_all_cores", 0.5, "384 Gflop/s: 8 cores x");
    share(&facts, "type=i8 of=arithmetic_of_one_core", 0.97,
          "128 multiply-adds per cycle: 2 vpdpb");
    ok(!am_facts_only(&facts, "claims.share", "type=f16"), "without the rate there is no claim");
    share(&facts, "of=memory_bandwidth", 0.8, "51.2 GB/s: 2 channels at 3200 MT/s");
    share(&facts, "of=cache_size level=l2", 0.488, "1 MiB");
    share(&facts, "of=arithmetic_of_the_device device=gpu", 0.879, "10.2 Tflop/s: 40 units");
    share(&facts, "of=link_of_the_device device=gpu direction=h2d", 0.75,
          "32.0 GB/s: 16 GT/s x 16");
    ok(!am_facts_only(&facts, "claims.share", "device=pocl"), "a CPU has no link and no lanes");
    ok(am_facts_value(&facts, "claims.ecc", NULL) == 1, "memory corrects errors");
    am_arena_fini(&run.arena);
}

/* More than is claimed, with the whole interval: the claim is denied. */
static void test_denied(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    const struct am_fact *f;

    put_machine(&run, &facts);
    fx_fact(&facts, "memory.bandwidth", "level=memory kernel=triad threads=8", "B/s", 80e9);
    am_family_derive(&am_family_claims, &run.set, &facts);
    f = am_facts_only(&facts, "claims.share", "of=memory_bandwidth");
    ok(f && f->contradicts, "80 of 51 GB/s deny the claim");
    am_arena_fini(&run.arena);
}

static void test_nothing(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};

    am_family_derive(&am_family_claims, &run.set, &facts);
    ok(facts.n == 0, "nothing claimed, nothing said");
    am_arena_fini(&run.arena);
}

int main(void)
{
    test_shares();
    test_denied();
    test_nothing();
    return tap_done();
}
