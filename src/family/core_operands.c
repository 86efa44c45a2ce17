/* SPDX-License-Identifier: MIT */
/* What single operands, idioms and pairs of instructions cost: facts of cpu.operand and cpu.idiom.
 *
 * A latency is a whole number of cycles, so that two differ when the interval of their difference
 * lies beyond half a cycle, and are alike when it lies within; in between nothing is decided, and
 * the fact says so. What an idiom takes is told between two that were measured beside it: as long
 * as a slot alone (0), or as long as a unit (1); it is decided when its interval lies on one side
 * of the middle. Each time is the least of its launches that a second confirms, as of all that is
 * measured inside of a core. */
#include "family/core.h"

#include "family/incore/incore.h"

#include <math.h>
#include <string.h>

/* Between two hypotheses: no cycle and one, a slot and a unit. */
static const double half_way = 0.5;

static struct am_interval span_of(const struct am_incore_cell *c)
{
    return (struct am_interval){c->value - c->half, c->value + c->half, NAN};
}

static struct am_interval less(const struct am_interval *a, const struct am_interval *b)
{
    return (struct am_interval){a->lo - b->hi, a->hi - b->lo, NAN};
}

static struct am_fact rest_on(const struct am_incore *rest, struct am_fact fact)
{
    fact.kind = AM_FACT_TYPICAL;
    fact.grading = rest->grading;
    fact.launches = rest->launches;
    for (; fact.n_points < rest->n_points; fact.n_points++)
        fact.points[fact.n_points] = rest->points[fact.n_points];
    return fact;
}

/* ---- operands ---- */

struct path {
    const char *instr, *operand;
    struct am_incore_cell latency;
    const struct am_result *result;
};

/* "vfmadd231pd_ymm.addend" in its two parts; false for what is none, or has no latency. */
static bool read_path(const struct am_pick *pick, struct am_arena *arena, struct path *out)
{
    const char *const name = am_result_text(pick->result, "path");
    const char *const dot = name ? strchr(name, '.') : NULL;
    struct am_incore rest = {.n_points = 0};

    if (!dot)
        return false;
    *out = (struct path){.instr = am_arena_printf(arena, "%.*s", (int)(dot - name), name),
                         .operand = dot + 1,
                         .latency = am_incore_read_cell(&rest, pick->result, "latency"),
                         .result = pick->result};
    return out->instr && !isnan(out->latency.value);
}

static void offer_latency(const struct am_deriving *d, const struct path *p)
{
    struct am_incore rest = {.n_points = 0};
    const struct am_incore_cell cell = am_incore_read_cell(&rest, p->result, "latency");
    struct am_fact fact = rest_on(&rest, (struct am_fact){.name = "operand_latency",
                                                          .what = "cycles from this operand to the "
                                                                  "result",
                                                          .value = cell.value,
                                                          .ci = span_of(&cell),
                                                          .unit = "cycle",
                                                          .evidence = "a chain through it alone"});

    am_fact_label(&fact, d->arena, "instr", AM_AXIS_NAME, p->instr);
    am_fact_label(&fact, d->arena, "operand", AM_AXIS_NAME, p->operand);
    am_facts_offer(d->facts, fact);
}

/* Between the operand that is needed first and the one that is needed last. */
static void offer_gap(const struct am_deriving *d, const struct path *early,
                      const struct path *late)
{
    struct am_incore rest = {.n_points = 0};
    const struct am_incore_cell a = am_incore_read_cell(&rest, early->result, "latency");
    const struct am_incore_cell b = am_incore_read_cell(&rest, late->result, "latency");
    const struct am_interval from = span_of(&a), to = span_of(&b), gap = less(&from, &to);
    struct am_fact fact = rest_on(
        &rest, (struct am_fact){
                   .name = "operand_gap", .value = a.value - b.value, .ci = gap, .unit = "cycle"});

    fact.what = gap.lo > half_way
                    ? am_arena_printf(d->arena, "cycles by which %s is needed before %s",
                                      early->operand, late->operand)
                : gap.hi < half_way ? "all operands are needed at once"
                                    : "undecided whether operands are needed at once";
    fact.evidence = am_arena_printf(d->arena, "%s %.3g cycles, %s %.3g", early->operand, a.value,
                                    late->operand, b.value);
    am_fact_label(&fact, d->arena, "instr", AM_AXIS_NAME, early->instr);
    am_facts_offer(d->facts, fact);
}

/* The operands of one instruction stand one behind the other. */
static size_t end_of(const struct path *paths, size_t n, size_t first)
{
    size_t end = first;

    while (end < n && strcmp(paths[end].instr, paths[first].instr) == 0)
        end++;
    return end;
}

static void offer_instr(const struct am_deriving *d, const struct path *paths, size_t n)
{
    const struct path *early = paths, *late = paths;

    for (size_t i = 0; i < n; i++) {
        early = paths[i].latency.value > early->latency.value ? &paths[i] : early;
        late = paths[i].latency.value < late->latency.value ? &paths[i] : late;
        offer_latency(d, &paths[i]);
    }
    if (n > 1)
        offer_gap(d, early, early == late ? &paths[1] : late);
}

