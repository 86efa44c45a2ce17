/* SPDX-License-Identifier: MIT */
/* The family of cores: what cpu.flops, cpu.instr and cpu.ports show of arithmetic and instructions,
 * and the core clock, from every bench that counts both seconds and cycles.
 *
 * Peaks are capabilities: the best sound evidence over whatever was varied beside their labels, and
 * over what applications executed where that was more. The clock is the median of the clocks of all
 * points of one thread. Speed-ups and the number of cores are made of the peaks, not of results. */
#include "family/core.h"

#include "base/text.h"
#include "family/families.h"
#include "family/roles.h"

#include <math.h>
#include <string.h>

/* A number of streams reaches the peak when it comes this close: the spread of such results. */
static const double near_peak = 0.97;
/* Above the highest clock that the system states by more than this: the statement is wrong. */
static const double clock_tolerance = 0.05;

/* ---- clock ---- */

/* Metrics of one thread whose ratio is cycles per second. */
static const struct {
    struct am_selector over;
    const char *under;
} clock_sources[] = {
    {{"cpu.flops", "threads?=1", "flops"}, "flops_per_cycle"},
    {{"mem.bandwidth", "threads?=1", "bandwidth"}, "bytes_per_cycle"},
    {{"mem.latency", "chains?=1", "cycles"}, "latency"},
};

static void add_clocks(const struct am_deriving *d, size_t source, double *clocks, size_t *n,
                       struct am_fact *fact)
{
    const struct am_picks all = am_select(d->set, &clock_sources[source].over, d->arena);
    const struct am_picks picks = am_picks_sound(&all);

    for (size_t i = 0; i < picks.n; i++) {
        const struct am_pick *const p = &picks.items[i];
        const struct am_result_metric *const under =
            am_result_metric(p->result, clock_sources[source].under);
        const double hz = under ? p->metric->summary.median / under->summary.median : NAN;

        if (!isfinite(hz) || !(hz > 0))
            continue;
        clocks[(*n)++] = hz;
        am_fact_rest_on(fact, p);
        fact->grading = am_grading_worse(fact->grading, under->grading);
    }
}

static double number_in(const struct am_kvs *kvs, const char *key)
{
    const char *const text = am_kvs_get(kvs, key);
    double value;

    return text && am_parse_f64(text, strlen(text), &value) ? value : NAN;
}

static void derive_clock(const struct am_deriving *d)
{
    double *const clocks = am_arena_array(d->arena, d->set->n + 1, sizeof(*clocks));
    const double stated = 1e3 * number_in(&d->set->environment, "frequency_max_khz");
    struct am_fact fact = {.name = "clock", .what = "core clock while measuring", .unit = "Hz"};
    size_t n = 0;

    for (size_t i = 0; clocks && i < sizeof(clock_sources) / sizeof(clock_sources[0]); i++)
        add_clocks(d, i, clocks, &n, &fact);
    if (n == 0)
        return;
    am_stats_sort(clocks, n);
    fact.value = am_stats_median(clocks, n);
    fact.ci = (struct am_interval){clocks[0], clocks[n - 1], NAN};
    fact.evidence =
        am_arena_printf(d->arena,
                        "rates per second over rates per cycle of %zu points of one thread, "
                        "least to highest; the cycle by a chain of dependent additions",
                        n);
    if (stated > 0) {
        fact.claimed = am_arena_printf(d->arena, "%.2f GHz at most", stated / 1e9);
        fact.contradicts = fact.ci.lo > stated * (1 + clock_tolerance);
    }
    am_facts_offer(d->facts, fact);
}

/* ---- arithmetic ---- */

static struct am_picks select_flops(const struct am_deriving *d, const char *where)
{
    const struct am_selector selector = {"cpu.flops", where, "flops"};

    return am_select(d->set, &selector, d->arena);
}

/* The fewest streams of the peak's operation that reach it. Not said where fewer were not measured,
 * or none of them is surely below: nothing bounds the number then. */
