/* SPDX-License-Identifier: MIT */
/* Facts of a core's ports from made-up results: what was planted is found, what is open is said. */
#include "family/families.h"
#include "family/incore/incore.h"

#include "fact_fixture.h"
#include "ports_machine.h"
#include "tap.h"

#include <stdlib.h>

#define ROLE(role, legacy, other, arm, what) #role,
static const char *const roles[] = {AM_MIX_ANCHOR_MAP(ROLE)};
#define NAME(role, legacy, other, arm, what) other,
static const char *const anchors[] = {AM_MIX_ANCHOR_MAP(NAME)};

/* A core in which every anchor has a class, and forms beside the anchors. */
static struct pm_machine planted(void)
{
    struct pm_machine m = {.name = "planted",
                           .width = 6,
                           .kinds = {
                               {.name = "slot"},
                               {.name = "alu", .ops = {0x00f}},
                               {.name = "shift", .ops = {0x006}},
                               {.name = "imul", .ops = {0x002}},
                               {.name = "cmov", .ops = {0x009}},
                               {.name = "lea", .ops = {0x00f}},
                               {.name = "load", .ops = {0x070}},
                               {.name = "store", .ops = {0x080}},
                               {.name = "vload", .ops = {0x030}},
                               {.name = "vstore", .ops = {0x080}},
                               {.name = "fadd", .ops = {0xc00}},
                               {.name = "fmul", .ops = {0x300}},
                               {.name = "logic", .ops = {0xf00}},
                               {.name = "vadd", .ops = {0xf00}},
                               {.name = "vshift", .ops = {0xc00}},
                               {.name = "vmul", .ops = {0x300}},
                               {.name = "shuffle", .ops = {0x600}},
                               {.name = "convert", .ops = {0xc00}},
                               {.name = "to_general", .ops = {0x800}},
                               {.name = "to_vector", .ops = {0x1000}},
                               {.name = "divide", .ops = {0x200}, .busy = {5}},
                               {.name = "wide"},
                               {.name = "wide_shift", .ops = {0xc00}},
                               {.name = "wide_shuffle", .ops = {0x600}},
                               {.name = "sub_r64", .ops = {0x00f}},
                               {.name = "vhaddpd_ymm", .ops = {0x600, 0x600, 0xc00}},
                           }};

    pm_close(&m);
    return m;
}

static const char closing[] = "closing";

/* On a core that is called so, vectors of 512 bits close two of four vector ports to all that has
 * another. */
static double mix_cycles(const struct pm_machine *m, const double *counts)
{
    struct pm_machine closed = *m;
    double wide = 0;

    for (size_t c = pm_find(m, "wide"); c <= pm_find(m, "wide_shuffle"); c++)
        wide += counts[c];
    if (wide > 0 && strcmp(m->name, closing) == 0) {
        for (size_t c = 0; c < m->n; c++)
            closed.kinds[c].ops[0] &= closed.kinds[c].ops[0] & 0x600 ? ~0x900u : ~0u;
        pm_close(&closed);
    }
    return pm_cycles(&closed, counts);
}

static double cycles_of(const struct pm_machine *m, size_t a, double n_a, size_t b, double n_b)
{
    double counts[PM_KINDS] = {0};

    counts[a] += n_a;
    counts[b] += n_b;
    counts[pm_find(m, "alu")] += 1 / (double)am_mix_copies((size_t)(n_a + n_b + 0.5));
    return mix_cycles(m, counts);
}

static const char *form_name(const struct pm_machine *m, size_t kind)
{
    return kind < AM_MIX_ANCHORS ? anchors[kind] : m->kinds[kind].name;
}

static struct am_result *add_result(struct rx_run *run, const char *bench, const char *text,
                                    size_t metrics)
{
    struct am_result *const r = rx_add(run, bench, text, (const struct rx_metric[]){{0}});

    r->metrics = am_arena_array(&run->arena, metrics, sizeof(*r->metrics));
    return r;
}

static void put(struct rx_run *run, struct am_result *r, const char *name, double value)
{
    rx_metric_put(run, &r->metrics[r->n_metrics++],
                  &(struct rx_metric){.name = name, .unit = "cycle", .value = value});
}