void am_core_derive_operands(const struct am_deriving *d)
{
    const struct am_selector selector = {"cpu.operand", NULL, "latency"};
    const struct am_picks picks = am_select(d->set, &selector, d->arena);
    struct path *const paths = am_arena_array(d->arena, picks.n + 1, sizeof(*paths));
    size_t n = 0;

    for (size_t i = 0; paths && i < picks.n; i++)
        n += read_path(&picks.items[i], d->arena, &paths[n]);
    for (size_t i = 0, end; i < n; i = end) {
        end = end_of(paths, n, i);
        offer_instr(d, &paths[i], end - i);
    }
}

/* ---- idioms ---- */

/* One of three sentences: the interval lies below the middle, above it, or on both sides. */
static const char *decide(const struct am_interval *ci, const char *const words[3])
{
    return ci->hi < half_way ? words[0] : ci->lo > half_way ? words[1] : words[2];
}

static void offer_idiom(const struct am_deriving *d, const struct am_result *result,
                        const struct am_incore *rest, struct am_fact fact)
{
    fact = rest_on(rest, fact);
    am_fact_label_axes(&fact, result, "idiom");
    am_facts_offer(d->facts, fact);
}

/* What it takes between a slot (0) and a unit (1); of a pair between one slot and two. */
static void offer_share(const struct am_deriving *d, const struct am_result *result, bool pair)
{
    static const char *const single[] = {"it needs a slot only", "it takes a unit",
                                         "undecided whether it takes a unit"};
    static const char *const both[] = {"the pair is one operation", "the pair is two operations",
                                       "undecided whether the pair is one operation"};
    struct am_incore rest = {.n_points = 0};
    const struct am_incore_cell alone = am_incore_read_cell(&rest, result, "alone");
    const struct am_incore_cell slot = am_incore_read_cell(&rest, result, "slot");
    const struct am_incore_cell unit = am_incore_read_cell(&rest, result, "unit");
    const struct am_interval a = span_of(&alone), s = span_of(&slot), u = span_of(&unit);
    const struct am_interval above = less(&a, &s), whole = less(&u, &s);
    struct am_fact fact = {.name = pair ? "fused" : "rename_unit", .unit = ""};

    if (!(whole.lo > 0) || isnan(above.lo)) {
        am_facts_remark(d->facts,
                        "core.%s of %s is not concluded: what needs a slot and what needs %s "
                        "cannot be told apart",
                        fact.name, am_result_text(result, "idiom"), pair ? "two" : "a unit");
        return;
    }
    fact.value = (alone.value - slot.value) / (unit.value - slot.value);
    fact.ci = (struct am_interval){above.lo / (above.lo < 0 ? whole.lo : whole.hi),
                                   above.hi / (above.hi < 0 ? whole.hi : whole.lo), NAN};
    fact.what = decide(&fact.ci, pair ? both : single);
    fact.evidence = am_arena_printf(d->arena, "%.3g cycles each, between %.3g and %.3g",
                                    alone.value, slot.value, unit.value);
    offer_idiom(d, result, &rest, fact);
}

/* What it adds to a chain: constants that wait for nothing end the chain, and add less than none.
 */
static void offer_latency_of(const struct am_deriving *d, const struct am_result *result,
                             bool constant)
{
    static const char *const copies[] = {"a result that costs no cycle",
                                         "it takes cycles as other instructions do",
                                         "undecided whether it takes a cycle"};
    static const char *const constants[] = {"its result waits for nothing",
                                            "it waits for its operands",
                                            "undecided whether it waits for its operands"};
    struct am_incore rest = {.n_points = 0};
    const struct am_incore_cell behind = am_incore_read_cell(&rest, result, "behind");
    const struct am_incore_cell products = am_incore_read_cell(&rest, result, "products");
    const struct am_interval b = span_of(&behind), p = span_of(&products);
    struct am_fact fact = {.name = "rename_latency",
                           .value = behind.value - products.value,
                           .ci = less(&b, &p),
                           .unit = "cycle"};

    if (isnan(fact.value))
        return;
    fact.what = decide(&fact.ci, constant ? constants : copies);
    fact.evidence = am_arena_printf(d->arena,
                                    "a product with it behind takes %.3g cycles, without "
                                    "%.3g",
                                    behind.value, products.value);
    offer_idiom(d, result, &rest, fact);
}

void am_core_derive_idioms(const struct am_deriving *d)
{
    const struct am_selector selector = {"cpu.idiom", NULL, "alone"};
    const struct am_picks picks = am_select(d->set, &selector, d->arena);

    for (size_t i = 0; i < picks.n; i++) {
        const struct am_result *const result = picks.items[i].result;
        const char *const kind = am_kvs_get(&result->chosen, "kind");

        if (!kind)
            continue;
        offer_share(d, result, strcmp(kind, "pair") == 0);
        if (strcmp(kind, "pair") != 0)
            offer_latency_of(d, result, strcmp(kind, "constant") == 0);
    }
}