static void derive_streams(const struct am_deriving *d)
{
    const struct am_picks all = select_flops(d, "op threads=1");
    const struct am_groups groups = am_picks_group(&all, "type,isa");

    for (size_t i = 0; i < groups.n; i++) {
        const struct am_picks sound = am_picks_sound(&groups.items[i].picks);
        const struct am_pick *const peak = am_picks_best(&sound);
        const struct am_picks same = am_picks_like(&sound, peak->result, "op");
        const struct am_picks curve = am_picks_curve(&same, "streams", NULL);
        struct am_fact fact = am_fact_of_knee(&curve, near_peak, d->arena);

        if (!(fact.ci.lo > 1))
            continue;
        fact.name = "streams";
        fact.what = "independent streams that reach the peak";
        am_fact_label_axes(&fact, peak->result, "type,isa");
        am_facts_offer(d->facts, fact);
    }
}

static void derive_speedup(const struct am_deriving *d)
{
    am_facts_offer_speedups(d->facts, "peak");
}

/* ---- instructions ---- */

/* Instructions that programs spend their time in; each architecture has some of them. */
static const struct {
    const char *instr;
    const char *what; /* in words, for a person */
} key_forms[] = {
    {"add_r64", "64-bit integer addition"},
    {"imul_r64", "64-bit integer multiplication"},
    {"div_r64", "128-by-64-bit integer division"},
    {"mov_r64_m64", "load from the first-level cache"},
    {"addsd_xmm", "scalar f64 addition"},
    {"mulsd_xmm", "scalar f64 multiplication"},
    {"divsd_xmm", "scalar f64 division"},
    {"vaddpd_ymm", "256-bit f64 addition"},
    {"vmulpd_ymm", "256-bit f64 multiplication"},
    {"vfmadd231pd_ymm", "256-bit f64 fused multiply-add"},
    {"vfmadd231ps_ymm", "256-bit f32 fused multiply-add"},
    {"vdivpd_ymm", "256-bit f64 division"},
    {"vsqrtpd_ymm", "256-bit f64 square root"},
    {"vfmadd231pd_zmm", "512-bit f64 fused multiply-add"},
    {"vdivpd_zmm", "512-bit f64 division"},
    {"vpdpbusd_zmm", "512-bit dot product of bytes"},
    {"vdpbf16ps_zmm", "512-bit dot product of bfloat16"},
    {"vfmadd231ph_zmm", "512-bit f16 fused multiply-add"},
    {"vpermd_ymm", "256-bit permutation across lanes"},
    {"vpgatherdd_ymm", "gather of eight words from one cache line"},
    {"add_x", "64-bit integer addition"},
    {"mul_x", "64-bit integer multiplication"},
    {"udiv_x", "64-bit integer division"},
    {"ldr_x", "load from the first-level cache"},
    {"fadd_d", "scalar f64 addition"},
    {"fmadd_d", "scalar f64 fused multiply-add"},
    {"fadd_2d", "128-bit f64 addition"},
    {"fmul_2d", "128-bit f64 multiplication"},
    {"fmla_2d", "128-bit f64 fused multiply-add"},
    {"fmla_4s", "128-bit f32 fused multiply-add"},
    {"fdiv_2d", "128-bit f64 division"},
    {"fsqrt_2d", "128-bit f64 square root"},
};

/* The only result of the instruction's metric; what else there is becomes a remark. */
static const struct am_pick *only_form(const struct am_deriving *d, const char *instr,
                                       const char *metric)
{
    const char *const where = am_arena_printf(d->arena, "instr=%s", instr);
    const struct am_selector selector = {"cpu.instr", where, metric};
    const struct am_picks picks = am_select(d->set, &selector, d->arena);
    const char *several = NULL;
    const struct am_pick *const pick = where ? am_picks_only(&picks, &several) : NULL;

    if (several)
        am_facts_remark(d->facts, "%s of %s is not concluded: several results (%s)", metric, instr,
                        several);
    return pick;
}

static void offer_form(const struct am_deriving *d, struct am_fact fact, const char *name,
                       size_t form)
{
    fact.name = name;
    fact.what = am_arena_printf(d->arena, "%s of %s", name, key_forms[form].what);
    am_fact_label(&fact, d->arena, "instr", AM_AXIS_NAME, key_forms[form].instr);
    am_facts_offer(d->facts, fact);
}

