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
/* Smaller effects are no advice. */
static const double worth = 1.1;

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
    {.name = NULL},
};

/* ---- guidelines ---- */

static bool say_streams(const struct am_facts *facts, struct am_arena *arena,
                        struct am_guideline *out)
{
    const struct am_fact *const peak = am_facts_most(facts, "core.peak", "type=f64 threads=1");
    const char *const isa = peak ? am_fact_text(peak, "isa") : NULL;
    const struct am_fact *const streams =
        isa ? am_facts_only(facts, "core.streams", am_arena_printf(arena, "type=f64 isa=%s", isa))
            : NULL;

    if (!streams)
        return false;
    *out = (struct am_guideline){
        .text =
            am_arena_printf(arena,
                            streams->ci.hi <= 2 * streams->ci.lo
                                ? "Keep at least %.0f independent f64 operations of %s under "
                                  "way: as many streams reach the peak, %.0f do not."
                                : "Not decided: %.0f independent f64 operations of %s reach the "
                                  "peak, %.0f do not; what lies between was not measured.",
                            streams->value, isa, streams->ci.lo - 1),
        .evidence = am_arena_printf(arena, "%s = %.0f, between %.0f and %.0f", streams->id,
                                    streams->value, streams->ci.lo, streams->ci.hi),
        .command =
            am_arena_printf(arena, "run cpu.flops -p type=f64 -p isa=%s -p streams=1:16", isa),
        .grading = am_grading_worse(peak->grading, streams->grading),
    };
    return true;
}

/* " (1.9 to 2.1)": the ratio's interval, by the ends of both. */
static const char *ratio_range(const struct am_fact *a, const struct am_fact *b,
                               struct am_arena *arena)
{
    const char *const text =
        am_arena_printf(arena, " (%.3g to %.3g)", a->ci.lo / b->ci.hi, a->ci.hi / b->ci.lo);

    return text ? text : "";
}

static bool say_vectors(const struct am_facts *facts, struct am_arena *arena,
                        struct am_guideline *out)
{
    static const char *const advice[] = {
        [AM_SIDE_ABOVE] = "Vectorise with %s: %.1f x the arithmetic of %s code%s.",
        [AM_SIDE_BELOW] = "Vectors hardly matter: %s has %.2f x the arithmetic of %s code%s.",
        [AM_SIDE_OPEN] = "Not decided: %s has about %.2f x the arithmetic of %s code%s."};
    static const char where[] = "type=f64 threads=1";
    const struct am_fact *const peak = am_facts_most(facts, "core.peak", where);
    const struct am_fact *base = am_facts_only(facts, "core.peak", "type=f64 isa=scalar threads=1");

    for (const struct am_fact *f = base ? NULL : am_facts_next(facts, "core.peak", where, NULL); f;
         f = am_facts_next(facts, "core.peak", where, f)) {
        if (f != peak && (!base || f->value > base->value))
            base = f;
    }
    if (!peak || !base || peak == base)
        return false;
    *out = (struct am_guideline){
        .text = am_arena_printf(arena, advice[am_facts_side(peak, base, worth)],
                                am_fact_text(peak, "isa"), peak->value / base->value,
                                am_fact_text(base, "isa"), ratio_range(peak, base, arena)),
        .evidence = am_arena_printf(arena, "%s = %.3g, %s = %.3g Gflop/s", peak->id,
                                    peak->value / 1e9, base->id, base->value / 1e9),
        .command = "run cpu.flops -p type=f64 -p isa=usable",
        .grading = am_grading_worse(peak->grading, base->grading),
    };
    return true;
}

/* A ratio is quoted with a digit behind the point where its interval is this narrow. */
static const double quotable = 1.3;

static enum am_fact_side quoted_side(const struct am_fact *a, const struct am_fact *b)
{
    const double width = a->ci.hi / a->ci.lo * (b->ci.hi / b->ci.lo);

    return width <= quotable ? am_facts_side(a, b, worth) : AM_SIDE_OPEN;
}

/* The single-precision peak of the same instruction set; NULL when it is not known. */
static const struct am_fact *single_of(const struct am_facts *facts, const struct am_fact *f64,
                                       struct am_arena *arena)
{
    const char *const where =
        am_arena_printf(arena, "type=f32 isa=%s threads=1", am_fact_text(f64, "isa"));

    return where ? am_facts_only(facts, "core.peak", where) : NULL;
}

/* Of one instruction set, the fastest that has both: peaks of different ones say nothing of types.
 */
static bool say_precision(const struct am_facts *facts, struct am_arena *arena,
                          struct am_guideline *out)
{
    static const char *const advice[] = {
        [AM_SIDE_ABOVE] = "Single precision has %.1f x the arithmetic of double%s, with %s.",
        [AM_SIDE_BELOW] = "Single precision gains no arithmetic: %.2f x that of double%s, with %s.",
        [AM_SIDE_OPEN] =
            "Not decided: single precision has %.2f x that of double or so%s, with %s."};
    static const char where[] = "type=f64 threads=1";
    const struct am_fact *f64 = NULL, *f32 = NULL;

