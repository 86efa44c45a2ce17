/* SPDX-License-Identifier: MIT */
/* Latencies by operand, idioms and pairs of made-up cores. */
#include "family/families.h"

#include "fact_fixture.h"
#include "tap.h"

#include <math.h>

static struct am_facts derive(struct rx_run *run)
{
    struct am_facts facts = {.arena = &run->arena};

    am_evidence_settle(&run->set);
    am_family_derive(&am_family_core, &run->set, &facts);
    return facts;
}

static void add_path(struct rx_run *run, const char *path, double cycles)
{
    char text[96];
    struct am_result *r;

    (void)snprintf(text, sizeof(text), "path=%s", path);
    r = rx_add(run, "cpu.operand", text,
               (const struct rx_metric[]){{"latency", "cycle", cycles}, {0}});
    r->metrics[0].better = AM_LOWER;
}

/* ---- operands ---- */

static const struct {
    const char *where, *what;
    double gap;
} gaps[] = {
    {"instr=fma", "multiplicand is needed before addend", 2},
    {"instr=blend", "mask is needed before second", 1},
    {"instr=shuffle", "needed at once", 0},
    {"instr=odd", "undecided", 0.5},
};

static void check_operands(void)
{
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_fact *f;

    add_path(&run, "fma.addend", 2);
    add_path(&run, "fma.multiplicand", 4);
    add_path(&run, "blend.first", 2);
    add_path(&run, "blend.second", 1.99);
    add_path(&run, "blend.mask", 3);
    add_path(&run, "shuffle.data", 1);
    add_path(&run, "shuffle.index", 1);
    add_path(&run, "odd.first", 3);
    add_path(&run, "odd.second", 3.5);
    add_path(&run, "single.source", 5);
    add_path(&run, "nameless", 7);
    facts = derive(&run);
    f = am_facts_only(&facts, "core.operand_latency", "instr=fma operand=multiplicand");
    ok(f && fabs(f->value - 4) < 0.02 && f->ci.lo < 4 && f->ci.hi > 4 && f->ci.hi < 4.2,
       "each operand has its latency: %g (%g to %g)", f ? f->value : NAN, f ? f->ci.lo : NAN,
       f ? f->ci.hi : NAN);
    for (size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
        f = am_facts_only(&facts, "core.operand_gap", gaps[i].where);
        ok(f && strstr(f->what, gaps[i].what) && fabs(f->value - gaps[i].gap) < 0.05 &&
               f->ci.lo <= gaps[i].gap && f->ci.hi >= gaps[i].gap,
           "%s: %s, %g cycles", gaps[i].where, f ? f->what : "no fact", f ? f->value : NAN);
    }
    ok(am_facts_only(&facts, "core.operand_latency", "instr=single") &&
           !am_facts_only(&facts, "core.operand_gap", "instr=single"),
       "one operand has a latency and no gap");
    ok(!am_facts_only(&facts, "core.operand_latency", "instr=nameless"),
       "a name without an operand is none");
    am_arena_fini(&run.arena);
}

/* ---- idioms ---- */

struct idiom {
    const char *name, *kind;
    double alone, slot, unit, behind, products;
    const char *share, *latency; /* what the facts say; NULL: there is none */
};

static const struct idiom idioms[] = {
    {"xor", "constant", 0.167, 0.167, 0.2, 1, 3, "needs a slot only", "waits for nothing"},
    {"ones", "constant", 0.5, 0.167, 0.333, 1, 4, "takes a unit", "waits for nothing"},
    {"and", "constant", 0.2, 0.167, 0.2, 4, 3, "takes a unit", "waits for its operands"},
    {"sometimes", "constant", 0.25, 0.167, 0.333, 3.5, 3, "undecided", "undecided"},
    {"mov", "copy", 0.167, 0.167, 0.25, 3, 3, "needs a slot only", "costs no cycle"},
    {"late", "copy", 0.25, 0.167, 0.25, 4, 3, "takes a unit", "takes cycles"},
    {"partly", "copy", 0.167, 0.167, 0.25, 3.5, 3, "needs a slot only", "undecided"},
    {"cmp_jz", "pair", 0.833, 0.833, 1, 0, 0, "is one operation", NULL},
    {"or_jz", "pair", 1, 0.833, 1, 0, 0, "is two operations", NULL},
    {"narrow", "copy", 0.25, 0.25, 0.252, 3, 3, NULL, "costs no cycle"},
};

static void add_idiom(struct rx_run *run, const struct idiom *i)
{
    const struct rx_metric metrics[] = {
        {"alone", "cycle", i->alone},       {"slot", "cycle", i->slot},
        {"unit", "cycle", i->unit},         {"behind", "cycle", i->behind},
        {"products", "cycle", i->products}, {0}};
    const struct rx_metric three[] = {metrics[0], metrics[1], metrics[2], {0}};
    char text[64];
    struct am_result *r;

    (void)snprintf(text, sizeof(text), "idiom=%s", i->name);
    r = rx_add_some(run, "cpu.idiom", text, i->behind > 0 ? metrics : three, 5);
    for (size_t k = 0; k < r->n_metrics; k++)
        r->metrics[k].better = AM_LOWER;
    am_kvs_add(&r->chosen, &run->arena, "kind", i->kind);
}

static void is_said(const struct am_facts *facts, const char *fact, const struct idiom *i,
                    const char *words)
{
    char where[64];
    const struct am_fact *f;

    (void)snprintf(where, sizeof(where), "idiom=%s", i->name);
    f = am_facts_only(facts, fact, where);
    ok(words ? f && strstr(f->what, words) && f->ci.lo <= f->value && f->ci.hi >= f->value : !f,
       "%s of %s: %s (%g to %g)", fact, i->name, f ? f->what : "no fact", f ? f->ci.lo : NAN,
       f ? f->ci.hi : NAN);
}

static void check_idioms(void)
{
    struct rx_run run = {0};
    struct am_facts facts;
    const size_t n = sizeof(idioms) / sizeof(idioms[0]);

    for (size_t i = 0; i < n; i++)
        add_idiom(&run, &idioms[i]);
    facts = derive(&run);
    for (size_t i = 0; i < n; i++) {
        const bool pair = strcmp(idioms[i].kind, "pair") == 0;

        is_said(&facts, pair ? "core.fused" : "core.rename_unit", &idioms[i], idioms[i].share);
        is_said(&facts, "core.rename_latency", &idioms[i], idioms[i].latency);
    }
    ok(facts.n_remarks == 1 && strstr(facts.remarks[0].text, "narrow"),
       "where slots and units take as long, that is remarked: %s",
       facts.n_remarks ? facts.remarks[0].text : "");
    am_arena_fini(&run.arena);
}

/* Two launches conclude nothing. */
static void check_few(void)
{
    struct rx_run run = {0};
    struct am_facts facts;

    add_path(&run, "fma.addend", 2);
    add_idiom(&run, &idioms[0]);
    for (size_t i = 0; i < run.set.n; i++) {
        for (size_t k = 0; k < run.set.results[i].n_metrics; k++)
            run.set.results[i].metrics[k].series.n = 2;
    }
    facts = derive(&run);
    ok(!am_facts_only(&facts, "core.operand_latency", NULL) &&
           !am_facts_only(&facts, "core.rename_latency", NULL) &&
           !am_facts_only(&facts, "core.rename_unit", NULL),
       "two launches are no evidence");
    am_arena_fini(&run.arena);
}

int main(void)
{
    check_operands();
    check_idioms();
    check_few();
    return tap_done();
}