static void add_form(struct rx_run *run, const struct pm_machine *m, size_t kind, unsigned a,
                     unsigned b)
{
    struct am_result *const r =
        add_result(run, "cpu.ports",
                   am_arena_printf(&run->arena, "instr=%s counts=%u:%u", form_name(m, kind), a, b),
                   1 + AM_MIX_ANCHORS);

    for (size_t i = 0; i < r->n_params; i++)
        r->params[i].kind = AM_AXIS_NAME;
    am_kvs_add(&r->chosen, &run->arena, "anchors", "vex");
    put(run, r, "alone", cycles_of(m, kind, 1, 0, 0));
    for (size_t k = 0; k < AM_MIX_ANCHORS; k++)
        put(run, r, am_arena_printf(&run->arena, "with_%s", roles[k]), cycles_of(m, kind, a, k, b));
}

/* A mix of three forms by its number. */
static void add_mix(struct rx_run *run, const struct pm_machine *m, struct am_result *r,
                    unsigned number, const char *name)
{
    const size_t kinds[] = {(size_t)number * 7 % m->n, (size_t)number * 5 % m->n,
                            (size_t)number * 11 % m->n};
    double counts[PM_KINDS] = {0};

    for (size_t i = 0; i < 3; i++)
        counts[kinds[i]] += (double)(1 + i);
    counts[pm_find(m, "alu")] += 1 / (double)am_mix_copies(6);
    am_kvs_add(&r->chosen, &run->arena, name,
               am_arena_printf(&run->arena, "1*%s 2*%s 3*%s", form_name(m, kinds[0]),
                               form_name(m, kinds[1]), form_name(m, kinds[2])));
    put(run, r, name, mix_cycles(m, counts));
}

static void add_set(struct rx_run *run, const struct pm_machine *m, unsigned set)
{
    struct am_result *const r =
        add_result(run, "cpu.mix", am_arena_printf(&run->arena, "set=%u", set), AM_MIX_SET);

    for (unsigned i = 1; i <= AM_MIX_SET; i++)
        add_mix(run, m, r, set * AM_MIX_SET + i, am_arena_printf(&run->arena, "mix_%u", i));
}

static void add_all(struct rx_run *run, const struct pm_machine *m)
{
    for (size_t kind = 0; kind < m->n; kind++) {
        add_form(run, m, kind, 1, 1);
        add_form(run, m, kind, 1, 3);
        add_form(run, m, kind, 3, 1);
    }
    for (unsigned i = 1; i <= 4; i++)
        add_set(run, m, i);
}

static struct am_facts derive(struct rx_run *run)
{
    struct am_facts facts = {.arena = &run->arena};

    am_evidence_settle(&run->set);
    am_family_derive(&am_family_core, &run->set, &facts);
    return facts;
}

static void check_class(const struct am_incore *core, const char *a, const char *b, bool same)
{
    const struct am_incore_form *const x = am_incore_find(core, a), *const y =
                                                                        am_incore_find(core, b);

    ok(x && y && (x->kind == y->kind) == same, "%s and %s are %s class", a, b,
       same ? "one" : "no common");
}

/* Of all results: the clock of one of their launches was read too low. */
static void plant_wrong_clock(struct rx_run *run)
{
    enum { WRONG = 2 };

    for (size_t i = 0; i < run->set.n; i++) {
        for (size_t k = 0; k < run->set.results[i].n_metrics; k++) {
            struct am_series *const s = &run->set.results[i].metrics[k].series;

            for (size_t launch = 0; launch < s->n; launch++)
                s->launches[launch].launch_id = (int64_t)launch + 1;
            *(double *)s->launches[WRONG].values *= 0.9;
        }
    }
}

/* What a resource is in words: how many instructions it takes per cycle, and which. */
static void check_users(const struct am_incore *core)
{
    struct am_arena arena = {0};
    size_t told = 0, product = 0, front = 0;

    for (size_t r = 0; r < core->model.resources; r++) {
        const char *const text = am_incore_users(core, r, &arena);

        told += text && (strstr(text, " per cycle: ") || strncmp(text, "shared by ", 10) == 0);
        product += text && strncmp(text, "1 per cycle: ", 13) == 0 && strstr(text, "imul_r64_imm");
        front += text && r == 0 && strncmp(text, "6 per cycle: ", 13) == 0;
    }
    ok(told == core->model.resources && product == 1 && front == 1,
       "each of %zu resources is explained (%zu), that of products, too (%zu), and the front end",
       core->model.resources, told, product);
    am_arena_fini(&arena);
}