    for (const struct am_fact *f = am_facts_next(facts, "core.peak", where, NULL); f;
         f = am_facts_next(facts, "core.peak", where, f)) {
        const struct am_fact *const single = single_of(facts, f, arena);

        if (single && (!f64 || f->value > f64->value)) {
            f64 = f;
            f32 = single;
        }
    }
    if (!f64)
        return false;
    *out = (struct am_guideline){
        .text = am_arena_printf(arena, advice[quoted_side(f32, f64)], f32->value / f64->value,
                                ratio_range(f32, f64, arena), am_fact_text(f64, "isa")),
        .evidence = am_arena_printf(arena, "%s = %.3g, %s = %.3g Gflop/s", f32->id,
                                    f32->value / 1e9, f64->id, f64->value / 1e9),
        .command = "run cpu.flops -p type=f32,f64 -p isa=best",
        .grading = am_grading_worse(f32->grading, f64->grading),
    };
    return true;
}

static bool say_division(const struct am_facts *facts, struct am_arena *arena,
                         struct am_guideline *out)
{
    static const char *const pairs[][2] = {{"vdivpd_zmm", "vfmadd231pd_zmm"},
                                           {"vdivpd_ymm", "vfmadd231pd_ymm"},
                                           {"fdiv_2d", "fmla_2d"}};
    static const char *const opening[] = {"Not decided", "Divide as little as possible", ""};

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const struct am_fact *const divide =
            am_facts_only(facts, "core.rate", am_arena_printf(arena, "instr=%s", pairs[i][0]));
        const struct am_fact *const fma =
            am_facts_only(facts, "core.rate", am_arena_printf(arena, "instr=%s", pairs[i][1]));

        if (!fma || !divide || am_facts_side(fma, divide, worth) == AM_SIDE_BELOW)
            continue;
        *out = (struct am_guideline){
            .text = am_arena_printf(arena,
                                    "%s: one f64 division takes the time of %.0f multiplications "
                                    "and additions.",
                                    opening[am_facts_side(fma, divide, worth)],
                                    2 * fma->value / divide->value),
            .evidence = am_arena_printf(arena, "%s = %.3g, %s = %.3g per cycle", divide->id,
                                        divide->value, fma->id, fma->value),
            .command =
                am_arena_printf(arena, "run cpu.instr -p instr=%s,%s", pairs[i][0], pairs[i][1]),
            .grading = am_grading_worse(fma->grading, divide->grading),
        };
        return true;
    }
    return false;
}

static bool say_smt(const struct am_facts *facts, struct am_arena *arena, struct am_guideline *out)
{
    const struct am_fact *const f = am_facts_most(facts, "core.smt_gain", "work=peak");

    if (!f || !am_fact_is_decided(f))
        return false;
    out->text =
        f->ci.lo > worth
            ? am_arena_printf(arena,
                              "Use %.0f hardware threads of a core: together they reach %.2f x "
                              "the peak of one.",
                              am_fact_number(f, "threads"), f->value)
        : f->ci.hi <= worth
            ? am_arena_printf(arena,
                              "One thread per core is enough where code reaches the peak: %.0f "
                              "give %.2f x.",
                              am_fact_number(f, "threads"), f->value)
            : am_arena_printf(arena,
                              "Not decided: %.0f threads of a core reach between %.2f and %.2f x "
                              "the peak of one.",
                              am_fact_number(f, "threads"), f->ci.lo, f->ci.hi);
    out->evidence =
        am_arena_printf(arena, "%s = %.3g, from %.3g to %.3g", f->id, f->value, f->ci.lo, f->ci.hi);
    out->command = "run cpu.flops -p on=machine,smt* -p threads=1,smt";
    out->grading = f->grading;
    return true;
}

static bool say_count(const struct am_facts *facts, struct am_arena *arena,
                      struct am_guideline *out)
{
    const struct am_fact *const f = am_facts_only(facts, "core.count", NULL);

    if (!f || !f->contradicts)
        return false;
    *out = (struct am_guideline){
        .text = am_arena_printf(arena,
                                "Count on the arithmetic of %.0f cores, not of the %s that are "
                                "claimed: CPUs share cores, or the rest belongs to others.",
                                round(f->value), f->claimed),
        .evidence = am_arena_printf(arena, "core.count = %.3g (%s)", f->value, f->evidence),
        .command = "run cpu.flops -p threads=1:cpus:*2",
        .grading = f->grading,
    };
    return true;
}

static const struct am_guideline_rule guidelines[] = {
    {"core.streams", say_streams},
    {"core.vectors", say_vectors},
    {"core.precision", say_precision},
    {"core.division", say_division},
    {"core.smt", say_smt},
    {"cores.effective", say_count},
    {NULL, NULL},
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
    .guidelines = guidelines,
    .headlines = headlines,
    .bounds = bounds,
    .tries = tries,
};