static void derive_instructions(const struct am_deriving *d)
{
    for (size_t i = 0; i < sizeof(key_forms) / sizeof(key_forms[0]); i++) {
        const struct am_pick *const latency = only_form(d, key_forms[i].instr, "latency");
        const struct am_pick *const each = only_form(d, key_forms[i].instr, "throughput");
        struct am_fact fact;

        if (latency)
            offer_form(d, am_fact_of(latency, d->arena), "latency", i);
        if (!each)
            continue;
        fact = am_fact_of(each, d->arena); /* cycles for each: the rate is their reciprocal */
        if (!(fact.ci.lo > 0))
            continue;
        fact.value = 1 / fact.value;
        fact.ci = (struct am_interval){1 / fact.ci.hi, 1 / fact.ci.lo, fact.ci.coverage};
        fact.unit = "1/cycle";
        offer_form(d, fact, "rate", i);
    }
}

static const struct am_fact_rule rules[] = {
    {.name = "standard",
     .what = "cycles of an instruction of known latency",
     .labels = "form",
     .derive = am_core_derive_standards},
    {.name = "clock", .what = "core clock while measuring", .derive = derive_clock},
    {.name = "peak",
     .what = "peak rate of these threads together",
     .labels = "type,isa,threads",
     .derive = am_core_derive_peaks},
    {.name = "flops_per_cycle",
     .what = "peak of one core by the core clock",
     .from = {"cpu.flops", "op threads=1", "flops_per_cycle"},
     .labels = "type,isa",
     .reduce = AM_REDUCE_BEST,
     .kind = AM_FACT_CAPABILITY},
    {.name = "clock_ratio",
     .what = "clock of the fastest thread over the slowest, at the peak",
     .from = {"cpu.flops", "op threads>1", "clock_ratio"},
     .labels = "type,isa",
     .most = "threads",
     .reduce = AM_REDUCE_BEST},
    {.name = "clock_busy",
     .what = "mean core clock of the most threads at their peak",
     .labels = "type,isa,threads",
     .derive = am_core_derive_busy_clock},
    {.name = "streams",
     .what = "independent streams that reach the peak",
     .labels = "type,isa",
     .derive = derive_streams},
    {.name = "smt_gain",
     .what = "several threads on one core over one",
     .labels = "type,isa,threads,work",
     .derive = am_core_derive_smt},
    {.name = "latency,rate",
     .what = "cycles of key instructions, and how many per cycle",
     .labels = "instr",
     .derive = derive_instructions},
    {.name = "speedup",
     .what = "rate of the most threads over one",
     .labels = "type,isa,threads",
     .derive = derive_speedup},
    {.name = "count", .what = "cores by their arithmetic", .derive = am_core_derive_count},
    {.name = "ports_width,ports_classes,ports_units,ports_use,ports_error",
     .what = "resources inside of a core that classes of instructions share",
     .labels = "class,resource",
     .derive = am_core_derive_ports},
    {.name = "operand_latency,operand_gap",
     .what = "cycles from one operand to the result; between the operand needed first and last",
     .labels = "instr,operand",
     .derive = am_core_derive_operands},
    {.name = "rename_latency,rename_unit,fused",
     .what = "cycles that an idiom adds to a chain; whether it takes a unit (0 no, 1 yes); whether "
             "a pair is two operations (0 no, 1 yes)",
     .labels = "idiom",
     .derive = am_core_derive_idioms},
    {.name = "window",
     .what = "instructions of a kind that are in flight at once",
     .labels = "filler",
     .derive = am_core_derive_window},
    {.name = "fetch",
     .what = "bytes of code that come in at full speed, of instructions of this length",
     .labels = "length",
     .derive = am_core_derive_fetch},
    {.name = "targets",
     .what = "jumps, so many bytes apart, that are followed within so many cycles each",
     .labels = "spacing,within",
     .derive = am_core_derive_targets},
    {.name = "branch_pattern,branch_cost",
     .what = "branches of a random pattern that are remembered; cycles of one foretold wrongly",
     .derive = am_core_derive_branch},
    {.name = "forward",
     .what = "cycles of a load that reads what a store of as many or other bytes just wrote",
     .from = {"cpu.forward", "offset=0", "cycles"},
     .labels = "store,load"},
    {.name = "forward_at",
     .what = "the same of a load that begins so many bytes behind the store's first",
     .from = {"cpu.forward", "offset>0", "cycles"},
     .labels = "store,load,offset"},
    {.name = "dot",
     .what = "multiply-adds of narrow types and tiles, these threads together",
     .from = {"cpu.dot", NULL, "rate"},
     .labels = "instr,threads",
     .reduce = AM_REDUCE_BEST,
     .kind = AM_FACT_CAPABILITY},
    {.name = "narrow_peak",
     .what = "operations on i8, i16, bf16 or f16 by the best instruction, these threads together",
     .labels = "type,threads",
     .derive = am_core_derive_narrow},
    {.name = "dot_per_cycle",
     .what = "multiply-adds of narrow types and tiles per cycle of one core",
     .from = {"cpu.dot", "threads=1", "per_cycle"},
     .labels = "instr",
     .reduce = AM_REDUCE_BEST,
     .kind = AM_FACT_CAPABILITY},
    {.name = NULL},
};