static void check_planted(void)
{
    const struct pm_machine m = planted();
    struct rx_run run = {0};
    struct am_incore core;
    const char *why_not;
    struct am_facts facts;
    const struct am_fact *f;

    add_all(&run, &m);
    plant_wrong_clock(&run);
    facts = derive(&run);
    ok(am_incore_infer(&run.set, &run.arena, &core, &why_not), "the results are understood");
    check_class(&core, "add_r64", "sub_r64", true);
    check_class(&core, "add_r64", "lea_r64", true);
    check_class(&core, "add_r64", "shl_r64", false);
    check_class(&core, "vaddpd_xmm", "vmulpd_xmm", false);
    f = am_facts_only(&facts, "core.ports_width", NULL);
    ok(f && fabs(f->value / 6 - 1) < 0.01 && f->ci.lo <= 6.06 && f->ci.hi >= 5.94,
       "the front end has %g instructions per cycle", f ? f->value : NAN);
    f = am_facts_only(&facts, "core.ports_error", NULL);
    ok(f && f->value < 0.02 && strstr(f->evidence, "left out, whose clock was wrong: 1"),
       "mixes that were held back are predicted within %g: %s", f ? f->value : NAN,
       f ? f->evidence : "");
    f = am_facts_only(&facts, "core.ports_use", "class=imul_r64_imm");
    ok(f && fabs(f->value - 1) < 0.02, "a product takes %g cycles of what bounds it",
       f ? f->value : NAN);
    f = am_facts_only(&facts, "core.ports_use", "class=shl_r64");
    ok(f && fabs(f->value - 0.5) < 0.02, "a shift %g", f ? f->value : NAN);
    ok(am_facts_next(&facts, "core.ports_units", NULL, NULL) != NULL, "resources have units");
    check_users(&core);
    for (size_t i = 0; i < facts.n; i++)
        printf("# %s = %g [%g, %g] %s\n", facts.items[i].id, facts.items[i].value,
               facts.items[i].ci.lo, facts.items[i].ci.hi, facts.items[i].evidence);
    for (size_t i = 0; i < facts.n_remarks; i++)
        printf("# %s\n", facts.remarks[i].text);
    am_arena_fini(&run.arena);
}

/* What 512-bit vectors do to others is found, and said; of a core where they do nothing, that. */
static void check_closing(bool closes)
{
    struct pm_machine m = planted();
    struct rx_run run = {0};
    const struct am_incore *core;
    const char *remark = "";
    struct am_facts facts;

    if (closes)
        m.name = closing;
    add_all(&run, &m);
    facts = derive(&run);
    core = facts.core;
    ok(core && (core->beside_wide != NULL) == closes, "512-bit vectors %s",
       closes ? "close a port" : "close no port");
    ok(core && am_incore_beside(core, false) == core &&
           (am_incore_beside(core, true) == core->beside_wide) == closes && core->wide > 0 &&
           core->wide_error < 0.02,
       "mixes with them are missed by %.1f %%", core ? 100 * core->wide_error : NAN);
    for (size_t i = 0; i < facts.n_remarks; i++)
        remark = strstr(facts.remarks[i].text, "512-bit") ? facts.remarks[i].text : remark;
    ok(strstr(remark, closes ? "vpand_xmm 2.0 instead of 4.0 per cycle" : "close no port"), "%s",
       remark);
    am_arena_fini(&run.arena);
}

/* Without the anchors among the forms nothing can be said, and that is said. */
static void check_missing(void)
{
    const struct pm_machine m = planted();
    struct rx_run run = {0};
    struct am_facts facts;

    add_form(&run, &m, pm_find(&m, "imul"), 1, 1);
    facts = derive(&run);
    ok(facts.n == 0 && facts.n_remarks == 1 && strstr(facts.remarks[0].text, "add_r64"),
       "the missing anchor is named");
    am_arena_fini(&run.arena);
}

/* Mixes that were held back take longer than any model says: its resources are no facts. */
static void check_missed(void)
{
    const struct pm_machine m = planted();
    struct rx_run run = {0};
    struct am_facts facts;

    add_all(&run, &m);
    for (size_t i = 0; i < run.set.n; i++) {
        struct am_result *const r = &run.set.results[i];

        if (strcmp(r->bench, "cpu.mix") != 0 || am_result_number(r, "set") < AM_MIX_HELD)
            continue;
        for (size_t k = 0; k < AM_MIX_SET; k++) {
            r->n_metrics = k;
            put(&run, r, r->metrics[k].name, 1000);
        }
    }
    facts = derive(&run);
    ok(am_facts_only(&facts, "core.ports_error", NULL) && facts.n == 1 && facts.n_remarks == 2 &&
           strstr(facts.remarks[0].text, "512-bit") &&
           strstr(facts.remarks[1].text, "no resource is concluded"),
       "a model that misses what it was not fitted to concludes nothing");
    am_arena_fini(&run.arena);
}

/* Results that conclude nothing are no evidence of ports. */
static void check_grades(void)
{
    const struct pm_machine m = planted();
    struct rx_run run = {0};
    struct am_facts facts;

    add_all(&run, &m);
    for (size_t i = 0; i < run.set.n; i++) {
        for (size_t k = 0; k < run.set.results[i].n_metrics; k++)
            run.set.results[i].metrics[k].series.n = 1; /* it may be a disturbed one */
    }
    facts = derive(&run);
    ok(facts.n == 0 && facts.n_remarks == 1 &&
           strstr(facts.remarks[0].text, "fewer than three launches"),
       "evidence of single launches concludes nothing");
    am_arena_fini(&run.arena);
}

/* The same launches in every cell, as multiples of what is planted. */
static struct am_facts derive_with(struct rx_run *run, const double times[RX_LAUNCHES])
{
    const struct pm_machine m = planted();

    add_all(run, &m);
    for (size_t i = 0; i < run->set.n; i++) {
        for (size_t k = 0; k < run->set.results[i].n_metrics; k++) {
            struct am_series *const s = &run->set.results[i].metrics[k].series;
            const double planted_cycles = s->launches[0].values[0];

            for (size_t launch = 0; launch < RX_LAUNCHES; launch++) {
                double *const value = am_arena_alloc(&run->arena, sizeof(*value));

                *value = planted_cycles * times[launch];
                s->launches[launch].values = value;
                s->launches[launch].busy = 1;
            }
        }
    }
    return derive(run);
}