/* ---- figures, headlines, bounds ---- */

static const struct am_figure_row figures[] = {
    {
        .name = "flops-peak",
        .section = "Cores",
        .title = "Peak arithmetic by instruction set",
        .caption =
            "Fused multiply-add in fourteen independent streams, all operands in registers. A "
            "set of registers twice as wide should double the bar; threads that share a "
            "core or a power budget add less than one.",
        .bench = "cpu.flops",
        .metric = "flops",
        .kind = AM_FIGURE_BARS,
        .x = "isa",
        .series = "threads",
        .panel = "type",
        .where = "op=fma streams=14",
        .y_title = "operations per second",
    },
    {
        .name = "flops-streams",
        .section = "Cores",
        .title = "Streams needed to fill the pipelines",
        .caption =
            "Arithmetic against the number of independent chains per thread, for multiplication and "
            "fused multiply-add. One stream shows the latency of an instruction; the curve is "
            "flat from latency × pipelines streams on. A second hardware thread on the core "
            "brings streams of its own.",
        .bench = "cpu.flops",
        .metric = "flops",
        .kind = AM_FIGURE_LINES,
        .x = "streams",
        .series = "isa",
        .panel = "op",
        .where = "op=mul,fma type=f64",
        .x_title = "independent streams per thread",
        .y_title = "f64 operations per second",
    },
    {
        .name = "flops-operations",
        .section = "Cores",
        .title = "Operations per cycle by instruction",
        .caption =
            "One thread, fourteen streams, by the core clock measured around each batch. fma "
            "counts two operations; mix alternates fma and add and counts three for two "
            "instructions, so it shows pipelines that only add.",
        .bench = "cpu.flops",
        .metric = "flops_per_cycle",
        .kind = AM_FIGURE_BARS,
        .x = "op",
        .series = "isa",
        .panel = "type",
        .where = "streams=14 threads=1",
        .y_title = "operations per cycle",
    },
    {
        .name = "instructions",
        .section = "Cores",
        .title = "Latency and throughput of instructions",
        .caption = "Latency: cycles from an operand to the result, in a chain of dependent "
                   "instructions. Throughput: cycles for each of many independent ones; 0.5 means "
                   "two per cycle. Click a heading to sort.",
        .bench = "cpu.instr",
        .kind = AM_FIGURE_TABLE,
        .x = "instr",
    },
    {
        .name = "operands",
        .section = "Cores",
        .title = "Latency by operand",
        .caption = "Cycles from one operand of an instruction to its result, all others being "
                   "ready: instruction.operand. Values that come late belong to the operand with "
                   "the least.",
        .bench = "cpu.operand",
        .kind = AM_FIGURE_TABLE,
        .x = "path",
    },
    {
        .name = "idioms",
        .section = "Cores",
        .title = "Zeros, moves and jumps that need no unit",
        .caption = "Cycles of each alone, beside what needs a slot only and what needs a unit "
                   "(pairs: one slot, two). Behind a product, a constant that waits for nothing "
                   "ends the chain, and a move that is done by renaming adds nothing.",
        .bench = "cpu.idiom",
        .kind = AM_FIGURE_TABLE,
        .x = "idiom",
    },
    {
        .name = "beside-others",
        .section = "Cores",
        .title = "Instructions beside others",
        .caption =
            "Cycles of an instruction alone, and of it with instructions of one kind (with_), "
            "so many of both (counts). Two that share a unit take as long as one behind the "
            "other. The units that follow are among the facts.",
        .bench = "cpu.ports",
        .kind = AM_FIGURE_TABLE,
        .x = "instr",
    },
    {
        .name = "mixes",
        .section = "Cores",
        .title = "Random mixes of instructions",
        .caption = "Cycles of mixes by the number of the set that they are drawn from, in no "
                   "order. Every fourth set tests what was found from the others; how well is "
                   "among the facts.",
        .bench = "cpu.mix",
        .kind = AM_FIGURE_TABLE,
        .x = "set",
    },
    {
        .name = "chains",
        .section = "Cores",
        .title = "Latency from instruction to instruction",
        .caption = "Cycles of an instruction in a chain of its like, and in turn with an addition "
                   "of numbers (with_float) and one of integers (with_integer), both together.",
        .bench = "cpu.chain",
        .kind = AM_FIGURE_TABLE,
        .x = "instr",
    },
    {
        .name = "short-loops",
        .section = "Cores",
        .title = "Short loops",
        .caption = "Cycles per pass of loops of one instruction and the jump back (loop_1), two "
                   "(loop_2) and so on, by what else stands in them or where they lie (many, "
                   "many_halfway, longer, longest: two more with each loop).",
        .bench = "cpu.loop",
        .kind = AM_FIGURE_TABLE,
        .x = "with",
    },
    {
        .name = "dot",
        .section = "Cores",
        .title = "Multiply-adds of narrow types",
        .caption = "Bytes, words, bfloat16 and half precision in dot products and tiles, per cycle "
                   "of a core by its clock while they run.",
        .bench = "cpu.dot",
        .metric = "per_cycle",
        .kind = AM_FIGURE_BARS,
        .x = "instr",
        .series = "threads",
        .y_title = "multiply-adds per cycle",
    },
    {.name = NULL},
};

#define PEAK(title_, row_, where_, rank_, place_)                                                  \
    {                                                                                              \
        .title = title_, .fact = "core.peak", .where = where_, .rank = rank_, .place = place_,     \
        .row = row_                                                                                \
    }
static const struct am_headline headlines[] = {
    {.title = "core clock while measuring", .fact = "core.clock", .rank = 10, .row = "clock"},
    {.title = "cores by their arithmetic",
     .fact = "core.count",
     .rank = 10,
     .row = "clock",
     .place = AM_HEADLINE_DENIED},
    PEAK("f64 peak, one thread", "f64 arithmetic", "type=f64 threads=1", 20, AM_HEADLINE_ONE),
    PEAK("f64 peak, best", "f64 arithmetic", "type=f64 threads>1", 20, AM_HEADLINE_ALL),
    PEAK("f32 peak, one thread", "f32 arithmetic", "type=f32 threads=1", 21, AM_HEADLINE_ONE),
    PEAK("f32 peak, best", "f32 arithmetic", "type=f32 threads>1", 21, AM_HEADLINE_ALL),
    {.title = NULL},
};

static const struct am_bound_row bounds[] = {
    {.bench = "cpu.flops", .role = AM_BOUND_FLOPS},
    {.bench = "cpu.dot",
     .role = AM_BOUND_FLOPS,
     .type = am_core_dot_type,
     .operation = am_core_dot_instr,
     .operations = AM_CORE_DOT_OPERATIONS},
    {.bench = NULL},
};

/* ---- what to try next ---- */

/* Too few independent chains for the latency of its instruction. */
static const char *try_streams(const struct am_trying *t)
{
    const char *const type = am_result_type(t->result), *const isa = am_result_isa(t->result);
    const struct am_fact *const f =
        type && isa && t->computes && t->share <= t->at_roof
            ? am_facts_only(t->facts, "core.streams",
                            am_arena_printf(t->arena, "type=%s isa=%s", type, isa))
            : NULL;

    if (!f || !(am_result_number(t->result, "streams") < f->value))
        return NULL;
    return am_arena_printf(t->arena, "%.0f independent streams reach it", f->value);
}

static am_try_fn *const tries[] = {try_streams, NULL};

const struct am_family am_family_core = {
    .name = "core",
    .title = "Cores",
    .facts = rules,
    .figures = figures,
    .guidelines = am_core_guidelines,
    .headlines = headlines,
    .bounds = bounds,
    .tries = tries,
};