/* What is graded is the least and the launch that comes nearest to it, not the median. */
static void check_grade_of_least(void)
{
    static const struct {
        double times[RX_LAUNCHES]; /* the rest: 3 */
        enum am_grade grade;       /* C: nothing is concluded */
        const char *what;
    } cases[] = {
        {{3, 1, 1.005}, AM_GRADE_A, "confirmed within a percent, most launches disturbed: A"},
        {{1.05, 3, 1}, AM_GRADE_B, "confirmed within five: B"},
        {{3, 3, 1}, AM_GRADE_C, "one launch alone, however many others agree: nothing"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double times[RX_LAUNCHES];
        struct rx_run run = {0};
        struct am_facts facts;
        const struct am_fact *f;

        for (size_t k = 0; k < RX_LAUNCHES; k++)
            times[k] = k < 3 ? cases[i].times[k] : 3;
        facts = derive_with(&run, times);
        f = am_facts_only(&facts, "core.ports_width", NULL);
        if (cases[i].grade == AM_GRADE_C)
            ok(!f && facts.n_remarks == 1 && strstr(facts.remarks[0].text, "no second launch"),
               "%s", cases[i].what);
        else
            ok(f && f->grading.grade == cases[i].grade && fabs(f->value / 6 - 1) < 0.01,
               "%s (%g, %s)", cases[i].what, f ? f->value : NAN,
               f ? am_grade_names[f->grading.grade] : "-");
        am_arena_fini(&run.arena);
    }
}

/* A stranger has a part of the core in all launches but the second and third. */
static void share_core(struct am_result *r)
{
    for (size_t k = 0; k < r->n_metrics; k++) {
        for (size_t launch = 0; launch < RX_LAUNCHES; launch++) {
            if (launch != 1 && launch != 2)
                *(double *)r->metrics[k].series.launches[launch].values *=
                    1.3 + 0.1 * (double)((launch + k) % 4);
        }
    }
}

/* Loops of a front end of `width` that takes in so many per cycle; a fused end. */
static unsigned found_fetch_of(double width, unsigned fetch, double noise, bool shared)
{
    struct rx_run run = {0};
    struct am_incore core = {.fetch = 0};
    struct am_result *const r = add_result(&run, "cpu.loop", "on=machine", AM_MIX_SET);
    unsigned found;

    for (unsigned i = 1; i <= AM_MIX_SET; i++) {
        const double taken = fetch ? (double)((i + fetch) / fetch) : 1;

        put(&run, r, am_arena_printf(&run.arena, "loop_%u", i),
            fmax(fmax(1, (i + 1) / width), taken) * (1 + noise * (i % 3)));
    }
    if (shared)
        share_core(r);
    am_evidence_settle(&run.set);
    if (!am_incore_read_ways(&run.set, &run.arena, &core))
        abort();
    found = core.fetch;
    am_arena_fini(&run.arena);
    return found;
}

static unsigned found_fetch(double width, unsigned fetch, double noise)
{
    return found_fetch_of(width, fetch, noise, false);
}

/* Loops as a Zen 5 was seen to take them: as their slots up to twelve, then three cycles and four.
 * No number per cycle explains them. */
static void check_turned_round(void)
{
    struct rx_run run = {0};
    struct am_incore core = {.fetch = 0};
    struct am_result *const r = add_result(&run, "cpu.loop", "with=nothing on=machine", AM_MIX_SET);

    for (unsigned i = 1; i <= AM_MIX_SET; i++) {
        const double longer = i < 19 ? 3 : 4;

        put(&run, r, am_arena_printf(&run.arena, "loop_%u", i),
            i < 12 ? fmax(1, (i + 1) / 8.0) : longer);
    }
    am_evidence_settle(&run.set);
    ok(am_incore_read_ways(&run.set, &run.arena, &core) && core.fetch == 0 && core.width == 8,
       "loops that no number per cycle explains have none, but a width (%u, %u)", core.fetch,
       core.width);
    ok(fabs(core.turned_round[11] - 3) < 1e-9 && fabs(core.turned_round[23] - 4) < 1e-9,
       "then thirteen slots, and twenty-five, take what they were seen to take");
    am_arena_fini(&run.arena);
}

/* Loops with one instruction of two slots: on a core that has it anywhere, or as a Golden Cove was
 * seen to take them: a slot beyond whole cycles takes a third of one, two take a half, more take
 * all of it. */
static struct am_incore found_split(bool anywhere)
{
    static struct am_incore_form split = {.name = "cmp_r64_m64_indexed", .alone = {.value = 0.5}};
    static const double beyond[] = {0, 1 / 3.0, 0.5, 1, 1, 1};
    struct rx_run run = {0};
    struct am_incore core = {.forms = &split, .n_forms = 1};
    struct am_result *const r = add_result(&run, "cpu.loop", "with=indexed on=machine", AM_MIX_SET);
    struct am_result *plain;

    for (unsigned i = 1; i <= AM_MIX_SET; i++) {
        const unsigned slots = i + 3;

        put(&run, r, am_arena_printf(&run.arena, "loop_%u", i),
            fmax(anywhere ? slots / 6.0 : slots / 6 + beyond[slots % 6], (slots + 7) / 8));
    }
    plain = add_result(&run, "cpu.loop", "with=nothing on=machine", AM_MIX_SET);
    for (unsigned i = 1; i <= AM_MIX_SET; i++)
        put(&run, plain, am_arena_printf(&run.arena, "loop_%u", i),
            fmax((i + 1) / 6.0, (i + 8) / 8));
    am_evidence_settle(&run.set);
    if (!am_incore_read_ways(&run.set, &run.arena, &core))
        abort();
    am_arena_fini(&run.arena);
    return core;
}

static void check_split(void)
{
    static const unsigned scalar[] = {1, 1, 1, 2, 2, 1, 1, 2, 1, 1, 2, 1, 1, 1, 1, 0};
    static const unsigned pairs[] = {2, 2, 2, 2}, beside[] = {2, 1, 1, 1}, two[] = {2, 1, 2, 1};
    const struct am_incore with = found_split(false), without = found_split(true);

    ok(with.fetch == 8 && with.width == 6 && with.split_first == 3 && with.split_slots == 4,
       "one that is split stands behind two others and three slots at most (%u, %u)",
       with.split_first, with.split_slots);
    ok(without.width == 6 && without.split_first == 0, "a core that has it anywhere has no rule");
    ok(fabs(am_incore_groups(&with, pairs, 4) - 2) < 0.01, "two of them go into a cycle");
    ok(fabs(am_incore_groups(&with, beside, 4) - 1) < 0.01, "one of them and three others, too");
    ok(fabs(am_incore_groups(&with, two, 4) - 1) < 0.01, "and two with one behind each");
    ok(fabs(am_incore_groups(&with, scalar, 16) - 4) < 0.03 &&
           fabs(am_incore_groups(&without, scalar, 16) - 19 / 6.0) < 0.2,
       "nineteen slots of fifteen instructions take four cycles, %.2f without the rule",
       am_incore_groups(&without, scalar, 16));
}

/* What loops of rows say on a core of 6 slots, of instructions that take `alone` cycles each. */
static unsigned found_handed(const double *cycles, double alone)
{
    struct am_incore_form form = {.name = "mov_r64_m64_row", .alone = {.value = alone}};
    struct rx_run run = {0};
    struct am_incore core = {.forms = &form, .n_forms = 1, .width = 6};
    struct am_result *const r = add_result(&run, "cpu.loop", "with=loads on=machine", AM_MIX_SET);

    for (unsigned i = 1; i <= AM_MIX_SET; i++)
        put(&run, r, am_arena_printf(&run.arena, "loop_%u", i), cycles[i - 1]);
    am_evidence_settle(&run.set);
    am_incore_read_handed(&core, &run.set.results[0]);
    am_arena_fini(&run.arena);
    return core.handed[AM_MIX_ROW_loads];
}

static void check_handed(void)
{
    /* Zen 4, loads of general registers, measured. */
    static const double zen[AM_MIX_SET] = {1.00,  1.17,  2.02,  2.17,  3.00,  3.26,  4.01,  4.56,
                                           5.01,  5.68,  6.01,  6.76,  7.52,  8.02,  8.52,  9.01,
                                           10.03, 10.27, 11.02, 11.53, 12.03, 12.69, 13.03, 13.78};
    double free_of[AM_MIX_SET], by_units[AM_MIX_SET];

    for (unsigned i = 0; i < AM_MIX_SET; i++) {
        free_of[i] = fmax(1, (3 * (i + 1) + 1) / 6.0);
        by_units[i] = fmax(free_of[i], i + 1);
    }
    ok(found_handed(zen, 1 / 3.0) == 4, "four loads are handed out per cycle");
    ok(found_handed(free_of, 1 / 3.0) == 0, "a core that hands out anything has no limit");
    ok(found_handed(by_units, 1) == 0, "nor has one whose units are the limit");
}

static void check_fetch(void)
{
    ok(found_fetch(6, 8, 0) == 8 && found_fetch(6, 8, 0.005) == 8, "eight per cycle are found");
    ok(found_fetch(4, 6, 0) == 6, "and six");
    ok(found_fetch(6, 0, 0) == 0, "a front end that a jump does not hold up has none");
    ok(found_fetch(6, 8, 0.2) == 0, "nor has one whose loops scatter");
    ok(found_fetch_of(6, 8, 0, true) == 8, "a stranger in most launches does not hide it");
}

int main(void)
{
    check_fetch();
    check_handed();
    check_turned_round();
    check_split();
    check_grade_of_least();
    check_planted();
    check_closing(true);
    check_closing(false);
    check_missing();
    check_missed();
    check_grades();
    return tap_done();
}
